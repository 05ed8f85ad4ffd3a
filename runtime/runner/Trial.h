// A program's launches against what the oracle expects of them: eager, captured, and many of both in a random order.
#ifndef TILEC_RUNNER_TRIAL_H
#define TILEC_RUNNER_TRIAL_H

#include "runner/Outcomes.h"
#include "runner/Session.h"
#include <random>
#include <string>

namespace tilec::runner {

/// What a trial says of a program; the value is the exit code.
enum class Verdict { Right = 0, Wrong = 1, TooWeak = 2 };

struct TrialOptions {
  int relaunches = 100; ///< launches in a random order of extents, half of them replays, after those that are first
  unsigned seed = 1;    ///< of that order
  int late = 0;         ///< microseconds: the most that a rank waits before it makes a launch
  Deadline deadline;
};

class Trial {
public:
  Trial(const PreparedProgram &program, const TrialOptions &options);

  /// Throws std::runtime_error where a launch fails.
  Verdict run();
  /// One line of what `run` found, and of the time of a launch; more where something is wrong.
  std::string words();

private:
  /// Of the element with the largest error, and of all elements.
  struct Findings {
    double error = 0, bound = 0, share = 0;
    std::string place = "-";
    long long exceeded = 0, weak = 0, stray = 0;
    long long unjudged = 0;     ///< weak where no outcome was kept for the oracle
    double got = 0, wanted = 0; ///< of the element furthest beyond its bound
  };

  void fill(size_t launch);
  void beLate();
  void launchEagerly(size_t launch);
  void launchCaptured(size_t launch);
  void compare(size_t launch);
  void compareArgument(const Argument &argument, const Expected &expected, const std::vector<char> &got, double scale,
                       size_t launch);
  bool keepOutcome(size_t launch, const std::vector<std::vector<char>> &results);
  void relaunch();
  void requireEpochs();
  double microseconds();

  const PreparedProgram &program;
  const TrialOptions options;
  std::mt19937 lateness; ///< of this rank
  Session session;
  Outcomes outcomes;
  std::vector<std::vector<void *>> images; ///< [launch][argument] device memory: the argument before the launch
  std::vector<hipGraphExec_t> graphs;      ///< [launch] null until captured
  std::vector<std::vector<std::vector<char>>> accepted; ///< [launch][argument] bytes of the last result found right
  Findings found;
  int eager = 0, replayed = 0;
};

} // namespace tilec::runner

#endif // TILEC_RUNNER_TRIAL_H
