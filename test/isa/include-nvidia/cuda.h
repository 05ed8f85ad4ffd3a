//===- cuda.h - what tensor maps use of the driver's header ------------------------------------------------*- C++
//-*-===//
// For tests that compile without CUDA, as hip/hip_runtime.h here: names alone, with the driver's values.
//===--------------------------------------------------------------------------------------------------------------===//
#ifndef TILEC_TEST_NVIDIA_CUDA_H
#define TILEC_TEST_NVIDIA_CUDA_H

using cuuint32_t = unsigned;
using cuuint64_t = unsigned long long;
enum CUresult { CUDA_SUCCESS = 0 };
struct alignas(64) CUtensorMap {
  cuuint64_t opaque[16];
};
enum CUtensorMapDataType {
  CU_TENSOR_MAP_DATA_TYPE_UINT8 = 0,
  CU_TENSOR_MAP_DATA_TYPE_INT32 = 3,
  CU_TENSOR_MAP_DATA_TYPE_FLOAT16 = 6,
  CU_TENSOR_MAP_DATA_TYPE_FLOAT32 = 7,
  CU_TENSOR_MAP_DATA_TYPE_FLOAT64 = 8,
  CU_TENSOR_MAP_DATA_TYPE_BFLOAT16 = 9
};
enum CUtensorMapInterleave { CU_TENSOR_MAP_INTERLEAVE_NONE = 0 };
enum CUtensorMapSwizzle {
  CU_TENSOR_MAP_SWIZZLE_NONE = 0,
  CU_TENSOR_MAP_SWIZZLE_32B = 1,
  CU_TENSOR_MAP_SWIZZLE_64B = 2,
  CU_TENSOR_MAP_SWIZZLE_128B = 3
};
enum CUtensorMapL2promotion { CU_TENSOR_MAP_L2_PROMOTION_L2_128B = 2 };
enum CUtensorMapFloatOOBfill { CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE = 0 };

#endif // TILEC_TEST_NVIDIA_CUDA_H
