// Products and rearrangements of tiles, with their forward errors. Reductions are in Reductions.cpp.
#include "passes/interpreter/Compute.h"
#include "passes/interpreter/Limits.h"
#include "passes/interpreter/RealFunctions.h"

using namespace tilec::interpreter;

/// Four rows of c at a time, so that a row of b is read once for four products.
[[gnu::noinline]] static void multiplyRows(const double *__restrict a, const double *__restrict b, double *__restrict c,
                                           int64_t columns, int64_t depth, int64_t strideA, int64_t strideC) {
  double *c0 = c, *c1 = c + strideC, *c2 = c + 2 * strideC, *c3 = c + 3 * strideC;
  for (int64_t k = 0; k < depth; ++k) {
    double a0 = a[k], a1 = a[strideA + k], a2 = a[2 * strideA + k], a3 = a[3 * strideA + k];
    const double *row = b + k * strideC;
#pragma clang loop vectorize(assume_safety) interleave_count(2)
    for (int64_t j = 0; j < columns; ++j) {
      double x = row[j];
      c0[j] += a0 * x;
      c1[j] += a1 * x;
      c2[j] += a2 * x;
      c3[j] += a3 * x;
    }
  }
}

void tilec::interpreter::multiply(const double *a, const double *b, double *c, int64_t rows, int64_t columns,
                                  int64_t depth) {
  // A block of b (128 x 256 doubles) stays in the second-level cache while every row of a passes over it.
  constexpr int64_t blockDepth = 128, blockColumns = 256;
  for (int64_t j = 0; j < columns; j += blockColumns)
    for (int64_t k = 0; k < depth; k += blockDepth) {
      int64_t width = std::min(blockColumns, columns - j), height = std::min(blockDepth, depth - k);
      const double *block = b + k * columns + j;
      int64_t i = 0;
      for (; i + 4 <= rows; i += 4)
        multiplyRows(a + i * depth + k, block, c + i * columns + j, width, height, depth, columns);
      for (; i < rows; ++i)
        for (int64_t m = 0; m < height; ++m)
          for (int64_t n = 0; n < width; ++n)
            c[i * columns + j + n] += a[i * depth + k + m] * block[m * columns + n];
    }
}

/// Euclidean norms of the rows (or columns) of a rows x columns matrix; empty for an empty one.
static std::vector<double> norms(const std::vector<double> &matrix, int64_t rows, int64_t columns, bool ofRows) {
  std::vector<double> result;
  if (matrix.empty())
    return result;
  result.assign(ofRows ? rows : columns, 0);
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j)
      result[ofRows ? i : j] += matrix[i * columns + j] * matrix[i * columns + j];
  for (double &norm : result)
    norm = std::sqrt(norm);
  return result;
}

static std::vector<double> transposed(const std::vector<double> &matrix, int64_t rows, int64_t columns) {
  std::vector<double> result(matrix.size());
  constexpr int64_t block = 16;
  if (matrix.empty())
    return result;
  for (int64_t i = 0; i < rows; i += block)
    for (int64_t j = 0; j < columns; j += block)
      for (int64_t m = i; m < std::min(rows, i + block); ++m)
        for (int64_t n = j; n < std::min(columns, j + block); ++n)
          result[n * rows + m] = matrix[m * columns + n];
  return result;
}

static Elements dotWhole(const Elements &lhs, const Elements &rhs, const Elements *acc, bool transpose,
                         const Format &format) {
  int64_t rows = lhs.shape[0], depth = lhs.shape[1], columns = rhs.shape[transpose ? 0 : 1];
  Elements result(format, {rows, columns});
  // What scratch held before it was written had errors, which are zeros now.
  auto isCertain = [](const Elements &operand) {
    return llvm::all_of(operand.error, [](double error) { return error == 0; });
  };
  bool exact = isCertain(lhs) && isCertain(rhs) && (!acc || isCertain(*acc));
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j) {
      uint64_t total = acc ? acc->whole[i * columns + j] : 0;
      for (int64_t k = 0; k < depth; ++k)
        total += static_cast<uint64_t>(lhs.whole[i * depth + k]) *
                 static_cast<uint64_t>(rhs.whole[transpose ? j * depth + k : k * columns + j]);
      result.whole[i * columns + j] = format.wrap(total);
    }
  if (!exact)
    result.error.assign(result.size(), infinity);
  return result;
}

/// A NaN in the operands leaves no finite norm: the element itself says so, and its error is 0.
static double cleaned(double value, double error) {
  return std::isnan(value) ? 0 : std::isnan(error) ? infinity : error;
}

/// Below this part of elements with errors, their products are summed one by one. Values that were rounded to a narrow
/// type are mostly certain: few of them lie so close to a boundary that an implementation may round otherwise.
static constexpr double fewErrors = 1.0 / 16;

static bool isSparse(const Elements &operand) {
  auto uncertain = std::count_if(operand.error.begin(), operand.error.end(), [](double error) { return error != 0; });
  return static_cast<double>(uncertain) < fewErrors * static_cast<double>(operand.size());
}

static std::vector<double> magnitudes(const Elements &operand, bool withErrors) {
  std::vector<double> result(operand.real.size());
  for (size_t i = 0; i < result.size(); ++i)
    result[i] = std::abs(operand.real[i]) + (withErrors ? operand.errorAt(i) : 0);
  return result;
}

/// What errors of lhs do: `from[i][j] += sum over k of error[i][k] |rhs[k][j]|`.
static void addErrorOfLhs(const Elements &lhs, const Elements &rhs, bool transpose, int64_t columns,
                          std::vector<double> &from) {
  int64_t rows = lhs.shape[0], depth = lhs.shape[1];
  std::vector<double> right = magnitudes(rhs, /*withErrors=*/false);
  if (transpose)
    right = transposed(right, columns, depth);
  if (!isSparse(lhs))
    return multiply(lhs.error.data(), right.data(), from.data(), rows, columns, depth);
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t k = 0; k < depth; ++k)
      if (double error = lhs.error[i * depth + k])
        for (int64_t j = 0; j < columns; ++j)
          from[i * columns + j] += error * right[k * columns + j];
}

/// What errors of rhs do to a lhs that may itself be off: `sum over k of (|lhs[i][k]| + its error) error[k][j]`.
static void addErrorOfRhs(const Elements &lhs, const Elements &rhs, bool transpose, int64_t columns,
                          std::vector<double> &from) {
  int64_t rows = lhs.shape[0], depth = lhs.shape[1];
  std::vector<double> left = magnitudes(lhs, /*withErrors=*/true);
  if (!isSparse(rhs)) {
    std::vector<double> errors = transpose ? transposed(rhs.error, columns, depth) : rhs.error;
    return multiply(left.data(), errors.data(), from.data(), rows, columns, depth);
  }
  for (int64_t at = 0, n = rhs.size(); at < n; ++at)
    if (double error = rhs.error[at]) {
      int64_t k = transpose ? at % depth : at / columns, j = transpose ? at / depth : at % columns;
      for (int64_t i = 0; i < rows; ++i)
        from[i * columns + j] += left[i * depth + k] * error;
    }
}

/// What one addition loses where inner sums keep 14 bits: less than a unit in the last of them.
constexpr double kShortUnit = 0x1p-13;
/// Products that are added up so before f32 adds their sum.
constexpr int64_t kPromotedTerms = 128;

/// What sums of a matrix instruction lose that keep fewer bits than the accumulator.
static double lostInside(int64_t depth, double products, double partial, tilec::tile::Accumulation accumulation) {
  switch (accumulation) {
  case tilec::tile::Accumulation::Exact:
    return 0;
  case tilec::tile::Accumulation::Promoted:
    // Partial sums of the groups add up to no more than all magnitudes.
    return (gamma(std::min(depth, kPromotedTerms), kShortUnit) + kShortUnit) * products;
  case tilec::tile::Accumulation::Fast:
    return gamma(depth + 1, kShortUnit) * partial + kShortUnit * products;
  }
  llvm_unreachable("no such accumulation");
}

static void addDotError(Elements &result, const Elements &lhs, const Elements &rhs, const Elements *acc, bool transpose,
                        tilec::tile::Accumulation accumulation) {
  int64_t rows = lhs.shape[0], depth = lhs.shape[1], columns = result.shape[1];
  auto a = norms(lhs.real, rows, depth, true), b = norms(rhs.real, rhs.shape[0], rhs.shape[1], transpose);
  std::vector<double> from;
  if (!lhs.error.empty() || !rhs.error.empty())
    from.assign(result.size(), 0);
  if (!lhs.error.empty())
    addErrorOfLhs(lhs, rhs, transpose, columns, from);
  if (!rhs.error.empty())
    addErrorOfRhs(lhs, rhs, transpose, columns, from);
  double unit = 2 * result.format.unit(), relative = gamma(depth + (acc ? 1 : 0), unit);
  bool isF64 = result.format.bits == 64;
  result.error.assign(result.size(), 0);
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j) {
      int64_t at = i * columns + j;
      double propagated = (from.empty() ? 0 : from[at]) + (acc ? acc->errorAt(at) : 0);
      double products = depth ? a[i] * b[j] : 0, magnitude = products + (acc ? std::abs(acc->real[at]) : 0);
      // Some of the terms add up to no more than those of one sign, which are half of |sum| + sum of magnitudes.
      double partial = (magnitude + std::abs(result.real[at])) / 2 + propagated;
      double error = propagated + relative * partial + unit * (products + propagated) +
                     lostInside(depth, products + propagated, partial, accumulation);
      if (magnitude != 0 && !isF64)
        error += tinyF32 * (depth + 1);
      // Any order may leave f32 on its way.
      if (std::isfinite(result.real[at]) && result.format.mayOverflow(partial))
        error = infinity;
      // Nothing but zeros was multiplied.
      if (depth == 0 || products == 0)
        error = propagated;
      result.error[at] = cleaned(result.real[at], error);
    }
}

Elements tilec::interpreter::dot(const Elements &lhs, const Elements &rhs, const Elements *acc, bool transpose,
                                 const Format &accumulator, tilec::tile::Accumulation accumulation) {
  if (!lhs.format.isFloat)
    return dotWhole(lhs, rhs, acc, transpose, accumulator);
  int64_t rows = lhs.shape[0], depth = lhs.shape[1], columns = rhs.shape[transpose ? 0 : 1];
  Elements result(accumulator, {rows, columns});
  if (acc)
    result.real = acc->real;
  if (transpose) {
    std::vector<double> right = transposed(rhs.real, columns, depth);
    multiply(lhs.real.data(), right.data(), result.real.data(), rows, columns, depth);
  } else {
    multiply(lhs.real.data(), rhs.real.data(), result.real.data(), rows, columns, depth);
  }
  addDotError(result, lhs, rhs, acc, transpose, accumulation);
  return result;
}

Elements tilec::interpreter::broadcast(const Elements &operand, llvm::ArrayRef<int64_t> dims,
                                       llvm::ArrayRef<int64_t> shape) {
  Elements result(operand.format, shape);
  result.limits = operand.limits;
  Shape strides(shape.size(), 0);
  View source = View::whole(0, operand.shape);
  for (auto [i, dim] : llvm::enumerate(dims))
    strides[dim] = source.strides[i];
  Shape sizes = View::whole(0, shape).strides;
  for (int64_t i = 0, n = result.size(); i < n; ++i) {
    int64_t from = 0;
    for (size_t d = 0; d < shape.size(); ++d)
      from += i / sizes[d] % shape[d] * strides[d];
    result.copy(i, operand, from);
  }
  return result;
}

Elements tilec::interpreter::transpose(const Elements &operand, llvm::ArrayRef<int64_t> permutation) {
  Shape shape, strides, source = View::whole(0, operand.shape).strides;
  for (int64_t dim : permutation) {
    shape.push_back(operand.shape[dim]);
    strides.push_back(source[dim]);
  }
  Elements result(operand.format, shape);
  result.limits = operand.limits;
  Shape sizes = View::whole(0, shape).strides;
  for (int64_t i = 0, n = result.size(); i < n; ++i) {
    int64_t from = 0;
    for (size_t d = 0; d < shape.size(); ++d)
      from += i / sizes[d] % shape[d] * strides[d];
    result.copy(i, operand, from);
  }
  return result;
}
