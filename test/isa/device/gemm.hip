// RUN: %hip-isa --offload-arch=gfx942 %s | FileCheck %s --check-prefixes=CHECK,MI300
// RUN: %if full %{ %hip-isa --offload-arch=gfx950 -DDEEP %s | FileCheck %s --check-prefixes=CHECK,MI350 %}
// A double-buffered product: tiles stay in registers (no scratch, no spilled vector registers), accesses are wide, and
// the inner loop is matrix instructions.
#include <hip/hip_runtime.h>
#include <tilec/device.h>

using namespace tilec;

namespace {

#if defined(DEEP)
using Instruction = Mfma32x32x16<bf16>;
constexpr Point k2 = at(0, 4), kLane = at(0, 8);
#else
using Instruction = Mfma32x32x8<bf16>;
constexpr Point k2 = at(0, 8), kLane = at(0, 4);
#endif
using OperandLanes = Lanes<at(1), at(2), at(4), at(8), at(16), kLane>;
using AccLanes = Lanes<at(1), at(2), at(4), at(8), at(16), at(0, 4)>;

// Four waves, 2 x 2; a wave has 64 columns and Rows / 2 rows.
template <int Rows>
struct Tiles;
template <>
struct Tiles<128> {
  using Acc = Layout<Shape<128, 128>, Registers<at(0, 1), at(0, 2), at(0, 8), at(0, 16), at(0, 32), at(32, 0)>,
                     AccLanes, Waves<at(0, 64), at(64, 0)>>;
  using A = Layout<Shape<128, 32>, Registers<at(0, 1), at(0, 2), k2, at(0, 16), at(32, 0)>, OperandLanes,
                   Waves<at(0, 0), at(64, 0)>>;
  using Copy = Layout<Shape<128, 32>, Registers<at(0, 1), at(0, 2), at(0, 4), at(64, 0)>,
                      Lanes<at(0, 8), at(0, 16), at(1), at(2), at(4), at(8)>, Waves<at(16), at(32)>>;
};
template <>
struct Tiles<256> {
  using Acc =
      Layout<Shape<256, 128>, Registers<at(0, 1), at(0, 2), at(0, 8), at(0, 16), at(0, 32), at(32, 0), at(64, 0)>,
             AccLanes, Waves<at(0, 64), at(128, 0)>>;
  using A = Layout<Shape<256, 32>, Registers<at(0, 1), at(0, 2), k2, at(0, 16), at(32, 0), at(64, 0)>, OperandLanes,
                   Waves<at(0, 0), at(128, 0)>>;
  using Copy = Layout<Shape<256, 32>, Registers<at(0, 1), at(0, 2), at(0, 4), at(64, 0), at(128, 0)>,
                      Lanes<at(0, 8), at(0, 16), at(1), at(2), at(4), at(8)>, Waves<at(16), at(32)>>;
};
using B = Layout<Shape<128, 32>, Registers<at(0, 1), at(0, 2), k2, at(0, 16), at(32, 0)>, OperandLanes,
                 Waves<at(64, 0), at(0, 0)>>;
using BCopy = Tiles<128>::Copy;

template <int Rows>
__device__ __forceinline__ void product(const Context &context, const bf16 *a, const bf16 *b, bf16 *c, int M) {
  using L = Tiles<Rows>;
  using Acc = typename L::Acc;
  using AShared = Shared<bf16, Shape<Rows, 32>, Swizzle<8, 2, 4>>;
  using BShared = Shared<bf16, Shape<128, 32>, Swizzle<8, 2, 4>>;
  constexpr int stage = AShared::bytes + BShared::bytes;
  const Launch launch = enter(context);
  const int rows = (M + Rows - 1) / Rows, tasks = rows * 28;
  const auto va = view(a, {M, 8192}, {8192, 1}), vb = view(b, {3584, 8192}, {8192, 1});
  for (int task = next(launch, 0); task < tasks; task = next(launch, 0)) {
    const Coordinates<2> tile = grouped(remap_xcd(task, tasks, 8), {rows, 28}, 8);
    const int m = tile[0] * Rows, n = tile[1] * 128;
    auto acc = splat<float, Acc>(0.0f);
    store(shared<AShared>(broadcast_lds), load_live<typename L::Copy, 8>(va, {m, 0}));
    store(shared<BShared>(broadcast_lds + AShared::bytes), load<BCopy, 8>(vb, {n, 0}));
    barrier();
    for (int k = 0; k < 8192 / 32; ++k) {
      const int here = broadcast_lds + k % 2 * stage, there = broadcast_lds + (k + 1) % 2 * stage;
      const auto ta = load_live<typename L::Copy, 8>(va, {m, (k + 1) * 32});
      const auto tb = load<BCopy, 8>(vb, {n, (k + 1) * 32});
      acc = mma<Instruction, transposed_b>(load<typename L::A>(shared<AShared>(here)),
                                           load<B>(shared<BShared>(here + AShared::bytes)), acc);
      store(shared<AShared>(there), ta);
      store(shared<BShared>(there + AShared::bytes), tb);
      barrier();
    }
    Tile<bf16, Acc> out;
#pragma unroll
    for (int i = 0; i < Acc::registers; ++i)
      out[i] = cast<bf16>(acc[i]);
    store<4>(out, view(c, {M, 3584}, {3584, 1}), {m, n});
  }
  if (last(launch))
    leave(launch, true);
}

} // namespace

// CHECK-LABEL: gemm_128x128:
// CHECK: buffer_load_dwordx4
// CHECK: ds_write_b128
// MI300: v_mfma_f32_32x32x8_bf16
// MI350: v_mfma_f32_32x32x16_bf16
// CHECK: buffer_store_dwordx2
extern "C" __global__ __launch_bounds__(256) void gemm_128x128(const Context context, const bf16 *a, const bf16 *b,
                                                               bf16 *c, const int M) {
  product<128>(context, a, b, c, M);
}

extern "C" __global__ __launch_bounds__(256) void gemm_256x128(const Context context, const bf16 *a, const bf16 *b,
                                                               bf16 *c, const int M) {
  product<256>(context, a, b, c, M);
}

// CHECK: .name: gemm_128x128
// CHECK: .private_segment_fixed_size: 0
// CHECK: .vgpr_spill_count: 0
// CHECK: .name: gemm_256x128
// CHECK: .private_segment_fixed_size: 0
// CHECK: .vgpr_spill_count: 0
