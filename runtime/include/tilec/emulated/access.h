//===- access.h - emulated: accesses to global memory and LDS -------------------------------------------*- C++ -*-===//
// Twins of tilec/amd/access.h. Accesses keep their width, so that checks of memory see what the device would do.
//===--------------------------------------------------------------------------------------------------------------===//
#ifndef TILEC_EMULATED_ACCESS_H
#define TILEC_EMULATED_ACCESS_H

#include "tilec/emulated.h"
#include "tilec/types.h"
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#ifndef TILEC_EMULATED_WAVE_LANES
#define TILEC_EMULATED_WAVE_LANES 64
#endif

namespace tilec::target {

/// Lanes of a wave of the target the text was written for; the emulator's option `waveLanes` must be the same.
inline constexpr int wave_lanes = TILEC_EMULATED_WAVE_LANES;
inline constexpr int widest_access = 16;

/// A device may fault on a vector access that is not aligned to its width, or take it apart: never what the text meant.
template <int Bytes, class Pointer>
inline Pointer aligned(Pointer pointer) {
  if (reinterpret_cast<std::uintptr_t>(pointer) % Bytes != 0) {
    std::fprintf(stderr, "tilec: access of %d bytes at %p is not aligned\n", Bytes, (const void *)pointer);
    std::abort();
  }
  return pointer;
}

template <int Count, class T, class Offset>
inline void load_global(T *to, const T *from, Offset offset) {
  constexpr int bytes = Count * sizeof(T);
  emulator::read(to, aligned<bytes>(reinterpret_cast<const char *>(from) + offset), bytes);
}
template <int Count, class T, class Offset>
inline void store_global(T *to, Offset offset, const T *from) {
  emulator::interleave();
  constexpr int bytes = Count * sizeof(T);
  emulator::write(aligned<bytes>(reinterpret_cast<char *>(to) + offset), from, bytes);
}
inline constexpr unsigned window_bytes = 1u << 30;
template <class T>
struct Window {
  T *base;
  unsigned bytes;
  explicit Window(T *base, unsigned bytes = window_bytes) : base(base), bytes(bytes) {}
};
template <int Count, class T>
inline void load_window(std::remove_const_t<T> *to, const Window<T> &from, unsigned offset, int moved = 0) {
  if (offset < from.bytes)
    load_global<Count>(to, from.base, offset + static_cast<long long>(moved));
  else
    __builtin_memset(static_cast<void *>(to), 0, Count * sizeof(T));
}
template <int Count, class T>
inline void store_window(const Window<T> &to, unsigned offset, const T *from, int moved = 0) {
  if (offset < to.bytes)
    store_global<Count>(to.base, offset + static_cast<long long>(moved), from);
}
/// The copy lands when the emulator says, at the latest where the wave awaits it.
template <int Immediate, class T>
inline void copy_to_lds(int lds, const Window<T> &from, unsigned offset, int moved) {
  const unsigned place = offset + Immediate;
  char *to = static_cast<char *>(emulator::lds()) + lds + Immediate + emulator::lane() * 16;
  const char *source = reinterpret_cast<const char *>(from.base) + place + static_cast<long long>(moved);
  emulator::copyToLds(aligned<16>(to), place < from.bytes ? aligned<4>(source) : nullptr, 16);
}
template <int Count, class T>
inline void load_lds(T *to, int offset) {
  constexpr int bytes = Count * sizeof(T);
  emulator::readLds(to, aligned<bytes>(static_cast<const char *>(emulator::lds()) + offset), bytes);
}
template <int Count, class T>
inline void store_lds(int offset, const T *from) {
  constexpr int bytes = Count * sizeof(T);
  emulator::writeLds(aligned<bytes>(static_cast<char *>(emulator::lds()) + offset), from, bytes);
}
inline constexpr bool reads_matrices = wave_lanes == 32;
/// Lanes deposit the rows they name, and each gets those of its words.
inline void deal_rows(int (&rows)[4], int offset) {
  emulator::wave_collective(
      &offset, &rows,
      [](const void *const *in, void *const *out, int lanes, void *) {
        for (int lane = 0; lane < lanes; ++lane)
          for (int matrix = 0; matrix < 4; ++matrix)
            static_cast<int *>(out[lane])[matrix] = *static_cast<const int *>(in[8 * matrix + lane / 4]);
      },
      nullptr);
}
inline void load_matrices(unsigned (&words)[4], int offset) {
  int rows[4];
  deal_rows(rows, offset);
  for (int matrix = 0; matrix < 4; ++matrix) {
    aligned<16>(static_cast<const char *>(emulator::lds()) + rows[matrix]);
    load_lds<1>(&words[matrix], rows[matrix] + emulator::lane() % 4 * 4);
  }
}
inline void store_matrices(int offset, const unsigned (&words)[4]) {
  int rows[4];
  deal_rows(rows, offset);
  for (int matrix = 0; matrix < 4; ++matrix) {
    aligned<16>(static_cast<const char *>(emulator::lds()) + rows[matrix]);
    store_lds<1>(rows[matrix] + emulator::lane() % 4 * 4, &words[matrix]);
  }
}
/// Lane l gives two elements of a column: those of rows 2 (l % 4) and the next one.
template <int Matrices>
inline void store_turned_matrices(int offset, const unsigned (&words)[Matrices]) {
  int rows[2 * Matrices];
  emulator::wave_collective(
      &offset, &rows,
      [](const void *const *in, void *const *out, int lanes, void *) {
        for (int lane = 0; lane < lanes; ++lane)
          for (int row = 0; row < 2 * Matrices; ++row)
            static_cast<int *>(out[lane])[row] =
                *static_cast<const int *>(in[8 * (row / 2) + 2 * (lane % 4) + row % 2]);
      },
      nullptr);
  for (int row = 0; row < 2 * Matrices; ++row) {
    aligned<16>(static_cast<const char *>(emulator::lds()) + rows[row]);
    const auto element = static_cast<unsigned short>(words[row / 2] >> row % 2 * 16);
    store_lds<1>(rows[row] + emulator::lane() / 4 * 2, &element);
  }
}
inline int lds_place(int offset) { return offset; }
inline constexpr bool turns_reads = wave_lanes == 64;
/// Each lane reads what it names; then the lanes give each other the elements.
template <class T>
inline void load_turned(T (&to)[4], int place) {
  T row[4];
  load_lds<4>(row, place);
  emulator::wave_collective(
      &row, &to,
      [](const void *const *in, void *const *out, int lanes, void *) {
        for (int lane = 0; lane < lanes; ++lane)
          for (int e = 0; e < 4; ++e)
            static_cast<T *>(out[lane])[e] =
                static_cast<const T *>(in[lane / 16 * 16 + 4 * e + lane % 16 / 4])[lane % 4];
      },
      nullptr);
}
template <int Count, class T>
inline void load_place(T *to, int place) {
  load_lds<Count>(to, place);
}
template <int Count, class T>
inline void store_place(int place, const T *from) {
  store_lds<Count>(place, from);
}

inline char *load_constant(char *const *from) { return emulator::readConstant(from); }

template <class Offset>
inline Offset hide(Offset offset) {
  return offset;
}
/// What is not kept is not read: a check of memory would take it for an access.
template <int Count = 1, class T>
inline void load_or_first(T *to, const T *from, long long index, int keep) {
  if (keep)
    load_global<Count>(to, from, index * int(sizeof(T)));
  else
    __builtin_memset(static_cast<void *>(to), 0, Count * sizeof(T));
}
inline int recompute(int value) { return value; }

} // namespace tilec::target

#endif // TILEC_EMULATED_ACCESS_H
