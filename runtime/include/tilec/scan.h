//===- scan.h - running sums and extrema along a dimension of a tile ------------------------------------*- C++ -*-===//
// Scans within a workgroup, by the bits of the coordinate: from the lowest up, the upper half of each pair of blocks
// takes what the lower one holds altogether. A bit is that of a register, of a lane or of a wave. Scans that are longer
// than a tile are programs, not functions.
//===--------------------------------------------------------------------------------------------------------------===//
#ifndef TILEC_SCAN_H
#define TILEC_SCAN_H

#include "tilec/math.h"
#include "tilec/shared.h"

namespace tilec {

/// Flag of scan: without the element itself.
TILEC_CONSTANT bool exclusive = true;

namespace detail {

/// Who holds each bit of the coordinate Dim of layout S.
template <int Dim, class S>
struct ScanPlan {
  static_assert(Dim >= 0 && Dim < S::rank, "scan runs along a dimension of the tile");
  static constexpr int sides = box_side(S::Shape::extent(Dim)), all = S::register_bits + S::thread_bits;
  static constexpr Point basis(int bit) {
    return bit < S::register_bits ? S::register_basis(bit) : S::thread_basis(bit - S::register_bits);
  }
  static constexpr bool redundant(int bit) {
    return ((bit < S::register_bits ? S::redundant_registers >> bit
                                    : S::redundant_threads >> (bit - S::register_bits)) &
            1) != 0;
  }
  static constexpr bool pure() {
    for (int bit = 0; bit < all; ++bit) {
      const int step = basis(bit)[Dim];
      if (step && (redundant(bit) || (step & (step - 1)) || !(basis(bit) == only(step))))
        return false;
    }
    return true;
  }
  /// A point that is `step` along the dimension and 0 in all others.
  static constexpr Point only(int step) { return {static_cast<unsigned long long>(step) << (16 * Dim)}; }
  static_assert(pure(), "a scanned dimension shares no basis with another, and each basis is a power of two");

  static constexpr int count_bits() {
    int bits = 0;
    while (1 << bits < sides)
      ++bits;
    return bits;
  }
  static constexpr int bits = count_bits();
  /// Of the registers, then lanes, then waves, the bit that holds bit `at` of the coordinate.
  static constexpr int holder(int at) {
    for (int bit = 0; bit < all; ++bit)
      if (basis(bit)[Dim] == 1 << at)
        return bit;
    return -1;
  }
  static constexpr bool in_register(int at) { return holder(at) < S::register_bits; }
  static constexpr bool in_wave(int at) { return holder(at) >= S::register_bits + S::lane_bits; }
  /// Bits from `at` on that waves hold.
  static constexpr int wave_run(int at) {
    int run = 0;
    while (at + run < bits && in_wave(at + run))
      ++run;
    return run;
  }
  static constexpr bool begins_run(int at) { return in_wave(at) && (at == 0 || !in_wave(at - 1)); }
  /// Holders of the bits below `at`, as masks.
  static constexpr unsigned registers_below(int at) {
    unsigned mask = 0;
    for (int bit = 0; bit < at; ++bit)
      mask |= in_register(bit) ? 1u << holder(bit) : 0;
    return mask;
  }
  static constexpr unsigned threads_below(int at) {
    unsigned mask = 0;
    for (int bit = 0; bit < at; ++bit)
      mask |= in_register(bit) ? 0 : 1u << (holder(bit) - S::register_bits);
    return mask;
  }
};

/// Of waves that hold bits At.. of the coordinate: the number of this one among them, and where its totals lie.
template <int Dim, class S, int At>
struct WaveRun {
  using Plan = ScanPlan<Dim, S>;
  static constexpr int run = Plan::wave_run(At), size = S::Shape::box_size >> (At + run);
  struct RowMap {
    static constexpr int bits = S::thread_bits;
    static constexpr int basis(int bit) {
      for (int i = 0; i < run; ++i)
        if (bit + S::register_bits == Plan::holder(At + i))
          return 1 << i;
      return 0;
    }
  };
  /// Row-major place in a box without the bits of the coordinate below those that follow the run.
  static constexpr int place(Point point) {
    int result = 0;
    for (int dim = 0; dim < S::rank; ++dim) {
      const int shift = dim == Dim ? At + run : 0;
      result = result * (box_side(S::Shape::extent(dim)) >> shift) + (point[dim] >> shift);
    }
    return result;
  }
  struct PlaceMap {
    static constexpr int bits = S::thread_bits;
    static constexpr int basis(int bit) { return place(S::thread_basis(bit)); }
  };
};

template <auto Op, int Step, class T, class S>
TILEC_DEVICE void scan_registers(Tile<T, S> &result, Tile<T, S> &totals) {
  repeat<S::registers>([&](auto r) TILEC_LAMBDA {
    constexpr int low = decltype(r)::value, high = low | Step;
    // Of an extent that is no power of two the last registers do not exist.
    if constexpr ((low & Step) == 0 && high < S::registers) {
      result.data[high] = Op(totals.data[low], result.data[high]);
      totals.data[low] = totals.data[high] = Op(totals.data[low], totals.data[high]);
    }
  });
}

template <auto Op, int Mask, class T, class S>
TILEC_DEVICE void scan_lanes(Tile<T, S> &result, Tile<T, S> &totals) {
  const bool upper = (target::thread() & Mask) != 0;
  repeat<S::registers>([&](auto r) TILEC_LAMBDA {
    const T own = totals.data[r], other = target::exchange<Mask>(own), more = Op(other, result.data[r]);
    result.data[r] = upper ? more : result.data[r];
    totals.data[r] = Op(upper ? other : own, upper ? own : other);
  });
}

template <int Dim, auto Op, int At, class T, class S, class Scratch>
TILEC_DEVICE void scan_waves(Tile<T, S> &result, Tile<T, S> &totals, Scratch scratch) {
  using Run = WaveRun<Dim, S, At>;
  constexpr unsigned inside = ScanPlan<Dim, S>::registers_below(At);
  constexpr unsigned silent = ScanPlan<Dim, S>::threads_below(At) | S::redundant_threads;
  const int thread = target::thread(), row = apply<typename Run::RowMap>(thread);
  const int own = apply<typename Run::PlaceMap>(thread);
  const auto at = [&](int number, int place)
                      TILEC_LAMBDA { return scratch.offset + (number * Run::size + (own ^ place)) * int(sizeof(T)); };
  target::barrier();
  if ((unsigned(thread) & silent) == 0)
    repeat<S::registers>([&](auto r) TILEC_LAMBDA {
      if constexpr ((r & inside) == 0 && S::owns_register(r))
        target::store_lds<1>(at(row, Run::place(S::of(r))), &totals.data[r]);
    });
  target::barrier();
  Tile<T, S> before;
  repeat<S::registers>([&](auto r) TILEC_LAMBDA {
    constexpr int first = decltype(r)::value & ~int(inside);
    if constexpr (first == r) {
      repeat<1 << Run::run>([&](auto number) TILEC_LAMBDA {
        T total;
        target::load_lds<1>(&total, at(number, Run::place(S::of(r))));
        if constexpr (number == 0) {
          before.data[r] = totals.data[r] = total;
        } else {
          before.data[r] = number < row ? Op(before.data[r], total) : before.data[r];
          totals.data[r] = Op(totals.data[r], total);
        }
      });
    } else {
      before.data[r] = before.data[first];
      totals.data[r] = totals.data[first];
    }
    result.data[r] = row != 0 ? Op(before.data[r], result.data[r]) : result.data[r];
  });
}

/// What changes nothing: the element before the first.
template <auto Op, class T>
constexpr T identity() {
  using Kind = std::remove_const_t<decltype(Op)>;
  constexpr bool greatest = std::is_same_v<Kind, Minimum>, extremum = greatest || std::is_same_v<Kind, Maximum>;
  if constexpr (std::is_same_v<Kind, Multiply>) {
    return T(1);
  } else if constexpr (std::is_same_v<Kind, BitsAnd>) {
    return T(-1);
  } else if constexpr (extremum && std::is_integral_v<T>) {
    constexpr T least = static_cast<T>(T(1) << (8 * sizeof(T) - 1));
    return greatest ? static_cast<T>(~least) : least;
  } else if constexpr (extremum) {
    return greatest ? T(__builtin_inff()) : T(-__builtin_inff());
  } else {
    return T(0);
  }
}

} // namespace detail

/// Elements a scan's scratch must hold: totals of the waves along the dimension; 0 when one wave has all of it.
template <int Dim, class S>
constexpr int scan_scratch() {
  using Plan = detail::ScanPlan<Dim, S>;
  for (int at = 0; at < Plan::bits; ++at)
    if (Plan::in_wave(at))
      return S::Shape::box_size >> at;
  return 0;
}

/// Combines each element along Dim with those before it by Op (add, multiply, maximum, minimum, bits_and ..), with
/// `exclusive` without itself; always in the same order. `scratch` holds at least scan_scratch elements; where results
/// cross waves two barriers are inside for each run of bits that waves hold, one before its first write, so that it may
/// be reused at once. All threads call it.
template <int Dim, auto Op, bool Exclusive = false, class T, class S, class Scratch>
TILEC_DEVICE Tile<T, S> scan(Tile<T, S> tile, Scratch scratch) {
  using Plan = detail::ScanPlan<Dim, S>;
  if constexpr (scan_scratch<Dim, S>() != 0) {
    static_assert(std::is_same_v<typename Scratch::Element, T>, "the scratch of the scan has other elements");
    static_assert(Scratch::Shape::size >= scan_scratch<Dim, S>(), "the scratch of the scan is too small");
  }
  Tile<T, S> result = tile;
  if constexpr (Exclusive)
    detail::repeat<S::registers>([&](auto r) TILEC_LAMBDA { result.data[r] = detail::identity<Op, T>(); });
  detail::repeat<Plan::bits>([&](auto bit) TILEC_LAMBDA {
    constexpr int at = decltype(bit)::value, holder = Plan::holder(at);
    if constexpr (Plan::in_register(at))
      detail::scan_registers<Op, 1 << holder>(result, tile);
    else if constexpr (!Plan::in_wave(at))
      detail::scan_lanes<Op, 1 << (holder - S::register_bits)>(result, tile);
    else if constexpr (Plan::begins_run(at))
      detail::scan_waves<Dim, Op, at>(result, tile, scratch);
  });
  return result;
}

namespace detail {
struct NoScratch {
  int offset = 0;
};
} // namespace detail

/// The scan that needs no scratch: no wave has to learn of another's totals.
template <int Dim, auto Op, bool Exclusive = false, class T, class S>
TILEC_DEVICE Tile<T, S> scan(Tile<T, S> tile) {
  static_assert(scan_scratch<Dim, S>() == 0, "this scan crosses waves: give it scratch");
  return scan<Dim, Op, Exclusive>(tile, detail::NoScratch());
}

} // namespace tilec

#endif // TILEC_SCAN_H
