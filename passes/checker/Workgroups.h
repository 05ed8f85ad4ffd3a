// Launches with a limited number of workgroups: who joins which group, draws which ticket, and waits. No accesses.
#pragma once

#include "passes/checker/TaskTrace.h"

namespace tilec::checker {

/// Runs the launches of a trace with `workgroups` workgroups per kernel and rank, of which at most `resident[kernel]`
/// are there at once. What happens is determined up to the order of steps that do not depend on each other: a workgroup
/// that can move can do so until it does, whoever else moves, and two that draw from one queue have the same work
/// before them. So one run shows what every order of dispatch leads to.
class Workgroups {
public:
  static constexpr uint32_t none = ~0u;

  Workgroups(const Trace &trace, uint32_t launches, int64_t workgroups, llvm::ArrayRef<int64_t> resident);

  /// Goes on until nothing can move. True when all launches have ended.
  bool run();

  /// When `run` has returned false: kernels that stand still and could be given one more resident workgroup; and those
  /// that have got all that could help.
  llvm::SmallVector<uint32_t> kernelsShort() const { return waitingKernels(false); }
  llvm::SmallVector<uint32_t> kernelsFull() const { return waitingKernels(true); }
  /// Lets one more workgroup of a kernel be resident, from now on.
  void admit(uint32_t kernel) { ++resident[kernel]; }

  /// A wait that stands still, if possible in `kernel` and for a signal of that kernel; and that signal, if there is
  /// one.
  struct Blocked {
    uint32_t thread = none, wait = none, signal = none;
  };
  Blocked blocked(uint32_t kernel) const;
  int64_t residentOf(uint32_t kernel) const { return resident[kernel]; }

private:
  /// A workgroup: it has got to an operation of a thread.
  struct Worker {
    uint32_t rank = 0, thread = none, sync = 0, group = 0, role = 0;
    uint32_t word = 0;    ///< how far in the box of its wait
    uint32_t next = none; ///< of those that wait for the same word
    bool steady = false;  ///< those that arrive later join where it did
  };
  struct Rank {
    uint32_t kernel = 0; ///< over launches
    int64_t arrived = 0, active = 0;
    bool dry = false;                         ///< whoever arrives finds nothing to do
    std::vector<std::vector<uint32_t>> drawn; ///< [group][role]: tickets
  };

  const KernelThreads &kernelOf(const Rank &rank, uint32_t number) const {
    return trace.kernels[number][rank.kernel % kernels];
  }
  void beginKernel(uint32_t rank);
  void arrive(uint32_t rank);
  uint32_t groupOf(const KernelCode &kernel, int64_t arrival, bool &steady) const;
  bool proceed(uint32_t worker);
  bool pass(Worker &worker, uint32_t number);
  bool nextThread(Worker &worker);
  void leave(uint32_t worker);
  void raise(uint32_t word, uint32_t launch);
  bool dispatch(uint32_t rank);
  bool isFull(uint32_t rank) const;
  llvm::SmallVector<uint32_t> waitingKernels(bool full) const;

  const Trace &trace;
  uint32_t launches, kernels;
  int64_t workgroups;
  llvm::SmallVector<int64_t> resident;
  std::vector<uint32_t> values;  ///< [word]: launches that have raised it
  std::vector<uint32_t> waiting; ///< [word]: first worker
  /// Of words that are counted: how many raise it in a launch, and have so far.
  std::map<uint32_t, uint32_t> arriving, come;
  std::vector<uint32_t> producer;       ///< [word]: a signal that raises it
  std::vector<uint32_t> threadOfSignal; ///< [word]
  std::vector<Rank> ranks;
  std::vector<Worker> workers;
  std::vector<uint32_t> unused, ready;
};

} // namespace tilec::checker
