//===- shared.h - tiles in LDS --------------------------------------------------------------------------*- C++ -*-===//
// Shapes of LDS tiles, their swizzles, and moves between registers and LDS. No barrier is inside: callers place them.
//===--------------------------------------------------------------------------------------------------------------===//
#ifndef TILEC_SHARED_H
#define TILEC_SHARED_H

#include "tilec/tile.h"

namespace tilec {

/// Runs of `Vector` elements keep together; the number of a run within its row is XORed with
/// (row / PerPhase) % Phases. <1, 1, 1> leaves rows as they are. With Fold it is of row ^ row / Fold.
template <int Vector, int PerPhase, int Phases, int Fold = 0>
struct Swizzle {
  static_assert(detail::is_power_of_two(Vector) && detail::is_power_of_two(PerPhase) &&
                    detail::is_power_of_two(Phases) && (Fold == 0 || detail::is_power_of_two(Fold)),
                "a swizzle is made of powers of two");
  static constexpr int vector = Vector, per_phase = PerPhase, phases = Phases, fold = Fold;

  static constexpr int phase(int row) {
    if constexpr (Fold != 0)
      row ^= row / Fold;
    return row / PerPhase % Phases;
  }
};

/// A tile in LDS: a byte offset with a type. Element (row, col) is element
/// row * cols + ((col / vector) ^ ((row / per_phase) % phases)) * vector + col % vector, where the dimensions before
/// the last are one row number, folded where the swizzle says so. The offset is a multiple of 16.
template <class T, class S, class Z = Swizzle<1, 1, 1>>
struct Shared {
  using Element = T;
  using Shape = S;
  using Swizzle = Z;
  static constexpr int rank = S::rank;
  static constexpr int columns = S::extent(S::rank - 1);
  static constexpr int panel = columns; ///< columns that lie beside each other
  static constexpr int bytes = S::size * int(sizeof(T));
  static_assert(Z::phases == 1 || Z::vector * Z::phases <= columns, "a swizzle stays within a row");
  static constexpr bool inner_extents_are_powers() {
    for (int dim = 1; dim < rank; ++dim)
      if (!detail::is_power_of_two(S::extent(dim)))
        return false;
    return true;
  }

  static_assert(inner_extents_are_powers(), "only the first dimension of an LDS tile may be no power of two");

  /// Linear over GF(2), so that the offsets of a register and of a thread may be computed apart and XORed.
  static constexpr int element(Point point) {
    const int col = point[rank - 1];
    int row = 0;
    for (int dim = 0; dim < rank - 1; ++dim)
      row = row * S::extent(dim) + point[dim];
    return row * columns + ((col / Z::vector) ^ Z::phase(row)) * Z::vector + col % Z::vector;
  }

  int offset; ///< bytes from the start of dynamic LDS
};

/// The same for a matrix whose columns come in panels of so many: each holds all rows, and lies behind the one before.
template <class T, class S, int Columns, class Z = Swizzle<1, 1, 1>>
struct Panels {
  using Element = T;
  using Shape = S;
  using Swizzle = Z;
  static_assert(S::rank == 2 && S::extent(1) % Columns == 0, "a panel has columns of a matrix");
  static_assert(S::extent(1) == Columns || detail::is_power_of_two(S::extent(0)), "panels lie a power of two apart");
  static constexpr int rank = 2;
  static constexpr int columns = S::extent(1), panel = Columns;
  static constexpr int bytes = S::size * int(sizeof(T));

  static constexpr int element(Point point) {
    using Panel = Shared<T, tilec::Shape<S::extent(0), Columns>, Z>;
    return point[1] / Columns * Panel::Shape::size + Panel::element(at(point[0], point[1] % Columns));
  }

  int offset; ///< bytes from the start of dynamic LDS
};

/// The LDS tile of type `Type` at a byte offset.
template <class Type>
TILEC_DEVICE Type shared(int byte_offset) {
  return Type{byte_offset};
}

/// Tag: the LDS tile holds the transpose.
struct Transposed {};
inline constexpr Transposed transposed{};

namespace detail {

/// How the elements of a layout lie in an LDS tile: byte offsets by register and by thread, and which registers one
/// access moves.
template <class L, class S, bool Transpose>
struct SharedPlan {
  using T = typename S::Element;
  static_assert(L::rank == S::rank, "an LDS tile has the rank of the tile");
  static_assert(!Transpose || L::rank == 2, "only matrices are transposed");
  static constexpr bool fits() {
    for (int dim = 0; dim < L::rank; ++dim)
      if (L::Shape::extent(dim) != S::Shape::extent(Transpose ? L::rank - 1 - dim : dim))
        return false;
    return true;
  }
  static_assert(fits(), "the LDS tile has another shape");

  static constexpr int byte_of(Point point) {
    return S::element(Transpose ? at(point[1], point[0]) : point) * int(sizeof(T));
  }

  /// vector_bit[b]: the register bit that steps 2^b elements in LDS.
  struct Vector {
    int bits = 0;
    int bit[8] = {};
  };
  static constexpr bool step_is_free(int step, int bit) {
    for (int other = 0; other < L::register_bits + L::thread_bits; ++other) {
      const Point basis =
          other < L::register_bits ? L::register_basis(other) : L::thread_basis(other - L::register_bits);
      if (other != bit && (byte_of(basis) & step))
        return false;
    }
    return true;
  }
  static constexpr Vector find_vector() {
    Vector vector;
    for (int step = int(sizeof(T)); step < target::widest_access; step *= 2) {
      int found = -1;
      for (int bit = 0; bit < L::register_bits; ++bit)
        if (doubles<L>(bit) && byte_of(L::register_basis(bit)) == step && step_is_free(step, bit))
          found = bit;
      if (found < 0)
        break;
      vector.bit[vector.bits++] = found;
    }
    return vector;
  }
  static constexpr Vector vector = find_vector();
  static constexpr int count = 1 << vector.bits;
  /// Whether the register is the first of an access.
  static constexpr bool leads(int index) {
    for (int b = 0; b < vector.bits; ++b)
      if ((index >> vector.bit[b]) & 1)
        return false;
    return true;
  }
  /// The register that holds element e of an access.
  static constexpr int member(int first, int e) {
    for (int b = 0; b < vector.bits; ++b)
      if ((e >> b) & 1)
        first |= 1 << vector.bit[b];
    return first;
  }
  /// Whether an access takes registers that follow each other, as a fetched vector has them.
  static constexpr bool in_order() {
    for (int b = 0; b < vector.bits; ++b)
      if (vector.bit[b] != b)
        return false;
    return true;
  }

  /// Whether bytes are moved as they follow each other. Taken one by one they are apart for the compiler from then on,
  /// which may even read them so.
  static constexpr bool keeps_bytes() { return sizeof(T) == 1 && in_order(); }

  struct ThreadMap {
    static constexpr int bits = L::thread_bits;
    static constexpr int basis(int bit) { return byte_of(L::thread_basis(bit)); }
  };
  static TILEC_DEVICE int of_thread(int thread) { return apply<ThreadMap>(thread); }
  /// The bytes that a register contributes.
  struct OwnMap {
    static constexpr int of(int index) { return byte_of(L::of(index)); }
  };
  static constexpr int reach = reach_of<ThreadMap>();
  /// The offset of a register relative to the thread's: bits that no thread sets are added, which addressing does for
  /// free, the others XORed.
  static TILEC_DEVICE int of(int own, int base, int mine) {
    const int shared = own & reach;
    return base + (mine ^ shared) + (own - shared);
  }
};

/// The layout as accesses to four 8 x 16-byte matrices by a wave of 32 lanes: lane l has word l % 4 of row l / 4 of
/// each matrix, and names row l % 8 of matrix l / 8. Words are runs of registers, two further register bits the matrix.
template <class L, class S>
struct MatrixPlan {
  using Plan = SharedPlan<L, S, false>;
  static constexpr int word = 4 / int(sizeof(typename S::Element)); ///< elements

  static constexpr bool in_word(int bit) {
    for (int b = 0; b < Plan::vector.bits; ++b)
      if (Plan::vector.bit[b] == bit)
        return true;
    return false;
  }
  /// The register bit that doubles the matrices of a read, -1 without one.
  static constexpr int matrix_bit(int number) {
    for (int bit = 0; bit < L::register_bits; ++bit)
      if (!in_word(bit) && doubles<L>(bit) && number-- == 0)
        return bit;
    return -1;
  }
  static constexpr bool fits() {
    if (target::wave_lanes != 32 || Plan::count != word || word == 0 || matrix_bit(1) < 0)
      return false;
    for (int bit = 0; bit < L::register_bits; ++bit)
      if (!in_word(bit) && (Plan::byte_of(L::register_basis(bit)) & 15))
        return false;
    for (int bit = 0; bit < L::thread_bits; ++bit)
      if ((Plan::byte_of(L::thread_basis(bit)) & 15) != (bit < 2 ? 4 << bit : 0))
        return false;
    return Plan::byte_of(L::thread_basis(0)) == 4 && Plan::byte_of(L::thread_basis(1)) == 8;
  }

  /// The row that a thread names.
  struct ThreadMap {
    static constexpr int bits = L::thread_bits;
    static constexpr int basis(int bit) {
      if (bit < 3)
        return Plan::byte_of(L::thread_basis(bit + 2));
      return Plan::byte_of(bit < 5 ? L::register_basis(matrix_bit(bit - 3)) : L::thread_basis(bit));
    }
  };
  static constexpr bool leads(int index) {
    return Plan::leads(index) && !((index >> matrix_bit(0)) & 1) && !((index >> matrix_bit(1)) & 1);
  }
  static constexpr int member(int first, int matrix) {
    return first | (matrix & 1) << matrix_bit(0) | (matrix >> 1) << matrix_bit(1);
  }
};

/// The same of matrices of 16-bit elements whose rows are columns of LDS: lane l has elements 2 (l % 4) and the next
/// one of column l / 4 of each matrix, and names row l % 8 of matrix l / 8. The lowest register bit is the rows of a
/// word, and up to two others the matrix.
template <class L, class S, bool Transpose>
struct TurnedMatrixPlan {
  using Plan = SharedPlan<L, S, Transpose>;
  static constexpr int step_of(int bit) {
    return Plan::byte_of(bit < L::register_bits ? L::register_basis(bit) : L::thread_basis(bit - L::register_bits));
  }
  /// The register bit that doubles the matrices of an access, -1 without one.
  static constexpr int matrix_bit(int number) {
    for (int bit = 1; bit < L::register_bits; ++bit)
      if (doubles<L>(bit) && number-- == 0)
        return bit;
    return -1;
  }
  static constexpr int matrices = matrix_bit(0) < 0 ? 1 : matrix_bit(1) < 0 ? 2 : 4;
  static constexpr bool fits() {
    if (target::wave_lanes != 32 || sizeof(typename S::Element) != 2 || L::register_bits == 0 || !doubles<L>(0))
      return false;
    for (int bit = 0; bit < L::register_bits + L::thread_bits; ++bit) {
      const int lane = bit - L::register_bits;
      if ((step_of(bit) & 15) != (lane >= 2 && lane < 5 ? 2 << (lane - 2) : 0))
        return false;
    }
    return L::thread_bits >= 5 && Plan::byte_of(L::thread_basis(2)) == 2 && Plan::byte_of(L::thread_basis(3)) == 4 &&
           Plan::byte_of(L::thread_basis(4)) == 8;
  }

  /// The row that a thread names.
  struct ThreadMap {
    static constexpr int bits = L::thread_bits;
    static constexpr int basis(int bit) {
      if (bit < 3)
        return Plan::byte_of(bit == 0 ? L::register_basis(0) : L::thread_basis(bit - 1));
      const int matrix = bit < 5 ? matrix_bit(bit - 3) : -1;
      return bit >= 5 ? Plan::byte_of(L::thread_basis(bit)) : matrix < 0 ? 0 : Plan::byte_of(L::register_basis(matrix));
    }
  };
  /// Whether a register is the first of an access, and the first one of a word of it.
  static constexpr bool leads(int index) {
    return !(index & 1) && (matrices < 2 || !((index >> matrix_bit(0)) & 1)) &&
           (matrices < 4 || !((index >> matrix_bit(1)) & 1));
  }
  static constexpr int member(int first, int matrix) {
    if (matrices > 1)
      first |= (matrix & 1) << matrix_bit(0);
    if (matrices > 2)
      first |= (matrix >> 1) << matrix_bit(1);
    return first;
  }
};

/// The layout as reads by which 16 lanes turn four rows of 16 elements: lane l names element 4 (l % 4) of row l / 4,
/// and gets those of column l. Rows are two register bits.
template <class L, class S>
struct TurnPlan {
  using Plan = SharedPlan<L, S, false>;
  static constexpr int count = 4; ///< elements that a lane gets
  static constexpr bool fits() {
    if (sizeof(typename S::Element) != 2 || L::register_bits < 2 || L::lane_bits < 4)
      return false;
    for (int bit = 0; bit < L::register_bits; ++bit)
      if (Plan::byte_of(L::register_basis(bit)) & 7)
        return false;
    for (int bit = 0; bit < L::thread_bits; ++bit)
      if ((Plan::byte_of(L::thread_basis(bit)) & 7) != (bit < 2 ? 2 << bit : 0))
        return false;
    return Plan::byte_of(L::thread_basis(0)) == 2 && Plan::byte_of(L::thread_basis(1)) == 4;
  }
  /// What a thread names.
  struct ThreadMap {
    static constexpr int bits = L::thread_bits;
    static constexpr int basis(int bit) {
      if (bit < 2)
        return Plan::byte_of(L::thread_basis(bit + 2));
      return Plan::byte_of(bit < 4 ? L::register_basis(bit - 2) : L::thread_basis(bit));
    }
  };
};

template <class T, class L, class S>
TILEC_DEVICE Tile<T, L> load_matrices(S from, int thread) {
  using Matrices = MatrixPlan<L, S>;
  using Plan = SharedPlan<L, S, false>;
  Tile<T, L> tile;
  const int mine = apply<typename Matrices::ThreadMap>(thread), base = target::uniform_base(from.offset);
  repeat<L::registers>([&](auto r) TILEC_LAMBDA {
    if constexpr (Matrices::leads(r)) {
      constexpr int own = Plan::byte_of(L::of(r)), shared = own & reach_of<typename Matrices::ThreadMap>();
      unsigned words[4];
      target::load_matrices(words, base + (mine ^ shared) + (own - shared));
      repeat<4>([&](auto matrix) TILEC_LAMBDA {
        T run[Plan::count];
        __builtin_memcpy(run, &words[matrix], 4);
        repeat<Plan::count>([&](auto e) TILEC_LAMBDA {
          constexpr int member = Plan::member(Matrices::member(decltype(r)::value, decltype(matrix)::value), e);
          tile.data[member] = run[e];
        });
      });
    }
  });
  return tile;
}

template <class T, class L, class S>
TILEC_DEVICE void store_matrices(S to, const Tile<T, L> &tile, int thread) {
  using Matrices = MatrixPlan<L, S>;
  using Plan = SharedPlan<L, S, false>;
  const int mine = apply<typename Matrices::ThreadMap>(thread), base = target::uniform_base(to.offset);
  repeat<L::registers>([&](auto r) TILEC_LAMBDA {
    if constexpr (Matrices::leads(r)) {
      constexpr int own = Plan::byte_of(L::of(r)), shared = own & reach_of<typename Matrices::ThreadMap>();
      unsigned words[4];
      repeat<4>([&](auto matrix) TILEC_LAMBDA {
        T run[Plan::count];
        repeat<Plan::count>([&](auto e) TILEC_LAMBDA {
          constexpr int member = Plan::member(Matrices::member(decltype(r)::value, decltype(matrix)::value), e);
          run[e] = tile.data[member];
        });
        __builtin_memcpy(&words[matrix], run, 4);
      });
      target::store_matrices(base + (mine ^ shared) + (own - shared), words);
    }
  });
}

template <bool Transpose, class T, class L, class S>
TILEC_DEVICE void store_turned_matrices(S to, const Tile<T, L> &tile, int thread) {
  using Matrices = TurnedMatrixPlan<L, S, Transpose>;
  const int mine = apply<typename Matrices::ThreadMap>(thread), base = target::uniform_base(to.offset);
  repeat<L::registers>([&](auto r) TILEC_LAMBDA {
    if constexpr (Matrices::leads(r)) {
      constexpr int own = Matrices::Plan::byte_of(L::of(r)), shared = own & reach_of<typename Matrices::ThreadMap>();
      unsigned words[Matrices::matrices];
      repeat<Matrices::matrices>([&](auto matrix) TILEC_LAMBDA {
        constexpr int first = Matrices::member(decltype(r)::value, decltype(matrix)::value);
        const T run[] = {tile.data[first], tile.data[first + 1]};
        __builtin_memcpy(&words[matrix], run, 4);
      });
      target::store_turned_matrices(base + (mine ^ shared) + (own - shared), words);
    }
  });
}

template <bool Transpose, class T, class L, class S>
TILEC_DEVICE Tile<T, L> load_shared(S from, int thread = target::thread()) {
  if constexpr (!Transpose && target::reads_matrices) {
    if constexpr (MatrixPlan<L, S>::fits())
      return load_matrices<T, L>(from, thread);
  }
  using Plan = SharedPlan<L, S, Transpose>;
  Tile<T, L> tile;
  const int mine = Plan::of_thread(thread), base = target::uniform_base(from.offset);
  for_each<L::registers>([&](auto r) TILEC_LAMBDA {
    if (Plan::leads(r)) {
      TILEC_KNOWN int first = r, own = table_of<typename Plan::OwnMap, L::registers>.of[r];
      T run[Plan::count];
      target::load_lds<Plan::count>(run, Plan::of(own, base, mine));
      if constexpr (Plan::keeps_bytes())
        __builtin_memcpy(&tile.data[first], run, sizeof(run));
      else
        for_each<Plan::count>([&](auto e) TILEC_LAMBDA {
          TILEC_KNOWN int member = Plan::member(first, e);
          tile.data[member] = run[e];
        });
    }
  });
  return tile;
}

template <bool Transpose, class T, class L, class S>
TILEC_DEVICE void store_shared(S to, const Tile<T, L> &tile, int thread = target::thread()) {
  static_assert(std::is_same_v<T, typename S::Element>, "an LDS tile holds the elements of the tile");
  if constexpr (target::reads_matrices && L::redundant_registers == 0 && L::redundant_threads == 0) {
    if constexpr (!Transpose)
      if constexpr (MatrixPlan<L, S>::fits())
        return store_matrices(to, tile, thread);
    if constexpr (TurnedMatrixPlan<L, S, Transpose>::fits())
      return store_turned_matrices<Transpose>(to, tile, thread);
  }
  using Plan = SharedPlan<L, S, Transpose>;
  // Before some threads leave: all lanes say it.
  const int base = target::uniform_base(to.offset);
  if (!L::owns(thread))
    return;
  const int mine = Plan::of_thread(thread);
  for_each<L::registers>([&](auto r) TILEC_LAMBDA {
    if (Plan::leads(r) && L::owns_register(r)) {
      TILEC_KNOWN int first = r, own = table_of<typename Plan::OwnMap, L::registers>.of[r];
      T run[Plan::count];
      if constexpr (Plan::keeps_bytes())
        __builtin_memcpy(run, &tile.data[first], sizeof(run));
      else
        for_each<Plan::count>([&](auto e) TILEC_LAMBDA {
          TILEC_KNOWN int member = Plan::member(first, e);
          run[e] = tile.data[member];
        });
      target::store_lds<Plan::count>(Plan::of(own, base, mine), run);
    }
  });
}

} // namespace detail

/// Registers to LDS, replicated elements once. Accesses are as wide as the layout and the swizzle allow.
template <class T, class S, class Z, class L>
TILEC_DEVICE void store(Shared<T, S, Z> to, const Tile<T, L> &tile) {
  detail::store_shared<false>(to, tile);
}
template <class T, class S, int Columns, class Z, class L>
TILEC_DEVICE void store(Panels<T, S, Columns, Z> to, const Tile<T, L> &tile) {
  detail::store_shared<false>(to, tile);
}
/// Element (i, j) of the tile becomes element (j, i) of the LDS tile.
template <class T, class S, class Z, class L>
TILEC_DEVICE void store(Shared<T, S, Z> to, const Tile<T, L> &tile, Transposed) {
  detail::store_shared<true>(to, tile);
}
/// In a loop that runs seldom.
template <class T, class S, class Z, class L>
TILEC_DEVICE void store(Shared<T, S, Z> to, const Tile<T, L> &tile, Rare) {
  detail::store_shared<false>(to, tile, target::recompute(target::thread()));
}
template <class T, class S, int Columns, class Z, class L>
TILEC_DEVICE void store(Panels<T, S, Columns, Z> to, const Tile<T, L> &tile, Rare) {
  detail::store_shared<false>(to, tile, target::recompute(target::thread()));
}
template <class T, class S, class Z, class L>
TILEC_DEVICE void store(Shared<T, S, Z> to, const Tile<T, L> &tile, Transposed, Rare) {
  detail::store_shared<true>(to, tile, target::recompute(target::thread()));
}

/// LDS to registers: the shape of L is that of the LDS tile.
template <class L, class T, class S, class Z>
TILEC_DEVICE Tile<T, L> load(Shared<T, S, Z> from) {
  return detail::load_shared<false, T, L>(from);
}
template <class L, class T, class S, int Columns, class Z>
TILEC_DEVICE Tile<T, L> load(Panels<T, S, Columns, Z> from) {
  return detail::load_shared<false, T, L>(from);
}
/// Element (i, j) of the tile is element (j, i) of the LDS tile.
template <class L, class T, class S, class Z>
TILEC_DEVICE Tile<T, L> load(Shared<T, S, Z> from, Transposed) {
  return detail::load_shared<true, T, L>(from);
}
/// In a loop that runs seldom.
template <class L, class T, class S, class Z>
TILEC_DEVICE Tile<T, L> load(Shared<T, S, Z> from, Rare) {
  return detail::load_shared<false, T, L>(from, target::recompute(target::thread()));
}
template <class L, class T, class S, int Columns, class Z>
TILEC_DEVICE Tile<T, L> load(Panels<T, S, Columns, Z> from, Rare) {
  return detail::load_shared<false, T, L>(from, target::recompute(target::thread()));
}
template <class L, class T, class S, class Z>
TILEC_DEVICE Tile<T, L> load(Shared<T, S, Z> from, Transposed, Rare) {
  return detail::load_shared<true, T, L>(from, target::recompute(target::thread()));
}

/// All threads of the workgroup meet; its LDS and global stores are visible to it after.
TILEC_DEVICE void barrier() { target::barrier(); }

} // namespace tilec

#endif // TILEC_SHARED_H
