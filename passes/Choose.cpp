// Gives a program its pattern, granularity, order and schedule, as typed attributes that later passes read. Compiles
// nothing but copies.
#include "passes/Passes.h"
#include "passes/ProgramTarget.h"
#include "passes/choose/Candidates.h"
#include "passes/choose/LoopChoice.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

namespace tilec {
#define GEN_PASS_DEF_CHOOSE
#include "passes/Passes.h.inc"
} // namespace tilec

namespace {

class Choose : public tilec::impl::ChooseBase<Choose> {
public:
  using ChooseBase::ChooseBase;

  void runOnOperation() override {
    ProgramOp program = getOperation();
    FailureOr<PatternAttr> givenPattern = read<PatternAttr>(pattern);
    FailureOr<GranularityAttr> givenGranularity = read<GranularityAttr>(granularity);
    FailureOr<OrderRuleAttr> givenOrder = read<OrderRuleAttr>(order);
    FailureOr<Target> found = programTarget(program, target);
    if (failed(givenPattern) || failed(givenGranularity) || failed(givenOrder) || failed(found))
      return signalPassFailure();
    if (*givenPattern)
      program.setPatternAttr(*givenPattern);
    if (*givenGranularity)
      program.setGranularityAttr(*givenGranularity);
    if (*givenOrder || !program.getOrder())
      program.setOrderAttr(*givenOrder ? *givenOrder : OrderRuleAttr::getDefault(&getContext()));
    if (failed(chooseSchedules(program, *found)))
      return signalPassFailure();
    if (program.getWorld())
      chooseOpen(program, *found);
  }

private:
  template <typename Choice>
  FailureOr<Choice> read(StringRef spelling) {
    Choice choice = spelling.empty() ? Choice() : Choice::ofSpelling(&getContext(), spelling);
    if (!spelling.empty() && !choice)
      return getOperation().emitError() << Choice::refuse(spelling);
    return choice;
  }

  /// When every candidate is refused nothing is set, and the stages say why.
  void chooseOpen(ProgramOp program, const Target &target) {
    Candidates candidates(program, target, this->target);
    if (!program.getPattern()) {
      std::vector<Candidate> all = candidates.patterns(program.getGranularityAttr(), /*prune=*/true);
      if (all.front().refusal.empty())
        program.setPatternAttr(all.front().pattern);
    }
    if (!program.getGranularity()) {
      std::vector<Candidate> all =
          candidates.granularities(program.getPattern().value_or(PatternAttr::getDefault(&getContext())));
      if (all.front().refusal.empty())
        program.setGranularityAttr(all.front().granularity);
    }
    weighed += candidates.numWeighed();
    pruned += candidates.numPruned();
  }
};

} // namespace
