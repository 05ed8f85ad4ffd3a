// From a view to what it looks at.
#pragma once

#include "mlir/Interfaces/ViewLikeInterface.h"

namespace tilec {

/// The argument or alloc that a buffer, or a view of one, looks at.
inline mlir::Value viewedBuffer(mlir::Value buffer) {
  while (auto view = buffer.getDefiningOp<mlir::ViewLikeOpInterface>())
    buffer = view.getViewSource();
  return buffer;
}

} // namespace tilec
