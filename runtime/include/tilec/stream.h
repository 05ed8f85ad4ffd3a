//===- stream.h - slots that bulk copies fill, and loops that run through them ---------------------------*- C++
//-*-===//
// One thread asks for the copies of a step; they arrive while earlier steps are used, and each slot has a word (an
// mbarrier) that says when it is full. No meeting is inside but that of `full`.
//===--------------------------------------------------------------------------------------------------------------===//
#ifndef TILEC_STREAM_H
#define TILEC_STREAM_H

#include "tilec/places.h"
#include "tilec/tensor_map.h"
#include "tilec/view.h"

#if defined(TILEC_EMULATED)
#include "tilec/emulated/stream.h"
#elif defined(__CUDACC__)
#include "tilec/nvidia/stream.h"
#endif

#if defined(TILEC_EMULATED) || defined(__CUDACC__)
namespace tilec {

/// The words of slots that are filled. A word counts phases: each ends when what it expects has arrived. `parities` has
/// a bit per slot, that of the phase to await next; each thread keeps its own.
template <int Slots>
struct Full {
  static_assert(Slots >= 1 && Slots <= 32, "a register has the bits of 32 slots");
  static constexpr int slots = Slots;
  int words; ///< bytes from the start of LDS: 8 for each slot
  unsigned parities;
};

/// Makes the words in 8 * Slots bytes of LDS, for the length of the kernel. All threads call it; they meet in it.
template <int Slots>
TILEC_DEVICE Full<Slots> full(int offset) {
  if (target::thread() == 0) {
#pragma unroll
    for (int slot = 0; slot < Slots; ++slot)
      target::make_word(offset + 8 * slot, 1);
    target::publish_words();
  }
  target::barrier();
  return {offset, 0};
}

namespace detail {

/// Boxes of a matrix to an LDS tile of type S at byte Offset.
template <class S, int Offset>
struct BoxCopying {
  using Plan = BoxPlan<S>;
  static constexpr int bytes = S::bytes;
  static_assert(Offset % Plan::alignment == 0, "the slot does not begin where its swizzle does");
  const TensorMap &from;
  Coordinates<2> start;

  TILEC_DEVICE void issue(int word) const {
    repeat<Plan::boxes>([&](auto box) TILEC_LAMBDA {
      constexpr int number = decltype(box)::value;
      target::copy_box(Offset + number * Plan::box_bytes, from, start.data[0] + number * Plan::box_rows, start.data[1],
                       word);
    });
  }
};

} // namespace detail

/// The tile that begins at {row, column} of a mapped matrix, to a slot. It reads zero outside of the matrix.
template <class S, int Offset>
TILEC_DEVICE detail::BoxCopying<S, Offset> copying(Slot<S, Offset>, const TensorMap &from,
                                                   const Coordinates<2> &start) {
  return {from, start};
}

/// Where the tiles of a loop over columns begin in a mapped matrix.
template <class S>
struct MappedFeed {
  const TensorMap &map;
  Coordinates<2> start;
};

/// For LDS tiles of type S that begin at `start`. `map` is that of the whole view.
template <class S, class T>
TILEC_DEVICE MappedFeed<S> mapped_feed(const View<T, 2> &, const Coordinates<2> &start, const TensorMap &map) {
  return {map, start};
}
/// The tile `moved` bytes along the rows.
template <class S, int Offset>
TILEC_DEVICE detail::BoxCopying<S, Offset> copying(Slot<S, Offset>, const MappedFeed<S> &from, int moved) {
  return {from.map, {from.start.data[0], from.start.data[1] + moved / int(sizeof(typename S::Element))}};
}

/// Fills a slot: one thread of the workgroup asks for the copies, and its word expects their bytes. All waves call it,
/// and nobody may still use what the slot held.
template <int Number, int Slots, class... Copies>
TILEC_DEVICE void fill(const Full<Slots> &full, const Copies &...copies) {
  static_assert(Number >= 0 && Number < Slots, "the ring has no such slot");
  const int word = full.words + 8 * Number;
  if (target::elected()) {
    target::expect_bytes(word, (Copies::bytes + ...));
    (copies.issue(word), ...);
  }
}

/// Waits until the slot is full, once for each fill. Every thread that reads what is there does so, or meets one that
/// did.
template <int Number, int Slots>
TILEC_DEVICE void await_full(Full<Slots> &full) {
  static_assert(Number >= 0 && Number < Slots, "the ring has no such slot");
  target::await_phase<Number>(full.words + 8 * Number, full.parities >> Number & 1, "full");
  full.parities ^= 1u << Number;
}

/// What this thread stored to LDS so far is there for bulk copies and products that are issued behind a meeting.
TILEC_DEVICE void fence_async() { target::fence_async(); }

/// Steps 0 ... count - 1 through `Slots` slots, filled `Ahead` steps early: fills(slot, step) is called for the first
/// ones before anything is used, then behind each uses(slot, step). The slot it gets is that of step + Ahead - Slots:
/// if Ahead is Slots - 1, the step before.
template <int Slots, int Ahead, class Fills, class Uses>
TILEC_DEVICE void stream(int count, Fills &&fills, Uses &&uses) {
  static_assert(Ahead >= 1 && Ahead <= Slots, "a slot is filled at most once before it is used");
  detail::repeat<Ahead>([&](auto step) TILEC_LAMBDA {
    constexpr int number = decltype(step)::value;
    if (number < count)
      fills(std::integral_constant<int, number % Slots>{}, number);
  });
  by_slot<Slots>(count, [&](auto slot, int step) TILEC_LAMBDA {
    uses(slot, step);
    if (step + Ahead < count)
      fills(std::integral_constant<int, (decltype(slot)::value + Ahead) % Slots>{}, step + Ahead);
  });
}

} // namespace tilec
#endif

#endif // TILEC_STREAM_H
