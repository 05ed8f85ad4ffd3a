// Mappings shared with other processes: IPC handles, on AMD. There signals need uncached memory, which has no
// descriptor.
#include "host/SharedMemory.h"
#include "host/World.h"
#include <cstring>
#include <hip/hip_runtime.h>
#if !defined(TILEC_EMULATED) && !defined(TILEC_OVER_CUDA)

using namespace tilec::host;

namespace {
struct Handles {
  hipIpcMemHandle_t heap, signals;
};
} // namespace

SharedMemory::SharedMemory(size_t heapBytes, size_t signalBytes) : heapBytes(heapBytes), signalBytes(signalBytes) {
  own = allocate(heapBytes, signalBytes);
  check(hipDeviceSynchronize(), "clearing the signal mapping");
  Handles handles;
  check(hipIpcGetMemHandle(&handles.heap, own.heap), "asking for the handle of the heap");
  check(hipIpcGetMemHandle(&handles.signals, own.signals), "asking for the handle of the signal mapping");
  bytes.assign(reinterpret_cast<const char *>(&handles), sizeof(handles));
}

SharedMemory::~SharedMemory() {
  for (const Mapping &mapping : opened) {
    (void)hipIpcCloseMemHandle(mapping.heap);
    (void)hipIpcCloseMemHandle(mapping.signals);
  }
  (void)hipFree(own.heap);
  (void)hipFree(own.signals);
}

Mapping SharedMemory::open(const std::string &handle, const Descriptor &) {
  Handles handles;
  require(handle.size() == sizeof(handles), TILEC_PEER_LOST, "another rank sent no handles of its memory");
  std::memcpy(&handles, handle.data(), sizeof(handles));
  Mapping mapping;
  check(hipIpcOpenMemHandle(reinterpret_cast<void **>(&mapping.heap), handles.heap, hipIpcMemLazyEnablePeerAccess),
        "opening another rank's heap");
  opened.push_back(mapping);
  check(hipIpcOpenMemHandle(reinterpret_cast<void **>(&opened.back().signals), handles.signals,
                            hipIpcMemLazyEnablePeerAccess),
        "opening another rank's signal mapping");
  return opened.back();
}

#endif // IPC handles
