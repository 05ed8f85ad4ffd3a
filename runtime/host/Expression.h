// Integer expressions over extents. The manifest's size expressions: parsed once, evaluated at each launch. What they
// are sizes of is Manifest's.
#ifndef TILEC_HOST_EXPRESSION_H
#define TILEC_HOST_EXPRESSION_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tilec::host {

/// sum   := term (('+' | '-') term)*          term := factor (('*' | '/') factor)*        (left to right)
/// factor := integer | name | '-' factor | '(' sum ')' | function '(' sum (',' sum)* ')'
/// function := ceildiv(a, b) | mod(a, b) | min(a, b, ...) | max(a, b, ...)
/// 64-bit signed; '/' and mod round towards minus infinity. Overflow and division by zero are errors.
class Expression {
public:
  /// Parses `text`, whose names are among `names`. Throws Error(TILEC_BAD_MANIFEST) with the column of the fault.
  static Expression parse(const std::string &text, const std::vector<std::string> &names);
  static Expression constant(std::int64_t value);

  /// `values` in the order of `names`. Throws Error(TILEC_BAD_EXTENTS).
  std::int64_t evaluate(const std::int64_t *values) const;
  /// Throws Error(TILEC_BAD_EXTENTS) where a number on the way leaves the 32 bits in which generated text computes it.
  void requireNarrow(const std::int64_t *values) const;
  const std::string &text() const { return source; }
  /// Whether the expression has the name with this number.
  bool names(std::size_t number) const;

private:
  friend class ExpressionParser;
  enum class Op { Constant, Name, Add, Sub, Mul, Div, CeilDiv, Mod, Min, Max, Negate };
  struct Step {
    Op op;
    std::int64_t value; ///< the constant, or the number of the name
  };
  std::int64_t apply(Op op, std::int64_t a, std::int64_t b) const;
  std::int64_t evaluate(const std::int64_t *values, bool narrow) const;
  [[noreturn]] void fail(const std::string &what) const;

  std::string source;
  std::vector<Step> steps; ///< postfix
  int depth = 0;           ///< of the stack that evaluation needs
};

} // namespace tilec::host

#endif // TILEC_HOST_EXPRESSION_H
