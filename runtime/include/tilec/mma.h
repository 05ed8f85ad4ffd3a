//===- mma.h - matrix products of register tiles --------------------------------------------------------*- C++ -*-===//
// Descriptions of the matrix instructions (which lane holds what) and mma, which finds by them the registers of each
// instruction. The instructions themselves are in tilec/amd/mfma.h and tilec/nvidia/mma.h, the twins of both in
// tilec/emulated/mfma.h.
//===--------------------------------------------------------------------------------------------------------------===//
#ifndef TILEC_MMA_H
#define TILEC_MMA_H

#include "tilec/float8.h"
#include "tilec/tile.h"

namespace tilec {
namespace detail {

/// What products of elements of this type are summed in.
template <class T>
using SumOf = std::conditional_t<std::is_same_v<T, signed char>, int,
                                 std::conditional_t<std::is_same_v<T, double>, double, float>>;

} // namespace detail

/// One matrix instruction of a 64-lane wave, acc (Dim x Dim) += a (Dim x K) * b (K x Dim), with elements of type T.
/// Sums are float, of eight-bit integers int, of double double. In all operands dimension 0 is the one that is not K.
/// Lane l holds, from AMD's matrix instruction calculator:
///   operand element e: row l % Dim, k = (l / Dim) * elements + e
///     (more than 16 elements of a byte come in runs of 16: k = 16 (l / Dim + 64 / Dim * (e / 16)) + e % 16)
///   accumulator register r: row l % Dim, column 8 (r / 4) + 4 (l / 32) + r % 4 (Dim 32) or 4 (l / 16) + r (Dim 16);
///     of double l / 16 + 4 r
/// The accumulator is the transpose of the one the hardware documents, because mma exchanges the operands: a lane then
/// holds runs of four columns, which store as vectors.
template <int Dim, int K, class T>
struct Mfma {
  using Element = T;
  using Sum = detail::SumOf<T>;
  static constexpr int lanes = 64;
  static constexpr int dim = Dim, rows = Dim, columns = Dim, k = K;
  static constexpr int groups = 64 / Dim;          ///< lanes that share a row
  static constexpr int elements = K / groups;      ///< of an operand, per lane
  static constexpr int registers = Dim * Dim / 64; ///< of the accumulator, per lane
  static constexpr int elements_a = elements, elements_b = elements;
  static constexpr int depth = elements; ///< different k of a lane

  static constexpr Point operand(int lane, int element) {
    const int run = elements < 16 ? elements : 16;
    return at(lane % Dim, run * (lane / Dim + groups * (element / run)) + element % run);
  }
  static constexpr Point operand_a(int lane, int element) { return operand(lane, element); }
  static constexpr Point operand_b(int lane, int element) { return operand(lane, element); }
  /// Which of the lane's different k an element of a has, in the order in which tiles deal them out.
  static constexpr int depth_a(int element) { return element; }
  static constexpr Point accumulator(int lane, int index) {
    if (sizeof(Sum) == 8)
      return at(lane % Dim, index * groups + lane / Dim);
    return at(lane % Dim, index / 4 * 4 * groups + lane / Dim * 4 + index % 4);
  }
};

/// One matrix instruction of a 32-lane warp of NVIDIA's, acc (16 x 8) += a (16 x K) * b (K x 8), with elements of type
/// T. Sums are as those of Mfma. Lane l holds, from the PTX ISA, "matrix fragments for mma.m16n8k*", where a register
/// has `run` elements:
///   a's element e: row l / 4 + 8 (e / run % 2), k = run (l % 4) + e % run + 4 run (e / (2 run))
///   b's element e: column l / 4, k = run (l % 4) + e % run + 4 run (e / run)
///   accumulator register r: row l / 4 + 8 (r / 2), column 2 (l % 4) + r % 2
template <int K, class T>
struct Mma {
  using Element = T;
  using Sum = detail::SumOf<T>;
  static constexpr int lanes = 32;
  static constexpr int rows = 16, columns = 8, k = K;
  static constexpr int run = sizeof(T) < 4 ? 4 / int(sizeof(T)) : 1;
  static constexpr int elements_a = K / 2, elements_b = K / 4;
  static constexpr int depth = K / 4; ///< different k of a lane
  static constexpr int registers = 4; ///< of the accumulator, per lane

  static constexpr Point operand_a(int lane, int element) {
    return at(lane / 4 + element / run % 2 * 8, run * (lane % 4) + element % run + 4 * run * (element / (2 * run)));
  }
  static constexpr Point operand_b(int lane, int element) {
    return at(lane / 4, run * (lane % 4) + element % run + 4 * run * (element / run));
  }
  /// Which of the lane's different k an element of a has, in the order in which tiles deal them out.
  static constexpr int depth_a(int element) { return element % run + element / (2 * run) * run; }
  static constexpr Point accumulator(int lane, int index) {
    return at(lane / 4 + index / 2 * 8, 2 * (lane % 4) + index % 2);
  }
};

template <class T>
using Mma16x8x4 = Mma<4, T>;
template <class T>
using Mma16x8x16 = Mma<16, T>;
template <class T>
using Mma16x8x32 = Mma<32, T>;

template <class T>
using Mfma32x32x8 = Mfma<32, 8, T>;
template <class T>
using Mfma16x16x16 = Mfma<16, 16, T>;
template <class T>
using Mfma32x32x16 = Mfma<32, 16, T>;
template <class T>
using Mfma16x16x32 = Mfma<16, 32, T>;
template <class T>
using Mfma32x32x32 = Mfma<32, 32, T>;
template <class T>
using Mfma16x16x64 = Mfma<16, 64, T>;
template <class T>
using Mfma32x32x64 = Mfma<32, 64, T>;
template <class T>
using Mfma16x16x128 = Mfma<16, 128, T>;
template <class T>
using Mfma32x32x2 = Mfma<32, 2, T>;
template <class T>
using Mfma16x16x4 = Mfma<16, 4, T>;

/// b is given as N x K.
inline constexpr int transposed_b = 1;
/// a is given as K x M.
inline constexpr int transposed_a = 2;

namespace detail {

/// An operand of one instruction in one lane.
template <class T, int Count>
struct Fragment {
  T data[Count];
};

/// The registers of an operand tile in the order (row, k), where Row names the dimension that is not K. What is asked
/// for many times while compiling is in a table.
template <class L, int Row>
struct OperandOrder {
  short sorted[L::registers] = {};
  int parts[L::registers] = {}; ///< the row parts of registers, each once, in order
  int rows = 0;                 ///< how many there are

  static constexpr int row(int index) { return L::of(index)[Row]; }
  static constexpr int k(int index) { return L::of(index)[1 - Row]; }
  static constexpr bool before(int a, int b) { return row(a) != row(b) ? row(a) < row(b) : k(a) < k(b); }

  constexpr OperandOrder() {
    for (int i = 0; i < L::registers; ++i) {
      int place = i;
      for (; place > 0 && before(i, sorted[place - 1]); --place)
        sorted[place] = sorted[place - 1];
      sorted[place] = short(i);
    }
    for (int i = 0; i < L::registers; ++i)
      if (const int part = row(sorted[i]); rows == 0 || part != parts[rows - 1])
        parts[rows++] = part;
  }
  constexpr int steps() const { return L::registers / rows; }
  /// The register with row part `wanted` and the j-th least k part; -1 if no register has that row.
  constexpr int find(int wanted, int j) const {
    for (int i = 0; i < rows; ++i)
      if (parts[i] == wanted)
        return sorted[i * steps() + j];
    return -1;
  }
};

/// How the registers of an accumulator fall into those of instruction I: blocks of as many as one instruction has.
template <class I, class LC>
struct SumBlocks {
  /// The accumulator's register bits that one instruction covers, and the others.
  struct Bits {
    int inner[8] = {}, outer[16] = {};
    int inners = 0, outers = 0;
  };
  static constexpr Bits split() {
    Bits bits;
    for (int i = 1; i < I::registers; i *= 2)
      for (int bit = 0; bit < LC::register_bits; ++bit)
        if (LC::register_basis(bit) == I::accumulator(0, i))
          bits.inner[bits.inners++] = bit;
    for (int bit = 0; bit < LC::register_bits; ++bit) {
      bool inner = false;
      for (int i = 0; i < bits.inners; ++i)
        inner |= bits.inner[i] == bit;
      if (!inner)
        bits.outer[bits.outers++] = bit;
    }
    return bits;
  }
  static constexpr Bits bits = split();
  static_assert((1 << bits.inners) == box_side(I::registers),
                "registers of the accumulator are not those of the instruction");
  static constexpr int blocks = LC::registers / I::registers;
  static_assert(blocks * I::registers == LC::registers, "an accumulator is made of whole instructions");

  static constexpr int accumulator(int block, int index) {
    int result = 0;
    for (int i = 0; i < bits.outers; ++i)
      result |= ((block >> i) & 1) << bits.outer[i];
    for (int i = 0; i < bits.inners; ++i)
      result |= ((index >> i) & 1) << bits.inner[i];
    return result;
  }
  /// An instruction whose columns are no power of two has all those of the tile.
  static constexpr bool stays_inside() {
    for (int block = 0; block < blocks; ++block)
      if (accumulator(block, I::registers - 1) >= LC::registers)
        return false;
    return true;
  }
  static_assert(stays_inside(), "an instruction has columns that the accumulator has not");
};

/// How an mma of tiles falls into instructions. Rows of a follow rows of the accumulator and rows of b (N x K) its
/// columns, through lanes and waves alike; k may be dealt out to lanes and registers in any way that a and b share.
template <class I, int Flags, class LA, class LB, class LC>
struct MmaPlan : SumBlocks<I, LC> {
  using SumBlocks<I, LC>::blocks, SumBlocks<I, LC>::accumulator;
  static constexpr int rowA = Flags & transposed_a ? 1 : 0, rowB = Flags & transposed_b ? 0 : 1;
  static_assert(LA::rank == 2 && LB::rank == 2 && LC::rank == 2, "mma multiplies matrices");
  static_assert(LA::Shape::extent(rowA) == LC::Shape::extent(0) && LB::Shape::extent(rowB) == LC::Shape::extent(1) &&
                    LA::Shape::extent(1 - rowA) == LB::Shape::extent(1 - rowB),
                "shapes of an mma do not agree");

  static constexpr OperandOrder<LA, rowA> a{};
  static constexpr OperandOrder<LB, rowB> b{};
  static constexpr int steps = a.steps() / I::depth;
  static_assert(I::lanes == target::wave_lanes, "the instruction is one of a machine with other waves");

  static constexpr bool lanes_match() {
    for (int bit = 0; bit < LC::lane_bits; ++bit) {
      const Point row = I::operand_a(1 << bit, 0), column = I::operand_b(1 << bit, 0);
      if (!(LC::lane_basis(bit) == I::accumulator(1 << bit, 0)) || LA::lane_basis(bit)[rowA] != row[0] ||
          LB::lane_basis(bit)[rowB] != column[0] || LA::lane_basis(bit)[1 - rowA] != LB::lane_basis(bit)[1 - rowB])
        return false;
    }
    return true;
  }
  static constexpr bool waves_match() {
    for (int bit = LC::lane_bits; bit < LC::thread_bits || bit < LA::thread_bits || bit < LB::thread_bits; ++bit) {
      const Point none, acc = bit < LC::thread_bits ? LC::thread_basis(bit) : none;
      const Point pa = bit < LA::thread_bits ? LA::thread_basis(bit) : none;
      const Point pb = bit < LB::thread_bits ? LB::thread_basis(bit) : none;
      if (pa[rowA] != acc[0] || pb[rowB] != acc[1] || pa[1 - rowA] || pb[1 - rowB])
        return false;
    }
    return true;
  }
  static constexpr bool depths_match() {
    if (a.steps() != b.steps() || a.steps() % I::depth)
      return false;
    for (int j = 0; j < a.steps(); ++j)
      if (a.k(a.sorted[j]) != b.k(b.sorted[j]))
        return false;
    return true;
  }
  static_assert(LA::redundant_registers == 0 && LB::redundant_registers == 0 && LC::redundant_registers == 0,
                "registers of an mma's tiles do not replicate");
  static_assert(lanes_match(), "lanes of an mma's layouts are not those of the instruction");
  static_assert(waves_match(), "waves of an mma's operands do not follow those of the accumulator");
  static_assert(depths_match(), "registers of a and b deal out k differently, or not in whole instructions");

  /// Within an instruction the registers of a may differ by row as well, those of b by k alone.
  static constexpr int operand_a(int block, int step, int element) {
    return a.find(LC::of(accumulator(block, 0))[0] ^ I::operand_a(0, element)[0],
                  step * I::depth + I::depth_a(element));
  }
  static constexpr int operand_b(int block, int step, int element) {
    return b.find(LC::of(accumulator(block, 0))[1], step * I::depth + element);
  }
  static constexpr bool rows_match() {
    for (int block = 0; block < blocks; ++block) {
      for (int element = 0; element < I::elements_a; ++element)
        if (operand_a(block, 0, element) < 0)
          return false;
      if (operand_b(block, 0, 0) < 0)
        return false;
    }
    return true;
  }
  static_assert(rows_match(), "registers of an mma's operands lack a row or a column of a sum");
};

} // namespace detail
} // namespace tilec

#if defined(TILEC_EMULATED)
#include "tilec/emulated/mfma.h"
#elif defined(__CUDACC__)
#include "tilec/nvidia/mma.h"
#else
#include "tilec/amd/mfma.h"
#endif

namespace tilec {

namespace detail {

/// Elements of a tile, given by their registers: bytes together where they follow each other. Taken one by one they are
/// apart for the compiler from then on, which may put them together again in every step.
template <int Count, class T, class Register>
TILEC_DEVICE void gather(T *to, const T *from, Register) {
  constexpr int first = Register::of(0);
  constexpr bool follow = [] {
    if (sizeof(T) != 1 || Register::of(0) % Count != 0)
      return false;
    for (int i = 1; i < Count; ++i)
      if (Register::of(i) != Register::of(0) + i)
        return false;
    return true;
  }();
  if constexpr (follow)
    __builtin_memcpy(to, from + first, Count * sizeof(T));
  else
    for_each<Count>([&](auto i) TILEC_LAMBDA {
      TILEC_KNOWN int at = table_of<Register, Count>.of[i];
      to[i] = from[at];
    });
}
template <class Plan, int Block, int Step>
struct RegisterOfA {
  static constexpr int of(int element) { return Plan::operand_a(Block, Step, element); }
};
template <class Plan, int Block, int Step>
struct RegisterOfB {
  static constexpr int of(int element) { return Plan::operand_b(Block, Step, element); }
};
template <class Plan, int Block>
struct RegisterOfSum {
  static constexpr int of(int index) { return Plan::accumulator(Block, index); }
};

/// One matrix instruction of an mma: block `Block` of the accumulator, step `Step` of k.
template <class I, class Plan, int Step, int Block, class T, class LA, class LB, class S, class LC>
TILEC_DEVICE void multiply_block(const Tile<T, LA> &a, const Tile<T, LB> &b, Tile<S, LC> &acc) {
  static_assert(std::is_same_v<T, typename I::Element>, "the instruction multiplies elements of another type");
  static_assert(std::is_same_v<S, typename I::Sum>, "the instruction sums in another type");
  Fragment<T, I::elements_a> fa;
  Fragment<T, I::elements_b> fb;
  gather<I::elements_a>(fa.data, a.data, RegisterOfA<Plan, Block, Step>());
  gather<I::elements_b>(fb.data, b.data, RegisterOfB<Plan, Block, Step>());
  Fragment<S, I::registers> fc;
  using Sum = RegisterOfSum<Plan, Block>;
  for_each<I::registers>([&](auto r) TILEC_LAMBDA {
    TILEC_KNOWN int ic = table_of<Sum, I::registers>.of[r];
    fc.data[r] = acc.data[ic];
  });
  target::multiply<I>(fa, fb, fc);
  for_each<I::registers>([&](auto r) TILEC_LAMBDA {
    TILEC_KNOWN int ic = table_of<Sum, I::registers>.of[r];
    acc.data[ic] = fc.data[r];
  });
}

} // namespace detail

/// acc + a * b in the instruction's type of sums, a: M x K, b: K x N (or as the flags say), acc: M x N. The layouts are
/// those of instruction I (see Mfma and Mma) repeated over registers and waves in any way; whatever does not fit does
/// not compile.
template <class I, int Flags = 0, class T, class LA, class LB, class S, class LC>
TILEC_DEVICE Tile<S, LC> mma(const Tile<T, LA> &a, const Tile<T, LB> &b, const Tile<S, LC> &acc) {
  using Plan = detail::MmaPlan<I, Flags, LA, LB, LC>;
  Tile<S, LC> result = acc;
  detail::repeat<Plan::steps>([&](auto step) TILEC_LAMBDA {
    detail::repeat<Plan::blocks>([&](auto block) TILEC_LAMBDA {
      detail::multiply_block<I, Plan, decltype(step)::value, decltype(block)::value>(a, b, result);
    });
  });
  return result;
}

} // namespace tilec

#endif // TILEC_MMA_H
