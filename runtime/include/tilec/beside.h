//===- beside.h - two kernels that run side by side as one launch ---------------------------------------*- C++ -*-===//
// The second stream in which a launcher starts a kernel beside the next one. What the two do, and which signals they
// wait for, is the text's to say.
//===--------------------------------------------------------------------------------------------------------------===//
#ifndef TILEC_BESIDE_H
#define TILEC_BESIDE_H

#include "tilec/abi.h"
#include "tilec/launch_kernel.h"

namespace tilec {

/// A kernel of `own` workgroups in a stream that begins where this is made, and one with the workgroups that the first
/// leaves, `most` at most. The second is launched when all of the first are resident: tasks of either may wait for the
/// other's. Nothing is decided by the host but numbers, so that a captured launch may be replayed.
class Beside {
public:
  Beside(const LaunchArguments &arguments, int own, int most)
      : state(arguments.context.state), engine(arguments.workgroups > 0 ? arguments.engine : nullptr),
        main(arguments.stream), own(own), left(at_most(arguments.workgroups - own, most)),
        starts(arguments.workgroups > 0) {
    // Where nothing starts, the host asks what is resident.
    if (starts && (!engine || left <= 0))
      error = 1; // hipErrorInvalidValue
    if (engine && !error)
      follow(engine->begins, main, engine->streams[0]);
  }

  /// 0, or the first error of the device's runtime.
  int failed() const { return error; }
  /// Workgroups of the first kernel, and its stream.
  int workgroups() const { return starts ? own : 0; }
  void *stream() const { return engine ? engine->streams[0] : main; }
  /// Workgroups of the second, and of both.
  int others() const { return starts ? left : 0; }
  int all() const { return workgroups() + others(); }

  /// What is launched next in the stream of the launch begins when all of the first kernel's workgroups have come.
  int await() {
    if (!engine || error)
      return error;
    // The words of those that have come, below that of the launches counted. Nobody leaves for good before the second
    // kernel's have come, too.
    void *const word = &state->entered;
#if defined(TILEC_EMULATED)
    note(emulator::await_by_stream(word, unsigned(own), main));
#else
    note(hipStreamWaitValue32(static_cast<hipStream_t>(main), word, unsigned(own), hipStreamWaitValueGte, ~0u));
#endif
    return error;
  }

  /// What comes next in the stream of the launch comes behind both.
  int join() {
    if (engine && !error)
      follow(engine->ends, engine->streams[0], main);
    return error;
  }

private:
  void note(int now) { error = error ? error : now; }
  void follow(void *reached, void *first, void *then) {
    note(hipEventRecord(static_cast<hipEvent_t>(reached), static_cast<hipStream_t>(first)));
    note(hipStreamWaitEvent(static_cast<hipStream_t>(then), static_cast<hipEvent_t>(reached), 0));
  }

  LaunchState *state;
  const Engine *engine;
  void *main;
  int own, left;
  bool starts;
  int error = 0;
};

} // namespace tilec

#endif // TILEC_BESIDE_H
