// One input file of the command: its text, its module and the context they live in.
#pragma once

#include "codegen/tilec/Options.h"
#include "dialect/ParseTile.h"

#include "llvm/Support/SourceMgr.h"

namespace tilec {

/// Swallows what its handler accepts.
class DiagnosticFilter : public mlir::ScopedDiagnosticHandler {
public:
  using ScopedDiagnosticHandler::ScopedDiagnosticHandler;
  using ScopedDiagnosticHandler::setHandler;
};

/// With the target that a program names, unless --target gives one.
Options withTarget(mlir::ModuleOp module, const Options &options);

/// Converts to false when the file cannot be read, does not parse, has no program or not the programs that the command
/// takes; the error has been reported then.
class Input {
public:
  explicit Input(const Options &options)
      : context(registry(), mlir::MLIRContext::Threading::DISABLED), diagnostics(sources, &context), filter(&context) {
    context.printOpOnDiagnostic(false);
    filter.setHandler([&options](mlir::Diagnostic &diagnostic) { return report(options, diagnostic); });
    module = parseTileFile(options.input, sources, &context, &whole);
    if (module && (failed(check(options)) || failed(choose(options))))
      module = nullptr;
  }

  explicit operator bool() const { return static_cast<bool>(module); }
  mlir::ModuleOp get() { return *module; }
  /// The text with those of the files that it uses.
  llvm::StringRef text() const { return whole; }

private:
  /// Succeeds where nobody else is to print the diagnostic.
  static llvm::LogicalResult report(const Options &options, mlir::Diagnostic &diagnostic);
  llvm::LogicalResult check(const Options &options);
  /// Pattern, granularity, order and schedule that the options give take the place of the program's own.
  llvm::LogicalResult choose(const Options &options);

  static mlir::DialectRegistry registry() {
    mlir::DialectRegistry all;
    registerDialects(all);
    return all;
  }

  llvm::SourceMgr sources;
  std::string whole;
  mlir::MLIRContext context;
  mlir::SourceMgrDiagnosticHandler diagnostics;
  DiagnosticFilter filter;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

} // namespace tilec
