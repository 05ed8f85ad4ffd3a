//===- RingTest.cpp - loops through rings of LDS, their waits and their edges ------------------------------------===//
#include "Harness.h"
#include "RingLoops.h"

using namespace tilec;
using namespace tilec::test;

namespace {

/// The machine of one test: a seed, and when copies land.
void machine(emulator::Landing landing, std::uint64_t seed = 0) {
  emulator::Options options;
  options.landing = landing;
  options.seed = seed;
  ASSERT_TRUE(emulator::configure(options));
  ASSERT_EQ(hipSetDevice(0), hipSuccess);
}

struct Problem {
  int rows, columns, depth;
};

template <int Slots>
void expectSlotsInTurn() {
  for (int from = 0; from <= 2 * Slots; from += Slots)
    for (int count = from; count <= from + 3 * Slots + 1; ++count) {
      int next = from;
      by_slot<Slots>(from, count, [&](auto slot, int step) {
        EXPECT_EQ(step, next++);
        EXPECT_EQ(decltype(slot)::value, step % Slots);
      });
      EXPECT_EQ(next, count) << Slots << " slots from " << from;
    }
}

TEST(Steps, goThroughSlotsThatAreNoPowerOfTwo) {
  expectSlotsInTurn<1>();
  expectSlotsInTurn<2>();
  expectSlotsInTurn<3>();
  expectSlotsInTurn<5>();
  expectSlotsInTurn<6>();
}

TEST(Steps, thatBeginWithinARoundAreAFault) {
  emulator::clear_report();
  EXPECT_EQ(0, emulator::launch([] { by_slot<3>(4, 9, [](auto, int) {}); }, {1, 1, 1}, {64, 1, 1}, 1024, nullptr));
  (void)hipDeviceSynchronize();
  EXPECT_NE(emulator::report().find("steps in 3 slots begin with 4, which is not a step of the first slot"),
            std::string::npos)
      << emulator::report();
  emulator::clear_report();
}

/// Rows are 8 elements longer than K, with NaN behind it: what lies there is not part of the product.
template <class L, class Product>
int wrongElements(const Problem &problem, Product product) {
  const auto [M, N, K] = problem;
  const int pitch = K + 8;
  std::vector<bf16> a(M * pitch, bf16{0x7fff}), b(N * pitch, bf16{0x7fff}), c(M * N, bf16{0x7fff});
  for (int k = 0; k < K; ++k) {
    for (int i = 0; i < M; ++i)
      a[i * pitch + k] = cast<bf16>(valueAt(i * 31 + k));
    for (int j = 0; j < N; ++j)
      b[j * pitch + k] = cast<bf16>(valueAt(j * 17 + k * 3));
  }
  const int m_tiles = (M + L::rows - 1) / L::rows, n_tiles = (N + L::columns - 1) / L::columns;
  const int lds = 8 * L::Operand::bytes;
  run(
      2, 1 << L::wave_bits,
      [&] {
        for (int task = int(blockIdx.x); task < m_tiles * n_tiles; task += int(gridDim.x))
          product(view(a.data(), {M, K}, {pitch, 1}), view(b.data(), {N, K}, {pitch, 1}),
                  view(c.data(), {M, N}, {N, 1}), task / n_tiles, task % n_tiles);
      },
      lds);
  int wrong = 0;
  for (int i = 0; i < M; ++i)
    for (int j = 0; j < N; ++j) {
      float sum = 0;
      for (int k = 0; k < K; ++k)
        sum += float(a[i * pitch + k]) * float(b[j * pitch + k]);
      // Sums of small integers are exact in any order.
      wrong += cast<bf16>(sum).bits != c[i * N + j].bits;
    }
  return wrong;
}

const auto byRegisters = [](auto a, auto b, auto c, int m, int n) { product_by_registers<Small>(a, b, c, m, n); };
const auto byDirectCopies = [](auto a, auto b, auto c, int m, int n) {
  product_by_direct_copies<Small>(a, b, c, m, n);
};
template <int Left, bool Meets>
const auto mutant =
    [](auto a, auto b, auto c, int m, int n) { product_by_direct_copies<Small, 0, Left, Meets>(a, b, c, m, n); };

const emulator::Landing everyLanding[] = {emulator::Landing::Latest, emulator::Landing::Earliest,
                                          emulator::Landing::Seeded};

} // namespace

TEST(Ring, StepsFewerThanSlotsAndMore) {
  for (emulator::Landing landing : everyLanding)
    for (int steps : {1, 2, 3, 4, 5, 6, 9}) {
      machine(landing, landing == emulator::Landing::Seeded ? steps : 0);
      EXPECT_EQ(wrongElements<Small>({64, 64, 32 * steps}, byRegisters), 0) << steps;
      EXPECT_EQ(wrongElements<Small>({64, 64, 32 * steps}, byDirectCopies), 0) << steps;
    }
}

TEST(Ring, RowsOutsideOfTheViewReadZeroAndAreNotStored) {
  for (emulator::Landing landing : everyLanding) {
    machine(landing, landing == emulator::Landing::Seeded ? 5 : 0);
    EXPECT_EQ(wrongElements<Small>({100, 76, 160}, byRegisters), 0);
    EXPECT_EQ(wrongElements<Small>({100, 76, 160}, byDirectCopies), 0);
  }
}

TEST(Ring, TasksInTurnDoNotDisturbEachOther) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    machine(emulator::Landing::Seeded, seed);
    EXPECT_EQ(wrongElements<Small>({192, 192, 96}, byRegisters), 0) << seed;
    EXPECT_EQ(wrongElements<Small>({192, 192, 96}, byDirectCopies), 0) << seed;
  }
}

// Small has 4 copies a step, so that 8 may be in flight.
TEST(Ring, AWaitForFewerCopiesReadsWhatHasNotLanded) {
  machine(emulator::Landing::Latest);
  EXPECT_EQ(wrongElements<Small>({64, 64, 320}, mutant<8, true>), 0);
  EXPECT_NE(wrongElements<Small>({64, 64, 320}, mutant<9, true>), 0);
  EXPECT_NE(wrongElements<Small>({64, 64, 320}, mutant<63, true>), 0);
}

TEST(Ring, WithoutAMeetingAWaveReadsWhatAnotherHasNotCopied) {
  int wrong = 0;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    machine(emulator::Landing::Latest, seed);
    wrong += wrongElements<Small>({64, 64, 320}, mutant<8, false>);
  }
  EXPECT_NE(wrong, 0);
}

TEST(Ring, AnEarlyLandingOverwritesASlotThatIsStillRead) {
  int wrong = 0;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    machine(emulator::Landing::Earliest, seed);
    wrong += wrongElements<Small>({64, 64, 320}, mutant<8, false>);
  }
  EXPECT_NE(wrong, 0);
}

TEST(Ring, OtherAccessesCountAsCopiesDo) {
  machine(emulator::Landing::Latest);
  std::vector<int> memory(64 * 16, 7), got(128, -1);
  run(1, 1, [&] {
    const target::Window<const int> window(memory.data(), unsigned(memory.size() * 4));
    for (int first : {0, 64}) {
      target::copy_to_lds<0>(1024, window, unsigned(target::lane() * 16), 0);
      int other;
      if (first)
        target::load_global<1>(&other, memory.data(), 0);
      target::await_copies<1>();
      target::load_lds<1>(&got[first + target::lane()], 1024 + target::lane() * 16);
      target::await_copies<0>();
      target::store_lds<1>(1024 + target::lane() * 16, &first);
    }
  });
  EXPECT_NE(got[0], 7);  // the copy itself is the one that may be in flight
  EXPECT_EQ(got[64], 7); // the load behind it is
}

// What ds_read_b64_tr_b16 does, lane by lane.
TEST(Ring, LanesTurnRowsForEachOther) {
  std::vector<unsigned short> got(64 * 4);
  run(
      1, 1,
      [&] {
        const int lane = target::lane();
        unsigned short own[4], turned[4];
        for (int e = 0; e < 4; ++e)
          own[e] = static_cast<unsigned short>(4 * lane + e);
        target::store_lds<4>(8 * lane, own);
        barrier();
        target::load_turned(turned, target::lds_place(8 * lane));
        for (int e = 0; e < 4; ++e)
          got[4 * lane + e] = turned[e];
      },
      512);
  for (int lane = 0; lane < 64; ++lane)
    for (int e = 0; e < 4; ++e)
      ASSERT_EQ(got[4 * lane + e], 4 * (lane / 16 * 16 + 4 * e + lane % 16 / 4) + lane % 4) << lane << " " << e;
}

namespace {

/// A right operand whose registers run down the rows of a slot, in slots of this swizzle: elements in wrong places.
template <class Z>
int wronglyTurned() {
  using Rows = Shared<bf16, Shape<64, 128>, Z>;
  using Operand =
      Layout<Shape<64, 128>, Registers<at(1, 0), at(2, 0), at(8, 0), at(16, 0), at(32, 0), at(0, 32), at(0, 64)>,
             Lanes<at(0, 1), at(0, 2), at(0, 4), at(0, 8), at(0, 16), at(4, 0)>, Waves<at(0, 0)>>;
  using Places = Addresses<Operand, Ring<Rows, 2, 0>>;
  static_assert(Places::turns, "lanes turn what they read");
  int wrong = 0;
  run(
      1, 2,
      [&] {
        const auto ring = Ring<Rows, 2, 0>();
        for (int i = target::thread(); i < 64 * 128; i += 128) {
          bf16 element;
          element.bits = static_cast<unsigned short>(i);
          target::store_lds<1>(Rows::bytes + Rows::element(at(i / 128, i % 128)) * 2, &element);
        }
        barrier();
        const auto tile = read(addresses_in<Operand>(ring), ring.template slot<1>());
        const auto row = iota<int, Operand, 0>(), column = iota<int, Operand, 1>();
        for (int r = 0; r < Operand::registers; ++r)
          wrong += tile[r].bits != row[r] * 128 + column[r];
      },
      2 * Rows::bytes);
  return wrong;
}

} // namespace

TEST(Ring, ReadsThatTurnSlotsFindWhatTheLayoutSays) {
  EXPECT_EQ((wronglyTurned<Swizzle<1, 1, 1>>()), 0);
  EXPECT_EQ((wronglyTurned<Swizzle<32, 1, 4>>()), 0);
  EXPECT_EQ((wronglyTurned<Swizzle<8, 1, 16>>()), 0);
  EXPECT_EQ((wronglyTurned<Swizzle<16, 2, 8>>()), 0);
}
