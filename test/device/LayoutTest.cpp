//===- LayoutTest.cpp - layouts against formulas written by hand --------------------------------------------------===//
#include "Harness.h"

using namespace tilec;
using namespace tilec::test;

TEST(Layout, BlockFollowsTheFormula) {
  for (int thread = 0; thread < 128; ++thread)
    for (int r = 0; r < BlockLayout::registers; ++r) {
      const int lane = thread % 64, wave = thread / 64;
      const Point point = BlockLayout::of(r) ^ BlockLayout::of_constant_thread(thread);
      EXPECT_EQ(point[0], lane % 32 + 32 * wave);
      EXPECT_EQ(point[1], r % 4 + 4 * (lane / 32) + 8 * (r / 4 % 4) + 32 * (r / 16));
    }
}

template <class L>
void expectRunTimePartAgrees() {
  for (int thread = 0; thread < L::threads; ++thread) {
    EXPECT_EQ(L::template of_thread<0>(thread), L::of_constant_thread(thread)[0]);
    EXPECT_EQ(L::template of_thread<1>(thread), L::of_constant_thread(thread)[1]);
  }
}

TEST(Layout, ThePartKnownAtRunTimeAgrees) {
  expectRunTimePartAgrees<CopyLayout>();
  expectRunTimePartAgrees<BlockLayout>();
  expectRunTimePartAgrees<ReplicatedLayout>();
  expectRunTimePartAgrees<SkewedLayout>();
}

template <class L>
void expectEveryElementHasOneOwner() {
  std::vector<int> owners(L::Shape::size);
  for (int thread = 0; thread < L::threads; ++thread)
    for (int r = 0; r < L::registers; ++r)
      if (L::owns(thread) && L::owns_register(r)) {
        const Point point = L::of(r) ^ L::of_constant_thread(thread);
        ++owners[point[0] * L::Shape::extent(1) + point[1]];
      }
  for (int count : owners)
    EXPECT_EQ(count, 1);
}

TEST(Layout, EveryElementHasOneOwner) {
  expectEveryElementHasOneOwner<CopyLayout>();
  expectEveryElementHasOneOwner<BlockLayout>();
  expectEveryElementHasOneOwner<ReplicatedLayout>();
  expectEveryElementHasOneOwner<SkewedLayout>();
  expectEveryElementHasOneOwner<UnevenLayout>();
  expectEveryElementHasOneOwner<OddLayout>();
}

TEST(Layout, RegistersBeyondAnExtentDoNotExist) {
  EXPECT_EQ(UnevenLayout::registers, 20);
  EXPECT_EQ(OddLayout::registers, 3);
}

TEST(Layout, DependentBasesReplicate) {
  // Lane bit 5 repeats what lane bits 0 and 1 reach together.
  using L = Layout<Shape<32, 2>, Registers<at(0, 1)>,
                   Lanes<at(1, 0), at(2, 0), at(4, 0), at(8, 0), at(16, 0), at(3, 0)>, Waves<>>;
  EXPECT_EQ(L::redundant_threads, 32u);
  expectEveryElementHasOneOwner<L>();
}

TEST(Tile, IotaAndBroadcast) {
  using Row = Layout<Shape<32>, Registers<at(1), at(2), at(4), at(16)>, Lanes<at(0), at(0), at(0), at(4), at(8), at(8)>,
                     Waves<>>;
  std::vector<int> wrong(64, -1);
  run(1, 1, [&] {
    const auto row = iota<int, Row, 0>();
    const auto wide = broadcast<SkewedLayout, 0>(row);
    const auto columns = iota<int, SkewedLayout, 1>();
    int count = 0;
    for (int r = 0; r < SkewedLayout::registers; ++r)
      count += wide[r] != columns[r];
    wrong[target::lane()] = count;
  });
  for (int count : wrong)
    EXPECT_EQ(count, 0);
}
