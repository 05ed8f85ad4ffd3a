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
    for (size_t slot = hash(key) & (table.size() - 1);; slot = (slot + 1) & (table.size() - 1)) {
      if (table[slot] == 0) {
        pool.insert(pool.end(), key.begin(), key.end());
        starts.push_back(pool.size());
        table[slot] = size();
        return size() - 1;
      }
      if ((*this)[table[slot] - 1] == key)
        return table[slot] - 1;
    }
  }

  llvm::ArrayRef<int64_t> operator[](uint32_t id) const {
    return llvm::ArrayRef<int64_t>(pool).slice(starts[id], starts[id + 1] - starts[id]);
  }

  uint32_t size() const { return starts.size() - 1; }

private:
  static size_t hash(llvm::ArrayRef<int64_t> key) {
    uint64_t state = 0x9e3779b97f4a7c15ull + key.size();
    for (int64_t word : key) {
      state = (state ^ static_cast<uint64_t>(word)) * 0xff51afd7ed558ccdull;
      state ^= state >> 32;
    }
    return state;
  }

  void grow() {
    table.assign(table.empty() ? 64 : 2 * table.size(), 0);
    for (uint32_t id = 0; id < size(); ++id) {
      size_t slot = hash((*this)[id]) & (table.size() - 1);
      while (table[slot] != 0)
        slot = (slot + 1) & (table.size() - 1);
      table[slot] = id + 1;
    }
  }

  std::vector<int64_t> pool;
  std::vector<size_t> starts{0};
  std::vector<uint32_t> table; // number + 1, 0 where empty; a power of two long
};

} // namespace tilec::checker
