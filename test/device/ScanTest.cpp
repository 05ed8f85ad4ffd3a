//===- ScanTest.cpp - scans over registers, lanes and waves ------------------------------------------------------===//
#include "Harness.h"
#include <algorithm>

using namespace tilec;
using namespace tilec::test;

namespace {

/// Scans of a tile along Dim in layout S, of integers, which any order adds up alike; all threads report what they
/// hold.
template <int Dim, class S, auto Op, bool Exclusive>
void expectScans(int first) {
  constexpr int rows = S::Shape::extent(0), cols = S::rank > 1 ? S::Shape::extent(S::rank - 1) : 1;
  constexpr int scratch = std::max(1, scan_scratch<Dim, S>());
  const auto memory = values<int>(rows * cols);
  std::vector<int> got(rows * cols, -12345);
  run(1, S::threads / 64, [&] {
    const auto place = shared<Shared<int, Shape<box_side(scratch)>>>(broadcast_lds);
    if constexpr (S::rank == 1) {
      const auto tile = load<S, 1>(view(memory.data(), {rows}, {1}), {0});
      store<1>(scan<Dim, Op, Exclusive>(tile, place), view(got.data(), {rows}, {1}), {0});
    } else {
      const auto tile = load<S, 1>(view(memory.data(), {rows, cols}, {cols, 1}), {0, 0});
      const auto once = scan<Dim, Op, Exclusive>(tile, place);
      // At once again: the scratch may be reused.
      const auto twice = scan<Dim, Op, Exclusive>(tile, place);
      for (int r = 0; r < S::registers; ++r)
        EXPECT_EQ(once[r], twice[r]);
      store<1>(twice, view(got.data(), {rows, cols}, {cols, 1}), {0, 0});
    }
  });
  const int lines = Dim == 0 ? cols : rows, length = Dim == 0 ? rows : cols, step = Dim == 0 ? cols : 1;
  for (int line = 0; line < lines; ++line) {
    int sum = first;
    for (int i = 0; i < length; ++i) {
      const int at = line * (Dim == 0 ? 1 : cols) + i * step, before = sum;
      sum = i == 0 && !Exclusive ? memory[at] : Op(sum, memory[at]);
      ASSERT_EQ(got[at], Exclusive ? before : sum) << "line " << line << ", element " << i;
    }
  }
}

template <int Dim, class S>
void expectAllScans() {
  expectScans<Dim, S, add, false>(0);
  expectScans<Dim, S, add, exclusive>(0);
  expectScans<Dim, S, multiply, exclusive>(1);
  expectScans<Dim, S, maximum, exclusive>(std::numeric_limits<int>::min());
  expectScans<Dim, S, minimum, exclusive>(std::numeric_limits<int>::max());
  expectScans<Dim, S, bits_and, exclusive>(-1);
  expectScans<Dim, S, bits_xor, false>(0);
}

// Waves hold the lowest bits of the rows, and others above those of the lanes: two runs.
using Apart = Layout<Shape<64, 16>, Registers<at(4, 0), at(0, 1), at(0, 2)>,
                     Lanes<at(2, 0), at(8, 0), at(16, 0), at(0, 4), at(0, 8), at(0, 0)>, Waves<at(1, 0), at(32, 0)>>;
// Waves take turns along a line: registers hold the bits above theirs.
using Line = Layout<Shape<1024>, Registers<at(1), at(512)>, Lanes<at(2), at(4), at(8), at(16), at(32), at(64)>,
                    Waves<at(128), at(256)>>;
// 24 rows: the last registers of 32 do not exist.
using Uneven = Layout<Shape<24, 16>, Registers<at(0, 1), at(8, 0), at(16, 0)>,
                      Lanes<at(0, 2), at(0, 4), at(0, 8), at(1, 0), at(2, 0), at(4, 0)>, Waves<>>;

} // namespace

TEST(Scan, RegistersAndLanes) {
  static_assert(scan_scratch<1, BlockLayout>() == 0);
  expectAllScans<1, BlockLayout>();
  expectAllScans<1, CopyLayout>();
  expectAllScans<0, Uneven>();
}

TEST(Scan, AcrossWaves) {
  static_assert(scan_scratch<0, Apart>() == 64 * 16);
  expectAllScans<0, BlockLayout>();
  expectAllScans<0, CopyLayout>();
  expectAllScans<0, Apart>();
  expectAllScans<0, Line>();
}
