// Launches on the emulated ranks and the comparison with the oracle.
#include "codegen/tilec/run/Run.h"
#include "codegen/tilec/run/Places.h"
#include "codegen/tilec/run/PlannedRun.h"
#include "codegen/tilec/run/RunInputs.h"
#include "dialect/Identifiers.h"

#include "tilec/emulated.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Timer.h"

#include <cstring>
#include <tuple>

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;
using namespace tilec::interpreter;

namespace {

/// Bytes behind every argument that nobody may change, as those between the elements of a strided one.
constexpr size_t guardBytes = 256;

/// An element and where it is.
struct Finding {
  Difference difference;
  unsigned argument = 0;
  size_t launch = 0;
  bool found = false;
};

/// What one rank did wrong, over all launches.
struct RankReport {
  Finding largest, closest; ///< as in Comparison
  int64_t exceeded = 0, undetermined = 0;
  int64_t strayBytes = 0;         ///< changed behind an argument or between its elements
  unsigned strayArgument = 0;     ///< the last one
  std::string writer;             ///< of the worst element, when races are looked for
  std::string scratch, departure; ///< the largest error in scratch that was followed; where that was not possible first
  double scratchError = 0;
  bool scratchIsWrong = false; ///< what was not followed is beyond its bound

  /// An element of scratch beyond its bound is wrong, whatever became of it: where the results can tell, they do.
  Verdict verdict() const {
    if (exceeded || strayBytes || (undetermined && scratchIsWrong))
      return Verdict::Wrong;
    return undetermined ? Verdict::TooWeak : Verdict::Right;
  }
};

/// Time spent in one part of the run. Children are the compiler of the text: only their wall time is seen.
struct Part {
  StringRef name;
  llvm::TimeRecord total;

  template <class Function>
  auto measure(Function function) {
    llvm::TimeRecord begin = llvm::TimeRecord::getCurrentTime(/*Start=*/true);
    auto result = function();
    total += llvm::TimeRecord::getCurrentTime(/*Start=*/false);
    total -= begin;
    return result;
  }
};

class Run {
public:
  Run(ProgramOp program, const RunOptions &options, llvm::raw_ostream &stream)
      : program(program), options(options), stream(stream) {}

  /// What a refused launch left in the queues runs when the machine ends, and reads the members below.
  ~Run() { machine.reset(); }

  Verdict execute();

private:
  LogicalResult fail(llvm::Error error) { return program.emitError() << llvm::toString(std::move(error)); }
  LogicalResult start(ArrayRef<int64_t> greatest);
  LogicalResult allocate();
  void nameEverything();
  std::string nameOfMemory(const void *memory);
  void write(size_t launch, int64_t rank);
  LogicalResult enqueue(size_t launch);
  LogicalResult synchronize();
  LogicalResult launchAll();
  void read(size_t launch, int64_t rank);
  LogicalResult follow(size_t launch);
  LogicalResult compareFollowed(size_t launch);
  void noteScratch(size_t launch);
  void compareRank(size_t launch, int64_t rank);
  Verdict runLaunches();
  LogicalResult count(ArrayRef<int64_t> extents);
  void printFinding(const Finding &finding, int64_t rank);
  Verdict print();
  void printTiming();

  bool isQueued() const { return options.queued || options.machine.skewed; }
  /// Whether the oracle executes a launch again when it is over. Of queued ones the last leaves its scratch.
  bool isFollowed(size_t launch) const {
    return launches[launch].hasInexactScratch && !keepsScratch && (!isQueued() || launch + 1 == launches.size());
  }
  std::string name(unsigned argument) { return argumentName(program.getBuffers()[argument]); }

  ProgramOp program;
  const RunOptions &options;
  llvm::raw_ostream &stream;
  int64_t world = 0;
  std::unique_ptr<Interpreter> oracle;
  std::vector<PreparedLaunch> launches;
  std::unique_ptr<EmulatedWorld> machine;
  Places places;
  std::vector<size_t> capacity;                      ///< [argument] greatest bytes in any launch
  std::vector<std::vector<char *>> pointers;         ///< [rank][argument]
  std::vector<std::vector<std::vector<char>>> taken; ///< [rank][argument] with guards, of the launch read last
  std::vector<std::vector<Buffer>> results;          ///< [rank][argument] of the launch compared last
  bool keepsScratch = false;                         ///< some of it is persistent
  std::vector<RankReport> reports;
  std::vector<Counts> counts;
  Part oracleTime{"oracle", {}}, textTime{"compilation of the text", {}}, launchTime{"emulated launches", {}};
  Part comparisonTime{"comparison", {}};
};

} // namespace

LogicalResult Run::start(ArrayRef<int64_t> greatest) {
  TextCompiler compiler = options.compiler;
  compiler.setWaveLanes(options.machine.waveLanes);
  if (options.machine.race)
    compiler.addRaceCheck(options.handWritten);
  llvm::Expected<std::string> object = textTime.measure([&] { return compileText(options.text, compiler); });
  if (!object)
    return fail(object.takeError());
  capacity.assign(launches.front().before.front().size(), 0);
  for (const PreparedLaunch &launch : launches)
    for (auto [layout, most] : llvm::zip(launch.layouts, capacity))
      most = std::max(most, layout.bytes());
  size_t total = 0;
  for (size_t bytes : capacity)
    total += llvm::alignTo(bytes + guardBytes, 256);
  auto started = EmulatedWorld::start(world, total, options.manifest, *object, greatest, options.machine);
  if (!started)
    return fail(started.takeError());
  machine = std::move(*started);
  return allocate();
}

LogicalResult Run::allocate() {
  pointers.resize(world);
  for (int64_t rank = 0; rank < world; ++rank)
    for (size_t bytes : capacity) {
      llvm::Expected<char *> pointer = machine->allocate(rank, bytes + guardBytes);
      if (!pointer)
        return fail(pointer.takeError());
      pointers[rank].push_back(*pointer);
    }
  nameEverything();
  return success();
}

/// The application fills a rank's arguments.
void Run::write(size_t launch, int64_t rank) {
  for (size_t i = 0; i < capacity.size(); ++i) {
    std::vector<char> bytes(capacity[i] + guardBytes, '\xff');
    launches[launch].layouts[i].scatter(launches[launch].before[rank][i], bytes.data());
    emulator::host_write(pointers[rank][i], bytes.data(), bytes.size());
  }
}

LogicalResult Run::enqueue(size_t launch) {
  emulator::name_launches("launch " + std::to_string(launch));
  for (int64_t rank = 0; rank < world; ++rank) {
    machine->enqueue(rank, [this, launch, rank] { write(launch, rank); });
    if (llvm::Error error = machine->launch(rank, pointers[rank], launches[launch].extents))
      return fail(std::move(error));
    machine->enqueue(rank, [this, launch, rank] { read(launch, rank); });
  }
  return success();
}

LogicalResult Run::synchronize() {
  llvm::TimeRecord before = comparisonTime.total;
  llvm::Error error = launchTime.measure([&] { return machine->synchronize(); });
  // The comparisons ran meanwhile.
  launchTime.total += before;
  launchTime.total -= comparisonTime.total;
  return error ? fail(std::move(error)) : success();
}

void Run::compareRank(size_t launch, int64_t rank) {
  RankReport &report = reports[rank];
  double scale = 0;
  for (const Buffer &buffer : launches[launch].after[rank])
    scale = std::max(scale, largestMagnitude(buffer));
  for (size_t i = 0; i < capacity.size(); ++i) {
    const std::vector<char> &bytes = taken[rank][i];
    const Buffer &expected = launches[launch].after[rank][i];
    const ArgumentLayout &layout = launches[launch].layouts[i];
    Buffer &got = results[rank][i] = Buffer(expected.format, expected.shape);
    got.fromBytes(layout.gather(bytes.data()));
    Comparison comparison = options.tolerance
                                ? compare(withBound(expected, *options.tolerance * largestMagnitude(expected)), got)
                                : compare(expected, got, scale);
    // Elements that are all exact are still better to name in an output than in an input.
    bool named = expected.written && expected.size() > 0;
    auto keep = [&](Finding &best, const Difference &found, double Difference::*first, double Difference::*second) {
      const Difference &known = best.difference;
      if ((named && !best.found) || std::tie(found.*first, found.*second) > std::tie(known.*first, known.*second))
        best = {found, static_cast<unsigned>(i), launch, true};
    };
    keep(report.largest, comparison.largest, &Difference::error, &Difference::usage);
    keep(report.closest, comparison.closest, &Difference::usage, &Difference::error);
    bool furthest = report.closest.argument == i && report.closest.launch == launch;
    // Afterwards the memory has other content.
    if (options.machine.race && !isFollowed(launch) && comparison.exceeded && furthest && got.size())
      report.writer = emulator::last_writer(pointers[rank][i] + layout.offsetOf(comparison.closest.element));
    report.exceeded += comparison.exceeded;
    report.undetermined += comparison.undetermined;
    int64_t stray =
        layout.strayBytes(bytes.data(), '\xff') +
        std::count_if(bytes.data() + layout.bytes(), bytes.data() + bytes.size(), [](char c) { return c != '\xff'; });
    if (stray)
      report.strayArgument = i;
    report.strayBytes += stray;
  }
}

/// The application reads a rank's results, and uses its arguments for something else.
void Run::read(size_t launch, int64_t rank) {
  comparisonTime.measure([&] {
    taken[rank].clear();
    for (size_t i = 0; i < capacity.size(); ++i) {
      std::vector<char> &bytes = taken[rank].emplace_back(capacity[i] + guardBytes);
      emulator::host_read(bytes.data(), pointers[rank][i], bytes.size());
    }
    if (!isFollowed(launch))
      compareRank(launch, rank);
    for (size_t i = 0; i < capacity.size(); ++i) {
      std::vector<char> bytes(capacity[i] + guardBytes, '\xff');
      emulator::host_write(pointers[rank][i], bytes.data(), bytes.size());
    }
    return true;
  });
}

/// `[3, 17]` for a row-major position.
static std::string coordinates(const Buffer &buffer, int64_t element) {
  Shape strides = View::whole(0, buffer.shape).strides;
  std::string text = "[";
  for (size_t d = 0; d < strides.size(); ++d)
    text += (d ? ", " : "") + std::to_string(element / strides[d] % buffer.shape[d]);
  return text + "]";
}

/// The oracle's results once more, with what the launch left in scratch, and the comparison with them.
LogicalResult Run::follow(size_t launch) {
  PreparedLaunch &prepared = launches[launch];
  auto left = [&](AllocOp alloc, int64_t rank, const Buffer &like) -> std::optional<Buffer> {
    auto name = dyn_cast<NameLoc>(alloc.getLoc());
    if (!name)
      return std::nullopt;
    Buffer result(like.format, like.shape);
    std::vector<char> bytes = machine->scratch(static_cast<int>(rank), legalName(name.getName()), prepared.extents,
                                               result.size() * result.format.bytes());
    if (bytes.empty())
      return std::nullopt;
    result.fromBytes(bytes);
    return result;
  };
  return oracleTime.measure([&]() -> LogicalResult {
    if (failed(oracle->begin(prepared.extents)))
      return failure();
    for (int64_t rank = 0; rank < world; ++rank)
      for (size_t i = 0; i < capacity.size(); ++i)
        oracle->argument(rank, i).fromBytes(prepared.before[rank][i]);
    if (failed(oracle->run(left)))
      return failure();
    for (int64_t rank = 0; rank < world; ++rank)
      for (size_t i = 0; i < capacity.size(); ++i)
        prepared.after[rank][i] = oracle->argument(rank, i);
    return success();
  });
}

LogicalResult Run::compareFollowed(size_t launch) {
  if (!isFollowed(launch))
    return success();
  if (failed(follow(launch)))
    return failure();
  noteScratch(launch);
  return comparisonTime.measure([&] {
    for (int64_t rank = 0; rank < world; ++rank)
      compareRank(launch, rank);
    return success();
  });
}

/// `0.00195, bound 0.00195 at %h[3, 17]`, for each rank.
void Run::noteScratch(size_t launch) {
  for (Followed found : oracle->getFollowed()) {
    RankReport &report = reports[found.rank];
    std::string text;
    llvm::raw_string_ostream words(text);
    words << llvm::format("%.3g", found.error) << ", bound " << llvm::format("%.3g", found.bound) << " at %"
          << cast<NameLoc>(found.alloc.getLoc()).getName().getValue()
          << coordinates(oracle->scratch(found.rank, found.alloc), found.element);
    if (launches.size() > 1)
      words << " in launch " << launch;
    // What nobody wrote has no error: the text may have no use for it.
    if (!found.agrees && report.departure.empty() && !std::isnan(found.error)) {
      report.departure = text;
      report.scratchIsWrong = found.error > found.bound;
    }
    if (found.agrees && found.error > report.scratchError) {
      report.scratchError = found.error;
      report.scratch = text;
    }
  }
}

LogicalResult Run::launchAll() {
  machine->poisonWorkspaces();
  if (llvm::Error error = machine->clearWorkspaces())
    return fail(std::move(error));
  for (size_t launch = 0; launch < launches.size(); ++launch) {
    // What a persistent alloc holds comes from the launch before.
    if (launch && !keepsScratch && !isQueued())
      machine->poisonWorkspaces();
    if (failed(enqueue(launch)) || (!isQueued() && failed(synchronize())))
      return failure();
    if (!isQueued() && failed(compareFollowed(launch)))
      return failure();
  }
  if (!isQueued())
    return success();
  return succeeded(synchronize()) ? compareFollowed(launches.size() - 1) : failure();
}

LogicalResult Run::count(ArrayRef<int64_t> extents) {
  if (!options.kernelForm)
    return success();
  auto counter = createOracle(options.kernelForm, options, /*countsOnly=*/true);
  if (failed(counter) || failed((*counter)->begin(extents)) || failed((*counter)->run()))
    return failure();
  for (int64_t rank = 0; rank < world; ++rank)
    counts.push_back((*counter)->getCounts(rank));
  return success();
}

/// `0.00195, bound 0.0312 at %c[3, 17]`
void Run::printFinding(const Finding &finding, int64_t rank) {
  const Buffer &buffer = launches[finding.launch].after[rank][finding.argument];
  stream << llvm::format("%.3g", finding.difference.error) << ", bound "
         << llvm::format("%.3g", finding.difference.bound) << " at %" << name(finding.argument);
  if (buffer.size())
    stream << coordinates(buffer, finding.difference.element);
  if (launches.size() > 1)
    stream << " in launch " << finding.launch;
}

std::string Run::nameOfMemory(const void *memory) {
  const PreparedLaunch &launch = launches.front();
  for (int64_t rank = 0; rank < world; ++rank)
    for (size_t i = 0; i < capacity.size(); ++i) {
      uintptr_t offset = reinterpret_cast<uintptr_t>(memory) - reinterpret_cast<uintptr_t>(pointers[rank][i]);
      const Buffer &buffer = launch.after[rank][i];
      if (offset >= capacity[i] + guardBytes)
        continue;
      std::string text = "%" + name(i) + " of rank " + std::to_string(rank);
      std::optional<int64_t> element = launch.layouts[i].elementAt(offset);
      // Extents that change from launch to launch give no coordinates.
      bool fixed = llvm::all_of(launches, [&](const PreparedLaunch &one) { return one.extents == launch.extents; });
      if (offset >= capacity[i])
        return text + ", behind its end";
      if (!fixed || !element)
        return text + ", byte " + std::to_string(offset);
      return "%" + name(i) + coordinates(buffer, *element) + " of rank " + std::to_string(rank);
    }
  return machine->nameOfScratch(memory, launches.front().extents);
}

void Run::nameEverything() {
  emulator::name_memory([this](const void *memory) { return nameOfMemory(memory); });
  emulator::name_places([this](const void *place) { return places.lineOf(place); });
}

/// Of verdicts on several parts: what is wrong is wrong whatever else could not be told.
static Verdict worse(Verdict a, Verdict b) {
  if (a == Verdict::Wrong || b == Verdict::Wrong)
    return Verdict::Wrong;
  return std::max(a, b);
}

static StringRef wordsOf(Verdict verdict) {
  return verdict == Verdict::Wrong ? ", WRONG" : verdict == Verdict::TooWeak ? ", too weak to judge" : "";
}

Verdict Run::print() {
  const bool comparable = isComparable(launches);
  Verdict verdict = comparable ? Verdict::Right : Verdict::NotComparable;
  for (auto [rank, report] : llvm::enumerate(reports)) {
    const Finding &largest = report.largest, &closest = report.closest;
    stream << "rank " << rank << ": largest error ";
    printFinding(largest, rank);
    // Bounds differ from element to element: the largest error may be far from its own.
    if (closest.difference.usage > largest.difference.usage) {
      stream << "; closest to its bound: error ";
      printFinding(closest, rank);
    }
    if (!counts.empty())
      stream << "; " << counts[rank].signals << " signals, " << counts[rank].waits << " waits";
    // Bytes outside of arguments, and races, are wrong whatever the values should be.
    Verdict ofRank = comparable || report.strayBytes ? report.verdict() : Verdict::NotComparable;
    stream << (comparable || report.strayBytes ? wordsOf(ofRank) : ", not comparable") << "\n";
    verdict = worse(verdict, ofRank);
    if (!report.scratch.empty())
      stream << "  in scratch: largest error " << report.scratch << "\n";
    if (!report.departure.empty() && ofRank != Verdict::Right)
      stream << (report.scratchIsWrong ? "  the first scratch beyond its bound: error "
                                       : "  the first scratch that is too weak to follow: error ")
             << report.departure << "\n";
    if (report.exceeded)
      stream << "  " << report.exceeded << " elements exceed their bound; the furthest is "
             << llvm::format("%.9g", closest.difference.got) << ", expected "
             << llvm::format("%.9g", closest.difference.expected) << "\n";
    if (!report.writer.empty())
      stream << "  last " << report.writer << "\n";
    if (report.undetermined)
      stream << "  the bound of " << report.undetermined
             << " elements is no smaller than the data: it says nothing of them; --tolerance gives one\n";
    if (report.strayBytes)
      stream << "  " << report.strayBytes << " bytes behind the end of %" << name(report.strayArgument)
             << (program.getStridesOf(report.strayArgument) ? " or between its elements" : "") << " have changed\n";
  }
  for (const std::string &race : emulator::races())
    stream << race << "\n";
  return emulator::races().empty() ? verdict : Verdict::Wrong;
}

void Run::printTiming() {
  for (const Part *part : {&oracleTime, &textTime, &launchTime, &comparisonTime})
    stream << "time of " << part->name << ": " << llvm::format("%.3f", part->total.getWallTime()) << " s wall, "
           << llvm::format("%.3f", part->total.getProcessTime()) << " s processor\n";
}

/// Also says how to repeat what failed.
Verdict Run::runLaunches() {
  LogicalResult launched = launchAll();
  Verdict verdict = succeeded(launched) ? print() : Verdict::Wrong;
  if (failed(launched))
    for (const std::string &race : emulator::races())
      stream << race << "\n";
  if (verdict != Verdict::Right && !options.repeat.empty())
    stream << "repeat with: " << options.repeat << "\n";
  emulator::name_memory({});
  emulator::name_places({});
  return verdict;
}

Verdict Run::execute() {
  auto planned = planRun(program, options);
  if (failed(planned))
    return Verdict::Wrong;
  planned->printScaled(stream);
  const LaunchPlan &plan = planned->plan;
  oracle = std::move(planned->oracle);
  world = oracle->getWorld();
  auto prepared = oracleTime.measure([&] { return prepareLaunches(*oracle, plan, options.inputs, options.seed); });
  if (failed(prepared))
    return Verdict::Wrong;
  launches = std::move(*prepared);
  if (failed(start(plan.greatest())) || failed(count(launches.back().extents)))
    return Verdict::Wrong;
  keepsScratch = llvm::any_of(program.getBody().getOps<AllocOp>(), [](AllocOp alloc) { return alloc.getPersistent(); });
  reports.resize(world);
  taken.resize(world);
  results.assign(world, std::vector<Buffer>(capacity.size()));
  Verdict verdict = runLaunches();
  if (options.timing)
    printTiming();
  // Like the text, results are written only after a run that was right.
  if (verdict == Verdict::Right && failed(writeOutputs(program, options.outputs, launches.size() - 1, results)))
    return Verdict::Wrong;
  return verdict;
}

LogicalResult tilec::checkRun(ProgramOp program, const RunOptions &options) {
  return success(succeeded(planRun(program, options)));
}

Verdict tilec::runProgram(ProgramOp program, const RunOptions &options, llvm::raw_ostream &stream) {
  return Run(program, options, stream).execute();
}
