//===- RoleTest.cpp - tiles that change their layout within waves, and waves of different work
//---------------------===//
#include "WarpMachine.h"

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

template <class To, int Columns>
void expectRearranged() {
  using Scratch = Shared<bf16, Shape<64, Columns>, Swizzle<8, 1, Columns / 8 < 8 ? Columns / 8 : 8>>;
  std::vector<float> got(64 * 128);
  machine(Landing::Latest, /*seed=*/0, /*race=*/true);
  const std::string report = reportOf(4, [&] {
    Tile<bf16, Sums> tile;
    const auto row = iota<int, Sums, 0>(), column = iota<int, Sums, 1>();
    for (int r = 0; r < Sums::registers; ++r)
      tile[r] = cast<bf16>(float((row[r] * 128 + column[r]) % 251));
    const auto turned = rearrange<To>(shared<Scratch>(1024), tile);
    const auto i = iota<int, To, 0>(), j = iota<int, To, 1>();
    for (int r = 0; r < To::registers; ++r)
      got[i[r] * 128 + j[r]] = cast<float>(turned[r]);
  });
  EXPECT_EQ(report, "");
  for (int i = 0; i < 64 * 128; ++i)
    ASSERT_EQ(got[i], float(i % 251)) << i;
}

} // namespace

TEST(Rearrange, WavesKeepWhatTheyHold) {
  expectRearranged<Rows, 64>();
  expectRearranged<Rows, 128>();
  expectRearranged<Mixed, 64>();
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
