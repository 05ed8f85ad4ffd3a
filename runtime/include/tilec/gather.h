//===- gather.h - tiles whose elements along one dimension are named by indices ------------------------*- C++ -*-===//
// gather, gather_live and scatter: the rows of a table, the pages of a cache, the slots of a permutation; number: a
// length or a count in memory, and clamp what a launch gives. Accesses whose place follows from the place of the tile
// are in memory.h.
//===--------------------------------------------------------------------------------------------------------------===//
#ifndef TILEC_GATHER_H
#define TILEC_GATHER_H

#include "tilec/memory.h"

namespace tilec {
namespace detail {

/// Where the elements of a tile lie in a view when a tile of indices, held by the same threads, names those along
/// dimension Dim of the view.
template <class L, class S, int Dim, int V, class T, int Rank>
struct NamedPlacement {
  static constexpr int leading = Rank - L::rank;
  static constexpr int own = Dim - leading; ///< the dimension of the tile
  static constexpr int count = access_count<std::remove_const_t<T>, V>;
  static_assert(leading >= 0, "the view has fewer dimensions than the tile");
  static_assert(own >= 0 && own < L::rank, "indices name elements of a dimension that the tile has");
  static_assert(S::rank == 1 && S::Shape::extent(0) == L::Shape::extent(own), "one index for each element");
  static_assert(own < L::rank - 1 || V == 1, "where each element has an index, each is an access");
  static_assert(is_power_of_two(V) && vector_is_contiguous<L, V>(),
                "the first register bases of a vector access are 1, 2, 4 ... in the last dimension, and no other basis "
                "falls inside a vector");

  View<T, Rank> view;
  Coordinates<Rank> start;
  const Tile<int, S> &index;
  int mine[L::rank];
  /// Vectors lie wholly inside the view or wholly outside, aligned. The same in all threads.
  bool regular;
  int empty; ///< negative: the view has no elements

  TILEC_DEVICE NamedPlacement(const View<T, Rank> &view, const Coordinates<Rank> &start, const Tile<int, S> &index,
                              int thread)
      : view(view), start(start), index(index), empty(0) {
    repeat<L::thread_bits>([&](auto bit) TILEC_LAMBDA {
      constexpr int wanted = L::thread_basis(bit)[own];
      constexpr Point held = bit < S::thread_bits ? S::thread_basis(bit) : Point{};
      static_assert(held == at(wanted), "a thread holds the indices of its elements: convert their layout first");
    });
    repeat<L::rank>([&](auto dim) TILEC_LAMBDA { mine[dim] = L::template of_thread<dim>(thread); });
    unsigned long long obstacles = 0;
    if constexpr (count > 1) {
      unsigned long long unit = 0;
#pragma unroll
      for (int dim = 0; dim < Rank - 1; ++dim)
        unit |= static_cast<unsigned long long>(view.strides[dim]);
      obstacles = (view.strides[Rank - 1] ^ 1) | (view.extents[Rank - 1] & (count - 1)) |
                  (start.data[Rank - 1] & (count - 1)) |
                  (((unit * sizeof(T)) | reinterpret_cast<unsigned long long>(view.pointer)) & (count * sizeof(T) - 1));
    }
#pragma unroll
    for (int dim = 0; dim < Rank; ++dim)
      empty |= view.extents[dim] - 1;
    empty = target::uniform(empty);
    regular = target::uniform(int(obstacles | (obstacles >> 32))) == 0;
  }

  /// Negative if an index is none of dimension `dim` of the view. An index is data: any number.
  TILEC_DEVICE int outside(int dim, int at) const { return at | int(unsigned(view.extents[dim]) - 1u - unsigned(at)); }

  /// Visits runs of Run elements along the last dimension: access(register, offset in elements, sign), where the sign
  /// of a run outside the view is negative. `Owned` leaves out registers that replicate others.
  template <bool Owned, int Run, class Access>
  TILEC_DEVICE void visit(Access &&access) const {
    repeat<L::registers / Run>([&](auto i) TILEC_LAMBDA {
      constexpr int r = decltype(i)::value * Run;
      if constexpr (!Owned || L::owns_register(r)) {
        long long offset = 0;
        int sign = 0;
#pragma unroll
        for (int dim = 0; dim < leading; ++dim) {
          offset += start.data[dim] * view.strides[dim];
          sign |= outside(dim, start.data[dim]);
        }
        repeat<L::rank>([&](auto dim) TILEC_LAMBDA {
          constexpr int part = L::of(r)[dim];
          int place;
          if constexpr (dim == own) {
            constexpr int source = register_at<S>(at(part));
            static_assert(source >= 0, "a thread holds the indices of its elements: convert their layout first");
            place = index.data[source];
          } else {
            place = start.data[dim + leading] + (mine[dim] ^ part);
          }
          offset += place * view.strides[dim + leading];
          sign |= outside(dim + leading, place);
        });
        access(std::integral_constant<int, r>(), offset, sign);
      }
    });
  }

  /// What is outside reads the first elements of the view instead, so that all loads are in flight together, and keeps
  /// none of their bits.
  template <int Run, class Element>
  TILEC_DEVICE void load(Tile<Element, L> &tile, Element outside) const {
    visit<false, Run>([&](auto r, long long offset, int sign) TILEC_LAMBDA {
      const int keep = target::hide(~(sign >> 31));
      target::load_or_first<Run>(&tile.data[r], view.pointer, offset, keep);
#pragma unroll
      for (int e = 0; e < Run; ++e)
        tile.data[r + e] = choose(tile.data[r + e], outside, keep);
    });
  }

  template <int Run, class Element>
  TILEC_DEVICE void store(const Tile<Element, L> &tile) const {
    visit<true, Run>([&](auto r, long long offset, int sign) TILEC_LAMBDA {
      if (sign >= 0)
        target::store_global<Run>(view.pointer, offset * int(sizeof(T)), &tile.data[r]);
      target::pin();
    });
  }
};

template <class L, int Dim, int V, class T, int Rank, class S>
TILEC_DEVICE Tile<std::remove_const_t<T>, L> gather_tile(const View<T, Rank> &view, const Coordinates<Rank> &start,
                                                         const Tile<int, S> &index, std::remove_const_t<T> outside) {
  const NamedPlacement<L, S, Dim, V, T, Rank> placement(recompute(view), start, index, target::thread());
  constexpr int count = NamedPlacement<L, S, Dim, V, T, Rank>::count;
  // A view without elements has no first one that could be read instead.
  if (placement.empty < 0)
    return splat<std::remove_const_t<T>, L>(outside);
  Tile<std::remove_const_t<T>, L> tile;
  if (__builtin_expect(placement.regular, true))
    placement.template load<count>(tile, outside);
  else
    placement.template load<1>(tile, outside);
  return tile;
}

} // namespace detail

/// Element (i...) of the tile is element start + i of the view, but along dimension Dim of the view element index[i];
/// or `outside` where the view has none. start[Dim] is 0. V elements per access along the last dimension. The layout of
/// the indices is L in dimension Dim alone.
template <class L, int Dim, int V, class T, int Rank, class S>
TILEC_DEVICE auto gather(const View<T, Rank> &view, Coordinates<Rank> start, const Tile<int, S> &index,
                         std::remove_const_t<T> outside = {}) {
  return detail::gather_tile<L, Dim, V>(view, start, index, outside);
}

/// The same from memory that others write while the kernel runs.
template <class L, int Dim, int V, class T, int Rank, class S>
TILEC_DEVICE auto gather_live(const View<T, Rank> &view, Coordinates<Rank> start, const Tile<int, S> &index,
                              std::remove_const_t<T> outside = {}) {
  return detail::gather_tile<L, Dim, V>(view, start, index, outside);
}

/// Writes the elements that lie inside the view, replicated ones once, along dimension Dim of the view at index[i].
template <int Dim, int V, class T, class L, int Rank, class S>
TILEC_DEVICE void scatter(const Tile<T, L> &tile, const View<T, Rank> &view, Coordinates<Rank> start,
                          const Tile<int, S> &index) {
  const int thread = target::recompute(target::thread());
  const detail::NamedPlacement<L, S, Dim, V, T, Rank> placement(detail::recompute(view), start, index, thread);
  constexpr int count = detail::NamedPlacement<L, S, Dim, V, T, Rank>::count;
  if (!L::owns(thread))
    return;
  if (__builtin_expect(placement.regular, true))
    placement.template store<count>(tile);
  else
    placement.template store<1>(tile);
}

/// A number of a launch as an index: 0 where it is negative, `most` where it is greater.
template <class T>
TILEC_DEVICE int clamp(T value, int most) {
  return value < 0 ? 0 : value < most ? int(value) : most;
}

/// An element of a view, which others may write while the kernel runs; the same in all threads. 0 where the view has
/// none there or it is negative, `most` where it is greater.
template <class T, int Rank>
TILEC_DEVICE int number(const View<T, Rank> &view, Coordinates<Rank> at, int most) {
  static_assert(std::is_same_v<std::remove_const_t<T>, int>, "numbers are int");
  long long offset = 0;
  bool inside = true;
#pragma unroll
  for (int dim = 0; dim < Rank; ++dim) {
    offset += at.data[dim] * view.strides[dim];
    inside = inside && at.data[dim] >= 0 && at.data[dim] < view.extents[dim];
  }
  const int value = inside ? read(view.pointer + offset) : 0;
  return clamp(value, most);
}

} // namespace tilec

#endif // TILEC_GATHER_H
