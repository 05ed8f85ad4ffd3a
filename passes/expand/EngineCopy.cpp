// Looks at the statements before a collective. Makes none.
#include "passes/expand/EngineCopy.h"
#include "dialect/Limits.h"
#include "passes/analysis/LayoutConversion.h"
#include "passes/analysis/ViewedBuffer.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

/// A copy of so many bytes is near the rate of the links, and whoever waits for it does not wait for much more than it
/// needs: 33 MB go at 347 GB/s between two H200, 8 MB at 290.
constexpr int64_t kMostBytesOfPiece = 48 << 20;
/// Parts of more go in two pieces, where a rank sends no more than so many bytes in all: the first tasks that read a
/// part begin before all of it has come. On four H200 a product of 8192 x 3584 x 4096 takes 329 us in place of 344. Of
/// one that reads 100 MB, 8192 x 2048 x 8192, the links have no time for more signals between copies: 400 in place of
/// 388.
constexpr int64_t kBytesOfHalves = 12 << 20, kMostBytesInHalves = 64 << 20;
/// Rows of a piece where nobody knows how many there are.
constexpr int64_t kUsualRows = 512;
/// A multiple of the rows of most tiles that products read: those that need two pieces wait for both.
constexpr int64_t kRowsOfReader = 256;
/// Columns of a tile: a task goes through all of a row.
constexpr int64_t kColumns = 128;

/// Whether an operation touches a buffer, or just writes it.
static bool touches(Operation *op, Value root, bool writes) {
  return op
      ->walk([&](Operation *inner) {
        bool isTouched = false;
        if (auto access = dyn_cast<AccessOpInterface>(inner))
          isTouched = (!writes || access.writesBuffer()) && viewedBuffer(access.getAccessedBuffer()) == root;
        else if (isa<CollectiveOpInterface, MatmulOp>(inner))
          // All that it takes, read or written: who needs the difference can write it as a statement.
          isTouched = llvm::any_of(inner->getOperands(), [&](Value value) {
            return isa<MemRefType>(value.getType()) && viewedBuffer(value) == root;
          });
        return isTouched ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

bool tilec::canCopyByEngine(Operation *op, Value source, Value destination) {
  auto program = dyn_cast<ProgramOp>(op->getParentOp());
  Value from = viewedBuffer(source), into = viewedBuffer(destination);
  if (!program || !isa<BlockArgument>(from) || cast<MemRefType>(source.getType()).getRank() > 2 ||
      cast<MemRefType>(destination.getType()).getRank() > 2)
    return false;
  for (Operation &before : program.getBody().front()) {
    if (&before == op)
      return true;
    if (touches(&before, from, /*writes=*/true) || touches(&before, into, /*writes=*/false))
      return false;
  }
  return false;
}

SmallVector<int64_t> tilec::engineTile(ArrayRef<AffineExpr> region, Type element, int64_t peers) {
  size_t rank = region.size();
  SmallVector<int64_t> tile(rank, 1);
  tile[rank - 1] = rank == 1 ? 8 * kColumns : kColumns;
  if (rank == 1)
    return tile;
  auto rows = dyn_cast<AffineConstantExpr>(region[rank - 2]), columns = dyn_cast<AffineConstantExpr>(region[rank - 1]);
  int64_t most = kUsualRows;
  if (rows && columns && columns.getValue() > 0)
    most = std::min<int64_t>(rows.getValue(), kMostBytesOfPiece / (columns.getValue() * bytesOf(element)));
  most = std::clamp<int64_t>(most, 8, kMostTileElements / kColumns);
  // As many rows in each piece.
  int64_t pieces = rows ? std::max<int64_t>(1, llvm::divideCeil(rows.getValue(), most)) : 1;
  int64_t bytes = rows && columns ? rows.getValue() * columns.getValue() * bytesOf(element) : 0;
  if (bytes > kBytesOfHalves && bytes * peers <= kMostBytesInHalves)
    pieces = std::max<int64_t>(pieces, 2);
  int64_t each = rows ? llvm::divideCeil(std::max<int64_t>(rows.getValue(), 1), pieces) : most;
  tile[rank - 2] = llvm::alignTo(each, each > kRowsOfReader ? kRowsOfReader : 8);
  return tile;
}

void tilec::giveToEngine(ForallOp forall) {
  forall.setEngine(true);
  forall.setWorkgroups(1);
}
