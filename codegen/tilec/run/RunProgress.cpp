// A thread that sleeps until there is something to say, or the run is over.
#include "codegen/tilec/run/RunProgress.h"

#include "llvm/Support/WithColor.h"

#include <chrono>
#include <cstdlib>

using namespace tilec;
using std::chrono::seconds;

/// Until the first word: most runs take less.
static seconds firstWord() {
  // For tests, which cannot wait.
  const char *given = std::getenv("TILEC_PROGRESS_SECONDS");
  return seconds(given ? std::strtol(given, nullptr, 10) : 5);
}

RunProgress::RunProgress() : watcher([this] { watch(); }) {}

RunProgress::~RunProgress() {
  {
    std::lock_guard<std::mutex> guard(lock);
    isOver = true;
  }
  over.notify_all();
  watcher.join();
}

void RunProgress::isBusyWith(std::string now) {
  std::lock_guard<std::mutex> guard(lock);
  part = std::move(now);
}

void RunProgress::hasDone(size_t count, size_t all) {
  std::lock_guard<std::mutex> guard(lock);
  done = std::to_string(count) + " of " + std::to_string(all) + (all == 1 ? " launch" : " launches");
}

void RunProgress::watch() {
  const auto begin = std::chrono::steady_clock::now();
  std::unique_lock<std::mutex> guard(lock);
  for (seconds pause = firstWord(); !over.wait_for(guard, pause, [this] { return isOver; }); pause = seconds(10)) {
    auto taken = std::chrono::duration_cast<seconds>(std::chrono::steady_clock::now() - begin);
    llvm::WithColor::note(llvm::errs(), "tilec")
        << taken.count() << " s so far: " << part << (done.empty() ? "" : ", " + done + " done") << "\n";
  }
}
