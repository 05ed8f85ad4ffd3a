// Asynchronous products: each wave of a warpgroup is on its own, and its groups complete in their order.
#include "Machine.h"
#include <utility>

using namespace tilec::emulator;

static Lane &self() { return *static_cast<Lane *>(here); }

WaveProducts &Engines::productsOf(const Lane &lane) { return products[size_t(lane.wave)]; }

/// Compares what a wave issues with what the others of its warpgroup issued as theirs of the same number.
void Engines::join(Lane &lane, std::uint64_t kind) {
  const int first = lane.wave / 4 * 4;
  if (first + 4 > group.waves)
    return fault("wave " + std::to_string(lane.wave) + " is not one of four of a warpgroup");
  WarpgroupProducts &all = warpgroups[size_t(lane.wave / 4)];
  const std::uint64_t number = products[size_t(lane.wave)].issued++;
  if (number == all.first + all.kinds.size())
    all.kinds.push_back(kind);
  else if (all.kinds[number - all.first] != kind)
    fault("wave " + std::to_string(lane.wave) + " issues other products than the waves of its warpgroup");
  for (std::uint64_t least = ~std::uint64_t(0);; least = ~std::uint64_t(0)) {
    for (int wave = first; wave < first + 4; ++wave)
      least = std::min(least, products[size_t(wave)].issued);
    if (all.first >= least)
      return;
    all.kinds.pop_front();
    ++all.first;
  }
}

void Engines::readLds(Lane &lane, const std::vector<LdsRange> &ranges, const void *place) {
  Lane &first = group.laneList[lane.wave * Machine::waveLanes];
  for (const LdsRange &range : ranges) {
    requireFenced(range, "a product reads");
    requireNoCopy(range, "a product reads");
    if (racing)
      RaceCheck::get().access(&first, group.lds + range.first, size_t(range.bytes), accessRead, place);
  }
}

void Engines::perform(Lane &, WaveProducts::Group &group) {
  if (!std::exchange(group.performed, true))
    group.perform();
}

void Engines::issue(Lane &lane, Products issued, const void *place) {
  join(lane, issued.kind);
  readLds(lane, issued.reads, place);
  WaveProducts &mine = productsOf(lane);
  mine.groups.push_back({std::move(issued)});
  const Landing landing = Machine::get().options().landing;
  // Products of one wave run in their order.
  if (landing == Landing::Earliest || (landing == Landing::Seeded && Machine::random.below(2)))
    for (WaveProducts::Group &group : mine.groups)
      perform(lane, group);
}

void Engines::awaitProducts(Lane &lane, int left, const void *place) {
  WaveProducts &mine = productsOf(lane);
  while (int(mine.groups.size()) > left) {
    WaveProducts::Group &oldest = mine.groups.front();
    readLds(lane, oldest.reads, place);
    perform(lane, oldest);
    mine.groups.pop_front();
  }
}

namespace tilec::emulator {

void issueProducts(Products products) {
  self().home->engines().issue(self(), std::move(products), __builtin_return_address(0));
}
void awaitProducts(int left) { self().home->engines().awaitProducts(self(), left, __builtin_return_address(0)); }
bool inFlight(const void *sums) {
  for (const auto &group : self().home->engines().productsOf(self()).groups)
    if (group.sums == sums)
      return true;
  return false;
}
std::shared_ptr<void> &sumsOf(const void *sums) { return self().home->engines().productsOf(self()).sums[sums]; }

} // namespace tilec::emulator
