//===- lanes.h - NVIDIA: values moved between the lanes of a warp ----------------------------------------*- C++
//-*-===//
// Twins of tilec/amd/lanes.h. The compiler finds uniform values by itself: nothing has to be said of them.
//===--------------------------------------------------------------------------------------------------------------===//
#ifndef TILEC_NVIDIA_LANES_H
#define TILEC_NVIDIA_LANES_H

#include "tilec/types.h"

namespace tilec::target {

TILEC_DEVICE int uniform(int value) { return value; }
TILEC_DEVICE int uniform_or_constant(int value) { return value; }
TILEC_DEVICE int uniform_base(int value) { return value; }
/// What the first lane of the wave has.
TILEC_DEVICE int of_first_lane(int value) { return __shfl_sync(0xffffffffu, value, 0); }
template <class T>
TILEC_DEVICE T recompute_uniform(T value) {
  return value;
}
template <class T>
TILEC_DEVICE T *uniform_pointer(T *pointer) {
  return pointer;
}

/// A number that the compiler takes for unknown: of steps that are counted when compiling ptxas makes loops of their
/// own for the first and the last, which spilled what the others carry (CUDA 13.0).
TILEC_DEVICE int counted_late(int value) {
  asm("" : "+r"(value));
  return value;
}

/// The value of the lane whose number differs in the bits of Mask.
template <int Mask, class T>
TILEC_DEVICE T exchange(T value) {
  static_assert(Mask > 0 && Mask < 32, "a warp has 32 lanes");
  constexpr int words = (sizeof(T) + 3) / 4;
  unsigned bits[words] = {};
  __builtin_memcpy(bits, &value, sizeof(T));
#pragma unroll
  for (int i = 0; i < words; ++i)
    bits[i] = __shfl_xor_sync(0xffffffffu, bits[i], Mask);
  __builtin_memcpy(&value, bits, sizeof(T));
  return value;
}

/// Of the two lanes that exchange a value: what each of them has.
template <class T>
struct Pair {
  T own, other;
};
template <int Mask, class T>
TILEC_DEVICE Pair<T> pair(T value) {
  return {value, exchange<Mask>(value)};
}

/// Words that are the same in all lanes and are needed seldom: most come from the constant bank of the arguments.
template <int Count>
struct Held {
  unsigned word[Count];
};
template <int Count>
TILEC_DEVICE Held<Count> hold(const unsigned (&words)[Count]) {
  Held<Count> result;
#pragma unroll
  for (int i = 0; i < Count; ++i)
    result.word[i] = words[i];
  return result;
}
template <int Word, int Count>
TILEC_DEVICE unsigned held(const Held<Count> &from) {
  return from.word[Word];
}

} // namespace tilec::target

#endif // TILEC_NVIDIA_LANES_H
