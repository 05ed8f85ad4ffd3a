// Whether an operation stands somewhere in another.
#pragma once

#include "mlir/IR/Operation.h"

namespace tilec {

/// Whether one of `Ops` is `op` or stands in a region of it, however deep.
template <class... Ops>
bool contains(mlir::Operation *op) {
  return op
      ->walk([](mlir::Operation *inner) {
        return mlir::isa<Ops...>(inner) ? mlir::WalkResult::interrupt() : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

} // namespace tilec
