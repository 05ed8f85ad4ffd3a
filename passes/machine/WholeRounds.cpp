// Counts down from all units.
#include "passes/machine/WholeRounds.h"

#include "llvm/Support/MathExtras.h"

using namespace tilec;

std::optional<int64_t> tilec::wholeRounds(int64_t part, int64_t parts, const Target &target) {
  if (part < 1 || target.chiplets > 1)
    return std::nullopt;
  auto roundsOf = [&](int64_t workgroups) { return llvm::divideCeil(part * parts, workgroups); };
  for (int64_t workgroups = target.units(); roundsOf(workgroups) == roundsOf(target.units()); --workgroups)
    if (workgroups % part == 0 || part % workgroups == 0)
      return workgroups < target.units() ? std::optional(workgroups) : std::nullopt;
  return std::nullopt;
}
