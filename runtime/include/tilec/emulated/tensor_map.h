//===- tensor_map.h - emulated: tensor maps in plain words ----------------------------------------------*- C++ -*-===//
// What the device's map says in a form of its own, in the emulator's.
//===--------------------------------------------------------------------------------------------------------------===//
#ifndef TILEC_EMULATED_TENSOR_MAP_H
#define TILEC_EMULATED_TENSOR_MAP_H

#include "tilec/emulated_async.h"
#include "tilec/tensor_map.h"

namespace tilec::target {

template <class Plan, class T>
TensorMap encode(const T *pointer, const long long (&extents)[2], long long pitch) {
  const emulator::Mapped mapped = {reinterpret_cast<const char *>(pointer),
                                   extents[0],
                                   extents[1] * int(sizeof(T)),
                                   pitch,
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
