// HIP's host calls over the emulated machine.
#include "Graphs.h"
#include "Machine.h"
#include "hip/hip_runtime.h"
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <new>

using namespace tilec::emulator;

namespace {

hipError_t last = hipSuccess;

hipError_t answer(hipError_t error) {
  if (error != hipSuccess)
    last = error;
  return error;
}

Machine &machine() { return Machine::get(); }

ihipStream_t &streamOf(hipStream_t stream) {
  return stream ? *stream : *machine().device(machine().currentDevice).streams.front();
}

hipError_t enqueue(hipStream_t stream, std::function<bool()> action, Entry::Kind kind = Entry::Copy) {
  machine().enqueue(streamOf(stream), {nullptr, std::move(action), kind});
  return hipSuccess;
}

/// Runs until `done`, then says whether the device failed meanwhile.
hipError_t drain(int device, const std::function<bool()> &done) {
  if (!machine().onOwnThread() || here)
    return answer(hipErrorNotSupported);
  if (machine().capturing())
    return answer(hipErrorStreamCaptureUnsupported);
  const bool finished = machine().runUntil(done);
  machine().settle(machine().device(device));
  if (machine().takeFailure(device))
    return answer(hipErrorLaunchTimeOut);
  return answer(finished ? hipSuccess : hipErrorNotReady);
}

hipError_t drainDevice(bool blockingOnly) {
  const int number = machine().currentDevice;
  const hipError_t error = drain(number, [=] {
    for (const auto &stream : machine().device(number).streams)
      if (!stream->entries.empty() && (stream->blocking || !blockingOnly))
        return false;
    return true;
  });
  for (const auto &stream : machine().device(number).streams)
    if (racing && stream->entries.empty())
      RaceCheck::get().hostLearns(stream->clock);
  return error;
}

} // namespace

int tilec::emulator::launch(std::function<void()> lane, Index grid, Index block, int ldsBytes, void *stream,
                            bool pairs) {
  const Options &options = machine().options();
  const auto lanes = std::uint64_t(block.x) * block.y * block.z;
  const auto total = std::uint64_t(grid.x) * grid.y * grid.z;
  if (lanes == 0 || lanes > 1024 || total == 0 || (pairs && grid.x % 2) || total > 0x7fffffff || ldsBytes < 0 ||
      ldsBytes > options.ldsBytes)
    return answer(hipErrorInvalidConfiguration);
  if (!machine().onOwnThread())
    return answer(hipErrorNotSupported);
  ihipStream_t &queue = streamOf(static_cast<hipStream_t>(stream));
  auto launched = std::make_unique<Grid>();
  launched->lane = std::move(lane);
  launched->grid = grid;
  launched->threads = block;
  launched->ldsBytes = ldsBytes;
  launched->total = unsigned(total);
  launched->pairs = pairs;
  launched->device = queue.device;
  machine().enqueue(queue, {std::move(launched), {}});
  ++machine().counts.launches;
  return hipSuccess;
}

const char *hipGetErrorName(hipError_t error) {
  switch (error) {
  case hipSuccess:
    return "hipSuccess";
  case hipErrorInvalidValue:
    return "hipErrorInvalidValue";
  case hipErrorOutOfMemory:
    return "hipErrorOutOfMemory";
  case hipErrorInvalidConfiguration:
    return "hipErrorInvalidConfiguration";
  case hipErrorInvalidDevice:
    return "hipErrorInvalidDevice";
  case hipErrorInvalidHandle:
    return "hipErrorInvalidHandle";
  case hipErrorNotReady:
    return "hipErrorNotReady";
  case hipErrorLaunchTimeOut:
    return "hipErrorLaunchTimeOut";
  case hipErrorPeerAccessAlreadyEnabled:
    return "hipErrorPeerAccessAlreadyEnabled";
  case hipErrorLaunchFailure:
    return "hipErrorLaunchFailure";
  case hipErrorNotSupported:
    return "hipErrorNotSupported";
  case hipErrorStreamCaptureUnsupported:
    return "hipErrorStreamCaptureUnsupported";
  case hipErrorStreamCaptureUnjoined:
    return "hipErrorStreamCaptureUnjoined";
  }
  return "hipErrorUnknown";
}

const char *hipGetErrorString(hipError_t error) {
  switch (error) {
  case hipErrorLaunchTimeOut:
    return "a kernel could not go on; see tilec::emulator::report()";
  case hipErrorNotReady:
    return "a stream waits for work that was never enqueued";
  case hipErrorNotSupported:
    return "the emulator is driven by one host thread, outside kernels";
  default:
    return hipGetErrorName(error);
  }
}

hipError_t hipGetLastError() { return std::exchange(last, hipSuccess); }
hipError_t hipPeekAtLastError() { return last; }

hipError_t hipGetDeviceCount(int *count) {
  *count = machine().options().devices;
  return hipSuccess;
}

hipError_t hipSetDevice(int device) {
  if (device < 0 || device >= machine().options().devices)
    return answer(hipErrorInvalidDevice);
  machine().currentDevice = device;
  return hipSuccess;
}

hipError_t hipGetDevice(int *device) {
  *device = machine().currentDevice;
  return hipSuccess;
}

hipError_t hipDeviceGetAttribute(int *value, hipDeviceAttribute_t attribute, int device) {
  const Options &options = machine().options();
  if (device < 0 || device >= options.devices)
    return answer(hipErrorInvalidDevice);
  switch (attribute) {
  case hipDeviceAttributeMaxSharedMemoryPerBlock:
    *value = options.ldsBytes;
    return hipSuccess;
  case hipDeviceAttributeMultiprocessorCount:
    *value = options.computeUnits;
    return hipSuccess;
  case hipDeviceAttributeL2CacheSize:
    *value = 0;
    return hipSuccess;
  case hipDeviceAttributeWarpSize:
    *value = options.waveLanes;
    return hipSuccess;
  }
  return answer(hipErrorInvalidValue);
}

hipError_t hipDeviceGetName(char *name, int bytes, int device) {
  if (!name || bytes < 1 || device < 0 || device >= options().devices)
    return answer(hipErrorInvalidValue);
  const std::string text = "emulated";
  name[text.copy(name, size_t(bytes) - 1)] = '\0';
  return hipSuccess;
}

hipError_t hipDeviceSynchronize() { return drainDevice(false); }

hipError_t hipDeviceEnablePeerAccess(int peer, unsigned) {
  return answer(peer >= 0 && peer < machine().options().devices ? hipSuccess : hipErrorInvalidDevice);
}

hipError_t hipMalloc(void **pointer, size_t bytes) {
  if (machine().capturing())
    return answer(hipErrorStreamCaptureUnsupported);
  // 256 bytes, as HIP aligns; memory that is watched has its pages to itself.
  const size_t unit = racing ? Shadow::pageBytes : 256;
  *pointer = bytes ? std::aligned_alloc(unit, (bytes + unit - 1) / unit * unit) : nullptr;
  if (racing && *pointer)
    RaceCheck::get().watch(*pointer, bytes);
  return answer(*pointer || !bytes ? hipSuccess : hipErrorOutOfMemory);
}

hipError_t hipExtMallocWithFlags(void **pointer, size_t bytes, unsigned) { return hipMalloc(pointer, bytes); }
hipError_t hipHostMalloc(void **pointer, size_t bytes, unsigned) { return hipMalloc(pointer, bytes); }

hipError_t hipFree(void *pointer) {
  // As on a device, memory is given back when nothing can use it any more.
  const hipError_t error = pointer ? drainDevice(false) : hipSuccess;
  machine().settleAll();
  RaceCheck::get().forget(pointer);
  std::free(pointer);
  return error;
}

hipError_t hipHostFree(void *pointer) { return hipFree(pointer); }

hipError_t hipMemcpyAsync(void *to, const void *from, size_t bytes, hipMemcpyKind, hipStream_t stream) {
  return enqueue(stream, [=] {
    host_access(from, bytes, /*write=*/false);
    host_access(to, bytes, /*write=*/true);
    std::memcpy(to, from, bytes);
    return true;
  });
}

hipError_t hipMemcpy2DAsync(void *to, size_t toPitch, const void *from, size_t fromPitch, size_t bytes, size_t rows,
                            hipMemcpyKind, hipStream_t stream) {
  return enqueue(stream, [=] {
    for (size_t row = 0; row < rows; ++row) {
      char *const into = static_cast<char *>(to) + row * toPitch;
      const char *const source = static_cast<const char *>(from) + row * fromPitch;
      host_access(source, bytes, /*write=*/false);
      host_access(into, bytes, /*write=*/true);
      std::memcpy(into, source, bytes);
    }
    return true;
  });
}

hipError_t hipMemcpy(void *to, const void *from, size_t bytes, hipMemcpyKind) {
  const hipError_t error = drainDevice(true);
  if (error == hipSuccess) {
    host_access(from, bytes, /*write=*/false);
    host_access(to, bytes, /*write=*/true);
    std::memcpy(to, from, bytes);
  }
  return error;
}

hipError_t hipMemsetAsync(void *to, int value, size_t bytes, hipStream_t stream) {
  return enqueue(stream, [=] {
    host_access(to, bytes, /*write=*/true);
    std::memset(to, value, bytes);
    return true;
  });
}

hipError_t hipMemset(void *to, int value, size_t bytes) {
  const hipError_t error = drainDevice(true);
  if (error == hipSuccess) {
    host_access(to, bytes, /*write=*/true);
    std::memset(to, value, bytes);
  }
  return error;
}

hipError_t hipStreamCreateWithFlags(hipStream_t *stream, unsigned flags) {
  *stream = machine().createStream(machine().currentDevice, flags != hipStreamNonBlocking);
  return hipSuccess;
}

hipError_t hipStreamCreate(hipStream_t *stream) { return hipStreamCreateWithFlags(stream, hipStreamDefault); }

hipError_t hipStreamDestroy(hipStream_t stream) {
  if (!stream)
    return answer(hipErrorInvalidHandle);
  const hipError_t error = hipStreamSynchronize(stream);
  machine().destroyStream(stream);
  return error;
}

hipError_t hipStreamSynchronize(hipStream_t stream) {
  ihipStream_t &queue = streamOf(stream);
  const hipError_t error = drain(queue.device, [&] { return queue.entries.empty(); });
  if (racing && error == hipSuccess)
    RaceCheck::get().hostLearns(queue.clock);
  return error;
}

hipError_t hipStreamQuery(hipStream_t stream) {
  ihipStream_t &queue = streamOf(stream);
  if (!queue.entries.empty())
    return hipErrorNotReady;
  machine().settle(machine().device(queue.device));
  if (racing)
    RaceCheck::get().hostLearns(queue.clock);
  return hipSuccess;
}

hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned) {
  if (const auto captured = event->capture.lock())
    return answer(awaitCaptured(streamOf(stream), captured, event->number));
  if (streamOf(stream).capture)
    return answer(hipErrorStreamCaptureUnsupported);
  auto wait = [event, wanted = event->recorded] {
    if (racing && event->reached >= wanted)
      RaceCheck::get().actionClock()->join(event->clock.done);
    return event->reached >= wanted;
  };
  return enqueue(stream, wait, Entry::Wait);
}

hipError_t hipEventCreateWithFlags(hipEvent_t *event, unsigned) {
  *event = new (std::nothrow) ihipEvent_t();
  return answer(*event ? hipSuccess : hipErrorOutOfMemory);
}

hipError_t hipEventCreate(hipEvent_t *event) { return hipEventCreateWithFlags(event, hipEventDefault); }

hipError_t hipEventDestroy(hipEvent_t event) {
  const hipError_t error = hipEventSynchronize(event);
  delete event;
  return error;
}

hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream) {
  event->capture.reset();
  if (streamOf(stream).capture) {
    event->number = recordCaptured(streamOf(stream));
    event->capture = streamOf(stream).capture;
    return hipSuccess;
  }
  ++event->recorded;
  event->device = streamOf(stream).device;
  return enqueue(stream, [event] {
    ++event->reached;
    if (racing)
      event->clock = *RaceCheck::get().actionClock();
    event->when = std::chrono::steady_clock::now();
    return true;
  });
}

hipError_t hipEventSynchronize(hipEvent_t event) {
  const hipError_t error = drain(event->device, [=] { return event->reached >= event->recorded; });
  if (racing && error == hipSuccess)
    RaceCheck::get().hostLearns(event->clock);
  return error;
}

hipError_t hipEventElapsedTime(float *milliseconds, hipEvent_t from, hipEvent_t to) {
  if (from->reached < from->recorded || to->reached < to->recorded)
    return answer(hipErrorNotReady);
  *milliseconds = std::chrono::duration<float, std::milli>(to->when - from->when).count();
  return hipSuccess;
}
