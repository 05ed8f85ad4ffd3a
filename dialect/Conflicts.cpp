// What the place of an access depends on, and the conflicts that follow from it.
#include "dialect/Conflicts.h"
#include "dialect/Tile.h"

#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace tilec::tile;

namespace {

/// Where values come from: which indices of the statement, this rank, or something this file does not follow.
class Sources {
public:
  explicit Sources(ForallOp statement) : statement(statement), indices(statement.getGridRank()) {}

  void add(Value value) {
    SmallVector<Value> worklist{value};
    while (!worklist.empty()) {
      Value next = worklist.pop_back_val();
      if (!seen.insert(next).second)
        continue;
      if (auto argument = dyn_cast<BlockArgument>(next))
        addArgument(argument, worklist);
      else
        addOp(next.getDefiningOp(), worklist);
    }
  }

  /// The place of an access: indices, rank, view, and the conditions and loops around it.
  void addPlace(AccessOpInterface access) {
    add(access.getAccessedBuffer());
    for (Value index : access.getAccessIndices())
      add(index);
    if (Value rank = access.getAccessRank())
      add(rank);
    for (Operation *parent = access->getParentOp(); parent && parent != statement; parent = parent->getParentOp())
      for (Value operand : parent->getOperands())
        add(operand);
  }

  bool hasIndex(unsigned index) const { return indices[index] || open; }
  bool hasRank() const { return rank || open; }

private:
  void addArgument(BlockArgument argument, SmallVectorImpl<Value> &worklist) {
    Operation *owner = argument.getOwner()->getParentOp();
    if (owner == statement)
      indices.set(argument.getArgNumber());
    else if (isa<scf::ForOp>(owner))
      addNested(owner, worklist);
    else if (!isa<ProgramOp>(owner))
      open = true;
  }

  void addOp(Operation *op, SmallVectorImpl<Value> &worklist) {
    if (isa<RankOp>(op))
      rank = true;
    else if (isa<AccessOpInterface>(op))
      open = true;
    else
      addNested(op, worklist);
  }

  static void addNested(Operation *op, SmallVectorImpl<Value> &worklist) {
    op->walk([&](Operation *nested) { llvm::append_range(worklist, nested->getOperands()); });
  }

  ForallOp statement;
  DenseSet<Value> seen;
  llvm::SmallBitVector indices;
  bool rank = false, open = false;
};

} // namespace

/// Number of tasks along one index where the text says it.
static std::optional<int64_t> taskCount(ForallOp statement, unsigned index) {
  if (statement.getBounds()) {
    auto bound = dyn_cast<AffineConstantExpr>(statement.getBounds()->getResult(index));
    return bound ? std::optional(bound.getValue()) : std::nullopt;
  }
  int64_t size = cast<MemRefType>(statement.getBuffer().getType()).getDimSize(index);
  auto tile = dyn_cast<IntegerAttr>((*statement.getTiles())[index]);
  if (!tile || ShapedType::isDynamic(size))
    return std::nullopt;
  return size / tile.getInt() + (size % tile.getInt() != 0);
}

static LogicalResult verifyStore(ForallOp statement, StoreOp store, bool manyRanks) {
  Sources sources(statement);
  sources.addPlace(store);
  for (BlockArgument index : statement.getIndices()) {
    std::optional<int64_t> count = taskCount(statement, index.getArgNumber());
    if (sources.hasIndex(index.getArgNumber()) || (count && *count <= 1))
      continue;
    InFlightDiagnostic diagnostic = store.emitOpError()
                                    << "writes one tile in several tasks: its place does not depend on index "
                                    << index.getArgNumber() << " of the statement";
    diagnostic.attachNote(index.getLoc()) << "the index is declared here; use 'tile.atomic' to combine tiles";
    return diagnostic;
  }
  if (!store.getTo() || !manyRanks || sources.hasRank())
    return success();
  InFlightDiagnostic diagnostic = store.emitOpError()
                                  << "writes one tile from several ranks: its place does not depend on this rank";
  diagnostic.attachNote(statement.getLoc()) << "every rank runs the tasks of this statement";
  return diagnostic;
}

/// `index + 3` as (index, 3); anything that is no sum with a constant has offset 0.
static std::pair<Value, int64_t> splitOffset(Value value) {
  auto sum = value.getDefiningOp<arith::AddIOp>();
  auto difference = value.getDefiningOp<arith::SubIOp>();
  if (!sum && !difference)
    return {value, 0};
  Operation *op = value.getDefiningOp();
  for (unsigned i = 0; i < (sum ? 2u : 1u); ++i)
    if (std::optional<int64_t> offset = getConstantIntValue(op->getOperand(1 - i));
        offset && *offset != ShapedType::kDynamic)
      return {op->getOperand(i), sum ? *offset : -*offset};
  return {value, 0};
}

/// True when, for some task, `load` reads the tile that a different task stores: their coordinates are the same indices
/// up to constants, and the constants differ.
static bool readsNeighbour(ForallOp statement, LoadOp load, StoreOp store) {
  bool differs = false;
  DenseMap<Value, int64_t> shifts;
  for (auto [from, into] : llvm::zip(load.getIndices(), store.getIndices())) {
    auto [readIndex, readOffset] = splitOffset(from);
    auto [writtenIndex, writtenOffset] = splitOffset(into);
    auto argument = dyn_cast<BlockArgument>(readIndex);
    if (readIndex != writtenIndex)
      return false;
    bool isIndex = argument && argument.getOwner() == &statement.getBody().front();
    int64_t shift = readOffset - writtenOffset;
    if (!isIndex && shift != 0)
      return false;
    if (!isIndex)
      continue;
    auto [it, isNew] = shifts.try_emplace(readIndex, shift);
    std::optional<int64_t> count = taskCount(statement, argument.getArgNumber());
    if (it->second != shift || (count && *count <= std::abs(shift)))
      return false;
    differs |= shift != 0;
  }
  return differs;
}

static LogicalResult verifyLoad(ForallOp statement, LoadOp load, StoreOp store, bool manyRanks) {
  bool unconditional = load->getParentOp() == statement && store->getParentOp() == statement;
  if (load.getBuffer() != store.getBuffer() || load.getAt() || store.getAt() || store.getTo() || !unconditional ||
      load.getType().getShape() != store.getValue().getType().getShape())
    return success();
  bool sameTile = llvm::equal(load.getIndices(), store.getIndices());
  bool otherRank = load.getFrom() && !load.getFrom().getDefiningOp<RankOp>();
  bool neighbour = !load.getFrom() && readsNeighbour(statement, load, store);
  if (!neighbour && !(otherRank && sameTile && manyRanks))
    return success();
  InFlightDiagnostic diagnostic =
      load.emitOpError() << "reads a tile that "
                         << (neighbour ? "another task of the statement writes" : "the statement writes on that rank");
  diagnostic.attachNote(store.getLoc()) << "it is written here; tasks of one statement run in no order";
  return diagnostic;
}

LogicalResult tilec::tile::verifyConflicts(ForallOp statement) {
  auto program = statement->getParentOfType<ProgramOp>();
  bool manyRanks = !program.getWorld() || *program.getWorld() > 1;
  SmallVector<StoreOp> stores;
  SmallVector<LoadOp> loads;
  statement.walk([&](Operation *op) {
    if (auto store = dyn_cast<StoreOp>(op))
      stores.push_back(store);
    else if (auto load = dyn_cast<LoadOp>(op))
      loads.push_back(load);
  });
  for (StoreOp store : stores) {
    if (failed(verifyStore(statement, store, manyRanks)))
      return failure();
    for (LoadOp load : loads)
      if (failed(verifyLoad(statement, load, store, manyRanks)))
        return failure();
  }
  return success();
}
