// Judging launches.
#include "runner/Trial.h"
#include "runner/Words.h"
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <thread>

using namespace tilec::runner;

namespace {

/// Bytes behind every argument that nobody may change, as those between the elements of a strided one.
constexpr size_t guardBytes = 256;
/// Launches that are timed, one after the other.
constexpr int timedLaunches = 21;
/// Launches of the same extents in a row, the last of which is compared.
constexpr unsigned mostInARow = 4;

std::string printed(const char *format, double value) {
  char text[64];
  std::snprintf(text, sizeof(text), format, value);
  return text;
}

double largestMagnitude(const PreparedLaunch &launch) {
  double largest = 0;
  for (size_t i = 0; i < launch.arguments.size(); ++i)
    for (const double value : launch.expected[i].after)
      if (launch.arguments[i].element.isFloat && std::isfinite(value))
        largest = std::max(largest, std::fabs(value));
  return largest;
}

} // namespace

Trial::Trial(const PreparedProgram &program, const TrialOptions &options)
    : program(program), options(options), lateness(options.seed + unsigned(program.rank)),
      session({&program}, /*copies=*/1, guardBytes, options.deadline), outcomes(program),
      graphs(program.launches.size()), accepted(program.launches.size()) {
  for (const PreparedLaunch &launch : program.launches) {
    require(launch.expected.size() == launch.arguments.size(), "the folder holds no expectation");
    std::vector<void *> &all = images.emplace_back();
    for (size_t i = 0; i < launch.arguments.size(); ++i) {
      const Argument &argument = launch.arguments[i];
      const size_t width = size_t(argument.element.bytes);
      std::vector<char> image(session.capacity(i) + guardBytes, '\xff');
      for (std::int64_t e = 0; e < argument.elements(); ++e)
        std::memcpy(&image[argument.offset(e)], &launch.expected[i].before[size_t(e) * width], width);
      check(hipMalloc(&all.emplace_back(), image.size()), "hipMalloc");
      check(hipMemcpy(all.back(), image.data(), image.size(), hipMemcpyHostToDevice), "hipMemcpy");
    }
  }
}

/// A launch must write what it says, and read nothing that nobody wrote: all else is NaN.
void Trial::fill(size_t launch) {
  const PreparedLaunch &prepared = program.launches[launch];
  for (size_t i = 0; i < prepared.arguments.size(); ++i)
    if (prepared.arguments[i].isNumber())
      session.give(0, i, prepared.expected[i].before.data());
  for (size_t i = 0; i < images[launch].size(); ++i)
    check(hipMemcpyAsync(session.argument(0, i), images[launch][i], session.capacity(i) + guardBytes,
                         hipMemcpyDeviceToDevice, session.queue()),
          "hipMemcpyAsync");
}

void Trial::beLate() {
  if (options.late)
    std::this_thread::sleep_for(std::chrono::microseconds(lateness() % unsigned(options.late + 1)));
}

void Trial::launchEagerly(size_t launch) {
  beLate();
  session.launch(0, program.launches[launch].extents);
  ++eager;
}

void Trial::launchCaptured(size_t launch) {
  if (!graphs[launch])
    graphs[launch] = session.capture([&] { session.launch(0, program.launches[launch].extents); });
  beLate();
  session.replay(graphs[launch]);
  ++replayed;
}

/// Some times the least normal f32, which zeros may be off by.
constexpr double flushed = 0x1p-120;

/// As the oracle's comparison does (passes/interpreter/Inputs.cpp).
void Trial::compareArgument(const Argument &argument, const Expected &expected, const std::vector<char> &got,
                            double scale, size_t launch) {
  std::vector<bool> owned(got.size());
  double furthest = 0;
  for (std::int64_t e = 0; e < argument.elements(); ++e) {
    const size_t at = argument.offset(e), width = size_t(argument.element.bytes);
    std::fill_n(owned.begin() + std::ptrdiff_t(at), width, true);
    const double value = argument.element.value(&got[at]), wanted = expected.after[size_t(e)];
    const double limit = expected.bound[size_t(e)];
    double difference = std::fabs(value - wanted);
    if (!argument.element.isFloat) // a double holds 53 of their bits
      difference = argument.element.whole(&got[at]) == expected.whole[size_t(e)] ? 0 : std::max(difference, 1.0);
    else if (value == wanted || (std::isnan(value) && std::isnan(wanted)))
      difference = 0;
    else if (std::isnan(difference))
      difference = INFINITY;
    const double share = difference == 0 ? 0 : limit == 0 ? INFINITY : difference / limit;
    found.exceeded += difference > limit;
    found.weak += !std::isfinite(limit) || (argument.element.isFloat && limit > flushed && limit >= scale);
    found.share = std::max(found.share, share);
    if (difference > limit && share > furthest) {
      furthest = share;
      found.got = value;
      found.wanted = wanted;
    }
    if (difference > found.error || (difference == found.error && found.place == "-" && limit > 0)) {
      found.error = difference;
      found.bound = limit;
      found.place = "%" + argument.name + argument.place(e);
      if (program.launches.size() > 1)
        found.place += " in launch " + std::to_string(launch);
    }
  }
  for (size_t i = 0; i < got.size(); ++i)
    found.stray += !owned[i] && got[i] != '\xff';
}

/// What the launch left in arguments and scratch, where the oracle can follow it.
bool Trial::keepOutcome(size_t launch, const std::vector<std::vector<char>> &results) {
  const PreparedLaunch &prepared = program.launches[launch];
  if (prepared.scratch.empty())
    return false;
  std::vector<std::vector<char>> elements, scratch;
  for (size_t i = 0; i < results.size(); ++i) {
    const Argument &argument = prepared.arguments[i];
    const auto width = std::ptrdiff_t(argument.element.bytes);
    std::vector<char> &dense = elements.emplace_back();
    for (std::int64_t e = 0; e < argument.elements(); ++e) {
      const auto from = results[i].begin() + std::ptrdiff_t(argument.offset(e));
      dense.insert(dense.end(), from, from + width);
    }
  }
  for (const Scratch &buffer : prepared.scratch)
    scratch.push_back(session.scratch(0, prepared.extents, buffer));
  return outcomes.keep(launch, std::move(elements), std::move(scratch));
}

void Trial::compare(size_t launch) {
  session.finish();
  const PreparedLaunch &prepared = program.launches[launch];
  std::vector<std::vector<char>> results;
  for (size_t i = 0; i < prepared.arguments.size(); ++i) {
    std::vector<char> &got = results.emplace_back(session.capacity(i) + guardBytes);
    check(hipMemcpy(got.data(), session.argument(0, i), got.size(), hipMemcpyDeviceToHost), "hipMemcpy");
  }
  const bool kept = keepOutcome(launch, results);
  // Bytes that were right once are right.
  if (results == accepted[launch])
    return;
  const long long wrong = found.exceeded + found.weak + found.stray, weak = found.weak;
  const double scale = largestMagnitude(prepared);
  for (size_t i = 0; i < results.size(); ++i)
    compareArgument(prepared.arguments[i], prepared.expected[i], results[i], scale, launch);
  found.unjudged += kept ? 0 : found.weak - weak;
  if (wrong == found.exceeded + found.weak + found.stray)
    accepted[launch] = std::move(results);
}

/// Epochs are counted on the device, over eager and captured launches alike: those queued in any order are right, and
/// nothing of a launch with other extents is left.
void Trial::relaunch() {
  std::mt19937 random(options.seed);
  for (int done = 0; done < options.relaunches;) {
    const size_t launch = random() % program.launches.size();
    for (unsigned left = 1 + random() % mostInARow; left > 0; --left, ++done) {
      fill(launch);
      if (random() % 2)
        launchEagerly(launch);
      else
        launchCaptured(launch);
    }
    compare(launch);
  }
}

void Trial::requireEpochs() {
  // What has no task starts no kernel.
  for (const PreparedLaunch &launch : program.launches)
    if (std::count(launch.extents.begin(), launch.extents.end(), 0))
      return;
  const unsigned counted = session.epoch(0), expected = unsigned(eager + replayed);
  require(counted == expected, "the device counted " + std::to_string(counted) + " launches, expected " +
                                   std::to_string(expected) + ": " + std::to_string(eager) + " eager ones and " +
                                   std::to_string(replayed) + " replays");
}

Verdict Trial::run() {
  for (size_t launch = 0; launch < program.launches.size(); ++launch) {
    fill(launch);
    launchEagerly(launch);
    compare(launch);
  }
  // What is persistent makes each launch one of a sequence.
  if (!program.keepsScratch) {
    for (size_t launch = 0; launch < program.launches.size(); ++launch) {
      fill(launch);
      launchCaptured(launch);
      compare(launch);
    }
    relaunch();
  }
  requireEpochs();
  outcomes.finish(found.exceeded || found.stray, found.unjudged);
  if (found.exceeded || found.stray)
    return Verdict::Wrong;
  return found.weak ? Verdict::TooWeak : Verdict::Right;
}

/// Median of the times of single launches.
double Trial::microseconds() {
  hipEvent_t begin, end;
  check(hipEventCreate(&begin), "hipEventCreate");
  check(hipEventCreate(&end), "hipEventCreate");
  std::vector<float> times;
  for (int i = 0; i < timedLaunches; ++i) {
    fill(0);
    check(hipEventRecord(begin, session.queue()), "hipEventRecord");
    session.launch(0, program.launches[0].extents);
    check(hipEventRecord(end, session.queue()), "hipEventRecord");
    check(hipEventSynchronize(end), "hipEventSynchronize");
    check(hipEventElapsedTime(&times.emplace_back(), begin, end), "hipEventElapsedTime");
  }
  (void)hipEventDestroy(begin);
  (void)hipEventDestroy(end);
  std::sort(times.begin(), times.end());
  return times[times.size() / 2] * 1000;
}

std::string Trial::words() {
  // The others make as many launches for it.
  const double time = microseconds();
  std::string text = "largest error " + printed("%.3g", found.error) + ", bound " + printed("%.3g", found.bound) +
                     " at " + found.place + "; largest share of a bound " + printed("%.2g", found.share) + "; " +
                     std::to_string(eager) + " launches, " + std::to_string(replayed) + " replays; " +
                     printed("%.1f", time) + " us";
  text += found.exceeded || found.stray ? ", WRONG" : found.weak ? ", too weak to judge" : "";
  if (found.exceeded)
    text += "\n  " + std::to_string(found.exceeded) + " elements exceed their bound; the furthest is " +
            printed("%.9g", found.got) + ", expected " + printed("%.9g", found.wanted);
  if (found.weak)
    text += "\n  the bound of " + std::to_string(found.weak) + " elements is no smaller than the data" +
            (found.unjudged ? ""
                            : "; the oracle follows what was kept of " + std::to_string(outcomes.count()) +
                                  " outcomes: tilec run --judge KIT");
  if (found.stray)
    text += "\n  " + std::to_string(found.stray) +
            " bytes behind the end of an argument or between its elements "
            "have changed";
  return text;
}
