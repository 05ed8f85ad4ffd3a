// Follows tiles from loads to where they meet.
#include "dialect/Agreement.h"
#include "dialect/Combination.h"
#include "dialect/Conditions.h"
#include "dialect/Products.h"
#include "dialect/Relations.h"
#include "dialect/Tile.h"

using namespace mlir;
using namespace tilec::tile;

/// Sizes that name different extents, which no condition speaks of together.
static bool unrelated(ProgramOp program, AffineExpr a, AffineExpr b) {
  if (!a || !b || isa<AffineConstantExpr>(a) || isa<AffineConstantExpr>(b) || !nameOtherExtents(program, a, b) ||
      !contradict(program, a, b))
    return false;
  return llvm::none_of(conditionsOf(program), [&](const Condition &condition) {
    AffineExpr constraint = condition.constraint();
    auto names = [&](AffineExpr size, AffineExpr other) {
      for (unsigned i = 1; i <= program.getNumExtents(); ++i)
        if (size.isFunctionOfSymbol(i) && !other.isFunctionOfSymbol(i) && constraint.isFunctionOfSymbol(i))
          return true;
      return false;
    };
    return names(a, b) || names(b, a);
  });
}

namespace {

/// What a dimension of a tile runs over: `size` elements of a buffer, in steps of the tile at `index`.
struct Side {
  AffineExpr size; ///< null where it is not known
  Value index;
  Location place;
};

class Agreement {
public:
  explicit Agreement(ForallOp statement) : program(statement->getParentOfType<ProgramOp>()), statement(statement) {}

  LogicalResult verify() {
    // Loops after their bodies: what they yield is known then.
    WalkResult result = statement.walk<WalkOrder::PostOrder>([&](Operation *op) { return WalkResult(visit(op)); });
    return failure(result.wasInterrupted());
  }

private:
  using Sides = SmallVector<std::optional<Side>>;

  LogicalResult visit(Operation *op) {
    if (auto load = dyn_cast<LoadOp>(op)) {
      sides[load] = sidesOf(load, load.getType().getRank());
    } else if (auto store = dyn_cast<StoreOp>(op)) {
      return agree(op, "stores", sides.lookup(store.getValue()), sidesOf(store, store.getValue().getType().getRank()));
    } else if (auto dot = dyn_cast<DotOp>(op)) {
      return visitDot(dot);
    } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
      for (auto [result, yielded] : llvm::zip(loop.getResults(), loop.getYieldedValues()))
        sides[result] = sides.lookup(yielded);
    } else if (op->hasTrait<OpTrait::Elementwise>() && op->getNumResults() == 1) {
      Sides all;
      for (Value operand : op->getOperands()) {
        Sides next = sides.lookup(operand);
        if (failed(agree(op, "combines", all, next)))
          return failure();
        all.resize(std::max(all.size(), next.size()));
        for (auto [into, from] : llvm::zip(all, next))
          if (!into)
            into = from;
      }
      sides[op->getResult(0)] = all;
    } else if (removedDim(op) || isa<BroadcastOp, TransposeOp>(op)) {
      for (Value result : op->getResults())
        sides[result] = rearranged(op);
    }
    return success();
  }

  /// What the dimensions of a result run over that are dimensions of the operand. Others say what is wrong with an op
  /// whose numbers do not fit.
  Sides rearranged(Operation *op) {
    Sides from = sides.lookup(op->getOperand(0));
    Sides into(cast<RankedTensorType>(op->getResult(0).getType()).getRank());
    auto take = [&](int64_t result, int64_t operand) {
      if (static_cast<size_t>(result) < into.size() && static_cast<size_t>(operand) < from.size())
        into[result] = from[operand];
    };
    if (std::optional<uint64_t> removed = removedDim(op)) {
      for (int64_t dim = 0, n = static_cast<int64_t>(into.size()); dim < n; ++dim)
        take(dim, dim < static_cast<int64_t>(*removed) ? dim : dim + 1);
    } else if (auto broadcast = dyn_cast<BroadcastOp>(op)) {
      for (auto [operand, dim] : llvm::enumerate(broadcast.getDims()))
        take(dim, static_cast<int64_t>(operand));
    } else if (auto transpose = dyn_cast<TransposeOp>(op)) {
      for (auto [result, dim] : llvm::enumerate(transpose.getPermutation()))
        take(static_cast<int64_t>(result), dim);
    }
    return into;
  }

  LogicalResult visitDot(DotOp dot) {
    Sides lhs = sides.lookup(dot.getLhs()), rhs = sides.lookup(dot.getRhs());
    if (lhs.size() != 2 || rhs.size() != 2)
      return success();
    if (dot.getLhsTransposed())
      std::swap(lhs[0], lhs[1]);
    if (dot.getTranspose())
      std::swap(rhs[0], rhs[1]);
    sides[dot] = {lhs[0], rhs[1]};
    return agree(dot, "contracts", {lhs[1]}, {rhs[0]});
  }

  /// Dimensions of an access in tile coordinates; a tile lacks leading ones.
  Sides sidesOf(AccessOpInterface access, int64_t rank) {
    Sides result(rank);
    if (access.hasElementOffsets())
      return result;
    int64_t leading = access.getAccessIndices().size() - rank;
    for (int64_t i = 0; i < rank; ++i)
      result[i] = Side{getExtent(access.getAccessedBuffer(), leading + i), access.getAccessIndices()[leading + i],
                       access.getAccessedBuffer().getLoc()};
    return result;
  }

  LogicalResult agree(Operation *op, StringRef verb, const Sides &left, const Sides &right) {
    for (auto [i, a, b] :
         llvm::enumerate(ArrayRef(left).take_front(right.size()), ArrayRef(right).take_front(left.size()))) {
      if (!a || !b || a->index != b->index || !unrelated(program, a->size, b->size))
        continue;
      InFlightDiagnostic diagnostic = op->emitOpError();
      diagnostic << verb << " tiles that run over " << describeExtent(program, a->size) << " and over "
                 << describeExtent(program, b->size) << " elements at one index, expected one extent";
      diagnostic.attachNote(a->place) << "the first buffer is declared here";
      diagnostic.attachNote(b->place) << "the second buffer is declared here: name one extent, or relate them, as in "
                                      << "'where " << describeExtent(program, b->size)
                                      << " == " << describeExtent(program, a->size) << "'";
      return diagnostic;
    }
    return success();
  }

  ProgramOp program;
  ForallOp statement;
  DenseMap<Value, Sides> sides;
};

} // namespace

LogicalResult tilec::tile::verifyAgreement(ForallOp statement) { return Agreement(statement).verify(); }

LogicalResult tilec::tile::verifyAgreement(MatmulOp product) {
  if (product.getEpilogue().empty())
    return success();
  auto program = product->getParentOfType<ProgramOp>();
  Block &epilogue = product.getEpilogue().front();
  WalkResult result = epilogue.walk([&](LoadOp load) {
    for (auto [dim, index] : llvm::enumerate(load.getIndices())) {
      auto origin = dyn_cast<BlockArgument>(index);
      if (!load.getAt() || !origin || origin.getOwner() != &epilogue ||
          origin.getArgNumber() >= epilogueOffsets(product))
        continue;
      AffineExpr size = getExtent(load.getBuffer(), dim),
                 expected = getExtent(product.getDestination(), origin.getArgNumber());
      if (!unrelated(program, size, expected))
        continue;
      InFlightDiagnostic diagnostic = load.emitOpError();
      unsigned leading = leadingDims(product), along = origin.getArgNumber();
      diagnostic << "reads at the "
                 << (along > leading   ? "columns"
                     : along < leading ? "numbers"
                                       : "rows")
                 << " of a product, but dimension " << dim << " has size " << describeExtent(program, size)
                 << ", expected " << describeExtent(program, expected);
      diagnostic.attachNote(load.getBuffer().getLoc()) << "the buffer is declared here";
      diagnostic.attachNote(product.getDestination().getLoc()) << "the destination of the product is declared here";
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}
