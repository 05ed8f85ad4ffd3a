// From the kernel form to the exit dialect: the pass, scalars, and the launcher. Families of operations have their own
// files.
#include "passes/lower/Lower.h"
#include "passes/Passes.h"
#include "passes/ProgramTarget.h"
#include "passes/partition/BesideKernel.h"

using namespace mlir;
using namespace tilec;

namespace tilec {
#define GEN_PASS_DEF_LOWER
#include "passes/Passes.h.inc"
} // namespace tilec

Location tilec::named(Location loc, const Twine &name) {
  return NameLoc::get(StringAttr::get(loc.getContext(), name), unnamed(loc));
}

Location tilec::unnamed(Location loc) {
  auto name = dyn_cast<NameLoc>(loc);
  return name ? Location(name.getChildLoc()) : loc;
}

StringRef tilec::nameOf(Location loc) {
  auto name = dyn_cast<NameLoc>(loc);
  return name ? name.getName().strref() : StringRef();
}

static bool hasProduct(AffineExpr expression) {
  bool result = false;
  expression.walk([&](AffineExpr part) { result |= part.getKind() == AffineExprKind::Mul; });
  return result;
}

bool tilec::isCount(Value value) {
  SmallVector<Value> open{value};
  SmallPtrSet<Value, 16> seen;
  while (!open.empty()) {
    Value next = open.pop_back_val();
    if (!seen.insert(next).second)
      continue;
    std::optional<int64_t> constant = getConstantIntValue(next);
    Operation *op = next.getDefiningOp();
    if (auto argument = dyn_cast<BlockArgument>(next); argument && isa<scf::ForOp>(argument.getOwner()->getParentOp()))
      return false;
    if (constant ? *constant < 0
                 : op && !isa<hip::RankOp, hip::ClampOp, arith::AddIOp, arith::MulIOp, arith::DivSIOp, arith::RemSIOp,
                              arith::FloorDivSIOp, arith::CeilDivSIOp, arith::MinSIOp, arith::IndexCastOp>(op))
      return false;
    if (op && !constant && !isa<hip::RankOp, hip::ClampOp>(op))
      llvm::append_range(open, op->getOperands());
  }
  return true;
}

/// A quotient or remainder that rounds down, or up, also below zero.
static Value divide(OpBuilder &builder, Location loc, AffineExprKind kind, Value lhs, Value rhs) {
  if (kind == AffineExprKind::CeilDiv)
    return builder.createOrFold<arith::CeilDivSIOp>(loc, lhs, rhs);
  bool isRemainder = kind == AffineExprKind::Mod;
  Value quotient = builder.createOrFold<arith::FloorDivSIOp>(isRemainder ? unnamed(loc) : loc, lhs, rhs);
  if (!isRemainder)
    return quotient;
  Value whole = builder.createOrFold<arith::MulIOp>(unnamed(loc), quotient, rhs);
  return builder.createOrFold<arith::SubIOp>(loc, lhs, whole);
}

Value tilec::expandExpression(OpBuilder &builder, Location loc, AffineExpr expression, ValueRange symbols, bool wide) {
  Type type = wide ? Type(builder.getI64Type()) : Type(builder.getIndexType());
  // Only the whole expression has the name; its parts are printed inside it.
  Location inner = unnamed(loc);
  if (auto constant = dyn_cast<AffineConstantExpr>(expression))
    return arith::ConstantOp::create(builder, inner, builder.getIntegerAttr(type, constant.getValue()));
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expression)) {
    Value value = symbols[symbol.getPosition()];
    return wide ? builder.createOrFold<arith::IndexCastOp>(inner, type, value) : value;
  }
  auto binary = cast<AffineBinaryOpExpr>(expression);
  // A quotient without products is as small as what it is of; its other uses then are the same computation.
  if (wide && expression.getKind() != AffineExprKind::Mul && expression.getKind() != AffineExprKind::Add &&
      !hasProduct(expression))
    return builder.createOrFold<arith::IndexCastOp>(
        inner, type, expandExpression(builder, inner, expression, symbols, /*wide=*/false));
  Value lhs = expandExpression(builder, inner, binary.getLHS(), symbols, wide);
  Value rhs = expandExpression(builder, inner, binary.getRHS(), symbols, wide);
  // What is counted in 64 bits never leaves them.
  auto flags = wide ? arith::IntegerOverflowFlags::nsw : arith::IntegerOverflowFlags::none;
  // Where nothing is negative, the division of C++ will do.
  bool divides = expression.getKind() != AffineExprKind::Add && expression.getKind() != AffineExprKind::Mul;
  if (divides && !isCount(lhs))
    return divide(builder, loc, expression.getKind(), lhs, rhs);
  switch (expression.getKind()) {
  case AffineExprKind::Add:
    // x + -1 * y is how affine expressions spell a difference.
    if (auto product = dyn_cast<AffineBinaryOpExpr>(binary.getRHS());
        product && product.getKind() == AffineExprKind::Mul &&
        product.getRHS() == getAffineConstantExpr(-1, builder.getContext()))
      return builder.createOrFold<arith::SubIOp>(
          loc, lhs, expandExpression(builder, inner, product.getLHS(), symbols, wide), flags);
    return builder.createOrFold<arith::AddIOp>(loc, lhs, rhs, flags);
  case AffineExprKind::Mul:
    return builder.createOrFold<arith::MulIOp>(loc, lhs, rhs, flags);
  case AffineExprKind::FloorDiv:
    return builder.createOrFold<arith::DivSIOp>(loc, lhs, rhs);
  case AffineExprKind::Mod:
    return builder.createOrFold<arith::RemSIOp>(loc, lhs, rhs);
  case AffineExprKind::CeilDiv: {
    Value one = arith::ConstantOp::create(builder, inner, builder.getIntegerAttr(type, 1));
    Value less = builder.createOrFold<arith::SubIOp>(inner, rhs, one, flags);
    Value sum = builder.createOrFold<arith::AddIOp>(inner, lhs, less, flags);
    return builder.createOrFold<arith::DivSIOp>(loc, sum, rhs);
  }
  default:
    llvm_unreachable("an affine expression has five operations");
  }
}

Value KernelLowering::multiply(Value a, int64_t b) {
  return b == 1 || !a ? a : builder.createOrFold<arith::MulIOp>(loc, a, constant(b));
}

/// What an operation of the program's body computes with is computed before it: a chain may be longer than the stack is
/// deep.
Value KernelLowering::valueOf(Value value) {
  SmallVector<Value> pending{value};
  while (true) {
    Operation *op = mapping.contains(pending.back()) ? nullptr : pending.back().getDefiningOp();
    bool computes = isa_and_nonnull<tile::ExtentOp, tile::ClampOp>(op) ||
                    (op && isa<arith::ArithDialect, math::MathDialect>(op->getDialect()));
    auto unknown = [&](Value operand) { return operand.getDefiningOp() && !mapping.contains(operand); };
    if (computes && op->getParentOp() == program && llvm::any_of(op->getOperands(), unknown)) {
      pending.push_back(*llvm::find_if(op->getOperands(), unknown));
      continue;
    }
    Value scalar = scalarOf(pending.pop_back_val());
    if (!scalar || pending.empty())
      return scalar;
  }
}

Value KernelLowering::scalarOf(Value value) {
  if (Value mapped = mapping.lookupOrNull(value))
    return mapped;
  Operation *op = value.getDefiningOp();
  if (!op || op->getParentOp() != program) {
    emitError(loc) << "uses a value of type " << value.getType() << " that the kernel cannot compute";
    return {};
  }
  // Views too, whose extents a `memref.dim` asks for: what is computed here is used by all roles.
  OpBuilder::InsertionGuard guard(builder);
  builder.restoreInsertionPoint(entry.saveInsertionPoint());
  Location outer = loc;
  loc = unnamed(op->getLoc());
  LogicalResult result = lowerScalar(op, entry);
  loc = outer;
  if (succeeded(result))
    keepNames(op);
  return succeeded(result) ? mapping.lookupOrNull(value) : Value();
}

FailureOr<SmallVector<Value>> KernelLowering::valuesOf(ValueRange values) {
  SmallVector<Value> result;
  for (Value value : values)
    if (result.push_back(valueOf(value)); !result.back())
      return failure();
  return result;
}

LogicalResult KernelLowering::lowerScalar(Operation *op, OpBuilder &at) {
  if (isa<tile::RankOp>(op)) {
    if (!rank)
      rank = hip::RankOp::create(entry, named(loc, "rank"), entry.getIndexType(), context);
    mapping.map(op->getResult(0), rank);
    return success();
  }
  if (auto extent = dyn_cast<tile::ExtentOp>(op)) {
    auto operands = valuesOf(extent.getExtents());
    if (failed(operands))
      return failure();
    operands->insert(operands->begin(), arith::ConstantIndexOp::create(at, loc, program.getWorld().value_or(1)));
    mapping.map(extent.getResult(), expandExpression(at, loc, extent.getSizes().getResult(0), *operands));
    return success();
  }
  if (auto clamp = dyn_cast<tile::ClampOp>(op)) {
    Value number = valueOf(clamp.getNumber()), most = valueOf(clamp.getUpto());
    if (number && most)
      mapping.map(clamp.getResult(), hip::ClampOp::create(at, loc, at.getIndexType(), number, most).getResult());
    return success(number && most);
  }
  if (auto dim = dyn_cast<memref::DimOp>(op)) {
    FailureOr<MemoryView> view = viewOf(dim.getSource());
    std::optional<int64_t> index = getConstantIntValue(dim.getIndex());
    if (failed(view) || !index || *index < 0 || *index >= static_cast<int64_t>(view->extents.size()))
      return op->emitOpError() << "asks for a dimension that is not known";
    mapping.map(dim.getResult(), view->extents[*index]);
    return success();
  }
  if (!isa<arith::ArithDialect, math::MathDialect>(op->getDialect()))
    return op->emitOpError() << "is not known to 'lower'";
  for (Value operand : op->getOperands())
    if (!valueOf(operand))
      return failure();
  Operation *lowered = at.clone(*op, mapping);
  SmallVector<Value> folded;
  if (succeeded(at.tryFold(lowered, folded)) && !folded.empty()) {
    mapping.map(op->getResults(), ValueRange(folded));
    lowered->erase();
  }
  return success();
}

namespace {

class Lower : public tilec::impl::LowerBase<Lower> {
public:
  using LowerBase::LowerBase;

  void runOnOperation() override {
    tile::ProgramOp program = getOperation();
    for (auto launcher : program.getBody().getOps<hip::LauncherOp>()) {
      launcher.emitOpError() << "stands in the program: it is lowered already";
      return signalPassFailure();
    }
    FailureOr<Workspace> workspace = Workspace::of(program);
    if (failed(workspace))
      return signalPassFailure();
    for (Operation &op : program.getBody().front())
      if (isa<tile::ForallOp, tile::MatmulOp>(op)) {
        op.emitOpError() << "stands outside a 'tile.kernel', expected the kernel form";
        return signalPassFailure();
      }
    FailureOr<Target> target = programTarget(program, this->target);
    if (failed(target))
      return signalPassFailure();
    auto kernels = llvm::to_vector(program.getBody().getOps<tile::KernelOp>());
    SmallVector<Operation *> lowered;
    SmallVector<MappedBuffer> maps;
    for (auto [number, kernel] : llvm::enumerate(kernels)) {
      KernelLowering lowering(program, *workspace, target->waveLanes, kernel);
      if (kernel.getEngine()) {
        FailureOr<hip::EngineOp> engine = lowering.runEngine();
        if (failed(engine))
          return signalPassFailure();
        lowered.push_back(*engine);
        continue;
      }
      if (number + 1 < kernels.size() && kernels[number + 1].getEngine())
        lowering.beginCopies();
      tile::KernelOp last = kernel;
      if (kernel.getBeside()) {
        lowering.standBeside(0, 0);
        last = kernels[number + 1]; // the two end together
      } else if (number > 0 && kernels[number - 1].getBeside()) {
        auto roles = kernels[number - 1].getBody().getOps<tile::RoleOp>();
        auto each = [](tile::RoleOp role) { return role.getTurn() == tile::Turn::Each; };
        lowering.standBeside(workgroupsBeside(kernels[number - 1]), llvm::count_if(roles, each));
      }
      FailureOr<hip::KernelOp> result = lowering.run(last == kernels.back(), maps.size());
      if (failed(result))
        return signalPassFailure();
      lowered.push_back(*result);
      llvm::append_range(maps, lowering.mapped());
    }
    createLauncher(program, *workspace, lowered, maps);
    for (tile::KernelOp kernel : kernels)
      kernel.erase();
  }
};

} // namespace
