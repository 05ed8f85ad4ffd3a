// One rank: its mappings, heap and failure record. Memory of a rank and whether it may launch. Loading programs is
// Program's, enqueuing them Launch's, speaking to other processes Link's.
#ifndef TILEC_HOST_WORLD_H
#define TILEC_HOST_WORLD_H

#include "host/Heap.h"
#include "host/Link.h"
#include "host/SharedMemory.h"
#include "host/Status.h"
#include "tilec/abi.h"
#include <map>
#include <memory>
#include <mutex>
#include <vector>

struct tilec_program;

namespace tilec::host {

/// The ranks that this process holds of one world. Ranks elsewhere are null in `members` and have their bases from the
/// application or from their processes.
struct Group {
  std::string job;
  int size = 0;
  size_t heapBytes = 0, signalBytes = 0;
  std::vector<tilec_world *> members;
  std::vector<char *> heapBases, signalBases;
  /// A rank of this process that was destroyed, or -1. What the others loaded and allocated lies no longer where a new
  /// one would put it: they make no launch any more, and ranks made later with the same job form another group.
  int lost = -1;
  bool complete() const;
  /// Throws Error(TILEC_REFUSED).
  void requireNoneLost() const;

  /// A launch as the ranks compare it. The same number of the same program on every rank is one launch.
  struct Noted {
    int rank = 0; ///< who came to it first
    unsigned hash = 0;
    std::vector<std::string> given; ///< the program, then what must be equal
    int count = 0;                  ///< ranks that came
  };
  std::mutex mutex;                                        ///< of what follows: every rank may have a thread of its own
  std::map<std::pair<unsigned, unsigned>, Noted> launches; ///< that some rank has still to come to
  std::string mismatch;                                    ///< words, until all ranks were reset
};

/// Makes `device` current as long as it lives.
class CurrentDevice {
public:
  explicit CurrentDevice(int device);
  ~CurrentDevice();
  CurrentDevice(const CurrentDevice &) = delete;

private:
  int before = 0;
};

/// Throws Error(TILEC_DEVICE_ERROR) that says what was tried unless `error` is hipSuccess.
void check(int error, const char *what);

/// A heap and a signal mapping on the current device, the signals zero. Throws Error.
Mapping allocate(size_t heapBytes, size_t signalBytes);

/// Throws Error unless there can be a world of so many ranks.
void requireWorld(int size);

/// Gives the emulator at least that many devices; nothing on GPUs. Throws Error while the emulator is at work.
void requireEmulatedDevices(int count);

} // namespace tilec::host

/// One rank.
struct tilec_world {
  tilec_world(int rank, int device, std::shared_ptr<tilec::host::Group> group, unsigned long long deadline);
  ~tilec_world();
  tilec_world(const tilec_world &) = delete;

  static tilec_world *create(const tilec_world_options &options);
  static tilec_world *join(const tilec_world_options &options);
  static tilec_world *adopt(int rank, int size, void *const *bases, size_t bytes, void *const *signalBases,
                            size_t signalBytes);

  char *heapBase() const { return group->heapBases[rank]; }
  char *signalBase() const { return group->signalBases[rank]; }
  bool inHeap(const void *pointer, std::int64_t bytes) const;
  /// Offset of `bytes` fresh words in the signal mapping; the same calls give the same answers on every rank.
  size_t takeSignals(size_t bytes);
  bool failed() const;
  /// Throws Error(TILEC_REFUSED) when a rank of this process failed and not all of them were reset since.
  void requireHealthy() const;
  /// Whether all ranks are in this process. The link compares launches of other processes' ranks.
  bool comparesLaunches() const;
  /// Compares launch `number` of a program with what the other ranks give it. Fails the launches of all ranks and
  /// throws Error(TILEC_REFUSED) when they differ.
  void compareLaunch(unsigned program, unsigned number, unsigned hash, const std::vector<std::string> &given);
  /// After a launch that was not enqueued: what compareLaunch noted for this rank is void.
  void withdrawLaunch(unsigned program, unsigned number);
  void reset();
  /// Makes a call collective where ranks are processes: `body` runs on each; all ranks throw when one did, or when
  /// `what` differs (`result`). `body` returns something that can be made empty.
  template <typename Body>
  auto together(const std::string &what, tilec_result result, Body &&body);
  /// The link to the other ranks' processes; null when there are none.
  tilec::host::Link *processes() const { return link.get(); }
  /// Throws Error(TILEC_LAUNCH_FAILED) or Error(TILEC_DEVICE_ERROR).
  void synchronize(void *stream);
  tilec_failure describe();

  const int rank, device;
  const std::shared_ptr<tilec::host::Group> group;
  const unsigned long long deadline;
  tilec::host::Heap heap;
  tilec::Failure *failure = nullptr;     ///< host memory that the device reads and writes
  std::vector<tilec_program *> programs; ///< by Context::program; null when destroyed

private:
  void takeMapping(const tilec::host::Mapping &mapping);
  tilec_failure readRecord();
  std::string wordsOf(const tilec_failure &what) const;
  std::string fault;                                       ///< words of a failure that left no record
  std::string failureProgram, failureSignal, failureWords; ///< behind the pointers of `describe`
  size_t signalsTaken = 0;
  unsigned resets = 0;
  bool ownsMemory = false;
  std::unique_ptr<tilec::host::SharedMemory> shared; ///< of a world of processes
  std::unique_ptr<tilec::host::Link> link;           ///< the same; ends before the memory goes
};

template <typename Body>
auto tilec_world::together(const std::string &what, tilec_result result, Body &&body) {
  if (!link)
    return body();
  // The others must not wait for a rank that could not.
  std::unique_ptr<tilec::host::Error> failed;
  decltype(body()) made{};
  try {
    made = body();
  } catch (const tilec::host::Error &error) {
    failed = std::make_unique<tilec::host::Error>(error);
  }
  try {
    link->agree(failed ? "could not " + what + ": " + failed->words : what, result);
  } catch (const tilec::host::Error &) {
    if (!failed)
      throw;
  }
  if (failed)
    throw *failed;
  return made;
}

#endif // TILEC_HOST_WORLD_H
