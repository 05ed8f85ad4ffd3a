// Elements of arguments as the host sees them: how many bytes, and which number. Computing with them is the device's.
#ifndef TILEC_RUNNER_ELEMENT_H
#define TILEC_RUNNER_ELEMENT_H

#include <cstdint>
#include <string>

namespace tilec::runner {

/// How an element of an MLIR type is stored; of floats, how many bits its parts have.
struct Element {
  int bytes = 0;
  bool isFloat = false;
  int exponent = 0, mantissa = 0;
  bool fnuz = false;   ///< one zero, one NaN, in the place of the negative zero
  bool finite = false; ///< without infinities

  /// Throws std::runtime_error for a type that no argument has.
  static Element of(const std::string &type);

  double value(const char *from) const;
  /// Of an integer, with all of its bits.
  std::int64_t whole(const char *from) const;
  /// The nearest finite element of a number; of integers its whole part.
  void store(double value, char *to) const;

private:
  double decode(std::uint64_t bits) const;
};

} // namespace tilec::runner

#endif // TILEC_RUNNER_ELEMENT_H
