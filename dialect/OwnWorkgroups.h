// `on N workgroups`: workgroups of a kernel that do one thing and nothing else.
#pragma once

#include "dialect/Tile.h"

#include "mlir/IR/OpImplementation.h"

namespace tilec::tile {

/// Parses `on N workgroups` where it stands, into an attribute of that name; where a parameter may say how many, `on @P
/// workgroups` into one of the name `param`.
mlir::ParseResult parseOwnWorkgroups(mlir::OpAsmParser &parser, mlir::OperationState &result, mlir::StringAttr name,
                                     mlir::StringAttr param = {});

/// Whether their number is one that a kernel can have.
mlir::LogicalResult verifyOwnWorkgroups(mlir::Operation *op, std::optional<uint64_t> workgroups);

/// Whether each choice of the parameter is.
mlir::LogicalResult verifyOwnWorkgroups(mlir::Operation *op, mlir::FlatSymbolRefAttr param);

/// Whether a statement runs on as many workgroups as the parameter says.
bool isNumberOfWorkgroups(ParamOp param);

} // namespace tilec::tile
