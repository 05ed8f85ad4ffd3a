//===- hip_runtime.h - HIP's names over CUDA 13 ----------------------------------------------------------*- C++
//-*-===//
// What generated text, the host library and tests use of HIP. Names, and functions where CUDA's take
// other arguments.
//===--------------------------------------------------------------------------------------------------------------===//
#ifndef TILEC_NVIDIA_HIP_RUNTIME_H
#define TILEC_NVIDIA_HIP_RUNTIME_H

#include "hip/hip_driver.h"

/// What the driver can do beyond HIP's names in this file is used where this is defined.
#define TILEC_OVER_CUDA 1

using hipError_t = cudaError_t;
using hipStream_t = cudaStream_t;
using hipEvent_t = cudaEvent_t;
using hipGraph_t = cudaGraph_t;
using hipGraphExec_t = cudaGraphExec_t;
using hipIpcMemHandle_t = cudaIpcMemHandle_t;

#define hipSuccess cudaSuccess
#define hipErrorInvalidValue cudaErrorInvalidValue
#define hipErrorInvalidConfiguration cudaErrorInvalidConfiguration
#define hipErrorNotReady cudaErrorNotReady
#define hipErrorOutOfMemory cudaErrorMemoryAllocation
#define hipErrorPeerAccessAlreadyEnabled cudaErrorPeerAccessAlreadyEnabled
#define hipMemcpyDefault cudaMemcpyDefault
#define hipMemcpyHostToDevice cudaMemcpyHostToDevice
#define hipMemcpyDeviceToHost cudaMemcpyDeviceToHost
#define hipMemcpyDeviceToDevice cudaMemcpyDeviceToDevice
#define hipStreamCaptureModeGlobal cudaStreamCaptureModeGlobal
#define hipHostMallocMapped cudaHostAllocMapped
#define hipEventDisableTiming cudaEventDisableTiming
#define hipStreamNonBlocking cudaStreamNonBlocking
#define hipDeviceAttributeL2CacheSize cudaDevAttrL2CacheSize
#define hipDeviceAttributeMultiprocessorCount cudaDevAttrMultiProcessorCount
#define hipDeviceAttributeMaxSharedMemoryPerBlock cudaDevAttrMaxSharedMemoryPerBlockOptin

#define hipDeviceEnablePeerAccess cudaDeviceEnablePeerAccess
#define hipDeviceGetAttribute cudaDeviceGetAttribute
#define hipDeviceSynchronize cudaDeviceSynchronize
#define hipEventCreate cudaEventCreate
#define hipEventCreateWithFlags cudaEventCreateWithFlags
#define hipEventDestroy cudaEventDestroy
#define hipEventElapsedTime cudaEventElapsedTime
#define hipEventRecord cudaEventRecord
#define hipEventSynchronize cudaEventSynchronize
#define hipFree cudaFree
#define hipGetDevice cudaGetDevice
#define hipGetDeviceCount cudaGetDeviceCount
#define hipGetErrorName cudaGetErrorName
#define hipGetErrorString cudaGetErrorString
#define hipGetLastError cudaGetLastError
#define hipGraphDestroy cudaGraphDestroy
#define hipGraphExecDestroy cudaGraphExecDestroy
#define hipGraphLaunch cudaGraphLaunch
#define hipHostFree cudaFreeHost
#define hipHostMalloc cudaHostAlloc
#define hipIpcCloseMemHandle cudaIpcCloseMemHandle
#define hipIpcGetMemHandle cudaIpcGetMemHandle
#define hipIpcMemLazyEnablePeerAccess cudaIpcMemLazyEnablePeerAccess
#define hipIpcOpenMemHandle cudaIpcOpenMemHandle
#define hipMalloc cudaMalloc
#define hipMemcpy cudaMemcpy
#define hipMemcpy2DAsync cudaMemcpy2DAsync
#define hipMemcpyAsync cudaMemcpyAsync
#define hipMemset cudaMemset
#define hipMemsetAsync cudaMemsetAsync
#define hipSetDevice cudaSetDevice
#define hipStreamBeginCapture cudaStreamBeginCapture
#define hipStreamCreate cudaStreamCreate
#define hipStreamCreateWithFlags cudaStreamCreateWithFlags
#define hipStreamDestroy cudaStreamDestroy
#define hipStreamEndCapture cudaStreamEndCapture
#define hipStreamSynchronize cudaStreamSynchronize
#define hipStreamWaitEvent cudaStreamWaitEvent

/// Which kind of memory signals need on AMD. Here all of it is coherent for accesses at system scope.
enum : unsigned { hipDeviceMallocFinegrained = 1, hipDeviceMallocUncached = 3 };
inline hipError_t hipExtMallocWithFlags(void **memory, size_t bytes, unsigned) { return cudaMalloc(memory, bytes); }

// CUDA 12 and later take flags in the place of HIP's last three arguments.
inline hipError_t hipGraphInstantiate(hipGraphExec_t *executable, hipGraph_t graph, void *, char *, size_t) {
  return cudaGraphInstantiate(executable, graph, 0);
}
// The driver's numbers for how a stream compares.
enum : unsigned { hipStreamWaitValueGte = CU_STREAM_WAIT_VALUE_GEQ };
/// The stream goes on when the word at `place` has reached the value; all of its bits count.
inline hipError_t hipStreamWaitValue32(hipStream_t stream, void *place, unsigned value, unsigned flags, unsigned) {
  return TILEC_DRIVER(cuStreamWaitValue32, stream, reinterpret_cast<CUdeviceptr>(place), value, flags);
}
inline hipError_t hipStreamWriteValue32(hipStream_t stream, void *place, unsigned value, unsigned) {
  return TILEC_DRIVER(cuStreamWriteValue32, stream, reinterpret_cast<CUdeviceptr>(place), value,
                      CU_STREAM_WRITE_VALUE_DEFAULT);
}
inline hipError_t hipDeviceGetName(char *name, int bytes, int device) {
  cudaDeviceProp properties;
  const cudaError_t error = cudaGetDeviceProperties(&properties, device);
  for (int i = 0; error == cudaSuccess && i < bytes; ++i)
    name[i] = i + 1 < bytes ? properties.name[i] : '\0';
  return error;
}

#endif // TILEC_NVIDIA_HIP_RUNTIME_H
