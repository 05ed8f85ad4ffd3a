// Makes and destroys the stream and its events.
#include "host/EngineStream.h"
#include "host/World.h"
#include <hip/hip_runtime.h>

using namespace tilec;
using namespace tilec::host;

EngineStream::EngineStream(std::vector<char *> heapBases, size_t heapBytes, std::vector<char *> signalBases)
    : heaps(std::move(heapBases)), signals(std::move(signalBases)) {
  given.heap_bases = heaps.data();
  given.signal_bases = signals.data();
  given.heap_bytes = static_cast<long long>(heapBytes);
  hipStream_t stream = nullptr;
  hipEvent_t begins = nullptr, ends = nullptr;
  int error = hipStreamCreateWithFlags(&stream, hipStreamNonBlocking);
  if (!error)
    error = hipEventCreateWithFlags(&begins, hipEventDisableTiming);
  if (!error)
    error = hipEventCreateWithFlags(&ends, hipEventDisableTiming);
  given.stream = stream;
  given.begins = begins;
  given.ends = ends;
  if (error)
    release();
  check(error, "making the stream of the copy engine");
}

EngineStream::~EngineStream() { release(); }

void EngineStream::release() {
  for (void *event : {given.begins, given.ends})
    if (event)
      (void)hipEventDestroy(static_cast<hipEvent_t>(event));
  if (given.stream)
    (void)hipStreamDestroy(static_cast<hipStream_t>(given.stream));
}
