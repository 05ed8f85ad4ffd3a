// Rounding to formats against APFloat, and the error of rounding.
#include "passes/interpreter/Number.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/APFloat.h"

#include <gtest/gtest.h>
#include <random>

using namespace mlir;
using namespace tilec::interpreter;

static double reference(const Format &format, double value) {
  llvm::APFloat number(value);
  bool losesInfo;
  number.convert(*format.semantics, llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  number.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return number.convertToDouble();
}

TEST(Number, RoundsAsApFloat) {
  MLIRContext context;
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> mantissa(-2, 2);
  for (Type type : {Type(Float32Type::get(&context)), Type(Float16Type::get(&context)),
                    Type(BFloat16Type::get(&context)), Type(Float8E4M3FNType::get(&context)),
                    Type(Float8E5M2Type::get(&context)), Type(Float8E4M3FNUZType::get(&context))}) {
    Format format = *Format::get(type);
    int low = format.minExponent - format.precision - 2, high = std::ilogb(format.largest) - 1;
    std::uniform_int_distribution<int> exponent(low, high);
    for (int i = 0; i < 20000; ++i) {
      double value = std::ldexp(mantissa(random), exponent(random));
      ASSERT_EQ(format.round(value), reference(format, value)) << value;
      ASSERT_EQ(decode(format, encode(format, format.round(value))), format.round(value));
    }
  }
}

TEST(Number, TiesGoToEven) {
  MLIRContext context;
  Format bf16 = *Format::get(BFloat16Type::get(&context));
  EXPECT_EQ(bf16.round(1 + 0x1p-8), 1.0);
  EXPECT_EQ(bf16.round(1 + 0x3p-8), 1 + 0x1p-6);
  EXPECT_EQ(bf16.round(1 + 0x1p-8 + 0x1p-40), 1 + 0x1p-7);
}

TEST(Number, OverflowIsInfiniteButSaturatesInEightBits) {
  MLIRContext context;
  EXPECT_EQ(Format::get(Float16Type::get(&context))->round(65520), infinity);
  EXPECT_EQ(Format::get(Float16Type::get(&context))->round(65519), 65504);
  EXPECT_EQ(Format::get(Float8E4M3FNType::get(&context))->round(-1000), -448);
}

TEST(Number, RoundingErrorIsTheEndsOfTheInterval) {
  MLIRContext context;
  Format bf16 = *Format::get(BFloat16Type::get(&context));
  EXPECT_EQ(bf16.roundingError(1.0, 0), 0);
  EXPECT_EQ(bf16.roundingError(1.0, 0x1p-20), 0) << "the whole interval rounds to 1";
  EXPECT_EQ(bf16.roundingError(1 + 0x1p-8, 0x1p-20), 0x1p-7) << "a tie may fall either way";
}

TEST(Number, IntegersWrap) {
  MLIRContext context;
  Format i8 = *Format::get(IntegerType::get(&context, 8));
  EXPECT_EQ(i8.wrap(128), -128);
  EXPECT_EQ(i8.zeroExtend(-1), 255u);
}

TEST(Number, GammaGrowsUntilNothingIsLeft) {
  EXPECT_DOUBLE_EQ(gamma(4, 0x1p-4), 0.25 / 0.75);
  EXPECT_EQ(gamma(0, unitF32), 0);
  EXPECT_EQ(gamma(1 << 23, 0x1p-24), infinity);
}
