// Names, files and code of a package; the wheel is Python's.
#include "codegen/tilec/commands/Package.h"
#include "codegen/tilec/run/Kit.h"
#include "codegen/tilec/run/TextCache.h"
#include "passes/ProgramTarget.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/WithColor.h"

using namespace mlir;
using namespace tilec;

std::string tilec::variantLabel(tile::ProgramOp program, const Options &given) {
  std::string label = kitLabel(program, given.pipeline.extents, given.pipeline.parameters);
  if (given.pipeline.world > 1)
    label += "-world" + std::to_string(given.pipeline.world);
  for (const std::string &choice : {given.pattern, given.granularity})
    label += (choice.empty() ? "" : "-") + choice;
  for (StringRef pair : llvm::split(given.schedule, ','))
    if (auto [key, value] = pair.split('='); !key.empty())
      label += ("-" + key + value).str();
  return label;
}

static LogicalResult report(llvm::Error error) {
  if (!error)
    return success();
  llvm::WithColor::error(llvm::errs(), "tilec") << llvm::toString(std::move(error)) << "\n";
  return failure();
}

/// Puts the shared object for the emulator beside the text at `stem`.
static llvm::Error compileForEmulator(tile::ProgramOp program, const std::string &stem) {
  FailureOr<Target> target = programTarget(program, "");
  if (failed(target))
    return llvm::createStringError("the target of @" + program.getSymName() + " is not known");
  TextCompiler compiler = TextCompiler::configured();
  compiler.setWaveLanes(target->waveLanes);
  llvm::Expected<std::string> code = compileText(stem + ".hip", compiler);
  if (!code)
    return code.takeError();
  // A process may have the old one loaded: it is not written over.
  std::error_code error = llvm::sys::fs::copy_file(*code, stem + ".so.new");
  if (!error)
    error = llvm::sys::fs::rename(stem + ".so.new", stem + ".so");
  if (error)
    return llvm::createStringError("cannot write '" + stem + ".so': " + error.message());
  return llvm::Error::success();
}

/// The script's words are its own; what it returns is the command's status.
static llvm::Expected<int> makeWheel(StringRef folder) {
  llvm::ErrorOr<std::string> python = llvm::sys::findProgramByName("python3");
  if (!python)
    return llvm::createStringError("no 'python3', which makes the wheel");
  const std::string script = runtimeSources() + "/python/tilec/package.py";
  llvm::outs().flush();
  std::string message;
  const int status = llvm::sys::ExecuteAndWait(*python, {*python, script, folder}, std::nullopt, {}, 0, 0, &message);
  if (status < 0)
    return llvm::createStringError("cannot run '" + script + "': " + message);
  return status;
}

int tilec::package(ModuleOp module, ArrayRef<Outputs> outputs, const Options &options, const Options &given) {
  SmallVector<Outputs> variants(outputs);
  SmallVector<tile::ProgramOp> programs(module.getOps<tile::ProgramOp>());
  assert(variants.size() == programs.size());
  for (auto [variant, program] : llvm::zip(variants, programs))
    variant.name = variantLabel(program, given);
  if (failed(writeFiles(variants, options.package)))
    return 1;
  if (options.emulated)
    for (auto [variant, program] : llvm::zip(variants, programs))
      if (failed(report(compileForEmulator(program, options.package + "/" + variant.name))))
        return 1;
  llvm::Expected<int> status = makeWheel(options.package);
  return status ? *status : int(failed(report(status.takeError())));
}
