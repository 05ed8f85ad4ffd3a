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
  expectRefusal("tile.program @p<%M>() { %s = tile.alloc [%M] : memref<?xf32> }", 1, {int64_t(1) << 40},
                "buffer of type 'memref<?xf32>' has more than 2147483648 elements");
  expectRefusal("tile.program @p<%M>(%a: memref<?xf32>) extents [%a: %M] {}", 1, {int64_t(1) << 40},
                "GiB for the arguments of 1 ranks");
  expectRefusal("tile.program @p<%M>(%a: memref<?xf32>) extents [%a: 4 ceildiv %M] {}", 1, {0},
                "has an extent without a value: an operation on 4 and 0");
}

TEST(Diagnostic, SignalOutsideOfItsGrid) {
  for (const std::string op :
       {"tile.signal agent %s[%five] to %zero : !tile.signals<1>", "%w = tile.wait agent %s[%five] : !tile.signals<1>"})
    expectRefusal(R"(
      tile.program @p() {
        %s = tile.signals [4] : !tile.signals<1>
        %zero = arith.constant 0 : index
        %two = arith.constant 2 : index
        %three = arith.constant 3 : index
        %five = arith.addi %two, %three : index
        tile.kernel @k {
          tile.role @r { )" +
                      op + R"( }
        }
      })",
                  1, {}, "signal index 5 is outside of the grid, which has 4");
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
    tile.program @p<%M>(%a: memref<?xf32>, %b: memref<?xf32>) extents [%a: %M] [%b: %M] {
      %five = tile.extent [%M mod 7]
      %u = memref.subview %a[0] [%five] [1] : memref<?xf32> to memref<?xf32, strided<[1]>>
      %v = memref.subview %b[0] [%five] [1] : memref<?xf32> to memref<?xf32, strided<[1]>>
      tile.all_gather %u into %v dim 0 : memref<?xf32, strided<[1]>>, memref<?xf32, strided<[1]>>
    })",
                2, {12}, "dimension 0 has size %M mod 7, expected W * (%M mod 7)");
  expectRefusal(R"(
    tile.program @p<%M>(%a: memref<?xf32>, %b: memref<?xf32>) extents [%a: %M] [%b: %M] {
      %five = tile.extent [%M mod 7]
      %u = memref.subview %a[0] [%five] [1] : memref<?xf32> to memref<?xf32, strided<[1]>>
      %v = memref.subview %b[0] [%five] [1] : memref<?xf32> to memref<?xf32, strided<[1]>>
      tile.reduce_scatter %u into %v dim 0 : memref<?xf32, strided<[1]>>, memref<?xf32, strided<[1]>>
    })",
                2, {12}, "dimension 0 has size %M mod 7, expected W * (%M mod 7)");
  expectRefusal(R"(
    tile.program @p<%M, %K>(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %c: memref<?x?xf32>)
        extents [%a: %M, %K] [%b: %M, %K] [%c: %M, %M] {
      tile.matmul %a, %b into %c : memref<?x?xf32>, memref<?x?xf32>, memref<?x?xf32>
    })",
                1, {2, 3}, "contracts %K columns of the left-hand side with %M rows of a right-hand side");
}

/// The dialect compares extents for samples of them: what first differs beyond 5000 the oracle sees.
TEST(Diagnostic, SizesThatDifferForLargeExtentsAlone) {
  expectRefusal(R"(
    tile.program @p<%M>(%a: memref<?xf32>, %b: memref<?xf32>) world 2 extents [%a: %M] [%b: 2 * (%M mod 5000)] {
      tile.all_gather %a into %b dim 0 : memref<?xf32>, memref<?xf32>
    })",
                2, {5200}, "dimension 0 of the destination has 400 elements, expected 10400");
  expectRefusal(R"(
    tile.program @p<%M>(%a: memref<?xf32>, %b: memref<?xf32>) world 2 extents [%a: 2 * %M + %M floordiv 5000] [%b: %M] {
      tile.reduce_scatter %a into %b dim 0 : memref<?xf32>, memref<?xf32>
    })",
                2, {5200}, "dimension 0 of the source has 10401 elements, expected a multiple of 2 ranks");
  expectRefusal(R"(
    tile.program @p<%M>(%a: memref<?x8xf32>, %b: memref<8x8xf32>, %c: memref<?x8xf32>)
        extents [%a: %M, 8] [%c: %M mod 5000, 8] {
      tile.matmul %a, %b into %c : memref<?x8xf32>, memref<8x8xf32>, memref<?x8xf32>
    })",
                1, {5200}, "multiplies 5200x8 with 8x8 into 200x8");
  expectRefusal(R"(
    tile.program @p<%M>(%a: memref<?x8x8xf32>, %b: memref<8x8xf32>, %c: memref<?x8x8xf32>)
        extents [%a: %M, 8, 8] [%c: %M mod 5000, 8, 8] {
      tile.matmul %a, %b into %c : memref<?x8x8xf32>, memref<8x8xf32>, memref<?x8x8xf32>
    })",
                1, {5200}, "multiplies other numbers of matrices than the 200 of the destination");
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

TEST(Diagnostic, SourcesThatDifferByRank) {
  expectRefusal(R"(
    tile.program @p(%a: memref<8xf32>, %b: memref<8xf32>) {
      %rank = tile.rank
      %v = memref.subview %a[0] [%rank] [1] : memref<8xf32> to memref<?xf32, strided<[1]>>
      tile.all_gather %v into %b dim 0 : memref<?xf32, strided<[1]>>, memref<8xf32>
    })",
                2, {}, "has sources of different shapes on rank 0 and rank 1");
}

TEST(Diagnostic, ElementsOfTwoKinds) {
  expectRefusal(R"(
    tile.program @p(%a: memref<8x8xbf16>, %b: memref<8x8xi32>) {
      tile.matmul %a, %a into %b : memref<8x8xbf16>, memref<8x8xbf16>, memref<8x8xi32>
    })",
                1, {}, "expected a destination of floats or an epilogue that converts, got 'memref");
}

TEST(Diagnostic, TilesWhoseParametersDisagree) {
  std::string before = R"(
    tile.program @p() {
      tile.param @A in [2, 4]
      tile.param @B in [2, 4]
      tile.forall (%n) in [1] {
        %x = tile.splat 1.0 [@A] : tensor<?xf32>
        %y = tile.splat 2.0 [@B] : tensor<?xf32>
        )",
              after = "} }";
  std::vector<std::pair<std::string, int64_t>> parameters{{"A", 2}, {"B", 4}};
  expectRefusal(before + "%z = arith.addf %x, %y : tensor<?xf32>" + after, 1, {}, "has operands of different shapes",
                parameters);
  expectRefusal(before + "%p = arith.constant true %z = arith.select %p, %x, %y : tensor<?xf32>" + after, 1, {},
                "has operands of different shapes", parameters);
  expectRefusal(before + "%z = tile.broadcast %x dims [0] tile [@B, @A] : tensor<?xf32> -> tensor<?x?xf32>" + after, 1,
                {}, "repeats 2 elements as dimension 0, expected 4", parameters);
  expectRefusal(before + R"(%u = tile.splat 1.0 [@A, @A] : tensor<?x?xf32>
                            %v = tile.splat 1.0 [@B, @B] : tensor<?x?xf32>
                            %z = tile.dot %u, %v, %v : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>)" +
                    after,
                1, {}, "multiplies 2x2 with 4x4 into 4x4", parameters);
}

TEST(Diagnostic, EpilogueOfAnotherShape) {
  expectRefusal(R"(
    tile.program @p(%a: memref<8x8xf32>, %b: memref<8x8xf32>) {
      tile.param @A in [4]
      tile.param @B in [8]
      tile.matmul %a, %a into %b : memref<8x8xf32>, memref<8x8xf32>, memref<8x8xf32>
          epilogue (%row, %col, %x: tensor<?x?xf32>) {
        %y = tile.splat 1.0 [@A, @A] : tensor<?x?xf32>
        %z = tile.splat 1.0 [@B, @B] : tensor<?x?xf32>
        tile.yield %z : tensor<?x?xf32>
      }
    })",
                1, {}, "yields a tile of another shape than the epilogue takes");
}

TEST(Diagnostic, ConstantsIndicesAndDimensions) {
  expectRefusal(R"(
    tile.program @p() {
      tile.forall (%n) in [1] { %x = arith.constant sparse<[[0]], [1.0]> : tensor<4xf32> }
    })",
                1, {}, "has a value of type 'tensor<4xf32>', which the oracle does not know");
  expectRefusal(R"(
    tile.program @p(%a: memref<4xf32>) {
      %far = arith.constant 1099511627776 : index
      tile.forall (%n) in [1] { %x = tile.load %a at (%far) tile [4] : memref<4xf32> -> tensor<4xf32> }
    })",
                1, {}, "has index 1099511627776 in dimension 0, out of any buffer's range");
  expectRefusal(R"(
    tile.program @p<%M>(%a: memref<4xf32>) {
      %size = memref.dim %a, %M : memref<4xf32>
    })",
                1, {3}, "dimension 3 of a buffer of rank 1");
  Oracle oracle("tile.program @p<%M>() {}", 1);
  EXPECT_FALSE(oracle.run());
  EXPECT_NE(oracle.diagnostics.find("launch has not begun"), std::string::npos) << oracle.diagnostics;
}
