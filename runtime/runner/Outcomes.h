// What launches left, kept for the oracle: `tilec run --judge` follows it (docs/device.md).
#ifndef TILEC_RUNNER_OUTCOMES_H
#define TILEC_RUNNER_OUTCOMES_H

#include "runner/Launches.h"

namespace tilec::runner {

/// The outcomes of a program's launches that differ in a byte of an argument or of scratch, each in a folder
/// `outcome-LAUNCH-NUMBER` of the program's: `NAME.bin`, the elements of an argument without gaps, and `NAME.scratch`.
class Outcomes {
public:
  /// Removes those of an earlier run.
  explicit Outcomes(const PreparedProgram &program);

  /// [argument] and [scratch] bytes. False where a launch has too many outcomes to keep one more.
  bool keep(size_t launch, std::vector<std::vector<char>> arguments, std::vector<std::vector<char>> scratch);
  /// Writes outcomes.json: how many there are of each launch, and what the runner says beside them. `wrong`: an element
  /// or a byte; `unjudged`: a bound was too weak where nothing was kept.
  void finish(bool wrong, bool unjudged) const;

  size_t count() const;

private:
  struct Outcome {
    std::vector<std::vector<char>> arguments, scratch;
    bool operator==(const Outcome &) const = default;
  };
  const PreparedProgram &program;
  std::vector<std::vector<Outcome>> kept; ///< [launch]
};

} // namespace tilec::runner

#endif // TILEC_RUNNER_OUTCOMES_H
