// Extents of buffers as expressions, compared by evaluation.
#include "dialect/Relations.h"
#include "dialect/Tile.h"

using namespace mlir;
using namespace tilec::tile;

static AffineExpr argumentExtent(ProgramOp program, BlockArgument argument, unsigned dim) {
  int64_t buffer = static_cast<int64_t>(argument.getArgNumber()) - static_cast<int64_t>(program.getNumExtents());
  if (buffer < 0 || buffer >= static_cast<int64_t>(program.getShapes().size()))
    return {};
  auto map = cast<AffineMapAttr>(program.getShapes()[buffer]).getValue();
  return dim < map.getNumResults() ? map.getResult(dim) : AffineExpr();
}

static AffineExpr allocExtent(ProgramOp program, AllocOp alloc, unsigned dim) {
  MLIRContext *context = alloc.getContext();
  if (!alloc.getParams().empty() || dim >= alloc.getSizes().getNumResults())
    return {};
  SmallVector<AffineExpr> symbols{getAffineSymbolExpr(0, context)};
  for (Value operand : alloc.getExtents()) {
    auto extent = dyn_cast<BlockArgument>(operand);
    std::optional<int64_t> constant = getConstantIntValue(operand);
    if (constant)
      symbols.push_back(getAffineConstantExpr(*constant, context));
    else if (extent && extent.getOwner() == &program.getBody().front())
      symbols.push_back(getAffineSymbolExpr(1 + extent.getArgNumber(), context));
    else
      return {};
  }
  return alloc.getSizes().getResult(dim).replaceSymbols(symbols);
}

AffineExpr tilec::tile::getExtent(Value buffer, unsigned dim) {
  if (auto argument = dyn_cast<BlockArgument>(buffer)) {
    auto program = dyn_cast_or_null<ProgramOp>(argument.getOwner()->getParentOp());
    return program ? argumentExtent(program, argument, dim) : AffineExpr();
  }
  if (auto alloc = buffer.getDefiningOp<AllocOp>())
    if (auto program = alloc->getParentOfType<ProgramOp>())
      return allocExtent(program, alloc, dim);
  auto type = cast<MemRefType>(buffer.getType());
  if (type.isDynamicDim(dim))
    return {};
  return getAffineConstantExpr(type.getDimSize(dim), buffer.getContext());
}

/// Two expressions over different extents can nearly always be made equal, so that only those over the same are
/// compared.
static bool sameExtents(ProgramOp program, AffineExpr a, AffineExpr b) {
  for (unsigned i = 1; i <= program.getNumExtents(); ++i)
    if (a.isFunctionOfSymbol(i) != b.isFunctionOfSymbol(i))
      return false;
  return true;
}

bool tilec::tile::contradict(ProgramOp program, AffineExpr a, AffineExpr b) {
  if (!a || !b || a == b || !sameExtents(program, a, b))
    return false;
  MLIRContext *context = program.getContext();
  unsigned numExtents = program.getNumExtents();
  AffineMap both = AffineMap::get(0, 1 + numExtents, {a, b}, context);
  Type index = IndexType::get(context);
  SmallVector<int64_t> worlds{2, 3, 4, 5, 6, 7, 8, 12, 16, 32, 64};
  if (program.getWorld())
    worlds = {static_cast<int64_t>(*program.getWorld())};
  // Extent i is base + step * i: equal for step 0, distinct otherwise.
  constexpr std::pair<int64_t, int64_t> samples[] = {{1, 0}, {2, 0}, {64, 0}, {4096, 0}, {0, 1}, {96, 32}, {1000, -7}};
  for (int64_t world : worlds)
    for (auto [base, step] : samples) {
      SmallVector<Attribute> values{IntegerAttr::get(index, world)}, results;
      for (unsigned i = 1; i <= numExtents; ++i)
        values.push_back(IntegerAttr::get(index, std::max<int64_t>(1, base + step * i)));
      if (failed(both.constantFold(values, results)) || results[0] == results[1])
        return false;
    }
  return true;
}

std::optional<SmallVector<int64_t>> tilec::tile::findUnlikeExtents(ProgramOp program, AffineExpr a, AffineExpr b) {
  if (!a || !b || a == b || !program.getWorld() || !sameExtents(program, a, b))
    return std::nullopt;
  unsigned numExtents = program.getNumExtents();
  AffineMap both = AffineMap::get(0, 1 + numExtents, {a, b}, program.getContext());
  Type index = IndexType::get(program.getContext());
  constexpr std::pair<int64_t, int64_t> samples[] = {{1, 0}, {2, 0},  {3, 0},   {5, 0},    {7, 0},
                                                     {9, 0}, {16, 0}, {100, 0}, {4096, 0}, {11, 6}};
  for (auto [base, step] : samples) {
    SmallVector<Attribute> values{IntegerAttr::get(index, int64_t(*program.getWorld()))}, results;
    SmallVector<int64_t> extents;
    for (unsigned i = 0; i < numExtents; ++i)
      values.push_back(IntegerAttr::get(index, extents.emplace_back(base + step * i)));
    if (succeeded(both.constantFold(values, results)) && results[0] != results[1])
      return extents;
  }
  return std::nullopt;
}

/// As the author would write it; `tight` asks for parentheses around what is no single name or number.
static void describe(ProgramOp program, AffineExpr expr, bool tight, llvm::raw_ostream &stream) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    stream << constant.getValue();
  } else if (auto symbol = dyn_cast<AffineSymbolExpr>(expr)) {
    unsigned position = symbol.getPosition();
    if (position == 0)
      stream << "W";
    else if (auto name = dyn_cast<NameLoc>(program.getExtents()[position - 1].getLoc()))
      stream << "%" << name.getName().getValue();
    else
      stream << "extent " << position - 1;
  } else if (auto binary = dyn_cast<AffineBinaryOpExpr>(expr)) {
    bool sum = binary.getKind() == AffineExprKind::Add;
    auto constant = dyn_cast<AffineConstantExpr>(binary.getRHS());
    stream << (tight ? "(" : "");
    describe(program, binary.getLHS(), !sum, stream);
    if (sum && constant && constant.getValue() < 0) {
      stream << " - " << -static_cast<uint64_t>(constant.getValue());
    } else {
      stream << (sum                                            ? " + "
                 : binary.getKind() == AffineExprKind::Mul      ? " * "
                 : binary.getKind() == AffineExprKind::CeilDiv  ? " ceildiv "
                 : binary.getKind() == AffineExprKind::FloorDiv ? " floordiv "
                                                                : " mod ");
      describe(program, binary.getRHS(), !sum, stream);
    }
    stream << (tight ? ")" : "");
  }
}

std::string tilec::tile::describeExtent(ProgramOp program, AffineExpr expr) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  describe(program, expr, /*tight=*/false, stream);
  return text;
}
