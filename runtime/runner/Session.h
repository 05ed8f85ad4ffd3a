// Programs of one rank on its device: memory, eager launches, captured ones, times. The ranks of a world are processes;
// each makes the same sessions in the same order. What the arguments hold is the caller's.
#ifndef TILEC_RUNNER_SESSION_H
#define TILEC_RUNNER_SESSION_H

#include "runner/Launches.h"
#include "tilec/host.h"
#include <functional>
#include <hip/hip_runtime.h>
#include <memory>
#include <optional>
#include <vector>

namespace tilec::runner {

/// What this program was built for.
#ifdef TILEC_EMULATED
constexpr tilec_device kindOfDevice = TILEC_DEVICE_EMULATED;
#else
constexpr tilec_device kindOfDevice = TILEC_DEVICE_HIP;
#endif

/// Throws std::runtime_error where there is no device.
void requireDevice();
/// The same, so many of them.
void requireDevices(int count);

/// How long a wait in a kernel may take. It only ends launches that hang: nobody waits so long for a right one, unless
/// a GPU computes for others too, or a debugger holds it.
struct Deadline {
  unsigned seconds = 60; ///< 0: none

  unsigned long long nanoseconds() const {
    constexpr unsigned long long second = 1000000000, never = second * 3600 * 24 * 365 * 100;
    return seconds ? seconds * second : never;
  }
};

/// A world with programs that take the same arguments.
class Session {
public:
  /// `copies`: how many times each argument has memory, of the greatest capacity that a program needs, and `guard` more
  /// bytes.
  Session(const std::vector<const PreparedProgram *> &programs, int copies, size_t guard, Deadline deadline);
  ~Session();
  Session(const Session &) = delete;

  hipStream_t queue() const { return stream; }
  void *argument(int copy, size_t number) const { return memory[size_t(copy)][number]; }
  size_t capacity(size_t number) const { return sizes[number]; }

  /// The value of an argument that is a number, for the launches of a copy from now on.
  void give(int copy, size_t number, const void *value);
  /// Enqueues a launch of a program with the arguments of a copy.
  void launch(size_t program, const std::vector<std::int64_t> &extents, int copy = 0) const;
  /// Captures what `work` enqueues. The session keeps the graph.
  hipGraphExec_t capture(const std::function<void()> &work);
  void replay(hipGraphExec_t graph) const;
  /// Waits; throws with the words of a launch that failed.
  void finish() const;
  /// Returns when every rank has come here.
  void meet() const;
  /// Fills every workspace with ones, zeroes what is persistent.
  void clearWorkspaces() const;
  unsigned epoch(size_t program) const;
  /// What the last launch of a program, with these extents, left in a scratch buffer; empty where the text has none of
  /// that name. Nothing may be queued.
  std::vector<char> scratch(size_t program, const std::vector<std::int64_t> &extents, const Scratch &buffer) const;

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

  struct Destroy {
    void operator()(tilec_world *world) const { tilec_world_destroy(world); }
  };
  const int ranks; ///< of the world
  std::unique_ptr<tilec_world, Destroy> world;
  Deadline deadline;
  hipStream_t stream = nullptr;
  std::vector<Loaded> programs;
  std::vector<size_t> sizes;
  std::vector<std::vector<void *>> memory; ///< [copy][argument]
  struct Number {
    alignas(std::int64_t) char bytes[sizeof(std::int64_t)] = {};
  };
  std::vector<std::vector<std::optional<Number>>> numbers; ///< [copy][argument] of those that are numbers
  std::vector<hipGraphExec_t> graphs;
};

} // namespace tilec::runner

#endif // TILEC_RUNNER_SESSION_H
