// The runtime that `-fsanitize=thread` code calls. Accesses and atomics of instrumented text go to the race check; the
// thread sanitizer's own runtime is not linked. What is ordered is RaceCheck's.
#include "Machine.h"
#include "RaceCheck.h"
#include <cstring>

using namespace tilec::emulator;

namespace {

inline Lane *runningLane() { return static_cast<Lane *>(here); }

inline void seen(const void *memory, size_t bytes, std::uint8_t kind, const void *place) {
  // Without a lane it is code of the application that happens to be instrumented: its accesses are told by calls.
  if (!racing || !here)
    return;
  // Most are to the lane's own stack.
  Lane *lane = runningLane();
  if (static_cast<size_t>(lane->stack - static_cast<const char *>(memory)) <= Stacks::bytes)
    return;
  // The next most to the stacks of other lanes of its wave.
  RaceCheck &check = RaceCheck::get();
  if (check.watches(*lane, memory))
    check.access(lane, memory, bytes, kind, place);
}

enum Order { relaxed, consume, acquires, releases, both, sequential };

/// An atomic access by `perform`, which returns what the instruction does.
template <typename Perform>
auto atomically(const void *word, size_t bytes, bool loads, bool stores, int order, const void *place,
                Perform &&perform) {
  Lane *lane = runningLane();
  if (!racing || !lane)
    return perform();
  RaceCheck &check = RaceCheck::get();
  check.access(lane, word, bytes,
               std::uint8_t(accessAtomic | (stores ? accessWrite : 0) | (loads && stores ? accessAndReads : 0)), place);
  if (stores && order >= releases)
    check.release(*lane, true);
  const auto result = perform();
  std::uint64_t value = 0;
  std::memcpy(&value, word, bytes);
  check.atomic(*lane, word, loads, stores, value);
  if (loads && order != relaxed && order != releases)
    check.acquire(*lane, true);
  return result;
}

} // namespace

#define HERE __builtin_return_address(0)
#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT void __tsan_init() {}
EXPORT void __tsan_func_entry(void *) {}
EXPORT void __tsan_func_exit() {}
EXPORT void __tsan_vptr_update(void **pointer, void *) { seen(pointer, sizeof(*pointer), accessWrite, HERE); }
EXPORT void __tsan_vptr_read(void **pointer) { seen(pointer, sizeof(*pointer), accessRead, HERE); }
EXPORT void __tsan_read_range(void *memory, unsigned long bytes) { seen(memory, bytes, accessRead, HERE); }
EXPORT void __tsan_write_range(void *memory, unsigned long bytes) { seen(memory, bytes, accessWrite, HERE); }
EXPORT void *__tsan_memcpy(void *to, const void *from, size_t bytes) {
  seen(from, bytes, accessRead, HERE);
  seen(to, bytes, accessWrite, HERE);
  return std::memcpy(to, from, bytes);
}
EXPORT void *__tsan_memmove(void *to, const void *from, size_t bytes) {
  seen(from, bytes, accessRead, HERE);
  seen(to, bytes, accessWrite, HERE);
  return std::memmove(to, from, bytes);
}
EXPORT void *__tsan_memset(void *to, int value, size_t bytes) {
  seen(to, bytes, accessWrite, HERE);
  return std::memset(to, value, bytes);
}

#define ACCESSES(bytes)                                                                                                \
  EXPORT void __tsan_read##bytes(void *memory) { seen(memory, bytes, accessRead, HERE); }                              \
  EXPORT void __tsan_write##bytes(void *memory) { seen(memory, bytes, accessWrite, HERE); }                            \
  EXPORT void __tsan_unaligned_read##bytes(void *memory) { seen(memory, bytes, accessRead, HERE); }                    \
  EXPORT void __tsan_unaligned_write##bytes(void *memory) { seen(memory, bytes, accessWrite, HERE); }                  \
  EXPORT void __tsan_volatile_read##bytes(void *memory) { seen(memory, bytes, accessRead, HERE); }                     \
  EXPORT void __tsan_volatile_write##bytes(void *memory) { seen(memory, bytes, accessWrite, HERE); }                   \
  EXPORT void __tsan_unaligned_volatile_read##bytes(void *memory) { seen(memory, bytes, accessRead, HERE); }           \
  EXPORT void __tsan_unaligned_volatile_write##bytes(void *memory) { seen(memory, bytes, accessWrite, HERE); }         \
  EXPORT void __tsan_read_write##bytes(void *memory) { seen(memory, bytes, accessWrite, HERE); }                       \
  EXPORT void __tsan_unaligned_read_write##bytes(void *memory) { seen(memory, bytes, accessWrite, HERE); }
ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)

#define CHANGE(type, bits, name, builtin)                                                                              \
  EXPORT type __tsan_atomic##bits##_##name(volatile type *word, type value, int order) {                               \
    return atomically((const void *)word, sizeof(type), true, true, order, HERE,                                       \
                      [&] { return builtin(word, value, __ATOMIC_RELAXED); });                                         \
  }
#define EXCHANGE(type, bits, name)                                                                                     \
  EXPORT int __tsan_atomic##bits##_compare_exchange_##name(volatile type *word, type *expected, type desired,          \
                                                           int order, int) {                                           \
    return atomically((const void *)word, sizeof(type), true, true, order, HERE, [&] {                                 \
      return int(__atomic_compare_exchange_n(word, expected, desired, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));     \
    });                                                                                                                \
  }
#define ATOMICS(type, bits)                                                                                            \
  EXPORT type __tsan_atomic##bits##_load(const volatile type *word, int order) {                                       \
    return atomically((const void *)word, sizeof(type), true, false, order, HERE,                                      \
                      [&] { return __atomic_load_n(word, __ATOMIC_RELAXED); });                                        \
  }                                                                                                                    \
  EXPORT void __tsan_atomic##bits##_store(volatile type *word, type value, int order) {                                \
    atomically((const void *)word, sizeof(type), false, true, order, HERE, [&] {                                       \
      __atomic_store_n(word, value, __ATOMIC_RELAXED);                                                                 \
      return 0;                                                                                                        \
    });                                                                                                                \
  }                                                                                                                    \
  CHANGE(type, bits, exchange, __atomic_exchange_n)                                                                    \
  CHANGE(type, bits, fetch_add, __atomic_fetch_add)                                                                    \
  CHANGE(type, bits, fetch_sub, __atomic_fetch_sub)                                                                    \
  CHANGE(type, bits, fetch_and, __atomic_fetch_and)                                                                    \
  CHANGE(type, bits, fetch_or, __atomic_fetch_or)                                                                      \
  CHANGE(type, bits, fetch_xor, __atomic_fetch_xor)                                                                    \
  CHANGE(type, bits, fetch_nand, __atomic_fetch_nand)                                                                  \
  EXCHANGE(type, bits, strong)                                                                                         \
  EXCHANGE(type, bits, weak)                                                                                           \
  EXPORT type __tsan_atomic##bits##_compare_exchange_val(volatile type *word, type expected, type desired, int order,  \
                                                         int) {                                                        \
    return atomically((const void *)word, sizeof(type), true, true, order, HERE, [&] {                                 \
      __atomic_compare_exchange_n(word, &expected, desired, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);                \
      return expected;                                                                                                 \
    });                                                                                                                \
  }
ATOMICS(unsigned char, 8)
ATOMICS(unsigned short, 16)
ATOMICS(unsigned int, 32)
ATOMICS(unsigned long long, 64)

EXPORT void __tsan_atomic_thread_fence(int order) {
  if (!racing || !here)
    return;
  if (order >= releases)
    RaceCheck::get().release(*runningLane(), true);
  if (order != relaxed && order != releases)
    RaceCheck::get().acquire(*runningLane(), true);
}
EXPORT void __tsan_atomic_signal_fence(int) {}
