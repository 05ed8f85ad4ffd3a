// The oracle goes on with what an implementation left in scratch; what is wrong still exceeds its bound.
#include "Programs.h"

using namespace tilec;
using namespace tilec::test;
using namespace tilec::interpreter;

namespace {

/// Position of an alloc in its program: programs are parsed once for each oracle.
tile::AllocOp allocAt(Interpreter &oracle, size_t position) {
  tile::ProgramOp program = oracle.getProgram();
  return *std::next(program.getBody().getOps<tile::AllocOp>().begin(), static_cast<std::ptrdiff_t>(position));
}

/// Runs `right` on the scratch that another oracle's run left.
bool follow(Oracle &right, Oracle &implementation) {
  auto left = [&](tile::AllocOp alloc, int64_t rank, const Buffer &) -> std::optional<Buffer> {
    size_t position = 0;
    while (allocAt(*right.oracle, position) != alloc)
      ++position;
    return implementation.oracle->scratch(rank, allocAt(*implementation.oracle, position));
  };
  return llvm::succeeded(right.oracle->run(left));
}

/// h is x, rounded to bf16; y is 1000 h.
constexpr const char *rounds = R"(tile.program @p(%x: memref<1x4xf32>, %y: memref<1x4xf32>) {
  %h = tile.alloc [1, 4] : memref<1x4xbf16>
  tile.forall (%n) in [1] {
    %zero = arith.constant 0 : index
    %t = tile.load %x[%zero, %zero] tile [1, 4] : memref<1x4xf32> -> tensor<1x4xf32>
    %narrow = arith.truncf %t : tensor<1x4xf32> to tensor<1x4xbf16>
    tile.store %narrow, %h[%zero, %zero] : tensor<1x4xbf16>, memref<1x4xbf16>
  }
  tile.forall (%n) in [1] {
    %zero = arith.constant 0 : index
    %t = tile.load %h[%zero, %zero] tile [1, 4] : memref<1x4xbf16> -> tensor<1x4xbf16>
    %wide = arith.extf %t : tensor<1x4xbf16> to tensor<1x4xf32>
    %thousand = tile.splat 1000.0 [1, 4] : tensor<1x4xf32>
    %r = arith.mulf %wide, %thousand : tensor<1x4xf32>
    tile.store %r, %y[%zero, %zero] : tensor<1x4xf32>, memref<1x4xf32>
  }
})";
/// A tie of two neighbours in bf16, and the neighbours.
constexpr double tie = 1 + 0x1p-8, below = 1, above = 1 + 0x1p-7;

/// y where `h` was left in scratch, and the elements of x, ties all, are uncertain by `error`.
Buffer following(std::vector<double> h, double error, bool agrees) {
  Oracle oracle(rounds, 1);
  EXPECT_TRUE(oracle.begin({})) << oracle.diagnostics;
  oracle.fill(0, 0, std::vector<double>(4, tie));
  oracle.argument(0, 0).error.assign(4, error);
  auto left = [&](tile::AllocOp, int64_t, const Buffer &like) -> std::optional<Buffer> {
    Buffer result(like.format, like.shape);
    result.real = h;
    return result;
  };
  EXPECT_TRUE(llvm::succeeded(oracle.oracle->run(left))) << oracle.diagnostics;
  EXPECT_TRUE(oracle.oracle->hasInexactScratch());
  EXPECT_EQ(oracle.oracle->getFollowed().size(), 1u);
  EXPECT_EQ(oracle.oracle->getFollowed().front().agrees, agrees);
  return oracle.argument(0, 1);
}

} // namespace

TEST(Following, TheOtherNeighbourIsNoErrorInWhatComesAfterIt) {
  Buffer y = following({below, above, below, above}, 1e-6, true);
  EXPECT_EQ(y.real, (std::vector<double>{1000 * below, 1000 * above, 1000 * below, 1000 * above}));
  for (int64_t i = 0; i < 4; ++i)
    EXPECT_LT(y.errorAt(i), 1e-3);
}

TEST(Following, OneElementBeyondItsBoundLeavesTheOracleItsOwn) {
  Buffer y = following({above, above, 1 + 0x1p-6, above}, 1e-6, false);
  EXPECT_EQ(y.real, std::vector<double>(4, 1000 * below));
  for (int64_t i = 0; i < 4; ++i)
    EXPECT_GE(y.errorAt(i), 1000 * (above - below));
}

TEST(Following, ABoundThatAcceptsAnythingIsNotFollowed) {
  Buffer y = following({2, above, below, 0}, 3, false);
  EXPECT_GE(y.errorAt(0), 1000);
}

TEST(Following, WhatNobodyWroteIsNotFollowed) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Buffer y = following({nan, nan, nan, nan}, 1e-6, false);
  EXPECT_EQ(y.real[0], 1000 * below);
}

namespace {

/// Programs as their authors write them. The bound of a decoder layer says nothing with the usual inputs unless scratch
/// is followed.
struct Workload {
  const char *path;
  std::vector<int64_t> extents;
  std::vector<unsigned> weights; ///< operands of products, with K of at least 40 as their last dimension
  unsigned output;
};
const Workload workloads[] = {{"17_decoder_layer/decoder_layer.mlir", {70, 72}, {2, 3, 5, 6, 7}, 8},
                              {"11_flash_decode/flash_decode.mlir", {1, 150}, {0, 1}, 3},
                              {"10_flash_attention/flash_attention.mlir", {1, 70}, {0, 1}, 3},
                              {"13_ulysses/ulysses.mlir", {1, 40}, {0, 1}, 3},
                              {"../test/run/workloads/ring-attention.mlir", {1, 70}, {0, 1}, 3},
                              {"18_kernels/conv2d.mlir", {1, 5, 40, 40, 72}, {0}, 3},
                              {"14_tensor_parallel_mlp/tensor_parallel_mlp.mlir", {40, 72, 72}, {1, 2, 3}, 4}};
constexpr int64_t world = 2;

std::unique_ptr<Oracle> prepared(const Workload &workload) {
  auto oracle = std::make_unique<Oracle>(Oracle::example(workload.path), world);
  EXPECT_TRUE(oracle->begin(workload.extents)) << oracle->diagnostics;
  fillInputs(*oracle->oracle, 5, 0);
  return oracle;
}

void dropStep(Buffer &buffer) {
  int64_t depth = buffer.shape.back();
  for (int64_t i = 0, n = buffer.size(); i < n; ++i)
    if (i % depth >= 8 && i % depth < 40)
      buffer.real[i] = 0;
}

/// How the output of a rank compares after the oracle has followed an implementation.
Comparison judged(const Workload &workload, Oracle &implementation, int64_t rank = 0) {
  auto right = prepared(workload);
  EXPECT_TRUE(follow(*right, implementation)) << right->diagnostics;
  const Buffer &expected = right->argument(rank, workload.output);
  return compare(expected, implementation.argument(rank, workload.output), largestMagnitude(expected));
}

} // namespace

TEST(Following, WorkloadsAreJudgedWithASmallBound) {
  for (const Workload &workload : workloads) {
    auto oracle = prepared(workload), right = prepared(workload);
    ASSERT_TRUE(oracle->run()) << oracle->diagnostics;
    EXPECT_TRUE(judged(workload, *oracle).isWithin()) << workload.path;
    ASSERT_TRUE(follow(*right, *oracle));
    for (const Followed &found : right->oracle->getFollowed())
      EXPECT_TRUE(found.agrees) << workload.path;
    const Buffer &result = right->argument(1, workload.output);
    double most = result.isExact() ? 0 : *std::max_element(result.error.begin(), result.error.end());
    EXPECT_LE(most, largestMagnitude(result) / 128) << workload.path;
  }
}

TEST(Following, ZeroOutputExceeds) {
  for (const Workload &workload : workloads) {
    auto wrong = prepared(workload);
    ASSERT_TRUE(wrong->run()) << wrong->diagnostics;
    Buffer &output = wrong->argument(0, workload.output);
    std::fill(output.real.begin(), output.real.end(), 0.0);
    // A ReLU leaves about half of them zero.
    EXPECT_GT(judged(workload, *wrong).exceeded, output.size() * 2 / 5) << workload.path;
  }
}

TEST(Following, OneMissingStepOfEveryProductExceeds) {
  for (const Workload &workload : workloads)
    for (unsigned weights : workload.weights) {
      auto wrong = prepared(workload);
      dropStep(wrong->argument(0, weights));
      ASSERT_TRUE(wrong->run()) << wrong->diagnostics;
      EXPECT_GT(judged(workload, *wrong).exceeded, 0) << workload.path << ", argument " << weights;
    }
}

TEST(Following, OneSwappedTileExceeds) {
  for (const Workload &workload : workloads) {
    auto wrong = prepared(workload);
    ASSERT_TRUE(wrong->run()) << wrong->diagnostics;
    Buffer &output = wrong->argument(0, workload.output);
    int64_t columns = output.shape.back(), rows = std::min<int64_t>(output.size() / columns, 32);
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t column = 0; column < 32; ++column)
        std::swap(output.real[row * columns + column], output.real[row * columns + 32 + column]);
    EXPECT_GT(judged(workload, *wrong).exceeded, rows * 20) << workload.path;
  }
}
