// Events, and captures that go from stream to stream by them.
#ifndef TILEC_EMULATOR_GRAPHS_H
#define TILEC_EMULATOR_GRAPHS_H

#include "Machine.h"
#include "hip/hip_runtime.h"
#include <chrono>

struct ihipEvent_t {
  std::uint64_t recorded = 0, reached = 0; ///< how often
  int device = 0;                          ///< of the stream it was recorded in last
  std::chrono::steady_clock::time_point when;
  tilec::emulator::StreamClock clock; ///< of the work before it
  std::weak_ptr<ihipGraph> capture;   ///< where it was recorded last, if that was a capture
  int number = 0;                     ///< in the capture
};

namespace tilec::emulator {

/// An event of the capture behind what the stream has been given: its number.
int recordCaptured(ihipStream_t &stream);
/// The stream, which joins the capture if it is none yet, waits for that event.
hipError_t awaitCaptured(ihipStream_t &stream, const std::shared_ptr<ihipGraph> &capture, int event);

} // namespace tilec::emulator

#endif // TILEC_EMULATOR_GRAPHS_H
