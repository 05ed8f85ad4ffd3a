// One rank's two mappings as other processes of the machine reach them: a file of memory in the emulator
// (SharedFile.cpp), memory with a file descriptor on NVIDIA (SharedPages.cpp), IPC handles on AMD (SharedHandles.cpp).
// Ranks of one process need none of it; how handles and descriptors travel is Link's.
#ifndef TILEC_HOST_SHARED_MEMORY_H
#define TILEC_HOST_SHARED_MEMORY_H

#include "host/Sockets.h"
#include <vector>

namespace tilec::host {

struct Mapping {
  char *heap = nullptr, *signals = nullptr;
};

class SharedMemory {
public:
  /// This rank's mappings on the current device, signals zero. Bytes are multiples of 256. Throws Error.
  SharedMemory(size_t heapBytes, size_t signalBytes);
  /// Closes what was opened, then gives this rank's mappings back: no other rank may use them any more.
  ~SharedMemory();
  SharedMemory(const SharedMemory &) = delete;

  const Mapping &mine() const { return own; }
  /// What another process needs to open them: bytes, and a descriptor or -1.
  const std::string &handle() const { return bytes; }
  int descriptor() const { return file.get(); }
  /// Another rank's mappings, addressable by this process and its device as long as this object lives. Throws Error.
  Mapping open(const std::string &handle, const Descriptor &descriptor);

private:
  [[maybe_unused]] const size_t heapBytes, signalBytes;
  [[maybe_unused]] size_t mapped = 0; ///< bytes of both with what lies between them, where one piece holds them
  Mapping own;
  std::string bytes;
  Descriptor file;
  std::vector<Mapping> opened;
};

} // namespace tilec::host

#endif // TILEC_HOST_SHARED_MEMORY_H
