// Reads of one task that the trace records as one: the steps of a loop over K become one read of the panel.
#pragma once

#include "passes/checker/TaskTrace.h"

#include "llvm/ADT/DenseSet.h"

namespace tilec::checker {

/// The reads of the thread that is traced, by their sites.
class OpenReads {
public:
  using Box = llvm::SmallVector<int64_t, 13>; ///< root, then (first, count, stride) per dimension

  OpenReads(Trace &trace, size_t numSites) : trace(trace), open(numSites) {}

  /// The thread ends: its reads get their boxes.
  void close();
  void noteStore(int64_t root) { stored.insert(root); }
  bool hasStored(int64_t root) const { return stored.contains(root); }

  /// The access that a read is part of, which is made where it joins none.
  uint32_t record(uint32_t thread, const Access &made, llvm::ArrayRef<int64_t> box);
  /// The access of the latest read of a site, nothing where the thread has none.
  std::optional<uint32_t> accessOf(uint32_t thread, uint32_t site) const;
  /// Of so many further reads of the site, each beside the one before along a dimension, `count` elements long.
  void extend(uint32_t site, size_t dimension, int64_t count) { open[site].box[dimension + 1] += count; }

private:
  /// The latest read of a site that others may still join.
  struct OpenRead {
    uint32_t access = ~0u;
    Box box;
  };
  bool joins(OpenRead &read, const Access &made, llvm::ArrayRef<int64_t> box);

  Trace &trace;
  std::vector<OpenRead> open;             ///< [site]
  std::vector<uint32_t> openSites;        ///< those that the thread has reads of
  llvm::SmallDenseSet<int64_t, 8> stored; ///< buffers that the thread has written
};

} // namespace tilec::checker
