// Buffers of one rank and views of them: loads, stores and atomics of tiles with their masks.
#pragma once

#include "passes/interpreter/Elements.h"

namespace tilec::interpreter {

enum class Combination { Add, Maximum, Minimum, Product, And, Or, Xor };

/// One rank's copy of an argument or alloc: row-major over its logical shape, whatever layout the implementation uses.
struct Buffer : Elements {
  bool written = false; ///< by the program, in this launch

  using Elements::Elements;

  /// NaN in floats, all ones in integers; `undefined` integers get an infinite error, so that a use of them shows, and
  /// `undefined` elements are unwritten.
  void poison(bool undefined);

  /// Elements that nobody has written since they were poisoned as undefined; empty where there are none.
  std::vector<bool> unwritten;
  /// The first of them that a load took.
  std::optional<int64_t> readUnwritten;
  /// Whether a product has passed over rows, behind those in use, while elements were unwritten.
  bool passedOver = false;
  void noteRead(int64_t element) {
    if (!unwritten.empty() && unwritten[element] && !readUnwritten)
      readUnwritten = element;
  }
  void noteWritten(int64_t element) {
    if (unwritten.empty() || !unwritten[element])
      return;
    unwritten[element] = false;
    if (--unwrittenCount == 0)
      unwritten.clear();
  }

  /// Ends a statement: what float additions by `atomic` may have lost is added to the error. They come in any order, so
  /// gamma(n) times the sum of magnitudes bounds it; then the value is rounded to the format.
  void settle();

  /// Sums of magnitudes and numbers of terms of float atomic additions since the last `settle`; empty without any.
  std::vector<double> magnitudes;
  std::vector<int32_t> terms;

  /// Little-endian, dense, `format.bytes()` per element.
  std::vector<char> toBytes() const;
  /// Exact content; `bytes` has exactly the buffer's size.
  void fromBytes(llvm::ArrayRef<char> bytes);

private:
  int64_t unwrittenCount = 0;
};

/// A strided window of a buffer. `slot` says which one of the rank's.
struct View {
  unsigned slot = 0;
  int64_t offset = 0;
  Shape sizes, strides;

  static View whole(unsigned slot, llvm::ArrayRef<int64_t> shape);
};

/// A tile of `shape` (as many dimensions as the view has) whose first element is at `first`. Outside the view elements
/// are `otherwise`, or zero when that is null. The buffer notes the first element that nobody has written.
void load(Buffer &buffer, const View &view, llvm::ArrayRef<int64_t> first, llvm::ArrayRef<int64_t> shape,
          const Elements *otherwise, Elements &tile);

/// Rounds to the buffer's format; elements outside the view are dropped.
void store(Buffer &buffer, const View &view, llvm::ArrayRef<int64_t> first, llvm::ArrayRef<int64_t> shape,
           const Elements &tile);

/// Notes the elements that such a tile covers in `seen`, one flag for each of the buffer. False when one was noted
/// before.
bool noteElements(std::vector<bool> &seen, const View &view, llvm::ArrayRef<int64_t> first,
                  llvm::ArrayRef<int64_t> shape);

/// Combines by a sum or an extremum; `settle` finishes. What is combined with an unwritten element stays unwritten.
void combine(Buffer &buffer, const View &view, llvm::ArrayRef<int64_t> first, llvm::ArrayRef<int64_t> shape,
             const Elements &tile, Combination kind);

} // namespace tilec::interpreter
