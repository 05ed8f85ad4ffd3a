//===- WarpMmaTest.cpp - matrix products by NVIDIA's instructions, on waves of 32 lanes
//----------------------------===//
#include "Product.h"

using namespace tilec;
using namespace tilec::test;

namespace {

// The lanes of an operand whose lanes hold runs of k, and of the accumulator.
template <int Run>
using RowLanes = Lanes<at(0, Run), at(0, 2 * Run), at(1), at(2), at(4)>;
using SumLanes = Lanes<at(0, 2), at(0, 4), at(1), at(2), at(4)>;
using Acc = Layout<Shape<16, 8>, Registers<at(0, 1), at(8)>, SumLanes, Waves<>>;

class WarpMma : public testing::Test {
protected:
  void SetUp() override {
    emulator::Options options = emulator::options();
    options.waveLanes = 32;
    ASSERT_TRUE(emulator::configure(options));
  }
};

} // namespace

// "Matrix fragments for mma.m16n8k16" of the PTX ISA, element by element.
TEST_F(WarpMma, DescriptionsAgreeWithTheDocumentedFragments) {
  for (int lane = 0; lane < 32; ++lane) {
    const int group = lane >> 2, thread = lane % 4;
    for (int i = 0; i < 8; ++i)
      EXPECT_EQ(Mma16x8x16<bf16>::operand_a(lane, i),
                at((i < 2) || (i >= 4 && i < 6) ? group : group + 8, thread * 2 + (i & 1) + (i < 4 ? 0 : 8)));
    for (int i = 0; i < 4; ++i) {
      EXPECT_EQ(Mma16x8x16<f16>::operand_b(lane, i), at(group, thread * 2 + (i & 1) + (i < 2 ? 0 : 8)));
      EXPECT_EQ(Mma16x8x16<f16>::accumulator(lane, i), at(i < 2 ? group : group + 8, thread * 2 + (i & 1)));
    }
    for (int i = 0; i < 16; ++i)
      EXPECT_EQ(Mma16x8x32<signed char>::operand_a(lane, i),
                at(i < 4 || (i >= 8 && i < 12) ? group : group + 8, thread * 4 + (i & 3) + (i < 8 ? 0 : 16)));
    for (int i = 0; i < 8; ++i)
      EXPECT_EQ(Mma16x8x32<fp8_e4m3>::operand_b(lane, i), at(group, thread * 4 + (i & 3) + (i < 4 ? 0 : 16)));
    for (int i = 0; i < 2; ++i)
      EXPECT_EQ(Mma16x8x4<double>::operand_a(lane, i), at(i == 0 ? group : group + 8, thread));
    EXPECT_EQ(Mma16x8x4<double>::operand_b(lane, 0), at(group, thread));
  }
}

TEST_F(WarpMma, EveryInstruction) {
  using A16 = Layout<Shape<16, 16>, Registers<at(0, 1), at(0, 2), at(8)>, RowLanes<4>, Waves<>>;
  using B16 = Layout<Shape<8, 16>, Registers<at(0, 1), at(0, 2)>, RowLanes<4>, Waves<>>;
  expectProduct<Mma16x8x16<bf16>, transposed_b, A16, B16, Acc>();
  expectProduct<Mma16x8x16<f16>, transposed_b, A16, B16, Acc>();
  using A32 = Layout<Shape<16, 32>, Registers<at(0, 1), at(0, 2), at(0, 4), at(8)>, RowLanes<8>, Waves<>>;
  using B32 = Layout<Shape<8, 32>, Registers<at(0, 1), at(0, 2), at(0, 4)>, RowLanes<8>, Waves<>>;
  expectProduct<Mma16x8x32<fp8_e4m3>, transposed_b, A32, B32, Acc>();
  expectProduct<Mma16x8x32<fp8_e5m2>, transposed_b, A32, B32, Acc>();
  expectProduct<Mma16x8x32<signed char>, transposed_b, A32, B32, Acc>();
  using A4 = Layout<Shape<16, 4>, Registers<at(8)>, RowLanes<1>, Waves<>>;
  using B4 = Layout<Shape<8, 4>, Registers<>, RowLanes<1>, Waves<>>;
  expectProduct<Mma16x8x4<double>, transposed_b, A4, B4, Acc>();
}

TEST_F(WarpMma, TheDocumentedOrderOfKWorksTooAsBothOperandsShareIt) {
  using A = Layout<Shape<16, 16>, Registers<at(0, 1), at(8), at(0, 8)>, RowLanes<2>, Waves<>>;
  using B = Layout<Shape<8, 16>, Registers<at(0, 1), at(0, 8)>, RowLanes<2>, Waves<>>;
  expectProduct<Mma16x8x16<bf16>, transposed_b, A, B, Acc>();
}

TEST_F(WarpMma, BlocksOverRegistersAndWavesInWiderRuns) {
  // 64x32, 2x2 waves of 32x16; each lane holds eight consecutive k, which two instructions take four by four.
  using Sums = Layout<Shape<64, 32>, Registers<at(0, 1), at(8), at(0, 8), at(16)>, SumLanes, Waves<at(0, 16), at(32)>>;
  using A = Layout<Shape<64, 64>, Registers<at(0, 1), at(0, 2), at(0, 4), at(8), at(0, 32), at(16)>, RowLanes<8>,
                   Waves<at(0, 0), at(32)>>;
  using B = Layout<Shape<32, 64>, Registers<at(0, 1), at(0, 2), at(0, 4), at(0, 32), at(8)>, RowLanes<8>,
                   Waves<at(16), at(0, 0)>>;
  expectProduct<Mma16x8x16<bf16>, transposed_b, A, B, Sums>();
  using Turned = Layout<Shape<64, 32>, Registers<at(1), at(2), at(4), at(32), at(0, 8)>,
                        Lanes<at(8), at(16), at(0, 1), at(0, 2), at(0, 4)>, Waves<at(0, 16), at(0, 0)>>;
  expectProduct<Mma16x8x16<bf16>, 0, A, Turned, Sums>();
}

namespace {

/// Element (i, j) of an operand through LDS is element (i, j), in every lane that holds it.
template <class Operand, class Swizzled, class T>
void expectThroughLds() {
  constexpr int rows = Operand::Shape::extent(0), columns = Operand::Shape::extent(1);
  using Row = Layout<typename Operand::Shape, Registers<at(0, 1), at(0, 2), at(0, 4), at(4), at(8)>,
                     Lanes<at(0, 8), at(0, 16), at(0, 32), at(1), at(2)>, Waves<>>;
  const auto from = values<T>(rows * columns);
  std::vector<float> wrong(1);
  run(1, 1, [&] {
    using LdsTile = Shared<T, typename Operand::Shape, Swizzled>;
    store(shared<LdsTile>(128), load<Row, 8>(view(from.data(), {rows, columns}, {columns, 1}), {0, 0}));
    barrier();
    const auto tile = load<Operand>(shared<LdsTile>(128));
    for (int r = 0; r < Operand::registers; ++r) {
      const Point own = Operand::of(r);
      const int row = Operand::template of_thread<0>(target::thread()) ^ own[0];
      const int column = Operand::template of_thread<1>(target::thread()) ^ own[1];
      wrong[0] += cast<float>(tile.data[r]) != valueAt(row * columns + column);
    }
  });
  EXPECT_EQ(wrong[0], 0);
}

} // namespace

TEST_F(WarpMma, OperandsAreReadFromLdsAsMatrices) {
  using A = Layout<Shape<16, 64>, Registers<at(0, 1), at(8), at(0, 8), at(0, 16), at(0, 32)>, RowLanes<2>, Waves<>>;
  using Plain = Swizzle<1, 1, 1>;
  using Rotated = Swizzle<8, 1, 8>;
  static_assert(tilec::detail::MatrixPlan<A, Shared<bf16, Shape<16, 64>, Rotated>>::fits());
  static_assert(tilec::detail::MatrixPlan<A, Shared<bf16, Shape<16, 64>, Plain>>::fits());
  // A swizzle of less than 16 bytes takes rows apart; floats have other words.
  static_assert(!tilec::detail::MatrixPlan<A, Shared<bf16, Shape<16, 64>, Swizzle<4, 1, 8>>>::fits());
  static_assert(!tilec::detail::MatrixPlan<A, Shared<float, Shape<16, 64>, Plain>>::fits());
  expectThroughLds<A, Rotated, bf16>();
  expectThroughLds<A, Plain, f16>();
  expectThroughLds<A, Swizzle<4, 1, 8>, bf16>();
}
