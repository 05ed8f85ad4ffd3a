// What is eliminated is compared with what enumeration finds.
#include "passes/checker/Projection.h"

#include <gtest/gtest.h>
#include <random>

using namespace mlir::presburger;
using namespace tilec::checker;

namespace {

using Row = std::vector<int64_t>;

IntegerPolyhedron polyhedron(unsigned numVariables, const std::vector<Row> &inequalities) {
  IntegerPolyhedron set(PresburgerSpace::getSetSpace(numVariables));
  for (const Row &row : inequalities)
    set.addInequality(row);
  return set;
}

/// Whether integers up to `reach` for the variables behind `point` solve the set with it.
bool isSolvable(const IntegerPolyhedron &set, Row point, int64_t reach) {
  if (point.size() == set.getNumVars())
    return set.containsPoint(point);
  for (int64_t value = -reach; value <= reach; ++value) {
    Row longer = point;
    longer.push_back(value);
    if (isSolvable(set, longer, reach))
      return true;
  }
  return false;
}

TEST(Projection, TilesThatTouchLeaveNoTask) {
  // 16 i <= x < 16 i + 16 and 0 <= i < n
  IntegerPolyhedron set = polyhedron(3, {{0, 1, -16, 0}, {0, -1, 16, 15}, {0, 0, 1, 0}, {1, 0, -1, -1}});
  eliminateExactly(set, 2);
  EXPECT_EQ(set.getNumVars(), 2u);
  EXPECT_TRUE(set.containsPoint({2, 31}));
  EXPECT_FALSE(set.containsPoint({2, 32}));
  EXPECT_FALSE(set.containsPoint({2, -1}));
}

TEST(Projection, TilesWithGapsKeepTheTask) {
  // 16 i <= x < 16 i + 12
  IntegerPolyhedron set = polyhedron(2, {{1, -16, 0}, {-1, 16, 11}});
  eliminateExactly(set, 1);
  EXPECT_EQ(set.getNumVars(), 2u);
}

TEST(Projection, IntegersAndNotFractionsDecide) {
  // 2 i = x: what Fourier and Motzkin leave is every x.
  IntegerPolyhedron set = polyhedron(2, {{1, -2, 0}, {-1, 2, 0}});
  eliminateExactly(set, 1);
  EXPECT_TRUE(isSolvable(set, {4}, 8));
  EXPECT_FALSE(isSolvable(set, {5}, 8));
}

TEST(Projection, RandomSetsStayTheSame) {
  std::mt19937 random(7);
  auto number = [&](int64_t low, int64_t high) { return std::uniform_int_distribution<int64_t>(low, high)(random); };
  unsigned eliminated = 0;
  constexpr int64_t reach = 5;
  for (unsigned trial = 0; trial < 1500; ++trial) {
    std::vector<Row> rows;
    for (unsigned variable = 0; variable < 4; ++variable) {
      Row low(5, 0), high(5, 0);
      low[variable] = 1, high[variable] = -1;
      low[4] = high[4] = reach;
      rows.push_back(low);
      rows.push_back(high);
    }
    for (int64_t count = number(1, 5); count > 0; --count)
      rows.push_back({number(-3, 3), number(-3, 3), number(-4, 4), number(-4, 4), number(-6, 9)});
    const IntegerPolyhedron before = polyhedron(4, rows);
    IntegerPolyhedron after = before;
    eliminateExactly(after, 2);
    eliminated += before.getNumVars() - after.getNumVars();
    for (int64_t x = -reach; x <= reach; ++x)
      for (int64_t y = -reach; y <= reach; ++y)
        ASSERT_EQ(isSolvable(before, {x, y}, reach), isSolvable(after, {x, y}, reach))
            << "trial " << trial << " at " << x << ", " << y;
  }
  EXPECT_GT(eliminated, 500u); // or the comparison would be of a set with itself
}

} // namespace
