//===- launch.h - entering and leaving a launch, and its tasks ------------------------------------------*- C++ -*-===//
// Epochs, worker numbers, tickets, the last workgroup to leave, addresses on other ranks. Signals are in signal.h.
//===--------------------------------------------------------------------------------------------------------------===//
#ifndef TILEC_LAUNCH_H
#define TILEC_LAUNCH_H

#include "tilec/abi.h"
#include "tilec/target.h"

namespace tilec {

/// What a workgroup knows of the launch it belongs to; equal in all its threads.
struct Launch {
  Context context;
  unsigned epoch; ///< of this launch: launches completed before it, plus one
  int worker;     ///< arrival number of this workgroup on its rank
  int workgroups; ///< of this kernel on this rank
};

namespace detail {

/// Words of the reserved LDS.
enum ReservedWord : int {
  ticket_word = 0,
  epoch_word = 4,
  worker_word = 8,
  last_word = 12,
  polling_words = 16,
  state_words = 40,
  signal_bases_words = 48,
  program_word = 56
};

/// What the lanes that poll need of the context. It lies in LDS, not in scalar registers: a wait stands inside of the
/// loop of a product, which has none to spare for what is used once in many turns.
struct Polling {
  unsigned long long signals;     ///< address of this rank's signal area
  unsigned long long failure;     ///< address of this rank's Failure
  unsigned long long deadline_ns; ///< as in Context
};

TILEC_DEVICE Polling read_polling() {
  unsigned long long values[3];
#pragma unroll
  for (int i = 0; i < 3; ++i)
    target::load_lds<1>(values + i, polling_words + 8 * i);
  return {values[0], values[1], values[2]};
}
TILEC_DEVICE void write_polling(const Polling &polling) {
  const unsigned long long values[3] = {polling.signals, polling.failure, polling.deadline_ns};
#pragma unroll
  for (int i = 0; i < 3; ++i)
    target::store_lds<1>(polling_words + 8 * i, values + i);
}

// Addresses that only signals, tickets and the end of a launch need lie there as well, so that no scalar registers hold
// them for the length of the kernel.
template <class T>
TILEC_DEVICE T *read_address(int offset) {
  unsigned long long value[1];
  target::load_lds<1>(value, offset);
  return target::uniform_pointer(target::at_address<T>(value[0]));
}
template <class T>
TILEC_DEVICE void write_address(int offset, T *address) {
  const unsigned long long value[1] = {(unsigned long long)address};
  target::store_lds<1>(offset, value);
}

TILEC_DEVICE int read_reserved(int offset) {
  int value[1];
  target::load_lds<1>(value, offset);
  return target::uniform(value[0]);
}
TILEC_DEVICE void write_reserved(int offset, int value) { target::store_lds<1>(offset, &value); }

} // namespace detail

/// Called once by all threads, before anything else of the library.
TILEC_DEVICE Launch enter(const Context &context) {
  if (target::thread() == 0) {
    const unsigned completed = target::load_relaxed<agent>(&context.state->epoch);
    const unsigned worker = target::add_relaxed<agent>(&context.state->arrived, 1u);
    detail::write_reserved(detail::epoch_word, int(completed + 1));
    detail::write_reserved(detail::worker_word, int(worker));
    detail::write_polling({(unsigned long long)target::load_constant(context.signal_bases + context.rank),
                           (unsigned long long)context.failure, context.deadline_ns});
    detail::write_reserved(detail::program_word, int(context.program));
    detail::write_address(detail::state_words, context.state);
    detail::write_address(detail::signal_bases_words, context.signal_bases);
  }
  target::barrier();
  return {context, unsigned(detail::read_reserved(detail::epoch_word)), detail::read_reserved(detail::worker_word),
          target::workgroups()};
}

/// The next task of a queue: one atomic, the same value in every thread. All threads call it; it has two barriers, so
/// every LDS access before it is over when it returns.
TILEC_DEVICE int next(const Launch &launch, int queue) {
  target::barrier();
  if (target::thread() == 0) {
    LaunchState *state = detail::read_address<LaunchState>(detail::state_words);
    detail::write_reserved(detail::ticket_word, target::add_relaxed<agent>(&state->tickets[queue], 1));
  }
  target::barrier();
  return detail::read_reserved(detail::ticket_word);
}

/// The i-th task of this workgroup when tasks are dealt out by worker number.
TILEC_DEVICE int strided(const Launch &launch, int i) { return launch.worker + i * launch.workgroups; }

/// True in all threads of the workgroup that comes here last on this rank; what the others did before is visible to it.
template <Scope scope = agent>
TILEC_DEVICE bool last(const Launch &launch) {
  target::drain();
  target::barrier();
  if (target::thread() == 0) {
    target::release<scope>();
    LaunchState *state = detail::read_address<LaunchState>(detail::state_words);
    const unsigned before = target::add_relaxed<agent>(&state->left, 1u);
    detail::write_reserved(detail::last_word, before + 1 == unsigned(launch.workgroups));
    target::acquire<agent>();
  }
  target::barrier();
  return detail::read_reserved(detail::last_word) != 0;
}

/// By the last workgroup: makes the state ready for the next launch, and counts this one as completed if `advance`.
TILEC_DEVICE void leave(const Launch &launch, bool advance) {
  LaunchState *state = detail::read_address<LaunchState>(detail::state_words);
  const int thread = target::thread();
  if (thread < queue_count)
    target::store_relaxed<agent>(&state->tickets[thread], 0);
  if (thread == 0) {
    target::store_relaxed<agent>(&state->arrived, 0u);
    target::store_relaxed<agent>(&state->left, 0u);
    if (advance)
      target::store_relaxed<agent>(&state->epoch, launch.epoch);
  }
}

/// The copy on rank `to` of what `pointer` addresses in this rank's heap.
template <class T>
TILEC_DEVICE T *remote(const Context &context, T *pointer, int to) {
  using Bytes = std::conditional_t<std::is_const_v<T>, const char, char>;
  return (T *)(target::load_constant(context.heap_bases + to) +
               ((Bytes *)pointer - target::load_constant(context.heap_bases + context.rank)));
}

/// Copy number `copy` of a buffer that has several, `bytes` apart.
template <class T>
TILEC_DEVICE T *copy_of(char *base, int copy, long long bytes) {
  return (T *)(base + copy * bytes);
}

} // namespace tilec

#endif // TILEC_LAUNCH_H
