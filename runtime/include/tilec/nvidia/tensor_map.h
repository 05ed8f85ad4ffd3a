//===- tensor_map.h - NVIDIA: tensor maps by the driver --------------------------------------------------*- C++
//-*-===//
// The driver's function is found through the runtime, so that nothing links the driver.
//===--------------------------------------------------------------------------------------------------------------===//
#ifndef TILEC_NVIDIA_TENSOR_MAP_H
#define TILEC_NVIDIA_TENSOR_MAP_H

#include "tilec/float8.h"
#include "tilec/tensor_map.h"

namespace tilec::target {

template <class T>
constexpr CUtensorMapDataType type_in_map() {
  if constexpr (std::is_same_v<T, bf16>)
    return CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
  else if constexpr (std::is_same_v<T, f16>)
    return CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
  else if constexpr (std::is_same_v<T, float>)
    return CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
  else if constexpr (std::is_same_v<T, double>)
    return CU_TENSOR_MAP_DATA_TYPE_FLOAT64;
  else if constexpr (std::is_same_v<T, int>)
    return CU_TENSOR_MAP_DATA_TYPE_INT32;
  else
    return CU_TENSOR_MAP_DATA_TYPE_UINT8;
}

using EncodeTiled = CUresult(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *,
                             const cuuint64_t *, const cuuint32_t *, const cuuint32_t *, CUtensorMapInterleave,
                             CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill);

/// Null where the driver has no tensor maps.
inline EncodeTiled *encode_tiled() {
  static EncodeTiled *const function = [] {
    void *found = nullptr;
    cudaDriverEntryPointQueryResult result;
    if (cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault, &result) !=
            cudaSuccess ||
        result != cudaDriverEntryPointSuccess)
      found = nullptr;
    return reinterpret_cast<EncodeTiled *>(found);
  }();
  return function;
}

/// The map of a regular matrix, or a row of them; all zero where the driver refuses.
template <class Plan, class T, int Rank>
TensorMap encode(const T *pointer, const tilec::detail::MappedShape<Rank> &shape) {
  static_assert(sizeof(TensorMap) == sizeof(CUtensorMap) && alignof(TensorMap) >= alignof(CUtensorMap));
  EncodeTiled *const function = encode_tiled();
  if (!function)
    return {};
  // The driver begins with the columns.
  cuuint64_t sides[Rank], apart[Rank - 1];
  cuuint32_t box[Rank], steps[Rank];
  for (int dim = 0; dim < Rank; ++dim) {
    sides[dim] = cuuint64_t(shape.extents[Rank - 1 - dim]);
    box[dim] = dim == 0 ? cuuint32_t(Plan::columns) : dim == 1 ? cuuint32_t(Plan::box_rows) : 1;
    steps[dim] = 1;
    if (dim > 0)
      apart[dim - 1] = cuuint64_t(shape.pitches[Rank - 1 - dim]);
  }
  constexpr CUtensorMapSwizzle swizzle = Plan::swizzle == 128  ? CU_TENSOR_MAP_SWIZZLE_128B
                                         : Plan::swizzle == 64 ? CU_TENSOR_MAP_SWIZZLE_64B
                                         : Plan::swizzle == 32 ? CU_TENSOR_MAP_SWIZZLE_32B
                                                               : CU_TENSOR_MAP_SWIZZLE_NONE;
  // Of 128 bytes, as a row of a box has: of 256, two boxes that lie side by side would both ask memory for all of it.
  TensorMap map;
  const CUresult result =
      function(reinterpret_cast<CUtensorMap *>(&map), type_in_map<std::remove_const_t<T>>(), Rank,
               const_cast<std::remove_const_t<T> *>(pointer), sides, apart, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
               swizzle, CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  return result == CUDA_SUCCESS ? map : TensorMap{};
}

} // namespace tilec::target

#endif // TILEC_NVIDIA_TENSOR_MAP_H
