// Predicted time of a program in kernel form on a target. Counts from footprints and loops; decides nothing.
#pragma once

#include "dialect/Tile.h"
#include "passes/machine/Target.h"

#include <string>
#include <vector>

namespace tilec {

/// What one rank does in one role of one launch, and how long that takes alone.
struct RoleCost {
  std::string kernel, role;
  int64_t workgroups = 0; ///< of its own; 0 for the pool
  bool isBeside = false;  ///< done by a wave of each workgroup, while the others do the pool's
  bool isEngine = false;  ///< done by the copy engine, one task after the other
  bool isSent = false;    ///< what its tasks store to other ranks the copy engine sends (`send`)
  double tasks = 0, flops = 0;
  double localBytes = 0;   ///< read and written on this rank, every access counted
  double lastRound = 1;    ///< share of the tasks that end with it
  double ends = 0;         ///< microseconds from the kernel's begin, at the earliest
  double leastBytes = 0;   ///< of those, what is in arguments, each element once: no cache has it
  double operandBytes = 0; ///< of those read, what reaches memory by the order of tasks of several ranks
  double pulledBytes = 0, pushedBytes = 0; ///< over links: loads from and stores to other ranks
  double gatheredBytes = 0;                ///< of those pushed, what goes to all other ranks (`isGathered`)
  double pulls = 0;                        ///< loads from other ranks
  double signals = 0, waits = 0;
  double releases = 0;         ///< several signals may be of one
  double tallies = 0;          ///< of the signals, those of tasks that count by chiplet, and release together
  double fillMicroseconds = 0; ///< until the first tasks have what they wait for
  double microseconds = 0;
};

struct Prediction {
  double microseconds = 0;
  double computeMicroseconds = 0, linkMicroseconds = 0, memoryMicroseconds = 0;
  std::vector<RoleCost> roles;
};

/// Predicts one launch for these extents (in the order of the header). Roles of one pool follow each other, groups with
/// workgroups of their own run beside it, kernels follow each other with a launch and, where ranks wait, a barrier
/// between. What waits for a role that runs beside it begins when the share of its tasks that the first tasks need is
/// done, and ends no earlier than one wait's work after the last of them. The rates, what share of
/// them is reached and all times are the target's.
Prediction predict(tile::ProgramOp program, const Target &target, llvm::ArrayRef<int64_t> extents);

} // namespace tilec
