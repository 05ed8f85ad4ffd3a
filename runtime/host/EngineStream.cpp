// Makes and destroys the streams and their events.
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
  int error = 0;
  for (void *&made : given.streams)
    if (hipStream_t stream = nullptr; !error) {
      error = hipStreamCreateWithFlags(&stream, hipStreamNonBlocking);
      made = stream;
    }
  for (void **made : events())
    if (hipEvent_t event = nullptr; !error) {
      error = hipEventCreateWithFlags(&event, hipEventDisableTiming);
      *made = event;
    }
  if (error)
    release();
  check(error, "making the streams of the copy engine");
}

std::vector<void **> EngineStream::events() {
  std::vector<void **> all = {&given.begins, &given.ends};
  for (int lane = 0; lane < Engine::lanes; ++lane)
    all.insert(all.end(), {&given.passed[lane], &given.done[lane]});
  return all;
}

EngineStream::~EngineStream() { release(); }

void EngineStream::release() {
  for (void **event : events())
    if (*event)
      (void)hipEventDestroy(static_cast<hipEvent_t>(*event));
  for (void *stream : given.streams)
    if (stream)
      (void)hipStreamDestroy(static_cast<hipStream_t>(stream));
}
