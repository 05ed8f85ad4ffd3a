//===- MmaTest.cpp - matrix products of tiles against a naive product ---------------------------------------------===//
#include "Product.h"

using namespace tilec;
using namespace tilec::test;

namespace {

// One instruction, straight from the table of AMD's layouts.
template <class I, int Flags>
void expectInstruction() {
  if constexpr (I::dim == 32) {
    using Acc = Layout<Shape<32, 32>, Registers<at(0, 1), at(0, 2), at(0, 8), at(0, 16)>,
                       Lanes<at(1, 0), at(2, 0), at(4, 0), at(8, 0), at(16, 0), at(0, 4)>, Waves<>>;
    if constexpr (I::elements == 16) {
      using A = Layout<Shape<32, 32>, Registers<at(0, 1), at(0, 2), at(0, 4), at(0, 8)>,
                       Lanes<at(1), at(2), at(4), at(8), at(16), at(0, 16)>, Waves<>>;
      expectProduct<I, Flags, A, A, Acc>();
    } else if constexpr (I::elements == 1) {
      using A = Layout<Shape<32, 2>, Registers<>, Lanes<at(1), at(2), at(4), at(8), at(16), at(0, 1)>, Waves<>>;
      expectProduct<I, Flags, A, A, Acc>();
    } else if constexpr (I::elements == 4) {
      using A = Layout<Shape<32, 8>, Registers<at(0, 1), at(0, 2)>, Lanes<at(1), at(2), at(4), at(8), at(16), at(0, 4)>,
                       Waves<>>;
      expectProduct<I, Flags, A, A, Acc>();
    } else {
      using A = Layout<Shape<32, 16>, Registers<at(0, 1), at(0, 2), at(0, 4)>,
                       Lanes<at(1), at(2), at(4), at(8), at(16), at(0, 8)>, Waves<>>;
      expectProduct<I, Flags, A, A, Acc>();
    }
  } else {
    using Narrow = Layout<Shape<16, 16>, Registers<at(0, 1), at(0, 2)>,
                          Lanes<at(1), at(2), at(4), at(8), at(0, 4), at(0, 8)>, Waves<>>;
    using Wide = Layout<Shape<16, 16>, Registers<at(0, 4), at(0, 8)>,
                        Lanes<at(1), at(2), at(4), at(8), at(0, 1), at(0, 2)>, Waves<>>;
    using Acc = std::conditional_t<sizeof(typename I::Sum) == 8, Wide, Narrow>;
    if constexpr (I::elements == 16) {
      using A = Layout<Shape<16, 64>, Registers<at(0, 1), at(0, 2), at(0, 4), at(0, 8)>,
                       Lanes<at(1), at(2), at(4), at(8), at(0, 16), at(0, 32)>, Waves<>>;
      expectProduct<I, Flags, A, A, Acc>();
    } else if constexpr (I::elements == 1) {
      using A = Layout<Shape<16, 4>, Registers<>, Lanes<at(1), at(2), at(4), at(8), at(0, 1), at(0, 2)>, Waves<>>;
      expectProduct<I, Flags, A, A, Acc>();
    } else if constexpr (I::elements == 4) {
      using A = Layout<Shape<16, 16>, Registers<at(0, 1), at(0, 2)>,
                       Lanes<at(1), at(2), at(4), at(8), at(0, 4), at(0, 8)>, Waves<>>;
      expectProduct<I, Flags, A, A, Acc>();
    } else {
      using A = Layout<Shape<16, 32>, Registers<at(0, 1), at(0, 2), at(0, 4)>,
                       Lanes<at(1), at(2), at(4), at(8), at(0, 8), at(0, 16)>, Waves<>>;
      expectProduct<I, Flags, A, A, Acc>();
    }
  }
}

} // namespace

TEST(Mma, EveryInstruction) {
  expectInstruction<Mfma32x32x8<bf16>, transposed_b>();
  expectInstruction<Mfma32x32x8<f16>, transposed_b>();
  expectInstruction<Mfma16x16x16<bf16>, transposed_b>();
  expectInstruction<Mfma16x16x16<f16>, transposed_b>();
  expectInstruction<Mfma32x32x16<bf16>, transposed_b>();
  expectInstruction<Mfma16x16x32<f16>, transposed_b>();
  expectInstruction<Mfma32x32x2<float>, transposed_b>();
  expectInstruction<Mfma16x16x4<float>, transposed_b>();
  expectInstruction<Mfma32x32x16<fp8_e4m3>, transposed_b>();
  expectInstruction<Mfma16x16x32<fp8_e5m2_fnuz>, transposed_b>();
  expectInstruction<Mfma32x32x16<signed char>, transposed_b>();
  expectInstruction<Mfma16x16x32<signed char>, transposed_b>();
  expectInstruction<Mfma16x16x4<double>, transposed_b>();
  expectInstruction<Mfma16x16x64<signed char>, transposed_b>();
  expectInstruction<Mfma32x32x32<signed char>, transposed_b>();
}

// What the matrix instruction calculator says of the hardware's D = A * B, seen through the exchange of the operands.
TEST(Mma, DescriptionsAgreeWithTheDocumentedRegisters) {
  for (int lane = 0; lane < 64; ++lane) {
    for (int r = 0; r < 16; ++r) {
      const Point hardware = at(8 * (r / 4) + 4 * (lane / 32) + r % 4, lane % 32);
      EXPECT_EQ(Mfma32x32x8<bf16>::accumulator(lane, r), at(hardware[1], hardware[0]));
    }
    for (int r = 0; r < 4; ++r)
      EXPECT_EQ(Mfma16x16x16<bf16>::accumulator(lane, r), at(lane % 16, 4 * (lane / 16) + r));
    for (int e = 0; e < 4; ++e) {
      EXPECT_EQ(Mfma32x32x8<bf16>::operand(lane, e), at(lane % 32, 4 * (lane / 32) + e));
      EXPECT_EQ(Mfma16x16x16<f16>::operand(lane, e), at(lane % 16, 4 * (lane / 16) + e));
    }
    EXPECT_EQ(Mfma16x16x4<float>::operand(lane, 0), at(lane % 16, lane / 16));
    EXPECT_EQ(Mfma16x16x4<double>::operand(lane, 0), at(lane % 16, lane / 16));
    for (int r = 0; r < 4; ++r)
      EXPECT_EQ(Mfma16x16x4<double>::accumulator(lane, r), at(lane % 16, 4 * r + lane / 16));
    EXPECT_EQ(Mfma32x32x2<float>::operand(lane, 0), at(lane % 32, lane / 32));
  }
}

TEST(Mma, BlocksOverRegistersAndWaves) {
  // 128x64, 2x2 waves of 64x32.
  using Acc = Layout<Shape<128, 64>, Registers<at(0, 1), at(0, 2), at(0, 8), at(0, 16), at(32, 0)>,
                     Lanes<at(1), at(2), at(4), at(8), at(16), at(0, 4)>, Waves<at(0, 32), at(64, 0)>>;
  using A = Layout<Shape<128, 32>, Registers<at(0, 1), at(0, 2), at(0, 8), at(0, 16), at(32, 0)>,
                   Lanes<at(1), at(2), at(4), at(8), at(16), at(0, 4)>, Waves<at(0, 0), at(64, 0)>>;
  using B = Layout<Shape<64, 32>, Registers<at(0, 1), at(0, 2), at(0, 8), at(0, 16)>,
                   Lanes<at(1), at(2), at(4), at(8), at(16), at(0, 4)>, Waves<at(32, 0), at(0, 0)>>;
  expectProduct<Mfma32x32x8<bf16>, transposed_b, A, B, Acc>();
  // The same product with b as K x N.
  using Turned = Layout<Shape<32, 64>, Registers<at(1), at(2), at(8), at(16)>,
                        Lanes<at(0, 1), at(0, 2), at(0, 4), at(0, 8), at(0, 16), at(4)>, Waves<at(0, 32), at(0, 0)>>;
  expectProduct<Mfma32x32x8<bf16>, 0, A, Turned, Acc>();
}

TEST(Mma, ColumnsThatAreNoPowerOfTwo) {
  // 64x96 by 2x2 waves: each has every other 16 columns.
  using Acc = Layout<Shape<64, 96>, Registers<at(0, 1), at(0, 2), at(16, 0), at(0, 32), at(0, 64)>,
                     Lanes<at(1), at(2), at(4), at(8), at(0, 4), at(0, 8)>, Waves<at(0, 16), at(32, 0)>>;
  using A = Layout<Shape<64, 16>, Registers<at(0, 1), at(0, 2), at(16, 0)>,
                   Lanes<at(1), at(2), at(4), at(8), at(0, 4), at(0, 8)>, Waves<at(0, 0), at(32, 0)>>;
  using B = Layout<Shape<96, 16>, Registers<at(0, 1), at(0, 2), at(32, 0), at(64, 0)>,
                   Lanes<at(1), at(2), at(4), at(8), at(0, 4), at(0, 8)>, Waves<at(16, 0), at(0, 0)>>;
  expectProduct<Mfma16x16x16<bf16>, transposed_b, A, B, Acc>();
}

TEST(Mma, RegistersInAnyOrder) {
  // Blocks first, and blocks of a wave that interleave with those of the other.
  using Acc = Layout<Shape<64, 64>, Registers<at(16, 0), at(0, 1), at(0, 16), at(0, 2), at(0, 32)>,
                     Lanes<at(1), at(2), at(4), at(8), at(0, 4), at(0, 8)>, Waves<at(32, 0)>>;
  using A = Layout<Shape<64, 32>, Registers<at(0, 16), at(0, 1), at(16, 0), at(0, 2)>,
                   Lanes<at(1), at(2), at(4), at(8), at(0, 4), at(0, 8)>, Waves<at(32, 0)>>;
  using B = Layout<Shape<64, 32>, Registers<at(32, 0), at(0, 1), at(0, 2), at(16, 0), at(0, 16)>,
                   Lanes<at(1), at(2), at(4), at(8), at(0, 4), at(0, 8)>, Waves<at(0, 0)>>;
  expectProduct<Mfma16x16x16<f16>, transposed_b, A, B, Acc>();
}

TEST(Mma, SharedOrderOfKInWiderRuns) {
  // Each lane holds eight consecutive k, which two instructions take four by four.
  using Acc = Layout<Shape<32, 32>, Registers<at(0, 1), at(0, 2), at(0, 8), at(0, 16)>,
                     Lanes<at(1), at(2), at(4), at(8), at(16), at(0, 4)>, Waves<>>;
  using A = Layout<Shape<32, 16>, Registers<at(0, 1), at(0, 2), at(0, 4)>,
                   Lanes<at(1), at(2), at(4), at(8), at(16), at(0, 8)>, Waves<>>;
  expectProduct<Mfma32x32x8<bf16>, transposed_b, A, A, Acc>();
}

TEST(Mma, DeepInstructionsHoldTwoRuns) {
  using Acc = Layout<Shape<16, 16>, Registers<at(0, 1), at(0, 2)>,
                     Lanes<at(1), at(2), at(4), at(8), at(0, 4), at(0, 8)>, Waves<>>;
  using A = Layout<Shape<16, 128>, Registers<at(0, 1), at(0, 2), at(0, 4), at(0, 8), at(0, 64)>,
                   Lanes<at(1), at(2), at(4), at(8), at(0, 16), at(0, 32)>, Waves<>>;
  for (int lane = 0; lane < 64; ++lane)
    for (int e = 0; e < 32; ++e) {
      const Point held = A::of(e) ^ A::of_constant_thread(lane);
      EXPECT_EQ(Mfma16x16x128<fp8_e4m3>::operand(lane, e), held);
      EXPECT_EQ(held, at(lane % 16, 16 * (lane / 16 + 4 * (e / 16)) + e % 16));
    }
  expectProduct<Mfma16x16x128<fp8_e4m3>, transposed_b, A, A, Acc>();
}

TEST(Mma, BothOperandsTransposed) {
  using Acc = Layout<Shape<16, 16>, Registers<at(0, 1), at(0, 2)>,
                     Lanes<at(1), at(2), at(4), at(8), at(0, 4), at(0, 8)>, Waves<>>;
  using A = Layout<Shape<16, 16>, Registers<at(1), at(2)>, Lanes<at(0, 1), at(0, 2), at(0, 4), at(0, 8), at(4), at(8)>,
                   Waves<>>;
  expectProduct<Mfma16x16x16<bf16>, transposed_a, A, A, Acc>();
}
