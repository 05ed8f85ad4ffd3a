//===- access.h - emulated: accesses to global memory and LDS -------------------------------------------*- C++ -*-===//
// Twins of tilec/amd/access.h. Accesses keep their width, so that checks of memory see what the device would do.
//===--------------------------------------------------------------------------------------------------------------===//
#ifndef TILEC_EMULATED_ACCESS_H
#define TILEC_EMULATED_ACCESS_H

#include "tilec/emulated.h"
#include "tilec/types.h"

#ifndef TILEC_EMULATED_WAVE_LANES
#define TILEC_EMULATED_WAVE_LANES 64
#endif

namespace tilec::target {

/// Lanes of a wave of the target the text was written for; the emulator's option `waveLanes` must be the same.
inline constexpr int wave_lanes = TILEC_EMULATED_WAVE_LANES;
inline constexpr int widest_access = 16;

template <int Count, class T, class Offset>
inline void load_global(T *to, const T *from, Offset offset) {
  __builtin_memcpy(to, reinterpret_cast<const char *>(from) + offset, Count * sizeof(T));
}
template <int Count, class T, class Offset>
inline void store_global(T *to, Offset offset, const T *from) {
  emulator::interleave();
  __builtin_memcpy(reinterpret_cast<char *>(to) + offset, from, Count * sizeof(T));
}
template <int Count, class T>
inline void load_lds(T *to, int offset) {
  __builtin_memcpy(to, static_cast<const char *>(emulator::lds()) + offset, Count * sizeof(T));
}
template <int Count, class T>
inline void store_lds(int offset, const T *from) {
  __builtin_memcpy(static_cast<char *>(emulator::lds()) + offset, from, Count * sizeof(T));
}

template <class Offset>
inline Offset hide(Offset offset) {
  return offset;
}

} // namespace tilec::target

#endif // TILEC_EMULATED_ACCESS_H
