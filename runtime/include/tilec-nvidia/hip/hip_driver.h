//===- hip_driver.h - calls of CUDA's driver ------------------------------------------------------------*- C++ -*-===//
// Its functions are found through the runtime, so that nothing links the driver. Its results have the numbers of the
// runtime's errors.
//===--------------------------------------------------------------------------------------------------------------===//
#ifndef TILEC_NVIDIA_HIP_DRIVER_H
#define TILEC_NVIDIA_HIP_DRIVER_H

#include <cuda.h>
#include <cuda_runtime.h>

namespace tilec_nvidia {

/// Calls a function of the driver; cudaErrorNotSupported where the driver has none of that name.
template <class Function, class... Arguments>
cudaError_t driver(const char *name, Function *, Arguments... arguments) {
  void *found = nullptr;
  cudaDriverEntryPointQueryResult result;
  const cudaError_t error = cudaGetDriverEntryPointByVersion(name, &found, 12000, cudaEnableDefault, &result);
  if (error != cudaSuccess || result != cudaDriverEntryPointSuccess)
    return error != cudaSuccess ? error : cudaErrorNotSupported;
  return static_cast<cudaError_t>(reinterpret_cast<Function *>(found)(arguments...));
}

} // namespace tilec_nvidia

// A null pointer of the function's type: naming the function itself would link it.
#define TILEC_DRIVER(name, ...) tilec_nvidia::driver(#name, static_cast<decltype(&name)>(nullptr), __VA_ARGS__)

#endif // TILEC_NVIDIA_HIP_DRIVER_H
