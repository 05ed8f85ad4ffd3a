// Cells of the race check: exact to the byte, and no access is forgotten that a later one may still race with.
#include "emulator/Shadow.h"
#include <gtest/gtest.h>
#include <vector>

using namespace tilec::emulator;

namespace {

struct Conflict {
  int oldComponent, bytes;
  bool operator==(const Conflict &) const = default;
};

Access by(int component, std::uint32_t tick, int kind, int lane = 0) {
  Access access;
  access.component = std::uint16_t(component);
  access.tick = tick;
  access.kind = std::uint8_t(kind);
  access.lane = std::uint8_t(lane);
  return access;
}

/// Enters an access that nothing orders, except after those of its own lane.
std::vector<Conflict> touch(Granule &granule, std::uint16_t mask, const Access &access) {
  std::vector<Conflict> conflicts;
  enter(
      granule, mask, access,
      [&](const Access &old) { return old.component == access.component && old.lane == access.lane; },
      [](const Access &old) { return !old.narrow(); },
      [&](const Access &old, std::uint16_t both) { conflicts.push_back({old.component, std::popcount(both)}); });
  return conflicts;
}

TEST(Shadow, neighbouringBytesDoNotConflict) {
  Granule granule = {};
  EXPECT_TRUE(touch(granule, 0x000f, by(1, 1, accessWrite)).empty());
  EXPECT_TRUE(touch(granule, 0x00f0, by(2, 1, accessWrite)).empty());
  EXPECT_EQ(touch(granule, 0x0018, by(3, 1, accessRead)), (std::vector<Conflict>{{1, 1}, {2, 1}}));
}

TEST(Shadow, atomicAccessesOfScopesThatDoNotReachEachOtherConflict) {
  Granule granule = {};
  EXPECT_TRUE(touch(granule, 0x000f, by(1, 1, accessAtomic | accessWrite)).empty());
  EXPECT_TRUE(touch(granule, 0x000f, by(2, 1, accessAtomic)).empty());
  EXPECT_TRUE(touch(granule, 0x00f0, by(1, 2, accessAtomic | accessWrite | accessNarrow)).empty());
  EXPECT_EQ(touch(granule, 0x00f0, by(2, 2, accessAtomic)), (std::vector<Conflict>{{1, 4}}));
}

TEST(Shadow, everyReaderIsKept) {
  Granule granule = {};
  for (int component = 1; component <= 9; ++component)
    EXPECT_TRUE(touch(granule, 0xffff, by(component, 1, accessRead)).empty());
  EXPECT_EQ(touch(granule, 0x0001, by(20, 1, accessWrite)).size(), 9u);
  std::free(granule.more);
}

TEST(Shadow, aReaderOfTheSameTickAsItsWriterIsSeen) {
  Granule granule = {};
  EXPECT_TRUE(touch(granule, 0xffff, by(1, 1, accessWrite, 3)).empty());
  EXPECT_TRUE(touch(granule, 0xffff, by(1, 1, accessRead, 3)).empty());
  EXPECT_EQ(touch(granule, 0xffff, by(1, 1, accessRead, 5)), (std::vector<Conflict>{{1, 16}}));
}

TEST(Shadow, lanesThatReadTogetherTakeOneCellAndAllOfThemCount) {
  Granule granule = {};
  for (int lane = 0; lane < 64; ++lane)
    EXPECT_TRUE(touch(granule, 0x00ff, by(1, 1, accessRead, lane)).empty());
  EXPECT_EQ(granule.count, 1u);
  EXPECT_EQ(touch(granule, 0x00ff, by(1, 1, accessWrite, 7)).size(), 1u);
}

TEST(Shadow, atomicsConflictWithOthersOnly) {
  Granule granule = {};
  EXPECT_TRUE(touch(granule, 0x000f, by(1, 1, accessAtomic | accessWrite)).empty());
  EXPECT_TRUE(touch(granule, 0x000f, by(2, 1, accessAtomic | accessWrite)).empty());
  EXPECT_TRUE(touch(granule, 0x000f, by(3, 1, accessAtomic)).empty());
  EXPECT_EQ(touch(granule, 0x000f, by(4, 1, accessRead)).size(), 2u);
}

TEST(Shadow, memoryIsFoundByAddressUntilItIsForgotten) {
  Shadow shadow;
  auto *memory = static_cast<char *>(std::aligned_alloc(Shadow::pageBytes, 2 * Shadow::pageBytes));
  shadow.add(memory, 2 * Shadow::pageBytes);
  const auto start = reinterpret_cast<std::uintptr_t>(memory);
  Granule *first = shadow.find(start);
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(shadow.find(start + 15), first);
  EXPECT_EQ(shadow.find(start + Shadow::pageBytes + 16), first + Shadow::pageBytes / Granule::bytes + 1);
  EXPECT_EQ(shadow.find(start + 2 * Shadow::pageBytes), nullptr);
  shadow.remove(memory);
  EXPECT_EQ(shadow.find(start), nullptr);
  std::free(memory);
}

} // namespace
