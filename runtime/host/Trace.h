// The records that a program's launches leave on one rank. What the kernels write is tilec/trace.h's; arrows and tracks
// over all ranks are made from the files by `tilec trace`.
#ifndef TILEC_HOST_TRACE_H
#define TILEC_HOST_TRACE_H

#include "tilec/abi.h"
#include <string>
#include <vector>

struct tilec_program;

namespace tilec::host {

class Trace {
public:
  /// Tracks of `records` each, in device memory, for as many workers as the device holds of the program's kernels.
  /// Throws Error.
  Trace(const tilec_program &program, int records);
  ~Trace();
  Trace(const Trace &) = delete;

  const TraceBuffer &buffer() const { return tracks; }
  /// Writes what is there as JSON, oldest records first. Waits for the device. Throws Error.
  void save(const std::string &path) const;

private:
  size_t trackBytes() const { return (size_t(tracks.capacity) + 1) * sizeof(TraceRecord); }
  size_t bytes() const;

  const tilec_program &program;
  TraceBuffer tracks = {};
};

} // namespace tilec::host

#endif // TILEC_HOST_TRACE_H
