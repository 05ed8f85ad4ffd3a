// `tilec launch`.
#include "codegen/tilec/commands/Launch.h"
#include "tilec/constants.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <random>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tilec;

extern char **environ;

namespace {

/// The processes, each the leader of a group of its own, for the handler of signals; plain data, since a handler may
/// look at any moment.
volatile pid_t running[most_ranks];
volatile sig_atomic_t endedBy = 0;

void endAll(int signal) {
  for (volatile pid_t &rank : running)
    if (rank > 0)
      kill(-rank, signal);
}

/// The terminal, a scheduler or a user ends the launcher: the ranks go with it.
void onSignal(int signal) {
  endedBy = signal;
  endAll(signal);
}

class Launcher {
public:
  explicit Launcher(const Options &options) : options(options) {}
  int run();

private:
  bool start(int rank);
  void take(pid_t ended, int status);
  std::vector<std::string> environmentOf(int rank) const;

  const Options &options;
  std::string job;
  int left = 0, result = 0;
};

} // namespace

/// The environment of this process, with rank, world and job in the place of what it had.
std::vector<std::string> Launcher::environmentOf(int rank) const {
  std::vector<std::string> result;
  for (char **entry = environ; *entry; ++entry) {
    llvm::StringRef text(*entry);
    if (!text.starts_with("TILEC_RANK=") && !text.starts_with("TILEC_WORLD=") && !text.starts_with("TILEC_JOB="))
      result.push_back(*entry);
  }
  result.push_back("TILEC_RANK=" + std::to_string(rank));
  result.push_back("TILEC_WORLD=" + std::to_string(options.ranks));
  result.push_back("TILEC_JOB=" + job);
  return result;
}

static std::vector<char *> pointersTo(std::vector<std::string> &strings) {
  std::vector<char *> pointers;
  for (std::string &string : strings)
    pointers.push_back(string.data());
  pointers.push_back(nullptr);
  return pointers;
}

static int fail(const llvm::Twine &message) {
  llvm::WithColor::error(llvm::errs(), "tilec") << message << "\n";
  return 1;
}

bool Launcher::start(int rank) {
  std::vector<std::string> words = options.program, environment = environmentOf(rank);
  // What a rank starts itself ends with it: a group takes a signal as a whole.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);
  pid_t made = 0;
  int error = posix_spawnp(&made, words[0].c_str(), nullptr, &attributes, pointersTo(words).data(),
                           pointersTo(environment).data());
  posix_spawnattr_destroy(&attributes);
  if (error) {
    result = fail("cannot start '" + words[0] + "': " + std::strerror(error));
    return false;
  }
  running[rank] = made;
  ++left;
  return true;
}

/// Notes how a process ended; the first failure is the launcher's own.
void Launcher::take(pid_t ended, int status) {
  int rank = 0;
  while (rank < options.ranks && running[rank] != ended)
    ++rank;
  if (rank == options.ranks)
    return; // no child of this launcher's making
  running[rank] = 0;
  --left;
  int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (!code || result)
    return;
  result = code;
  if (!endedBy)
    llvm::WithColor::error(llvm::errs(), "tilec")
        << "rank " << rank
        << (WIFEXITED(status) ? " ended with exit code " + std::to_string(code)
                              : std::string(" was ended by signal: ") + strsignal(WTERMSIG(status)))
        << "\n";
}

int Launcher::run() {
  // Not the process number alone: another user's namespace may have the same.
  std::random_device random;
  job = std::to_string(getpid()) + "-" + llvm::utohexstr(random());
  for (int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action = {};
    action.sa_handler = onSignal;
    sigaction(signal, &action, nullptr);
  }
  for (int rank = 0; rank < options.ranks && !endedBy && start(rank); ++rank)
    ;
  // After the first failure the others may notice it by themselves and say what they were doing; then they are ended.
  constexpr int graceTurns = 40, turnMilliseconds = 50;
  for (int turns = 0; left > 0;) {
    int status;
    pid_t ended = waitpid(-1, &status, result || endedBy ? WNOHANG : 0);
    if (ended > 0) {
      take(ended, status);
      continue;
    }
    if (ended < 0 && errno != EINTR)
      break;
    if (result || endedBy) {
      usleep(turnMilliseconds * 1000);
      if (++turns == graceTurns)
        endAll(SIGTERM);
      else if (turns == 2 * graceTurns)
        endAll(SIGKILL);
    }
  }
  return endedBy ? 128 + endedBy : result;
}

int tilec::launch(const Options &options) {
  if (options.ranks < 1 || options.ranks > most_ranks)
    return fail("a world has at least 1 rank and at most " + llvm::Twine(most_ranks) + ", got " +
                llvm::Twine(options.ranks));
  if (options.program.empty())
    return fail("no application to launch");
  return Launcher(options).run();
}
