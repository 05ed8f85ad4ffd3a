//===- access.h - AMD: vector accesses to global memory and LDS -----------------------------------------*- C++ -*-===//
// How bytes travel between registers, global memory and LDS. Which elements they are is decided in memory.h and
// shared.h.
//===--------------------------------------------------------------------------------------------------------------===//
#ifndef TILEC_AMD_ACCESS_H
#define TILEC_AMD_ACCESS_H

#include "tilec/types.h"

extern __shared__ __attribute__((aligned(128))) char tilec_dynamic_lds[];

namespace tilec::target {

inline constexpr int wave_lanes = 64;
/// Bytes of the widest access.
inline constexpr int widest_access = 16;

template <int Bytes>
struct Raw;
template <>
struct Raw<1> {
  typedef unsigned char __attribute__((may_alias)) type;
};
template <>
struct Raw<2> {
  typedef unsigned short __attribute__((may_alias)) type;
};
template <>
struct Raw<4> {
  typedef unsigned __attribute__((may_alias)) type;
};
template <>
struct Raw<8> {
  typedef unsigned __attribute__((ext_vector_type(2), may_alias)) type;
};
template <>
struct Raw<16> {
  typedef unsigned __attribute__((ext_vector_type(4), may_alias)) type;
};

/// Elements 0..Count-1 at `from + offset` bytes into `to`. `from` is the same in all lanes, so that it may live in
/// scalar registers. The address is a multiple of the access.
template <int Count, class T, class Offset>
TILEC_DEVICE void load_global(T *to, const T *from, Offset offset) {
  using Bits = typename Raw<Count * sizeof(T)>::type;
  typedef const __attribute__((address_space(1))) char *Bytes;
  const Bits bits = *(const __attribute__((address_space(1))) Bits *)((Bytes)from + offset);
  __builtin_memcpy(to, &bits, sizeof(bits));
}
template <int Count, class T, class Offset>
TILEC_DEVICE void store_global(T *to, Offset offset, const T *from) {
  using Bits = typename Raw<Count * sizeof(T)>::type;
  typedef __attribute__((address_space(1))) char *Bytes;
  Bits bits;
  __builtin_memcpy(&bits, from, sizeof(bits));
  *(__attribute__((address_space(1))) Bits *)((Bytes)to + offset) = bits;
}

/// The same for LDS at a byte offset.
template <int Count, class T>
TILEC_DEVICE void load_lds(T *to, int offset) {
  using Bits = typename Raw<Count * sizeof(T)>::type;
  typedef const __attribute__((address_space(3))) char *Bytes;
  const Bits bits = *(const __attribute__((address_space(3))) Bits *)((Bytes)tilec_dynamic_lds + offset);
  __builtin_memcpy(to, &bits, sizeof(bits));
}
template <int Count, class T>
TILEC_DEVICE void store_lds(int offset, const T *from) {
  using Bits = typename Raw<Count * sizeof(T)>::type;
  typedef __attribute__((address_space(3))) char *Bytes;
  Bits bits;
  __builtin_memcpy(&bits, from, sizeof(bits));
  *(__attribute__((address_space(3))) Bits *)((Bytes)tilec_dynamic_lds + offset) = bits;
}

/// The offset, of which the compiler knows nothing any more: it may differ from lane to lane, so a load of the address
/// is neither scalar nor moved to a cache that an acquire leaves alone.
template <class Offset>
TILEC_DEVICE Offset hide(Offset offset) {
  asm("" : "+v"(offset));
  return offset;
}

} // namespace tilec::target

#endif // TILEC_AMD_ACCESS_H
