// Follows the sizes of tiles back to where the text says them.
#include "passes/choose/TileConflict.h"
#include "dialect/Combination.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

namespace {

/// One dimension of a tile.
struct Side {
  Value tile;
  unsigned dim;
  int64_t size() const { return cast<RankedTensorType>(tile.getType()).getDimSize(dim); }
};

/// The place that says the size, and what is written there.
struct Origin {
  Location place;
  Attribute size;
};

class Origins {
public:
  explicit Origins(const WrittenShapes &written) : written(written) {}

  Origin find(Side side) const {
    while (std::optional<Side> before = step(side))
      side = *before;
    Operation *op = side.tile.getDefiningOp();
    if (auto argument = dyn_cast<BlockArgument>(side.tile))
      op = argument.getOwner()->getParentOp();
    auto it = op ? written.find(op) : written.end();
    if (it == written.end() || side.dim >= it->second.size())
      return {side.tile.getLoc(), {}};
    return {op->getLoc(), it->second[side.dim]};
  }

private:
  /// The operand that `side` has its size from; none where the op itself says it.
  std::optional<Side> step(Side side) const {
    if (auto argument = dyn_cast<BlockArgument>(side.tile)) {
      auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
      OpOperand *init = loop ? loop.getTiedLoopInit(argument) : nullptr;
      return init ? std::optional(Side{init->get(), side.dim}) : std::nullopt;
    }
    Operation *op = side.tile.getDefiningOp();
    auto result = cast<OpResult>(side.tile);
    if (written.contains(op))
      return std::nullopt;
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return Side{loop.getInitArgs()[result.getResultNumber()], side.dim};
    if (auto branch = dyn_cast<scf::IfOp>(op))
      return Side{branch.thenYield().getOperand(result.getResultNumber()), side.dim};
    if (auto dot = dyn_cast<DotOp>(op))
      return Side{dot.getAcc(), side.dim};
    if (std::optional<uint64_t> removed = removedDim(op))
      return Side{op->getOperand(0), side.dim + (side.dim >= *removed ? 1 : 0)};
    if (auto transpose = dyn_cast<TransposeOp>(op))
      return Side{transpose.getOperand(), static_cast<unsigned>(transpose.getPermutation()[side.dim])};
    for (Value operand : op->getOperands())
      if (operand.getType() == side.tile.getType() || isTileOf(operand, side))
        return Side{operand, side.dim};
    return std::nullopt;
  }

  /// An operand of an elementwise op may differ from the result in its element type.
  static bool isTileOf(Value operand, Side side) {
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    return type && type.getRank() == cast<RankedTensorType>(side.tile.getType()).getRank();
  }

  const WrittenShapes &written;
};

} // namespace

static void attachOrigin(InFlightDiagnostic &diagnostic, Side side, const Origins &origins) {
  Origin origin = origins.find(side);
  Diagnostic &note = diagnostic.attachNote(origin.place) << "size " << side.size() << " comes from here";
  if (auto parameter = dyn_cast_or_null<FlatSymbolRefAttr>(origin.size))
    note << ", the value of parameter " << parameter;
}

static LogicalResult verifyFit(Operation *op, Side first, Side second, const Origins &origins) {
  if (first.size() == second.size() || ShapedType::isDynamic(first.size()) || ShapedType::isDynamic(second.size()))
    return success();
  InFlightDiagnostic diagnostic = op->emitOpError()
                                  << "expected tiles of one size, got " << first.size() << " elements in dimension "
                                  << first.dim << " of " << first.tile.getType() << " and " << second.size()
                                  << " in dimension " << second.dim << " of " << second.tile.getType();
  attachOrigin(diagnostic, first, origins);
  attachOrigin(diagnostic, second, origins);
  return diagnostic;
}

/// Two tiles that must have one shape; others say it when their ranks differ.
static LogicalResult verifySame(Operation *op, Value first, Value second, const Origins &origins) {
  auto a = dyn_cast<RankedTensorType>(first.getType()), b = dyn_cast<RankedTensorType>(second.getType());
  if (!a || !b || a.getRank() != b.getRank())
    return success();
  for (unsigned dim = 0; dim < a.getRank(); ++dim)
    if (failed(verifyFit(op, {first, dim}, {second, dim}, origins)))
      return failure();
  return success();
}

LogicalResult tilec::verifyTilesFit(Operation *op, const WrittenShapes &written) {
  Origins origins(written);
  if (auto dot = dyn_cast<DotOp>(op)) {
    unsigned depth = dot.getTranspose() ? 1 : 0, columns = 1 - depth;
    return failure(failed(verifyFit(op, {dot.getLhs(), dot.depthDim()}, {dot.getRhs(), depth}, origins)) ||
                   failed(verifyFit(op, {dot.getLhs(), dot.rowDim()}, {dot.getAcc(), 0}, origins)) ||
                   failed(verifyFit(op, {dot.getRhs(), columns}, {dot.getAcc(), 1}, origins)));
  }
  if (auto yield = dyn_cast<scf::YieldOp>(op)) {
    auto loop = dyn_cast<scf::ForOp>(yield->getParentOp());
    for (auto [i, carried] : llvm::enumerate(yield.getOperands()))
      if (loop && failed(verifySame(op, loop.getInitArgs()[i], carried, origins)))
        return failure();
    return success();
  }
  if (!op->hasTrait<OpTrait::Elementwise>())
    return success();
  Value first;
  for (Value operand : op->getOperands()) {
    // A selection may have a scalar for its condition.
    if (!isa<RankedTensorType>(operand.getType()))
      continue;
    if (first && failed(verifySame(op, first, operand, origins)))
      return failure();
    first = first ? first : operand;
  }
  return success();
}
