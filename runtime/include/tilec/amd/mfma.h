//===- mfma.h - AMD: matrix instructions ----------------------------------------------------------------*- C++ -*-===//
// One `multiply` for each instruction described in tilec/mma.h that gfx942 or gfx950 has. Which registers go in is
// decided there.
//===--------------------------------------------------------------------------------------------------------------===//
#ifndef TILEC_AMD_MFMA_H
#define TILEC_AMD_MFMA_H

#include "tilec/mma.h"

namespace tilec::target {

template <class V, class T, int Count>
TILEC_DEVICE V packed(const detail::Fragment<T, Count> &fragment) {
  static_assert(sizeof(V) == sizeof(fragment));
  V result;
  __builtin_memcpy(&result, &fragment, sizeof(V));
  return result;
}

template <int Count, class T>
using Vector = T __attribute__((ext_vector_type(Count)));

/// acc += a * b. Written with exchanged operands: the hardware's D = b * a^T is the transpose that Mfma describes.
template <class I>
TILEC_DEVICE void multiply(const detail::Fragment<typename I::Element, I::elements> &a,
                           const detail::Fragment<typename I::Element, I::elements> &b,
                           detail::Fragment<typename I::Sum, I::registers> &acc) {
  static_assert(sizeof(I) == 0, "this GPU has no such matrix instruction");
}

#define TILEC_MFMA(dim, depth, type, packing, builtin, ...)                                                            \
  template <>                                                                                                          \
  TILEC_DEVICE void multiply<Mfma<dim, depth, type>>(                                                                  \
      const detail::Fragment<type, Mfma<dim, depth, type>::elements> &a,                                               \
      const detail::Fragment<type, Mfma<dim, depth, type>::elements> &b,                                               \
      detail::Fragment<Mfma<dim, depth, type>::Sum, Mfma<dim, depth, type>::registers> &acc) {                         \
    using Packing = packing;                                                                                           \
    const auto sum =                                                                                                   \
        builtin(packed<Packing>(b), packed<Packing>(a),                                                                \
                packed<Vector<Mfma<dim, depth, type>::registers, Mfma<dim, depth, type>::Sum>>(acc), __VA_ARGS__);     \
    __builtin_memcpy(&acc, &sum, sizeof(acc));                                                                         \
  }

using Short4 = Vector<4, short>;
using Half4 = Vector<4, _Float16>;
TILEC_MFMA(32, 8, bf16, Short4, __builtin_amdgcn_mfma_f32_32x32x8bf16_1k, 0, 0, 0)
TILEC_MFMA(16, 16, bf16, Short4, __builtin_amdgcn_mfma_f32_16x16x16bf16_1k, 0, 0, 0)
TILEC_MFMA(32, 8, f16, Half4, __builtin_amdgcn_mfma_f32_32x32x8f16, 0, 0, 0)
TILEC_MFMA(16, 16, f16, Half4, __builtin_amdgcn_mfma_f32_16x16x16f16, 0, 0, 0)
TILEC_MFMA(32, 2, float, float, __builtin_amdgcn_mfma_f32_32x32x2f32, 0, 0, 0)
TILEC_MFMA(16, 4, float, float, __builtin_amdgcn_mfma_f32_16x16x4f32, 0, 0, 0)
TILEC_MFMA(16, 4, double, double, __builtin_amdgcn_mfma_f64_16x16x4f64, 0, 0, 0)
TILEC_MFMA(32, 16, signed char, long, __builtin_amdgcn_mfma_i32_32x32x16_i8, 0, 0, 0)
TILEC_MFMA(16, 32, signed char, long, __builtin_amdgcn_mfma_i32_16x16x32_i8, 0, 0, 0)

// gfx942 multiplies FNUZ, gfx950 OCP: a program says which by its element type, and gets an error on the other machine.
// The host's pass over a kernel sees all of them.
#if defined(__gfx942__) || !defined(__HIP_DEVICE_COMPILE__)
TILEC_MFMA(32, 16, fp8_e4m3_fnuz, long, __builtin_amdgcn_mfma_f32_32x32x16_fp8_fp8, 0, 0, 0)
TILEC_MFMA(16, 32, fp8_e4m3_fnuz, long, __builtin_amdgcn_mfma_f32_16x16x32_fp8_fp8, 0, 0, 0)
TILEC_MFMA(32, 16, fp8_e5m2_fnuz, long, __builtin_amdgcn_mfma_f32_32x32x16_bf8_bf8, 0, 0, 0)
TILEC_MFMA(16, 32, fp8_e5m2_fnuz, long, __builtin_amdgcn_mfma_f32_16x16x32_bf8_bf8, 0, 0, 0)
#endif

#if defined(__gfx950__) || !defined(__HIP_DEVICE_COMPILE__)
using Brain8 = Vector<8, __bf16>;
using Half8 = Vector<8, _Float16>;
using Int4 = Vector<4, int>;
TILEC_MFMA(32, 16, bf16, Brain8, __builtin_amdgcn_mfma_f32_32x32x16_bf16, 0, 0, 0)
TILEC_MFMA(16, 32, bf16, Brain8, __builtin_amdgcn_mfma_f32_16x16x32_bf16, 0, 0, 0)
TILEC_MFMA(32, 16, f16, Half8, __builtin_amdgcn_mfma_f32_32x32x16_f16, 0, 0, 0)
TILEC_MFMA(16, 32, f16, Half8, __builtin_amdgcn_mfma_f32_16x16x32_f16, 0, 0, 0)
TILEC_MFMA(32, 32, signed char, Int4, __builtin_amdgcn_mfma_i32_32x32x32_i8, 0, 0, 0)
TILEC_MFMA(16, 64, signed char, Int4, __builtin_amdgcn_mfma_i32_16x16x64_i8, 0, 0, 0)
TILEC_MFMA(32, 16, fp8_e4m3, long, __builtin_amdgcn_mfma_f32_32x32x16_fp8_fp8, 0, 0, 0)
TILEC_MFMA(16, 32, fp8_e4m3, long, __builtin_amdgcn_mfma_f32_16x16x32_fp8_fp8, 0, 0, 0)
TILEC_MFMA(32, 16, fp8_e5m2, long, __builtin_amdgcn_mfma_f32_32x32x16_bf8_bf8, 0, 0, 0)
TILEC_MFMA(16, 32, fp8_e5m2, long, __builtin_amdgcn_mfma_f32_16x16x32_bf8_bf8, 0, 0, 0)
// Twice the rate of the forms above. Formats of the operands (0: e4m3, 1: e5m2), then selectors and scales; zero scales
// choose the form without.
using Int8 = Vector<8, int>;
TILEC_MFMA(32, 64, fp8_e4m3, Int8, __builtin_amdgcn_mfma_scale_f32_32x32x64_f8f6f4, 0, 0, 0, 0, 0, 0)
TILEC_MFMA(16, 128, fp8_e4m3, Int8, __builtin_amdgcn_mfma_scale_f32_16x16x128_f8f6f4, 0, 0, 0, 0, 0, 0)
TILEC_MFMA(32, 64, fp8_e5m2, Int8, __builtin_amdgcn_mfma_scale_f32_32x32x64_f8f6f4, 1, 1, 0, 0, 0, 0)
TILEC_MFMA(16, 128, fp8_e5m2, Int8, __builtin_amdgcn_mfma_scale_f32_16x16x128_f8f6f4, 1, 1, 0, 0, 0, 0)
#endif

#undef TILEC_MFMA

} // namespace tilec::target

#endif // TILEC_AMD_MFMA_H
