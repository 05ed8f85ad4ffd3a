// The compile half makes the text; the run half compares it with the oracle of the same source.
#include "codegen/tilec/commands/RunCommand.h"
#include "codegen/tilec/Compile.h"
#include "codegen/tilec/Input.h"
#include "codegen/tilec/run/DeviceRun.h"
#include "codegen/tilec/run/Run.h"
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

int tilec::run(const Options &given) {
  Input input(given);
  if (!input)
    return 1;
  Options options = given.run.device ? withoutRanks(input.get(), given) : withWorld(input.get(), given);
  if (given.run.device && !options.pipeline.world)
    options.pipeline.world = 1;
  tile::ProgramOp source = soleProgram(input.get());
  RunOptions running = options.run;
  running.world = options.pipeline.world;
  running.extents = options.pipeline.extents;
  running.parameters = options.pipeline.parameters;
  if (failed(checkRun(source, running)))
    return 1;
  // The oracle gets the source as it was written; the stages work on copies.
  OwningOpRef<ModuleOp> compiled = input.get().clone(), counted = input.get().clone();
  if (failed(runStages(*compiled, options, "", input.text())))
    return 1;
  FailureOr<std::vector<Outputs>> outputs = makeOutputs(*compiled, options, input.text());
  TemporaryFolder folder;
  if (failed(outputs) || failed(writeFiles(*outputs, folder.get())) ||
      failed(runStages(*counted, options, "waits", input.text())))
    return 1;
  running.handWritten = !running.text.empty();
  if (!running.handWritten)
    running.text = folder.file(outputs->front().name, ".hip");
  running.manifest = folder.file(outputs->front().name, ".json");
  running.kernelForm = soleProgram(*counted);
  running.proven = soleProgram(*compiled);
  FailureOr<Target> target = programTarget(running.proven, "");
  if (failed(target))
    return 1;
  running.machine.waveLanes = target->waveLanes;
  if (running.device && !StringRef(target->arch).starts_with("sm_")) {
    llvm::WithColor::error(llvm::errs(), "tilec")
        << "--device runs text for GPUs of NVIDIA, got --target " << target->name << "\n";
    return 1;
  }
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
  if (result != 0 || !options.outputGiven)
    return result;
  if (failed(writeFiles(*outputs, options.output)))
    return 1;
  llvm::outs() << "text: " << options.output << "/" << outputs->front().name << ".hip\n";
  return 0;
}
