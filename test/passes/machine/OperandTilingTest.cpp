// Products whose left operand stays where an earlier product left it, multiplied as the device header would.
// Belongs here: OperandTiling. Does not: tilings that choose all layouts (MatrixInstructionTest).
#include "passes/machine/OperandTiling.h"

#include <gtest/gtest.h>
#include <map>

using namespace tilec;

namespace {

const std::vector<MatrixInstructionInfo> kOld{{"Mfma16x16x16", MatrixFamily::Mfma, 16, 16, 16, {"bf16"}, "f32", 16},
                                              {"Mfma32x32x8", MatrixFamily::Mfma, 32, 32, 8, {"bf16"}, "f32", 32}};
const std::vector<MatrixInstructionInfo> kNew{{"Mfma16x16x32", MatrixFamily::Mfma, 16, 16, 32, {"bf16"}, "f32", 16},
                                              {"Mfma32x32x16", MatrixFamily::Mfma, 32, 32, 16, {"bf16"}, "f32", 32}};
const std::vector<MatrixInstructionInfo> kWarps{{"Mma16x8x16", MatrixFamily::Mma, 16, 8, 16, {"bf16"}, "f32", 16}};

MatrixProblem problem(int64_t m, int64_t n, int64_t k, int64_t waves) { return {m, n, k, "bf16", "f32", waves}; }

/// In every thread: the k of the registers of `a` with one row, in rising order, are those of `b` with one column, and
/// rows and columns of the sums are among them. That is what mma asks of layouts.
void expectAgreement(const MatrixTiling &tiling, int64_t lanes, int64_t waves) {
  auto depths = [&](const LinearLayout &layout, int64_t lane, int64_t wave) {
    std::map<int64_t, std::vector<int64_t>> byRow;
    for (int64_t r = 0; r < layout.inputSize(LinearLayout::kRegister); ++r)
      byRow[layout.at(r, lane, wave)[0]].push_back(layout.at(r, lane, wave)[1]);
    for (auto &[row, ks] : byRow)
      std::sort(ks.begin(), ks.end());
    return byRow;
  };
  for (int64_t wave = 0; wave < waves; ++wave)
    for (int64_t lane = 0; lane < lanes; ++lane) {
      auto rows = depths(tiling.a, lane, wave), columns = depths(tiling.b, lane, wave);
      for (auto &[row, ks] : rows)
        for (auto &[column, others] : columns)
          EXPECT_EQ(ks, others) << "lane " << lane << ", wave " << wave;
    }
}

/// The waves of sums and of right operands: each element of the product is summed by one wave of each copy.
void expectChained(llvm::ArrayRef<MatrixInstructionInfo> table, MatrixProblem first, MatrixProblem next,
                   int64_t lanes) {
  std::optional<MatrixTiling> tiling = chooseChained(table, first, next);
  ASSERT_TRUE(tiling);
  EXPECT_EQ(tiling->wavesN, 1) << "a row of sums lies in one wave";
  std::optional<MatrixTiling> along = chooseAlongOperand(table, next, tiling->accumulator);
  ASSERT_TRUE(along);
  EXPECT_TRUE(along->a == tiling->accumulator);
  EXPECT_TRUE(along->b.isSurjective() && along->accumulator.isSurjective());
  EXPECT_TRUE(along->accumulator.isInjectiveModuloReplication());
  EXPECT_LE(tiling->matrixCycles + along->matrixCycles,
            chooseTiling(table, first)->matrixCycles + chooseTiling(table, next)->matrixCycles);
  expectAgreement(*along, lanes, first.waves);
}

} // namespace

TEST(OperandTiling, WeightsOfAttentionStayInTheirRegisters) {
  for (int64_t columns : {32, 64}) {
    expectChained(kOld, problem(128, columns, 128, 4), problem(128, 128, columns, 4), 64);
    expectChained(kNew, problem(128, columns, 128, 4), problem(128, 128, columns, 4), 64);
    expectChained(kWarps, problem(64, columns, 64, 4), problem(64, 64, columns, 4), 32);
  }
}

TEST(OperandTiling, TakesKInTheOrderOfTheSums) {
  // A lane of a 32x32 sum holds runs of four columns, eight apart: an instruction of gfx950 takes eight k of a lane.
  auto tiling = chooseChained(kNew, problem(128, 64, 128, 4), problem(128, 128, 64, 4));
  ASSERT_TRUE(tiling);
  auto along = chooseAlongOperand(kNew, problem(128, 128, 64, 4), tiling->accumulator);
  ASSERT_TRUE(along);
  EXPECT_EQ(along->instruction->info().name, "Mfma32x32x16");
  std::vector<LinearLayout::Point> lanes = along->b.bases(LinearLayout::kLane);
  EXPECT_EQ(lanes.back(), (LinearLayout::Point{0, 4}));
  std::vector<LinearLayout::Point> registers = along->b.bases(LinearLayout::kRegister);
  EXPECT_EQ(registers[1], (LinearLayout::Point{0, 2}));
  EXPECT_EQ(registers[2], (LinearLayout::Point{0, 8}));
}

TEST(OperandTiling, TooFewRowsForTheWaves) {
  // Two waves would repeat what the others do: the way through LDS is cheaper than the products.
  EXPECT_FALSE(chooseChained(kOld, problem(32, 32, 64, 4), problem(32, 64, 32, 4)));
}

TEST(OperandTiling, RefusesAnOperandWhoseKIsSpreadOverWaves) {
  std::optional<MatrixTiling> spread;
  for (MatrixTiling &tiling : tilingsOf(kOld, problem(128, 64, 64, 4)))
    if (tiling.wavesN == 2)
      spread = tiling;
  ASSERT_TRUE(spread);
  EXPECT_FALSE(chooseAlongOperand(kOld, problem(128, 64, 64, 4), spread->accumulator));
}

TEST(OperandTiling, RefusesRowsOfAnotherInstruction) {
  // Rows that follow lanes in the order of stores to memory, not in that of the matrix unit.
  LinearLayout blocked =
      LinearLayout::tile({{0, 1}, {0, 2}, {0, 4}, {32, 0}}, {{0, 8}, {0, 16}, {0, 32}, {1, 0}, {2, 0}, {4, 0}},
                         {{8, 0}, {16, 0}}, {64, 64});
  EXPECT_FALSE(chooseAlongOperand(kOld, problem(64, 64, 64, 4), blocked));
}
