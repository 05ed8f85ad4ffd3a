//===- stream.h - slots that bulk copies fill, and loops that run through them ---------------------------*- C++
//-*-===//
// One thread asks for the copies of a step; they arrive while earlier steps are used, and each slot has a word (an
// mbarrier) that says when it is full. No meeting is inside but that of `full`.
//===--------------------------------------------------------------------------------------------------------------===//
#ifndef TILEC_STREAM_H
#define TILEC_STREAM_H

#include "tilec/constants.h"
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

namespace detail {

/// A word of LDS for each slot. A word counts phases: each ends when what it expects has arrived. `parities` has a bit
/// per slot, that of the phase to await next; each thread keeps its own.
template <int Slots>
struct SlotWords {
  static_assert(Slots >= 1 && Slots <= 32, "a register has the bits of 32 slots");
  static constexpr int slots = Slots;
  int words; ///< bytes from the start of LDS
  unsigned parities;

  TILEC_DEVICE int of(int slot) const { return words + slot_word_bytes * slot; }
  TILEC_DEVICE void await_phase(const char *what, int slot) {
    target::await_phase(of(slot), parities >> slot & 1, what, slot);
    parities ^= 1u << slot;
  }
  template <int Number>
  TILEC_DEVICE void await_phase(const char *what) {
    static_assert(Number >= 0 && Number < Slots, "the ring has no such slot");
    await_phase(what, Number);
  }
};

/// All threads call it; they meet in it. A phase ends after so many arrivals.
template <int Slots>
TILEC_DEVICE SlotWords<Slots> make_words(int offset, int arrivals, unsigned parities) {
  const SlotWords<Slots> made{offset, parities};
  if (target::thread() == 0) {
#pragma unroll
    for (int slot = 0; slot < Slots; ++slot)
      target::make_word(made.of(slot), arrivals);
    target::publish_words();
  }
  target::barrier();
  return made;
}

} // namespace detail

/// The words of slots that are filled.
template <int Slots>
struct Full : detail::SlotWords<Slots> {};

/// Makes the words in `slot_word_bytes` * Slots bytes of LDS, for the length of the kernel. All threads call it; they
/// meet in it.
template <int Slots>
TILEC_DEVICE Full<Slots> full(int offset) {
  return {detail::make_words<Slots>(offset, 1, 0)};
}

namespace detail {

/// Boxes of a matrix to an LDS tile of type S at a byte offset. Of those read once, what lies in caches makes room
/// first.
template <class S, int Rank = 2, bool ReadOnce = false>
struct BoxCopying {
  using Plan = BoxPlan<S>;
  static constexpr int bytes = S::bytes;
  int offset;
  const TensorMap &from;
  Coordinates<Rank> start;

  TILEC_DEVICE void issue(int word) const {
    repeat<Plan::boxes>([&](auto box) TILEC_LAMBDA {
      constexpr int number = decltype(box)::value, row = Plan::row_of(number), column = Plan::column_of(number);
      Coordinates<Rank> box_start = start;
      box_start.data[Rank - 2] += row;
      box_start.data[Rank - 1] += column;
      target::copy_box<ReadOnce>(offset + number * Plan::box_bytes, from, box_start, word);
    });
  }
};

template <class A>
inline constexpr bool begins_with_swizzle = A::is_aligned(BoxPlan<typename A::Tile>::alignment);

} // namespace detail

/// The tile that begins at {row, column} of a mapped matrix, to a slot. It reads zero outside of the matrix.
template <SlotOfRing A>
TILEC_DEVICE detail::BoxCopying<typename A::Tile> copying(A slot, const TensorMap &from, const Coordinates<2> &start) {
  static_assert(detail::begins_with_swizzle<A>, "the slot does not begin where its swizzle does");
  return {slot.first, from, start};
}

/// Where the tiles of a loop over columns, or over rows, begin in a mapped matrix, or in one of a row of them.
template <class S, int Rank, bool ByRows>
struct MappedFeed {
  const TensorMap &map;
  Coordinates<Rank> start;
};

/// For LDS tiles of type S that begin at `start`. `map` is that of the whole view.
template <class S, class T, int Rank>
TILEC_DEVICE MappedFeed<S, Rank, false> mapped_feed(const View<T, Rank> &, const Coordinates<Rank> &start,
                                                    const TensorMap &map) {
  return {map, start};
}
template <class S, class T, int Rank>
TILEC_DEVICE MappedFeed<S, Rank, true> mapped_feed(const View<T, Rank> &, const Coordinates<Rank> &start,
                                                   const TensorMap &map, ByRows) {
  return {map, start};
}
/// Of a view that is number `matrix` of the row of them that the map describes.
template <class S, class T, int Rank>
TILEC_DEVICE MappedFeed<S, Rank + 1, false> mapped_feed(const View<T, Rank> &, const Coordinates<Rank> &start,
                                                        const TensorMap &map, int matrix) {
  return {map, detail::behind(matrix, start)};
}
template <class S, class T, int Rank>
TILEC_DEVICE MappedFeed<S, Rank + 1, true> mapped_feed(const View<T, Rank> &, const Coordinates<Rank> &start,
                                                       const TensorMap &map, int matrix, ByRows) {
  return {map, detail::behind(matrix, start)};
}
/// The tile `moved` bytes along the rows, or `moved` rows down.
template <SlotOfRing A, int Rank, bool Down>
TILEC_DEVICE detail::BoxCopying<typename A::Tile, Rank>
copying(A slot, const MappedFeed<typename A::Tile, Rank, Down> &from, int moved) {
  static_assert(detail::begins_with_swizzle<A>, "the slot does not begin where its swizzle does");
  Coordinates<Rank> start = from.start;
  if constexpr (Down)
    start.data[Rank - 2] += moved;
  else
    start.data[Rank - 1] += moved / int(sizeof(typename A::Tile::Element));
  return {slot.first, from.map, start};
}

/// Tag: nobody else reads what is copied. A hint to the caches, which keep the rest before it.
struct ReadOnce {};
inline constexpr ReadOnce read_once{};

/// The same with that hint.
template <SlotOfRing A, int Rank, bool Down>
TILEC_DEVICE detail::BoxCopying<typename A::Tile, Rank, true>
copying(A slot, const MappedFeed<typename A::Tile, Rank, Down> &from, int moved, ReadOnce) {
  const auto plain = copying(slot, from, moved);
  return {plain.offset, plain.from, plain.start};
}

namespace detail {

/// What HalfCopying copies to both: rows of type H of a tile of type S.
template <class S, class H>
inline constexpr bool is_half_of =
    std::is_same_v<typename S::Element, typename H::Element> && H::Shape::extent(0) * 2 == S::Shape::extent(0) &&
    H::columns == S::columns && BoxPlan<S>::panels == 1 && BoxPlan<H>::swizzle == BoxPlan<S>::swizzle &&
    H::Shape::extent(0) * BoxPlan<H>::row_bytes % BoxPlan<S>::alignment == 0;

/// This workgroup's half of the rows of an LDS tile of type S, to that place in both workgroups of the pair. Its word,
/// and that of the other one, expect the bytes of both halves.
template <class S, class H>
struct HalfCopying {
  using Plan = BoxPlan<H>;
  static constexpr int bytes = S::bytes;
  int offset;
  const TensorMap &from;
  Coordinates<2> start;

  TILEC_DEVICE void issue(int word) const {
    const int first = target::half_of_pair() * Plan::rows;
    repeat<Plan::boxes>([&](auto box) TILEC_LAMBDA {
      const int row = first + Plan::row_of(decltype(box)::value);
      target::copy_box_to_pair(offset + row * Plan::row_bytes, from, {start.data[0] + row, start.data[1]}, word);
    });
  }
};

} // namespace detail

/// Half of the tile `moved` bytes along the rows, to the slots of both workgroups of a pair: the first copies the upper
/// rows, the second the lower ones, and both come here for the same tile. The map is for tiles of half as many rows.
template <SlotOfRing A, class H>
TILEC_DEVICE detail::HalfCopying<typename A::Tile, H> copying_half(A slot, const MappedFeed<H, 2, false> &from,
                                                                   int moved) {
  static_assert(detail::begins_with_swizzle<A>, "the slot does not begin where its swizzle does");
  static_assert(detail::is_half_of<typename A::Tile, H>, "the map is for tiles of half as many rows");
  return {slot.first, from.map, {from.start.data[0], from.start.data[1] + moved / int(sizeof(typename H::Element))}};
}

namespace detail {

/// A run of elements that lie side by side in memory, to an LDS tile of type S at byte Offset.
template <class S, int Offset>
struct RunCopying {
  static constexpr int bytes = S::bytes;
  static_assert(S::rank == 1 && S::Swizzle::phases == 1 && bytes % 16 == 0 && Offset % 16 == 0,
                "a run lies in LDS as it does in memory, in pieces of 16 bytes");
  const char *from;

  TILEC_DEVICE void issue(int word) const { target::copy_bytes(Offset, from, bytes, word); }
};

} // namespace detail

/// The run that begins at `start`, to a slot: a part of the last dimension of the view, whose elements lie side by
/// side. It is all inside, and begins at a multiple of 16 bytes.
template <class S, int Offset, class T, int Rank>
TILEC_DEVICE detail::RunCopying<S, Offset> copying_run(Slot<S, Offset>, const View<T, Rank> &view,
                                                       const Coordinates<Rank> &start) {
  static_assert(std::is_same_v<std::remove_const_t<T>, typename S::Element>, "what is copied is not converted");
  const T *first = view.pointer;
#pragma unroll
  for (int dim = 0; dim < Rank; ++dim)
    first += start.data[dim] * view.strides[dim];
  return {reinterpret_cast<const char *>(first)};
}

/// Fills a slot: one thread of the workgroup asks for the copies, and its word expects their bytes. All waves call it,
/// and nobody may still use what the slot held.
template <int Number, int Slots, class... Copies>
TILEC_DEVICE void fill(const Full<Slots> &full, const Copies &...copies) {
  static_assert(Number >= 0 && Number < Slots, "the ring has no such slot");
  const int word = full.of(Number);
  if (target::elected()) {
    target::expect_bytes(word, (Copies::bytes + ...));
    (copies.issue(word), ...);
  }
}

/// The same by one thread alone, such as a producer's.
template <class Words, class... Copies>
TILEC_DEVICE void fill_alone(const Words &full, int slot, const Copies &...copies) {
  const int word = full.of(slot);
  target::expect_bytes(word, (Copies::bytes + ...));
  (copies.issue(word), ...);
}
template <int Number, int Slots, class... Copies>
TILEC_DEVICE void fill_alone(const Full<Slots> &full, const Copies &...copies) {
  static_assert(Number >= 0 && Number < Slots, "the ring has no such slot");
  fill_alone(full, Number, copies...);
}

/// The same by one thread of the wave that comes here.
template <class Words, class... Copies>
TILEC_DEVICE void fill_by_wave(const Words &full, int slot, const Copies &...copies) {
  if (target::elected_of_wave())
    fill_alone(full, slot, copies...);
}
template <int Number, int Slots, class... Copies>
TILEC_DEVICE void fill_by_wave(const Full<Slots> &full, const Copies &...copies) {
  static_assert(Number >= 0 && Number < Slots, "the ring has no such slot");
  fill_by_wave(full, Number, copies...);
}

/// Waits until the slot is full, once for each fill. Every thread that reads what is there does so, or meets one that
/// did.
template <int Number, int Slots>
TILEC_DEVICE void await_full(Full<Slots> &full) {
  full.template await_phase<Number>("full");
}
template <int Slots>
TILEC_DEVICE void await_full(Full<Slots> &full, int slot) {
  full.await_phase("full", slot);
}

/// The words of slots that those who read them release: the other half of Full, for a producer that meets nobody. Of a
/// pair, both workgroups release the slots of both.
template <int Slots, bool OfPair = false>
struct Empty : detail::SlotWords<Slots> {};

/// Makes the words in `slot_word_bytes` * Slots bytes of LDS, for the length of the kernel: a slot is empty when so
/// many waves have released it, and before it was ever filled. All threads call it; they meet in it.
template <int Slots>
TILEC_DEVICE Empty<Slots> empty(int offset, int waves) {
  return {detail::make_words<Slots>(offset, waves, ~0u)};
}
/// The same where so many waves of each workgroup of a pair release it. Before it is used, the pair meets.
template <int Slots>
TILEC_DEVICE Empty<Slots, true> empty_of_pair(int offset, int waves) {
  return {detail::make_words<Slots>(offset, 2 * waves, ~0u)};
}

/// All threads of both workgroups of a pair come here before one copies to the other or releases a slot of it.
TILEC_DEVICE void meet_pair() { target::meet_pair(); }

/// This wave reads no more of what a slot holds: its reads and its products have been awaited.
template <int Slots, bool OfPair>
TILEC_DEVICE void release(const Empty<Slots, OfPair> &empty, int slot) {
  target::meet_wave();
  if (OfPair && target::lane() < 2)
    target::arrive_in_pair(empty.of(slot), target::lane());
  else if (!OfPair && target::lane() == 0)
    target::arrive(empty.of(slot));
}
template <int Number, int Slots, bool OfPair>
TILEC_DEVICE void release(const Empty<Slots, OfPair> &empty) {
  static_assert(Number >= 0 && Number < Slots, "the ring has no such slot");
  release(empty, Number);
}

/// Waits until all waves have released the slot, once before each fill.
template <int Number, int Slots, bool OfPair>
TILEC_DEVICE void await_empty(Empty<Slots, OfPair> &empty) {
  empty.template await_phase<Number>("empty");
}
template <int Slots, bool OfPair>
TILEC_DEVICE void await_empty(Empty<Slots, OfPair> &empty, int slot) {
  empty.await_phase("empty", slot);
}

/// True in one thread of each wave. All lanes come here.
TILEC_DEVICE bool elected_of_wave() { return target::elected_of_wave(); }

/// `Waves` waves meet at one of the 15 places 1 ... 15: what they stored to LDS is visible to them after.
template <int Waves>
TILEC_DEVICE void meet_at(int place) {
  target::meet_at<Waves>(place);
}

/// The four waves of a warpgroup go on with `Count` registers for each thread, a multiple of 8: fewer than before, or
/// more, for which they wait until others have given them up.
template <int Count>
TILEC_DEVICE void shrink_registers() {
  static_assert(Count >= 24 && Count <= 256 && Count % 8 == 0, "24 to 256 registers, a multiple of 8");
  target::shrink_registers<Count>();
}
template <int Count>
TILEC_DEVICE void grow_registers() {
  static_assert(Count >= 24 && Count <= 256 && Count % 8 == 0, "24 to 256 registers, a multiple of 8");
  target::grow_registers<Count>();
}

/// One thread stores an LDS tile of type S to the place of a mapped matrix that begins at {row, column}: a group of its
/// own. What the threads of a meeting before it stored to LDS, and fenced, is stored; rows and columns outside of the
/// matrix are not.
template <class S>
TILEC_DEVICE void store_async(const TensorMap &to, const Coordinates<2> &start, S from) {
  using Plan = detail::BoxPlan<S>;
  detail::repeat<Plan::boxes>([&](auto box) TILEC_LAMBDA {
    constexpr int number = decltype(box)::value, row = Plan::row_of(number), column = Plan::column_of(number);
    target::store_box(to, start.data[0] + row, start.data[1] + column, from.offset + number * Plan::box_bytes);
  });
  target::commit_stores();
}
/// Waits until at most `Left` of the groups that this thread stored last have not read LDS, which is free then.
template <int Left>
TILEC_DEVICE void await_stores_read() {
  target::await_stores_read<Left>();
}
/// Waits until at most `Left` of them are not complete: others see them behind a release of this thread.
template <int Left>
TILEC_DEVICE void await_stores() {
  target::await_stores<Left>();
}

/// What this thread stored to LDS so far is there for bulk copies and products that are issued behind a meeting.
TILEC_DEVICE void fence_async() { target::fence_async(); }

/// What others stored to global memory, and this thread or one that it met has acquired, is there for bulk copies that
/// this thread asks for.
TILEC_DEVICE void fence_async_global() { target::fence_async_global(); }

/// Steps 0 ... count - 1 through `Slots` slots, filled `Ahead` steps early: fills(slot, step) is called for the first
/// ones before anything is used, then behind each uses(slot, step). The slot it gets is that of step + Ahead - Slots:
/// if Ahead is Slots - 1, the step before.
template <int Slots, int Ahead, class Fills, class Uses>
TILEC_DEVICE void stream(int count, Fills &&fills, Uses &&uses) {
  static_assert(Ahead >= 1 && Ahead <= Slots, "a slot is filled at most once before it is used");
  // Once for a loop: waits stand outside of it.
  fence_async_global();
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
