// What runs beside the lanes of one workgroup: the words of its slots, bulk copies on their way, asynchronous products,
// and the stores to LDS that neither of these sees yet.
#ifndef TILEC_EMULATOR_ENGINES_H
#define TILEC_EMULATOR_ENGINES_H

#include "Clock.h"
#include "tilec/emulated_async.h"
#include <deque>
#include <map>
#include <memory>
#include <string>

namespace tilec::emulator {

struct Lane;
struct Workgroup;

/// A word whose phases are awaited.
struct PhaseWord {
  int arrivals = 0; ///< of a phase
  int missing = 0;  ///< arrivals of the running phase
  long long bytes = 0;
  unsigned phase = 0;
  Handover gathered, over; ///< by who arrived in the running phase, and before the last one ended
};

/// A bulk copy on its way.
struct BulkCopy {
  Mapped map;
  long long group, plane, row, byte;
  int lds, word;
  std::vector<char> value; ///< what will be written; empty: not read yet
  Handover clock;
  int bytes() const { return map.box_rows * map.box_bytes; }
  /// Where a row of the box lies, from its first byte on.
  const char *at(int r) const {
    return map.from + group * map.group_pitch + plane * map.plane_pitch + (row + r) * map.pitch + byte;
  }
};

/// A bulk store on its way.
struct BulkStore {
  Mapped map;
  long long row, byte;
  int lds, group;          ///< of its lane
  std::vector<char> value; ///< what will be written; empty: not read yet
  const void *place;
  bool released = false; ///< its reading was awaited
  int bytes() const { return map.box_rows * map.box_bytes; }
};
/// Those of one lane.
struct LaneStores {
  std::deque<BulkStore> stores; ///< not complete
  int committed = 0;            ///< groups
};

/// The asynchronous products of one wave.
struct WaveProducts {
  struct Group : Products {
    bool performed = false;
  };
  std::deque<Group> groups; ///< not awaited
  /// While they are not in registers.
  struct Sums {
    std::unique_ptr<char[]> memory;
    std::function<void(void *const *)> give;
  };
  std::map<const void *, Sums> sums;
  std::uint64_t issued = 0;
};
/// What the waves of a warpgroup issued: the kinds of the groups from number `first` on.
struct WarpgroupProducts {
  std::uint64_t first = 0;
  std::deque<std::uint64_t> kinds;
};

/// The first byte that two ranges have in common, or -1.
inline int common(LdsRange a, LdsRange b) {
  const int first = std::max(a.first, b.first);
  return first < std::min(a.first + a.bytes, b.first + b.bytes) ? first : -1;
}

class Engines {
public:
  explicit Engines(Workgroup &group);

  void makeWord(int word, int arrivals);
  void arrive(Lane &lane, int word, int bytes);
  void awaitPhase(Lane &lane, int word, unsigned parity, const char *name, int slot);
  void copyBox(Lane &lane, BulkCopy copy, const void *place);
  void copyBoxToPair(Lane &lane, const BulkCopy &copy, const void *place);
  void storeBox(Lane &lane, BulkStore store);
  void commitStores(const Lane &lane) { ++storesOf(lane).committed; }
  void awaitStores(Lane &lane, int left, bool complete);
  void setRegisters(const Lane &lane, int count);
  void noteStore(const Lane &lane, LdsRange range);
  void fence(const Lane &lane);
  void fenceGlobal(const Lane &lane);
  void noteAcquire(const Lane &lane);
  /// What one of the lanes of a wave that meet has acquired, all of them have; and one of the waves that meet.
  void meetWave(int wave) { acquired[wave] = latest[wave]; }
  void meet(std::uint64_t waves);
  void issue(Lane &lane, Products products, const void *place);
  void awaitProducts(Lane &lane, int left, const void *place);
  WaveProducts &productsOf(const Lane &lane);
  /// A lane returned: its stores complete, if they had read LDS.
  void finish(Lane &lane);
  /// After the last lane returned: what is still on its way would change the LDS of another workgroup.
  void finish();
  /// Phases that have begun and are not over, a line each.
  std::string describe(const std::string &place) const;

private:
  PhaseWord *find(int word);
  bool mayCopy(const Lane &lane, const BulkCopy &copy);
  void accept(Lane &lane, BulkCopy copy, const void *place);
  bool land(int word);
  void fetch(BulkCopy &copy) const;
  void write(const BulkCopy &copy) const;
  LaneStores &storesOf(const Lane &lane);
  void read(BulkStore &store) const;
  void write(const BulkStore &store) const;
  void complete(int word, PhaseWord &state);
  void perform(Lane &lane, WaveProducts::Group &group);
  void join(Lane &lane, std::uint64_t kind);
  void readLds(Lane &lane, const std::vector<LdsRange> &ranges, const void *place);
  unsigned acquiredBy(const Lane &lane) const;
  void requireFenced(LdsRange range, const char *who);
  void requireNoCopy(LdsRange range, const char *who);
  void requireNoProducts(LdsRange range, const char *who);
  void requireNoStores(LdsRange range, const char *who);
  void fault(const std::string &what);

  Workgroup &group;
  std::map<int, PhaseWord> words;
  std::vector<BulkCopy> copies;            ///< in the order of issue
  std::map<size_t, LaneStores> bulkStores; ///< by lane
  std::vector<std::vector<int>> registers; ///< that each wave asked for
  std::vector<WaveProducts> products;
  std::vector<WarpgroupProducts> warpgroups;
  std::vector<std::uint16_t> storedBy;       ///< of each byte of LDS the lane, plus one, that stored and did not fence
  std::vector<std::vector<LdsRange>> stores; ///< of each lane since it fenced
  unsigned acquires = 0;                     ///< so far, by any lane
  std::vector<unsigned> own, latest;         ///< the last one of each lane, and of each wave
  std::vector<unsigned> acquired;            ///< the last one of each wave when its lanes met
  std::map<const Lane *, unsigned> fenced;   ///< what a lane had acquired when it made that visible to its copies
  bool unfenced = false, met = false;        ///< said once
};

} // namespace tilec::emulator

#endif // TILEC_EMULATOR_ENGINES_H
