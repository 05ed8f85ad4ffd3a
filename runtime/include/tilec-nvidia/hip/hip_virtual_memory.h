//===- hip_virtual_memory.h - HIP's names for memory that is mapped by handles, over CUDA's driver -------*- C++
//-*-===//
// What the host library uses of it.
//===--------------------------------------------------------------------------------------------------------------===//
#ifndef TILEC_NVIDIA_HIP_VIRTUAL_MEMORY_H
#define TILEC_NVIDIA_HIP_VIRTUAL_MEMORY_H

#include "hip/hip_driver.h"

using hipMemGenericAllocationHandle_t = CUmemGenericAllocationHandle;
using hipMemAllocationProp = CUmemAllocationProp;
using hipMemAccessDesc = CUmemAccessDesc;

#define hipMemAllocationTypePinned CU_MEM_ALLOCATION_TYPE_PINNED
#define hipMemLocationTypeDevice CU_MEM_LOCATION_TYPE_DEVICE
#define hipMemHandleTypePosixFileDescriptor CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR
#define hipMemAccessFlagsProtReadWrite CU_MEM_ACCESS_FLAGS_PROT_READWRITE
#define hipMemAllocationGranularityRecommended CU_MEM_ALLOC_GRANULARITY_RECOMMENDED

inline cudaError_t hipMemGetAllocationGranularity(size_t *bytes, const hipMemAllocationProp *properties,
                                                  CUmemAllocationGranularity_flags which) {
  return TILEC_DRIVER(cuMemGetAllocationGranularity, bytes, properties, which);
}
inline cudaError_t hipMemCreate(hipMemGenericAllocationHandle_t *handle, size_t bytes,
                                const hipMemAllocationProp *properties, unsigned long long flags) {
  return TILEC_DRIVER(cuMemCreate, handle, bytes, properties, flags);
}
inline cudaError_t hipMemRelease(hipMemGenericAllocationHandle_t handle) { return TILEC_DRIVER(cuMemRelease, handle); }
inline cudaError_t hipMemExportToShareableHandle(void *to, hipMemGenericAllocationHandle_t handle,
                                                 CUmemAllocationHandleType type, unsigned long long flags) {
  return TILEC_DRIVER(cuMemExportToShareableHandle, to, handle, type, flags);
}
inline cudaError_t hipMemImportFromShareableHandle(hipMemGenericAllocationHandle_t *handle, void *from,
                                                   CUmemAllocationHandleType type) {
  return TILEC_DRIVER(cuMemImportFromShareableHandle, handle, from, type);
}
inline cudaError_t hipMemAddressReserve(void **start, size_t bytes, size_t alignment, void *wanted,
                                        unsigned long long flags) {
  CUdeviceptr found = 0;
  const cudaError_t error =
      TILEC_DRIVER(cuMemAddressReserve, &found, bytes, alignment, reinterpret_cast<CUdeviceptr>(wanted), flags);
  *start = reinterpret_cast<void *>(found);
  return error;
}
inline cudaError_t hipMemAddressFree(void *start, size_t bytes) {
  return TILEC_DRIVER(cuMemAddressFree, reinterpret_cast<CUdeviceptr>(start), bytes);
}
inline cudaError_t hipMemMap(void *start, size_t bytes, size_t offset, hipMemGenericAllocationHandle_t handle,
                             unsigned long long flags) {
  return TILEC_DRIVER(cuMemMap, reinterpret_cast<CUdeviceptr>(start), bytes, offset, handle, flags);
}
inline cudaError_t hipMemUnmap(void *start, size_t bytes) {
  return TILEC_DRIVER(cuMemUnmap, reinterpret_cast<CUdeviceptr>(start), bytes);
}
inline cudaError_t hipMemSetAccess(void *start, size_t bytes, const hipMemAccessDesc *who, size_t count) {
  return TILEC_DRIVER(cuMemSetAccess, reinterpret_cast<CUdeviceptr>(start), bytes, who, count);
}

#undef TILEC_DRIVER

#endif // TILEC_NVIDIA_HIP_VIRTUAL_MEMORY_H
