// Extents of launches: given, drawn, chosen and refused.
#include "codegen/tilec/run/LaunchPlan.h"
#include "Scratch.h"

using namespace tilec;
using namespace tilec::test;

static bool never(llvm::ArrayRef<int64_t>) { return false; }

static const char *text = "tile.program @p<%M, %N, %S>() { }";

TEST(LaunchPlan, GivenAndChosen) {
  Parsed parsed(text);
  auto plan = planLaunches(parsed.program(), 1, {{"N", 7}}, {}, 2, 1, never, never);
  ASSERT_TRUE(llvm::succeeded(plan)) << parsed.diagnostics;
  ASSERT_EQ(plan->extents.size(), 2u);
  EXPECT_EQ(plan->extents[0], (std::vector<int64_t>{200, 7, 24}));
  EXPECT_EQ(plan->extents[1], plan->extents[0]);
}

/// A program that is proven up to smaller extents than the usual ones was run with these, and refused.
TEST(LaunchPlan, ChosenWithinWhatIsProven) {
  Parsed parsed(text);
  AcceptedExtents accepted = acceptedBy(R"({"verified": {"limits": [100, 3, null]}})");
  ASSERT_EQ(accepted.limits, (std::vector<std::optional<int64_t>>{100, 3, std::nullopt}));
  auto plan = planLaunches(parsed.program(), 1, {{"N", 7}}, {}, 1, 1, never, never, accepted);
  ASSERT_TRUE(llvm::succeeded(plan)) << parsed.diagnostics;
  EXPECT_EQ(plan->extents[0], (std::vector<int64_t>{100, 7, 24})) << "what is given stays, for the runtime to refuse";
  for (const char *none : {"", "{", "[]", "{}", R"({"verified": 1})", R"({"verified": {"any": []}})"})
    EXPECT_TRUE(acceptedBy(none).limits.empty() && acceptedBy(none).only.empty()) << none;
}

/// A program that needs resident workgroups takes what it is verified for alone: it could not be run without arguments.
TEST(LaunchPlan, ChosenOfWhatIsVerified) {
  Parsed parsed(text);
  AcceptedExtents accepted =
      acceptedBy(R"({"verified": {"extents": [[100, 3, null], [40, 7, null], [9, 7, null]], "limits": [100, 7, null]},
                                            "kernels": [{"progress": {"class": "any"}}, {"progress": {"class": "resident", "workgroups": 5}}]})");
  ASSERT_EQ(accepted.only.size(), 3u);
  auto plan = planLaunches(parsed.program(), 1, {}, {}, 1, 1, never, never, accepted);
  ASSERT_TRUE(llvm::succeeded(plan)) << parsed.diagnostics;
  EXPECT_EQ(plan->extents[0], (std::vector<int64_t>{100, 3, 24}));
  plan = planLaunches(
      parsed.program(), 1, {{"N", 7}}, {}, 1, 1, never, [](llvm::ArrayRef<int64_t> launch) { return launch[0] > 20; },
      accepted);
  ASSERT_TRUE(llvm::succeeded(plan)) << parsed.diagnostics;
  EXPECT_EQ(plan->extents[0], (std::vector<int64_t>{9, 7, 24}))
      << "those that agree with what is given and take seconds";
}

TEST(LaunchPlan, DrawnAtEveryLaunch) {
  Parsed parsed(text);
  auto plan = planLaunches(parsed.program(), 1, {{"N", 7}}, {1, 40, 300}, 50, 3, never, never);
  ASSERT_TRUE(llvm::succeeded(plan)) << parsed.diagnostics;
  EXPECT_EQ(plan->greatest(), (std::vector<int64_t>{300, 7, 300}));
  std::set<std::vector<int64_t>> seen(plan->extents.begin(), plan->extents.end());
  EXPECT_EQ(seen.size(), 9u) << "50 draws of two extents from three values";
}

/// A pitch leaves a gap; what it is not free to follow makes way for it.
TEST(LaunchPlan, Pitches) {
  Parsed parsed("tile.program @p<%M, %K, %lda, %page>(%a: memref<?x?xf32, strided<[?, 1]>>, %b: memref<4x?x?xf32, "
                "strided<[?, ?, 1]>>, %c: memref<?x?xf32, strided<[100, 1]>>) extents [%a: %M, %K strides %lda, 1] "
                "[%b: 4, %M, %K strides %page, 2 * %lda, 1] [%c: %M, %K] { }");
  auto plan = planLaunches(parsed.program(), 1, {}, {}, 1, 1, never, never);
  ASSERT_TRUE(llvm::succeeded(plan)) << parsed.diagnostics;
  // 72 and 8; 199 * 160 + 72 is a multiple of 8 already.
  EXPECT_EQ(plan->extents[0], (std::vector<int64_t>{200, 72, 80, 31920}));
  plan = planLaunches(parsed.program(), 1, {{"K", 100}, {"lda", 101}}, {1, 64}, 1, 1, never, never);
  ASSERT_TRUE(llvm::succeeded(plan)) << parsed.diagnostics;
  EXPECT_EQ(plan->extents[0][2], 101);
  plan = planLaunches(parsed.program(), 1, {}, {300}, 1, 1, never, never);
  ASSERT_TRUE(llvm::succeeded(plan)) << parsed.diagnostics;
  EXPECT_EQ(plan->extents[0][1], 100) << "rows of %c lie 100 apart";
  EXPECT_TRUE(llvm::failed(planLaunches(parsed.program(), 1, {{"K", 72}, {"lda", 71}}, {}, 1, 1, never, never)));
  EXPECT_NE(parsed.diagnostics.find("elements share memory: dimension 0 has stride 71, expected at least 72"),
            std::string::npos)
      << parsed.diagnostics;
}

/// What is not given makes way for the program's conditions, by as little as they ask for.
TEST(LaunchPlan, Conditions) {
  Parsed parsed("tile.program @p<%M, %N, %K, %S>() where %M mod (8 * W) == 0, %K == %N, %S + 4 <= %N, 20 <= %S { }");
  auto plan = planLaunches(parsed.program(), 3, {{"N", 30}}, {}, 1, 1, never, never);
  ASSERT_TRUE(llvm::succeeded(plan)) << parsed.diagnostics;
  EXPECT_EQ(plan->extents[0], (std::vector<int64_t>{192, 30, 30, 26}));
  plan = planLaunches(parsed.program(), 5, {}, {1, 40, 300}, 50, 3, never, never);
  ASSERT_TRUE(llvm::succeeded(plan)) << parsed.diagnostics;
  for (const std::vector<int64_t> &launch : plan->extents) {
    EXPECT_EQ(launch[0] % 40, 0);
    EXPECT_EQ(launch[1], launch[2]);
    EXPECT_LE(launch[3] + 4, launch[1]);
    EXPECT_GE(launch[3], 20);
  }
  EXPECT_TRUE(llvm::failed(planLaunches(parsed.program(), 1, {{"N", 10}, {"K", 20}}, {}, 1, 1, never, never)));
  EXPECT_NE(parsed.diagnostics.find("extents break the condition '%K == %N': got %N = 10, %K = 20"), std::string::npos)
      << parsed.diagnostics;
}

TEST(LaunchPlan, Refusals) {
  for (auto [given, words] : {std::pair<std::vector<Binding>, const char *>{{{"Q", 1}}, "unknown extent 'Q'"},
                              {{{"M", -3}}, "extent 'M' is -3, expected 0 or more"},
                              {{{"M", 1}, {"M", 2}}, "extent 'M' is given twice"}}) {
    Parsed parsed(text);
    EXPECT_TRUE(llvm::failed(planLaunches(parsed.program(), 1, given, {}, 1, 1, never, never)));
    EXPECT_NE(parsed.diagnostics.find(words), std::string::npos) << parsed.diagnostics;
  }
}

TEST(LaunchPlan, DrawsOnlyWhatCanBe) {
  Parsed parsed(text);
  EXPECT_TRUE(llvm::failed(planLaunches(parsed.program(), 1, {}, {-1}, 1, 1, never, never)));
  EXPECT_NE(parsed.diagnostics.find("extent drawn from -1, expected 0 or more"), std::string::npos)
      << parsed.diagnostics;
}

TEST(LaunchPlan, RefusedLaunchesAreDrawnAgain) {
  Parsed parsed(text);
  auto empty = [](llvm::ArrayRef<int64_t> extents) { return extents[0] == 0; };
  auto plan = planLaunches(parsed.program(), 1, {{"N", 7}}, {0, 40}, 50, 3, empty, never);
  ASSERT_TRUE(llvm::succeeded(plan)) << parsed.diagnostics;
  std::set<std::vector<int64_t>> seen(plan->extents.begin(), plan->extents.end());
  EXPECT_EQ(seen, (std::set<std::vector<int64_t>>{{40, 7, 0}, {40, 7, 40}}));
  // What is given is not drawn: the runtime says no.
  plan = planLaunches(parsed.program(), 1, {{"M", 0}}, {0, 40}, 1, 3, empty, never);
  ASSERT_TRUE(llvm::succeeded(plan)) << parsed.diagnostics;
  EXPECT_EQ(plan->extents[0][0], 0);
}

TEST(LaunchPlan, DefaultsThatWouldTakeMinutesAreHalved) {
  Parsed parsed("tile.program @p<%M, %N>(%a: memref<?x?xf32>) extents [%a: %M, %N] {}");
  auto tooLong = [](llvm::ArrayRef<int64_t> extents) { return extents[0] * extents[1] > 3000; };
  auto plan = planLaunches(parsed.program(), 1, {}, {}, 2, 1, never, tooLong);
  ASSERT_TRUE(llvm::succeeded(plan));
  EXPECT_TRUE(plan->scaled);
  EXPECT_EQ(plan->extents, (std::vector<std::vector<int64_t>>{{50, 34}, {50, 34}}));
  // What is given stays.
  plan = planLaunches(parsed.program(), 1, {{"M", 400}}, {}, 1, 1, never, tooLong);
  EXPECT_EQ(plan->extents.front(), (std::vector<int64_t>{400, 17}));
  plan = planLaunches(parsed.program(), 1, {{"M", 400}}, {500}, 1, 1, never, tooLong);
  EXPECT_EQ(plan->extents.front(), (std::vector<int64_t>{400, 500}));
  EXPECT_FALSE(plan->scaled);
}
