// The streams in which a program's copies by the device's copy engine are made. What is copied is the launcher's to
// ask.
#ifndef TILEC_HOST_ENGINESTREAM_H
#define TILEC_HOST_ENGINESTREAM_H

#include "tilec/abi.h"
#include <cstddef>
#include <vector>

namespace tilec::host {

class EngineStream {
public:
  /// On the current device, for ranks whose heaps, of so many bytes, and signal areas begin there as this rank
  /// addresses them. Throws Error.
  EngineStream(std::vector<char *> heapBases, std::size_t heapBytes, std::vector<char *> signalBases);
  ~EngineStream();
  EngineStream(const EngineStream &) = delete;

  const Engine &engine() const { return given; }

private:
  void release();
  std::vector<void **> events();

  std::vector<char *> heaps, signals;
  Engine given = {};
};

} // namespace tilec::host

#endif // TILEC_HOST_ENGINESTREAM_H
