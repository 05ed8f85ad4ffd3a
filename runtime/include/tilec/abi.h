// What the host hands to a kernel and gets back. Plain data shared by host and device code.
// Nothing that computes belongs here.
#ifndef TILEC_ABI_H
#define TILEC_ABI_H

#include "tilec/constants.h"

namespace tilec {

/// One per rank and program, in device memory, zero before the first launch. Only the device writes it, so that a
/// captured launch may be replayed. The epoch of a running launch is one more than launches were counted: signal words
/// start at zero, so no wait of the first launch is satisfied by memory nobody wrote.
struct alignas(128) LaunchState {
  /// Launches counted on this rank, times 2^32, plus the workgroups of the running launch that entered: one atomic
  /// tells a workgroup both, so that a launch may be counted as soon as all its workgroups have come.
  unsigned long long entered;
  unsigned left;            ///< workgroups of the running launch that left
  unsigned failed;          ///< not 0: a wait has seen that a launch of this rank failed; zero again after a reset
  int tickets[queue_count]; ///< next task of every queue; zero between launches
  unsigned begun;           ///< epoch of the last launch whose copy engine began: signals are copies of it
};

/// Why a launch failed.
enum FailureReason : unsigned {
  failure_none = 0,
  failure_deadline = 1, ///< a wait saw its deadline pass
  failure_deadlock = 2, ///< the emulator saw that no wait can ever be satisfied
  failure_mismatch = 3, ///< two ranks launched different programs or extents
  failure_abort = 4,    ///< the host or a peer asked every wait to fall through
};

/// States of Failure::set.
enum FailureState : unsigned {
  failure_unset = 0,    ///< nothing failed
  failure_writing = 1,  ///< claimed (compare-and-swap from unset) by the one lane that fills the record
  failure_complete = 2, ///< every field below is valid
  failure_asked = 3,    ///< the host has filled `reason`; the first wait that sees it says where it stood
};

/// Coordinates of a signal that a failure names; of a grid with more, the first ones.
constexpr int failure_dimensions = 8;

/// One per rank, in the host's memory. Every wait falls through while `set` is not `failure_unset`; only a collective
/// reset by the host clears it. What a device reads here crosses the host's bus: waits look here seldom, and tell each
/// other in `LaunchState::failed`.
struct Failure {
  unsigned set;                  ///< FailureState
  unsigned reason;               ///< FailureReason
  unsigned program;              ///< Context::program of the launch
  unsigned epoch;                ///< the launch that failed
  unsigned long long signal;     ///< byte offset of the signal grid in the program's signal area; the manifest names it
  int index[failure_dimensions]; ///< coordinates of the signal in the grid; unused ones are 0
  int rank;                      ///< the rank that waited
  unsigned wanted;               ///< the least value that satisfies the wait (wrap-safe order)
  unsigned seen;                 ///< the value at the word when the wait gave up
};

/// What a record of a trace says; times are the device's nanoseconds (`target::trace_clock`).
enum TraceKind : unsigned {
  trace_task_begins = 1, ///< `number`: of the task; `role`: of its kernel's roles
  trace_task_ends = 2,
  trace_wait_begins = 3, ///< `signal`, `first`, `count`: what is waited for; `epoch`: that its words must have seen
  trace_wait_ends = 4,
  trace_signal = 5, ///< `signal`, `first`: the word; `number`: the rank that is told
};

/// Coordinates of signals that a record holds; of a grid with more, the first ones.
constexpr int trace_dimensions = 4;

/// Something that a part of a workgroup did.
struct TraceRecord {
  unsigned long long time;
  unsigned kind; ///< TraceKind
  unsigned epoch;
  int number, role;
  unsigned long long signal; ///< byte offset of the grid in the program's signal area
  int first[trace_dimensions], count[trace_dimensions];
};
static_assert(sizeof(TraceRecord) == 64);

/// Before the records of a track.
struct alignas(64) TraceTrack {
  unsigned written; ///< records since the track was made; the last `capacity` of them are there
};
static_assert(sizeof(TraceTrack) == sizeof(TraceRecord));

/// Parts of a workgroup that have a track each: the waves that consume, or all; the wave that produces; and the one
/// that tells.
constexpr int trace_parts = 3;

/// Where a rank's launches leave what they did: tracks [kernel][worker][part], each a TraceTrack and `capacity`
/// records. Nothing is left where `tracks` is null, or by a worker that has no track.
struct TraceBuffer {
  char *tracks;
  int workers, capacity;
};

/// A kernel's first argument, by value. Everything in it is the same for every launch of a program on a rank but
/// `hash`.
struct Context {
  int rank;                       ///< this rank
  int world;                      ///< number of ranks
  char *const *heap_bases;        ///< [world] the data mapping of each rank, as this rank addresses it
  char *const *signal_bases;      ///< [world] this program's signal area on each rank, as this rank addresses it
  LaunchState *state;             ///< of this rank and program
  Failure *failure;               ///< of this rank
  unsigned long long deadline_ns; ///< a wait gives up after so long; 0: never
  unsigned program;               ///< number of the program in its world, for Failure
  unsigned hash;                  ///< of program and extents; equal on all ranks of a launch
  TraceBuffer trace = {};         ///< of this rank and program
};

/// What the launcher of a program with a role of the copy engine needs, of a rank. The engine has streams of its own,
/// two in turn where it waits for tasks; its places are those that the host knows.
struct Engine {
  static constexpr int lanes = 2;
  void *streams[lanes];      ///< hipStream_t, which wait for no other
  void *begins, *ends;       ///< hipEvent_t: where the stream of the launch goes on to the engine's, and back
  void *passed[lanes];       ///< hipEvent_t: what a stream has waited for last
  void *done[lanes];         ///< hipEvent_t: what it has done
  char *const *heap_bases;   ///< as in Context, in the host's memory
  char *const *signal_bases; ///< the same
  long long heap_bytes;      ///< of this rank's heap
};

/// Copies and signals of one launch behind which no other rank of the same process could be launched: CUDA took 1020
/// in a stream that waits; with 1040 a call of the host returned only when the wait was over (measured on H200).
constexpr long long most_engine_copies = 960;

/// What `extern "C" int <program>_launch(const tilec::LaunchArguments *)` reads. It enqueues the kernels and returns 0
/// or the error code of the device's runtime. Pointers live as long as the call.
struct LaunchArguments {
  Context context;
  void *stream;             ///< hipStream_t
  void *const *pointers;    ///< one per argument of the program, in its order; of a number, to host memory
  const long long *extents; ///< one per named extent, in the manifest's order
  /// The most each extent may be in any launch. What must keep its place from launch to launch (strides and offsets of
  /// signal grids, distances between the copies of a scratch buffer) is computed from these, not from `extents`.
  const long long *max_extents;
  char *workspace; ///< the scratch buffers at the manifest's offsets; null when there are none
  int pointer_count;
  int extent_count;
  int workgroups;       ///< per kernel, at least 1
  const Engine *engine; ///< null where the program has no role of the copy engine
};

} // namespace tilec

#endif // TILEC_ABI_H
