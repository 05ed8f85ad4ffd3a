// `tilec launch`.
#include "codegen/tilec/Launch.h"

#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

#include <csignal>
#include <cstring>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/// The environment of this process with three more variables.
static std::vector<std::string> environmentOf(int rank, int world) {
  std::vector<std::string> result;
  for (char **entry = environ; *entry; ++entry)
    result.push_back(*entry);
  result.push_back("TILEC_RANK=" + std::to_string(rank));
  result.push_back("TILEC_WORLD=" + std::to_string(world));
  result.push_back("TILEC_JOB=" + std::to_string(getpid()));
  return result;
}

static std::vector<char *> pointersTo(std::vector<std::string> &strings) {
  std::vector<char *> pointers;
  for (std::string &string : strings)
    pointers.push_back(string.data());
  pointers.push_back(nullptr);
  return pointers;
}

static void endAll(const std::vector<pid_t> &ranks) {
  for (pid_t rank : ranks)
    if (rank > 0)
      kill(rank, SIGTERM);
}

int tilec::launch(const Options &options) {
  if (options.program.empty() || options.ranks < 1) {
    llvm::WithColor::error(llvm::errs(), "tilec")
        << (options.ranks < 1 ? "a world has at least 1 rank, got " + std::to_string(options.ranks)
                              : "no application to launch")
        << "\n";
    return 1;
  }
  std::vector<std::string> words = options.program;
  std::vector<char *> arguments = pointersTo(words);
  std::vector<pid_t> ranks(options.ranks, 0);
  for (int rank = 0; rank < options.ranks; ++rank) {
    std::vector<std::string> environment = environmentOf(rank, options.ranks);
    if (int error = posix_spawnp(&ranks[rank], words[0].c_str(), nullptr, nullptr, arguments.data(),
                                 pointersTo(environment).data())) {
      llvm::WithColor::error(llvm::errs(), "tilec")
          << "cannot start '" << words[0] << "': " << std::strerror(error) << "\n";
      ranks[rank] = 0;
      endAll(ranks);
      return 1;
    }
  }
  int result = 0;
  for (int left = options.ranks; left > 0; --left) {
    int status;
    pid_t ended = waitpid(-1, &status, 0);
    for (pid_t &rank : ranks)
      if (rank == ended)
        rank = 0;
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    if (code && !result) {
      result = code;
      endAll(ranks);
    }
  }
  return result;
}
