// The error bound: an f32 implementation keeps it, wrong ones exceed it.
#include "Programs.h"
#include "passes/interpreter/Compute.h"

using namespace tilec;
using namespace tilec::test;
using namespace tilec::interpreter;

namespace {

struct Example {
  const char *path;
  std::vector<int64_t> extents; ///< M, N, K
  unsigned output;
};

const Example examples[] = {{"03_matmul/matmul.mlir", {200, 136, 72}, 4},
                            {"04_all_gather_matmul/all_gather_matmul.mlir", {200, 136, 72}, 2},
                            {"05_matmul_all_scatter/matmul_all_scatter.mlir", {200, 136, 72}, 2},
                            {"06_matmul_reduce_scatter/matmul_reduce_scatter.mlir", {100, 136, 72}, 2},
                            {"07_matmul_all_reduce/matmul_all_reduce.mlir", {200, 136, 72}, 2}};
constexpr int64_t world = 3;

std::unique_ptr<Oracle> prepared(const Example &example) {
  auto oracle = std::make_unique<Oracle>(Oracle::example(example.path), world);
  EXPECT_TRUE(oracle->begin(example.extents)) << oracle->diagnostics;
  fillInputs(*oracle->oracle, 11, 0);
  return oracle;
}

/// An argument whose columns [8, 40) are zero: what a product misses that skips one step of 32 in K. Only the first
/// operand of the product, argument 0 in every example, has K as its last dimension.
void dropStep(Buffer &buffer) {
  for (int64_t row = 0; row < buffer.shape[0]; ++row)
    for (int64_t k = 8; k < 40; ++k)
      buffer.real[row * buffer.shape[1] + k] = 0;
}

} // namespace

TEST(Bound, ZeroOutputExceeds) {
  for (const Example &example : examples) {
    auto oracle = prepared(example);
    ASSERT_TRUE(oracle->run()) << oracle->diagnostics;
    for (int64_t rank = 0; rank < world; ++rank) {
      Buffer &result = oracle->argument(rank, example.output), zero = result;
      EXPECT_TRUE(compare(result, result).isWithin());
      std::fill(zero.real.begin(), zero.real.end(), 0.0);
      Comparison comparison = compare(result, zero);
      EXPECT_GT(comparison.exceeded, result.size() * 9 / 10) << example.path;
    }
  }
}

TEST(Bound, OneMissingStepExceeds) {
  for (const Example &example : examples) {
    auto right = prepared(example), wrong = prepared(example);
    dropStep(wrong->argument(1, 0));
    ASSERT_TRUE(right->run() && wrong->run());
    Comparison comparison = compare(right->argument(1, example.output), wrong->argument(1, example.output));
    EXPECT_GT(comparison.exceeded, right->argument(1, example.output).size() / 5) << example.path;
  }
}

TEST(Bound, OneSwappedTileExceeds) {
  for (const Example &example : examples) {
    auto oracle = prepared(example);
    ASSERT_TRUE(oracle->run()) << oracle->diagnostics;
    Buffer &result = oracle->argument(2, example.output), swapped = result;
    int64_t columns = result.shape[1];
    for (int64_t row = 0; row < 32; ++row)
      for (int64_t column = 0; column < 32; ++column)
        std::swap(swapped.real[row * columns + column], swapped.real[row * columns + 64 + column]);
    EXPECT_GT(compare(result, swapped).exceeded, 2 * 32 * 32 * 9 / 10) << example.path;
  }
}

TEST(Bound, PoisonExceeds) {
  auto oracle = prepared(examples[1]);
  ASSERT_TRUE(oracle->run()) << oracle->diagnostics;
  Buffer &result = oracle->argument(0, 2), poisoned = result;
  poisoned.real[17] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(compare(result, poisoned).exceeded, 1);
  EXPECT_EQ(compare(result, poisoned).closest.element, 17);
}

/// The same program in f32, in two orders of summation, rounding after every operation as a GPU does.
static std::vector<double> f32AllReduce(Oracle &oracle, bool reversed) {
  const Buffer &shape = oracle.argument(0, 2);
  int64_t rows = shape.shape[0], columns = shape.shape[1], depth = oracle.argument(0, 0).shape[1];
  std::vector<double> result(rows * columns);
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j) {
      float total = 0;
      for (int64_t rank = 0; rank < world; ++rank) {
        float sum = 0;
        for (int64_t n = 0; n < depth; ++n) {
          int64_t k = reversed ? depth - 1 - n : n;
          sum += static_cast<float>(oracle.reals(rank, 0)[i * depth + k]) *
                 static_cast<float>(oracle.reals(rank, 1)[j * depth + k]);
        }
        total += sum;
      }
      result[i * columns + j] = shape.format.round(total);
    }
  return result;
}

TEST(Bound, F32ImplementationsStayWithin) {
  for (bool reversed : {false, true}) {
    auto oracle = prepared(examples[4]);
    std::vector<double> computed = f32AllReduce(*oracle, reversed);
    ASSERT_TRUE(oracle->run()) << oracle->diagnostics;
    Buffer implementation = oracle->argument(0, 2);
    implementation.real = computed;
    Comparison comparison = compare(oracle->argument(0, 2), implementation);
    EXPECT_TRUE(comparison.isWithin()) << comparison.closest.usage;
  }
}

TEST(Bound, CopiesAreExact) {
  Oracle oracle(Oracle::example("00_copy/copy.mlir"), 2);
  ASSERT_TRUE(oracle.begin({100})) << oracle.diagnostics;
  fillInputs(*oracle.oracle, 3, 1);
  ASSERT_TRUE(oracle.run()) << oracle.diagnostics;
  Buffer wrong = oracle.argument(1, 1);
  EXPECT_TRUE(wrong.isExact());
  wrong.real[5] = std::nextafterf(wrong.real[5], 2);
  Comparison comparison = compare(oracle.argument(1, 1), wrong);
  EXPECT_EQ(comparison.exceeded, 1);
  EXPECT_EQ(comparison.closest.usage, infinity);
}

TEST(Bound, TheLargestErrorNeedNotBeTheClosestToItsBound) {
  Oracle oracle(Oracle::example("00_copy/copy.mlir"), 2);
  ASSERT_TRUE(oracle.begin({100})) << oracle.diagnostics;
  Buffer right = oracle.argument(0, 0);
  right.error.assign(right.size(), 0x1p-4);
  right.error[3] = 8;
  std::fill(right.real.begin(), right.real.end(), 0.0);
  Buffer wrong = right;
  wrong.real[3] = 1;
  wrong.real[7] = 0x1p-5;
  Comparison comparison = compare(right, wrong);
  EXPECT_TRUE(comparison.isWithin());
  EXPECT_EQ(comparison.largest.element, 3);
  EXPECT_EQ(comparison.largest.error, 1);
  EXPECT_EQ(comparison.largest.bound, 8);
  EXPECT_EQ(comparison.closest.element, 7);
  EXPECT_EQ(comparison.closest.usage, 0.5);
}

TEST(Bound, UndeterminedIntegersAreReported) {
  Oracle oracle(R"(
    tile.program @p(%b: memref<4xi32>) {
      %scratch = tile.alloc [4] : memref<4xi32>
      tile.forall (%n) in [1] {
        %t = tile.load %scratch[%n] tile [4] : memref<4xi32> -> tensor<4xi32>
        tile.store %t, %b[%n] : tensor<4xi32>, memref<4xi32>
      }
    })",
                1);
  ASSERT_TRUE(oracle.begin({}));
  ASSERT_TRUE(oracle.run()) << oracle.diagnostics;
  EXPECT_EQ(compare(oracle.argument(0, 0), oracle.argument(0, 0)).undetermined, 4);
}

TEST(Bound, SumsThatMayBeFastLoseMore) {
  mlir::MLIRContext context;
  const Format narrow = *Format::get(mlir::Float8E4M3FNType::get(&context));
  const Format wide = *Format::get(mlir::Float32Type::get(&context));
  Elements lhs(narrow, {1, 32}), rhs(narrow, {1, 32});
  std::fill(lhs.real.begin(), lhs.real.end(), 1.0);
  std::fill(rhs.real.begin(), rhs.real.end(), 1.0);
  const double exact = dot(lhs, rhs, nullptr, /*transposed=*/true, wide).error[0];
  const double fast = dot(lhs, rhs, nullptr, /*transposed=*/true, wide, tile::Accumulation::Fast).error[0];
  EXPECT_LT(exact, 2e-4);
  // Each of the products may lose a unit of the last of 14 bits.
  EXPECT_GE(fast, 32 * 0x1p-13);
  EXPECT_LT(fast, 1);
}

TEST(Bound, PromotedSumsLoseWhatTheirGroupsLose) {
  mlir::MLIRContext context;
  const Format narrow = *Format::get(mlir::Float8E4M3FNType::get(&context));
  const Format wide = *Format::get(mlir::Float32Type::get(&context));
  constexpr int64_t depth = 2048, group = 128;
  Elements lhs(narrow, {1, depth}), rhs(narrow, {1, depth});
  std::fill(lhs.real.begin(), lhs.real.end(), 1.0);
  std::fill(rhs.real.begin(), rhs.real.end(), 1.0);
  auto errorOf = [&](tile::Accumulation accumulation) {
    return dot(lhs, rhs, nullptr, /*transposed=*/true, wide, accumulation).error[0];
  };
  const double promoted = errorOf(tile::Accumulation::Promoted);
  // Each product of a group may lose a unit in the last of 14 bits of the group's sum, not of the whole one.
  EXPECT_GE(promoted, depth * group * 0x1p-13);
  EXPECT_LT(promoted, 1.1 * depth * group * 0x1p-13);
  EXPECT_GT(promoted, 50 * errorOf(tile::Accumulation::Exact));
  EXPECT_GT(errorOf(tile::Accumulation::Fast), 10 * promoted);
}

/// Doubles hold 53 bits of them.
TEST(Bound, WholesThatDifferInTheLastBit) {
  Buffer oracle(Format(), {2}), implementation(Format(), {2});
  oracle.whole = {int64_t(1) << 60, 5};
  implementation.whole = oracle.whole;
  EXPECT_TRUE(compare(oracle, implementation).isWithin());
  ++implementation.whole[0];
  EXPECT_EQ(compare(oracle, implementation).exceeded, 1);
}
