//===- tile.h - a tile of values in registers -----------------------------------------------------------*- C++ -*-===//
// Tiles, and the functions that make one from nothing or rename registers. Memory, LDS, matrix instructions and
// reductions have their own headers.
//===--------------------------------------------------------------------------------------------------------------===//
#ifndef TILEC_TILE_H
#define TILEC_TILE_H

#include "tilec/layout.h"

namespace tilec {

/// This thread's elements of a tile: data[r] is the element at L::of(r) ^ L::of_thread(thread).
template <class T, class L>
struct Tile {
  using Element = T;
  using Layout = L;
  T data[L::registers];

  TILEC_DEVICE T &operator[](int index) { return data[index]; }
  TILEC_DEVICE const T &operator[](int index) const { return data[index]; }
};

/// Tag: the access stands in a loop that runs seldom. Its places are computed there each time: before the loops around
/// they would hold registers through these.
struct Rare {};
inline constexpr Rare rare{};

template <class T, class L>
TILEC_DEVICE Tile<T, L> splat(T value) {
  Tile<T, L> tile;
#pragma unroll
  for (int r = 0; r < L::registers; ++r)
    tile.data[r] = value;
  return tile;
}

/// Part number `Number` of a tile's registers, as a tile of layout L: as many as L has follow each other.
template <int Number, class L, class T, class Whole>
TILEC_DEVICE Tile<T, L> part(const Tile<T, Whole> &tile) {
  static_assert(Number >= 0 && (Number + 1) * L::registers <= Whole::registers, "the tile has no such part");
  Tile<T, L> result;
#pragma unroll
  for (int r = 0; r < L::registers; ++r)
    result.data[r] = tile.data[Number * L::registers + r];
  return result;
}

/// The tile with other registers for that part.
template <int Number, class T, class Whole, class L>
TILEC_DEVICE Tile<T, Whole> with_part(const Tile<T, Whole> &tile, const Tile<T, L> &part) {
  static_assert(Number >= 0 && (Number + 1) * L::registers <= Whole::registers, "the tile has no such part");
  Tile<T, Whole> result = tile;
#pragma unroll
  for (int r = 0; r < L::registers; ++r)
    result.data[Number * L::registers + r] = part.data[r];
  return result;
}

/// Every element is its own coordinate in dimension `Dim`.
template <class T, class L, int Dim>
TILEC_DEVICE Tile<T, L> iota() {
  static_assert(Dim >= 0 && Dim < L::rank, "the dimension of iota lies outside the tile");
  Tile<T, L> tile;
  const int mine = L::template of_thread<Dim>(target::thread());
  detail::for_each<L::registers>([&](auto r) TILEC_LAMBDA {
    TILEC_KNOWN int own = detail::table_of<L, L::registers>.of[r][Dim];
    tile.data[r] = static_cast<T>(mine ^ own);
  });
  return tile;
}

namespace detail {

/// The point without its coordinates in Dims, the others moved down.
template <int Rank, int... Dims>
constexpr Point drop(Point point) {
  unsigned long long bits = 0;
  int kept = 0;
  for (int dim = 0; dim < Rank; ++dim)
    if (!((dim == Dims) || ...))
      bits |= static_cast<unsigned long long>(point[dim]) << (16 * kept++);
  return {bits};
}

/// The register of S that holds, in every thread, the element `point` away from the thread's own; -1 if none does.
template <class S>
constexpr int register_at(Point point) {
  for (int r = 0; r < S::registers; ++r)
    if (S::of(r) == point)
      return r;
  return -1;
}

/// Register r of L holds, in every thread, what register `of[r]` of S holds; -1 if none does.
template <class S, class L, int... Dims>
struct Sources {
  int of[L::registers] = {};
  bool all = true;

  constexpr Sources() {
    Point held[S::registers];
    for (int r = 0; r < S::registers; ++r)
      held[r] = S::of(r);
    for (int r = 0; r < L::registers; ++r) {
      const Point wanted = drop<L::rank, Dims...>(L::of(r));
      of[r] = S::registers - 1;
      while (of[r] >= 0 && !(held[of[r]] == wanted))
        --of[r];
      all &= of[r] >= 0;
    }
  }
};

/// Whether a thread of S holds elements where a thread of L has them without Dims.
template <class S, class L, int... Dims>
constexpr bool threads_agree() {
  for (int bit = 0; bit < L::thread_bits; ++bit)
    if (!(drop<L::rank, Dims...>(L::thread_basis(bit)) == (bit < S::thread_bits ? S::thread_basis(bit) : Point{})))
      return false;
  return true;
}

} // namespace detail

/// A tile of lower rank, repeated along the dimensions Dims of the result (its rank is that of the tile plus the number
/// of Dims). Registers are renamed, nothing moves between threads: the layout of the tile must be L without Dims.
template <class L, int... Dims, class T, class S>
TILEC_DEVICE Tile<T, L> broadcast(const Tile<T, S> &tile) {
  static_assert(S::rank + int(sizeof...(Dims)) == L::rank, "broadcast adds exactly the named dimensions");
  static_assert(detail::threads_agree<S, L, Dims...>(),
                "broadcast cannot move elements between threads: convert the layout first");
  constexpr detail::Sources<S, L, Dims...> sources;
  static_assert(sources.all, "broadcast wants an element that the thread does not hold: convert the layout first");
  Tile<T, L> result;
  detail::for_each<L::registers>([&](auto r) TILEC_LAMBDA {
    TILEC_KNOWN int source = sources.of[r];
    result.data[r] = tile.data[source];
  });
  return result;
}

} // namespace tilec

#endif // TILEC_TILE_H
