// Loops that do nothing a trace records: the K-loop of a product over arguments that nobody writes, for example. All
// that can be wrong in one are its checks (a result that needs more bits, a view outside its buffer), and intervals
// show that none fails, however many iterations there are.
// Belongs here: which loops those are, and what intervals say of one. Does not: recording, and errors.
#pragma once

#include "passes/checker/RoleProgram.h"

namespace tilec::checker {

/// Sets `idle` in the loops of a program that neither synchronise nor access what could conflict, and that leave no
/// value behind.
void findIdleLoops(ProgramCode &program);

/// Whether an access needs no record: a read of this rank's copy of an argument that nobody writes.
bool isHarmless(const ProgramCode &program, const AccessSite &site, const std::vector<bool> &written);

/// [root]: whether some access writes it.
std::vector<bool> writtenRoots(const ProgramCode &program);

/// Evaluates idle loops over intervals.
class LoopIntervals {
public:
  LoopIntervals(const ProgramCode &program, const std::vector<int64_t> &slots)
      : program(program), slots(slots), known(program.numSlots), entered(program.numSlots, 0) {}

  enum class Outcome {
    Unknown, ///< the loop must be executed
    Silent,  ///< no check fails
    Meets    ///< nor here, and the threads of the workgroup meet
  };
  /// What all iterations of an idle loop together do, begun with the values in `slots`.
  Outcome evaluate(const CodeList &code, const Loop &loop);

private:
  struct Interval {
    int64_t low = 0, high = 0;
    bool isPoint() const { return low == high; }
    bool operator==(const Interval &other) const { return low == other.low && high == other.high; }
  };

  Interval of(uint32_t slot) const { return entered[slot] == round ? known[slot] : Interval{slots[slot], slots[slot]}; }
  void set(uint32_t slot, Interval value);
  bool begin(const Loop &loop);
  bool evaluateBody(const CodeList &code, const Loop &loop);
  bool evaluateStep(const Instruction &step);
  bool evaluateResult(const Instruction &step);
  static std::optional<Interval> product(Interval left, Interval right);
  std::optional<Interval> arithmetic(Code code, Interval left, Interval right) const;
  std::optional<Interval> quotient(Code code, Interval left, Interval right) const;
  std::optional<Interval> bits(Code code, Interval left, Interval right) const;
  bool staysInBuffers(const AccessSite &site) const;

  const ProgramCode &program;
  const std::vector<int64_t> &slots;
  std::vector<Interval> known;   ///< [slot], where `entered` says so
  std::vector<uint64_t> entered; ///< [slot]: the round that has set it
  uint64_t round = 0;
  bool changed = false, meets = false;
};

} // namespace tilec::checker
