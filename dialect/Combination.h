// Kinds of combining elements: which elements each takes, and how a collective names its kind.
#pragma once

#include "dialect/Tile.h"

#include "mlir/IR/OpImplementation.h"

namespace tilec::tile {

/// Whether one kind works on bits: of integers, never of floats.
bool isBitwise(Reduction kind);

/// Whether the kind is one that atomics and collectives have: `add`, `maximum` or `minimum`.
bool combinesRanks(Reduction kind);

/// Whether atomics combine elements of the type.
bool isAtomicElement(mlir::Type element);

/// Whether the result is one of the elements: `maximum` or `minimum`.
bool picksElement(Reduction kind);

/// The dimension that a reduction removes; none of other ops.
std::optional<uint64_t> removedDim(mlir::Operation *op);

/// A reduction or a scan: what the threads of a workgroup do together.
bool isCooperative(mlir::Operation *op);

/// The LDS through which its waves tell each other of what they have; null where none has to, and of other ops.
mlir::Value scratchOf(mlir::Operation *op);

/// The kind of a collective, a word before its source; null where none stands there.
mlir::ParseResult parseCombination(mlir::OpAsmParser &parser, ReductionAttr &kind);
void printCombination(mlir::OpAsmPrinter &printer, mlir::Operation *op, ReductionAttr kind);

} // namespace tilec::tile
