//===- StreamTest.cpp - slots that bulk copies fill, asynchronous products, and what protects them
//---------------===//
#include "Harness.h"
#include "StreamLoops.h"
#include "WarpMachine.h"

using namespace tilec;
using namespace tilec::test;

namespace {

const Landing everyLanding[] = {Landing::Latest, Landing::Earliest, Landing::Seeded};

struct Problem {
  int rows, columns, depth;
};

/// A matrix of `rows` rows of so many columns, with NaN behind each: what lies there is not part of the product.
template <class T>
struct Matrix {
  int rows, columns, pitch;
  std::vector<T> data;

  Matrix(int rows, int columns, int seed)
      : rows(rows), columns(columns), pitch((columns + 15) / 16 * 16 + 16), data(rows * pitch) {
    __builtin_memset(static_cast<void *>(data.data()), 0x7f, data.size() * sizeof(T));
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j)
        data[i * pitch + j] = cast<T>(valueAt(i * seed + j * 3));
  }
  float at(int i, int j) const { return cast<float>(data[i * pitch + j]); }
  template <class S>
  TensorMap map() const {
    return tensor_map<S>(data.data(), {rows, columns}, {pitch, 1});
  }
};

template <class L>
struct Operands {
  using T = typename L::Element;
  static constexpr bool turnsA = (L::flags & transposed_a) != 0, turnsB = (L::flags & transposed_b) != 0;
  int M, N, K;
  Matrix<T> a, b;
  std::vector<float> c;

  explicit Operands(const Problem &problem)
      : M(problem.rows), N(problem.columns), K(problem.depth), a(turnsA ? K : M, turnsA ? M : K, 31),
        b(turnsB ? N : K, turnsB ? K : N, 17), c(M * N, -12345.0f) {}
  /// The kernel that multiplies them.
  template <class Product>
  auto kernel(Product product) {
    const TensorMap a_map = a.template map<typename L::A>(), b_map = b.template map<typename L::B>();
    return [=, this] {
      auto words = full<4>(word_offset);
      const int across = (N + L::columns - 1) / L::columns, tasks = (M + L::rows - 1) / L::rows * across;
      for (int task = int(blockIdx.x); task < tasks; task += int(gridDim.x)) {
        product(words, a_map, b_map, view(c.data(), {M, N}, {N, 1}), K, task / across, task % across);
        meet();
      }
    };
  }
  /// Sums of small integers are exact in any order.
  int wrong() const {
    int count = 0;
    for (int i = 0; i < M; ++i)
      for (int j = 0; j < N; ++j) {
        float sum = 0;
        for (int k = 0; k < K; ++k)
          sum += (turnsA ? a.at(k, i) : a.at(i, k)) * (turnsB ? b.at(j, k) : b.at(k, j));
        count += sum != c[i * N + j];
      }
    return count;
  }
};

template <class L, Fault F = Fault::None>
const auto byStream = [](Full<4> &words, auto &a_map, auto &b_map, auto c, int depth, int m, int n) {
  product_by_stream<L, F>(words, a_map, b_map, c, depth, m, n);
};
template <class L, bool Begins = false>
const auto fromRegisters = [](Full<4> &words, auto &a_map, auto &b_map, auto c, int depth, int m, int n) {
  product_from_registers<L, Begins>(words, a_map, b_map, c, depth, m, n);
};

template <class L, class Product>
int wrongElements(const Problem &problem, Product product) {
  Operands<L> operands(problem);
  run(2, L::waves, operands.kernel(product), stream_lds<L>);
  return operands.wrong();
}
template <class L>
int wrongElements(const Problem &problem) {
  return wrongElements<L>(problem, byStream<L>);
}

/// What the emulator says of a faulty loop of 8 steps, or "wrong" if its results alone tell; empty: it ran well.
template <Fault F, class L = Narrow>
std::string verdict() {
  Operands<L> operands({L::rows, L::columns, 8 * L::depth});
  const std::string report = reportOf(L::waves, operands.kernel(byStream<L, F>), stream_lds<L>);
  return !report.empty() ? report : operands.wrong() ? "wrong" : "";
}

} // namespace

TEST(Stream, StepsFewerThanSlotsAndMore) {
  for (Landing landing : everyLanding)
    for (int steps : {0, 1, 2, 3, 4, 5, 8, 9}) {
      machine(landing, landing == Landing::Seeded ? steps + 1 : 0);
      EXPECT_EQ(wrongElements<Narrow>({128, 64, 64 * steps}), 0) << steps;
    }
}

TEST(Stream, WhatLiesOutsideOfTheMatricesReadsZero) {
  for (Landing landing : everyLanding) {
    machine(landing, landing == Landing::Seeded ? 5 : 0);
    EXPECT_EQ(wrongElements<Narrow>({100, 76, 200}), 0);
    EXPECT_EQ(wrongElements<Large>({200, 264, 72}), 0);
  }
}

TEST(Stream, TasksInTurnGoOnWithThePhasesOfTheSlots) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    machine(Landing::Seeded, seed, /*race=*/true);
    EXPECT_EQ(wrongElements<Narrow>({300, 192, 192}), 0) << seed;
    EXPECT_TRUE(emulator::races().empty()) << emulator::races().front();
  }
}

namespace {

/// 64 x N on one warpgroup, rows of LDS of so many bytes.
template <class T, int N, int RowBytes>
struct Typed {
  static constexpr int rows = 64, columns = N, depth = RowBytes / int(sizeof(T)), waves = 4, flags = transposed_b;
  using Element = T;
  using Instruction = Wgmma<N, 32 / int(sizeof(T)), T>;
  using Rotated = Swizzle<16 / int(sizeof(T)), 128 / RowBytes, RowBytes / 16>;
  using A = Shared<T, Shape<64, depth>, Rotated>;
  using B = Shared<T, Shape<N, depth>, Rotated>;
  template <int Width, Point... Steps>
  struct Columns : Columns<Width / 2, at(0, Width / 2), Steps...> {};
  template <Point... Steps>
  struct Columns<8, Steps...> {
    using type = Registers<at(0, 1), at(8), Steps...>;
  };
  using Sums = Layout<Shape<64, N>, typename Columns<box_side(N)>::type, Lanes<at(0, 2), at(0, 4), at(1), at(2), at(4)>,
                      Waves<at(16), at(32)>>;
};

/// 128 x 96 x 64 on one warpgroup, two blocks below each other.
struct UnevenBlocks {
  static constexpr int rows = 128, columns = 96, depth = 64, waves = 4, flags = transposed_b;
  using Element = bf16;
  using Instruction = Wgmma64x96x16<bf16>;
  using Sums = Layout<Shape<128, 96>, Registers<at(0, 1), at(8), at(0, 8), at(0, 16), at(64), at(0, 32), at(0, 64)>,
                      Lanes<at(0, 2), at(0, 4), at(1), at(2), at(4)>, Waves<at(16), at(32)>>;
  using A = Shared<bf16, Shape<128, 64>, Swizzle<8, 1, 8>>;
  using B = Shared<bf16, Shape<96, 64>, Swizzle<8, 1, 8>>;
};

/// 64 x 224 x 64 on two warpgroups beside each other: instructions of 16 columns, which the two take in turn.
struct UnevenTurns {
  static constexpr int rows = 64, columns = 224, depth = 64, waves = 8, flags = transposed_b;
  using Element = bf16;
  using Instruction = Wgmma64x16x16<bf16>;
  using Sums = Layout<Shape<64, 224>, Registers<at(0, 1), at(8), at(0, 8), at(0, 32), at(0, 64), at(0, 128)>,
                      Lanes<at(0, 2), at(0, 4), at(1), at(2), at(4)>, Waves<at(16), at(32), at(0, 16)>>;
  using A = Shared<bf16, Shape<64, 64>, Swizzle<8, 1, 8>>;
  using B = Shared<bf16, Shape<224, 64>, Swizzle<8, 1, 8>>;
};

/// 64 x N x 64 with operands as the flags say, in panels as wide as they can be.
template <int Flags, int N>
struct Crossed {
  static constexpr int rows = 64, columns = N, depth = 64, waves = 4, flags = Flags;
  using Element = bf16;
  using Instruction = Wgmma<N, 16, bf16>;
  using Sums = typename Typed<bf16, N, 128>::Sums;
  static constexpr int run = N & -N, panel = run < 64 ? run : 64;
  using A = Shared<bf16, Shape<64, 64>, Swizzle<8, 1, 8>>;
  using B = std::conditional_t<(Flags & transposed_b) != 0, Shared<bf16, Shape<N, 64>, Swizzle<8, 1, 8>>,
                               Panels<bf16, Shape<64, N>, panel, Swizzle<8, 64 / panel, panel / 8>>>;
};

/// 64 x 32 x 128: rows of k in two panels.
struct Deep : Typed<bf16, 32, 128> {
  static constexpr int depth = 128;
  using A = Panels<bf16, Shape<64, 128>, 64, Swizzle<8, 1, 8>>;
  using B = Panels<bf16, Shape<32, 128>, 64, Swizzle<8, 1, 8>>;
};

template <class T>
void expectType() {
  EXPECT_EQ((wrongElements<Typed<T, 8, 128>>({64, 8, 300})), 0);
  EXPECT_EQ((wrongElements<Typed<T, 16, 64>>({64, 16, 200})), 0);
  EXPECT_EQ((wrongElements<Typed<T, 32, 32>>({64, 32, 100})), 0);
  EXPECT_EQ((wrongElements<Typed<T, 128, 128>>({64, 128, 300})), 0);
  EXPECT_EQ((wrongElements<Typed<T, 256, 64>>({64, 256, 200})), 0);
  EXPECT_EQ((wrongElements<Typed<T, 48, 128>>({70, 100, 300})), 0);
}

} // namespace

TEST(Stream, EveryTypeAndWidthAndSwizzle) {
  machine(Landing::Latest);
  expectType<bf16>();
  expectType<f16>();
  expectType<fp8_e4m3>();
  expectType<fp8_e5m2>();
  expectType<signed char>();
}

TEST(Stream, WidthsThatAreMultiplesOfEight) {
  for (Landing landing : everyLanding) {
    machine(landing, landing == Landing::Seeded ? 5 : 0);
    EXPECT_EQ(wrongElements<Uneven>({200, 500, 200}), 0);
    EXPECT_EQ(wrongElements<UnevenBlocks>({200, 200, 200}), 0);
    EXPECT_EQ(wrongElements<UnevenTurns>({100, 300, 200}), 0);
  }
  machine(Landing::Latest);
  EXPECT_EQ((wrongElements<Typed<bf16, 24, 128>>({64, 50, 100})), 0);
  EXPECT_EQ((wrongElements<Typed<bf16, 40, 128>>({64, 90, 100})), 0);
  EXPECT_EQ((wrongElements<Typed<bf16, 152, 64>>({64, 160, 100})), 0);
  EXPECT_EQ((wrongElements<Typed<bf16, 208, 128>>({64, 250, 100})), 0);
  EXPECT_EQ((wrongElements<Typed<bf16, 248, 128>>({64, 250, 100})), 0);
  EXPECT_EQ((wrongElements<Crossed<0, 96>>({64, 200, 200})), 0);
}

TEST(Stream, OperandsWhoseRowsLieAcrossK) {
  for (Landing landing : everyLanding) {
    machine(landing, landing == Landing::Seeded ? 5 : 0);
    EXPECT_EQ(wrongElements<Untransposed>({200, 264, 72}), 0);
    EXPECT_EQ((wrongElements<Crossed<transposed_a, 128>>({100, 128, 200})), 0);
    EXPECT_EQ((wrongElements<Crossed<0, 32>>({64, 40, 200})), 0);
    EXPECT_EQ((wrongElements<Crossed<transposed_a | transposed_b, 32>>({70, 40, 200})), 0);
  }
}

TEST(Stream, ADepthOfSeveralPanels) {
  machine(Landing::Latest);
  EXPECT_EQ((wrongElements<Deep>({64, 32, 300})), 0);
}

TEST(Stream, OperandsFromRegisters) {
  for (Landing landing : everyLanding) {
    machine(landing, landing == Landing::Seeded ? 5 : 0, /*race=*/true);
    EXPECT_EQ((wrongElements<FromRegisters>({100, 150, 300}, fromRegisters<FromRegisters>)), 0);
    EXPECT_TRUE(emulator::races().empty()) << emulator::races().front();
  }
}

TEST(Stream, PromotedProductsAreCompleteWhenTheyReturn) {
  for (Landing landing : everyLanding) {
    machine(landing, landing == Landing::Seeded ? 5 : 0, /*race=*/true);
    EXPECT_EQ(wrongElements<Promoted>({130, 264, 600}), 0);
    EXPECT_TRUE(emulator::races().empty()) << emulator::races().front();
  }
}

TEST(Stream, APromotedProductReadsASlotBeforeItsCopiesLand) {
  machine(Landing::Latest);
  EXPECT_NE((verdict<Fault::NoFull, Promoted>()), "");
}

TEST(Stream, WithoutAMeetingASlotIsFilledThatAPromotedProductOfAnotherWaveReads) {
  machine(Landing::Earliest);
  EXPECT_NE((verdict<Fault::NoMeeting, Promoted>()), "");
}

TEST(Stream, TheInstructionsSumsAreThoseDocumented) {
  // "Register fragments for wgmma.mma_async.m64nNk16" of the PTX ISA, warp by warp.
  using I = Wgmma64x256x16<bf16>;
  for (int lane = 0; lane < 32; ++lane)
    for (int j = 0; j < 32; ++j)
      for (int i = 0; i < 4; ++i)
        EXPECT_EQ(I::accumulator(lane, 4 * j + i), at(lane / 4 + (i < 2 ? 0 : 8), 8 * j + 2 * (lane % 4) + i % 2));
}

TEST(Stream, AMatrixThatBulkCopiesCannotAddressHasNoMap) {
  using S = Narrow::A;
  alignas(16) static bf16 memory[64 * 64];
  EXPECT_TRUE(is_mapped(tensor_map<S>(memory, {60, 50}, {64, 1})));
  EXPECT_TRUE(is_mapped(tensor_map<S>(memory + 8, {60, 50}, {56, 1})));
  EXPECT_FALSE(is_mapped(tensor_map<S>(memory + 1, {60, 50}, {64, 1})));
  EXPECT_FALSE(is_mapped(tensor_map<S>(memory, {60, 50}, {60, 1})));
  EXPECT_FALSE(is_mapped(tensor_map<S>(memory, {60, 50}, {1, 64})));
  EXPECT_FALSE(is_mapped(tensor_map<S>(memory, {60, 50}, {0, 1})));
  EXPECT_FALSE(is_mapped(tensor_map<S>(memory, {0, 50}, {64, 1})));
  EXPECT_TRUE(is_mapped(tensor_map<S>(memory, {2, 30, 50}, {32 * 64, 64, 1})));
  EXPECT_FALSE(is_mapped(tensor_map<S>(memory, {2, 30, 50}, {32 * 64 + 1, 64, 1})));
  EXPECT_FALSE(is_mapped(tensor_map<S>(memory, {0, 30, 50}, {32 * 64, 64, 1})));
}

// A loop along such a row read from before the matrix: it counts bytes in 32 bits.
TEST(Stream, RowsOf2GiBHaveNoMap) {
  using S = Narrow::A;
  alignas(16) static bf16 memory[64];
  constexpr long long columns = 1ll << 30;
  EXPECT_TRUE(is_mapped(tensor_map<S>(memory, {60, columns - 8}, {columns, 1})));
  EXPECT_FALSE(is_mapped(tensor_map<S>(memory, {60, columns}, {columns, 1})));
  EXPECT_FALSE(is_mapped(tensor_map<S>(memory, {2, 30, columns}, {30 * columns, columns, 1})));
  EXPECT_TRUE(is_mapped(tensor_map<S>(memory, {2 * columns, 50}, {64, 1})));
}

TEST(Stream, MatricesInARowHaveRowsOfTheirOwn) {
  using S = Panels<bf16, Shape<64, 128>, 64, Swizzle<8, 1, 8>>;
  using L = Layout<Shape<64, 128>, Registers<at(0, 1), at(0, 2), at(0, 4), at(8), at(16), at(32)>,
                   Lanes<at(0, 8), at(0, 16), at(0, 32), at(0, 64), at(1)>, Waves<at(2), at(4)>>;
  constexpr int matrices = 3, rows = 70, columns = 128;
  alignas(16) static bf16 from[matrices][rows][columns];
  alignas(16) static bf16 to[matrices][128][columns];
  for (int h = 0; h < matrices; ++h)
    for (int row = 0; row < rows; ++row)
      for (int column = 0; column < columns; ++column)
        from[h][row][column] = cast<bf16>(float(1 + h * 64 + row + column % 8));
  const TensorMap map = tensor_map<S>(&from[0][0][0], {matrices, rows, columns}, {rows * columns, columns, 1});
  for (Landing landing : everyLanding) {
    machine(landing, landing == Landing::Seeded ? 5 : 0, /*race=*/true);
    const std::string report = reportOf(4, [&] {
      auto words = full<1>(128);
      const auto slot = Ring<S, 1, 1024>().template slot<0>();
      for (int h = 0; h < matrices; ++h) {
        const auto feed = mapped_feed<S>(view(&from[0][0][0], {matrices, rows, columns}, {rows * columns, columns, 1}),
                                         {h, 0, 0}, map, by_rows);
        for (int n = 0; n < 2; ++n) {
          fill<0>(words, copying(slot, feed, 64 * n));
          await_full<0>(words);
          const auto tile = load<L>(shared<S>(1024));
          store<8>(tile, view(&to[0][0][0], {matrices, 128, columns}, {128 * columns, columns, 1}), {h, 64 * n, 0});
          barrier();
        }
      }
    });
    EXPECT_EQ(report, "");
    for (int h = 0; h < matrices; ++h)
      for (int row = 0; row < 128; ++row)
        for (int column = 0; column < columns; ++column)
          ASSERT_EQ(float(cast<float>(to[h][row][column])), row < rows ? float(cast<float>(from[h][row][column])) : 0)
              << h << " " << row << " " << column;
  }
}

TEST(Stream, WhatIsReadOnceIsCopiedAsTheRest) {
  using S = Shared<bf16, Shape<64, 64>, Swizzle<8, 1, 8>>;
  using L = Layout<Shape<64, 64>, Registers<at(0, 1), at(0, 2), at(0, 4), at(16), at(32)>,
                   Lanes<at(0, 8), at(0, 16), at(0, 32), at(1), at(2)>, Waves<at(4), at(8)>>;
  constexpr int rows = 50, columns = 128;
  alignas(16) static bf16 from[rows][columns], to[64][columns];
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < columns; ++column)
      from[row][column] = cast<bf16>(float(1 + row + column % 64));
  const TensorMap map = tensor_map<S>(&from[0][0], {rows, columns}, {columns, 1});
  for (Landing landing : everyLanding) {
    machine(landing, landing == Landing::Seeded ? 5 : 0, /*race=*/true);
    const std::string report = reportOf(4, [&] {
      auto words = full<1>(128);
      const auto slot = Ring<S, 1, 1024>().template slot<0>();
      const auto feed = mapped_feed<S>(view(&from[0][0], {rows, columns}, {columns, 1}), {0, 0}, map);
      for (int k = 0; k < 2; ++k) {
        fill<0>(words, copying(slot, feed, 128 * k, read_once));
        await_full<0>(words);
        store<8>(load<L>(shared<S>(1024)), view(&to[0][0], {64, columns}, {columns, 1}), {0, 64 * k});
        barrier();
      }
    });
    EXPECT_EQ(report, "");
    for (int row = 0; row < 64; ++row)
      for (int column = 0; column < columns; ++column)
        ASSERT_EQ(float(cast<float>(to[row][column])), row < rows ? float(cast<float>(from[row][column])) : 0)
            << row << " " << column;
  }
}

TEST(Stream, AProductThatBeginsItsSumsAsksForNoneBefore) {
  for (Landing landing : everyLanding) {
    machine(landing, landing == Landing::Seeded ? 5 : 0, /*race=*/true);
    EXPECT_EQ((wrongElements<FromRegisters>({100, 150, 64}, fromRegisters<FromRegisters, /*Begins=*/true>)), 0);
  }
}

TEST(Stream, TheLoopWithoutAFaultRunsWell) {
  for (Landing landing : everyLanding) {
    machine(landing, landing == Landing::Seeded ? 3 : 0, /*race=*/true);
    EXPECT_EQ(verdict<Fault::None>(), "");
    EXPECT_TRUE(emulator::races().empty()) << emulator::races().front();
  }
}

TEST(Stream, ASlotIsReadBeforeItsCopiesLand) {
  machine(Landing::Latest);
  const std::string report = verdict<Fault::NoFull>();
  EXPECT_NE(report.find(" of lds while "), std::string::npos) << report;
  machine(Landing::Latest);
  EXPECT_NE(verdict<Fault::NoParity>().find("while a copy is on its way there"), std::string::npos);
  // When copies happen to be there, the race check tells.
  machine(Landing::Earliest, 0, /*race=*/true);
  verdict<Fault::NoFull>();
  EXPECT_FALSE(emulator::races().empty());
}

TEST(Stream, ASlotIsFilledWhileProductsReadIt) {
  for (Landing landing : everyLanding) {
    machine(landing, landing == Landing::Seeded ? 3 : 0);
    EXPECT_NE(verdict<Fault::NoProducts>().find("a copy overwrites byte 1024 of lds while products of wave 0 read it"),
              std::string::npos);
  }
}

TEST(Stream, SumsAreReadWhileProductsAreInFlight) {
  for (Landing landing : everyLanding) {
    machine(landing, landing == Landing::Seeded ? 3 : 0);
    EXPECT_NE(verdict<Fault::NoSums>().find("were never awaited"), std::string::npos);
  }
}

TEST(Stream, WithoutAMeetingASlotIsFilledThatAnotherWaveReads) {
  machine(Landing::Latest, 0, /*race=*/true);
  verdict<Fault::NoMeeting>();
  EXPECT_FALSE(emulator::races().empty());
  // One wave runs ahead of the others.
  machine(Landing::Earliest);
  EXPECT_NE(verdict<Fault::NoMeeting>(), "");
}

TEST(Stream, AWordThatExpectsOtherBytesThanCome) {
  machine(Landing::Latest);
  EXPECT_NE(verdict<Fault::FewBytes>().find("128 bytes more were copied than the word at byte 128 of lds expects"),
            std::string::npos);
  machine(Landing::Latest);
  const std::string report = verdict<Fault::ManyBytes>();
  EXPECT_NE(report.find("deadlock"), std::string::npos) << report;
  EXPECT_NE(report.find("waiting for full[0], wanted 1, seen 0"), std::string::npos) << report;
  EXPECT_NE(report.find("the word at byte 128 of lds misses 0 of 1 arrivals and 128 bytes"), std::string::npos)
      << report;
}

TEST(Stream, AWaitForASlotThatNobodyFillsIsADeadlock) {
  for (Landing landing : everyLanding) {
    machine(landing, landing == Landing::Seeded ? 3 : 0);
    const std::string report = verdict<Fault::NoFill>();
    EXPECT_NE(report.find("waiting for full[1], wanted 2, seen 1"), std::string::npos) << report;
  }
}

TEST(Stream, AWaveThatDoesNotComeToTheProducts) {
  machine(Landing::Latest);
  EXPECT_NE(verdict<Fault::OneWave>().find("wave 1 issued 0 groups of products, and wave 0 of its warpgroup 8"),
            std::string::npos);
}

TEST(Stream, AStoreToASlotWithoutAFenceBehindIt) {
  for (Landing landing : everyLanding) {
    machine(landing, landing == Landing::Seeded ? 3 : 0);
    EXPECT_NE(verdict<Fault::Unfenced>().find("stored without fence_async behind it"), std::string::npos);
  }
}

namespace {

/// What the emulator says of the kernel with a producer, or "wrong".
template <RoleFault F = RoleFault::None>
std::string verdictOfRoles(const Problem &problem, int workgroups = 1) {
  using L = Specialised;
  const auto [M, N, K] = problem;
  const Matrix<bf16> a(M, K, 31), b(N, K, 17);
  Matrix<bf16> c(M, N, 1);
  const TensorMap a_map = a.map<L::A>(), b_map = b.map<L::B>(), c_map = c.map<L::Result>();
  const int across = (N + L::columns - 1) / L::columns, tasks = (M + L::rows - 1) / L::rows * across;
  const auto kernel = [=, K = K] { products_by_roles<L, F>(a_map, b_map, c_map, tasks, across, K); };
  EXPECT_EQ(0, emulator::launch(kernel, {unsigned(workgroups), 1, 1}, {L::waves * 32, 1, 1}, L::lds, nullptr));
  (void)hipDeviceSynchronize();
  const std::string report = emulator::report();
  emulator::clear_report();
  if (!report.empty())
    return report;
  for (int i = 0; i < M; ++i)
    for (int j = 0; j < N; ++j) {
      float sum = 0;
      for (int k = 0; k < K; ++k)
        sum += a.at(i, k) * b.at(j, k);
      if (cast<float>(cast<bf16>(sum)) != c.at(i, j))
        return "wrong";
    }
  return "";
}

template <RoleFault F>
void expectReport(const std::string &words) {
  machine(Landing::Latest);
  const std::string report = verdictOfRoles<F>({128, 512, 448});
  EXPECT_NE(report.find(words), std::string::npos) << report;
}

} // namespace

TEST(Roles, AProducerFillsForTwoWarpgroups) {
  for (Landing landing : everyLanding)
    for (int depth : {0, 64, 200, 448}) {
      machine(landing, landing == Landing::Seeded ? depth + 1 : 0, /*race=*/depth == 200);
      EXPECT_EQ(verdictOfRoles({200, 520, depth}, 2), "") << depth;
      EXPECT_TRUE(emulator::races().empty()) << emulator::races().front();
    }
}

TEST(Roles, ASlotThatIsFilledBeforeItIsReleased) { expectReport<RoleFault::NoEmpty>(" of lds while "); }

TEST(Roles, ASlotThatIsReleasedWhileProductsReadIt) {
  expectReport<RoleFault::EarlyRelease>("a copy overwrites byte 1024 of lds while products of wave 0 read it");
}

TEST(Roles, AWaveThatDoesNotReleaseIsADeadlock) {
  expectReport<RoleFault::FewReleases>("waiting for empty[0], wanted 1, seen 0");
}

TEST(Roles, ResultsThatAreStoredWithoutAFence) { expectReport<RoleFault::NoFence>("a bulk store reads byte"); }

TEST(Roles, ResultsThatAreStoredBeforeTheWarpgroupMet) {
  machine(Landing::Earliest, 0, /*race=*/true);
  (void)verdictOfRoles<RoleFault::NoMeeting>({128, 256, 64});
  EXPECT_FALSE(emulator::races().empty());
}

TEST(Roles, ResultsThatAreOverwrittenWhileABulkStoreReadsThem) {
  expectReport<RoleFault::NoRead>("of lds while a bulk store reads it");
}

TEST(Roles, RegistersOfWaves) {
  machine(Landing::Latest);
  EXPECT_EQ(reportOf(8, [] { target::wave() < 4 ? shrink_registers<40>() : grow_registers<232>(); }), "");
  EXPECT_NE(reportOf(8,
                     [] {
                       if (target::wave() == 5)
                         shrink_registers<40>();
                     })
                .find("wave 5 asked for other registers than its warpgroup"),
            std::string::npos);
  EXPECT_NE(reportOf(12, [] { grow_registers<232>(); }).find("registers of 65536"), std::string::npos);
}

TEST(Roles, StoresComeOutWhereNobodyLooksUntilTheyAreAwaited) {
  // A thread that returns while its store still reads LDS.
  using S = Shared<bf16, Shape<8, 64>, Swizzle<8, 1, 8>>;
  Matrix<bf16> c(8, 64, 1);
  const TensorMap map = c.map<S>();
  const auto stores = [=](bool waits) {
    return [=] {
      full<1>(word_offset);
      if (target::thread() == 0) {
        store_async(map, {0, 0}, shared<S>(1024));
        if (waits)
          await_stores_read<0>();
      }
    };
  };
  machine(Landing::Latest);
  EXPECT_EQ(reportOf(1, stores(true)), "");
  EXPECT_NE(reportOf(1, stores(false)).find("was still reading when its thread returned"), std::string::npos);
}

TEST(Roles, ACopyOfWhatWasAcquiredNeedsAFence) {
  using S = Shared<bf16, Shape<8, 64>, Swizzle<8, 1, 8>>;
  const Matrix<bf16> a(8, 64, 1);
  const TensorMap map = a.map<S>();
  const auto copies = [=](bool fences) {
    return [=] {
      auto words = full<1>(word_offset);
      if (target::thread() == 0) {
        target::acquire<tilec::system>();
        if (fences)
          fence_async_global();
        fill_alone<0>(words, copying(Slot<S, 1024>(), map, {0, 0}));
      }
      await_full<0>(words);
    };
  };
  machine(Landing::Latest);
  EXPECT_EQ(reportOf(1, copies(true)), "");
  EXPECT_NE(reportOf(1, copies(false)).find("did not fence_async_global"), std::string::npos);
}
