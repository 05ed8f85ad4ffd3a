//===- engine.h - what a device's copy engine does beside a kernel --------------------------------------*- C++ -*-===//
// Copies and signals that a launcher asks for, in streams of their own. The word that they signal with is written by a
// kernel before, or by the one beside where the engine waits for it. Which copies there are is the text's to say.
//===--------------------------------------------------------------------------------------------------------------===//
#ifndef TILEC_ENGINE_H
#define TILEC_ENGINE_H

#include "tilec/signal.h"

namespace tilec {

/// Called by all threads of the first workgroup of a kernel, once per launch: what the copy engine does behind the
/// kernel belongs to this launch.
TILEC_DEVICE void begin_copies(const Launch &launch) {
  LaunchState *state = detail::held_address<detail::state_words, LaunchState>(launch);
  if (target::thread() == 0)
    target::store_relaxed<system>(&state->begun, launch.epoch);
}

/// What the copy engine of one launch is asked for, in order. It begins behind what has been launched so far. Nothing
/// is decided by the host but places: signals are copies of a word in device memory, so that a captured launch may be
/// replayed.
///
/// What goes to other ranks is in the engine's streams, and makes progress whatever else the device does, but where it
/// awaits the kernel beside. What a rank copies to itself does not: devices make such copies by their compute units,
/// where a kernel that waits for them may leave no room. It is in the stream of the launch, so that the kernel beside
/// begins behind it. One stream waits for the other where the order could be seen.
class Copies {
public:
  int rank;

  explicit Copies(const LaunchArguments &arguments)
      : rank(arguments.context.rank), context(arguments.context), engine(arguments.engine), main(arguments.stream) {
    counts = engine && arguments.workgroups == 0;
    if (arguments.workgroups == 0)
      engine = nullptr; // nothing starts: the host asks what is resident, and whether the engine is asked for too much
    else if (!engine)
      error = 1; // hipErrorInvalidValue
    if (engine)
      follow(false);
  }
  operator const Context &() const { return context; }

  /// 0, or the first error of the device's runtime: the kernel that would wait for the copies is not launched then.
  int failed() const { return error; }

  /// What is launched from here on comes behind the copies. Returns 0 or the first error of the device's runtime. Where
  /// they are counted alone: 1 where a stream has no room for so many while it waits, 2 where it waits for the kernel
  /// that is launched behind them.
  int join() {
    // Behind an error no kernel comes whose tasks would end what the engine awaits.
    if (engine && !(error && awaits)) {
      if (changed)
        behindOther(engine->done[1 - lane]);
      follow(true);
    }
    return error || !counts || asked <= most_engine_copies ? error : awaits ? 2 : 1;
  }

  /// Where the heap of a rank begins for this one; null where nothing is asked for.
  char *heap(int of) const { return engine ? engine->heap_bases[of] : nullptr; }

  /// `rows` rows of `bytes` each, which begin so many bytes apart.
  void copy(void *into, std::size_t into_pitch, const void *from, std::size_t from_pitch, std::size_t bytes,
            std::size_t rows) {
    if (bytes == 0 || rows == 0)
      return;
    ++asked;
    if (!engine || error)
      return;
    if (rows == 1 || (into_pitch == bytes && from_pitch == bytes))
      into_pitch = from_pitch = bytes *= rows, rows = 1;
    const bool here = isOwn(into), reads = isOwn(from);
    order(here, here ? readsOwn : reads);
    if (error)
      return;
    readsOwn |= !here && reads;
#if defined(TILEC_EMULATED)
    if (!here) {
      note(emulator::copy_by_engine(into, into_pitch, from, from_pitch, bytes, rows, ours()));
      return;
    }
#endif
    const hipStream_t on = stream(here ? main : ours());
    note(rows == 1 ? hipMemcpyAsync(into, from, bytes, hipMemcpyDefault, on)
                   : hipMemcpy2DAsync(into, into_pitch, from, from_pitch, bytes, rows, hipMemcpyDefault, on));
  }

  /// Waits until a word, `offset` bytes into the program's signal area of this rank, has counted so far, and leaves 0
  /// there. What comes behind it goes to other ranks: what a rank copies to itself would hold up the kernel that
  /// counts.
  void await(long long offset, int count) {
    asked += 6;
    const bool again = awaits;
    awaits = true;
    if (!engine || error)
      return;
    if (again)
      change();
    void *const word = engine->signal_bases[rank] + offset;
#if defined(TILEC_EMULATED)
    note(emulator::take_by_engine(word, unsigned(count), ours()));
#else
    note(hipStreamWaitValue32(stream(ours()), word, unsigned(count), hipStreamWaitValueGte, ~0u));
    note(hipStreamWriteValue32(stream(ours()), word, 0, 0));
#endif
    note(hipEventRecord(event(engine->passed[lane]), stream(ours())));
  }

  /// Raises a word, `offset` bytes into the program's signal area of rank `to`, behind all that was copied.
  void raise(long long offset, int to) {
    ++asked;
    if (!engine || error)
      return;
    void *const word = engine->signal_bases[to] + offset;
    const bool here = to == rank;
    order(here, true);
    if (error)
      return;
    if (changed)
      behindOther(engine->done[1 - lane]);
#if defined(TILEC_EMULATED)
    if (!here) {
      note(emulator::signal_by_engine(word, &context.state->begun, ours()));
      return;
    }
#endif
    note(hipMemcpyAsync(word, &context.state->begun, sizeof(unsigned), hipMemcpyDefault, stream(here ? main : ours())));
  }

private:
  static hipStream_t stream(void *of) { return static_cast<hipStream_t>(of); }
  static hipEvent_t event(void *of) { return static_cast<hipEvent_t>(of); }
  void note(int now) { error = error ? error : now; }

  /// Whether it lies in this rank's heap.
  bool isOwn(const void *place) const {
    const char *const base = engine->heap_bases[rank], *const byte = static_cast<const char *>(place);
    return byte >= base && byte < base + engine->heap_bytes;
  }

  void *ours() const { return engine->streams[lane]; }

  /// The engine goes on in its other stream, behind all that it has waited for: while one stream tells of a piece and
  /// waits for the next, the other one copies. Signals come behind all copies of both: what others see is in order, as
  /// long as no byte is copied to twice.
  void change() {
    note(hipEventRecord(event(engine->done[lane]), stream(ours())));
    lane = 1 - lane;
    if (!changed && lane == 1)
      note(hipStreamWaitEvent(stream(ours()), event(engine->begins), 0));
    note(hipStreamWaitEvent(stream(ours()), event(engine->passed[1 - lane]), 0));
    changed = true;
  }

  /// What this stream does next comes behind what the other one has recorded.
  void behindOther(void *recorded) { note(hipStreamWaitEvent(stream(ours()), event(recorded), 0)); }

  /// What one stream is given next comes behind what the other was given: the launch's behind the engine's, or the
  /// engine's behind the launch's.
  void follow(bool launch) {
    const hipEvent_t reached = event(launch ? engine->ends : engine->begins);
    note(hipEventRecord(reached, stream(launch ? ours() : main)));
    note(hipStreamWaitEvent(stream(launch ? main : ours()), reached, 0));
    open[!launch] = false;
  }

  /// The next goes to this rank itself or to another, and must be `behind` what went the other way.
  void order(bool here, bool behind) {
    if (here && awaits) {
      note(1); // hipErrorInvalidValue
      return;  // nothing of the launch's stream waits for tasks that never run
    }
    if (behind && open[!here])
      follow(here);
    open[here] = true;
  }

  const Context &context;
  const Engine *engine;
  void *main;
  int error = 0;
  long long asked = 0;   ///< copies and signals
  bool counts;           ///< they are counted alone
  bool awaits = false;   ///< what comes waits for tasks of the kernel beside
  bool changed = false;  ///< both streams of the engine are in use
  int lane = 0;          ///< which of them is
  bool readsOwn = false; ///< some copy to another rank reads this rank's heap
  bool open[2] = {};     ///< something that went to others, to this rank, which the other stream does not wait for yet
};

/// The copy on rank `to` of what `pointer` addresses in this rank's heap.
template <class T>
T *remote(const Copies &copies, T *pointer, int to) {
  const Context &context = copies;
  using Bytes = std::conditional_t<std::is_const_v<T>, const char, char>;
  if (!copies.heap(to))
    return pointer;
  return (T *)(copies.heap(to) + ((Bytes *)pointer - copies.heap(context.rank)));
}

namespace detail {

/// A dimension of a box: how many there are, and how many elements apart at either end.
struct Steps {
  long long count, from, into;
};

/// Copies `rows`, of runs that begin so many elements apart, each of `bytes`.
template <class From, class Into>
void copy_rows(Copies &copies, const From *source, Into *target, Steps rows, long long bytes) {
  constexpr long long element = sizeof(From);
  if (rows.from >= 0 && rows.into >= 0)
    return copies.copy(target, rows.into * element, source, rows.from * element, bytes, rows.count);
  for (long long row = 0; row < rows.count; ++row)
    copies.copy(target + row * rows.into, bytes, source + row * rows.from, bytes, bytes, 1);
}

} // namespace detail

/// Asks the engine for a box of `from` at `start`, of `size` elements in each dimension, to the same place of `into`.
/// What lies outside of either view is left out.
template <class From, class Into, int Rank>
void move(Copies &copies, const View<From, Rank> &from, Coordinates<Rank> start, Coordinates<Rank> size,
          const View<Into, Rank> &into) {
  static_assert(Rank >= 1 && Rank <= 3, "the engine knows rows, matrices and rows of matrices");
  static_assert(sizeof(From) == sizeof(Into), "elements are moved as they are");
  const From *source = from.pointer;
  Into *target = into.pointer;
  // From the inside out. Dimensions that follow each other without a gap become one run of elements.
  long long run = 1;
  detail::Steps outer[3] = {{1, 0, 0}, {1, 0, 0}, {1, 0, 0}};
  int open = 0;
  for (int dim = Rank - 1; dim >= 0; --dim) {
    const int extent = from.extents[dim] < into.extents[dim] ? from.extents[dim] : into.extents[dim];
    const long long left = (long long)extent - start[dim];
    const detail::Steps steps = {left < 0           ? 0
                                 : left < size[dim] ? left
                                                    : size[dim],
                                 from.strides[dim], into.strides[dim]};
    source += start[dim] * steps.from;
    target += start[dim] * steps.into;
    if (open == 0 && steps.from == run && steps.into == run)
      run *= steps.count;
    else if (steps.count != 1)
      outer[open++] = steps;
  }
  const auto &[rows, planes, groups] = outer;
  for (long long group = 0; group < groups.count; ++group)
    for (long long plane = 0; plane < planes.count; ++plane)
      detail::copy_rows(copies, source + group * groups.from + plane * planes.from,
                        target + group * groups.into + plane * planes.into, rows, run * (long long)sizeof(From));
}

namespace detail {

/// Where a word of a grid lies in the signal area.
template <int Rank>
long long byte_of(const Signals<Rank> &grid, Coordinates<Rank> index) {
  long long linear = 0;
  for (int dim = 0; dim < Rank; ++dim)
    linear = linear * grid.extents.data[dim] + index.data[dim];
  return grid.byte_offset + linear * signal_stride;
}

} // namespace detail

/// The engine goes on when `count` tasks of this rank have counted in a word (`tilec::count`), and leaves 0 there.
template <int Rank>
void take_counted(Copies &copies, const Signals<Rank> &grid, Coordinates<Rank> index, int count) {
  copies.await(detail::byte_of(grid, index), count);
}

/// Tells rank `to`, behind all that the engine was asked for.
template <int Rank>
void mark(Copies &copies, const Signals<Rank> &grid, Coordinates<Rank> index, int to) {
  copies.raise(detail::byte_of(grid, index), to);
}

} // namespace tilec

#endif // TILEC_ENGINE_H
