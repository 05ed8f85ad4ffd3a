// How generated launchers start a kernel. One spelling for HIP, CUDA and the emulator. Choosing grids, checking
// arguments and errors in words belong to the host.
#ifndef TILEC_LAUNCH_KERNEL_H
#define TILEC_LAUNCH_KERNEL_H

#include <hip/hip_runtime.h>

namespace tilec {

/// Enqueues `workgroups` workgroups of `threads` threads with `lds_bytes` of dynamic LDS on `stream` (a hipStream_t;
/// null is the default stream). Allocates nothing on the device and does not synchronise. Returns 0 or the runtime's
/// error.
template <typename... Parameters, typename... Arguments>
int launch_kernel(void (*kernel)(Parameters...), int workgroups, int threads, int lds_bytes, void *stream,
                  Arguments... arguments) {
  static_assert(sizeof...(Parameters) == sizeof...(Arguments), "one argument for each parameter of the kernel");
#if defined(TILEC_EMULATED)
  if (workgroups <= 0 || threads <= 0)
    return hipErrorInvalidConfiguration;
  return emulator::launch([=] { kernel(static_cast<Parameters>(arguments)...); }, {unsigned(workgroups), 1, 1},
                          {unsigned(threads), 1, 1}, lds_bytes, stream);
#elif defined(__CUDACC__)
  // Above 48 KiB a kernel must ask; asking again changes nothing.
  if (cudaError_t error = cudaFuncSetAttribute(reinterpret_cast<const void *>(kernel),
                                               cudaFuncAttributeMaxDynamicSharedMemorySize, lds_bytes))
    return int(error);
  kernel<<<workgroups, threads, lds_bytes, static_cast<cudaStream_t>(stream)>>>(static_cast<Parameters>(arguments)...);
  return int(cudaGetLastError());
#else
  kernel<<<workgroups, threads, lds_bytes, static_cast<hipStream_t>(stream)>>>(static_cast<Parameters>(arguments)...);
  return int(hipGetLastError());
#endif
}

} // namespace tilec

#endif // TILEC_LAUNCH_KERNEL_H
