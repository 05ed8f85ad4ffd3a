// RUN: %hip-isa --offload-arch=gfx942 %s | FileCheck %s
// RUN: %hip-isa --offload-arch=gfx950 %s | FileCheck %s
// Products on the vector units: operands from LDS, a multiply-add for every sum and k, everything in registers.
#include <hip/hip_runtime.h>
#include <tilec/device.h>

using namespace tilec;

namespace {
using Sums = Layout<Shape<32, 64>, Registers<at(0, 1), at(0, 2), at(8, 0)>,
                    Lanes<at(0, 4), at(0, 8), at(0, 16), at(1), at(2), at(4)>, Waves<at(0, 32), at(16)>>;
using Rows = Layout<Shape<32, 8>, Registers<at(0, 1), at(0, 2), at(0, 4), at(8, 0)>,
                    Lanes<at(0, 0), at(0, 0), at(0, 0), at(1), at(2), at(4)>, Waves<at(0, 0), at(16)>>;
using Columns = Layout<Shape<64, 8>, Registers<at(0, 1), at(0, 2), at(0, 4), at(1), at(2)>,
                       Lanes<at(4), at(8), at(16), at(0, 0), at(0, 0), at(0, 0)>, Waves<at(32), at(0, 0)>>;

template <class T, class S>
__device__ __forceinline__ void product(S *c) {
  const auto a = load<Rows>(shared<Shared<T, Shape<32, 8>>>(1024));
  const auto b = load<Columns>(shared<Shared<T, Shape<64, 8>>>(8192));
  store<1>(dot<transposed_b>(a, b, splat<S, Sums>(0)), view(c, {32, 64}, {64, 1}), {0, 0});
}
} // namespace

// CHECK-LABEL: single:
// CHECK: ds_read_b128
// CHECK-COUNT-32: {{v_(pk_)?fma(c)?_f32}}
// CHECK-NOT: scratch_
// CHECK: s_endpgm
extern "C" __global__ __launch_bounds__(256) void single(float *c) { product<float>(c); }

// CHECK-LABEL: integer:
// CHECK: ds_read_b128
// CHECK-COUNT-64: {{v_mul_lo_u32|v_mad_u64_u32}}
// CHECK-NOT: scratch_
// CHECK: s_endpgm
extern "C" __global__ __launch_bounds__(256) void integer(int *c) { product<int>(c); }

// CHECK-LABEL: brain:
// CHECK-COUNT-32: {{v_(pk_)?fma(c)?_f32}}
// CHECK-NOT: scratch_
// CHECK: s_endpgm
extern "C" __global__ __launch_bounds__(256) void brain(float *c) { product<bf16>(c); }
