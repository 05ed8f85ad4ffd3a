// Swizzles: against the formula of the contract, and conflicts counted by brute force over every access.
// Belongs here: BankConflicts on the committed targets. Does not: where tiles lie in LDS.
#include "passes/machine/BankConflicts.h"

#include "passes/machine/BlockedLayout.h"
#include "passes/machine/Target.h"
#include <gtest/gtest.h>
#include <map>
#include <set>

using namespace tilec;

namespace {

Target target(const char *name) {
  std::string error;
  std::optional<Target> target = loadTarget(name, {TILEC_TEST_TARGETS}, error);
  EXPECT_TRUE(target) << error;
  return target ? *target : Target();
}

std::shared_ptr<const MatrixInstruction> instruction(const Target &target, llvm::StringRef name, llvm::StringRef type) {
  for (const MatrixInstructionInfo &info : target.matrix)
    if (info.name == name && llvm::is_contained(info.operands, type.str()))
      return MatrixInstruction::create(info);
  ADD_FAILURE() << "no instruction " << name.str();
  return nullptr;
}

// Conflicts of moving the tile, from the contract's formula alone: every wave, every vector, every phase.
int64_t bruteForce(const LinearLayout &layout, const Swizzle &s, int64_t elementBytes, const SharedMemory &memory,
                   bool write) {
  int64_t bytes = sharedAccessBytes(layout, s, elementBytes), cols = layout.outputSize(1), conflicts = 0;
  SharedAccessRule rule = memory.rule(bytes, write);
  for (int64_t wave = 0; wave < layout.inputSize("wave"); ++wave)
    for (int64_t r = 0; r < layout.inputSize("register"); ++r) {
      if (write && (wave & layout.replicationMask("wave") || r & layout.replicationMask("register")))
        continue;
      auto address = [&](int64_t lane) {
        LinearLayout::Point p = layout.at(r, lane, wave);
        int64_t row = p[0], col = p[1];
        return elementBytes *
               (row * cols + ((col / s.vector) ^ ((row / s.perPhase) % s.phases)) * s.vector + col % s.vector);
      };
      if (address(0) % bytes != 0)
        continue; // moved with the register that holds the first element
      for (const std::vector<unsigned> &phase : rule.phases) {
        std::map<int64_t, std::set<int64_t>> banks;
        for (unsigned lane : phase) {
          if (write && lane & layout.replicationMask("lane"))
            continue;
          EXPECT_EQ(address(lane) % bytes, 0);
          for (int64_t byte = address(lane); byte < address(lane) + bytes; ++byte)
            banks[byte / memory.bankBytes % rule.banks].insert(byte / memory.bankBytes);
        }
        size_t most = 1;
        for (const auto &[bank, words] : banks)
          most = std::max(most, words.size());
        conflicts += most - 1;
      }
    }
  return conflicts;
}

struct Operand {
  const char *target, *instruction, *type;
  int64_t rows, cols, pack;
};

} // namespace

TEST(BankConflicts, OffsetsFollowTheContract) {
  for (Swizzle s : {Swizzle{1, 1, 1}, Swizzle{8, 2, 4}, Swizzle{4, 1, 8}, Swizzle{2, 4, 2}}) {
    LinearLayout offsets = sharedOffsets({64, 32}, s);
    EXPECT_TRUE(offsets.isBijective());
    for (int64_t row = 0; row < 64; ++row)
      for (int64_t col = 0; col < 32; ++col)
        ASSERT_EQ(offsets.apply({row, col})[0],
                  row * 32 + ((col / s.vector) ^ ((row / s.perPhase) % s.phases)) * s.vector + col % s.vector);
  }
  EXPECT_EQ(sharedOffsets({16}, {}).apply({11})[0], 11);
  // Leading dimensions count as rows.
  EXPECT_EQ(sharedOffsets({4, 8, 16}, {4, 1, 4}).apply({1, 1, 0})[0], 9 * 16 + 4);
}

TEST(BankConflicts, ChecksSwizzles) {
  EXPECT_EQ(checkSwizzle({8, 2, 4}, {128, 32}), "");
  EXPECT_EQ(checkSwizzle({8, 2, 8}, {128, 32}), "swizzle spans 64 columns, expected at most 32");
  EXPECT_EQ(checkSwizzle({8, 3, 4}, {128, 32}), "swizzle numbers must be powers of two, got 3");
  EXPECT_EQ(checkSwizzle({0, 1, 1}, {128, 32}), "swizzle numbers must be powers of two, got 0");
  EXPECT_EQ(checkSwizzle({}, {}), "a tile in lds must have a dimension");
}

TEST(BankConflicts, RulesFallBackToConsecutiveLanes) {
  SharedMemory lds = target("gfx942").lds;
  EXPECT_EQ(lds.rule(16, false).phases[0], (std::vector<unsigned>{0, 1, 2, 3, 20, 21, 22, 23}));
  EXPECT_EQ(lds.rule(16, true).phases.size(), 8u);
  EXPECT_EQ(lds.rule(16, true).phases[1].front(), 8u);
  EXPECT_EQ(lds.rule(8, false).phases.size(), 4u);
  EXPECT_EQ(lds.rule(4, false).phases.size(), 2u);
  EXPECT_EQ(lds.rule(2, false).phases.size(), 2u);
  EXPECT_EQ(target("gfx950").lds.rule(16, false).phases.size(), 4u);
}

// Operand tiles of the matmuls: written in blocked vectors, read as operands, by four waves.
TEST(BankConflicts, OperandTilesAreFreeOfConflicts) {
  const Operand operands[] = {
      {"gfx942", "Mfma32x32x8", "bf16", 128, 32, 16},       {"gfx942", "Mfma32x32x8", "bf16", 128, 64, 16},
      {"gfx942", "Mfma16x16x16", "bf16", 128, 32, 16},      {"gfx942", "Mfma16x16x16", "bf16", 128, 64, 16},
      {"gfx942", "Mfma32x32x8", "bf16", 128, 32, 0},        {"gfx942", "Mfma32x32x8", "bf16", 128, 64, 0},
      {"gfx942", "Mfma16x16x16", "bf16", 128, 32, 0},       {"gfx942", "Mfma16x16x16", "bf16", 128, 64, 0},
      {"gfx950", "Mfma32x32x16", "bf16", 128, 32, 16},      {"gfx950", "Mfma32x32x16", "bf16", 128, 64, 16},
      {"gfx950", "Mfma16x16x32", "bf16", 128, 32, 16},      {"gfx950", "Mfma16x16x32", "bf16", 256, 64, 16},
      {"gfx950", "Mfma16x16x32", "f8E4M3FN", 128, 128, 16}, {"gfx942", "Mfma16x16x32", "f8E4M3FNUZ", 128, 128, 16},
      {"gfx942", "Mfma32x32x2", "f32", 128, 32, 16},        {"gfx942", "Mfma16x16x4", "f32", 64, 32, 16},
  };
  for (const Operand &operand : operands) {
    SCOPED_TRACE(std::string(operand.target) + " " + operand.instruction + " " + std::to_string(operand.rows) + "x" +
                 std::to_string(operand.cols) + " pack to " + std::to_string(operand.pack));
    Target machine = target(operand.target);
    auto matrix = instruction(machine, operand.instruction, operand.type);
    ASSERT_TRUE(matrix);
    std::string why;
    std::optional<MatrixTiling> tiling = tileInstruction(
        matrix, {operand.rows, operand.rows, operand.cols, operand.type, "f32", 4, operand.pack}, 2, 2, &why);
    ASSERT_TRUE(tiling) << why;
    LinearLayout blocked = blockedLayout({operand.rows, operand.cols}, {4, 64}, matrix->elementBytes());
    SharedChoice choice =
        chooseSwizzle({operand.rows, operand.cols}, matrix->elementBytes(), blocked, tiling->a, machine.lds);
    EXPECT_EQ(choice.reads.conflicts, 0);
    EXPECT_EQ(choice.writes.conflicts, 0);
    EXPECT_EQ(checkSwizzle(choice.swizzle, {operand.rows, operand.cols}), "");
    for (Swizzle swizzle : {choice.swizzle, Swizzle{}}) {
      SharedCost reads = sharedCost(tiling->a, swizzle, matrix->elementBytes(), machine.lds, false);
      SharedCost writes = sharedCost(blocked, swizzle, matrix->elementBytes(), machine.lds, true);
      EXPECT_EQ(reads.conflicts, bruteForce(tiling->a, swizzle, matrix->elementBytes(), machine.lds, false));
      EXPECT_EQ(writes.conflicts, bruteForce(blocked, swizzle, matrix->elementBytes(), machine.lds, true));
    }
    // Plain row-major does conflict, so there was something to avoid.
    EXPECT_GT(sharedCost(tiling->a, {}, matrix->elementBytes(), machine.lds, false).conflicts, 0);
  }
}

TEST(BankConflicts, ChoosesTheSwizzleOfTheContract) {
  // 128x32 bf16 for 32x32x8, as in the example of docs/text-contract.md; 16x16x16 shares it, because between equals the
  // choice also holds for phases of consecutive lanes.
  Target machine = target("gfx942");
  for (const char *name : {"Mfma32x32x8", "Mfma16x16x16"}) {
    std::optional<MatrixTiling> tiling =
        tileInstruction(instruction(machine, name, "bf16"), {128, 128, 32, "bf16", "f32", 4}, 2, 2);
    ASSERT_TRUE(tiling);
    SharedChoice choice = chooseSwizzle({128, 32}, 2, blockedLayout({128, 32}, {4, 64}, 2), tiling->a, machine.lds);
    EXPECT_EQ(choice.swizzle, (Swizzle{8, 2, 4})) << name;
    EXPECT_EQ(sharedAccessBytes(tiling->a, choice.swizzle, 2), 16);
  }
}

TEST(BankConflicts, AccumulatorsThroughLds) {
  // An epilogue that goes from the accumulator to coalesced rows, both ways counted.
  Target machine = target("gfx942");
  std::optional<MatrixTiling> tiling =
      tileInstruction(instruction(machine, "Mfma32x32x8", "bf16"), {128, 128, 32, "bf16", "f32", 4}, 2, 2);
  ASSERT_TRUE(tiling);
  LinearLayout blocked = blockedLayout({128, 128}, {4, 64}, 2);
  SharedChoice choice = chooseSwizzle({128, 128}, 2, tiling->accumulator, blocked, machine.lds);
  EXPECT_EQ(choice.reads.conflicts, bruteForce(blocked, choice.swizzle, 2, machine.lds, false));
  EXPECT_EQ(choice.writes.conflicts, bruteForce(tiling->accumulator, choice.swizzle, 2, machine.lds, true));
  EXPECT_EQ(choice.reads.conflicts, 0);
  SharedCost plain = sharedCost(tiling->accumulator, {}, 2, machine.lds, true);
  EXPECT_LT(choice.writes.conflicts, plain.conflicts);
}

// ldmatrix takes 16 bytes of each of eight rows at once; lanes that read four bytes each meet the same banks.
TEST(BankConflicts, WarpOperandsTakePartsOfEightRows) {
  Target machine = target("sm_90a");
  std::optional<MatrixTiling> tiling =
      tileInstruction(instruction(machine, "Mma16x8x16", "bf16"), {128, 128, 64, "bf16", "f32", 8}, 2, 4);
  ASSERT_TRUE(tiling);
  LinearLayout blocked = blockedLayout({128, 64}, {8, 32}, 2);
  EXPECT_GT(sharedCost(tiling->a, {}, 2, machine.lds, false).conflicts, 0);
  for (const LinearLayout &operand : {tiling->a, tiling->b}) {
    SharedChoice choice = chooseSwizzle({128, 64}, 2, blocked, operand, machine.lds);
    EXPECT_EQ(choice.swizzle, (Swizzle{8, 1, 8}));
    EXPECT_EQ(choice.reads.conflicts, 0);
    EXPECT_EQ(choice.writes.conflicts, 0);
    EXPECT_EQ(choice.reads.conflicts, bruteForce(operand, choice.swizzle, 2, machine.lds, false));
    EXPECT_EQ(sharedAccessBytes(operand, choice.swizzle, 2), 4);
  }
}

TEST(BankConflicts, TransposedOperands) {
  // B stored as K x N: written in vectors along n, read with the lanes along n and k in the registers.
  Target machine = target("gfx942");
  for (const char *name : {"Mfma32x32x8", "Mfma16x16x16"}) {
    std::optional<MatrixTiling> tiling =
        tileInstruction(instruction(machine, name, "bf16"), {128, 128, 32, "bf16", "f32", 4}, 2, 2);
    ASSERT_TRUE(tiling);
    LinearLayout blocked = blockedLayout({32, 128}, {4, 64}, 2), operand = tiling->bTransposed();
    SharedChoice choice = chooseSwizzle({32, 128}, 2, blocked, operand, machine.lds);
    EXPECT_EQ(choice.reads.conflicts, 0) << name;
    EXPECT_EQ(choice.writes.conflicts, 0) << name;
    EXPECT_EQ(choice.reads.conflicts, bruteForce(operand, choice.swizzle, 2, machine.lds, false));
    EXPECT_EQ(choice.writes.conflicts, bruteForce(blocked, choice.swizzle, 2, machine.lds, true));
    EXPECT_EQ(sharedAccessBytes(operand, choice.swizzle, 2), 2);
    EXPECT_EQ(sharedAccessBytes(blocked, choice.swizzle, 2), 16);
  }
}

TEST(BankConflicts, TransposesFoldTheirRows) {
  // V of attention, 64 keys of 128 columns: stored in runs of four keys by threads with eight columns each, read in
  // such runs by lanes with neighbouring columns.
  Target machine = target("gfx942");
  LinearLayout blocked = blockedLayout({64, 128}, {4, 64}, 2, 16, 4).transpose({1, 0});
  LinearLayout operand =
      LinearLayout::tile({{0, 1}, {0, 2}, {0, 8}, {0, 16}, {0, 32}, {32, 0}, {64, 0}},
                         {{1, 0}, {2, 0}, {4, 0}, {8, 0}, {16, 0}, {0, 4}}, {{0, 0}, {0, 0}}, {128, 64});
  SharedChoice choice = chooseSwizzle({128, 64}, 2, blocked, operand, machine.lds);
  EXPECT_EQ(choice.swizzle, (Swizzle{4, 1, 16, 8}));
  EXPECT_EQ(choice.reads.conflicts, 0);
  EXPECT_EQ(choice.writes.conflicts, 0);
  EXPECT_EQ(choice.reads.conflicts, bruteForce(operand, choice.swizzle, 2, machine.lds, false));
  EXPECT_GT(sharedCost(blocked, {4, 1, 16}, 2, machine.lds, true).conflicts, 0)
      << "rows eight apart meet without a fold";
  EXPECT_EQ(sharedAccessBytes(operand, choice.swizzle, 2), 8);
}
TEST(BankConflicts, VectorsMayLieInAnyRegisters) {
  // The first column bit is in the second register bit: one access still moves the pair.
  LinearLayout tile = LinearLayout::tile({{1, 0}, {0, 1}}, {{0, 2}, {0, 4}}, {}, {2, 8});
  EXPECT_EQ(tile.vectorWidth(), 1);
  EXPECT_EQ(sharedAccessBytes(tile, {}, 2), 4);
  // A swizzle that moves single elements by a row that a lane holds leaves no pair.
  LinearLayout rows = LinearLayout::tile({{0, 1}, {0, 2}}, {{1, 0}, {0, 4}}, {}, {2, 8});
  EXPECT_EQ(sharedAccessBytes(rows, {}, 2), 8);
  EXPECT_EQ(sharedAccessBytes(rows, {2, 1, 2}, 2), 4);
  EXPECT_EQ(sharedAccessBytes(rows, {1, 1, 2}, 2), 2);
}

TEST(BankConflicts, CopiesAreWrittenOnce) {
  LinearLayout tile = LinearLayout::tile({{0, 1}}, {{0, 2}, {1, 0}, {2, 0}, {4, 0}, {0, 0}, {0, 0}}, {{0, 0}}, {8, 4});
  SharedMemory lds = target("gfx942").lds;
  EXPECT_EQ(sharedCost(tile, {}, 4, lds, true).accesses, 1);
  EXPECT_EQ(sharedCost(tile, {}, 4, lds, false).accesses, 2);
  EXPECT_EQ(sharedCost(tile, {}, 4, lds, true).cycles, 1);
}
