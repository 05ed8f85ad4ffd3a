// How many workgroups of a kernel must be resident for it to end under any order of dispatch.
#pragma once

#include "passes/checker/TaskTrace.h"

namespace tilec::checker {

/// The progress class of one kernel. `any`: `resident` is 1. `resident k`: k workgroups must be resident, and the
/// launch must have as many. `all`: every workgroup of the launch must be resident, and there must be `resident` of
/// them.
struct Progress {
  int64_t resident = 1;
  bool all = false;
  mlir::Operation *wait = nullptr;   ///< a wait that asks for it
  mlir::Operation *signal = nullptr; ///< the signal that it waits for

  tile::Progress progress() const {
    return all ? tile::Progress::All : resident == 1 ? tile::Progress::Any : tile::Progress::Resident;
  }
  void require(const Progress &other);
};

/// One class per kernel, judged over all ranks and `launches` launches. Expects a trace whose maximal execution ends.
/// Reports where no number of workgroups is enough, since a role has too few of its own.
llvm::SmallVector<Progress> judgeResidency(const Trace &trace, uint32_t launches, Findings &findings);

} // namespace tilec::checker
