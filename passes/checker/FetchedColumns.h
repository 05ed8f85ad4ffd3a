// Fetches read all columns of their tile, whether the view has them or not; those that go down the rows all rows too.
// Belongs here: whether it has. Does not: rows that the end of the view cuts off.
#pragma once

#include "passes/checker/Findings.h"
#include "passes/checker/RoleProgram.h"

namespace tilec::checker {

/// Whether steps go down the rows of the view, by its stride.
bool goesByRows(mlir::Operation *feed);

/// Reports a fetch of columns, or rows, outside of its view; `slots` has the values at its place, `who` the task.
bool checkColumns(const ProgramCode &program, const AccessSite &site, llvm::ArrayRef<int64_t> slots, Findings &findings,
                  llvm::function_ref<std::string()> who);

} // namespace tilec::checker
