// A product that leaves tiles in slots of other ranks, and the statement that adds the slots of a rank.
// Belongs here: what the forms of that have in common. Does not: who sums what (OwnerSum, EachSum).
#pragma once

#include "passes/analysis/Footprint.h"

#include "mlir/IR/IRMapping.h"

namespace tilec {

class SlotSum {
public:
  SlotSum(tile::ForallOp product, tile::ForallOp sum) : product(product), sum(sum), loc(sum.getLoc()) {}

protected:
  bool matchSlots();
  bool matchSum();
  bool usesSlotsAlone();
  int64_t world() { return *programOf(slots).getWorld(); }
  llvm::SmallVector<mlir::AffineExpr> boundsOf(tile::ForallOp forall);
  mlir::Type grown(mlir::Type type);
  void cloneGrown(mlir::OpBuilder &builder, mlir::Operation &op, mlir::IRMapping &mapping);
  mlir::Value widened(mlir::OpBuilder &builder, mlir::Value part);
  void rewriteSum(mlir::AffineMap bounds, mlir::ValueRange extents, llvm::ArrayRef<mlir::Location> names,
                  llvm::function_ref<mlir::Value(mlir::OpBuilder &, tile::ForallOp)> add);

  tile::ForallOp product, sum;
  mlir::Location loc;
  mlir::Value slots, rank;
  tile::StoreOp sent;                   ///< the one store of the product
  mlir::scf::ForOp loop;                ///< over the slots
  tile::LoadOp slot;                    ///< of the loop
  llvm::ArrayRef<int64_t> small, large; ///< tiles of the sum, and of the product

private:
  bool findRank();
  bool matchLoop(mlir::Block &body);
  bool isTileOfSlot(tile::AccessOpInterface access, mlir::Value slot);
  bool isPiecewise(mlir::Operation *op);
};

} // namespace tilec
