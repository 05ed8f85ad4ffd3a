// RUN: %if full %{ %hip-isa --offload-arch=gfx942 -DREGISTERS %s | FileCheck %s --check-prefixes=CHECK,MI300 %}
// RUN: %hip-isa --offload-arch=gfx950 %s | FileCheck %s --check-prefixes=CHECK,MI350
// Loops through a ring of LDS keep their accesses in flight: no wait for all of them, slots are immediates, nothing spills.
#include <hip/hip_runtime.h>
#include "../../device/RingLoops.h"

using namespace tilec;

// CHECK-LABEL: ring_product:
// MI300: s_waitcnt lgkmcnt(4)
// MI300-NOT: vmcnt(0)
// MI300: ds_read_b128 v[{{.*}}offset:
// MI300-NOT: vmcnt(0)
// MI300: s_barrier
// MI300-NOT: vmcnt(0)
// MI300: s_waitcnt vmcnt(2)
// MI300-NOT: vmcnt
// MI300: ds_write_b128
// MI300-NOT: vmcnt(0)
// MI300: s_cbranch_scc
// MI350: s_waitcnt vmcnt(12) lgkmcnt(0)
// MI350: s_waitcnt vmcnt(8) lgkmcnt(0)
// MI350: s_barrier
// MI350-NOT: vmcnt
// MI350: ds_read_b128
// MI350-NOT: vmcnt
// MI350: buffer_load_dwordx4 {{.*}} offen lds
// MI350-NOT: vmcnt
// MI350: buffer_load_dwordx4 {{.*}} offen offset:1024 lds
// MI350-NOT: vmcnt
// MI350: s_waitcnt vmcnt(8) lgkmcnt(0)
// MI350: s_barrier
// CHECK: .name: ring_product
// CHECK: .private_segment_fixed_size: 0
// CHECK: .vgpr_spill_count: 0
extern "C" __global__ __launch_bounds__(512, 2) void ring_product(const bf16 *__restrict__ a, const bf16 *__restrict__ b,
                                                                  bf16 *__restrict__ c, const int M, const int N,
                                                                  const int K) {
  const int m_tiles = (M + 255) / 256, n_tiles = (N + 255) / 256;
  for (int task = blockIdx.x; task < m_tiles * n_tiles; task += gridDim.x) {
    const auto tile = grouped(task, {m_tiles, n_tiles}, 4);
    const int m = target::uniform(tile[0]), n = target::uniform(tile[1]);
    const auto rows = view(a, {M, K}, {K, 1}), columns = view(b, {N, K}, {K, 1});
#if defined(REGISTERS)
    test::product_by_registers<test::Tall>(rows, columns, view(c, {M, N}, {N, 1}), m, n);
#else
    test::product_by_direct_copies<test::Deep>(rows, columns, view(c, {M, N}, {N, 1}), m, n);
#endif
  }
}
