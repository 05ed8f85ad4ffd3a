//===- RoleTest.cpp - tiles that change their layout within waves, and waves of different work
//---------------------===//
#include "WarpMachine.h"

#include <algorithm>

using namespace tilec;
using namespace tilec::test;

namespace {

// As wgmma leaves its sums, by four waves or eight.
using Sums = Layout<Shape<64, 128>, Registers<at(0, 1), at(8, 0), at(0, 8), at(0, 16), at(0, 32), at(0, 64)>,
                    Lanes<at(0, 2), at(0, 4), at(1, 0), at(2, 0), at(4, 0)>, Waves<at(16, 0), at(32, 0)>>;
using Rows = Layout<Shape<64, 128>, Registers<at(0, 1), at(0, 2), at(0, 4), at(4, 0), at(8, 0), at(0, 64)>,
                    Lanes<at(0, 8), at(0, 16), at(0, 32), at(1, 0), at(2, 0)>, Waves<at(16, 0), at(32, 0)>>;
// Parts of columns by other registers than the last.
using Mixed = Layout<Shape<64, 128>, Registers<at(0, 64), at(0, 1), at(0, 2), at(8, 0), at(0, 4), at(4, 0)>,
                     Lanes<at(0, 8), at(0, 16), at(0, 32), at(2, 0), at(1, 0)>, Waves<at(16, 0), at(32, 0)>>;

template <class To, int Columns, class From = Sums, int Rows = From::Shape::extent(0)>
void expectRearranged() {
  using Scratch = Shared<bf16, Shape<Rows, Columns>, Swizzle<8, 1, Columns / 8 < 8 ? Columns / 8 : 8>>;
  constexpr int height = From::Shape::extent(0), width = From::Shape::extent(1);
  std::vector<float> got(height * width);
  machine(Landing::Latest, /*seed=*/0, /*race=*/true);
  const std::string report = reportOf(4, [&] {
    Tile<bf16, From> tile;
    const auto row = iota<int, From, 0>(), column = iota<int, From, 1>();
    for (int r = 0; r < From::registers; ++r)
      tile[r] = cast<bf16>(float((row[r] * width + column[r]) % 251));
    const auto turned = rearrange<To>(shared<Scratch>(1024), tile);
    const auto i = iota<int, To, 0>(), j = iota<int, To, 1>();
    for (int r = 0; r < To::registers; ++r)
      got[i[r] * width + j[r]] = cast<float>(turned[r]);
  });
  EXPECT_EQ(report, "");
  for (int i = 0; i < height * width; ++i)
    ASSERT_EQ(got[i], float(i % 251)) << i;
}

} // namespace

TEST(Rearrange, WavesKeepWhatTheyHold) {
  expectRearranged<Rows, 64>();
  expectRearranged<Rows, 128>();
  expectRearranged<Mixed, 64>();
}

TEST(Rearrange, ColumnsThatAreNoPowerOfTwo) {
  using Uneven =
      Layout<Shape<64, 224>, Registers<at(0, 1), at(8, 0), at(0, 8), at(0, 16), at(0, 32), at(0, 64), at(0, 128)>,
             Lanes<at(0, 2), at(0, 4), at(1, 0), at(2, 0), at(4, 0)>, Waves<at(16, 0), at(32, 0)>>;
  using Runs =
      Layout<Shape<64, 224>, Registers<at(0, 1), at(0, 2), at(0, 4), at(8, 0), at(0, 32), at(0, 64), at(0, 128)>,
             Lanes<at(0, 8), at(0, 16), at(1, 0), at(2, 0), at(4, 0)>, Waves<at(16, 0), at(32, 0)>>;
  static_assert(detail::keeps_waves<Uneven, Runs>());
  expectRearranged<Runs, 32, Uneven>();
}

TEST(Rearrange, PartsOfTheRows) {
  // The transpose of sums, by four waves of 16 columns each: parts of one to four matrices of a wave.
  using Turned = Layout<Shape<72, 64>, Registers<at(1, 0), at(0, 8), at(8, 0), at(16, 0), at(32, 0), at(64, 0)>,
                        Lanes<at(2, 0), at(4, 0), at(0, 1), at(0, 2), at(0, 4)>, Waves<at(0, 16), at(0, 32)>>;
  using Runs = Layout<Shape<72, 64>, Registers<at(0, 1), at(0, 2), at(8, 0), at(16, 0), at(32, 0), at(64, 0)>,
                      Lanes<at(0, 4), at(0, 8), at(2, 0), at(4, 0), at(1, 0)>, Waves<at(0, 16), at(0, 32)>>;
  using Scratch = Shape<8, 64>;
  static_assert(detail::Parts<Turned, Scratch>::dim == 0 && detail::Parts<Turned, Scratch>::parts == 9);
  static_assert(detail::keeps_waves<Turned, Runs>());
  expectRearranged<Runs, 64, Turned, 8>();
  using Even = Layout<Shape<64, 64>, Registers<at(1, 0), at(0, 8), at(8, 0), at(16, 0), at(32, 0)>,
                      Lanes<at(2, 0), at(4, 0), at(0, 1), at(0, 2), at(0, 4)>, Waves<at(0, 16), at(0, 32)>>;
  using Wide = Layout<Shape<64, 64>, Registers<at(0, 1), at(0, 2), at(0, 4), at(16, 0), at(32, 0)>,
                      Lanes<at(0, 8), at(1, 0), at(2, 0), at(4, 0), at(8, 0)>, Waves<at(0, 16), at(0, 32)>>;
  expectRearranged<Wide, 64, Even, 16>();
  expectRearranged<Wide, 64, Even, 32>();
  expectRearranged<Wide, 64, Even, 64>();
}

TEST(Rearrange, WavesStoreColumnsOfMatricesTogether) {
  using Turned = Layout<Shape<8, 64>, Registers<at(1, 0), at(0, 8)>,
                        Lanes<at(2, 0), at(4, 0), at(0, 1), at(0, 2), at(0, 4)>, Waves<at(0, 16), at(0, 32)>>;
  using One = Layout<Shape<8, 32>, Registers<at(1, 0)>, Lanes<at(2, 0), at(4, 0), at(0, 1), at(0, 2), at(0, 4)>,
                     Waves<at(0, 8), at(0, 16)>>;
  using Four = Layout<Shape<16, 64>, Registers<at(1, 0), at(0, 8), at(8, 0)>,
                      Lanes<at(2, 0), at(4, 0), at(0, 1), at(0, 2), at(0, 4)>, Waves<at(0, 16), at(0, 32)>>;
  static_assert(detail::TurnedMatrixPlan<Turned, Shared<bf16, Shape<8, 64>, Swizzle<8, 1, 8>>, false>::fits());
  static_assert(detail::TurnedMatrixPlan<Turned, Shared<bf16, Shape<8, 64>, Swizzle<8, 1, 8>>, false>::matrices == 2);
  static_assert(detail::TurnedMatrixPlan<One, Shared<bf16, Shape<8, 32>, Swizzle<8, 1, 4>>, false>::matrices == 1);
  static_assert(detail::TurnedMatrixPlan<Four, Shared<bf16, Shape<16, 64>, Swizzle<8, 1, 8>>, false>::matrices == 4);
  // Not where a row of eight is cut by the swizzle, elements are wider, or registers run along the rows.
  static_assert(!detail::TurnedMatrixPlan<Turned, Shared<bf16, Shape<8, 64>, Swizzle<4, 1, 8>>, false>::fits());
  static_assert(!detail::TurnedMatrixPlan<Turned, Shared<float, Shape<8, 64>, Swizzle<8, 1, 8>>, false>::fits());
  static_assert(!detail::TurnedMatrixPlan<Sums, Shared<bf16, Shape<64, 128>, Swizzle<8, 1, 8>>, false>::fits());
  expectRearranged<Layout<Shape<8, 32>, Registers<at(0, 1)>, Lanes<at(0, 2), at(0, 4), at(1, 0), at(2, 0), at(4, 0)>,
                          Waves<at(0, 8), at(0, 16)>>,
                   32, One>();
}

TEST(Rearrange, RowsThatAreStoredAsColumns) {
  // Sums to an LDS tile of their transpose, by waves of 32 lanes.
  using Column = Layout<Shape<64, 64>, Registers<at(0, 1), at(0, 2), at(0, 4), at(16, 0), at(32, 0)>,
                        Lanes<at(0, 8), at(1, 0), at(2, 0), at(4, 0), at(8, 0)>, Waves<at(0, 16), at(0, 32)>>;
  using Square = Layout<Shape<64, 64>, Registers<at(0, 1), at(8, 0), at(0, 8), at(0, 16), at(0, 32)>,
                        Lanes<at(0, 2), at(0, 4), at(1, 0), at(2, 0), at(4, 0)>, Waves<at(16, 0), at(32, 0)>>;
  using Scratch = Shared<f16, Shape<64, 64>, Swizzle<8, 1, 8>>;
  static_assert(detail::TurnedMatrixPlan<Square, Scratch, true>::fits());
  static_assert(!detail::TurnedMatrixPlan<Square, Scratch, false>::fits());
  std::vector<float> got(64 * 64);
  machine(Landing::Latest, /*seed=*/0, /*race=*/true);
  const std::string report = reportOf(4, [&] {
    Tile<f16, Square> tile;
    const auto row = iota<int, Square, 0>(), column = iota<int, Square, 1>();
    for (int r = 0; r < Square::registers; ++r)
      tile[r] = cast<f16>(float((row[r] * 64 + column[r]) % 251));
    store(shared<Scratch>(1024), tile, transposed);
    barrier();
    const auto turned = load<Column>(shared<Scratch>(1024));
    const auto i = iota<int, Column, 0>(), j = iota<int, Column, 1>();
    for (int r = 0; r < Column::registers; ++r)
      got[j[r] * 64 + i[r]] = cast<float>(turned[r]);
  });
  EXPECT_EQ(report, "");
  for (int i = 0; i < 64 * 64; ++i)
    ASSERT_EQ(got[i], float(i % 251)) << i;
}

TEST(Rearrange, KnowsWhereWavesWouldMeet) {
  using Across = Layout<Shape<64, 128>, Registers<at(0, 1), at(0, 2), at(0, 4), at(16, 0), at(32, 0), at(8, 0)>,
                        Lanes<at(0, 8), at(0, 16), at(0, 32), at(0, 64), at(1, 0)>, Waves<at(2, 0), at(4, 0)>>;
  using Skewed = Layout<Shape<64, 128>, Registers<at(0, 1), at(0, 2), at(0, 4), at(4, 0), at(24, 0), at(0, 64)>,
                        Lanes<at(0, 8), at(0, 16), at(0, 32), at(1, 0), at(2, 0)>, Waves<at(16, 0), at(32, 0)>>;
  static_assert(detail::keeps_waves<Sums, Rows>() && detail::keeps_waves<Sums, Mixed>());
  static_assert(!detail::keeps_waves<Sums, Across>());
  static_assert(!detail::keeps_waves<Sums, Skewed>());
}

namespace {

/// Three tasks of one workgroup, each with so many steps, whose results the next one stores.
void expectDeferred(int steps, int columns) {
  using Scratch = Shared<bf16, Shape<64, 64>, Swizzle<8, 1, 8>>;
  constexpr int tasks = 3;
  std::vector<bf16> got(tasks * 64 * columns, cast<bf16>(-1.0f));
  machine(Landing::Latest, /*seed=*/0, /*race=*/true);
  const std::string report = reportOf(4, [&] {
    auto late = deferred<Sums, Rows, 8>(shared<Scratch>(1024), view(got.data(), {tasks * 64, columns}, {columns, 1}));
    for (int task = 0; task < tasks; ++task) {
      by_slot<4>(steps, [&](auto slot, int) { store_deferred<4>(late, slot); });
      store_deferred(late);
      Tile<bf16, Sums> tile;
      const auto row = iota<int, Sums, 0>(), column = iota<int, Sums, 1>();
      for (int r = 0; r < Sums::registers; ++r)
        tile[r] = cast<bf16>(float((row[r] * 128 + column[r] + 7 * task) % 251));
      defer(late, tile, {64 * task, 0});
    }
    store_deferred(late);
  });
  EXPECT_EQ(report, "");
  for (int i = 0; i < tasks * 64; ++i)
    for (int j = 0; j < columns; ++j)
      ASSERT_EQ(cast<float>(got[i * columns + j]), float((i % 64 * 128 + j + 7 * (i / 64)) % 251)) << i << ", " << j;
}

} // namespace

TEST(Deferred, TheNextTaskStoresEachResult) {
  for (int steps : {0, 1, 2, 3, 9})
    expectDeferred(steps, 128);
}

namespace {

/// Parts of a result of so many rows that the next task has stored after so many steps through `Slots` slots; all of it
/// is there in the end.
template <int Height, int Slots>
int partsAfter(int steps) {
  using Turned =
      Layout<Shape<Height, 64>, Registers<at(1, 0), at(0, 8), at(8, 0), at(16, 0), at(32, 0), at(64, 0), at(128, 0)>,
             Lanes<at(2, 0), at(4, 0), at(0, 1), at(0, 2), at(0, 4)>, Waves<at(0, 16), at(0, 32)>>;
  using Runs =
      Layout<Shape<Height, 64>, Registers<at(0, 1), at(0, 2), at(8, 0), at(16, 0), at(32, 0), at(64, 0), at(128, 0)>,
             Lanes<at(0, 4), at(0, 8), at(2, 0), at(4, 0), at(1, 0)>, Waves<at(0, 16), at(0, 32)>>;
  std::vector<bf16> got(Height * 64);
  int stored = 0;
  machine(Landing::Latest, /*seed=*/0, /*race=*/true);
  const std::string report = reportOf(4, [&] {
    auto late = deferred<Turned, Runs, 4>(shared<Shared<bf16, Shape<8, 64>, Swizzle<8, 1, 8>>>(1024),
                                          view(got.data(), {Height, 64}, {64, 1}));
    defer(late, splat<bf16, Turned>(cast<bf16>(1.0f)), {0, 0});
    by_slot<Slots>(steps, [&](auto slot, int) { store_deferred<Slots>(late, slot); });
    if (target::thread() == 0)
      stored = late.stored;
    store_deferred(late);
  });
  EXPECT_EQ(report, "");
  EXPECT_TRUE(std::all_of(got.begin(), got.end(), [](bf16 element) { return cast<float>(element) == 1; }));
  return stored;
}

} // namespace

TEST(Deferred, PartsAreSpreadOverSteps) {
  // 136 rows are 17 parts, two a step and one in the ninth; 216 are 27.
  for (int steps : {0, 1, 4, 8, 9, 20}) {
    EXPECT_EQ((partsAfter<136, 3>(steps)), std::min(2 * steps, 17)) << steps;
    EXPECT_EQ((partsAfter<216, 4>(steps)), std::min(2 * steps, 27)) << steps;
  }
}

TEST(Deferred, WhatHasNoVectorsDoesNotWait) { expectDeferred(5, 125); }

TEST(ByRole, EachWaveHasOneAndConsumersMeetAlone) {
  std::vector<int> role(12 * 32, -1);
  std::vector<int> seen(8);
  machine(Landing::Latest, /*seed=*/0, /*race=*/true);
  const std::string report = reportOf(12, [&] {
    by_role<8>([&](auto own) {
      role[target::thread()] = decltype(own)::produces;
      if constexpr (!decltype(own)::produces) {
        const int wave = target::thread() / 32, zero = 0, one = 1;
        if (target::lane() == 0)
          target::store_lds<1>(1024 + 4 * wave, &one);
        barrier<8>();
        int sum = zero;
        for (int other = 0; other < 8; ++other) {
          int value;
          target::load_lds<1>(&value, 1024 + 4 * other);
          sum += value;
        }
        if (target::lane() == 0)
          seen[wave] = sum;
      }
    });
  });
  EXPECT_EQ(report, "");
  for (int thread = 0; thread < 12 * 32; ++thread)
    EXPECT_EQ(role[thread], thread >= 8 * 32) << thread;
  EXPECT_EQ(seen, std::vector<int>(8, 8));
}

TEST(ByRole, TheSecondWaveBehindTheConsumersSends) {
  std::vector<int> role(12 * 32, -1), first(12 * 32, -1);
  machine(Landing::Latest, /*seed=*/0, /*race=*/true);
  const std::string report = reportOf(12, [&] {
    by_role<8, 0, 0, 1>([&](auto own) {
      role[target::thread()] = 2 * decltype(own)::sends + decltype(own)::produces;
      if constexpr (decltype(own)::sends)
        first[target::thread()] = target::of_first_lane(100 + target::lane());
    });
  });
  EXPECT_EQ(report, "");
  for (int thread = 0; thread < 12 * 32; ++thread) {
    EXPECT_EQ(role[thread], thread / 32 < 8 ? 0 : thread / 32 == 9 ? 3 : 1) << thread;
    EXPECT_EQ(first[thread], thread / 32 == 9 ? 100 : -1) << thread;
  }
}

TEST(ByRole, AStepIsReleasedOnceAndThereIsNoneBeforeTheFirst) {
  std::vector<int> filled;
  machine(Landing::Latest);
  const std::string report = reportOf(5, [&] {
    auto words = empty<2>(1024, 4);
    by_role<4>([&](auto own) {
      if constexpr (decltype(own)::produces) {
        produce<2, 4>(3, [&](auto slot, int step) {
          await_empty<decltype(slot)::value>(words);
          filled.push_back(step);
        });
      } else {
        for (int step = 0; step < 3; ++step)
          release_step(words, step - 1);
      }
    });
  });
  EXPECT_EQ(report, "");
  EXPECT_EQ(filled, (std::vector<int>{0, 1, 2}));
}

TEST(Tickets, EveryWaveGetsTheTasksOfItsWorkgroupInOrder) {
  OneRank rank;
  const Context context = rank.context();
  const int count = 23, workgroups = 3;
  std::vector<std::vector<int>> done(12, std::vector<int>(count));
  machine(Landing::Seeded, /*seed=*/3, /*race=*/true);
  ASSERT_EQ(0, emulator::launch(
                   [&] {
                     const Launch launch = enter(context);
                     auto words = tickets(broadcast_lds, 8);
                     by_role<8>([&](auto) {
                       int before = -1;
                       for (int task = next(launch, 2, words); task < count; task = next(launch, 2, words)) {
                         EXPECT_GT(task, before);
                         before = task;
                         if (target::lane() == 7)
                           ++done[target::wave()][task];
                       }
                     });
                   },
                   {unsigned(workgroups), 1, 1}, {12 * 32, 1, 1}, 4096, nullptr));
  EXPECT_EQ(hipDeviceSynchronize(), hipSuccess);
  EXPECT_EQ(takeReport(), "");
  for (const std::vector<int> &of_wave : done)
    EXPECT_EQ(of_wave, std::vector<int>(count, 1));
}

// With a workgroup for each task nothing is drawn, and the last to come counts the launch.
TEST(Tickets, NumbersOfArrivalsCountLaunches) {
  OneRank rank;
  const Context context = rank.context();
  const int workgroups = 3;
  for (int count : {3, 2, 7, 1}) {
    const unsigned long long before = context.state->entered;
    std::vector<int> done(count);
    machine(Landing::Seeded, /*seed=*/3, /*race=*/true);
    ASSERT_EQ(0, emulator::launch(
                     [&] {
                       auto words = tickets(broadcast_lds, 8);
                       const Launch launch = enter(context, count, /*advance=*/true);
                       EXPECT_EQ(launch.epoch, unsigned(before >> 32) + 1);
                       by_role<8>([&](auto) {
                         for (int task = first(launch, 2, words, count); task < count; task = next(launch, 2, words))
                           done[task] += target::thread() == 300;
                       });
                     },
                     {unsigned(workgroups), 1, 1}, {12 * 32, 1, 1}, 4096, nullptr));
    EXPECT_EQ(hipDeviceSynchronize(), hipSuccess);
    EXPECT_EQ(takeReport(), "");
    EXPECT_EQ(done, std::vector<int>(count, 1));
    EXPECT_EQ(context.state->entered, ((before >> 32) + 1) << 32);
    EXPECT_EQ(context.state->tickets[2], 0);
  }
}

// Consumers store and signal; the producer of another workgroup waits before it copies.
namespace {

using Tile64 = Shared<bf16, Shape<64, 64>, Swizzle<8, 1, 8>>;

enum class LeftOut { Nothing, Signal, Wait, Fence };

/// Runs it without one of these, and returns what the emulator has against it.
template <LeftOut What>
std::string reportWithout(Landing landing, std::vector<float> &got) {
  OneRank rank;
  const Context context = rank.context();
  got.assign(64 * 64, -1);
  machine(landing, /*seed=*/1, /*race=*/true);
  // Memory of the device: no other is watched for races.
  bf16 *matrix = nullptr;
  EXPECT_EQ(hipMalloc(reinterpret_cast<void **>(&matrix), 64 * 64 * sizeof(bf16)), hipSuccess);
  std::fill_n(matrix, 64 * 64, cast<bf16>(0.0f));
  const long long extents[] = {64, 64}, strides[] = {64, 1};
  const TensorMap map = tensor_map<Tile64>(matrix, extents, strides);
  EXPECT_EQ(0, emulator::launch(
                   [&] {
                     const Launch launch = enter(context);
                     const auto grid = Signals<1>{context, 0, {1}};
                     auto words = full<1>(64);
                     auto free = empty<1>(128, 4);
                     const Ring<Tile64, 1, 1024> ring;
                     by_role<4>([&](auto role) {
                       if (launch.worker == 0) {
                         if constexpr (!decltype(role)::produces) {
                           for (int i = target::thread(); i < 64 * 64; i += 128) {
                             const bf16 value = cast<bf16>(float(i % 61));
                             emulator::write(&matrix[i], &value, sizeof(value));
                           }
                           if (What != LeftOut::Signal)
                             signal<agent, first_waves<4>>(launch, grid, {0}, 0);
                         }
                         return;
                       }
                       if constexpr (decltype(role)::produces) {
                         produce_by_wave<1, 4>(1, [&](auto slot, int) {
                           constexpr int number = decltype(slot)::value;
                           if (What != LeftOut::Wait)
                             wait<agent, wave>(launch, grid, {0}, {1});
                           if (What != LeftOut::Fence)
                             fence_async_global();
                           await_empty<number>(free);
                           fill_by_wave<number>(words, copying(ring.slot<number>(), map, {0, 0}));
                         });
                       } else {
                         await_full<0>(words);
                         for (int i = target::thread(); i < 64 * 64; i += 128) {
                           bf16 value[1];
                           target::load_lds<1>(value, 1024 + 2 * Tile64::element(at(i / 64, i % 64)));
                           got[i] = cast<float>(value[0]);
                         }
                       }
                     });
                   },
                   {2, 1, 1}, {5 * 32, 1, 1}, 16 * 1024, nullptr));
  (void)hipDeviceSynchronize();
  const std::string report = takeReport();
  EXPECT_EQ(hipFree(matrix), hipSuccess);
  return report;
}

} // namespace

TEST(ProduceByWave, CopiesWhatItHasWaitedFor) {
  std::vector<float> got, expected(64 * 64);
  for (int i = 0; i < 64 * 64; ++i)
    expected[i] = float(i % 61);
  for (Landing landing : {Landing::Earliest, Landing::Latest, Landing::Seeded}) {
    EXPECT_EQ(reportWithout<LeftOut::Nothing>(landing, got), "");
    EXPECT_EQ(got, expected);
  }
}

TEST(ProduceByWave, RacesWithoutItsWait) {
  std::vector<float> got;
  for (Landing landing : {Landing::Earliest, Landing::Latest, Landing::Seeded})
    EXPECT_NE(reportWithout<LeftOut::Wait>(landing, got).find("with nothing that orders them"), std::string::npos);
}

TEST(ProduceByWave, MissesAFence) {
  std::vector<float> got;
  for (Landing landing : {Landing::Earliest, Landing::Latest, Landing::Seeded})
    EXPECT_NE(reportWithout<LeftOut::Fence>(landing, got).find("fence_async_global"), std::string::npos);
}

TEST(ProduceByWave, WaitsForASignalThatNobodyRaises) {
  std::vector<float> got;
  EXPECT_NE(reportWithout<LeftOut::Signal>(Landing::Latest, got).find("deadlock"), std::string::npos);
}

// Consumers of one workgroup store and go on, a wave of its producer tells another workgroup.
namespace {

enum class Untold { Nothing, Handing, Awaiting };

/// Runs tasks that each tell of two rows, and returns what the emulator has against it.
template <Untold What>
std::string reportOfTelling(unsigned seed, std::vector<int> &got, bool &ranAhead) {
  constexpr int tasks = 5, consumers = 4, lanes = consumers * 32;
  OneRank rank;
  const Context context = rank.context();
  got.assign(2 * tasks * lanes, -1);
  ranAhead = false;
  machine(Landing::Latest, seed, /*race=*/true);
  int *rows = nullptr, told = 0;
  EXPECT_EQ(hipMalloc(reinterpret_cast<void **>(&rows), got.size() * sizeof(int)), hipSuccess);
  EXPECT_EQ(0, emulator::launch(
                   [&] {
                     const Launch launch = enter(context);
                     const auto grid = Signals<1>{context, 0, {2 * tasks}};
                     auto words = telling(broadcast_lds, consumers);
                     by_role<consumers>([&](auto role) {
                       for (int row = 0; row < 2 * tasks; ++row) {
                         int *const at = &rows[row * lanes + target::thread() % lanes];
                         if (launch.worker == 0) {
                           if constexpr (decltype(role)::produces) {
                             auto raise = [&] {
                               signal<agent, wave>(launch, grid, {row}, 0);
                               told += target::lane() == 0;
                             };
                             if (What == Untold::Awaiting && target::wave() == words.teller)
                               raise();
                             else
                               tell(words, raise);
                           } else {
                             emulator::write(at, &row, sizeof(row));
                             ranAhead |= row > told;
                             if (What != Untold::Handing || row != 3 || target::wave() != 1)
                               hand_on(words);
                           }
                         } else if constexpr (!decltype(role)::produces) {
                           wait<agent, first_waves<consumers>>(launch, grid, {row}, {1});
                           emulator::read(&got[row * lanes + target::thread()], at, sizeof(row));
                         }
                       }
                     });
                   },
                   {2, 1, 1}, {6 * 32, 1, 1}, 4096, nullptr));
  (void)hipDeviceSynchronize();
  const std::string report = takeReport();
  EXPECT_EQ(hipFree(rows), hipSuccess);
  return report;
}

} // namespace

TEST(Telling, ComesBehindWhatAllConsumersStored) {
  std::vector<int> got;
  bool someRanAhead = false;
  for (unsigned seed = 1; seed < 6; ++seed) {
    bool ranAhead = false;
    EXPECT_EQ(reportOfTelling<Untold::Nothing>(seed, got, ranAhead), "");
    for (size_t i = 0; i < got.size(); ++i)
      ASSERT_EQ(got[i], int(i) / 128) << i;
    someRanAhead |= ranAhead;
  }
  EXPECT_TRUE(someRanAhead) << "consumers wait for what they handed on";
}

TEST(Telling, IsStuckWithoutOneOfThem) {
  std::vector<int> got;
  bool ranAhead = false;
  const std::string report = reportOfTelling<Untold::Handing>(1, got, ranAhead);
  EXPECT_NE(report.find("deadlock"), std::string::npos) << report;
  EXPECT_NE(report.find("telling"), std::string::npos) << report;
}

TEST(Telling, RacesWhereTheWaveDoesNotAwaitThem) {
  std::vector<int> got;
  bool ranAhead = false;
  const std::string report = reportOfTelling<Untold::Awaiting>(1, got, ranAhead);
  EXPECT_NE(report.find("race"), std::string::npos) << report;
}
