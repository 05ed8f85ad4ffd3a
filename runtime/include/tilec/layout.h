//===- layout.h - which thread holds which elements of a tile -------------------------------------------*- C++ -*-===//
// Points, shapes and layouts, linear over GF(2). Everything is constexpr but the part of a coordinate that depends on
// the running thread. Tiles with values are in tile.h, layouts of matrix instructions in mma.h.
//===--------------------------------------------------------------------------------------------------------------===//
#ifndef TILEC_LAYOUT_H
#define TILEC_LAYOUT_H

#include "tilec/target.h"

namespace tilec {

/// Up to four coordinates of 16 bits; the group operation is XOR.
struct Point {
  unsigned long long bits = 0;

  constexpr int operator[](int dim) const { return int((bits >> (16 * dim)) & 0xffff); }
  friend constexpr Point operator^(Point a, Point b) { return {a.bits ^ b.bits}; }
  friend constexpr bool operator==(Point a, Point b) { return a.bits == b.bits; }
};

constexpr Point at(int i0 = 0, int i1 = 0, int i2 = 0, int i3 = 0) {
  return {static_cast<unsigned long long>(i0) | static_cast<unsigned long long>(i1) << 16 |
          static_cast<unsigned long long>(i2) << 32 | static_cast<unsigned long long>(i3) << 48};
}

/// The power of two that is at least `extent`.
constexpr int box_side(int extent) {
  int side = 1;
  while (side < extent)
    side *= 2;
  return side;
}

/// Extents of a tile, at most four: powers of two, or multiples of 8.
template <int... Extents>
struct Shape {
  static_assert(sizeof...(Extents) >= 1 && sizeof...(Extents) <= 4, "a tile has one to four dimensions");
  static_assert(((detail::is_power_of_two(Extents) || (Extents > 0 && Extents % 8 == 0)) && ...),
                "extents of a tile are powers of two or multiples of 8");
  static constexpr int rank = sizeof...(Extents);
  static constexpr int size = (Extents * ... * 1);
  static constexpr int box_size = (box_side(Extents) * ... * 1); ///< of the powers of two around it
  static constexpr int extent(int dim) {
    constexpr int extents[] = {Extents...};
    return extents[dim];
  }
};

namespace detail {
/// A list of bases, one per bit of an index.
template <Point... Bases>
struct BasisList {
  static constexpr int bits = sizeof...(Bases);
  static constexpr Point basis(int bit) {
    constexpr Point bases[] = {Bases..., Point{}};
    return bases[bit];
  }
};
} // namespace detail

template <Point... Bases>
struct Registers : detail::BasisList<Bases...> {};
template <Point... Bases>
struct Lanes : detail::BasisList<Bases...> {};
template <Point... Bases>
struct Waves : detail::BasisList<Bases...> {};

namespace detail {

/// One term of a linear map: (x & mask) shifted left by `shift`.
struct Term {
  unsigned mask = 0;
  int shift = 0;
};
struct Terms {
  int count = 0;
  Term term[40] = {};
};

/// Writes the map that sends bit b to Map::basis(b), an int, as few masked shifts whose results are XORed.
template <class Map>
constexpr Terms terms_of() {
  constexpr int least = -16, most = 24;
  unsigned masks[most - least] = {}; // of each shift
  for (int bit = 0; bit < Map::bits; ++bit) {
    const int basis = Map::basis(bit);
    for (int to = 0; basis >> to; ++to)
      if ((basis >> to) & 1)
        masks[to - bit - least] |= 1u << bit;
  }
  Terms terms;
  for (int shift = least; shift < most; ++shift)
    if (const unsigned mask = masks[shift - least])
      terms.term[terms.count++] = {mask, shift};
  return terms;
}

/// The linear map at a value known only when the kernel runs.
template <class Map>
TILEC_DEVICE int apply(int x) {
  constexpr Terms terms = terms_of<Map>();
  unsigned result = 0;
  repeat<terms.count>([&](auto i) TILEC_LAMBDA {
    constexpr Term term = terms.term[i];
    if constexpr (term.shift >= 0)
      result ^= (unsigned(x) & term.mask) << term.shift;
    else
      result ^= (unsigned(x) & term.mask) >> -term.shift;
  });
  return int(result);
}

/// Every bit that some image of the map sets.
template <class Map>
constexpr int reach_of() {
  int reach = 0;
  for (int bit = 0; bit < Map::bits; ++bit)
    reach |= Map::basis(bit);
  return reach;
}

/// Whether each register has one beside it whose number differs in this bit alone.
template <class L>
constexpr bool doubles(int bit) {
  return L::registers % (2 << bit) == 0;
}

/// Bits of an index (registers first, then threads) whose basis depends linearly on the bases before it: indices that
/// differ in them hold the same elements. `rank` is the dimension of the image.
struct Redundancy {
  unsigned bits = 0;
  int rank = 0;
};
template <class L>
constexpr Redundancy redundancy_of() {
  Redundancy result;
  unsigned long long pivots[64] = {};
  for (int bit = 0; bit < L::register_bits + L::thread_bits; ++bit) {
    unsigned long long rest =
        (bit < L::register_bits ? L::register_basis(bit) : L::thread_basis(bit - L::register_bits)).bits;
    for (int pivot = 63; pivot >= 0 && rest; --pivot)
      if ((rest >> pivot) & 1) {
        if (!pivots[pivot]) {
          pivots[pivot] = rest;
          ++result.rank;
          break;
        }
        rest ^= pivots[pivot];
      }
    if (!rest)
      result.bits |= 1u << bit;
  }
  return result;
}

} // namespace detail

/// A linear map from (register, lane, wave) to the elements of a tile: the XOR of the bases of the set bits. A zero
/// basis replicates, as does one that depends on bases before it. Coordinates split as of(register) ^
/// of_thread(thread), where thread = lane + lanes * wave. Every wave of the workgroup has its bit. Where an extent is
/// no power of two the bases are those of the power above it: the last registers would lie beyond the tile, the same in
/// all threads, and do not exist.
template <class Extents, class R, class L, class W>
struct Layout {
  using Shape = Extents;
  static constexpr int rank = Shape::rank;
  static constexpr int register_bits = R::bits;
  static constexpr int lane_bits = L::bits;
  static constexpr int wave_bits = W::bits;
  static constexpr int thread_bits = lane_bits + wave_bits;
  static constexpr int registers = int((1ll << register_bits) * Shape::size / Shape::box_size);
  static constexpr int threads = 1 << thread_bits;
  static_assert((1 << lane_bits) == target::wave_lanes, "one basis per bit of a lane's number");

  static constexpr Point register_basis(int bit) { return R::basis(bit); }
  static constexpr Point lane_basis(int bit) { return L::basis(bit); }
  static constexpr Point wave_basis(int bit) { return W::basis(bit); }
  static constexpr Point thread_basis(int bit) { return bit < lane_bits ? L::basis(bit) : W::basis(bit - lane_bits); }

  /// The part of the coordinates that a register contributes.
  static constexpr Point of(int index) {
    Point point;
    for (int bit = 0; bit < register_bits; ++bit)
      if ((index >> bit) & 1)
        point = point ^ R::basis(bit);
    return point;
  }
  /// The part that a thread contributes, for a thread known when compiling.
  static constexpr Point of_constant_thread(int thread) {
    Point point;
    for (int bit = 0; bit < thread_bits; ++bit)
      if ((thread >> bit) & 1)
        point = point ^ thread_basis(bit);
    return point;
  }

  template <int Dim>
  struct ThreadMap {
    static constexpr int bits = thread_bits;
    static constexpr int basis(int bit) { return thread_basis(bit)[Dim]; }
  };
  /// The same in one dimension for the running thread.
  template <int Dim>
  static TILEC_DEVICE int of_thread(int thread) {
    return detail::apply<ThreadMap<Dim>>(thread);
  }
  /// Bits of the coordinate that some thread sets.
  template <int Dim>
  static constexpr int thread_reach = detail::reach_of<ThreadMap<Dim>>();

  static constexpr unsigned redundant_registers = detail::redundancy_of<Layout>().bits & ((1u << register_bits) - 1);
  static constexpr unsigned redundant_threads = detail::redundancy_of<Layout>().bits >> register_bits;
  static_assert((1 << detail::redundancy_of<Layout>().rank) == Shape::box_size, "a layout covers its shape exactly");

  /// Threads stay within what an extent is a multiple of; then each register is inside or outside as a whole.
  static constexpr bool leaves_last() {
    for (int dim = 0; dim < rank; ++dim) {
      const int extent = Shape::extent(dim), run = extent & -extent;
      if (run == extent)
        continue;
      for (int bit = 0; bit < thread_bits; ++bit)
        if (thread_basis(bit)[dim] >= run)
          return false;
      for (int index = 0; index < 1 << register_bits; ++index)
        if ((of(index)[dim] < extent) != (index < registers))
          return false;
    }
    return true;
  }
  static_assert(leaves_last(), "the last registers of a layout are those beyond an extent");

  /// Whether this thread writes the elements it holds: of all replicas one is the owner.
  static TILEC_DEVICE bool owns(int thread) { return (unsigned(thread) & redundant_threads) == 0; }
  static constexpr bool owns_register(int index) { return (unsigned(index) & redundant_registers) == 0; }
};

} // namespace tilec

#endif // TILEC_LAYOUT_H
