// Extents of launches: given, drawn, chosen and refused.
#include "codegen/tilec/LaunchPlan.h"
#include "Scratch.h"

using namespace tilec;
using namespace tilec::test;

static const char *text = "tile.program @p<%M, %N, %S>() { }";

TEST(LaunchPlan, GivenAndChosen) {
  Parsed parsed(text);
  auto plan = planLaunches(parsed.program(), {"N=7"}, {}, 2, 1);
  ASSERT_TRUE(llvm::succeeded(plan)) << parsed.diagnostics;
  ASSERT_EQ(plan->extents.size(), 2u);
  EXPECT_EQ(plan->extents[0], (std::vector<int64_t>{200, 7, 24}));
  EXPECT_EQ(plan->extents[1], plan->extents[0]);
}

TEST(LaunchPlan, DrawnAtEveryLaunch) {
  Parsed parsed(text);
  auto plan = planLaunches(parsed.program(), {"N=7"}, {1, 40, 300}, 50, 3);
  ASSERT_TRUE(llvm::succeeded(plan)) << parsed.diagnostics;
  EXPECT_EQ(plan->greatest(), (std::vector<int64_t>{300, 7, 300}));
  std::set<std::vector<int64_t>> seen(plan->extents.begin(), plan->extents.end());
  EXPECT_EQ(seen.size(), 9u) << "50 draws of two extents from three values";
}

TEST(LaunchPlan, Refusals) {
  for (auto [given, words] : {std::pair<std::vector<std::string>, const char *>{{"Q=1"}, "unknown extent 'Q'"},
                              {{"M"}, "extent 'M', expected NAME=VALUE with an integer value"},
                              {{"M=-3"}, "extent 'M' is -3, expected 0 or more"},
                              {{"M=1", "M=2"}, "extent 'M' is given twice"}}) {
    Parsed parsed(text);
    EXPECT_TRUE(llvm::failed(planLaunches(parsed.program(), given, {}, 1, 1)));
    EXPECT_NE(parsed.diagnostics.find(words), std::string::npos) << parsed.diagnostics;
  }
}
