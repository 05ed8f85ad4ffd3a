// Global memory as a workgroup may see it. Views of memory that hold old bytes until an acquire and new ones until a
// release. When they are consulted is decided by the hooks in tilec/emulated.h; which workgroup and device own one by
// Workgroup and Machine.
#ifndef TILEC_EMULATOR_WEAKMEMORY_H
#define TILEC_EMULATOR_WEAKMEMORY_H

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace tilec::emulator {

/// A store that its lane has not drained.
struct Store {
  void *address;
  size_t bytes;
};

/// A cache without a size: lines of 64 bytes with a bit per byte for what it holds, for what it has not yet published,
/// and for what it cannot publish yet, as the lane that stored it has not drained. A workgroup's view stands over its
/// chiplet's where chiplets have caches, else over its device's; a chiplet's over its device's, that one over memory.
class View {
public:
  explicit View(View *below = nullptr) : below(below) {}

  /// As seen through this view and those below; keeps the whole line, as a cache does.
  void read(void *to, const void *from, size_t bytes);
  void write(void *to, const void *from, size_t bytes);
  /// What was stored there stays here until it is settled: a publication leaves it out.
  void hold(const Store &store) { mark(store, true); }
  void settle(const Store &store) { mark(store, false); }
  /// Publishes what was stored there, settled or not.
  void push(const Store &store);
  /// Moves what was written to the view below, or to memory.
  void publish();
  /// Forgets what was not written here.
  void invalidate();
  /// Takes these bytes through to memory and forgets them, here and below: for atomics, which act on memory.
  void bypass(const void *address, size_t bytes);
  /// The line of an address goes where a full cache would send it.
  void evict(const void *address);
  void setBelow(View *view) { below = view; }

  // The hooks of tilec/emulated.h for the running lane.
  static void drainHere();
  static void readHere(void *to, const void *from, size_t bytes);
  static void writeHere(void *to, const void *from, size_t bytes);
  static void releaseHere(bool system);
  static void acquireHere(bool system);
  static void releaseToChipletHere();
  static void acquireOfChipletHere();

private:
  static constexpr size_t lineBytes = 64;
  struct Line {
    unsigned char data[lineBytes];
    std::uint64_t valid = 0, dirty = 0, held = 0;
    bool isRead = false, isWritten = false; ///< listed there
  };
  using Bases = std::vector<std::uintptr_t>;
  Line &fill(std::uintptr_t base);
  /// Lists a line that has come to hold what was not written here, or what was.
  static void list(Bases &bases, std::uintptr_t base, bool &isListed);
  void publish(std::uintptr_t base, Line &line, std::uint64_t which);
  void mark(const Store &store, bool held);

  View *below;
  std::unordered_map<std::uintptr_t, Line> lines;
  // Of those that are here: a wait of each task would else look at all that a launch has stored.
  Bases reads, writes;
};

} // namespace tilec::emulator

#endif // TILEC_EMULATOR_WEAKMEMORY_H
