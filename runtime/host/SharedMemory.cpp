// Mappings shared with other processes.
#include "host/SharedMemory.h"
#include "host/World.h"
#include <cerrno>
#include <cstring>
#include <hip/hip_runtime.h>
#ifdef TILEC_EMULATED
#include <sys/mman.h>
#include <unistd.h>
#endif

using namespace tilec::host;

#ifdef TILEC_EMULATED

/// The signals lie behind the heap, at the next page.
static size_t signalOffset(size_t heapBytes) {
  const size_t page = size_t(sysconf(_SC_PAGESIZE));
  return (heapBytes + page - 1) / page * page;
}

static Mapping map(int descriptor, size_t heapBytes, size_t signalBytes) {
  const size_t offset = signalOffset(heapBytes);
  void *start = mmap(nullptr, offset + signalBytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  require(start != MAP_FAILED, TILEC_OUT_OF_MEMORY,
          std::string("mapping a rank's heap and signals: ") + std::strerror(errno));
  return {static_cast<char *>(start), static_cast<char *>(start) + offset};
}

SharedMemory::SharedMemory(size_t heapBytes, size_t signalBytes)
    : heapBytes(heapBytes), signalBytes(signalBytes), file(memfd_create("tilec rank", MFD_CLOEXEC)) {
  require(file && ftruncate(file.get(), off_t(signalOffset(heapBytes) + signalBytes)) == 0, TILEC_OUT_OF_MEMORY,
          std::string("making the memory of a rank: ") + std::strerror(errno));
  own = map(file.get(), heapBytes, signalBytes);
}

SharedMemory::~SharedMemory() {
  opened.push_back(own);
  for (const Mapping &mapping : opened)
    (void)munmap(mapping.heap, size_t(mapping.signals - mapping.heap) + signalBytes);
}

Mapping SharedMemory::open(const std::string &, const Descriptor &descriptor) {
  require(bool(descriptor), TILEC_PEER_LOST, "another rank sent no memory");
  return opened.emplace_back(map(descriptor.get(), heapBytes, signalBytes));
}

#else

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

#endif
