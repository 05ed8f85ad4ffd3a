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
  static constexpr int registers = N / 2; ///< of the accumulator, per lane

  static constexpr Point accumulator(int lane, int index) {
    return at(lane / 4 + index / 2 % 2 * 8, 2 * (lane % 4) + index % 2 + index / 4 * 8);
  }
};

template <class T>
using Wgmma64x8x16 = Wgmma<8, 16, T>;
template <class T>
using Wgmma64x16x16 = Wgmma<16, 16, T>;
template <class T>
using Wgmma64x32x16 = Wgmma<32, 16, T>;
template <class T>
using Wgmma64x64x16 = Wgmma<64, 16, T>;
template <class T>
using Wgmma64x128x16 = Wgmma<128, 16, T>;
template <class T>
using Wgmma64x256x16 = Wgmma<256, 16, T>;
template <class T>
using Wgmma64x8x32 = Wgmma<8, 32, T>;
template <class T>
using Wgmma64x16x32 = Wgmma<16, 32, T>;
template <class T>
using Wgmma64x32x32 = Wgmma<32, 32, T>;
template <class T>
using Wgmma64x64x32 = Wgmma<64, 32, T>;
template <class T>
using Wgmma64x128x32 = Wgmma<128, 32, T>;
template <class T>
using Wgmma64x256x32 = Wgmma<256, 32, T>;

namespace detail {

/// How products of LDS tiles fall into instructions: a of type SA (M x depth) and b of type SB (N x depth), whose rows
/// are one span of a swizzle, sums of layout LC.
template <class I, int Flags, class SA, class SB, class LC>
struct WgmmaPlan : SumBlocks<I, LC> {
  using Blocks = SumBlocks<I, LC>;
  using Instruction = I;
  using Layout = LC;
  using Sum = typename I::Sum;
  using A = SA;
  using B = SB;
  static_assert(Flags == transposed_b, "rows of a and of b lie along k");
  static_assert(std::is_same_v<typename SA::Element, typename I::Element> &&
                    std::is_same_v<typename SB::Element, typename I::Element>,
                "the instruction multiplies elements of another type");
  static_assert(LC::Shape::extent(0) == SA::Shape::extent(0) && LC::Shape::extent(1) == SB::Shape::extent(0) &&
                    SA::columns == SB::columns,
                "shapes of the products do not agree");
  static_assert(target::wave_lanes == I::lanes, "the instruction is one of a machine with other waves");
  static_assert(LC::redundant_registers == 0, "registers of the sums do not replicate");
  static_assert(BoxPlan<SA>::swizzle != 0 && BoxPlan<SB>::swizzle != 0,
                "operands have the swizzle of their rows of 32, 64 or 128 bytes");

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
  static constexpr bool blocks_match() {
    for (int block = 0; block < Blocks::blocks; ++block) {
      const Point first = LC::of(Blocks::accumulator(block, 0));
      if (first[0] % I::rows || first[1] % I::columns)
        return false;
    }
    return true;
  }
  static_assert(blocks_match(), "registers of the sums are not those of whole instructions");

  static constexpr int sums = LC::registers, blocks = Blocks::blocks;
  static constexpr int steps = SA::columns / I::k;
  static constexpr int depth = SA::columns;

  /// The first row of a, and of b, that a warpgroup multiplies, as a map of its number.
  template <int Dim>
  struct Warpgroups {
    static constexpr int bits = LC::wave_bits - 2;
    static constexpr int basis(int bit) { return LC::wave_basis(bit + 2)[Dim]; }
  };
  /// The same for a block of its sums: of all blocks no two bits meet.
  template <int Dim>
  static constexpr int block_row(int block) {
    return LC::of(Blocks::accumulator(block, 0))[Dim];
  }
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

/// acc += a * b for the tiles in two slots, issued as one group: all four waves of each warpgroup come here. Until the
/// group is awaited nobody reads or writes acc, and nobody writes to the slots. Without `accumulate` acc = a * b.
template <class I, int Flags = 0, class S, class LC, class SA, int OA, class SB, int OB>
TILEC_DEVICE void multiply_async(Tile<S, LC> &acc, Slot<SA, OA>, Slot<SB, OB>, bool accumulate = true) {
  static_assert(std::is_same_v<S, typename I::Sum>, "the instruction sums in another type");
  static_assert(OA % detail::BoxPlan<SA>::alignment == 0 && OB % detail::BoxPlan<SB>::alignment == 0,
                "a slot does not begin where its swizzle does");
  target::multiply_async<detail::WgmmaPlan<I, Flags, SA, SB, LC>>(acc.data, OA, OB, accumulate);
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
