//===- access.h - NVIDIA: vector accesses to global memory and LDS ---------------------------------------*- C++
//-*-===//
// Twins of tilec/amd/access.h. Shared memory is called LDS here as everywhere in these headers.
//===--------------------------------------------------------------------------------------------------------------===//
#ifndef TILEC_NVIDIA_ACCESS_H
#define TILEC_NVIDIA_ACCESS_H

#include "tilec/types.h"

// Tiles that bulk copies fill begin where their swizzle does.
extern __shared__ __align__(1024) char tilec_dynamic_lds[];

namespace tilec::target {

inline constexpr int wave_lanes = 32;
inline constexpr int widest_access = 16;

template <int Bytes>
struct Raw;
template <>
struct Raw<1> {
  using type = unsigned char;
};
template <>
struct Raw<2> {
  using type = unsigned short;
};
template <>
struct Raw<4> {
  using type = unsigned;
};
template <>
struct Raw<8> {
  using type = uint2;
};
template <>
struct Raw<16> {
  using type = uint4;
};

// Never through a pointer that is const and restrict: nvcc would read by ld.global.nc, which an acquire does not reach.
template <int Count, class T, class Offset>
TILEC_DEVICE void load_global(T *to, const T *from, Offset offset) {
  using Bits = typename Raw<Count * sizeof(T)>::type;
  const Bits bits = *reinterpret_cast<const Bits *>(reinterpret_cast<const char *>(from) + offset);
  __builtin_memcpy(to, &bits, sizeof(bits));
}
template <int Count, class T, class Offset>
TILEC_DEVICE void store_global(T *to, Offset offset, const T *from) {
  using Bits = typename Raw<Count * sizeof(T)>::type;
  Bits bits;
  __builtin_memcpy(&bits, from, sizeof(bits));
  *reinterpret_cast<Bits *>(reinterpret_cast<char *>(to) + offset) = bits;
}

/// Global memory from an address on, `bytes` long: an access at an offset beyond does not happen, and reads zero.
inline constexpr unsigned window_bytes = 1u << 30;
template <class T>
struct Window {
  T *base;
  unsigned bytes;
  TILEC_DEVICE explicit Window(T *base, unsigned bytes = window_bytes) : base(base), bytes(bytes) {}
};

// Accesses under a predicate and not behind a branch: at the end of a branch ptxas waits for what was loaded in it, so
// that loads would follow each other by a latency each.
#define TILEC_UNDER_PREDICATE(access) "{.reg .pred p; setp.ne.b32 p, %" access ";}"
template <int Bytes>
struct Predicated;
template <>
struct Predicated<1> {
  static TILEC_DEVICE void load(unsigned char &bits, const void *from, int inside) {
    unsigned short wide;
    asm volatile(TILEC_UNDER_PREDICATE("2, 0; mov.b16 %0, 0; @p ld.global.u8 %0, [%1]")
                 : "=&h"(wide)
                 : "l"(from), "r"(inside)
                 : "memory");
    bits = static_cast<unsigned char>(wide);
  }
  static TILEC_DEVICE void store(void *to, unsigned char bits, int inside) {
    asm volatile(TILEC_UNDER_PREDICATE("2, 0; @p st.global.u8 [%0], %1")::"l"(to),
                 "h"(static_cast<unsigned short>(bits)), "r"(inside)
                 : "memory");
  }
};
#define TILEC_PREDICATED(width, type, name, letter)                                                                    \
  template <>                                                                                                          \
  struct Predicated<width> {                                                                                           \
    static TILEC_DEVICE void load(type &bits, const void *from, int inside) {                                          \
      asm volatile(TILEC_UNDER_PREDICATE("2, 0; mov." name " %0, 0; @p ld.global." name " %0, [%1]")                   \
                   : "=&" letter(bits)                                                                                 \
                   : "l"(from), "r"(inside)                                                                            \
                   : "memory");                                                                                        \
    }                                                                                                                  \
    static TILEC_DEVICE void store(void *to, type bits, int inside) {                                                  \
      asm volatile(TILEC_UNDER_PREDICATE("2, 0; @p st.global." name " [%0], %1")::"l"(to), letter(bits), "r"(inside)   \
                   : "memory");                                                                                        \
    }                                                                                                                  \
  };
TILEC_PREDICATED(2, unsigned short, "b16", "h")
TILEC_PREDICATED(4, unsigned, "b32", "r")
#undef TILEC_PREDICATED
template <>
struct Predicated<8> {
  static TILEC_DEVICE void load(uint2 &bits, const void *from, int inside) {
    asm volatile(TILEC_UNDER_PREDICATE("3, 0; mov.b32 %0, 0; mov.b32 %1, 0; @p ld.global.v2.b32 {%0, %1}, [%2]")
                 : "=&r"(bits.x), "=&r"(bits.y)
                 : "l"(from), "r"(inside)
                 : "memory");
  }
  static TILEC_DEVICE void store(void *to, const uint2 &bits, int inside) {
    asm volatile(TILEC_UNDER_PREDICATE("3, 0; @p st.global.v2.b32 [%0], {%1, %2}")::"l"(to), "r"(bits.x), "r"(bits.y),
                 "r"(inside)
                 : "memory");
  }
};
template <>
struct Predicated<16> {
  static TILEC_DEVICE void load(uint4 &bits, const void *from, int inside) {
    asm volatile(TILEC_UNDER_PREDICATE("5, 0; mov.b32 %0, 0; mov.b32 %1, 0; mov.b32 %2, 0; mov.b32 %3, 0; "
                                       "@p ld.global.v4.b32 {%0, %1, %2, %3}, [%4]")
                 : "=&r"(bits.x), "=&r"(bits.y), "=&r"(bits.z), "=&r"(bits.w)
                 : "l"(from), "r"(inside)
                 : "memory");
  }
  static TILEC_DEVICE void store(void *to, const uint4 &bits, int inside) {
    asm volatile(TILEC_UNDER_PREDICATE("5, 0; @p st.global.v4.b32 [%0], {%1, %2, %3, %4}")::"l"(to), "r"(bits.x),
                 "r"(bits.y), "r"(bits.z), "r"(bits.w), "r"(inside)
                 : "memory");
  }
};
#undef TILEC_UNDER_PREDICATE

template <int Count, class T>
TILEC_DEVICE void load_window(std::remove_const_t<T> *to, const Window<T> &from, unsigned offset, int moved = 0) {
  typename Raw<Count * sizeof(T)>::type bits;
  Predicated<Count * sizeof(T)>::load(
      bits, reinterpret_cast<const char *>(from.base) + offset + static_cast<long long>(moved), offset < from.bytes);
  __builtin_memcpy(to, &bits, sizeof(bits));
}
template <int Count, class T>
TILEC_DEVICE void store_window(const Window<T> &to, unsigned offset, const T *from, int moved = 0) {
  typename Raw<Count * sizeof(T)>::type bits;
  __builtin_memcpy(&bits, from, sizeof(bits));
  Predicated<Count * sizeof(T)>::store(reinterpret_cast<char *>(to.base) + offset + static_cast<long long>(moved), bits,
                                       offset < to.bytes);
}

template <int Count, class T>
TILEC_DEVICE void load_lds(T *to, int offset) {
  using Bits = typename Raw<Count * sizeof(T)>::type;
  const Bits bits = *reinterpret_cast<const Bits *>(tilec_dynamic_lds + offset);
  __builtin_memcpy(to, &bits, sizeof(bits));
}
template <int Count, class T>
TILEC_DEVICE void store_lds(int offset, const T *from) {
  using Bits = typename Raw<Count * sizeof(T)>::type;
  Bits bits;
  __builtin_memcpy(&bits, from, sizeof(bits));
  *reinterpret_cast<Bits *>(tilec_dynamic_lds + offset) = bits;
}
/// The address of a place in LDS as instructions for LDS take it.
TILEC_DEVICE unsigned shared_place(const void *generic) {
  unsigned place;
  asm("{.reg .u64 place; cvta.to.shared.u64 place, %1; cvt.u32.u64 %0, place;}" : "=r"(place) : "l"(generic));
  return place;
}
/// Whether lanes can read rows of LDS for each other.
inline constexpr bool reads_matrices = true;
/// Word l % 4 of row l / 4 of each of four matrices of eight rows of 16 bytes, in lane l, which gives the offset of row
/// l % 8 of matrix l / 8.
TILEC_DEVICE void load_matrices(unsigned (&words)[4], int offset) {
  const unsigned place = shared_place(tilec_dynamic_lds);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
               : "r"(place + offset)
               : "memory");
}
/// The other way: lane l gives word l % 4 of row l / 4 of each matrix, and the offset of the row that it names.
TILEC_DEVICE void store_matrices(int offset, const unsigned (&words)[4]) {
  const unsigned place = shared_place(tilec_dynamic_lds);
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(place + offset), "r"(words[0]),
               "r"(words[1]), "r"(words[2]), "r"(words[3])
               : "memory");
}
/// The same where lane l gives elements 2 (l % 4) and the next one of column l / 4 of each of one, two or four matrices
/// of 16-bit elements.
template <int Matrices>
TILEC_DEVICE void store_turned_matrices(int offset, const unsigned (&words)[Matrices]) {
  static_assert(Matrices == 1 || Matrices == 2 || Matrices == 4, "the machine stores one, two or four matrices");
  const unsigned place = shared_place(tilec_dynamic_lds) + offset;
  if constexpr (Matrices == 1)
    asm volatile("stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%0], {%1};" ::"r"(place), "r"(words[0]) : "memory");
  else if constexpr (Matrices == 2)
    asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {%1, %2};" ::"r"(place), "r"(words[0]),
                 "r"(words[1])
                 : "memory");
  else
    asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(place), "r"(words[0]),
                 "r"(words[1]), "r"(words[2]), "r"(words[3])
                 : "memory");
}
/// Global memory to LDS without a register: 16 bytes of each lane, at `offset + moved` of the window, lie behind each
/// other from `lds + immediate` on. The immediate moves both addresses. Outside of the window zero is written.
template <int Immediate, class T>
TILEC_DEVICE void copy_to_lds(int lds, const Window<T> &from, unsigned offset, int moved) {
  const void *const place = tilec_dynamic_lds + lds + Immediate + int(threadIdx.x) % wave_lanes * 16;
  const void *const source =
      reinterpret_cast<const char *>(from.base) + offset + static_cast<long long>(moved) + Immediate;
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_place(place)), "l"(source),
               "r"(offset < from.bytes ? 16 : 0)
               : "memory");
  asm volatile("cp.async.commit_group;" ::: "memory");
}

TILEC_DEVICE int lds_place(int offset) { return offset; }
template <int Count, class T>
TILEC_DEVICE void load_place(T *to, int place) {
  load_lds<Count>(to, place);
}
template <int Count, class T>
TILEC_DEVICE void store_place(int place, const T *from) {
  store_lds<Count>(place, from);
}
inline constexpr bool turns_reads = false;
template <class T>
TILEC_DEVICE void load_turned(T (&)[4], int) {
  static_assert(sizeof(T) == 0, "lanes of this GPU give each other no elements that they read");
}

/// What no kernel writes while this one runs.
template <class T>
TILEC_DEVICE T load_constant(const T *from) {
  return *from;
}

template <class Offset>
TILEC_DEVICE Offset hide(Offset offset) {
  if constexpr (sizeof(Offset) == 8)
    asm("" : "+l"(offset));
  else
    asm("" : "+r"(offset));
  return offset;
}
/// Elements from `index` of `from` on; where `keep` is 0 and not -1 the first ones instead.
template <int Count = 1, class T>
TILEC_DEVICE void load_or_first(T *to, const T *from, long long index, int keep) {
  load_global<Count>(to, from, (index & keep) * int(sizeof(T)));
}
TILEC_DEVICE int recompute(int value) {
  asm volatile("" : "+r"(value));
  return value;
}

} // namespace tilec::target

#endif // TILEC_NVIDIA_ACCESS_H
