//===- hip_runtime.h - enough of HIP to compile device code without ROCm --------------------------------*- C++ -*-===//
// For tests that look at the instructions of a kernel: clang -x hip --cuda-device-only -nogpuinc -nogpulib. Attributes,
// indices and what a launcher names, nothing that runs. Applications use ROCm's header.
//===--------------------------------------------------------------------------------------------------------------===//
#ifndef TILEC_TEST_HIP_RUNTIME_H
#define TILEC_TEST_HIP_RUNTIME_H

#include "../../attributes.h"

// As HIP does: the second argument is the number of waves per SIMD to leave room for.
#define TILEC_TEST_BOUNDS_1(threads) __attribute__((amdgpu_flat_work_group_size(1, threads)))
#define TILEC_TEST_BOUNDS_2(threads, waves)                                                                            \
  __attribute__((amdgpu_flat_work_group_size(1, threads), amdgpu_waves_per_eu(waves)))
#define TILEC_TEST_CHOOSE(first, second, name, ...) name
#define __launch_bounds__(...) TILEC_TEST_CHOOSE(__VA_ARGS__, TILEC_TEST_BOUNDS_2, TILEC_TEST_BOUNDS_1, 0)(__VA_ARGS__)

namespace tilec_test {
template <unsigned (*X)(), unsigned (*Y)(), unsigned (*Z)()>
struct Index {
  __device__ __forceinline__ unsigned getX() const { return X(); }
  __device__ __forceinline__ unsigned getY() const { return Y(); }
  __device__ __forceinline__ unsigned getZ() const { return Z(); }
  __declspec(property(get = getX)) unsigned x;
  __declspec(property(get = getY)) unsigned y;
  __declspec(property(get = getZ)) unsigned z;
};
#define TILEC_TEST_INDEX(name, expression)                                                                             \
  __device__ __forceinline__ unsigned name##X() { return expression(x); }                                              \
  __device__ __forceinline__ unsigned name##Y() { return expression(y); }                                              \
  __device__ __forceinline__ unsigned name##Z() { return expression(z); }                                              \
  using name##Index = Index<name##X, name##Y, name##Z>;
#define TILEC_TEST_THREAD(d) __builtin_amdgcn_workitem_id_##d()
#define TILEC_TEST_BLOCK(d) __builtin_amdgcn_workgroup_id_##d()
#define TILEC_TEST_THREADS(d) __builtin_amdgcn_workgroup_size_##d()
#define TILEC_TEST_GRID(d) (__builtin_amdgcn_grid_size_##d() / __builtin_amdgcn_workgroup_size_##d())
TILEC_TEST_INDEX(thread, TILEC_TEST_THREAD)
TILEC_TEST_INDEX(block, TILEC_TEST_BLOCK)
TILEC_TEST_INDEX(threads, TILEC_TEST_THREADS)
TILEC_TEST_INDEX(grid, TILEC_TEST_GRID)
} // namespace tilec_test

TILEC_TEST_INDICES

using hipStream_t = struct ihipStream_t *;
enum hipError_t { hipSuccess = 0 };
hipError_t hipGetLastError();
// What a launcher asks of a copy engine.
using hipEvent_t = struct ihipEvent_t *;
enum hipMemcpyKind { hipMemcpyDefault = 4 };
hipError_t hipMemcpyAsync(void *, const void *, decltype(sizeof(0)), hipMemcpyKind, hipStream_t);
hipError_t hipMemcpy2DAsync(void *, decltype(sizeof(0)), const void *, decltype(sizeof(0)), decltype(sizeof(0)),
                            decltype(sizeof(0)), hipMemcpyKind, hipStream_t);
hipError_t hipEventRecord(hipEvent_t, hipStream_t);
hipError_t hipStreamWaitEvent(hipStream_t, hipEvent_t, unsigned);
#define hipStreamWaitValueGte 0x0
hipError_t hipStreamWaitValue32(hipStream_t, void *, unsigned, unsigned, unsigned);
hipError_t hipStreamWriteValue32(hipStream_t, void *, unsigned, unsigned);
hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int *, const void *, int, decltype(sizeof(0)));
extern "C" int __hipPushCallConfiguration(dim3 grid, dim3 block, decltype(sizeof(0)) bytes, void *stream);

#endif // TILEC_TEST_HIP_RUNTIME_H
