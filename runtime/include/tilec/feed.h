//===- feed.h - rows of a matrix for a loop over its columns --------------------------------------------*- C++ -*-===//
// What the accesses of a loop share, computed before it: a window that ends with the view's last row, and this thread's
// offsets. Rows outside of the view are outside of the window and read zero, so that the loop has no masks. Views that
// do not fit (columns apart, rows that are not aligned, more than 2 GiB) go through memory.h.
//===--------------------------------------------------------------------------------------------------------------===//
#ifndef TILEC_FEED_H
#define TILEC_FEED_H

#include "tilec/cast.h"
#include "tilec/memory.h"
#include "tilec/shared.h"

namespace tilec {
namespace detail {

/// The bytes of a matrix from (row, column) on, up to the end of its last row, `before` bytes earlier. Row and column
/// are the same in all lanes.
template <class T>
TILEC_DEVICE target::Window<T> rows_from(const View<T, 2> &view, int row, int column, int before = 0) {
  const long long stride = target::recompute_uniform(view.strides[0]);
  const long long rows = view.extents[0] - row;
  const long long bytes = (rows < 0 ? 0 : rows) * stride * int(sizeof(T));
  const long long most = 0x7ffffffc - before;
  const int length = target::uniform(int(bytes < most ? bytes : most)) + before;
  return target::Window<T>(target::uniform_pointer(view.pointer + row * stride + column - before / int(sizeof(T))),
                           unsigned(length));
}

/// Byte offset of this thread's vector that begins with register `Register`.
template <class L, int Register, class T>
TILEC_DEVICE int offset_of_vector(const View<T, 2> &view, int row, int column) {
  constexpr Point own = L::of(Register);
  constexpr int down = own[0], across = own[1];
  return ((row ^ down) * int(view.strides[0]) + (column ^ across)) * int(sizeof(T));
}

} // namespace detail

/// Whether `feed` serves tiles of so many rows (0: all rows of the view) from `start` on, in vectors of V elements. The
/// same in all lanes.
template <int Rows, int V, class T>
TILEC_DEVICE bool is_regular(const View<T, 2> &of, const Coordinates<2> &start) {
  const View<T, 2> view = detail::recompute(of);
  constexpr int bytes = V * int(sizeof(T));
  const long long stride = view.strides[0];
  const auto place = reinterpret_cast<__UINTPTR_TYPE__>(view.pointer + start[0] * stride + start[1]);
  return target::uniform(view.strides[1] == 1 && stride % V == 0 && place % bytes == 0 &&
                         (Rows ? Rows : view.extents[0]) * stride * int(sizeof(T)) < 0x7fffffff) != 0;
}

/// A loop that goes down the rows of a view, not along its columns.
struct ByRows {};
inline constexpr ByRows by_rows{};

/// A matrix that lies transposed in memory: rows of a tile are columns of the view.
struct Across {};
inline constexpr Across across{};

/// Whether `feed` serves tiles whose columns are rows of the view, all of them: vectors lie along the view's rows.
template <int Rows, int V, class T>
TILEC_DEVICE bool is_regular(const View<T, 2> &view, const Coordinates<2> &start, Across) {
  return target::uniform(view.extents[1] % V == 0) != 0 && is_regular<0, V>(view, start);
}

/// Where the vectors of a tile come from. A step of the loop is so many bytes along the rows of the tile, or down them,
/// from here. Down them nothing is beyond the last row, as what a step moves by is not compared with the window's end.
template <class T, class L, int V, bool IsAcross = false>
struct Feed {
  static constexpr int vectors = L::registers / V;
  static_assert(detail::vector_is_contiguous<L, V, IsAcross ? 0 : 1>(),
                "a vector of a feed lies in one row of the view");
  target::Window<const T> window;
  unsigned offset[vectors]; ///< bytes, of this thread's vectors
  int pitch;                ///< elements between columns of the tile

  TILEC_DEVICE int bytes(int moved) const { return IsAcross ? moved * pitch : moved; }
};

/// For a tile of layout L that begins at `start`. The view's row stride and start[1] are multiples of V.
template <class L, int V, class T>
TILEC_DEVICE Feed<std::remove_const_t<T>, L, V> feed(const View<T, 2> &view, const Coordinates<2> &start) {
  Feed<std::remove_const_t<T>, L, V> result{
      detail::rows_from<const T>({view.pointer, {view.extents[0], view.extents[1]}, {view.strides[0], view.strides[1]}},
                                 start[0], start[1]),
      {},
      1};
  const int thread = target::thread();
  const int row = L::template of_thread<0>(thread), column = L::template of_thread<1>(thread);
  detail::repeat<L::registers / V>([&](auto i) TILEC_LAMBDA {
    result.offset[i] = unsigned(detail::offset_of_vector<L, decltype(i)::value * V>(view, row, column));
  });
  return result;
}

/// The same for a loop that goes down the rows of the view, all of which lie in it. Its columns are a multiple of V;
/// vectors outside of them get an offset outside of every window.
template <class L, int V, class T>
TILEC_DEVICE Feed<std::remove_const_t<T>, L, V> feed(const View<T, 2> &view, const Coordinates<2> &start, ByRows) {
  Feed<std::remove_const_t<T>, L, V> result = feed<L, V>(view, start);
  const int column = L::template of_thread<1>(target::thread());
  detail::repeat<L::registers / V>([&](auto i) TILEC_LAMBDA {
    constexpr int along = L::of(decltype(i)::value * V)[1];
    result.offset[i] |= unsigned(view.extents[1] - V - start[1] - (column ^ along)) & 0x80000000u;
  });
  return result;
}

/// The same for a tile of which `start` has the place of the transpose. What lies outside of the view's columns gets an
/// offset outside of every window; rows all lie in the view.
template <class L, int V, class T>
TILEC_DEVICE auto feed(const View<T, 2> &view, const Coordinates<2> &start, Across) {
  using Element = std::remove_const_t<T>;
  const int pitch = int(view.strides[0]);
  Feed<Element, L, V, true> result{
      detail::rows_from<const T>({view.pointer, {view.extents[0], view.extents[1]}, {view.strides[0], view.strides[1]}},
                                 start[0], 0),
      {},
      target::uniform(pitch)};
  const int thread = target::thread();
  const int row = L::template of_thread<0>(thread), column = L::template of_thread<1>(thread);
  detail::repeat<L::registers / V>([&](auto i) TILEC_LAMBDA {
    constexpr Point own = L::of(decltype(i)::value * V);
    constexpr int down = own[0], along = own[1];
    const int at = start[1] + (row ^ down);
    const unsigned outside = unsigned(view.extents[1] - V - at) & 0x80000000u;
    result.offset[i] = unsigned(((column ^ along) * pitch + at) * int(sizeof(T))) | outside;
  });
  return result;
}

/// The layout by which direct copies fill an LDS tile of type S with 2^WaveBits waves: vectors of 16 bytes lie behind
/// each other in the order of lanes, then of registers, then of waves. It is the inverse of S, so that a swizzle
/// becomes an order of the addresses that are read.
template <class S, int WaveBits>
struct DirectLayout {
  using Shape = typename S::Shape;
  static_assert(Shape::rank == 2, "rows of a matrix are copied");
  static constexpr int rank = 2;
  static constexpr int vector = 16 / int(sizeof(typename S::Element)), vector_bits = detail::log2_of(vector);
  static constexpr int lane_bits = detail::log2_of(target::wave_lanes), wave_bits = WaveBits;
  static constexpr int thread_bits = lane_bits + wave_bits;
  static constexpr int register_bits = detail::log2_of(Shape::size) - thread_bits;
  static constexpr int registers = 1 << register_bits, threads = 1 << thread_bits;
  static_assert(register_bits >= vector_bits, "a wave copies at least 16 bytes a lane");

  /// The element at place 1 << bit of the LDS tile. A swizzle moves columns alone, by what the row says.
  static constexpr Point point(int bit) {
    constexpr int column_bits = detail::log2_of(S::columns);
    if (bit < column_bits)
      return at(0, 1 << bit);
    const int row = 1 << (bit - column_bits);
    return at(row, S::element(at(row, 0)) & (S::columns - 1));
  }
  static constexpr Point register_basis(int bit) { return point(bit < vector_bits ? bit : bit + lane_bits); }
  static constexpr Point thread_basis(int bit) {
    return point(bit < lane_bits ? bit + vector_bits : bit + register_bits);
  }
  static constexpr Point of(int index) {
    Point result;
    for (int bit = 0; bit < register_bits; ++bit)
      if ((index >> bit) & 1)
        result = result ^ register_basis(bit);
    return result;
  }
  template <int Dim>
  struct ThreadMap {
    static constexpr int bits = thread_bits;
    static constexpr int basis(int bit) { return thread_basis(bit)[Dim]; }
  };
  template <int Dim>
  static TILEC_DEVICE int of_thread(int thread) {
    return detail::apply<ThreadMap<Dim>>(thread);
  }
};

/// The same for copies to LDS that pass no register. Four vectors share one base of LDS: their immediates move both
/// addresses, so that the window begins as many bytes early and offsets have the immediate taken off.
template <class T, class S, int WaveBits>
struct DirectFeed {
  using Layout = DirectLayout<S, WaveBits>;
  static constexpr int vectors = Layout::registers / Layout::vector;
  /// Bytes of LDS between consecutive vectors of a wave, and between groups that share a base.
  static constexpr int pitch = 16 * target::wave_lanes, group = 4, waves = 1 << WaveBits;
  target::Window<const T> window;
  unsigned offset[vectors];
  int wave; ///< bytes of the tile that earlier waves fill
  int half; ///< of the waves: 0 or 1 where each half copies all of the tile
};

/// Each half of the waves copies all of the tile.
struct Halved {};
inline constexpr Halved halved{};

namespace detail {

/// The feed of wave number `wave` among the 2^WaveBits of this half; this thread is number `thread` of them. Where it
/// goes by rows, vectors outside of the view's columns get an offset outside of every window.
template <class S, int WaveBits, bool IsByRows, class T>
TILEC_DEVICE auto direct_feed_of(const View<T, 2> &view, const Coordinates<2> &start, int half, int wave, int thread) {
  using Element = std::remove_const_t<T>;
  using Result = DirectFeed<Element, S, WaveBits>;
  using L = typename Result::Layout;
  constexpr int before = Result::pitch * Result::group;
  Result result{
      detail::rows_from<const T>({view.pointer, {view.extents[0], view.extents[1]}, {view.strides[0], view.strides[1]}},
                                 start[0], start[1], before),
      {},
      target::uniform_base(wave * (S::bytes >> WaveBits)),
      half};
  const int row = L::template of_thread<0>(thread), column = L::template of_thread<1>(thread);
  detail::repeat<Result::vectors>([&](auto i) TILEC_LAMBDA {
    constexpr int first = decltype(i)::value * L::vector, across = L::of(first)[1];
    constexpr int immediate = decltype(i)::value % Result::group * Result::pitch;
    result.offset[i] = unsigned(detail::offset_of_vector<L, first>(view, row, column) + before - immediate);
    if constexpr (IsByRows)
      result.offset[i] |= unsigned(view.extents[1] - L::vector - start[1] - (column ^ across)) & 0x80000000u;
  });
  return result;
}

} // namespace detail

/// For an LDS tile of type S that begins at `start`. The view's row stride and start[1] are multiples of 16 bytes.
template <class S, int WaveBits, class T>
TILEC_DEVICE auto direct_feed(const View<T, 2> &view, const Coordinates<2> &start) {
  return detail::direct_feed_of<S, WaveBits, false>(view, start, 0, target::wave(), target::thread());
}
template <class S, int WaveBits, class T>
TILEC_DEVICE auto direct_feed(const View<T, 2> &view, const Coordinates<2> &start, Halved) {
  constexpr int waves = 1 << (WaveBits - 1);
  return detail::direct_feed_of<S, WaveBits - 1, false>(view, start, target::wave() / waves, target::wave() % waves,
                                                        target::thread() % (waves * target::wave_lanes));
}
/// The same for a loop that goes down the rows of the view, all of which lie in it. Its columns are a multiple of 16
/// bytes.
template <class S, int WaveBits, class T>
TILEC_DEVICE auto direct_feed(const View<T, 2> &view, const Coordinates<2> &start, ByRows) {
  return detail::direct_feed_of<S, WaveBits, true>(view, start, 0, target::wave(), target::thread());
}
template <class S, int WaveBits, class T>
TILEC_DEVICE auto direct_feed(const View<T, 2> &view, const Coordinates<2> &start, ByRows, Halved) {
  constexpr int waves = 1 << (WaveBits - 1);
  return detail::direct_feed_of<S, WaveBits - 1, true>(view, start, target::wave() / waves, target::wave() % waves,
                                                       target::thread() % (waves * target::wave_lanes));
}

/// Registers to a view, converted to its elements: through a window, without a branch or a mask register. The view's
/// row stride, its columns and start[1] are multiples of V.
template <int V, class S, class L, class T>
TILEC_DEVICE void drain(const Tile<S, L> &tile, const View<T, 2> &view, const Coordinates<2> &start) {
  static_assert(detail::vector_is_contiguous<L, V>(), "a vector is stored to one row");
  const auto window = detail::rows_from(view, start[0], 0);
  // Computed here and not before the loop, where every register counts.
  const int thread = target::recompute(target::thread());
  const int row = L::template of_thread<0>(thread), column = L::template of_thread<1>(thread);
  detail::repeat<L::registers / V>([&](auto i) TILEC_LAMBDA {
    constexpr Point own = L::of(decltype(i)::value * V);
    constexpr int down = own[0], across = own[1];
    const int at_row = row ^ down, at_column = start[1] + (column ^ across);
    // The sign of what is left of the row: an offset with it is outside of every window.
    const unsigned outside = unsigned(view.extents[1] - V - at_column) & 0x80000000u;
    T run[V];
    detail::repeat<V>([&](auto e) TILEC_LAMBDA {
      constexpr int member = decltype(i)::value * V + decltype(e)::value;
      run[e] = cast<T>(tile.data[member]);
    });
    target::store_window<V>(window, unsigned((at_row * int(view.strides[0]) + at_column) * int(sizeof(T))) | outside,
                            run);
    target::pin();
  });
}

} // namespace tilec

#endif // TILEC_FEED_H
