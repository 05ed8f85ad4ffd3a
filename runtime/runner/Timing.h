// Candidates of one program side by side: random data, several copies of the arguments in turn, all in one process.
#ifndef TILEC_RUNNER_TIMING_H
#define TILEC_RUNNER_TIMING_H

#include "runner/Session.h"
#include <string>

namespace tilec::runner {

struct TimingOptions {
  int rounds = 7;           ///< each times every candidate once
  double milliseconds = 10; ///< of a candidate in a round, about
  unsigned seed = 1;        ///< of the data
  double hopeless = 2;      ///< times as slow as the fastest: timed no more than once
  Deadline deadline;
};

struct Timed {
  std::string label;
  double microseconds = 0;        ///< median over the rounds of a launch's mean
  double least = 0, greatest = 0; ///< over the rounds
  std::string failure;            ///< instead, where it could not be loaded or a launch failed
};

/// Times the candidates: folders of one program with the same launch, compiled in different ways. The first launch of
/// each folder is the one that is timed.
std::vector<Timed> timeCandidates(const std::vector<PreparedProgram> &candidates, const TimingOptions &options);

} // namespace tilec::runner

#endif // TILEC_RUNNER_TIMING_H
