// Numbers of elements as the runner reads and draws them.
#include "runner/Element.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace tilec::runner;

namespace {

TEST(Element, everyFiniteFloatIsItsOwnNearest) {
  for (const char *type : {"bf16", "f16", "f8E4M3FN", "f8E4M3FNUZ", "f8E5M2", "f8E5M2FNUZ"}) {
    const Element element = Element::of(type);
    for (unsigned bits = 0; bits < 1u << (8 * element.bytes); ++bits) {
      const double value = element.value(reinterpret_cast<const char *>(&bits));
      if (!std::isfinite(value))
        continue;
      unsigned stored = 0;
      element.store(value, reinterpret_cast<char *>(&stored));
      ASSERT_EQ(stored, bits) << type << " of " << value;
    }
  }
}

TEST(Element, rounds) {
  const auto rounded = [](const char *type, double value) {
    const Element element = Element::of(type);
    char bytes[8] = {};
    element.store(value, bytes);
    return element.value(bytes);
  };
  EXPECT_EQ(rounded("bf16", 1 + 1.0 / 256), 1.0) << "ties to even";
  EXPECT_EQ(rounded("bf16", 1 + 3.0 / 256), 1 + 1.0 / 64);
  EXPECT_EQ(rounded("bf16", -1.004), -1 - 1.0 / 128);
  EXPECT_EQ(rounded("f8E4M3FN", 1e9), 448.0) << "the largest that is finite";
  EXPECT_EQ(rounded("f8E4M3FNUZ", -1e-9), 0.0);
  EXPECT_FALSE(std::signbit(rounded("f8E4M3FNUZ", -1e-9))) << "it has one zero";
  EXPECT_EQ(rounded("f32", 0.1), double(0.1f));
  EXPECT_EQ(rounded("f64", 0.1), 0.1);
  EXPECT_EQ(rounded("i8", -3.7), -3.0);
  EXPECT_EQ(rounded("i32", 70000), 70000.0);
}

TEST(Element, wholesKeepEveryBit) {
  const std::int64_t great = (std::int64_t(1) << 60) + 1;
  EXPECT_EQ(Element::of("i64").whole(reinterpret_cast<const char *>(&great)), great);
  const std::int32_t negative = -7;
  EXPECT_EQ(Element::of("i32").whole(reinterpret_cast<const char *>(&negative)), -7);
  EXPECT_EQ(Element::of("i32").value(reinterpret_cast<const char *>(&negative)), -7.0);
}

TEST(Element, knowsNoOtherTypes) { EXPECT_THROW(Element::of("f12"), std::runtime_error); }

} // namespace
