// Where the elements of an argument lie, for given extents: whether two share memory, and extents for which none do.
#pragma once

#include "mlir/IR/AffineMap.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/LogicalResult.h"

#include <optional>

namespace tilec::tile {
class ProgramOp;

/// A stride that is less than what the dimensions with smaller strides reach, so that elements may share memory.
struct Overlap {
  unsigned dim = 0;
  int64_t stride = 0, least = 0;
};

/// Dimensions in the order of their strides, the last of equal ones first: each must step over all that the ones before
/// it reach. Those of one element step nowhere, and a buffer without elements has none to overlap.
std::optional<Overlap> findOverlap(llvm::ArrayRef<int64_t> sizes, llvm::ArrayRef<int64_t> strides);

/// Whether the elements of every argument lie apart in a launch with these extents. Reports the first that do not.
llvm::LogicalResult verifyApart(ProgramOp program, int64_t world, llvm::ArrayRef<int64_t> extents);
/// The same without a report.
bool lieApart(ProgramOp program, int64_t world, llvm::ArrayRef<int64_t> extents);

/// True for an extent that is only part of strides: what tasks do does not depend on it.
bool isPitch(ProgramOp program, unsigned extent);

/// Changes extents that are not `given` such that the elements of every argument lie apart, where it can. Pitches
/// become the least that leaves a gap of 8 elements and is a multiple of 8, others what they must be; each pitch is
/// larger by `unlike` than the one before it in the header. Leaves programs without strides alone.
void separateElements(ProgramOp program, int64_t world, llvm::MutableArrayRef<int64_t> extents,
                      llvm::function_ref<bool(unsigned)> given, int64_t unlike = 0);

} // namespace tilec::tile
