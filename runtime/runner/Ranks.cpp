// Starting and hearing ranks.
#include "runner/Ranks.h"
#include "runner/Words.h"
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <nlohmann/json.hpp>
#include <random>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tilec::runner;

namespace {

constexpr const char *reportVariable = "TILEC_RUNNER_REPORT";

std::string howEnded(int status) {
  return WIFSIGNALED(status) ? std::string("was ended by signal: ") + strsignal(WTERMSIG(status))
                             : "ended with exit code " + std::to_string(WEXITSTATUS(status));
}

} // namespace

int tilec::runner::rankOfProcess() {
  const char *text = std::getenv("TILEC_RANK");
  return text ? std::atoi(text) : -1;
}

void tilec::runner::tell(const std::string &label, const Report &report) {
  const char *descriptor = std::getenv(reportVariable);
  if (!descriptor) {
    std::cout << label << ", rank " << rankOfProcess() << ": " << report.words << std::endl;
    return;
  }
  const std::string line = nlohmann::json{{"verdict", report.verdict}, {"words", report.words}}.dump() + "\n";
  for (size_t done = 0; done < line.size();) {
    const ssize_t written = write(std::atoi(descriptor), line.data() + done, line.size() - done);
    require(written > 0 || errno == EINTR, "nobody hears this rank any more");
    done += written > 0 ? size_t(written) : 0;
  }
}

Ranks::Ranks(int world, const std::vector<std::string> &words) : processes(size_t(world)) {
  std::random_device random;
  const std::string job = "runner " + std::to_string(getpid()) + " " + std::to_string(random());
  // What is in a buffer would be printed by every rank.
  std::cout.flush();
  for (int rank = 0; rank < world; ++rank)
    start(rank, world, job, words);
}

void Ranks::start(int rank, int world, const std::string &job, const std::vector<std::string> &words) {
  int ends[2];
  require(pipe(ends) == 0, std::string("making a pipe: ") + std::strerror(errno));
  const pid_t parent = getpid(), made = fork();
  require(made >= 0, std::string("starting a rank: ") + std::strerror(errno));
  if (made > 0) {
    close(ends[1]);
    processes[size_t(rank)].number = made;
    processes[size_t(rank)].report = ends[0];
    return;
  }
  // A rank does not outlive who started it.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent)
    _exit(1);
  close(ends[0]);
  for (const Process &other : processes)
    if (other.report >= 0)
      close(other.report);
  setenv("TILEC_RANK", std::to_string(rank).c_str(), 1);
  setenv("TILEC_WORLD", std::to_string(world).c_str(), 1);
  setenv("TILEC_JOB", job.c_str(), 1);
  setenv(reportVariable, std::to_string(ends[1]).c_str(), 1);
  std::string name = "tilec-runner";
  std::vector<std::string> copies = words;
  std::vector<char *> pointers{name.data()};
  for (std::string &word : copies)
    pointers.push_back(word.data());
  pointers.push_back(nullptr);
  execv("/proc/self/exe", pointers.data());
  _exit(127);
}

Ranks::~Ranks() {
  for (Process &process : processes) {
    if (process.report >= 0)
      close(process.report);
    if (process.number)
      (void)waitpid(process.number, nullptr, 0);
  }
}

std::vector<Report> Ranks::next() {
  std::vector<Report> reports;
  for (Process &process : processes)
    reports.push_back(hear(process));
  return reports;
}

Report Ranks::hear(Process &process) {
  char buffer[4096];
  size_t line;
  while ((line = process.heard.find('\n')) == std::string::npos && process.number) {
    const ssize_t got = read(process.report, buffer, sizeof(buffer));
    if (got > 0)
      process.heard.append(buffer, size_t(got));
    else if (got == 0 || errno != EINTR) {
      int status = 0;
      (void)waitpid(std::exchange(process.number, 0), &status, 0);
      process.end = howEnded(status);
    }
  }
  if (line == std::string::npos)
    return {1, "FAILED: the process " + process.end};
  const nlohmann::json json = nlohmann::json::parse(process.heard.substr(0, line));
  process.heard.erase(0, line + 1);
  return {json.at("verdict"), json.at("words")};
}
