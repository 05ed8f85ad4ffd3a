// Products that matrix units can take from LDS where a copy engine puts their operands: which, and how their sums lie.
// Belongs here: what `layout` and `schedule` must agree on. Does not: IR that is made of it.
#pragma once

#include "dialect/Tile.h"
#include "passes/machine/Target.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tilec {

MatrixProblem problemOf(tile::DotOp dot, int64_t waves);

/// Whether a tile is a splat of zero: a product that begins with it adds to nothing.
bool isZeroTile(mlir::Value tile);

/// A buffer as the launcher tells a copy engine of it: an argument of the program or scratch, or one of the matrices
/// that lie there behind each other, of so many rows, or beside each other, of so many columns.
struct MappedMatrix {
  mlir::Value root;
  int64_t count = 0;              ///< of such matrices; 0 where it is the whole buffer
  mlir::AffineExpr rows, columns; ///< of each, over the program's extents
  mlir::AffineExpr apart;         ///< elements from one to the next
  mlir::Value number;             ///< which of them it is

  /// Whether they are the same matrices, whichever of them is meant.
  bool isOfSameRow(const MappedMatrix &other) const {
    return root == other.root && count == other.count && rows == other.rows && columns == other.columns;
  }
};

/// Nothing where the launcher cannot know of it.
std::optional<MappedMatrix> mappedMatrix(mlir::Value buffer);

/// Whether a tile can be copied by the engine: of a matrix of this rank that is an argument of the program or scratch,
/// in rows as the target's engine spreads them over the banks.
bool isMapped(tile::LoadOp load, const Target &target);

/// The same of an operand that lies K x M or K x N: a tile is rows of the step, in panels as wide as the engine copies,
/// which the matrix units turn as they read them. The last panel may reach into the next tile, where nothing in the
/// program writes the buffer.
bool isMappedAcross(tile::LoadOp load, const Target &target);

/// The same for a loop that takes further rows of it, all columns at once; it may be one of a row of matrices.
bool isMappedByRows(tile::LoadOp load, const Target &target);

/// Tiles before the one that a loop's step 0 takes, where the index of its step's tile is that of the step behind as
/// many: null where it is that of the step itself, nothing where it is something else.
std::optional<mlir::Value> tilesBefore(mlir::Value index, mlir::scf::ForOp loop);

/// Whether both operands can be, and the product's loop feeds them: then its sums are to lie as `chooseStreamTiling`
/// says.
bool isStreamed(tile::DotOp dot, const Target &target);

} // namespace tilec
