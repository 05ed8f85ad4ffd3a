// How each slot of a loop's body depends on its index, in the iterations that no guard picks out.
#include "passes/checker/PanelLoops.h"
#include "passes/checker/Arithmetic.h"
#include "passes/checker/IdleLoops.h"

#include <numeric>

using namespace tilec;
using namespace tilec::checker;

namespace {

/// On the index of the iteration.
enum class Dependence : uint8_t { None, Affine, Unknown };

class PanelLoops {
public:
  explicit PanelLoops(const ProgramCode &program) : program(program) {}

  std::optional<Panel> find(const CodeList &code, const Loop &loop) {
    begin(loop);
    if (loop.upper == loop.index || loop.step == loop.index)
      return std::nullopt;
    // The comparison and the jump out of the loop come first, the increment and the jump back last.
    for (size_t at = loop.begin + 2; at < loop.increment;) {
      const Instruction &step = code[at];
      if (step.code == Code::Jump || step.code == Code::JumpUnless) {
        std::optional<size_t> next = step.code == Code::Jump ? step.value : pass(step, at);
        if (!next || *next <= at)
          return std::nullopt;
        at = *next;
        continue;
      }
      if (step.code == Code::Access ? !noteRead(step.value) : !follow(step))
        return std::nullopt;
      if (step.code == Code::Meet)
        panel.meets = true;
      else if (step.code != Code::Access)
        panel.scalars.push_back(at);
      ++at;
    }
    // What an iteration takes from the one before is the same in all of them.
    for (uint32_t slot : taken)
      if (origins[slot] != slot)
        return std::nullopt;
    // Ranges are those of all of the loop, and of loops that signal nothing.
    bool hasRanges = llvm::none_of(llvm::seq(loop.begin, loop.end), [&](size_t at) {
      return code[at].code == Code::Sync || code[at].code == Code::Arrive;
    });
    if (panel.needsRanges && !hasRanges)
      return std::nullopt;
    return panel.sites.empty() ? std::nullopt : std::optional(std::move(panel));
  }

private:
  static bool setsSlot(const Instruction &step) {
    switch (step.code) {
    case Code::Access:
    case Code::Sync:
    case Code::Meet:
    case Code::Jump:
    case Code::JumpUnless:
    case Code::Loop:
    case Code::LoopGuard:
    case Code::UnsignedGuard:
    case Code::SizeGuard:
      return false;
    default:
      return true;
    }
  }

  void set(int64_t slot, Dependence dependence) {
    known[slot] = dependence;
    origins[slot] = View::none;
    setters[slot] = nullptr;
  }

  /// Each slot holds what it held before.
  void begin(const Loop &loop) {
    panel = {};
    taken.clear();
    known.assign(program.numSlots, Dependence::None);
    setters.assign(program.numSlots, nullptr);
    origins.resize(program.numSlots);
    std::iota(origins.begin(), origins.end(), 0);
    set(loop.index, Dependence::Affine);
  }

  void take(llvm::ArrayRef<uint32_t> slots) {
    llvm::copy_if(slots, std::back_inserter(taken), [&](uint32_t slot) { return origins[slot] == slot; });
  }

  bool isUnchanged(llvm::ArrayRef<uint32_t> slots) const {
    return llvm::all_of(slots, [&](uint32_t slot) { return known[slot] == Dependence::None; });
  }
  bool isAffine(llvm::ArrayRef<uint32_t> slots) const {
    return llvm::all_of(slots, [&](uint32_t slot) { return known[slot] <= Dependence::Affine; });
  }

  bool noteRead(uint32_t number) {
    const AccessSite &site = program.accesses[number];
    take(site.after);
    take(site.indices);
    if (site.rank >= 0)
      take(uint32_t(site.rank));
    if (!site.reads || site.writes || !isUnchanged(site.after) || !isAffine(site.indices) ||
        (site.rank >= 0 && !isUnchanged(uint32_t(site.rank))))
      return false;
    for (uint32_t view = site.view; view != View::none; view = program.views[view].parent) {
      const View &through = program.views[view];
      for (const Slots *list : {&through.sizes, &through.strides, &through.extents, &through.offsets})
        take(*list);
      if (!isUnchanged(through.sizes) || !isUnchanged(through.strides) || !isUnchanged(through.extents) ||
          !isAffine(through.offsets))
        return false;
    }
    if (site.token >= 0)
      set(site.token, Dependence::Unknown);
    panel.sites.push_back(number);
    return true;
  }

  /// Where a branch goes on in most iterations.
  std::optional<size_t> pass(const Instruction &branch, size_t at) {
    const Instruction *compared = setters[branch.left];
    if (!compared || (compared->code != Code::Equal && compared->code != Code::NotEqual))
      return std::nullopt;
    const Instruction *rest = setters[compared->left];
    bool isRest = rest && (rest->code == Code::RemSigned || rest->code == Code::FloorMod) &&
                  known[rest->left] == Dependence::Affine && known[rest->right] == Dependence::None &&
                  known[compared->right] == Dependence::None;
    if (!isRest)
      return std::nullopt;
    bool quiet = compared->code == Code::NotEqual;
    panel.guards.push_back({Guard::Rest, rest->left, compared->right, rest->right});
    return quiet ? at + 1 : size_t(branch.value);
  }

  /// Whether all iterations compute alike, and no check fails between the first and the last of them.
  bool follow(const Instruction &step) {
    if (step.code == Code::Meet)
      return true;
    take({step.left, step.right});
    Dependence of = std::max(known[step.left], known[step.right]);
    if (step.code == Code::Select) {
      take(uint32_t(step.value));
      of = std::max(of, known[step.value]);
    }
    switch (step.code) {
    case Code::Constant:
      set(step.target, Dependence::None);
      return true;
    case Code::UnsignedGuard:
      panel.needsRanges |= of == Dependence::Unknown;
      return true;
    case Code::LoopGuard:
    case Code::SizeGuard:
    case Code::Loop:
    case Code::Sync:
    case Code::Number:
    case Code::Given:
    case Code::Arrive:
      return false;
    case Code::Join:
      // The same tokens joined again are others by number.
      set(step.target, Dependence::Unknown);
      return true;
    default:
      break;
    }
    if (std::optional<Guard> guard = guardOf(step)) {
      panel.guards.push_back(*guard);
      set(step.target, Dependence::Affine);
      return true;
    }
    Dependence result = keepsAffine(step) || of == Dependence::None ? of : Dependence::Unknown;
    // A quotient or rest by what is the same in all iterations is none in all, or in none.
    bool mayFail = dividesBy(step.code) ? known[step.right] != Dependence::None : step.checked;
    panel.needsRanges |= result == Dependence::Unknown && mayFail;
    uint32_t origin = step.code == Code::Copy ? origins[step.left] : View::none;
    set(step.target, result);
    origins[step.target] = origin;
    setters[step.target] = &step;
    return true;
  }

  /// Under which a result is affine that is none everywhere.
  std::optional<Guard> guardOf(const Instruction &step) const {
    Dependence left = known[step.left], right = known[step.right];
    bool isOne = std::min(left, right) == Dependence::None && std::max(left, right) == Dependence::Affine;
    bool isLeft = left == Dependence::Affine;
    if (isOne && (step.code == Code::Min || step.code == Code::Max))
      return Guard{Guard::Order, isLeft ? step.left : step.right, isLeft ? step.right : step.left, 0};
    bool divides = step.code == Code::DivSigned || step.code == Code::FloorDiv || step.code == Code::CeilDiv;
    if (isOne && isLeft && divides)
      return Guard{Guard::Exact, step.left, 0, step.right};
    return std::nullopt;
  }

  /// Of operands that are affine at most. A result that wraps is not.
  bool keepsAffine(const Instruction &step) const {
    bool isExact = step.checked || step.bits == 64;
    switch (step.code) {
    case Code::Copy:
    case Code::Negate:
      return true;
    case Code::Add:
    case Code::Sub:
    case Code::Narrow:
      return isExact;
    case Code::Mul:
      return isExact && std::min(known[step.left], known[step.right]) == Dependence::None;
    default:
      return false;
    }
  }

  const ProgramCode &program;
  Panel panel;
  std::vector<Dependence> known;            ///< [slot]
  std::vector<uint32_t> origins;            ///< [slot]: of which it is a copy, as it was before the iteration
  std::vector<const Instruction *> setters; ///< [slot]: of this iteration
  std::vector<uint32_t> taken;              ///< slots that are read as they were before the iteration
};

} // namespace

void tilec::checker::findPanelLoops(ProgramCode &program) {
  PanelLoops loops(program);
  for (const KernelCode &kernel : program.kernels)
    for (const RoleCode &role : kernel.roles)
      for (const CodeList *list : {&role.prologue, &role.body})
        for (const Instruction &step : *list)
          if (step.code == Code::Loop)
            if (std::optional<Panel> panel = loops.find(*list, program.loops[step.value])) {
              program.loops[step.value].panel = static_cast<int32_t>(program.panels.size());
              program.panels.push_back(std::move(*panel));
            }
}

void tilec::checker::classifyLoops(ProgramCode &program) {
  findIdleLoops(program);
  findPanelLoops(program);
}

bool PanelReads::isQuiet() const {
  return llvm::none_of(panel.guards, [&](const Guard &guard) {
    return guard.kind == Guard::Rest &&
           divide(Code::FloorMod, slots[guard.number], slots[guard.divisor]) == slots[guard.bound];
  });
}

bool PanelReads::begin(const std::vector<bool> &written) {
  if (!isQuiet() || (program.hasThreads && !panel.meets))
    return false;
  for (uint32_t number : panel.sites) {
    const AccessSite &site = program.accesses[number];
    if (isHarmless(program, site, written))
      continue;
    std::optional<uint32_t> access = reads.accessOf(thread, number);
    Read read{number, access.value_or(0), {}};
    if (!access || !footprint(site, read.first) || reads.hasStored(read.first[0]))
      return false;
    all.push_back(std::move(read));
  }
  for (const Guard &guard : panel.guards)
    numbers.push_back(slots[guard.number]);
  return true;
}

bool PanelReads::goOn() {
  for (Read &read : all) {
    OpenReads::Box box;
    if (!footprint(program.accesses[read.site], box) || reads.accessOf(thread, read.site) != read.access)
      return false;
    for (size_t at = 1; at < box.size(); at += 3)
      if (box[at] != read.first[at])
        read.along = at;
  }
  return isQuiet() && isAt(1);
}

int64_t PanelReads::length(int64_t left) const {
  for (auto [guard, before] : llvm::zip(panel.guards, numbers))
    left = lengthBefore(guard, before, left);
  return left;
}

/// The number rises by the same in each iteration. Where it falls, or rises by no part of the divisor of a rest,
/// nothing is known beyond the second.
int64_t PanelReads::lengthBefore(const Guard &guard, int64_t before, int64_t left) const {
  constexpr int64_t two = 2;
  const int64_t number = slots[guard.number], rise = number - before, divisor = slots[guard.divisor];
  const int64_t bound = slots[guard.bound];
  if (guard.kind == Guard::Exact)
    return divisor > 0 && before % divisor == 0 && number % divisor == 0 ? left : two;
  if (rise == 0)
    return left;
  if (rise < 0 || before < 0)
    return two;
  if (guard.kind == Guard::Order) {
    // It comes to the bound, and stays behind it.
    bool isBelow = before < bound;
    return isBelow ? std::min(left, (bound - before + rise - 1) / rise) : left;
  }
  if (divisor <= 0 || bound < 0 || bound >= divisor || divisor % rise != 0)
    return two;
  const int64_t away = ((bound - before) % divisor + divisor) % divisor;
  return away % rise != 0 ? left : std::min(left, away / rise);
}

bool PanelReads::isAt(int64_t number) const {
  return llvm::all_of(all, [&](const Read &read) { return isAt(read, number); });
}

bool PanelReads::isAt(const Read &read, int64_t number) const {
  OpenReads::Box box, expected = read.first;
  if (read.along)
    expected[read.along] += number * read.first[read.along + 1];
  return footprint(program.accesses[read.site], box) && box == expected &&
         (!read.along || read.first[read.along + 2] == 1);
}

void PanelReads::extend(int64_t iterations) {
  for (const Read &read : all)
    if (read.along)
      reads.extend(read.site, read.along, iterations * read.first[read.along + 1]);
}
