//===- tally.h - tasks that count by chiplet, and release together --------------------------------------*- C++ -*-===//
// Grids of which every wait is for all tasks: what a task stores need not leave its chiplet's cache before the last one
// there has stored.
//===--------------------------------------------------------------------------------------------------------------===//
#ifndef TILEC_TALLY_H
#define TILEC_TALLY_H

#include "tilec/signal.h"

namespace tilec {

namespace detail {

/// The words of a tally, `signal_stride` bytes apart, in place of those of its grid. How many tasks are told of, on all
/// chiplets; then for each chiplet how many have begun (upper half) and have stored (lower half), and how many of
/// these are told of. Launches use two such sets in turn.
struct Tally {
  char *words;

  template <int Rank>
  TILEC_DEVICE Tally(const Launch &launch, const Signals<Rank> &grid, unsigned epoch)
      : words(held_address<signals_words, char>(launch) + grid.byte_offset +
              epoch % 2 * (long long)(tally_set_words * signal_stride)) {}

  TILEC_DEVICE unsigned *told() const { return (unsigned *)words; }
  TILEC_DEVICE unsigned long long *stored(int chiplet) const {
    return (unsigned long long *)(words + (1 + 2 * chiplet) * (long long)signal_stride);
  }
  TILEC_DEVICE unsigned *released(int chiplet) const {
    return (unsigned *)(words + (2 + 2 * chiplet) * (long long)signal_stride);
  }
};

/// By the lane that acts for a task that has stored, once all its waves have drained: if no task that has begun on this
/// chiplet is still to store, what all of them have stored leaves the chiplet, and they are told of. Who comes later
/// tells of more, or finds that somebody has.
template <Scope S>
TILEC_DEVICE void count_stored(const Tally &tally) {
  const int chiplet = target::chiplet();
  target::release_to_chiplet();
  const unsigned long long before = target::add_relaxed<agent>(tally.stored(chiplet), 1ull);
  const unsigned begun = unsigned(before >> 32), stored = unsigned(before) + 1;
  if (stored != begun)
    return;
  target::acquire_of_chiplet();
  target::release<S>();
  unsigned released = target::load_relaxed<agent>(tally.released(chiplet));
  while (int(stored - released) > 0)
    if (target::replace_relaxed<agent>(tally.released(chiplet), released, stored)) {
      target::add_relaxed<agent>(tally.told(), stored - released);
      return;
    }
}

} // namespace detail

/// Called by all threads once in a kernel, before its tasks: makes the words ready for the launch behind this one.
template <int Rank>
TILEC_DEVICE void renew_tally(const Launch &launch, const Signals<Rank> &grid) {
  const detail::Tally next(launch, grid, launch.epoch + 1);
  if (launch.worker != 0)
    return;
  for (int word = target::thread(); word < tally_set_words; word += target::threads())
    target::store_relaxed<agent>((unsigned long long *)(next.words + word * (long long)signal_stride), 0ull);
}

/// A task of the grid's statement begins. All threads call it, before `tally`.
template <int Rank>
TILEC_DEVICE void join_tally(const Launch &launch, const Signals<Rank> &grid) {
  if (target::thread() == 0)
    target::add_relaxed<agent>(detail::Tally(launch, grid, launch.epoch).stored(target::chiplet()), 1ull << 32);
}

/// The task at `index` of the grid has stored. All threads call it, once for each task, behind `join_tally`.
template <Scope S, Participants P = workgroup, int Rank>
TILEC_DEVICE void tally(const Launch &launch, const Signals<Rank> &grid, Coordinates<Rank> index) {
  target::drain();
  detail::meet_participants<P>();
#pragma unroll
  for (int dim = 0; dim < Rank; ++dim)
    target::within(index.data[dim], grid.extents.data[dim]);
  if (detail::acts_for_participants<P>())
    detail::count_stored<S>(detail::Tally(launch, grid, launch.epoch));
}

/// Returns when all tasks of the grid, so many in each dimension, have stored; what they stored is visible to the
/// participants then. All threads call it; who waits and who goes on is as in `wait`, and so is what happens behind the
/// deadline.
template <Scope S, Participants P = workgroup, int Rank>
TILEC_DEVICE void wait_tally(const Launch &launch, const Signals<Rank> &grid, Coordinates<Rank> count) {
  if (P == wave || target::wave() == 0) {
    unsigned tasks = 1;
#pragma unroll
    for (int dim = 0; dim < Rank; ++dim)
      tasks *= unsigned(count.data[dim] > 0 ? count.data[dim] : 0);
    if (target::lane() == 0)
      detail::poll_word<S>(launch, grid, Coordinates<Rank>{}, detail::Tally(launch, grid, launch.epoch).told(), tasks,
                           detail::deadline_from(detail::held_number<detail::deadline_words>(launch)));
    target::acquire_looks<S>();
  }
  detail::meet_participants<P>();
}

} // namespace tilec

#endif // TILEC_TALLY_H
