// RUN: %hip-isa --offload-arch=gfx942 %s | FileCheck %s
// RUN: %hip-isa --offload-arch=gfx950 %s | FileCheck %s
// What a signal and a wait become: the fences at their scopes, and the waits that LLVM 22.1 forgets.
#include <hip/hip_runtime.h>
#include <tilec/device.h>

using namespace tilec;

namespace {
using Row = Layout<Shape<256>, Registers<>, Lanes<at(1), at(2), at(4), at(8), at(16), at(32)>, Waves<at(64), at(128)>>;
using WaveRow = Layout<Shape<64>, Registers<>, Lanes<at(1), at(2), at(4), at(8), at(16), at(32)>, Waves<>>;
} // namespace

// Every wave drains its store before the barrier; then one lane writes the caches back, waits for that, and only then
// stores the flag past all caches.
// CHECK-LABEL: send_system:
// CHECK: buffer_store_dword
// CHECK: ;#ASMSTART
// CHECK-NEXT: s_waitcnt vmcnt(0)
// CHECK: s_barrier
// CHECK-NOT: {{global|buffer}}_store
// CHECK: buffer_wbl2 sc0 sc1
// CHECK-NOT: {{global|buffer}}_store
// CHECK: ;#ASMSTART
// CHECK-NEXT: s_waitcnt vmcnt(0)
// CHECK: global_store_dword {{.*}} sc0 sc1
// CHECK: s_endpgm
extern "C" __global__ __launch_bounds__(256) void send_system(const Context context, float *inbox, const int to) {
  const Launch launch = enter(context);
  const Signals<1> sent{context, 0, {8}};
  store<1>(splat<float, Row>(1.0f), view(remote(context, inbox, to), {256}, {1}), {0});
  signal<tilec::system>(launch, sent, {context.rank}, to);
}

// One release, then a flag for every rank, from the lane that released.
// CHECK-LABEL: send_all:
// CHECK: s_barrier
// CHECK: buffer_wbl2 sc0 sc1
// CHECK: ;#ASMSTART
// CHECK-NEXT: s_waitcnt vmcnt(0)
// CHECK-NOT: buffer_wbl2
// CHECK: global_store_dword {{.*}} sc0 sc1
// CHECK-NOT: {{s_waitcnt vmcnt|s_barrier|buffer_wbl2}}
// CHECK: global_store_dword {{.*}} sc0 sc1
// CHECK-NOT: buffer_wbl2
// CHECK: s_endpgm
extern "C" __global__ __launch_bounds__(256) void send_all(const Context context, float *inbox) {
  const Launch launch = enter(context);
  const Signals<1> sent{context, 0, {2}};
  store<1>(splat<float, Row>(1.0f), view(inbox, {256}, {1}), {0});
  publish<tilec::system>();
  for (int peer = 0; peer < 2; ++peer)
    set<tilec::system>(launch, sent, {context.rank}, peer);
}

// CHECK-LABEL: send_agent:
// CHECK: s_waitcnt vmcnt(0)
// CHECK: s_barrier
// CHECK: buffer_wbl2 sc1
// CHECK-NOT: {{global|buffer}}_store
// CHECK: ;#ASMSTART
// CHECK-NEXT: s_waitcnt vmcnt(0)
// CHECK: global_store_dword {{.*}} sc1
// CHECK: s_endpgm
extern "C" __global__ __launch_bounds__(256) void send_agent(const Context context, float *inbox) {
  const Launch launch = enter(context);
  const Signals<1> sent{context, 0, {8}};
  store<1>(splat<float, Row>(1.0f), view(inbox, {256}, {1}), {0});
  signal<agent>(launch, sent, {0}, context.rank);
}

// The first wave polls, sleeping between the turns, and invalidates; the data is loaded after the barrier.
// CHECK-LABEL: receive_system:
// CHECK: global_load_dword {{.*}} sc0 sc1
// CHECK: s_sleep
// CHECK: buffer_inv sc0 sc1
// CHECK: s_barrier
// CHECK: buffer_load_dword
// CHECK: buffer_store_dword
// CHECK: s_endpgm
extern "C" __global__ __launch_bounds__(256) void receive_system(const Context context, const float *inbox,
                                                                 float *out) {
  const Launch launch = enter(context);
  const Signals<1> sent{context, 0, {8}};
  wait<tilec::system>(launch, sent, {0}, {8});
  store<1>(load_live<Row, 1>(view(inbox, {256}, {1}), {0}), view(out, {256}, {1}), {0});
}

// CHECK-LABEL: receive_agent:
// CHECK: global_load_dword {{.*}} sc1
// CHECK: s_sleep
// CHECK: buffer_inv sc1
// CHECK: s_barrier
// CHECK: buffer_load_dword
// CHECK: s_endpgm
extern "C" __global__ __launch_bounds__(256) void receive_agent(const Context context, const float *inbox, float *out) {
  const Launch launch = enter(context);
  const Signals<1> sent{context, 0, {8}};
  wait<agent>(launch, sent, {0}, {8});
  store<1>(load_live<Row, 1>(view(inbox, {256}, {1}), {0}), view(out, {256}, {1}), {0});
}

// A wave that signals or waits for itself meets no barrier; the fences are the same.
// CHECK-LABEL: send_by_wave:
// CHECK: buffer_store_dword
// CHECK-NOT: s_barrier
// CHECK: ;#ASMSTART
// CHECK-NEXT: s_waitcnt vmcnt(0)
// CHECK-NOT: s_barrier
// CHECK: buffer_wbl2 sc0 sc1
// CHECK: ;#ASMSTART
// CHECK-NEXT: s_waitcnt vmcnt(0)
// CHECK: global_store_dword {{.*}} sc0 sc1
// CHECK: s_endpgm
extern "C" __global__ __launch_bounds__(64) void send_by_wave(const Context context, float *inbox, const int to) {
  const Launch launch{context, 1, 0, 8};
  const Signals<1> sent{context, 0, {8}};
  store<1>(splat<float, WaveRow>(1.0f), view(remote(context, inbox, to), {64}, {1}), {0});
  signal<tilec::system, wave>(launch, sent, {context.rank}, to);
}

// CHECK-LABEL: receive_by_wave:
// CHECK: global_load_dword {{.*}} sc0 sc1
// CHECK: s_sleep
// CHECK-NOT: s_barrier
// CHECK: buffer_inv sc0 sc1
// CHECK-NOT: s_barrier
// CHECK: buffer_load_dword
// CHECK: s_endpgm
extern "C" __global__ __launch_bounds__(256) void receive_by_wave(const Context context, const float *inbox,
                                                                  float *out) {
  const Launch launch{context, 1, 0, 8};
  const Signals<1> sent{context, 0, {8}};
  wait<tilec::system, wave>(launch, sent, {0}, {8});
  store<1>(load_live<Row, 1>(view(inbox, {256}, {1}), {0}), view(out, {256}, {1}), {0});
}

// The workgroup that leaves last has released and acquired.
// CHECK-LABEL: leaves:
// CHECK: s_waitcnt vmcnt(0)
// CHECK: s_barrier
// CHECK: buffer_wbl2 sc1
// CHECK: s_waitcnt vmcnt(0)
// CHECK: global_atomic_add
// CHECK: buffer_inv sc1
// CHECK: s_barrier
// CHECK: s_endpgm
extern "C" __global__ __launch_bounds__(256) void leaves(const Context context, float *out) {
  const Launch launch{context, 1, 0, 8};
  store<1>(splat<float, Row>(1.0f), view(out, {256}, {1}), {0});
  if (last(launch))
    leave(launch, true);
}
