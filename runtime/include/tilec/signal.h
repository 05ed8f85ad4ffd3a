//===- signal.h - telling another workgroup or rank that data is there ----------------------------------*- C++ -*-===//
// Grids of signal words, signal and wait. Signals are never reset: a word holds the epoch of the last launch that set
// it.
//===--------------------------------------------------------------------------------------------------------------===//
#ifndef TILEC_SIGNAL_H
#define TILEC_SIGNAL_H

#include "tilec/launch.h"
#include "tilec/stream.h"
#include "tilec/view.h"

namespace tilec {

/// A grid of words, `signal_stride` bytes apart in row-major order, in the signal area of every rank.
template <int Rank>
struct Signals {
  const Context &context;
  long long byte_offset; ///< of the grid in the signal area
  Coordinates<Rank> extents;

  /// In the signal area at `area`.
  TILEC_DEVICE unsigned *word_in(char *area, Coordinates<Rank> index) const {
    long long linear = 0;
#pragma unroll
    for (int dim = 0; dim < Rank; ++dim) {
      target::within(index.data[dim], extents.data[dim]);
      linear = linear * extents.data[dim] + index.data[dim];
    }
    return (unsigned *)(area + byte_offset + linear * signal_stride);
  }
};

namespace detail {

/// The participants meet.
template <Participants P>
TILEC_DEVICE void meet_participants() {
  if constexpr (P == workgroup)
    target::barrier();
  else if constexpr (P == wave)
    target::meet_wave();
#if defined(TILEC_EMULATED) || defined(__CUDACC__)
  else
    target::meet_at<-int(P)>(1);
#endif
}
/// Whether this thread is the one that acts for them.
template <Participants P>
TILEC_DEVICE bool acts_for_participants() {
  return (P == wave ? target::lane() : target::thread()) == 0;
}

} // namespace detail

/// Makes everything the participants stored visible at the scope, and their loads have their values. All threads call
/// it. Every thread drains what it issued and the participants meet; then one lane releases, and drains again. `wave`:
/// each wave meets nobody and publishes its own stores alone, so the workgroup has one wave.
template <Scope S, Participants P = workgroup>
TILEC_DEVICE void publish() {
  target::drain();
  detail::meet_participants<P>();
  if (detail::acts_for_participants<P>())
    target::release<S>();
}

/// Tells rank `to` of what was published last, at this scope or a wider one. Several may follow one `publish`.
template <Scope S, Participants P = workgroup, int Rank>
TILEC_DEVICE void set(const Launch &launch, const Signals<Rank> &grid, Coordinates<Rank> index, int to) {
  char *const *areas = detail::held_address<detail::signal_bases_words, char *const>(launch);
  // The lane that released: its program order is what keeps the flag behind the data.
  if (detail::acts_for_participants<P>())
    target::store_relaxed<S>(grid.word_in(target::load_constant(areas + to), index), launch.epoch);
}

/// Publishes to rank `to` what the participants stored. All threads call it.
template <Scope S, Participants P = workgroup, int Rank>
TILEC_DEVICE void signal(const Launch &launch, const Signals<Rank> &grid, Coordinates<Rank> index, int to) {
  publish<S, P>();
  set<S, P>(launch, grid, index, to);
}

/// Adds one to a word of this rank that its copy engine takes (`take_counted`), which sees then what the participants
/// stored. The engine signals with the word of this launch from then on. All threads call it.
template <Scope S, Participants P = workgroup, int Rank>
TILEC_DEVICE void count(const Launch &launch, const Signals<Rank> &grid, Coordinates<Rank> index) {
  if (detail::acts_for_participants<P>())
    target::store_relaxed<system>(&detail::held_address<detail::state_words, LaunchState>(launch)->begun, launch.epoch);
  publish<S, P>();
  if (detail::acts_for_participants<P>())
    target::add_relaxed<S>(grid.word_in(detail::held_address<detail::signals_words, char>(launch), index), 1u);
}

/// For one of `count` tasks of this rank that publish something for one that goes on with it: true, in all threads, in
/// the task that comes last of them, where what the others have published is visible to the participants then. Nobody
/// waits. The word at `index` counts, and is 0 again for the next launch. All threads call it; it begins and ends with
/// a meeting of the participants, so every LDS access before it is over when it returns.
template <Scope S, Participants P = workgroup, int Rank>
TILEC_DEVICE bool arrive(const Launch &launch, const Signals<Rank> &grid, Coordinates<Rank> index, int count) {
  publish<S, P>();
  if (detail::acts_for_participants<P>()) {
    // Not by what the launch holds: where workgroups only arrive, they have not entered it (`count_launch`).
    const Context &context = grid.context;
    unsigned *const word = grid.word_in(target::load_constant(context.signal_bases + context.rank), index);
    const bool last = target::add_relaxed<S>(word, 1u) + 1 == unsigned(count);
    if (last)
      target::store_relaxed<S>(word, 0u);
    target::acquire<S>();
    detail::broadcast(detail::last_word, last);
  }
  detail::meet_participants<P>();
  return detail::read_broadcast(detail::last_word) != 0;
}

namespace detail {

/// Fills the failure record unless somebody was first, and tells the other waits of this rank. Where the host asks for
/// the end of the launch, the reason is its own, and what is missing is the wait that did not come to its end.
template <int Rank>
TILEC_DEVICE void record_failure(const Launch &launch, const Signals<Rank> &grid, Coordinates<Rank> index,
                                 unsigned wanted, unsigned seen) {
  Failure *const failure = held_address<failure_words, Failure>(launch);
  const unsigned set = target::load_relaxed<system>(&failure->set);
  const bool first =
      (set == failure_unset || set == failure_asked) && target::claim(&failure->set, set, failure_writing);
  target::store_relaxed<agent>(&held_address<state_words, LaunchState>(launch)->failed, 1u);
  if (!first)
    return;
  if (set == failure_unset)
    failure->reason = failure_deadline;
  failure->program = target::held<program_word>(launch.held);
  failure->epoch = launch.epoch;
  failure->signal = static_cast<unsigned long long>(grid.byte_offset);
#pragma unroll
  for (int dim = 0; dim < failure_dimensions; ++dim)
    failure->index[dim] = dim < Rank ? index.data[dim < Rank ? dim : 0] : 0;
  failure->rank = grid.context.rank;
  failure->wanted = wanted;
  failure->seen = seen;
  target::release<system>();
  target::store_relaxed<system>(&failure->set, static_cast<unsigned>(failure_complete));
}

template <int Rank>
TILEC_DEVICE target::Watch watch_of(const Launch &launch, const Signals<Rank> &grid, Coordinates<Rank> index,
                                    unsigned wanted, unsigned seen) {
  target::Watch watch{};
  watch.signal = static_cast<unsigned long long>(grid.byte_offset);
#pragma unroll
  for (int dim = 0; dim < Rank && dim < failure_dimensions; ++dim)
    watch.index[dim] = index.data[dim];
  watch.rank = grid.context.rank;
  watch.wanted = wanted;
  watch.seen = seen;
  watch.program = grid.context.program;
  watch.epoch = launch.epoch;
  watch.failure = grid.context.failure;
  return watch;
}

/// When a wait that begins now has lasted too long, in nanoseconds as the clock has them; never for a limit of 0.
TILEC_DEVICE unsigned long long deadline_from(unsigned long long limit) {
  const unsigned long long now = target::nanoseconds(), until = now + limit;
  return limit == 0 || until < now ? ~0ull : until;
}

/// Whether a wait gives up in this turn: its deadline has passed, or the launch failed. The record of that is in the
/// host's memory, where a look takes longer than hundreds of turns do: many workgroups that looked there often would
/// hold up all that go to the host or to peers, so that the first one that sees it leaves word on the device.
TILEC_DEVICE bool gives_up(const Launch &launch, unsigned long long until, int turn) {
  if (turn % target::turns_between_looks != 0)
    return false;
  const LaunchState *state = held_address<state_words, LaunchState>(launch);
  if (turn % target::turns_between_looks_at_host != 0)
    return target::load_relaxed<agent>(&state->failed) != 0;
  return target::load_relaxed<system>(&held_address<failure_words, Failure>(launch)->set) != failure_unset ||
         target::nanoseconds() > until;
}

/// Polls one word until its value is at least `wanted` in wrap-safe order. False: the launch failed, here or elsewhere.
/// `index` says of which of the grid a failure tells.
template <Scope S, int Rank>
TILEC_DEVICE bool poll_word(const Launch &launch, const Signals<Rank> &grid, Coordinates<Rank> index,
                            const unsigned *word, unsigned wanted, unsigned long long until) {
  unsigned seen = target::look<S>(word);
  for (int turn = 1; int(seen - wanted) < 0 && !gives_up(launch, until, turn); ++turn) {
    target::pause(watch_of(launch, grid, index, wanted, seen));
    seen = target::look<S>(word);
  }
  const bool satisfied = int(seen - wanted) >= 0;
  if (satisfied)
    target::satisfied(word, wanted);
  else
    record_failure(launch, grid, index, wanted, seen);
  return satisfied;
}

/// The same of a word of a grid.
template <Scope S, int Rank>
TILEC_DEVICE bool poll(const Launch &launch, const Signals<Rank> &grid, Coordinates<Rank> index, unsigned wanted,
                       char *signals, unsigned long long until) {
  return poll_word<S>(launch, grid, index, grid.word_in(signals, index), wanted, until);
}

} // namespace detail

/// Returns when every word of the box [first, first + count) of this rank has seen launch `epoch - lag`; what was
/// stored before those signals is visible to the participants then. All threads call it. `workgroup`: the lanes of the
/// first wave poll, that wave acquires, and all waves meet. `wave`: every wave polls and acquires for itself and goes
/// on whatever the others do. `first_waves<N>`: the same as of a workgroup of these alone. When the deadline passes or
/// the launch has failed, it returns as well, and so do all later waits.
template <Scope S, Participants P = workgroup, int Rank>
TILEC_DEVICE void wait(const Launch &launch, const Signals<Rank> &grid, Coordinates<Rank> first,
                       Coordinates<Rank> count, int lag = 0) {
  if (P == wave || target::wave() == 0) {
    const unsigned wanted = launch.epoch - unsigned(lag);
    char *const signals = detail::held_address<detail::signals_words, char>(launch);
    const unsigned long long until = detail::deadline_from(detail::held_number<detail::deadline_words>(launch));
    int words = 1;
#pragma unroll
    for (int dim = 0; dim < Rank; ++dim)
      count.data[dim] = target::recompute_uniform(count.data[dim]);
#pragma unroll
    for (int dim = 0; dim < Rank; ++dim)
      words *= count.data[dim] > 0 ? count.data[dim] : 0; // two below zero are no words either
    for (int i = target::lane(); i < words; i += target::wave_lanes) {
      Coordinates<Rank> index;
      int rest = i;
#pragma unroll
      for (int dim = Rank - 1; dim >= 0; --dim) {
        index.data[dim] = first.data[dim] + rest % count.data[dim];
        rest /= count.data[dim];
      }
      if (!detail::poll<S>(launch, grid, index, wanted, signals, until))
        break;
    }
    target::acquire_looks<S>();
  }
  detail::meet_participants<P>();
}

} // namespace tilec

#endif // TILEC_SIGNAL_H
