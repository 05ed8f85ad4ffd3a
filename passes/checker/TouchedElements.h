// Which elements of a buffer, on which rank, an access touches in the task of a case.
#pragma once

#include "passes/checker/IndexCase.h"

namespace tilec::checker {

/// The argument or alloc that a view is of.
mlir::Value rootOf(mlir::Value buffer);

/// The rank whose copy is accessed.
Linear ownerOf(IndexCase &at, tile::AccessOpInterface access);

/// Any element of the part of a tile that lies in its view, in coordinates of the buffer.
llvm::SmallVector<Linear> touchedElement(IndexCase &at, tile::AccessOpInterface access);

} // namespace tilec::checker
