//===- post.h - tiles whose words show that they have come ----------------------------------*- C++
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

/// Tiles of one layout, each by its number.
template <int Count, class T, class L>
struct Tiles {
  Tile<T, L> tile[Count];

  TILEC_DEVICE const Tile<T, L> &operator[](int number) const { return tile[number]; }
};

namespace detail {

/// Waits for the words of one tile from each of so many ranks, and leaves zeros for the next launch. `source(number)`
/// is the rank of a tile, negative where there is nothing to wait for. All words are asked for together, and those that
/// have not come are together asked for again: tiles that come one after the other cost one way to memory and back.
template <int Count, class L, int V, class T, int Rank, int SignalRank, class Source>
TILEC_DEVICE void take(Tiles<Count, T, L> &into, const Launch &launch, const Signals<SignalRank> &grid,
                       const Coordinates<SignalRank - 1> &index, const View<T, Rank> &view,
                       const Coordinates<Rank - 1> &start, Source &&source) {
  using Words = detail::Words<L, V, T, Rank>;
  using Word = typename Words::Word;
  Word taken[Count][Words::count];
  const auto words = [&](int number) TILEC_LAMBDA { return Words(view, behind(source(number), start)); };
  int missing = -1; // the rank of one whose words have not come
  const auto look = [&]() TILEC_LAMBDA {
    repeat<Count>([&](auto number) TILEC_LAMBDA {
      if (source(number) >= 0)
        repeat<Words::count>([&](auto i) TILEC_LAMBDA {
          if (missing < 0 || taken[number][i] == 0)
            taken[number][i] = target::load_relaxed<system>(words(number).at(i));
        });
    });
    missing = -1;
    repeat<Count>([&](auto number) TILEC_LAMBDA {
      repeat<Words::count>([&](auto i) TILEC_LAMBDA {
        if (source(number) >= 0 && taken[number][i] == 0)
          missing = source(number);
      });
    });
  };
  repeat<Count>([&](auto number) TILEC_LAMBDA {
    if (source(number) >= 0)
      check_name(grid, behind(source(number), index));
  });
  look();
  if (missing >= 0) {
    const unsigned long long until = deadline_from(held_number<deadline_words>(launch));
    for (int turn = 1; missing >= 0 && !gives_up(launch, until, turn); ++turn) {
      target::pause(watch_of(launch, grid, behind(missing, index), launch.epoch, launch.epoch - 1));
      look();
    }
    if (missing >= 0)
      record_failure(launch, grid, behind(missing, index), launch.epoch, launch.epoch - 1);
  }
  repeat<Count>([&](auto number) TILEC_LAMBDA {
    if (source(number) >= 0)
      repeat<Words::count>([&](auto i) TILEC_LAMBDA {
        target::taken(words(number).at(i));
        target::store_relaxed<system>(words(number).at(i), Word(0));
        __builtin_memcpy(&into.tile[number].data[i * Words::elements], &taken[number][i], sizeof(Word));
      });
  });
}

} // namespace detail

/// Waits for the tile that rank `source` posts, the first coordinate of view and signals, and leaves zeros for the next
/// launch. Each thread waits for the words it takes; nobody meets. When the deadline passes or the launch has failed,
/// it returns as well. All threads call it.
template <class L, int V, class T, int Rank, int SignalRank>
TILEC_DEVICE Tile<T, L> receive(const Launch &launch, const Signals<SignalRank> &grid, int source,
                                Coordinates<SignalRank - 1> index, const View<T, Rank> &view,
                                Coordinates<Rank - 1> start) {
  Tiles<1, T, L> tiles;
  detail::take<1, L, V>(tiles, launch, grid, index, view, start, [&](int) TILEC_LAMBDA { return source; });
  return tiles[0];
}

/// The tiles of all other ranks, from the next one on.
template <int World, class L, int V, class T, int Rank, int SignalRank>
TILEC_DEVICE Tiles<World - 1, T, L> receive_others(const Launch &launch, const Signals<SignalRank> &grid, int rank,
                                                   Coordinates<SignalRank - 1> index, const View<T, Rank> &view,
                                                   Coordinates<Rank - 1> start) {
  Tiles<World - 1, T, L> tiles;
  detail::take<World - 1, L, V>(tiles, launch, grid, index, view, start, [&](int number) TILEC_LAMBDA {
    const int source = rank + 1 + number;
    return source < World ? source : source - World;
  });
  return tiles;
}

/// The tiles of all ranks by their numbers, of which this one has its own.
template <int World, int V, class T, class L, int Rank, int SignalRank>
TILEC_DEVICE Tiles<World, T, L> receive_all(const Launch &launch, const Signals<SignalRank> &grid, int rank,
                                            Coordinates<SignalRank - 1> index, const Tile<T, L> &own,
                                            const View<T, Rank> &view, Coordinates<Rank - 1> start) {
  Tiles<World, T, L> tiles;
  detail::repeat<World>([&](auto number) TILEC_LAMBDA { tiles.tile[number] = own; });
  detail::take<World, L, V>(tiles, launch, grid, index, view, start,
                            [&](int number) TILEC_LAMBDA { return number == rank ? -1 : number; });
  return tiles;
}

} // namespace tilec

#endif // TILEC_POST_H
