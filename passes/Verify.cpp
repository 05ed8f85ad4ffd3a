// Checks the kernel form: races, deadlock, bounds, orders, residency. Independent of the pass that inserts the waits.
#include "dialect/Conditions.h"
#include "dialect/QuietThread.h"
#include "dialect/Strides.h"
#include "dialect/UnknownName.h"
#include "passes/Partition.h"
#include "passes/Passes.h"
#include "passes/ProgramTarget.h"
#include "passes/checker/AllExtents.h"
#include "passes/checker/ChangingExtents.h"
#include "passes/checker/DealtTasks.h"
#include "passes/checker/DrawnBehind.h"
#include "passes/checker/DrawnNumbers.h"
#include "passes/checker/LaunchesApart.h"
#include "passes/checker/NarrowIndices.h"
#include "passes/checker/Races.h"
#include "passes/checker/Residency.h"
#include "passes/checker/Scopes.h"
#include "passes/checker/ShownLaunch.h"
#include "passes/checker/TaskConflicts.h"
#include "passes/checker/UnwrittenElements.h"
#include "passes/checker/UnwrittenScratch.h"
#include "passes/checker/UsualSamples.h"
#include "passes/checker/ZeroExtents.h"
#include "passes/partition/BesideKernel.h"

#include <set>

using namespace mlir;
using namespace tilec;
using namespace tilec::checker;

namespace tilec {
#define GEN_PASS_DEF_VERIFY
#include "passes/Passes.h.inc"
} // namespace tilec

namespace {

/// Values of the extents, in the order of the header.
using Sample = UsualSamples::Sample;

/// Whether the author of the program wrote its waits and signals.
bool isByHand(tile::ProgramOp program) {
  return tile::TileDialect::ByHandAttrHelper(program.getContext()).isAttrPresent(program);
}

class Verify : public tilec::impl::VerifyBase<Verify> {
public:
  using VerifyBase::VerifyBase;

  void runOnOperation() override {
    tile::ProgramOp program = getOperation();
    FailureOr<ProgramCode> code = compileProgram(program);
    if (failed(code))
      return signalPassFailure();
    SmallVector<Sample> samples;
    limit.reset();
    narrow = {};
    costly.clear();
    if (isByHand(program))
      limitAt(program, "its waits and signals are an author's", clampedNumbers(program));
    if (tile::ForallOp forall = sampledOrder(program))
      limitAt(forall, "the order is a map, which is a bijection of as many tasks as were enumerated");
    if (failed(chooseSamples(program, samples)))
      return signalPassFailure();
    // A wait with a lag is satisfied for nothing in as many launches.
    int64_t reach = 1;
    for (const Root &root : code->roots)
      reach = std::max(reach, root.copies);
    for (const SyncSite &sync : code->syncs)
      reach = std::max<int64_t>(reach, sync.lag);
    numLaunches = reach + 2;
    previous.reset();
    Findings findings(maxErrors);
    checkDealtTasks(*code, findings);
    SmallVector<Progress> progress(code->kernels.size());
    for (const Sample &sample : samples) {
      // The first sample with errors is enough: the others would repeat them.
      if (failed(check(*code, sample, findings, progress)))
        return signalPassFailure();
      if (!findings.empty())
        break;
    }
    if (failed(requireResidency(*code, progress, findings)))
      return signalPassFailure();
    std::vector<NonzeroExtents> nonzero;
    if (findings.empty() && failed(checkAllExtents(*code, nonzero, samples, findings, progress)))
      return signalPassFailure();
    findings.summarise(program);
    if (!findings.empty())
      return signalPassFailure();
    llvm::erase_if(samples, [&](const Sample &sample) { return llvm::is_contained(skipped, sample); });
    attach(*code, samples, nonzero, progress);
  }

private:
  struct CheckedSample {
    std::string text; ///< its extents
    Trace trace;
    LaunchesApart apart;
  };

  /// The author's name; `0`, `1`, ... in a text without names.
  static std::string extentName(BlockArgument extent) {
    auto name = dyn_cast<NameLoc>(extent.getLoc());
    return name ? name.getName().str() : std::to_string(extent.getArgNumber());
  }

  /// An extent that is not fixed: something of the program is a function of it.
  bool isFree(tile::ProgramOp program, BlockArgument extent) {
    if (!extent.use_empty())
      return true;
    return llvm::any_of(program.getShapes(), [&](Attribute shape) {
      return cast<AffineMapAttr>(shape).getValue().isFunctionOfSymbol(1 + extent.getArgNumber());
    });
  }

  static UsualSamples usualSamples(tile::ProgramOp program) { return UsualSamples(program, isByHand(program)); }

  LogicalResult chooseSamples(tile::ProgramOp program, SmallVectorImpl<Sample> &samples) {
    for (const std::string &text : extents)
      if (failed(parseSample(program, text, samples.emplace_back())))
        return failure();
    if (!samples.empty())
      return success();
    const int64_t world = program.getWorld().value_or(1);
    std::optional<Unseen> unseen;
    samples = usualSamples(program).choose(unseen);
    if (unseen)
      limitAt(unseen->at ? unseen->at : program, unseen->why);
    for (Sample &sample : samples)
      tile::makeLaunchable(program, world, sample, [](unsigned) { return false; });
    // Strides that do not change with a sample may have no room for its sizes, and conditions may exclude them.
    auto excluded = [&](const Sample &sample) { return !tile::isLaunchable(program, world, sample); };
    if (llvm::all_of(samples, excluded))
      return tile::satisfies(program, world, samples.front())
                 ? tile::verifyApart(program, world, samples.front())
                 : LogicalResult(tile::emitNotFound(program, world, samples.front()));
    llvm::erase_if(samples, excluded);
    // Extents that are fixed make samples equal.
    std::set<std::string> seen;
    llvm::erase_if(samples, [&](const Sample &sample) { return !seen.insert(describe(program, sample)).second; });
    // Where there are others; an author's waits are held to the greatest.
    const UsualSamples usual = usualSamples(program);
    auto isTooLarge = [&](const Sample &sample) { return !usual.isAffordable(sample, limit.has_value()); };
    if (!isByHand(program) && !llvm::all_of(samples, isTooLarge))
      llvm::copy_if(samples, std::back_inserter(costly), isTooLarge);
    return success();
  }

  /// `M=200,N=40`; an extent that is not named takes 200, or what the strides of the arguments ask for.
  LogicalResult parseSample(tile::ProgramOp program, StringRef text, Sample &sample) {
    sample.assign(program.getNumExtents(), 200);
    llvm::SmallBitVector given(sample.size());
    SmallVector<StringRef> bindings;
    text.split(bindings, '/', -1, false);
    for (StringRef binding : bindings) {
      std::optional<Binding> parsed = parseBinding(binding);
      if (!parsed || parsed->value < 0)
        return program.emitError() << "extent '" << binding << "', expected NAME=VALUE with a value of 0 or more";
      auto *extent =
          llvm::find_if(program.getExtents(), [&](BlockArgument a) { return extentName(a) == parsed->name; });
      if (extent == program.getExtents().end())
        return tile::unknownExtent(program, parsed->name);
      sample[extent->getArgNumber()] = parsed->value;
      given.set(extent->getArgNumber());
    }
    const int64_t world = program.getWorld().value_or(1);
    tile::makeLaunchable(program, world, sample, [&](unsigned extent) { return given.test(extent); });
    return tile::verifyLaunchable(program, world, sample);
  }

  /// A launch with these extents for each draw of the numbers that it gives and finds.
  LogicalResult check(const ProgramCode &code, const Sample &sample, Findings &findings,
                      SmallVectorImpl<Progress> &progress) {
    const int64_t draws = numDraws(code);
    for (int64_t draw = 0; draw < draws; ++draw) {
      if (failed(check(code, sample, draw, findings, progress)))
        return failure();
      if (!findings.empty() || llvm::is_contained(skipped, sample))
        break;
    }
    return success();
  }

  LogicalResult check(const ProgramCode &code, const Sample &sample, int64_t draw, Findings &findings,
                      SmallVectorImpl<Progress> &progress) {
    std::string text = describe(code, sample, draw);
    if (llvm::is_contained(costly, sample)) {
      skip(code.op, sample, text, Twine(UsualSamples::mostAccesses(limit.has_value())) + " accesses");
      return success();
    }
    findings.setExtents(text);
    FailureOr<Trace> trace = traceProgram(code, sample, findings, budget, draw);
    if (failed(trace))
      return failure();
    if (trace->partial()) {
      skip(code.op, sample, text, trace->excess);
      return success();
    }
    LaunchesApart apart(*trace);
    bool complete = checkLaunches(*trace, apart, findings);
    accesses += trace->numAccesses * numLaunches;
    launches += numLaunches;
    for (const Sync &sync : trace->syncs)
      ++(sync.signal ? signals : waits);
    if (complete)
      for (auto [kernel, needed] : llvm::enumerate(judgeResidency(*trace, numLaunches, findings)))
        progress[kernel].require(needed);
    // Each sample against the one before: by then every extent has changed.
    findings.setExtents("");
    if (previous && findings.empty() && !LaunchesApart::areKept(previous->apart, apart))
      checkChangingExtents(previous->trace, *trace, previous->text, text, findings);
    previous.emplace(CheckedSample{std::move(text), std::move(*trace), std::move(apart)});
    return success();
  }

  void skip(tile::ProgramOp program, const Sample &sample, StringRef text, const Twine &excess) {
    program.emitWarning() << "not verified" << (text.empty() ? "" : " for ") << text << ": a launch has more than "
                          << excess;
    skipped.push_back(sample);
  }

  /// Several launches with the same extents. True when all of them end.
  bool checkLaunches(const Trace &trace, LaunchesApart &apart, Findings &findings) {
    Cells cells(trace);
    checkScopes(trace, findings);
    checkScratch(trace, cells, findings);
    Execution execution(trace, numLaunches, findings);
    Races races(trace, cells, execution, findings);
    execution.run([&](uint32_t launch, uint32_t thread, uint32_t access) {
      races.visit(launch, thread, access);
      apart.visit(execution, trace, launch, thread, access);
    });
    races.checkCompletion();
    apart.finish(execution);
    this->cells += races.numCells();
    return execution.isComplete();
  }

  /// How many workgroups of a kernel can be resident at once, and why.
  struct Bound {
    int64_t workgroups = std::numeric_limits<int64_t>::max();
    std::string reason;
  };

  /// What the waves of the target's compute units hold. An upper bound: LDS and registers, which `allocate` and the
  /// device compiler decide, can only take from it, and the runtime asks again when it loads the program.
  static Bound boundOf(tile::KernelOp kernel, const Target &target) {
    int64_t slots = target.simdsPerUnit * target.maxWavesPerSimd, waves = std::max<int64_t>(wavesOf(kernel, target), 1);
    return {target.units() * std::max<int64_t>(slots / waves, 1),
            ": " + target.name + " has " + std::to_string(target.units()) + " compute units for " +
                std::to_string(slots) + " waves each, and a workgroup has " + std::to_string(waves)};
  }

  LogicalResult requireResidency(const ProgramCode &code, ArrayRef<Progress> progress, Findings &findings) {
    std::optional<Target> known;
    if (!target.empty() && residentWorkgroups == 0) {
      FailureOr<Target> loaded = programTarget(getOperation(), target);
      if (failed(loaded))
        return failure();
      known = *loaded;
    }
    for (auto [kernel, needed] : llvm::zip(code.kernels, progress)) {
      tile::KernelOp op = kernel.op;
      Bound bound;
      if (residentWorkgroups)
        bound.workgroups = residentWorkgroups;
      else if (known)
        bound = boundOf(op, *known);
      if (needed.resident <= bound.workgroups)
        continue;
      findings.report("residency", op, nullptr, [&, need = needed](InFlightDiagnostic &diagnostic) {
        diagnostic << "a kernel with more spinning workgroups than can be resident: " << need.resident
                   << " must be resident, " << bound.workgroups << " can be" << bound.reason;
        if (need.wait)
          diagnostic.attachNote(need.wait->getLoc()) << "this wait spins";
        if (need.signal)
          diagnostic.attachNote(need.signal->getLoc()) << "until this signal, of a workgroup that arrives later";
      });
    }
    return success();
  }

  /// `M=40/N=200`; empty when the program fixes all extents.
  std::string describe(tile::ProgramOp program, const Sample &sample) {
    std::string text;
    for (auto [extent, value] : llvm::zip(program.getExtents(), sample))
      if (isFree(program, extent))
        text += (text.empty() ? "" : "/") + extentName(extent) + "=" + std::to_string(value);
    return text;
  }

  static int64_t numDraws(const ProgramCode &code) {
    const auto others = static_cast<int64_t>(code.comparedWith.size());
    return code.readsNumbers || !code.givenNumbers.empty() ? kDraws + others : 1;
  }

  /// The extents, and the numbers that the launch gives: `M=40/%n=0`, or `M=40/%n=0,2` on two ranks.
  std::string describe(const ProgramCode &code, const Sample &sample, int64_t draw) {
    std::string text = describe(code.op, sample);
    auto add = [&](const Twine &what) { text += (text.empty() ? what : "/" + what).str(); };
    for (auto [number, given] : llvm::enumerate(code.givenNumbers)) {
      std::string values;
      for (int64_t rank = 0; rank < code.world; ++rank)
        values += (rank ? "," : "") + std::to_string(givenNumber(number, rank, draw, code.comparedWith));
      if (auto name = dyn_cast<NameLoc>(given.getLoc()))
        add("%" + name.getName().getValue() + "=" + values);
    }
    if (code.readsNumbers && draw >= kDraws)
      add("data that is " + Twine(code.comparedWith[draw - kDraws]));
    else if (code.readsNumbers && draw > 0)
      add("other data");
    return text;
  }

  /// The greatest values of the samples, -1 of an extent on which nothing depends. Empty where launches have no limits.
  SmallVector<int64_t> limitsOf(tile::ProgramOp program, ArrayRef<Sample> samples) {
    SmallVector<int64_t> limits;
    for (auto [i, extent] : llvm::enumerate(program.getExtents())) {
      bool counts = isFree(program, extent) && !tile::isPitch(program, i);
      limits.push_back(-1);
      for (const Sample &sample : samples)
        limits.back() = counts ? std::max(limits.back(), sample[i]) : -1;
    }
    const bool isOfExtents = llvm::any_of(limits, [](int64_t greatest) { return greatest >= 0; });
    return limit && isOfExtents ? limits : SmallVector<int64_t>();
  }

  /// Whether a launch with such extents is refused by these limits.
  static bool isBeyond(ArrayRef<int64_t> limits, ArrayRef<int64_t> extents) {
    return llvm::any_of(llvm::zip(limits, extents), [](const auto &both) {
      auto [most, extent] = both;
      return most >= 0 && extent > most;
    });
  }

  template <typename T>
  SmallVector<DenseI64ArrayAttr> listed(ArrayRef<T> list) {
    return llvm::map_to_vector(list, [&](const T &numbers) { return DenseI64ArrayAttr::get(&getContext(), numbers); });
  }

  /// Notes what was proven, of the program and of its kernels.
  void attach(const ProgramCode &code, ArrayRef<Sample> samples, ArrayRef<NonzeroExtents> nonzero,
              ArrayRef<Progress> progress) {
    tile::ProgramOp program = code.op;
    SmallVector<int64_t> any; // extents on which nothing depends
    for (BlockArgument extent : program.getExtents())
      if (!isFree(program, extent))
        any.push_back(extent.getArgNumber());
    int64_t scatters = 0;
    program.walk([&](tile::AccessOpInterface access) { scatters += access.writesBuffer() && access.getEachDim(); });
    SmallVector<int64_t> limits = limitsOf(program, samples);
    DrawnBehind drawn = limit ? limit->drawn : DrawnBehind();
    auto ends = [&](ArrayRef<AffineExpr> ends) {
      bool isAsked = !limit && !ends.empty();
      return isAsked ? AffineMapAttr::get(AffineMap::get(0, 1 + program.getNumExtents(), ends, &getContext()))
                     : AffineMapAttr();
    };
    program.setVerifiedAttr(tile::VerifiedAttr::get(
        &getContext(), numLaunches, listed(samples), listed<Sample>(skipped), any, limits, drawn.arguments, drawn.data,
        numSampled, scatters, listed(nonzero), !nonzero.empty() && hasWorkOutsideTasks(program), ends(narrow.least),
        ends(narrow.greatest)));
    if (limit && (!limits.empty() || !drawn.empty()))
      warnOfLimit(program);
    for (auto [kernel, needed] : llvm::zip(code.kernels, progress)) {
      tile::KernelOp op = kernel.op;
      // Where no sample could be checked, no class is known.
      if (samples.empty()) {
        op.removeProgressAttr();
        op.removeResidentAttr();
        continue;
      }
      op.setProgress(needed.progress());
      if (needed.resident > 1)
        op.setResident(needed.resident);
      else
        op.removeResidentAttr();
      if (auto beside = dyn_cast_or_null<tile::KernelOp>(op->getPrevNode()); beside && beside.getBeside())
        requireBeside(beside);
    }
  }

  /// What is shown of all extents. Nothing is claimed where no sample was checked, and where there are no other
  /// launches the sample is the proof.
  LogicalResult checkAllExtents(ProgramCode &code, std::vector<NonzeroExtents> &nonzero,
                                SmallVectorImpl<Sample> &samples, Findings &findings,
                                SmallVectorImpl<Progress> &progress) {
    tile::ProgramOp program = code.op;
    if (llvm::all_of(samples, [&](const Sample &sample) { return llvm::is_contained(skipped, sample); }))
      return success();
    nonzero = findNonzero(program, code);
    checkBounds(code, nonzero, findings);
    if (!findings.empty() || hasOneLaunch(program))
      return success();
    if (failed(checkTasks(code, nonzero, samples, findings, progress)))
      return failure();
    if (findings.empty() && failed(checkWritten(code, nonzero, samples, findings, progress)))
      return failure();
    checkNarrow(program, nonzero, samples);
    return success();
  }

  /// Whether all launches do the same: extents are fixed, and no task depends on data or on a number that the launch
  /// gives, of which samples draw some.
  bool hasOneLaunch(tile::ProgramOp program) {
    return llvm::none_of(program.getExtents(), [&](BlockArgument extent) { return isFree(program, extent); }) &&
           !program
                .walk([](Operation *op) {
                  return isa<tile::ReadOp, tile::ClampOp>(op) ? WalkResult::interrupt() : WalkResult::advance();
                })
                .wasInterrupted();
  }

  /// Indices for all extents. What is found broken is shown by a launch with such extents, as one of a sample would be.
  void checkBounds(const ProgramCode &code, ArrayRef<NonzeroExtents> nonzero, Findings &findings) {
    BoundsProof proof = proveBounds(code.op, nonzero);
    for (const BoundsProof::Violation &broken : proof.violations)
      if (!confirm(code, broken, findings))
        proof.sampled.push_back(broken.op);
    numSampled = proof.sampled.size();
    if (numSampled > 0)
      limitAt(proof.sampled.front(), isUnsigned(proof.sampled.front())
                                         ? "it is not known for all extents that nothing negative is given to this "
                                           "operation without a sign"
                                         : "it is not known to be in bounds for all extents");
  }

  /// Of the operations that have bounds, those whose operands must not be negative.
  static bool isUnsigned(Operation *op) {
    return !isa<tile::AccessOpInterface, tile::SignalOp, tile::WaitOp, tile::TakeCountedOp, tile::ArriveOp>(op);
  }

  /// Tasks of one loop that touch the same element, at extents beyond the samples. Whether waits order them is seen in
  /// such a launch; where that is too large, or no index is affine, nothing is claimed beyond the samples.
  LogicalResult checkTasks(ProgramCode &code, ArrayRef<NonzeroExtents> nonzero, SmallVectorImpl<Sample> &samples,
                           Findings &findings, SmallVectorImpl<Progress> &progress) {
    if (limit)
      return success();
    tile::ProgramOp program = code.op;
    TaskConflicts conflicts = findTaskConflicts(program, nonzero);
    constexpr StringRef why = "it is not known for all extents whether two tasks touch the same element here";
    if (!conflicts.unknown.empty()) {
      auto [store, other] = conflicts.unknown.front();
      limitAt(store, why, {store, other});
    }
    for (const TaskConflicts::Meeting &meeting : conflicts.meetings) {
      drawAlso(code, meeting, samples);
      if (failed(addSample(code, Shown::Meeting, meeting.store, meeting.extents, samples, findings, progress)))
        return failure();
      // A sample draws some data: with others they may meet, and not be ordered.
      if (findings.empty() && meeting.isOfData)
        limitAt(meeting.store, why, {meeting.store, meeting.other});
    }
    return success();
  }

  /// The launch in which tasks meet has certain numbers: a draw of its sample gives them.
  static void drawAlso(ProgramCode &code, const TaskConflicts::Meeting &meeting, SmallVectorImpl<Sample> &samples) {
    bool isNew = false;
    for (int64_t number : meeting.numbers)
      if (!llvm::is_contained(code.comparedWith, number)) {
        code.comparedWith.push_back(number);
        isNew = true;
      }
    if (isNew)
      llvm::erase(samples, Sample(ArrayRef<int64_t>(meeting.extents)));
  }

  /// Scratch that a launch reads and does not write, at extents beyond the samples.
  LogicalResult checkWritten(const ProgramCode &code, ArrayRef<NonzeroExtents> nonzero,
                             SmallVectorImpl<Sample> &samples, Findings &findings,
                             SmallVectorImpl<Progress> &progress) {
    constexpr StringRef why = "it is not known for all extents whether what is read here is written";
    UnwrittenElements unwritten = findUnwrittenElements(code.op, nonzero);
    // Where launches have limits for another reason, those within them are asked for.
    const SmallVector<int64_t> limits = limitsOf(code.op, samples);
    if (!limit && !unwritten.unknown.empty())
      limitAt(unwritten.unknown.front(), why, {unwritten.unknown.front()});
    for (const UnwrittenElements::Read &read : unwritten.reads) {
      if (isBeyond(limits, read.extents))
        continue;
      if (failed(addSample(code, Shown::Unwritten, read.op, read.extents, samples, findings, progress)))
        return failure();
      // Where the launch shows nothing, the two disagree: neither is believed.
      if (findings.empty() && !limit)
        limitAt(read.op, why, {read.op});
    }
    return success();
  }

  /// Indices that an int may not hold at larger extents: the launcher asks, where there is something to ask.
  void checkNarrow(tile::ProgramOp program, ArrayRef<NonzeroExtents> nonzero, ArrayRef<Sample> samples) {
    if (limit)
      return;
    auto isChecked = [&](const Sample &sample) { return !llvm::is_contained(skipped, sample); };
    narrow = findNarrowIndices(program, nonzero, llvm::filter_to_vector(samples, isChecked));
    if (!narrow.unknown.empty())
      limitAt(narrow.unknown.front(), "it is not known at which extents 32 bits no longer hold what is computed here",
              {narrow.unknown.front()});
  }

  /// Checks a launch with these extents. Where it is too large, or a condition of the header excludes it, nothing is
  /// claimed beyond the samples.
  LogicalResult addSample(const ProgramCode &code, Shown shown, Operation *op, ArrayRef<int64_t> extents,
                          SmallVectorImpl<Sample> &samples, Findings &findings, SmallVectorImpl<Progress> &progress) {
    tile::ProgramOp program = code.op;
    Sample launch(extents);
    tile::makeLaunchable(program, program.getWorld().value_or(1), launch, [](unsigned) { return false; });
    bool isExcluded = false; // by a condition of the header; strides that give way change nothing of what meets
    for (unsigned i = 0; i < launch.size(); ++i)
      isExcluded |= launch[i] != extents[i] && !tile::isPitch(program, i);
    bool isTooLarge = !usualSamples(program).isSmall(launch);
    if (isExcluded || isTooLarge)
      limitAt(op, isTooLarge ? tooLarge(shown) : excluded(shown));
    if (isTooLarge || llvm::is_contained(samples, launch))
      return success();
    samples.push_back(launch);
    return check(code, launch, findings, progress);
  }

  /// Traces the launch, with the numbers of each draw; false where nothing is wrong with it, or no launch has such
  /// extents.
  bool confirm(const ProgramCode &code, const BoundsProof::Violation &broken, Findings &findings) {
    tile::ProgramOp program = code.op;
    const int64_t world = program.getWorld().value_or(1);
    Sample launch(ArrayRef<int64_t>(broken.extents));
    tile::separateElements(program, world, launch, [&](unsigned extent) { return !tile::isPitch(program, extent); });
    if (!tile::lieApart(program, world, launch))
      return false;
    bool tooLarge = false, isBroken = false;
    int64_t draw = 0;
    for (const int64_t draws = numDraws(code); draw < draws && !tooLarge && !isBroken; ++draw) {
      QuietThread quiet(&getContext());
      Findings silent(0);
      FailureOr<Trace> trace = traceProgram(code, launch, silent, budget, draw);
      tooLarge = succeeded(trace) && trace->partial() && silent.empty();
      isBroken = succeeded(trace) && !silent.empty();
    }
    if (!tooLarge && !isBroken)
      return false;
    findings.setExtents(describe(code, launch, --draw));
    if (tooLarge)
      findings.report("bounds", broken.op, nullptr, [&](InFlightDiagnostic &diagnostic) {
        diagnostic << (isUnsigned(broken.op) ? "unsigned arithmetic on an index below 0"
                                             : "names an index out of bounds")
                   << ", in a launch that is too large to be traced";
      });
    else
      (void)traceProgram(code, launch, findings, budget, draw);
    return true;
  }

  /// Extents of 0 that the proof does not bear: the runtime refuses them.
  std::vector<NonzeroExtents> findNonzero(tile::ProgramOp program, const ProgramCode &code) {
    SmallVector<int64_t> free;
    for (BlockArgument extent : program.getExtents())
      if (isFree(program, extent) && !tile::isPitch(program, extent.getArgNumber()))
        free.push_back(extent.getArgNumber());
    return findNonzeroExtents(
        code, free, usualSamples(program).shortest(), budget,
        [&](const Trace &trace, LaunchesApart &apart, Findings &findings) { checkLaunches(trace, apart, findings); });
  }

  uint32_t numLaunches = 0;
  /// Nothing is claimed beyond the greatest samples, and why.
  struct Limit {
    Operation *op;
    StringRef reason;
    DrawnBehind drawn; ///< what samples draw counts there
  };

  /// The first reason is enough.
  void limitAt(Operation *op, StringRef reason, ArrayRef<Operation *> accesses = {}) {
    if (!limit)
      limit = Limit{op, reason, findDrawnBehind(accesses)};
  }

  void warnOfLimit(tile::ProgramOp program) {
    // Of waits by hand nothing else is ever claimed.
    if (!explainLimits || isByHand(program))
      return;
    InFlightDiagnostic warning = limit->op->emitWarning() << "nothing is proven beyond the samples: " << limit->reason;
    if (!limit->drawn.empty())
      warning << "; it depends on " << llvm::join(namesOf(program, limit->drawn), " and ")
              << ", of which samples draw some values";
  }

  std::optional<Limit> limit;
  NarrowIndices narrow;
  size_t numSampled = 0; ///< operations whose indices are in bounds for the samples alone
  std::optional<CheckedSample> previous;
  SmallVector<Sample> costly;  ///< of those that nobody named
  SmallVector<Sample> skipped; ///< beyond the budget
};

} // namespace
