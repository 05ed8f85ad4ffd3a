// RUN: %hip-isa --offload-arch=gfx942 %s | FileCheck %s
// RUN: %hip-isa --offload-arch=gfx950 %s | FileCheck %s
// A barrier waits for the LDS stores before it, and loads behind it are made anew.
#include <hip/hip_runtime.h>
#include <tilec/device.h>

using namespace tilec;

// CHECK-LABEL: neighbour:
// CHECK: ds_write_b32
// CHECK: s_waitcnt lgkmcnt(0)
// CHECK-NEXT: s_barrier
// CHECK: ds_read_b32
// CHECK: s_endpgm
extern "C" __global__ __launch_bounds__(256) void neighbour(float *out) {
  const float mine = float(target::thread());
  target::store_lds<1>(broadcast_lds + 4 * target::thread(), &mine);
  target::barrier();
  float theirs[1];
  target::load_lds<1>(theirs, broadcast_lds + 4 * (target::thread() ^ 64));
  out[target::thread()] = theirs[0];
}

// CHECK-LABEL: loaded_again:
// CHECK: ds_read_b32
// CHECK: s_barrier
// CHECK: ds_read_b32
// CHECK: s_endpgm
extern "C" __global__ __launch_bounds__(256) void loaded_again(float *out) {
  float before[1], after[1];
  target::load_lds<1>(before, broadcast_lds + 4 * target::thread());
  target::barrier();
  target::load_lds<1>(after, broadcast_lds + 4 * target::thread());
  out[target::thread()] = before[0] - after[0];
}
