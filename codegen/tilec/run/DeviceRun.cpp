// From a program to a kit, and from a kit to a verdict.
#include "codegen/tilec/run/DeviceRun.h"
#include "codegen/tilec/run/Kit.h"
#include "codegen/tilec/run/Outcomes.h"
#include "codegen/tilec/run/PlannedRun.h"
#include "codegen/tilec/run/Undetermined.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Program.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

llvm::Expected<int> tilec::runKit(StringRef kit, ArrayRef<std::string> words) {
  llvm::ErrorOr<std::string> shell = llvm::sys::findProgramByName("sh");
  if (!shell)
    return llvm::createStringError("no shell 'sh'");
  const std::string script = (kit + "/run").str();
  std::vector<StringRef> command{*shell, script};
  command.insert(command.end(), words.begin(), words.end());
  // What was printed comes before what the script prints.
  llvm::outs().flush();
  std::string message;
  const int status = llvm::sys::ExecuteAndWait(*shell, command, std::nullopt, {}, 0, 0, &message);
  if (status < 0)
    return llvm::createStringError("cannot run '" + script + "': " + message);
  return status;
}

llvm::Expected<std::string> tilec::ownKit() {
  llvm::Expected<std::string> cache = cacheDirectory();
  if (!cache)
    return cache.takeError();
  const std::string kit = *cache + "/kit";
  if (llvm::Error error = writeKit(kit))
    return std::move(error);
  return kit;
}

static Verdict fail(ProgramOp program, llvm::Error error) {
  program.emitError() << llvm::toString(std::move(error));
  return Verdict::Wrong;
}

/// A status of tilec-runner, or of a script that did not come so far.
static Verdict verdictOf(int status) {
  return status == static_cast<int>(Verdict::Right)     ? Verdict::Right
         : status == static_cast<int>(Verdict::TooWeak) ? Verdict::TooWeak
                                                        : Verdict::Wrong;
}

/// Whether the runner keeps what launches leave, so that the oracle can follow it.
static bool keepsOutcomes(const RunOptions &options, ArrayRef<PreparedLaunch> launches) {
  return !options.tolerance &&
         llvm::any_of(launches, [](const PreparedLaunch &launch) { return !launch.scratch.empty(); });
}

Verdict tilec::runOnDevice(ProgramOp program, const RunOptions &options, llvm::raw_ostream &stream) {
  auto planned = planRun(program, options);
  if (failed(planned))
    return Verdict::Wrong;
  planned->printChosen(stream);
  auto launches = prepareLaunches(*planned->oracle, planned->plan, options.inputs, options.seed);
  if (failed(launches))
    return Verdict::Wrong;
  if (!isComparable(*launches))
    return Verdict::NotComparable;
  if (reportUndetermined(program, *launches))
    return Verdict::Undetermined;
  const KitProgram written{program, options.text, options.manifest, *launches, /*expected=*/true, options.tolerance};
  const int64_t world = planned->oracle->getWorld();
  if (!options.judged.empty() && world > 1) {
    program.emitError() << "--judge follows the outcomes of a world of one, got world " << world;
    return Verdict::Wrong;
  }
  if (!options.judged.empty())
    return judgeOutcomes(*planned->oracle, *launches, options.judged + "/programs/" + options.label, stream);
  if (!options.kit.empty()) {
    const std::string folder = options.kit + "/programs/" + options.label;
    if (llvm::Error error = writeKit(options.kit))
      return fail(program, std::move(error));
    if (llvm::Error error = writeKitProgram(folder, written))
      return fail(program, std::move(error));
    stream << "prepared: " << folder << "; on the machine with the GPU: sh run, in " << options.kit << "\n";
    return Verdict::Right;
  }
  llvm::Expected<std::string> kit = ownKit();
  if (!kit)
    return fail(program, kit.takeError());
  SmallString<128> own;
  if (std::error_code error = llvm::sys::fs::createUniqueDirectory("tilec-device", own))
    return fail(program, llvm::createStringError("cannot make a temporary folder: " + error.message()));
  const std::string folder = (own + "/" + options.label).str();
  llvm::Error failed = writeKitProgram(folder, written);
  llvm::Expected<int> status = failed ? llvm::Expected<int>(std::move(failed))
                                      : runKit(*kit, {"--relaunches", std::to_string(options.relaunches), "--deadline",
                                                      std::to_string(options.deadline), folder});
  Verdict followed = Verdict::Wrong;
  const bool follow = status && verdictOf(*status) != Verdict::Wrong && world == 1 && keepsOutcomes(options, *launches);
  if (follow)
    followed = judgeOutcomes(*planned->oracle, *launches, folder, stream);
  llvm::sys::fs::remove_directories(own);
  if (follow)
    return followed;
  return status ? verdictOf(*status) : fail(program, status.takeError());
}
