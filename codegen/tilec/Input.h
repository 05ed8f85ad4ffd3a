// One input file of the command: its text, its module and the context they live in.
#pragma once

#include "codegen/tilec/Options.h"
#include "dialect/ParseTile.h"

#include "llvm/Support/SourceMgr.h"

namespace tilec {

/// Swallows what its handler accepts.
class RemarkFilter : public mlir::ScopedDiagnosticHandler {
public:
  using ScopedDiagnosticHandler::ScopedDiagnosticHandler;
  using ScopedDiagnosticHandler::setHandler;
};

/// Converts to false when the file cannot be read, does not parse, has no program or not the programs that the command
/// takes; the error has been reported then.
class Input {
public:
  explicit Input(const Options &options)
      : context(registry(), mlir::MLIRContext::Threading::DISABLED), diagnostics(sources, &context), remarks(&context) {
    context.printOpOnDiagnostic(false);
    // Remarks are for `explain` and `verify --minimal`.
    remarks.setHandler([&options](mlir::Diagnostic &diagnostic) {
      return llvm::success(diagnostic.getSeverity() == mlir::DiagnosticSeverity::Remark &&
                           options.command != Command::Explain && !options.minimal);
    });
    module = parseTileFile(options.input, sources, &context);
    if (module && failed(check(options)))
      module = nullptr;
  }

  explicit operator bool() const { return static_cast<bool>(module); }
  mlir::ModuleOp get() { return *module; }
  llvm::StringRef text() const { return sources.getMemoryBuffer(sources.getMainFileID())->getBuffer(); }

private:
  llvm::LogicalResult check(const Options &options);

  static mlir::DialectRegistry registry() {
    mlir::DialectRegistry all;
    registerDialects(all);
    return all;
  }

  llvm::SourceMgr sources;
  mlir::MLIRContext context;
  mlir::SourceMgrDiagnosticHandler diagnostics;
  RemarkFilter remarks;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

} // namespace tilec
