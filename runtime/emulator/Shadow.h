// Who touched each byte last. Cells of accesses per 16 bytes of memory, exact to the byte; which accesses are ordered
// is RaceCheck's question.
#ifndef TILEC_EMULATOR_SHADOW_H
#define TILEC_EMULATOR_SHADOW_H

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <unordered_map>

namespace tilec::emulator {

/// Bits.
enum AccessKind : std::uint8_t {
  accessRead = 0,
  accessWrite = 1,
  accessAtomic = 2,
  accessPoison = 4,   ///< a write of nothing that anybody may read
  accessAndReads = 8, ///< of a write that depends on what was there
  accessNarrow = 16,  ///< of an atomic access whose scope is its own device
};

/// An access as a cell holds it. `place` is the return address of the hook that saw it.
struct Access {
  const void *place = nullptr;
  std::uint32_t tick = 0;
  std::uint16_t component = 0;
  std::uint8_t lane = 0;
  std::uint8_t kind = accessRead;

  bool writes() const { return kind & accessWrite; }
  bool reads() const { return !writes() || kind & accessAndReads; }
  bool atomic() const { return kind & accessAtomic; }
  bool narrow() const { return kind & accessNarrow; }
  bool poisons() const { return kind & accessPoison; }
};
/// Several lanes of a wave read the same bytes in the same tick.
inline constexpr std::uint8_t manyLanes = 255;

struct Cell {
  Access access;
  std::uint16_t mask = 0; ///< bit per byte of the granule
};

/// The accesses to 16 bytes that a later one may still race with. Zero bytes are an empty granule.
struct Granule {
  static constexpr std::size_t bytes = 16;
  std::uint32_t count, capacity; ///< capacity 0: the cells are in `first`
  Cell *more;
  Cell first[2];

  Cell *cells() { return capacity ? more : first; }
  void add(const Cell &cell);
  void remove(std::uint32_t index) {
    Cell *all = cells();
    all[index] = all[--count];
  }
};
static_assert(sizeof(Cell) == 24 && sizeof(Granule) == 64);

/// Granules of some memory, allocated as it is touched.
class ShadowRange {
public:
  ShadowRange() = default;
  explicit ShadowRange(std::size_t bytes);
  ~ShadowRange();
  ShadowRange(ShadowRange &&other) noexcept { *this = static_cast<ShadowRange &&>(other); }
  ShadowRange &operator=(ShadowRange &&other) noexcept;
  Granule *granules() const { return memory; }
  std::size_t count() const { return granuleCount; }
  void clear(); ///< forgets every access

private:
  Granule *memory = nullptr;
  std::size_t granuleCount = 0;
};

/// Finds the granules of device memory. Ranges begin at multiples of `pageBytes` and share no page with other memory.
class Shadow {
public:
  static constexpr std::size_t pageBytes = 1 << 16;

  void add(const void *memory, std::size_t bytes);
  void remove(const void *memory);
  void clear(); ///< forgets every access; memory stays watched
  /// The granule that holds the byte; null when the memory is not watched.
  Granule *find(std::uintptr_t address) {
    const std::uintptr_t page = address / pageBytes;
    Recent &slot = recent[page % recentCount];
    if (slot.page != page)
      slot = {page, look(page)};
    return slot.first ? slot.first + address % pageBytes / Granule::bytes : nullptr;
  }

private:
  static constexpr std::size_t recentCount = 1024;
  struct Recent {
    std::uintptr_t page = ~std::uintptr_t(0);
    Granule *first = nullptr;
  };
  Granule *look(std::uintptr_t page) const;

  std::unordered_map<std::uintptr_t, ShadowRange> ranges; ///< by first page
  std::unordered_map<std::uintptr_t, Granule *> pages;
  Recent recent[recentCount];
};

/// Enters an access to bytes `mask` of a granule. `ordered(old)` says whether an older access happened before this one,
/// `together(old)` whether two atomic accesses are atomic for each other; `race(old, bytes)` is told of a conflict with
/// one that did not happen before.
template <typename Ordered, typename Together, typename Race>
inline void enter(Granule &granule, std::uint16_t mask, const Access &access, Ordered &&ordered, Together &&together,
                  Race &&race) {
  for (std::uint32_t i = 0; i < granule.count;) {
    Cell &cell = granule.cells()[i];
    const std::uint16_t both = cell.mask & mask;
    if (!both) {
      ++i;
      continue;
    }
    const Access &old = cell.access;
    const bool sameTick = old.component == access.component && old.tick == access.tick;
    if (sameTick && old.lane == access.lane && old.kind == access.kind && both == mask)
      return;
    const bool before = ordered(old);
    // Once is enough to say of poison that it was read.
    if (old.poisons() && access.reads()) {
      race(old, both);
      cell.mask &= ~mask;
    }
    const bool conflict =
        (old.writes() || access.writes()) && !(old.atomic() && access.atomic() && together(old)) && !old.poisons();
    if (conflict && !before)
      race(old, both);
    // An ordered access adds nothing to what the new one will show; a reported one is not reported again.
    if (access.writes() ? (before || conflict || old.poisons()) : (!old.writes() && before))
      cell.mask &= ~mask;
    if (cell.mask)
      ++i;
    else
      granule.remove(i);
  }
  Cell *cells = granule.cells();
  for (std::uint32_t i = 0; i < granule.count; ++i) {
    Access &old = cells[i].access;
    if (old.component != access.component || old.tick != access.tick || old.kind != access.kind)
      continue;
    if (old.lane == access.lane && old.place == access.place) {
      cells[i].mask |= mask;
      return;
    }
    // Reads of the same bytes by several lanes of a wave become one cell.
    if (access.kind == accessRead && cells[i].mask == mask) {
      old.lane = manyLanes;
      return;
    }
  }
  granule.add({access, mask});
}

} // namespace tilec::emulator

#endif // TILEC_EMULATOR_SHADOW_H
