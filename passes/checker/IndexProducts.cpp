// Products of which no factor is a number: of few values each is tried, of extents the product is a variable that grows
// with its factors.
#include "passes/checker/IndexCase.h"

#include <numeric>

using namespace mlir;
using namespace tilec;
using namespace tilec::checker;

/// A factor of at most so many values is tried value by value: a rank, an index of slots or peers.
static constexpr int64_t kFewValues = 64;

/// Of its factors and its constant.
static int64_t commonDivisor(const Linear &value) {
  int64_t divisor = value.constant;
  for (int64_t factor : value.coefficients)
    divisor = std::gcd(divisor, factor);
  return std::max<int64_t>(divisor, 1);
}

static Linear dividedBy(Linear value, int64_t divisor) {
  for (int64_t &factor : value.coefficients)
    factor /= divisor;
  value.constant /= divisor;
  return value;
}

Linear IndexCase::multiply(const Linear &left, const Linear &right) {
  if (right.isConstant() || left.isConstant()) {
    const Linear &value = right.isConstant() ? left : right;
    int64_t factor = (right.isConstant() ? right : left).constant;
    if (value.isLarge() || Linear(factor).isLarge())
      return opaque();
    Linear product = value * factor;
    if (product.isLarge())
      return opaque();
    addMultiple(value, factor);
    return product;
  }
  if (isFormal)
    if (std::optional<Linear> product = formalProduct(left, right))
      return *product;
  for (auto [few, other] : {std::pair(&left, &right), {&right, &left}}) {
    // A multiple has as few values as what it is a multiple of.
    const int64_t unit = commonDivisor(*few);
    const Linear once = dividedBy(*few, unit);
    Range range = rangeOf(once);
    if (!range.low || !range.high || *range.high - *range.low >= kFewValues)
      continue;
    if (*range.high < *range.low)
      return Linear(0); // No case at all.
    int64_t number = *range.low + choices.choose(*range.high - *range.low + 1);
    equate(once, Linear(number));
    return multiply(*other, Linear(number * unit));
  }
  return opaque();
}

/// A function of extents alone, without a constant.
bool IndexCase::isOfExtents(const Linear &value) const {
  ArrayRef<int64_t> factors(value.coefficients);
  return llvm::all_of(factors.drop_front(std::min<size_t>(numExtents, factors.size())),
                      [](int64_t factor) { return factor == 0; }) &&
         isNonNegative(value);
}

/// (factor + c) * extent is a variable of its own and c * extent. None where neither side is made of extents.
std::optional<Linear> IndexCase::formalProduct(const Linear &left, const Linear &right) {
  for (auto [factor, extent] : {std::pair(left, right), {right, left}}) {
    if (!isOfExtents(extent) || factor.isLarge() || extent.isLarge())
      continue;
    Linear shift = extent * factor.constant;
    factor.constant = 0;
    if (shift.isLarge())
      continue;
    exact = false;
    for (const Product &known : products)
      if (known.factor == factor && known.extent == extent)
        return known.value + shift;
    Linear product = fresh({isNonNegative(factor) ? std::optional<int64_t>(0) : std::nullopt, std::nullopt});
    relate(factor, extent, product);
    products.push_back({factor, extent, product});
    return product + shift;
  }
  return std::nullopt;
}

/// A multiple of a formal product is one of that multiple of its factor: others are compared with it, too.
void IndexCase::addMultiple(const Linear &value, int64_t times) {
  auto known = llvm::find_if(products, [&](const Product &product) { return product.value == value; });
  if (known == products.end() || times < 2)
    return;
  Product multiple{known->factor * times, known->extent, value * times};
  auto isSame = [&](const Product &other) { return other.value == multiple.value; };
  if (multiple.factor.isLarge() || llvm::any_of(products, isSame))
    return;
  relate(multiple.factor, multiple.extent, multiple.value);
  products.push_back(multiple);
}

/// Of two products with one extent that with the greater factor is greater by the extent at least.
void IndexCase::relate(const Linear &factor, const Linear &extent, const Linear &product) {
  Range range = rangeOf(factor);
  if (range.low && !Linear(*range.low).isLarge())
    assumeNonNegative(product - extent * *range.low);
  if (range.high && !Linear(*range.high).isLarge())
    assumeNonNegative(extent * *range.high - product);
  for (const Product &other : products) {
    if (!(other.extent == extent))
      continue;
    switch (choices.choose(3)) {
    case 0:
      equate(factor, other.factor);
      equate(product, other.value);
      break;
    case 1:
      assumeNonNegative(factor - other.factor - Linear(1));
      assumeNonNegative(product - other.value - extent);
      break;
    default:
      assumeNonNegative(other.factor - factor - Linear(1));
      assumeNonNegative(other.value - product - extent);
    }
  }
}

/// Of a quotient of extents as much is known as that it lies between 0 and the dividend, and of a formal one what it is
/// multiplied with the divisor.
Linear IndexCase::divideByExtents(const Linear &left, const Linear &right) {
  exact = false;
  for (const Product &known : quotientsByExtents)
    if (known.factor == left && known.extent == right)
      return known.value;
  Linear quotient = fresh({0, rangeOf(left).high});
  assumeNonNegative(left - quotient);
  if (std::optional<Linear> product = isFormal ? formalProduct(quotient, right) : std::nullopt) {
    assumeNonNegative(left - *product);
    assumeNonNegative(*product + right - Linear(1) - left);
  }
  quotientsByExtents.push_back({left, right, quotient});
  return quotient;
}
