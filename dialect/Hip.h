// The exit dialect: generated declarations of its ops and types, and the interface of ops that are printed from a
// template.
#pragma once

#include "dialect/Tile.h"

#include "dialect/HipDialect.h.inc"
#include "dialect/HipInterfaces.h.inc"

namespace tilec::hip {

/// Of operations that write what a launch does for those who look at it afterwards: nothing that the launch computes
/// depends on them.
template <class ConcreteOp>
class RecordsOnly : public mlir::OpTrait::TraitBase<ConcreteOp, RecordsOnly> {};

/// Of operations by which a kernel begins: their result is the launch.
template <class ConcreteOp>
class Enters : public mlir::OpTrait::TraitBase<ConcreteOp, Enters> {};

/// Of operations that make words in LDS, by which waves of one workgroup count or hand on.
template <class ConcreteOp>
class MakesWords : public mlir::OpTrait::TraitBase<ConcreteOp, MakesWords> {};

/// Of operations whose result is a tile from memory.
template <class ConcreteOp>
class ReadsTile : public mlir::OpTrait::TraitBase<ConcreteOp, ReadsTile> {};

/// Of operations by which a task tells another one what it has done, whoever does that one, or hears of it. Arriving is
/// none: whoever comes last goes on.
template <class ConcreteOp>
class Synchronizes : public mlir::OpTrait::TraitBase<ConcreteOp, Synchronizes> {};

/// Of operations that move tiles whose words are their own arrival flags.
template <class ConcreteOp>
class CarriesFlags : public mlir::OpTrait::TraitBase<ConcreteOp, CarriesFlags> {};

} // namespace tilec::hip

#define GET_TYPEDEF_CLASSES
#include "dialect/HipTypes.h.inc"

#define GET_OP_CLASSES
#include "dialect/HipOps.h.inc"

namespace tilec::hip {

/// Whether all threads of the workgroup meet in an operation of a kernel, at least once.
bool holdsBarrier(mlir::Operation *op);

/// The tile that a value is, holds, feeds or has the addresses of; null for others.
mlir::RankedTensorType tileOf(mlir::Type type);

/// The LDS tile that a value is, has slots of or feeds; null for others.
SharedType sharedOf(mlir::Type type);

/// A tile of half as many rows.
SharedType halfOf(SharedType tile);

} // namespace tilec::hip
