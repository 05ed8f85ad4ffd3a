// Intervals without regard to the order of instructions: of all values that a slot is given in the loop.
#include "passes/checker/IdleLoops.h"
#include "passes/checker/Arithmetic.h"

#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace tilec;
using namespace tilec::checker;

std::vector<bool> tilec::checker::writtenRoots(const ProgramCode &program) {
  std::vector<bool> written(program.roots.size());
  for (const AccessSite &site : program.accesses)
    if (site.writes)
      written[program.views[site.view].root] = true;
  return written;
}

bool tilec::checker::isHarmless(const ProgramCode &program, const AccessSite &site, const std::vector<bool> &written) {
  uint32_t root = program.views[site.view].root;
  return site.rank < 0 && program.roots[root].argument && !written[root];
}

//===-- which loops are idle
//----------------------------------------------------------------------------------------===//

namespace {

/// The least range of instructions of one list that holds all reads of a slot.
struct Reads {
  const CodeList *list = nullptr;
  size_t first = 0, last = 0;
  bool elsewhere = false; ///< also in another list, or in none
};

class IdleLoops {
public:
  explicit IdleLoops(ProgramCode &program)
      : program(program), written(writtenRoots(program)), reads(program.numSlots) {}

  void find() {
    std::vector<const CodeList *> lists{&program.prelude};
    for (const KernelCode &kernel : program.kernels)
      for (const RoleCode &role : kernel.roles) {
        lists.insert(lists.end(), {&role.prologue, &role.body});
        for (uint32_t slot : role.bounds)
          reads[slot].elsewhere = true;
      }
    for (const CodeList *list : lists)
      for (size_t at = 0; at < list->size(); ++at)
        forEachRead((*list)[at], [&](uint32_t slot) { note(slot, list, at); });
    for (const CodeList *list : lists)
      for (const Instruction &step : *list)
        if (step.code == Code::Loop)
          program.loops[step.value].idle = isIdle(*list, program.loops[step.value]);
  }

private:
  void note(uint32_t slot, const CodeList *list, size_t at) {
    Reads &known = reads[slot];
    if (!known.list)
      known = {list, at, at, known.elsewhere};
    known.elsewhere |= known.list != list;
    known.first = std::min(known.first, at);
    known.last = std::max(known.last, at);
  }

  template <typename Visit>
  void forEachOfView(uint32_t number, Visit visit) {
    for (; number != View::none; number = program.views[number].parent)
      for (const Slots *list : {&program.views[number].sizes, &program.views[number].offsets,
                                &program.views[number].strides, &program.views[number].extents})
        for_each(*list, visit);
  }

  template <typename Visit>
  void forEachOfSync(const SyncSite &site, Visit visit) {
    for (const Slots *list : {&site.indices, &site.counts, &site.publishes})
      for_each(*list, visit);
    if (site.signal)
      visit(site.to);
  }

  template <typename Visit>
  void forEachRead(const Instruction &step, Visit visit) {
    if (step.code == Code::Access) {
      const AccessSite &site = program.accesses[step.value];
      for_each(site.indices, visit);
      for_each(site.after, visit);
      if (site.rank >= 0)
        visit(site.rank);
      return forEachOfView(site.view, visit);
    }
    if (step.code == Code::Sync)
      return forEachOfSync(program.syncs[step.value], visit);
    if (step.code == Code::Arrive) {
      const ArrivalSite &arrival = program.arrivals[step.value];
      visit(arrival.count);
      for_each(arrival.alike, visit);
      return forEachOfSync(program.syncs[arrival.signal], visit);
    }
    if (step.code == Code::Constant || step.code == Code::Jump || step.code == Code::Meet || step.code == Code::Loop)
      return;
    // Operands that an instruction does not have are slot 0, the rank, which no loop sets.
    visit(step.left);
    visit(step.right);
    if (step.code == Code::Select)
      visit(step.value);
  }

  bool isIdle(const CodeList &list, const Loop &loop) {
    for (size_t at = loop.begin; at < loop.end; ++at) {
      const Instruction &step = list[at];
      if (step.code == Code::Sync)
        return false;
      uint32_t target = step.target;
      if (step.code == Code::Access) {
        const AccessSite &site = program.accesses[step.value];
        if (!isHarmless(program, site, written))
          return false;
        if (site.token < 0)
          continue;
        target = site.token;
      } else if (step.code == Code::Jump || step.code == Code::JumpUnless || step.code == Code::Meet ||
                 step.code == Code::Loop || step.code == Code::LoopGuard || step.code == Code::UnsignedGuard ||
                 step.code == Code::SizeGuard) {
        continue;
      }
      const Reads &known = reads[target];
      if (known.elsewhere ||
          (known.list && (known.list != &list || known.first < loop.begin || known.last >= loop.end)))
        return false;
    }
    return true;
  }

  ProgramCode &program;
  std::vector<bool> written;
  std::vector<Reads> reads; ///< [slot]
};

} // namespace

void tilec::checker::findIdleLoops(ProgramCode &program) { IdleLoops(program).find(); }

//===-- intervals
//-----------------------------------------------------------------------------------------------------===//

LoopIntervals::Outcome LoopIntervals::evaluate(const CodeList &code, const Loop &loop) {
  ++round;
  meets = false;
  // Values that iterations hand on are joined until nothing new comes; those that grow with each are not followed.
  constexpr unsigned mostTurns = 4;
  for (uint32_t slot : loop.carried)
    set(slot, {slots[slot], slots[slot]});
  for (unsigned turn = 0; turn < mostTurns; ++turn) {
    changed = false;
    if (!begin(loop) || !evaluateBody(code, loop))
      return Outcome::Unknown;
    if (!changed)
      return meets ? Outcome::Meets : Outcome::Silent;
  }
  return Outcome::Unknown;
}

void LoopIntervals::set(uint32_t slot, Interval value) {
  if (entered[slot] == round) {
    value = {std::min(value.low, known[slot].low), std::max(value.high, known[slot].high)};
    if (value == known[slot])
      return;
  }
  entered[slot] = round;
  known[slot] = value;
  changed = true;
}

/// The range of the loop's index, and that the index may go on to behind it.
bool LoopIntervals::begin(const Loop &loop) {
  Interval lower = of(loop.lower), upper = of(loop.upper), step = of(loop.step);
  constexpr int64_t most = std::numeric_limits<int32_t>::max();
  if (step.low < 1 || lower.low < -most || upper.high > most || step.high > most || upper.high + step.high - 1 > most)
    return false;
  set(loop.index, {lower.low, std::max(lower.high, upper.high - 1)});
  return true;
}

bool LoopIntervals::evaluateBody(const CodeList &code, const Loop &loop) {
  auto iterates = [&](const Loop *around) { return of(around->lower).high < of(around->upper).low; };
  SmallVector<const Loop *> around{&loop}; // the innermost last
  size_t optional = loop.begin;            // the end of a branch that may leave instructions out
  for (size_t at = loop.begin; at < loop.end; ++at) {
    const Instruction &step = code[at];
    while (at >= around.back()->end)
      around.pop_back();
    if (step.code == Code::Loop) {
      around.push_back(&program.loops[step.value]);
      if (!begin(*around.back()))
        return false;
    } else if (step.code == Code::JumpUnless || step.code == Code::Jump) {
      bool ofLoop = size_t(step.value) <= at || size_t(step.value) == around.back()->end;
      optional = ofLoop ? optional : std::max<size_t>(optional, step.value);
    } else if (step.code == Code::Meet) {
      if (at < optional || !all_of(around, iterates))
        return false;
      meets = true;
    } else if (at != around.back()->increment && !evaluateStep(step)) {
      return false;
    }
  }
  return true;
}

bool LoopIntervals::evaluateStep(const Instruction &step) {
  switch (step.code) {
  case Code::LoopGuard:
    return of(step.left).low >= 1;
  case Code::UnsignedGuard:
    return of(step.left).low >= 0;
  case Code::SizeGuard: // it stands before all loops of a task
    return false;
  case Code::Access: {
    const AccessSite &site = program.accesses[step.value];
    if (site.token >= 0)
      set(site.token, {0, 0});
    return staysInBuffers(site);
  }
  default:
    return evaluateResult(step);
  }
}

bool LoopIntervals::evaluateResult(const Instruction &step) {
  Interval left = of(step.left);
  std::optional<Interval> result;
  switch (step.code) {
  case Code::Constant:
    result = {step.value, step.value};
    break;
  case Code::Join: // of tokens, which no access of the loop asks for
    result = {0, 0};
    break;
  case Code::Copy:
  case Code::Narrow:
    result = left;
    break;
  case Code::Number:
  case Code::Given:
    result = {0, std::max<int64_t>(left.high, 0)};
    break;
  case Code::Mask:
    if (left.low >= 0 && left.high <= step.value)
      result = left;
    break;
  case Code::Negate:
    result = arithmetic(Code::Sub, {0, 0}, left);
    break;
  case Code::Select: {
    Interval right = of(step.right), condition = of(step.value);
    result = {std::min(left.low, right.low), std::max(left.high, right.high)};
    if (condition.isPoint())
      result = condition.low ? left : right;
    break;
  }
  default:
    result = arithmetic(step.code, left, of(step.right));
  }
  if (!result)
    return false;
  if (step.bits == 1 && (result->low < 0 || result->high > 1))
    return false;
  if (step.bits > 1 && step.bits < 64 && (!isIntN(step.bits, result->low) || !isIntN(step.bits, result->high)))
    return false;
  set(step.target, *result);
  return true;
}

std::optional<LoopIntervals::Interval> LoopIntervals::product(Interval left, Interval right) {
  int64_t ends[4];
  if (MulOverflow(left.low, right.low, ends[0]) || MulOverflow(left.low, right.high, ends[1]) ||
      MulOverflow(left.high, right.low, ends[2]) || MulOverflow(left.high, right.high, ends[3]))
    return std::nullopt;
  auto [low, high] = std::minmax_element(std::begin(ends), std::end(ends));
  return Interval{*low, *high};
}

std::optional<LoopIntervals::Interval> LoopIntervals::arithmetic(Code code, Interval left, Interval right) const {
  Interval result;
  switch (code) {
  case Code::Add:
    if (AddOverflow(left.low, right.low, result.low) || AddOverflow(left.high, right.high, result.high))
      return std::nullopt;
    return result;
  case Code::Sub:
    if (SubOverflow(left.low, right.high, result.low) || SubOverflow(left.high, right.low, result.high))
      return std::nullopt;
    return result;
  case Code::Mul:
    return product(left, right);
  case Code::Max:
    return Interval{std::max(left.low, right.low), std::max(left.high, right.high)};
  case Code::Min:
    return Interval{std::min(left.low, right.low), std::min(left.high, right.high)};
  case Code::Less:
    return Interval{left.high < right.low, left.low < right.high};
  case Code::LessEqual:
    return Interval{left.high <= right.low, left.low <= right.high};
  case Code::Equal:
  case Code::NotEqual:
    return Interval{0, 1};
  default:
    if (left.isPoint() && right.isPoint() && !(dividesBy(code) && right.low == 0))
      return Interval{compute(code, left.low, right.low), compute(code, left.low, right.low)};
    return dividesBy(code) ? quotient(code, left, right) : bits(code, left, right);
  }
}

/// By what is above 0. A quotient grows with its dividend and, as that is no smaller than 0, shrinks with the divisor.
std::optional<LoopIntervals::Interval> LoopIntervals::quotient(Code code, Interval left, Interval right) const {
  if (right.low < 1)
    return std::nullopt;
  if (code == Code::RemSigned || code == Code::FloorMod) {
    if (left.low >= 0)
      return Interval{left.high < right.low ? left.low : 0, std::min(left.high, right.high - 1)};
    return Interval{code == Code::FloorMod ? 0 : 1 - right.high, right.high - 1};
  }
  if (left.low < 0 && !right.isPoint())
    return std::nullopt;
  return Interval{divide(code, left.low, right.high), divide(code, left.high, right.low)};
}

/// Of conditions, and of numbers that are not below 0.
std::optional<LoopIntervals::Interval> LoopIntervals::bits(Code code, Interval left, Interval right) const {
  if (left.low < 0 || right.low < 0)
    return std::nullopt;
  int64_t mask = maskTrailingOnes<uint64_t>(64 - countl_zero(uint64_t(left.high | right.high)));
  switch (code) {
  case Code::And:
    return Interval{0, std::min(left.high, right.high)};
  case Code::Or:
  case Code::Xor:
    return Interval{0, mask};
  default:
    return std::nullopt;
  }
}

/// Whether every view that the access reads through lies in the buffer it is a view of, and what it must not read
/// beyond.
bool LoopIntervals::staysInBuffers(const AccessSite &site) const {
  for (size_t back = 0; back < site.indices.size(); ++back) {
    if (!(site.whole >> back & 1))
      continue;
    size_t dim = site.indices.size() - 1 - back;
    Interval first = of(site.indices[dim]);
    if (first.low < 0 || first.high > of(program.views[site.view].sizes[dim]).low - site.shape[dim])
      return false;
  }
  for (const View *view = &program.views[site.view]; view->parent != View::none; view = &program.views[view->parent])
    for (auto [dim, offset] : enumerate(view->offsets)) {
      Interval first = of(offset), stride = of(view->strides[dim]), extent = of(view->extents[dim]);
      int64_t last;
      if (stride.low < 1 || first.low < 0 || MulOverflow(std::max<int64_t>(extent.high - 1, 0), stride.high, last) ||
          AddOverflow(last, first.high, last) || last >= of(program.views[view->parent].sizes[dim]).low)
        return false;
    }
  return true;
}
