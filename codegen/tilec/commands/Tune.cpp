// Candidates are what the compiler chooses when one of its choices is taken from it: each parameter at each of its
// values, the others as the model then has them; how products run; and other orders of tiles.
#include "codegen/tilec/commands/Tune.h"
#include "codegen/tilec/Compile.h"
#include "codegen/tilec/Input.h"
#include "codegen/tilec/Tuned.h"
#include "codegen/tilec/run/DeviceRun.h"
#include "codegen/tilec/run/Kit.h"
#include "codegen/tilec/run/PlannedRun.h"
#include "dialect/Schedules.h"
#include "passes/ProgramTarget.h"
#include "passes/choose/Candidates.h"
#include "passes/choose/FitTiles.h"
#include "passes/choose/LoopChoice.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/WithColor.h"

using namespace mlir;
using namespace tilec;
using llvm::createStringError;
namespace fs = llvm::sys::fs;
namespace json = llvm::json;

namespace {

struct TuneCandidate {
  TunedChoices choices;
  SmallVector<Attribute> schedule; ///< of each, by key, where it is not what an absent one means
  double predicted = 0;            ///< microseconds
  double loopClocks = 0;           ///< of all products, which the prediction takes for as fast as their instructions
};

/// A program and what is tried with it.
class Tuning {
public:
  Tuning(ModuleOp module, const Options &options, StringRef text, const Target &target)
      : module(module), program(*module.getOps<tile::ProgramOp>().begin()), options(options), text(text),
        target(target) {}

  std::vector<TuneCandidate> candidates();
  /// Compiles candidates into folders below `folder`, and writes candidates.json beside them. Those that do not compile
  /// are left out.
  llvm::Error write(StringRef folder, ArrayRef<TuneCandidate> candidates);

private:
  std::optional<TuneCandidate> weigh(const TunedChoices &given);
  double clocksOfLoops(const TunedChoices &given);
  void consider(std::vector<TuneCandidate> &all, const TunedChoices &given);
  void considerSchedules(std::vector<TuneCandidate> &all);
  llvm::Expected<bool> writeCandidate(const std::string &folder, const TuneCandidate &candidate,
                                      ArrayRef<PreparedLaunch> launches);
  llvm::Expected<std::vector<PreparedLaunch>> launch();

  ModuleOp module;
  tile::ProgramOp program;
  const Options &options;
  StringRef text;
  const Target &target;
};

} // namespace

/// What the loops of the products cost with a choice; 0 where there are none.
double Tuning::clocksOfLoops(const TunedChoices &given) {
  OwningOpRef<ModuleOp> trial = module.clone();
  auto chosen = *trial->getOps<tile::ProgramOp>().begin();
  double clocks = 0;
  if (succeeded(runStages(*trial, withChoices(chosen, options, given), "choose", text)))
    for (auto product : chosen.getBody().getOps<tile::MatmulOp>())
      clocks += expectedLoop(product, target).clocks;
  return clocks;
}

/// The values of the schedules of a program's products, but none for what an absent one says as well.
static SmallVector<Attribute> valuesOf(tile::ProgramOp program) {
  SmallVector<Attribute> values;
  program.walk([&](tile::ScheduledOpInterface op) {
    tile::ScheduleAttr schedule = op.getScheduleAttr() ? tile::scheduleOf(op) : tile::ScheduleAttr();
    if (!schedule)
      return;
    for (Attribute value : schedule.getValues()) {
      auto truth = dyn_cast_or_null<BoolAttr>(value);
      values.push_back(truth && !truth.getValue() ? Attribute() : value);
    }
    if (schedule.numberOf(tile::ScheduleKey::Split) == 1)
      values[values.size() - schedule.getValues().size() + static_cast<unsigned>(tile::ScheduleKey::Split)] = {};
  });
  return values;
}

/// What the compiler makes of a choice; nothing where it cannot.
std::optional<TuneCandidate> Tuning::weigh(const TunedChoices &given) {
  ScopedDiagnosticHandler silent(module.getContext(), [](Diagnostic &) { return success(); });
  OwningOpRef<ModuleOp> trial = module.clone();
  auto made = *trial->getOps<tile::ProgramOp>().begin();
  if (failed(runStages(*trial, withChoices(made, options, given), "order", text)))
    return std::nullopt;
  TuneCandidate candidate;
  candidate.choices = {bindingsOf(made.getParametersAttr()), given.order, given.schedule};
  candidate.schedule = valuesOf(made);
  candidate.loopClocks = clocksOfLoops(given);
  candidate.predicted = predict(made, target, modelledExtents(made, options.pipeline.extents)).microseconds;
  return candidate;
}

void Tuning::consider(std::vector<TuneCandidate> &all, const TunedChoices &given) {
  std::optional<TuneCandidate> candidate = weigh(given);
  auto same = [&](const TuneCandidate &known) {
    return known.choices.parameters == candidate->choices.parameters &&
           known.choices.order == candidate->choices.order && known.schedule == candidate->schedule;
  };
  if (candidate && llvm::none_of(all, same))
    all.push_back(*candidate);
}

/// How products run: what the compiler chooses besides when this is fixed. Of pairs of workgroups the model knows
/// those that are made unasked, so that others have the tiles of the first candidate; whether it can be made in pairs
/// `schedule` finds.
void Tuning::considerSchedules(std::vector<TuneCandidate> &all) {
  if (program.getBody().getOps<tile::MatmulOp>().empty())
    return;
  for (const char *schedule : {"swapped=true", "swapped=false", "split=1", "split=2", "split=4"})
    consider(all, {{}, "", schedule});
  const TunedChoices inPairs = {all.front().choices.parameters, "", "pairs=true"};
  ScopedDiagnosticHandler silent(module.getContext(), [](Diagnostic &) { return success(); });
  OwningOpRef<ModuleOp> trial = module.clone();
  if (succeeded(runStages(*trial, withChoices(*trial->getOps<tile::ProgramOp>().begin(), options, inPairs), "schedule",
                          text)))
    consider(all, inPairs);
}

/// First what the compiler chooses, then the others, cheapest first.
std::vector<TuneCandidate> Tuning::candidates() {
  std::vector<TuneCandidate> all;
  consider(all, {});
  if (all.empty())
    return all;
  OwningOpRef<ModuleOp> declared = module.clone();
  auto copy = *declared->getOps<tile::ProgramOp>().begin();
  declareTiles(copy);
  for (tile::ParamOp param : copy.getBody().getOps<tile::ParamOp>()) {
    if (valueOf(options.pipeline.parameters, param.getSymName()))
      continue;
    for (int64_t choice : param.getChoices())
      consider(all, {{{param.getSymName().str(), choice}}, "", ""});
  }
  considerSchedules(all);
  if (!program.getOrder())
    for (const char *order : {"none", "grouped-4", "grouped-8", "grouped-16"})
      consider(all, {all.front().choices.parameters, order, ""});
  // The prediction takes all loops for as fast as their instructions: what one costs more than the first one's, its
  // candidate does.
  const TuneCandidate first = all.front();
  auto costOf = [&](const TuneCandidate &candidate) {
    double loops = first.loopClocks > 0 ? first.predicted * candidate.loopClocks / first.loopClocks : 0;
    return std::max(candidate.predicted, loops);
  };
  std::stable_sort(all.begin() + 1, all.end(),
                   [&](const TuneCandidate &a, const TuneCandidate &b) { return costOf(a) < costOf(b); });
  if (all.size() > options.candidates)
    all.resize(options.candidates);
  return all;
}

/// The arguments' sizes; a timing needs no values.
llvm::Expected<std::vector<PreparedLaunch>> Tuning::launch() {
  RunOptions run;
  run.world = 1;
  run.extents = options.pipeline.extents;
  auto oracle = createOracle(program, run, /*countsOnly=*/true);
  if (failed(oracle))
    return createStringError("the sizes of the arguments are not known");
  PreparedLaunch launch;
  for (int64_t value : modelledExtents(program, options.pipeline.extents))
    launch.extents.push_back(value);
  if (failed((*oracle)->begin(launch.extents)))
    return createStringError("the sizes of the arguments are not known");
  for (unsigned i = 0; i < (*oracle)->getNumArguments(); ++i)
    launch.layouts.push_back(ArgumentLayout::of(program, i, 1, launch.extents, (*oracle)->argument(0, i)));
  return std::vector<PreparedLaunch>{launch};
}

/// False where a candidate does not compile.
llvm::Expected<bool> Tuning::writeCandidate(const std::string &folder, const TuneCandidate &candidate,
                                            ArrayRef<PreparedLaunch> launches) {
  OwningOpRef<ModuleOp> compiled = module.clone();
  FailureOr<std::vector<Outputs>> outputs = failure();
  {
    ScopedDiagnosticHandler silent(module.getContext(), [](Diagnostic &) { return success(); });
    const Options chosen = withChoices(*compiled->getOps<tile::ProgramOp>().begin(), options, candidate.choices);
    if (failed(runStages(*compiled, chosen, "", text)) || failed(outputs = makeOutputs(*compiled, chosen, text)))
      return false;
  }
  const std::string made = folder + ".text";
  if (failed(writeFiles(*outputs, made)))
    return createStringError("a candidate cannot be written");
  const std::string file = made + "/" + outputs->front().name;
  llvm::Error error =
      writeKitProgram(folder, {program, file + ".hip", file + ".json", launches, /*expected=*/false, std::nullopt});
  fs::remove_directories(made);
  if (error)
    return std::move(error);
  return true;
}

llvm::Error Tuning::write(StringRef folder, ArrayRef<TuneCandidate> candidates) {
  llvm::Expected<std::vector<PreparedLaunch>> launches = launch();
  if (!launches)
    return launches.takeError();
  fs::remove_directories(folder);
  json::Array written;
  for (const TuneCandidate &candidate : candidates) {
    const std::string name = "candidate-" + std::to_string(written.size());
    llvm::Expected<bool> compiles = writeCandidate((folder + "/" + name).str(), candidate, *launches);
    if (!compiles)
      return compiles.takeError();
    if (*compiles)
      written.push_back(json::Object{{"candidate", name},
                                     {"parameters", json::Array(candidate.choices.parameters)},
                                     {"order", candidate.choices.order},
                                     {"schedule", candidate.choices.schedule},
                                     {"predicted", candidate.predicted}});
  }
  const TunedKey key = TunedKey::of(program, target.name, options.pipeline.extents);
  std::error_code error;
  llvm::ToolOutputFile file((folder + "/candidates.json").str(), error, fs::OF_Text);
  if (error)
    return createStringError("cannot write '" + folder + "/candidates.json': " + error.message());
  file.os() << llvm::formatv("{0:2}\n", json::Value(json::Object{{"program", key.program},
                                                                 {"source", key.source},
                                                                 {"compiler", key.compiler},
                                                                 {"target", key.target},
                                                                 {"extents", json::Array(key.extents)},
                                                                 {"candidates", std::move(written)}}));
  file.keep();
  return llvm::Error::success();
}

// --- Times

namespace {

struct WrittenCandidate {
  std::string name;
  TunedChoices choices;
  double predicted = 0;
};
struct MeasuredTime {
  std::string name, failure;
  double microseconds = 0; ///< the median of the rounds
  double least = 0, greatest = 0;
};

bool fromJSON(const json::Value &value, WrittenCandidate &candidate, json::Path path) {
  json::ObjectMapper map(value, path);
  return map && map.map("candidate", candidate.name) && map.map("parameters", candidate.choices.parameters) &&
         map.map("order", candidate.choices.order) && map.mapOptional("schedule", candidate.choices.schedule) &&
         map.map("predicted", candidate.predicted);
}
bool fromJSON(const json::Value &value, MeasuredTime &time, json::Path path) {
  json::ObjectMapper map(value, path);
  return map && map.map("candidate", time.name) && map.mapOptional("failure", time.failure) &&
         map.mapOptional("microseconds", time.microseconds) && map.mapOptional("least", time.least) &&
         map.mapOptional("greatest", time.greatest);
}

} // namespace

static llvm::Expected<json::Value> readJson(const Twine &path) {
  auto content = llvm::MemoryBuffer::getFile(path);
  if (!content)
    return createStringError("cannot read '" + path + "': " + content.getError().message());
  return json::parse((*content)->getBuffer());
}

/// Whether a candidate is fastest so far. What the compiler chooses itself gives way to one alone that was faster in
/// each round than it was in any: rounds differ by some percent where a device is at its limit of power.
static bool isFastest(const MeasuredTime &time, const TunedEntry &entry, double leastOfChosen) {
  if (entry.candidates == 1)
    return true;
  return time.microseconds < entry.microseconds && (leastOfChosen == 0 || time.greatest < leastOfChosen);
}

/// The fastest of a folder's candidates; prints all. A candidate that failed on the device is no choice.
static llvm::Expected<TunedEntry> readTimes(StringRef folder) {
  llvm::Expected<json::Value> written = readJson(folder + "/candidates.json");
  if (!written)
    return written.takeError();
  llvm::Expected<json::Value> measured = readJson(folder + "/times.json");
  if (!measured)
    return measured.takeError();
  TunedEntry entry;
  std::vector<WrittenCandidate> candidates;
  std::vector<MeasuredTime> times;
  json::Path::Root root("tune");
  json::ObjectMapper key(*written, root), what(*measured, root);
  if (!key || !key.map("program", entry.key.program) || !key.map("source", entry.key.source) ||
      !key.map("compiler", entry.key.compiler) || !key.map("target", entry.key.target) ||
      !key.map("extents", entry.key.extents) || !key.map("candidates", candidates) || !what ||
      !what.map("device", entry.device) || !what.map("times", times))
    return createStringError("'" + folder + "' holds no times of candidates: " + llvm::toString(root.getError()));
  llvm::outs() << entry.key.program << " " << spell(entry.key.extents) << " on " << entry.device << "\n";
  double leastOfChosen = 0;
  for (const MeasuredTime &time : times) {
    auto candidate = llvm::find_if(candidates, [&](const WrittenCandidate &c) { return c.name == time.name; });
    if (candidate == candidates.end())
      return createStringError("'" + folder + "' has a time of '" + time.name + "', which is no candidate");
    llvm::outs() << "  " << llvm::left_justify(spell(candidate->choices.parameters), 32) << " "
                 << llvm::left_justify(candidate->choices.order, 12)
                 << llvm::left_justify(candidate->choices.schedule, 14);
    if (!time.failure.empty()) {
      llvm::outs() << "failed: " << time.failure << "\n";
      continue;
    }
    llvm::outs() << llvm::format("%10.1f us, predicted %10.1f us\n", time.microseconds, candidate->predicted);
    ++entry.candidates;
    if (candidate == candidates.begin()) {
      entry.chosen = time.microseconds;
      leastOfChosen = time.least;
    }
    if (!isFastest(time, entry, leastOfChosen))
      continue;
    entry.microseconds = time.microseconds;
    entry.choices = candidate->choices;
  }
  if (!entry.candidates)
    return createStringError("no candidate of '" + folder + "' ran");
  return entry;
}

static int fail(llvm::Error error) {
  llvm::WithColor::error(llvm::errs(), "tilec") << llvm::toString(std::move(error)) << "\n";
  return 1;
}

/// Reads the times of every program of a kit.
static int collect(const Options &options) {
  std::vector<TunedEntry> entries;
  std::error_code error;
  std::vector<std::string> folders;
  for (fs::directory_iterator it(options.tuneFrom + "/tune", error), end; it != end && !error; it.increment(error))
    folders.push_back(it->path());
  if (error)
    return fail(createStringError("cannot read '" + options.tuneFrom + "/tune': " + error.message()));
  llvm::sort(folders);
  for (const std::string &folder : folders) {
    llvm::Expected<TunedEntry> entry = readTimes(folder);
    if (!entry)
      return fail(entry.takeError());
    entries.push_back(*entry);
  }
  if (llvm::Error failed = mergeTuned(options.tuned, entries))
    return fail(std::move(failed));
  return 0;
}

/// Builds and times here.
static int timeHere(Tuning &tuning, ArrayRef<TuneCandidate> candidates, const Options &options) {
  llvm::Expected<std::string> kit = ownKit();
  if (!kit)
    return fail(kit.takeError());
  SmallString<128> own;
  if (std::error_code error = fs::createUniqueDirectory("tilec-tune", own))
    return fail(createStringError("cannot make a temporary folder: " + error.message()));
  llvm::Error failed = tuning.write(own, candidates);
  if (!failed) {
    llvm::Expected<int> status = runKit(*kit, {"--tune", own.str().str()});
    if (!status)
      failed = status.takeError();
    else if (*status != 0)
      failed = createStringError("the candidates could not be timed");
  }
  llvm::Expected<TunedEntry> entry = failed ? llvm::Expected<TunedEntry>(std::move(failed)) : readTimes(own);
  fs::remove_directories(own);
  if (!entry)
    return fail(entry.takeError());
  if (llvm::Error error = mergeTuned(options.tuned, *entry))
    return fail(std::move(error));
  return 0;
}

static LogicalResult requireExtents(tile::ProgramOp program, const Options &options) {
  for (BlockArgument extent : program.getExtents()) {
    const std::string name = argumentName(extent);
    if (!valueOf(options.pipeline.extents, name))
      return program.emitError() << "extent '" << name << "' is not given: candidates are timed for --extent of all";
  }
  return success();
}

int tilec::tune(const Options &given) {
  if (!given.tuneFrom.empty())
    return collect(given);
  Input input(given);
  if (!input)
    return 1;
  Options options = given;
  options.pipeline.world = 1;
  tile::ProgramOp program = *input.get().getOps<tile::ProgramOp>().begin();
  FailureOr<Target> target = programTarget(program, options.pipeline.target);
  if (failed(target) || failed(requireExtents(program, options)))
    return 1;
  Tuning tuning(input.get(), options, input.text(), *target);
  std::vector<TuneCandidate> candidates = tuning.candidates();
  if (candidates.empty()) {
    // Says why.
    OwningOpRef<ModuleOp> trial = input.get().clone();
    (void)runStages(*trial, options, "order", input.text());
    return 1;
  }
  if (options.run.kit.empty())
    return timeHere(tuning, candidates, options);
  const std::string folder =
      options.run.kit + "/tune/" + kitLabel(program, options.pipeline.extents, options.pipeline.parameters);
  if (llvm::Error error = writeKit(options.run.kit))
    return fail(std::move(error));
  if (llvm::Error error = tuning.write(folder, candidates))
    return fail(std::move(error));
  llvm::outs() << "prepared: " << folder << "; on the machine with the GPU: sh run --tune, in " << options.run.kit
               << "; then here: tilec tune --from " << options.run.kit << " --tuned FILE\n";
  return 0;
}
