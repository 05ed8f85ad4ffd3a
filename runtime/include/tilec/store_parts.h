//===- store_parts.h - tiles that the copy engine stores, a part at a time -------------------------------*- C++
//-*-===//
// Waves put a part of a tile in LDS, each what it holds, and one lane of each tells the copy engine where it goes. They
// go on at once: the engine reads LDS and writes memory meanwhile. Each wave meets itself alone.
//===--------------------------------------------------------------------------------------------------------------===//
#ifndef TILEC_STORE_PARTS_H
#define TILEC_STORE_PARTS_H

#include "tilec/rearrange.h"
#include "tilec/stream.h"

namespace tilec {
namespace detail {

/// What a wave has of a part of a tile in LDS, as a tile of its own: whole rows. Part is the layout of the part.
template <class Part, class Scratch>
struct WaveBox {
  static constexpr int count_rows() {
    if constexpr (Part::wave_bits > 0)
      return Part::wave_basis(0)[0];
    return Part::Shape::extent(0);
  }
  static constexpr int rows = count_rows();
  static constexpr bool waves_follow() {
    for (int bit = 0; bit < Part::wave_bits; ++bit)
      if (!(Part::wave_basis(bit) == at(rows << bit, 0)))
        return false;
    return rows > 0 && rows << Part::wave_bits >= Part::Shape::extent(0);
  }
  static_assert(waves_follow(), "waves have rows of their own, one behind the other, and no others");
  using Box = Shared<typename Scratch::Element, Shape<rows, Scratch::columns>, typename Scratch::Swizzle>;
};

/// Stores a part of a tile to the matrix of a map, from {row, column} `start` on; rows and columns outside of the
/// matrix are not. Through `scratch`, whose bytes the engine may still read when this returns: they belong to calls of
/// this alone, and to tiles whose waves have the same rows. It waits until at most `Left` of the parts before are still
/// read, which lie elsewhere. Before a thread ends it waits until its stores are complete (await_stores).
template <int Left, class T, class S, class Z, class Part>
TILEC_DEVICE void store_part(Shared<T, S, Z> scratch, const Tile<T, Part> &part, const TensorMap &map,
                             const Coordinates<2> &start, int thread);

/// Until the engine has read what the calling thread has had it store: accesses of threads follow.
template <class Part>
TILEC_DEVICE void await_parts_read();

#if defined(TILEC_EMULATED) || defined(__CUDACC__)
template <class Part>
TILEC_DEVICE void await_parts_read() {
  await_stores_read<0>();
}
template <int Left, class T, class S, class Z, class Part>
TILEC_DEVICE void store_part(Shared<T, S, Z> scratch, const Tile<T, Part> &part, const TensorMap &map,
                             const Coordinates<2> &start, int thread) {
  using Wave = WaveBox<Part, Shared<T, S, Z>>;
  const bool is_asking = target::elected_of_wave();
  // What was there has been read.
  if (is_asking)
    await_stores_read<Left>();
  target::meet_wave();
  store_shared<false>(scratch, part, thread);
  fence_async();
  target::meet_wave();
  const int row = target::uniform(thread / target::wave_lanes) * Wave::rows;
  if (is_asking)
    store_async(map, {start.data[0] + row, start.data[1]},
                typename Wave::Box{scratch.offset + row * BoxPlan<typename Wave::Box>::row_bytes});
}
#endif

/// Whether a kernel was given a map, or one that is all zero: it begins with where the matrix does.
TILEC_DEVICE bool has_map(const TensorMap &map) { return map.words[0] != 0; }

} // namespace detail

/// Stores a tile to a view whose matrix is that of a map, by the copy engine; where it has none (tensor_map), in layout
/// L by accesses of so many elements. What detail::store_part asks for holds here, of so many copies of `scratch`
/// behind each other, which parts take in turn.
template <class L, int Vector, int Copies = 1, class T, class S, class Z, class From>
TILEC_DEVICE void store_async(Shared<T, S, Z> scratch, const Tile<T, From> &tile, const View<T, 2> &view,
                              const Coordinates<2> &start, const TensorMap &map) {
  using Cut = detail::Parts<From, S>;
  if (!detail::has_map(map)) {
    detail::await_parts_read<From>();
    store_rearranged<L, Vector>(scratch, tile, view, start);
    return;
  }
  detail::repeat<Cut::parts>([&](auto part) TILEC_LAMBDA {
    const auto cut = detail::cut_part<Cut, decltype(part)::value>(tile);
    constexpr int number = decltype(part)::value, bytes = Shared<T, S, Z>::bytes;
    // What the task before has used is all read by now.
    constexpr int left = number == 0 ? 0 : Copies - 1;
    detail::store_part<left>(Shared<T, S, Z>{scratch.offset + number % Copies * bytes}, cut, map,
                             Cut::start_of(number, start), target::thread());
  });
}

} // namespace tilec

#endif // TILEC_STORE_PARTS_H
