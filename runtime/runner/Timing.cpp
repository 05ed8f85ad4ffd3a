// Rounds of launches between two events.
#include "runner/Timing.h"
#include "runner/Words.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <random>

using namespace tilec::runner;

namespace {

/// Copies of the arguments in turn, so that none is in the L2 from the launch before: small ones need more of them. A
/// product of 1000 x 1144 x 1096 whose operands are there is fastest with other tiles than one that finds them in
/// memory.
size_t copiesOf(const PreparedLaunch &launch) {
  constexpr size_t fewest = 3, most = 64, caches = 3;
  int device = 0, cache = 0;
  check(hipGetDevice(&device), "hipGetDevice");
  check(hipDeviceGetAttribute(&cache, hipDeviceAttributeL2CacheSize, device), "asking for the size of the L2");
  size_t bytes = 1;
  for (const Argument &argument : launch.arguments)
    bytes += argument.bytes();
  return std::clamp(caches * size_t(cache) / bytes + 1, fewest, most);
}

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

/// What every copy of every argument holds. Drawn once: drawing takes longer than most launches.
class Data {
public:
  Data(const PreparedLaunch &launch, unsigned seed) : launch(launch), data(copiesOf(launch)) {
    for (size_t copy = 0; copy < copies(); ++copy)
      for (size_t i = 0; i < launch.arguments.size(); ++i)
        data[copy].push_back(draw(launch.arguments[i], seed + unsigned(copy * launch.arguments.size() + i)));
  }
  size_t copies() const { return data.size(); }
  void fill(Session &session) const {
    for (size_t copy = 0; copy < copies(); ++copy)
      for (size_t i = 0; i < data[copy].size(); ++i)
        if (launch.arguments[i].isNumber())
          session.give(int(copy), i, data[copy][i].data());
        else
          check(hipMemcpy(session.argument(int(copy), i), data[copy][i].data(), data[copy][i].size(),
                          hipMemcpyHostToDevice),
                "hipMemcpy");
  }

private:
  const PreparedLaunch &launch;
  std::vector<std::vector<std::vector<char>>> data; ///< [copy][argument]
};

/// A candidate that runs, and how often per round.
struct Runner {
  size_t program = 0;             ///< in the session
  hipGraphExec_t graph = nullptr; ///< one launch of each copy
  double once = 0;                ///< microseconds of a replay, the first that was timed
  std::vector<double> times;      ///< of a launch, by round
};

/// Why a candidate cannot be timed; empty when it can. Found out alone: what fails ends the world that it is in.
std::string refusal(const PreparedProgram &candidate, const Data &data, Deadline deadline) {
  try {
    Session session({&candidate}, int(data.copies()), /*guard=*/0, deadline);
    data.fill(session);
    session.launch(0, candidate.launches.front().extents);
    session.finish();
    return "";
  } catch (const std::exception &error) {
    return error.what();
  }
}

Runner prepare(Session &session, const Stopwatch &watch, size_t program, const PreparedLaunch &launch, size_t copies) {
  Runner runner;
  runner.program = program;
  runner.graph = session.capture([&] {
    for (size_t copy = 0; copy < copies; ++copy)
      session.launch(program, launch.extents, int(copy));
  });
  session.replay(runner.graph);
  runner.once = watch.measure(session.queue(), [&] { session.replay(runner.graph); });
  return runner;
}

void runRound(const Session &session, const Stopwatch &watch, Runner &runner, double milliseconds, size_t copies) {
  constexpr double mostReplays = 1000;
  const int replays = int(std::clamp(std::ceil(milliseconds * 1000 / std::max(runner.once, 1.0)), 1.0, mostReplays));
  const double time = watch.measure(session.queue(), [&] {
    for (int i = 0; i < replays; ++i)
      session.replay(runner.graph);
  });
  runner.times.push_back(time / double(size_t(replays) * copies));
}

} // namespace

std::vector<Timed> tilec::runner::timeCandidates(const std::vector<PreparedProgram> &candidates,
                                                 const TimingOptions &options) {
  const PreparedLaunch &launch = candidates.front().launches.front();
  const Data data(launch, options.seed);
  std::vector<Timed> result;
  std::vector<const PreparedProgram *> able;
  std::vector<size_t> numbers;
  for (const PreparedProgram &candidate : candidates) {
    result.push_back({candidate.label, 0, 0, 0, refusal(candidate, data, options.deadline)});
    if (!result.back().failure.empty())
      continue;
    able.push_back(&candidate);
    numbers.push_back(result.size() - 1);
  }
  if (able.empty())
    return result;
  Session session(able, int(data.copies()), /*guard=*/0, options.deadline);
  data.fill(session);
  const Stopwatch watch;
  std::vector<Runner> runners;
  double fastest = INFINITY;
  for (size_t i = 0; i < able.size(); ++i) {
    runners.push_back(prepare(session, watch, i, launch, data.copies()));
    fastest = std::min(fastest, runners.back().once);
  }
  // What is far behind gets no more than one round: it could take minutes. What ran before changes a candidate's
  // clocks: a device at its limit of power is faster behind one that needs little, so that each round has an order of
  // its own.
  std::vector<size_t> order(runners.size());
  std::iota(order.begin(), order.end(), 0);
  std::mt19937 random(options.seed);
  for (int round = 0; round < options.rounds; ++round) {
    std::shuffle(order.begin(), order.end(), random);
    for (size_t number : order) {
      Runner &runner = runners[number];
      const bool hopeful = runner.once <= options.hopeless * fastest;
      if (hopeful)
        runRound(session, watch, runner, options.milliseconds, data.copies());
      else if (round == 0)
        runRound(session, watch, runner, /*milliseconds=*/0, data.copies());
    }
  }
  session.finish();
  for (Runner &runner : runners) {
    std::vector<double> &times = runner.times;
    std::sort(times.begin(), times.end());
    Timed &timed = result[numbers[runner.program]];
    timed.microseconds = times[times.size() / 2];
    timed.least = times.front();
    timed.greatest = times.back();
  }
  return result;
}
