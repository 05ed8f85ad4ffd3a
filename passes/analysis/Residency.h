// How many workgroups of a kernel must be resident for it to end under any order of dispatch.
#pragma once

#include "passes/analysis/TaskTrace.h"

namespace tilec::checker {

/// The progress class of one kernel.
struct Progress {
  static constexpr int64_t all = -1;
  /// 1: class `any`. k > 1: k workgroups must be resident, and the launch must have as many. `all`: every workgroup of
  /// the launch must be resident.
  int64_t resident = 1;
  mlir::Operation *wait = nullptr;   ///< a wait that asks for it
  mlir::Operation *signal = nullptr; ///< the signal that it waits for

  void require(const Progress &other);
};

/// One class per kernel, judged over all ranks, in the steady state of `launches` launches. Expects a trace whose
/// maximal execution ends.
llvm::SmallVector<Progress> judgeResidency(const Trace &trace, uint32_t launches);

} // namespace tilec::checker
