// The logarithm of an online softmax's sum, and its maximum: their errors cancel, and what is left covers every
// implementation.
#include "Programs.h"

#include <random>

using namespace tilec;
using namespace tilec::test;
using namespace tilec::interpreter;

namespace {

/// lse: the logarithm of the sum of exponentials of 1 x 12 elements in three steps of four; `last` sums it and the
/// maximum.
std::string program(const std::string &last) {
  return R"(tile.program @p(%x: memref<1x12xf32>, %lse: memref<1xf32>) {
  tile.forall (%n) in [1] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %low = tile.splat -1.0e30 [1] : tensor<1xf32>
    %none = tile.splat 0.0 [1] : tensor<1xf32>
    %max, %sum = scf.for %k = %c0 to %c3 step %c1 iter_args(%m0 = %low, %s0 = %none) -> (tensor<1xf32>, tensor<1xf32>) {
      %t = tile.load %x[%c0, %k] tile [1, 4] : memref<1x12xf32> -> tensor<1x4xf32>
      %here = tile.reduce maximum %t dim 1 : tensor<1x4xf32> -> tensor<1xf32>
      %m1 = arith.maximumf %m0, %here : tensor<1xf32>
      %mb = tile.broadcast %m1 dims [0] tile [1, 4] : tensor<1xf32> -> tensor<1x4xf32>
      %d = arith.subf %t, %mb : tensor<1x4xf32>
      %p = math.exp %d : tensor<1x4xf32>
      %part = tile.reduce add %p dim 1 : tensor<1x4xf32> -> tensor<1xf32>
      %dm = arith.subf %m0, %m1 : tensor<1xf32>
      %shrink = math.exp %dm : tensor<1xf32>
      %old = arith.mulf %s0, %shrink : tensor<1xf32>
      %s1 = arith.addf %old, %part : tensor<1xf32>
      scf.yield %m1, %s1 : tensor<1xf32>, tensor<1xf32>
    }
    %tiny = tile.splat 1.0e-30 [1] : tensor<1xf32>
    %positive = arith.maximumf %sum, %tiny : tensor<1xf32>
    %log = math.log %positive : tensor<1xf32>
    )" + last +
         R"(
    tile.store %r, %lse[%c0] : tensor<1xf32>, memref<1xf32>
  }
})";
}
const std::string sum = "%r = arith.addf %log, %max : tensor<1xf32>";

std::vector<double> random(std::mt19937 &engine, double most) {
  std::uniform_real_distribution<double> uniform(-most, most);
  std::vector<double> result(12);
  for (double &one : result)
    one = static_cast<float>(uniform(engine));
  return result;
}

Buffer result(const std::string &last, std::vector<double> x, double error) {
  Oracle oracle(program(last), 1);
  EXPECT_TRUE(oracle.begin({})) << oracle.diagnostics;
  oracle.fill(0, 0, std::move(x));
  oracle.argument(0, 0).error.assign(12, error);
  EXPECT_TRUE(oracle.run()) << oracle.diagnostics;
  return oracle.argument(0, 1);
}

/// As a GPU computes it, every operation in f32, from elements that are off.
double implementation(const std::vector<double> &x) {
  float max = -1e30f, sum = 0;
  for (int step = 0; step < 3; ++step) {
    float before = max, part = 0;
    for (int i = 0; i < 4; ++i)
      max = std::max(max, static_cast<float>(x[4 * step + i]));
    for (int i = 0; i < 4; ++i)
      part += std::exp(static_cast<float>(x[4 * step + i]) - max);
    sum = sum * std::exp(before - max) + part;
  }
  return std::log(sum) + max;
}

} // namespace

TEST(LogSum, ErrorsOfTheSumAndTheMaximumCancel) {
  std::mt19937 engine(1);
  for (double error : {1e-5, 1e-3, 0.125, 2.0}) {
    Buffer lse = result(sum, random(engine, 4), error);
    EXPECT_GE(lse.errorAt(0), error);
    EXPECT_LE(lse.errorAt(0), 1.01 * error + 1e-5);
  }
}

TEST(LogSum, CoversImplementations) {
  std::mt19937 engine(2);
  for (double error : {0.0, 1e-6, 1e-3, 0.5, 4.0})
    for (double size : {0.01, 3.0, 40.0})
      for (int repeat = 0; repeat < 20; ++repeat) {
        std::vector<double> x = random(engine, size), off = random(engine, error);
        Buffer lse = result(sum, x, error);
        for (size_t i = 0; i < x.size(); ++i) {
          // At an end of its interval, or within.
          double by = repeat % 2 ? std::copysign(error, repeat % 4 == 1 ? 1 : off[i]) : off[i];
          x[i] = static_cast<float>(x[i] + 0.999999 * by);
        }
        EXPECT_LE(std::abs(implementation(x) - lse.real[0]), lse.errorAt(0)) << error << " " << size;
      }
}

TEST(LogSum, AnotherMaximumDoesNotCancel) {
  std::mt19937 engine(3);
  std::vector<double> x = random(engine, 4);
  Buffer twice =
      result("%other = arith.addf %max, %none : tensor<1xf32>\n%r = arith.addf %log, %other : tensor<1xf32>", x, 0.125);
  EXPECT_GE(twice.errorAt(0), 1.5 * 0.125);
}
