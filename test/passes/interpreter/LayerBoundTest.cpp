// The bound of a whole decoder layer: finite, small beside the result, and exceeded by what is wrong.
#include "Programs.h"

using namespace tilec;
using namespace tilec::test;
using namespace tilec::interpreter;

namespace {

enum Argument : unsigned { X, Gamma1, Qkv, O, Gamma2, Gate, Up, Down, Y };

std::unique_ptr<Oracle> layer() {
  auto oracle = std::make_unique<Oracle>(Oracle::example("../test/run/coverage/decoder-layer.mlir"), 1);
  EXPECT_TRUE(oracle->begin({70, 72})) << oracle->diagnostics;
  fillInputs(*oracle->oracle, 5, 0);
  // As trained weights are: products keep the size of their input.
  for (Argument weights : {Qkv, O, Gate, Up, Down})
    for (double &weight : oracle->argument(0, weights).real)
      weight /= 8;
  return oracle;
}

/// What a product of a row-major matrix whose last dimension is K misses without columns [first, first + 32).
void dropStep(Buffer &buffer, int64_t first) {
  for (int64_t row = 0; row < buffer.shape[0]; ++row)
    for (int64_t k = first; k < first + 32; ++k)
      buffer.real[row * buffer.shape[1] + k] = 0;
}

} // namespace

TEST(LayerBound, IsSmallBesideTheResult) {
  auto oracle = layer();
  ASSERT_TRUE(oracle->run()) << oracle->diagnostics;
  const Buffer &y = oracle->argument(0, Y);
  double most = *std::max_element(y.error.begin(), y.error.end());
  std::printf("largest bound %g, largest element %g\n", most, largestMagnitude(y));
  EXPECT_LT(most, largestMagnitude(y) / 4);
}

TEST(LayerBound, ZeroOutputExceeds) {
  auto oracle = layer();
  ASSERT_TRUE(oracle->run()) << oracle->diagnostics;
  Buffer zero = oracle->argument(0, Y);
  std::fill(zero.real.begin(), zero.real.end(), 0.0);
  EXPECT_GT(compare(oracle->argument(0, Y), zero).exceeded, zero.size() / 2);
}

TEST(LayerBound, OneMissingStepOfEveryProductExceeds) {
  for (Argument weights : {Qkv, O, Gate, Up, Down}) {
    auto right = layer(), wrong = layer();
    dropStep(wrong->argument(0, weights), 8);
    ASSERT_TRUE(right->run() && wrong->run());
    EXPECT_GT(compare(right->argument(0, Y), wrong->argument(0, Y)).exceeded, 0) << "argument " << weights;
  }
}

TEST(LayerBound, OneSwappedTileExceeds) {
  auto oracle = layer();
  ASSERT_TRUE(oracle->run()) << oracle->diagnostics;
  Buffer swapped = oracle->argument(0, Y);
  for (int64_t row = 0; row < 32; ++row)
    for (int64_t column = 0; column < 32; ++column)
      std::swap(swapped.real[row * 64 + column], swapped.real[row * 64 + 32 + column]);
  EXPECT_GT(compare(oracle->argument(0, Y), swapped).exceeded, 2 * 32 * 32 / 2);
}

namespace {

/// Runs `body`, which makes %r of %x, on one row of four elements with these errors; returns the row that was stored.
Buffer ofUncertain(const std::string &body, std::vector<double> values, std::vector<double> errors) {
  Oracle oracle(R"(tile.program @p(%a: memref<1x4xf32>, %b: memref<1x4xf32>) {
      tile.forall (%n) in [1] {
        %zero = arith.constant 0 : index
        %x = tile.load %a[%zero, %zero] tile [1, 4] : memref<1x4xf32> -> tensor<1x4xf32>
        )" + body + R"(
        tile.store %r, %b[%zero, %zero] : tensor<1x4xf32>, memref<1x4xf32>
      }
    })",
                1);
  EXPECT_TRUE(oracle.begin({})) << oracle.diagnostics;
  oracle.fill(0, 0, std::move(values));
  oracle.argument(0, 0).error = std::move(errors);
  EXPECT_TRUE(oracle.run()) << oracle.diagnostics;
  return oracle.argument(0, 1);
}

const std::string difference = R"(
        %max = tile.reduce maximum %x dim 1 : tensor<1x4xf32> -> tensor<1xf32>
        %maxima = tile.broadcast %max dims [0] tile [1, 4] : tensor<1xf32> -> tensor<1x4xf32>
        %d = arith.subf %x, %maxima : tensor<1x4xf32>)";
const std::string softmax = difference + R"(
        %e = math.exp %d : tensor<1x4xf32>
        %sum = tile.reduce add %e dim 1 : tensor<1x4xf32> -> tensor<1xf32>
        %sums = tile.broadcast %sum dims [0] tile [1, 4] : tensor<1xf32> -> tensor<1x4xf32>
        %r = arith.divf %e, %sums : tensor<1x4xf32>)";

} // namespace

TEST(Limits, AnOperandThatCertainlyLosesAddsNoError) {
  Buffer greater = ofUncertain(R"(%c = tile.splat 1.0 [1, 4] : tensor<1x4xf32>
                                  %r = arith.maximumf %x, %c : tensor<1x4xf32>)",
                               {-1e30, 3, 1, 0.75}, {6e22, 0.125, 0.5, 0.5});
  EXPECT_EQ(greater.errorAt(0), 0);
  EXPECT_EQ(greater.errorAt(1), 0.125);
  EXPECT_EQ(greater.errorAt(2), 0.5);
  EXPECT_EQ(greater.errorAt(3), 0.25);
}

TEST(Limits, TheCertainMaximumMinusItselfIsZero) {
  Buffer result =
      ofUncertain(difference + "%r = arith.addf %d, %d : tensor<1x4xf32>", {5, 1, 4.5, -2}, {0.5, 0.25, 0.5, 0});
  // 5 and 4.5 may both win.
  EXPECT_NEAR(result.errorAt(0), 1, 1e-6);
  EXPECT_NEAR(result.errorAt(1), 1.5, 1e-6);
  result =
      ofUncertain(difference + "%r = arith.addf %d, %d : tensor<1x4xf32>", {5, 1, 4.5, -2}, {0.125, 0.25, 0.125, 0});
  EXPECT_EQ(result.errorAt(0), 0);
}

TEST(Limits, ProductsReachASubtractionUnrounded) {
  Buffer result = ofUncertain(R"(%y = arith.mulf %x, %x : tensor<1x4xf32>
        %max = tile.reduce maximum %y dim 1 : tensor<1x4xf32> -> tensor<1xf32>
        %maxima = tile.broadcast %max dims [0] tile [1, 4] : tensor<1xf32> -> tensor<1x4xf32>
        %r = arith.subf %y, %maxima : tensor<1x4xf32>)",
                              {1.1f, 1, 0.5, 0}, {});
  // A fused multiply-add yields what rounding 1.1f * 1.1f loses.
  double lost = std::abs(double(1.1f) * 1.1f - float(double(1.1f) * 1.1f));
  EXPECT_GT(lost, 0);
  EXPECT_GE(result.errorAt(0), lost);
  EXPECT_LE(result.errorAt(0), 1e-6);
}

TEST(Limits, SoftmaxOfUnknownScoresIsWithinZeroAndOne) {
  Buffer result = ofUncertain(softmax, {0, 0, 0, 0}, {100, 100, 100, 100});
  for (int i = 0; i < 4; ++i) {
    EXPECT_GE(result.errorAt(i), 0.75);
    EXPECT_LE(result.errorAt(i), 4.1) << "the sum is at least 1";
  }
}

TEST(Limits, ASumThatMayBeZeroKeepsNoLimit) {
  Buffer result = ofUncertain(R"(%sum = tile.reduce add %x dim 1 : tensor<1x4xf32> -> tensor<1xf32>
        %sums = tile.broadcast %sum dims [0] tile [1, 4] : tensor<1xf32> -> tensor<1x4xf32>
        %r = arith.divf %x, %sums : tensor<1x4xf32>)",
                              {1, 0, 0, 0}, {1, 1, 0, 0});
  EXPECT_EQ(result.errorAt(0), infinity);
}
