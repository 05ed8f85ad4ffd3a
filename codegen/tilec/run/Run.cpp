// Launches on the emulated ranks and the comparison with the oracle.
#include "codegen/tilec/run/Run.h"
#include "codegen/tilec/run/Judgement.h"
#include "codegen/tilec/run/Places.h"
#include "codegen/tilec/run/PlannedRun.h"
#include "codegen/tilec/run/RunInputs.h"
#include "codegen/tilec/run/RunProgress.h"
#include "codegen/tilec/run/Undetermined.h"

#include "tilec/emulated.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Timer.h"

#include <cstring>

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;
using namespace tilec::interpreter;

namespace {

/// Bytes behind every argument that nobody may change, as those between the elements of a strided one.
constexpr size_t guardBytes = 256;

/// Time spent in one part of the run. Children are the compiler of the text: only their wall time is seen.
struct Part {
  StringRef name;
  RunProgress &progress;
  llvm::TimeRecord total = {};

  template <class Function>
  auto measure(Function function) {
    progress.isBusyWith(name.str());
    llvm::TimeRecord begin = llvm::TimeRecord::getCurrentTime(/*Start=*/true);
    auto result = function();
    total += llvm::TimeRecord::getCurrentTime(/*Start=*/false);
    total -= begin;
    return result;
  }
};

/// What the application saw on a rank when a launch was over there.
struct Taken {
  std::vector<std::vector<char>> arguments; ///< with guards
  std::vector<char> workspace;              ///< of launches that are followed
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
  LogicalResult requireCounted();
  void read(size_t launch, int64_t rank);
  LogicalResult follow(size_t launch);
  LogicalResult compareFollowed(size_t launch);
  void compareRank(size_t launch, int64_t rank);
  Verdict runLaunches();
  LogicalResult count(ArrayRef<int64_t> extents);
  Verdict print();
  void printTiming();

  bool isQueued() const { return options.queued || options.machine.skewed; }
  /// Whether later launches may write scratch before all ranks are done with this one.
  bool mayBeOverwritten(size_t launch) const { return isQueued() && launch + 1 < launches.size(); }
  /// Whether the oracle executes a launch again when it is over. Of queued ones the scratch is kept as each rank left
  /// it; a launch of no tasks moves no epoch, so that its copy could not be told.
  bool isFollowed(size_t launch) const {
    const bool known = !mayBeOverwritten(launch) || llvm::none_of(launches, [](const PreparedLaunch &one) {
      return llvm::is_contained(one.extents, 0);
    });
    return launches[launch].hasInexactScratch && !keepsScratch && known;
  }
  std::string name(unsigned argument) { return argumentName(program.getArguments()[argument]); }

  ProgramOp program;
  const RunOptions &options;
  llvm::raw_ostream &stream;
  int64_t world = 0;
  std::unique_ptr<Interpreter> oracle;
  std::vector<PreparedLaunch> launches;
  std::unique_ptr<EmulatedWorld> machine;
  Places places;
  std::vector<size_t> capacity;              ///< [argument] greatest bytes in any launch
  std::vector<std::vector<char *>> pointers; ///< [rank][argument]
  std::vector<std::vector<Taken>> taken;     ///< [launch][rank] until it is compared
  std::vector<std::vector<Buffer>> results;  ///< [rank][argument] of the launch compared last
  bool keepsScratch = false;                 ///< some of it is persistent
  std::optional<Judgement> judgement;
  std::vector<Counts> counts;
  RunProgress progress;
  Part oracleTime{"oracle", progress}, textTime{"compilation of the text", progress};
  Part launchTime{"emulated launches", progress}, comparisonTime{"comparison", progress};
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
  auto startWith = [&](const std::string &manifest) {
    return EmulatedWorld::start(world, total, manifest, *object, greatest, options.machine);
  };
  auto started = startWith(options.manifest);
  if (!started && options.otherManifest)
    if (FailureOr<std::string> other = options.otherManifest(); succeeded(other)) {
      auto again = startWith(*other);
      if (again) {
        llvm::consumeError(started.takeError());
        started = std::move(again);
      } else {
        llvm::consumeError(again.takeError());
      }
    }
  if (!started) {
    InFlightDiagnostic diagnostic = program.emitError() << llvm::toString(started.takeError());
    if (options.handWritten)
      diagnostic.attachNote(program.getLoc()) << "--text goes with the options that the text was made with";
    return diagnostic;
  }
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
    // A number is read now, from memory of the host.
    std::vector<char *> arguments = pointers[rank];
    for (BlockArgument scalar : program.getScalars()) {
      unsigned number = scalar.getArgNumber() - program.getNumExtents();
      arguments[number] = launches[launch].before[rank][number].data();
    }
    if (llvm::Error error = machine->launch(rank, arguments, launches[launch].extents))
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

/// Compares what was taken of a rank behind a launch.
void Run::compareRank(size_t launch, int64_t rank) {
  for (size_t i = 0; i < capacity.size(); ++i) {
    const std::vector<char> &bytes = taken[launch][rank].arguments[i];
    const Buffer &expected = launches[launch].after[rank][i];
    const ArgumentLayout &layout = launches[launch].layouts[i];
    Buffer &got = results[rank][i] = Buffer(expected.format, expected.shape);
    got.fromBytes(layout.gather(bytes.data()));
    // Afterwards the memory has other content.
    if (judgement->compare(launch, rank, i, got) && options.machine.race && !isFollowed(launch) && got.size())
      judgement->noteWriter(rank, emulator::last_writer(pointers[rank][i] +
                                                        layout.offsetOf(judgement->furthest(rank).difference.element)));
    judgement->noteStray(rank, i,
                         layout.strayBytes(bytes.data(), '\xff') + std::count_if(bytes.data() + layout.bytes(),
                                                                                 bytes.data() + bytes.size(),
                                                                                 [](char c) { return c != '\xff'; }));
  }
}

/// The application reads a rank's results, and uses its arguments for something else.
void Run::read(size_t launch, int64_t rank) {
  comparisonTime.measure([&] {
    Taken &left = taken[launch][rank];
    for (size_t i = 0; i < capacity.size(); ++i) {
      std::vector<char> &bytes = left.arguments.emplace_back(capacity[i] + guardBytes);
      emulator::host_read(bytes.data(), pointers[rank][i], bytes.size());
    }
    if (isFollowed(launch) && mayBeOverwritten(launch))
      left.workspace = machine->workspace(static_cast<int>(rank));
    if (!isFollowed(launch)) {
      compareRank(launch, rank);
      left = {};
    }
    for (size_t i = 0; i < capacity.size(); ++i) {
      std::vector<char> bytes(capacity[i] + guardBytes, '\xff');
      emulator::host_write(pointers[rank][i], bytes.data(), bytes.size());
    }
    return true;
  });
}

/// The oracle's results once more, with what the launch left in scratch. Every launch has moved the epoch by one, or
/// none has scratch to follow.
LogicalResult Run::follow(size_t launch) {
  auto left = [&](int64_t rank, StringRef name, size_t bytes) {
    std::vector<char> &workspace = taken[launch][rank].workspace;
    if (workspace.empty())
      workspace = machine->workspace(static_cast<int>(rank));
    return machine->scratchIn(workspace, static_cast<int>(rank), name.str(), launches[launch].extents,
                              isQueued() ? static_cast<unsigned>(launches.size() - 1 - launch) : 0, bytes);
  };
  return oracleTime.measure([&] { return judgement->follow(*oracle, launch, mayBeOverwritten(launch), left); });
}

LogicalResult Run::compareFollowed(size_t launch) {
  if (!isFollowed(launch))
    return success();
  if (failed(follow(launch)))
    return failure();
  return comparisonTime.measure([&] {
    for (int64_t rank = 0; rank < world; ++rank)
      compareRank(launch, rank);
    taken[launch].assign(world, {});
    return success();
  });
}

LogicalResult Run::launchAll() {
  machine->poisonWorkspaces();
  if (llvm::Error error = machine->clearWorkspaces())
    return fail(std::move(error));
  if (llvm::Error error = options.traces.empty() ? llvm::Error::success() : machine->startTraces())
    return fail(std::move(error));
  for (size_t launch = 0; launch < launches.size(); ++launch) {
    // What a persistent alloc holds comes from the launch before.
    if (launch && !machine->keepsScratch() && !isQueued())
      machine->poisonWorkspaces();
    if (failed(enqueue(launch))) {
      // What was queued before reads memory of this machine.
      llvm::consumeError(machine->synchronize());
      return failure();
    }
    if (!isQueued() && failed(synchronize()))
      return failure();
    if (!isQueued() && failed(compareFollowed(launch)))
      return failure();
    progress.hasDone(launch + 1, launches.size());
  }
  if (!isQueued())
    return success();
  if (failed(synchronize()))
    return failure();
  for (size_t launch = 0; launch < launches.size(); ++launch)
    if (failed(compareFollowed(launch)))
      return failure();
  return success();
}

/// Launches that the device counted one too few, or too late, make the state of those behind them wrong.
LogicalResult Run::requireCounted() {
  // What has no task starts no kernel.
  if (llvm::any_of(launches, [](const PreparedLaunch &one) { return llvm::is_contained(one.extents, 0); }))
    return success();
  for (int64_t rank = 0; rank < world; ++rank)
    if (unsigned counted = machine->epoch(static_cast<int>(rank)); counted != launches.size())
      return program.emitError() << "rank " << rank << " counted " << counted << " of " << launches.size()
                                 << " launches, expected all of them";
  return success();
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
  emulator::excuse_unwritten([this](const void *memory) {
    auto place = machine->scratchAt(memory, launches.front().extents);
    return place ? excuseUnwritten(launches, place->first, place->second) : "";
  });
  emulator::name_places([this](const void *place) { return places.lineOf(place); });
}

Verdict Run::print() {
  const Verdict verdict = judgement->print(stream, counts);
  for (const std::string &race : emulator::races())
    stream << race << "\n";
  for (const std::string &read : emulator::excused_reads())
    stream << read << "\n";
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
  if (succeeded(launched) && failed(requireCounted()))
    verdict = Verdict::Wrong;
  // Of a launch that failed too: the wait at which it ended is what one looks for.
  if (llvm::Error error = options.traces.empty() ? llvm::Error::success() : machine->saveTraces(options.traces)) {
    (void)fail(std::move(error));
    verdict = Verdict::Wrong;
  }
  if (failed(launched))
    for (const std::string &race : emulator::races())
      stream << race << "\n";
  if (verdict != Verdict::Right && !options.repeat.empty())
    stream << "repeat with: " << options.repeat << "\n";
  emulator::name_memory({});
  emulator::name_places({});
  emulator::excuse_unwritten({});
  return verdict;
}

Verdict Run::execute() {
  auto planned = planRun(program, options);
  if (failed(planned))
    return Verdict::Wrong;
  planned->printChosen(stream);
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
  judgement.emplace(program, launches, options.tolerance);
  taken.assign(launches.size(), std::vector<Taken>(world));
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
