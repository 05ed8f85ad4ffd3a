// Words of slots and bulk copies, and what copies and products see of stores to LDS.
#include "Machine.h"
#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

using namespace tilec::emulator;

Engines::Engines(Workgroup &group)
    : group(group), registers(group.waves), products(group.waves), warpgroups((group.waves + 3) / 4),
      storedBy(group.ldsBytes), stores(group.laneCount), own(group.laneCount), latest(group.waves),
      acquired(group.waves) {}

void Engines::fault(const std::string &what) { tilec::emulator::fault(what); }

//===- words
//--------------------------------------------------------------------------------------------------------===//

static std::string wordAt(int word) { return "the word at byte " + std::to_string(word) + " of lds"; }

void Engines::makeWord(int word, int arrivals) {
  if (word % 8 || word < 0 || word + 8 > group.ldsBytes)
    return fault(wordAt(word) + " is not 8 aligned bytes of lds");
  if (words.contains(word))
    return fault(wordAt(word) + " is made a second time");
  words[word] = {arrivals, arrivals, 0, 0, {}, {}};
}

PhaseWord *Engines::find(int word) {
  const auto found = words.find(word);
  if (found != words.end())
    return &found->second;
  fault(wordAt(word) + " was never made");
  return nullptr;
}

void Engines::arrive(Lane &lane, int word, int bytes) {
  PhaseWord *state = find(word);
  if (!state)
    return;
  if (racing)
    state->gathered.join(RaceCheck::get().handOver(lane));
  state->bytes += bytes;
  if (--state->missing < 0)
    fault(wordAt(word) + " has more arrivals in a phase than its " + std::to_string(state->arrivals));
  ++Machine::progress;
  complete(word, *state);
}

/// Ends the running phase if nothing is missing.
void Engines::complete(int word, PhaseWord &state) {
  if (state.missing > 0)
    return;
  if (state.bytes < 0)
    fault(std::to_string(-state.bytes) + " bytes more were copied than " + wordAt(word) + " expects");
  if (state.bytes > 0)
    return;
  state.over = std::exchange(state.gathered, {});
  state.missing = state.arrivals;
  state.bytes = 0;
  ++state.phase;
  ++Machine::progress;
}

void Engines::awaitPhase(Lane &lane, int word, unsigned parity, const char *name, int slot) {
  const Landing landing = Machine::get().options().landing;
  for (bool again = landing == Landing::Seeded && Machine::random.below(2);; again = true) {
    PhaseWord *state = find(word);
    if (!state)
      return;
    // As late as can be: when nobody else of the workgroup can go on.
    while (again && (state->phase & 1) == parity && land(word))
      ;
    if ((state->phase & 1) != parity) {
      if (racing)
        RaceCheck::get().takeOver(lane, state->over);
      return;
    }
    Polling what;
    what.name = name;
    what.index[0] = slot;
    what.dimensions = 1;
    what.rank = group.device;
    what.wanted = state->phase + 1;
    what.seen = state->phase;
    tilec::emulator::polling(what);
    tilec::emulator::pause();
  }
}

std::string Engines::describe(const std::string &place) const {
  std::string text;
  for (const auto &[word, state] : words)
    if (state.missing != state.arrivals || state.bytes)
      text += place + ": " + wordAt(word) + " misses " + std::to_string(state.missing) + " of " +
              std::to_string(state.arrivals) + " arrivals and " + std::to_string(state.bytes) + " bytes\n";
  return text;
}

//===- bulk copies
//--------------------------------------------------------------------------------------------------===//

/// Bytes of a row of the box that lie in the matrix, from its first one on.
static long long inside(const BulkCopy &copy, long long row) {
  const Mapped &map = copy.map;
  if (copy.group < 0 || copy.group >= map.groups || copy.plane < 0 || copy.plane >= map.planes || row < 0 ||
      row >= map.rows || copy.byte < 0)
    return 0;
  return std::clamp<long long>(map.row_bytes - copy.byte, 0, map.box_bytes);
}

/// What the lane that asks for it must have done.
bool Engines::mayCopy(const Lane &lane, const BulkCopy &copy) {
  if (!copy.map.from) {
    fault("a copy by a tensor map of a matrix that has none");
    return false;
  }
  if (fenced[&lane] != acquiredBy(lane) && !std::exchange(unfenced, true))
    fault("a copy reads global memory behind an acquire, and its lane did not fence_async_global in between");
  return true;
}

void Engines::copyBox(Lane &lane, BulkCopy copy, const void *place) {
  if (mayCopy(lane, copy))
    accept(lane, std::move(copy), place);
}

void Engines::copyBoxToPair(Lane &lane, const BulkCopy &copy, const void *place) {
  if (!group.pair)
    return fault("a copy to a pair of workgroups by one that is alone");
  if (!mayCopy(lane, copy))
    return;
  for (Workgroup *one : group.pair->groups)
    if (one)
      one->engines().accept(lane, copy, place);
    else
      fault("a copy to the other workgroup of its pair, which has ended");
}

/// A copy to this workgroup, by a lane of it or of the other one of its pair.
void Engines::accept(Lane &lane, BulkCopy copy, const void *place) {
  if (!find(copy.word))
    return;
  const Mapped &map = copy.map;
  if (copy.lds % 128 || copy.lds < 0 || copy.lds + copy.bytes() > group.ldsBytes)
    return fault("a copy to byte " + std::to_string(copy.lds) + " of lds, which is not aligned or outside");
  const LdsRange target = {copy.lds, copy.bytes()};
  requireFenced(target, "a copy overwrites");
  requireNoCopy(target, "a copy overwrites");
  requireNoProducts(target, "a copy overwrites");
  requireNoStores(target, "a copy overwrites");
  if (racing) {
    RaceCheck &check = RaceCheck::get();
    for (int r = 0; r < map.box_rows; ++r)
      if (const long long bytes = inside(copy, copy.row + r))
        check.access(&lane, copy.at(r), size_t(bytes), accessRead, place);
    check.access(&lane, group.lds + copy.lds, size_t(copy.bytes()), accessWrite, place);
    copy.clock = check.handOver(lane);
  }
  const Landing landing = Machine::get().options().landing;
  const unsigned dice = landing == Landing::Seeded ? unsigned(Machine::random.below(3)) : 0;
  if (landing == Landing::Earliest || dice != 0)
    fetch(copy);
  const int word = copy.word;
  copies.push_back(std::move(copy));
  ++Machine::progress;
  if (landing == Landing::Earliest || dice == 1)
    land(word);
}

/// Reads the box, with zeros where the matrix has nothing.
void Engines::fetch(BulkCopy &copy) const {
  const Mapped &map = copy.map;
  copy.value.assign(size_t(copy.bytes()), 0);
  for (int r = 0; r < map.box_rows; ++r) {
    const long long bytes = inside(copy, copy.row + r);
    char *to = copy.value.data() + size_t(r) * size_t(map.box_bytes);
    const char *from = copy.at(r);
    if (bytes && weak)
      View::readHere(to, from, size_t(bytes));
    else if (bytes)
      std::memcpy(to, from, size_t(bytes));
  }
}

/// Units of 16 bytes change places by the address in LDS: bits 7 and up of it are XORed to those from 4 on.
void Engines::write(const BulkCopy &copy) const {
  const int mask = copy.map.swizzle ? copy.map.swizzle / 16 - 1 : 0;
  for (int unit = 0; unit < copy.bytes(); unit += 16) {
    const int place = copy.lds + unit;
    std::memcpy(group.lds + (place ^ ((place >> 7) & mask) << 4), copy.value.data() + unit, 16);
  }
}

/// One copy of those to a word lands: the last one when landings are late, as they need no order. False without one.
bool Engines::land(int word) {
  auto found = std::find_if(copies.rbegin(), copies.rend(), [&](const BulkCopy &copy) { return copy.word == word; });
  if (found == copies.rend())
    return false;
  if (found->value.empty())
    fetch(*found);
  requireFenced({found->lds, found->bytes()}, "a copy overwrites");
  write(*found);
  PhaseWord &state = words[word];
  if (racing)
    state.gathered.join(found->clock);
  state.bytes -= found->bytes();
  copies.erase(std::next(found).base());
  ++Machine::progress;
  complete(word, state);
  return true;
}

//===- stores to LDS that copies and products do not see
//-------------------------------------------------------------===//

void Engines::noteStore(const Lane &lane, LdsRange range) {
  if (range.first < 0 || range.first + range.bytes > int(storedBy.size()))
    return;
  const auto number = std::uint16_t(&lane - group.laneList.get() + 1);
  std::fill_n(storedBy.begin() + range.first, range.bytes, number);
  stores[number - 1].push_back(range);
  requireNoCopy(range, "a store to");
  requireNoProducts(range, "a store to");
  requireNoStores(range, "a store to");
  const auto word = words.upper_bound(range.first + range.bytes - 1);
  if (word != words.begin() && std::prev(word)->first + 8 > range.first)
    fault("a store to " + wordAt(std::prev(word)->first));
}

/// What other lanes acquired is a lane's when they have met: they may be ahead of it.
unsigned Engines::acquiredBy(const Lane &lane) const {
  return std::max(own[&lane - group.laneList.get()], acquired[lane.wave]);
}

void Engines::fenceGlobal(const Lane &lane) { fenced[&lane] = acquiredBy(lane); }

void Engines::noteAcquire(const Lane &lane) { own[&lane - group.laneList.get()] = latest[lane.wave] = ++acquires; }

void Engines::meet(std::uint64_t waves) {
  unsigned last = 0;
  for (std::uint64_t left = waves; left; left &= left - 1)
    last = std::max(last, latest[std::countr_zero(left)]);
  for (std::uint64_t left = waves; left; left &= left - 1)
    latest[std::countr_zero(left)] = last;
}

void Engines::fence(const Lane &lane) {
  const auto number = std::uint16_t(&lane - group.laneList.get() + 1);
  for (const LdsRange &range : stores[number - 1])
    for (int i = range.first; i < range.first + range.bytes; ++i)
      if (storedBy[i] == number)
        storedBy[i] = 0;
  stores[number - 1].clear();
}

void Engines::requireFenced(LdsRange range, const char *who) {
  const auto begin = storedBy.begin() + range.first, end = begin + range.bytes;
  const auto found = std::find_if(begin, end, [](std::uint16_t lane) { return lane != 0; });
  if (found == end || std::exchange(unfenced, true))
    return;
  const Lane &lane = group.laneList[*found - 1];
  fault(std::string(who) + " byte " + std::to_string(found - storedBy.begin()) + " of lds, which lane " +
        std::to_string(lane.lane) + " of wave " + std::to_string(lane.wave) + " stored without fence_async behind it");
}

// What runs while a copy or a product is on its way may as well run before or behind it: no order of lanes mends that.
void Engines::requireNoCopy(LdsRange range, const char *who) {
  for (const BulkCopy &copy : copies)
    if (const int byte = common(range, {copy.lds, copy.bytes()}); byte >= 0 && !std::exchange(met, true))
      fault(std::string(who) + " byte " + std::to_string(byte) + " of lds while a copy is on its way there");
}

void Engines::requireNoProducts(LdsRange range, const char *who) {
  for (size_t wave = 0; wave < products.size(); ++wave)
    for (const WaveProducts::Group &issued : products[wave].groups)
      for (const LdsRange &read : issued.reads)
        if (const int byte = common(range, read); byte >= 0 && !std::exchange(met, true))
          fault(std::string(who) + " byte " + std::to_string(byte) + " of lds while products of wave " +
                std::to_string(wave) + " read it");
}

void Engines::finish() {
  for (const BulkCopy &copy : copies)
    fault("a copy to byte " + std::to_string(copy.lds) + " of lds was still on its way when the workgroup ended");
  for (size_t wave = 0; wave < products.size(); ++wave) {
    if (registers[wave] != registers[wave / 4 * 4])
      fault("wave " + std::to_string(wave) + " asked for other registers than its warpgroup");
    if (!products[wave].groups.empty())
      fault("products of wave " + std::to_string(wave) + " were never awaited");
    const WaveProducts &first = products[wave / 4 * 4];
    if (products[wave].issued != first.issued)
      fault("wave " + std::to_string(wave) + " issued " + std::to_string(products[wave].issued) +
            " groups of products, and wave " + std::to_string(wave / 4 * 4) + " of its warpgroup " +
            std::to_string(first.issued));
  }
}

namespace tilec::emulator {

void makeWord(int word, int arrivals) { self().home->engines().makeWord(word, arrivals); }
void arrive(int word, int bytes) {
  interleave();
  self().home->engines().arrive(self(), word, bytes);
}
void awaitPhase(int word, unsigned parity, const char *name, int slot) {
  interleave();
  self().home->engines().awaitPhase(self(), word, parity, name, slot);
}
void copyBox(int lds, const Mapped &map, int group, int plane, int row, long long byte, int word) {
  interleave();
  self().home->engines().copyBox(self(), {map, group, plane, row, byte, lds, word, {}, {}},
                                 __builtin_return_address(0));
}
int halfOfPair() { return self().home->half(); }
void meetPair() {
  const std::shared_ptr<Pair> pair = self().home->pair;
  if (!pair)
    return fault("meets the other workgroup of a pair and is alone");
  const int half = halfOfPair();
  const unsigned wanted = ++pair->meetings[half];
  ++Machine::progress;
  while (pair->groups[1 - half] && pair->meetings[1 - half] < wanted) {
    Polling what;
    what.name = "the other workgroup of the pair";
    what.rank = self().home->device;
    what.wanted = wanted;
    what.seen = pair->meetings[1 - half];
    polling(what);
    pause();
  }
}
void arriveInPair(int word, int half) {
  interleave();
  const std::shared_ptr<Pair> pair = self().home->pair;
  Workgroup *const one = pair && (half == 0 || half == 1) ? pair->groups[half] : nullptr;
  if (one)
    one->engines().arrive(self(), word, 0);
  else
    fault("an arrival at a word of a workgroup that is not of its pair, or has ended");
}
void copyBoxToPair(int lds, const Mapped &map, int row, long long byte, int word) {
  interleave();
  self().home->engines().copyBoxToPair(self(), {map, 0, 0, row, byte, lds, word, {}, {}}, __builtin_return_address(0));
}
void noteStore(const void *to, std::size_t bytes) {
  Lane &lane = self();
  lane.home->engines().noteStore(lane, {int(static_cast<const char *>(to) - lane.home->lds), int(bytes)});
}
void fenceAsyncGlobal() {
  if (self().watched)
    self().home->engines().fenceGlobal(self());
}
void noteAcquire() { self().home->engines().noteAcquire(self()); }
void fenceAsync() {
  if (self().watched)
    self().home->engines().fence(self());
}

} // namespace tilec::emulator
