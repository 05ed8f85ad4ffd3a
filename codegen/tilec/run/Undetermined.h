// Results that depend on scratch which nobody wrote in the launch: no implementation can be right or wrong there.
#pragma once

#include "codegen/tilec/run/RunInputs.h"

namespace tilec {

/// Fills in `undetermined` of launches that read what nobody wrote. Each such alloc begins with other numbers in
/// further oracles of the same launches: the results that change depend on it. So a NaN that comes of the inputs is
/// legal, and so is a read whose value no result depends on. Errors are diagnostics.
llvm::LogicalResult findUndetermined(const interpreter::Interpreter &oracle, std::vector<PreparedLaunch> &launches);

/// Whether some result is undetermined. A warning at each alloc says which one.
bool reportUndetermined(tile::ProgramOp program, llvm::ArrayRef<PreparedLaunch> launches);

/// Why it is no fault of a text that it reads what nobody wrote of a rank's scratch, by the name that it has there: the
/// program does so itself, and what becomes of that is known. Empty where it is one.
std::string excuseUnwritten(llvm::ArrayRef<PreparedLaunch> launches, int64_t rank, llvm::StringRef scratch);

} // namespace tilec
