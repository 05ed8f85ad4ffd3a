// The whole pipeline, so that `verify` says what compiling says; the report is of the kernel form.
#include "codegen/tilec/commands/VerifyCommand.h"
#include "codegen/tilec/Compile.h"
#include "codegen/tilec/Input.h"
#include "codegen/tilec/Tuned.h"
#include "codegen/tilec/commands/ManifestProof.h"
#include "codegen/tilec/commands/Minimality.h"
#include "codegen/tilec/run/LaunchPlan.h"

using namespace mlir;
using namespace tilec;

/// What the runtime does with launches whose zeros the proof leaves out.
static void reportZeros(tile::ProgramOp program, const std::string &manifest, llvm::raw_ostream &out) {
  for (DenseI64ArrayAttr set : program.getVerifiedAttr().getNonzero()) {
    SmallVector<int64_t> extents(program.getNumExtents(), 40);
    ArrayRef<int64_t> zeros = set.asArrayRef();
    for (int64_t position : zeros)
      extents[position] = 0;
    out << (refusesZeros(manifest, extents) ? "; refused with " : "; does nothing with ");
    llvm::interleave(
        zeros, [&](int64_t position) { out << argumentName(program.getExtents()[position]) << "=0"; },
        [&] { out << ", "; });
  }
}

/// For each program: what was unrolled, and what its kernels need.
static std::string proofOf(tile::ProgramOp program) {
  std::string line;
  llvm::raw_string_ostream out(line);
  tile::VerifiedAttr verified = program.getVerifiedAttr();
  size_t done = verified.getSamples().size();
  out << "@" << program.getSymName() << (done ? ": verified on " : ": not verified on ")
      << program.getWorld().value_or(1) << " ranks";
  if (done)
    out << " over " << verified.getLaunches() << " launches, " << done << (done == 1 ? " sample" : " samples")
        << " of the extents";
  if (!verified.getSkipped().empty())
    out << ", " << verified.getSkipped().size() << " too large";
  // Without a sample there is nothing that they hold for; the error behind this line says so.
  if (done && verified.getBoundsSampled())
    out << ", bounds of " << verified.getBoundsSampled() << " operations for these samples alone";
  if (int64_t scatters = verified.getWrittenOnce())
    out << "; assumed of " << scatters << (scatters == 1 ? " scatter" : " scatters") << ": no element is written twice";
  for (auto kernel : program.getBody().getOps<tile::KernelOp>()) {
    out << "; kernel @" << kernel.getSymName() << ": progress "
        << (kernel.getProgress() ? tile::stringifyProgress(*kernel.getProgress()) : "not proven");
    if (kernel.getResident())
      out << " " << *kernel.getResident();
  }
  if (std::string limits = launchLimits(program); !limits.empty())
    out << "; launches " << limits << " alone";
  SmallVector<std::string> drawn = llvm::map_to_vector(
      verified.getDrawn(), [&](int64_t number) { return "%" + argumentName(program.getArguments()[number]); });
  if (verified.getDrawsData())
    drawn.push_back("data");
  if (!drawn.empty())
    out << "; of " << llvm::join(drawn, " and ") << " drawn values alone";
  return line;
}

int tilec::verify(const Options &given) {
  if (!given.manifest.empty())
    return failed(repeatProof(given.manifest));
  Input input(given);
  if (!input)
    return 1;
  FailureOr<Options> tuned = withTuned(input.get(), withTarget(input.get(), given));
  if (failed(tuned))
    return 1;
  Options options = withoutRanks(input.get(), *tuned);
  if (failed(runStages(input.get(), options, "verify", input.text())))
    return 1;
  auto programs = input.get().getOps<tile::ProgramOp>();
  SmallVector<std::string> proofs = llvm::map_to_vector(programs, proofOf);
  auto unproven = llvm::filter_to_vector(programs, isUnproven);
  // `--minimal` asks about the kernel form, which later stages rewrite.
  OwningOpRef<ModuleOp> kernelForm = options.minimal ? input.get().clone() : ModuleOp();
  if (failed(runStagesAfterVerify(input.get(), options, input.text())))
    return 1;
  FailureOr<std::vector<Outputs>> outputs = makeOutputs(input.get(), options, input.text());
  if (failed(outputs))
    return 1;
  for (auto [program, proof, output] : llvm::zip(programs, proofs, *outputs)) {
    llvm::outs() << proof;
    reportZeros(program, output.manifest, llvm::outs());
    llvm::outs() << "\n";
  }
  llvm::outs().flush();
  if (failed(requireProofs(unproven)))
    return 1;
  if (options.minimal)
    for (auto program : kernelForm->getOps<tile::ProgramOp>())
      reportRedundant(program, llvm::outs());
  return 0;
}
