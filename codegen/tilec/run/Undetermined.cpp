// Oracles beside the oracle, whose scratch begins with other content.
#include "codegen/tilec/run/Undetermined.h"
#include "codegen/tilec/run/Judgement.h"
#include "dialect/Identifiers.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;
using namespace tilec::interpreter;

/// One float or integer of two buffers; the same NaN or none.
static bool differs(const Buffer &a, const Buffer &b, int64_t i) {
  if (!a.format.isFloat)
    return a.whole[i] != b.whole[i];
  return a.real[i] != b.real[i] && !(std::isnan(a.real[i]) && std::isnan(b.real[i]));
}

/// Notes what one launch left otherwise than in the oracle's.
static void noteDifferences(Interpreter &other, PreparedLaunch &launch, const Unwritten &from) {
  if (launch.undetermined.empty())
    launch.undetermined.assign(launch.after.size(), std::vector<Undetermined>(other.getNumArguments()));
  for (auto [rank, arguments] : llvm::enumerate(launch.after))
    for (auto [argument, buffer] : llvm::enumerate(arguments)) {
      Undetermined &found = launch.undetermined[rank][argument];
      for (int64_t i = 0, n = buffer.size(); i < n; ++i) {
        if (!differs(buffer, other.argument(rank, argument), i))
          continue;
        if (found.elements.empty()) {
          found.elements.resize(n);
          found.from = from;
        }
        found.elements[i] = true;
      }
    }
}

/// All launches again: what a persistent alloc carries on from one of them is undetermined in the next.
static LogicalResult compareWith(Interpreter &other, std::vector<PreparedLaunch> &launches, const Unwritten &first) {
  Unwritten from = first;
  for (PreparedLaunch &launch : launches) {
    if (failed(other.begin(launch.extents)))
      return failure();
    for (auto [rank, arguments] : llvm::enumerate(launch.before))
      for (auto [argument, bytes] : llvm::enumerate(arguments))
        other.argument(rank, argument).fromBytes(bytes);
    if (failed(other.run()))
      return failure();
    auto own = llvm::find_if(launch.unwritten, [&](const Unwritten &read) { return read.alloc == first.alloc; });
    if (own != launch.unwritten.end())
      from = *own;
    noteDifferences(other, launch, from);
  }
  return success();
}

LogicalResult tilec::findUndetermined(const Interpreter &oracle, std::vector<PreparedLaunch> &launches) {
  // Without an order of tasks the results mean nothing.
  if (llvm::any_of(launches, [](const PreparedLaunch &launch) { return launch.stuck.has_value(); }))
    return success();
  llvm::MapVector<Operation *, Unwritten> read;
  for (const PreparedLaunch &launch : launches)
    for (Unwritten one : launch.unwritten)
      read.insert({one.alloc.getOperation(), one});
  for (const auto &[alloc, first] : read)
    for (int sign : {1, -1, 0})
      if (failed(compareWith(*oracle.withNumbersIn(first.alloc, sign), launches, first)))
        return failure();
  return success();
}

static std::string nameOf(Location location) {
  auto name = dyn_cast<NameLoc>(location);
  return name ? "%" + name.getName().str() : "its buffer";
}

/// `%b[0, 3]` on its rank, and how many more there are.
static void report(ProgramOp program, const PreparedLaunch &launch, size_t rank, unsigned argument, size_t number) {
  const Undetermined &found = launch.undetermined[rank][argument];
  AllocOp alloc = found.from.alloc;
  auto first = std::distance(found.elements.begin(), llvm::find(found.elements, true));
  InFlightDiagnostic warning = mlir::emitWarning(alloc.getLoc())
                               << "undetermined: nobody writes " << nameOf(alloc.getLoc()) << "[";
  llvm::interleaveComma(found.from.element, warning);
  warning << "] of rank " << found.from.rank << " before it is read in launch " << number << "; elements of %"
          << argumentName(program.getArguments()[argument]) << " on rank " << rank
          << " that depend on what is not written: " << llvm::count(found.elements, true) << ", the first "
          << coordinates(launch.after[rank][argument], first);
}

bool tilec::reportUndetermined(ProgramOp program, ArrayRef<PreparedLaunch> launches) {
  llvm::SmallPtrSet<Operation *, 4> reported;
  for (auto [number, launch] : llvm::enumerate(launches))
    for (auto [rank, arguments] : llvm::enumerate(launch.undetermined))
      for (auto [argument, found] : llvm::enumerate(arguments)) {
        AllocOp alloc = found.from.alloc;
        if (!found.elements.empty() && reported.insert(alloc).second)
          report(program, launch, rank, argument, number);
      }
  return !reported.empty();
}
