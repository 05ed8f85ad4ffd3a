// Visits all code until nothing new is found: a loop hands on what its later instructions make.
#include "passes/checker/SlotExtents.h"

using namespace llvm;
using namespace tilec::checker;

SlotExtents::SlotExtents(const ProgramCode &program)
    : program(program), known(program.numSlots, 0), around(program.accesses.size(), 0) {
  for (auto [i, slot] : enumerate(program.extents))
    known[slot] = bit(i);
  do {
    isChanged = false;
    visit(program.prelude);
    for (const KernelCode &kernel : program.kernels)
      for (const RoleCode &role : kernel.roles) {
        visit(role.prologue);
        for (uint32_t index : role.indices)
          for (uint32_t bound : role.bounds)
            add(index, known[bound]);
        visit(role.body);
      }
  } while (isChanged);
}

void SlotExtents::add(uint32_t slot, Extents extents) {
  isChanged |= (extents & ~known[slot]) != 0;
  known[slot] |= extents;
}

/// Behind the last instruction that a branch may leave out: of one with two arms, behind the second.
static size_t endOfBranch(const CodeList &list, size_t branch) {
  const size_t end = list[branch].value;
  const Instruction &last = list[end - 1];
  return last.code == Code::Jump && size_t(last.value) > end ? last.value : end;
}

void SlotExtents::visit(const CodeList &list) {
  struct Region {
    size_t end;
    Extents extents;
  };
  SmallVector<Region> regions; // each within the one before
  for (auto [at, step] : enumerate(list)) {
    while (!regions.empty() && regions.back().end <= at)
      regions.pop_back();
    const Extents outer = regions.empty() ? 0 : regions.back().extents;
    if (step.code == Code::Loop) {
      const Loop &loop = program.loops[step.value];
      regions.push_back({loop.end, outer | known[loop.lower] | known[loop.upper] | known[loop.step]});
    } else if (step.code == Code::JumpUnless) {
      regions.push_back({endOfBranch(list, at), outer | known[step.left]});
    } else {
      visit(step, outer);
    }
  }
}

void SlotExtents::visit(const Instruction &step, Extents branches) {
  switch (step.code) {
  case Code::Access:
    around[step.value] |= branches;
    break;
  case Code::Number:
  case Code::Given:
  case Code::Arrive:
    add(step.target, any); // what memory holds, or a launch gives
    break;
  case Code::Constant:
    add(step.target, branches);
    break;
  case Code::Select:
    add(step.target, branches | known[step.value] | known[step.left] | known[step.right]);
    break;
  case Code::Jump:
  case Code::LoopGuard:
  case Code::UnsignedGuard:
  case Code::SizeGuard:
  case Code::Sync:
  case Code::Meet:
    break;
  default: // an operand that an instruction does not have is slot 0, the rank
    add(step.target, branches | known[step.left] | known[step.right]);
  }
}
