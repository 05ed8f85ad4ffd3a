// One resident workgroup: its waves, lanes and LDS. Switching between the lanes of a workgroup, barriers and wave
// operations. Which workgroup runs is the Machine's choice.
#ifndef TILEC_EMULATOR_WORKGROUP_H
#define TILEC_EMULATOR_WORKGROUP_H

#include "Engines.h"
#include "RaceCheck.h"
#include "Stacks.h"
#include "WeakMemory.h"
#include "tilec/emulated.h"
#include <boost/context/detail/fcontext.hpp>
#include <memory>
#include <vector>

namespace tilec::emulator {

struct Grid;
struct Workgroup;

/// A copy to LDS on its way.
struct CopyInFlight {
  char *to;
  const char *from; ///< null: `value` is what will be written
  unsigned char value[16];
  std::uint8_t bytes;
  unsigned after; ///< accesses to global memory that its lane issued later
};

/// What a switch touches fills the first cache line.
struct alignas(64) Lane : Place {
  boost::context::detail::fcontext_t context = nullptr;
  Lane *next = nullptr;
  Workgroup *home = nullptr;
  char *stack = nullptr;
  Polling poll;
  bool polls = false; ///< `poll` says what the lane's pause is for
  bool returned = false;
  bool narrow = false;                 ///< its next atomic access is at the scope of its device
  unsigned meetings = 0, uniforms = 0; ///< how far it is in its wave's `uniforms`, as of so many meetings
};

/// First in, first out.
struct LaneList {
  Lane *head = nullptr, *tail = nullptr;
  bool empty() const { return !head; }
  void push(Lane *lane) {
    lane->next = nullptr;
    (head ? tail->next : head) = lane;
    tail = lane;
  }
  Lane *pop() {
    Lane *lane = head;
    head = lane->next;
    return lane;
  }
  void take(LaneList &other) {
    if (other.empty())
      return;
    (head ? tail->next : head) = other.head;
    tail = other.tail;
    other.head = nullptr;
  }
};

inline constexpr int mostWaveLanes = 64;
inline constexpr int barrierCount = 16;

/// What a lane said is the same in all lanes of its wave.
struct Uniform {
  std::uint64_t place; ///< in the code, by the calls that lead there
  std::uint64_t value;
  int lane;
};

struct Wave {
  enum class Waits { Nothing, Barrier, Collective };
  LaneList ready, waiting, paused;
  LaneList astray; ///< came to another point than the lanes that wait: they never meet, and the report names them
  int live = 0;    ///< lanes that have not returned
  int arrived = 0; ///< lanes in `waiting`, and the running lane while it arrives
  Waits waits = Waits::Nothing;
  int barrier = 0;
  Compute *compute = nullptr;
  const void *in[mostWaveLanes];
  void *out[mostWaveLanes];
  std::vector<Uniform> uniforms; ///< since the lanes met last, in the order of the lane that came first
  unsigned meetings = 0;
};

/// A barrier of some waves of a workgroup. Barrier 0 is that of all live ones.
struct Barrier {
  unsigned arrived = 0; ///< waves
  int wanted = 0;       ///< waves; of barrier 0 unused
  std::uint64_t waves = 0;
};

/// Two workgroups that are there together, and how often each has come to where they meet.
struct Pair {
  Workgroup *groups[2] = {}; ///< null: it has ended
  unsigned meetings[2] = {};
};

struct Workgroup : GroupPlace {
  Grid *grid_ = nullptr;
  std::vector<Wave> waveList;
  std::unique_ptr<Lane[]> laneList;
  size_t laneCount = 0;
  Barrier barriers[barrierCount];
  std::unique_ptr<char[]> memory; ///< LDS with a canary behind it
  size_t memoryBytes = 0;
  int chiplet = 0;
  View view;                                     ///< of global memory, in weak mode
  std::vector<std::vector<Store>> stores;        ///< of each lane, not drained, in weak mode
  std::vector<std::vector<CopyInFlight>> copies; ///< of each lane, in the order of issue
  std::unique_ptr<GroupClock> clock;             ///< when races are looked for
  std::unique_ptr<Engines> beside;               ///< null until the kernel uses them
  std::shared_ptr<Pair> pair;                    ///< null: it is alone
  std::uint64_t readyWaves = 0;                  ///< bit per wave with ready lanes
  std::uint64_t pausedWaves = 0;
  int current = 0; ///< the wave that ran last
  int liveLanes = 0, liveWaves = 0;
  bool disagreed = false; ///< lanes of a wave about a value: said once

  /// Gets ready to run a kernel from its first instruction. False when memory is out.
  bool start(Grid &grid, unsigned number, Stacks &stacks);
  /// Runs lanes until none is ready, or in an adversarial mode for a while.
  void run();
  bool finished() const { return liveLanes == 0; }
  int half() const { return int(block.x % 2); } ///< its number in its pair
  bool runnable() const { return readyWaves != 0; }
  bool ldsIntact() const;
  void giveStacks(Stacks &stacks);
  std::vector<Store> &storesOf(const Lane &lane) { return stores[&lane - laneList.get()]; }
  std::vector<CopyInFlight> &copiesOf(const Lane &lane);
  /// Made when the first lane asks for them.
  Engines &engines();

  // What a lane calls on itself.
  void arrive(Lane &lane, int barrier, int waves);
  void collect(Lane &lane, const void *in, void *out, Compute *compute, void *extra);
  void rest(Lane &lane);
  void yield(Lane &lane);
  void giveWay(Lane &lane);
  void finish(Lane &lane);
  void compare(Lane &lane, std::uint64_t place, std::uint64_t value);

private:
  void placeLanes(const Grid &grid, int waveLanes);
  void clearLds();
  void waveArrived(int wave);
  void releaseIfComplete(int barrier);
  void release(int wave);
  void settle(int wave);
  Lane *pick();
  void leave(Lane &lane);
};

inline bool RaceCheck::watches(const Lane &lane, const void *memory) {
  const auto inLds = static_cast<const char *>(memory) - lane.home->lds;
  return std::size_t(inLds) < std::size_t(lane.home->ldsBytes) || shadow.find(reinterpret_cast<std::uintptr_t>(memory));
}

} // namespace tilec::emulator

#endif // TILEC_EMULATOR_WORKGROUP_H
