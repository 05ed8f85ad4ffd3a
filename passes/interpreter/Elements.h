// A tile value of the oracle: its elements and how far an implementation may be from each. Scalars have no dimensions.
// What ops compute lives in Elementwise and Compute.
#pragma once

#include "passes/interpreter/Number.h"

#include <memory>

namespace tilec::interpreter {

using Shape = llvm::SmallVector<int64_t, 4>;

inline int64_t count(llvm::ArrayRef<int64_t> shape) {
  int64_t product = 1;
  for (int64_t size : shape)
    product *= size;
  return product;
}

/// Ends are infinite where nothing is known.
struct Limits {
  double low = -infinity, high = infinity;

  bool isKnown() const { return low != -infinity || high != infinity; }
};

struct LogSum;

/// Row-major. `error[i]` bounds |implementation - element i|; no errors at all mean that every element is exact. An
/// integer with an error is one that depends on how a float was rounded.
struct Elements {
  Format format;
  Shape shape;
  std::vector<double> real;   ///< floats
  std::vector<int64_t> whole; ///< integers
  std::vector<double> error;
  /// Holds every element that is no NaN, here and in any implementation, however far errors reach.
  Limits limits;
  /// Every line along dimension `peakDim` (-1: nothing is known) has an element of at least `peak`, everywhere as well.
  int64_t peakDim = -1;
  double peak = 0;
  /// What is known of the logarithm that a sum of shifted exponentials stands for; null of any other tile.
  std::shared_ptr<const LogSum> logSum;

  Elements() = default;
  Elements(const Format &format, llvm::ArrayRef<int64_t> shape) : format(format), shape(shape) {
    if (format.isFloat)
      real.resize(count(shape));
    else
      whole.resize(count(shape));
  }

  int64_t size() const { return format.isFloat ? real.size() : whole.size(); }
  bool isExact() const { return error.empty(); }
  double errorAt(int64_t i) const { return error.empty() ? 0 : error[i]; }
  void setError(int64_t i, double value) {
    if (value == 0 && error.empty())
      return;
    if (error.empty())
      error.assign(size(), 0);
    error[i] = value;
  }
  /// Of elements that are all the same and exact.
  void setConstantLimits() {
    if (!real.empty() && !std::isnan(real[0]))
      limits = {real[0], real[0]};
  }
  /// Element i of `from` (of one format) becomes element `to` of this.
  void copy(int64_t to, const Elements &from, int64_t i) {
    if (format.isFloat)
      real[to] = from.real[i];
    else
      whole[to] = from.whole[i];
    setError(to, from.errorAt(i));
  }

  static Elements integer(const Format &format, int64_t value) {
    Elements result(format, {});
    result.whole[0] = format.wrap(value);
    return result;
  }
  static Elements index(int64_t value) { return integer(Format(), value); }
};

using SharedElements = std::shared_ptr<const Elements>;

/// A tile s is the sum of exp(x - maximum) over some x (or exp2), or the logarithm of such a sum. `error[i]` bounds how
/// far an implementation's log(s) + maximum can be from the oracle's, which is far less than their errors together.
struct LogSum {
  SharedElements maximum;
  std::vector<double> error;
  bool isBinary = false, isLogarithm = false;
};

} // namespace tilec::interpreter
