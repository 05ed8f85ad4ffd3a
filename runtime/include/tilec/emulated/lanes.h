//===- lanes.h - emulated: values moved between the lanes of a wave -------------------------------------*- C++ -*-===//
// Twins of tilec/amd/lanes.h: each lane deposits its value and the last one deals them out.
//===--------------------------------------------------------------------------------------------------------------===//
#ifndef TILEC_EMULATED_LANES_H
#define TILEC_EMULATED_LANES_H

#include "tilec/emulated.h"
#include "tilec/types.h"

namespace tilec::target {

/// The device takes the first active lane's value for all: the emulator compares those of the lanes that come here.
inline int uniform(int value, int line = __builtin_LINE()) {
  emulator::uniform(unsigned(value), line);
  return value;
}
inline int uniform_or_constant(int value, int line = __builtin_LINE()) { return uniform(value, line); }
inline int uniform_base(int value, int line = __builtin_LINE()) { return uniform(value, line); }
/// Not compared: orders of tasks are computed on the host too, where there are no lanes.
template <class T>
inline T recompute_uniform(T value) {
  return value;
}
template <class T>
inline T *uniform_pointer(T *pointer, int line = __builtin_LINE()) {
  emulator::uniform(reinterpret_cast<unsigned long long>(pointer), line);
  return pointer;
}

/// Each lane gets the value of the lane that Source::of(lane) names.
template <class Source, class T>
inline T deal(T value) {
  T result;
  emulator::wave_collective(
      &value, &result,
      [](const void *const *in, void *const *out, int lanes, void *) {
        for (int lane = 0; lane < lanes; ++lane)
          *static_cast<T *>(out[lane]) = *static_cast<const T *>(in[Source::of(lane)]);
      },
      nullptr);
  return result;
}

struct FirstLane {
  static int of(int) { return 0; }
};
template <int Mask>
struct ExchangedLane {
  static int of(int lane) { return lane ^ Mask; }
};

inline int of_first_lane(int value) { return deal<FirstLane>(value); }

inline int counted_late(int value) { return value; }

template <int Mask, class T>
inline T exchange(T value) {
  return deal<ExchangedLane<Mask>>(value);
}

/// Of the two lanes that exchange a value: what each of them has.
template <class T>
struct Pair {
  T own, other;
};
template <int Mask, class T>
inline Pair<T> pair(T value) {
  return {value, exchange<Mask>(value)};
}

/// Twins of AMD's, which are words of lanes: here every lane has all of them.
template <int Count>
struct Held {
  unsigned word[Count];
};
template <int Count>
inline Held<Count> hold(const unsigned (&words)[Count]) {
  Held<Count> result;
#pragma unroll
  for (int i = 0; i < Count; ++i)
    result.word[i] = words[i];
  return result;
}
template <int Word, int Count>
inline unsigned held(const Held<Count> &from) {
  return from.word[Word];
}

} // namespace tilec::target

#endif // TILEC_EMULATED_LANES_H
