//===- stream.h - NVIDIA: words of slots and bulk copies -------------------------------------------------*- C++
//-*-===//
// Words are mbarriers; bulk copies of boxes go by a tensor map and report their bytes to a word.
//===--------------------------------------------------------------------------------------------------------------===//
#ifndef TILEC_NVIDIA_STREAM_H
#define TILEC_NVIDIA_STREAM_H

#include "tilec/nvidia/access.h"
#include "tilec/tensor_map.h"

namespace tilec::target {

TILEC_DEVICE unsigned lds_address(int offset) { return shared_place(tilec_dynamic_lds) + offset; }

/// A word whose phases end with so many arrivals and all bytes that they expect.
TILEC_DEVICE void make_word(int word, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(lds_address(word)), "r"(arrivals) : "memory");
}
/// By the thread that made them, before the threads meet.
TILEC_DEVICE void publish_words() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }

/// True in one thread of the workgroup. All threads of its waves come here.
TILEC_DEVICE bool elected() {
  unsigned one;
  asm volatile("{.reg .pred p; elect.sync _|p, 0xffffffff; selp.u32 %0, 1, 0, p;}" : "=r"(one));
  return threadIdx.x < 32 && one;
}

/// Arrives, and adds to the bytes that the running phase expects.
TILEC_DEVICE void expect_bytes(int word, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(lds_address(word)), "r"(bytes)
               : "memory");
}

/// Waits until the last phase of that parity has ended.
template <int Slot>
TILEC_DEVICE void await_phase(int word, unsigned parity, const char *) {
  unsigned over;
  do
    asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}"
                 : "=r"(over)
                 : "r"(lds_address(word)), "r"(parity)
                 : "memory");
  while (!over);
}

/// The box of a mapped matrix that begins at a row and a column, to LDS.
TILEC_DEVICE void copy_box(int lds, const TensorMap &from, int row, int column, int word) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], "
               "[%4];" ::"r"(lds_address(lds)),
               "l"(&from), "r"(column), "r"(row), "r"(lds_address(word))
               : "memory");
}

TILEC_DEVICE void fence_async() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

} // namespace tilec::target

#endif // TILEC_NVIDIA_STREAM_H
