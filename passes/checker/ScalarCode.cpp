// Compiles scalars and control flow. Evaluates nothing.
#include "passes/checker/ScalarCode.h"

#include "passes/checker/Arithmetic.h"
#include "passes/checker/LastArrivals.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::checker;

uint32_t ScalarCompiler::emit(Code op, uint32_t left, uint32_t right, int64_t value) {
  uint32_t target = newSlot();
  code->push_back({op, target, left, right, dividesBy(op) ? kNoOperation : value});
  return target;
}

/// In how many bits the text computes: an index is an int.
static unsigned bitsOf(Type type) {
  if (type.isIndex())
    return 32;
  auto integer = dyn_cast<IntegerType>(type);
  return integer ? integer.getWidth() : 64;
}

int64_t ScalarCompiler::scalarOp(Operation *op) {
  if (program.scalarOps.empty() || program.scalarOps.back() != op)
    program.scalarOps.push_back(op);
  return program.scalarOps.size() - 1;
}

void ScalarCompiler::setType(Type type, bool checked, Operation *op) {
  Instruction &last = code->back();
  last.bits = bitsOf(type);
  last.checked = checked;
  if ((checked && last.bits != 64) || dividesBy(last.code))
    last.value = scalarOp(op);
}

uint32_t ScalarCompiler::expression(AffineExpr expr, ArrayRef<uint32_t> symbols, Operation *narrow, Operation *of) {
  if (auto number = dyn_cast<AffineConstantExpr>(expr))
    return constant(number.getValue());
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return symbols[symbol.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  uint32_t left = expression(binary.getLHS(), symbols, narrow, of),
           right = expression(binary.getRHS(), symbols, narrow, of);
  auto compute = [&](Code op, uint32_t a, uint32_t b) {
    uint32_t made = emit(op, a, b);
    if (narrow)
      setType(IndexType::get(narrow->getContext()), true, narrow);
    return made;
  };
  const bool divides = expr.getKind() != AffineExprKind::Add && expr.getKind() != AffineExprKind::Mul;
  if (of && divides && !isa<AffineConstantExpr>(binary.getRHS()))
    code->push_back({Code::UnsignedGuard, 0, right, 0, scalarOp(of)});
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return compute(Code::Add, left, right);
  case AffineExprKind::Mul:
    return compute(Code::Mul, left, right);
  case AffineExprKind::FloorDiv:
    return emit(Code::FloorDiv, left, right);
  case AffineExprKind::CeilDiv:
    if (narrow) // by an addition first
      compute(Code::Add, left, compute(Code::Sub, right, constant(1)));
    return emit(Code::CeilDiv, left, right);
  default:
    return emit(Code::FloorMod, left, right);
  }
}

FailureOr<Slots> ScalarCompiler::expressions(Operation *op, AffineMap map, ValueRange operands, Operation *narrow) {
  SmallVector<uint32_t> symbols{constant(program.world)};
  for (Value operand : operands) {
    FailureOr<uint32_t> known = slot(op, operand, "size");
    if (failed(known))
      return failure();
    symbols.push_back(*known);
  }
  if (map.getNumSymbols() > symbols.size())
    return op->emitError() << "has parameters: run 'tile-specialize' before 'tile-verify'";
  return Slots(
      llvm::map_range(map.getResults(), [&](AffineExpr expr) { return expression(expr, symbols, narrow, op); }));
}

FailureOr<uint32_t> ScalarCompiler::slot(Operation *op, Value value, StringRef what) {
  auto it = slots.find(value);
  if (it != slots.end())
    return it->second;
  InFlightDiagnostic diagnostic = op->emitError()
                                  << what << " depends on data, expected a function of ranks, extents and indices";
  diagnostic.attachNote(value.getLoc()) << "this value is not known before the program runs";
  return diagnostic;
}

FailureOr<Slots> ScalarCompiler::slotList(Operation *op, ValueRange values, StringRef what) {
  Slots list;
  for (Value value : values) {
    FailureOr<uint32_t> known = slot(op, value, what);
    if (failed(known))
      return failure();
    list.push_back(*known);
  }
  return list;
}

bool ScalarCompiler::tracked(Type type) {
  return type.isIndex() || (type.isSignlessInteger() && bitsOf(type) <= 64) || isa<tile::TokenType>(type);
}

void ScalarCompiler::addRoot(Value value, Slots sizes, bool argument, int64_t copies) {
  View view;
  view.root = program.roots.size();
  view.sizes = std::move(sizes);
  views[value] = program.views.size();
  program.roots.push_back({value, static_cast<uint32_t>(program.views.size()), argument, copies});
  program.views.push_back(std::move(view));
}

LogicalResult ScalarCompiler::compileHeader() {
  if (!program.op.getWorld())
    return program.op.emitError() << "world is not known: run 'tile-specialize' before 'tile-verify'";
  program.world = *program.op.getWorld();
  program.rank = newSlot();
  code = &program.prelude;
  SmallVector<uint32_t> symbols{constant(program.world)};
  for (BlockArgument extent : program.op.getExtents()) {
    slots[extent] = newSlot();
    program.extents.push_back(slots[extent]);
    symbols.push_back(slots[extent]);
  }
  for (auto [buffer, shape] : llvm::zip(program.op.getArguments(), program.op.getShapes())) {
    if (!isa<MemRefType>(buffer.getType()))
      continue;
    AffineMap map = cast<AffineMapAttr>(shape).getValue();
    addRoot(buffer, Slots(llvm::map_range(map.getResults(), [&](AffineExpr e) { return expression(e, symbols); })),
            true, 1);
  }
  return success();
}

LogicalResult ScalarCompiler::compileDeclaration(Operation *op) {
  if (auto alloc = dyn_cast<tile::AllocOp>(op)) {
    FailureOr<Slots> sizes = expressions(op, alloc.getSizes(), alloc.getExtents());
    if (failed(sizes))
      return failure();
    addRoot(alloc, *sizes, false, alloc.getCopies());
  } else if (auto grid = dyn_cast<tile::SignalsOp>(op)) {
    FailureOr<Slots> sizes = expressions(op, grid.getSizes(), grid.getExtents());
    if (failed(sizes))
      return failure();
    grids[grid] = program.grids.size();
    program.grids.push_back({grid, *sizes});
  }
  return success();
}

static std::optional<Code> binaryCode(Operation *op) {
  return TypeSwitch<Operation *, std::optional<Code>>(op)
      .Case<arith::AddIOp>([](auto) { return Code::Add; })
      .Case<arith::SubIOp>([](auto) { return Code::Sub; })
      .Case<arith::MulIOp>([](auto) { return Code::Mul; })
      .Case<arith::DivSIOp, arith::DivUIOp>([](auto) { return Code::DivSigned; })
      .Case<arith::RemSIOp, arith::RemUIOp>([](auto) { return Code::RemSigned; })
      .Case<arith::FloorDivSIOp>([](auto) { return Code::FloorDiv; })
      .Case<arith::CeilDivSIOp, arith::CeilDivUIOp>([](auto) { return Code::CeilDiv; })
      .Case<arith::MaxSIOp, arith::MaxUIOp>([](auto) { return Code::Max; })
      .Case<arith::MinSIOp, arith::MinUIOp>([](auto) { return Code::Min; })
      .Case<arith::AndIOp>([](auto) { return Code::And; })
      .Case<arith::OrIOp>([](auto) { return Code::Or; })
      .Case<arith::XOrIOp>([](auto) { return Code::Xor; })
      .Case<arith::ShLIOp>([](auto) { return Code::ShiftLeft; })
      .Case<arith::ShRSIOp, arith::ShRUIOp>([](auto) { return Code::ShiftRight; })
      .Default([](auto) { return std::nullopt; });
}

uint32_t ScalarCompiler::compare(arith::CmpIPredicate predicate, uint32_t left, uint32_t right) {
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return emit(Code::Equal, left, right);
  case arith::CmpIPredicate::ne:
    return emit(Code::NotEqual, left, right);
  case arith::CmpIPredicate::slt:
  case arith::CmpIPredicate::ult:
    return emit(Code::Less, left, right);
  case arith::CmpIPredicate::sle:
  case arith::CmpIPredicate::ule:
    return emit(Code::LessEqual, left, right);
  case arith::CmpIPredicate::sgt:
  case arith::CmpIPredicate::ugt:
    return emit(Code::Less, right, left);
  default:
    return emit(Code::LessEqual, right, left);
  }
}

/// Operations that read their operands as unsigned.
static bool isUnsigned(Operation *op) {
  if (auto cmp = dyn_cast<arith::CmpIOp>(op))
    return arith::CmpIPredicate::ult <= cmp.getPredicate();
  return isa<arith::DivUIOp, arith::RemUIOp, arith::CeilDivUIOp, arith::MaxUIOp, arith::MinUIOp, arith::ShRUIOp,
             arith::ExtUIOp, arith::IndexCastUIOp>(op);
}

/// Operations for which a set i1 is -1. Neither unsigned ones nor those that mean the same for all residues.
static bool isSigned(Operation *op) {
  if (auto cmp = dyn_cast<arith::CmpIOp>(op))
    return arith::CmpIPredicate::slt <= cmp.getPredicate() && cmp.getPredicate() <= arith::CmpIPredicate::sge;
  return isa<arith::DivSIOp, arith::RemSIOp, arith::FloorDivSIOp, arith::CeilDivSIOp, arith::MaxSIOp, arith::MinSIOp,
             arith::ShRSIOp, arith::ExtSIOp, arith::IndexCastOp>(op);
}

uint32_t ScalarCompiler::asSigned(uint32_t operand, Type type) {
  return type.isInteger(1) ? emit(Code::Negate, operand) : operand;
}

/// Of an index, which the text takes for a signed number, and of 64 bits, which an unsigned number need not fit,
/// nothing negative is expected; then signed operations mean the same.
uint32_t ScalarCompiler::asUnsigned(Operation *op, uint32_t operand, Type type) {
  if (type.isInteger(1))
    return operand;
  if (!type.isIndex() && bitsOf(type) < 64)
    return emit(Code::Mask, operand, 0, llvm::maskTrailingOnes<uint64_t>(bitsOf(type)));
  code->push_back({Code::UnsignedGuard, 0, operand, 0, scalarOp(op)});
  return operand;
}

void ScalarCompiler::compileConstant(Operation *op, const APInt &number) {
  Type type = op->getResult(0).getType();
  uint32_t made = constant(type.isInteger(1) ? number.getZExtValue() : number.getSExtValue());
  if (type.isIndex() && !number.isSignedIntN(bitsOf(type))) {
    made = emit(Code::Narrow, made);
    setType(type, true, op);
  }
  slots[op->getResult(0)] = made;
}

/// The operand is sign- or zero-extended already, as the operation asks.
uint32_t ScalarCompiler::compileCast(Operation *op, uint32_t operand) {
  Type from = op->getOperand(0).getType(), to = op->getResult(0).getType();
  bool isExact = isUnsigned(op) ? bitsOf(from) < bitsOf(to) : bitsOf(from) <= bitsOf(to);
  if (isExact)
    return operand;
  uint32_t made = emit(Code::Narrow, operand);
  setType(to, to.isIndex(), op);
  return made;
}

void ScalarCompiler::compileScalar(Operation *op) {
  if (op->getNumResults() != 1 || !tracked(op->getResult(0).getType()))
    return;
  Value result = op->getResult(0);
  APInt number;
  if (matchPattern(result, m_ConstantInt(&number)))
    return compileConstant(op, number);
  if (auto dim = dyn_cast<memref::DimOp>(op)) {
    auto view = views.find(dim.getSource());
    std::optional<int64_t> index = dim.getConstantIndex();
    if (view != views.end() && index && *index < static_cast<int64_t>(program.views[view->second].sizes.size()))
      slots[result] = program.views[view->second].sizes[*index];
    return;
  }
  SmallVector<uint32_t> operands;
  for (Value operand : op->getOperands()) {
    auto it = slots.find(operand);
    if (it == slots.end())
      return;
    operands.push_back(it->second);
    if (isUnsigned(op))
      operands.back() = asUnsigned(op, operands.back(), operand.getType());
    else if (isSigned(op))
      operands.back() = asSigned(operands.back(), operand.getType());
  }
  if (isa<tile::RankOp>(op)) {
    slots[result] = program.rank;
  } else if (std::optional<Code> binary = binaryCode(op)) {
    slots[result] = emit(*binary, operands[0], operands[1]);
    // An index is a plain int of the text, which must not overflow; integers of the program wrap there, too.
    Type type = result.getType();
    setType(type, type.isIndex(), op);
  } else if (auto cmp = dyn_cast<arith::CmpIOp>(op)) {
    slots[result] = compare(cmp.getPredicate(), operands[0], operands[1]);
  } else if (isa<arith::SelectOp>(op)) {
    slots[result] = emit(Code::Select, operands[1], operands[2], operands[0]);
  } else if (isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp>(op)) {
    slots[result] = compileCast(op, operands[0]);
  }
}

void ScalarCompiler::assign(ArrayRef<uint32_t> targets, ValueRange values) {
  // All sources are read before the first target is written: a yield may permute.
  SmallVector<uint32_t> sources;
  for (auto [target, value] : llvm::zip(targets, values))
    if (target != View::none)
      sources.push_back(emit(Code::Copy, slots.lookup(value)));
  const uint32_t *source = sources.begin();
  for (uint32_t target : targets)
    if (target != View::none)
      code->push_back({Code::Copy, target, *source++});
}

LogicalResult ScalarCompiler::compileExtent(tile::ExtentOp extent) {
  FailureOr<Slots> value = expressions(extent, extent.getSizes(), extent.getExtents(), extent);
  if (failed(value))
    return failure();
  slots[extent] = emit(Code::Narrow, value->front());
  setType(extent.getType(), true, extent);
  return success();
}

LogicalResult ScalarCompiler::compileBlock(Block &block) {
  for (Operation &op : block)
    if (!op.hasTrait<OpTrait::IsTerminator>() && failed(compileOp(&op)))
      return failure();
  return success();
}

LogicalResult ScalarCompiler::requireKnown(Operation *op, ValueRange values) {
  for (Value value : values)
    if (tracked(value.getType()) && failed(slot(op, value, "value carried by this operation")))
      return failure();
  return success();
}

LogicalResult ScalarCompiler::compileFor(scf::ForOp loop) {
  FailureOr<Slots> bounds =
      slotList(loop, {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()}, "bound of a loop");
  if (failed(bounds) || failed(requireKnown(loop, loop.getInitArgs())))
    return failure();
  SmallVector<uint32_t> carried;
  for (BlockArgument argument : loop.getRegionIterArgs())
    carried.push_back(tracked(argument.getType()) ? (slots[argument] = newSlot()) : View::none);
  assign(carried, loop.getInitArgs());
  uint32_t index = emit(Code::Copy, (*bounds)[0]);
  slots[loop.getInductionVar()] = index;
  code->push_back({Code::LoopGuard, 0, (*bounds)[2]});
  size_t number = program.loops.size();
  code->push_back({Code::Loop, 0, 0, 0, static_cast<int64_t>(number)});
  program.loops.emplace_back();
  size_t head = code->size();
  uint32_t inside = emit(Code::Less, index, (*bounds)[1]);
  size_t exit = code->size();
  code->push_back({Code::JumpUnless, 0, inside});
  Operation *yield = loop.getBody()->getTerminator();
  if (failed(compileBlock(*loop.getBody())) || failed(requireKnown(loop, yield->getOperands())))
    return failure();
  assign(carried, yield->getOperands());
  size_t increment = code->size();
  code->push_back({Code::Add, index, index, (*bounds)[2]});
  setType(loop.getInductionVar().getType(), true, loop);
  code->push_back({Code::Jump, 0, static_cast<uint32_t>(number), 0, static_cast<int64_t>(head)});
  (*code)[exit].value = code->size();
  program.loops[number] = {head, code->size(), increment, index, (*bounds)[0], (*bounds)[1], (*bounds)[2], {}};
  llvm::copy_if(carried, std::back_inserter(program.loops[number].carried),
                [](uint32_t target) { return target != View::none; });
  for (auto [result, target] : llvm::zip(loop.getResults(), carried))
    if (target != View::none)
      slots[result] = target;
  return success();
}

LogicalResult ScalarCompiler::compileCounted(Operation *op, Value index, uint32_t first, uint32_t count,
                                             llvm::function_ref<LogicalResult(uint32_t)> body) {
  return compileTimes(op, index.getType(), first, count, [&](uint32_t at) {
    slots[index] = at;
    return body(at);
  });
}

LogicalResult ScalarCompiler::compileTimes(Operation *op, Type type, uint32_t first, uint32_t count,
                                           llvm::function_ref<LogicalResult(uint32_t)> body) {
  uint32_t one = constant(1), at = emit(Code::Copy, first);
  size_t number = program.loops.size();
  code->push_back({Code::Loop, 0, 0, 0, static_cast<int64_t>(number)});
  program.loops.emplace_back();
  size_t head = code->size();
  uint32_t inside = emit(Code::Less, at, count);
  size_t exit = code->size();
  code->push_back({Code::JumpUnless, 0, inside});
  if (failed(body(at)))
    return failure();
  size_t increment = code->size();
  code->push_back({Code::Add, at, at, one});
  setType(type, true, op);
  code->push_back({Code::Jump, 0, static_cast<uint32_t>(number), 0, static_cast<int64_t>(head)});
  (*code)[exit].value = code->size();
  program.loops[number] = {head, code->size(), increment, at, first, count, one, {}};
  return success();
}

LogicalResult ScalarCompiler::compileWhen(uint32_t condition, llvm::function_ref<LogicalResult()> body) {
  size_t toEnd = code->size();
  code->push_back({Code::JumpUnless, 0, condition});
  if (failed(body()))
    return failure();
  (*code)[toEnd].value = code->size();
  return success();
}

LogicalResult ScalarCompiler::compileIf(scf::IfOp branch) {
  FailureOr<uint32_t> condition = slot(branch, branch.getCondition(), "condition");
  if (failed(condition))
    return failure();
  SmallVector<uint32_t> targets;
  for (Value result : branch.getResults())
    targets.push_back(tracked(result.getType()) ? (slots[result] = newSlot()) : View::none);
  auto arm = [&](Region &region) -> LogicalResult {
    if (region.empty())
      return success();
    Operation *yield = region.front().getTerminator();
    if (failed(compileBlock(region.front())) || failed(requireKnown(branch, yield->getOperands())))
      return failure();
    assign(targets, yield->getOperands());
    return success();
  };
  size_t toElse = code->size();
  code->push_back({Code::JumpUnless, 0, *condition});
  if (failed(arm(branch.getThenRegion())))
    return failure();
  size_t toEnd = code->size();
  code->push_back({Code::Jump});
  (*code)[toElse].value = code->size();
  if (failed(arm(branch.getElseRegion())))
    return failure();
  (*code)[toEnd].value = code->size();
  return success();
}

LogicalResult ScalarCompiler::compileArrival(SyncSite site, Value grid, ValueRange indices, Value count, Value last) {
  auto known = grids.find(grid);
  if (known == grids.end())
    return site.op->emitError() << "names no 'tile.signals' of the program";
  FailureOr<Slots> list = slotList(site.op, indices, "signal index");
  FailureOr<uint32_t> number = slot(site.op, count, "count");
  FailureOr<scf::IfOp> branch = branchOfLast(site.op, last);
  if (failed(list) || failed(number) || failed(branch))
    return failure();
  FailureOr<SmallVector<Value>> used = numbersOfLast(site.op, *branch);
  if (failed(used) || failed(checkArrivalNumbers(site.op, count, indices, *used)))
    return failure();
  FailureOr<Slots> alike = slotList(site.op, *used, "number of the last task");
  if (failed(alike))
    return failure();
  ArrivalSite made{site.op, static_cast<uint32_t>(program.syncs.size()), 0, *number, *alike};
  made.wait = made.signal + 1;
  site.grid = known->second;
  site.indices = *list;
  site.counted = true;
  SyncSite wait = site, signal = std::move(site);
  wait.publishes.clear();
  signal.token = -1;
  signal.signal = true;
  signal.to = program.rank;
  program.syncs.push_back(std::move(signal));
  program.syncs.push_back(std::move(wait));
  slots[last] = emit(Code::Arrive, 0, 0, static_cast<int64_t>(program.arrivals.size()));
  program.arrivals.push_back(std::move(made));
  return success();
}
