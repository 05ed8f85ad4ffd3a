// Reads by which lanes turn rows: the layouts they make, against the machine's rule, and swizzles for them.
// Belongs here: TurnedReads on the committed targets. Does not: what the device headers make of it (test/device).
#include "passes/machine/TurnedReads.h"

#include "passes/machine/Target.h"
#include <gtest/gtest.h>

using namespace tilec;

namespace {

Target target(const char *name) {
  std::string error;
  std::optional<Target> target = loadTarget(name, {TILEC_TEST_TARGETS}, error);
  EXPECT_TRUE(target) << error;
  return target ? *target : Target();
}

/// The right operand of attention's second product, for 32x32 instructions: registers run down the keys.
const LinearLayout values =
    LinearLayout::tile({{1, 0}, {2, 0}, {8, 0}, {16, 0}, {32, 0}, {0, 32}, {0, 64}},
                       {{0, 1}, {0, 2}, {0, 4}, {0, 8}, {0, 16}, {4, 0}}, {{0, 0}, {0, 0}}, {64, 128});
const LinearLayout keys =
    LinearLayout::tile({{0, 1}, {0, 2}, {0, 4}, {0, 16}, {0, 32}, {0, 64}, {32, 0}},
                       {{1, 0}, {2, 0}, {4, 0}, {8, 0}, {16, 0}, {0, 8}}, {{0, 0}, {0, 0}}, {64, 128});

} // namespace

TEST(TurnedReads, OneMachineHasThem) {
  EXPECT_TRUE(turnsReads(target("gfx950").lds, 2));
  EXPECT_FALSE(turnsReads(target("gfx950").lds, 1));
  EXPECT_FALSE(turnsReads(target("gfx942").lds, 2));
  EXPECT_FALSE(turnsReads(target("sm_90a").lds, 2));
}

// Lane l of 16 gets element l % 4 of what lanes l / 4, l / 4 + 4, l / 4 + 8 and l / 4 + 12 name.
TEST(TurnedReads, LanesNameWhatOthersGet) {
  std::optional<LinearLayout> named = turnedReads(values);
  ASSERT_TRUE(named);
  for (int64_t first = 0; first < values.inputSize("register"); first += 4)
    for (int64_t lane = 0; lane < 64; ++lane)
      for (int64_t e = 0; e < 4; ++e)
        EXPECT_EQ(values.at(first + e, lane), named->at(first + lane % 4, lane / 16 * 16 + 4 * e + lane % 16 / 4));
}

TEST(TurnedReads, OtherLayoutsAreNotMadeSo) {
  EXPECT_FALSE(turnedReads(keys));
  // Neighbours of a row in registers; in lanes that are not the first.
  EXPECT_FALSE(turnedReads(LinearLayout::tile({{0, 1}, {0, 2}}, {{1, 0}, {2, 0}, {4, 0}, {8, 0}}, {}, {16, 4})));
  EXPECT_FALSE(turnedReads(LinearLayout::tile({{1, 0}, {2, 0}}, {{0, 2}, {0, 1}, {0, 4}, {0, 8}}, {}, {4, 16})));
  EXPECT_FALSE(turnedReads(LinearLayout::tile({{1, 0}}, {{0, 1}, {0, 2}, {0, 4}, {0, 8}}, {}, {2, 16})));
}

TEST(TurnedReads, SwizzlesAreFreeOfConflictsAndKeepCopiesTogether) {
  SharedMemory lds = target("gfx950").lds;
  SharedChoice turned = chooseDirectSwizzle({64, 128}, 2, {*turnedReads(values)}, lds);
  EXPECT_EQ(turned.swizzle, (Swizzle{32, 1, 4}));
  EXPECT_EQ(turned.reads.conflicts, 0);
  // Four rows of 64 bytes would fall on the same banks.
  EXPECT_EQ(sharedCost(*turnedReads(values), {1, 1, 1}, 2, lds, /*write=*/false).cycles, 4 * turned.reads.cycles);
  EXPECT_EQ(chooseDirectSwizzle({64, 128}, 2, {keys}, lds).reads.conflicts, 0);
}
