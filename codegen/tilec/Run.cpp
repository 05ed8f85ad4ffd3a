// Launches on the emulated ranks and the comparison with the oracle.
#include "codegen/tilec/Run.h"
#include "codegen/tilec/RunInputs.h"

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

/// Bytes behind every argument that nobody may change.
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
  int64_t exceeded = 0, unbounded = 0;
  int64_t strayBytes = 0;     ///< changed behind an argument
  unsigned strayArgument = 0; ///< the last one

  bool isRight() const { return exceeded == 0 && unbounded == 0 && strayBytes == 0; }
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

  LogicalResult execute();

private:
  LogicalResult fail(llvm::Error error) { return program.emitError() << llvm::toString(std::move(error)); }
  FailureOr<std::unique_ptr<Interpreter>> createOracle(ProgramOp of, bool countsOnly);
  LogicalResult start(ArrayRef<int64_t> greatest);
  LogicalResult allocate();
  void write(size_t launch);
  LogicalResult enqueue(size_t launch);
  LogicalResult launchAll();
  void read(size_t launch);
  void compareRank(size_t launch, int64_t rank);
  LogicalResult count(ArrayRef<int64_t> extents);
  void printFinding(const Finding &finding, int64_t rank);
  LogicalResult print();
  void printTiming();

  /// Launches that are queued together need arguments of their own.
  bool isQueued() const { return options.queued || options.machine.skewed; }
  size_t setOf(size_t launch) const { return isQueued() ? launch : 0; }
  std::string name(unsigned argument) { return argumentName(program.getBuffers()[argument]); }

  ProgramOp program;
  const RunOptions &options;
  llvm::raw_ostream &stream;
  int64_t world = 0;
  std::vector<PreparedLaunch> launches;
  std::unique_ptr<EmulatedWorld> machine;
  std::vector<size_t> capacity;                           ///< [argument] greatest bytes in any launch
  std::vector<std::vector<std::vector<char *>>> pointers; ///< [set][rank][argument]
  std::vector<std::vector<Buffer>> results;               ///< [rank][argument] of the launch read last
  std::vector<RankReport> reports;
  std::vector<Counts> counts;
  Part oracleTime{"oracle", {}}, textTime{"compilation of the text", {}}, launchTime{"emulated launches", {}};
  Part comparisonTime{"comparison", {}};
};

} // namespace

FailureOr<std::unique_ptr<Interpreter>> Run::createOracle(ProgramOp of, bool countsOnly) {
  InterpreterOptions chosen;
  chosen.world = options.world;
  chosen.countsOnly = countsOnly;
  for (StringRef text : options.parameters) {
    auto [parameter, value] = text.split('=');
    int64_t number;
    if (parameter.empty() || value.getAsInteger(10, number))
      return of.emitError() << "parameter '" << text << "', expected NAME=VALUE with an integer value";
    // The passes have bound the parameters of the kernel form.
    if (!countsOnly)
      chosen.parameters[parameter] = number;
  }
  return Interpreter::create(of, chosen);
}

LogicalResult Run::start(ArrayRef<int64_t> greatest) {
  llvm::Expected<std::string> object = textTime.measure([&] { return compileText(options.text, options.compiler); });
  if (!object)
    return fail(object.takeError());
  capacity.assign(launches.front().before.front().size(), 0);
  for (const PreparedLaunch &launch : launches)
    for (auto [bytes, most] : llvm::zip(launch.before.front(), capacity))
      most = std::max(most, bytes.size());
  size_t sets = isQueued() ? launches.size() : 1, total = 0;
  for (size_t bytes : capacity)
    total += llvm::alignTo(bytes + guardBytes, 256);
  auto started = EmulatedWorld::start(world, total * sets, options.manifest, *object, greatest, options.machine);
  if (!started)
    return fail(started.takeError());
  machine = std::move(*started);
  return allocate();
}

LogicalResult Run::allocate() {
  pointers.resize(isQueued() ? launches.size() : 1);
  for (auto &set : pointers) {
    set.resize(world);
    for (int64_t rank = 0; rank < world; ++rank)
      for (size_t bytes : capacity) {
        llvm::Expected<char *> pointer = machine->allocate(rank, bytes + guardBytes);
        if (!pointer)
          return fail(pointer.takeError());
        set[rank].push_back(*pointer);
      }
  }
  return success();
}

void Run::write(size_t launch) {
  for (int64_t rank = 0; rank < world; ++rank)
    for (size_t i = 0; i < capacity.size(); ++i) {
      char *pointer = pointers[setOf(launch)][rank][i];
      const std::vector<char> &bytes = launches[launch].before[rank][i];
      std::memset(pointer, 0xff, capacity[i] + guardBytes);
      std::copy(bytes.begin(), bytes.end(), pointer);
    }
}

LogicalResult Run::enqueue(size_t launch) {
  for (int64_t rank = 0; rank < world; ++rank)
    if (llvm::Error error = machine->launch(rank, pointers[setOf(launch)][rank], launches[launch].extents))
      return fail(std::move(error));
  return success();
}

void Run::compareRank(size_t launch, int64_t rank) {
  RankReport &report = reports[rank];
  for (size_t i = 0; i < capacity.size(); ++i) {
    const char *pointer = pointers[setOf(launch)][rank][i];
    const Buffer &expected = launches[launch].after[rank][i];
    size_t used = launches[launch].before[rank][i].size();
    Buffer &got = results[rank][i] = Buffer(expected.format, expected.shape);
    got.fromBytes(ArrayRef(pointer, used));
    Comparison comparison = compare(expected, got);
    // Elements that are all exact are still better to name in an output than in an input.
    bool named = expected.written && expected.size() > 0;
    auto keep = [&](Finding &best, const Difference &found, double Difference::*first, double Difference::*second) {
      const Difference &known = best.difference;
      if ((named && !best.found) || std::tie(found.*first, found.*second) > std::tie(known.*first, known.*second))
        best = {found, static_cast<unsigned>(i), launch, true};
    };
    keep(report.largest, comparison.largest, &Difference::error, &Difference::usage);
    keep(report.closest, comparison.closest, &Difference::usage, &Difference::error);
    report.exceeded += comparison.exceeded;
    report.unbounded += comparison.unbounded;
    int64_t stray =
        std::count_if(pointer + used, pointer + capacity[i] + guardBytes, [](char c) { return c != '\xff'; });
    if (stray)
      report.strayArgument = i;
    report.strayBytes += stray;
  }
}

void Run::read(size_t launch) {
  comparisonTime.measure([&] {
    for (int64_t rank = 0; rank < world; ++rank)
      compareRank(launch, rank);
    return true;
  });
}

LogicalResult Run::launchAll() {
  machine->poisonWorkspaces();
  bool persistent =
      llvm::any_of(program.getBody().getOps<AllocOp>(), [](AllocOp alloc) { return alloc.getPersistent(); });
  for (size_t launch = 0; launch < launches.size(); ++launch) {
    write(launch);
    if (isQueued())
      continue;
    // What a persistent alloc holds comes from the launch before.
    if (launch && !persistent)
      machine->poisonWorkspaces();
    if (failed(enqueue(launch)))
      return failure();
    if (llvm::Error error = launchTime.measure([&] { return machine->synchronize(); }))
      return fail(std::move(error));
    read(launch);
  }
  if (!isQueued())
    return success();
  for (size_t launch = 0; launch < launches.size(); ++launch)
    if (failed(enqueue(launch)))
      return failure();
  if (llvm::Error error = launchTime.measure([&] { return machine->synchronize(); }))
    return fail(std::move(error));
  for (size_t launch = 0; launch < launches.size(); ++launch)
    read(launch);
  return success();
}

LogicalResult Run::count(ArrayRef<int64_t> extents) {
  if (!options.kernelForm)
    return success();
  auto counter = createOracle(options.kernelForm, /*countsOnly=*/true);
  if (failed(counter) || failed((*counter)->begin(extents)) || failed((*counter)->run()))
    return failure();
  for (int64_t rank = 0; rank < world; ++rank)
    counts.push_back((*counter)->getCounts(rank));
  return success();
}

/// `[3, 17]` for a row-major position.
static std::string coordinates(const Buffer &buffer, int64_t element) {
  Shape strides = View::whole(0, buffer.shape).strides;
  std::string text = "[";
  for (size_t d = 0; d < strides.size(); ++d)
    text += (d ? ", " : "") + std::to_string(element / strides[d] % buffer.shape[d]);
  return text + "]";
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

LogicalResult Run::print() {
  bool right = true;
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
    stream << (report.isRight() ? "\n" : ", WRONG\n");
    right &= report.isRight();
    if (report.exceeded)
      stream << "  " << report.exceeded << " elements exceed their bound; the furthest is "
             << llvm::format("%.9g", closest.difference.got) << ", expected "
             << llvm::format("%.9g", closest.difference.expected) << "\n";
    if (report.unbounded)
      stream << "  the program determines nothing of " << report.unbounded << " elements\n";
    if (report.strayBytes)
      stream << "  " << report.strayBytes << " bytes behind the end of %" << name(report.strayArgument)
             << " have changed\n";
  }
  return success(right);
}

void Run::printTiming() {
  for (const Part *part : {&oracleTime, &textTime, &launchTime, &comparisonTime})
    stream << "time of " << part->name << ": " << llvm::format("%.3f", part->total.getWallTime()) << " s wall, "
           << llvm::format("%.3f", part->total.getProcessTime()) << " s processor\n";
}

LogicalResult Run::execute() {
  auto plan = planLaunches(program, options.extents, options.extentsFrom, options.launches, options.seed);
  auto oracle = createOracle(program, /*countsOnly=*/false);
  if (failed(plan) || failed(oracle))
    return failure();
  world = (*oracle)->getWorld();
  auto prepared = oracleTime.measure([&] { return prepareLaunches(**oracle, *plan, options.inputs, options.seed); });
  if (failed(prepared))
    return failure();
  launches = std::move(*prepared);
  if (failed(start(plan->greatest())) || failed(count(launches.back().extents)))
    return failure();
  reports.resize(world);
  results.assign(world, std::vector<Buffer>(capacity.size()));
  if (failed(launchAll()))
    return failure();
  LogicalResult right = print();
  if (options.timing)
    printTiming();
  if (failed(writeOutputs(program, options.outputs, launches.size() - 1, results)))
    return failure();
  return right;
}

int tilec::runProgram(ProgramOp program, const RunOptions &options, llvm::raw_ostream &stream) {
  return failed(Run(program, options, stream).execute()) ? 1 : 0;
}
