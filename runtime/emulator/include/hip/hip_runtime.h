// Stand-in for HIP on the CPU. Lets generated HIP text and its hosts compile as plain C++ and run in the emulator. Only
// what they use is here; values of enumerators are HIP's. `__shared__` is left out on purpose: resident workgroups of
// one thread would share it.
#ifndef TILEC_EMULATOR_HIP_RUNTIME_H
#define TILEC_EMULATOR_HIP_RUNTIME_H

#define TILEC_EMULATED 1

#include "tilec/emulated.h"
#include <cstddef>
#include <cstdint>

#define __global__
#define __device__
#define __host__
#define __constant__
#define __launch_bounds__(...)
#define __forceinline__ inline __attribute__((always_inline))

struct uint3 {
  unsigned x, y, z;
};
struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};

namespace tilec::emulator {
template <Index (*get)()>
struct Coordinates {
  struct X {
    operator unsigned() const { return get().x; }
  } x;
  struct Y {
    operator unsigned() const { return get().y; }
  } y;
  struct Z {
    operator unsigned() const { return get().z; }
  } z;
  operator dim3() const { return dim3(x, y, z); }
};
} // namespace tilec::emulator

inline constexpr tilec::emulator::Coordinates<tilec::emulator::threadOf> threadIdx{};
inline constexpr tilec::emulator::Coordinates<tilec::emulator::blockOf> blockIdx{};
inline constexpr tilec::emulator::Coordinates<tilec::emulator::threadsOf> blockDim{};
inline constexpr tilec::emulator::Coordinates<tilec::emulator::gridOf> gridDim{};

inline void __syncthreads() { tilec::emulator::barrier(); }

enum hipError_t {
  hipSuccess = 0,
  hipErrorInvalidValue = 1,
  hipErrorOutOfMemory = 2,
  hipErrorInvalidConfiguration = 9,
  hipErrorInvalidDevice = 101,
  hipErrorInvalidHandle = 400,
  hipErrorNotReady = 600,
  hipErrorLaunchTimeOut = 702,
  hipErrorPeerAccessAlreadyEnabled = 704,
  hipErrorLaunchFailure = 719,
  hipErrorNotSupported = 801,
  hipErrorStreamCaptureUnsupported = 900,
  hipErrorStreamCaptureUnjoined = 904,
};

enum hipMemcpyKind {
  hipMemcpyHostToHost = 0,
  hipMemcpyHostToDevice = 1,
  hipMemcpyDeviceToHost = 2,
  hipMemcpyDeviceToDevice = 3,
  hipMemcpyDefault = 4,
};

enum hipDeviceAttribute_t {
  hipDeviceAttributeL2CacheSize = 19, ///< 0: emulated memory has no cache
  hipDeviceAttributeMaxSharedMemoryPerBlock = 74,
  hipDeviceAttributeMultiprocessorCount = 63,
  hipDeviceAttributeWarpSize = 87,
};

#define hipDeviceMallocDefault 0x0
#define hipDeviceMallocFinegrained 0x1
#define hipDeviceMallocUncached 0x3
enum { hipStreamDefault = 0, hipStreamNonBlocking = 1 };
enum { hipEventDefault = 0, hipEventDisableTiming = 2 };
enum { hipHostMallocDefault = 0, hipHostMallocMapped = 2 };

typedef struct ihipStream_t *hipStream_t;
typedef struct ihipEvent_t *hipEvent_t;
typedef struct ihipGraph *hipGraph_t;
typedef struct hipGraphExec *hipGraphExec_t;
enum hipStreamCaptureMode {
  hipStreamCaptureModeGlobal = 0,
  hipStreamCaptureModeThreadLocal = 1,
  hipStreamCaptureModeRelaxed = 2,
};

const char *hipGetErrorString(hipError_t error);
const char *hipGetErrorName(hipError_t error);
hipError_t hipGetLastError();
hipError_t hipPeekAtLastError();

hipError_t hipGetDeviceCount(int *count);
hipError_t hipSetDevice(int device);
hipError_t hipGetDevice(int *device);
hipError_t hipDeviceGetAttribute(int *value, hipDeviceAttribute_t attribute, int device);
hipError_t hipDeviceGetName(char *name, int bytes, int device);
hipError_t hipDeviceSynchronize();
hipError_t hipDeviceEnablePeerAccess(int peer, unsigned flags);

hipError_t hipMalloc(void **pointer, size_t bytes);
hipError_t hipExtMallocWithFlags(void **pointer, size_t bytes, unsigned flags);
hipError_t hipFree(void *pointer);
hipError_t hipHostMalloc(void **pointer, size_t bytes, unsigned flags = 0);
hipError_t hipHostFree(void *pointer);
/// The synchronous forms wait, as HIP's do, for the default stream and every blocking stream of the current device.
hipError_t hipMemcpy(void *to, const void *from, size_t bytes, hipMemcpyKind kind);
hipError_t hipMemcpyAsync(void *to, const void *from, size_t bytes, hipMemcpyKind kind, hipStream_t stream = nullptr);
hipError_t hipMemcpy2DAsync(void *to, size_t toPitch, const void *from, size_t fromPitch, size_t bytes, size_t rows,
                            hipMemcpyKind kind, hipStream_t stream = nullptr);
hipError_t hipMemset(void *to, int value, size_t bytes);
hipError_t hipMemsetAsync(void *to, int value, size_t bytes, hipStream_t stream = nullptr);

hipError_t hipStreamCreate(hipStream_t *stream);
hipError_t hipStreamCreateWithFlags(hipStream_t *stream, unsigned flags);
hipError_t hipStreamDestroy(hipStream_t stream);
/// Runs the work of every device until this stream is empty.
hipError_t hipStreamSynchronize(hipStream_t stream);
hipError_t hipStreamQuery(hipStream_t stream);
hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned flags = 0);

hipError_t hipEventCreate(hipEvent_t *event);
hipError_t hipEventCreateWithFlags(hipEvent_t *event, unsigned flags);
hipError_t hipEventDestroy(hipEvent_t event);
hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream = nullptr);
hipError_t hipEventSynchronize(hipEvent_t event);
hipError_t hipEventElapsedTime(float *milliseconds, hipEvent_t from, hipEvent_t to);

/// A capture holds what a stream is given, kernels and asynchronous copies, and what streams are that wait for its
/// events: these must be waited for again before it ends. While any stream captures, calls that allocate or synchronise
/// fail, as they do on a device.
hipError_t hipStreamBeginCapture(hipStream_t stream, hipStreamCaptureMode mode);
hipError_t hipStreamEndCapture(hipStream_t stream, hipGraph_t *graph);
hipError_t hipGraphInstantiate(hipGraphExec_t *executable, hipGraph_t graph, void *, char *, size_t);
hipError_t hipGraphLaunch(hipGraphExec_t executable, hipStream_t stream);
hipError_t hipGraphExecDestroy(hipGraphExec_t executable);
hipError_t hipGraphDestroy(hipGraph_t graph);

template <typename T>
hipError_t hipMalloc(T **pointer, size_t bytes) {
  return hipMalloc(reinterpret_cast<void **>(pointer), bytes);
}

template <typename Kernel>
hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, Kernel, int, size_t) {
  *blocks = tilec::emulator::options().resident;
  return hipSuccess;
}

template <typename... Parameters, typename... Arguments>
void hipLaunchKernelGGL(void (*kernel)(Parameters...), dim3 grid, dim3 block, unsigned ldsBytes, hipStream_t stream,
                        Arguments... arguments) {
  tilec::emulator::launch([=] { kernel(Parameters(arguments)...); }, {grid.x, grid.y, grid.z},
                          {block.x, block.y, block.z}, int(ldsBytes), stream);
}

#endif // TILEC_EMULATOR_HIP_RUNTIME_H
