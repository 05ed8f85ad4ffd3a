//===- trace.h - what a launch did, and when -------------------------------------------------------------*- C++
//-*-===//
// Records of tasks, waits and signals in a ring for each part of a workgroup. Only text made with `tilec --trace` calls
// it; reading the rings is the host's.
//===--------------------------------------------------------------------------------------------------------------===//
#ifndef TILEC_TRACE_H
#define TILEC_TRACE_H

#include "tilec/signal.h"

namespace tilec {

/// What one lane of each part writes with; the other lanes have no track, and write nothing.
struct Trace {
  TraceTrack *track;
  int capacity;
  unsigned epoch;
  /// Counted here, so that a record takes no load. The text holds the trace as a constant, as all it holds.
  mutable unsigned written;
};

/// For the kernel with this number in its program. Wave `producer` is the part that produces; by default there is none.
/// The one behind it may be the part that tells. All threads call it.
TILEC_DEVICE Trace trace(const Launch &launch, int kernel, int producer = -1, bool tells = false) {
  const TraceBuffer &buffer = launch.context.trace;
  const int wave = target::wave(), part = wave == 0 ? 0 : 1 + wave - producer;
  const bool writes = (wave == 0 || wave == producer || (tells && wave == producer + 1)) && target::lane() == 0;
  if (!writes || !buffer.tracks || launch.worker >= buffer.workers)
    return {};
  const long long number = ((long long)kernel * buffer.workers + launch.worker) * trace_parts + part;
  TraceTrack *track = (TraceTrack *)(buffer.tracks + number * (buffer.capacity + 1) * (long long)sizeof(TraceRecord));
  return {track, buffer.capacity, launch.epoch, track->written};
}

namespace detail {

/// Where the next record goes, its time set; null where there is no track.
TILEC_DEVICE TraceRecord *record(const Trace &trace, TraceKind kind) {
  if (!trace.track)
    return nullptr;
  TraceRecord *result = (TraceRecord *)(trace.track + 1) + trace.written % unsigned(trace.capacity);
  trace.track->written = ++trace.written;
  result->time = target::trace_clock();
  result->kind = kind;
  result->epoch = trace.epoch;
  return result;
}

template <int Rank>
TILEC_DEVICE void record_box(TraceRecord *record, const Signals<Rank> &grid, Coordinates<Rank> first,
                             Coordinates<Rank> count) {
  record->signal = static_cast<unsigned long long>(grid.byte_offset);
#pragma unroll
  for (int dim = 0; dim < trace_dimensions; ++dim) {
    record->first[dim] = dim < Rank ? first.data[dim < Rank ? dim : 0] : 0;
    record->count[dim] = dim < Rank ? count.data[dim < Rank ? dim : 0] : 1;
  }
}

} // namespace detail

/// A task of a role begins; roles are numbered in the order of the kernel's text.
TILEC_DEVICE void task_begins(const Trace &trace, int role, int task) {
  if (TraceRecord *record = detail::record(trace, trace_task_begins)) {
    record->role = role;
    record->number = task;
  }
}
TILEC_DEVICE void task_ends(const Trace &trace) { detail::record(trace, trace_task_ends); }

/// A wait for these words begins, as `wait` has them.
template <int Rank>
TILEC_DEVICE void wait_begins(const Trace &trace, const Signals<Rank> &grid, Coordinates<Rank> first,
                              Coordinates<Rank> count, int lag = 0) {
  if (TraceRecord *record = detail::record(trace, trace_wait_begins)) {
    record->epoch = trace.epoch - unsigned(lag);
    detail::record_box(record, grid, first, count);
  }
}
TILEC_DEVICE void wait_ends(const Trace &trace) { detail::record(trace, trace_wait_ends); }

/// Rank `to` is told next.
template <int Rank>
TILEC_DEVICE void signalling(const Trace &trace, const Signals<Rank> &grid, Coordinates<Rank> index, int to) {
  if (TraceRecord *record = detail::record(trace, trace_signal)) {
    record->number = to;
    detail::record_box(record, grid, index, index);
  }
}

} // namespace tilec

#endif // TILEC_TRACE_H
