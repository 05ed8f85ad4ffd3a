// Patterns that cannot be the best are not followed to their waits, and the best is the same without them.
#include "passes/choose/Candidates.h"
#include "passes/Passes.h"
#include "passes/ProgramTarget.h"

#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace tilec;

namespace {

/// An example after `specialize`, which is where `choose` finds it.
class Example {
public:
  explicit Example(StringRef path, int64_t world) {
    DialectRegistry registry;
    registerDialects(registry);
    context.appendDialectRegistry(registry);
    module = parseSourceFile<ModuleOp>((TILEC_EXAMPLES "/" + path).str(), ParserConfig(&context));
    SpecializeOptions options;
    options.world = world;
    PassManager manager(&context);
    manager.nest<tile::ProgramOp>().addPass(createSpecialize(options));
    if (module && failed(manager.run(*module)))
      module = nullptr;
  }

  explicit operator bool() const { return static_cast<bool>(module); }
  tile::ProgramOp program() { return *module->getOps<tile::ProgramOp>().begin(); }

private:
  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

void expectTheSameChoice(StringRef path) {
  SCOPED_TRACE(path.str());
  Example example(path, 8);
  ASSERT_TRUE(example);
  FailureOr<Target> target = programTarget(example.program(), "gfx942");
  ASSERT_TRUE(succeeded(target));
  Candidates every(example.program(), *target, "gfx942"), best(example.program(), *target, "gfx942");
  std::vector<Candidate> tried = every.patterns({}, /*prune=*/false), kept = best.patterns({}, /*prune=*/true);
  EXPECT_EQ(every.numPruned(), 0u);
  EXPECT_GT(best.numPruned(), 0u);
  EXPECT_EQ(kept.size() + best.numPruned(), tried.size());
  EXPECT_LT(best.numWeighed(), every.numWeighed());
  ASSERT_TRUE(kept.front().refusal.empty()) << kept.front().refusal;
  EXPECT_EQ(kept.front().pattern, tried.front().pattern);
  EXPECT_EQ(kept.front().granularity, tried.front().granularity);
  EXPECT_EQ(kept.front().prediction.microseconds, tried.front().prediction.microseconds);
}

TEST(Candidates, PatternsThatCannotWinAreNotFollowedToTheirWaits) {
  for (StringRef path :
       {"04_all_gather_matmul/all_gather_matmul.mlir", "05_matmul_all_scatter/matmul_all_scatter.mlir",
        "06_matmul_reduce_scatter/matmul_reduce_scatter.mlir", "07_matmul_all_reduce/matmul_all_reduce.mlir"})
    expectTheSameChoice(path);
}

} // namespace
