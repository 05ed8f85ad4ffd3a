//===- CastTest.cpp - conversions and functions of values ---------------------------------------------------------===//
#include "Harness.h"
#include <limits>

using namespace tilec;

namespace {

/// The nearest of all finite values of an encoding, ties to the even pattern; saturating.
template <class F>
unsigned nearest(float x) {
  unsigned best = 0;
  double distance = std::numeric_limits<double>::infinity();
  for (unsigned bits = 0; bits < 256; ++bits) {
    const float value = cast<float>(F{static_cast<unsigned char>(bits)});
    if (!std::isfinite(value) || (value == 0 && bits != 0 && F::fnuz))
      continue;
    const double here = std::fabs(double(value) - x);
    const bool signsAgree = std::signbit(value) == std::signbit(x);
    if (here < distance || (here == distance && (value == 0 ? signsAgree : bits % 2 == 0))) {
      best = bits;
      distance = here;
    }
  }
  return best;
}

template <class F>
void expectRoundsToNearest() {
  for (unsigned bits = 0; bits < 256; ++bits) {
    const F x{static_cast<unsigned char>(bits)};
    const float value = cast<float>(x);
    if (!std::isfinite(value))
      continue;
    EXPECT_EQ(cast<F>(value).bits, bits);
    for (float factor : {1.01f, 0.99f, 1.0625f, 1.125f, 0.9375f}) {
      const float moved = value * factor;
      if (!F::fnuz || nearest<F>(moved) % 128 != 0)
        EXPECT_EQ(cast<F>(moved).bits, nearest<F>(moved)) << moved;
    }
  }
  EXPECT_TRUE(std::isnan(cast<float>(cast<F>(std::nanf("")))));
  EXPECT_EQ(cast<float>(cast<F>(1e30f)), -cast<float>(cast<F>(-1e30f)));
  EXPECT_EQ(cast<float>(cast<F>(1e-30f)), 0.0f);
}

} // namespace

TEST(Cast, Bf16RoundsToNearestEven) {
  EXPECT_EQ(cast<bf16>(1.0f).bits, 0x3f80);
  EXPECT_EQ(cast<bf16>(__builtin_bit_cast(float, 0x3f808000u)).bits, 0x3f80); // tie, even below
  EXPECT_EQ(cast<bf16>(__builtin_bit_cast(float, 0x3f818000u)).bits, 0x3f82); // tie, even above
  EXPECT_EQ(cast<bf16>(__builtin_bit_cast(float, 0x3f808001u)).bits, 0x3f81);
  EXPECT_EQ(cast<bf16>(3.4e38f).bits, 0x7f80); // overflows to infinity
  EXPECT_TRUE(std::isnan(cast<float>(cast<bf16>(__builtin_bit_cast(float, 0x7f800001u)))));
  for (unsigned bits = 0; bits < 0x7f80; ++bits)
    EXPECT_EQ(cast<bf16>(cast<float>(bf16{static_cast<unsigned short>(bits)})).bits, bits);
  const bf16 sum = cast<bf16>(256.0f) + cast<bf16>(1.0f);
  EXPECT_EQ(cast<float>(sum), 256.0f);
}

TEST(Cast, Float8KnownValues) {
  EXPECT_EQ(cast<float>(fp8_e4m3{0x7e}), 448.0f);
  EXPECT_EQ(cast<float>(fp8_e5m2{0x7b}), 57344.0f);
  EXPECT_EQ(cast<float>(fp8_e4m3_fnuz{0x7f}), 240.0f);
  EXPECT_EQ(cast<float>(fp8_e5m2_fnuz{0x7f}), 57344.0f);
  EXPECT_EQ(cast<float>(fp8_e4m3{0x01}), 0x1p-9f);
  EXPECT_EQ(cast<float>(fp8_e4m3_fnuz{0x01}), 0x1p-10f);
  EXPECT_EQ(cast<float>(fp8_e5m2{0x7c}), std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(cast<float>(fp8_e4m3_fnuz{0x80})));
  EXPECT_EQ(cast<fp8_e4m3_fnuz>(-1e-30f).bits, 0); // no negative zero
}

TEST(Cast, Float8RoundsToNearest) {
  expectRoundsToNearest<fp8_e4m3>();
  expectRoundsToNearest<fp8_e5m2>();
  expectRoundsToNearest<fp8_e4m3_fnuz>();
  expectRoundsToNearest<fp8_e5m2_fnuz>();
}

TEST(Cast, IntegersTruncate) {
  EXPECT_EQ(cast<int>(-2.75f), -2);
  EXPECT_EQ(cast<signed char>(cast<bf16>(5.5f)), 5);
  EXPECT_EQ(cast<float>(7), 7.0f);
  EXPECT_EQ(cast<f16>(1.0f / 3.0f), static_cast<_Float16>(1.0f / 3.0f));
}

TEST(Math, TanhAndErf) {
  for (float x = -12.0f; x <= 12.0f; x += 0.0071f) {
    const double tanhWanted = std::tanh(double(x));
    EXPECT_NEAR(tilec::tanh(x), tanhWanted, 8 * 6e-8 * std::fabs(tanhWanted) + 1e-30) << x;
    EXPECT_NEAR(tilec::erf(x), std::erf(double(x)), 5e-7) << x;
  }
  EXPECT_EQ(tilec::tanh(1e30f), 1.0f);
  EXPECT_EQ(tilec::tanh(-1e30f), -1.0f);
  EXPECT_TRUE(std::isnan(tilec::tanh(std::nanf(""))));
}

/// How far `got` is from `wanted`, in units in the last place of a float.
static double unitsApart(float got, double wanted) {
  const float nearest = static_cast<float>(wanted);
  if (std::isnan(nearest) || std::isnan(got) || std::isinf(nearest) || std::isinf(got))
    return got == nearest || (std::isnan(nearest) && std::isnan(got)) ? 0 : INFINITY;
  int exponent;
  std::frexp(nearest, &exponent);
  return std::fabs(got - wanted) / std::ldexp(1.0, std::max(exponent - 24, -149));
}

/// Of every exponent and sign: angles of any size, numbers without a logarithm, infinities.
TEST(Math, FunctionsInDouble) {
  using Function = float (*)(float);
  using Wanted = double (*)(double);
  const std::tuple<const char *, Function, Wanted> functions[] = {
      {"sin", tilec::sin, std::sin},       {"cos", tilec::cos, std::cos},       {"cbrt", tilec::cbrt, std::cbrt},
      {"log10", tilec::log10, std::log10}, {"log1p", tilec::log1p, std::log1p}, {"expm1", tilec::expm1, std::expm1},
      {"sinh", tilec::sinh, std::sinh},    {"cosh", tilec::cosh, std::cosh}};
  for (auto [name, function, wanted] : functions) {
    for (unsigned step = 0; step < 200000; ++step) {
      const float any = tilec::bit_cast<float>(step * 21475u), x = float(int(step) - 100000) * 0.00173f;
      ASSERT_LE(unitsApart(function(any), wanted(any)), 1) << name << " of " << any;
      ASSERT_LE(unitsApart(function(x), wanted(x)), 1) << name << " of " << x;
    }
    for (float x : {INFINITY, -INFINITY, NAN, 0.0f, 1e-40f})
      EXPECT_LE(unitsApart(function(x), wanted(x)), 1) << name << " of " << x;
  }
}

TEST(Math, PowersAsC23HasThem) {
  const float special[] = {0.0f, -0.0f, 1,     -1, INFINITY, -INFINITY, NAN,   2,
                           -2,   0.5f,  -0.5f, 3,  -3,       1e-40f,    1e30f, -1e30f};
  for (float x : special)
    for (float y : special) {
      const float got = tilec::pow(x, y), wanted = static_cast<float>(std::pow(double(x), double(y)));
      EXPECT_TRUE((std::isnan(got) && std::isnan(wanted)) ||
                  (got == wanted && std::signbit(got) == std::signbit(wanted)))
          << x << " to the power of " << y << " is " << got << ", wanted " << wanted;
    }
  for (float x = 0.01f; x < 30; x *= 1.013f)
    for (float y = -40; y < 40; y += 0.37f)
      ASSERT_LE(unitsApart(tilec::pow(x, y), std::pow(double(x), double(y))), 1) << x << " to the power of " << y;
}

TEST(Math, ExtremaPropagateNan) {
  const float nan = std::nanf("");
  EXPECT_EQ(maximum(1.0f, 2.0f), 2.0f);
  EXPECT_EQ(minimum(1, -2), -2);
  EXPECT_TRUE(std::isnan(maximum(nan, 1.0f)));
  EXPECT_TRUE(std::isnan(maximum(1.0f, nan)));
  EXPECT_TRUE(std::isnan(minimum(1.0f, nan)));
  EXPECT_EQ(tilec::abs(-3), 3);
}
