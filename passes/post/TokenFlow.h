// Where the tokens of waits flow.
// Belongs here: whether nothing but accesses comes behind them, and taking them away. Does not: whether they may go.
#pragma once

#include "dialect/Tile.h"

#include "llvm/ADT/SetVector.h"

namespace tilec {

/// What a token becomes: its joins, and what loops and branches make of it.
class TokenFlow {
public:
  /// Whether all that the tokens flow into comes from them alone; nothing else may be ordered by what goes away.
  bool follow(llvm::ArrayRef<tile::WaitOp> waits);
  bool has(mlir::Value token) const { return tokens.contains(token); }
  /// Whoever names the tokens names them no more; what only made them goes away.
  void erase();

  llvm::SmallVector<mlir::Operation *> accesses; ///< that come behind one of them

private:
  bool add(mlir::Value token);
  bool followUse(mlir::OpOperand &use);
  bool holdsWaitsAlone(mlir::Operation *op);

  llvm::SetVector<mlir::Value> tokens;
};

} // namespace tilec
