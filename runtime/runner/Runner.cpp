// tilec-runner: runs prepared programs on the device of this machine. `runtime/runner/run` builds it where a GPU is;
// needs no compiler of programs.
#include "runner/Timing.h"
#include "runner/Trial.h"
#include "runner/Words.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

using namespace tilec::runner;

namespace {

constexpr const char *usage =
    R"(tilec-runner: programs that `tilec run --prepare` and `tilec tune --prepare` wrote, on the GPU of this machine

  tilec-runner [--relaunches N] [--seed N] FOLDER...    compares every launch with what the oracle expects
  tilec-runner --time FILE FOLDER...                    times candidates of one program, writes FILE (JSON)
  tilec-runner --device                                 prints the name of the device

Exit status: 0 right, 1 wrong or an error, 2 too weak a bound to judge.
)";

struct Options {
  TrialOptions trial;
  std::string times; ///< file for the times of candidates; empty: compare
  bool device = false;
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
    } else if (word == "--time") {
      require(next, "--time takes a file");
      options.times = next;
      ++i;
    } else if (word == "--device") {
      options.device = true;
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

Verdict judge(const std::string &folder, const TrialOptions &options) {
  std::string label = folder;
  try {
    const PreparedProgram program = PreparedProgram::read(folder);
    label = program.label;
    Trial trial(program, options);
    const Verdict verdict = trial.run();
    std::cout << label << ": " << trial.words() << std::endl;
    return verdict;
  } catch (const std::exception &error) {
    std::cout << label << ": FAILED: " << error.what() << std::endl;
    return Verdict::Wrong;
  }
}

Verdict compareAll(const Options &options) {
  Verdict verdict = Verdict::Right;
  int right = 0;
  for (const std::string &folder : options.folders) {
    const Verdict one = judge(folder, options.trial);
    right += one == Verdict::Right;
    verdict = worse(verdict, one);
  }
  if (options.folders.size() > 1)
    std::cout << right << " of " << options.folders.size() << " programs right on " << deviceName() << std::endl;
  return verdict;
}

void timeAll(const Options &options) {
  std::vector<PreparedProgram> candidates;
  for (const std::string &folder : options.folders)
    candidates.push_back(PreparedProgram::read(folder));
  require(!candidates.empty(), "no candidate is given");
  nlohmann::json times = nlohmann::json::array();
  for (const Timed &timed : timeCandidates(candidates, {})) {
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
    require(options.device || !options.folders.empty(), std::string("no folder is given\n") + usage);
    requireDevice();
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
