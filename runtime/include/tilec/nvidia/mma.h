//===- mma.h - NVIDIA: matrix instructions of one warp ---------------------------------------------------*- C++
//-*-===//
// One `multiply` for each instruction described in tilec/mma.h that sm_90 has. Which registers go in is decided there.
// The asynchronous products of four warps (wgmma) get constructs of their own.
//===--------------------------------------------------------------------------------------------------------------===//
#ifndef TILEC_NVIDIA_MMA_H
#define TILEC_NVIDIA_MMA_H

#include "tilec/mma.h"

namespace tilec::target {

/// acc += a * b.
template <class I>
TILEC_DEVICE void multiply(const tilec::detail::Fragment<typename I::Element, I::elements_a> &,
                           const tilec::detail::Fragment<typename I::Element, I::elements_b> &,
                           tilec::detail::Fragment<typename I::Sum, I::registers> &) {
  static_assert(sizeof(I) == 0, "this GPU has no such matrix instruction");
}

// Operands of 16 bytes of each row in four registers, and of each column in two. `letter`: the constraint of a sum.
#define TILEC_MMA(depth, type, name, letter)                                                                           \
  template <>                                                                                                          \
  TILEC_DEVICE void multiply<Mma<depth, type>>(const tilec::detail::Fragment<type, Mma<depth, type>::elements_a> &a,   \
                                               const tilec::detail::Fragment<type, Mma<depth, type>::elements_b> &b,   \
                                               tilec::detail::Fragment<Mma<depth, type>::Sum, 4> &acc) {               \
    unsigned ra[4], rb[2];                                                                                             \
    static_assert(sizeof(ra) == sizeof(a) && sizeof(rb) == sizeof(b));                                                 \
    __builtin_memcpy(ra, &a, sizeof(ra));                                                                              \
    __builtin_memcpy(rb, &b, sizeof(rb));                                                                              \
    auto c = acc;                                                                                                      \
    asm("mma.sync.aligned.m16n8k" #depth ".row.col." name " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "            \
        "{%10, %11, %12, %13};"                                                                                        \
        : "=" letter(acc.data[0]), "=" letter(acc.data[1]), "=" letter(acc.data[2]), "=" letter(acc.data[3])           \
        : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]), "r"(rb[1]), letter(c.data[0]),                   \
          letter(c.data[1]), letter(c.data[2]), letter(c.data[3]));                                                    \
  }

TILEC_MMA(16, bf16, "f32.bf16.bf16.f32", "f")
TILEC_MMA(16, f16, "f32.f16.f16.f32", "f")
TILEC_MMA(32, fp8_e4m3, "f32.e4m3.e4m3.f32", "f")
TILEC_MMA(32, fp8_e5m2, "f32.e5m2.e5m2.f32", "f")
TILEC_MMA(32, signed char, "s32.s8.s8.s32", "r")

#undef TILEC_MMA

template <>
TILEC_DEVICE void multiply<Mma<4, double>>(const tilec::detail::Fragment<double, 2> &a,
                                           const tilec::detail::Fragment<double, 1> &b,
                                           tilec::detail::Fragment<double, 4> &acc) {
  const auto c = acc;
  asm("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%7, %8, %9, %10};"
      : "=d"(acc.data[0]), "=d"(acc.data[1]), "=d"(acc.data[2]), "=d"(acc.data[3])
      : "d"(a.data[0]), "d"(a.data[1]), "d"(b.data[0]), "d"(c.data[0]), "d"(c.data[1]), "d"(c.data[2]), "d"(c.data[3]));
}

} // namespace tilec::target

#endif // TILEC_NVIDIA_MMA_H
