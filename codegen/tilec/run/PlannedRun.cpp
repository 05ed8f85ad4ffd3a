// Oracles, extents and what can be said of a run before it.
#include "codegen/tilec/run/PlannedRun.h"

#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;
using namespace tilec::interpreter;

FailureOr<std::unique_ptr<Interpreter>> tilec::createOracle(ProgramOp of, const RunOptions &options, bool countsOnly) {
  InterpreterOptions chosen;
  chosen.world = options.world;
  chosen.countsOnly = countsOnly;
  chosen.shortSums = options.device;
  // The passes have bound the parameters of the kernel form, and products without tiles get theirs from `specialize`,
  // which has refused what neither it nor the program declares.
  for (const Binding &given : options.parameters)
    if (!countsOnly && isa_and_nonnull<ParamOp>(of.lookupSymbol(given.name)))
      chosen.parameters[given.name] = given.value;
  return Interpreter::create(of, chosen);
}

/// Whether a launch would take more than seconds, by its tile operations. What the kernel form does not say is not
/// known.
static bool isTooLong(ProgramOp program, const RunOptions &options, ArrayRef<int64_t> extents) {
  constexpr double seconds = 1e8; // of about 10 ns each
  if (!options.kernelForm)
    return false;
  InterpreterOptions counting;
  counting.world = options.world;
  counting.countsOnly = true;
  counting.mostWork = seconds / std::max(1u, options.launches);
  ScopedDiagnosticHandler silent(program.getContext(), [](Diagnostic &) { return success(); });
  auto counter = Interpreter::create(options.kernelForm, counting);
  if (failed(counter) || failed((*counter)->begin(extents)))
    return false;
  return failed((*counter)->run()) && (*counter)->getWork() > counting.mostWork;
}

FailureOr<PlannedRun> tilec::planRun(ProgramOp program, const RunOptions &options) {
  auto oracle = createOracle(program, options, /*countsOnly=*/false);
  if (failed(oracle))
    return failure();
  const int64_t world = (*oracle)->getWorld();
  FailureOr<std::vector<Binding>> extents = options.extents;
  // Extents that are drawn anew at each launch are not those of a file.
  if (options.extentsFrom.empty())
    extents = extentsOfInputs(program, world, options.extents, options.inputs);
  if (failed(extents))
    return failure();
  // Where there is none yet, nothing is known; one that cannot be read is an error where it is loaded.
  auto manifest = llvm::MemoryBuffer::getFile(options.manifest);
  auto plan = planLaunches(
      program, world, *extents, options.extentsFrom, options.launches, options.seed,
      [&](ArrayRef<int64_t> extents) { return manifest && refusesZeros((*manifest)->getBuffer(), extents); },
      [&](ArrayRef<int64_t> extents) { return isTooLong(program, options, extents); },
      manifest ? acceptedBy((*manifest)->getBuffer()) : AcceptedExtents());
  if (failed(plan) || failed((*oracle)->check(plan->greatest())) ||
      failed(checkFiles(program, options.inputs, options.outputs, world)))
    return failure();
  return PlannedRun{std::move(*oracle), std::move(*plan)};
}

void PlannedRun::printChosen(llvm::raw_ostream &stream) const {
  if (!plan.replaced.empty())
    stream << "extents that the program's conditions exclude were replaced: " << llvm::join(plan.replaced, ", ")
           << "\n";
  if (!plan.scaled)
    return;
  stream << "extents that were not given are small, so that the run takes seconds:";
  for (auto [extent, value] : llvm::zip(oracle->getProgram().getExtents(), plan.extents.front()))
    stream << " " << argumentName(extent) << "=" << value;
  stream << "\n";
}

/// Where the oracle found no order of tasks, its values mean nothing, and neither does a difference from them.
bool tilec::isComparable(ArrayRef<PreparedLaunch> launches) {
  for (auto [number, launch] : llvm::enumerate(launches)) {
    if (!launch.stuck)
      continue;
    Operation *wait = launch.stuck->wait;
    InFlightDiagnostic diagnostic = mlir::emitWarning(wait->getLoc())
                                    << "not comparable: the oracle finds no order of tasks in which this wait of rank "
                                    << launch.stuck->rank << " is satisfied in launch " << number;
    bool raised = false;
    for (Operation *user : wait->getOperand(0).getUsers())
      if (isa<SignalOp>(user)) {
        diagnostic.attachNote(user->getLoc()) << "the signal is raised here";
        raised = true;
      }
    if (!raised)
      diagnostic.attachNote(wait->getOperand(0).getLoc()) << "nothing raises a signal of this grid";
    return false;
  }
  return true;
}
