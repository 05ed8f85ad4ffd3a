//===- launch.h - entering and leaving a launch, and its tasks ------------------------------------------*- C++ -*-===//
// Epochs, worker numbers, tickets, the last workgroup to leave, addresses on other ranks. Signals are in signal.h.
//===--------------------------------------------------------------------------------------------------------------===//
#ifndef TILEC_LAUNCH_H
#define TILEC_LAUNCH_H

#include "tilec/abi.h"
#include "tilec/target.h"

namespace tilec {

namespace detail {

/// What waits, signals and tickets need of the context, as words that each wave holds aside (`target::Held`): not in
/// scalar registers, of which the loop of a product has none to spare for what is used once in many turns, and not in
/// LDS, of which a ring may take all. Read where all lanes of a wave are.
enum HeldWord : int {
  signals_words = 0,      ///< address of this rank's signal area
  failure_words = 2,      ///< address of this rank's Failure
  deadline_words = 4,     ///< nanoseconds, as in Context
  state_words = 6,        ///< address of the LaunchState
  signal_bases_words = 8, ///< as in Context
  program_word = 10,
  workgroups_word = 11, ///< that are a launch together
  held_words = 12
};

/// Bytes of LDS through which one thread tells the others.
enum BroadcastWord : int { ticket_word = 0, epoch_word = 4, worker_word = 8, last_word = 12 };
static_assert(last_word + 4 <= broadcast_lds);

} // namespace detail

/// What a workgroup knows of the launch it belongs to; equal in all its threads.
struct Launch {
  Context context;
  unsigned epoch; ///< of this launch: launches completed before it, plus one
  int worker;     ///< arrival number of this workgroup on its rank
  int workgroups; ///< of this kernel on this rank
  target::Held<detail::held_words> held;
  int last_ticket = -1; ///< whoever draws it counts the launch; negative where the last workgroup to leave does
  bool advance = false; ///< whether the launch is completed then
};

namespace detail {

template <int Word>
TILEC_DEVICE unsigned long long held_number(const Launch &launch) {
  const unsigned low = target::held<Word>(launch.held), high = target::held<Word + 1>(launch.held);
  return low | (unsigned long long)high << 32;
}
template <int Word, class T>
TILEC_DEVICE T *held_address(const Launch &launch) {
  return target::at_address<T>(held_number<Word>(launch));
}
TILEC_DEVICE target::Held<held_words> hold_words(const Context &context, int workgroups) {
  const unsigned long long numbers[] = {(unsigned long long)target::load_constant(context.signal_bases + context.rank),
                                        (unsigned long long)context.failure, context.deadline_ns,
                                        (unsigned long long)context.state, (unsigned long long)context.signal_bases};
  unsigned words[held_words] = {};
#pragma unroll
  for (int i = 0; i < program_word; ++i)
    words[i] = unsigned(numbers[i / 2] >> i % 2 * 32);
  words[program_word] = context.program;
  words[workgroups_word] = unsigned(workgroups);
  return target::hold(words);
}

TILEC_DEVICE int read_broadcast(int offset) {
  int value[1];
  target::load_lds<1>(value, offset);
  return target::uniform(value[0]);
}
TILEC_DEVICE void broadcast(int offset, int value) { target::store_lds<1>(offset, &value); }

/// This workgroup comes: its number, and the launches counted before.
struct Arrival {
  unsigned worker, completed;
};
TILEC_DEVICE Arrival arrive(LaunchState *state) {
  const unsigned long long before = target::add_relaxed<agent>(&state->entered, 1ull);
  return {unsigned(before), unsigned(before >> 32)};
}
/// Nobody has come to the launch behind so many.
TILEC_DEVICE void make_ready(LaunchState *state, unsigned completed) {
  // One thread does this once: before the tasks it would hold registers through all of them.
  const unsigned count = unsigned(target::recompute_uniform(int(completed)));
  target::store_relaxed<agent>(&state->entered, (unsigned long long)count << 32);
}

} // namespace detail

/// In place of `enter` in two kernels that run side by side as one launch: of all its workgroups `before` come before
/// those of this kernel, by whose numbers its tasks are dealt out.
TILEC_DEVICE Launch enter_beside(const Context &context, int before, int all) {
  target::await_kernel_before();
  if (target::thread() == 0) {
    const detail::Arrival arrival = detail::arrive(context.state);
    detail::broadcast(detail::epoch_word, int(arrival.completed + 1));
    detail::broadcast(detail::worker_word, int(arrival.worker));
  }
  target::barrier();
  return {context, unsigned(detail::read_broadcast(detail::epoch_word)),
          detail::read_broadcast(detail::worker_word) - before, target::workgroups(), detail::hold_words(context, all)};
}

/// Called once by all threads, before anything else of the library but words in LDS, which may be made before.
TILEC_DEVICE Launch enter(const Context &context) { return enter_beside(context, 0, target::workgroups()); }

/// In place of `enter` and `leave` where all workgroups draw from one queue of so many tasks, and nobody else does:
/// each draws one ticket behind the last task, so that whoever draws the last of these knows that all have come, and
/// that nobody draws any more. He makes the state ready for the next launch, and counts this one as completed if
/// `advance`; where tickets are numbers of arrivals (`first`), the last to come does. Nobody meets at the end, which
/// takes 1 us of a launch on an H200.
TILEC_DEVICE Launch enter(const Context &context, int tasks, bool advance) {
  Launch launch = enter(context);
  launch.last_ticket = tasks + launch.workgroups - 1;
  launch.advance = advance;
  return launch;
}

/// In place of `enter` and `leave` where workgroups wait for nothing and signal nothing, and take their tasks by their
/// numbers: they may arrive, as the words of arrivals have no epochs. The last of them to come makes the state ready
/// for the next launch, and counts this one as completed if `advance`: what the launch stores is there when its kernel
/// is over, as the stream sees to. Nobody meets, and the one thread that waits for its number is of the last wave.
TILEC_DEVICE Launch count_launch(const Context &context, bool advance) {
  target::await_kernel_before();
  const int workgroups = target::workgroups();
  if (target::thread() == target::threads() - 1) {
    const detail::Arrival arrival = detail::arrive(context.state);
    if (arrival.worker + 1 == unsigned(workgroups))
      detail::make_ready(context.state, arrival.completed + advance);
  }
  Launch launch = {};
  launch.context = context;
  launch.worker = target::workgroup();
  launch.workgroups = workgroups;
  return launch;
}

namespace detail {
/// The next ticket of a queue, for whom this thread draws.
TILEC_DEVICE int draw(LaunchState *state, int queue) {
  const int ticket = target::add_relaxed<agent>(&state->tickets[queue], 1);
  target::drawn();
  return ticket;
}
/// By the thread that drew this ticket: behind the last one the state is ready for the next launch.
TILEC_DEVICE void count_drawn(const Launch &launch, LaunchState *state, int queue, int ticket) {
  if (ticket != launch.last_ticket)
    return;
  target::store_relaxed<agent>(&state->tickets[queue], 0);
  make_ready(state, launch.epoch - !launch.advance);
}
} // namespace detail

/// The next task of a queue: one atomic, the same value in every thread. All threads call it; it has two barriers, so
/// every LDS access before it is over when it returns.
TILEC_DEVICE int next(const Launch &launch, int queue) {
  LaunchState *state = detail::held_address<detail::state_words, LaunchState>(launch);
  target::barrier();
  if (target::thread() == 0) {
    const int ticket = detail::draw(state, queue);
    detail::broadcast(detail::ticket_word, ticket);
    detail::count_drawn(launch, state, queue, ticket);
  }
  target::barrier();
  return detail::read_broadcast(detail::ticket_word);
}

/// The i-th task of this workgroup when tasks are dealt out by worker number.
TILEC_DEVICE int strided(const Launch &launch, int i) { return launch.worker + i * launch.workgroups; }

/// True in all threads of the workgroup that comes here last on this rank; what the others did before is visible to it.
template <Scope scope = agent>
TILEC_DEVICE bool last(const Launch &launch) {
  LaunchState *state = detail::held_address<detail::state_words, LaunchState>(launch);
  const unsigned workgroups = target::held<detail::workgroups_word>(launch.held);
  target::drain();
  target::barrier();
  if (target::thread() == 0) {
    target::release<scope>();
    const unsigned before = target::add_relaxed<agent>(&state->left, 1u);
    detail::broadcast(detail::last_word, before + 1 == workgroups);
    target::acquire<agent>();
  }
  target::barrier();
  return detail::read_broadcast(detail::last_word) != 0;
}

/// By the last workgroup: makes the state ready for the next launch, and counts this one as completed if `advance`.
TILEC_DEVICE void leave(const Launch &launch, bool advance) {
  LaunchState *state = detail::held_address<detail::state_words, LaunchState>(launch);
  const int thread = target::thread();
  if (thread < queue_count)
    target::store_relaxed<agent>(&state->tickets[thread], 0);
  if (thread == 0) {
    target::store_relaxed<agent>(&state->left, 0u);
    detail::make_ready(state, launch.epoch - !advance);
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
TILEC_HOST_DEVICE T *copy_of(char *base, int copy, long long bytes) {
  return (T *)(base + copy * bytes);
}

} // namespace tilec

#endif // TILEC_LAUNCH_H
