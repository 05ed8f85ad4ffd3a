// Where the elements of an argument lie in the memory that one launch gives to the text: the oracle knows rows without
// gaps alone.
#pragma once

#include "dialect/Tile.h"
#include "passes/interpreter/Memory.h"

namespace tilec {

class ArgumentLayout {
public:
  ArgumentLayout(interpreter::Shape sizes, interpreter::Shape strides, size_t width)
      : sizes(std::move(sizes)), strides(std::move(strides)), width(width) {}

  /// Of argument `number` in a launch with these extents; `buffer` is the oracle's.
  static ArgumentLayout of(tile::ProgramOp program, unsigned number, int64_t world, llvm::ArrayRef<int64_t> extents,
                           const interpreter::Buffer &buffer);

  const interpreter::Shape &getSizes() const { return sizes; }
  /// In elements, as many as there are sizes.
  const interpreter::Shape &getStrides() const { return strides; }
  /// From the first element to behind the last.
  size_t bytes() const;
  bool hasGaps() const { return bytes() != numElements() * width; }
  /// The byte at which an element begins, which is given by its row-major number.
  size_t offsetOf(int64_t element) const;
  /// The element at a byte; none between elements.
  std::optional<int64_t> elementAt(size_t offset) const;

  /// Writes the elements, which are dense in `elements`, and nothing between them.
  void scatter(llvm::ArrayRef<char> elements, char *memory) const;
  std::vector<char> gather(const char *memory) const;
  /// How many of the bytes between elements are not `fill`.
  int64_t strayBytes(const char *memory, char fill) const;

private:
  size_t numElements() const { return interpreter::count(sizes); }

  interpreter::Shape sizes, strides;
  size_t width;
};

} // namespace tilec
