// Copies whose readers wait for several tiles at a time move as many in one task, and so signal once; of few rows where
// all workgroups send. Inserts no synchronisation.
#include "passes/analysis/SenderRole.h"
#include "passes/fuse/CopyFusion.h"
#include "passes/waits/Synchronization.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

/// The index of a copy that moves its destination along the dimension in which a reader's loop moves.
static std::optional<unsigned> sharedIndex(const Statement &writer, const Footprint &written, const PassGroup &group,
                                           const Footprint &read) {
  Value variable = scf::ForOp(group.loop).getInductionVar();
  for (auto [reads, writes] : llvm::zip(read.first, written.first)) {
    if (!reads.coefficient(variable))
      continue;
    // Steps stay one by one.
    for (BlockArgument index : ForallOp(writer.forall).getIndices().drop_front(writer.steps ? 1 : 0))
      if (isa_and_nonnull<AffineConstantExpr>(writes.coefficient(index)))
        return index.getArgNumber();
  }
  return std::nullopt;
}

/// One task does what `tiles` tasks next to each other along an index did, the last one what is left.
static void coarsen(ForallOp forall, unsigned position, int64_t tiles) {
  Block &task = forall.getBody().front();
  Location loc = forall.getLoc();
  BlockArgument index = forall.getIndices()[position];
  Location tileLoc = index.getLoc();
  OpBuilder builder = OpBuilder::atBlockBegin(&task);
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0), one = arith::ConstantIndexOp::create(builder, loc, 1),
        count = arith::ConstantIndexOp::create(builder, loc, tiles);
  Value first = arith::MulIOp::create(builder, loc, index, count);
  AffineMap map = *forall.getBounds();
  int64_t world = forall->getParentOfType<ProgramOp>().getWorld().value_or(1);
  if (auto exprs = overExtents(map, forall.getExtents(), world)) {
    Value rest = arith::SubIOp::create(builder, loc, materializeExtent(builder, loc, (*exprs)[position]), first);
    count = arith::MinSIOp::create(builder, NameLoc::get(builder.getStringAttr("parts"), loc), rest, count);
  }
  auto loop = scf::ForOp::create(builder, loc, zero, count, one);
  loop.getInductionVar().setLoc(NameLoc::get(builder.getStringAttr("part"), loc));
  Block *body = loop.getBody();
  OpBuilder inner = OpBuilder::atBlockBegin(body);
  Value tile = arith::AddIOp::create(inner, tileLoc, first, loop.getInductionVar());
  index.replaceAllUsesExcept(tile, first.getDefiningOp());
  while (Operation *op = loop->getNextNode())
    op->moveBefore(body->getTerminator());
  if (auto name = dyn_cast<NameLoc>(tileLoc))
    index.setLoc(NameLoc::get(builder.getStringAttr(name.getName().str() + "_group"), name.getChildLoc()));
  SmallVector<AffineExpr> bounds(forall.getBounds()->getResults());
  bounds[position] = bounds[position].ceilDiv(tiles);
  forall.setBounds(AffineMap::get(map.getNumDims(), map.getNumSymbols(), bounds, map.getContext()));
}

/// A task of the copy engine moves all tiles along the last index, which is 0 then.
static void coarsenWhole(ForallOp forall) {
  unsigned last = forall.getGridRank() - 1;
  Block &task = forall.getBody().front();
  Location loc = forall.getLoc();
  BlockArgument index = forall.getIndices()[last];
  OpBuilder builder = OpBuilder::atBlockBegin(&task);
  AffineMap map = *forall.getBounds();
  int64_t world = forall->getParentOfType<ProgramOp>().getWorld().value_or(1);
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0), one = arith::ConstantIndexOp::create(builder, loc, 1);
  Value count = materializeExtent(builder, loc, (*overExtents(map, forall.getExtents(), world))[last]);
  auto loop = scf::ForOp::create(builder, loc, zero, count, one);
  loop.getInductionVar().setLoc(index.getLoc());
  index.replaceAllUsesWith(loop.getInductionVar());
  while (Operation *op = loop->getNextNode())
    op->moveBefore(loop.getBody()->getTerminator());
  SmallVector<AffineExpr> bounds(map.getResults());
  bounds[last] = getAffineConstantExpr(1, map.getContext());
  forall.setBounds(AffineMap::get(map.getNumDims(), map.getNumSymbols(), bounds, map.getContext()));
}

unsigned tilec::coarsenEngineCopies(ProgramOp program) {
  unsigned changed = 0;
  for (KernelOp kernel : program.getBody().getOps<KernelOp>())
    for (RoleOp role : kernel.getBody().getOps<RoleOp>())
      for (ForallOp forall : role.getBody().getOps<ForallOp>()) {
        // A task for each peer at least: who is waited for by one may not wait for all.
        std::optional<Copy> copy = role.getEngine() ? Copy::match(forall) : std::nullopt;
        bool isLast = copy && copy->load.getIndices().back() == forall.getIndices().back();
        if (!isLast || !overExtents(*forall.getBounds(), forall.getExtents(), program.getWorld().value_or(1)))
          continue;
        coarsenWhole(forall);
        ++changed;
      }
  return changed;
}

/// A task moves fewer rows of its tile where a wave of each workgroup is to send them: `rowsSentBeside`. `columns`
/// index the tiles that become one task.
static void thin(const Copy &copy, unsigned columns, int64_t tiles, const Target &target) {
  ForallOp forall = copy.forall;
  LoadOp load = copy.load;
  StoreOp store = copy.store;
  auto type = cast<RankedTensorType>(load.getType());
  bool isInRows = type.getRank() == 2 && load.getIndices() == store.getIndices() &&
                  load.getIndices()[1] == forall.getIndices()[columns];
  auto row = isInRows ? dyn_cast<BlockArgument>(load.getIndices()[0]) : BlockArgument();
  auto role = forall->getParentOfType<RoleOp>();
  if (!row || row.getOwner()->getParentOp() != forall || !role.getWorkgroups() || role.getEngine())
    return;
  SmallVector<AffineExpr> region = shapeOf(load.getBuffer());
  int64_t all = type.getDimSize(0),
          rows = rowsSentBeside(region, type.getElementType(), all, tiles * type.getDimSize(1), target);
  SmallVector<AffineExpr> bounds(forall.getBounds()->getResults());
  AffineMap map = *forall.getBounds();
  AffineExpr &tasks = bounds[row.getArgNumber()];
  if (rows == all || tasks != simplifyAffineExpr(region[0].ceilDiv(all), 0, map.getNumSymbols()))
    return;
  tasks = region[0].ceilDiv(rows);
  forall.setBounds(AffineMap::get(map.getNumDims(), map.getNumSymbols(), bounds, map.getContext()));
  load.setTileAttr(Builder(forall).getI64ArrayAttr({rows, type.getDimSize(1)}));
  load.getResult().setType(RankedTensorType::get({rows, type.getDimSize(1)}, type.getElementType()));
}

unsigned tilec::coarsenCopies(Synchronizer &sync, GranularityAttr granularity, const Target &target) {
  if (granularity.getCoverage() != Coverage::Group || granularity.getTiles() < 2)
    return 0;
  auto oneTile = GranularityAttr::get(granularity.getContext(), Coverage::Group, 1);
  llvm::MapVector<Operation *, std::pair<Copy, unsigned>> found;
  std::vector<Statement> &statements = sync.statements();
  std::vector<std::pair<Statement *, Copy>> copies;
  for (Statement &reader : statements) {
    for (auto &[from, copy] : copies) {
      Statement &writer = *from;
      for (Footprint &read : reader.accesses) {
        if (!read.reads || read.root != copy.into.root)
          continue;
        auto group = groupPasses(oneTile, reader, read, writer, copy.into, sync);
        if (std::optional<unsigned> index = group ? sharedIndex(writer, copy.into, *group, read) : std::nullopt)
          found.insert({writer.forall, {copy, *index}});
      }
    }
    if (std::optional<Copy> copy = Copy::match(reader.forall); copy && reader.forall.getBounds())
      copies.push_back({&reader, *copy});
  }
  for (auto &[forall, tasks] : found) {
    thin(tasks.first, tasks.second, granularity.getTiles(), target);
    coarsen(cast<ForallOp>(forall), tasks.second, granularity.getTiles());
  }
  return found.size();
}
