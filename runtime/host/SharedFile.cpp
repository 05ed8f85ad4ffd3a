// Mappings shared with other processes: a file of memory, in the emulator.
#include "host/SharedMemory.h"
#include "host/Status.h"
#include <hip/hip_runtime.h>
#ifdef TILEC_EMULATED
#include <cerrno>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

using namespace tilec::host;

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

#endif // TILEC_EMULATED
