//===- memory.h - tiles to and from views of global memory ----------------------------------------------*- C++ -*-===//
// load, load_live, store and atomic_add: masks at the edges of a view and the choice of vector accesses. How one access
// is spelled belongs to the target, LDS to shared.h.
//===--------------------------------------------------------------------------------------------------------------===//
#ifndef TILEC_MEMORY_H
#define TILEC_MEMORY_H

#include "tilec/tile.h"
#include "tilec/view.h"

namespace tilec {
namespace detail {

/// Elements of one access: V of them, or as many as the widest access of the target holds.
template <class T, int V>
inline constexpr int access_count =
    V * int(sizeof(T)) <= target::widest_access ? V : target::widest_access / int(sizeof(T));

template <class L, int V>
constexpr bool vector_is_contiguous() {
  for (int bit = 0; (1 << bit) < V; ++bit) {
    if (bit >= L::register_bits)
      return false;
    for (int dim = 0; dim < L::rank; ++dim)
      if (L::register_basis(bit)[dim] != (dim == L::rank - 1 ? 1 << bit : 0))
        return false;
  }
  for (int bit = log2_of(V); bit < L::register_bits + L::thread_bits; ++bit) {
    const Point basis = bit < L::register_bits ? L::register_basis(bit) : L::thread_basis(bit - L::register_bits);
    if (basis[L::rank - 1] & (V - 1))
      return false;
  }
  return true;
}

/// Where one tile lies in a view. A view may have more dimensions than the tile: the tile then spans the last ones at a
/// fixed index in the first.
template <class L, int V, class T, int Rank>
struct Placement {
  static constexpr int leading = Rank - L::rank;
  static constexpr int count = access_count<std::remove_const_t<T>, V>;
  static_assert(leading >= 0, "the view has fewer dimensions than the tile");
  static_assert(is_power_of_two(V) && vector_is_contiguous<L, V>(),
                "the first register bases of a vector access are 1, 2, 4 ... in the last dimension, and no other basis "
                "falls inside a vector");

  View<T, Rank> view;
  Coordinates<Rank> start;
  int mine[L::rank]; ///< this thread's part of the coordinates
  T *origin;         ///< of the tile; may lie outside the array
  bool whole;        ///< no element of the tile lies outside the view, and vector accesses are possible
  bool none;         ///< every element lies outside
  bool uncut;        ///< vector accesses are possible, and none crosses an edge

  TILEC_DEVICE Placement(const View<T, Rank> &view, const Coordinates<Rank> &start, int thread)
      : view(view), start(start), none(false) {
    repeat<L::rank>([&](auto dim) TILEC_LAMBDA { mine[dim] = L::template of_thread<dim>(thread); });
    long long offset = 0;
    unsigned long long unit = static_cast<unsigned>(start.data[Rank - 1]);
    bool inside = true, columns = true;
#pragma unroll
    for (int dim = 0; dim < Rank; ++dim) {
      const int first = start.data[dim], size = dim < leading ? 1 : L::Shape::extent(dim < leading ? 0 : dim - leading);
      offset += first * view.strides[dim];
      none |= first >= view.extents[dim] || first <= -size;
      columns = first >= 0 && first <= view.extents[dim] - size;
      inside &= columns;
      if (dim < Rank - 1)
        unit |= static_cast<unsigned long long>(view.strides[dim]);
    }
    origin = view.pointer + offset;
    // Sums of multiples are multiples: loops that only move the tile need not look again.
    const bool aligned =
        count == 1 ||
        (view.strides[Rank - 1] == 1 &&
         ((unit * sizeof(T)) | reinterpret_cast<unsigned long long>(view.pointer)) % (count * sizeof(T)) == 0);
    whole = inside && aligned;
    uncut = aligned && (columns || view.extents[Rank - 1] % count == 0);
  }

  TILEC_DEVICE long long stride(int dim) const { return view.strides[dim + leading]; }

  /// Bytes from the origin to the element at `mine`, in 32 bits where the compiler knows that they suffice: they then
  /// add to a scalar address for free.
  template <class Use>
  TILEC_DEVICE void with_thread_offset(Use &&use) const {
    long long span = 0, bytes = 0;
#pragma unroll
    for (int dim = 0; dim < L::rank; ++dim) {
      span += (L::Shape::extent(dim) - 1) * stride(dim) * sizeof(T);
      bytes += mine[dim] * stride(dim) * sizeof(T);
    }
    if (__builtin_constant_p(span < 0x80000000ll) && span < 0x80000000ll)
      use(unsigned(bytes));
    else
      use(bytes);
  }

  /// Visits the vectors of a tile that lies inside: access(register, uniform pointer, byte offset). `Owned` leaves out
  /// registers that replicate others; `Live` makes each address one per lane to the compiler, whatever it knows of it,
  /// so that no load of it is scalar.
  template <bool Owned, bool Live, class Access>
  TILEC_DEVICE void visit_whole(Access &&access) const {
    with_thread_offset([&](auto offset) TILEC_LAMBDA {
      if constexpr (Live)
        offset = target::hide(offset);
      repeat<L::registers / count>([&](auto i) TILEC_LAMBDA {
        T *place = origin;
        auto bytes = offset;
        repeat<L::rank>([&](auto dim) TILEC_LAMBDA {
          constexpr int own = L::of(decltype(i)::value * count)[dim];
          if constexpr ((own & L::template thread_reach<dim>) != 0)
            bytes += ((mine[dim] ^ own) - mine[dim]) * stride(dim) * int(sizeof(T));
          else if constexpr (dim < L::rank - 1)
            place += own * stride(dim);
        });
        // A row's address stays apart from the thread's offset; the column becomes part of the instruction.
        if constexpr (sizeof(bytes) == 4)
          place = target::uniform_base(place);
        repeat<L::rank>([&](auto dim) TILEC_LAMBDA {
          constexpr int own = L::of(decltype(i)::value * count)[dim];
          if constexpr (dim == L::rank - 1 && (own & L::template thread_reach<dim>) == 0)
            place += own * stride(dim);
        });
        if constexpr (!Owned || L::owns_register(i * count))
          access(i * count, place, bytes);
      });
    });
  }

  /// Visits runs of Width elements of a tile of which some element is inside, but not all are:
  /// access(register, pointer, inside). The pointer of a run that lies outside is that of another run of this tile
  /// inside: it may be read. Width is 1 or, when `uncut`, `count`.
  template <bool Owned, bool Live, int Width, class Access>
  TILEC_DEVICE void visit_masked(Access &&access) const {
    repeat<L::registers / Width>([&](auto i) TILEC_LAMBDA {
      if constexpr (!Owned || L::owns_register(i * Width)) {
        long long offset = 0;
        bool inside = true;
#pragma unroll
        for (int dim = 0; dim < leading; ++dim)
          offset += start.data[dim] * view.strides[dim];
        repeat<L::rank>([&](auto dim) TILEC_LAMBDA {
          constexpr int own = L::of(decltype(i)::value * Width)[dim];
          const int index = start.data[dim + leading] + (mine[dim] ^ own);
          const int greatest = view.extents[dim + leading] - (dim == L::rank - 1 ? Width : 1);
          inside &= index >= 0 && index <= greatest;
          offset += (index < 0 ? 0 : index > greatest ? greatest : index) * stride(dim);
        });
        if constexpr (Live)
          offset = target::hide(offset);
        access(std::integral_constant<int, decltype(i)::value * Width>{}, view.pointer + offset, inside);
      }
    });
  }
};

/// Keeps `run` if `inside`, else makes it `other`; by words, where small elements fill them.
template <int Count, class T>
TILEC_DEVICE void select(T (&run)[Count], const T (&other)[Count], bool inside) {
  if constexpr (sizeof(run) % 4 == 0) {
    constexpr int words = sizeof(run) / 4;
    unsigned held[words], wanted[words];
    __builtin_memcpy(held, run, sizeof(run));
    __builtin_memcpy(wanted, other, sizeof(run));
#pragma unroll
    for (int i = 0; i < words; ++i)
      held[i] = inside ? held[i] : wanted[i];
    __builtin_memcpy(run, held, sizeof(run));
  } else {
#pragma unroll
    for (int e = 0; e < Count; ++e)
      run[e] = inside ? run[e] : other[e];
  }
}

/// Clamped addresses instead of branches: the loads of an edge are in flight together.
template <int Width, bool Live, class P, class Tile, class T>
TILEC_DEVICE void load_masked(Tile &tile, const P &placement, T outside) {
  placement.template visit_masked<false, Live, Width>([&](auto r, const T *place, bool inside) TILEC_LAMBDA {
    T run[Width], other[Width];
    target::load_global<Width>(run, place, 0ll);
#pragma unroll
    for (int e = 0; e < Width; ++e)
      other[e] = outside;
    select(run, other, inside);
#pragma unroll
    for (int e = 0; e < Width; ++e)
      tile.data[r + e] = run[e];
  });
}

template <class L, int V, bool Live, class T, int Rank>
TILEC_DEVICE Tile<std::remove_const_t<T>, L> load_as(const View<T, Rank> &view, const Coordinates<Rank> &start,
                                                     std::remove_const_t<T> outside) {
  const Placement<L, V, T, Rank> placement(view, start, target::thread());
  constexpr int count = Placement<L, V, T, Rank>::count;
  Tile<std::remove_const_t<T>, L> tile;
  if (__builtin_expect(placement.whole, true))
    placement.template visit_whole<false, Live>([&](auto r, const T *place, auto bytes) TILEC_LAMBDA {
      target::load_global<count>(&tile.data[r], place, bytes);
    });
  else if (placement.none)
    tile = splat<std::remove_const_t<T>, L>(outside);
  else if (placement.uncut)
    load_masked<count, Live>(tile, placement, outside);
  else
    load_masked<1, Live>(tile, placement, outside);
  return tile;
}

} // namespace detail

/// Element (i...) of the tile is element start + i of the view, or `outside` where the view has none. V elements per
/// access along the last dimension: the first register bases are 1, 2, ... V / 2 there. Where the place of the tile or
/// the strides are not multiples of a vector, found out once for the workgroup, elements are loaded one by one.
template <class L, int V, class T, int Rank>
TILEC_DEVICE auto load(const View<T, Rank> &view, Coordinates<Rank> start, std::remove_const_t<T> outside = {}) {
  return detail::load_as<L, V, false>(view, start, outside);
}

/// The same from memory that others write while the kernel runs: never through a scalar or a non-coherent path. The
/// wait that makes the data visible comes before it.
template <class L, int V, class T, int Rank>
TILEC_DEVICE auto load_live(const View<T, Rank> &view, Coordinates<Rank> start, std::remove_const_t<T> outside = {}) {
  return detail::load_as<L, V, true>(view, start, outside);
}

/// Writes the elements that lie inside the view, replicated ones once.
template <int V, class T, class L, int Rank>
TILEC_DEVICE void store(const Tile<T, L> &tile, const View<T, Rank> &view, Coordinates<Rank> start) {
  const int thread = target::thread();
  const detail::Placement<L, V, T, Rank> placement(view, start, thread);
  constexpr int count = detail::Placement<L, V, T, Rank>::count;
  if (!L::owns(thread))
    return;
  if (__builtin_expect(placement.whole, true))
    placement.template visit_whole<true, false>(
        [&](auto r, T *place, auto bytes) TILEC_LAMBDA { target::store_global<count>(place, bytes, &tile.data[r]); });
  else if (placement.none)
    return;
  else if (placement.uncut)
    placement.template visit_masked<true, false, count>([&](auto r, T *place, bool inside) TILEC_LAMBDA {
      if (inside)
        target::store_global<count>(place, 0ll, &tile.data[r]);
    });
  else
    placement.template visit_masked<true, false, 1>([&](auto r, T *place, bool inside) TILEC_LAMBDA {
      if (inside)
        target::store_global<1>(place, 0ll, &tile.data[r]);
    });
}

/// Adds the elements that lie inside the view, relaxed, replicated ones once. float and int.
template <Scope S, class T, class L, int Rank>
TILEC_DEVICE void atomic_add(const Tile<T, L> &tile, const View<T, Rank> &view, Coordinates<Rank> start) {
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, int>, "atomic_add adds float or int");
  const int thread = target::thread();
  const detail::Placement<L, 1, T, Rank> placement(view, start, thread);
  if (!L::owns(thread))
    return;
  if (placement.none)
    return;
  placement.template visit_masked<true, false, 1>([&](auto r, T *place, bool inside) TILEC_LAMBDA {
    if (inside)
      target::add_relaxed<S>(place, tile.data[r]);
  });
}

/// One value that others may write while the kernel runs; the same in all threads.
template <class T>
TILEC_DEVICE T read(const T *from) {
  const T value = target::load_relaxed<agent>(from);
  if constexpr (sizeof(T) == 4)
    return __builtin_bit_cast(T, target::uniform(__builtin_bit_cast(int, value)));
  else
    return value;
}

} // namespace tilec

#endif // TILEC_MEMORY_H
