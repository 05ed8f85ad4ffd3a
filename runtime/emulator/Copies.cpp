// Asynchronous copies from global memory to LDS. Counters are in order; when a copy reads and writes is not.
#include "Machine.h"
#include <utility>

using namespace tilec::emulator;

std::vector<CopyInFlight> &Workgroup::copiesOf(const Lane &lane) {
  if (copies.empty())
    copies.resize(laneCount);
  return copies[&lane - laneList.get()];
}

/// Reads the source. That is part of an access that has been counted.
static void fetch(CopyInFlight &copy) {
  const unsigned inFlight = std::exchange(self().inFlight, 0);
  if (copy.from)
    read(copy.value, copy.from, copy.bytes);
  copy.from = nullptr;
  self().inFlight = inFlight;
}

static void land(CopyInFlight &copy) {
  fetch(copy);
  writeLds(copy.to, copy.value, copy.bytes);
}

namespace tilec::emulator {

void copyToLds(void *lds, const void *from, std::size_t bytes) {
  Lane &lane = self();
  CopyInFlight copy{static_cast<char *>(lds), static_cast<const char *>(from), {}, std::uint8_t(bytes), 0};
  interleave();
  const Landing landing = Machine::get().options().landing;
  const unsigned dice = landing == Landing::Seeded ? unsigned(Machine::random.below(3)) : 0;
  const bool readsNow = landing == Landing::Earliest || dice != 0,
             writesNow = landing == Landing::Earliest || dice == 1;
  countIssued();
  if (writesNow)
    return land(copy);
  if (readsNow)
    fetch(copy);
  lane.home->copiesOf(lane).push_back(copy);
  ++lane.inFlight;
}

void awaitCopies(int left) {
  Lane &lane = self();
  if (!lane.inFlight)
    return;
  std::vector<CopyInFlight> &copies = lane.home->copiesOf(lane);
  auto first = copies.begin(), end = first;
  while (end != copies.end() && int(end->after) >= left)
    ++end;
  for (auto copy = first; copy != end; ++copy)
    land(*copy);
  copies.erase(first, end);
  lane.inFlight = unsigned(copies.size());
}

void countIssued() {
  Lane &lane = self();
  if (lane.inFlight)
    for (CopyInFlight &copy : lane.home->copiesOf(lane))
      ++copy.after;
}

} // namespace tilec::emulator
