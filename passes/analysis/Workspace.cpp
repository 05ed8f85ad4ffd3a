// Offsets of scratch buffers and signal grids, one behind the other in the order of the program.
#include "passes/analysis/Workspace.h"
#include "tilec/constants.h"

using namespace mlir;
using namespace tilec;

static constexpr int64_t bufferAlignment = 256;

int64_t tilec::elementBytes(Type element) { return llvm::divideCeil(element.getIntOrFloatBitWidth(), 8); }

/// The expression of a value whose operands have one in `known`.
static AffineExpr expressionOf(tile::ProgramOp program, Value value, const DenseMap<Value, AffineExpr> &known) {
  MLIRContext *context = program.getContext();
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return getAffineConstantExpr(*constant, context);
  if (auto argument = dyn_cast<BlockArgument>(value))
    if (argument.getOwner() == &program.getBody().front() && argument.getArgNumber() < program.getNumExtents())
      return getAffineSymbolExpr(argument.getArgNumber(), context);
  Operation *op = value.getDefiningOp();
  if (auto extent = dyn_cast_or_null<tile::ExtentOp>(op)) {
    auto sizes = extentExpressions(program, extent.getSizes(), extent.getExtents());
    return sizes.size() == 1 ? sizes.front() : AffineExpr();
  }
  if (!op || op->getNumOperands() != 2 || !isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op))
    return {};
  AffineExpr lhs = known.lookup(op->getOperand(0)), rhs = known.lookup(op->getOperand(1));
  if (!lhs || !rhs)
    return {};
  return isa<arith::AddIOp>(op) ? lhs + rhs : isa<arith::SubIOp>(op) ? lhs - rhs : lhs * rhs;
}

/// Operands before what uses them, each once: a chain may be longer than the stack is deep.
AffineExpr tilec::extentExpression(tile::ProgramOp program, Value value) {
  DenseMap<Value, AffineExpr> known;
  SmallVector<Value> pending{value};
  while (!pending.empty()) {
    Value next = pending.back();
    Operation *sum = next.getDefiningOp();
    if (isa_and_nonnull<arith::AddIOp, arith::SubIOp, arith::MulIOp>(sum)) {
      auto unknown = [&](Value operand) { return !known.contains(operand); };
      if (llvm::any_of(sum->getOperands(), unknown)) {
        pending.push_back(*llvm::find_if(sum->getOperands(), unknown));
        continue;
      }
    }
    known[next] = expressionOf(program, next, known);
    pending.pop_back();
  }
  return known[value];
}

SmallVector<AffineExpr> tilec::extentExpressions(tile::ProgramOp program, AffineMap sizes, ValueRange operands) {
  SmallVector<AffineExpr> symbols{getAffineConstantExpr(program.getWorld().value_or(1), program.getContext())};
  for (Value operand : operands) {
    symbols.push_back(extentExpression(program, operand));
    if (!symbols.back())
      return {};
  }
  return llvm::map_to_vector(sizes.getResults(), [&](AffineExpr size) {
    return simplifyAffineExpr(size.replaceSymbols(symbols), 0, program.getNumExtents());
  });
}

SmallVector<AffineExpr> tilec::argumentShape(tile::ProgramOp program, unsigned index) {
  auto map = cast<AffineMapAttr>(program.getShapes()[index]).getValue();
  return extentExpressions(program, map, ValueRange(program.getExtents()).take_front(map.getNumSymbols() - 1));
}

SmallVector<AffineExpr> tilec::argumentStrides(tile::ProgramOp program, unsigned index) {
  AffineMap map = program.getStridesOf(index);
  return map ? extentExpressions(program, map, ValueRange(program.getExtents())) : SmallVector<AffineExpr>();
}

static AffineExpr roundUp(AffineExpr bytes, int64_t unit) {
  return bytes.getLargestKnownDivisor() % unit == 0 ? bytes : bytes.ceilDiv(unit) * unit;
}

FailureOr<Workspace> Workspace::of(tile::ProgramOp program) {
  Workspace result;
  AffineExpr zero = getAffineConstantExpr(0, program.getContext()), used = zero, words = zero;
  for (Operation &op : program.getBody().front()) {
    auto alloc = dyn_cast<tile::AllocOp>(op);
    auto signals = dyn_cast<tile::SignalsOp>(op);
    if (!alloc && !signals)
      continue;
    AffineMap sizes = alloc ? alloc.getSizes() : signals.getSizes();
    SmallVector<AffineExpr> shape =
        extentExpressions(program, sizes, alloc ? alloc.getExtents() : signals.getExtents());
    if (shape.size() != sizes.getNumResults())
      return op.emitOpError() << "has a size that is no expression over extents";
    if (signals) {
      AffineExpr tally = getAffineConstantExpr(tally_words, program.getContext());
      SmallVector<AffineExpr> own = signals.getByChiplet() ? SmallVector<AffineExpr>{tally} : shape;
      AffineExpr bytes = getAffineConstantExpr(signal_stride, program.getContext());
      for (AffineExpr size : own)
        bytes = bytes * size;
      result.grids.push_back({signals, shape, own, words});
      words = words + bytes;
      continue;
    }
    AffineExpr bytes =
        getAffineConstantExpr(elementBytes(alloc.getResult().getType().getElementType()), program.getContext());
    for (AffineExpr size : shape)
      bytes = size * bytes;
    AffineExpr distance = roundUp(bytes, bufferAlignment);
    // One without elements has a place of its own all the same: who asks whose a place is finds one buffer.
    if (distance == zero)
      distance = getAffineConstantExpr(bufferAlignment, program.getContext());
    result.buffers.push_back({alloc, shape, used, distance, distance != bytes});
    used = used + distance * static_cast<int64_t>(alloc.getCopies());
  }
  return result;
}
