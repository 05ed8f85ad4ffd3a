// Memory of the race check's cells.
#include "Shadow.h"
#include <algorithm>
#include <new>
#include <sys/mman.h>
#include <utility>
#include <vector>

using namespace tilec::emulator;

namespace {
/// Granules whose cells lie outside them.
std::vector<Granule *> &overflowed() {
  static auto &list = *new std::vector<Granule *>();
  return list;
}
} // namespace

void Granule::add(const Cell &cell) {
  const std::uint32_t room = capacity ? capacity : std::uint32_t(std::size(first));
  if (count == room) {
    auto *larger = static_cast<Cell *>(std::malloc(2 * room * sizeof(Cell)));
    if (!larger)
      throw std::bad_alloc();
    std::memcpy(static_cast<void *>(larger), cells(), count * sizeof(Cell));
    if (capacity)
      std::free(more);
    else
      overflowed().push_back(this);
    more = larger;
    capacity = 2 * room;
  }
  cells()[count++] = cell;
}

ShadowRange::ShadowRange(std::size_t bytes) : granuleCount((bytes + Granule::bytes - 1) / Granule::bytes) {
  void *made = mmap(nullptr, granuleCount * sizeof(Granule), PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (made == MAP_FAILED)
    throw std::bad_alloc();
  memory = static_cast<Granule *>(made);
}

ShadowRange::~ShadowRange() {
  if (!memory)
    return;
  std::erase_if(overflowed(), [&](Granule *granule) {
    const bool mine = granule >= memory && granule < memory + granuleCount;
    if (mine && granule->capacity)
      std::free(granule->more);
    return mine;
  });
  munmap(memory, granuleCount * sizeof(Granule));
}

ShadowRange &ShadowRange::operator=(ShadowRange &&other) noexcept {
  std::swap(memory, other.memory);
  std::swap(granuleCount, other.granuleCount);
  return *this;
}

void ShadowRange::clear() {
  for (std::size_t i = 0; i < granuleCount; ++i)
    memory[i].count = 0;
}

void Shadow::add(const void *memory, std::size_t bytes) {
  const std::uintptr_t first = reinterpret_cast<std::uintptr_t>(memory) / pageBytes;
  const std::size_t count = (bytes + pageBytes - 1) / pageBytes;
  ShadowRange &range = ranges[first] = ShadowRange(count * pageBytes);
  for (std::size_t i = 0; i < count; ++i) {
    pages[first + i] = range.granules() + i * (pageBytes / Granule::bytes);
    recent[(first + i) % recentCount] = Recent();
  }
}

void Shadow::remove(const void *memory) {
  const std::uintptr_t first = reinterpret_cast<std::uintptr_t>(memory) / pageBytes;
  const auto found = ranges.find(first);
  if (found == ranges.end())
    return;
  const std::size_t count = found->second.count() * Granule::bytes / pageBytes;
  for (std::size_t i = 0; i < count; ++i) {
    pages.erase(first + i);
    recent[(first + i) % recentCount] = Recent();
  }
  ranges.erase(found);
}

void Shadow::clear() {
  for (auto &[page, range] : ranges)
    range = ShadowRange(range.count() * Granule::bytes);
  pages.clear();
  std::fill(std::begin(recent), std::end(recent), Recent());
  for (auto &[page, range] : ranges)
    for (std::size_t i = 0; i < range.count() * Granule::bytes / pageBytes; ++i)
      pages[page + i] = range.granules() + i * (pageBytes / Granule::bytes);
}

Granule *Shadow::look(std::uintptr_t page) const {
  const auto found = pages.find(page);
  return found == pages.end() ? nullptr : found->second;
}
