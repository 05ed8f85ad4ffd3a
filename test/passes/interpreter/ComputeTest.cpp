// dot, reduce, broadcast, transpose, reshape, iota, splat, and matmul with its forms.
#include "passes/interpreter/Compute.h"
#include "Programs.h"

#include <chrono>
#include <random>

using namespace tilec;
using namespace tilec::test;
using namespace tilec::interpreter;

using Reals = std::vector<double>;

/// Runs `body` once on one rank with a: 2x2 f32 = [1 2; 3 4], i: 2x2 i32 = [1 -2; 3 4], and returns what it stores into
/// b.
static Reals compute(const std::string &body, const std::string &shape = "2x2", std::string *diagnostics = nullptr) {
  Oracle oracle("tile.program @p(%a: memref<2x2xf32>, %i: memref<2x2xi32>, %b: memref<" + shape + R"(xf32>) {
      %zero = arith.constant 0 : index
      tile.forall (%n) in [1] {
        %x = tile.load %a[%zero, %zero] tile [2, 2] : memref<2x2xf32> -> tensor<2x2xf32>
        %k = tile.load %i[%zero, %zero] tile [2, 2] : memref<2x2xi32> -> tensor<2x2xi32>
        )" + body + "} }",
                1);
  if (!oracle.begin({})) {
    ADD_FAILURE() << oracle.diagnostics;
    return {};
  }
  oracle.fill(0, 0, Reals{1, 2, 3, 4});
  oracle.fill(0, 1, std::vector<int64_t>{1, -2, 3, 4});
  EXPECT_TRUE(oracle.run()) << oracle.diagnostics;
  return oracle.reals(0, 2);
}

static const std::string storeMatrix = "tile.store %r, %b[%zero, %zero] : tensor<2x2xf32>, memref<2x2xf32>";
static const std::string storeRow = "tile.store %r, %b[%zero] : tensor<2xf32>, memref<2xf32>";

TEST(Compute, Dot) {
  EXPECT_EQ(compute("%r = tile.dot %x, %x, %x : tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32> " + storeMatrix),
            (Reals{8, 12, 18, 26}));
  EXPECT_EQ(
      compute("%r = tile.dot %x, transpose %x, %x : tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32> " + storeMatrix),
      (Reals{6, 13, 14, 29}));
}

TEST(Compute, IntegerDotWraps) {
  EXPECT_EQ(compute(R"(%big = tile.splat 2147483647 [2, 2] : tensor<2x2xi32>
                       %d = tile.dot %k, %k, %big : tensor<2x2xi32>, tensor<2x2xi32>, tensor<2x2xi32>
                       %eight = tile.splat 8 [2, 2] : tensor<2x2xi32>
                       %s = arith.shrsi %d, %eight : tensor<2x2xi32>
                       %r = arith.sitofp %s : tensor<2x2xi32> to tensor<2x2xf32> )" +
                    storeMatrix),
            (Reals{8388607, 8388607, -8388608, -8388608}));
}

TEST(Compute, Reduce) {
  for (auto [kind, rows, columns] : {std::tuple("add", Reals{4, 6}, Reals{3, 7}),
                                     {"maximum", Reals{3, 4}, Reals{2, 4}},
                                     {"minimum", Reals{1, 2}, Reals{1, 3}},
                                     {"product", Reals{3, 8}, Reals{2, 12}}}) {
    std::string text = std::string("%r = tile.reduce ") + kind + " %x dim ";
    EXPECT_EQ(compute(text + "0 : tensor<2x2xf32> -> tensor<2xf32> " + storeRow, "2"), rows) << kind;
    EXPECT_EQ(compute(text + "1 : tensor<2x2xf32> -> tensor<2xf32> " + storeRow, "2"), columns) << kind;
  }
  EXPECT_EQ(compute(R"(%s = tile.reduce add %k dim 1 : tensor<2x2xi32> -> tensor<2xi32>
                       %r = arith.sitofp %s : tensor<2xi32> to tensor<2xf32> )" +
                        storeRow,
                    "2"),
            (Reals{-1, 7}));
}

static mlir::MLIRContext types;
static const Format i32 = *Format::get(mlir::IntegerType::get(&types, 32));
static const Format f32 = *Format::get(mlir::Float32Type::get(&types));

TEST(Compute, ReduceBits) {
  Elements bits(i32, {3});
  bits.whole = {6, 3, -5};
  EXPECT_EQ(interpreter::reduce(bits, 0, Combination::And).whole[0], 6 & 3 & -5);
  EXPECT_EQ(interpreter::reduce(bits, 0, Combination::Or).whole[0], 6 | 3 | -5);
  EXPECT_EQ(interpreter::reduce(bits, 0, Combination::Xor).whole[0], 6 ^ 3 ^ -5);
  EXPECT_EQ(interpreter::reduce(bits, 0, Combination::Product).whole[0], -90);
  bits.setError(1, 1);
  EXPECT_EQ(interpreter::reduce(bits, 0, Combination::Xor).errorAt(0), infinity);
}

/// Elements so far, with the bounds of reductions of as many.
TEST(Compute, Scan) {
  Elements numbers(f32, {2, 3});
  numbers.real = {1, 2, 4, -3, 0.5, 8};
  EXPECT_EQ(interpreter::scan(numbers, 1, Combination::Add, false).real, (Reals{1, 3, 7, -3, -2.5, 5.5}));
  EXPECT_EQ(interpreter::scan(numbers, 0, Combination::Add, true).real, (Reals{0, 0, 0, 1, 2, 4}));
  EXPECT_EQ(interpreter::scan(numbers, 1, Combination::Product, true).real, (Reals{1, 1, 2, 1, -3, -1.5}));
  EXPECT_EQ(interpreter::scan(numbers, 1, Combination::Minimum, false).real, (Reals{1, 1, 1, -3, -3, -3}));
  EXPECT_EQ(interpreter::scan(numbers, 1, Combination::Maximum, true).real,
            (Reals{-infinity, 1, 2, -infinity, -3, 0.5}));
  Elements sums = interpreter::scan(numbers, 1, Combination::Add, false),
           all = interpreter::reduce(numbers, 1, Combination::Add);
  EXPECT_EQ(sums.errorAt(0), 0);
  EXPECT_GT(sums.errorAt(1), 0);
  EXPECT_GT(sums.errorAt(2), sums.errorAt(1));
  EXPECT_EQ(sums.errorAt(2), all.errorAt(0));
  EXPECT_EQ(interpreter::scan(numbers, 1, Combination::Add, true).errorAt(1), 0);
  Elements whole(i32, {3});
  whole.whole = {6, 3, -5};
  EXPECT_EQ(interpreter::scan(whole, 0, Combination::And, true).whole, (std::vector<int64_t>{-1, 6, 2}));
  EXPECT_EQ(interpreter::scan(whole, 0, Combination::Maximum, true).whole, (std::vector<int64_t>{INT32_MIN, 6, 6}));
  whole.whole = {INT32_MAX, 1, 1};
  EXPECT_EQ(interpreter::scan(whole, 0, Combination::Add, false).whole,
            (std::vector<int64_t>{INT32_MAX, INT32_MIN, INT32_MIN + 1}));
}

/// Any order of the factors stays within the bound; where a partial product may overflow there is none.
TEST(Compute, ProductsAreBounded) {
  Elements factors(f32, {4});
  factors.real = {1.25, -3, 0x1.8p-3, 7};
  EXPECT_EQ(interpreter::reduce(factors, 0, Combination::Product).real[0], 1.25 * -3 * 0x1.8p-3 * 7);
  double error = interpreter::reduce(factors, 0, Combination::Product).errorAt(0);
  EXPECT_GT(error, 2 * 0x1p-24 * 4.9);
  EXPECT_LT(error, 4 * 0x1p-24 * 5);
  factors.setError(1, 0.5);
  EXPECT_GE(interpreter::reduce(factors, 0, Combination::Product).errorAt(0), 0.5 * 1.25 * 0x1.8p-3 * 7);
  factors.error.clear();
  factors.real = {1e-30, 1e-30, 1e30, 1e30};
  // The first two may vanish before the others come.
  EXPECT_EQ(interpreter::reduce(factors, 0, Combination::Product).errorAt(0), infinity);
  factors.real = {1e-30, 1e-30, 1e10, 1e10};
  EXPECT_GE(interpreter::reduce(factors, 0, Combination::Product).errorAt(0), 1e-40);
  factors.real = {0, 1e-30, 1e-30, 1};
  EXPECT_EQ(interpreter::reduce(factors, 0, Combination::Product).errorAt(0), 0);
}

/// One order gives 0, another infinity, and a third no number.
TEST(Compute, SumsThatMayOverflowOnTheirWayHaveNoBound) {
  Elements terms(f32, {4});
  terms.real = {3e38, 3e38, -3e38, -3e38};
  EXPECT_EQ(interpreter::reduce(terms, 0, Combination::Add).errorAt(0), infinity);
  terms.real = {1e38, 1e38, -1e38, -0.2e38};
  EXPECT_LT(interpreter::reduce(terms, 0, Combination::Add).errorAt(0), 1e32);
  Elements row(f32, {1, 3}), column(f32, {3, 1});
  row.real = {2e19, 2e19, -2e19};
  column.real = {1e19, 1e19, 1e19};
  EXPECT_EQ(interpreter::dot(row, column, nullptr, false, f32).errorAt(0), infinity);
  column.real = {1e18, 1e18, 1e18};
  EXPECT_LT(interpreter::dot(row, column, nullptr, false, f32).errorAt(0), 1e33);
  Elements greatest(f32, {1});
  greatest.real = {3e38};
  Elements least = greatest;
  least.real = {-3e38};
  EXPECT_EQ(interpreter::sum({greatest, greatest, least}, f32).errorAt(0), infinity);
  EXPECT_LT(interpreter::sum({greatest, least}, f32).errorAt(0), 1e32);
}

TEST(Compute, PlacesOfExtrema) {
  Elements x(f32, {5});
  auto place = [&](bool maximum) {
    Elements found = interpreter::placeOfExtremum(x, 0, maximum, i32);
    return std::pair(found.whole[0], found.errorAt(0));
  };
  x.real = {1, 3, -2, 3, -2};
  EXPECT_EQ(place(true), std::pair(int64_t(1), 0.0));
  EXPECT_EQ(place(false), std::pair(int64_t(2), 0.0));
  x.real[3] = std::nan("");
  EXPECT_EQ(place(true), std::pair(int64_t(3), 0.0));
  EXPECT_EQ(place(false), std::pair(int64_t(3), 0.0));
  // What rounding may let win is as far away as the bound says; what it cannot is not.
  x.real = {1, 3, -2, 0, 2.5};
  x.error = {0, 0.25, 0, 0, 0.25};
  EXPECT_EQ(place(true), std::pair(int64_t(1), 3.0));
  x.error[4] = 0.125;
  EXPECT_EQ(place(true), std::pair(int64_t(1), 0.0));
}

TEST(Compute, Rearrangements) {
  EXPECT_EQ(compute("%r = tile.transpose %x [1, 0] : tensor<2x2xf32> -> tensor<2x2xf32> " + storeMatrix),
            (Reals{1, 3, 2, 4}));
  EXPECT_EQ(compute(R"(%f = tile.reshape %x tile [4] : tensor<2x2xf32> -> tensor<4xf32>
                       tile.store %f, %b[%zero] : tensor<4xf32>, memref<4xf32>)",
                    "4"),
            (Reals{1, 2, 3, 4}));
  EXPECT_EQ(compute(R"(%s = tile.reduce add %x dim 0 : tensor<2x2xf32> -> tensor<2xf32>
                       %r = tile.broadcast %s dims [0] tile [2, 2] : tensor<2xf32> -> tensor<2x2xf32> )" +
                    storeMatrix),
            (Reals{4, 4, 6, 6}));
  EXPECT_EQ(compute(R"(%s = tile.reduce add %x dim 0 : tensor<2x2xf32> -> tensor<2xf32>
                       %r = tile.broadcast %s dims [1] tile [2, 2] : tensor<2xf32> -> tensor<2x2xf32> )" +
                    storeMatrix),
            (Reals{4, 6, 4, 6}));
  EXPECT_EQ(compute(R"(%c = tile.iota dim 1 tile [2, 2] : tensor<2x2xi32>
                       %r = arith.sitofp %c : tensor<2x2xi32> to tensor<2x2xf32> )" +
                    storeMatrix),
            (Reals{0, 1, 0, 1}));
  EXPECT_EQ(compute("%r = tile.splat -1.5 [2, 2] : tensor<2x2xf32> " + storeMatrix), (Reals{-1.5, -1.5, -1.5, -1.5}));
}

TEST(Compute, LoopsCarryTiles) {
  EXPECT_EQ(compute(R"(%one = arith.constant 1 : index
                       %three = arith.constant 3 : index
                       %r = scf.for %j = %zero to %three step %one iter_args(%t = %x) -> (tensor<2x2xf32>) {
                         %odd = arith.remui %j, %three : index
                         %first = arith.cmpi eq, %odd, %zero : index
                         %next = scf.if %first -> (tensor<2x2xf32>) {
                           %sum = arith.addf %t, %x : tensor<2x2xf32>
                           scf.yield %sum : tensor<2x2xf32>
                         } else {
                           %product = arith.mulf %t, %x : tensor<2x2xf32>
                           scf.yield %product : tensor<2x2xf32>
                         }
                         scf.yield %next : tensor<2x2xf32>
                       } )" +
                    storeMatrix),
            (Reals{2, 16, 54, 128}));
}

TEST(Compute, MatmulWithTwoRightHandSidesAndAnEpilogueOfAnyTile) {
  // Tiles do not divide the matrices; the choice of parameters may not change the result.
  Reals first;
  for (int64_t rows : {64, 128})
    for (int64_t columns : {64, 128}) {
      Oracle oracle(Oracle::example("03_matmul/matmul.mlir"), 1, {{"BM", rows}, {"BN", columns}});
      ASSERT_TRUE(oracle.begin({70, 130, 9})) << oracle.diagnostics;
      fillInputs(*oracle.oracle, 1, 0);
      ASSERT_TRUE(oracle.run()) << oracle.diagnostics;
      if (first.empty())
        first = oracle.reals(0, 4);
      EXPECT_EQ(oracle.reals(0, 4), first);
    }
  // One element by hand.
  Oracle oracle(Oracle::example("03_matmul/matmul.mlir"), 1);
  ASSERT_TRUE(oracle.begin({70, 130, 9})) << oracle.diagnostics;
  fillInputs(*oracle.oracle, 1, 0);
  double gate = 0, up = 0;
  for (int k = 0; k < 9; ++k) {
    gate += oracle.reals(0, 0)[69 * 9 + k] * oracle.reals(0, 1)[129 * 9 + k];
    up += oracle.reals(0, 0)[69 * 9 + k] * oracle.reals(0, 2)[129 * 9 + k];
  }
  gate += oracle.reals(0, 3)[129];
  ASSERT_TRUE(oracle.run()) << oracle.diagnostics;
  double expected = gate / (1 + std::exp(-gate)) * up;
  EXPECT_NEAR(oracle.reals(0, 4)[69 * 130 + 129], expected, std::abs(expected) / 256);
}

TEST(Compute, MatmulOfATransposedLeftSide) {
  Oracle oracle(R"(tile.program @gradient<%M>(%a: memref<2x?xf32>, %b: memref<2x3xf32>, %c: memref<?x3xf32>)
                       extents [%a: 2, %M] [%c: %M, 3] {
                     tile.matmul transpose %a, %b into %c : memref<2x?xf32>, memref<2x3xf32>, memref<?x3xf32>
                   })",
                1);
  ASSERT_TRUE(oracle.begin({4})) << oracle.diagnostics;
  oracle.fill(0, 0, Reals{1, 2, 3, 4, 5, 6, 7, 8});
  oracle.fill(0, 1, Reals{1, 0, -1, 2, 1, 0});
  ASSERT_TRUE(oracle.run()) << oracle.diagnostics;
  EXPECT_EQ(oracle.reals(0, 2), (Reals{11, 5, -1, 14, 6, -2, 17, 7, -3, 20, 8, -4}));
}

TEST(Compute, MultiplyMatchesTheDefinitionAtOddSizes) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (auto [rows, columns, depth] : {std::tuple(1, 1, 1), {5, 3, 7}, {4, 300, 130}, {9, 257, 129}, {3, 2, 0}}) {
    Reals a(rows * depth), b(depth * columns), c(rows * columns, 0);
    for (double &x : a)
      x = uniform(random);
    for (double &x : b)
      x = uniform(random);
    multiply(a.data(), b.data(), c.data(), rows, columns, depth);
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j) {
        double sum = 0;
        for (int k = 0; k < depth; ++k)
          sum += a[i * depth + k] * b[k * columns + j];
        ASSERT_NEAR(c[i * columns + j], sum, 1e-12);
      }
  }
}

TEST(Compute, MultiplyIsFast) {
  int64_t n = 512;
  Reals a(n * n, 1), b(n * n, 1), c(n * n, 0);
  auto start = std::chrono::steady_clock::now();
  multiply(a.data(), b.data(), c.data(), n, n, n);
  double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  double rate = 2.0 * n * n * n / seconds * 1e-9;
  RecordProperty("gflops", std::to_string(rate));
  std::cout << "multiply: " << rate << " GFLOP/s\n";
  EXPECT_EQ(c[n * n - 1], n);
}
