// One trace for each set of extents that are 0, alone and between launches with tasks.
#include "passes/analysis/ZeroExtents.h"
#include "dialect/Strides.h"
#include "passes/analysis/ChangingExtents.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"

using namespace llvm;
using namespace tilec;
using namespace tilec::checker;

/// Bit i: extent `free[i]` is 0. Smaller sets first.
static SmallVector<uint64_t> setsOf(size_t count) {
  constexpr size_t mostCombined = 4;
  SmallVector<uint64_t> sets;
  if (count <= mostCombined) {
    for (uint64_t set = 1; set < uint64_t(1) << count; ++set)
      sets.push_back(set);
    llvm::stable_sort(sets, [](uint64_t a, uint64_t b) { return popcount(a) < popcount(b); });
    return sets;
  }
  for (size_t i = 0; i < count; ++i)
    sets.push_back(uint64_t(1) << i);
  sets.push_back((uint64_t(1) << count) - 1);
  return sets;
}

std::vector<NonzeroExtents>
tilec::checker::findNonzeroExtents(const ProgramCode &code, ArrayRef<int64_t> free, uint64_t budget,
                                   function_ref<void(const Trace &, Findings &)> checkAlone) {
  std::vector<NonzeroExtents> result;
  tile::ProgramOp program = code.op;
  if (free.empty() || free.size() > 63)
    return result;
  mlir::ScopedDiagnosticHandler quiet(program.getContext(), [](mlir::Diagnostic &) { return mlir::success(); });
  SmallVector<int64_t> extents(program.getNumExtents(), 40);
  tile::separateElements(program, *program.getWorld(), extents, [](unsigned) { return false; });
  const SmallVector<int64_t> most(extents);
  auto trace = [&]() -> std::optional<Trace> {
    Findings silent(0);
    mlir::FailureOr<Trace> traced = traceProgram(code, extents, silent, budget);
    if (failed(traced) || traced->partial())
      return std::nullopt;
    if (silent.empty())
      checkAlone(*traced, silent);
    return silent.empty() ? std::optional<Trace>(std::move(*traced)) : std::nullopt;
  };
  std::optional<Trace> full = trace();
  SmallVector<uint64_t> found;
  for (uint64_t set : setsOf(free.size())) {
    if (any_of(found, [&](uint64_t smaller) { return (set & smaller) == smaller; }))
      continue;
    NonzeroExtents zeros;
    for (size_t i = 0; i < free.size(); ++i)
      if (set >> i & 1)
        zeros.push_back(free[i]);
    for (int64_t position : zeros)
      extents[position] = 0;
    std::optional<Trace> empty = full ? trace() : std::nullopt;
    for (int64_t position : zeros)
      extents[position] = most[position];
    if (empty && canInterpose(*full, *empty))
      continue;
    found.push_back(set);
    result.push_back(std::move(zeros));
  }
  return result;
}
