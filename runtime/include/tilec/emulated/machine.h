//===- machine.h - emulated: where a thread stands, barriers, fences, atomics, clocks -------------------*- C++ -*-===//
// Twins of tilec/amd/machine.h on the emulator's hooks. The emulator switches between lanes only where these ask it to.
//===--------------------------------------------------------------------------------------------------------------===//
#ifndef TILEC_EMULATED_MACHINE_H
#define TILEC_EMULATED_MACHINE_H

#include "tilec/abi.h"
#include "tilec/emulated.h"
#include "tilec/types.h"
#include <time.h>

namespace tilec::target {

inline int lane() { return emulator::lane(); }
inline int wave() { return emulator::wave(); }
inline int thread() { return int(threadIdx.x); }
inline int workgroups() { return int(gridDim.x); }
inline int workgroup() { return int(blockIdx.x); }
inline int threads() { return int(blockDim.x); }

inline void barrier() { emulator::barrier(); }
inline void await_kernel_before() {} // launches of a stream are one after the other
inline void meet_wave() { emulator::meet_wave(); }
inline void drain() {
  emulator::awaitCopies(0);
  emulator::drain();
}
inline void pin() {}
template <bool Reads>
inline void pin_products() {}
/// LDS accesses complete at once here.
template <int Left>
inline void await_lds() {}
/// Lanes of a wave wait together: what each of them copied has landed for all.
template <int Left>
inline void await_copies() {
  emulator::awaitCopies(Left);
  emulator::meet_wave();
}
/// Fetches complete at once here.
template <int Left>
inline void await_fetched() {}
inline void meet() { emulator::barrier(); }
/// Results do not depend on who issues first, and lanes take turns by other rules here.
template <int Level>
inline void priority() {}

template <Scope S>
inline void release() {
  emulator::interleave();
  emulator::release(S == system);
}
template <Scope S>
inline void acquire() {
  emulator::acquire(S == system);
}

inline int chiplet() { return emulator::chiplet(); }
inline void release_to_chiplet() {
  emulator::interleave();
  emulator::release_to_chiplet();
}
inline void acquire_of_chiplet() { emulator::acquire_of_chiplet(); }

template <class T>
inline T *at_address(unsigned long long address) {
  return (T *)address;
}

template <Scope S, class T>
inline T load_relaxed(const T *from) {
  emulator::atScope(S == system);
  emulator::bypass(from, sizeof(T));
  return __atomic_load_n(from, __ATOMIC_RELAXED);
}
/// A look at a flag; what it saw is there for loads behind `acquire_looks`.
template <Scope S>
inline unsigned look(const unsigned *flag) {
  return load_relaxed<S>(flag);
}
template <Scope S>
inline void acquire_looks() {
  acquire<S>();
}
template <Scope S, class T>
inline void store_relaxed(T *to, T value) {
  emulator::interleave();
  emulator::atScope(S == system);
  emulator::bypass(to, sizeof(T));
  if (!emulator::delay(to, &value, sizeof(T)))
    __atomic_store_n(to, value, __ATOMIC_RELAXED);
}
template <Scope S, class T>
inline T add_relaxed(T *to, T value) {
  emulator::interleave();
  emulator::atScope(S == system);
  emulator::bypass(to, sizeof(T), /*changes=*/true);
  if constexpr (std::is_integral_v<T>) {
    return __atomic_fetch_add(to, value, __ATOMIC_RELAXED);
  } else {
    T old, sum;
    __atomic_load(to, &old, __ATOMIC_RELAXED);
    do
      sum = old + value;
    while (!__atomic_compare_exchange(to, &old, &sum, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return old;
  }
}
template <Scope S>
inline constexpr bool adds_bf16 = false;
template <Scope S>
inline void add_bf16(unsigned short *, unsigned short) = delete;
#if !defined(TILEC_EMULATED_SWAPPED_BYTES)
#define TILEC_EMULATED_SWAPPED_BYTES 2 // 4: as machines of AMD's, whose words hold two halves
#endif
inline constexpr int least_swapped_bytes = TILEC_EMULATED_SWAPPED_BYTES;
template <Scope S, class Word>
inline bool replace_relaxed(Word *to, Word &seen, Word desired) {
  emulator::interleave();
  emulator::atScope(S == system);
  emulator::bypass(to, sizeof(*to), /*changes=*/true);
  return __atomic_compare_exchange_n(to, &seen, desired, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}
/// This lane has drawn a task for its workgroup, or its wave.
inline void drawn() { emulator::giveWay(); }
inline bool claim(unsigned *to, unsigned expected, unsigned desired) {
  return replace_relaxed<system>(to, expected, desired);
}

inline unsigned long long nanoseconds() { return emulator::nanoseconds(); }
/// Of records, which may not stand still as the clock of deadlines does.
inline unsigned long long trace_clock() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000ull + now.tv_nsec;
}

inline constexpr int turns_between_looks = 1;
inline constexpr int turns_between_looks_at_host = 1;

/// A wait for a word is over.
inline void satisfied(const unsigned *word, unsigned wanted) { emulator::satisfied(word, wanted); }
/// A word of a posted tile is stored, or was there.
inline void posted(const void *word) { emulator::posted(word); }
inline void taken(const void *word) { emulator::taken(word); }
/// Checks an index into a grid of signals: outside, it would be another grid's word, or no word at all.
inline void within(int index, int extent) {
  if (index < 0 || index >= extent)
    emulator::fault("a signal's index is " + std::to_string(index) + " where its grid has " + std::to_string(extent));
}

using Watch = emulator::Polling;
inline void pause(const Watch &watch) {
  emulator::polling(watch);
  emulator::pause();
}

} // namespace tilec::target

#endif // TILEC_EMULATED_MACHINE_H
