// Asynchronous products: each wave of a warpgroup is on its own, and its groups complete in their order.
#include "Machine.h"
#include <cstring>
#include <utility>

using namespace tilec::emulator;

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
  mine.sums[issued.sums].give = issued.give;
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
static WaveProducts &mine() { return self().home->engines().productsOf(self()); }
void *heldSums(const void *sums) {
  const auto found = mine().sums.find(sums);
  return found == mine().sums.end() ? nullptr : found->second.memory.get();
}
void *holdSums(const void *sums, std::size_t bytes) {
  return (mine().sums[sums].memory = std::make_unique<char[]>(bytes)).get();
}
void giveBack(void *const *sums) {
  for (const auto &group : mine().groups)
    if (group.sums == sums[0])
      return fault("sums are given back while a product of theirs is in flight");
  const auto found = mine().sums.find(sums[0]);
  if (found == mine().sums.end())
    return;
  found->second.give(sums);
  mine().sums.erase(found);
}

void readSlot(void *to, int offset, std::size_t bytes) { std::memcpy(to, self().home->lds + offset, bytes); }

template <class Sum>
static void addAll(Sum *sums, const Sum *a, const Sum *b, int columns, int depth, int step, bool accumulate) {
  for (int row = 0; row < 16; ++row)
    for (int column = 0; column < columns; ++column) {
      Sum sum = accumulate ? sums[row * columns + column] : 0;
      for (int first = 0; first < depth; first += step) {
        Sum product = 0;
        for (int k = first; k < first + step; ++k)
          product += a[row * depth + k] * b[column * depth + k];
        sum = first == 0 && !accumulate ? product : sum + product;
      }
      sums[row * columns + column] = sum;
    }
}
void addProducts(float *sums, const float *a, const float *b, int columns, int depth, int step, bool accumulate) {
  addAll(sums, a, b, columns, depth, step, accumulate);
}
void addProducts(int *sums, const int *a, const int *b, int columns, int depth, int step, bool accumulate) {
  addAll(sums, a, b, columns, depth, step, accumulate);
}

} // namespace tilec::emulator
