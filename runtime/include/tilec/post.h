//===- post.h - tiles whose words tell of themselves that they have come ---------------------------------*- C++
//-*-===//
// post and receive: a store to another rank that needs no signal behind it, and the load that waits for its words.
//===--------------------------------------------------------------------------------------------------------------===//
#ifndef TILEC_POST_H
#define TILEC_POST_H

#include "tilec/signal.h"
#include "tilec/tile.h"
#include "tilec/view.h"

namespace tilec {
namespace detail {

/// The words of one tile, the last dimension of a view, as this thread has them: each of 4 or 8 bytes, which a machine
/// moves as one.
template <class L, int V, class T, int Rank>
struct Words {
  using Word = std::conditional_t<V *int(sizeof(T)) >= 8, unsigned long long, unsigned>;
  static constexpr int elements = int(sizeof(Word) / sizeof(T)), count = L::registers / elements;
  static_assert(L::rank == 1 && V >= elements && L::redundant_threads == 0 && L::redundant_registers == 0,
                "a word lies in the registers of one thread");
  /// -0.0 before zeros, in place of what says that nothing has come.
  static constexpr Word zero = Word(1) << (8 * sizeof(T) - 1);

  T *mine;

  TILEC_DEVICE Words(const View<T, Rank> &view, const Coordinates<Rank> &start)
      : mine(view.pointer + L::template of_thread<0>(target::thread())) {
#pragma unroll
    for (int dim = 0; dim < Rank; ++dim)
      mine += start.data[dim] * view.strides[dim];
  }
  /// Bits of a thread and of a register may be the same: places combine, and do not add up.
  TILEC_DEVICE Word *at(int word) const {
    const int thread = L::template of_thread<0>(target::thread()), place = L::of(word * elements)[0];
    return (Word *)(mine + ((thread ^ place) - thread));
  }
};

/// Whether a grid has the signal that names a tile: only the emulator asks.
template <int Rank>
TILEC_DEVICE void check_name(const Signals<Rank> &grid, Coordinates<Rank> index) {
#pragma unroll
  for (int dim = 0; dim < Rank; ++dim)
    target::within(index.data[dim], grid.extents.data[dim]);
}

} // namespace detail

/// Stores a tile where a `receive` of the same signal waits for it, on the rank whose memory the view is of. No signal
/// is raised. What is 0 there says that nothing has come, so zeros are stored as -0.0 and zeros. All threads call it.
template <int V, class T, class L, int Rank, int SignalRank>
TILEC_DEVICE void post(const Signals<SignalRank> &grid, Coordinates<SignalRank> index, const Tile<T, L> &tile,
                       const View<T, Rank> &view, Coordinates<Rank> start) {
  using Words = detail::Words<L, V, T, Rank>;
  detail::check_name(grid, index);
  const Words words(view, start);
#pragma unroll
  for (int i = 0; i < Words::count; ++i) {
    typename Words::Word word;
    __builtin_memcpy(&word, &tile.data[i * Words::elements], sizeof(word));
    target::posted(words.at(i));
    target::store_relaxed<system>(words.at(i), word == 0 ? Words::zero : word);
  }
}

/// Waits for a tile that another rank posts, and leaves zeros for the next launch. Each thread waits for the words it
/// takes; nobody meets. When the deadline passes or the launch has failed, it returns as well. All threads call it.
template <class L, int V, class T, int Rank, int SignalRank>
TILEC_DEVICE auto receive(const Launch &launch, const Signals<SignalRank> &grid, Coordinates<SignalRank> index,
                          const View<T, Rank> &view, Coordinates<Rank> start) {
  using Words = detail::Words<L, V, T, Rank>;
  using Word = typename Words::Word;
  detail::check_name(grid, index);
  const Words words(view, start);
  Word taken[Words::count];
  bool all = true;
#pragma unroll
  for (int i = 0; i < Words::count; ++i) {
    taken[i] = target::load_relaxed<system>(words.at(i));
    all = all && taken[i] != 0;
  }
  if (!all) {
    const unsigned long long until = detail::deadline_from(detail::held_number<detail::deadline_words>(launch));
    for (int turn = 1; !all && !detail::gives_up(launch, until, turn); ++turn) {
      target::pause(detail::watch_of(launch, grid, index, launch.epoch, launch.epoch - 1));
      all = true;
#pragma unroll
      for (int i = 0; i < Words::count; ++i) {
        if (taken[i] == 0)
          taken[i] = target::load_relaxed<system>(words.at(i));
        all = all && taken[i] != 0;
      }
    }
    if (!all)
      detail::record_failure(launch, grid, index, launch.epoch, launch.epoch - 1);
  }
  Tile<T, L> tile;
#pragma unroll
  for (int i = 0; i < Words::count; ++i) {
    target::taken(words.at(i));
    target::store_relaxed<system>(words.at(i), Word(0));
    __builtin_memcpy(&tile.data[i * Words::elements], &taken[i], sizeof(Word));
  }
  return tile;
}

} // namespace tilec

#endif // TILEC_POST_H
