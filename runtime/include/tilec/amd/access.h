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

/// Global memory from an address on that is the same in all lanes, `bytes` long. An access at an offset beyond that
/// does not happen, and reads zero: the machine finds that out as it addresses, without a branch. What is `moved` is
/// not part of that comparison.
inline constexpr unsigned window_bytes = 1u << 30;
template <class T>
struct Window {
  __amdgpu_buffer_rsrc_t resource;

  /// No stride, no format.
  TILEC_DEVICE explicit Window(T *base, unsigned bytes = window_bytes)
      : resource(__builtin_amdgcn_make_buffer_rsrc(const_cast<std::remove_const_t<T> *>(base), 0, bytes, 0x27000)) {}
};

template <int Count, class T>
TILEC_DEVICE void load_window(std::remove_const_t<T> *to, const Window<T> &from, unsigned offset, int moved = 0) {
  constexpr int bytes = Count * sizeof(T);
  typename Raw<bytes>::type bits;
  if constexpr (bytes == 1)
    bits = __builtin_amdgcn_raw_buffer_load_b8(from.resource, offset, moved, 0);
  else if constexpr (bytes == 2)
    bits = __builtin_amdgcn_raw_buffer_load_b16(from.resource, offset, moved, 0);
  else if constexpr (bytes == 4)
    bits = __builtin_amdgcn_raw_buffer_load_b32(from.resource, offset, moved, 0);
  else if constexpr (bytes == 8)
    bits = __builtin_amdgcn_raw_buffer_load_b64(from.resource, offset, moved, 0);
  else
    bits = __builtin_amdgcn_raw_buffer_load_b128(from.resource, offset, moved, 0);
  __builtin_memcpy(to, &bits, sizeof(bits));
}
template <int Count, class T>
TILEC_DEVICE void store_window(const Window<T> &to, unsigned offset, const T *from, int moved = 0) {
  constexpr int bytes = Count * sizeof(T);
  typename Raw<bytes>::type bits;
  __builtin_memcpy(&bits, from, sizeof(bits));
  if constexpr (bytes == 1)
    __builtin_amdgcn_raw_buffer_store_b8(bits, to.resource, offset, moved, 0);
  else if constexpr (bytes == 2)
    __builtin_amdgcn_raw_buffer_store_b16(bits, to.resource, offset, moved, 0);
  else if constexpr (bytes == 4)
    __builtin_amdgcn_raw_buffer_store_b32(bits, to.resource, offset, moved, 0);
  else if constexpr (bytes == 8)
    __builtin_amdgcn_raw_buffer_store_b64(bits, to.resource, offset, moved, 0);
  else
    __builtin_amdgcn_raw_buffer_store_b128(bits, to.resource, offset, moved, 0);
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

/// Whether lanes can read rows of LDS for each other.
inline constexpr bool reads_matrices = false;
template <class Words>
TILEC_DEVICE void load_matrices(Words &, int) {
  static_assert(sizeof(Words) == 0, "lanes of this GPU read no rows of LDS for each other");
}
template <class Words>
TILEC_DEVICE void store_matrices(int, const Words &) {
  static_assert(sizeof(Words) == 0, "lanes of this GPU write no rows of LDS for each other");
}
template <class Words>
TILEC_DEVICE void store_turned_matrices(int, const Words &) {
  static_assert(sizeof(Words) == 0, "lanes of this GPU write no rows of LDS for each other");
}

/// The place of a byte offset of dynamic LDS, for accesses at constants from it. The compiler knows no more of it than
/// that it is in a vector register: it would otherwise add where LDS begins at every access.
TILEC_DEVICE int lds_place(int offset) {
  int place = int((__UINTPTR_TYPE__)((__attribute__((address_space(3))) char *)tilec_dynamic_lds)) + offset;
  asm("" : "+v"(place));
  return place;
}
template <int Count, class T>
TILEC_DEVICE void load_place(T *to, int place) {
  using Bits = typename Raw<Count * sizeof(T)>::type;
  const Bits bits = *(const __attribute__((address_space(3))) Bits *)(place);
  __builtin_memcpy(to, &bits, sizeof(bits));
}
/// Whether lanes can turn what they read.
#if defined(__gfx950__)
inline constexpr bool turns_reads = true;
#else
inline constexpr bool turns_reads = false;
#endif
typedef short __attribute__((ext_vector_type(4))) FourWords;
/// LLVM 22.1 has a read that it knows nothing of wait for all copies to LDS that are on their way. Inlined, the
/// parameter says of the read what the language's types say of others, and the text's own waits are left.
TILEC_DEVICE FourWords read_turned(__attribute__((address_space(3))) FourWords *__restrict__ from) {
  return __builtin_amdgcn_ds_read_tr16_b64_v4i16(from);
}

/// Each lane reads four elements, and 16 lanes give them to each other: lane l of these gets element l % 4 of what
/// lanes l / 4, l / 4 + 4, l / 4 + 8 and l / 4 + 12 name.
template <class T>
TILEC_DEVICE void load_turned(T (&to)[4], int place) {
  static_assert(sizeof(T) == 2, "lanes turn elements of two bytes");
  const FourWords bits = read_turned((__attribute__((address_space(3))) FourWords *)(place));
  __builtin_memcpy(to, &bits, sizeof(bits));
}
template <int Count, class T>
TILEC_DEVICE void store_place(int place, const T *from) {
  using Bits = typename Raw<Count * sizeof(T)>::type;
  Bits bits;
  __builtin_memcpy(&bits, from, sizeof(bits));
  *(__attribute__((address_space(3))) Bits *)(place) = bits;
}

/// Global memory to LDS without a register: 16 bytes of each lane, at `offset + moved` of the window, lie behind each
/// other from `lds + immediate` on, which is the same in all lanes. The immediate moves both addresses, so that copies
/// that differ in nothing else share one base.
template <int Immediate, class T>
TILEC_DEVICE void copy_to_lds(int lds, const Window<T> &from, unsigned offset, int moved) {
  static_assert(Immediate >= 0 && Immediate < 4096, "the immediate has twelve bits");
  __builtin_amdgcn_raw_ptr_buffer_load_lds(
      from.resource,
      (__attribute__((address_space(3))) void *)((__attribute__((address_space(3))) char *)tilec_dynamic_lds + lds), 16,
      offset, moved, Immediate, 0);
}

/// What no kernel writes while this one runs: through the scalar cache where the address allows it.
template <class T>
TILEC_DEVICE T load_constant(const T *from) {
  return *(const __attribute__((address_space(4))) T *)from;
}

/// The offset, of which the compiler knows nothing any more: it may differ from lane to lane, so a load of the address
/// is neither scalar nor moved to a cache that an acquire leaves alone.
template <class Offset>
TILEC_DEVICE Offset hide(Offset offset) {
  asm("" : "+v"(offset));
  return offset;
}

/// Elements from `index` of `from` on; where `keep` is 0 and not -1 the first ones instead, of which the caller keeps
/// nothing: all loads are in flight together.
template <int Count = 1, class T>
TILEC_DEVICE void load_or_first(T *to, const T *from, long long index, int keep) {
  load_global<Count>(to, from, hide((index & keep) * int(sizeof(T))));
}

/// The value, made anew where this stands: what depends on it is not computed earlier.
TILEC_DEVICE int recompute(int value) {
  asm volatile("" : "+v"(value));
  return value;
}

} // namespace tilec::target

#endif // TILEC_AMD_ACCESS_H
