// Verifiers of operations on tiles: what the device headers would refuse by a static_assert when the text is compiled.
// What depends on the target (lanes of a wave, matrix instructions) is asked by `check`.
#include "dialect/HeldTile.h"
#include "dialect/Hip.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::hip;

/// All tiles of the operation are held in a way that the headers accept.
static LogicalResult verifyTiles(Operation *op) {
  for (Type type :
       llvm::concat<const Type>(SmallVector<Type>(op->getOperandTypes()), SmallVector<Type>(op->getResultTypes())))
    if (auto tile = dyn_cast<RankedTensorType>(type); tile && failed(verifyHeld(op, tile)))
      return failure();
  return success();
}

static LogicalResult verifyElement(Operation *op, Type got, Type expected) {
  return got == expected ? success() : op->emitOpError() << "has elements of type " << got << ", expected " << expected;
}

//===-- made from nothing
//------------------------------------------------------------------------------------------===//

LogicalResult SplatOp::verify() {
  return failure(failed(verifyTiles(*this)) ||
                 failed(verifyElement(*this, getValue().getType(), getType().getElementType())));
}

LogicalResult IotaOp::verify() {
  if (failed(verifyTiles(*this)))
    return failure();
  if (static_cast<int64_t>(getDim()) < 0 || static_cast<int64_t>(getDim()) >= getType().getRank())
    return emitOpError() << "counts along dimension " << static_cast<int64_t>(getDim()) << " of " << getType();
  return success();
}

//===-- broadcasts and reductions
//----------------------------------------------------------------------------------===//

/// The shape without some dimensions; nothing where they are not distinct dimensions of it.
static std::optional<SmallVector<int64_t>> withoutDims(ArrayRef<int64_t> shape, ArrayRef<int64_t> dims) {
  SmallVector<int64_t> kept;
  for (auto [dim, extent] : llvm::enumerate(shape))
    if (!llvm::is_contained(dims, static_cast<int64_t>(dim)))
      kept.push_back(extent);
  if (kept.size() + dims.size() != shape.size())
    return std::nullopt;
  return kept;
}

LogicalResult BroadcastOp::verify() {
  auto from = getOperand().getType(), to = getType();
  if (failed(verifyTiles(*this)) || failed(verifyElement(*this, from.getElementType(), to.getElementType())))
    return failure();
  std::optional<SmallVector<int64_t>> kept = withoutDims(to.getShape(), getDims());
  if (!kept || *kept != from.getShape())
    return emitOpError() << "makes " << to << " of " << from << ", expected its shape without the added dimensions";
  HeldTile held(from), wanted(to);
  bool moves = false;
  for (unsigned bit = 0; bit < std::max(held.threads.size(), wanted.threads.size()); ++bit)
    moves |= held.threadBasis(bit) != wanted.drop(wanted.threadBasis(bit), getDims());
  for (unsigned r = 0; r < wanted.numRegisters() && !moves; ++r)
    moves = held.registerAt(wanted.drop(wanted.ofRegister(r), getDims())) < 0;
  if (moves)
    return emitOpError() << "moves elements between threads or by thread: got " << from << " for " << to
                         << ", expected the layout of the result without the added dimensions";
  return success();
}

/// Whether partial results of a reduction need only new names: threads hold what they shall, in some register.
static bool renames(const HeldTile &from, const HeldTile &to, int64_t dim, unsigned along) {
  for (unsigned bit = 0; bit < std::max(from.threads.size(), to.threads.size()); ++bit)
    if (from.drop(from.threadBasis(bit), dim) != to.threadBasis(bit))
      return false;
  for (unsigned r = 0; r < to.numRegisters(); ++r) {
    bool found = false;
    for (unsigned s = 0; s < from.numRegisters() && !found; ++s)
      found = (s & along) == 0 && from.drop(from.ofRegister(s), dim) == to.ofRegister(r);
    if (!found)
      return false;
  }
  return true;
}

LogicalResult ReduceOp::verify() {
  auto from = getOperand().getType(), to = getType();
  int64_t dim = getDim();
  if (failed(verifyTiles(*this)) || failed(verifyElement(*this, from.getElementType(), to.getElementType())))
    return failure();
  std::optional<SmallVector<int64_t>> kept = withoutDims(from.getShape(), dim);
  if (!kept || kept->empty() || *kept != to.getShape())
    return emitOpError() << "makes " << to << " of " << from << ", expected its shape without dimension " << dim;
  HeldTile held(from), wanted(to);
  unsigned along = 0;
  int64_t waves = 1;
  for (auto [bit, basis] : llvm::enumerate(llvm::concat<uint64_t>(held.registers, held.threads))) {
    if (!HeldTile::coordinate(basis, dim))
      continue;
    if ((held.redundant >> bit & 1) || held.drop(basis, dim))
      return emitOpError() << "reduces " << from
                           << ", expected a layout whose bases run along the dimension alone or not at all";
    if (bit < held.registers.size())
      along |= 1u << bit;
    else if (bit >= held.registers.size() + held.laneBits)
      waves *= 2;
  }
  if (waves == 1 && renames(held, wanted, dim, along))
    return success();
  if (!getScratch())
    return emitOpError() << "of " << from << " to " << to << " crosses waves or changes the layout, expected scratch";
  int64_t room = ShapedType::getNumElements(getScratch().getType().getShape());
  if (room < to.getNumElements() * waves)
    return emitOpError() << "has scratch for " << room << " elements, expected " << to.getNumElements() * waves;
  return verifyElement(*this, getScratch().getType().getElement(), to.getElementType());
}

LogicalResult ScanOp::verify() {
  RankedTensorType from = getOperand().getType();
  int64_t dim = getDim();
  if (failed(verifyTiles(*this)))
    return failure();
  if (from != getType() || dim < 0 || dim >= from.getRank())
    return emitOpError() << "makes " << getType() << " of " << from << " along dimension " << dim
                         << ", expected the same type and one of its dimensions";
  HeldTile held(from);
  // Elements across all dimensions, of which each wave has a total: those above the lowest bit that tells waves apart.
  int64_t room = 0, box = 1;
  for (int64_t side : from.getShape())
    box *= static_cast<int64_t>(llvm::PowerOf2Ceil(static_cast<uint64_t>(side)));
  for (auto [bit, basis] : llvm::enumerate(llvm::concat<uint64_t>(held.registers, held.threads))) {
    auto step = static_cast<int64_t>(HeldTile::coordinate(basis, dim));
    if (!step)
      continue;
    if ((held.redundant >> bit & 1) || held.drop(basis, dim) || !llvm::isPowerOf2_64(static_cast<uint64_t>(step)))
      return emitOpError() << "scans " << from
                           << ", expected a layout whose bases along the dimension are powers of two, and of no other";
    if (bit >= held.registers.size() + held.laneBits)
      room = std::max(room, box / step);
  }
  if (room == 0)
    return success();
  if (!getScratch())
    return emitOpError() << "of " << from << " crosses waves, expected scratch";
  int64_t there = ShapedType::getNumElements(getScratch().getType().getShape());
  if (there < room)
    return emitOpError() << "has scratch for " << there << " elements, expected " << room;
  return verifyElement(*this, getScratch().getType().getElement(), from.getElementType());
}

//===-- products
//---------------------------------------------------------------------------------------------------===//

template <class Product>
static LogicalResult verifyProduct(Product op) {
  auto a = op.getA().getType(), b = op.getB().getType(), acc = op.getAcc().getType();
  if (failed(verifyTiles(op)))
    return failure();
  unsigned column = op.getTransposed() ? 0 : 1, row = op.getLhsTransposed() ? 1 : 0;
  if (a.getRank() != 2 || b.getRank() != 2 || acc.getRank() != 2 || a.getDimSize(row) != acc.getDimSize(0) ||
      b.getDimSize(column) != acc.getDimSize(1) || a.getDimSize(1 - row) != b.getDimSize(1 - column))
    return op.emitOpError() << "multiplies " << a << " and " << b << " into " << acc << ", expected shapes that agree";
  if (op.getType() != acc)
    return op.emitOpError() << "makes " << op.getType() << ", expected the type of the accumulator " << acc;
  return verifyElement(op, b.getElementType(), a.getElementType());
}
LogicalResult MmaOp::verify() { return verifyProduct(*this); }

/// Every thread has the rows and columns of its own sums, with every k in its registers.
static bool holdsItsOperands(const HeldTile &a, unsigned rowA, const HeldTile &b, unsigned rowB, const HeldTile &sums,
                             int64_t depth) {
  if (a.threads.size() != sums.threads.size() || b.threads.size() != sums.threads.size())
    return false;
  for (unsigned bit = 0; bit < sums.threads.size(); ++bit)
    if (HeldTile::coordinate(a.threads[bit], rowA) != HeldTile::coordinate(sums.threads[bit], 0) ||
        HeldTile::coordinate(b.threads[bit], rowB) != HeldTile::coordinate(sums.threads[bit], 1) ||
        HeldTile::coordinate(a.threads[bit], 1 - rowA) || HeldTile::coordinate(b.threads[bit], 1 - rowB))
      return false;
  OperandOrder orderA(a, rowA), orderB(b, rowB);
  if (orderA.steps() != depth || orderB.steps() != depth)
    return false;
  for (unsigned r = 0; r < sums.numRegisters(); ++r)
    if (uint64_t point = sums.ofRegister(r);
        !orderA.hasRow(HeldTile::coordinate(point, 0)) || !orderB.hasRow(HeldTile::coordinate(point, 1)))
      return false;
  return true;
}

LogicalResult DotOp::verify() {
  if (failed(verifyProduct(*this)))
    return failure();
  auto a = getA().getType(), b = getB().getType(), sums = getType();
  unsigned rowA = getLhsTransposed() ? 1 : 0, rowB = getTransposed() ? 0 : 1;
  if (!holdsItsOperands(HeldTile(a), rowA, HeldTile(b), rowB, HeldTile(sums), a.getDimSize(1 - rowA)))
    return emitOpError() << "needs elements of other threads: got operands " << a << " and " << b << " for sums "
                         << sums;
  return success();
}

//===-- LDS
//--------------------------------------------------------------------------------------------------------===//

LogicalResult SharedType::verify(function_ref<InFlightDiagnostic()> emitError, Type, ArrayRef<int64_t> shape,
                                 tile::SharedAttr swizzle) {
  // Addresses of registers and of threads are added bit by bit: only the outermost steps may be any number of them.
  int64_t row = shape.empty() ? 0 : shape.back(), panel = swizzle.getPanel();
  ArrayRef<int64_t> inner = panel ? shape.drop_back() : shape.drop_front(!shape.empty());
  auto isSide = [](int64_t side) { return side > 0 && (llvm::isPowerOf2_64(side) || side % 8 == 0); };
  if (shape.empty() || shape.size() > 4 || !llvm::all_of(shape, isSide) ||
      (panel != row && !llvm::all_of(inner, [](int64_t side) { return llvm::isPowerOf2_64(side); })))
    return emitError() << "LDS tile of shape [" << shape
                       << "], expected one to four powers of two, the first of them (in panels the last) may be "
                          "another multiple of 8";
  if (panel && (shape.size() != 2 || row % panel))
    return emitError() << "panels of " << panel << " columns of an LDS tile of shape [" << shape
                       << "], expected a matrix of a whole number of them";
  if (panel)
    row = panel;
  if (swizzle.getPhases() != 1 && swizzle.getVector() * swizzle.getPhases() > row)
    return emitError() << "swizzle of " << swizzle.getVector() << " x " << swizzle.getPhases()
                       << " elements, expected at most a row of " << row;
  return success();
}

static LogicalResult verifyShared(Operation *op, RankedTensorType tile, SharedType shared, bool transposed) {
  if (failed(verifyTiles(op)) || failed(verifyElement(op, shared.getElement(), tile.getElementType())))
    return failure();
  SmallVector<int64_t> shape(tile.getShape());
  if (transposed)
    std::reverse(shape.begin(), shape.end());
  if (shared.getShape() != ArrayRef(shape) || (transposed && shape.size() != 2))
    return op->emitOpError() << "moves " << tile << " and " << shared << ", expected one shape"
                             << (transposed ? " of a matrix, transposed" : "");
  return success();
}
LogicalResult SharedStoreOp::verify() {
  return verifyShared(*this, getValue().getType(), getShared().getType(), getTransposed());
}
LogicalResult SharedLoadOp::verify() { return verifyShared(*this, getType(), getShared().getType(), getTransposed()); }
