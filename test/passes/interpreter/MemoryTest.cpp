// Loads, stores and atomics: tile coordinates, offsets, masks, views, other ranks.
#include "Programs.h"

using namespace tilec;
using namespace tilec::test;

static std::vector<double> ascending(size_t n, double first = 1) {
  std::vector<double> values(n);
  for (size_t i = 0; i < n; ++i)
    values[i] = first + i;
  return values;
}

TEST(Memory, TilesAreMaskedAtTheEdge) {
  Oracle oracle(R"(
    tile.program @p<%N>(%a: memref<?xf32>, %b: memref<?xf32>) extents [%a: %N] [%b: %N] {
      tile.forall (%n) over %b tiles [4] : memref<?xf32> {
        %t = tile.load %a[%n] tile [4] : memref<?xf32> -> tensor<4xf32>
        %s = tile.reduce add %t dim 0 : tensor<4xf32> -> tensor<f32>
        %u = tile.broadcast %s dims [] tile [4] : tensor<f32> -> tensor<4xf32>
        tile.store %u, %b[%n] : tensor<4xf32>, memref<?xf32>
      }
    })",
                1);
  ASSERT_TRUE(oracle.begin({6})) << oracle.diagnostics;
  oracle.fill(0, 0, ascending(6));
  ASSERT_TRUE(oracle.run()) << oracle.diagnostics;
  EXPECT_EQ(oracle.reals(0, 1), (std::vector<double>{10, 10, 10, 10, 11, 11}));
}

TEST(Memory, OffsetsMayBeNegativeAndElseFills) {
  Oracle oracle(R"(
    tile.program @p(%a: memref<4xf32>, %b: memref<4xf32>) {
      %minus = arith.constant -1 : index
      %zero = arith.constant 0 : index
      %nine = arith.constant 9.0 : f32
      tile.forall (%n) in [1] {
        %t = tile.load %a at (%minus) tile [4] else %nine : f32 : memref<4xf32> -> tensor<4xf32>
        tile.store %t, %b at (%zero) : tensor<4xf32>, memref<4xf32>
      }
    })",
                1);
  ASSERT_TRUE(oracle.begin({})) << oracle.diagnostics;
  oracle.fill(0, 0, ascending(4));
  ASSERT_TRUE(oracle.run()) << oracle.diagnostics;
  EXPECT_EQ(oracle.reals(0, 1), (std::vector<double>{9, 1, 2, 3}));
}

TEST(Memory, ViewsHaveOffsetsStridesAndEdgesOfTheirOwn) {
  Oracle oracle(R"(
    #view = strided<[16, 2], offset: 9>
    tile.program @p(%a: memref<4x8xf32>, %b: memref<2x3xf32>) {
      %v = memref.subview %a[1, 1] [2, 3] [2, 2] : memref<4x8xf32> to memref<2x3xf32, #view>
      tile.forall (%m, %n) over %b tiles [2, 4] : memref<2x3xf32> {
        %t = tile.load %v[%m, %n] tile [2, 4] : memref<2x3xf32, #view> -> tensor<2x4xf32>
        tile.store %t, %b[%m, %n] : tensor<2x4xf32>, memref<2x3xf32>
      }
    })",
                1);
  ASSERT_TRUE(oracle.begin({})) << oracle.diagnostics;
  oracle.fill(0, 0, ascending(32, 0));
  ASSERT_TRUE(oracle.run()) << oracle.diagnostics;
  EXPECT_EQ(oracle.reals(0, 1), (std::vector<double>{9, 11, 13, 25, 27, 29}));
}

TEST(Memory, LeadingDimensionsOfLowerRankTilesAreElements) {
  Oracle oracle(R"(
    tile.program @p(%a: memref<3x4xf32>, %b: memref<4xf32>) {
      %two = arith.constant 2 : index
      tile.forall (%n) over %b tiles [4] : memref<4xf32> {
        %t = tile.load %a[%two, %n] tile [4] : memref<3x4xf32> -> tensor<4xf32>
        tile.store %t, %b[%n] : tensor<4xf32>, memref<4xf32>
      }
    })",
                1);
  ASSERT_TRUE(oracle.begin({})) << oracle.diagnostics;
  oracle.fill(0, 0, ascending(12, 0));
  ASSERT_TRUE(oracle.run()) << oracle.diagnostics;
  EXPECT_EQ(oracle.reals(0, 1), (std::vector<double>{8, 9, 10, 11}));
}

TEST(Memory, RanksReadAndWriteEachOther) {
  Oracle oracle(Oracle::example("01_put_get/put_get.mlir"), 3);
  ASSERT_TRUE(oracle.begin({65})) << oracle.diagnostics;
  for (int rank = 0; rank < 3; ++rank)
    oracle.fill(rank, 0, ascending(65 * 256, 100000 * rank));
  ASSERT_TRUE(oracle.run()) << oracle.diagnostics;
  for (int rank = 0; rank < 3; ++rank) {
    EXPECT_EQ(oracle.reals(rank, 1), oracle.reals(rank, 0));
    EXPECT_TRUE(oracle.argument(rank, 1).isExact());
  }
}

TEST(Memory, AtomicsOfAllRanksCombine) {
  Oracle oracle(R"(
    tile.program @p(%a: memref<4xf32>, %i: memref<4xi32>, %sum: memref<4xf32, #tile.symmetric>,
                    %most: memref<4xf32, #tile.symmetric>, %count: memref<4xi32, #tile.symmetric>) {
      %zero = arith.constant 0 : index
      tile.forall (%n) in [1] {
        %t = tile.load %a[%n] tile [4] : memref<4xf32> -> tensor<4xf32>
        %k = tile.load %i[%n] tile [4] : memref<4xi32> -> tensor<4xi32>
        tile.atomic add %t, %sum[%n] on %zero : tensor<4xf32>, memref<4xf32, #tile.symmetric>
        tile.atomic maximum %t, %most[%n] on %zero : tensor<4xf32>, memref<4xf32, #tile.symmetric>
        tile.atomic add %k, %count[%n] on %zero : tensor<4xi32>, memref<4xi32, #tile.symmetric>
      }
    })",
                2);
  ASSERT_TRUE(oracle.begin({})) << oracle.diagnostics;
  for (int rank = 0; rank < 2; ++rank) {
    oracle.fill(rank, 0, rank ? std::vector<double>{1, 5, 2, 0.25} : std::vector<double>{3, 1, 2, 0.5});
    oracle.fill(rank, 1, std::vector<int64_t>{1 + rank, 2, std::numeric_limits<int32_t>::max(), -4});
    oracle.fill(rank, 2, std::vector<double>{100, 0, 0, 0});
    oracle.fill(rank, 3, std::vector<double>{2, 2, 2, 2});
    oracle.fill(rank, 4, std::vector<int64_t>{10, 0, 0, 0});
  }
  ASSERT_TRUE(oracle.run()) << oracle.diagnostics;
  EXPECT_EQ(oracle.reals(0, 2), (std::vector<double>{104, 6, 4, 0.75}));
  EXPECT_EQ(oracle.reals(1, 2), (std::vector<double>{100, 0, 0, 0}));
  EXPECT_EQ(oracle.reals(0, 3), (std::vector<double>{3, 5, 2, 2}));
  EXPECT_EQ(oracle.wholes(0, 4), (std::vector<int64_t>{13, 4, -2, -8}));
  EXPECT_GT(oracle.argument(0, 2).errorAt(0), 0) << "atomic additions come in any order";
  EXPECT_LT(oracle.argument(0, 2).errorAt(0), 1e-4);
  EXPECT_TRUE(oracle.argument(0, 4).isExact());
}

TEST(Memory, PersistentAllocsBeginAsZeroAndSurvive) {
  Oracle oracle(R"(
    tile.program @p(%a: memref<2xf32>, %b: memref<2xf32>, %c: memref<2xf32>, %first: memref<1xi32>) {
      %kept = tile.alloc persistent [2] : memref<2xf32>
      %lost = tile.alloc [2] : memref<2xf32>
      tile.forall (%n) in [1] {
        %t = tile.load %kept[%n] tile [2] : memref<2xf32> -> tensor<2xf32>
        tile.store %t, %b[%n] : tensor<2xf32>, memref<2xf32>
        %u = tile.load %lost[%n] tile [2] : memref<2xf32> -> tensor<2xf32>
        tile.store %u, %c[%n] : tensor<2xf32>, memref<2xf32>
      }
      tile.forall (%n) in [1] {
        %t = tile.load %a[%n] tile [2] : memref<2xf32> -> tensor<2xf32>
        tile.store %t, %kept[%n] : tensor<2xf32>, memref<2xf32>
        tile.store %t, %lost[%n] : tensor<2xf32>, memref<2xf32>
      }
    })",
                1);
  for (int launch = 0; launch < 2; ++launch) {
    ASSERT_TRUE(oracle.begin({})) << oracle.diagnostics;
    oracle.fill(0, 0, std::vector<double>{1.0 + launch, 2});
    ASSERT_TRUE(oracle.run()) << oracle.diagnostics;
    EXPECT_TRUE(std::isnan(oracle.reals(0, 2)[0]));
    EXPECT_EQ(oracle.reals(0, 1), (launch == 0 ? std::vector<double>{0, 0} : std::vector<double>{1, 2}));
  }
}

TEST(Memory, PersistentElementsKeepTheirIndicesWhenExtentsChange) {
  Oracle oracle(R"(
    tile.program @p<%M, %N>(%a: memref<?x?xf32>, %b: memref<?x?xf32>) extents [%a: %M, %N] [%b: %M, %N] {
      %sum = tile.alloc persistent [%M, %N] : memref<?x?xf32>
      tile.forall (%m, %n) over %a tiles [2, 2] : memref<?x?xf32> {
        %t = tile.load %a[%m, %n] tile [2, 2] : memref<?x?xf32> -> tensor<2x2xf32>
        %u = tile.load %sum[%m, %n] tile [2, 2] : memref<?x?xf32> -> tensor<2x2xf32>
        %v = arith.addf %t, %u : tensor<2x2xf32>
        tile.store %v, %sum[%m, %n] : tensor<2x2xf32>, memref<?x?xf32>
        tile.store %v, %b[%m, %n] : tensor<2x2xf32>, memref<?x?xf32>
      }
    })",
                1);
  auto launch = [&](int64_t rows, int64_t columns, std::vector<double> values) {
    EXPECT_TRUE(oracle.begin({rows, columns})) << oracle.diagnostics;
    oracle.fill(0, 0, values);
    EXPECT_TRUE(oracle.run()) << oracle.diagnostics;
    return oracle.reals(0, 1);
  };
  EXPECT_EQ(launch(2, 2, {1, 2, 3, 4}), (std::vector<double>{1, 2, 3, 4}));
  EXPECT_EQ(launch(1, 3, {10, 20, 30}), (std::vector<double>{11, 22, 30}));
  EXPECT_EQ(launch(2, 1, {100, 100}), (std::vector<double>{111, 103}));
  EXPECT_EQ(launch(2, 3, {0, 0, 0, 0, 0, 0}), (std::vector<double>{111, 22, 30, 103, 4, 0}));
}

TEST(Memory, StoresRoundToTheElementType) {
  Oracle oracle(R"(
    tile.program @p(%a: memref<2xf32>, %b: memref<2xbf16>) {
      tile.forall (%n) in [1] {
        %t = tile.load %a[%n] tile [2] : memref<2xf32> -> tensor<2xf32>
        %u = arith.truncf %t : tensor<2xf32> to tensor<2xbf16>
        tile.store %u, %b[%n] : tensor<2xbf16>, memref<2xbf16>
      }
    })",
                1);
  ASSERT_TRUE(oracle.begin({})) << oracle.diagnostics;
  oracle.fill(0, 0, std::vector<double>{1 + 0x1p-8, 1 + 0x3p-8});
  ASSERT_TRUE(oracle.run()) << oracle.diagnostics;
  EXPECT_EQ(oracle.reals(0, 1), (std::vector<double>{1, 1 + 0x1p-6}));
  EXPECT_TRUE(oracle.argument(0, 1).isExact());
  EXPECT_EQ(oracle.argument(0, 1).toBytes(), (std::vector<char>{char(0x80), 0x3f, char(0x82), 0x3f}));
}

TEST(Memory, BytesComeBack) {
  Oracle oracle("tile.program @p(%a: memref<3xbf16>, %b: memref<2xi8>, %c: memref<2xf16>) {}", 1);
  ASSERT_TRUE(oracle.begin({})) << oracle.diagnostics;
  oracle.fill(0, 0, std::vector<double>{1.5, -2, 0.25});
  oracle.fill(0, 1, std::vector<int64_t>{-3, 127});
  oracle.fill(0, 2, std::vector<double>{-0x1p-24, 65504});
  for (unsigned i = 0; i < 3; ++i) {
    interpreter::Buffer copy = oracle.argument(0, i);
    copy.poison(true);
    copy.fromBytes(oracle.argument(0, i).toBytes());
    EXPECT_EQ(copy.real, oracle.reals(0, i));
    EXPECT_EQ(copy.whole, oracle.wholes(0, i));
    EXPECT_TRUE(copy.isExact());
  }
}
