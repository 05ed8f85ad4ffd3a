// One trace for each set of extents that are 0, alone and between launches with tasks.
#include "passes/checker/ZeroExtents.h"
#include "dialect/Conditions.h"
#include "dialect/QuietThread.h"
#include "passes/checker/ChangingExtents.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace tilec;
using namespace tilec::checker;

/// How many extents are tried together: all of a few, and less of many.
static unsigned mostTogether(size_t count) { return count <= 6 ? count : count <= 12 ? 2 : 1; }

/// Bit i: extent `free[i]` is 0. All sets of up to `most` extents, smaller ones first.
static SmallVector<uint64_t> setsOf(size_t count, unsigned most) {
  SmallVector<uint64_t> sets{0};
  for (size_t begin = 0, size = 1; size <= most; ++size) {
    size_t end = sets.size();
    for (; begin < end; ++begin)
      for (size_t next = sets[begin] ? Log2_64(sets[begin]) + 1 : 0; next < count; ++next)
        sets.push_back(sets[begin] | uint64_t(1) << next);
  }
  sets.erase(sets.begin());
  return sets;
}

/// Other values of the extents that are not 0, smaller ones; false where there are none that a launch may have.
static bool lessen(tile::ProgramOp program, ArrayRef<int64_t> zeros, SmallVectorImpl<int64_t> &extents) {
  const SmallVector<int64_t> before(extents.begin(), extents.end());
  for (int64_t &extent : extents)
    extent = extent - extent / 3;
  for (int64_t position : zeros)
    extents[position] = 0;
  tile::makeLaunchable(program, *program.getWorld(), extents,
                       [&](unsigned extent) { return llvm::is_contained(zeros, extent); });
  return ArrayRef(extents) != ArrayRef(before) && tile::satisfies(program, *program.getWorld(), extents);
}

std::vector<NonzeroExtents>
tilec::checker::findNonzeroExtents(const ProgramCode &code, ArrayRef<int64_t> free, ArrayRef<int64_t> fullExtents,
                                   uint64_t budget,
                                   function_ref<void(const Trace &, LaunchesApart &, Findings &)> checkAlone) {
  std::vector<NonzeroExtents> result;
  tile::ProgramOp program = code.op;
  if (free.empty() || free.size() > 63)
    return result;
  QuietThread quiet(program.getContext());
  SmallVector<int64_t> extents(fullExtents);
  tile::makeLaunchable(program, *program.getWorld(), extents, [](unsigned) { return false; });
  const SmallVector<int64_t> most(extents);
  auto trace = [&]() -> std::optional<std::pair<Trace, LaunchesApart>> {
    Findings silent = Findings::silent();
    mlir::FailureOr<Trace> traced = traceProgram(code, extents, silent, budget);
    if (failed(traced) || traced->partial())
      return std::nullopt;
    LaunchesApart apart(*traced);
    if (silent.empty())
      checkAlone(*traced, apart, silent);
    if (!silent.empty())
      return std::nullopt;
    return std::pair(std::move(*traced), std::move(apart));
  };
  auto full = trace();
  SmallVector<uint64_t> found;
  unsigned tried = mostTogether(free.size());
  for (uint64_t set : setsOf(free.size(), std::min<unsigned>(tried + 1, free.size()))) {
    if (any_of(found, [&](uint64_t smaller) { return (set & smaller) == smaller; }))
      continue;
    NonzeroExtents zeros;
    for (size_t i = 0; i < free.size(); ++i)
      if (set >> i & 1)
        zeros.push_back(free[i]);
    for (int64_t position : zeros)
      extents[position] = 0;
    // No launch has what the conditions exclude. Others make way for the zeros, where they must.
    tile::makeLaunchable(program, *program.getWorld(), extents,
                         [&](unsigned extent) { return llvm::is_contained(zeros, extent); });
    if (!tile::satisfies(program, *program.getWorld(), extents)) {
      extents = most;
      continue;
    }
    bool known = full && unsigned(popcount(set)) <= tried;
    auto empty = known ? trace() : std::nullopt;
    const bool areApart = empty && LaunchesApart::areKept(full->second, empty->second);
    const bool isOrdered = areApart || (empty && canInterpose(full->first, empty->first));
    // Where the other extents change as well, what lies in one place is written by other ranks.
    if (isOrdered && !areApart && lessen(program, zeros, extents)) {
      auto less = trace();
      empty = less && (LaunchesApart::areKept(full->second, less->second) || canInterpose(full->first, less->first))
                  ? std::move(less)
                  : std::nullopt;
    }
    extents = most;
    if (isOrdered && empty)
      continue;
    found.push_back(set);
    result.push_back(std::move(zeros));
  }
  return result;
}

bool tilec::checker::hasWorkOutsideTasks(tile::ProgramOp program) {
  return program
      .walk([](tile::AccessOpInterface access) {
        return access->getParentOfType<tile::ForallOp>() ? mlir::WalkResult::advance() : mlir::WalkResult::interrupt();
      })
      .wasInterrupted();
}
