// Operand layouts against the hardware's rules, and whole tiles against a simulated product.
// Belongs here: MatrixInstruction. Does not: LDS conflicts.
#include "passes/machine/MatrixInstruction.h"
#include "passes/machine/TileBox.h"

#include <gtest/gtest.h>

using namespace tilec;
using Point = LinearLayout::Point;

namespace {

MatrixInstructionInfo mfma(int64_t mn, int64_t k, std::string type, int64_t cycles = 16) {
  return {"Mfma" + std::to_string(mn) + "x" + std::to_string(mn) + "x" + std::to_string(k),
          MatrixFamily::Mfma,
          mn,
          mn,
          k,
          {type},
          "f32",
          cycles};
}

const MatrixInstructionInfo kWgmma{"Wgmma64x128x16", MatrixFamily::Wgmma, 64, 128, 16, {"bf16"}, "f32", 64};

std::shared_ptr<const MatrixInstruction> make(const MatrixInstructionInfo &info) {
  std::string why;
  auto instruction = MatrixInstruction::create(info, &why);
  EXPECT_TRUE(instruction) << why;
  return instruction;
}

// The hardware, from the GFX9 rule alone: D[i][j] += sum over k of A[i][k] * B[k][j], where lane L's element e is
// A[L % dim][k(L, e)] and B[k(L, e)][L % dim], and D's register r of lane L is at (row(L, r), L % dim).
struct Hardware {
  int64_t dim, k;
  int64_t perLane() const { return k * dim / 64; }
  int64_t kOf(int64_t lane, int64_t e) const { return lane / dim * perLane() + e; }
  int64_t rowOf(int64_t lane, int64_t r) const {
    return dim == 16 ? 4 * (lane / 16) + r : 8 * (r / 4) + 4 * (lane / 32) + r % 4;
  }
  // Operands and accumulator as [lane][register].
  void run(const std::vector<std::vector<int>> &a, const std::vector<std::vector<int>> &b,
           std::vector<std::vector<int>> &d, int64_t firstD) const {
    std::vector<std::vector<int>> matrixA(dim, std::vector<int>(k)), matrixB(k, std::vector<int>(dim));
    for (int64_t lane = 0; lane < 64; ++lane)
      for (int64_t e = 0; e < perLane(); ++e) {
        matrixA[lane % dim][kOf(lane, e)] = a[lane][e];
        matrixB[kOf(lane, e)][lane % dim] = b[lane][e];
      }
    for (int64_t lane = 0; lane < 64; ++lane)
      for (int64_t r = 0; r < dim * dim / 64; ++r)
        for (int64_t i = 0; i < k; ++i)
          d[lane][firstD + r] += matrixA[rowOf(lane, r)][i] * matrixB[i][lane % dim];
  }
};

int elementA(int64_t row, int64_t k) { return (row * 7 + k * 3) % 11 - 5; }
int elementB(int64_t column, int64_t k) { return (column * 5 + k * 13) % 17 - 8; }

// Multiplies a whole tile as the device header would: registers in order, operands exchanged.
void expectProduct(const MatrixTiling &tiling, Hardware hardware, int64_t m, int64_t n, int64_t k) {
  int64_t e = hardware.perLane(), perBlock = hardware.dim * hardware.dim / 64, steps = k / hardware.k;
  int64_t blocksM = tiling.a.inputSize("register") / (e * steps),
          blocksN = tiling.b.inputSize("register") / (e * steps);
  ASSERT_EQ(tiling.accumulator.inputSize("register"), blocksM * blocksN * perBlock);
  for (int64_t wave = 0; wave < tiling.accumulator.inputSize("wave"); ++wave) {
    std::vector<std::vector<int>> d(64, std::vector<int>(blocksM * blocksN * perBlock));
    for (int64_t i = 0; i < blocksM; ++i)
      for (int64_t j = 0; j < blocksN; ++j)
        for (int64_t step = 0; step < steps; ++step) {
          std::vector<std::vector<int>> a(64, std::vector<int>(e)), b = a;
          for (int64_t lane = 0; lane < 64; ++lane)
            for (int64_t x = 0; x < e; ++x) {
              Point pa = tiling.a.at((i * steps + step) * e + x, lane, wave);
              Point pb = tiling.b.at((j * steps + step) * e + x, lane, wave);
              a[lane][x] = elementA(pa[0], pa[1]);
              b[lane][x] = elementB(pb[0], pb[1]);
            }
          hardware.run(/*a=*/b, /*b=*/a, d, (i * blocksN + j) * perBlock);
        }
    for (int64_t lane = 0; lane < 64; ++lane)
      for (int64_t r = 0; r < int64_t(d[lane].size()); ++r) {
        Point place = tiling.accumulator.at(r, lane, wave);
        int expected = 0;
        for (int64_t i = 0; i < k; ++i)
          expected += elementA(place[0], i) * elementB(place[1], i);
        ASSERT_EQ(d[lane][r], expected) << "wave " << wave << " lane " << lane << " register " << r;
      }
  }
  EXPECT_TRUE(tiling.accumulator.isSurjective());
  EXPECT_EQ(tiling.accumulator.shape(), (llvm::SmallVector<int64_t, 4>{m, n}));
}

} // namespace

TEST(MatrixInstruction, OperandsFollowTheHardware) {
  LinearLayout narrow = make(mfma(32, 8, "bf16"))->operandA(1);
  LinearLayout wide = make(mfma(16, 32, "bf16"))->operandB(1);
  LinearLayout single = make(mfma(16, 4, "f32"))->operandA(1);
  for (int64_t lane = 0; lane < 64; ++lane) {
    for (int64_t e = 0; e < 4; ++e)
      EXPECT_EQ(narrow.at(e, lane), (Point{lane % 32, 4 * (lane / 32) + e}));
    for (int64_t e = 0; e < 8; ++e)
      EXPECT_EQ(wide.at(e, lane), (Point{lane % 16, 8 * (lane / 16) + e}));
    EXPECT_EQ(single.at(0, lane), (Point{lane % 16, lane / 16}));
  }
  // The 8-bit instructions with 32 elements a lane take them as two runs of 16.
  LinearLayout fp8 = make(mfma(16, 128, "f8E4M3FN"))->operandA(1);
  for (int64_t lane = 0; lane < 64; ++lane)
    for (int64_t e = 0; e < 32; ++e)
      EXPECT_EQ(fp8.at(e, lane), (Point{lane % 16, 16 * (lane / 16 + 4 * (e / 16)) + e % 16}));
}

TEST(MatrixInstruction, AccumulatorsHoldFourColumnsOfARow) {
  LinearLayout large = make(mfma(32, 8, "bf16"))->accumulator(), small = make(mfma(16, 16, "bf16"))->accumulator();
  for (int64_t lane = 0; lane < 64; ++lane) {
    for (int64_t r = 0; r < 16; ++r)
      EXPECT_EQ(large.at(r, lane), (Point{lane % 32, r % 4 + 4 * (lane / 32) + 8 * (r / 4)}));
    for (int64_t r = 0; r < 4; ++r)
      EXPECT_EQ(small.at(r, lane), (Point{lane % 16, 4 * (lane / 16) + r}));
  }
  EXPECT_EQ(large.vectorWidth(), 4);
  EXPECT_EQ(small.vectorWidth(), 4);
}

TEST(MatrixInstruction, TilesMultiply) {
  struct Case {
    int64_t dim, k;
    const char *type;
    MatrixProblem problem;
    int64_t wavesM, wavesN, pack;
  } cases[] = {
      {32, 8, "bf16", {128, 128, 32, "bf16", "f32", 4}, 2, 2, 2},
      {32, 8, "bf16", {128, 64, 32, "bf16", "f32", 4, 8}, 4, 1, 1},
      {16, 16, "f16", {64, 32, 64, "f16", "f32", 2}, 1, 2, 2},
      {16, 32, "bf16", {64, 64, 64, "bf16", "f32", 8}, 2, 4, 1},
      {32, 2, "f32", {64, 32, 16, "f32", "f32", 2}, 2, 1, 4},
      {16, 4, "f32", {16, 16, 4, "f32", "f32", 1}, 1, 1, 1},
      {16, 32, "f8E4M3FNUZ", {32, 32, 64, "f8E4M3FNUZ", "f32", 4}, 2, 1, 2},
  };
  for (const Case &test : cases) {
    std::string why;
    std::optional<MatrixTiling> tiling =
        tileInstruction(make(mfma(test.dim, test.k, test.type)), test.problem, test.wavesM, test.wavesN, &why);
    ASSERT_TRUE(tiling) << why;
    EXPECT_EQ(tiling->pack, test.pack);
    EXPECT_EQ(tiling->accumulator.inputSize("wave"), test.problem.waves);
    EXPECT_EQ(tiling->a.inputSize("wave"), test.problem.waves);
    EXPECT_EQ(tiling->b.inputSize("wave"), test.problem.waves);
    expectProduct(*tiling, {test.dim, test.k}, test.problem.m, test.problem.n, test.problem.k);
  }
}

TEST(MatrixInstruction, AccumulatorOfTheContract) {
  std::optional<MatrixTiling> tiling =
      tileInstruction(make(mfma(32, 8, "bf16")), {128, 128, 32, "bf16", "f32", 4}, 2, 2);
  ASSERT_TRUE(tiling);
  EXPECT_EQ(tiling->accumulator,
            LinearLayout::tile({{0, 1}, {0, 2}, {0, 8}, {0, 16}, {0, 32}, {32, 0}},
                               {{1, 0}, {2, 0}, {4, 0}, {8, 0}, {16, 0}, {0, 4}}, {{0, 64}, {64, 0}}, {128, 128}));
  EXPECT_EQ(tiling->a.replicationMask("wave"), 1u);
  EXPECT_EQ(tiling->b.replicationMask("wave"), 2u);
  EXPECT_EQ(tiling->sharedReadBytes, 2 * (128 + 128) * 32 * 2);
  EXPECT_EQ(tiling->instructions, 16 * 4);
}

TEST(MatrixInstruction, ChoosesFewCyclesThenFewReads) {
  std::vector<MatrixInstructionInfo> table{mfma(16, 16, "bf16", 16), mfma(32, 8, "bf16", 32), mfma(16, 32, "bf16", 16)};
  std::string why;
  std::optional<MatrixTiling> full = chooseTiling(table, {256, 256, 64, "bf16", "f32", 8}, &why);
  ASSERT_TRUE(full) << why;
  EXPECT_EQ(full->instruction->info().name, "Mfma16x16x32");
  EXPECT_EQ(full->wavesM * full->wavesN, 8);
  EXPECT_EQ(std::max(full->wavesM, full->wavesN), 4);
  // No room for k = 32.
  std::optional<MatrixTiling> shallow = chooseTiling(table, {128, 128, 16, "bf16", "f32", 4});
  ASSERT_TRUE(shallow);
  EXPECT_EQ(shallow->instruction->info().name, "Mfma32x32x8");
  EXPECT_EQ(shallow->wavesM, 2);
  // A tall tile: all waves along the rows read B whole, which is the small operand.
  std::optional<MatrixTiling> tall = chooseTiling(table, {256, 16, 32, "bf16", "f32", 4});
  ASSERT_TRUE(tall);
  EXPECT_EQ(tall->wavesM, 4);
  EXPECT_EQ(tall->wavesN, 1);
  // Too small for its waves: copies.
  std::optional<MatrixTiling> small = chooseTiling(table, {16, 16, 32, "bf16", "f32", 4});
  ASSERT_TRUE(small);
  EXPECT_EQ(small->spareWaves, 4);
  EXPECT_EQ(small->accumulator.replicationMask("wave"), 3u);
}

// Row 4 r + lane / 16 of a column in the hardware's D, seen through the exchange of the operands.
TEST(MatrixInstruction, DoublesLieFourColumnsApart) {
  MatrixInstructionInfo info = mfma(16, 4, "f64");
  info.accumulator = "f64";
  LinearLayout sums = make(info)->accumulator();
  for (int64_t lane = 0; lane < 64; ++lane)
    for (int64_t r = 0; r < 4; ++r)
      EXPECT_EQ(sums.at(r, lane), (LinearLayout::Point{lane % 16, 4 * r + lane / 16}));
}

// PTX ISA, fragments of mma.m16n8k*: a lane's registers hold `run` elements of k; rows of A in register pairs.
TEST(MatrixInstruction, WarpTilesMultiply) {
  struct Case {
    const char *type, *sum;
    int64_t k, run, pack;
    MatrixProblem problem;
    int64_t wavesM, wavesN;
  } cases[] = {
      {"bf16", "f32", 16, 2, 1, {32, 32, 32, "bf16", "f32", 4}, 2, 2},
      {"f16", "f32", 16, 2, 1, {32, 32, 16, "f16", "f32", 4}, 1, 2},
      {"i8", "i32", 32, 4, 1, {32, 16, 64, "i8", "i32", 2}, 2, 1},
      {"f64", "f64", 4, 1, 1, {16, 8, 16, "f64", "f64", 1}, 1, 1},
  };
  for (const Case &test : cases) {
    MatrixInstructionInfo info{"Mma", MatrixFamily::Mma, 16, 8, test.k, {test.type}, test.sum, 4};
    std::string why;
    std::optional<MatrixTiling> tiling = tileInstruction(make(info), test.problem, test.wavesM, test.wavesN, &why);
    ASSERT_TRUE(tiling) << why;
    EXPECT_EQ(tiling->pack, test.pack);
    // What the lanes of a wave would sum: every element of the tile times its partner, once.
    int64_t depth = test.k / 4 * test.problem.k / test.k, rowsA = tiling->a.inputSize("register") / depth;
    for (int64_t wave = 0; wave < test.problem.waves; ++wave)
      for (int64_t lane = 0; lane < 32; ++lane)
        for (int64_t r = 0; r < tiling->accumulator.inputSize("register"); ++r) {
          Point place = tiling->accumulator.at(r, lane, wave);
          EXPECT_EQ(place[0] % 8, lane / 4);
          EXPECT_EQ(place[1] % 8 / 2, lane % 4);
          int64_t sum = 0, expected = 0;
          for (int64_t thread = 0; thread < 4; ++thread)
            for (int64_t i = 0; i < tiling->a.inputSize("register"); ++i)
              for (int64_t j = 0; j < tiling->b.inputSize("register"); ++j) {
                // The row of A is dealt to the lanes lane / 4, the column of B to the lanes of that number.
                Point a = tiling->a.at(i, lane / 4 * 4 + thread, wave);
                Point b = tiling->b.at(j, place[1] % 8 * 4 + thread, wave);
                if (a[0] == place[0] && b[0] == place[1] && a[1] == b[1])
                  sum += elementA(a[0], a[1]) * elementB(b[0], b[1]);
              }
          for (int64_t k = 0; k < test.problem.k; ++k)
            expected += elementA(place[0], k) * elementB(place[1], k);
          ASSERT_EQ(sum, expected) << test.type << " wave " << wave << " lane " << lane << " register " << r;
        }
    EXPECT_EQ(rowsA * 8 * test.wavesM, test.problem.m);
    EXPECT_TRUE(tiling->accumulator.isSurjective());
  }
}

TEST(MatrixInstruction, SaysWhyNothingFits) {
  std::vector<MatrixInstructionInfo> table{mfma(32, 8, "bf16")};
  std::string why;
  EXPECT_FALSE(chooseTiling(table, {32, 32, 8, "f64", "f64", 1}, &why));
  EXPECT_EQ(why, "no matrix instruction multiplies f64 into f64");
  EXPECT_FALSE(chooseTiling(table, {16, 32, 8, "bf16", "f32", 1}, &why));
  EXPECT_EQ(why, "Mfma32x32x8: rows of the tile must be a multiple of 32, got 16");
  EXPECT_FALSE(chooseTiling(table, {32, 32, 4, "bf16", "f32", 1}, &why));
  EXPECT_EQ(why, "Mfma32x32x8: k of the tile must be a multiple of 8, got 4");
  EXPECT_FALSE(chooseTiling(table, {96, 32, 8, "bf16", "f32", 1}, &why));
  EXPECT_EQ(why, "rows must be a power of two, got 96");
  EXPECT_FALSE(chooseTiling(table, {32, 36, 8, "bf16", "f32", 1}, &why));
  EXPECT_EQ(why, "columns must be a power of two or a multiple of 8, got 36");
  EXPECT_FALSE(tileInstruction(make(table[0]), {32, 192, 8, "bf16", "f32", 4}, 1, 4, &why));
  EXPECT_EQ(why, "Mfma32x32x8: columns of the tile must be a multiple of 128, got 192");
  EXPECT_FALSE(tileInstruction(make(table[0]), {32, 96, 8, "bf16", "f32", 3}, 1, 1, &why));
  EXPECT_EQ(why, "waves must be a power of two, got 3");
  MatrixInstructionInfo third = kWgmma;
  third.n = 112;
  EXPECT_FALSE(tileInstruction(make(third), {64, 224, 16, "bf16", "f32", 4}, 1, 1, &why));
  EXPECT_EQ(why, "Wgmma64x128x16: waves and instructions of 112 columns must go into the 32 that 224 is a multiple of");
  EXPECT_FALSE(chooseTiling(table, {32, 32, 8, "bf16", "f32", 3}, &why));
  EXPECT_EQ(why, "waves must be a power of two, got 3");
  EXPECT_FALSE(chooseTiling(table, {32, 32, 8, "bf16", "f32", 0}, &why));
  EXPECT_EQ(why, "waves must be a power of two, got 0");
  EXPECT_FALSE(tileInstruction(make(table[0]), {64, 64, 8, "bf16", "f32", 4}, 3, 1, &why));
  EXPECT_EQ(why, "the grid of waves must be powers of two, got 3x1");
  EXPECT_FALSE(tileInstruction(make(table[0]), {64, 64, 8, "bf16", "f32", 2}, 2, 2, &why));
  EXPECT_EQ(why, "Mfma32x32x8: 2 waves are no multiple of a grid of 4");
}

TEST(MatrixInstruction, RefusesRowsItCannotLayOut) {
  auto refused = [](MatrixInstructionInfo info) {
    std::string why;
    EXPECT_FALSE(MatrixInstruction::create(info, &why));
    return why;
  };
  MatrixInstructionInfo info = mfma(32, 8, "bf16");
  info = {"Mma16x8x8", MatrixFamily::Mma, 16, 8, 8, {"bf16"}, "f32", 4};
  EXPECT_EQ(refused(info), "mma must take 32 bytes of k");
  info.n = 16;
  EXPECT_EQ(refused(info), "mma must be 16 rows by 8 columns");
  EXPECT_EQ(refused(mfma(4, 4, "bf16")), "mfma must be 16x16 or 32x32");
  EXPECT_EQ(refused(mfma(32, 1, "bf16")), "mfma has fewer elements of k than lane groups");
  EXPECT_EQ(refused(mfma(32, 6, "bf16")), "m, n and k must be powers of two");
  EXPECT_EQ(refused(mfma(32, 8, "bfloat")), "operand types must be known and of one size");
  info = mfma(32, 8, "bf16");
  info.accumulator = "f64";
  EXPECT_EQ(refused(info), "mfma accumulators must have four bytes, or eight of a 16x16 one");
  info = kWgmma;
  info.m = 32;
  EXPECT_EQ(refused(info), "wgmma must be 64 rows by 8 to 256 columns, a multiple of 8");
  info = kWgmma;
  info.n = 100;
  EXPECT_EQ(refused(info), "wgmma must be 64 rows by 8 to 256 columns, a multiple of 8");
  info = kWgmma;
  info.k = 8;
  EXPECT_EQ(refused(info), "wgmma must take 32 bytes of k");
  info = kWgmma;
  info.accumulator = "f16";
  EXPECT_EQ(refused(info), "wgmma accumulators must have four bytes");
}

TEST(MatrixInstruction, WgmmaIsAnInstanceOfTheSame) {
  std::shared_ptr<const MatrixInstruction> wgmma = make(kWgmma);
  LinearLayout accumulator = wgmma->accumulator();
  // Fragment D of the PTX manual: row 16 w + lane / 4 (+ 8), column 8 i + 2 (lane % 4) (+ 1).
  for (int64_t wave = 0; wave < 4; ++wave)
    for (int64_t lane = 0; lane < 32; ++lane)
      for (int64_t r = 0; r < 64; ++r)
        EXPECT_EQ(accumulator.at(r, lane, wave),
                  (Point{16 * wave + lane / 4 + 8 * (r / 2 % 2), 8 * (r / 4) + 2 * (lane % 4) + r % 2}));
  // Two groups over 128 rows; eight waves.
  MatrixProblem problem{128, 128, 64, "bf16", "f32", 8};
  std::optional<MatrixTiling> tiling = tileInstruction(wgmma, problem, 2, 1);
  ASSERT_TRUE(tiling);
  EXPECT_TRUE(tiling->accumulator.isBijective());
  EXPECT_EQ(tiling->accumulator.at(0, 0, 4), (Point{64, 0}));
  EXPECT_TRUE(tiling->instruction->readsShared());
  EXPECT_EQ(tiling->instructions, 2 * 4);
  // It reads LDS, so it is none for operands in registers.
  EXPECT_FALSE(chooseTiling({kWgmma}, problem));
}

TEST(MatrixInstruction, WidthsThatAreMultiplesOfEight) {
  std::vector<MatrixInstructionInfo> table;
  for (int64_t n = 256; n > 0; n -= 8)
    table.push_back({"wide", MatrixFamily::Wgmma, 64, n, 16, {"bf16"}, "f32", 2 * n});
  table.push_back({"Mma16x8x16", MatrixFamily::Mma, 16, 8, 16, {"bf16"}, "f32", 6});
  for (int64_t rows : {64, 128, 256})
    for (int64_t columns : {24, 40, 96, 160, 192, 208, 224, 248}) {
      std::optional<StreamTiling> tiling = chooseStreamTiling(table, {rows, columns, 64, "bf16", "f32", 8});
      int64_t groups = std::min<int64_t>(2, rows / 64);
      // Two groups beside each other have instructions that both fit into a run.
      if (groups == 1 && columns % 16) {
        EXPECT_FALSE(tiling) << rows << "x" << columns;
        continue;
      }
      ASSERT_TRUE(tiling) << rows << "x" << columns;
      if (groups == 2)
        EXPECT_EQ(tiling->columns, columns);
      const LinearLayout &sums = tiling->registers.accumulator;
      EXPECT_TRUE(isLayoutOf(sums, {rows, columns})) << sums.str();
      EXPECT_TRUE(isLayoutOf(tiling->registers.b, {columns, 64})) << tiling->registers.b.str();
      EXPECT_EQ(registersOf(sums, {rows, columns}), rows * columns / 256);
      EXPECT_EQ(tiling->matrixCycles, rows * columns / 64 * 2 * 4);
      // Rows of the operand are columns of the sums, in every wave.
      for (int64_t wave = 0; wave < 8; ++wave)
        for (int64_t r = 0; r < registersOf(sums, {rows, columns}); ++r) {
          bool found = false;
          for (int64_t s = 0; s < registersOf(tiling->registers.b, {columns, 64}) && !found; ++s)
            found = tiling->registers.b.at(s, 0, wave)[0] / 8 == sums.at(r, 0, wave)[1] / 8;
          EXPECT_TRUE(found);
        }
    }
}

TEST(MatrixInstruction, WhatLiesAcrossTheDepthIsTakenFromPanelsOn) {
  std::vector<MatrixInstructionInfo> table;
  for (int64_t n : {256, 224, 192, 128, 96, 64, 32})
    table.push_back({"wide", MatrixFamily::Wgmma, 64, n, 16, {"bf16"}, "f32", 2 * n});
  table.push_back({"Mma16x8x16", MatrixFamily::Mma, 16, 8, 16, {"bf16"}, "f32", 6});
  auto columnsOf = [&](int64_t rows, int64_t columns, bool across) {
    MatrixProblem problem{rows, columns, 64, "bf16", "f32", 8};
    problem.across = across;
    std::optional<StreamTiling> tiling = chooseStreamTiling(table, problem);
    return tiling ? tiling->columns : 0;
  };
  EXPECT_EQ(columnsOf(128, 256, true), 256);
  EXPECT_EQ(columnsOf(128, 192, true), 192);
  EXPECT_EQ(columnsOf(128, 224, false), 224);
  // One instruction may end within a panel; further ones would begin there.
  EXPECT_EQ(columnsOf(128, 224, true), 224);
  EXPECT_EQ(columnsOf(256, 96, true), 96);
  EXPECT_EQ(columnsOf(128, 448, true), 64);
  EXPECT_EQ(columnsOf(128, 32, true), 0);
  // Two groups of waves beside each other have half a panel each.
  EXPECT_EQ(columnsOf(64, 64, false), 32);
  EXPECT_EQ(columnsOf(64, 64, true), 0);
}

TEST(MatrixInstruction, OtherFamiliesTakeThemInPowersOfTwo) {
  for (int64_t columns : {96, 160, 224}) {
    MatrixProblem problem{64, columns, 32, "bf16", "f32", 4};
    std::optional<MatrixTiling> tiling = chooseTiling({mfma(32, 8, "bf16"), mfma(16, 16, "bf16")}, problem);
    ASSERT_TRUE(tiling);
    EXPECT_TRUE(isLayoutOf(tiling->accumulator, {64, columns})) << tiling->accumulator.str();
    EXPECT_TRUE(isLayoutOf(tiling->b, {columns, 32})) << tiling->b.str();
  }
}
