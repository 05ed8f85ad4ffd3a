// Trying something out without a word. Other programs of a file may be compiled by other threads meanwhile: what they
// report is theirs, and not lost.
#pragma once

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"

#include "llvm/Support/Threading.h"

namespace tilec {

/// Swallows what the thread that made it reports, as long as it lives.
class QuietThread : public mlir::ScopedDiagnosticHandler {
public:
  explicit QuietThread(mlir::MLIRContext *context)
      : ScopedDiagnosticHandler(context, [thread = llvm::get_threadid()](mlir::Diagnostic &) {
          return llvm::success(llvm::get_threadid() == thread);
        }) {}
};

} // namespace tilec
