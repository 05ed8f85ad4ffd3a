//===- roles.h - waves of one workgroup that do different work -------------------------------------------*- C++
//-*-===//
// A producer fills slots, and runs ahead of those who read them: into later tasks too. The two sides meet in the words
// of the slots (Full, Empty) alone.
//===--------------------------------------------------------------------------------------------------------------===//
#ifndef TILEC_ROLES_H
#define TILEC_ROLES_H

#include "tilec/stream.h"

#if defined(TILEC_EMULATED) || defined(__CUDACC__)
namespace tilec {

/// What a wave is, when compiling.
template <bool Produces>
struct WaveRole {
  static constexpr bool produces = Produces;
};

/// Waves 0 ... Consumers - 1 do body(role) as consumers, those behind them as producers. Where register counts are
/// given, each goes on with its own: those of a producer are free for the others.
template <int Consumers, int ProducerRegisters = 0, int ConsumerRegisters = 0, class Body>
TILEC_DEVICE void by_role(Body &&body) {
  // ptxas gives the larger count to what stands first alone: behind the producer, consumers spill (CUDA 13.0).
  if (target::thread() < Consumers * target::wave_lanes) {
    if constexpr (ConsumerRegisters != 0)
      grow_registers<ConsumerRegisters>();
    body(WaveRole<false>{});
  } else {
    if constexpr (ProducerRegisters != 0)
      shrink_registers<ProducerRegisters>();
    body(WaveRole<true>{});
  }
}

/// Steps 0 ... count - 1 of a producer that follows so many waves: fills(slot, step), by one thread of its first wave.
template <int Slots, int Consumers, class Fills>
TILEC_DEVICE void produce(int count, Fills &&fills) {
  if (target::thread() / target::wave_lanes != Consumers)
    return;
  if (elected_of_wave()) {
    // What others stored to global memory before this kernel, or before a wait of this thread, is there for the engine.
    fence_async_global();
    by_slot<Slots>(count, fills);
  }
  target::meet_wave();
}

/// This wave reads no more of what the slot of a step holds: its reads and its products have been awaited. There is
/// none before step 0.
template <int Slots>
TILEC_DEVICE void release_step(const Empty<Slots> &empty, int step) {
  if (step >= 0)
    release(empty, step % Slots);
}

/// The first `Waves` waves of the workgroup meet; their LDS and global stores are visible to them after.
template <int Waves>
TILEC_DEVICE void barrier() {
  meet_at<Waves>(1);
}

} // namespace tilec
#endif

#endif // TILEC_ROLES_H
