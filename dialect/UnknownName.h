// Errors about names from outside of a program (options, files) that the program does not have.
#pragma once

#include "mlir/IR/Diagnostics.h"

namespace tilec::tile {
class ProgramOp;

/// Each reports at the program what was given, what there is and, where one is close, what may have been meant.
mlir::InFlightDiagnostic unknownExtent(ProgramOp program, llvm::StringRef name);
mlir::InFlightDiagnostic unknownParameter(ProgramOp program, llvm::StringRef name);
mlir::InFlightDiagnostic unknownArgument(ProgramOp program, llvm::StringRef name);

} // namespace tilec::tile
