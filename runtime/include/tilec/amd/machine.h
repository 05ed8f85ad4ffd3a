//===- machine.h - AMD: where a thread stands, barriers, fences, atomics, clocks ------------------------*- C++ -*-===//
// The constructs of gfx942 and gfx950 behind launches and signals. Data movement is in access.h.
//===--------------------------------------------------------------------------------------------------------------===//
#ifndef TILEC_AMD_MACHINE_H
#define TILEC_AMD_MACHINE_H

#include "tilec/abi.h"
#include "tilec/types.h"

namespace tilec::target {

TILEC_DEVICE int thread() { return int(threadIdx.x); }
TILEC_DEVICE int lane() { return int(threadIdx.x) % 64; }
TILEC_DEVICE int wave() { return __builtin_amdgcn_readfirstlane(int(threadIdx.x) / 64); }
TILEC_DEVICE int workgroups() { return int(gridDim.x); }
TILEC_DEVICE int workgroup() { return int(blockIdx.x); }
TILEC_DEVICE int threads() { return int(blockDim.x); }

TILEC_DEVICE void await_kernel_before() {} // it is over when workgroups of this one come

/// Orders LDS and the workgroup's global accesses; loads and stores in flight stay in flight.
TILEC_DEVICE void barrier() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

/// The lanes of a wave run together: nothing to wait for, and nothing moves across.
TILEC_DEVICE void meet_wave() {
  __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "wavefront");
  __builtin_amdgcn_wave_barrier();
}

/// Nothing moves across: instructions before stay before. It costs no instruction.
TILEC_DEVICE void pin() { __builtin_amdgcn_sched_barrier(0); }
/// The same, but what computes (0x2 vectors, 0x4 scalars, 0x400 transcendental functions) may pass, and what reads LDS
/// (0x100) where `Reads`: matrix instructions and other accesses stay in their order.
template <bool Reads>
TILEC_DEVICE void pin_products() {
  __builtin_amdgcn_sched_barrier(Reads ? 0x506 : 0x406);
}

/// Waits until at most `Left` of this wave's LDS accesses have not completed; they complete in their order.
template <int Left>
TILEC_DEVICE void await_lds() {
  static_assert(Left >= 0 && Left < 16, "the counter of LDS accesses has four bits");
  __builtin_amdgcn_s_waitcnt(0xc07f | Left << 8);
}

/// Waits until at most `Left` of this wave's loads and copies from global memory have not completed, and all of its LDS
/// reads have.
template <int Left>
TILEC_DEVICE void await_copies() {
  static_assert(Left >= 0 && Left < 64, "the counter of vector memory has six bits");
  __builtin_amdgcn_s_waitcnt((Left & 15) | (Left >> 4) << 14 | 7 << 4);
}

/// Waits until at most `Left` of this wave's loads and copies from global memory have not completed. The compiler waits
/// for registers by itself, and needs no more waits for those that were fetched before the `Left` ones.
template <int Left>
TILEC_DEVICE void await_fetched() {
  constexpr int left = Left < 64 ? Left : 63; // the counter has six bits
  __builtin_amdgcn_s_waitcnt(0x0f70 | (left & 15) | (left >> 4) << 14);
  pin();
}

/// The waves of a workgroup meet, and nothing else: what is in flight stays so. A workgroup fence would wait for every
/// copy to LDS.
TILEC_DEVICE void meet() {
  pin();
  __builtin_amdgcn_s_barrier();
  pin();
}

/// Which waves of a SIMD issue first.
template <int Level>
TILEC_DEVICE void priority() {
  pin();
  __builtin_amdgcn_s_setprio(Level);
  pin();
}

/// Waits until the stores (and loads) this wave issued have completed.
TILEC_DEVICE void drain() { asm volatile("s_waitcnt vmcnt(0)" ::: "memory"); }

/// Makes everything the workgroup stored before the last barrier visible at the scope. The second wait is not
/// redundant: LLVM 22.1 omits the one behind buffer_wbl2 when it believes that no access is outstanding.
template <Scope S>
TILEC_DEVICE void release() {
  if constexpr (S == system)
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "");
  else
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "agent");
  drain();
}

/// Later loads of the workgroup see what was visible at the scope; one wave's invalidation covers its compute unit.
template <Scope S>
TILEC_DEVICE void acquire() {
  if constexpr (S == system)
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "");
  else
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "agent");
}

/// The chiplet that this wave runs on. HW_REG_XCC_ID is 20; four bits.
TILEC_DEVICE int chiplet() { return __builtin_amdgcn_s_getreg(20 | 3 << 11); }
/// What the waves of a workgroup have drained is in the cache of their chiplet, whence a release by whoever it was
/// handed on to there takes it: that writes back all that the cache holds.
TILEC_DEVICE void release_to_chiplet() { __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront"); }
/// What others on this chiplet handed on so this lane releases, too. It is not loaded: this wave's cache may have older
/// bytes.
TILEC_DEVICE void acquire_of_chiplet() { __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront"); }

template <Scope S>
inline constexpr int hip_scope = S == system ? __HIP_MEMORY_SCOPE_SYSTEM : __HIP_MEMORY_SCOPE_AGENT;

template <class T>
using global = __attribute__((address_space(1))) T;

/// What lies at the address in global memory.
template <class T>
TILEC_DEVICE T *at_address(unsigned long long address) {
  return (T *)(global<T> *)address;
}

template <Scope S, class T>
TILEC_DEVICE T load_relaxed(const T *from) {
  return __hip_atomic_load((const global<T> *)from, __ATOMIC_RELAXED, hip_scope<S>);
}
/// A look at a flag; what it saw is there for loads behind `acquire_looks`.
template <Scope S>
TILEC_DEVICE unsigned look(const unsigned *flag) {
  return load_relaxed<S>(flag);
}
template <Scope S>
TILEC_DEVICE void acquire_looks() {
  acquire<S>();
}
template <Scope S, class T>
TILEC_DEVICE void store_relaxed(T *to, T value) {
  __hip_atomic_store((global<T> *)to, value, __ATOMIC_RELAXED, hip_scope<S>);
}
template <Scope S, class T>
TILEC_DEVICE T add_relaxed(T *to, T value) {
  return __hip_atomic_fetch_add((global<T> *)to, value, __ATOMIC_RELAXED, hip_scope<S>);
}
/// Memory adds bf16 by pairs. The other half of one may be anything, whose bits no sum would keep: a signalling NaN, or
/// what belongs to another buffer.
template <Scope S>
inline constexpr bool adds_bf16 = false;
template <Scope S>
TILEC_DEVICE void add_bf16(unsigned short *, unsigned short) = delete;
/// Bytes of the smallest word that `replace_relaxed` takes.
inline constexpr int least_swapped_bytes = 4;
/// Changes *to from `seen` to `desired`, or makes `seen` what is there instead; whether it did the former.
template <Scope S, class Word>
TILEC_DEVICE bool replace_relaxed(Word *to, Word &seen, Word desired) {
  return __hip_atomic_compare_exchange_strong((global<Word> *)to, &seen, desired, __ATOMIC_RELAXED, __ATOMIC_RELAXED,
                                              hip_scope<S>);
}
/// This thread has drawn a task for its workgroup, or its wave.
TILEC_DEVICE void drawn() {}
/// Whether this thread changed *to from `expected` to `desired`.
TILEC_DEVICE bool claim(unsigned *to, unsigned expected, unsigned desired) {
  return replace_relaxed<system>(to, expected, desired);
}

/// Nanoseconds of a clock that all waves share; it ticks every 10 ns.
TILEC_DEVICE unsigned long long nanoseconds() { return __builtin_amdgcn_s_memrealtime() * 10; }
TILEC_DEVICE unsigned long long trace_clock() { return nanoseconds(); }

/// Turns of a polling loop between two looks at what other waits have seen, and at the clock and the failure record,
/// which lies in the host's memory.
inline constexpr int turns_between_looks = 64;
inline constexpr int turns_between_looks_at_host = 4096;

// Where a wait ends, and which index a signal has: only the emulator asks.
TILEC_DEVICE void satisfied(const unsigned *, unsigned) {}
TILEC_DEVICE void posted(const void *) {}
TILEC_DEVICE void taken(const void *) {}
TILEC_DEVICE void within(int, int) {}

/// What is waited for; only the emulator asks.
struct Watch {
  unsigned long long signal;
  int index[failure_dimensions];
  int rank;
  unsigned wanted, seen, program, epoch;
  struct Failure *failure;
};
/// One turn of a polling loop: about 128 clocks of sleep.
TILEC_DEVICE void pause(const Watch &) { __builtin_amdgcn_s_sleep(2); }

} // namespace tilec::target

#endif // TILEC_AMD_MACHINE_H
