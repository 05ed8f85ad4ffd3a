// The replay of an order: slots of chiplets step through their tasks together, caches are sampled by granules.
// Belongs here: what CacheModel.h declares. Does not: numbers of a machine.
#include "passes/machine/CacheModel.h"

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace llvm;

namespace tilec {

namespace {

/// The finaliser of splitmix64. A weak hash makes a large cache thrash in sets.
uint64_t mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

/// A set-associative cache with least-recently-used replacement; each set is kept in order of use.
class SetCache {
public:
  SetCache(int64_t granules, int64_t ways) : ways(ways), sets(std::max<int64_t>(1, granules / ways)) {
    tags.assign(this->ways * sets, 0);
  }

  /// Whether the key is held; it is afterwards.
  bool access(uint64_t key) {
    uint64_t *set = &tags[setOf(key) * ways];
    uint64_t *found = std::find(set, set + ways, key);
    bool hit = found != set + ways;
    std::memmove(set + 1, set, (hit ? found - set : ways - 1) * sizeof(uint64_t));
    set[0] = key;
    return hit;
  }

private:
  int64_t setOf(uint64_t key) const { return int64_t((unsigned __int128)(key)*sets >> 64); }

  int64_t ways, sets;
  std::vector<uint64_t> tags; ///< zero is empty: keys are hashes
};

/// A workgroup's place on a chiplet.
struct Slot {
  int64_t chiplet;
  int64_t workgroup; ///< running or next; at least the number of workgroups when done
  int64_t step = 0;
  int64_t delay = 0;
};

/// One step's access of one slot.
struct Request {
  uint64_t tile;
  int64_t chiplet;
  int64_t granules;
  double bytes; ///< of one granule
};

class Replay {
public:
  Replay(ArrayRef<int64_t> order, const CacheWorkload &workload, const CacheMachine &machine,
         const CacheOptions &options)
      : order(order), workload(workload), machine(machine), options(options),
        last(machine.lastBytes / options.granule, machine.lastWays) {
    for (int64_t chiplet = 0; chiplet < machine.chiplets; ++chiplet) {
      chiplets.emplace_back(machine.chipletBytes / options.granule, machine.chipletWays);
      next.push_back(chiplet);
    }
    for (int64_t place = 0; place < machine.slots; ++place)
      for (int64_t chiplet = 0; chiplet < machine.chiplets; ++chiplet) {
        slots.push_back({chiplet, take(chiplet)});
        if (options.driftSteps > 0)
          slots.back().delay = mix(++draws) % uint64_t(options.driftSteps + 1);
      }
  }

  CacheReport run() {
    while (collect())
      serve();
    return report;
  }

private:
  int64_t take(int64_t chiplet) {
    int64_t workgroup = next[chiplet];
    next[chiplet] += machine.chiplets;
    return workgroup;
  }

  bool stalls(Slot &slot) {
    if (slot.delay > 0)
      return --slot.delay, true;
    return options.jitter > 0 && double(mix(++draws) >> 11) * 0x1p-53 < options.jitter;
  }

  /// The requests of all slots in this round; false when every workgroup is done.
  bool collect() {
    requests.clear();
    bool running = false;
    SmallVector<TileAccess, 8> accesses;
    for (Slot &slot : slots) {
      if (slot.workgroup >= int64_t(order.size()))
        continue;
      running = true;
      if (stalls(slot))
        continue;
      accesses.clear();
      workload.accesses(order[slot.workgroup], slot.step, accesses);
      for (const TileAccess &access : accesses) {
        int64_t granules = std::max<int64_t>(1, std::llround(double(access.bytes) / double(options.granule)));
        requests.push_back({access.tile, slot.chiplet, granules, double(access.bytes) / double(granules)});
      }
      if (++slot.step >= workload.steps) {
        slot.step = 0;
        slot.workgroup = take(slot.chiplet);
      }
    }
    return running;
  }

  /// Granule by granule over all slots: workgroups read their tiles side by side, not one after the other.
  void serve() {
    int64_t most = 0;
    for (const Request &request : requests)
      most = std::max(most, request.granules);
    for (int64_t granule = 0; granule < most; ++granule)
      for (const Request &request : requests) {
        if (granule >= request.granules)
          continue;
        uint64_t key = mix(mix(request.tile) + uint64_t(granule));
        report.bytes += request.bytes;
        if (chiplets[request.chiplet].access(key))
          report.chipletHits += request.bytes;
        else if (last.access(key))
          report.lastHits += request.bytes;
        else
          report.memoryBytes += request.bytes;
      }
  }

  ArrayRef<int64_t> order;
  const CacheWorkload &workload;
  const CacheMachine &machine;
  const CacheOptions &options;
  SetCache last;
  std::vector<SetCache> chiplets;
  std::vector<int64_t> next;
  std::vector<Slot> slots;
  std::vector<Request> requests;
  CacheReport report;
  uint64_t draws = 0;
};

} // namespace

CacheMachine CacheMachine::of(const Target &target, int64_t resident) {
  CacheMachine machine;
  machine.chiplets = target.chiplets;
  machine.slots = target.unitsPerChiplet * resident;
  machine.chipletBytes = target.chipletCache.bytes;
  machine.chipletWays = target.chipletCache.ways;
  machine.lastBytes = target.lastCache.bytes;
  machine.lastWays = target.lastCache.ways;
  auto rate = [&](const CacheLevel &cache) {
    return cache.gbPerSecond ? cache.gbPerSecond : cache.bytesPerClock * double(target.clockMhz) * 1e-3;
  };
  machine.chipletGbPerSecond = rate(target.chipletCache) * double(target.chiplets);
  machine.lastGbPerSecond = rate(target.lastCache);
  machine.memoryGbPerSecond = target.memoryGbPerSecond;
  machine.efficiency = target.reached.caches;
  return machine;
}

CacheReport replay(ArrayRef<int64_t> order, const CacheWorkload &workload, const CacheMachine &machine,
                   const CacheOptions &options) {
  assert(options.granule > 0 && machine.chiplets > 0 && machine.slots > 0 && workload.steps > 0);
  CacheReport report = Replay(order, workload, machine, options).run();
  double weighted = 0;
  for (auto [bytes, rate] :
       {std::pair(report.chipletHits, machine.chipletGbPerSecond), std::pair(report.lastHits, machine.lastGbPerSecond),
        std::pair(report.memoryBytes, machine.memoryGbPerSecond)})
    weighted += rate > 0 ? bytes / rate : 0;
  if (weighted > 0) {
    report.gbPerSecond = machine.efficiency * report.bytes / weighted;
    report.seconds = report.bytes / (report.gbPerSecond * 1e9);
  }
  return report;
}

} // namespace tilec
