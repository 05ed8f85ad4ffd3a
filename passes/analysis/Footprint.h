// Which elements of which buffer an access touches, as intervals over linear forms. Changes no IR.
#pragma once

#include "passes/analysis/IndexForm.h"

#include <vector>

namespace tilec {

/// The elements [first, first + size) of `root` in every dimension, clipped to [clipFirst, clipFirst + clipSize), on
/// the rank `rank` (null: this rank). Offsets are in elements of the root.
struct Footprint {
  mlir::Operation *op = nullptr;
  mlir::Value root, rank;
  llvm::SmallVector<IndexForm> first, clipFirst, clipSize;
  llvm::SmallVector<int64_t> size;
  bool reads = false, writes = false;
  mlir::Attribute commutation;   ///< what accesses share that commute; null for none
  std::optional<unsigned> whole; ///< dimension in which data says which elements: all of the clip
  bool exact = true; ///< false through a view whose step is no literal: the elements lie further apart than `size` says

  /// Footprint of an access through a chain of memref.subview.
  static Footprint of(tile::AccessOpInterface access);

  bool conflictsWith(const Footprint &other) const {
    return root == other.root && (writes || other.writes) && !(commutation && commutation == other.commutation);
  }
};

/// All accesses inside an op, in program order.
std::vector<Footprint> footprintsIn(mlir::Operation *op);

/// True when an operation is done for other ranks alone: in a branch where `target`, or some value, is not this rank.
bool isForOthers(mlir::Operation *op, mlir::Value target = mlir::Value());

} // namespace tilec
