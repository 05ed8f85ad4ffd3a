//===- PairTest.cpp - two workgroups that copy a tile once for both ------------------------------------*- C++ -*-===//
// Each multiplies rows of its own by the same columns, of which it brings half.
#include "Harness.h"
#include "StreamLoops.h"
#include "WarpMachine.h"

using namespace tilec;
using namespace tilec::test;

namespace {

enum class Omitted { Nothing, FirstMeeting, End, Half, OwnSlotsAlone, Empty };

using Half = Shared<bf16, Shape<32, 64>, Swizzle<8, 1, 8>>;
constexpr int slots = 2, waves = 4, lds_bytes = 64 * 1024;

struct Problem {
  int pairs, steps;
  int rows() const { return pairs * 2 * Narrow::rows; }
  int depth() const { return steps * Narrow::depth; }
};

template <Omitted O>
void multiply(const TensorMap &a_map, const TensorMap &b_map, View<const bf16, 2> a, View<const bf16, 2> b,
              View<float, 2> c, int tasks, int steps) {
  constexpr bool alone = O == Omitted::OwnSlotsAlone;
  auto words = [] {
    if constexpr (alone)
      return empty<slots>(48, waves);
    else
      return empty_of_pair<slots>(48, waves);
  }();
  auto filled = full<slots>(16);
  if (O != Omitted::FirstMeeting)
    meet_pair();
  by_role<waves>([&](auto role) {
    for (int task = int(blockIdx.x); task < tasks; task += int(gridDim.x)) {
      const auto a_ring = Ring<Narrow::A, slots, 1024>();
      const auto b_ring = Ring<Narrow::B, slots, 1024 + slots * Narrow::A::bytes>();
      const auto a_feed = mapped_feed<Narrow::A>(a, {task * Narrow::rows, 0}, a_map);
      const auto b_feed = mapped_feed<Half>(b, {0, 0}, b_map);
      if constexpr (role.produces) {
        produce<slots, waves>(steps, [&](auto slot, int k) {
          if (O != Omitted::Empty || k < slots)
            await_empty<slot>(words);
          const auto own = copying(a_ring.template slot<slot>(), a_feed, k * 128);
          // The first workgroup's half comes, the second one brings none.
          if (O == Omitted::Half && target::half_of_pair() == 1) {
            if (elected_of_wave())
              target::expect_bytes(filled.of(slot), Narrow::A::bytes + Narrow::B::bytes);
            own.issue(filled.of(slot));
          } else {
            fill_alone<slot>(filled, own, copying_half(b_ring.template slot<slot>(), b_feed, k * 128));
          }
        });
      } else {
        auto acc = splat<float, Narrow::Sums>(0.0f);
        by_slot<slots>(steps, [&](auto slot, int k) {
          await_full<slot>(filled);
          multiply_async<Narrow::Instruction, transposed_b>(acc, a_ring.template slot<slot>(),
                                                            b_ring.template slot<slot>());
          await_products<0>(acc);
          release_step(words, k);
        });
        store<1>(acc, c, {task * Narrow::rows, 0});
      }
    }
  });
  if (O != Omitted::End)
    end_pair<waves>(words);
}

/// What the emulator says; "wrong" if results alone tell; empty: it ran well.
template <Omitted O = Omitted::Nothing>
std::string verdict(const Problem &problem, int workgroups) {
  const int rows = problem.rows(), depth = problem.depth(), columns = Narrow::columns;
  auto a = values<bf16>(rows * depth), b = values<bf16>(columns * depth);
  std::vector<float> c(rows * columns, -1.0f);
  const View<const bf16, 2> left = view(static_cast<const bf16 *>(a.data()), {rows, depth}, {depth, 1}),
                            right = view(static_cast<const bf16 *>(b.data()), {columns, depth}, {depth, 1});
  const TensorMap a_map = tensor_map<Narrow::A>(a.data(), {rows, depth}, {depth, 1}),
                  b_map = tensor_map<Half>(b.data(), {columns, depth}, {depth, 1});
  const View<float, 2> result = view(c.data(), {rows, columns}, {columns, 1});
  auto lane = [=] { multiply<O>(a_map, b_map, left, right, result, problem.pairs * 2, problem.steps); };
  EXPECT_EQ(0, emulator::launch(lane, {unsigned(workgroups), 1, 1}, {2 * waves * 32, 1, 1}, lds_bytes, nullptr, true));
  (void)hipDeviceSynchronize();
  if (const std::string report = takeReport(); !report.empty())
    return report;
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) {
      float sum = 0;
      for (int k = 0; k < depth; ++k)
        sum += cast<float>(a[i * depth + k]) * cast<float>(b[j * depth + k]);
      if (c[i * columns + j] != sum)
        return "wrong";
    }
  return "";
}

template <Omitted O>
std::string verdictOfEach(const Problem &problem) {
  for (Landing landing : {Landing::Latest, Landing::Earliest, Landing::Seeded})
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      machine(landing, seed);
      if (std::string found = verdict<O>(problem, 2); !found.empty())
        return found;
    }
  return "";
}

} // namespace

TEST(Pair, BothGetWhatEachBringsHalfOf) {
  for (Landing landing : {Landing::Latest, Landing::Earliest, Landing::Seeded})
    for (int steps : {1, 2, 5}) {
      machine(landing, landing == Landing::Seeded ? steps : 0, /*race=*/landing == Landing::Seeded);
      EXPECT_EQ(verdict({1, steps}, 2), "") << steps;
      EXPECT_EQ(verdict({3, steps}, 2), "") << steps;
      EXPECT_EQ(verdict({2, steps}, 4), "") << steps;
    }
}

TEST(Pair, IsThereTogetherWhereOneWorkgroupIsResident) {
  emulator::Options options;
  options.waveLanes = 32;
  options.ldsBytes = 227 * 1024;
  options.computeUnits = options.resident = 1;
  options.seed = 3;
  ASSERT_TRUE(emulator::configure(options));
  EXPECT_EQ(verdict({3, 3}, 6), "");
}

TEST(Pair, FaultsAreFound) {
  const Problem problem{1, 5};
  EXPECT_NE(verdictOfEach<Omitted::FirstMeeting>(problem).find("was never made"), std::string::npos);
  EXPECT_NE(verdictOfEach<Omitted::End>(problem).find("has ended"), std::string::npos);
  EXPECT_NE(verdictOfEach<Omitted::Half>(problem).find("full[0]"), std::string::npos);
  EXPECT_NE(verdictOfEach<Omitted::OwnSlotsAlone>(problem), "");
  EXPECT_NE(verdictOfEach<Omitted::Empty>(problem), "");
}

TEST(Pair, AnOddNumberOfWorkgroupsIsNone) {
  machine(Landing::Latest);
  EXPECT_NE(0, emulator::launch([] {}, {3, 1, 1}, {32, 1, 1}, 0, nullptr, true));
  EXPECT_EQ(in_pairs(0), 0);
  EXPECT_EQ(in_pairs(1), 2);
  EXPECT_EQ(in_pairs(5), 4);
}
