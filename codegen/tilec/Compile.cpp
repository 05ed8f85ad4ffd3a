// Program to stages to files. Files are written beside their places and renamed when every one of them is there.
#include "codegen/tilec/Compile.h"
#include "codegen/HipPrinter.h"
#include "codegen/Manifest.h"
#include "codegen/tilec/Input.h"
#include "codegen/tilec/KernelForm.h"
#include "codegen/tilec/Tuned.h"
#include "codegen/tilec/commands/Package.h"
#include "codegen/tilec/run/LaunchPlan.h"
#include "dialect/Deferred.h"
#include "dialect/HeldTile.h"
#include "dialect/Suggestion.h"
#include "passes/choose/FitTiles.h"
#include "passes/choose/OwnWorkgroups.h"
#include "passes/choose/RowTiles.h"

#include "mlir/IR/IntegerSet.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/WithColor.h"

using namespace mlir;
using namespace tilec;

static LogicalResult userError(const Twine &message) {
  llvm::WithColor::error(llvm::errs(), "tilec") << message << "\n";
  return failure();
}

/// What `--from` takes besides the stages: nothing runs, the text is printed.
static constexpr StringLiteral kPrint = "print";

static LogicalResult requireStage(StringRef name, bool orPrint = false) {
  SmallVector<StringRef> names;
  for (const PipelineStage &stage : getStages())
    names.push_back(stage.name);
  if (orPrint)
    names.push_back(kPrint);
  if (llvm::is_contained(names, name))
    return success();
  return userError("unknown stage '" + name + "', expected " + listNames(names) + didYouMean(name, names));
}

/// Whether the first is the second or stands before it. `print` is behind all of them.
static bool isUpTo(StringRef first, StringRef second) {
  auto number = [](StringRef name) {
    return llvm::find_if(getStages(), [&](const PipelineStage &stage) { return stage.name == name; });
  };
  return number(first) <= number(second);
}

/// `--until` of a stage before `--from` would print the program as it came.
static LogicalResult requireOrder(StringRef from, StringRef until) {
  if (from.empty() || until.empty() || isUpTo(from, until))
    return success();
  return userError("--until=" + until + " stops before --from=" + from + " begins: no stage would run");
}

/// The program that crashed the compiler, and how to see it again.
static void writeReproducer(const Options &options, StringRef source) {
  std::error_code error;
  llvm::raw_fd_ostream file("tilec-crash.mlir", error);
  if (error)
    return;
  file << "// tilec crashed on this program: --target " << options.pipeline.target << " --world "
       << options.pipeline.world;
  for (auto [option, value] : {std::pair("pattern", StringRef(options.pattern)),
                               {"granularity", options.granularity},
                               {"order", options.order},
                               {"schedule", options.schedule}})
    if (!value.empty())
      file << " --" << option << " " << value;
  for (const Binding &parameter : options.pipeline.parameters)
    file << " --param " << parameter;
  for (const Binding &extent : options.pipeline.extents)
    file << " --extent " << extent;
  file << "\n" << source;
  llvm::WithColor::note(llvm::errs(), "tilec") << "the program is in tilec-crash.mlir; please report it\n";
}

namespace {

/// Keeps the text of what `verify` has accepted: later stages rewrite the program in place.
class KeepKernelForms : public PassInstrumentation {
public:
  KeepKernelForms(KernelForms &forms, StringRef target) : forms(forms), target(target) {}
  void runAfterPass(Pass *pass, Operation *op) override {
    auto program = dyn_cast<tile::ProgramOp>(op);
    if (program && pass->getArgument() == "tile-verify")
      forms[program.getSymName()] = printKernelForm(program, target);
  }

private:
  KernelForms &forms;
  StringRef target;
};

} // namespace

/// Programs in whose text something waits or signals, or that are written as kernels: their author ordered them, and
/// `waits` adds nothing. Looked for before any pass runs, and what the text says of it does not count.
static void markByHand(ModuleOp module) {
  for (auto program : module.getOps<tile::ProgramOp>()) {
    bool byHand = program
                      .walk([](Operation *op) {
                        return isa<tile::WaitOp, tile::SignalOp, tile::ArriveOp, tile::KernelOp>(op)
                                   ? WalkResult::interrupt()
                                   : WalkResult::advance();
                      })
                      .wasInterrupted();
    tile::TileDialect::ByHandAttrHelper mark(module.getContext());
    program->removeDiscardableAttr(mark.getName());
    if (byHand)
      mark.setAttr(program, UnitAttr::get(module.getContext()));
  }
}

bool tilec::isUnproven(tile::ProgramOp program) {
  return program.getVerifiedAttr() && program.getVerifiedAttr().getSamples().empty();
}

LogicalResult tilec::requireProofs(ArrayRef<tile::ProgramOp> unproven) {
  for (tile::ProgramOp program : unproven)
    program.emitError() << "not verified: no sample of the extents could be checked; --no-verify compiles it without "
                           "a proof";
  return success(unproven.empty());
}

/// A number of workgroups that was proven for some extents says nothing of others.
static bool needsResidency(tile::ProgramOp program) {
  bool needs = false;
  program.walk([&](tile::KernelOp kernel) { needs |= kernel.getResident().has_value(); });
  program.walk([&](hip::KernelOp kernel) { needs |= kernel.getResident().has_value(); });
  return needs;
}

/// `with M=200; M=40; ...`
static std::string verifiedLaunches(tile::ProgramOp program) {
  constexpr size_t mostListed = 4;
  tile::VerifiedAttr verified = program.getVerifiedAttr();
  SmallVector<std::string> launches;
  for (DenseI64ArrayAttr sample : verified.getSamples().take_front(mostListed)) {
    SmallVector<std::string> values;
    for (auto [extent, value] : llvm::zip(program.getExtents(), sample.asArrayRef()))
      if (!llvm::is_contained(verified.getAny(), extent.getArgNumber()))
        values.push_back(argumentName(extent) + "=" + std::to_string(value));
    if (values.empty())
      return ""; // there are no other launches
    launches.push_back(llvm::join(values, ", "));
  }
  if (verified.getSamples().size() > mostListed)
    launches.push_back("...");
  return launches.empty() ? "" : "with " + llvm::join(launches, "; ");
}

std::string tilec::launchLimits(tile::ProgramOp program) {
  SmallVector<std::string> greatest;
  tile::VerifiedAttr verified = program.getVerifiedAttr();
  if (verified && needsResidency(program))
    return verifiedLaunches(program);
  if (verified)
    for (auto [extent, limit] : llvm::zip(program.getExtents(), verified.getLimits()))
      if (limit >= 0)
        greatest.push_back(argumentName(extent) + "=" + std::to_string(limit));
  return greatest.empty() ? "" : "up to " + llvm::join(greatest, ", ");
}

/// What `verify` says of them, too: nobody should learn of a limit from the launch that it refuses.
static void noteLimits(ModuleOp module) {
  for (auto program : module.getOps<tile::ProgramOp>())
    if (std::string limits = launchLimits(program); !limits.empty())
      llvm::WithColor::note(llvm::errs(), "tilec")
          << "@" << program.getSymName() << " takes launches " << limits
          << " alone: beyond its samples it is not proven; --extent NAME=VALUE proves it for another value\n";
}

static void forgetProgress(ModuleOp module) {
  auto forget = [](auto kernel) {
    kernel.removeProgressAttr();
    kernel.removeResidentAttr();
  };
  module.walk([&](tile::KernelOp kernel) { forget(kernel); });
  module.walk([&](hip::KernelOp kernel) { forget(kernel); });
}

/// A program's own words are no proof.
static void forgetClaims(ModuleOp module) {
  for (auto program : module.getOps<tile::ProgramOp>())
    program.removeVerifiedAttr();
  forgetProgress(module);
}

static LogicalResult runPasses(ModuleOp module, const Options &options, StringRef from, StringRef until,
                               StringRef source, KernelForms *forms) {
  PassManager manager(module.getContext());
  if (failed(applyPassManagerCLOptions(manager)))
    return failure();
  if (options.timing)
    manager.enableTiming();
  if (forms)
    manager.addInstrumentation(std::make_unique<KeepKernelForms>(*forms, options.pipeline.target));
  if (failed(buildPipeline(manager, options.pipeline, until, from)))
    return requireStage(until);
  llvm::CrashRecoveryContext::Enable();
  llvm::CrashRecoveryContext recovery;
  LogicalResult result = failure();
  if (recovery.RunSafely([&] { result = manager.run(module); }))
    return result;
  (void)userError("a pass crashed");
  writeReproducer(options, source);
  return failure();
}

/// A pattern is given where some loop or collective stands outside kernels, for which it can be chosen.
static LogicalResult requireStatements(tile::ProgramOp program, StringRef pattern) {
  auto kernels = program.getBody().getOps<tile::KernelOp>();
  bool open = llvm::any_of(program.getBody().front(), [](Operation &op) {
    return !isa<tile::KernelOp, tile::SignalsOp, tile::AllocOp>(op) && op.getNumResults() == 0 &&
           !op.hasTrait<OpTrait::IsTerminator>();
  });
  if (pattern.empty() || kernels.empty() || open)
    return success();
  InFlightDiagnostic diagnostic = program.emitError()
                                  << "pattern '" << pattern << "' given for a program in kernel form";
  diagnostic.attachNote((*kernels.begin()).getLoc()) << "its author chose the pattern here";
  return diagnostic;
}

LogicalResult tilec::runStages(ModuleOp module, const Options &options, StringRef until, StringRef source,
                               KernelForms *forms) {
  for (auto program : module.getOps<tile::ProgramOp>()) {
    if (failed(requireStatements(program, options.pattern)))
      return failure();
    chooseOwnWorkgroups(program, options.pipeline);
    chooseRowTiles(program, options.pipeline);
    fitTiles(program, options.pipeline);
  }
  forgetClaims(module);
  markByHand(module);
  return runPasses(module, options, "", until, source, forms);
}

LogicalResult tilec::runLaterStages(ModuleOp module, const Options &options, StringRef source, KernelForms *forms) {
  forgetClaims(module);
  return runPasses(module, options, "verify", "", source, forms);
}

LogicalResult tilec::runStagesAfterVerify(ModuleOp module, const Options &options, StringRef source) {
  return runPasses(module, options, "partition", "", source, nullptr);
}

/// Layouts that the program brings along are those of their tiles, as passes assume of what `layout` has made.
static LogicalResult requireLayouts(ModuleOp module) {
  auto isRight = [](Operation *op, Type type) {
    auto tile = dyn_cast<RankedTensorType>(type);
    return !tile || !isa_and_nonnull<tile::LayoutAttr>(tile.getEncoding()) || succeeded(hip::verifyHeld(op, tile));
  };
  WalkResult result = module.walk([&](Operation *op) {
    bool isWrong = llvm::any_of(op->getResultTypes(), [&](Type type) { return !isRight(op, type); });
    for (Region &region : op->getRegions())
      for (Type type : region.getArgumentTypes())
        isWrong = isWrong || !isRight(op, type);
    return isWrong ? WalkResult::interrupt() : WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

/// Whether the text has a variable for an operation, however it is used.
static bool hasVariable(Operation *op) {
  return isa<hip::HoldOp, hip::FullOp, hip::EmptyOp, hip::TicketsOp, hip::TellingOp, hip::DeferredOp,
             hip::ElementwiseOp>(op) ||
         (isa<scf::IfOp>(op) && op->getNumResults() > 0);
}

/// Names are given by `prepare`, and the printer writes what it finds.
static LogicalResult requireNames(ModuleOp module) {
  WalkResult result = module.walk([](Operation *op) {
    if (!hasVariable(op) || !op->getParentOfType<hip::KernelOp>() || op->hasAttr(hip::HipDialect::nameAttr))
      return WalkResult::advance();
    op->emitOpError() << "has no name for its variable, expected '" << hip::HipDialect::nameAttr
                      << "', which the stage 'prepare' gives";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

/// Behind `verify` only `check` looks at waits and signals, in launches with the samples that the program notes.
static LogicalResult requireSamples(ModuleOp module, const Options &options) {
  if (options.from == kPrint)
    return userError("--from=print checks nothing: --from=check does, --no-verify prints the text without a proof");
  const bool isChecked = options.until.empty() || isUpTo("check", options.until);
  for (auto program : module.getOps<tile::ProgramOp>())
    if (isChecked && (!program.getVerifiedAttr() || isUnproven(program)))
      return program.emitError() << "not verified: the program notes no samples of its extents ('verified') in which "
                                    "its waits could be checked; --no-verify goes on without a proof";
  return success();
}

/// A program of `--until`, perhaps edited, from its next stage on. What earlier stages have proved of it is forgotten;
/// the samples are kept as those to check, where `verify` does not choose them anew.
static LogicalResult runStagesFrom(ModuleOp module, const Options &options, StringRef source) {
  for (auto program : module.getOps<tile::ProgramOp>())
    if (options.worldGiven && failed(program.requireWorld(options.pipeline.world)))
      return failure();
  if (isUpTo(options.from, "verify") || !options.pipeline.verify)
    forgetClaims(module);
  else if (failed(requireSamples(module, options)))
    return failure();
  forgetProgress(module);
  if (failed(requireLayouts(module)) || (isUpTo("check", options.from) && failed(requireNames(module))))
    return failure();
  if (options.from == kPrint)
    return success();
  return runPasses(module, options, options.from, options.until, source, nullptr);
}

/// The text of such a program, without the manifest that says what was proved.
static int printText(ModuleOp module, const Options &options) {
  HipPrinterOptions printing{llvm::sys::path::filename(options.input).str(), options.pipeline.target, options.locations,
                             /*facts=*/""};
  for (auto program : module.getOps<tile::ProgramOp>()) {
    if (program.getBody().getOps<hip::KernelOp>().empty()) {
      program.emitOpError() << "has no 'hip.kernel', expected what --until=prepare prints";
      return 1;
    }
    FailureOr<std::string> facts = hashOfFacts(program, options.pipeline.target);
    if (failed(facts))
      return 1;
    printing.facts = *facts;
    FailureOr<std::string> hip = printHip(program, printing);
    if (failed(hip))
      return 1;
    llvm::outs() << *hip;
  }
  return 0;
}

FailureOr<std::vector<Outputs>> tilec::makeOutputs(ModuleOp module, const Options &options, StringRef source,
                                                   const KernelForms &forms) {
  std::vector<Outputs> all;
  HipPrinterOptions printing{llvm::sys::path::filename(options.input).str(), options.pipeline.target, options.locations,
                             /*facts=*/""};
  for (auto program : module.getOps<tile::ProgramOp>()) {
    FailureOr<std::string> facts = hashOfFacts(program, options.pipeline.target);
    if (failed(facts))
      return failure();
    printing.facts = *facts;
    FailureOr<std::string> hip = printHip(program, printing);
    if (failed(hip))
      return failure();
    FailureOr<std::string> manifest =
        writeManifest(program, {options.pipeline.target, printing.source, options.locations, source.str(), *hip,
                                forms.lookup(program.getSymName())});
    FailureOr<std::string> header = writeHeader(program, printing.source);
    if (failed(manifest) || failed(header))
      return failure();
    all.push_back({program.getSymName().str(), *hip, *header, *manifest});
  }
  return all;
}

Options tilec::withWorld(ModuleOp module, const Options &options) {
  Options result = options;
  auto programs = module.getOps<tile::ProgramOp>();
  if (!options.pipeline.world && llvm::any_of(programs, [](tile::ProgramOp program) { return !program.getWorld(); }))
    result.pipeline.world = 2;
  return result;
}

static bool namesRank(Operation *op) {
  if (isa<tile::RankOp, tile::WorldSizeOp, tile::SignalsOp, tile::CollectiveOpInterface>(op))
    return true;
  auto access = dyn_cast<tile::AccessOpInterface>(op);
  if (access && access.getAccessRank())
    return true;
  // Symbol 0 of the language's expressions is W.
  auto isOfWorld = [](AffineExpr expression) { return expression.isFunctionOfSymbol(0); };
  return op->getName().getDialectNamespace() == tile::TileDialect::getDialectNamespace() &&
         op->getAttrDictionary()
             .walk([&](Attribute attribute) {
               auto map = dyn_cast<AffineMapAttr>(attribute);
               auto conditions = dyn_cast<IntegerSetAttr>(attribute);
               bool isNamed = (map && llvm::any_of(map.getValue().getResults(), isOfWorld)) ||
                              (conditions && llvm::any_of(conditions.getValue().getConstraints(), isOfWorld));
               return isNamed ? WalkResult::interrupt() : WalkResult::advance();
             })
             .wasInterrupted();
}

Options tilec::withoutRanks(ModuleOp module, const Options &options) {
  Options result = options;
  bool named =
      module
          .walk([](Operation *op) {
            auto program = dyn_cast<tile::ProgramOp>(op);
            return (program && program.getWorld()) || namesRank(op) ? WalkResult::interrupt() : WalkResult::advance();
          })
          .wasInterrupted();
  if (!options.pipeline.world && !named)
    result.pipeline.world = 1;
  return result;
}

LogicalResult tilec::writeFiles(ArrayRef<Outputs> outputs, StringRef folder) {
  // The umask takes from these, as from what other programs make.
  if (std::error_code error =
          llvm::sys::fs::create_directories(folder, /*IgnoreExisting=*/true, llvm::sys::fs::all_all)) {
    (void)userError("cannot make '" + folder + "': " + error.message());
    for (const Outputs &output : outputs)
      llvm::WithColor::note(llvm::errs(), "tilec")
          << "the output '" << output.name << ".hip', with its .h and .json, was to "
          << "be written there; -o names another folder\n";
    return failure();
  }
  std::vector<std::pair<llvm::sys::fs::TempFile, std::string>> files;
  LogicalResult result = success();
  for (const Outputs &output : outputs) {
    for (auto [ending, content] :
         {std::pair(".hip", &output.hip), {".h", &output.header}, {".json", &output.manifest}}) {
      SmallString<128> path(folder);
      llvm::sys::path::append(path, output.name + ending);
      if (llvm::sys::fs::is_directory(path)) {
        result = userError("cannot write '" + path + "': it is a folder");
        break;
      }
      auto file = llvm::sys::fs::TempFile::create(path + "-%%%%%%", llvm::sys::fs::all_read | llvm::sys::fs::all_write);
      if (!file) {
        result = userError("cannot write '" + path + "': " + llvm::toString(file.takeError()));
        break;
      }
      llvm::raw_fd_ostream stream(file->FD, /*shouldClose=*/false);
      stream << *content;
      stream.flush();
      if (stream.has_error()) {
        result = userError("cannot write '" + path + "': " + stream.error().message());
        stream.clear_error();
      }
      files.emplace_back(std::move(*file), path.str().str());
    }
  }
  for (auto &[file, path] : files)
    if (llvm::Error error = succeeded(result) ? file.keep(path) : file.discard())
      result = userError("cannot write '" + path + "': " + llvm::toString(std::move(error)));
  return result;
}

static void printModule(ModuleOp module) {
  module->print(llvm::outs(), OpPrintingFlags().printNameLocAsPrefix());
  llvm::outs() << "\n";
}

int tilec::compile(const Options &given) {
  static constexpr StringRef kinds[] = {"hip", "header", "manifest", "mlir"};
  if (!given.emit.empty() && !llvm::is_contained(kinds, given.emit))
    return failed(
        userError("unknown output '" + given.emit + "', expected " + listNames(kinds) + didYouMean(given.emit, kinds)));
  if (!given.until.empty() && failed(requireStage(given.until)))
    return 1;
  if (!given.from.empty() &&
      (failed(requireStage(given.from, /*orPrint=*/true)) || failed(requireOrder(given.from, given.until))))
    return 1;
  Input input(given);
  if (!input)
    return 1;
  FailureOr<Options> tuned = withTuned(input.get(), withTarget(input.get(), given));
  if (failed(tuned))
    return 1;
  Options options = withoutRanks(input.get(), *tuned);
  KernelForms forms;
  if (!options.from.empty()) {
    if (failed(runStagesFrom(input.get(), options, input.text())))
      return 1;
    if (given.emit == "hip")
      return printText(input.get(), options);
    printModule(input.get());
    return 0;
  }
  if (failed(runStages(input.get(), options, options.until, input.text(), &forms)))
    return 1;
  if (!options.until.empty() || given.emit == "mlir") {
    printModule(input.get());
    return 0;
  }
  FailureOr<std::vector<Outputs>> outputs = makeOutputs(input.get(), options, input.text(), forms);
  auto unproven = llvm::filter_to_vector(input.get().getOps<tile::ProgramOp>(), isUnproven);
  if (failed(outputs) || failed(requireProofs(unproven)))
    return 1;
  noteLimits(input.get());
  if (!given.package.empty())
    return package(input.get(), *outputs, options, given);
  if (given.emit.empty())
    return failed(writeFiles(*outputs, options.output));
  for (const Outputs &output : *outputs)
    llvm::outs() << (given.emit == "hip" ? output.hip : given.emit == "header" ? output.header : output.manifest);
  return 0;
}
