// Gives equal integer sequences one number. A container; it knows nothing of what the sequences mean.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Hashing.h"

#include <cstdint>
#include <vector>

namespace tilec::checker {

/// Numbers are dense and start at 0, in the order of first appearance.
class Interner {
public:
  uint32_t intern(llvm::ArrayRef<int64_t> key) {
    if (2 * (size() + 1) > table.size())
      grow();
    const uint32_t hash = hashOf(key);
    for (size_t place = hash & (table.size() - 1);; place = (place + 1) & (table.size() - 1)) {
      Slot &slot = table[place];
      if (slot.number == 0) {
        pool.insert(pool.end(), key.begin(), key.end());
        starts.push_back(pool.size());
        slot = {size(), hash};
        return size() - 1;
      }
      if (slot.hash == hash && (*this)[slot.number - 1] == key)
        return slot.number - 1;
    }
  }

  llvm::ArrayRef<int64_t> operator[](uint32_t id) const {
    return llvm::ArrayRef<int64_t>(pool).slice(starts[id], starts[id + 1] - starts[id]);
  }

  uint32_t size() const { return starts.size() - 1; }

private:
  struct Slot {
    uint32_t number = 0; ///< of a key + 1, 0 where empty
    uint32_t hash = 0;
  };

  static uint32_t hashOf(llvm::ArrayRef<int64_t> key) {
    uint64_t state = 0x9e3779b97f4a7c15ull + key.size();
    for (int64_t word : key) {
      state = (state ^ static_cast<uint64_t>(word)) * 0xff51afd7ed558ccdull;
      state ^= state >> 32;
    }
    return static_cast<uint32_t>(state);
  }

  void grow() {
    std::vector<Slot> old(table.empty() ? 64 : 2 * table.size());
    old.swap(table);
    for (const Slot &slot : old) {
      if (slot.number == 0)
        continue;
      size_t place = slot.hash & (table.size() - 1);
      while (table[place].number != 0)
        place = (place + 1) & (table.size() - 1);
      table[place] = slot;
    }
  }

  std::vector<int64_t> pool;
  std::vector<size_t> starts{0};
  std::vector<Slot> table; ///< a power of two long
};

} // namespace tilec::checker
