//===- lanes.h - emulated: values moved between the lanes of a wave -------------------------------------*- C++ -*-===//
// Twins of tilec/amd/lanes.h: each lane deposits its value and the last one deals them out.
//===--------------------------------------------------------------------------------------------------------------===//
#ifndef TILEC_EMULATED_LANES_H
#define TILEC_EMULATED_LANES_H

#include "tilec/emulated.h"
#include "tilec/types.h"

namespace tilec::target {

inline int uniform(int value) { return value; }
template <class T>
inline T uniform_base(T value) {
  return value;
}
template <class T>
inline T *uniform_pointer(T *pointer) {
  return pointer;
}

template <int Mask, class T>
inline T exchange(T value) {
  T result;
  emulator::wave_collective(
      &value, &result,
      [](const void *const *in, void *const *out, int lanes, void *) {
        for (int lane = 0; lane < lanes; ++lane)
          *static_cast<T *>(out[lane]) = *static_cast<const T *>(in[lane ^ Mask]);
      },
      nullptr);
  return result;
}

} // namespace tilec::target

#endif // TILEC_EMULATED_LANES_H
