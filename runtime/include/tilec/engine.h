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

/// The stream of the copy engine of one launch. It begins behind what has been launched so far, and everything is done
/// in the order in which it is asked for. An engine makes progress whatever else the device does. Nothing is decided by
/// the host but places: signals are copies of a word in device memory, so that a captured launch may be replayed.
class Copies {
public:
  int rank;

  explicit Copies(const LaunchArguments &arguments)
      : rank(arguments.context.rank), context(arguments.context), engine(arguments.engine), main(arguments.stream) {
    if (arguments.workgroups == 0)
      engine = nullptr; // nothing starts: the host asks what is resident
    else if (!engine)
      error = 1; // hipErrorInvalidValue
    if (engine)
      note(hipEventRecord(event(engine->begins), stream(main)));
    if (engine)
      note(hipStreamWaitEvent(stream(engine->stream), event(engine->begins), 0));
  }
  operator const Context &() const { return context; }

  /// What is launched from here on comes behind the copies. Returns 0 or the first error of the device's runtime.
  int join() {
    if (engine)
      note(hipEventRecord(event(engine->ends), stream(engine->stream)));
    if (engine)
      note(hipStreamWaitEvent(stream(main), event(engine->ends), 0));
    return error;
  }

  /// Where the heap of a rank begins for this one; null where nothing is asked for.
  char *heap(int of) const { return engine ? engine->heap_bases[of] : nullptr; }

  /// `rows` rows of `bytes` each, which begin so many bytes apart.
  void copy(void *into, std::size_t into_pitch, const void *from, std::size_t from_pitch, std::size_t bytes,
            std::size_t rows) {
    if (!engine || error || bytes == 0 || rows == 0)
      return;
    if (rows == 1 || (into_pitch == bytes && from_pitch == bytes))
      into_pitch = from_pitch = bytes *= rows, rows = 1;
#if defined(TILEC_EMULATED)
    note(emulator::copy_by_engine(into, into_pitch, from, from_pitch, bytes, rows, engine->stream));
#else
    note(rows == 1 ? hipMemcpyAsync(into, from, bytes, hipMemcpyDefault, stream(engine->stream))
                   : hipMemcpy2DAsync(into, into_pitch, from, from_pitch, bytes, rows, hipMemcpyDefault,
                                      stream(engine->stream)));
#endif
  }

  /// Raises a word, `offset` bytes into the program's signal area of rank `to`, behind all that was copied.
  void raise(long long offset, int to) {
    if (!engine || error)
      return;
    void *const word = engine->signal_bases[to] + offset;
#if defined(TILEC_EMULATED)
    note(emulator::signal_by_engine(word, &context.state->begun, engine->stream));
#else
    note(hipMemcpyAsync(word, &context.state->begun, sizeof(unsigned), hipMemcpyDefault, stream(engine->stream)));
#endif
  }

private:
  static hipStream_t stream(void *of) { return static_cast<hipStream_t>(of); }
  static hipEvent_t event(void *of) { return static_cast<hipEvent_t>(of); }
  void note(int now) { error = error ? error : now; }

  const Context &context;
  const Engine *engine;
  void *main;
  int error = 0;
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
