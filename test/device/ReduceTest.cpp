//===- ReduceTest.cpp - reductions over registers, lanes and waves ------------------------------------------------===//
#include "Harness.h"
#include <algorithm>

using namespace tilec;
using namespace tilec::test;

namespace {

/// Sums and maxima of a 2-d tile along Dim in layout L; every thread reports what it holds.
template <int Dim, class S, class L, class T>
void expectReduces() {
  constexpr int rows = S::Shape::extent(0), cols = S::Shape::extent(1), kept = L::Shape::extent(0);
  constexpr int waves = std::max(S::threads, L::threads) / 64;
  constexpr int scratch = std::max(1, reduce_scratch<Dim, L, S>());
  const auto memory = values<T>(rows * cols);
  std::vector<std::vector<T>> sums(kept), largest(kept);
  run(1, waves, [&] {
    const auto place = shared<Shared<T, Shape<box_side(scratch)>>>(broadcast_lds);
    const auto tile = load<S, 1>(view(memory.data(), {rows, cols}, {cols, 1}), {0, 0});
    const auto sum = reduce<Dim, add, L>(tile, place);
    const auto most = reduce<Dim, maximum, L>(tile, place);
    const auto index = iota<int, L, 0>();
    for (int r = 0; r < L::registers; ++r) {
      sums[index[r]].push_back(sum[r]);
      largest[index[r]].push_back(most[r]);
    }
  });
  for (int i = 0; i < kept; ++i) {
    T sum{}, most = cast<T>(-100);
    for (int j = 0; j < (Dim ? cols : rows); ++j) {
      const T value = memory[Dim ? i * cols + j : j * cols + i];
      sum = sum + value;
      most = maximum(most, value);
    }
    ASSERT_FALSE(sums[i].empty());
    for (T got : sums[i])
      ASSERT_EQ(got, sum) << i;
    for (T got : largest[i])
      ASSERT_EQ(got, most) << i;
  }
}

// Of BlockLayout: what is left without columns, and without rows.
using BlockRows = Layout<Shape<64>, Registers<>, Lanes<at(1), at(2), at(4), at(8), at(16), at(0)>, Waves<at(32)>>;
using BlockColumns = Layout<Shape<64>, Registers<at(1), at(2), at(8), at(16), at(32)>,
                            Lanes<at(0), at(0), at(0), at(0), at(0), at(4)>, Waves<at(0)>>;
using SpreadRows = Layout<Shape<64>, Registers<at(32)>, Lanes<at(16), at(8), at(4), at(2), at(1), at(0)>, Waves<at(0)>>;
using CopyColumns = Layout<Shape<32>, Registers<at(1), at(2), at(4)>, Lanes<at(8), at(16), at(0), at(0), at(0), at(0)>,
                           Waves<at(0), at(0)>>;
using CopyRows =
    Layout<Shape<128>, Registers<at(64)>, Lanes<at(0), at(0), at(1), at(2), at(4), at(8)>, Waves<at(16), at(32)>>;

} // namespace

TEST(Reduce, ANaNAnywhereIsTheExtremum) {
  constexpr int rows = BlockLayout::Shape::extent(0), cols = BlockLayout::Shape::extent(1);
  for (int column = 0; column < cols; ++column) {
    std::vector<float> memory(rows * cols, 1.0f), most(rows), least(rows);
    memory[5 * cols + column] = __builtin_nanf("");
    run(1, BlockLayout::threads / 64, [&] {
      const auto tile = load<BlockLayout, 1>(view(memory.data(), {rows, cols}, {cols, 1}), {0, 0});
      const auto greatest = reduce<1, maximum, BlockRows>(tile);
      const auto smallest = reduce<1, minimum, BlockRows>(tile);
      const auto index = iota<int, BlockRows, 0>();
      for (int r = 0; r < BlockRows::registers; ++r) {
        most[index[r]] = greatest[r];
        least[index[r]] = smallest[r];
      }
    });
    for (int row = 0; row < rows; ++row) {
      ASSERT_EQ(most[row] != most[row], row == 5) << column;
      ASSERT_EQ(least[row] != least[row], row == 5) << column;
    }
  }
}

TEST(Reduce, RegistersAndLanes) {
  static_assert(reduce_scratch<1, BlockRows, BlockLayout>() == 0);
  expectReduces<1, BlockLayout, BlockRows, float>();
  expectReduces<1, BlockLayout, BlockRows, int>();
  expectReduces<1, CopyLayout, CopyRows, float>();
}

TEST(Reduce, AcrossWaves) {
  static_assert(reduce_scratch<0, BlockColumns, BlockLayout>() == 128);
  expectReduces<0, BlockLayout, BlockColumns, float>();
  expectReduces<0, CopyLayout, CopyColumns, float>();
  expectReduces<0, CopyLayout, CopyColumns, int>();
}

TEST(Reduce, ColumnsThatAreNoPowerOfTwo) {
  expectReduces<1, UnevenLayout, BlockRows, float>();
  expectReduces<1, UnevenLayout, BlockRows, int>();
  using Columns = Layout<Shape<40>, Registers<at(1), at(2), at(8), at(16), at(32)>,
                         Lanes<at(0), at(0), at(0), at(0), at(0), at(4)>, Waves<at(0)>>;
  expectReduces<0, UnevenLayout, Columns, float>();
  using OddRows = Layout<Shape<32>, Registers<>, Lanes<at(0), at(0), at(0), at(1), at(2), at(4)>, Waves<at(8), at(16)>>;
  expectReduces<1, OddLayout, OddRows, float>();
  expectReduces<1, OddLayout, OddRows, int>();
}

TEST(Reduce, IntoAnotherLayout) {
  static_assert(reduce_scratch<1, SpreadRows, BlockLayout>() == 64);
  expectReduces<1, BlockLayout, SpreadRows, float>();
}

TEST(Reduce, ReplicasCountOnce) {
  using Rows = Layout<Shape<16>, Registers<at(8)>, Lanes<at(1), at(0), at(2), at(0), at(4), at(0)>, Waves<>>;
  expectReduces<1, ReplicatedLayout, Rows, float>();
}
