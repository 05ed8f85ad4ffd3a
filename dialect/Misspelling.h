// What the parser says about names that nobody has declared.
#pragma once

#include "mlir/IR/Diagnostics.h"

namespace llvm {
class SourceMgr;
} // namespace llvm

namespace tilec {

/// While it lives, errors at a name of the main buffer of `sources` that is not known (an op, a value, an attribute or
/// a type of the tile dialect) end with the known name that is closest, where one is close. The handlers that were
/// there before report them.
class MisspellingHandler : public mlir::ScopedDiagnosticHandler {
public:
  MisspellingHandler(const llvm::SourceMgr &sources, mlir::MLIRContext *context);
};

} // namespace tilec
