//===- stream.h - emulated: words of slots and bulk copies ----------------------------------------------*- C++ -*-===//
// Twins of tilec/nvidia/stream.h.
//===--------------------------------------------------------------------------------------------------------------===//
#ifndef TILEC_EMULATED_STREAM_H
#define TILEC_EMULATED_STREAM_H

#include "tilec/emulated_async.h"
#include "tilec/tensor_map.h"
#include "tilec/view.h"

namespace tilec::target {

inline void make_word(int word, int arrivals) { emulator::makeWord(word, arrivals); }
/// Words are no memory here: a meeting is all that others need.
inline void publish_words() {}
/// All lanes come here, as the instruction asks: one that waits for something else keeps the others.
inline bool elected_of_wave() {
  emulator::meet_wave();
  return emulator::lane() == 0;
}
inline bool elected() { return emulator::wave() == 0 && emulator::lane() == 0; }
inline void arrive(int word) { emulator::arrive(word, 0); }
inline void expect_bytes(int word, int bytes) { emulator::arrive(word, bytes); }
inline void await_phase(int word, unsigned parity, const char *name, int slot) {
  emulator::awaitPhase(word, parity, name, slot);
}
inline emulator::Mapped mapped(const TensorMap &map) {
  emulator::Mapped result;
  __builtin_memcpy(&result, &map, sizeof(result));
  return result;
}
/// Caches are none of the emulator's, so that a copy that is read once is as any other.
template <bool ReadOnce, int Rank>
inline void copy_box(int lds, const TensorMap &from, const Coordinates<Rank> &start, int word) {
  const auto map = mapped(from);
  emulator::copyBox(lds, map, Rank == 4 ? start.data[0] : 0, Rank >= 3 ? start.data[Rank < 3 ? 0 : Rank - 3] : 0,
                    start.data[Rank - 2], static_cast<long long>(start.data[Rank - 1]) * map.element, word);
}
inline int half_of_pair() { return emulator::halfOfPair(); }
inline void meet_pair() {
  emulator::barrier();
  if (emulator::wave() == 0 && emulator::lane() == 0)
    emulator::meetPair();
  emulator::barrier();
}
inline void arrive_in_pair(int word, int half) { emulator::arriveInPair(word, half); }
inline void copy_box_to_pair(int lds, const TensorMap &from, const Coordinates<2> &start, int word) {
  const auto map = mapped(from);
  emulator::copyBoxToPair(lds, map, start.data[0], static_cast<long long>(start.data[1]) * map.element, word);
}
/// Bytes that lie side by side are a matrix of one row.
inline emulator::Mapped mapped(const char *from, int bytes) {
  return {from,  /*groups=*/1, /*group_pitch=*/0, /*planes=*/1, /*plane_pitch=*/0, /*rows=*/1,
          bytes, bytes,        /*box_rows=*/1,    bytes,        /*swizzle=*/0,     1};
}
inline void copy_bytes(int lds, const char *from, int bytes, int word) {
  if (lds % 16 != 0 || bytes % 16 != 0 || reinterpret_cast<std::uintptr_t>(from) % 16 != 0)
    emulator::fault("a copy of " + std::to_string(bytes) + " bytes begins or ends at no multiple of 16");
  emulator::copyBox(lds, mapped(from, bytes), 0, 0, 0, 0, word);
}
inline void store_bytes(char *to, int lds, int bytes) { emulator::storeBox(mapped(to, bytes), 0, 0, lds); }
inline void store_box(const TensorMap &to, int row, int column, int lds) {
  const auto map = mapped(to);
  emulator::storeBox(map, row, static_cast<long long>(column) * map.element, lds);
}
inline void commit_stores() { emulator::commitStores(); }
template <int Left>
inline void await_stores_read() {
  emulator::awaitStores(Left, /*complete=*/false);
}
template <int Left>
inline void await_stores() {
  emulator::awaitStores(Left, /*complete=*/true);
}
template <int Waves>
inline void meet_at(int place) {
  emulator::barrier(place, Waves);
}
/// By each wave; those of a warpgroup say the same.
template <int Count>
inline void shrink_registers() {
  emulator::meet_wave();
  if (emulator::lane() == 0)
    emulator::setRegisters(Count);
}
template <int Count>
inline void grow_registers() {
  shrink_registers<Count>();
}
inline void fence_async_global() { emulator::fenceAsyncGlobal(); }
inline void fence_async() { emulator::fenceAsync(); }

} // namespace tilec::target

#endif // TILEC_EMULATED_STREAM_H
