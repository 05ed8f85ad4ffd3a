//===- lanes.h - AMD: values moved between the lanes of a wave ------------------------------------------*- C++ -*-===//
// Exchange and uniformity. Between waves values go through LDS.
//===--------------------------------------------------------------------------------------------------------------===//
#ifndef TILEC_AMD_LANES_H
#define TILEC_AMD_LANES_H

#include "tilec/types.h"

namespace tilec::target {

/// A value that is the same in all lanes, in a scalar register.
TILEC_DEVICE int uniform(int value) { return __builtin_amdgcn_readfirstlane(value); }
/// The same for a value that may be a constant, which stays one.
TILEC_DEVICE int uniform_or_constant(int value) { return __builtin_constant_p(value) ? value : uniform(value); }
/// Numbers of steps that are known when compiling are welcome here.
TILEC_DEVICE int counted_late(int value) { return value; }

/// The same for an address that many accesses add to their own: a constant stays one, anything else is computed once,
/// which the compiler would otherwise take apart and add up again for every access.
TILEC_DEVICE int uniform_base(int value) {
  if (__builtin_constant_p(value))
    return value;
  value = uniform(value);
  asm("" : "+s"(value));
  return value;
}
/// What the first lane of the wave has.
TILEC_DEVICE int of_first_lane(int value) { return __builtin_amdgcn_readfirstlane(value); }
/// A number that is the same in all lanes, made anew where this stands: what is computed from it is not computed before
/// the loops around, where it would hold scalar registers through them. A constant stays one.
TILEC_DEVICE int recompute_uniform(int value) {
  if (__builtin_constant_p(value))
    return value;
  value = uniform(value);
  asm volatile("" : "+s"(value));
  return value;
}
TILEC_DEVICE long long recompute_uniform(long long value) {
  // What was an int is one register, not two.
  if (__builtin_constant_p(int(value) == value) && int(value) == value)
    return recompute_uniform(int(value));
  const unsigned low = unsigned(recompute_uniform(int(value)));
  return low | (long long)(recompute_uniform(int(value >> 32))) << 32;
}
/// An address that is the same in all lanes, in scalar registers: the compiler may have computed it in vector ones.
template <class T>
TILEC_DEVICE T *uniform_pointer(T *pointer) {
  const unsigned long long bits = reinterpret_cast<unsigned long long>(pointer);
  return reinterpret_cast<T *>(unsigned(uniform(int(bits))) |
                               static_cast<unsigned long long>(unsigned(uniform(int(bits >> 32)))) << 32);
}

/// The 32 bits of the lane whose number differs in the bits of Mask.
template <int Mask>
TILEC_DEVICE int exchange_word(int value) {
  static_assert(Mask > 0 && Mask < 64, "a wave has 64 lanes");
  if constexpr (Mask == 1)
    return __builtin_amdgcn_mov_dpp(value, 0xb1, 0xf, 0xf, true); // quad_perm [1, 0, 3, 2]
  else if constexpr (Mask == 2)
    return __builtin_amdgcn_mov_dpp(value, 0x4e, 0xf, 0xf, true); // quad_perm [2, 3, 0, 1]
  else if constexpr (Mask == 3)
    return __builtin_amdgcn_mov_dpp(value, 0x1b, 0xf, 0xf, true); // quad_perm [3, 2, 1, 0]
  else if constexpr (Mask == 8)
    return __builtin_amdgcn_mov_dpp(value, 0x128, 0xf, 0xf, true); // row_ror:8
  else if constexpr (Mask < 32)
    return __builtin_amdgcn_ds_swizzle(value, Mask << 10 | 0x1f); // xor within 32 lanes
  else
    return __builtin_amdgcn_ds_bpermute((int(threadIdx.x % 64) ^ Mask) * 4, value);
}

/// The value of the lane whose number differs in the bits of Mask.
template <int Mask, class T>
TILEC_DEVICE T exchange(T value) {
  constexpr int words = (sizeof(T) + 3) / 4;
  int bits[words] = {};
  __builtin_memcpy(bits, &value, sizeof(T));
#pragma unroll
  for (int i = 0; i < words; ++i)
    bits[i] = exchange_word<Mask>(bits[i]);
  __builtin_memcpy(&value, bits, sizeof(T));
  return value;
}

/// Of the two lanes that exchange a value: what each of them has.
template <class T>
struct Pair {
  T own, other;
};
/// For what does not mind their order. Halves of a wave swap without LDS on gfx950.
template <int Mask, class T>
TILEC_DEVICE Pair<T> pair(T value) {
#if defined(__gfx950__)
  if constexpr (Mask == 32 && sizeof(T) == 4) {
    const unsigned bits = __builtin_bit_cast(unsigned, value);
    const auto both = __builtin_amdgcn_permlane32_swap(bits, bits, false, false);
    return {__builtin_bit_cast(T, both[0]), __builtin_bit_cast(T, both[1])};
  }
#endif
  return {value, exchange<Mask>(value)};
}

/// Words that are the same in all lanes and are needed seldom: each in a lane of one vector register.
template <int Count>
struct Held {
  static_assert(Count <= 64, "a wave has 64 lanes");
  int lanes;
};
template <int Count>
TILEC_DEVICE Held<Count> hold(const unsigned (&words)[Count]) {
  int lanes = 0;
#pragma unroll
  for (int i = 0; i < Count; ++i)
    lanes = int(threadIdx.x % 64) == i ? int(words[i]) : lanes;
  asm("" : "+v"(lanes)); // else what the words were computed from is kept, and they are computed again
  return {lanes};
}
/// Where all lanes of the wave are: a register is not copied for those that are not.
template <int Word, int Count>
TILEC_DEVICE unsigned held(const Held<Count> &from) {
  static_assert(Word < Count, "so many words are held");
  return unsigned(__builtin_amdgcn_readlane(from.lanes, Word));
}

} // namespace tilec::target

#endif // TILEC_AMD_LANES_H
