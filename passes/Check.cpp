// The second checker, over what is printed: LDS against barriers, and once more what `verify` proves of the kernel
// form.
#include "dialect/Conditions.h"
#include "passes/Passes.h"
#include "passes/ProgramTarget.h"
#include "passes/TargetTiles.h"
#include "passes/checker/AtomicScopes.h"
#include "passes/checker/ExitProgram.h"
#include "passes/checker/ExitStructure.h"
#include "passes/checker/Posts.h"
#include "passes/checker/Races.h"
#include "passes/checker/RingProducts.h"
#include "passes/checker/Scopes.h"
#include "passes/checker/SharedExecution.h"
#include "passes/checker/SlotExtents.h"
#include "passes/checker/UnwrittenScratch.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::checker;

namespace tilec {
#define GEN_PASS_DEF_CHECK
#include "passes/Passes.h.inc"
} // namespace tilec

namespace {

class Check : public tilec::impl::CheckBase<Check> {
public:
  using CheckBase::CheckBase;

  void runOnOperation() override {
    tile::ProgramOp program = getOperation();
    FailureOr<Target> target = programTarget(program, this->target);
    if (failed(target))
      return signalPassFailure();
    bool wrong = false;
    for (auto kernel : program.getBody().getOps<hip::KernelOp>()) {
      wrong |= failed(verifyForTarget(kernel, *target)) || failed(SharedExecution(kernel).run()) ||
               failed(RingProducts(kernel).run());
      ++numKernels;
    }
    if (wrong || (protocol && failed(checkProtocol(program, *target))))
      signalPassFailure();
  }

private:
  /// Repeats the proof on the exit dialect for the first of the samples that `verify` noted. Without its note nothing
  /// is claimed of the program's signals, and nothing is checked.
  LogicalResult checkProtocol(tile::ProgramOp program, const Target &target) {
    tile::VerifiedAttr verified = program.getVerifiedAttr();
    if (!verified)
      return success();
    FailureOr<ProgramCode> code = compileExit(program, target.waveLanes);
    if (failed(code))
      return failure();
    if (failed(checkPosts(*code, target.chiplets)))
      return failure();
    Findings findings(maxErrors);
    auto all = llvm::map_to_vector(verified.getSamples(), [](DenseI64ArrayAttr sample) { return sample.asArrayRef(); });
    SmallVector<SmallVector<int64_t>> chosen = chooseSamples(all);
    const uint32_t launches = verified.getLaunches();
    SmallVector<uint64_t> accesses; // of a launch of each chosen sample
    if (failed(checkSamples(*code, chosen, launches, accesses, findings)))
      return failure();
    SmallVector<SmallVector<int64_t>> more;
    if (!chosen.empty())
      more = stepCounts(program, *code, chosen, usualLaunch(chosen, accesses), verified.getAny());
    SmallVector<SmallVector<int64_t>> known(chosen);
    llvm::append_range(known, more);
    const size_t before = known.size();
    addPairs(all, known);
    more.append(known.begin() + before, known.end());
    if (failed(checkSamples(*code, more, launches, accesses, findings)))
      return failure();
    findings.summarise(program);
    return success(findings.empty());
  }

  /// Up to the first that is wrong. Appends how many accesses a launch of each has.
  LogicalResult checkSamples(const ProgramCode &code, ArrayRef<SmallVector<int64_t>> list, uint32_t launches,
                             SmallVectorImpl<uint64_t> &accesses, Findings &findings) {
    for (ArrayRef<int64_t> sample : list) {
      if (!findings.empty())
        break;
      FailureOr<uint64_t> made = checkSample(code, sample, launches, findings);
      if (failed(made))
        return failure();
      accesses.push_back(*made);
      ++numSamples;
    }
    return success();
  }

  /// The one in which step counts are tried: the first where that has few accesses, since each count is a launch. Else
  /// the greatest of those that have few and something of each extent beside others; where there is none, the first.
  static ArrayRef<int64_t> usualLaunch(ArrayRef<SmallVector<int64_t>> samples, ArrayRef<uint64_t> accesses) {
    constexpr uint64_t few = 8192;
    const SmallVector<int64_t> *usual = &samples.front();
    uint64_t most = 0;
    for (auto [sample, made] : llvm::zip(samples, accesses)) {
      if (made > few || made <= most || llvm::is_contained(sample, 1))
        continue;
      usual = &sample;
      most = made;
      if (&sample == &samples.front())
        break;
    }
    return *usual;
  }

  /// Of some samples the one that is greatest, unless one as great was chosen.
  static void chooseGreatest(ArrayRef<ArrayRef<int64_t>> all, function_ref<double(ArrayRef<int64_t>)> size,
                             SmallVectorImpl<SmallVector<int64_t>> &chosen) {
    auto isLess = [&](ArrayRef<int64_t> a, ArrayRef<int64_t> b) { return size(a) < size(b); };
    ArrayRef<int64_t> greatest = *llvm::max_element(all, isLess);
    if (llvm::all_of(chosen, [&](ArrayRef<int64_t> sample) { return isLess(sample, greatest); }))
      chosen.emplace_back(greatest);
  }

  /// The first ones, and of each extent the one in which it is longest: a loop that waits once in many steps does so
  /// behind its first wait only when an extent is long.
  SmallVector<SmallVector<int64_t>> chooseSamples(ArrayRef<ArrayRef<int64_t>> all) {
    SmallVector<SmallVector<int64_t>> chosen;
    for (ArrayRef<int64_t> sample : all.take_front(samples))
      chosen.emplace_back(sample);
    for (unsigned i = 0, count = all.empty() ? 0 : all.front().size(); i < count; ++i)
      chooseGreatest(all, [i](ArrayRef<int64_t> sample) { return double(sample[i]); }, chosen);
    return chosen;
  }

  /// Of each two extents the sample in which both are longest together: where one is a number of steps and the other
  /// one of tiles, tiles wait for those beside them in the second step alone.
  static void addPairs(ArrayRef<ArrayRef<int64_t>> all, SmallVectorImpl<SmallVector<int64_t>> &chosen) {
    for (unsigned i = 0, count = all.empty() ? 0 : all.front().size(); i < count; ++i)
      for (unsigned j = 0; j < i; ++j)
        chooseGreatest(all, [=](ArrayRef<int64_t> sample) { return double(sample[i]) * double(sample[j]); }, chosen);
  }

  /// Loops that fetch ahead, for few steps: their prologue must not fetch what is not there. And for as many as the
  /// longest sample has, of whole vectors: others would not take the loop, and what it waits for in later steps would
  /// not be seen. Which extents have so many columns, or rows, is tried where it is none of them: each
  /// on which that number, the loop or the place in it depends. On the extents `any` nothing depends, as on those that
  /// are fixed: with another value of one the launch is the same.
  static SmallVector<SmallVector<int64_t>> stepCounts(tile::ProgramOp program, const ProgramCode &code,
                                                      ArrayRef<SmallVector<int64_t>> chosen, ArrayRef<int64_t> usual,
                                                      ArrayRef<int64_t> any) {
    int64_t world = *program.getWorld(), slots = 0;
    program.walk([&](hip::StepsOp steps) { slots = std::max<int64_t>(slots, steps.getSlots()); });
    std::set<SmallVector<int64_t>> samples;
    auto longestOf = [&](unsigned i) {
      int64_t longest = 0;
      for (ArrayRef<int64_t> sample : chosen)
        longest = std::max(longest, sample[i]);
      return longest;
    };
    const SlotExtents reach(code);
    for (auto [number, fetch] : llvm::enumerate(code.accesses)) {
      // Of a run nothing is fetched ahead.
      if (!fetch.whole || fetch.whole == AccessSite::allWhole)
        continue;
      size_t along = fetch.shape.size() - (fetch.whole & AccessSite::rowsWhole ? 2 : 1);
      uint32_t columns = code.views[fetch.view].sizes[along];
      bool isExtent = llvm::is_contained(code.extents, columns);
      for (auto [i, extent] : llvm::enumerate(code.extents)) {
        if (llvm::is_contained(any, i) || !reach.isMovedBy(i, number, along))
          continue;
        for (int64_t ranks : {int64_t(1), world}) {
          // Where an extent is shared by the ranks, each has its part of the longest one.
          auto few = llvm::seq_inclusive<int64_t>(1, slots + 1);
          SmallVector<int64_t> counts(few.begin(), few.end());
          counts.push_back(llvm::divideCeil(longestOf(i), ranks * fetch.shape[along]));
          for (int64_t steps : counts) {
            SmallVector<int64_t> sample(usual);
            sample[i] = steps * ranks * fetch.shape[along];
            tile::makeLaunchable(program, world, sample, [i = i](unsigned changed) { return changed == i; });
            bool isWanted = isExtent ? extent == columns && ranks == 1 : true;
            if (isWanted && tile::isLaunchable(program, world, sample))
              samples.insert(sample);
          }
        }
      }
    }
    return SmallVector<SmallVector<int64_t>>(samples.begin(), samples.end());
  }

  /// How many accesses a launch has.
  static FailureOr<uint64_t> checkSample(const ProgramCode &code, ArrayRef<int64_t> extents, uint32_t launches,
                                         Findings &findings) {
    FailureOr<Trace> trace = traceProgram(code, extents, findings);
    if (failed(trace))
      return failure();
    // Where longer loops make more tasks than are traced, the samples of `verify` have to do.
    if (trace->partial())
      return trace->numAccesses;
    checkTaskCounts(*trace, extents, findings);
    checkPosts(*trace, findings);
    Cells cells(*trace);
    checkScopes(*trace, findings);
    checkAtomicScopes(*trace, cells, findings);
    checkScratch(*trace, cells, findings);
    Execution execution(*trace, launches, findings);
    Races races(*trace, cells, execution, findings);
    execution.run([&](uint32_t launch, uint32_t thread, uint32_t access) { races.visit(launch, thread, access); });
    races.checkCompletion();
    return trace->numAccesses;
  }
};

} // namespace
