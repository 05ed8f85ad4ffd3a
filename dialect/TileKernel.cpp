// Syntax and verification of the kernel form.
#include "dialect/HeldTile.h"
#include "dialect/KnownAttributes.h"
#include "dialect/Limits.h"
#include "dialect/OwnWorkgroups.h"
#include "dialect/Schedules.h"
#include "dialect/Tile.h"

using namespace mlir;
using namespace tilec::tile;

void KernelOp::build(OpBuilder &builder, OperationState &state, StringRef name) {
  state.addAttribute(getSymNameAttrName(state.name), builder.getStringAttr(name));
  state.addRegion()->emplaceBlock();
}

/// Tasks that are dealt out by the numbers of workgroups are those of one loop, for all workgroups.
static LogicalResult verifyDealing(KernelOp kernel) {
  int64_t groups = 0, loops = 0;
  bool hasPool = false;
  for (auto role : kernel.getBody().getOps<RoleOp>()) {
    if (role.getTurn() != Turn::Each)
      continue;
    loops += llvm::range_size(role.getBody().getOps<ForallOp>());
    groups += role.getWorkgroups() || !hasPool;
    hasPool |= !role.getWorkgroups();
  }
  if (kernel.getDealing() == Dealing::Ticketed || (groups <= 1 && loops <= 1))
    return success();
  return kernel.emitOpError() << "has " << groups << " groups of workgroups and " << loops
                              << " tile loops, expected at most one of each where tasks are 'strided'";
}

LogicalResult KernelOp::verify() {
  if (failed(verifyIdentifier(*this, getSymName())))
    return failure();
  if (getWaves() && (*getWaves() > kMostWaves || !llvm::isPowerOf2_64(*getWaves())))
    return emitOpError() << "has " << static_cast<int64_t>(*getWaves()) << " waves, expected a power of two up to "
                         << kMostWaves;
  if (ProducerAttr producer = getProducerAttr();
      producer && static_cast<int64_t>(getWaves().value_or(1)) + producer.getWaves() > int64_t(kMostWaves))
    return emitOpError() << "has " << static_cast<int64_t>(getWaves().value_or(1)) << " waves and "
                         << producer.getWaves() << " of a producer, expected at most " << kMostWaves << " in all";
  DenseMap<StringRef, RoleOp> names;
  for (Operation &op : getBody().front()) {
    auto role = dyn_cast<RoleOp>(op);
    if (!role)
      return op.emitOpError() << "is in a 'tile.kernel', expected only 'tile.role' there";
    auto [it, isNew] = names.try_emplace(role.getSymName(), role);
    if (isNew)
      continue;
    InFlightDiagnostic diagnostic = role.emitOpError() << "has the name of another role of this kernel";
    diagnostic.attachNote(it->second.getLoc()) << "the other role is here";
    return diagnostic;
  }
  if (getPairs() && (getDealing() != Dealing::Strided || !getProducer()))
    return emitOpError() << "has pairs of workgroups, expected tasks that are dealt out by number, and a producer";
  return verifyDealing(*this);
}

/// Two kernels are made of it: neither may be left without tasks, and the copy engine runs beside one.
static LogicalResult verifyRolesApart(KernelOp kernel) {
  bool hasOwn = false, hasPool = false;
  for (RoleOp role : kernel.getBody().getOps<RoleOp>()) {
    if (role.getEngine())
      return role.emitOpError() << "is the copy engine's, expected a kernel that is not 'apart'";
    if (role.getTurn() == Turn::Each)
      (role.getWorkgroups() ? hasOwn : hasPool) = true;
  }
  if (hasOwn && hasPool)
    return success();
  return kernel.emitOpError() << "is 'apart', expected roles with workgroups of their own and roles with what these "
                                 "leave";
}

/// What `partition` makes of roles with workgroups of their own, in front of the kernel that they run beside.
static LogicalResult verifyBeside(KernelOp kernel) {
  auto roles = kernel.getBody().getOps<RoleOp>();
  for (RoleOp role : roles)
    if (role.getTurn() == Turn::Last || (role.getTurn() == Turn::Each && !role.getWorkgroups()))
      return role.emitOpError() << "stands in a kernel beside another one, expected workgroups of its own";
  if (llvm::none_of(roles, [](RoleOp role) { return role.getWorkgroups().has_value(); }))
    return kernel.emitOpError() << "runs beside another kernel, expected roles with workgroups of their own";
  auto behind = dyn_cast_or_null<KernelOp>(kernel->getNextNode());
  if (!behind || behind.getEngine() || behind.getBeside())
    return kernel.emitOpError() << "runs beside another kernel, expected that one behind it";
  for (RoleOp role : behind.getBody().getOps<RoleOp>())
    if (role.getTurn() != Turn::Each || role.getWorkgroups())
      return role.emitOpError() << "stands in a kernel that another one runs beside, expected that it takes what "
                                   "workgroups the other leaves";
  if (behind.getBody().getOps<RoleOp>().empty())
    return behind.emitOpError() << "has no role, expected one with the workgroups that the kernel beside leaves";
  return success();
}

/// One of the copy engine is what `partition` makes of roles: moves and signals, beside the kernel behind.
LogicalResult KernelOp::verifyRegions() {
  if (getApart() && failed(verifyRolesApart(*this)))
    return failure();
  if (getBeside() && failed(verifyBeside(*this)))
    return failure();
  if (!getEngine())
    return success();
  for (RoleOp role : getBody().getOps<RoleOp>())
    if (!role.getEngine())
      return role.emitOpError() << "stands in a kernel of the copy engine, expected a role of the engine";
  WalkResult accesses = walk([](AccessOpInterface access) {
    access->emitOpError() << "stands in a kernel of the copy engine, expected 'tile.move' there, which 'partition' "
                             "makes of the roles of the engine in other kernels";
    return WalkResult::interrupt();
  });
  if (accesses.wasInterrupted())
    return failure();
  auto behind = dyn_cast_or_null<KernelOp>((*this)->getNextNode());
  if (!behind || behind.getEngine())
    return emitOpError() << "is the copy engine's, expected the kernel that it copies beside behind it";
  return success();
}

ParseResult RoleOp::parse(OpAsmParser &parser, OperationState &result) {
  MLIRContext *context = parser.getContext();
  StringAttr name;
  Turn turn = Turn::Each;
  if (parser.parseSymbolName(name, getSymNameAttrName(result.name), result.attributes))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("first"))) {
    turn = Turn::First;
  } else if (succeeded(parser.parseOptionalKeyword("last"))) {
    turn = Turn::Last;
  } else if (parseOwnWorkgroups(parser, result, getWorkgroupsAttrName(result.name))) {
    return failure();
  }
  result.addAttribute(getTurnAttrName(result.name), TurnAttr::get(context, turn));
  Region *body = result.addRegion();
  if (tilec::parseKnownAttributes(
          parser, result,
          {getSymNameAttrName(result.name), getTurnAttrName(result.name), getWorkgroupsAttrName(result.name)}) ||
      parser.parseRegion(*body))
    return failure();
  if (body->empty())
    body->emplaceBlock();
  return success();
}

void RoleOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printer.printSymbolName(getSymName());
  if (getTurn() != Turn::Each)
    printer << ' ' << stringifyTurn(getTurn());
  if (getWorkgroups())
    printer << " on " << *getWorkgroups() << " workgroups";
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(),
                                           {getSymNameAttrName(), getTurnAttrName(), getWorkgroupsAttrName()});
  printer << ' ';
  printer.printRegion(getBody());
}

LogicalResult RoleOp::verify() {
  if (failed(verifyIdentifier(*this, getSymName())))
    return failure();
  if (failed(verifyOwnWorkgroups(*this, getWorkgroups())) || failed(verifyOwnSchedule(*this)))
    return failure();
  if (getWorkgroups() && getTurn() != Turn::Each)
    return emitOpError() << "runs once and cannot have workgroups of its own";
  if (getBeside() &&
      (getWorkgroups() || getTurn() != Turn::Each || !(*this)->getParentOfType<KernelOp>().getProducer()))
    return emitOpError() << "stands beside the others of its workgroup, expected a kernel with a producer and no "
                            "workgroups or turn of its own";
  if (getEngine() && getWorkgroups() != 1)
    return emitOpError() << "is the copy engine's, which counts as one workgroup: expected 'on 1 workgroups'";
  WalkResult waits = getBody().walk([](Operation *op) { return WalkResult(failure(isa<WaitOp, ArriveOp>(op))); });
  if (getEngine() && waits.wasInterrupted())
    return emitOpError()
           << "is the copy engine's, which waits for no signal of other ranks: expected its waits in a kernel before";
  if (getTurn() != Turn::Each && !getBody().front().getOps<ForallOp>().empty())
    return emitOpError() << "runs once and cannot have tasks";
  return success();
}

LogicalResult SignalsOp::verify() {
  if (getSizes().getNumResults() != getType().getRank())
    return emitOpError() << "has " << getSizes().getNumResults() << " sizes, expected " << getType().getRank()
                         << " as in " << getType();
  for (AffineExpr size : getSizes().getResults())
    if (auto constant = dyn_cast<AffineConstantExpr>(size); constant && constant.getValue() < 0)
      return emitOpError() << "grid size " << constant.getValue() << ", expected 0 or more";
  if (getCounted() && getHandshake())
    return emitOpError() << "is 'counted' and a 'handshake', expected one of these: peers tell, and tasks of this rank "
                            "count";
  if (getByChiplet() && (getCounted() || getHandshake()))
    return emitOpError() << "is 'by_chiplet' and " << (getCounted() ? "'counted'" : "a 'handshake'")
                         << ", expected one of these: all tasks of a statement of this rank are waited for";
  return verifyExtents(*this, getExtents().size(), getSizes(), getParams());
}

/// An index that is a constant must lie in the grid, where the grid's size is a constant too. A dimension of size 0,
/// which an extent of 0 makes, has no index: what names one stands in a loop without passes, or `verify` reports it.
static LogicalResult verifyIndices(Operation *op, TypedValue<SignalsType> signals, OperandRange indices) {
  if (indices.size() != signals.getType().getRank())
    return op->emitOpError() << "has " << indices.size() << " indices, expected " << signals.getType().getRank()
                             << " as in " << signals.getType();
  auto grid = signals.getDefiningOp<SignalsOp>();
  if (!grid)
    return success();
  for (auto [i, index] : llvm::enumerate(indices)) {
    std::optional<int64_t> value = getConstantIntValue(index);
    auto size = dyn_cast<AffineConstantExpr>(grid.getSizes().getResult(i));
    if (!value || (*value >= 0 && (!size || size.getValue() == 0 || *value < size.getValue())))
      continue;
    InFlightDiagnostic diagnostic = op->emitOpError()
                                    << "signal index " << *value << " in dimension " << i << " is out of range";
    diagnostic.attachNote(grid.getLoc()) << "the grid is declared here";
    return diagnostic;
  }
  return success();
}

/// Who waits for words of a grid, or counts in them, and what the grid says of that.
static LogicalResult verifyCounted(Operation *op, TypedValue<SignalsType> signals, bool counts, StringRef expected) {
  auto grid = signals.getDefiningOp<SignalsOp>();
  if (!grid || grid.getCounted() == counts)
    return success();
  InFlightDiagnostic diagnostic = op->emitOpError()
                                  << "names a grid that is " << (counts ? "not " : "") << "'counted', " << expected;
  diagnostic.attachNote(grid.getLoc()) << "the grid is declared here";
  return diagnostic;
}

/// What a task has waited for is nothing that it has done.
static LogicalResult verifyPublishes(Operation *op, ValueRange tokens) {
  for (Value token : tokens)
    if (auto wait = token.getDefiningOp<WaitOp>()) {
      InFlightDiagnostic diagnostic = op->emitOpError() << "publishes a wait, expected the tokens of stores";
      diagnostic.attachNote(wait.getLoc()) << "the wait is here";
      return diagnostic;
    }
  return success();
}

LogicalResult SignalOp::verify() {
  if (failed(verifyPublishes(*this, getPublishes())))
    return failure();
  auto kernel = (*this)->getParentOfType<KernelOp>();
  // What one wave of a producer has moved it tells by itself, and what others handed on to it.
  auto role = (*this)->getParentOfType<RoleOp>();
  bool isOfRelay = (getOperation()->getParentOfType<ByProducerOp>() || (role && role.getBeside())) &&
                   llvm::all_of(getPublishes(), [](Value token) { return token.getDefiningOp<RelayOp>() != nullptr; });
  bool isTold = getOperation()->getParentOfType<TellOp>() != nullptr;
  if (getParticipants() == Participants::Wave && kernel && kernel.getWaves() != 1 && !isOfRelay && !isTold) {
    InFlightDiagnostic diagnostic = emitOpError()
                                    << "by wave would be raised before the other waves have stored, expected a kernel "
                                       "with 'waves = 1'";
    diagnostic.attachNote(kernel.getLoc())
        << "the kernel has "
        << (kernel.getWaves() ? std::to_string(*kernel.getWaves()) + " waves" : "any number of waves");
    return diagnostic;
  }
  auto grid = getSignals().getDefiningOp<SignalsOp>();
  if (grid && grid.getCounted() && (!getTo().getDefiningOp<RankOp>() || (role && role.getEngine())))
    return emitOpError()
           << "counts in a word that another rank or the copy engine itself would take, expected a signal "
              "of a task to its own rank, 'tile.rank'";
  if (grid && grid.getByChiplet() &&
      (!getTo().getDefiningOp<RankOp>() || getScope() != Scope::Agent || (role && role.getEngine()) ||
       !isa<ForallOp>((*this)->getParentOp())))
    return emitOpError() << "counts by chiplet, expected a signal at scope 'agent' of each task to its own rank, "
                            "'tile.rank', in no loop or branch";
  return failure(failed(verifyIndices(*this, getSignals(), getIndices())) || failed(verifyRank(*this, getTo())));
}

LogicalResult WaitOp::verify() {
  if (failed(verifyCounted(*this, getSignals(), false, "expected 'tile.take_counted' by the copy engine")))
    return failure();
  if (auto grid = getSignals().getDefiningOp<SignalsOp>();
      grid && grid.getByChiplet() && (getScope() != Scope::Agent || getLag() > 0))
    return emitOpError() << "is for tasks that count by chiplet, expected scope 'agent' and no 'lag'";
  if (!getCounts().empty() && getCounts().size() != getIndices().size())
    return emitOpError() << "has " << getCounts().size() << " counts, expected " << getIndices().size();
  if (getLag() > kMostLaunches)
    return emitOpError() << "lag " << static_cast<int64_t>(getLag()) << ", expected 0 to " << kMostLaunches;
  for (Value count : getCounts())
    if (std::optional<int64_t> value = getConstantIntValue(count); value && *value < 0)
      return emitOpError() << "waits for " << *value << " signals, expected 0 or more";
  return verifyIndices(*this, getSignals(), getIndices());
}

/// What a task does behind an operation, but for a branch; null where that is nothing, as the operation stands at the
/// end of the task, or of a branch that does.
static Operation *behindInTask(Operation *op, Operation *branch) {
  for (Operation *next = op->getNextNode(); next; next = next->getNextNode())
    if (next != branch && !isMemoryEffectFree(next) && !next->hasTrait<OpTrait::IsTerminator>())
      return next;
  return isa<scf::IfOp>(op->getParentOp()) ? behindInTask(op->getParentOp(), nullptr) : nullptr;
}

/// Whether an operation stands in a task, or in branches of it.
static bool isOnceInTask(Operation *op) {
  Operation *around = op->getParentOp();
  while (isa<scf::IfOp>(around))
    around = around->getParentOp();
  return isa<ForallOp>(around);
}

/// The branch that asks who is last: the only use, behind which the task does nothing.
static LogicalResult verifyLast(ArriveOp op) {
  auto fail = [&](Operation *at, StringRef expected) {
    InFlightDiagnostic diagnostic = op.emitOpError() << expected;
    if (at)
      diagnostic.attachNote(at->getLoc()) << "because of this";
    return diagnostic;
  };
  if (!isOnceInTask(op))
    return fail(nullptr, "stands in a loop, or outside of tasks, expected it in the body of a 'tile.forall'");
  auto branch = op.getLast().hasOneUse() ? dyn_cast<scf::IfOp>(*op.getLast().user_begin()) : scf::IfOp();
  if (!branch || branch->getBlock() != op->getBlock() || branch.getNumResults() || branch.elseBlock())
    return fail(branch, "expected one 'scf.if' without results and 'else', and with "
                        "something in it, that asks who is last");
  if (Operation *next = behindInTask(op, branch))
    return fail(next, "expected nothing but the branch for the last at the end of the task");
  for (Operation *user : op.getToken().getUsers())
    if (!branch->isProperAncestor(user))
      return fail(user, "makes a token for its branch alone");
  return success();
}

LogicalResult TakeCountedOp::verify() {
  if (std::optional<int64_t> count = getConstantIntValue(getCount()); count && *count < 1)
    return emitOpError() << "takes " << *count << " signals, expected at least 1";
  auto role = (*this)->getParentOfType<RoleOp>();
  if (!role || !role.getEngine())
    return emitOpError() << "stands in a role of workgroups, expected one of the copy engine";
  return failure(failed(verifyCounted(*this, getSignals(), true, "expected 'counted' where it is declared")) ||
                 failed(verifyIndices(*this, getSignals(), getIndices())));
}

LogicalResult ArriveOp::verify() {
  if (failed(verifyPublishes(*this, getPublishes())))
    return failure();
  auto kernel = (*this)->getParentOfType<KernelOp>();
  if (getParticipants() == Participants::Wave && kernel && kernel.getWaves() != 1) {
    InFlightDiagnostic diagnostic = emitOpError() << "by wave would be counted before the other waves have stored, "
                                                     "expected a kernel with 'waves = 1'";
    diagnostic.attachNote(kernel.getLoc()) << "the kernel is here";
    return diagnostic;
  }
  if (std::optional<int64_t> count = getConstantIntValue(getCount()); count && *count < 1)
    return emitOpError() << "is one of " << *count << " tasks, expected at least 1";
  if (failed(verifyCounted(*this, getSignals(), false, "expected 'tile.signal': nobody asks which task is the last")))
    return failure();
  for (Operation *user : getSignals().getUsers())
    if (!isa<ArriveOp>(user)) {
      InFlightDiagnostic diagnostic = emitOpError() << "counts in words that something else uses, expected a grid of "
                                                       "signals for arrivals alone";
      diagnostic.attachNote(user->getLoc()) << "the other use is here";
      return diagnostic;
    }
  return failure(failed(verifyIndices(*this, getSignals(), getIndices())) || failed(verifyLast(*this)));
}

//===-- LDS
//---------------------------------------------------------------------------------------------------------===//

/// As many slots as the buffer below, of as many bytes.
static LogicalResult verifyOver(SharedBufferOp op) {
  auto mine = cast<MemRefType>(op.getType()), below = cast<MemRefType>(op.getOver().getType());
  auto bytes = [](MemRefType type) { return type.getNumElements() * type.getElementTypeBitWidth() / 8; };
  auto declaration = op.getOver().getDefiningOp<SharedBufferOp>();
  bool isKept = declaration && declaration.getKept() && !declaration.getOver();
  if (isKept && op.getOffset() != declaration.getOffset())
    return op.emitOpError() << "lies at another place than the buffer that it lies over";
  if (isKept && below.getRank() && mine.getRank() && mine.getDimSize(0) == below.getDimSize(0) &&
      bytes(mine) == bytes(below))
    return success();
  return op.emitOpError() << "lies over " << below
                          << ", expected a 'tile.shared_buffer' that is kept, with as many "
                             "slots of as many bytes as "
                          << mine << " has";
}

LogicalResult SharedBufferOp::verify() {
  auto type = cast<MemRefType>(getType());
  if (!isa_and_nonnull<SharedAttr>(type.getMemorySpace()))
    return emitOpError() << "has type " << type << ", expected memory space #tile.shared";
  if (!type.hasStaticShape() || !type.getLayout().isIdentity())
    return emitOpError() << "has type " << type << ", expected a static, contiguous shape";
  if (getOffset() && static_cast<int64_t>(*getOffset()) < 0)
    return emitOpError() << "lies at offset " << static_cast<int64_t>(*getOffset()) << ", expected 0 or more";
  return getOver() ? verifyOver(*this) : success();
}

LogicalResult ConvertOp::verify() {
  auto operand = getOperand().getType(), result = getType();
  if (operand.getShape() != result.getShape() || operand.getElementType() != result.getElementType())
    return emitOpError() << "turns " << operand << " into " << result << ", expected a change of layout alone";
  return success();
}

LogicalResult RelabelOp::verify() {
  auto operand = getOperand().getType(), result = getType();
  auto from = dyn_cast_or_null<LayoutAttr>(operand.getEncoding()),
       to = dyn_cast_or_null<LayoutAttr>(result.getEncoding());
  auto bits = [](RankedTensorType tile, ArrayRef<int32_t> bases) { return bases.size() / tile.getRank(); };
  bool isAlike = from && to && operand.getElementType() == result.getElementType() && operand.getRank() &&
                 result.getRank() && bits(operand, from.getRegisters()) == bits(result, to.getRegisters()) &&
                 bits(operand, from.getLanes()) == bits(result, to.getLanes()) &&
                 bits(operand, from.getWaves()) == bits(result, to.getWaves());
  if (!isAlike)
    return emitOpError() << "relabels " << operand << " as " << result
                         << ", expected layouts of as many registers, lanes and waves, and one element type";
  return success();
}

LogicalResult RearrangeOp::verify() {
  auto operand = getOperand().getType(), result = getType();
  auto scratch = cast<MemRefType>(getScratch().getType());
  if (operand.getShape() != result.getShape() || operand.getElementType() != result.getElementType())
    return emitOpError() << "turns " << operand << " into " << result << ", expected a change of layout alone";
  if (failed(hip::verifyHeld(*this, operand)) || failed(hip::verifyHeld(*this, result)))
    return failure();
  if (!isa_and_nonnull<SharedAttr>(scratch.getMemorySpace()) || scratch.getElementType() != operand.getElementType() ||
      !hip::dimOfParts(operand.getShape(), scratch.getShape()))
    return emitOpError() << "sends " << operand << " through " << scratch
                         << ", expected a buffer in LDS of a part of its columns, or of its rows";
  if (StringRef why = hip::whyNotRearranged(operand, result, scratch.getShape()); !why.empty())
    return emitOpError() << "cannot turn " << operand << " into " << result << " by way of " << scratch << ": " << why;
  return success();
}

/// A buffer in LDS holds a tile of this type, or several copies of it of which one is named.
static LogicalResult verifyShared(Operation *op, RankedTensorType tile, MemRefType buffer, bool namesCopy,
                                  bool transposed) {
  if (!isa_and_nonnull<SharedAttr>(buffer.getMemorySpace()))
    return op->emitOpError() << "addresses " << buffer << ", expected a buffer in LDS";
  ArrayRef<int64_t> shape = namesCopy && buffer.getRank() ? buffer.getShape().drop_front() : buffer.getShape();
  if (transposed && tile.getRank() != 2)
    return op->emitOpError() << "transposes " << tile << ", expected two dimensions";
  SmallVector<int64_t> wanted(tile.getShape());
  if (transposed)
    std::swap(wanted[0], wanted[1]);
  if (shape != ArrayRef(wanted) || buffer.getElementType() != tile.getElementType())
    return op->emitOpError() << "moves " << tile << (namesCopy ? " and a copy of " : " and ") << buffer
                             << ", expected one shape and element type";
  return success();
}

LogicalResult SharedStoreOp::verify() {
  return verifyShared(*this, getValue().getType(), cast<MemRefType>(getBuffer().getType()),
                      static_cast<bool>(getCopy()), getTransposed());
}

LogicalResult SharedLoadOp::verify() {
  return verifyShared(*this, getType(), cast<MemRefType>(getBuffer().getType()), static_cast<bool>(getCopy()),
                      getTransposed());
}
