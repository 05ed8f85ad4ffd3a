// What a run that takes long is doing.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace tilec {

/// Says it on stderr, after some seconds and then every ten: how long it has taken so far, and with what it is busy.
/// A thread of its own; nothing is said of what is quick.
class RunProgress {
public:
  RunProgress();
  ~RunProgress();
  RunProgress(const RunProgress &) = delete;
  RunProgress &operator=(const RunProgress &) = delete;

  /// From now on: "emulated launches".
  void isBusyWith(std::string part);
  /// So many of them are done: "2 of 4 launches".
  void hasDone(size_t count, size_t all);

private:
  void watch();

  std::mutex lock;
  std::condition_variable over;
  std::string part, done;
  bool isOver = false;
  std::thread watcher; ///< last: it uses what stands above
};

} // namespace tilec
