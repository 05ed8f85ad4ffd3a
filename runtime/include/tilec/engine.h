//===- engine.h - what a device's copy engine does beside a kernel --------------------------------------*- C++ -*-===//
// Copies and signals that a launcher asks for, in a stream of their own. The word that they signal with is written by a
// kernel before. Which copies there are is the text's to say.
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
/// What goes to other ranks is in the engine's stream, and makes progress whatever else the device does. What a rank
/// copies to itself does not: devices make such copies by their compute units, where a kernel that waits for them may
/// leave no room. It is in the stream of the launch, so that the kernel beside begins behind it. One stream waits for
/// the other where the order could be seen.
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

  /// What is launched from here on comes behind the copies. Returns 0 or the first error of the device's runtime.
  int join() {
    if (engine)
      follow(true);
    return error ? error : counts && asked > most_engine_copies;
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
    take(here, here ? readsOwn : reads);
    readsOwn |= !here && reads;
#if defined(TILEC_EMULATED)
    if (!here) {
      note(emulator::copy_by_engine(into, into_pitch, from, from_pitch, bytes, rows, engine->stream));
      return;
    }
#endif
    const hipStream_t on = stream(here ? main : engine->stream);
    note(rows == 1 ? hipMemcpyAsync(into, from, bytes, hipMemcpyDefault, on)
                   : hipMemcpy2DAsync(into, into_pitch, from, from_pitch, bytes, rows, hipMemcpyDefault, on));
  }

  /// Raises a word, `offset` bytes into the program's signal area of rank `to`, behind all that was copied.
  void raise(long long offset, int to) {
    ++asked;
    if (!engine || error)
      return;
    void *const word = engine->signal_bases[to] + offset;
    const bool here = to == rank;
    take(here, true);
#if defined(TILEC_EMULATED)
    if (!here) {
      note(emulator::signal_by_engine(word, &context.state->begun, engine->stream));
      return;
    }
#endif
    note(hipMemcpyAsync(word, &context.state->begun, sizeof(unsigned), hipMemcpyDefault,
                        stream(here ? main : engine->stream)));
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

  /// What one stream is given next comes behind what the other was given: the launch's behind the engine's, or the
  /// engine's behind the launch's.
  void follow(bool launch) {
    const hipEvent_t reached = event(launch ? engine->ends : engine->begins);
    note(hipEventRecord(reached, stream(launch ? engine->stream : main)));
    note(hipStreamWaitEvent(stream(launch ? main : engine->stream), reached, 0));
    open[!launch] = false;
  }

  /// The next goes to this rank itself or to another, and must be `behind` what went the other way.
  void take(bool here, bool behind) {
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

/// Asks the engine for a box of `from` at `start`, of `size` elements in each dimension, to the same place of `into`.
/// What lies outside of either view is left out.
template <class From, class Into, int Rank>
void move(Copies &copies, const View<From, Rank> &from, Coordinates<Rank> start, Coordinates<Rank> size,
          const View<Into, Rank> &into) {
  static_assert(Rank == 1 || Rank == 2, "the engine knows rows and matrices");
  static_assert(sizeof(From) == sizeof(Into), "elements are moved as they are");
  const From *source = from.pointer;
  Into *target = into.pointer;
  long long count[2] = {1, 1};
  for (int dim = 0; dim < Rank; ++dim) {
    const int extent = from.extents[dim] < into.extents[dim] ? from.extents[dim] : into.extents[dim];
    const long long left = (long long)extent - start[dim];
    count[dim + 2 - Rank] = left < 0 ? 0 : left < size[dim] ? left : size[dim];
    source += start[dim] * from.strides[dim];
    target += start[dim] * into.strides[dim];
  }
  constexpr int last = Rank - 1;
  const long long bytes = sizeof(From), rows = count[0], columns = count[1];
  const long long row_from = Rank == 2 ? from.strides[0] : 0, row_into = Rank == 2 ? into.strides[0] : 0;
  if (from.strides[last] == 1 && into.strides[last] == 1 && row_from >= 0 && row_into >= 0) {
    copies.copy(target, row_into * bytes, source, row_from * bytes, columns * bytes, rows);
    return;
  }
  // Elements of a row that do not lie side by side are rows of one element to the engine.
  for (long long row = 0; row < rows; ++row)
    copies.copy(target + row * row_into, into.strides[last] * bytes, source + row * row_from,
                from.strides[last] * bytes, bytes, columns);
}

/// Tells rank `to`, behind all that the engine was asked for.
template <int Rank>
void mark(Copies &copies, const Signals<Rank> &grid, Coordinates<Rank> index, int to) {
  long long linear = 0;
  for (int dim = 0; dim < Rank; ++dim)
    linear = linear * grid.extents.data[dim] + index.data[dim];
  copies.raise(grid.byte_offset + linear * signal_stride, to);
}

} // namespace tilec

#endif // TILEC_ENGINE_H
