// Pieces are blocks of tiles; those at the end of a dimension are smaller.
#include "passes/send/SentTiles.h"
#include "passes/analysis/LayoutConversion.h"
#include "passes/waits/Synchronization.h"

#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/CSE.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

/// Tiles of a piece in a dimension of which nobody knows how many there are.
constexpr int64_t kUsualTiles = 64;

Location SentTiles::named(StringRef name) const {
  return NameLoc::get(StringAttr::get(store->getContext(), name), StoreOp(store).getLoc());
}

bool SentTiles::matchEngine() {
  auto kernel = tasks->getParentOfType<KernelOp>();
  auto before = dyn_cast_or_null<KernelOp>(kernel->getPrevNode());
  if (!before || !before.getEngine())
    return !SymbolTable::lookupSymbolIn(tasks->getParentOfType<ProgramOp>(), nameOfEngine());
  engine = before;
  return llvm::all_of(before.getBody().getOps<RoleOp>(), [](RoleOp role) {
    return role.walk([](TakeCountedOp) { return WalkResult::interrupt(); }).wasInterrupted();
  });
}

std::string SentTiles::nameOfEngine() { return (tasks->getParentOfType<KernelOp>().getSymName() + "_copies").str(); }

/// How many there are, or are taken to be.
static int64_t countOf(AffineExpr size) {
  auto constant = dyn_cast<AffineConstantExpr>(size);
  return std::max<int64_t>(constant ? constant.getValue() : kUsualTiles, 1);
}

/// As many in each piece, of at most so many.
static int64_t evenly(int64_t count, int64_t most) {
  return llvm::divideCeil(count, llvm::divideCeil(count, std::max<int64_t>(most, 1)));
}

void SentTiles::choosePiece(int64_t most) {
  auto type = cast<RankedTensorType>(store.getValue().getType());
  int64_t bytes = type.getNumElements() * bytesOf(type.getElementType());
  int64_t window = 1;
  for (Attribute step : tasks.getOrderAttr() ? tasks.getOrderAttr().getValue() : ArrayRef<Attribute>())
    if (auto grouped = dyn_cast<GroupedAttr>(step))
      window = grouped.getHeight();
  GranularityAttr granularity = tasks->getParentOfType<ProgramOp>().getGranularityAttr();
  const bool isGiven = granularity && granularity.getCoverage() == Coverage::Group;
  int64_t left = std::max<int64_t>(most / std::max<int64_t>(bytes, 1), 1);
  piece.assign(tiles.size(), 1);
  if (tiles.size() == 1) {
    piece[0] = isGiven ? granularity.getTiles() : evenly(countOf(tiles[0]), left);
    return;
  }
  piece[0] = std::min(window, countOf(tiles[0]));
  piece[1] = isGiven ? granularity.getTiles() : evenly(countOf(tiles[1]), left / piece[0]);
  if (!isGiven && piece[1] == countOf(tiles[1]))
    piece[0] = std::min(countOf(tiles[0]),
                        window * evenly(llvm::divideCeil(countOf(tiles[0]), window), left / piece[1] / window));
}

/// Two such buffers, and what else the launch asks for, fit.
bool SentTiles::isTakenByEngine(int64_t requests) const {
  constexpr int64_t mostRequests = 450; // two such buffers and more stay below `most_engine_copies` of abi.h
  int64_t count = 1;
  for (auto [size, tilesOfOne] : llvm::zip(tiles, piece))
    count *= isa<AffineConstantExpr>(size) ? llvm::divideCeil(countOf(size), tilesOfOne) : 1;
  return count * requests <= mostRequests;
}

void SentTiles::choosePieces(int64_t bytes, int64_t requests) {
  GranularityAttr granularity = tasks->getParentOfType<ProgramOp>().getGranularityAttr();
  constexpr int64_t mostBytes = int64_t(1) << 40;
  choosePiece(bytes);
  while (!(granularity && granularity.getCoverage() == Coverage::Group) && !isTakenByEngine(requests) &&
         bytes < mostBytes)
    choosePiece(bytes *= 2);
}

StringRef SentTiles::nameOf(unsigned dim) {
  auto name = dyn_cast<NameLoc>(tasks.getIndices()[tasks.getIndices().size() - tiles.size() + dim].getLoc());
  return name ? name.getName().getValue() : "part";
}

Value SentTiles::tilesIn(OpBuilder &builder, unsigned dim) {
  return materializeExtent(builder, named((nameOf(dim) + "_tiles").str()), tiles[dim]);
}

SmallVector<AffineExpr> SentTiles::pieces() const {
  SmallVector<AffineExpr> all;
  for (auto [size, count] : llvm::zip(tiles, piece))
    all.push_back(simplifyAffineExpr(size.ceilDiv(count), 0, 64));
  return all;
}

SmallVector<Value> SentTiles::piecesOf(OpBuilder &builder, ValueRange coordinates) {
  Location loc = store.getLoc();
  SmallVector<Value> all;
  for (auto [tile, count] : llvm::zip_equal(coordinates, piece)) {
    if (count == 1) {
      all.push_back(tile);
      continue;
    }
    Value size = arith::ConstantIndexOp::create(builder, loc, count);
    all.push_back(arith::DivSIOp::create(builder, named("piece"), tile, size));
  }
  return all;
}

Value SentTiles::tasksOf(OpBuilder &builder, ValueRange index) {
  Location loc = store.getLoc();
  Value all;
  for (auto [dim, size] : llvm::enumerate(tiles)) {
    Value most = arith::ConstantIndexOp::create(builder, loc, piece[dim]), count = most;
    if (size.getLargestKnownDivisor() % piece[dim] != 0) {
      Value before = arith::MulIOp::create(builder, loc, index[dim], most);
      Value rest = arith::SubIOp::create(builder, loc, tilesIn(builder, dim), before);
      count = arith::MinSIOp::create(builder, loc, rest, most);
    }
    all = all ? arith::MulIOp::create(builder, loc, all, count).getResult() : count;
  }
  return all;
}

SignalsOp SentTiles::declareCounts(ArrayRef<AffineExpr> sizes) {
  auto role = cast<RoleOp>(tasks->getParentOp());
  SignalsOp counts =
      declareGrid(tasks->getParentOfType<ProgramOp>(), (role.getSymName() + "_stored").str(), sizes, store.getLoc());
  counts.setCounted(true);
  return counts;
}

ForallOp SentTiles::makeTasks(ArrayRef<AffineExpr> sizes) {
  auto kernel = tasks->getParentOfType<KernelOp>();
  OpBuilder builder(kernel);
  Location loc = store.getLoc();
  if (!engine) {
    engine = KernelOp::create(builder, kernel.getLoc(), nameOfEngine());
    engine.setEngine(true);
    engine.setWaves(1);
  }
  std::string name = "send";
  for (unsigned number = 2; SymbolTable::lookupSymbolIn(engine, name); ++number)
    name = ("send_" + Twine(number)).str();
  builder.setInsertionPointToEnd(&engine.getBody().front());
  auto role = RoleOp::create(builder, loc, builder.getStringAttr(name), TurnAttr::get(builder.getContext(), Turn::Each),
                             builder.getI64IntegerAttr(1));
  role.setEngine(true);
  builder.setInsertionPointToStart(&role.getBody().emplaceBlock());
  auto [map, operands] = extentOperands(&kernel->getParentOfType<ProgramOp>().getBody().front(), sizes);
  return ForallOp::create(builder, loc, map, operands);
}

void SentTiles::cleanEngine() {
  IRRewriter rewriter(engine);
  DominanceInfo dominance(engine);
  eliminateCommonSubExpressions(rewriter, dominance, engine);
}
