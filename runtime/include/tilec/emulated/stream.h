//===- stream.h - emulated: words of slots and bulk copies ----------------------------------------------*- C++ -*-===//
// Twins of tilec/nvidia/stream.h.
//===--------------------------------------------------------------------------------------------------------------===//
#ifndef TILEC_EMULATED_STREAM_H
#define TILEC_EMULATED_STREAM_H

#include "tilec/emulated_async.h"
#include "tilec/tensor_map.h"

namespace tilec::target {

inline void make_word(int word, int arrivals) { emulator::makeWord(word, arrivals); }
/// Words are no memory here: a meeting is all that others need.
inline void publish_words() {}
inline bool elected() { return emulator::wave() == 0 && emulator::lane() == 0; }
inline void expect_bytes(int word, int bytes) { emulator::arrive(word, bytes); }
template <int Slot>
inline void await_phase(int word, unsigned parity, const char *name) {
  emulator::awaitPhase(word, parity, name, Slot);
}
inline void copy_box(int lds, const TensorMap &from, int row, int column, int word) {
  emulator::Mapped map;
  __builtin_memcpy(&map, &from, sizeof(map));
  emulator::copyBox(lds, map, row, static_cast<long long>(column) * map.element, word);
}
inline void fence_async() { emulator::fenceAsync(); }

} // namespace tilec::target

#endif // TILEC_EMULATED_STREAM_H
