//===- view.h - a strided array in global memory --------------------------------------------------------*- C++ -*-===//
// Views and coordinates. Nothing here touches memory.
//===--------------------------------------------------------------------------------------------------------------===//
#ifndef TILEC_VIEW_H
#define TILEC_VIEW_H

#include "tilec/types.h"

namespace tilec {

/// A list of indices, one per dimension.
template <int Rank>
struct Coordinates {
  int data[Rank];

  TILEC_HOST_DEVICE int &operator[](int dim) { return data[dim]; }
  TILEC_HOST_DEVICE int operator[](int dim) const { return data[dim]; }
};

namespace detail {

/// The index of a further dimension, then the others.
template <int Rank>
TILEC_DEVICE Coordinates<Rank + 1> behind(int first, const Coordinates<Rank> &others) {
  Coordinates<Rank + 1> all;
  all.data[0] = first;
#pragma unroll
  for (int dim = 0; dim < Rank; ++dim)
    all.data[dim + 1] = others.data[dim];
  return all;
}

} // namespace detail

/// Extents and strides in elements. The pointer is aligned to the element.
template <class T, int Rank>
struct View {
  T *pointer;
  int extents[Rank];
  long long strides[Rank];
};

template <class T, int Rank>
TILEC_HOST_DEVICE View<T, Rank> view(T *pointer, const int (&extents)[Rank], const long long (&strides)[Rank]) {
  View<T, Rank> result;
  result.pointer = pointer;
#pragma unroll
  for (int dim = 0; dim < Rank; ++dim) {
    result.extents[dim] = extents[dim];
    result.strides[dim] = strides[dim];
  }
  return result;
}

/// A view that starts `offset` elements into the array, in each dimension; the extents are those of the view.
template <class T, int Rank>
TILEC_HOST_DEVICE View<T, Rank> view_at(T *pointer, const long long (&offset)[Rank], const int (&extents)[Rank],
                                        const long long (&strides)[Rank]) {
#pragma unroll
  for (int dim = 0; dim < Rank; ++dim)
    pointer += offset[dim] * strides[dim];
  return view(pointer, extents, strides);
}

} // namespace tilec

#endif // TILEC_VIEW_H
