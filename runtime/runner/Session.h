// Programs in a world of one on the device of this machine: memory, eager launches, captured ones, times.
// What the arguments hold is the caller's.
#ifndef TILEC_RUNNER_SESSION_H
#define TILEC_RUNNER_SESSION_H

#include "runner/Launches.h"
#include "tilec/host.h"
#include <functional>
#include <hip/hip_runtime.h>
#include <vector>

namespace tilec::runner {

/// Throws std::runtime_error where there is no device.
void requireDevice();

/// A world with programs that take the same arguments.
class Session {
public:
  /// `copies`: how many times each argument has memory, of the greatest capacity that a program needs, and `guard` more
  /// bytes.
  Session(const std::vector<const PreparedProgram *> &programs, int copies, size_t guard);
  ~Session();
  Session(const Session &) = delete;

  hipStream_t queue() const { return stream; }
  void *argument(int copy, size_t number) const { return memory[size_t(copy)][number]; }
  size_t capacity(size_t number) const { return sizes[number]; }

  /// Enqueues a launch of a program with the arguments of a copy.
  void launch(size_t program, const std::vector<std::int64_t> &extents, int copy = 0) const;
  /// Captures what `work` enqueues. The session keeps the graph.
  hipGraphExec_t capture(const std::function<void()> &work);
  void replay(hipGraphExec_t graph) const;
  /// Waits; throws with the words of a launch that failed.
  void finish() const;
  /// Fills every workspace with ones, zeroes what is persistent.
  void clearWorkspaces() const;
  unsigned epoch(size_t program) const;

private:
  struct Loaded {
    tilec_program *program = nullptr;
    void *workspace = nullptr;
    size_t workspaceBytes = 0;
  };
  void create(size_t heapBytes, size_t signalBytes);
  bool load(const std::vector<const PreparedProgram *> &given);
  size_t workspaceBytes() const;
  void allocate(int copies, size_t guard);

  tilec_world *world = nullptr;
  hipStream_t stream = nullptr;
  std::vector<Loaded> programs;
  std::vector<size_t> sizes;
  std::vector<std::vector<void *>> memory; ///< [copy][argument]
  std::vector<hipGraphExec_t> graphs;
};

} // namespace tilec::runner

#endif // TILEC_RUNNER_SESSION_H
