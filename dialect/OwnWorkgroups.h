// `on N workgroups`: workgroups of a kernel that do one thing and nothing else.
#pragma once

#include "mlir/IR/OpImplementation.h"

namespace tilec::tile {

/// Parses `on N workgroups` where it stands, into an attribute of that name.
mlir::ParseResult parseOwnWorkgroups(mlir::OpAsmParser &parser, mlir::OperationState &result, mlir::StringAttr name);

/// Whether their number is one that a kernel can have.
mlir::LogicalResult verifyOwnWorkgroups(mlir::Operation *op, std::optional<uint64_t> workgroups);

} // namespace tilec::tile
