// Global memory as a workgroup may see it.
#include "WeakMemory.h"
#include "Machine.h"
#include <algorithm>
#include <bit>
#include <cstring>

using namespace tilec::emulator;

namespace {

std::uint64_t mask(size_t first, size_t count) { return (count == 64 ? ~0ull : (1ull << count) - 1) << first; }

/// Calls piece(line's base, first byte in it, count, bytes before) for every line that [address, address + bytes)
/// meets.
template <typename Piece>
void forEachLine(const void *address, size_t bytes, Piece &&piece) {
  const auto start = reinterpret_cast<std::uintptr_t>(address);
  for (size_t done = 0; done < bytes;) {
    const size_t first = (start + done) % 64, count = std::min<size_t>(64 - first, bytes - done);
    piece(start + done - first, first, count, done);
    done += count;
  }
}

void copyBytes(unsigned char *to, const unsigned char *from, std::uint64_t which) {
  for (; which; which &= which - 1)
    to[std::countr_zero(which)] = from[std::countr_zero(which)];
}

/// A line of memory reaches beyond its object, but never beyond its page.
__attribute__((no_sanitize("address"))) void copyLine(unsigned char *to, std::uintptr_t base) {
  const auto *from = reinterpret_cast<const volatile unsigned char *>(base);
  for (int i = 0; i < 64; ++i)
    to[i] = from[i];
}

} // namespace

void View::list(Bases &bases, std::uintptr_t base, bool &isListed) {
  if (!isListed)
    bases.push_back(base);
  isListed = true;
}

View::Line &View::fill(std::uintptr_t base) {
  Line &line = lines[base];
  if (line.valid == ~0ull)
    return line;
  unsigned char fresh[lineBytes];
  if (below)
    std::memcpy(fresh, below->fill(base).data, lineBytes);
  else
    copyLine(fresh, base);
  copyBytes(line.data, fresh, ~line.valid);
  line.valid = ~0ull;
  list(reads, base, line.isRead);
  return line;
}

void View::read(void *to, const void *from, size_t bytes) {
  forEachLine(from, bytes, [&](std::uintptr_t base, size_t first, size_t count, size_t done) {
    std::memcpy(static_cast<char *>(to) + done, fill(base).data + first, count);
  });
}

void View::write(void *to, const void *from, size_t bytes) {
  forEachLine(to, bytes, [&](std::uintptr_t base, size_t first, size_t count, size_t done) {
    Line &line = lines[base];
    std::memcpy(line.data + first, static_cast<const char *>(from) + done, count);
    line.valid |= mask(first, count);
    line.dirty |= mask(first, count);
    list(writes, base, line.isWritten);
  });
}

void View::publish(std::uintptr_t base, Line &line, std::uint64_t which) {
  which &= line.dirty;
  if (!which)
    return;
  if (below) {
    Line &lower = below->lines[base];
    copyBytes(lower.data, line.data, which);
    lower.valid |= which;
    lower.dirty |= which;
    list(below->writes, base, lower.isWritten);
  } else {
    copyBytes(reinterpret_cast<unsigned char *>(base), line.data, which);
  }
  line.dirty &= ~which;
  line.held &= ~which;
  list(reads, base, line.isRead);
}

void View::publish() {
  std::erase_if(writes, [&](std::uintptr_t base) {
    const auto found = lines.find(base);
    if (found == lines.end())
      return true;
    Line &line = found->second;
    publish(base, line, ~line.held);
    return !(line.isWritten = line.dirty != 0);
  });
}

void View::push(const Store &store) {
  forEachLine(store.address, store.bytes, [&](std::uintptr_t base, size_t first, size_t count, size_t) {
    if (const auto found = lines.find(base); found != lines.end())
      publish(base, found->second, mask(first, count));
  });
}

void View::mark(const Store &store, bool held) {
  forEachLine(store.address, store.bytes, [&](std::uintptr_t base, size_t first, size_t count, size_t) {
    const auto found = lines.find(base);
    if (found == lines.end())
      return;
    if (held)
      found->second.held |= mask(first, count) & found->second.dirty;
    else
      found->second.held &= ~mask(first, count);
  });
}

void View::invalidate() {
  for (std::uintptr_t base : reads) {
    const auto found = lines.find(base);
    if (found == lines.end())
      continue;
    Line &line = found->second;
    line.valid = line.dirty;
    line.isRead = false;
    if (line.dirty == 0)
      lines.erase(found);
  }
  reads.clear();
}

void View::evict(const void *address) {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  const auto found = lines.find(at - at % lineBytes);
  if (found == lines.end())
    return;
  publish(found->first, found->second, ~0ull);
  lines.erase(found);
}

void View::bypass(const void *address, size_t bytes) {
  forEachLine(address, bytes, [&](std::uintptr_t base, size_t first, size_t count, size_t) {
    if (const auto found = lines.find(base); found != lines.end()) {
      Line &line = found->second;
      publish(base, line, mask(first, count));
      line.valid &= ~mask(first, count);
    }
  });
  if (below)
    below->bypass(address, bytes);
}

namespace tilec::emulator {

bool weak = false;

static Workgroup &group() { return *static_cast<Lane *>(here)->home; }
/// Null where chiplets have no cache of their own.
static View *chipletView() { return Machine::get().chipletView(group()); }

/// Now and then in an adversarial run a cache runs full, and what it held is seen early.
static void maybeEvict(const void *address) {
  if (!adversarial)
    return;
  const std::uint64_t dice = Machine::random.below(64);
  if (dice < 2)
    group().view.evict(address);
  if (View *chiplet = chipletView(); chiplet && dice == 1)
    chiplet->evict(address);
  if (dice == 0)
    Machine::get().device(group().device).view.evict(address);
}

void View::readHere(void *to, const void *from, size_t bytes) {
  group().view.read(to, from, bytes);
  maybeEvict(from);
}

void View::writeHere(void *to, const void *from, size_t bytes) {
  Workgroup &home = group();
  home.view.write(to, from, bytes);
  home.view.hold({to, bytes});
  std::vector<Store> &stores = home.storesOf(*static_cast<Lane *>(here));
  stores.push_back({to, bytes});
  // Stores leave a lane in any order.
  if (adversarial && Machine::random.below(4) == 0) {
    std::swap(stores[Machine::random.below(stores.size())], stores.back());
    home.view.push(stores.back());
    stores.pop_back();
  }
  maybeEvict(to);
}

void View::drainHere() {
  Workgroup &home = group();
  std::vector<Store> &stores = home.storesOf(*static_cast<Lane *>(here));
  for (const Store &store : stores)
    home.view.settle(store);
  stores.clear();
}

void View::releaseHere(bool system) {
  drainHere();
  group().view.publish();
  if (View *chiplet = chipletView())
    chiplet->publish();
  if (system)
    Machine::get().device(group().device).view.publish();
}

void View::releaseToChipletHere() {
  drainHere();
  group().view.publish();
}

void View::acquireOfChipletHere() { group().view.invalidate(); }

void View::acquireHere(bool system) {
  group().view.invalidate();
  if (View *chiplet = chipletView())
    chiplet->invalidate();
  if (system)
    Machine::get().device(group().device).view.invalidate();
}

void bypassWeak(const void *address, size_t bytes, bool changes) {
  Machine::get().performStores(address, changes ? nullptr : &group());
  group().view.bypass(address, bytes);
}

} // namespace tilec::emulator
