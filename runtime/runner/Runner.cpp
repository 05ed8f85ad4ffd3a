// tilec-runner: runs prepared programs on the device of this machine. `runtime/runner/run` builds it where a GPU is;
// needs no compiler of programs.
#include "runner/Doctor.h"
#include "runner/Ranks.h"
#include "runner/Timing.h"
#include "runner/Trial.h"
#include "runner/Words.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

using namespace tilec::runner;

namespace {

constexpr const char *usage =
    R"(tilec-runner: programs that `tilec run --prepare` and `tilec tune --prepare` wrote, on the GPU of this machine

  tilec-runner [--relaunches N] [--seed N] [--deadline S] [--late MICROSECONDS] FOLDER...
                                                        compares every launch with what the oracle expects; one process
                                                        for each rank of a program's world, each on a GPU of its own,
                                                        each launch up to so late
  tilec-runner --time FILE FOLDER...                    times candidates of one program, writes FILE (JSON)
  tilec-runner --device                                 prints the name of the device
  tilec-runner --doctor                                 whether processes on the devices reach each other's memory

A wait that nothing satisfies ends after 60 s, or --deadline S; 0: never.
Exit status: 0 right, 1 wrong or an error, 2 too weak a bound to judge.
)";

struct Options {
  TrialOptions trial;
  std::string times; ///< file for the times of candidates; empty: compare
  bool device = false, doctor = false;
  std::vector<std::string> folders;
};

int number(const std::string &option, const char *text) {
  char *end = nullptr;
  const long value = text ? std::strtol(text, &end, 10) : -1;
  require(text && end != text && !*end && value >= 0 && value <= 1000000000,
          option + " takes a number, got '" + (text ? text : "") + "'");
  return int(value);
}

Options parse(int count, char **words) {
  Options options;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    const char *next = i + 1 < count ? words[i + 1] : nullptr;
    if (word == "--relaunches") {
      options.trial.relaunches = number(word, next);
      ++i;
    } else if (word == "--seed") {
      options.trial.seed = unsigned(number(word, next));
      ++i;
    } else if (word == "--late") {
      options.trial.late = number(word, next);
      ++i;
    } else if (word == "--deadline") {
      options.trial.deadline.seconds = unsigned(number(word, next));
      ++i;
    } else if (word == "--time") {
      require(next, "--time takes a file");
      options.times = next;
      ++i;
    } else if (word == "--device") {
      options.device = true;
    } else if (word == "--doctor") {
      options.doctor = true;
    } else {
      require(word.substr(0, 2) != "--", "unknown option '" + word + "'\n" + usage);
      options.folders.push_back(word);
    }
  }
  return options;
}

std::string deviceName() {
  char name[256];
  check(hipDeviceGetName(name, sizeof(name), 0), "asking for the name of the device");
  return name;
}

/// The worse of two: what is wrong is wrong whatever else could not be told.
Verdict worse(Verdict a, Verdict b) {
  if (a == Verdict::Wrong || b == Verdict::Wrong)
    return Verdict::Wrong;
  return std::max(a, b);
}

Report judge(const std::string &folder, int rank, const TrialOptions &options) {
  try {
    const PreparedProgram program = PreparedProgram::read(folder, rank);
    Trial trial(program, options);
    const Verdict verdict = trial.run();
    return {int(verdict), trial.words()};
  } catch (const std::exception &error) {
    return {int(Verdict::Wrong), std::string("FAILED: ") + error.what()};
  }
}

/// What this process does as a rank of the folders' world.
Verdict judgeAsRank(const Options &options, int rank) {
  Verdict verdict = Verdict::Right;
  for (const std::string &folder : options.folders) {
    const Report report = judge(folder, rank, options.trial);
    tell(PreparedProgram::labelOf(folder), report);
    verdict = worse(verdict, Verdict(report.verdict));
  }
  return verdict;
}

/// The folders by the world of their programs; one that cannot be read is judged, and found wrong, as a world of one.
std::map<int, std::vector<std::string>> byWorld(const std::vector<std::string> &folders) {
  std::map<int, std::vector<std::string>> result;
  for (const std::string &folder : folders) {
    int world = 1;
    try {
      world = PreparedProgram::worldOf(folder);
    } catch (const std::exception &) {
    }
    result[world].push_back(folder);
  }
  return result;
}

/// Judges the programs of one world and prints what every rank found. Returns the verdict and how many are right.
std::pair<Verdict, int> judgeWorld(int world, const std::vector<std::string> &folders, const TrialOptions &options) {
  std::unique_ptr<Ranks> ranks;
  if (world > 1) {
    requireDevices(world);
    std::vector<std::string> words = {
        "--relaunches", std::to_string(options.relaunches), "--seed",     std::to_string(options.seed),
        "--late",       std::to_string(options.late),       "--deadline", std::to_string(options.deadline.seconds)};
    words.insert(words.end(), folders.begin(), folders.end());
    ranks = std::make_unique<Ranks>(world, words);
  }
  Verdict verdict = Verdict::Right;
  int right = 0;
  for (const std::string &folder : folders) {
    const std::vector<Report> reports = ranks ? ranks->next() : std::vector{judge(folder, 0, options)};
    Verdict all = Verdict::Right;
    for (size_t rank = 0; rank < reports.size(); ++rank) {
      std::cout << PreparedProgram::labelOf(folder) << (ranks ? ", rank " + std::to_string(rank) : "") << ": "
                << reports[rank].words << std::endl;
      all = worse(all, Verdict(reports[rank].verdict));
    }
    right += all == Verdict::Right;
    verdict = worse(verdict, all);
  }
  return {verdict, right};
}

Verdict compareAll(const Options &options) {
  if (const int rank = rankOfProcess(); rank >= 0)
    return judgeAsRank(options, rank);
  Verdict verdict = Verdict::Right;
  int right = 0, most = 1;
  for (const auto &[world, folders] : byWorld(options.folders)) {
    const auto [one, good] = judgeWorld(world, folders, options.trial);
    verdict = worse(verdict, one);
    right += good;
    most = std::max(most, world);
  }
  if (options.folders.size() > 1)
    std::cout << right << " of " << options.folders.size() << " programs right on "
              << (most > 1 ? std::to_string(most) + " x " : "") << deviceName() << std::endl;
  return verdict;
}

void timeAll(const Options &options) {
  std::vector<PreparedProgram> candidates;
  for (const std::string &folder : options.folders)
    candidates.push_back(PreparedProgram::read(folder, /*rank=*/0));
  require(!candidates.empty(), "no candidate is given");
  require(candidates.front().world == 1,
          "candidates are timed in a world of one, got a world of " + std::to_string(candidates.front().world));
  nlohmann::json times = nlohmann::json::array();
  TimingOptions timing;
  timing.deadline = options.trial.deadline;
  for (const Timed &timed : timeCandidates(candidates, timing)) {
    nlohmann::json one = {{"candidate", timed.label}};
    if (timed.failure.empty())
      one.update({{"microseconds", timed.microseconds}, {"least", timed.least}, {"greatest", timed.greatest}});
    else
      one["failure"] = timed.failure;
    std::cout << one.dump() << std::endl;
    times.push_back(one);
  }
  std::ofstream file(options.times);
  file << nlohmann::json{{"device", deviceName()}, {"times", times}}.dump(2) << "\n";
  require(bool(file.flush()), "cannot write '" + options.times + "'");
}

} // namespace

int main(int count, char **words) {
  try {
    const Options options = parse(count, words);
    require(options.device || options.doctor || !options.folders.empty(), std::string("no folder is given\n") + usage);
    requireDevice();
    if (options.doctor && rankOfProcess() >= 0) {
      tell("doctor", examineRank());
      return 0;
    }
    if (options.doctor)
      return examineMachine() ? 0 : 1;
    if (options.device)
      std::cout << deviceName() << std::endl;
    if (options.folders.empty())
      return 0;
    if (options.times.empty())
      return int(compareAll(options));
    timeAll(options);
    return 0;
  } catch (const std::exception &error) {
    std::cerr << "tilec-runner: error: " << error.what() << std::endl;
    return 1;
  }
}
