// RUN: %hip-isa --offload-arch=gfx942 %s | FileCheck %s
// RUN: %hip-isa --offload-arch=gfx950 %s | FileCheck %s
// Atomic sums are instructions of the memory, not loops that compare and swap; the scope is in their cache bits.
#include <hip/hip_runtime.h>
#include <tilec/device.h>

using namespace tilec;

namespace {
using Row = Layout<Shape<256>, Registers<>, Lanes<at(1), at(2), at(4), at(8), at(16), at(32)>, Waves<at(64), at(128)>>;
} // namespace

// CHECK-LABEL: local:
// CHECK-NOT: cmpswap
// CHECK: global_atomic_add_f32 v{{[0-9]+}}, v{{[0-9]+}}, s[{{[0-9:]+}}]{{$}}
// CHECK: s_endpgm
extern "C" __global__ __launch_bounds__(256) void local(float *out) {
  atomic_add<agent>(splat<float, Row>(1.0f), view(out, {256}, {1}), {0});
}

// CHECK-LABEL: peers:
// CHECK-NOT: cmpswap
// CHECK: global_atomic_add_f32 {{.*}} sc1{{$}}
// CHECK: s_endpgm
extern "C" __global__ __launch_bounds__(256) void peers(float *out) {
  atomic_add<tilec::system>(splat<float, Row>(1.0f), view(out, {256}, {1}), {0});
}

// CHECK-LABEL: integers:
// CHECK: global_atomic_add v
// CHECK: s_endpgm
extern "C" __global__ __launch_bounds__(256) void integers(int *out) {
  atomic_add<agent>(splat<int, Row>(1), view(out, {256}, {1}), {0});
}

// Memory adds pairs of bf16, whose other half may be another buffer's: a loop swaps the word that an element is a half of.
// CHECK-LABEL: halves:
// CHECK-NOT: pk_add
// CHECK: global_atomic_cmpswap v{{.*}} sc0{{$}}
// CHECK: s_endpgm
extern "C" __global__ __launch_bounds__(256) void halves(bf16 *out) {
  atomic_add<agent>(splat<bf16, Row>(bf16{0x3f80}), view(out, {256}, {1}), {0});
}

// CHECK-LABEL: halves_of_peers:
// CHECK: global_atomic_cmpswap {{.*}} sc1{{$}}
// CHECK: s_endpgm
extern "C" __global__ __launch_bounds__(256) void halves_of_peers(bf16 *out) {
  atomic_add<tilec::system>(splat<bf16, Row>(bf16{0x3f80}), view(out, {256}, {1}), {0});
}

// Extrema of floats have no instruction here that keeps NaNs: a loop swaps, at the same scope.
// CHECK-LABEL: greatest:
// CHECK: global_atomic_cmpswap {{.*}} sc1{{$}}
// CHECK: s_endpgm
extern "C" __global__ __launch_bounds__(256) void greatest(float *out) {
  atomic_maximum<tilec::system>(splat<float, Row>(1.0f), view(out, {256}, {1}), {0});
}
