// The compile half makes the text; the run half compares it with the oracle of the same source.
#include "codegen/tilec/commands/RunCommand.h"
#include "codegen/tilec/Compile.h"
#include "codegen/tilec/Input.h"
#include "codegen/tilec/Tuned.h"
#include "codegen/tilec/commands/Package.h"
#include "codegen/tilec/run/DeviceRun.h"
#include "codegen/tilec/run/Run.h"
#include "codegen/tilec/run/Timeline.h"
#include "passes/ProgramTarget.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/WithColor.h"

using namespace mlir;
using namespace tilec;

namespace {

/// A folder that disappears with the object: what the user named is written only after a run that was right.
class TemporaryFolder {
public:
  TemporaryFolder() {
    SmallString<128> made;
    if (!llvm::sys::fs::createUniqueDirectory("tilec-run", made))
      path = made.str().str();
  }
  ~TemporaryFolder() { llvm::sys::fs::remove_directories(path); }
  std::string file(const std::string &name, llvm::StringRef ending) const {
    SmallString<128> result(path);
    llvm::sys::path::append(result, name + ending);
    return result.str().str();
  }
  const std::string &get() const { return path; }

private:
  std::string path = ".";
};

} // namespace

/// Input has seen that there is one.
static tile::ProgramOp soleProgram(ModuleOp module) { return *module.getOps<tile::ProgramOp>().begin(); }

/// The options with what a run takes from the program and from the file of tuned choices.
static FailureOr<Options> optionsOfRun(Input &input, const Options &given) {
  FailureOr<Options> tuned = withTuned(input.get(), withTarget(input.get(), given));
  if (failed(tuned))
    return failure();
  Options options = given.run.device ? withoutRanks(input.get(), *tuned) : withWorld(input.get(), *tuned);
  if (given.run.device && !options.pipeline.world)
    options.pipeline.world = 1;
  options.run.world = options.pipeline.world;
  options.run.extents = options.pipeline.extents;
  options.run.parameters = options.pipeline.parameters;
  return options;
}

/// Of the machine: what the emulator takes from the target. Fails where the target has no such machine.
static LogicalResult takeTarget(RunOptions &running, tile::ProgramOp compiled) {
  FailureOr<Target> target = programTarget(compiled, "");
  if (failed(target))
    return failure();
  running.machine.waveLanes = target->waveLanes;
  running.machine.oneCache = target->chiplets == 1;
  running.machine.chiplets = static_cast<int>(target->chiplets);
  running.machine.ldsBytes = static_cast<int>(target->lds.bytes);
  if (running.device && target->compiler != DeviceCompiler::Nvcc) {
    llvm::WithColor::error(llvm::errs(), "tilec")
        << "--device runs text for GPUs of NVIDIA, got --target " << target->name << "\n";
    return failure();
  }
  return success();
}

/// The oracle rounds where the text does: tiles that are stored and read again, running maxima of blocks.
static void takeParameters(RunOptions &running, tile::ProgramOp compiled) {
  if (DictionaryAttr chosen = compiled.getParametersAttr())
    running.parameters = bindingsOf(chosen);
}

/// Stops at the first seed whose run fails.
static int runSeeds(tile::ProgramOp source, RunOptions running, const Options &options) {
  int result = 0;
  for (uint64_t i = 0; i < options.seeds && result == 0; ++i) {
    running.seed = options.run.seed + i;
    running.machine.orderSeed = options.run.machine.orderSeed ? running.seed : 0;
    running.repeat = options.words + " --seed " + std::to_string(running.seed);
    if (options.seeds > 1)
      llvm::outs() << "seed " << running.seed << "\n";
    result = static_cast<int>(running.device ? runOnDevice(source, running, llvm::outs())
                                             : runProgram(source, running, llvm::outs()));
  }
  return result;
}

/// The manifest of a text that was made for all extents, and is run with some that are given.
static FailureOr<std::string> manifestOfAllExtents(Input &input, const Options &given, const std::string &folder) {
  Options options = given;
  options.pipeline.extents.clear();
  // What there is to say has been said of the program with its extents.
  ScopedDiagnosticHandler silent(input.get().getContext(), [](Diagnostic &) { return success(); });
  OwningOpRef<ModuleOp> compiled = input.get().clone();
  if (failed(runStages(*compiled, options, "", input.text())))
    return failure();
  FailureOr<std::vector<Outputs>> outputs = makeOutputs(*compiled, options, input.text());
  if (failed(outputs) || failed(writeFiles(*outputs, folder)))
    return failure();
  return folder + "/" + outputs->front().name + ".json";
}

/// The timeline of what the last seed's launches recorded.
static LogicalResult traceRun(const Options &options, const RunOptions &running) {
  std::vector<std::string> ranks;
  for (int64_t rank = 0;; ++rank) {
    std::string file = running.traces + "/" + std::to_string(rank) + ".json";
    if (!llvm::sys::fs::exists(file))
      break;
    ranks.push_back(file);
  }
  // A run that did not begin has said why.
  return ranks.empty() ? success() : writeTimeline(ranks, options.timeline);
}

int tilec::run(const Options &given) {
  Input input(given);
  if (!input)
    return 1;
  FailureOr<Options> options = optionsOfRun(input, given);
  if (failed(options))
    return 1;
  tile::ProgramOp source = soleProgram(input.get());
  RunOptions running = options->run;
  if (failed(checkRun(source, running)))
    return 1;
  // The oracle gets the source as it was written; the stages work on copies.
  OwningOpRef<ModuleOp> compiled = input.get().clone(), counted = input.get().clone();
  if (failed(runStages(*compiled, *options, "", input.text())))
    return 1;
  FailureOr<std::vector<Outputs>> outputs = makeOutputs(*compiled, *options, input.text());
  TemporaryFolder folder;
  if (failed(outputs) || failed(writeFiles(*outputs, folder.get())) ||
      failed(runStages(*counted, *options, "waits", input.text())))
    return 1;
  running.label = variantLabel(source, given);
  running.handWritten = !running.text.empty();
  if (!running.handWritten)
    running.text = folder.file(outputs->front().name, ".hip");
  else if (!options->pipeline.extents.empty())
    running.otherManifest = [&] { return manifestOfAllExtents(input, *options, folder.get() + "/all"); };
  running.manifest = folder.file(outputs->front().name, ".json");
  running.kernelForm = soleProgram(*counted);
  takeParameters(running, soleProgram(*compiled));
  if (failed(takeTarget(running, soleProgram(*compiled))))
    return 1;
  if (!options->timeline.empty())
    running.traces = folder.get();
  int result = runSeeds(source, running, *options);
  if (!options->timeline.empty() && failed(traceRun(*options, running)))
    return 1;
  if (result != 0 || !options->outputGiven)
    return result;
  if (failed(writeFiles(*outputs, options->output)))
    return 1;
  llvm::outs() << "text: " << options->output << "/" << outputs->front().name << ".hip\n";
  return 0;
}
