// Emulated devices, their streams and the one scheduler of them all. How lanes of a workgroup take turns is in
// Workgroup, the HIP names in HipApi, views of memory in WeakMemory, races in RaceCheck.
#ifndef TILEC_EMULATOR_MACHINE_H
#define TILEC_EMULATOR_MACHINE_H

#include "Workgroup.h"
#include <deque>
#include <thread>

struct ihipStream_t;

namespace tilec::emulator {

/// Splitmix64: small, and equal on every machine for one seed.
struct Random {
  std::uint64_t state = 0;
  std::uint64_t next() {
    std::uint64_t z = (state += 0x9e3779b97f4a7c15ull);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
  }
  /// In [0, n), n > 0; the bias is below n / 2^64.
  std::uint64_t below(std::uint64_t n) { return next() % n; }
};

/// One launch.
struct Grid {
  std::function<void()> lane;
  Index grid, threads;
  int ldsBytes = 0;
  unsigned total = 0, dispatched = 0, finished = 0;
  bool pairs = false;
  std::vector<unsigned> order; ///< of dispatch, of pairs where there are such; empty: ascending
  int device = 0;
  std::string label; ///< of its launch, for reports
  StreamClock end;   ///< what its finished workgroups knew
  bool done() const { return finished == total; }
};

/// An atomic store that is still on its way.
struct DelayedStore {
  void *to;
  std::uint64_t value;
  size_t bytes;
  const Workgroup *by;
  unsigned slices; ///< until it is performed
  PublishedPointer leaves;
};

/// What a stream holds: a grid, or an action that is tried until it returns true.
struct Entry {
  std::unique_ptr<Grid> grid;
  std::function<bool()> action;
  /// What an action stands for. A kernel reads and writes as its device sees memory, and releases to its device alone;
  /// a copy, or an event that is recorded, reaches memory itself, and so does a wait when it is over. What the copy
  /// engine does beside kernels reads as its device sees memory, and writes memory itself; nothing is published by it.
  /// A gate is over when a word in memory has counted so far, and publishes nothing either.
  enum Kind { Kernel, Copy, Wait, Engine, Take, Gate } kind = Kernel;
  Clock sent = {};  ///< what the host knew when it enqueued this
  int lane = 0;     ///< in a graph: which of its streams
  int records = -1; ///< in a graph: the event that is recorded here
  int awaits = -1;  ///< in a graph: the event that is waited for here
  Entry copy() const {
    Entry same = {grid ? std::make_unique<Grid>(*grid) : nullptr, action, kind};
    same.lane = lane;
    same.records = records;
    same.awaits = awaits;
    return same;
  }
};

} // namespace tilec::emulator

/// What was captured: the work of one stream, and of those that went on from it and back.
struct ihipGraph {
  std::vector<tilec::emulator::Entry> entries;
  int lanes = 1, events = 0;
  std::vector<bool> joined; ///< by event: whether another lane waits for it
};

struct ihipStream_t {
  int device = 0;
  bool blocking = true;
  std::deque<tilec::emulator::Entry> entries;
  std::shared_ptr<ihipGraph> capture; ///< takes what would be enqueued
  int lane = 0;                       ///< of the capture
  bool engine = false;                ///< the copy engine works in it
  tilec::emulator::StreamClock clock; ///< when races are looked for
};

namespace tilec::emulator {

struct Device {
  std::vector<std::unique_ptr<ihipStream_t>> streams; ///< the first is the default stream
  View view; ///< of global memory, in weak mode; those of its workgroups, or of its chiplets, stand over it
  std::vector<View> chiplets; ///< the same of these, where they have caches: those of their workgroups stand over them
  int resident = 0;
  size_t turn = 0; ///< which stream may dispatch next
  bool failed = false;
};

class Machine {
public:
  static Machine &get();

  bool configure(const Options &options);
  const Options &options();
  bool idle() const;
  Device &device(int number);
  ihipStream_t *createStream(int device, bool blocking);
  void destroyStream(ihipStream_t *stream);
  void enqueue(ihipStream_t &stream, Entry entry);
  bool capturing() const;

  /// Runs until `done`; returns false when nothing is left that could make it true.
  bool runUntil(const std::function<bool()> &done);
  /// Whether a launch of the device failed since the last call.
  bool takeFailure(int device);
  /// The API may be called from one thread only: the first that did.
  bool onOwnThread();

  void fault(const std::string &line);

  /// Performs an atomic store of the running lane some time later.
  void storeLater(void *to, const void *value, size_t bytes);
  /// Performs those to an address, by one workgroup or by any.
  void performStores(const void *to, const Workgroup *by);
  int outside = 0; ///< worlds with ranks in other processes

  // What every switch touches, without the guard of `get`.
  static inline Lane scheduler; ///< stands for the code that called `runUntil`
  static inline Random random;
  static inline std::uint64_t progress = 0; ///< grows whenever a lane does anything but poll an unchanged word
  static inline Counts counts;
  static inline int waveLanes = 64; ///< of the options
  /// Whether the end of a kernel reaches all devices, and not its own alone.
  bool endsReachAll() const { return current.oneCache; }

  /// What the device has written and not published goes to memory, and it forgets what it has read: where the host or
  /// a copy synchronises with it.
  void settle(Device &device);
  void settleAll();
  /// That of a workgroup's chiplet; null where chiplets have no cache of their own.
  View *chipletView(const Workgroup &group) {
    std::vector<View> &views = devices[group.device].chiplets;
    return views.empty() ? nullptr : &views[size_t(group.chiplet)];
  }

  /// The view of the device whose kernel an action stands for, in weak mode; else null.
  View *viewOfAction = nullptr;

  std::string report;
  std::function<std::string(Polling &)> namer;
  int currentDevice = 0;
  std::string launchName;

private:
  Machine() = default;
  void adopt(const Options &options);
  bool step();
  bool advanceStreams();
  bool dispatch();
  bool act(ihipStream_t &stream, Entry &entry);
  bool dispatchOne(Device &device);
  bool mayDispatch(const ihipStream_t &stream) const;
  bool hasWork(int device) const;
  bool favourAnother();
  size_t choose();
  void startNext(Grid &grid, Device &device, const StreamClock &begin);
  void startGroup(Grid &grid, unsigned number, Device &device, const StreamClock &begin, std::shared_ptr<Pair> pair);
  void runSlice();
  void retire(size_t position);
  template <typename Due>
  void performStores(Due &&due);
  bool awaitOthers();
  void breakDeadlock();
  bool freeWaits();
  void abandon();
  void describe(const Workgroup &group, std::string &text) const;

  Options current;
  bool configured = false;
  std::vector<Device> devices;
  std::vector<std::unique_ptr<Workgroup>> live, spare;
  std::vector<DelayedStore> delayed; ///< in the order in which they were issued
  size_t turn = 0;
  std::uint64_t idleSlices = 0;
  int favoured = 0;               ///< in skewed mode the one device that runs
  std::uint64_t favouredIdle = 0; ///< its slices without progress
  Stacks stacks;
  std::thread::id owner;
};

/// The lane that runs.
inline Lane &self() { return *static_cast<Lane *>(here); }

} // namespace tilec::emulator

#endif // TILEC_EMULATOR_MACHINE_H
