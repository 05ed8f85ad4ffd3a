//===- tensor_map.h - matrices as bulk copies address them -----------------------------------------------*- C++
//-*-===//
// A tensor map names a matrix in global memory and the boxes in which it is copied to LDS. The host makes it, a kernel
// takes it as `const TILEC_GRID_CONSTANT tilec::TensorMap`. Which LDS tiles a box fills is decided here.
//===--------------------------------------------------------------------------------------------------------------===//
#ifndef TILEC_TENSOR_MAP_H
#define TILEC_TENSOR_MAP_H

#include "tilec/shared.h"
#if defined(__CUDACC__)
#include <cuda.h>
#endif

#if defined(__CUDACC__)
/// A parameter whose address is that of the kernel's arguments, so that no thread has a copy.
#define TILEC_GRID_CONSTANT __grid_constant__
#else
#define TILEC_GRID_CONSTANT
#endif

namespace tilec {

/// All zero: the matrix has no map (see `tensor_map`).
struct alignas(128) TensorMap {
  unsigned long long words[16];
};

/// Whether the matrix has a map. By the host.
inline bool is_mapped(const TensorMap &map) {
  unsigned long long any = 0;
  for (unsigned long long word : map.words)
    any |= word;
  return any != 0;
}
/// Whether all of them have. By the host, which starts a kernel with or without bulk copies.
template <class... Maps>
bool are_mapped(const Maps &...maps) {
  return (is_mapped(maps) && ...);
}

namespace detail {

/// How an LDS tile of type S falls into the boxes of bulk copies, and what swizzle of theirs it has: that of rows of so
/// many bytes, 0 without one. A swizzle counts from the start of LDS, so that a tile begins at a multiple of its 8
/// rows.
template <class S>
struct BoxPlan {
  using T = typename S::Element;
  using Z = typename S::Swizzle;
  static_assert(S::rank == 2, "boxes of matrices are copied");
  static constexpr int rows = S::Shape::extent(0), columns = S::panel, panels = S::columns / columns;
  static constexpr int row_bytes = columns * int(sizeof(T));
  static constexpr int swizzle_bytes() {
    if (Z::phases == 1)
      return 0;
    for (int bytes : {32, 64, 128})
      if (row_bytes == bytes && Z::vector * int(sizeof(T)) == 16 && Z::phases == bytes / 16 &&
          Z::per_phase == 128 / bytes)
        return bytes;
    return -1;
  }
  static constexpr int swizzle = swizzle_bytes();
  static_assert(swizzle >= 0, "bulk copies know swizzles of rows of 32, 64 and 128 bytes in units of 16");
  static_assert(row_bytes % 16 == 0 && columns <= 256, "a row of a box is at most 256 elements, in units of 16 bytes");
  static constexpr int panel_bytes = rows * row_bytes;
  static constexpr int box_rows = rows < 256 ? rows : 256, boxes = rows / box_rows * panels;
  static constexpr int box_bytes = box_rows * row_bytes;
  /// The first row and column of a box. Boxes lie behind each other.
  static constexpr int row_of(int box) { return box * box_rows % rows; }
  static constexpr int column_of(int box) { return box * box_rows / rows * columns; }
  static constexpr int alignment = swizzle ? 8 * swizzle : 128;
};

/// Elements, and bytes from one to the next, of each dimension.
template <int Rank>
struct MappedShape {
  long long extents[Rank], pitches[Rank];
};

} // namespace detail
} // namespace tilec

#if defined(TILEC_EMULATED)
#include "tilec/emulated/tensor_map.h"
#elif defined(__CUDACC__)
#include "tilec/nvidia/tensor_map.h"
#endif

#if defined(TILEC_EMULATED) || defined(__CUDACC__)
namespace tilec {

/// By the host: the map of a matrix at `pointer` for copies to LDS tiles of type S. Extents and strides are in
/// elements. Rows and columns outside of the matrix are copied as zero. With three extents it is a row of matrices,
/// each with an outside of its own, with four a row of such rows. What bulk copies cannot address (columns apart, rows
/// or matrices not a multiple of 16 bytes apart, a base that is not a multiple of 16, nothing in it) has the map that
/// is all zero, as have rows of 2 GiB or more: a loop along them counts bytes in 32 bits.
template <class S, class T, int Rank>
TensorMap tensor_map(const T *pointer, const long long (&extents)[Rank], const long long (&strides)[Rank]) {
  static_assert(std::is_same_v<std::remove_const_t<T>, typename S::Element>, "the LDS tile has other elements");
  static_assert(Rank >= 2 && Rank <= 4, "a matrix, a row of them, or a row of rows");
  constexpr long long size = sizeof(T), most_rows = 1ll << 32, most_bytes = 1ll << 40, row_end = 1ll << 31;
  detail::MappedShape<Rank> shape;
  bool regular = reinterpret_cast<__UINTPTR_TYPE__>(pointer) % 16 == 0 && strides[Rank - 1] == 1 &&
                 strides[Rank - 2] >= extents[Rank - 1] && extents[Rank - 1] < row_end / size;
  for (int dim = 0; dim < Rank; ++dim) {
    shape.extents[dim] = extents[dim];
    shape.pitches[dim] = strides[dim] * size;
    regular = regular && extents[dim] > 0 && extents[dim] <= most_rows && strides[dim] >= 0 &&
              shape.pitches[dim] < most_bytes && (dim == Rank - 1 || shape.pitches[dim] % 16 == 0);
  }
  return regular ? target::encode<detail::BoxPlan<S>>(pointer, shape) : TensorMap{};
}
/// The same of what lies in scratch.
template <class S, int Rank>
TensorMap tensor_map(const char *scratch, const long long (&extents)[Rank], const long long (&strides)[Rank]) {
  return tensor_map<S>(reinterpret_cast<const typename S::Element *>(scratch), extents, strides);
}

} // namespace tilec
#endif

#endif // TILEC_TENSOR_MAP_H
