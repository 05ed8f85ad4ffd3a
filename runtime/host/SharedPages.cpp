// Mappings shared with other processes: memory of the device that has a file descriptor, on NVIDIA.
#include "host/SharedMemory.h"
#include "host/World.h"
#include <hip/hip_runtime.h>
#ifdef TILEC_OVER_CUDA
#include <hip/hip_virtual_memory.h>

using namespace tilec::host;

namespace {

hipMemAllocationProp properties(int device) {
  hipMemAllocationProp result = {};
  result.type = hipMemAllocationTypePinned;
  result.location.type = hipMemLocationTypeDevice;
  result.location.id = device;
  result.requestedHandleTypes = hipMemHandleTypePosixFileDescriptor;
  return result;
}

int currentDevice() {
  int device = 0;
  check(hipGetDevice(&device), "asking for the current device");
  return device;
}

/// Memory of some device; the mapping that is made of it outlives the handle.
struct Memory {
  hipMemGenericAllocationHandle_t handle = 0;
  ~Memory() {
    if (handle)
      (void)hipMemRelease(handle);
  }
};

/// Where the memory can be reached by the current device. Nothing of it is left when that fails.
char *map(const Memory &memory, size_t bytes) {
  void *start = nullptr;
  check(hipMemAddressReserve(&start, bytes, 0, nullptr, 0), "reserving addresses for a rank's heap and signals");
  int error = hipMemMap(start, bytes, 0, memory.handle, 0);
  const bool isMapped = error == hipSuccess;
  if (isMapped) {
    hipMemAccessDesc access = {};
    access.location.type = hipMemLocationTypeDevice;
    access.location.id = currentDevice();
    access.flags = hipMemAccessFlagsProtReadWrite;
    error = hipMemSetAccess(start, bytes, &access, 1);
  }
  if (error != hipSuccess) {
    if (isMapped)
      (void)hipMemUnmap(start, bytes);
    (void)hipMemAddressFree(start, bytes);
  }
  check(error, "mapping a rank's heap and signals");
  return static_cast<char *>(start);
}

size_t roundedUp(size_t bytes, size_t to) { return (bytes + to - 1) / to * to; }

} // namespace

// The signals lie behind the heap: ordinary memory is coherent for accesses at system scope.
SharedMemory::SharedMemory(size_t heapBytes, size_t signalBytes) : heapBytes(heapBytes), signalBytes(signalBytes) {
  const hipMemAllocationProp what = properties(currentDevice());
  size_t granularity = 0;
  check(hipMemGetAllocationGranularity(&granularity, &what, hipMemAllocationGranularityRecommended),
        "asking how memory with a file descriptor is divided");
  mapped = roundedUp(heapBytes + signalBytes, granularity);
  Memory memory;
  check(hipMemCreate(&memory.handle, mapped, &what, 0), "making the heap and the signals of a rank");
  int number = -1;
  check(hipMemExportToShareableHandle(&number, memory.handle, hipMemHandleTypePosixFileDescriptor, 0),
        "asking for the file descriptor of the heap");
  file = Descriptor(number);
  own.heap = map(memory, mapped);
  own.signals = own.heap + heapBytes;
  int error = hipMemset(own.signals, 0, signalBytes);
  if (error == hipSuccess)
    error = hipDeviceSynchronize();
  if (error == hipSuccess)
    return;
  (void)hipMemUnmap(own.heap, mapped);
  (void)hipMemAddressFree(own.heap, mapped);
  check(error, "clearing the signal mapping");
}

SharedMemory::~SharedMemory() {
  opened.push_back(own);
  for (const Mapping &mapping : opened) {
    (void)hipMemUnmap(mapping.heap, mapped);
    (void)hipMemAddressFree(mapping.heap, mapped);
  }
}

Mapping SharedMemory::open(const std::string &, const Descriptor &descriptor) {
  require(bool(descriptor), TILEC_PEER_LOST, "another rank sent no memory");
  Memory memory;
  // The descriptor itself is what the driver calls a pointer.
  void *const number = reinterpret_cast<void *>(std::uintptr_t(descriptor.get()));
  check(hipMemImportFromShareableHandle(&memory.handle, number, hipMemHandleTypePosixFileDescriptor),
        "opening another rank's heap and signals");
  char *const heap = map(memory, mapped);
  return opened.emplace_back(Mapping{heap, heap + heapBytes});
}

#endif // TILEC_OVER_CUDA
