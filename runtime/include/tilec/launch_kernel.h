// How generated launchers start a kernel. One spelling for HIP, CUDA and the emulator. Choosing grids, checking
// arguments and errors in words belong to the host.
#ifndef TILEC_LAUNCH_KERNEL_H
#define TILEC_LAUNCH_KERNEL_H

#include <hip/hip_runtime.h>

/// The host library takes here what a query found: workgroups of one kernel that a compute unit holds at once.
extern "C" void tilec_note_occupancy(int workgroups);

namespace tilec {

#if defined(__CUDACC__)
/// Above 48 KiB a kernel must ask for its LDS before anything is asked of it; asking again changes nothing. Returns 0
/// or the runtime's error.
template <typename Kernel>
int allow_lds(Kernel *kernel, int lds_bytes) {
  return int(cudaFuncSetAttribute(reinterpret_cast<const void *>(kernel), cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  lds_bytes));
}

/// Whether a kernel's workgroups may come while the kernel before it on the stream is running: `enter` waits for the
/// end of that one. Not where they leave more than an eighth of the units idle: 80 workgroups on 132 units took 26 us
/// instead of 21 on two H200 (docs/figures.md, "Early launches"). The same on all devices of a process.
inline bool comes_early(int workgroups) {
  static const int units = [] {
    int device = 0, count = 0;
    if (cudaGetDevice(&device) == cudaSuccess)
      cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device);
    return count;
  }();
  return workgroups >= units - units / 8;
}
#endif

/// Asks the device's runtime how many workgroups of the compiled kernel a compute unit holds. Returns 0 or the
/// runtime's error. The kernel is loaded then: on two H200 the first launch of one that CUDA had not loaded yet never
/// returned while another stream waited for a value that this kernel would write.
template <typename Kernel>
int find_occupancy(Kernel *kernel, int threads, int lds_bytes, int &held) {
#if defined(TILEC_EMULATED)
  held = emulator::options().resident;
  const int error = 0;
#elif defined(__CUDACC__)
  int error = allow_lds(kernel, lds_bytes);
  if (!error)
    error = int(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&held, reinterpret_cast<const void *>(kernel), threads,
                                                              lds_bytes));
#else
  const int error = int(
      hipOccupancyMaxActiveBlocksPerMultiprocessor(&held, reinterpret_cast<const void *>(kernel), threads, lds_bytes));
#endif
  return error;
}

/// Of so many workgroups that are resident those that are launched.
inline int at_most(int workgroups, int most) { return workgroups < most ? workgroups : most; }
/// Those that are launched as pairs; 0 asks for nothing.
inline int in_pairs(int workgroups) { return workgroups == 0 ? 0 : workgroups < 2 ? 2 : workgroups / 2 * 2; }

/// Enqueues `workgroups` workgroups of `threads` threads with `lds_bytes` of dynamic LDS on `stream` (a hipStream_t;
/// null is the default stream). Allocates nothing on the device and does not synchronise. Returns 0 or the runtime's
/// error. 0 workgroups start nothing: the host asks so how many are resident. The kernel calls `enter` or
/// `count_launch` before it touches memory: on NVIDIA the kernel before it on the stream may not be over.
/// `Pairs`: workgroups 2 n and 2 n + 1 are there together, and there is an even number of them, at least two.
template <bool Pairs = false, typename... Parameters, typename... Arguments>
int launch_kernel(void (*kernel)(Parameters...), int workgroups, int threads, int lds_bytes, void *stream,
                  Arguments... arguments) {
  static_assert(sizeof...(Parameters) == sizeof...(Arguments), "one argument for each parameter of the kernel");
  if (workgroups == 0) {
    int held = 0;
    const int error = find_occupancy(kernel, threads, lds_bytes, held);
    if (!error)
      tilec_note_occupancy(held);
    return error;
  }
#if defined(TILEC_EMULATED)
  if (workgroups < 0 || threads <= 0)
    return hipErrorInvalidConfiguration;
  return emulator::launch([=] { kernel(static_cast<Parameters>(arguments)...); }, {unsigned(workgroups), 1, 1},
                          {unsigned(threads), 1, 1}, lds_bytes, stream, Pairs);
#elif defined(__CUDACC__)
  if (const int error = allow_lds(kernel, lds_bytes))
    return error;
  const bool early = comes_early(workgroups);
  cudaLaunchAttribute attributes[2] = {};
  attributes[0].id = cudaLaunchAttributeClusterDimension;
  attributes[0].val.clusterDim.x = Pairs ? 2 : 1;
  attributes[0].val.clusterDim.y = attributes[0].val.clusterDim.z = 1;
  attributes[1].id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attributes[1].val.programmaticStreamSerializationAllowed = early;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(unsigned(workgroups));
  config.blockDim = dim3(unsigned(threads));
  config.dynamicSmemBytes = std::size_t(lds_bytes);
  config.stream = static_cast<cudaStream_t>(stream);
  config.attrs = Pairs ? attributes : attributes + 1;
  config.numAttrs = unsigned(Pairs) + unsigned(early);
  const cudaError_t error = cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...);
  if (error != cudaSuccess)
    (void)cudaGetLastError(); // it is reported here: not once more to whoever asks next
  return int(error);
#else
  kernel<<<workgroups, threads, lds_bytes, static_cast<hipStream_t>(stream)>>>(static_cast<Parameters>(arguments)...);
  return int(hipGetLastError());
#endif
}

/// One kernel in two forms, which the host chooses from for each launch.
template <typename... Parameters>
struct Either {
  bool first;
  void (*one)(Parameters...), (*other)(Parameters...);
};
template <typename... Parameters>
Either<Parameters...> either(bool first, void (*one)(Parameters...), void (*other)(Parameters...)) {
  return {first, one, other};
}
/// The same of that form. As many workgroups are resident as there are of both.
template <bool Pairs = false, typename... Parameters, typename... Arguments>
int launch_kernel(const Either<Parameters...> &forms, int workgroups, int threads, int lds_bytes, void *stream,
                  Arguments... arguments) {
  if (workgroups != 0)
    return launch_kernel<Pairs>(forms.first ? forms.one : forms.other, workgroups, threads, lds_bytes, stream,
                                arguments...);
  int held = 0, of_other = 0;
  int error = find_occupancy(forms.one, threads, lds_bytes, held);
  if (!error)
    error = find_occupancy(forms.other, threads, lds_bytes, of_other);
  if (!error)
    tilec_note_occupancy(held < of_other ? held : of_other);
  return error;
}

} // namespace tilec

#endif // TILEC_LAUNCH_KERNEL_H
