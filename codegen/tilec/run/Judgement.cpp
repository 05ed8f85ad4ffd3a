// Comparisons gathered over launches, and the words for them.
#include "codegen/tilec/run/Judgement.h"
#include "codegen/tilec/run/PlannedRun.h"
#include "codegen/tilec/run/Undetermined.h"
#include "dialect/Identifiers.h"

#include "llvm/Support/Format.h"

#include <tuple>

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;
using namespace tilec::interpreter;

/// An element of scratch beyond its bound is wrong, whatever became of it: where the results can tell, they do.
Verdict RankReport::verdict() const {
  if (exceeded || strayBytes || (undetermined && scratchIsWrong))
    return Verdict::Wrong;
  if (unjudged)
    return Verdict::Undetermined;
  return undetermined ? Verdict::TooWeak : Verdict::Right;
}

Verdict tilec::worse(Verdict a, Verdict b) {
  if (a == Verdict::Wrong || b == Verdict::Wrong)
    return Verdict::Wrong;
  return std::max(a, b);
}

std::string tilec::coordinates(const Buffer &buffer, int64_t element) {
  Shape strides = View::whole(0, buffer.shape).strides;
  std::string text = "[";
  for (size_t d = 0; d < strides.size(); ++d)
    text += (d ? ", " : "") + std::to_string(element / strides[d] % buffer.shape[d]);
  return text + "]";
}

Judgement::Judgement(ProgramOp program, std::vector<PreparedLaunch> &launches, std::optional<double> tolerance)
    : program(program), launches(launches), tolerance(tolerance), reports(launches.front().after.size()) {}

std::string Judgement::name(unsigned argument) const {
  return argumentName(ProgramOp(program).getArguments()[argument]);
}

LogicalResult Judgement::follow(Interpreter &oracle, size_t launch, bool overwritten, LeftScratch left) {
  PreparedLaunch &prepared = launches[launch];
  auto leftIn = [&](AllocOp alloc, int64_t rank, const Buffer &like) -> std::optional<Buffer> {
    auto name = dyn_cast<NameLoc>(alloc.getLoc());
    if (!name)
      return std::nullopt;
    Buffer result(like.format, like.shape);
    std::vector<char> bytes = left(rank, legalName(name.getName()), result.size() * result.format.bytes());
    if (bytes.empty())
      return std::nullopt;
    result.fromBytes(bytes);
    return result;
  };
  if (failed(oracle.begin(prepared.extents)))
    return failure();
  for (auto [rank, arguments] : llvm::enumerate(prepared.before))
    for (auto [argument, bytes] : llvm::enumerate(arguments))
      oracle.argument(rank, argument).fromBytes(bytes);
  if (failed(oracle.run(leftIn)))
    return failure();
  for (auto [rank, arguments] : llvm::enumerate(prepared.after))
    for (auto [argument, buffer] : llvm::enumerate(arguments))
      buffer = oracle.argument(rank, argument);
  noteScratch(oracle, launch, overwritten);
  return success();
}

/// `0.00195, bound 0.00195 at %h[3, 17]`, for each rank.
void Judgement::noteScratch(Interpreter &oracle, size_t launch, bool overwritten) {
  for (Followed found : oracle.getFollowed()) {
    RankReport &report = reports[found.rank];
    std::string text;
    llvm::raw_string_ostream words(text);
    words << llvm::format("%.3g", found.error) << ", bound " << llvm::format("%.3g", found.bound) << " at %"
          << cast<NameLoc>(found.alloc.getLoc()).getName().getValue()
          << coordinates(oracle.scratch(found.rank, found.alloc), found.element);
    if (launches.size() > 1)
      words << " in launch " << launch;
    // What nobody wrote has no error: the text may have no use for it.
    if (!found.agrees && report.departure.empty() && !std::isnan(found.error) && !overwritten) {
      report.departure = text;
      report.scratchIsWrong = found.error > found.bound;
    }
    if (found.agrees && found.error > report.scratchError) {
      report.scratchError = found.error;
      report.scratch = text;
    }
  }
}

bool Judgement::compare(size_t launch, int64_t rank, unsigned argument, const Buffer &got) {
  RankReport &report = reports[rank];
  double scale = 0;
  for (const Buffer &buffer : launches[launch].after[rank])
    scale = std::max(scale, largestMagnitude(buffer));
  const Buffer &expected = launches[launch].after[rank][argument];
  static const std::vector<bool> none;
  const auto &undetermined = launches[launch].undetermined;
  const std::vector<bool> &unjudged = undetermined.empty() ? none : undetermined[rank][argument].elements;
  Comparison comparison = tolerance ? interpreter::compare(withBound(expected, *tolerance * largestMagnitude(expected)),
                                                           got, infinity, unjudged)
                                    : interpreter::compare(expected, got, scale, unjudged);
  // Elements that are all exact are still better to name in an output than in an input.
  bool named = expected.written && expected.size() > 0;
  auto keep = [&](Finding &best, const Difference &found, double Difference::*first, double Difference::*second) {
    const Difference &known = best.difference;
    if ((named && !best.found) || std::tie(found.*first, found.*second) > std::tie(known.*first, known.*second))
      best = {found, argument, launch, true};
  };
  keep(report.largest, comparison.largest, &Difference::error, &Difference::usage);
  keep(report.closest, comparison.closest, &Difference::usage, &Difference::error);
  report.exceeded += comparison.exceeded;
  report.undetermined += comparison.undetermined;
  report.unjudged += comparison.unjudged;
  return comparison.exceeded && report.closest.argument == argument && report.closest.launch == launch;
}

void Judgement::noteStray(int64_t rank, unsigned argument, int64_t bytes) {
  if (bytes)
    reports[rank].strayArgument = argument;
  reports[rank].strayBytes += bytes;
}

/// `0.00195, bound 0.0312 at %c[3, 17]`
void Judgement::printFinding(llvm::raw_ostream &stream, const Finding &finding, int64_t rank) const {
  const Buffer &buffer = launches[finding.launch].after[rank][finding.argument];
  stream << llvm::format("%.3g", finding.difference.error) << ", bound "
         << llvm::format("%.3g", finding.difference.bound) << " at %" << name(finding.argument);
  if (buffer.size())
    stream << coordinates(buffer, finding.difference.element);
  if (launches.size() > 1)
    stream << " in launch " << finding.launch;
}

static StringRef wordsOf(Verdict verdict) {
  switch (verdict) {
  case Verdict::Right:
    return "";
  case Verdict::Wrong:
    return ", WRONG";
  case Verdict::TooWeak:
    return ", too weak to judge";
  case Verdict::NotComparable:
    return ", not comparable";
  case Verdict::Undetermined:
    return ", undetermined";
  }
  llvm_unreachable("every verdict has words");
}

Verdict Judgement::print(llvm::raw_ostream &stream, ArrayRef<Counts> counts) const {
  const bool comparable = isComparable(launches);
  reportUndetermined(program, launches);
  Verdict verdict = comparable ? Verdict::Right : Verdict::NotComparable;
  for (auto [rank, report] : llvm::enumerate(reports)) {
    const Finding &largest = report.largest, &closest = report.closest;
    stream << "rank " << rank << ": largest error ";
    printFinding(stream, largest, rank);
    // Bounds differ from element to element: the largest error may be far from its own.
    if (closest.difference.usage > largest.difference.usage) {
      stream << "; closest to its bound: error ";
      printFinding(stream, closest, rank);
    }
    if (!counts.empty())
      stream << "; " << counts[rank].signals << " signals, " << counts[rank].waits << " waits";
    // Bytes outside of arguments, and races, are wrong whatever the values should be.
    Verdict ofRank = comparable || report.strayBytes ? report.verdict() : Verdict::NotComparable;
    stream << wordsOf(ofRank) << "\n";
    verdict = worse(verdict, ofRank);
    printReasons(stream, report, ofRank);
  }
  return verdict;
}

void Judgement::printReasons(llvm::raw_ostream &stream, const RankReport &report, Verdict verdict) const {
  if (!report.scratch.empty())
    stream << "  in scratch: largest error " << report.scratch << "\n";
  if (!report.departure.empty() && verdict != Verdict::Right)
    stream << (report.scratchIsWrong ? "  the first scratch beyond its bound: error "
                                     : "  the first scratch that is too weak to follow: error ")
           << report.departure << "\n";
  if (report.exceeded)
    stream << "  " << report.exceeded << " elements exceed their bound; the furthest is "
           << llvm::format("%.9g", report.closest.difference.got) << ", expected "
           << llvm::format("%.9g", report.closest.difference.expected) << "\n";
  if (!report.writer.empty())
    stream << "  last " << report.writer << "\n";
  if (report.undetermined)
    stream << "  the bound of " << report.undetermined
           << " elements is no smaller than the data: it says nothing of them; --tolerance gives one\n";
  if (report.strayBytes)
    stream << "  " << report.strayBytes << " bytes behind the end of %" << name(report.strayArgument)
           << (ProgramOp(program).getStridesOf(report.strayArgument) ? " or between its elements" : "")
           << " have changed\n";
}
