// Reductions of tiles along a dimension and over ranks, with their forward errors.
#include "passes/interpreter/Compute.h"
#include "passes/interpreter/Limits.h"
#include "passes/interpreter/RealFunctions.h"

using namespace tilec::interpreter;

Combination tilec::interpreter::combinationOf(tilec::tile::Reduction kind) {
  using tilec::tile::Reduction;
  switch (kind) {
  case Reduction::Add:
    return Combination::Add;
  case Reduction::Maximum:
    return Combination::Maximum;
  case Reduction::Minimum:
    return Combination::Minimum;
  case Reduction::Product:
    return Combination::Product;
  case Reduction::And:
    return Combination::And;
  case Reduction::Or:
    return Combination::Or;
  case Reduction::Xor:
    return Combination::Xor;
  }
  llvm_unreachable("no such reduction");
}

/// The sum of elements start, start + stride, ... of the operand.
static Real sumOfLine(const Elements &operand, int64_t start, int64_t stride, int64_t size) {
  double value = 0, error = 0, magnitude = 0;
  for (int64_t i = 0; i < size; ++i) {
    double x = operand.real[start + i * stride], e = operand.errorAt(start + i * stride);
    magnitude += std::abs(x) + e;
    error += e;
    value += x;
  }
  return {value, error + gamma(size - 1, operand.format.unit()) * magnitude};
}

/// The greatest (or least) of them: only what can win moves it.
static Real extremumOfLine(const Elements &operand, int64_t start, int64_t stride, int64_t size, bool maximum) {
  auto winner = [maximum](double a, double b) { return maximum ? std::max(a, b) : std::min(a, b); };
  double value = maximum ? -infinity : infinity, low = value, high = value;
  for (int64_t i = 0; i < size; ++i) {
    double x = operand.real[start + i * stride], e = operand.errorAt(start + i * stride);
    if (std::isnan(x))
      return {x, 0};
    value = winner(value, x);
    low = winner(low, x - e);
    high = winner(high, x + e);
  }
  return {value, operand.isExact() ? 0 : spread(value, low, high)};
}

/// The product of them. Partial products of any order lie between that of the factors below 1 and that of the others:
/// where the least may vanish, what is lost may grow by as much as the greatest.
static Real productOfLine(const Elements &operand, int64_t start, int64_t stride, int64_t size) {
  double value = 1, most = 1, below = 1, above = 1;
  bool hasZero = false;
  for (int64_t i = 0; i < size; ++i) {
    double x = operand.real[start + i * stride], e = operand.errorAt(start + i * stride);
    double low = std::max(0.0, std::abs(x) - e), high = std::abs(x) + e;
    hasZero |= x == 0 && e == 0;
    value *= x;
    most *= high;
    below *= x == 0 && e == 0 ? 1 : std::min(low, 1.0);
    above *= std::max(high, 1.0);
  }
  const Format &format = operand.format;
  bool isF64 = format.bits == 64;
  // Infinities among the operands, or on the way: any order has its own.
  if (above > (isF64 ? format.largest : std::numeric_limits<float>::max()))
    return {value, std::isfinite(value) || std::isnan(value) || size > 1 ? infinity : 0};
  if (hasZero || size == 1)
    return {value, size == 1 ? operand.errorAt(start) : 0};
  double lost = below < (isF64 ? std::numeric_limits<double>::min() : tinyF32)
                    ? static_cast<double>(size - 1) * (isF64 ? std::numeric_limits<double>::min() : tinyF32) * above
                    : 0;
  double propagated = most * (1 + gamma(size, unitF64)) - std::abs(value);
  if (operand.isExact())
    propagated = 0;
  return {value, propagated + gamma(size - 1, format.unit()) * most + lost};
}

/// A float of the line, reduced.
static Real reduceReals(const Elements &operand, int64_t start, int64_t stride, int64_t size, Combination kind) {
  if (kind == Combination::Add)
    return sumOfLine(operand, start, stride, size);
  if (kind == Combination::Product)
    return productOfLine(operand, start, stride, size);
  return extremumOfLine(operand, start, stride, size, kind == Combination::Maximum);
}

/// Two integers put together, wrapping.
static int64_t combineWhole(int64_t a, int64_t b, Combination kind) {
  switch (kind) {
  case Combination::Add:
    return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
  case Combination::Product:
    return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
  case Combination::Maximum:
    return std::max(a, b);
  case Combination::Minimum:
    return std::min(a, b);
  case Combination::And:
    return a & b;
  case Combination::Or:
    return a | b;
  case Combination::Xor:
    return a ^ b;
  }
  llvm_unreachable("no such combination");
}

/// What uncertain integers do to their combination: only sums and extrema bound it.
static double errorOfWhole(double errors, const Format &format, Combination kind) {
  if (errors == 0)
    return 0;
  if (format.bits == 1)
    return 1;
  return kind == Combination::Add || kind == Combination::Maximum || kind == Combination::Minimum ? errors : infinity;
}

/// One reduced element.
static void reduceElement(const Elements &operand, int64_t start, int64_t stride, int64_t size, Combination kind,
                          Elements &result, int64_t at) {
  const Format &format = operand.format;
  if (format.isFloat) {
    auto [value, error, least] = reduceReals(operand, start, stride, size, kind);
    result.real[at] = format.round(value);
    result.setError(at, std::isnan(value) ? 0 : format.bits < 32 ? format.roundingError(value, error) : error);
    return;
  }
  double errors = 0;
  int64_t value = size > 0 ? operand.whole[start] : 0;
  for (int64_t i = 0; i < size; ++i) {
    errors += operand.errorAt(start + i * stride);
    if (i > 0)
      value = combineWhole(value, operand.whole[start + i * stride], kind);
  }
  result.whole[at] = format.wrap(value);
  result.setError(at, errorOfWhole(errors, format, kind));
}

Elements tilec::interpreter::reduce(const Elements &operand, int64_t dim, Combination kind) {
  Shape shape(operand.shape);
  int64_t size = shape[dim], stride = count(llvm::ArrayRef(shape).drop_front(dim + 1));
  shape.erase(shape.begin() + dim);
  Elements result(operand.format, shape);
  for (int64_t i = 0, n = result.size(); i < n; ++i)
    reduceElement(operand, i / stride * stride * size + i % stride, stride, size, kind, result, i);
  if (operand.format.isFloat && size > 0)
    result.limits = kind == Combination::Add       ? limitsOfSum(operand, dim, size)
                    : kind == Combination::Product ? Limits()
                                                   : operand.limits;
  cutErrors(result);
  return result;
}

/// The place of the greatest (or least) of a line, and how far from it that of an implementation may be: the last or
/// first that rounding may let win.
static std::pair<int64_t, double> placeOfLine(const Elements &operand, int64_t start, int64_t stride, int64_t size,
                                              bool maximum) {
  auto at = [&](int64_t i) {
    double x = operand.format.isFloat ? operand.real[start + i * stride]
                                      : static_cast<double>(operand.whole[start + i * stride]);
    return maximum ? x : -x;
  };
  auto exceeds = [&](int64_t i, int64_t best) {
    if (!operand.format.isFloat) {
      int64_t a = operand.whole[start + i * stride], b = operand.whole[start + best * stride];
      return maximum ? a > b : a < b;
    }
    return !std::isnan(at(best)) && (std::isnan(at(i)) || at(i) > at(best));
  };
  int64_t best = 0;
  for (int64_t i = 1; i < size; ++i)
    if (exceeds(i, best))
      best = i;
  double away = 0;
  if (operand.isExact() || std::isnan(at(best)))
    return {best, 0};
  // What wins everywhere is at least as great as this.
  double least = -infinity;
  for (int64_t i = 0; i < size; ++i)
    least = std::max(least, at(i) - operand.errorAt(start + i * stride));
  for (int64_t i = 0; i < size; ++i)
    if (at(i) + operand.errorAt(start + i * stride) >= least)
      away = std::max(away, static_cast<double>(std::abs(i - best)));
  return {best, away};
}

Elements tilec::interpreter::placeOfExtremum(const Elements &operand, int64_t dim, bool maximum, const Format &places) {
  Shape shape(operand.shape);
  int64_t size = shape[dim], stride = count(llvm::ArrayRef(shape).drop_front(dim + 1));
  shape.erase(shape.begin() + dim);
  Elements result(places, shape);
  for (int64_t i = 0, n = result.size(); i < n; ++i) {
    auto [place, error] = placeOfLine(operand, i / stride * stride * size + i % stride, stride, size, maximum);
    result.whole[i] = place;
    result.setError(i, error);
  }
  return result;
}

Elements tilec::interpreter::combine(llvm::ArrayRef<Elements> terms, const Format &format, Combination kind) {
  if (kind == Combination::Add)
    return sum(terms, format);
  Shape shape(terms[0].shape);
  shape.insert(shape.begin(), static_cast<int64_t>(terms.size()));
  Elements stacked(terms[0].format, shape), result(format, terms[0].shape);
  int64_t size = result.size();
  for (auto [number, term] : llvm::enumerate(terms))
    for (int64_t i = 0; i < size; ++i)
      stacked.copy(static_cast<int64_t>(number) * size + i, term, i);
  Elements combined = reduce(stacked, /*dim=*/0, kind);
  for (int64_t i = 0; i < size; ++i) {
    if (!format.isFloat) {
      result.whole[i] = format.wrap(combined.whole[i]);
      result.setError(i, combined.errorAt(i));
      continue;
    }
    result.real[i] = format.round(combined.real[i]);
    result.setError(i, format.roundingError(combined.real[i], combined.errorAt(i)));
  }
  return result;
}

Elements tilec::interpreter::sum(llvm::ArrayRef<Elements> terms, const Format &format) {
  Elements result(format, terms[0].shape);
  for (int64_t i = 0, n = result.size(); i < n; ++i) {
    double error = 0, magnitude = 0;
    for (const Elements &term : terms) {
      error += term.errorAt(i);
      if (!format.isFloat) {
        result.whole[i] = format.wrap(static_cast<uint64_t>(result.whole[i]) + static_cast<uint64_t>(term.whole[i]));
        continue;
      }
      result.real[i] += term.real[i];
      magnitude += std::abs(term.real[i]) + term.errorAt(i);
    }
    if (!format.isFloat) {
      result.setError(i, error);
      continue;
    }
    double value = result.real[i];
    error += gamma(terms.size() - 1, format.bits == 64 ? unitF64 : unitF32) * magnitude;
    result.real[i] = format.round(value);
    // One term is only rounded; a store of f64 into f32 too.
    result.setError(i, format.roundingError(value, error));
  }
  return result;
}
