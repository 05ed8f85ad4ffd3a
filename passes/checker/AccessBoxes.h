// Which elements of a buffer an access touches.
#pragma once

#include "passes/checker/Findings.h"
#include "passes/checker/RoleProgram.h"

namespace tilec::checker {

/// Appends to `box` the root, then first, count and stride in each of its dimensions. False when nothing of the tile
/// lies in the view, and where the view does not lie in its buffer, which is reported. `slots` has the values at the
/// place of the access.
bool boxOf(const ProgramCode &program, const AccessSite &site, llvm::ArrayRef<int64_t> slots, Findings &findings,
           llvm::function_ref<std::string()> describeThread, llvm::SmallVectorImpl<int64_t> &box);

} // namespace tilec::checker
