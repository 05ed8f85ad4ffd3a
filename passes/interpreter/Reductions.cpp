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

namespace {

/// The sum of some floats, in any order.
class SumOfReals {
public:
  explicit SumOfReals(const Format &format) : format(format) {}

  void add(double x, double e) {
    magnitude += std::abs(x) + e;
    error += e;
    value += x;
    ++terms;
  }
  Real result() const {
    if (terms > 2 && std::isfinite(value) && format.mayOverflow(magnitude))
      return {value, infinity}; // any order may leave f32 on its way
    return {value, error + gamma(std::max<int64_t>(terms - 1, 0), format.unit()) * magnitude};
  }

private:
  Format format;
  double value = 0, error = 0, magnitude = 0;
  int64_t terms = 0;
};

/// The greatest (or least) of them: only what can win moves it.
class ExtremumOfReals {
public:
  ExtremumOfReals(bool maximum, bool isExact)
      : maximum(maximum), isExact(isExact), value(maximum ? -infinity : infinity), low(value), high(value) {}

  void add(double x, double e) {
    if (std::isnan(value))
      return;
    value = std::isnan(x) ? x : winner(value, x);
    low = winner(low, x - e);
    high = winner(high, x + e);
  }
  Real result() const { return {value, isExact || std::isnan(value) ? 0 : spread(value, low, high)}; }

private:
  double winner(double a, double b) const { return maximum ? std::max(a, b) : std::min(a, b); }

  bool maximum, isExact;
  double value, low, high;
};

/// The product of them. Partial products of any order lie between that of the factors below 1 and that of the others:
/// where the least may vanish, what is lost may grow by as much as the greatest.
class ProductOfReals {
public:
  ProductOfReals(const Format &format, bool isExact) : format(format), isExact(isExact) {}

  void add(double x, double e) {
    double least = std::max(0.0, std::abs(x) - e), greatest = std::abs(x) + e;
    hasZero |= x == 0 && e == 0;
    value *= x;
    most *= greatest;
    below *= x == 0 && e == 0 ? 1 : std::min(least, 1.0);
    above *= std::max(greatest, 1.0);
    last = e;
    ++factors;
  }
  Real result() const {
    bool isF64 = format.bits == 64;
    // Infinities among the operands, or on the way: any order has its own.
    if (format.mayOverflow(above))
      return {value, std::isfinite(value) || std::isnan(value) || factors > 1 ? infinity : 0};
    if (hasZero || factors <= 1)
      return {value, factors == 1 ? last : 0};
    double lost =
        below < (isF64 ? std::numeric_limits<double>::min() : tinyF32)
            ? static_cast<double>(factors - 1) * (isF64 ? std::numeric_limits<double>::min() : tinyF32) * above
            : 0;
    double propagated = isExact ? 0 : most * (1 + gamma(factors, unitF64)) - std::abs(value);
    return {value, propagated + gamma(factors - 1, format.unit()) * most + lost};
  }

private:
  Format format;
  bool isExact, hasZero = false;
  double value = 1, most = 1, below = 1, above = 1, last = 0;
  int64_t factors = 0;
};

/// Two integers put together, wrapping.
int64_t combineWhole(int64_t a, int64_t b, Combination kind) {
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

/// What changes nothing.
int64_t identityOf(const Format &format, Combination kind) {
  int64_t least = format.bits == 64 ? std::numeric_limits<int64_t>::min() : -(int64_t(1) << (format.bits - 1));
  switch (kind) {
  case Combination::Product:
    return 1;
  case Combination::And:
    return -1;
  case Combination::Maximum:
    return least;
  case Combination::Minimum:
    return ~least;
  default:
    return 0;
  }
}

/// Some integers. Of what is uncertain only sums and extrema bound what it does.
class CombinedWhole {
public:
  CombinedWhole(const Format &format, Combination kind) : format(format), kind(kind), value(identityOf(format, kind)) {}

  void add(int64_t x, double e) {
    value = any ? combineWhole(value, x, kind) : x;
    errors += e;
    any = true;
  }
  int64_t result() const { return format.wrap(value); }
  double error() const {
    if (errors == 0)
      return 0;
    if (format.bits == 1)
      return 1;
    return kind == Combination::Add || kind == Combination::Maximum || kind == Combination::Minimum ? errors : infinity;
  }

private:
  Format format;
  Combination kind;
  int64_t value;
  double errors = 0;
  bool any = false;
};

/// Elements of a line in turn, combined, and stored where a result of all of them so far is wanted.
class Line {
public:
  Line(const Elements &operand, int64_t start, int64_t stride, int64_t size)
      : operand(operand), start(start), stride(stride), size(size) {}

  /// `put(i, value)` before element i, and at last with the size of the line.
  template <class Put>
  void combine(Combination kind, Put &&put) const {
    if (!operand.format.isFloat)
      run(CombinedWhole(operand.format, kind), operand.whole, put);
    else if (kind == Combination::Add)
      run(SumOfReals(operand.format), operand.real, put);
    else if (kind == Combination::Product)
      run(ProductOfReals(operand.format, operand.isExact()), operand.real, put);
    else
      run(ExtremumOfReals(kind == Combination::Maximum, operand.isExact()), operand.real, put);
  }

private:
  template <class Combined, class Values, class Put>
  void run(Combined combined, const Values &values, Put &put) const {
    for (int64_t i = 0; i < size; ++i) {
      put(i, combined);
      combined.add(values[start + i * stride], operand.errorAt(start + i * stride));
    }
    put(size, combined);
  }

  const Elements &operand;
  int64_t start, stride, size;
};

void store(const CombinedWhole &combined, Elements &result, int64_t at) {
  result.whole[at] = combined.result();
  result.setError(at, combined.error());
}

template <class Combined>
void store(const Combined &combined, Elements &result, int64_t at) {
  const Format &format = result.format;
  auto [value, error, least] = combined.result();
  result.real[at] = format.round(value);
  result.setError(at, std::isnan(value) ? 0 : format.bits < 32 ? format.roundingError(value, error) : error);
}

} // namespace

Elements tilec::interpreter::reduce(const Elements &operand, int64_t dim, Combination kind) {
  Shape shape(operand.shape);
  int64_t size = shape[dim], stride = count(llvm::ArrayRef(shape).drop_front(dim + 1));
  shape.erase(shape.begin() + dim);
  Elements result(operand.format, shape);
  for (int64_t i = 0, n = result.size(); i < n; ++i)
    Line(operand, i / stride * stride * size + i % stride, stride, size)
        .combine(kind, [&](int64_t before, const auto &combined) {
          if (before == size)
            store(combined, result, i);
        });
  if (operand.format.isFloat && size > 0)
    result.limits = kind == Combination::Add       ? limitsOfSum(operand, dim, size)
                    : kind == Combination::Product ? Limits()
                                                   : operand.limits;
  cutErrors(result);
  return result;
}

Elements tilec::interpreter::scan(const Elements &operand, int64_t dim, Combination kind, bool isExclusive) {
  const Shape &shape = operand.shape;
  int64_t size = shape[dim], stride = count(llvm::ArrayRef(shape).drop_front(dim + 1));
  Elements result(operand.format, shape);
  for (int64_t i = 0, lines = size ? result.size() / size : 0; i < lines; ++i) {
    int64_t start = i / stride * stride * size + i % stride;
    Line(operand, start, stride, size).combine(kind, [&](int64_t before, const auto &combined) {
      int64_t at = isExclusive ? before : before - 1;
      if (at >= 0 && at < size)
        store(combined, result, start + at * stride);
    });
  }
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
    error += gamma(terms.size() - 1, format.unit()) * magnitude;
    if (terms.size() > 2 && std::isfinite(value) && format.mayOverflow(magnitude))
      error = infinity;
    result.real[i] = format.round(value);
    // One term is only rounded; a store of f64 into f32 too.
    result.setError(i, format.roundingError(value, error));
  }
  return result;
}
