// Offsets in the symmetric heap.
#include "host/Heap.h"
#include <algorithm>
#include <iterator>

using namespace tilec::host;

Heap::Heap(size_t bytes) : bytes(bytes) {
  if (bytes)
    free.emplace(0, bytes);
}

std::optional<size_t> Heap::take(size_t wanted) {
  if (wanted > bytes)
    return std::nullopt;
  // A range of no bytes still has its own address.
  const size_t length = (std::max<size_t>(wanted, 1) + alignment - 1) / alignment * alignment;
  const auto fit = std::find_if(free.begin(), free.end(), [&](const auto &range) { return range.second >= length; });
  if (fit == free.end())
    return std::nullopt;
  const size_t offset = fit->first, rest = fit->second - length;
  free.erase(fit);
  if (rest)
    free.emplace(offset + length, rest);
  taken.emplace(offset, length);
  return offset;
}

bool Heap::give(size_t offset) {
  const auto found = taken.find(offset);
  if (found == taken.end())
    return false;
  auto range = free.emplace(offset, found->second).first;
  taken.erase(found);
  if (auto next = std::next(range); next != free.end() && range->first + range->second == next->first) {
    range->second += next->second;
    free.erase(next);
  }
  if (range != free.begin())
    if (auto before = std::prev(range); before->first + before->second == range->first) {
      before->second += range->second;
      free.erase(range);
    }
  return true;
}
