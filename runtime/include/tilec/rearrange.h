//===- rearrange.h - tiles that change their layout within waves -----------------------------------------*- C++
//-*-===//
// Through LDS, a part of the columns or of the rows at a time, so that a large tile takes little room. Each wave meets
// itself alone.
//===--------------------------------------------------------------------------------------------------------------===//
#ifndef TILEC_REARRANGE_H
#define TILEC_REARRANGE_H

#include "tilec/memory.h"
#include "tilec/shared.h"

namespace tilec {
namespace detail {

/// A layout cut into parts of shape `S`, which has all of the tile in one dimension: which registers each has, and the
/// layout that all of them have.
template <class L, class S>
struct Parts {
  static constexpr int dim = S::extent(1) == L::Shape::extent(1) && S::extent(0) != L::Shape::extent(0) ? 0 : 1;
  static constexpr int size = S::extent(dim), parts = L::Shape::extent(dim) / size;
  static constexpr bool is_whole(int bit) { return L::register_basis(bit)[dim] < size; }
  static constexpr int count_whole() {
    int count = 0;
    for (int bit = 0; bit < L::register_bits; ++bit)
      count += is_whole(bit);
    return count;
  }
  static constexpr int whole = count_whole();
  static constexpr bool threads_stay() {
    for (int bit = 0; bit < L::thread_bits; ++bit)
      if (L::thread_basis(bit)[dim] >= size)
        return false;
    return true;
  }
  /// One bit for each doubling of the side of a part, whatever the extent of the other one is.
  static constexpr bool tells_parts() {
    const int told = 1 << (L::register_bits - whole);
    return parts * size == L::Shape::extent(dim) && parts <= told && 2 * parts > told;
  }
  static_assert(L::rank == 2 && S::extent(1 - dim) == L::Shape::extent(1 - dim) && tells_parts() && threads_stay(),
                "registers alone tell the parts of a tile from each other");

  /// The register bit that is bit `number` of those of a part (or, behind them, of the number of the part: the bits of
  /// its side from the lowest on).
  static constexpr int bit_of(int number) {
    if (number >= whole) {
      for (int bit = 0; bit < L::register_bits; ++bit)
        if (L::register_basis(bit)[dim] == size << (number - whole))
          return bit;
      return -1;
    }
    for (int bit = 0; bit < L::register_bits; ++bit)
      if (is_whole(bit) && number-- == 0)
        return bit;
    return -1;
  }
  static constexpr int register_of(int part, int index) {
    int result = 0;
    for (int number = 0; number < L::register_bits; ++number)
      if (((part << whole | index) >> number) & 1)
        result |= 1 << bit_of(number);
    return result;
  }
  /// Where a part begins, of a tile that begins at `start`: the tile's are the last two dimensions.
  template <int Rank>
  TILEC_DEVICE static Coordinates<Rank> start_of(int part, Coordinates<Rank> start) {
    start.data[Rank - 2 + dim] += part * size;
    return start;
  }

  template <int... Bits>
  static Registers<L::register_basis(bit_of(Bits))...> registers_of(std::integer_sequence<int, Bits...>);
  template <int... Bits>
  static Lanes<L::lane_basis(Bits)...> lanes_of(std::integer_sequence<int, Bits...>);
  template <int... Bits>
  static Waves<L::wave_basis(Bits)...> waves_of(std::integer_sequence<int, Bits...>);
  using Part =
      Layout<Shape<S::extent(0), S::extent(1)>, decltype(registers_of(std::make_integer_sequence<int, whole>{})),
             decltype(lanes_of(std::make_integer_sequence<int, L::lane_bits>{})),
             decltype(waves_of(std::make_integer_sequence<int, L::wave_bits>{}))>;
};

/// Whether registers and lanes step within what a wave has: along bits that no wave's basis sets.
template <class L>
constexpr bool waves_are_apart() {
  unsigned long long waves = 0;
  for (int bit = 0; bit < L::wave_bits; ++bit)
    waves |= L::wave_basis(bit).bits;
  for (int bit = 0; bit < L::register_bits; ++bit)
    if (L::register_basis(bit).bits & waves)
      return false;
  for (int bit = 0; bit < L::lane_bits; ++bit)
    if (L::lane_basis(bit).bits & waves)
      return false;
  return L::redundant_registers == 0 && L::redundant_threads == 0;
}

/// Whether the waves of one layout hold what those of the other do.
template <class A, class B>
constexpr bool keeps_waves() {
  if (A::wave_bits != B::wave_bits)
    return false;
  for (int bit = 0; bit < A::wave_bits; ++bit)
    if (!(A::wave_basis(bit) == B::wave_basis(bit)))
      return false;
  return waves_are_apart<A>() && waves_are_apart<B>();
}

/// One of the parts that a tile is cut into.
template <class Cut, int Part, class T, class From>
TILEC_DEVICE Tile<T, typename Cut::Part> cut_part(const Tile<T, From> &tile) {
  Tile<T, typename Cut::Part> result;
  repeat<Cut::Part::registers>([&](auto r) TILEC_LAMBDA {
    constexpr int from = Cut::register_of(Part, decltype(r)::value);
    result.data[r] = tile.data[from];
  });
  return result;
}

} // namespace detail

/// Calls take(part, tile) with the parts of a tile, some of its columns or rows each, in the layout that L has there;
/// waves hold what they held. `scratch` has the shape of a part; nobody else uses these bytes, but for other tiles
/// whose waves have the same part of it.
template <class L, class T, class S, class Z, class From, class Take>
TILEC_DEVICE void rearrange_parts(Shared<T, S, Z> scratch, const Tile<T, From> &tile, Take &&take) {
  static_assert(detail::keeps_waves<From, L>(), "tiles change waves only with a barrier of the workgroup");
  using Source = detail::Parts<From, S>;
  detail::repeat<Source::parts>([&](auto part) TILEC_LAMBDA {
    const auto cut = detail::cut_part<Source, decltype(part)::value>(tile);
    // What was there has been read.
    target::meet_wave();
    store(scratch, cut);
    target::meet_wave();
    take(part, load<typename detail::Parts<L, S>::Part>(scratch));
  });
}

/// The tile in layout L, as rearrange_parts has it.
template <class L, class T, class S, class Z, class From>
TILEC_DEVICE Tile<T, L> rearrange(Shared<T, S, Z> scratch, const Tile<T, From> &tile) {
  using Parts = detail::Parts<L, S>;
  Tile<T, L> result;
  rearrange_parts<L>(scratch, tile, [&](auto part, const auto &turned) TILEC_LAMBDA {
    detail::repeat<Parts::Part::registers>([&](auto r) TILEC_LAMBDA {
      constexpr int to = Parts::register_of(decltype(part)::value, decltype(r)::value);
      result.data[to] = turned.data[r];
    });
  });
  return result;
}

/// Stores a tile by way of layout L, a part at a time: fewer registers hold it.
template <class L, int Vector, class T, class S, class Z, class From>
TILEC_DEVICE void store_rearranged(Shared<T, S, Z> scratch, const Tile<T, From> &tile, const View<T, 2> &view,
                                   const Coordinates<2> &start) {
  rearrange_parts<L>(scratch, tile, [&](auto part, const auto &turned) TILEC_LAMBDA {
    store<Vector>(turned, view, detail::Parts<L, S>::start_of(part, start));
  });
}

} // namespace tilec

#endif // TILEC_REARRANGE_H
