//===- tensor_map.h - emulated: tensor maps in plain words ----------------------------------------------*- C++ -*-===//
// What the device's map says in a form of its own, in the emulator's.
//===--------------------------------------------------------------------------------------------------------------===//
#ifndef TILEC_EMULATED_TENSOR_MAP_H
#define TILEC_EMULATED_TENSOR_MAP_H

#include "tilec/emulated_async.h"
#include "tilec/tensor_map.h"

namespace tilec::target {

template <class Plan, class T, int Rank>
TensorMap encode(const T *pointer, const tilec::detail::MappedShape<Rank> &shape) {
  const emulator::Mapped mapped = {reinterpret_cast<const char *>(pointer),
                                   Rank == 4 ? shape.extents[0] : 1,
                                   Rank == 4 ? shape.pitches[0] : 0,
                                   Rank >= 3 ? shape.extents[Rank < 3 ? 0 : Rank - 3] : 1,
                                   Rank >= 3 ? shape.pitches[Rank < 3 ? 0 : Rank - 3] : 0,
                                   shape.extents[Rank - 2],
                                   shape.extents[Rank - 1] * int(sizeof(T)),
                                   shape.pitches[Rank - 2],
                                   Plan::box_rows,
                                   Plan::row_bytes,
                                   Plan::swizzle,
                                   int(sizeof(T))};
  TensorMap map = {};
  static_assert(sizeof(mapped) <= sizeof(map));
  __builtin_memcpy(&map, &mapped, sizeof(mapped));
  return map;
}

} // namespace tilec::target

#endif // TILEC_EMULATED_TENSOR_MAP_H
