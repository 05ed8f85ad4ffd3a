//===- deferred.h - results that the next task stores ----------------------------------------------------*- C++
//-*-===//
// A task leaves its result in registers, and the next one stores it while its first products run: a part in each of
// its first steps. Each wave meets itself alone.
//===--------------------------------------------------------------------------------------------------------------===//
#ifndef TILEC_DEFERRED_H
#define TILEC_DEFERRED_H

#include "tilec/store_parts.h"

namespace tilec {

/// The elements of a tile in layout From, and where they go. Elements that are smaller than a register share one: the
/// device compiler gives each value of 16 bits a register of its own.
///
/// `Async`: by the copy engine, where the map of the view's matrix is there.
template <class T, class From, class L, int Vector, class S, int Rank, bool Async>
struct Deferred {
  using Cut = detail::Parts<From, typename S::Shape>;
  using Turned = detail::Parts<L, typename S::Shape>;
  static constexpr int parts = Cut::parts, per_word = sizeof(T) < 4 ? 4 / int(sizeof(T)) : 1;
  static_assert(detail::keeps_waves<From, L>(), "tiles change waves only with a barrier of the workgroup");
  static_assert(From::registers % per_word == 0, "the tile fills the registers that it shares");
  static_assert(!Async || Rank == 2, "the copy engine stores to a matrix");
  using Word = std::conditional_t<sizeof(T) == 8, unsigned long long, unsigned>;

  S scratch;
  View<T, Rank> view;
  const TensorMap *map; ///< null where accesses of threads store
  Coordinates<Rank> start;
  int stored; ///< parts that are: all of them where nothing is left. The same in all threads.
  Word words[From::registers / per_word];

  TILEC_DEVICE T element(int index) const {
    T values[per_word];
    __builtin_memcpy(values, &words[index / per_word], sizeof(values));
    return values[index % per_word];
  }

  /// By accesses of the threads, in layout L.
  template <int Part>
  TILEC_DEVICE void store_turned(const Tile<T, typename Cut::Part> &cut, int thread) const {
    // What was there has been read.
    target::meet_wave();
    detail::store_shared<false>(scratch, cut, thread);
    target::meet_wave();
    const Coordinates<Rank> at = Turned::start_of(Part, start);
    const auto turned = detail::load_shared<false, T, typename Turned::Part>(scratch, thread);
    using Places = detail::Placement<typename Turned::Part, Vector, T, Rank>;
    const Places places(detail::recompute(view), at, thread);
    const auto window = places.window();
    places.template visit_vectors<true>([&](auto r, unsigned offset) TILEC_LAMBDA {
      target::store_window<Places::count>(window, offset, &turned.data[r]);
      target::pin();
    });
  }

  template <int Part>
  TILEC_DEVICE void store_part() const {
    Tile<T, typename Cut::Part> cut;
    detail::repeat<Cut::Part::registers>([&](auto r) TILEC_LAMBDA {
      constexpr int from = Cut::register_of(Part, decltype(r)::value);
      cut.data[r] = element(from);
    });
    // Places are computed here: before the loop of the steps they would take registers from it.
    const int thread = target::recompute(target::thread());
    if constexpr (Async)
      detail::store_part</*Left=*/0>(scratch, cut, *map, Cut::start_of(Part, start), thread);
    else
      store_turned<Part>(cut, thread);
  }

  /// Whether vectors of the tile can be stored as such, or by the copy engine: else it does not wait.
  TILEC_DEVICE bool is_regular(const Coordinates<Rank> &at) const {
    if constexpr (Async)
      return detail::has_map(*map);
    else
      return detail::Placement<L, Vector, T, Rank>(detail::recompute(view), at, target::thread()).regular;
  }
};

/// Registers for the results of tasks, in layout From, that go to a view in layout L, by accesses of so many elements.
/// `scratch` has some columns or rows of a tile, and nobody else uses these bytes, but for other tiles whose waves
/// have the same part of it. Nothing is left at first.
template <class From, class L, int Vector, class T, class Extent, class Z, int Rank>
TILEC_DEVICE Deferred<T, From, L, Vector, Shared<T, Extent, Z>, Rank, false> deferred(Shared<T, Extent, Z> scratch,
                                                                                      const View<T, Rank> &view) {
  using D = Deferred<T, From, L, Vector, Shared<T, Extent, Z>, Rank, false>;
  return {scratch, view, nullptr, {}, D::parts, {}};
}
/// The same where the copy engine stores them, as long as `map` has the view's matrix (detail::store_part).
template <class From, class L, int Vector, class T, class Extent, class Z>
TILEC_DEVICE Deferred<T, From, L, Vector, Shared<T, Extent, Z>, 2, true>
deferred(Shared<T, Extent, Z> scratch, const View<T, 2> &view, const TensorMap &map) {
  using D = Deferred<T, From, L, Vector, Shared<T, Extent, Z>, 2, true>;
  return {scratch, view, &map, {}, D::parts, {}};
}

/// Leaves a tile that begins at `start`. Nothing else is left: what was has been stored. A tile whose elements have to
/// be stored one by one is so at once, as that takes registers.
template <class T, class From, class L, int Vector, class S, int Rank, bool Async>
TILEC_DEVICE void defer(Deferred<T, From, L, Vector, S, Rank, Async> &deferred, const Tile<T, From> &tile,
                        const Coordinates<Rank> &start) {
  using D = Deferred<T, From, L, Vector, S, Rank, Async>;
  if (!deferred.is_regular(start)) {
    if constexpr (Async)
      detail::await_parts_read<From>();
    rearrange_parts<L>(deferred.scratch, tile, [&](auto part, const auto &turned) TILEC_LAMBDA {
      store<Vector>(turned, deferred.view, D::Turned::start_of(part, start));
    });
    return;
  }
  detail::repeat<From::registers / D::per_word>([&](auto word) TILEC_LAMBDA {
    T values[D::per_word];
#pragma unroll
    for (int i = 0; i < D::per_word; ++i)
      values[i] = tile.data[decltype(word)::value * D::per_word + i];
    __builtin_memcpy(&deferred.words[word], values, sizeof(values));
  });
  deferred.start = start;
  deferred.stored = 0;
}

/// Stores all that is left.
template <class T, class From, class L, int Vector, class S, int Rank, bool Async>
TILEC_DEVICE void store_deferred(Deferred<T, From, L, Vector, S, Rank, Async> &deferred) {
  using D = Deferred<T, From, L, Vector, S, Rank, Async>;
  detail::repeat<D::parts>([&](auto part) TILEC_LAMBDA {
    if (deferred.stored <= decltype(part)::value)
      deferred.template store_part<decltype(part)::value>();
  });
  deferred.stored = D::parts;
}

/// Steps over which the parts of a result are spread: a step that stores many of them is late with its next products.
inline constexpr int deferred_steps = 16;

/// Stores those of the parts that are left whose turn it is in a step, which uses one of `Slots` slots in turn.
template <int Slots, class Slot, class T, class From, class L, int Vector, class S, int Rank, bool Async>
TILEC_DEVICE void store_deferred(Deferred<T, From, L, Vector, S, Rank, Async> &deferred, Slot) {
  using D = Deferred<T, From, L, Vector, S, Rank, Async>;
  constexpr int each = (D::parts + deferred_steps - 1) / deferred_steps, turns = (D::parts + each - 1) / each;
  const int stored = deferred.stored;
  detail::repeat<(turns + Slots - 1 - Slot::value) / Slots>([&](auto round) TILEC_LAMBDA {
    constexpr int first = (Slot::value + decltype(round)::value * Slots) * each;
    constexpr int count = D::parts - first < each ? D::parts - first : each;
    if (stored == first) {
      detail::repeat<count>([&](auto part)
                                TILEC_LAMBDA { deferred.template store_part<first + decltype(part)::value>(); });
      deferred.stored = first + count;
    }
  });
}

} // namespace tilec

#endif // TILEC_DEFERRED_H
