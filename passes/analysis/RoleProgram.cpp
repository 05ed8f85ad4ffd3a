// Compiles the scalar part of a program in kernel form. Emits code and diagnostics; evaluates nothing.
#include "passes/analysis/RoleProgram.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::checker;

namespace {

class Compiler {
public:
  explicit Compiler(tile::ProgramOp op) { program.op = op; }

  FailureOr<ProgramCode> run() {
    if (!program.op.getWorld())
      return program.op.emitError() << "world is not known: run 'tile-specialize' before 'tile-verify'";
    program.world = *program.op.getWorld();
    program.rank = newSlot();
    code = &program.prelude;
    compileArguments();
    for (Operation &op : program.op.getBody().front()) {
      LogicalResult result = success();
      if (auto kernel = dyn_cast<tile::KernelOp>(op))
        result = compileKernel(kernel);
      else if (isa<tile::AllocOp, tile::SignalsOp, tile::ParamOp>(op))
        result = compileDeclaration(&op);
      else if (isa<tile::ForallOp>(op) || !isMemoryEffectFree(&op))
        result = op.emitError() << "statement stands outside a 'tile.kernel': 'tile-verify' expects the kernel form";
      else
        result = compileOp(&op);
      if (failed(result))
        return failure();
    }
    program.numSlots = numSlots;
    return std::move(program);
  }

private:
  //===-- slots and expressions
  //-------------------------------------------------------------------------------------===//

  uint32_t newSlot() { return numSlots++; }

  uint32_t emit(Code op, uint32_t left = 0, uint32_t right = 0, int64_t value = 0) {
    uint32_t target = newSlot();
    code->push_back({op, target, left, right, value});
    return target;
  }

  uint32_t constant(int64_t value) { return emit(Code::Constant, 0, 0, value); }

  uint32_t expression(AffineExpr expr, ArrayRef<uint32_t> symbols) {
    if (auto number = dyn_cast<AffineConstantExpr>(expr))
      return constant(number.getValue());
    if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
      return symbols[symbol.getPosition()];
    auto binary = cast<AffineBinaryOpExpr>(expr);
    uint32_t left = expression(binary.getLHS(), symbols), right = expression(binary.getRHS(), symbols);
    switch (expr.getKind()) {
    case AffineExprKind::Add:
      return emit(Code::Add, left, right);
    case AffineExprKind::Mul:
      return emit(Code::Mul, left, right);
    case AffineExprKind::FloorDiv:
      return emit(Code::FloorDiv, left, right);
    case AffineExprKind::CeilDiv:
      return emit(Code::CeilDiv, left, right);
    default:
      return emit(Code::FloorMod, left, right);
    }
  }

  /// The results of an expression list: symbol 0 is the world, then the operands.
  FailureOr<Slots> expressions(Operation *op, AffineMap map, ValueRange operands) {
    SmallVector<uint32_t> symbols{constant(program.world)};
    for (Value operand : operands) {
      FailureOr<uint32_t> known = slot(op, operand, "size");
      if (failed(known))
        return failure();
      symbols.push_back(*known);
    }
    if (map.getNumSymbols() > symbols.size())
      return op->emitError() << "has parameters: run 'tile-specialize' before 'tile-verify'";
    return Slots(llvm::map_range(map.getResults(), [&](AffineExpr expr) { return expression(expr, symbols); }));
  }

  /// The slot of a value; reports where `op` needs it and it depends on data.
  FailureOr<uint32_t> slot(Operation *op, Value value, StringRef what) {
    auto it = slots.find(value);
    if (it != slots.end())
      return it->second;
    InFlightDiagnostic diagnostic = op->emitError()
                                    << what << " depends on data, expected a function of ranks, extents and indices";
    diagnostic.attachNote(value.getLoc()) << "this value is not known before the program runs";
    return diagnostic;
  }

  FailureOr<Slots> slotList(Operation *op, ValueRange values, StringRef what) {
    Slots list;
    for (Value value : values) {
      FailureOr<uint32_t> known = slot(op, value, what);
      if (failed(known))
        return failure();
      list.push_back(*known);
    }
    return list;
  }

  static bool tracked(Type type) { return type.isIndex() || type.isSignlessInteger() || isa<tile::TokenType>(type); }

  //===-- declarations
  //----------------------------------------------------------------------------------------------===//

  void addRoot(Value value, Slots sizes, bool argument, int64_t copies) {
    View view;
    view.root = program.roots.size();
    view.sizes = std::move(sizes);
    views[value] = program.views.size();
    program.roots.push_back({value, static_cast<uint32_t>(program.views.size()), argument, copies});
    program.views.push_back(std::move(view));
  }

  void compileArguments() {
    SmallVector<uint32_t> symbols{constant(program.world)};
    for (BlockArgument extent : program.op.getExtents()) {
      slots[extent] = newSlot();
      program.extents.push_back(slots[extent]);
      symbols.push_back(slots[extent]);
    }
    for (auto [buffer, shape] : llvm::zip(program.op.getBuffers(), program.op.getShapes())) {
      AffineMap map = cast<AffineMapAttr>(shape).getValue();
      addRoot(buffer, Slots(llvm::map_range(map.getResults(), [&](AffineExpr e) { return expression(e, symbols); })),
              true, 1);
    }
  }

  LogicalResult compileDeclaration(Operation *op) {
    if (auto alloc = dyn_cast<tile::AllocOp>(op)) {
      FailureOr<Slots> sizes = expressions(op, alloc.getSizes(), alloc.getExtents());
      if (failed(sizes))
        return failure();
      addRoot(alloc, *sizes, false, alloc.getPersistent() ? 1 : alloc.getCopies());
    } else if (auto grid = dyn_cast<tile::SignalsOp>(op)) {
      FailureOr<Slots> sizes = expressions(op, grid.getSizes(), grid.getExtents());
      if (failed(sizes))
        return failure();
      grids[grid] = program.grids.size();
      program.grids.push_back({grid, *sizes});
    }
    return success();
  }

  FailureOr<Slots> mixed(Operation *op, ArrayRef<OpFoldResult> values, StringRef what) {
    Slots list;
    for (OpFoldResult value : values) {
      if (auto number = dyn_cast<Attribute>(value)) {
        list.push_back(constant(cast<IntegerAttr>(number).getInt()));
        continue;
      }
      FailureOr<uint32_t> known = slot(op, cast<Value>(value), what);
      if (failed(known))
        return failure();
      list.push_back(*known);
    }
    return list;
  }

  LogicalResult compileView(memref::SubViewOp op) {
    auto parent = views.find(op.getSource());
    if (parent == views.end())
      return op.emitError() << "is a view of no argument and no alloc";
    View view;
    view.parent = parent->second;
    view.root = program.views[view.parent].root;
    FailureOr<Slots> offsets = mixed(op, op.getMixedOffsets(), "offset"), sizes = mixed(op, op.getMixedSizes(), "size"),
                     strides = mixed(op, op.getMixedStrides(), "stride");
    if (failed(offsets) || failed(sizes) || failed(strides))
      return failure();
    view.offsets = *offsets;
    view.strides = *strides;
    view.extents = *sizes;
    llvm::SmallBitVector dropped = op.getDroppedDims();
    for (unsigned i = 0; i < sizes->size(); ++i) {
      view.dropped.push_back(dropped[i]);
      if (!dropped[i])
        view.sizes.push_back((*sizes)[i]);
    }
    views[op] = program.views.size();
    program.views.push_back(std::move(view));
    return success();
  }

  //===-- scalars and control
  //---------------------------------------------------------------------------------------===//

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

  uint32_t compare(arith::CmpIPredicate predicate, uint32_t left, uint32_t right) {
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

  /// A pure scalar operation. A result that depends on data gets no slot; whoever needs it reports.
  void compileScalar(Operation *op) {
    if (op->getNumResults() != 1 || !tracked(op->getResult(0).getType()))
      return;
    Value result = op->getResult(0);
    APInt number;
    if (matchPattern(result, m_ConstantInt(&number))) {
      slots[result] = constant(number.getSExtValue());
      return;
    }
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
    }
    if (isa<tile::RankOp>(op))
      slots[result] = program.rank;
    else if (std::optional<Code> binary = binaryCode(op))
      slots[result] = emit(*binary, operands[0], operands[1]);
    else if (auto cmp = dyn_cast<arith::CmpIOp>(op))
      slots[result] = compare(cmp.getPredicate(), operands[0], operands[1]);
    else if (isa<arith::SelectOp>(op))
      slots[result] = emit(Code::Select, operands[1], operands[2], operands[0]);
    else if (isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp>(op))
      slots[result] = operands[0];
  }

  void assign(ArrayRef<uint32_t> targets, ValueRange values) {
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

  LogicalResult compileBlock(Block &block) {
    for (Operation &op : block)
      if (!op.hasTrait<OpTrait::IsTerminator>() && failed(compileOp(&op)))
        return failure();
    return success();
  }

  /// Every tracked value that a loop carries or a branch yields must be known on all paths.
  LogicalResult requireKnown(Operation *op, ValueRange values) {
    for (Value value : values)
      if (tracked(value.getType()) && failed(slot(op, value, "value carried by this operation")))
        return failure();
    return success();
  }

  LogicalResult compileFor(scf::ForOp loop) {
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
    size_t head = code->size();
    uint32_t inside = emit(Code::Less, index, (*bounds)[1]);
    size_t exit = code->size();
    code->push_back({Code::JumpUnless, 0, inside});
    Operation *yield = loop.getBody()->getTerminator();
    if (failed(compileBlock(*loop.getBody())) || failed(requireKnown(loop, yield->getOperands())))
      return failure();
    assign(carried, yield->getOperands());
    code->push_back({Code::Add, index, index, (*bounds)[2]});
    code->push_back({Code::Jump, 0, 0, 0, static_cast<int64_t>(head)});
    (*code)[exit].value = code->size();
    for (auto [result, target] : llvm::zip(loop.getResults(), carried))
      if (target != View::none)
        slots[result] = target;
    return success();
  }

  LogicalResult compileIf(scf::IfOp branch) {
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

  //===-- accesses, signals, waits
  //----------------------------------------------------------------------------------===//

  LogicalResult compileAccess(tile::AccessOpInterface op) {
    Operation *raw = op.getOperation();
    AccessSite site;
    site.op = raw;
    auto view = views.find(op.getAccessedBuffer());
    if (view == views.end())
      return raw->emitError() << "accesses no argument, no alloc and no view of one";
    FailureOr<Slots> indices = slotList(raw, op.getAccessIndices(), "index"),
                     after = slotList(raw, ValueRange(OperandRange(op.getAfterTokensMutable())), "token");
    if (failed(indices) || failed(after))
      return failure();
    site.view = view->second;
    site.indices = *indices;
    site.after = *after;
    site.shape = op.getFootprintShape();
    site.elementOffsets = op.hasElementOffsets();
    site.reads = op.readsBuffer();
    site.writes = op.writesBuffer();
    if (op.commutes())
      site.kind = commutingKind(raw);
    if (Value owner = op.getAccessRank()) {
      FailureOr<uint32_t> known = slot(raw, owner, "rank");
      if (failed(known))
        return failure();
      site.rank = *known;
    }
    for (Value result : raw->getResults())
      if (isa<tile::TokenType>(result.getType()))
        site.token = slots[result] = newSlot();
    code->push_back({Code::Access, 0, 0, 0, static_cast<int64_t>(program.accesses.size())});
    program.accesses.push_back(std::move(site));
    return success();
  }

  /// Commuting accesses are of one kind when op and enum attributes agree (`atomic add` with `atomic add`).
  uint32_t commutingKind(Operation *op) {
    auto key = std::make_pair(op->getName().getAsOpaquePointer(), op->getAttr("kind"));
    return kinds.try_emplace(key, kinds.size() + 1).first->second;
  }

  LogicalResult compileSync(SyncSite site, Value grid, ValueRange indices) {
    auto known = grids.find(grid);
    if (known == grids.end())
      return site.op->emitError() << "names no 'tile.signals' of the program";
    FailureOr<Slots> list = slotList(site.op, indices, "signal index");
    if (failed(list))
      return failure();
    site.grid = known->second;
    site.indices = *list;
    code->push_back({Code::Sync, 0, 0, 0, static_cast<int64_t>(program.syncs.size())});
    program.syncs.push_back(std::move(site));
    return success();
  }

  LogicalResult compileSignal(tile::SignalOp op) {
    SyncSite site;
    site.op = op;
    site.signal = true;
    FailureOr<Slots> publishes = slotList(op, op.getPublishes(), "token");
    FailureOr<uint32_t> to = slot(op, op.getTo(), "rank");
    if (failed(publishes) || failed(to))
      return failure();
    site.publishes = *publishes;
    site.to = *to;
    return compileSync(std::move(site), op.getSignals(), op.getIndices());
  }

  LogicalResult compileWait(tile::WaitOp op) {
    SyncSite site;
    site.op = op;
    FailureOr<Slots> counts = slotList(op, op.getCounts(), "count");
    if (failed(counts))
      return failure();
    site.counts = *counts;
    site.lag = op.getLag();
    site.token = slots[op.getToken()] = newSlot();
    return compileSync(std::move(site), op.getSignals(), op.getIndices());
  }

  LogicalResult compileJoin(tile::JoinOp op) {
    FailureOr<Slots> tokens = slotList(op, op.getTokens(), "token");
    if (failed(tokens))
      return failure();
    uint32_t joined = constant(0);
    for (uint32_t token : *tokens)
      joined = emit(Code::Join, joined, token);
    slots[op] = joined;
    return success();
  }

  LogicalResult compileOp(Operation *op) {
    if (auto access = dyn_cast<tile::AccessOpInterface>(op))
      return compileAccess(access);
    if (auto signal = dyn_cast<tile::SignalOp>(op))
      return compileSignal(signal);
    if (auto wait = dyn_cast<tile::WaitOp>(op))
      return compileWait(wait);
    if (auto join = dyn_cast<tile::JoinOp>(op))
      return compileJoin(join);
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return compileFor(loop);
    if (auto branch = dyn_cast<scf::IfOp>(op))
      return compileIf(branch);
    if (auto view = dyn_cast<memref::SubViewOp>(op))
      return compileView(view);
    if (auto extent = dyn_cast<tile::ExtentOp>(op)) {
      FailureOr<Slots> value = expressions(op, extent.getSizes(), extent.getExtents());
      if (succeeded(value))
        slots[extent] = value->front();
      return value;
    }
    // LDS belongs to one workgroup: a later stage's own check judges it.
    if (isa<tile::SharedBufferOp, tile::SharedStoreOp, tile::SharedLoadOp, tile::BarrierOp>(op))
      return success();
    if (auto cast = dyn_cast<memref::CastOp>(op); cast && views.contains(cast.getSource())) {
      views[cast] = views.lookup(cast.getSource());
      return success();
    }
    if (op->getNumRegions() || !isMemoryEffectFree(op))
      return op->emitError() << "'" << op->getName() << "' is no operation of the kernel form";
    compileScalar(op);
    return success();
  }

  //===-- kernels
  //---------------------------------------------------------------------------------------------------===//

  LogicalResult compileBounds(RoleCode &role) {
    tile::ForallOp forall = role.forall;
    if (forall.getBounds()) {
      FailureOr<Slots> bounds = expressions(forall, *forall.getBounds(), forall.getExtents());
      if (failed(bounds))
        return failure();
      role.bounds = *bounds;
      return success();
    }
    auto view = views.find(forall.getBuffer());
    if (view == views.end())
      return forall.emitError() << "runs over no argument, no alloc and no view of one";
    for (auto [size, tile] : llvm::zip(Slots(program.views[view->second].sizes), *forall.getTiles())) {
      auto number = dyn_cast<IntegerAttr>(tile);
      if (!number)
        return forall.emitError() << "has parameters: run 'tile-specialize' before 'tile-verify'";
      role.bounds.push_back(emit(Code::CeilDiv, size, constant(number.getInt())));
    }
    return success();
  }

  LogicalResult compileRole(RoleCode &role) {
    code = &role.prologue;
    for (Operation &op : role.op.getBody().front()) {
      if (role.forall && !isMemoryEffectFree(&op)) {
        InFlightDiagnostic diagnostic = op.emitError()
                                        << "follows the 'tile.forall' of its role, expected it to come before";
        diagnostic.attachNote(role.forall.getLoc()) << "the tasks of the role are here";
        return diagnostic;
      }
      auto forall = dyn_cast<tile::ForallOp>(op);
      if (!forall) {
        if (failed(compileOp(&op)))
          return failure();
        continue;
      }
      role.forall = forall;
      if (failed(compileBounds(role)))
        return failure();
      for (BlockArgument index : forall.getIndices())
        role.indices.push_back(slots[index] = newSlot());
      code = &role.body;
      if (failed(compileBlock(forall.getBody().front())))
        return failure();
      code = &role.prologue;
    }
    return success();
  }

  LogicalResult compileKernel(tile::KernelOp op) {
    KernelCode kernel;
    kernel.op = op;
    std::optional<uint32_t> pool;
    for (tile::RoleOp roleOp : op.getBody().getOps<tile::RoleOp>()) {
      RoleCode &role = kernel.roles.emplace_back();
      role.op = roleOp;
      if (roleOp.getTurn() == tile::Turn::Each) {
        role.group = pool && !roleOp.getWorkgroups() ? *pool : kernel.workgroups.size();
        if (role.group == kernel.workgroups.size())
          kernel.workgroups.push_back(roleOp.getWorkgroups().value_or(0));
        if (!roleOp.getWorkgroups())
          pool = role.group;
      }
      if (failed(compileRole(role)))
        return failure();
    }
    code = &program.prelude;
    program.kernels.push_back(std::move(kernel));
    return success();
  }

  ProgramCode program;
  CodeList *code = nullptr;
  uint32_t numSlots = 0;
  DenseMap<Value, uint32_t> slots, views, grids;
  DenseMap<std::pair<const void *, Attribute>, uint32_t> kinds;
};

} // namespace

FailureOr<ProgramCode> tilec::checker::compileProgram(tile::ProgramOp program) { return Compiler(program).run(); }
