//===- TurnTest.cpp - slots whose numbers are values -----------------------------------------------------*- C++
//-*-===//
#include "WarpMachine.h"

using namespace tilec;
using namespace tilec::test;

namespace {

using Tile64 = Shared<bf16, Shape<64, 64>, Swizzle<8, 1, 8>>;
using Operand = Panels<bf16, Shape<64, 64>, 64, Swizzle<8, 1, 8>>;

enum class LeftOut { Nothing, Full, Empty, Release };

/// A producer fills three slots with the tiles of a row of tiles, four waves add them up; without one of these. Returns
/// what the emulator has against it, or "wrong".
template <LeftOut What>
std::string reportOfSums(Landing landing, int steps) {
  const int width = 64 * std::max(1, steps);
  std::vector<bf16> matrix(64 * width);
  for (int i = 0; i < 64 * width; ++i)
    matrix[i] = cast<bf16>(float(i % 61));
  const long long extents[] = {64, width}, strides[] = {width, 1};
  const TensorMap map = tensor_map<Tile64>(matrix.data(), extents, strides);
  std::vector<float> got(64 * 64);
  machine(landing, /*seed=*/unsigned(steps) + 1);
  EXPECT_EQ(0, emulator::launch(
                   [&] {
                     auto full_words = full<3>(64);
                     auto empty_words = empty<3>(128, 4);
                     const Ring<Tile64, 3, 1024> ring;
                     by_role<4>([&](auto role) {
                       if constexpr (decltype(role)::produces) {
                         produce_in_turn<3, 4>(steps, [&](int slot, int step) {
                           if (What != LeftOut::Empty)
                             await_empty(empty_words, slot);
                           fill_alone(full_words, slot, copying(ring.slot(slot), map, {0, 64 * step}));
                         });
                       } else {
                         by_turn<3>(steps, [&](int slot, int step) {
                           if (What != LeftOut::Full)
                             await_full(full_words, slot);
                           for (int i = target::thread(); i < 64 * 64; i += 128) {
                             bf16 value[1];
                             target::load_lds<1>(value,
                                                 ring.slot(slot).first + 2 * Tile64::element(at(i / 64, i % 64)));
                             got[i] += cast<float>(value[0]);
                           }
                           if (What != LeftOut::Release || target::wave() != 2)
                             release_step(empty_words, step);
                         });
                       }
                     });
                   },
                   {1, 1, 1}, {5 * 32, 1, 1}, 32 * 1024, nullptr));
  (void)hipDeviceSynchronize();
  if (const std::string report = takeReport(); !report.empty())
    return report;
  for (int i = 0; i < 64 * 64; ++i) {
    float sum = 0;
    for (int step = 0; step < steps; ++step)
      sum += float((i / 64 * width + 64 * step + i % 64) % 61);
    if (sum != got[i])
      return "wrong";
  }
  return "";
}

constexpr Landing everyLanding[] = {Landing::Earliest, Landing::Latest, Landing::Seeded};

} // namespace

TEST(InTurn, StepsFewerThanSlotsAndMore) {
  for (Landing landing : everyLanding)
    for (int steps : {0, 1, 2, 3, 4, 10})
      EXPECT_EQ(reportOfSums<LeftOut::Nothing>(landing, steps), "") << steps;
}

TEST(InTurn, ASlotThatIsReadBeforeItIsFull) { EXPECT_NE(reportOfSums<LeftOut::Full>(Landing::Latest, 4), ""); }

TEST(InTurn, ASlotThatIsFilledBeforeItIsReleased) {
  EXPECT_NE(reportOfSums<LeftOut::Empty>(Landing::Earliest, 10), "");
}

TEST(InTurn, AWaveThatDoesNotReleaseIsADeadlock) {
  const std::string report = reportOfSums<LeftOut::Release>(Landing::Latest, 10);
  EXPECT_NE(report.find("the word at byte 128 of lds misses 1 of 4 arrivals"), std::string::npos) << report;
}

TEST(InTurn, SlotsKnowWhereASwizzleBegins) {
  using Moved = Ring<Operand, 2, 1024, Operand::bytes + 512>;
  static_assert(decltype(Ring<Operand, 2, 1024>::slot(0))::is_aligned(1024));
  static_assert(!decltype(Moved::slot(0))::is_aligned(1024));
  EXPECT_EQ(Moved::slot(1).first, 1024 + Operand::bytes + 512);
}
