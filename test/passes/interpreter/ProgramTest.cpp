// Whole programs: extents, parameters, the kernel form, inputs.
#include "Programs.h"

using namespace tilec;
using namespace tilec::test;
using namespace tilec::interpreter;

TEST(Program, KernelFormRunsItsRolesInTurn) {
  Oracle oracle(Oracle::example("02_signal/signal.mlir"), 3);
  ASSERT_TRUE(oracle.begin({70})) << oracle.diagnostics;
  fillInputs(*oracle.oracle, 5, 0);
  ASSERT_TRUE(oracle.run()) << oracle.diagnostics;
  for (int rank = 0; rank < 3; ++rank) {
    const auto &source = oracle.reals((rank + 2) % 3, 0), &doubled = oracle.reals(rank, 1);
    for (size_t i = 0; i < source.size(); ++i)
      ASSERT_EQ(doubled[i], 2 * source[i]);
  }
}

TEST(Program, ExtentsAndParametersHaveValues) {
  Oracle oracle(R"(
    tile.program @p<%M>(%a: memref<?xi32>, %b: memref<4xi32>) extents [%a: W * %M + 1] {
      tile.param @B in [2, 8]
      %rows = tile.extent [(W * %M) ceildiv @B]
      %zero = arith.constant 0 : index
      %rank = tile.rank
      %world = tile.world_size
      %c0 = arith.constant 0 : index
      %size = memref.dim %a, %c0 : memref<?xi32>
      tile.forall (%n) in [1] {
        %i = arith.index_cast %rows : index to i32
        %t = tile.splat %i [4] : tensor<4xi32>
        %s = arith.index_cast %size : index to i32
        %u = tile.splat %s [4] : tensor<4xi32>
        %sum = arith.addi %t, %u : tensor<4xi32>
        %w = arith.muli %rank, %world : index
        %r = arith.index_cast %w : index to i32
        %v = tile.splat %r [4] : tensor<4xi32>
        %all = arith.addi %sum, %v : tensor<4xi32>
        tile.store %all, %b[%zero] : tensor<4xi32>, memref<4xi32>
      }
    })",
                2, {{"B", 8}});
  ASSERT_TRUE(oracle.begin({9})) << oracle.diagnostics;
  ASSERT_TRUE(oracle.run()) << oracle.diagnostics;
  EXPECT_EQ(oracle.wholes(0, 1)[0], 3 + 19);
  EXPECT_EQ(oracle.wholes(1, 1)[0], 3 + 19 + 2);
}

TEST(Program, UsageOfArguments) {
  Oracle oracle(Oracle::example("03_matmul/matmul.mlir"), 1);
  for (unsigned i = 0; i < 4; ++i)
    EXPECT_EQ(oracle.oracle->getUsage(i), Usage::Input);
  EXPECT_EQ(oracle.oracle->getUsage(4), Usage::Output);
}

TEST(Program, InputsDifferByRankLaunchAndArgument) {
  Oracle oracle("tile.program @p(%a: memref<64xf32>, %b: memref<64xf32>, %c: memref<64xi8>) {}", 1);
  ASSERT_TRUE(oracle.begin({}));
  Buffer &buffer = oracle.argument(0, 0);
  auto values = [&](uint64_t seed, int64_t launch, int64_t rank, unsigned argument) {
    fillUniform(buffer, seed, launch, rank, argument);
    return buffer.real;
  };
  std::vector<double> first = values(1, 0, 0, 0);
  EXPECT_EQ(values(1, 0, 0, 0), first);
  EXPECT_NE(values(2, 0, 0, 0), first);
  EXPECT_NE(values(1, 1, 0, 0), first);
  EXPECT_NE(values(1, 0, 1, 0), first);
  EXPECT_NE(values(1, 0, 0, 1), first);
  double sum = 0, most = 0;
  for (double x : first) {
    sum += x;
    most = std::max(most, std::abs(x));
    EXPECT_EQ(static_cast<double>(static_cast<float>(x)), x);
  }
  EXPECT_LE(most, 1);
  EXPECT_GT(most, 0.8);
  EXPECT_LT(std::abs(sum), 20);
  fillUniform(oracle.argument(0, 2), 1, 0, 0, 2);
  for (int64_t x : oracle.wholes(0, 2))
    EXPECT_LE(std::abs(x), 4);
}

TEST(Program, EmptyExtentsDoNothing) {
  Oracle oracle(Oracle::example("04_all_gather_matmul/all_gather_matmul.mlir"), 2);
  ASSERT_TRUE(oracle.begin({0, 5, 3})) << oracle.diagnostics;
  ASSERT_TRUE(oracle.run()) << oracle.diagnostics;
  EXPECT_EQ(oracle.reals(0, 2).size(), 0u);
  ASSERT_TRUE(oracle.begin({2, 5, 0})) << oracle.diagnostics;
  ASSERT_TRUE(oracle.run()) << oracle.diagnostics;
  EXPECT_EQ(oracle.reals(1, 2), std::vector<double>(20, 0.0));
}

TEST(Program, SignalsAndWaitsAreCounted) {
  for (bool countsOnly : {false, true}) {
    Oracle oracle(Oracle::example("02_signal/signal.mlir"), 3);
    InterpreterOptions options;
    options.world = 3;
    options.countsOnly = countsOnly;
    auto counting = Interpreter::create(oracle.oracle->getProgram(), options);
    ASSERT_TRUE(llvm::succeeded(counting));
    ASSERT_TRUE(llvm::succeeded((*counting)->begin({70})) && llvm::succeeded((*counting)->run())) << oracle.diagnostics;
    // Two by four tiles, each sent and received; one credit given and one taken.
    for (int rank = 0; rank < 3; ++rank) {
      EXPECT_EQ((*counting)->getCounts(rank).signals, 9);
      EXPECT_EQ((*counting)->getCounts(rank).waits, 9);
    }
  }
}

TEST(Program, LoopsCarryTokens) {
  Oracle oracle(R"(
    tile.program @p(%a: memref<4xf32>, %b: memref<4xf32>) {
      %sent = tile.signals [1] : !tile.signals<1>
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %three = arith.constant 3 : index
      tile.kernel @k {
        tile.role @r {
          tile.forall (%n) in [1] {
            %free = tile.wait agent %sent[%zero] lag 1 : !tile.signals<1>
            %start = tile.join(%free)
            %last = scf.for %i = %zero to %three step %one iter_args(%before = %start) -> (!tile.token) {
              %t = tile.load %a[%zero] tile [4] after %before : memref<4xf32> -> tensor<4xf32>
              tile.store %t, %b[%zero] : tensor<4xf32>, memref<4xf32>
              %next = tile.wait agent %sent[%zero] lag 1 : !tile.signals<1>
              scf.yield %next : !tile.token
            }
          }
        }
      }
    })",
                1);
  for (bool countsOnly : {false, true}) {
    InterpreterOptions options;
    options.world = 1;
    options.countsOnly = countsOnly;
    ASSERT_TRUE(oracle.oracle) << oracle.diagnostics;
    auto run = Interpreter::create(oracle.oracle->getProgram(), options);
    ASSERT_TRUE(llvm::succeeded(run));
    ASSERT_TRUE(llvm::succeeded((*run)->begin({})) && llvm::succeeded((*run)->run())) << oracle.diagnostics;
    EXPECT_EQ((*run)->getCounts(0).waits, 4);
  }
}
