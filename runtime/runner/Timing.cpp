// Rounds of launches between two events.
#include "runner/Timing.h"
#include "runner/Words.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

using namespace tilec::runner;

namespace {

/// Copies of the arguments in turn, so that none is in the L2 from the launch before.
constexpr int copies = 3;

/// Normal floats and small whole numbers. One block repeats: drawing all would take longer than what is measured.
std::vector<char> draw(const Argument &argument, unsigned seed) {
  constexpr size_t blockElements = 1000003; // a prime: rows do not repeat at the same place
  std::mt19937 generator(seed);
  std::normal_distribution<double> normal;
  const size_t width = size_t(argument.element.bytes), count = argument.bytes() / width;
  std::vector<char> block(std::min(count, blockElements) * width);
  for (size_t i = 0; i < block.size(); i += width)
    argument.element.store(argument.element.isFloat ? normal(generator) : double(generator() % 4), &block[i]);
  std::vector<char> bytes(count * width);
  for (size_t i = 0; i < bytes.size(); i += block.size())
    std::memcpy(&bytes[i], block.data(), std::min(block.size(), bytes.size() - i));
  return bytes;
}

class Stopwatch {
public:
  Stopwatch() {
    check(hipEventCreate(&begin), "hipEventCreate");
    check(hipEventCreate(&end), "hipEventCreate");
  }
  ~Stopwatch() {
    (void)hipEventDestroy(begin);
    (void)hipEventDestroy(end);
  }
  Stopwatch(const Stopwatch &) = delete;

  /// Microseconds of what `work` enqueues.
  template <typename Work>
  double measure(hipStream_t stream, Work &&work) const {
    float milliseconds = 0;
    check(hipEventRecord(begin, stream), "hipEventRecord");
    work();
    check(hipEventRecord(end, stream), "hipEventRecord");
    check(hipEventSynchronize(end), "hipEventSynchronize");
    check(hipEventElapsedTime(&milliseconds, begin, end), "hipEventElapsedTime");
    return double(milliseconds) * 1000;
  }

private:
  hipEvent_t begin, end;
};

/// A candidate that runs, and how often per round.
struct Runner {
  hipGraphExec_t graph = nullptr; ///< one launch of each copy
  int replays = 1;
  std::vector<double> times;
};

void fillArguments(const Session &session, const PreparedLaunch &launch, unsigned seed) {
  for (int copy = 0; copy < copies; ++copy)
    for (size_t i = 0; i < launch.arguments.size(); ++i) {
      const std::vector<char> bytes = draw(launch.arguments[i], seed + unsigned(copy) * 64 + unsigned(i));
      check(hipMemcpy(session.argument(copy, i), bytes.data(), bytes.size(), hipMemcpyHostToDevice), "hipMemcpy");
    }
}

/// Why a candidate cannot be timed; empty when it can. Found out alone: what fails ends the world that it is in.
std::string refusal(const PreparedProgram &candidate, unsigned seed) {
  try {
    Session session({&candidate}, copies, /*guard=*/0);
    fillArguments(session, candidate.launches.front(), seed);
    session.launch(0, candidate.launches.front().extents);
    session.finish();
    return "";
  } catch (const std::exception &error) {
    return error.what();
  }
}

/// Captures one launch of each copy of the arguments, and finds out how many replays fill a round.
Runner prepare(Session &session, const Stopwatch &watch, size_t program, const PreparedLaunch &launch,
               double milliseconds) {
  constexpr int mostReplays = 1000;
  Runner runner;
  runner.graph = session.capture([&] {
    for (int copy = 0; copy < copies; ++copy)
      session.launch(program, launch.extents, copy);
  });
  session.replay(runner.graph);
  session.finish();
  const double once = watch.measure(session.queue(), [&] { session.replay(runner.graph); });
  runner.replays = std::clamp(int(std::ceil(milliseconds * 1000 / std::max(once, 1.0))), 1, mostReplays);
  return runner;
}

} // namespace

std::vector<Timed> tilec::runner::timeCandidates(const std::vector<PreparedProgram> &candidates,
                                                 const TimingOptions &options) {
  std::vector<Timed> result;
  std::vector<const PreparedProgram *> able;
  std::vector<size_t> numbers;
  for (const PreparedProgram &candidate : candidates) {
    result.push_back({candidate.label, 0, 0, 0, refusal(candidate, options.seed)});
    if (!result.back().failure.empty())
      continue;
    able.push_back(&candidate);
    numbers.push_back(result.size() - 1);
  }
  if (able.empty())
    return result;
  const PreparedLaunch &launch = able.front()->launches.front();
  Session session(able, copies, /*guard=*/0);
  fillArguments(session, launch, options.seed);
  const Stopwatch watch;
  std::vector<Runner> runners;
  for (size_t i = 0; i < able.size(); ++i)
    runners.push_back(prepare(session, watch, i, launch, options.milliseconds));
  for (int round = 0; round < options.rounds; ++round)
    for (Runner &runner : runners) {
      const double time = watch.measure(session.queue(), [&] {
        for (int i = 0; i < runner.replays; ++i)
          session.replay(runner.graph);
      });
      runner.times.push_back(time / (runner.replays * copies));
    }
  session.finish();
  for (size_t i = 0; i < runners.size(); ++i) {
    std::vector<double> &times = runners[i].times;
    std::sort(times.begin(), times.end());
    Timed &timed = result[numbers[i]];
    timed.microseconds = times[times.size() / 2];
    timed.least = times.front();
    timed.greatest = times.back();
  }
  return result;
}
