// Compiles the scalar part of a program in kernel form. Emits code and diagnostics; evaluates nothing.
#include "passes/checker/PanelLoops.h"
#include "passes/checker/ScalarCode.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::checker;

namespace {

class Compiler : public ScalarCompiler {
public:
  explicit Compiler(tile::ProgramOp op) : ScalarCompiler(op) {}

  FailureOr<ProgramCode> run() {
    if (failed(compileHeader()))
      return failure();
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
    noteCompared();
    classifyLoops(program);
    return std::move(program);
  }

private:
  /// Numbers of 1 or more that something is compared with, the first few: one that a launch gives may be the one that
  /// makes the difference.
  void noteCompared() {
    constexpr size_t most = 8;
    program.op.walk([&](arith::CmpIOp compare) {
      for (Value operand : compare->getOperands())
        if (std::optional<int64_t> number = getConstantIntValue(operand);
            number && *number > 0 && program.comparedWith.size() < most &&
            !llvm::is_contained(program.comparedWith, *number))
          program.comparedWith.push_back(*number);
    });
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

  FailureOr<uint32_t> viewOf(Operation *op, Value buffer) {
    auto known = views.find(buffer);
    if (known == views.end())
      return op->emitError() << "names no argument, no alloc and no view of one";
    return known->second;
  }

  LogicalResult compileView(memref::SubViewOp op) {
    FailureOr<uint32_t> parent = viewOf(op, op.getSource());
    if (failed(parent))
      return failure();
    View view;
    view.parent = *parent;
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

  //===-- accesses, signals, waits
  //----------------------------------------------------------------------------------===//

  LogicalResult compileAccess(tile::AccessOpInterface op) {
    Operation *raw = op.getOperation();
    AccessSite site;
    site.op = raw;
    FailureOr<uint32_t> view = viewOf(raw, op.getAccessedBuffer());
    if (failed(view))
      return failure();
    FailureOr<Slots> indices = indicesOf(op),
                     after = slotList(raw, ValueRange(OperandRange(op.getAfterTokensMutable())), "token");
    if (failed(indices) || failed(after))
      return failure();
    site.view = *view;
    site.indices = *indices;
    site.after = *after;
    site.shape = op.getFootprintShape();
    site.elementOffsets = op.hasElementOffsets();
    site.reads = op.readsBuffer();
    site.writes = op.writesBuffer();
    site.isApart = op.getEachDim() && op.writesBuffer();
    if (op.getCommutation())
      site.kind = commutingKind(op);
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

  /// Where a tile of indices names elements, the footprint begins with the view.
  FailureOr<Slots> indicesOf(tile::AccessOpInterface op) {
    Slots indices;
    for (auto [dim, index] : llvm::enumerate(op.getAccessIndices())) {
      FailureOr<uint32_t> first = op.isEach(dim) ? constant(0) : slot(op, index, "index");
      if (failed(first))
        return failure();
      indices.push_back(*first);
    }
    return indices;
  }

  /// A number that is data: the trace chooses one.
  LogicalResult compileRead(tile::ReadOp op) {
    FailureOr<uint32_t> most = slot(op, op.getUpto(), "bound");
    if (failed(most) || failed(compileAccess(cast<tile::AccessOpInterface>(op.getOperation()))))
      return failure();
    program.readsNumbers = true;
    code->push_back({Code::UnsignedGuard, 0, *most, 0, scalarOp(op)});
    slots[op.getResult()] = emit(Code::Number, *most, 0, static_cast<int64_t>(program.accesses.size()) - 1);
    return success();
  }

  /// A number that a launch gives, the same wherever it is asked for: the trace chooses one.
  LogicalResult compileClamp(tile::ClampOp op) {
    FailureOr<uint32_t> most = slot(op, op.getUpto(), "bound");
    if (failed(most))
      return failure();
    code->push_back({Code::UnsignedGuard, 0, *most, 0, scalarOp(op)});
    slots[op.getResult()] = emit(Code::Given, *most, 0, numberOf(op.getNumber()));
    return success();
  }

  /// A number for those that commute with each other.
  uint32_t commutingKind(tile::AccessOpInterface access) {
    return kinds.try_emplace(access.getCommutation(), kinds.size() + 1).first->second;
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
    site.system = op.getScope() == tile::Scope::System;
    auto grid = op.getSignals().getDefiningOp<tile::SignalsOp>();
    site.counted = grid && grid.getCounted();
    if (site.counted && !site.system)
      return op.emitOpError() << "publishes to the copy engine at scope 'agent', expected 'system'";
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
    site.system = op.getScope() == tile::Scope::System;
    site.token = slots[op.getToken()] = newSlot();
    return compileSync(std::move(site), op.getSignals(), op.getIndices());
  }

  LogicalResult compileTake(tile::TakeCountedOp op) {
    SyncSite site;
    site.op = op;
    FailureOr<uint32_t> count = slot(op, op.getCount(), "number of signals");
    if (failed(count))
      return failure();
    site.takes = static_cast<int32_t>(*count);
    site.counts.assign(op.getIndices().size(), constant(1));
    site.system = true;
    site.token = slots[op.getToken()] = newSlot();
    return compileSync(std::move(site), op.getSignals(), op.getIndices());
  }

  LogicalResult compileArrive(tile::ArriveOp op) {
    FailureOr<Slots> publishes = slotList(op, op.getPublishes(), "token");
    if (failed(publishes))
      return failure();
    SyncSite site;
    site.op = op;
    site.publishes = *publishes;
    site.token = slots[op.getToken()] = newSlot();
    return compileArrival(std::move(site), op.getSignals(), op.getIndices(), op.getCount(), op.getLast());
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

  LogicalResult compileOp(Operation *op) override {
    if (auto read = dyn_cast<tile::ReadOp>(op))
      return compileRead(read);
    if (auto clamp = dyn_cast<tile::ClampOp>(op))
      return compileClamp(clamp);
    if (auto access = dyn_cast<tile::AccessOpInterface>(op))
      return compileAccess(access);
    if (auto signal = dyn_cast<tile::SignalOp>(op))
      return compileSignal(signal);
    if (auto wait = dyn_cast<tile::WaitOp>(op))
      return compileWait(wait);
    if (auto take = dyn_cast<tile::TakeCountedOp>(op))
      return compileTake(take);
    if (auto arrive = dyn_cast<tile::ArriveOp>(op))
      return compileArrive(arrive);
    if (auto join = dyn_cast<tile::JoinOp>(op))
      return compileJoin(join);
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return compileFor(loop);
    if (auto branch = dyn_cast<scf::IfOp>(op))
      return compileIf(branch);
    if (auto view = dyn_cast<memref::SubViewOp>(op))
      return compileView(view);
    if (auto extent = dyn_cast<tile::ExtentOp>(op))
      return compileExtent(extent);
    // LDS belongs to one workgroup: a later stage's own check judges it.
    if (isa<tile::SharedBufferOp, tile::SharedStoreOp, tile::SharedLoadOp, tile::BarrierOp>(op))
      return success();
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
    FailureOr<uint32_t> view = viewOf(forall, forall.getBuffer());
    if (failed(view))
      return failure();
    for (auto [size, tile] : llvm::zip(Slots(program.views[*view].sizes), *forall.getTiles())) {
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
      role.hasSteps = bool(forall.getSteps());
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

  /// A kernel that runs beside the one behind it is of the same launch.
  LogicalResult compileKernel(tile::KernelOp op) {
    KernelCode kernel = std::exchange(beside, KernelCode());
    kernel.op = op;
    std::optional<uint32_t> pool;
    for (tile::RoleOp roleOp : op.getBody().getOps<tile::RoleOp>()) {
      RoleCode &role = kernel.roles.emplace_back();
      role.name = roleOp.getSymName().str();
      role.turn = roleOp.getTurn();
      role.op = roleOp;
      role.engine = roleOp.getEngine();
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
    if (op.getBeside())
      beside = std::move(kernel);
    else
      program.kernels.push_back(std::move(kernel));
    return success();
  }

  DenseMap<Attribute, uint32_t> kinds;
  KernelCode beside; ///< what is compiled of a launch of two kernels
};

} // namespace

FailureOr<ProgramCode> tilec::checker::compileProgram(tile::ProgramOp program) { return Compiler(program).run(); }
