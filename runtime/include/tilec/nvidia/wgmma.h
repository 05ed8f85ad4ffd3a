//===- wgmma.h - NVIDIA: asynchronous matrix products of a warpgroup -------------------------------------*- C++
//-*-===//
// The instructions of sm_90a by width and type, and the descriptors of their operands in LDS.
//===--------------------------------------------------------------------------------------------------------------===//
#ifndef TILEC_NVIDIA_WGMMA_H
#define TILEC_NVIDIA_WGMMA_H

#include "tilec/nvidia/stream.h"
#include "tilec/wgmma.h"

namespace tilec::target {

/// The number of this thread's warpgroup, in a register of the warp.
TILEC_DEVICE int warpgroup() { return __shfl_sync(0xffffffffu, int(threadIdx.x) / 128, 0); }

/// d += a * b by one instruction.
template <class I>
struct Product {
  static_assert(sizeof(I) == 0, "this GPU has no such asynchronous product");
};

// Operand lists of 4, 8 ... 128 sums: their places in the text, and the registers.
#define TILEC_PLACES_10 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9"
#define TILEC_PLACES(t)                                                                                                \
  ", %" #t "0, %" #t "1, %" #t "2, %" #t "3, %" #t "4, %" #t "5, %" #t "6, %" #t "7, %" #t "8, %" #t "9"
#define TILEC_PLACES_4 "%0, %1, %2, %3"
#define TILEC_PLACES_8 "%0, %1, %2, %3, %4, %5, %6, %7"
#define TILEC_PLACES_16 TILEC_PLACES_10 ", %10, %11, %12, %13, %14, %15"
#define TILEC_PLACES_30 TILEC_PLACES_10 TILEC_PLACES(1) TILEC_PLACES(2)
#define TILEC_PLACES_32 TILEC_PLACES_30 ", %30, %31"
#define TILEC_PLACES_60 TILEC_PLACES_30 TILEC_PLACES(3) TILEC_PLACES(4) TILEC_PLACES(5)
#define TILEC_PLACES_64 TILEC_PLACES_60 ", %60, %61, %62, %63"
#define TILEC_PLACES_90 TILEC_PLACES_60 TILEC_PLACES(6) TILEC_PLACES(7) TILEC_PLACES(8)
#define TILEC_PLACES_120 TILEC_PLACES_90 TILEC_PLACES(9) TILEC_PLACES(10) TILEC_PLACES(11)
#define TILEC_PLACES_128 TILEC_PLACES_120 ", %120, %121, %122, %123, %124, %125, %126, %127"

#define TILEC_SUMS_4(letter, i) "+" letter(d[i]), "+" letter(d[i + 1]), "+" letter(d[i + 2]), "+" letter(d[i + 3])
#define TILEC_SUMS_8(letter, i) TILEC_SUMS_4(letter, i), TILEC_SUMS_4(letter, i + 4)
#define TILEC_SUMS_16(letter, i) TILEC_SUMS_8(letter, i), TILEC_SUMS_8(letter, i + 8)
#define TILEC_SUMS_32(letter, i) TILEC_SUMS_16(letter, i), TILEC_SUMS_16(letter, i + 16)
#define TILEC_SUMS_64(letter, i) TILEC_SUMS_32(letter, i), TILEC_SUMS_32(letter, i + 32)
#define TILEC_SUMS_128(letter, i) TILEC_SUMS_64(letter, i), TILEC_SUMS_64(letter, i + 64)

// `p0` and `p1`: operands behind the sums, of a's descriptor and of b's; `p2`: whether the sums count. `scales`: what
// the instruction takes behind it.
#define TILEC_PRODUCT(n, depth, type, name, letter, count, p0, p1, p2, scales)                                         \
  template <>                                                                                                          \
  struct Product<Wgmma<n, depth, type>> {                                                                              \
    using Sum = Wgmma<n, depth, type>::Sum;                                                                            \
    static TILEC_DEVICE void of_slots(Sum (&d)[count], unsigned long long a, unsigned long long b, int accumulate) {   \
      asm volatile("{.reg .pred p; setp.ne.b32 p, %" #p2 ", 0; wgmma.mma_async.sync.aligned.m64n" #n "k" #depth        \
                   "." name " {" TILEC_PLACES_##count "}, %" #p0 ", %" #p1 ", p" scales ";}"                           \
                   : TILEC_SUMS_##count(letter, 0)                                                                     \
                   : "l"(a), "l"(b), "r"(accumulate));                                                                 \
    }                                                                                                                  \
  };
#define TILEC_PRODUCTS(depth, type, name, letter, scales)                                                              \
  TILEC_PRODUCT(8, depth, type, name, letter, 4, 4, 5, 6, scales)                                                      \
  TILEC_PRODUCT(16, depth, type, name, letter, 8, 8, 9, 10, scales)                                                    \
  TILEC_PRODUCT(32, depth, type, name, letter, 16, 16, 17, 18, scales)                                                 \
  TILEC_PRODUCT(64, depth, type, name, letter, 32, 32, 33, 34, scales)                                                 \
  TILEC_PRODUCT(128, depth, type, name, letter, 64, 64, 65, 66, scales)                                                \
  TILEC_PRODUCT(256, depth, type, name, letter, 128, 128, 129, 130, scales)
TILEC_PRODUCTS(16, bf16, "f32.bf16.bf16", "f", ", 1, 1, 0, 0")
TILEC_PRODUCTS(16, f16, "f32.f16.f16", "f", ", 1, 1, 0, 0")
TILEC_PRODUCTS(32, fp8_e4m3, "f32.e4m3.e4m3", "f", ", 1, 1")
TILEC_PRODUCTS(32, fp8_e5m2, "f32.e5m2.e5m2", "f", ", 1, 1")
TILEC_PRODUCTS(32, signed char, "s32.s8.s8", "r", "")
#undef TILEC_PRODUCTS
#undef TILEC_PRODUCT

/// What a descriptor says of an LDS tile but its place: 8 rows behind each other, and their swizzle.
template <class S>
constexpr unsigned long long slot_kind() {
  constexpr int swizzle = tilec::detail::BoxPlan<S>::swizzle;
  constexpr unsigned long long mode = swizzle == 128 ? 1 : swizzle == 64 ? 2 : 3;
  return mode << 62 | static_cast<unsigned long long>(8 * swizzle / 16) << 32 | 1ull << 16;
}

/// One group: acc += a * b for LDS tiles at two offsets.
template <class Plan>
TILEC_DEVICE void multiply_async(typename Plan::Sum (&acc)[Plan::sums], int a, int b, bool accumulate) {
  using I = typename Plan::Instruction;
  constexpr int a_pitch = tilec::detail::BoxPlan<typename Plan::A>::row_bytes;
  constexpr int b_pitch = tilec::detail::BoxPlan<typename Plan::B>::row_bytes;
  const int group = warpgroup();
  const unsigned lds = lds_address(0);
  const unsigned a_rows = tilec::detail::apply<typename Plan::template Warpgroups<0>>(group) * a_pitch;
  const unsigned b_rows = tilec::detail::apply<typename Plan::template Warpgroups<1>>(group) * b_pitch;
  // Multiples of 16 bytes, and no sum of two of them carries into what else a descriptor says.
  const auto a_slot = slot_kind<typename Plan::A>() + ((lds + a + a_rows) >> 4);
  const auto b_slot = slot_kind<typename Plan::B>() + ((lds + b + b_rows) >> 4);
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
  tilec::detail::repeat<Plan::steps>([&](auto step) TILEC_LAMBDA {
    tilec::detail::repeat<Plan::blocks>([&](auto block) TILEC_LAMBDA {
      constexpr int number = decltype(block)::value, along = decltype(step)::value * 32;
      constexpr int a_byte = Plan::template block_row<0>(number) * a_pitch + along;
      constexpr int b_byte = Plan::template block_row<1>(number) * b_pitch + along;
      typename Plan::Sum d[I::registers];
      tilec::detail::repeat<I::registers>([&](auto r) TILEC_LAMBDA {
        constexpr int own = Plan::accumulator(number, decltype(r)::value);
        d[decltype(r)::value] = acc[own];
      });
      Product<I>::of_slots(d, a_slot + a_byte / 16, b_slot + b_byte / 16, accumulate || decltype(step)::value != 0);
      tilec::detail::repeat<I::registers>([&](auto r) TILEC_LAMBDA {
        constexpr int own = Plan::accumulator(number, decltype(r)::value);
        acc[own] = d[decltype(r)::value];
      });
    });
  });
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

template <int Left>
TILEC_DEVICE void await_products() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(Left) : "memory");
}
/// The end of a basic block: where ptxas finds sums read in the block that waits for them, it makes all products of the
/// kernel wait for each other (C7514). No grid has 0 workgroups, but ptxas does not know.
TILEC_DEVICE void part_from_wait() {
  if (gridDim.x == 0)
    asm volatile("trap;");
}
/// Keeps what reads the sums behind the wait.
template <int Count>
TILEC_DEVICE void give_back(float (&sums)[Count]) {
#pragma unroll
  for (int i = 0; i < Count; ++i)
    asm volatile("" : "+f"(sums[i])::"memory");
}
template <int Count>
TILEC_DEVICE void give_back(int (&sums)[Count]) {
#pragma unroll
  for (int i = 0; i < Count; ++i)
    asm volatile("" : "+r"(sums[i])::"memory");
}

} // namespace tilec::target

#endif // TILEC_NVIDIA_WGMMA_H
