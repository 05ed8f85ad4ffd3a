// Bits to numbers and back.
#include "runner/Element.h"
#include "runner/Words.h"
#include <cmath>
#include <cstring>

using namespace tilec::runner;

Element Element::of(const std::string &type) {
  if (type == "bf16")
    return {2, true, 8, 7, false, false};
  if (type == "f16")
    return {2, true, 5, 10, false, false};
  if (type == "f32")
    return {4, true, 8, 23, false, false};
  if (type == "f64")
    return {8, true, 11, 52, false, false};
  if (type == "f8E4M3FN" || type == "f8E4M3FNUZ")
    return {1, true, 4, 3, type == "f8E4M3FNUZ", true};
  if (type == "f8E5M2" || type == "f8E5M2FNUZ")
    return {1, true, 5, 2, type == "f8E5M2FNUZ", type == "f8E5M2FNUZ"};
  if (type == "i1" || type == "i8")
    return {1};
  if (type == "i16")
    return {2};
  if (type == "i32")
    return {4};
  require(type == "i64" || type == "index", "an argument has elements of type '" + type + "', which none has");
  return {8};
}

double Element::decode(std::uint64_t bits) const {
  const int width = 8 * bytes;
  const std::uint64_t one = 1;
  const std::uint64_t fraction = bits & ((one << mantissa) - 1);
  const int power = int(bits >> mantissa & ((one << exponent) - 1));
  const bool negative = bits >> (width - 1) & 1;
  const int bias = (1 << (exponent - 1)) - 1 + fnuz, most = (1 << exponent) - 1;
  if (fnuz ? negative && !power && !fraction : finite && power == most && fraction == (one << mantissa) - 1)
    return NAN;
  if (!finite && power == most)
    return fraction ? NAN : negative ? -INFINITY : INFINITY;
  const double magnitude = power ? std::ldexp(double(fraction + (one << mantissa)), power - bias - mantissa)
                                 : std::ldexp(double(fraction), 1 - bias - mantissa);
  return negative ? -magnitude : magnitude;
}

std::int64_t Element::whole(const char *from) const {
  std::uint64_t bits = 0;
  std::memcpy(&bits, from, size_t(bytes));
  const int unused = 64 - 8 * bytes;
  return std::int64_t(bits << unused) >> unused;
}

double Element::value(const char *from) const {
  if (!isFloat)
    return double(whole(from));
  std::uint64_t bits = 0;
  std::memcpy(&bits, from, size_t(bytes));
  return decode(bits);
}

void Element::store(double value, char *to) const {
  if (!isFloat) {
    const std::int64_t whole = std::int64_t(value);
    std::memcpy(to, &whole, size_t(bytes));
    return;
  }
  const int width = 8 * bytes;
  // Magnitudes are in the order of their bits: the last that is not above the number, or the one behind it.
  const double magnitude = std::fabs(value);
  const std::uint64_t infinity = ((std::uint64_t(1) << exponent) - 1) << mantissa;
  const std::uint64_t all = (std::uint64_t(1) << (width - 1)) - 1;
  const std::uint64_t largest = fnuz ? all : finite ? all - 1 : infinity - 1;
  std::uint64_t low = 0, high = largest;
  while (low < high) {
    const std::uint64_t middle = low + (high - low + 1) / 2;
    if (decode(middle) <= magnitude)
      low = middle;
    else
      high = middle - 1;
  }
  std::uint64_t bits = low;
  if (low < largest) {
    const double below = magnitude - decode(low), above = decode(low + 1) - magnitude;
    bits += above < below || (above == below && low % 2 == 1);
  }
  const bool hasNegative = !fnuz || bits != 0;
  if (std::signbit(value) && hasNegative)
    bits |= std::uint64_t(1) << (width - 1);
  std::memcpy(to, &bits, size_t(bytes));
}
