//===- StorePartsTest.cpp - tiles that the copy engine stores, a part at a time -----------------------------------===//
#include "WarpMachine.h"

using namespace tilec;
using namespace tilec::test;

namespace {

/// Tiles of 64 rows by four waves: as wgmma leaves its sums, and as they are stored by accesses of eight elements.
/// `Wide`: registers that go on along the rows.
template <int Columns, Point... Wide>
struct Tiles {
  using Sums = Layout<Shape<64, Columns>, Registers<at(0, 1), at(8, 0), at(0, 8), at(0, 16), at(0, 32), Wide...>,
                      Lanes<at(0, 2), at(0, 4), at(1, 0), at(2, 0), at(4, 0)>, Waves<at(16, 0), at(32, 0)>>;
  using Rows = Layout<Shape<64, Columns>, Registers<at(0, 1), at(0, 2), at(0, 4), at(8, 0), at(0, 32), Wide...>,
                      Lanes<at(0, 8), at(0, 16), at(1, 0), at(2, 0), at(4, 0)>, Waves<at(16, 0), at(32, 0)>>;
};
using Narrow = Tiles<64>;
using Middle = Tiles<128, at(0, 64)>;
using Broad = Tiles<256, at(0, 64), at(0, 128)>;
/// Some columns of all rows, as the engine has rows of 128 and 64 bytes.
template <int Columns>
using Scratch = Shared<bf16, Shape<64, Columns>, Swizzle<8, 64 / Columns, Columns / 8>>;
template <class L, class S>
using BoxOf = detail::WaveBox<typename detail::Parts<L, typename S::Shape>::Part, S>::Box;

constexpr Landing everyLanding[] = {Landing::Earliest, Landing::Latest, Landing::Seeded};
constexpr int scratch_offset = 1024, lds = scratch_offset + 2 * 64 * 128;

/// A matrix in memory of the device: no other is watched for races.
struct Target {
  int rows, columns, pitch;
  bf16 *elements = nullptr;

  Target(int rows, int columns, int pitch) : rows(rows), columns(columns), pitch(pitch) {
    EXPECT_EQ(hipMalloc(reinterpret_cast<void **>(&elements), size_t(rows) * pitch * sizeof(bf16)), hipSuccess);
    for (int i = 0; i < rows * pitch; ++i)
      elements[i] = cast<bf16>(-1.0f);
  }
  ~Target() { (void)hipFree(elements); }
  View<bf16, 2> view() const { return tilec::view(elements, {rows, columns}, {pitch, 1}); }
  template <class S>
  TensorMap map() const {
    return tensor_map<S>(elements, {rows, columns}, {pitch, 1});
  }
  /// Tiles of 64 rows, by valueAt; nothing else was stored.
  void expectTiles() const {
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < pitch; ++j)
        ASSERT_EQ(cast<float>(elements[i * pitch + j]), j < columns ? valueAt(i, j) : -1.0f) << i << ", " << j;
  }
  static float valueAt(int row, int column) { return float((row % 64 * 128 + column + 7 * (row / 64)) % 251); }
};

template <class L>
Tile<bf16, L> tileOf(int task) {
  Tile<bf16, L> tile;
  const auto row = iota<int, L, 0>(), column = iota<int, L, 1>();
  for (int r = 0; r < L::registers; ++r)
    tile[r] = cast<bf16>(Target::valueAt(64 * task + row[r], column[r]));
  return tile;
}

/// Tasks of one workgroup, each of which stores its tile before it goes on.
template <class Kind, int Part, int Copies = 1>
void expectStored(Landing landing, int rows, int columns, int pitch) {
  machine(landing, /*seed=*/1, /*race=*/true);
  const Target target(rows, columns, pitch);
  const TensorMap map = target.map<BoxOf<typename Kind::Sums, Scratch<Part>>>();
  EXPECT_EQ(is_mapped(map), pitch % 8 == 0);
  const std::string report = reportOf(
      4,
      [&] {
        for (int task = 0; task * 64 < rows; ++task)
          store_async<typename Kind::Rows, 8, Copies>(shared<Scratch<Part>>(scratch_offset),
                                                      tileOf<typename Kind::Sums>(task), target.view(), {64 * task, 0},
                                                      map);
        await_stores<0>();
      },
      lds);
  EXPECT_EQ(report, "");
  target.expectTiles();
}

/// The same where the next task stores what one has left, a part in each of its steps.
void expectDeferred(Landing landing, int steps, int columns) {
  constexpr int tasks = 3;
  using L = Middle::Sums;
  machine(landing, /*seed=*/2, /*race=*/true);
  const Target target(tasks * 64, columns, columns);
  const TensorMap map = target.map<BoxOf<L, Scratch<32>>>();
  const std::string report = reportOf(
      4,
      [&] {
        auto late = deferred<L, Middle::Rows, 8>(shared<Scratch<32>>(scratch_offset), target.view(), map);
        for (int task = 0; task < tasks; ++task) {
          by_slot<4>(steps, [&](auto slot, int) { store_deferred<4>(late, slot); });
          store_deferred(late);
          defer(late, tileOf<L>(task), {64 * task, 0});
        }
        store_deferred(late);
        await_stores<0>();
      },
      lds);
  EXPECT_EQ(report, "");
  target.expectTiles();
}

/// detail::store_part but for one of its steps.
enum class Without { Nothing, Reading, Fence, Meeting, End };
std::string reportWithout(Without without) {
  using S = Scratch<64>;
  using Part = Narrow::Sums;
  machine(Landing::Latest, /*seed=*/0, /*race=*/true);
  const Target target(64, 64, 64);
  using Box = BoxOf<Part, S>;
  const TensorMap map = target.map<Box>();
  return reportOf(
      4,
      [&] {
        const S scratch = shared<S>(scratch_offset);
        for (int round = 0; round < 2; ++round) {
          const bool asks = target::elected_of_wave();
          if (asks && without != Without::Reading)
            await_stores_read<0>();
          target::meet_wave();
          store(scratch, tileOf<Part>(0));
          if (without != Without::Fence)
            fence_async();
          if (without != Without::Meeting)
            target::meet_wave();
          const int row = target::wave() * 16;
          if (asks)
            store_async(map, {row, 0}, Box{scratch_offset + row * 128});
        }
        if (without != Without::End)
          await_stores<0>();
      },
      lds);
}

/// What the emulator says of two tasks of three parts each that take two copies in turn, whose first part waits until
/// so many are still read, and whose others do.
template <int First, int Others>
std::string reportOfCopies() {
  using S = Scratch<64>;
  using Part = Narrow::Sums;
  machine(Landing::Latest, /*seed=*/0, /*race=*/true);
  const Target target(6 * 64, 64, 64);
  const TensorMap map = target.map<BoxOf<Part, S>>();
  return reportOf(
      4,
      [&] {
        for (int number = 0; number < 6; ++number) {
          const auto scratch = shared<S>(scratch_offset + number % 3 % 2 * S::bytes);
          if (number % 3 == 0)
            detail::store_part<First>(scratch, tileOf<Part>(0), map, {64 * number, 0}, target::thread());
          else
            detail::store_part<Others>(scratch, tileOf<Part>(0), map, {64 * number, 0}, target::thread());
        }
        await_stores<0>();
      },
      lds);
}

} // namespace

TEST(StoreParts, WhateverWhenTheEngineReadsAndWrites) {
  for (Landing landing : everyLanding) {
    expectStored<Middle, 64>(landing, 192, 128, 128);
    expectStored<Broad, 64>(landing, 64, 256, 264);
    expectStored<Middle, 32>(landing, 128, 128, 128);
    // Copies in turn: as many as parts, fewer, and a number that does not divide that of the parts.
    expectStored<Middle, 64, 2>(landing, 192, 128, 128);
    expectStored<Broad, 32, 2>(landing, 192, 256, 256);
    expectStored<Middle, 32, 3>(landing, 192, 128, 128);
  }
}

TEST(StoreParts, WhatLiesOutsideOfTheMatrixIsNotStored) {
  expectStored<Middle, 64>(Landing::Seeded, 100, 120, 128);
  expectStored<Middle, 32>(Landing::Seeded, 7, 8, 8);
}

TEST(StoreParts, AccessesOfThreadsWhereThereIsNoMap) { expectStored<Middle, 64>(Landing::Latest, 100, 121, 121); }

TEST(StoreParts, TheNextTaskStoresEachResult) {
  for (Landing landing : everyLanding)
    for (int steps : {0, 1, 3, 9})
      expectDeferred(landing, steps, 128);
  expectDeferred(Landing::Seeded, 5, 120);
  // Without a map.
  expectDeferred(Landing::Latest, 5, 125);
}

TEST(StoreParts, EachStepIsNeeded) {
  EXPECT_EQ(reportWithout(Without::Nothing), "");
  EXPECT_NE(reportWithout(Without::Reading).find("while a bulk store reads it"), std::string::npos);
  EXPECT_NE(reportWithout(Without::Fence).find("fence_async"), std::string::npos);
  EXPECT_NE(reportWithout(Without::Meeting), "");
  EXPECT_NE(reportWithout(Without::End).find("was still reading when its thread returned"), std::string::npos);
}

TEST(StoreParts, APartWaitsForTheOneThatWasThere) {
  EXPECT_EQ((reportOfCopies<0, 1>()), "");
  EXPECT_NE((reportOfCopies<0, 2>()).find("while a bulk store reads it"), std::string::npos);
  EXPECT_NE((reportOfCopies<1, 1>()).find("while a bulk store reads it"), std::string::npos);
}

TEST(StoreParts, WavesHaveRowsOneBehindTheOther) {
  using Part = detail::Parts<Middle::Sums, Shape<64, 64>>::Part;
  static_assert(detail::WaveBox<Part, Scratch<64>>::rows == 16);
  using One = Layout<Shape<8, 64>, Registers<at(0, 1), at(0, 8), at(0, 16), at(0, 32)>,
                     Lanes<at(0, 2), at(0, 4), at(1, 0), at(2, 0), at(4, 0)>, Waves<>>;
  static_assert(detail::WaveBox<One, Shared<bf16, Shape<8, 64>, Swizzle<8, 1, 8>>>::rows == 8);
}
