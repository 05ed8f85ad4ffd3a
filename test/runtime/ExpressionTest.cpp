// Values and errors of size expressions.
#include "host/Expression.h"
#include "host/Status.h"
#include <gtest/gtest.h>

using namespace tilec::host;

namespace {

const std::vector<std::string> names = {"M", "N"};
const std::int64_t values[] = {200, -7};

std::int64_t value(const std::string &text) { return Expression::parse(text, names).evaluate(values); }

std::string parseError(const std::string &text) {
  try {
    Expression::parse(text, names);
  } catch (const Error &error) {
    EXPECT_EQ(error.result, TILEC_BAD_MANIFEST);
    return error.words;
  }
  return "parsed";
}

std::string valueError(const std::string &text) {
  try {
    return std::to_string(value(text));
  } catch (const Error &error) {
    EXPECT_EQ(error.result, TILEC_BAD_EXTENTS);
    return error.words;
  }
}

TEST(Expression, precedenceAndAssociation) {
  EXPECT_EQ(value("1 + 2 * 3"), 7);
  EXPECT_EQ(value("(1 + 2) * 3"), 9);
  EXPECT_EQ(value("10 - 4 - 3"), 3);
  EXPECT_EQ(value("100 / 7 / 2"), 7);
  EXPECT_EQ(value("2 * M + 1"), 401);
  EXPECT_EQ(value("--3 - -2"), 5);
  EXPECT_EQ(value("-2 * 3"), -6);
}

TEST(Expression, divisionRoundsDown) {
  EXPECT_EQ(value("N / 2"), -4);
  EXPECT_EQ(value("7 / -2"), -4);
  EXPECT_EQ(value("mod(N, 4)"), 1);
  EXPECT_EQ(value("mod(7, -4)"), -1);
  EXPECT_EQ(value("mod(7, -1)"), 0);
  EXPECT_EQ(value("ceildiv(M, 128)"), 2);
  EXPECT_EQ(value("ceildiv(256, 128)"), 2);
  EXPECT_EQ(value("ceildiv(N, 2)"), -3);
  EXPECT_EQ(value("ceildiv(0, 5)"), 0);
  EXPECT_EQ(value("9 / -1"), -9);
}

TEST(Expression, functions) {
  EXPECT_EQ(value("min(M, 3, N)"), -7);
  EXPECT_EQ(value("max(1, ceildiv(M, 64) * 2)"), 8);
}

TEST(Expression, parseErrorsNameTheColumn) {
  EXPECT_EQ(parseError("M + K"), "expression 'M + K', column 5: unknown name 'K'");
  EXPECT_EQ(parseError("floor(M)"), "expression 'floor(M)', column 1: unknown function 'floor'");
  EXPECT_EQ(parseError("(M"), "expression '(M', column 3: expected ')', got the end");
  EXPECT_EQ(parseError(""), "expression '', column 1: expected a value, got the end");
  EXPECT_EQ(parseError("M M"), "expression 'M M', column 3: expected an operator, got 'M'");
  EXPECT_EQ(parseError("ceildiv(M)"), "expression 'ceildiv(M)', column 11: ceildiv takes two arguments, got 1");
  EXPECT_EQ(parseError("99999999999999999999"),
            "expression '99999999999999999999', column 19: the integer does not fit 64 bits");
  EXPECT_NE(parseError(std::string(1000, '(')).find("nested too deeply"), std::string::npos);
}

TEST(Expression, valueErrors) {
  EXPECT_EQ(valueError("1 / (M - 200)"), "expression '1 / (M - 200)': division by zero");
  EXPECT_EQ(valueError("9223372036854775807 + M"),
            "expression '9223372036854775807 + M': the value does not fit 64 bits");
  EXPECT_EQ(valueError("(-9223372036854775807 - 1) / -1"),
            "expression '(-9223372036854775807 - 1) / -1': the value does not fit 64 bits");
}

} // namespace
