//===- machine.h - NVIDIA: where a thread stands, barriers, fences, atomics, clocks ----------------------*- C++
//-*-===//
// Twins of tilec/amd/machine.h. Fences are those of PTX's memory model: a fence of one thread behind a barrier
// publishes what the whole workgroup stored before it, so that there is nothing to drain.
//===--------------------------------------------------------------------------------------------------------------===//
#ifndef TILEC_NVIDIA_MACHINE_H
#define TILEC_NVIDIA_MACHINE_H

#include "tilec/abi.h"
#include "tilec/types.h"

namespace tilec::target {

TILEC_DEVICE int thread() { return int(threadIdx.x); }
TILEC_DEVICE int lane() { return int(threadIdx.x) % 32; }
TILEC_DEVICE int wave() { return int(threadIdx.x) / 32; }
TILEC_DEVICE int workgroups() { return int(gridDim.x); }
TILEC_DEVICE int workgroup() { return int(blockIdx.x); }
TILEC_DEVICE int threads() { return int(blockDim.x); }

TILEC_DEVICE void barrier() { __syncthreads(); }
/// A kernel's workgroups come while the one before it on the stream is still running, where they find room. Here they
/// wait until it is over and what it stored is visible; then those of the kernel behind this one may come.
TILEC_DEVICE void await_kernel_before() {
  asm volatile("griddepcontrol.wait;" ::: "memory");
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}
TILEC_DEVICE void meet_wave() { __syncwarp(); }
TILEC_DEVICE void drain() {}

/// ptxas orders instructions by itself, and knows how long each takes.
TILEC_DEVICE void pin() {}
template <bool Reads>
TILEC_DEVICE void pin_products() {}
/// Reads of LDS are complete when their registers are used.
template <int Left>
TILEC_DEVICE void await_lds() {}
/// Fetches are complete when their registers are used.
template <int Left>
TILEC_DEVICE void await_fetched() {}
/// Waits until at most `Left` of the copies to LDS that this thread issued have not completed: each is a group.
template <int Left>
TILEC_DEVICE void await_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(Left) : "memory");
}
TILEC_DEVICE void meet() { __syncthreads(); }
/// Schedulers of a multiprocessor have no levels.
template <int Level>
TILEC_DEVICE void priority() {}

template <Scope S>
TILEC_DEVICE void release() {
  if constexpr (S == system)
    asm volatile("fence.acq_rel.sys;" ::: "memory");
  else
    asm volatile("fence.acq_rel.gpu;" ::: "memory");
}
template <Scope S>
TILEC_DEVICE void acquire() {
  release<S>();
}

/// A GPU is one chiplet, whose threads release for themselves.
TILEC_DEVICE int chiplet() { return 0; }
TILEC_DEVICE void release_to_chiplet() { release<agent>(); }
TILEC_DEVICE void acquire_of_chiplet() { acquire<agent>(); }

template <class T>
TILEC_DEVICE T *at_address(unsigned long long address) {
  return reinterpret_cast<T *>(address);
}

// One spelling for each scope and type: PTX has them in the name of the instruction.
#define TILEC_RELAXED(scope, suffix, type, name, letter)                                                               \
  TILEC_DEVICE type load_##suffix(const type *from) {                                                                  \
    type value;                                                                                                        \
    asm volatile("ld.relaxed." #scope ".global." name " %0, [%1];" : "=" letter(value) : "l"(from) : "memory");        \
    return value;                                                                                                      \
  }                                                                                                                    \
  TILEC_DEVICE void store_##suffix(type *to, type value) {                                                             \
    asm volatile("st.relaxed." #scope ".global." name " [%0], %1;" ::"l"(to), letter(value) : "memory");               \
  }
#define TILEC_ACQUIRE(scope, suffix)                                                                                   \
  TILEC_DEVICE unsigned look_##suffix(const unsigned *from) {                                                          \
    unsigned value;                                                                                                    \
    asm volatile("ld.acquire." #scope ".global.u32 %0, [%1];" : "=r"(value) : "l"(from) : "memory");                   \
    return value;                                                                                                      \
  }
#define TILEC_RELAXED_ADD(scope, suffix, type, name, letter)                                                           \
  TILEC_DEVICE type add_##suffix(type *to, type value) {                                                               \
    type before;                                                                                                       \
    asm volatile("atom.add.relaxed." #scope ".global." name " %0, [%1], %2;"                                           \
                 : "=" letter(before)                                                                                  \
                 : "l"(to), letter(value)                                                                              \
                 : "memory");                                                                                          \
    return before;                                                                                                     \
  }
#define TILEC_RELAXED_COMPARE(scope, suffix, type, name, letter)                                                       \
  TILEC_DEVICE type compare_##suffix(type *to, type expected, type desired) {                                          \
    type before;                                                                                                       \
    asm volatile("atom.cas.relaxed." #scope ".global." name " %0, [%1], %2, %3;"                                       \
                 : "=" letter(before)                                                                                  \
                 : "l"(to), letter(expected), letter(desired)                                                          \
                 : "memory");                                                                                          \
    return before;                                                                                                     \
  }
#define TILEC_RELAXED_ADD_BF16(scope, suffix)                                                                          \
  TILEC_DEVICE void add_bf16_##suffix(unsigned short *to, unsigned short value) {                                      \
    asm volatile("red.relaxed." #scope ".global.add.noftz.bf16 [%0], %1;" ::"l"(to), "h"(value) : "memory");           \
  }
namespace detail {
TILEC_ACQUIRE(gpu, agent)
TILEC_ACQUIRE(sys, system)
TILEC_RELAXED(gpu, agent, unsigned, "u32", "r")
TILEC_RELAXED(sys, system, unsigned, "u32", "r")
TILEC_RELAXED(gpu, agent, int, "s32", "r")
TILEC_RELAXED(sys, system, int, "s32", "r")
TILEC_RELAXED(gpu, agent, unsigned long long, "u64", "l")
TILEC_RELAXED(sys, system, unsigned long long, "u64", "l")
TILEC_RELAXED(gpu, agent, float, "f32", "f")
TILEC_RELAXED(sys, system, float, "f32", "f")
TILEC_RELAXED(gpu, agent, double, "f64", "d")
TILEC_RELAXED(sys, system, double, "f64", "d")
TILEC_RELAXED(gpu, agent, unsigned short, "b16", "h")
TILEC_RELAXED(sys, system, unsigned short, "b16", "h")
TILEC_RELAXED_ADD(gpu, agent, unsigned, "u32", "r")
TILEC_RELAXED_ADD(sys, system, unsigned, "u32", "r")
TILEC_RELAXED_ADD(gpu, agent, int, "s32", "r")
TILEC_RELAXED_ADD(sys, system, int, "s32", "r")
TILEC_RELAXED_ADD(gpu, agent, float, "f32", "f")
TILEC_RELAXED_ADD(sys, system, float, "f32", "f")
TILEC_RELAXED_ADD(gpu, agent, double, "f64", "d")
TILEC_RELAXED_ADD(sys, system, double, "f64", "d")
TILEC_RELAXED_ADD(gpu, agent, unsigned long long, "u64", "l")
TILEC_RELAXED_ADD(sys, system, unsigned long long, "u64", "l")
TILEC_RELAXED_ADD(gpu, agent, long long, "u64", "l")
TILEC_RELAXED_ADD(sys, system, long long, "u64", "l")
TILEC_RELAXED_COMPARE(gpu, agent, unsigned, "b32", "r")
TILEC_RELAXED_COMPARE(sys, system, unsigned, "b32", "r")
TILEC_RELAXED_COMPARE(gpu, agent, unsigned long long, "b64", "l")
TILEC_RELAXED_COMPARE(sys, system, unsigned long long, "b64", "l")
TILEC_RELAXED_COMPARE(gpu, agent, unsigned short, "b16", "h")
TILEC_RELAXED_COMPARE(sys, system, unsigned short, "b16", "h")
TILEC_RELAXED_ADD_BF16(gpu, agent)
TILEC_RELAXED_ADD_BF16(sys, system)
} // namespace detail
#undef TILEC_RELAXED
#undef TILEC_RELAXED_ADD_BF16
#undef TILEC_RELAXED_ADD
#undef TILEC_RELAXED_COMPARE

template <Scope S, class T>
TILEC_DEVICE T load_relaxed(const T *from) {
  if constexpr (S == system)
    return detail::load_system(from);
  else
    return detail::load_agent(from);
}
/// A look at a flag acquires by itself: a fence would wait for the stores of its thread, too.
template <Scope S>
TILEC_DEVICE unsigned look(const unsigned *flag) {
  if constexpr (S == system)
    return detail::look_system(flag);
  else
    return detail::look_agent(flag);
}
template <Scope S>
TILEC_DEVICE void acquire_looks() {}
template <Scope S, class T>
TILEC_DEVICE void store_relaxed(T *to, T value) {
  if constexpr (S == system)
    detail::store_system(to, value);
  else
    detail::store_agent(to, value);
}
template <Scope S, class T>
TILEC_DEVICE T add_relaxed(T *to, T value) {
  if constexpr (S == system)
    return detail::add_system(to, value);
  else
    return detail::add_agent(to, value);
}
/// Whether memory adds bf16 by itself.
template <Scope S>
inline constexpr bool adds_bf16 = true;
template <Scope S>
TILEC_DEVICE void add_bf16(unsigned short *to, unsigned short value) {
  if constexpr (S == system)
    detail::add_bf16_system(to, value);
  else
    detail::add_bf16_agent(to, value);
}
/// Bytes of the smallest word that `replace_relaxed` takes.
inline constexpr int least_swapped_bytes = 2;
/// Changes *to from `seen` to `desired`, or makes `seen` what is there instead; whether it did the former.
template <Scope S, class Word>
TILEC_DEVICE bool replace_relaxed(Word *to, Word &seen, Word desired) {
  const Word expected = seen;
  if constexpr (S == system)
    seen = detail::compare_system(to, expected, desired);
  else
    seen = detail::compare_agent(to, expected, desired);
  return seen == expected;
}
/// This thread has drawn a task for its workgroup, or its wave.
TILEC_DEVICE void drawn() {}
TILEC_DEVICE bool claim(unsigned *to, unsigned expected, unsigned desired) {
  return replace_relaxed<system>(to, expected, desired);
}

TILEC_DEVICE unsigned long long nanoseconds() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}
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
/// One turn of a polling loop.
TILEC_DEVICE void pause(const Watch &) { __nanosleep(64); }

} // namespace tilec::target

#endif // TILEC_NVIDIA_MACHINE_H
