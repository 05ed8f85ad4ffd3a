//===- hip_runtime.h - enough of HIP's names to compile device code for NVIDIA without CUDA -----*- C++ -*-===//
// For tests: clang -x cuda --cuda-device-only -nocudainc -nocudalib. Attributes, indices and what a launcher names,
// nothing that runs. Applications use tilec-nvidia/hip/hip_runtime.h, which is CUDA's.
//===--------------------------------------------------------------------------------------------------------------===//
#ifndef TILEC_TEST_NVIDIA_HIP_RUNTIME_H
#define TILEC_TEST_NVIDIA_HIP_RUNTIME_H

#include "../../attributes.h"

#define __grid_constant__ __attribute__((grid_constant))
#define __align__(n) __attribute__((aligned(n)))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __CUDACC__ 1

struct alignas(8) uint2 {
  unsigned x, y;
};
struct alignas(16) uint4 {
  unsigned x, y, z, w;
};

namespace tilec_test {
#define TILEC_TEST_INDEX(name, part)                                                                                   \
  struct name##Index {                                                                                                 \
    __device__ __forceinline__ unsigned getX() const { return __nvvm_read_ptx_sreg_##part##_x(); }                     \
    __declspec(property(get = getX)) unsigned x;                                                                       \
  };
TILEC_TEST_INDEX(thread, tid)
TILEC_TEST_INDEX(block, ctaid)
TILEC_TEST_INDEX(threads, ntid)
TILEC_TEST_INDEX(grid, nctaid)
} // namespace tilec_test

TILEC_TEST_INDICES

__device__ __forceinline__ unsigned __shfl_xor_sync(unsigned mask, unsigned value, int lanes) {
  return __nvvm_shfl_sync_bfly_i32(mask, value, lanes, 0x1f);
}
__device__ __forceinline__ int __shfl_sync(unsigned mask, int value, int lane) {
  return __nvvm_shfl_sync_idx_i32(mask, value, lane, 0x1f);
}
__device__ __forceinline__ void __syncwarp() { __nvvm_bar_warp_sync(0xffffffff); }
__device__ __forceinline__ void __nanosleep(unsigned time) { __nvvm_nanosleep(time); }
// Of CUDA's device library.
extern "C" __device__ float expf(float), exp2f(float), logf(float), log2f(float), sqrtf(float), rsqrtf(float);

using cudaStream_t = struct CUstream_st *;
enum cudaError_t { cudaSuccess = 0 };
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize = 8 };
enum cudaDriverEntryPointQueryResult { cudaDriverEntryPointSuccess = 0 };
constexpr unsigned long long cudaEnableDefault = 0;
enum cudaDeviceAttr { cudaDevAttrMultiProcessorCount = 16 };
enum cudaLaunchAttributeID {
  cudaLaunchAttributeClusterDimension = 4,
  cudaLaunchAttributeProgrammaticStreamSerialization = 6
};
struct cudaLaunchAttribute {
  cudaLaunchAttributeID id;
  union {
    struct {
      unsigned x, y, z;
    } clusterDim;
    int programmaticStreamSerializationAllowed;
  } val;
};
struct cudaLaunchConfig_t {
  dim3 gridDim, blockDim;
  decltype(sizeof(0)) dynamicSmemBytes;
  cudaStream_t stream;
  cudaLaunchAttribute *attrs;
  unsigned numAttrs;
};
cudaError_t cudaGetLastError();
cudaError_t cudaGetDevice(int *);
cudaError_t cudaDeviceGetAttribute(int *, cudaDeviceAttr, int);
template <class... Parameters, class... Arguments>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *, void (*)(Parameters...), Arguments &&...);
cudaError_t cudaGetDriverEntryPointByVersion(const char *, void **, unsigned, unsigned long long,
                                             cudaDriverEntryPointQueryResult *);
cudaError_t cudaFuncSetAttribute(const void *, cudaFuncAttribute, int);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *, const void *, int, decltype(sizeof(0)));
cudaError_t cudaConfigureCall(dim3 grid, dim3 block, decltype(sizeof(0)) bytes = 0, cudaStream_t stream = nullptr);
extern "C" unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, decltype(sizeof(0)) bytes = 0,
                                                void *stream = nullptr);

// What a launcher asks of a copy engine.
using hipStream_t = struct CUstream_st *;
using hipEvent_t = struct CUevent_st *;
enum hipMemcpyKind { hipMemcpyDefault = 4 };
int hipMemcpyAsync(void *, const void *, decltype(sizeof(0)), hipMemcpyKind, hipStream_t);
int hipMemcpy2DAsync(void *, decltype(sizeof(0)), const void *, decltype(sizeof(0)), decltype(sizeof(0)),
                     decltype(sizeof(0)), hipMemcpyKind, hipStream_t);
int hipEventRecord(hipEvent_t, hipStream_t);
int hipStreamWaitEvent(hipStream_t, hipEvent_t, unsigned);
enum : unsigned { hipStreamWaitValueGte = 0 };
int hipStreamWaitValue32(hipStream_t, void *, unsigned, unsigned, unsigned);
int hipStreamWriteValue32(hipStream_t, void *, unsigned, unsigned);

#endif // TILEC_TEST_NVIDIA_HIP_RUNTIME_H
