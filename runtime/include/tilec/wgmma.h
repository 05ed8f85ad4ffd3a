//===- wgmma.h - asynchronous matrix products of four waves ----------------------------------------------*- C++
//-*-===//
// Operands lie in LDS, sums in registers. Products are issued and awaited; between the two the sums belong to the
// machine, and LDS may be read at any time. The instructions are in tilec/nvidia/wgmma.h, their twin in
// tilec/emulated/wgmma.h.
//===--------------------------------------------------------------------------------------------------------------===//
#ifndef TILEC_WGMMA_H
#define TILEC_WGMMA_H

#include "tilec/mma.h"
#include "tilec/ring.h"
#include "tilec/tensor_map.h"

namespace tilec {

/// One asynchronous product of a warpgroup, four warps of 32 lanes: acc (64 x N) += a (64 x K) * b (K x N), with
/// elements of type T. Sums are as those of Mfma; those of eight-bit floats keep about 14 bits of what is added to
/// them. Warp w of the warpgroup has rows 16 w ... 16 w + 15. Lane l of it holds, from the PTX ISA, "register fragments
/// for wgmma.mma_async.m64nNk16":
///   accumulator register r: row l / 4 + 8 (r / 2 % 2), column 2 (l % 4) + r % 2 + 8 (r / 4)
template <int N, int K, class T>
struct Wgmma {
  using Element = T;
  using Sum = detail::SumOf<T>;
  static_assert(K * int(sizeof(T)) == 32, "an instruction takes 32 bytes of each row");
  static constexpr int lanes = 32, waves = 4;
  static constexpr int rows = 64, columns = N, k = K;
  static constexpr int registers = N / 2;  ///< of the accumulator, per lane
  static constexpr int elements_a = K / 2; ///< of a in registers, per lane

  /// Where a is in registers it is as in Mma.
  static constexpr Point operand_a(int lane, int element) { return Mma<K, T>::operand_a(lane, element); }
  static constexpr Point accumulator(int lane, int index) {
    return at(lane / 4 + index / 2 % 2 * 8, 2 * (lane % 4) + index % 2 + index / 4 * 8);
  }
};

// The names that target files give them.
#define TILEC_WGMMA(n)                                                                                                 \
  template <class T>                                                                                                   \
  using Wgmma64x##n##x16 = Wgmma<n, 16, T>;                                                                            \
  template <class T>                                                                                                   \
  using Wgmma64x##n##x32 = Wgmma<n, 32, T>
TILEC_WGMMA(8);
TILEC_WGMMA(16);
TILEC_WGMMA(24);
TILEC_WGMMA(32);
TILEC_WGMMA(40);
TILEC_WGMMA(48);
TILEC_WGMMA(56);
TILEC_WGMMA(64);
TILEC_WGMMA(72);
TILEC_WGMMA(80);
TILEC_WGMMA(88);
TILEC_WGMMA(96);
TILEC_WGMMA(104);
TILEC_WGMMA(112);
TILEC_WGMMA(120);
TILEC_WGMMA(128);
TILEC_WGMMA(136);
TILEC_WGMMA(144);
TILEC_WGMMA(152);
TILEC_WGMMA(160);
TILEC_WGMMA(168);
TILEC_WGMMA(176);
TILEC_WGMMA(184);
TILEC_WGMMA(192);
TILEC_WGMMA(200);
TILEC_WGMMA(208);
TILEC_WGMMA(216);
TILEC_WGMMA(224);
TILEC_WGMMA(232);
TILEC_WGMMA(240);
TILEC_WGMMA(248);
TILEC_WGMMA(256);
#undef TILEC_WGMMA

namespace detail {

/// An operand in LDS, of type S, for instructions that take Width rows of it (of a; columns of b) and K of its depth.
/// Along: the dimension of k. Rows of LDS lie along k, or, of elements of 16 bits, across it.
template <class S, int Along, int Width, int K>
struct SlotOperand {
  using Boxes = BoxPlan<S>;
  static constexpr int size = sizeof(typename S::Element);
  static constexpr bool across = Along == 0; ///< rows of LDS are those of k
  static constexpr int rows = S::Shape::extent(1 - Along), depth = S::Shape::extent(Along);
  static constexpr int swizzle = Boxes::swizzle;
  static_assert(swizzle == Boxes::row_bytes, "an operand has the swizzle of its rows of 32, 64 or 128 bytes");
  static_assert(!across || size == 2, "operands whose rows lie across k have elements of 16 bits");
  static_assert(!across || Width % Boxes::columns == 0 || (Width < rows && rows - Width < Boxes::columns),
                "an instruction begins with a panel across k, and ends in the last one if it ends within one");
  /// Whether the slot is of so many rows: across k in whole panels.
  static constexpr bool holds(int count) {
    return count == rows || (across && count < rows && rows - count < Boxes::columns);
  }
  /// From 8 rows of LDS to the next 8, and from panel to panel where one instruction takes several.
  static constexpr int stride = 8 * swizzle, leading = across ? Boxes::panel_bytes : 16;

  static constexpr Point point(int row, int k) { return across ? at(k, row) : at(row, k); }
  /// The first byte of what an instruction takes from a row, a multiple of 8 (across k of a panel), and a k on.
  static constexpr int byte_of(int row, int k) {
    const int column = across ? row : k;
    return column / Boxes::columns * Boxes::panel_bytes + (across ? k : row) * Boxes::row_bytes +
           column % Boxes::columns * size;
  }
  /// `byte_of` is linear: the part that a warpgroup gives, as a map of its number. LC: the layout of the sums, Dim:
  /// that of its dimensions which the operand has.
  template <class LC, int Dim>
  struct Warpgroups {
    static constexpr int bits = LC::wave_bits - 2;
    static constexpr int basis(int bit) { return byte_of(LC::wave_basis(bit + 2)[Dim], 0) / 16; }
  };
};

/// How products fall into instructions: sums of layout LC.
template <class I, class LC>
struct WgmmaSums : SumBlocks<I, LC> {
  using Blocks = SumBlocks<I, LC>;
  using Instruction = I;
  using Layout = LC;
  using Sum = typename I::Sum;
  static_assert(target::wave_lanes == I::lanes, "the instruction is one of a machine with other waves");
  static_assert(LC::redundant_registers == 0, "registers of the sums do not replicate");
  static constexpr int sums = LC::registers;

  static constexpr bool threads_match() {
    if (LC::wave_bits < 2 || !(LC::wave_basis(0) == at(16)) || !(LC::wave_basis(1) == at(32)))
      return false;
    for (int bit = 0; bit < LC::lane_bits; ++bit)
      if (!(LC::lane_basis(bit) == I::accumulator(1 << bit, 0)))
        return false;
    for (int bit = 2; bit < LC::wave_bits; ++bit)
      if (LC::wave_basis(bit)[0] % I::rows || LC::wave_basis(bit)[1] % I::columns)
        return false;
    return true;
  }
  static_assert(threads_match(), "lanes and waves of the sums are not those of the instruction");
  /// The first row, or column, of a block.
  static constexpr int first(int block, int dim) { return LC::of(Blocks::accumulator(block, 0))[dim]; }
  static constexpr bool blocks_match() {
    for (int block = 0; block < Blocks::blocks; ++block)
      if (first(block, 0) % I::rows || first(block, 1) % I::columns)
        return false;
    return true;
  }
  static_assert(blocks_match(), "registers of the sums are not those of whole instructions");
};

/// Products of LDS tiles: a of type SA and b of type SB.
template <class I, int Flags, class SA, class SB, class LC>
struct SlotPlan : WgmmaSums<I, LC> {
  using A = SlotOperand<SA, Flags & transposed_a ? 0 : 1, I::rows, I::k>;
  using B = SlotOperand<SB, Flags & transposed_b ? 1 : 0, I::columns, I::k>;
  static_assert(std::is_same_v<typename SA::Element, typename I::Element> &&
                    std::is_same_v<typename SB::Element, typename I::Element>,
                "the instruction multiplies elements of another type");
  static_assert(LC::Shape::extent(0) == A::rows && B::holds(LC::Shape::extent(1)) && A::depth == B::depth,
                "shapes of the products do not agree");
  using SlotA = SA;
  using SlotB = SB;
  static constexpr int depth = A::depth, steps = depth / I::k;
  static_assert(steps * I::k == depth, "the depth is that of whole instructions");
};

/// Products of a tile in registers, of layout LA (M x depth), and an LDS tile of type SB. A lane has of a the rows and
/// k that the instruction's fragment says.
template <class I, int Flags, class LA, class SB, class LC>
struct RegisterPlan : WgmmaSums<I, LC> {
  using B = SlotOperand<SB, Flags & transposed_b ? 1 : 0, I::columns, I::k>;
  static_assert(!(Flags & transposed_a), "rows of a in registers are those of the sums");
  static_assert(std::is_same_v<typename SB::Element, typename I::Element>,
                "the instruction multiplies elements of another type");
  static_assert(LC::Shape::extent(0) == LA::Shape::extent(0) && B::holds(LC::Shape::extent(1)) &&
                    LA::Shape::extent(1) == B::depth,
                "shapes of the products do not agree");
  using LayoutA = LA;
  using SlotB = SB;
  static constexpr int depth = B::depth, steps = depth / I::k;
  static_assert(steps * I::k == depth, "the depth is that of whole instructions");

  static constexpr bool operand_matches() {
    for (int bit = 0; bit < LC::lane_bits; ++bit)
      if (!(LA::lane_basis(bit) == I::operand_a(1 << bit, 0)))
        return false;
    for (int bit = 0; bit < LC::wave_bits; ++bit)
      if (bit >= LA::wave_bits || !(LA::wave_basis(bit) == at(LC::wave_basis(bit)[0])))
        return false;
    return LA::wave_bits == LC::wave_bits;
  }
  static_assert(operand_matches(), "lanes and waves of a are not those of the instruction and the sums");
  /// The register of a lane's element of a.
  static constexpr int operand(int block, int step, int element) {
    const Point own = I::operand_a(0, element);
    for (int r = 0; r < LA::registers; ++r)
      if (LA::of(r) == at(WgmmaSums<I, LC>::first(block, 0) + own[0], step * I::k + own[1]))
        return r;
    return -1;
  }
  static constexpr bool registers_match() {
    for (int block = 0; block < RegisterPlan::blocks; ++block)
      for (int step = 0; step < steps; ++step)
        for (int element = 0; element < I::elements_a; ++element)
          if (operand(block, step, element) < 0)
            return false;
    return true;
  }
  static_assert(registers_match(), "registers of a lack an element of an instruction");
};

} // namespace detail
} // namespace tilec

#if defined(TILEC_EMULATED)
#include "tilec/emulated/wgmma.h"
#elif defined(__CUDACC__)
#include "tilec/nvidia/wgmma.h"
#endif

#if defined(TILEC_EMULATED) || defined(__CUDACC__)
namespace tilec {

/// acc += a * b for the tiles in two slots, issued as one group: all four waves of each warpgroup come here. a is M x K
/// and b K x N, or as the flags say. Until the group is awaited nobody reads or writes acc, and nobody writes to the
/// slots. Without `accumulate` acc = a * b.
template <class I, int Flags = 0, class S, class LC, SlotOfRing A, SlotOfRing B>
TILEC_DEVICE void multiply_async(Tile<S, LC> &acc, A a, B b, bool accumulate = true) {
  static_assert(std::is_same_v<S, typename I::Sum>, "the instruction sums in another type");
  static_assert(detail::begins_with_swizzle<A> && detail::begins_with_swizzle<B>,
                "a slot does not begin where its swizzle does");
  using Plan = detail::SlotPlan<I, Flags, typename A::Tile, typename B::Tile, LC>;
  target::multiply_slots<Plan>(acc.data, a.first, b.first, accumulate);
}
/// The same with a in registers, which nobody changes until the group is awaited.
template <class I, int Flags = 0, class S, class LC, class T, class LA, SlotOfRing B>
TILEC_DEVICE void multiply_async(Tile<S, LC> &acc, const Tile<T, LA> &a, B b, bool accumulate = true) {
  static_assert(std::is_same_v<S, typename I::Sum> && std::is_same_v<T, typename I::Element>,
                "the instruction multiplies elements of another type, or sums in one");
  static_assert(detail::begins_with_swizzle<B>, "a slot does not begin where its swizzle does");
  using Plan = detail::RegisterPlan<I, Flags, LA, typename B::Tile, LC>;
  target::multiply_registers<Plan>(acc.data, a.data, b.first, accumulate);
}

/// acc += a * b for the tiles in two slots, complete when it returns. The matrix units, whose sums keep fewer bits, add
/// up the depth of the slots alone; threads add that to acc, for the columns of one instruction after the other. No
/// product of theirs is in flight.
template <class I, int Flags = 0, class S, class LC, SlotOfRing A, SlotOfRing B>
TILEC_DEVICE void multiply_promoted(Tile<S, LC> &acc, A a, B b) {
  static_assert(std::is_same_v<S, typename I::Sum>, "the instruction sums in another type");
  static_assert(detail::begins_with_swizzle<A> && detail::begins_with_swizzle<B>,
                "a slot does not begin where its swizzle does");
  using Plan = detail::SlotPlan<I, Flags, typename A::Tile, typename B::Tile, LC>;
  target::multiply_promoted<Plan>(acc.data, a.first, b.first);
}

/// Waits until at most `Left` of the groups that this wave issued last are not complete. The sums that are named may be
/// read again, so that no group of theirs is among those that are left: in a loop that goes on adding to its sums, none
/// are named.
template <int Left, class... Sums>
TILEC_DEVICE void await_products(Sums &...acc) {
  target::await_products<Left>();
  if constexpr (sizeof...(Sums) != 0)
    target::part_from_wait();
  (target::give_back(acc.data), ...);
}

} // namespace tilec
#endif

#endif // TILEC_WGMMA_H
