// Asks what the copy engine and the matrix units can take. Changes nothing.
#include "passes/analysis/StreamedProduct.h"
#include "passes/analysis/ViewedBuffer.h"

#include "passes/analysis/LayoutConversion.h"
#include "passes/analysis/Workspace.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

static std::string typeName(Type type) {
  std::string name;
  llvm::raw_string_ostream(name) << type;
  return name;
}

MatrixProblem tilec::problemOf(DotOp dot, int64_t waves) {
  auto lhs = dot.getLhs().getType(), sums = dot.getType();
  MatrixProblem problem{sums.getDimSize(0),
                        sums.getDimSize(1),
                        dot.depth(),
                        typeName(lhs.getElementType()),
                        typeName(sums.getElementType()),
                        waves};
  problem.fast = dot.accumulation() == Accumulation::Fast;
  problem.promoted = dot.accumulation() == Accumulation::Promoted;
  problem.across = !dot.getTranspose();
  return problem;
}

bool tilec::isZeroTile(Value tile) {
  auto splat = tile.getDefiningOp<SplatOp>();
  auto literal = splat ? dyn_cast_or_null<FloatAttr>(splat.getLiteral().value_or(TypedAttr())) : FloatAttr();
  return literal && literal.getValue().isPosZero();
}

/// Rows of one copy.
static constexpr int64_t kMostRows = 256;

/// Whether the launcher knows where a buffer lies: as it does of all that lies on this rank.
static bool isPlaced(Value buffer) {
  auto argument = dyn_cast<BlockArgument>(buffer);
  return argument ? isa<ProgramOp>(argument.getOwner()->getParentOp()) : buffer.getDefiningOp<AllocOp>() != nullptr;
}

static SmallVector<AffineExpr> rootShape(ProgramOp program, Value root) {
  if (auto alloc = root.getDefiningOp<AllocOp>())
    return extentExpressions(program, alloc.getSizes(), alloc.getExtents());
  return argumentShape(program, cast<BlockArgument>(root).getArgNumber() - program.getNumExtents());
}

/// How often `rows` go into what is a multiple of them for all extents; 0 where it is none.
static int64_t timesIn(AffineExpr all, AffineExpr rows, unsigned numExtents) {
  constexpr int64_t kMost = 64;
  for (int64_t count = 1; count <= kMost; ++count)
    if (simplifyAffineExpr(all - rows * count, 0, numExtents) == getAffineConstantExpr(0, all.getContext()))
      return count;
  return 0;
}

/// The number that a product with `size` multiplies; null where the value is none.
static Value numberIn(OpFoldResult offset, AffineExpr size, ProgramOp program) {
  auto start = dyn_cast<Value>(offset);
  auto product = start ? start.getDefiningOp<arith::MulIOp>() : arith::MulIOp();
  if (!product)
    return {};
  if (extentExpression(program, product.getRhs()) == size)
    return product.getLhs();
  return extentExpression(program, product.getLhs()) == size ? product.getRhs() : Value();
}

std::optional<MappedMatrix> tilec::mappedMatrix(Value buffer) {
  if (isPlaced(buffer))
    return MappedMatrix{buffer, 0, {}, {}, {}, {}};
  auto view = buffer.getDefiningOp<memref::SubViewOp>();
  if (!view || !isPlaced(view.getSource()) || view.getSourceType().getRank() != 2 || view.getType().getRank() != 2)
    return std::nullopt;
  auto program = view->getParentOfType<ProgramOp>();
  Value root = view.getSource();
  auto alloc = root.getDefiningOp<AllocOp>();
  auto argument = dyn_cast<BlockArgument>(root);
  bool isRegular = alloc ? alloc.getCopies() == 1 && !alloc.getPersistent()
                         : argumentStrides(program, argument.getArgNumber() - program.getNumExtents()).empty();
  auto expressionOf = [&](OpFoldResult value) {
    std::optional<int64_t> number = getConstantIntValue(value);
    return number ? getAffineConstantExpr(*number, view.getContext()) : extentExpression(program, cast<Value>(value));
  };
  SmallVector<OpFoldResult> offsets = view.getMixedOffsets(), sizes = view.getMixedSizes();
  SmallVector<AffineExpr> part{expressionOf(sizes[0]), expressionOf(sizes[1])}, shape = rootShape(program, root);
  auto isOne = [](OpFoldResult stride) { return getConstantIntValue(stride) == 1; };
  if (!isRegular || !part[0] || !part[1] || !llvm::all_of(view.getMixedStrides(), isOne))
    return std::nullopt;
  // Whole rows of it, or whole columns.
  unsigned cut = part[1] == shape[1] ? 0 : 1;
  if (part[1 - cut] != shape[1 - cut] || getConstantIntValue(offsets[1 - cut]) != 0)
    return std::nullopt;
  int64_t count = timesIn(shape[cut], part[cut], program.getNumExtents());
  Value number = numberIn(offsets[cut], part[cut], program);
  if (!number || count == 0)
    return std::nullopt;
  return MappedMatrix{root, count, part[0], part[1], cut == 0 ? part[0] * part[1] : part[1], number};
}

/// Whether it is a matrix that the launcher knows, or one of those that lie side by side in a buffer.
static bool isKnownMatrix(Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  bool isRow = type.getRank() == 3 && isPlaced(buffer) && type.getLayout().isIdentity();
  return (type.getRank() == 2 || isRow) && mappedMatrix(buffer);
}

bool tilec::isMapped(LoadOp load, const Target &target) {
  RankedTensorType tile = load.getType();
  return isKnownMatrix(load.getBuffer()) && !load.getFrom() && !load.getAt() && !load.getOtherwise() &&
         tile.getRank() == 2 && tile.getDimSize(0) <= kMostRows &&
         tile.getDimSize(1) * bytesOf(tile.getElementType()) == target.lds.mappedRowBytes;
}

/// Whether nothing in the program writes a buffer: what a copy brings beyond its tile nobody waits with.
static bool isOnlyRead(Value buffer, ProgramOp program) {
  Value root = viewedBuffer(buffer);
  return !program
              .walk([&](Operation *op) {
                auto access = dyn_cast<AccessOpInterface>(op);
                Value written = access && access.writesBuffer() ? access.getAccessedBuffer() : Value();
                if (auto relay = dyn_cast<RelayOp>(op))
                  written = relay.getInto();
                else if (auto move = dyn_cast<MoveOp>(op))
                  written = move.getInto();
                return written && viewedBuffer(written) == root ? WalkResult::interrupt() : WalkResult::advance();
              })
              .wasInterrupted();
}

bool tilec::isMappedAcross(LoadOp load, const Target &target) {
  RankedTensorType tile = load.getType();
  int64_t bytes = bytesOf(tile.getElementType()), row = tile.getRank() == 2 ? tile.getDimSize(1) * bytes : 0;
  return isKnownMatrix(load.getBuffer()) && !load.getFrom() && !load.getAt() && !load.getOtherwise() &&
         tile.getRank() == 2 && target.lds.mappedRowBytes && bytes == kTurnedBytes && tile.getDimSize(0) <= kMostRows &&
         (row % target.lds.mappedRowBytes == 0 ||
          (row > target.lds.mappedRowBytes && isOnlyRead(load.getBuffer(), load->getParentOfType<ProgramOp>())));
}

bool tilec::isMappedByRows(LoadOp load, const Target &target) {
  auto buffer = dyn_cast<BlockArgument>(load.getBuffer());
  RankedTensorType tile = load.getType();
  if (target.lds.mappedRowBytes == 0 || !buffer || !isa<ProgramOp>(buffer.getOwner()->getParentOp()))
    return false;
  auto type = cast<MemRefType>(buffer.getType());
  // Rows and matrices of a buffer without strides of its own are as far apart as the engine wants them.
  int64_t row = tile.getRank() == 2 ? tile.getDimSize(1) * bytesOf(tile.getElementType()) : 0;
  return !load.getFrom() && load.getAfter().empty() && !load.getAt() && !load.getOtherwise() &&
         (type.getRank() == 2 || type.getRank() == 3) && type.getLayout().isIdentity() && row > 0 &&
         row % target.lds.mappedRowBytes == 0 && tile.getDimSize(0) <= kMostRows &&
         type.getShape().back() == tile.getDimSize(1);
}

std::optional<Value> tilec::tilesBefore(Value index, scf::ForOp loop) {
  Value step = loop.getInductionVar();
  if (index == step)
    return Value();
  auto sum = index.getDefiningOp<arith::AddIOp>();
  if (!sum || (sum.getLhs() != step && sum.getRhs() != step))
    return std::nullopt;
  Value before = sum.getLhs() == step ? sum.getRhs() : sum.getLhs();
  return loop.isDefinedOutsideOfLoop(before) ? std::optional(before) : std::nullopt;
}

bool tilec::isStreamed(DotOp dot, const Target &target) {
  auto loop = dyn_cast<scf::ForOp>(dot->getParentOp());
  auto isFed = [&](Value operand, bool across) {
    auto load = operand.getDefiningOp<LoadOp>();
    return load && load->getBlock() == dot->getBlock() &&
           (across ? isMappedAcross(load, target) : isMapped(load, target)) &&
           tilesBefore(load.getIndices().take_back(2)[across ? 0 : 1], loop) &&
           llvm::all_of(load.getIndices().drop_back(2), [&](Value i) { return loop.isDefinedOutsideOfLoop(i); }) &&
           loop.isDefinedOutsideOfLoop(load.getIndices().take_back(2)[across ? 1 : 0]);
  };
  return loop && isFed(dot.getLhs(), /*across=*/dot.getLhsTransposed()) &&
         isFed(dot.getRhs(), /*across=*/!dot.getTranspose());
}
