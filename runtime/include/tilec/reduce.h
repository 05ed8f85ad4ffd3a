//===- reduce.h - sums and extrema along a dimension of a tile ------------------------------------------*- C++ -*-===//
// Reductions within a workgroup: registers, then lanes, then waves. Reductions over ranks are programs, not functions.
//===--------------------------------------------------------------------------------------------------------------===//
#ifndef TILEC_REDUCE_H
#define TILEC_REDUCE_H

#include "tilec/math.h"
#include "tilec/shared.h"

namespace tilec {
namespace detail {

/// How a reduction of layout S along Dim falls into steps. Every basis moves either along Dim alone or not along it.
template <int Dim, class S>
struct ReducePlan {
  static_assert(S::rank >= 2 && Dim >= 0 && Dim < S::rank, "reduce removes one dimension of at least two");
  static constexpr bool along(Point basis) { return basis[Dim] != 0; }
  static constexpr Point kept(Point basis) { return drop<S::rank, Dim>(basis); }

  static constexpr bool pure() {
    for (int bit = 0; bit < S::register_bits + S::thread_bits; ++bit) {
      const Point basis = bit < S::register_bits ? S::register_basis(bit) : S::thread_basis(bit - S::register_bits);
      const bool redundant = bit < S::register_bits ? (S::redundant_registers >> bit) & 1
                                                    : (S::redundant_threads >> (bit - S::register_bits)) & 1;
      if (along(basis) && (redundant || !(kept(basis) == Point{})))
        return false;
    }
    return true;
  }
  static_assert(pure(), "a reduced dimension shares no basis with another and is not replicated");

  /// Register bits that run along the dimension, as a mask; wave bits likewise.
  static constexpr unsigned register_mask() {
    unsigned mask = 0;
    for (int bit = 0; bit < S::register_bits; ++bit)
      mask |= unsigned(along(S::register_basis(bit))) << bit;
    return mask;
  }
  static constexpr unsigned registers = register_mask();
  struct Waves {
    int bits = 0;
    int bit[8] = {};
  };
  static constexpr Waves find_waves() {
    Waves waves;
    for (int bit = 0; bit < S::wave_bits; ++bit)
      if (along(S::wave_basis(bit)))
        waves.bit[waves.bits++] = bit;
    return waves;
  }
  static constexpr Waves waves = find_waves();

  /// The row of the scratch that this wave's partial results go to.
  struct RowMap {
    static constexpr int bits = S::thread_bits;
    static constexpr int basis(int bit) {
      for (int i = 0; i < waves.bits; ++i)
        if (bit == S::lane_bits + waves.bit[i])
          return 1 << i;
      return 0;
    }
  };

  /// Whether partial results need only be renamed to be in layout L.
  template <class L>
  static constexpr bool renames() {
    if (waves.bits)
      return false;
    for (int bit = 0; bit < L::thread_bits || bit < S::thread_bits; ++bit) {
      const Point held = bit < S::thread_bits ? kept(S::thread_basis(bit)) : Point{};
      if (!(held == (bit < L::thread_bits ? L::thread_basis(bit) : Point{})))
        return false;
    }
    for (int r = 0; r < L::registers; ++r)
      if (holder(L::of(r)) < 0)
        return false;
    return true;
  }
  /// The register that holds the partial result at `point` away from the thread's own.
  static constexpr int holder(Point point) {
    for (int r = 0; r < S::registers; ++r)
      if ((r & registers) == 0 && kept(S::of(r)) == point)
        return r;
    return -1;
  }
  /// Threads that write partial results: no replicas, and of the lanes along the dimension, equal now, the first.
  static constexpr unsigned silent_threads() {
    unsigned mask = S::redundant_threads;
    for (int bit = 0; bit < S::lane_bits; ++bit)
      mask |= unsigned(along(S::lane_basis(bit))) << bit;
    return mask;
  }
};

/// Row-major place of a point in a shape.
template <class Extents>
constexpr int linear(Point point) {
  int place = 0;
  for (int dim = 0; dim < Extents::rank; ++dim)
    place = place * Extents::extent(dim) + point[dim];
  return place;
}

/// Where a thread's own element lies in the scratch, without the registers' part.
template <class L, class Extents, class Plan>
struct PartialMap {
  static constexpr int bits = L::thread_bits;
  static constexpr int basis(int bit) { return linear<Extents>(Plan::kept(L::thread_basis(bit))); }
};
template <class L>
struct ResultMap {
  static constexpr int bits = L::thread_bits;
  static constexpr int basis(int bit) { return linear<typename L::Shape>(L::thread_basis(bit)); }
};

/// Pairs of elements put together one after the other, first and second apart until the end: an instruction may do
/// both.
template <auto Op, class T>
class Fold {
public:
  static constexpr bool neighbours = true; ///< what makes a pair
  TILEC_DEVICE Fold(T a, T b) : first(a), second(b) {}
  TILEC_DEVICE void add(T a, T b) {
    first = Op(first, a);
    second = Op(second, b);
  }
  TILEC_DEVICE T result() const { return Op(first, second); }

private:
  T first, second;
};
/// Compares two numbers with two that follow them, where the compiler makes vectors of its own.
template <>
class Fold<maximum, float> : public target::Extremum<true> {
public:
  static constexpr bool neighbours = Extremum::neighbours;
  using Extremum::Extremum;
};
template <>
class Fold<minimum, float> : public target::Extremum<false> {
public:
  static constexpr bool neighbours = Extremum::neighbours;
  using Extremum::Extremum;
};

/// The registers of `Mask` with the bits of `number`, lowest first.
constexpr int spread_bits(unsigned mask, int number) {
  int result = 0;
  for (unsigned bit = 1; bit <= mask; bit *= 2)
    if (mask & bit) {
      result |= number % 2 ? bit : 0;
      number /= 2;
    }
  return result;
}

/// How many of `registers` go with register `first` along Mask: the first numbers of `spread_bits`.
constexpr int registers_along(unsigned mask, int first, int registers) {
  int count = 0;
  while (count < 1 << __builtin_popcount(mask) && (first | spread_bits(mask, count)) < registers)
    ++count;
  return count;
}

/// Of `Pairs` pairs of the registers of Mask that go with register First.
template <auto Op, unsigned Mask, int First, int Pairs, class T, class S>
TILEC_DEVICE T fold_pairs(const Tile<T, S> &tile) {
  constexpr bool neighbours = Fold<Op, T>::neighbours;
  constexpr int step = neighbours ? 2 : 1, apart = neighbours ? 1 : Pairs, second = First | spread_bits(Mask, apart);
  Fold<Op, T> fold(tile.data[First], tile.data[second]);
  repeat<Pairs - 1>([&](auto before) TILEC_LAMBDA {
    constexpr int number = (decltype(before)::value + 1) * step;
    constexpr int a = First | spread_bits(Mask, number), b = First | spread_bits(Mask, number + apart);
    fold.add(tile.data[a], tile.data[b]);
  });
  return fold.result();
}

/// Of the registers of Mask that go with register First. Of an extent that is no power of two the last do not exist.
template <auto Op, unsigned Mask, int First, class T, class S>
TILEC_DEVICE T fold_registers(const Tile<T, S> &tile) {
  constexpr int count = registers_along(Mask, First, S::registers), pairs = count / 2;
  if constexpr (pairs == 0) {
    return tile.data[First];
  } else if constexpr (count % 2 != 0) {
    constexpr int last = First | spread_bits(Mask, count - 1);
    return Op(fold_pairs<Op, Mask, First, pairs>(tile), tile.data[last]);
  } else {
    return fold_pairs<Op, Mask, First, pairs>(tile);
  }
}

/// Partial results of registers and lanes: the registers not along the dimension are valid after.
template <class Plan, auto Op, class T, class S>
TILEC_DEVICE void reduce_in_wave(Tile<T, S> &tile) {
  repeat<S::registers>([&](auto r) TILEC_LAMBDA {
    constexpr int first = decltype(r)::value;
    if constexpr ((first & Plan::registers) == 0)
      tile.data[first] = fold_registers<Op, Plan::registers, first>(tile);
  });
  repeat<S::lane_bits>([&](auto bit) TILEC_LAMBDA {
    constexpr int step = decltype(bit)::value;
    if constexpr (Plan::along(S::lane_basis(step)))
      for_each<S::registers>([&](auto r) TILEC_LAMBDA {
        if ((r & Plan::registers) == 0) {
          const auto pair = target::pair<1 << step>(tile.data[r]);
          tile.data[r] = Op(pair.own, pair.other);
        }
      });
  });
}

} // namespace detail

/// Elements a reduction's scratch must hold: one result per wave along the dimension; 0 when no scratch is needed.
template <int Dim, class L, class S>
constexpr int reduce_scratch() {
  using Plan = detail::ReducePlan<Dim, S>;
  return Plan::template renames<L>() ? 0 : L::Shape::size << Plan::waves.bits;
}

/// The reduction that needs no scratch: no wave, and no lane, has to learn of another's results.
template <int Dim, auto Op, class L, class T, class S>
TILEC_DEVICE Tile<T, L> reduce(Tile<T, S> tile) {
  using Plan = detail::ReducePlan<Dim, S>;
  static_assert(Plan::template renames<L>(), "this reduction crosses waves or changes its layout: give it scratch");
  detail::reduce_in_wave<Plan, Op>(tile);
  Tile<T, L> result;
  detail::repeat<L::registers>([&](auto r) TILEC_LAMBDA {
    constexpr int held = Plan::holder(L::of(r));
    result.data[r] = tile.data[held];
  });
  return result;
}

/// Combines the elements along Dim with Op (add, multiply, maximum, minimum, bits_and ..), always in the same order:
/// pairs of registers in turn, a tree over lanes, then waves in turn. The result has one dimension less and layout L.
/// `scratch` holds at least reduce_scratch elements; where results cross waves two barriers are inside, one before its
/// first write, so that it may be reused at once. All threads call it.
template <int Dim, auto Op, class L, class T, class S, class Scratch>
TILEC_DEVICE Tile<T, L> reduce(Tile<T, S> tile, Scratch scratch) {
  using Plan = detail::ReducePlan<Dim, S>;
  if constexpr (Plan::template renames<L>()) {
    return reduce<Dim, Op, L>(tile);
  } else {
    constexpr int size = L::Shape::size;
    static_assert(std::is_same_v<typename Scratch::Element, T>, "the scratch of the reduction has other elements");
    static_assert(Scratch::Shape::size >= reduce_scratch<Dim, L, S>(), "the scratch of the reduction is too small");
    using Partials = detail::PartialMap<S, typename L::Shape, Plan>;
    detail::reduce_in_wave<Plan, Op>(tile);
    const int thread = target::thread();
    const int row = detail::apply<typename Plan::RowMap>(thread), own = detail::apply<Partials>(thread);
    target::barrier();
    if ((unsigned(thread) & Plan::silent_threads()) == 0)
      detail::repeat<S::registers>([&](auto r) TILEC_LAMBDA {
        if constexpr ((r & Plan::registers) == 0 && S::owns_register(r)) {
          constexpr int place = detail::linear<typename L::Shape>(Plan::kept(S::of(r)));
          target::store_lds<1>(scratch.offset + (row * size + (own ^ place)) * int(sizeof(T)), &tile.data[r]);
        }
      });
    target::barrier();
    const int mine = detail::apply<detail::ResultMap<L>>(thread);
    Tile<T, L> result;
    detail::repeat<L::registers>([&](auto r) TILEC_LAMBDA {
      constexpr int place = detail::linear<typename L::Shape>(L::of(r));
      detail::repeat<1 << Plan::waves.bits>([&](auto wave) TILEC_LAMBDA {
        T partial;
        target::load_lds<1>(&partial, scratch.offset + (wave * size + (mine ^ place)) * int(sizeof(T)));
        result.data[decltype(r)::value] = wave == 0 ? partial : Op(result.data[decltype(r)::value], partial);
      });
    });
    return result;
  }
}

} // namespace tilec

#endif // TILEC_REDUCE_H
