// RUN: %hip-isa --offload-arch=gfx942 %s | FileCheck %s
// RUN: %hip-isa --offload-arch=gfx950 %s | FileCheck %s --check-prefixes=CHECK,MI350
// Every matrix instruction of either machine, with the operands exchanged (mma.h says why): b's registers come first.
#include <hip/hip_runtime.h>
#include <tilec/device.h>

using namespace tilec;

namespace {
template <class I>
__device__ __forceinline__ void once(const typename I::Element *a, const typename I::Element *b, typename I::Sum *c) {
  detail::Fragment<typename I::Element, I::elements> fa, fb;
  detail::Fragment<typename I::Sum, I::registers> fc{};
  constexpr int run = detail::access_count<typename I::Element, I::elements>;
  for (int e = 0; e < I::elements; e += run) {
    target::load_global<run>(fa.data + e, a + e, threadIdx.x * unsigned(sizeof(fa)));
    target::load_global<run>(fb.data + e, b + e, threadIdx.x * unsigned(sizeof(fb)));
  }
  target::multiply<I>(fa, fb, fc);
  for (int r = 0; r < I::registers; ++r)
    c[threadIdx.x * I::registers + r] = fc.data[r];
}
} // namespace

#define KERNEL(name, type, ...)                                                                                        \
  extern "C" __global__ __launch_bounds__(64) void name(const type *a, const type *b, __VA_ARGS__::Sum *c) {           \
    once<__VA_ARGS__>(a, b, c);                                                                                        \
  }

// CHECK-LABEL: brain_32:
// CHECK: v_mfma_f32_32x32x8_bf16 {{.*}}, 0
KERNEL(brain_32, bf16, Mfma32x32x8<bf16>)
// CHECK-LABEL: brain_16:
// CHECK: v_mfma_f32_16x16x16_bf16 {{.*}}, 0
KERNEL(brain_16, bf16, Mfma16x16x16<bf16>)
// CHECK-LABEL: half_32:
// CHECK: v_mfma_f32_32x32x8_f16 {{.*}}, 0
KERNEL(half_32, f16, Mfma32x32x8<f16>)
// CHECK-LABEL: half_16:
// CHECK: v_mfma_f32_16x16x16_f16 {{.*}}, 0
KERNEL(half_16, f16, Mfma16x16x16<f16>)
// CHECK-LABEL: single_32:
// CHECK: v_mfma_f32_32x32x2_f32 {{.*}}, 0
KERNEL(single_32, float, Mfma32x32x2<float>)
// CHECK-LABEL: single_16:
// CHECK: v_mfma_f32_16x16x4_f32 {{.*}}, 0
KERNEL(single_16, float, Mfma16x16x4<float>)
// CHECK-LABEL: integer_32:
// CHECK: v_mfma_i32_32x32x16_i8 {{.*}}, 0
KERNEL(integer_32, signed char, Mfma32x32x16<signed char>)
// CHECK-LABEL: integer_16:
// CHECK: v_mfma_i32_16x16x32_i8 {{.*}}, 0
KERNEL(integer_16, signed char, Mfma16x16x32<signed char>)
// CHECK-LABEL: double_16:
// CHECK: v_mfma_f64_16x16x4_f64 {{.*}}, 0
KERNEL(double_16, double, Mfma16x16x4<double>)

#if defined(__gfx950__)
using E4 = fp8_e4m3;
using E5 = fp8_e5m2;
// MI350-LABEL: brain_deep_32:
// MI350: v_mfma_f32_32x32x16_bf16
KERNEL(brain_deep_32, bf16, Mfma32x32x16<bf16>)
// MI350-LABEL: brain_deep_16:
// MI350: v_mfma_f32_16x16x32_bf16
KERNEL(brain_deep_16, bf16, Mfma16x16x32<bf16>)
// MI350-LABEL: half_deep_32:
// MI350: v_mfma_f32_32x32x16_f16
KERNEL(half_deep_32, f16, Mfma32x32x16<f16>)
// MI350-LABEL: half_deep_16:
// MI350: v_mfma_f32_16x16x32_f16
KERNEL(half_deep_16, f16, Mfma16x16x32<f16>)
// MI350-LABEL: integer_deep_32:
// MI350: v_mfma_i32_32x32x32_i8
KERNEL(integer_deep_32, signed char, Mfma32x32x32<signed char>)
// MI350-LABEL: integer_deep_16:
// MI350: v_mfma_i32_16x16x64_i8
KERNEL(integer_deep_16, signed char, Mfma16x16x64<signed char>)
// MI350-LABEL: deepest_32:
// MI350: v_mfma_f32_32x32x64_f8f6f4 {{v|a}}{{.*}}, 0{{$}}
KERNEL(deepest_32, fp8_e4m3, Mfma32x32x64<fp8_e4m3>)
// MI350-LABEL: deepest_16:
// MI350: v_mfma_f32_16x16x128_f8f6f4 {{.*}}, 0 cbsz:1 blgp:1
KERNEL(deepest_16, fp8_e5m2, Mfma16x16x128<fp8_e5m2>)
#else
using E4 = fp8_e4m3_fnuz;
using E5 = fp8_e5m2_fnuz;
#endif
// CHECK-LABEL: eight_32:
// CHECK: v_mfma_f32_32x32x16_fp8_fp8
KERNEL(eight_32, E4, Mfma32x32x16<E4>)
// CHECK-LABEL: eight_16:
// CHECK: v_mfma_f32_16x16x32_fp8_fp8
KERNEL(eight_16, E4, Mfma16x16x32<E4>)
// CHECK-LABEL: wide_32:
// CHECK: v_mfma_f32_32x32x16_bf8_bf8
KERNEL(wide_32, E5, Mfma32x32x16<E5>)
// CHECK-LABEL: wide_16:
// CHECK: v_mfma_f32_16x16x32_bf8_bf8
KERNEL(wide_16, E5, Mfma16x16x32<E5>)

// a is the first argument of the kernel and the second operand of the instruction.
// CHECK-LABEL: exchanged:
// CHECK-DAG: global_load_dword [[A:v[0-9]+]], {{.*}}
// CHECK: v_mfma_f32_32x32x2_f32 {{v\[[0-9]+:[0-9]+\]|a\[[0-9]+:[0-9]+\]}}, [[B:v[0-9]+]], [[A]], 0
extern "C" __global__ __launch_bounds__(64) void exchanged(const float *a, float *c) {
  detail::Fragment<float, 1> fa, fb{1.0f};
  detail::Fragment<float, 16> fc{};
  target::load_global<1>(fa.data, a, threadIdx.x * 4u);
  target::multiply<Mfma32x32x2<float>>(fa, fb, fc);
  for (int r = 0; r < 16; ++r)
    c[threadIdx.x * 16 + r] = fc.data[r];
}
