//===- relay.h - moving rows from memory to memory by the copy engine -----------------------------------*- C++ -*-===//
// One thread moves what one view holds to another, on this rank or a peer: pieces go through slots of LDS, in by one
// bulk copy for each of their rows and out by another. It asks for pieces some slots ahead of those that it sends on.
//===--------------------------------------------------------------------------------------------------------------===//
#ifndef TILEC_RELAY_H
#define TILEC_RELAY_H

#include "tilec/stream.h"

#if defined(TILEC_EMULATED) || defined(__CUDACC__)
namespace tilec {

namespace detail {

/// A region of so many rows, in pieces: whole rows where some fit a slot, else parts of one row. One piece after the
/// other, as one thread goes through them beside all else that it does.
template <int SlotBytes>
struct RelayedPieces {
  static constexpr int alignment = 128; ///< of a row in LDS
  static_assert(SlotBytes % alignment == 0, "a slot begins where a row may");
  int rows;
  long long row_bytes;
  int row = 0;
  long long byte = 0; ///< of the row, where the piece begins

  TILEC_DEVICE RelayedPieces(int rows, long long row_bytes) : rows(row_bytes > 0 ? rows : 0), row_bytes(row_bytes) {}

  TILEC_DEVICE bool over() const { return row >= rows; }
  /// Bytes of each row of the piece, and from row to row in LDS.
  TILEC_DEVICE int bytes() const { return row_bytes - byte < SlotBytes ? int(row_bytes - byte) : SlotBytes; }
  TILEC_DEVICE int pitch() const { return (bytes() + alignment - 1) / alignment * alignment; }
  TILEC_DEVICE int count() const {
    if (row_bytes > SlotBytes || 2 * pitch() > SlotBytes)
      return 1;
    const int fit = SlotBytes / pitch();
    return rows - row < fit ? rows - row : fit;
  }
  TILEC_DEVICE void next() {
    if (row_bytes > SlotBytes) {
      byte += SlotBytes;
      if (byte < row_bytes)
        return;
      byte = 0;
      ++row;
    } else {
      row += count();
    }
  }
};

/// The first byte of a row of a view, from `start` on.
template <class T>
TILEC_DEVICE char *row_of(const View<T, 2> &view, const Coordinates<2> &start, int row) {
  return (char *)(view.pointer + (start[0] + row) * view.strides[0] + start[1]);
}

} // namespace detail

/// Whether `relay` can move what one view holds to the same places of another: they have the same extents, the elements
/// of a row lie side by side, and rows begin and end at multiples of 16 bytes. The same in all threads.
template <class From, class Into>
TILEC_DEVICE bool moves_in_bulk(const View<From, 2> &from, const View<Into, 2> &into) {
  static_assert(std::is_same_v<std::remove_const_t<From>, Into>, "what is moved is not converted");
  constexpr int unit = 16;
  const auto lies_well = [](const auto &view) TILEC_LAMBDA {
    return view.strides[1] == 1 && view.strides[0] * int(sizeof(Into)) % unit == 0 &&
           (long long)(view.extents[1]) * int(sizeof(Into)) % unit == 0 &&
           reinterpret_cast<__UINTPTR_TYPE__>(view.pointer) % unit == 0;
  };
  return target::uniform(from.extents[0] == into.extents[0] && from.extents[1] == into.extents[1] && lies_well(from) &&
                         lies_well(into)) != 0;
}

/// Moves a box of `from` to the same place of each view behind it, but for what lies outside of them: `moves_in_bulk`
/// holds for all, and the box begins at a multiple of 16 bytes of a row. By one wave. The pieces go through as many
/// slots of SlotBytes bytes as `full` has words, which begin `offset` bytes into LDS; each is read once. When it
/// returns nothing of LDS is read any more, and the wave's first lane may release what was written.
template <int SlotBytes, class From, int Slots, class... Into>
TILEC_DEVICE void relay(Full<Slots> &full, int offset, const View<From, 2> &from, const Coordinates<2> &start,
                        const Coordinates<2> &box, const View<Into, 2> &...into) {
  constexpr int ahead = Slots / 2;
  static_assert(ahead >= 1, "a piece is on its way in while another one is on its way out");
  if (target::lane() == 0) {
    // What others stored, and this wave has acquired, is there for the engine.
    fence_async_global();
    int rows = box[0] < from.extents[0] - start[0] ? box[0] : from.extents[0] - start[0];
    const int columns = box[1] < from.extents[1] - start[1] ? box[1] : from.extents[1] - start[1];
    long long bytes = columns > 0 ? (long long)(columns) * int(sizeof(From)) : 0;
    // Rows that follow each other without a gap are one.
    if (rows > 0 && columns == from.strides[0] && ((columns == into.strides[0]) && ...) && bytes <= (1 << 30) / rows) {
      bytes *= rows;
      rows = 1;
    }
    detail::RelayedPieces<SlotBytes> in(rows, bytes), out = in;
    int filled = 0, fills = 0, sent = 0;
    while (!out.over()) {
      if (!in.over()) {
        const int lds = offset + filled * SlotBytes, word = full.of(filled);
        // The slot's last piece went out `Slots - ahead` pieces ago.
        if (fills >= Slots)
          await_stores_read<Slots - ahead>();
        const int count = in.count(), size = in.bytes(), pitch = in.pitch();
        target::expect_bytes(word, count * size);
        for (int row = 0; row < count; ++row)
          target::copy_bytes(lds + row * pitch, detail::row_of(from, start, in.row + row) + in.byte, size, word);
        in.next();
        ++fills;
        filled = filled + 1 < Slots ? filled + 1 : 0;
        if (fills < ahead && !in.over())
          continue;
      }
      const int lds = offset + sent * SlotBytes;
      const int count = out.count(), size = out.bytes(), pitch = out.pitch();
      target::await_phase(full.of(sent), full.parities >> sent & 1, "relay", 0);
      full.parities ^= 1u << sent;
      const auto send = [&](const auto &view) TILEC_LAMBDA {
        for (int row = 0; row < count; ++row)
          target::store_bytes(detail::row_of(view, start, out.row + row) + out.byte, lds + row * pitch, size);
      };
      (send(into), ...);
      target::commit_stores();
      out.next();
      sent = sent + 1 < Slots ? sent + 1 : 0;
    }
    await_stores<0>();
  }
  target::meet_wave();
}

/// The same, element by element where `moves_in_bulk` does not hold: nobody else does it then.
template <int SlotBytes, class From, class Into, int Slots>
TILEC_DEVICE void relay_or_copy(Full<Slots> &full, int offset, const View<From, 2> &from, const Coordinates<2> &start,
                                const Coordinates<2> &box, const View<Into, 2> &into) {
  if (moves_in_bulk(from, into)) {
    relay<SlotBytes>(full, offset, from, start, box, into);
    return;
  }
  for (int row = 0; row < box[0] && start[0] + row < from.extents[0] && start[0] + row < into.extents[0]; ++row)
    for (int column = target::lane(); column < box[1] && start[1] + column < from.extents[1];
         column += target::wave_lanes) {
      Into element;
      target::load_global<1>(&element, (const Into *)detail::row_of(from, start, row),
                             (long long)(column * from.strides[1] * int(sizeof(Into))));
      if (start[1] + column < into.extents[1])
        target::store_global<1>((Into *)detail::row_of(into, start, row),
                                (long long)(column * into.strides[1] * int(sizeof(Into))), &element);
    }
  target::meet_wave();
}

} // namespace tilec
#endif

#endif // TILEC_RELAY_H
