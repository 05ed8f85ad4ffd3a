// What the oracle refuses, with its words.
#include "Programs.h"

using namespace tilec;
using namespace tilec::test;

static void expectRefusal(const std::string &text, int64_t world, std::vector<int64_t> extents,
                          const std::string &words, std::vector<std::pair<std::string, int64_t>> parameters = {}) {
  Oracle oracle(text, world, std::move(parameters));
  EXPECT_FALSE(oracle.begin(extents) && oracle.run());
  EXPECT_NE(oracle.diagnostics.find(words), std::string::npos) << "got: " << oracle.diagnostics;
}

TEST(Diagnostic, World) {
  expectRefusal("tile.program @p() {}", 0, {}, "world is not known");
  expectRefusal("tile.program @p() {}", -2, {}, "world of -2 ranks, expected at least 1");
  expectRefusal("tile.program @p() world 2 {}", 3, {}, "program is for a world of 2 ranks, got world 3");
  expectRefusal("tile.program @p() {}", 1, {}, "unknown parameter 'B'", {{"B", 2}});
}

TEST(Diagnostic, Extents) {
  expectRefusal("tile.program @p<%M>() {}", 1, {}, "got 0 extents, expected 1");
  expectRefusal("tile.program @p<%M>() {}", 1, {-1}, "extent is -1, expected 0 or more");
  expectRefusal("tile.program @p<%M>(%a: memref<?xf32>) extents [%a: %M - 4] {}", 1, {1},
                "dimension 0 of 'memref<?xf32>' has size -3, expected 0 or more");
  expectRefusal("tile.program @p<%M>(%a: memref<?xf32>) extents [%a: %M] {}", 1, {int64_t(1) << 40}, "has more than");
  expectRefusal("tile.program @p<%M>(%a: memref<?xf32>) extents [%a: 4 ceildiv %M] {}", 1, {0},
                "has an extent without a value");
}

TEST(Diagnostic, RankOutOfRange) {
  expectRefusal(R"(
    tile.program @p(%a: memref<4xf32, #tile.symmetric>) {
      %seven = arith.constant 7 : index
      tile.forall (%n) in [1] {
        %t = tile.load %a[%n] tile [4] from %seven : memref<4xf32, #tile.symmetric> -> tensor<4xf32>
      }
    })",
                2, {}, "addresses rank 7 of a world of 2");
}

TEST(Diagnostic, ViewsAndSizesThatContradict) {
  expectRefusal(R"(
    tile.program @p<%M>(%a: memref<?xf32>) extents [%a: %M] {
      %v = memref.subview %a[2] [4] [1] : memref<?xf32> to memref<4xf32, strided<[1], offset: 2>>
    })",
                1, {5}, "takes 4 elements from 2 with stride 1 of dimension 0, which has 5");
  expectRefusal(R"(
    tile.program @p<%M, %N>(%a: memref<?xf32>, %b: memref<?xf32>) extents [%a: %M] [%b: %N] {
      tile.all_gather %a into %b dim 0 : memref<?xf32>, memref<?xf32>
    })",
                2, {5, 5}, "dimension 0 of the destination has 5 elements, expected 10");
  expectRefusal(R"(
    tile.program @p<%M, %N>(%a: memref<?xf32>, %b: memref<?xf32>) extents [%a: %M] [%b: %N] {
      tile.reduce_scatter %a into %b dim 0 : memref<?xf32>, memref<?xf32>
    })",
                2, {5, 5}, "dimension 0 of the source has 5 elements, expected a multiple of 2 ranks");
  expectRefusal(R"(
    tile.program @p<%M, %K>(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %c: memref<?x?xf32>)
        extents [%a: %M, %K] [%b: %M, %K] [%c: %M, %M] {
      tile.matmul %a, %b into %c : memref<?x?xf32>, memref<?x?xf32>, memref<?x?xf32>
    })",
                1, {2, 3}, "multiplies 2x3 with 2x3 into 2x2");
}

TEST(Diagnostic, LoopStepAndUnknownOps) {
  expectRefusal(R"(
    tile.program @p() {
      %zero = arith.constant 0 : index
      tile.forall (%n) in [1] { scf.for %i = %zero to %zero step %zero { } }
    })",
                1, {}, "has step 0, expected at least 1");
  expectRefusal(R"(
    tile.program @p(%a: memref<4xf32>) {
      tile.forall (%n) in [1] { %low, %high = arith.mulsi_extended %n, %n : index }
    })",
                1, {}, "is not known to the oracle");
}

TEST(Diagnostic, BranchesThatDependOnRounding) {
  expectRefusal(R"(
    tile.program @p(%a: memref<1xf32>) {
      %zero = arith.constant 0 : index
      %third = arith.constant 0.3 : f32
      %tenth = arith.constant 0.1 : f32
      %quotient = arith.divf %third, %tenth : f32
      %three = arith.constant 3.0 : f32
      %less = arith.cmpf olt, %quotient, %three : f32
      tile.forall (%n) in [1] { scf.if %less { } }
    })",
                1, {}, "depends on an integer that rounding may change");
}
