// Source text to module, with the author's %names kept. The only place of the product that opens an .mlir file.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace llvm {
class MemoryBuffer;
class SourceMgr;
} // namespace llvm

namespace tilec {

/// Reports text that nests so deep that parsing it could overflow the stack (Nesting.h). `parseTile` does it;
/// who calls another parser calls this first.
llvm::LogicalResult checkNesting(const llvm::MemoryBuffer &text, mlir::MLIRContext *context);

/// Parses and verifies the main buffer of `sources`. The location of every op with a result, and of every block
/// argument, becomes a NameLoc that holds the author's name without its '%' (the first name of several; none for
/// numbers such as %0), around the place in the text; an explicit NameLoc in the text stays. New ops built at such a
/// location inherit the name, which is how names reach the HIP text and how extents are bound by name. Null after an
/// error, which has gone to the context's diagnostic handler: give it a SourceMgrDiagnosticHandler over the same
/// `sources` to show lines. Print with `OpPrintingFlags().printNameLocAsPrefix()` to see the names again.
/// Files that the text uses are read and fragments put in the place of their calls (Fragments.h); `whole`, if given,
/// gets the text with those of these files behind it.
mlir::OwningOpRef<mlir::ModuleOp> parseTile(const llvm::SourceMgr &sources, mlir::MLIRContext *context,
                                            std::string *whole = nullptr);

/// A file of fragments, with names as `parseTile` gives them, with its calls and its `tile.use`.
mlir::OwningOpRef<mlir::ModuleOp> parseFragments(llvm::StringRef path, llvm::SourceMgr &sources,
                                                 mlir::MLIRContext *context);

/// `parseTile` of a file (`-` is standard input), which is added to `sources`. That a file cannot be read goes to
/// standard error: there is no text with a place in it.
mlir::OwningOpRef<mlir::ModuleOp> parseTileFile(llvm::StringRef path, llvm::SourceMgr &sources,
                                                mlir::MLIRContext *context, std::string *whole = nullptr);

} // namespace tilec
