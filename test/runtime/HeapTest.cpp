// Offsets of the symmetric heap.
#include "host/Heap.h"
#include <gtest/gtest.h>
#include <random>

using namespace tilec::host;

namespace {

TEST(Heap, lowestFitAndJoinedNeighbours) {
  Heap heap(1024);
  EXPECT_EQ(heap.take(1), 0u);
  EXPECT_EQ(heap.take(257), 256u);
  EXPECT_EQ(heap.take(256), 768u);
  EXPECT_EQ(heap.take(1), std::nullopt);
  EXPECT_TRUE(heap.give(0));
  EXPECT_FALSE(heap.give(0));
  EXPECT_FALSE(heap.give(512));
  EXPECT_EQ(heap.take(512), std::nullopt);
  EXPECT_TRUE(heap.give(256));
  EXPECT_EQ(heap.take(768), 0u);
  EXPECT_TRUE(heap.give(768));
  EXPECT_TRUE(heap.give(0));
  EXPECT_EQ(heap.take(1024), 0u);
  EXPECT_EQ(heap.take(SIZE_MAX), std::nullopt);
}

TEST(Heap, rangesStayApartUnderRandomUse) {
  Heap heap(1 << 16);
  std::mt19937 random(1);
  std::map<size_t, size_t> held;
  for (int i = 0; i < 2000; ++i) {
    if (random() % 2 || held.empty()) {
      const size_t bytes = random() % 4000;
      const auto offset = heap.take(bytes);
      if (!offset)
        continue;
      ASSERT_EQ(*offset % Heap::alignment, 0u);
      const auto [place, isNew] = held.emplace(*offset, *offset + std::max<size_t>(bytes, 1));
      ASSERT_TRUE(isNew);
      ASSERT_LE(place->second, size_t(1 << 16));
      if (place != held.begin())
        ASSERT_LE(std::prev(place)->second, *offset);
      if (std::next(place) != held.end())
        ASSERT_GE(std::next(place)->first, place->second);
    } else {
      auto victim = std::next(held.begin(), long(random() % held.size()));
      ASSERT_TRUE(heap.give(victim->first));
      held.erase(victim);
    }
  }
  for (const auto &[offset, end] : held)
    ASSERT_TRUE(heap.give(offset));
  EXPECT_EQ(heap.take(1 << 16), 0u) << "everything joined again";
}

} // namespace
