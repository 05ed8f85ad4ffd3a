// RUN: %hip-isa --offload-arch=gfx942 %s | FileCheck %s --check-prefixes=CHECK,MI300
// RUN: %hip-isa --offload-arch=gfx950 %s | FileCheck %s --check-prefixes=CHECK,MI350
// Conversions, functions and reductions need no library and no memory.
#include <hip/hip_runtime.h>
#include <tilec/device.h>

using namespace tilec;

namespace {
using Wave = Layout<Shape<16, 64>, Registers<at(1), at(2), at(4), at(8)>,
                    Lanes<at(0, 1), at(0, 2), at(0, 4), at(0, 8), at(0, 16), at(0, 32)>, Waves<>>;
using Rows =
    Layout<Shape<16>, Registers<at(1), at(2), at(4), at(8)>, Lanes<at(0), at(0), at(0), at(0), at(0), at(0)>, Waves<>>;
using Columns = Layout<Shape<64>, Registers<>, Lanes<at(1), at(2), at(4), at(8), at(16), at(32)>, Waves<>>;
} // namespace

// CHECK-NOT: s_swappc
// MI300-LABEL: to_brain:
// MI300: v_add3_u32
// MI350-LABEL: to_brain:
// MI350: v_cvt_pk_bf16_f32
// CHECK: s_endpgm
extern "C" __global__ __launch_bounds__(64) void to_brain(const float *x, bf16 *y) {
  y[threadIdx.x] = cast<bf16>(x[threadIdx.x]);
}

// Of two weights the upper halves are packed at once, with no shift for each.
// MI300-LABEL: to_brains:
// MI300-NOT: v_lshrrev_b32
// MI300-COUNT-4: v_perm_b32
// MI300-NOT: v_lshrrev_b32
// MI350-LABEL: to_brains:
// MI350-COUNT-4: v_cvt_pk_bf16_f32
// CHECK: s_endpgm
extern "C" __global__ __launch_bounds__(64) void to_brains(const float *x, bf16 *y) {
  bf16 weights[8];
#pragma unroll
  for (int i = 0; i < 8; ++i)
    weights[i] = cast<bf16>(x[i + 8 * threadIdx.x]);
  __builtin_memcpy(__builtin_assume_aligned(y + 8 * threadIdx.x, 16), weights, 16);
}

// CHECK-LABEL: functions:
// CHECK-NOT: s_swappc
// CHECK-DAG: v_exp_f32
// CHECK-DAG: v_log_f32
// CHECK-DAG: v_sqrt_f32
// CHECK-DAG: v_rsq_f32
// CHECK: s_endpgm
extern "C" __global__ __launch_bounds__(64) void functions(float *x) {
  const float v = x[threadIdx.x];
  x[threadIdx.x] = exp(v) + exp2(v + 1) + log(v) + log2(v + 2) + tilec::sqrt(v) + rsqrt(v + 3) + tanh(v) + erf(v) +
                   maximum(v, 0.5f) + fma(v, v, v) + cast<float>(cast<fp8_e4m3>(v)) + tilec::abs(v);
}

// Neighbours by DPP, halves of a wave by a permutation through LDS hardware, or by a swap where there is one, no LDS memory.
// CHECK-LABEL: row_sums:
// CHECK-DAG: quad_perm:[1,0,3,2]
// CHECK-DAG: quad_perm:[2,3,0,1]
// CHECK-DAG: row_ror:8
// CHECK-DAG: ds_swizzle_b32
// MI300-DAG: ds_bpermute_b32
// MI350-DAG: v_permlane32_swap_b32
// CHECK-NOT: ds_write
// CHECK: s_endpgm
extern "C" __global__ __launch_bounds__(64) void row_sums(const float *x, float *y) {
  const auto tile = load<Wave, 1>(view(x, {16, 64}, {64, 1}), {0, 0});
  store<1>(reduce<1, add, Rows>(tile), view(y, {16}, {1}), {0});
}

// Three numbers at once, and whether one is none by pairs: no condition is kept for each.
// MI300-LABEL: column_maxima:
// MI300-NOT: s_or_b64
// MI300-DAG: v_max3_f32
// MI300-DAG: v_pk_fma_f32
// MI350-LABEL: column_maxima:
// MI350: v_maximum3_f32
// CHECK-NOT: s_or_b64
// CHECK: s_endpgm
extern "C" __global__ __launch_bounds__(64) void column_maxima(const float *x, float *y) {
  const auto tile = load<Wave, 1>(view(x, {16, 64}, {64, 1}), {0, 0});
  store<1>(reduce<0, maximum, Columns>(tile), view(y, {64}, {1}), {0});
}

// CHECK: .name: functions
// CHECK: .private_segment_fixed_size: 0
// CHECK: .name: row_sums
// CHECK: .private_segment_fixed_size: 0
// CHECK: .vgpr_spill_count: 0
