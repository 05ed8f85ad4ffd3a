// A computation with a stack of its own, which can stop in the middle and go on later. Who goes on when is Agents'.
#pragma once

#include <functional>
#include <memory>
#include <ucontext.h>

namespace tilec::interpreter {

class Fiber {
public:
  /// Null when there is no memory for its stack.
  static std::unique_ptr<Fiber> create(std::function<void()> body);
  ~Fiber();
  Fiber(const Fiber &) = delete;
  Fiber &operator=(const Fiber &) = delete;

  /// Runs it until it stops or ends. Not from within a fiber.
  void resume();
  /// Stops the running fiber; returns when somebody resumes it.
  static void stop();

  bool isDone() const { return done; }
  static Fiber *running();

private:
  Fiber() = default;
  static void enter();
  void leave();

  std::function<void()> body;
  void *stack = nullptr;
  ucontext_t own, caller;
  [[maybe_unused]] const void *callerStack = nullptr; ///< for the address sanitizer
  [[maybe_unused]] size_t callerBytes = 0;
  bool done = false;
};

} // namespace tilec::interpreter
