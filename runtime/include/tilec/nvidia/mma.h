//===- mma.h - NVIDIA: matrix instructions ---------------------------------------------------------------*- C++
//-*-===//
// Tensor cores are asynchronous here and get constructs of their own; the instructions of tilec/mma.h are AMD's, and a
// program for this machine that asks for one does not compile.
//===--------------------------------------------------------------------------------------------------------------===//
#ifndef TILEC_NVIDIA_MMA_H
#define TILEC_NVIDIA_MMA_H

#include "tilec/mma.h"

namespace tilec::target {

template <class I>
TILEC_DEVICE void multiply(const tilec::detail::Fragment<typename I::Element, I::elements> &,
                           const tilec::detail::Fragment<typename I::Element, I::elements> &,
                           tilec::detail::Fragment<typename I::Sum, I::registers> &) {
  static_assert(sizeof(I) == 0, "this GPU has no such matrix instruction");
}

} // namespace tilec::target

#endif // TILEC_NVIDIA_MMA_H
