// Bulk stores from LDS to global memory, and the registers that waves ask for.
#include "Machine.h"
#include <cstring>
#include <utility>

using namespace tilec::emulator;

LaneStores &Engines::storesOf(const Lane &lane) { return bulkStores[size_t(&lane - group.laneList.get())]; }

void Engines::storeBox(Lane &lane, BulkStore store) {
  if (!store.map.from)
    return fault("a store by a tensor map of a matrix that has none");
  if (store.lds % 128 || store.lds < 0 || store.lds + store.bytes() > group.ldsBytes)
    return fault("a store from byte " + std::to_string(store.lds) + " of lds, which is not aligned or outside");
  const LdsRange source = {store.lds, store.bytes()};
  requireFenced(source, "a bulk store reads");
  requireNoCopy(source, "a bulk store reads");
  if (racing)
    RaceCheck::get().access(&lane, group.lds + store.lds, size_t(store.bytes()), accessRead, store.place);
  LaneStores &mine = storesOf(lane);
  store.group = mine.committed;
  const Landing landing = Machine::get().options().landing;
  const unsigned dice = landing == Landing::Seeded ? unsigned(Machine::random.below(3)) : 0;
  if (landing == Landing::Earliest || dice != 0)
    read(store);
  // Until it is awaited as complete nobody may count on what it wrote: it is there early for others alone.
  if (landing == Landing::Earliest || dice == 1)
    write(store);
  mine.stores.push_back(std::move(store));
}

/// Takes the box from LDS.
void Engines::read(BulkStore &store) const {
  const int mask = store.map.swizzle ? store.map.swizzle / 16 - 1 : 0;
  store.value.resize(size_t(store.bytes()));
  for (int unit = 0; unit < store.bytes(); unit += 16) {
    const int place = store.lds + unit;
    std::memcpy(store.value.data() + unit, group.lds + (place ^ ((place >> 7) & mask) << 4), 16);
  }
}

/// By the running lane: what lies in the matrix.
void Engines::write(const BulkStore &store) const {
  const Mapped &map = store.map;
  for (int r = 0; r < map.box_rows; ++r) {
    const long long row = store.row + r;
    if (row < 0 || row >= map.rows || store.byte < 0 || store.byte >= map.row_bytes)
      continue;
    const auto bytes = size_t(std::min<long long>(map.box_bytes, map.row_bytes - store.byte));
    char *to = const_cast<char *>(map.from) + row * map.pitch + store.byte;
    const char *from = store.value.data() + size_t(r) * size_t(map.box_bytes);
    if (weak)
      View::writeHere(to, from, bytes);
    else
      std::memcpy(to, from, bytes);
    if (racing)
      RaceCheck::get().access(static_cast<Lane *>(here), to, bytes, accessWrite, store.place);
  }
}

void Engines::awaitStores(Lane &lane, int left, bool complete) {
  LaneStores &mine = storesOf(lane);
  const auto due = [&](const BulkStore &store) { return store.group + left < mine.committed; };
  for (BulkStore &store : mine.stores) {
    if (!due(store) || std::exchange(store.released, true))
      continue;
    if (store.value.empty())
      read(store);
    if (racing)
      RaceCheck::get().access(&lane, group.lds + store.lds, size_t(store.bytes()), accessRead, store.place);
  }
  for (; complete && !mine.stores.empty() && due(mine.stores.front()); mine.stores.pop_front())
    write(mine.stores.front());
}

void Engines::finish(Lane &lane) {
  const auto found = bulkStores.find(size_t(&lane - group.laneList.get()));
  if (found == bulkStores.end())
    return;
  for (const BulkStore &store : found->second.stores) {
    if (!store.released)
      fault("a store from byte " + std::to_string(store.lds) + " of lds was still reading when its thread returned");
    else
      write(store);
  }
  bulkStores.erase(found);
}

void Engines::requireNoStores(LdsRange range, const char *who) {
  for (const auto &[number, mine] : bulkStores)
    for (const BulkStore &store : mine.stores)
      if (const int byte = common(range, {store.lds, store.bytes()});
          byte >= 0 && !store.released && !std::exchange(met, true))
        fault(std::string(who) + " byte " + std::to_string(byte) + " of lds while a bulk store reads it");
}

/// All that waves have at a time come from the registers of one compute unit.
void Engines::setRegisters(const Lane &lane, int count) {
  constexpr int all = 65536;
  registers[size_t(lane.wave)].push_back(count);
  int sum = 0;
  for (const std::vector<int> &asked : registers) {
    if (asked.empty())
      return;
    sum += 32 * asked.back();
  }
  if (sum > all)
    fault("waves ask for " + std::to_string(sum) + " registers of " + std::to_string(all));
}

namespace tilec::emulator {

void storeBox(const Mapped &map, int row, long long byte, int lds) {
  interleave();
  self().home->engines().storeBox(self(), {map, row, byte, lds, 0, {}, __builtin_return_address(0)});
}
void commitStores() { self().home->engines().commitStores(self()); }
void awaitStores(int left, bool complete) {
  interleave();
  self().home->engines().awaitStores(self(), left, complete);
}
void setRegisters(int count) { self().home->engines().setRegisters(self(), count); }

} // namespace tilec::emulator
