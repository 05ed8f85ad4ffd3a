// The tile dialect: generated declarations of its ops, types and attributes. Logic lives in the .cpp files beside it.
#pragma once

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialect/Extents.h"
#include "dialect/KnownAttributes.h"
#include "dialect/TileDialect.h.inc"
#include "dialect/TileEnums.h.inc"

namespace tilec::tile {

/// Of operations by which a task tells another one what it has done, whoever does that one, or hears of it. Arriving is
/// none: whoever comes last goes on.
template <class ConcreteOp>
class Synchronizes : public mlir::OpTrait::TraitBase<ConcreteOp, Synchronizes> {};

/// Of operations that move tiles whose words are their own arrival flags.
template <class ConcreteOp>
class CarriesFlags : public mlir::OpTrait::TraitBase<ConcreteOp, CarriesFlags> {};

/// A piece of a rule for orders. `size`: rows of a window or tasks of a chunk, 1 where the kind has neither.
struct OrderPiece {
  OrderKind kind;
  int64_t size;

  bool operator==(const OrderPiece &other) const { return kind == other.kind && size == other.size; }
  friend llvm::hash_code hash_value(const OrderPiece &piece) { return llvm::hash_combine(piece.kind, piece.size); }
};

} // namespace tilec::tile

#define GET_TYPEDEF_CLASSES
#include "dialect/TileTypes.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialect/TileAttrs.h.inc"

#include "dialect/TileInterfaces.h.inc"

#define GET_OP_CLASSES
#include "dialect/TileOps.h.inc"

namespace tilec {
/// Registers the tile dialect, the exit dialect and the upstream dialects a tile program may use.
void registerDialects(mlir::DialectRegistry &registry);
} // namespace tilec
