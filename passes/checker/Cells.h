// The common refinement of all tile boundaries of a buffer: every access covers whole cells, so that a cell stands for
// all of its elements. Geometry only.
#pragma once

#include "passes/checker/TaskTrace.h"

namespace tilec::checker {

class Cells {
public:
  explicit Cells(const Trace &trace);

  /// True when some access writes the buffer; only such buffers have cells.
  bool isWritten(uint32_t root) const { return written[root]; }
  uint32_t count(uint32_t root) const { return counts[root]; }
  uint32_t rootOf(uint32_t box) const { return trace.boxes[box][0]; }
  /// The cells of a box, numbered within its buffer, ascending.
  llvm::ArrayRef<uint32_t> of(uint32_t box) const {
    return llvm::ArrayRef<uint32_t>(list).slice(begins[box], begins[box + 1] - begins[box]);
  }
  /// The first element of a cell, one coordinate per dimension.
  llvm::SmallVector<int64_t, 4> element(uint32_t root, uint32_t cell) const;

private:
  void refine();
  void cover(uint32_t box);

  const Trace &trace;
  std::vector<bool> written;
  std::vector<uint32_t> counts;
  std::vector<std::vector<std::vector<int64_t>>>
      edges; ///< [root][dimension]: sorted first elements of cells, and an end
  std::vector<uint32_t> list;
  std::vector<size_t> begins{0};
};

} // namespace tilec::checker
