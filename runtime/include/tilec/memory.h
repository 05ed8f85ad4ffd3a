//===- memory.h - tiles to and from views of global memory ----------------------------------------------*- C++ -*-===//
// load, load_live, store and atomics: masks at the edges of a view and the choice of vector accesses. How one access
// is spelled belongs to the target, LDS to shared.h.
//===--------------------------------------------------------------------------------------------------------------===//
#ifndef TILEC_MEMORY_H
#define TILEC_MEMORY_H

#include "tilec/math.h"
#include "tilec/tile.h"
#include "tilec/view.h"

namespace tilec {
namespace detail {

/// Elements of one access: V of them, or as many as the widest access of the target holds.
template <class T, int V>
inline constexpr int access_count =
    V * int(sizeof(T)) <= target::widest_access ? V : target::widest_access / int(sizeof(T));

/// Whether all bits are zero, where that is known when compiling or not.
template <class T>
TILEC_DEVICE bool is_zero(T value) {
  unsigned char bytes[sizeof(T)], any = 0;
  __builtin_memcpy(bytes, &value, sizeof(T));
#pragma unroll
  for (unsigned char byte : bytes)
    any |= byte;
  return any == 0;
}

/// `value` where the bits of `keep` are set, else `other`: keep is 0 or -1.
template <class T>
TILEC_DEVICE T choose(T value, T other, int keep) {
  if constexpr (sizeof(T) == 8) {
    return keep ? value : other;
  } else {
    using Bits =
        std::conditional_t<sizeof(T) == 4, unsigned, std::conditional_t<sizeof(T) == 2, unsigned short, unsigned char>>;
    return __builtin_bit_cast(
        T, Bits((__builtin_bit_cast(Bits, value) & keep) | (__builtin_bit_cast(Bits, other) & ~keep)));
  }
}

template <class L, int V, int Dim = L::rank - 1>
constexpr bool vector_is_contiguous() {
  for (int bit = 0; (1 << bit) < V; ++bit) {
    if (bit >= L::register_bits || !doubles<L>(bit))
      return false;
    for (int dim = 0; dim < L::rank; ++dim)
      if (L::register_basis(bit)[dim] != (dim == Dim ? 1 << bit : 0))
        return false;
  }
  for (int bit = log2_of(V); bit < L::register_bits + L::thread_bits; ++bit) {
    const Point basis = bit < L::register_bits ? L::register_basis(bit) : L::thread_basis(bit - L::register_bits);
    if (basis[Dim] & (V - 1))
      return false;
  }
  return true;
}

/// A view whose extents and strides are made anew where this stands, for what a task does once.
template <class T, int Rank>
TILEC_DEVICE View<T, Rank> recompute(View<T, Rank> view) {
#pragma unroll
  for (int dim = 0; dim < Rank; ++dim) {
    view.extents[dim] = target::recompute_uniform(view.extents[dim]);
    view.strides[dim] = target::recompute_uniform(view.strides[dim]);
  }
  return view;
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
  /// Each vector of the tile lies wholly inside the view or wholly outside, and one inside is aligned and has a place
  /// in a window: `visit_vectors` may be called. An empty view is always regular. The same in all threads, and in all
  /// iterations of a loop that only moves the tile.
  bool regular;

  TILEC_DEVICE Placement(const View<T, Rank> &view, const Coordinates<Rank> &start, int thread)
      : view(view), start(start) {
    repeat<L::rank>([&](auto dim) TILEC_LAMBDA { mine[dim] = L::template of_thread<dim>(thread); });
    const int columns = view.extents[Rank - 1];
    long long rows = 0;
#pragma unroll
    for (int dim = 0; dim < L::rank - 1; ++dim)
      rows += (L::Shape::extent(dim) - 1) * stride(dim);
    // Bits that are set where something is in the way: one condition at the end is one scalar register.
    static_assert(target::window_bytes == 1u << 30, "the two highest bits of an offset are outside of a window");
    constexpr int place = log2_of(target::window_bytes / 2 / int(sizeof(T)));
    unsigned long long obstacles = (rows >> place) | (columns * view.strides[Rank - 1] >> place);
    if constexpr (count > 1) {
      unsigned long long unit = 0;
#pragma unroll
      for (int dim = 0; dim < Rank - 1; ++dim)
        unit |= static_cast<unsigned long long>(view.strides[dim]);
      // Sums of multiples are multiples.
      obstacles |=
          (view.strides[Rank - 1] ^ 1) | (columns & (count - 1)) | (start.data[Rank - 1] & (count - 1)) |
          (((unit * sizeof(T)) | reinterpret_cast<unsigned long long>(view.pointer)) & (count * sizeof(T) - 1));
    }
    int empty = 0;
#pragma unroll
    for (int dim = 0; dim < Rank; ++dim)
      empty |= view.extents[dim] - 1;
    obstacles &= ~static_cast<long long>(empty >> 31);
    regular = target::uniform(int(obstacles | (obstacles >> 32))) == 0;
  }

  TILEC_DEVICE long long stride(int dim) const { return view.strides[dim + leading]; }

  /// Negative if `index` is no index of dimension `dim` of the view, or a run of `width` from there on is cut. Signs
  /// are combined in the registers of a thread; conditions of many vectors would each need a scalar register.
  TILEC_DEVICE int outside(int dim, int index, int width = 1) const {
    return index | (view.extents[dim] - width - index);
  }

  /// What the offsets of `visit_vectors` count from. Its base is the same in all lanes: ask for it before those that
  /// have nothing to access leave.
  TILEC_DEVICE target::Window<T> window() const {
    long long origin = 0;
#pragma unroll
    for (int dim = 0; dim < Rank - 1; ++dim)
      origin += start.data[dim] * view.strides[dim];
    return target::Window<T>(target::uniform_pointer(view.pointer + origin));
  }

  /// Visits the vectors of a regular tile: access(register, byte offset in `window()`); the offset of a vector outside
  /// the view lies outside the window. `Owned` leaves out registers that replicate others. Rows and columns are apart
  /// until their offsets are added: a loop along either computes the other before it begins.
  template <bool Owned, class Access>
  TILEC_DEVICE void visit_vectors(Access &&access) const {
    constexpr int last = L::rank - 1;
    int beyond = 0;
#pragma unroll
    for (int dim = 0; dim < leading; ++dim)
      beyond |= outside(dim, start.data[dim]);
    for_each<L::registers / count>([&](auto i) TILEC_LAMBDA {
      if (!Owned || L::owns_register(i * count)) {
        TILEC_KNOWN Point own = table_of<L, L::registers>.of[i * count];
        int rows = 0, sign = beyond;
#pragma unroll
        for (int dim = 0; dim < last; ++dim) {
          const int index = mine[dim] ^ own[dim];
          rows += index * int(stride(dim)) * int(sizeof(T));
          sign |= outside(dim + leading, start.data[dim + leading] + index);
        }
        TILEC_KNOWN int part = own[last];
        const int column = start.data[Rank - 1] + (mine[last] ^ part);
        const unsigned columns = column * int(stride(last)) * int(sizeof(T));
        // One of the two highest bits puts the sum outside of the window, whatever the rest of an outside place is; the
        // sum does not wrap, nor come close to it.
        constexpr unsigned span = target::window_bytes / 2 - 1;
        access(i * count, ((unsigned(rows) & span) | (unsigned(sign) >> 31) * target::window_bytes) +
                              ((columns & span) | (outside(Rank - 1, column, count) & 2 * target::window_bytes)));
      }
    });
  }

  /// Visits the elements of any tile: access(register, offset in elements, sign), where the sign of an element outside
  /// the view is negative. `Rare`: nothing of it is computed before a loop or for several elements together, where it
  /// would hold registers that the vectors need.
  template <bool Owned, bool Rare, class Access>
  TILEC_DEVICE void visit_elements(Access &&access) {
    for_each<L::registers>([&](auto r) TILEC_LAMBDA {
      if (!Owned || L::owns_register(r)) {
        if constexpr (Rare) {
#pragma unroll
          for (int dim = 0; dim < L::rank; ++dim)
            mine[dim] = target::recompute(mine[dim]);
        }
        long long offset = 0;
        int sign = 0;
#pragma unroll
        for (int dim = 0; dim < leading; ++dim) {
          offset += start.data[dim] * view.strides[dim];
          sign |= outside(dim, start.data[dim]);
        }
        TILEC_KNOWN Point own = table_of<L, L::registers>.of[r];
#pragma unroll
        for (int dim = 0; dim < L::rank; ++dim) {
          const int index = start.data[dim + leading] + (mine[dim] ^ own[dim]);
          offset += index * stride(dim);
          sign |= outside(dim + leading, index);
        }
        access(r, offset, sign);
      }
    });
  }
};

/// Element by element: what is outside reads the view's first element instead, so that all loads are in flight
/// together, and keeps none of its bits.
template <class P, class Tile, class T>
TILEC_DEVICE void load_elements(Tile &tile, P &placement, T outside) {
  placement.template visit_elements<false, true>([&](auto r, long long offset, int sign) TILEC_LAMBDA {
    const int keep = target::hide(~(sign >> 31));
    T element;
    target::load_or_first(&element, placement.view.pointer, offset, keep);
    tile.data[r] = choose(element, outside, keep);
  });
}

template <class L, int V, class T, int Rank>
TILEC_DEVICE Tile<std::remove_const_t<T>, L> load_tile(const View<T, Rank> &view, const Coordinates<Rank> &start,
                                                       std::remove_const_t<T> outside, int thread = target::thread()) {
  using Element = std::remove_const_t<T>;
  Placement<L, V, T, Rank> placement(recompute(view), start, thread);
  constexpr int count = Placement<L, V, T, Rank>::count;
  Tile<Element, L> tile;
  if (__builtin_expect(placement.regular, true)) {
    const auto window = placement.window();
    placement.template visit_vectors<false>([&](auto r, unsigned offset) TILEC_LAMBDA {
      target::load_window<count>(&tile.data[r], window, offset);
      // Outside the window is zero.
      const int keep = offset < target::window_bytes ? -1 : 0;
#pragma unroll
      for (int e = 0; e < count; ++e)
        if (!is_zero(outside))
          tile.data[r + e] = choose(tile.data[r + e], outside, keep);
    });
  } else {
    load_elements(tile, placement, outside);
  }
  return tile;
}

/// The last dimension of a view at a fixed index in the others: a run of memory that a tile of one dimension fills. It
/// begins where an access may. A register is so many bytes behind the thread's first, in all threads alike.
template <class L, int V, class T, int Rank>
struct Run {
  static constexpr int count = access_count<std::remove_const_t<T>, V>;
  static constexpr bool adds_up() {
    int used = 0;
    for (int bit = 0; bit < L::register_bits + L::thread_bits; ++bit) {
      const int basis = (bit < L::register_bits ? L::register_basis(bit) : L::thread_basis(bit - L::register_bits))[0];
      if (used & basis)
        return false;
      used |= basis;
    }
    return true;
  }
  static_assert(Rank > 1 && L::rank == 1 && vector_is_contiguous<L, V>() && adds_up(),
                "a packed tile has one dimension, and its places are sums of a register's and a thread's");

  target::Window<T> window;
  unsigned mine; ///< byte offset of the thread's first register; outside of the window where the view has no such run

  TILEC_DEVICE Run(const View<T, Rank> &view, const Coordinates<Rank> &start, int thread)
      : window(target::uniform_pointer(view.pointer + origin(view, start))) {
    int beyond = 0;
#pragma unroll
    for (int dim = 0; dim < Rank - 1; ++dim)
      beyond |= start.data[dim] | (view.extents[dim] - 1 - start.data[dim]);
    mine = unsigned(L::template of_thread<0>(thread)) * unsigned(sizeof(T)) |
           (unsigned(beyond) >> 31) * target::window_bytes;
  }

  static TILEC_DEVICE long long origin(const View<T, Rank> &view, const Coordinates<Rank> &start) {
    long long result = 0;
#pragma unroll
    for (int dim = 0; dim < Rank - 1; ++dim)
      result += start.data[dim] * view.strides[dim];
    return result;
  }

  /// access(register, bytes behind `mine`) for each access of a thread. `Owned` leaves out registers that replicate
  /// others.
  template <bool Owned, class Access>
  TILEC_DEVICE void visit(Access &&access) const {
    for_each<L::registers / count>([&](auto i) TILEC_LAMBDA {
      TILEC_KNOWN int place = table_of<L, L::registers>.of[i * count][0];
      if (!Owned || L::owns_register(i * count))
        access(i * count, place * int(sizeof(T)));
    });
  }
};

} // namespace detail

/// Tag: the tile is all of the last dimension of the view, a run of memory that begins where an access may.
struct Packed {};
inline constexpr Packed packed{};

/// Element (i...) of the tile is element start + i of the view, or `outside` where the view has none. V elements per
/// access along the last dimension: the first register bases are 1, 2, ... V / 2 there. Where the place of the tile or
/// the strides are not multiples of a vector, found out once for the workgroup, elements are loaded one by one.
template <class L, int V, class T, int Rank>
TILEC_DEVICE auto load(const View<T, Rank> &view, Coordinates<Rank> start, std::remove_const_t<T> outside = {}) {
  return detail::load_tile<L, V>(view, start, outside);
}

/// The same from memory that others write while the kernel runs: never through a scalar or a non-coherent path. The
/// wait that makes the data visible comes before it.
template <class L, int V, class T, int Rank>
TILEC_DEVICE auto load_live(const View<T, Rank> &view, Coordinates<Rank> start, std::remove_const_t<T> outside = {}) {
  return detail::load_tile<L, V>(view, start, outside);
}

/// The same in a loop that runs seldom.
template <class L, int V, class T, int Rank>
TILEC_DEVICE auto load(const View<T, Rank> &view, Coordinates<Rank> start, Rare) {
  return detail::load_tile<L, V>(view, start, {}, target::recompute(target::thread()));
}
template <class L, int V, class T, int Rank>
TILEC_DEVICE auto load_live(const View<T, Rank> &view, Coordinates<Rank> start, Rare) {
  return load<L, V>(view, start, rare);
}

/// A run of memory; zeros where the view has no such run.
template <class L, int V, class T, int Rank>
TILEC_DEVICE auto load(const View<T, Rank> &view, Coordinates<Rank> start, Packed) {
  const detail::Run<L, V, T, Rank> run(view, start, target::recompute(target::thread()));
  Tile<std::remove_const_t<T>, L> tile;
  run.template visit<false>([&](auto r, int moved) TILEC_LAMBDA {
    target::load_window<detail::Run<L, V, T, Rank>::count>(&tile.data[r], run.window, run.mine, moved);
  });
  return tile;
}
template <class L, int V, class T, int Rank>
TILEC_DEVICE auto load_live(const View<T, Rank> &view, Coordinates<Rank> start, Packed) {
  return load<L, V>(view, start, packed);
}

/// Writes a run of memory that the view has; replicated elements once.
template <int V, class T, class L, int Rank>
TILEC_DEVICE void store(const Tile<T, L> &tile, const View<T, Rank> &view, Coordinates<Rank> start, Packed) {
  const int thread = target::recompute(target::thread());
  const detail::Run<L, V, T, Rank> run(view, start, thread);
  if (!L::owns(thread))
    return;
  run.template visit<true>([&](auto r, int moved) TILEC_LAMBDA {
    target::store_window<detail::Run<L, V, T, Rank>::count>(run.window, run.mine, &tile.data[r], moved);
    target::pin();
  });
}

/// Writes the elements that lie inside the view, replicated ones once.
template <int V, class T, class L, int Rank>
TILEC_DEVICE void store(const Tile<T, L> &tile, const View<T, Rank> &view, Coordinates<Rank> start) {
  // Places are computed here and one by one: before a loop, or all together, they would take registers from it.
  const int thread = target::recompute(target::thread());
  detail::Placement<L, V, T, Rank> placement(detail::recompute(view), start, thread);
  constexpr int count = detail::Placement<L, V, T, Rank>::count;
  if (__builtin_expect(placement.regular, true)) {
    const auto window = placement.window();
    if (!L::owns(thread))
      return;
    placement.template visit_vectors<true>([&](auto r, unsigned offset) TILEC_LAMBDA {
      target::store_window<count>(window, offset, &tile.data[r]);
      target::pin();
    });
  } else {
    if (!L::owns(thread))
      return;
    placement.template visit_elements<true, true>([&](auto r, long long offset, int sign) TILEC_LAMBDA {
      if (sign >= 0)
        target::store_global<1>(view.pointer, offset * int(sizeof(T)), &tile.data[r]);
      target::pin();
    });
  }
}

namespace detail {

/// update(place, value) for the elements that lie inside the view, replicated ones once.
template <class T, class L, int Rank, class Update>
TILEC_DEVICE void update_each(const Tile<T, L> &tile, const View<T, Rank> &view, Coordinates<Rank> start,
                              Update &&update) {
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, int> || std::is_same_v<T, long long> ||
                    std::is_same_v<T, bf16> || std::is_same_v<T, f16>,
                "atomics take float, bf16, f16, int or long long");
  const int thread = target::thread();
  Placement<L, 1, T, Rank> placement(view, start, thread);
  if (!L::owns(thread))
    return;
  placement.template visit_elements<true, false>([&](auto r, long long offset, int sign) TILEC_LAMBDA {
    if (sign >= 0)
      update(view.pointer + offset, tile.data[r]);
  });
}

/// The word of memory that an element of T is all of, or a half of where the machine swaps no halves.
template <class T>
using WordOf = std::conditional_t<
    sizeof(T) == 8, unsigned long long,
    std::conditional_t<sizeof(T) == 4 || target::least_swapped_bytes == 4, unsigned, unsigned short>>;

/// Replaces *place by operation(*place, value), in one step.
template <Scope S, class Operation, class T>
TILEC_DEVICE void combine_relaxed(T *place, T value, Operation operation) {
  using Word = WordOf<T>;
  if constexpr (sizeof(Word) == sizeof(T)) {
    Word *const word = reinterpret_cast<Word *>(place);
    Word seen = target::load_relaxed<S>(word);
    while (!target::replace_relaxed<S>(word, seen,
                                       __builtin_bit_cast(Word, operation(__builtin_bit_cast(T, seen), value)))) {
    }
  } else {
    // Whoever changes the other half meanwhile makes the swap fail, whether by an atomic or by a store.
    const unsigned long long address = reinterpret_cast<unsigned long long>(place);
    Word *const word = reinterpret_cast<Word *>(address & ~3ull);
    const int shift = int(address & 2) * 8;
    Word seen = target::load_relaxed<S>(word), desired;
    do {
      const T now = __builtin_bit_cast(T, (unsigned short)(seen >> shift));
      const Word bits = __builtin_bit_cast(unsigned short, operation(now, value));
      desired = (seen & ~(0xffffu << shift)) | bits << shift;
    } while (!target::replace_relaxed<S>(word, seen, desired));
  }
}

template <Scope S, class T>
TILEC_DEVICE void add_relaxed(T *place, T value) {
  if constexpr (std::is_same_v<T, bf16> && target::adds_bf16<S>)
    target::add_bf16<S>(&place->bits, value.bits);
  else if constexpr (sizeof(T) == 2)
    combine_relaxed<S>(place, value, add);
  else
    target::add_relaxed<S>(place, value);
}

} // namespace detail

/// Adds the elements that lie inside the view, relaxed, replicated ones once. float, bf16, f16, int and long long; each
/// sum of 16 bits is rounded to nearest.
template <Scope S, class T, class L, int Rank>
TILEC_DEVICE void atomic_add(const Tile<T, L> &tile, const View<T, Rank> &view, Coordinates<Rank> start) {
  detail::update_each(tile, view, start, [](T *place, T value) TILEC_LAMBDA { detail::add_relaxed<S>(place, value); });
}
/// The greater of old and new, a NaN if either is one; otherwise as atomic_add.
template <Scope S, class T, class L, int Rank>
TILEC_DEVICE void atomic_maximum(const Tile<T, L> &tile, const View<T, Rank> &view, Coordinates<Rank> start) {
  detail::update_each(tile, view, start,
                      [](T *place, T value) TILEC_LAMBDA { detail::combine_relaxed<S>(place, value, maximum); });
}
/// The lesser of old and new, a NaN if either is one; otherwise as atomic_add.
template <Scope S, class T, class L, int Rank>
TILEC_DEVICE void atomic_minimum(const Tile<T, L> &tile, const View<T, Rank> &view, Coordinates<Rank> start) {
  detail::update_each(tile, view, start,
                      [](T *place, T value) TILEC_LAMBDA { detail::combine_relaxed<S>(place, value, minimum); });
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
