// Integer expressions over extents.
#include "host/Expression.h"
#include "host/Status.h"
#include <algorithm>
#include <cctype>

using namespace tilec::host;

namespace tilec::host {

class ExpressionParser {
public:
  ExpressionParser(const std::string &text, const std::vector<std::string> &names) : text(text), names(names) {}

  Expression run() {
    result.source = text;
    sum();
    skipSpace();
    if (at < text.size())
      fail("expected an operator, got '" + text.substr(at, 1) + "'");
    return std::move(result);
  }

private:
  using Op = Expression::Op;

  [[noreturn]] void fail(const std::string &what) const {
    throw Error(TILEC_BAD_MANIFEST, "expression '" + text + "', column " + std::to_string(at + 1) + ": " + what);
  }

  void skipSpace() {
    while (at < text.size() && text[at] == ' ')
      ++at;
  }

  bool accept(char c) {
    skipSpace();
    if (at >= text.size() || text[at] != c)
      return false;
    ++at;
    return true;
  }

  void expect(char c) {
    if (!accept(c))
      fail(std::string("expected '") + c + "', got " + (at < text.size() ? "'" + text.substr(at, 1) + "'" : "the end"));
  }

  void push(Op op, std::int64_t value = 0) {
    result.steps.push_back({op, value});
    height += op == Op::Constant || op == Op::Name ? 1 : op == Op::Negate ? 0 : -1;
    result.depth = std::max(result.depth, height);
  }

  void sum() {
    // Bounded, so that no manifest overflows the stack.
    if (++nesting > 100)
      fail("nested too deeply");
    term();
    for (;;) {
      const Op op = accept('+') ? Op::Add : accept('-') ? Op::Sub : Op::Constant;
      if (op == Op::Constant)
        break;
      term();
      push(op);
    }
    --nesting;
  }

  void term() {
    factor();
    for (;;) {
      const Op op = accept('*') ? Op::Mul : accept('/') ? Op::Div : Op::Constant;
      if (op == Op::Constant)
        break;
      factor();
      push(op);
    }
  }

  void factor() {
    bool negative = false;
    while (accept('-'))
      negative = !negative;
    if (accept('(')) {
      sum();
      expect(')');
    } else if (at < text.size() && std::isdigit((unsigned char)text[at])) {
      integer();
    } else if (at < text.size() && (std::isalpha((unsigned char)text[at]) || text[at] == '_')) {
      nameOrCall();
    } else {
      fail("expected a value, got " + (at < text.size() ? "'" + text.substr(at, 1) + "'" : std::string("the end")));
    }
    if (negative)
      push(Op::Negate);
  }

  void integer() {
    std::int64_t value = 0;
    for (; at < text.size() && std::isdigit((unsigned char)text[at]); ++at)
      if (__builtin_mul_overflow(value, std::int64_t(10), &value) ||
          __builtin_add_overflow(value, std::int64_t(text[at] - '0'), &value))
        fail("the integer does not fit 64 bits");
    push(Op::Constant, value);
  }

  void nameOrCall() {
    const size_t start = at;
    while (at < text.size() && (std::isalnum((unsigned char)text[at]) || text[at] == '_'))
      ++at;
    const std::string name = text.substr(start, at - start);
    if (accept('('))
      return call(name, start);
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) {
      at = start;
      fail("unknown name '" + name + "'");
    }
    push(Op::Name, found - names.begin());
  }

  void call(const std::string &name, size_t start) {
    static const std::pair<const char *, Op> functions[] = {
        {"ceildiv", Op::CeilDiv}, {"mod", Op::Mod}, {"min", Op::Min}, {"max", Op::Max}};
    const auto found = std::find_if(std::begin(functions), std::end(functions),
                                    [&](const auto &function) { return name == function.first; });
    if (found == std::end(functions)) {
      at = start;
      fail("unknown function '" + name + "'");
    }
    int count = 1;
    for (sum(); accept(','); ++count) {
      sum();
      push(found->second);
    }
    expect(')');
    const bool any = found->second == Op::Min || found->second == Op::Max;
    if (any ? count < 2 : count != 2)
      fail(name + " takes two arguments, got " + std::to_string(count));
  }

  const std::string &text;
  const std::vector<std::string> &names;
  Expression result;
  size_t at = 0;
  int height = 0, nesting = 0;
};

} // namespace tilec::host

Expression Expression::parse(const std::string &text, const std::vector<std::string> &names) {
  return ExpressionParser(text, names).run();
}

Expression Expression::constant(std::int64_t value) {
  Expression result;
  result.source = std::to_string(value);
  result.steps.push_back({Op::Constant, value});
  result.depth = 1;
  return result;
}

void Expression::fail(const std::string &what) const {
  throw Error(TILEC_BAD_EXTENTS, "expression '" + source + "': " + what);
}

static std::int64_t floorDiv(std::int64_t a, std::int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }

std::int64_t Expression::apply(Op op, std::int64_t a, std::int64_t b) const {
  std::int64_t value = 0;
  bool overflow = false;
  switch (op) {
  case Op::Add:
    overflow = __builtin_add_overflow(a, b, &value);
    break;
  case Op::Sub:
    overflow = __builtin_sub_overflow(a, b, &value);
    break;
  case Op::Mul:
    overflow = __builtin_mul_overflow(a, b, &value);
    break;
  case Op::Min:
    return std::min(a, b);
  case Op::Max:
    return std::max(a, b);
  case Op::Div:
  case Op::CeilDiv:
  case Op::Mod:
    if (b == 0)
      fail("division by zero");
    if (b == -1) { // the one quotient that can overflow
      overflow = op != Op::Mod && __builtin_sub_overflow(std::int64_t(0), a, &value);
      break;
    }
    if (op == Op::Mod)
      value = a % b + (a % b != 0 && (a < 0) != (b < 0) ? b : 0);
    else
      value = floorDiv(a, b) + (op == Op::CeilDiv && a % b != 0);
    break;
  case Op::Constant:
  case Op::Name:
  case Op::Negate:
    break;
  }
  if (overflow)
    fail("the value does not fit 64 bits");
  return value;
}

std::int64_t Expression::evaluate(const std::int64_t *values) const { return evaluate(values, /*narrow=*/false); }

bool Expression::names(std::size_t number) const {
  return std::any_of(steps.begin(), steps.end(),
                     [&](const Step &step) { return step.op == Op::Name && step.value == std::int64_t(number); });
}

void Expression::requireNarrow(const std::int64_t *values) const { (void)evaluate(values, /*narrow=*/true); }

std::int64_t Expression::evaluate(const std::int64_t *values, bool narrow) const {
  const auto check = [&](std::int64_t number) {
    if (narrow && (number < INT32_MIN || number > INT32_MAX))
      fail("the value " + std::to_string(number) + " on the way does not fit the 32 bits that it is computed in");
  };
  std::vector<std::int64_t> stack;
  stack.reserve(depth);
  for (const Step &step : steps) {
    if (step.op == Op::Constant) {
      stack.push_back(step.value);
    } else if (step.op == Op::Name) {
      stack.push_back(values[step.value]);
    } else if (step.op == Op::Negate) {
      stack.back() = apply(Op::Sub, 0, stack.back());
    } else {
      const std::int64_t right = stack.back();
      stack.pop_back();
      // The text rounds up by an addition before the division.
      if (step.op == Op::CeilDiv && stack.back() > 0)
        check(stack.back() + right - 1);
      stack.back() = apply(step.op, stack.back(), right);
      check(stack.back());
    }
  }
  return stack.back();
}
