// RUN: %hip-isa --offload-arch=gfx942 %s | FileCheck %s
// RUN: %hip-isa --offload-arch=gfx950 %s | FileCheck %s
// Live memory never goes through the scalar cache, which no acquire invalidates: not even an element that all threads
// share, not through __restrict__, and not once for several waits.
#include <hip/hip_runtime.h>
#include <tilec/device.h>

using namespace tilec;

namespace {
using One = Layout<Shape<1>, Registers<>, Lanes<at(0), at(0), at(0), at(0), at(0), at(0)>, Waves<at(0), at(0)>>;
using Row = Layout<Shape<256>, Registers<>, Lanes<at(1), at(2), at(4), at(8), at(16), at(32)>, Waves<at(64), at(128)>>;
} // namespace

// CHECK-LABEL: shared_element:
// CHECK: buffer_inv sc0 sc1
// CHECK: s_barrier
// CHECK-NOT: s_load_dword{{ .*}}, 0x0{{$}}
// CHECK: buffer_load_dword v
// CHECK: s_endpgm
extern "C" __global__ __launch_bounds__(256) void shared_element(const Context context, const float *__restrict__ inbox,
                                                                 float *out) {
  const Launch launch = enter(context);
  const Signals<1> sent{context, 0, {8}};
  wait<tilec::system>(launch, sent, {0}, {8});
  const auto one = load_live<One, 1>(view(inbox, {1}, {1}), {0});
  store<1>(splat<float, Row>(one[0]), view(out, {256}, {1}), {0});
}

// CHECK-LABEL: two_waits:
// CHECK: buffer_inv sc0 sc1
// CHECK: s_barrier
// CHECK: buffer_load_dword v
// CHECK: buffer_inv sc0 sc1
// CHECK: s_barrier
// CHECK: buffer_load_dword v
// CHECK: s_endpgm
extern "C" __global__ __launch_bounds__(256) void two_waits(const Context context, const float *inbox, float *out) {
  const Launch launch = enter(context);
  const Signals<1> sent{context, 0, {8}};
  wait<tilec::system>(launch, sent, {0}, {1});
  const auto first = load_live<Row, 1>(view(inbox, {256}, {1}), {0});
  wait<tilec::system>(launch, sent, {1}, {1});
  const auto second = load_live<Row, 1>(view(inbox, {256}, {1}), {0});
  store<1>(splat<float, Row>(first[0] - second[0]), view(out, {256}, {1}), {0});
}

// A scalar that the host or another kernel writes: read past the caches.
// CHECK-LABEL: scalar:
// CHECK: global_load_dword {{.*}} sc1
// CHECK: s_endpgm
extern "C" __global__ __launch_bounds__(256) void scalar(const int *count, int *out) {
  if (threadIdx.x == 0)
    out[0] = read(count);
}
