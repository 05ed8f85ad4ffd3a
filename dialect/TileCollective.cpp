// Syntax and verification of collectives and of matmul.
#include "dialect/Conversion.h"
#include "dialect/Relations.h"
#include "dialect/Tile.h"

using namespace mlir;
using namespace tilec::tile;

/// What holds for every collective from `source` into `destination`.
static LogicalResult verifyPair(Operation *op, MemRefType source, MemRefType destination,
                                std::optional<ArrayAttr> tiles) {
  if (source.getRank() != destination.getRank())
    return op->emitOpError() << "expected a destination of rank " << source.getRank() << ", as " << source
                             << " has, got " << destination;
  // A sum may take the place of its terms; what moves elements would overwrite those that others still want.
  if (op->getOperand(0) == op->getOperand(1) && !isa<AllReduceOp>(op))
    return op->emitOpError() << "source and destination are one buffer";
  if (!tiles)
    return success();
  if (static_cast<int64_t>(tiles->size()) != source.getRank())
    return op->emitOpError() << "has tiles of rank " << tiles->size() << ", expected " << source.getRank() << " as in "
                             << source;
  return verifyTileShape(op, *tiles, {});
}

static LogicalResult verifySameElements(Operation *op, MemRefType source, MemRefType destination) {
  if (source.getElementType() == destination.getElementType())
    return success();
  InFlightDiagnostic diagnostic = op->emitOpError()
                                  << "expected a destination of " << source.getElementType()
                                  << ", the element type of the source, got " << destination.getElementType();
  diagnostic.attachNote(op->getOperand(0).getLoc()) << "the source is declared here";
  diagnostic.attachNote(op->getOperand(1).getLoc()) << "the destination is declared here";
  return diagnostic;
}

static LogicalResult verifyDim(Operation *op, MemRefType source, uint64_t dim) {
  if (dim < static_cast<uint64_t>(source.getRank()))
    return success();
  InFlightDiagnostic diagnostic = op->emitOpError() << "expected a dimension below " << source.getRank()
                                                    << ", the rank of " << source << ", got " << dim;
  diagnostic.attachNote(op->getOperand(0).getLoc()) << "the source is declared here; dimensions are counted from 0";
  return diagnostic;
}

/// Sizes must agree in every dimension but `except`, where they are static.
static LogicalResult verifySizes(Operation *op, MemRefType source, MemRefType destination, int64_t except = -1) {
  for (int64_t i = 0; i < source.getRank(); ++i) {
    int64_t from = source.getDimSize(i), into = destination.getDimSize(i);
    if (i != except && !ShapedType::isDynamic(from) && !ShapedType::isDynamic(into) && from != into)
      return op->emitOpError() << "expected " << from << " elements in dimension " << i
                               << " of the destination, as in the source, got " << into;
  }
  return success();
}

/// Dimension `dim` of `buffer` must be `expected`, an expression over the program's extents; silent where not
/// decidable.
static LogicalResult verifyExtent(Operation *op, Value buffer, unsigned dim, AffineExpr expected) {
  auto program = op->getParentOfType<ProgramOp>();
  AffineExpr extent = getExtent(buffer, dim);
  if (!contradict(program, extent, expected))
    return success();
  InFlightDiagnostic diagnostic = op->emitOpError();
  diagnostic << "dimension " << dim << " has size " << describeExtent(program, extent) << ", expected "
             << describeExtent(program, expected);
  diagnostic.attachNote(buffer.getLoc()) << "the buffer is declared here";
  return diagnostic;
}

/// Extents of the destination follow from those of the source: `dim`, where there is one, times or over the world.
static LogicalResult verifyExtentsFollow(Operation *op, Value source, Value destination, int64_t dim, bool gathers) {
  AffineExpr world = getAffineSymbolExpr(0, op->getContext());
  for (int64_t i = 0; i < cast<MemRefType>(source.getType()).getRank(); ++i) {
    AffineExpr from = getExtent(source, i), into = getExtent(destination, i);
    if (i == dim && gathers && from && failed(verifyExtent(op, destination, i, world * from)))
      return failure();
    if (i == dim && !gathers && into && failed(verifyExtent(op, source, i, world * into)))
      return failure();
    if (i != dim && from && failed(verifyExtent(op, destination, i, from)))
      return failure();
  }
  return success();
}

/// Dimension `dim` of `buffer` must be `expected` for all extents.
static LogicalResult verifyAlways(Operation *op, Value buffer, unsigned dim, AffineExpr expected) {
  auto program = op->getParentOfType<ProgramOp>();
  AffineExpr extent = getExtent(buffer, dim);
  auto unlike = findUnlikeExtents(program, extent, expected);
  if (!unlike)
    return success();
  InFlightDiagnostic diagnostic = op->emitOpError();
  diagnostic << "dimension " << dim << " has size " << describeExtent(program, extent) << ", expected "
             << describeExtent(program, expected) << ", which is another number for ";
  const char *separator = "";
  for (auto [i, value] : llvm::enumerate(*unlike))
    if (extent.isFunctionOfSymbol(1 + i)) {
      diagnostic << separator << describeExtent(program, getAffineSymbolExpr(1 + i, op->getContext())) << "=" << value;
      separator = ", ";
    }
  diagnostic.attachNote(buffer.getLoc()) << "the buffer is declared here; what each rank has can be an extent, and the "
                                            "whole W times it";
  return diagnostic;
}

LogicalResult tilec::tile::verifyExtentsAgree(Operation *collective) {
  AffineExpr world = getAffineSymbolExpr(0, collective->getContext());
  // Whole: the buffer with a part for each rank along `dim`.
  auto verifyParts = [&](Value whole, Value part, unsigned dim) {
    AffineExpr size = getExtent(part, dim);
    return size ? verifyAlways(collective, whole, dim, world * size) : success();
  };
  if (auto gather = dyn_cast<AllGatherOp>(collective))
    return verifyParts(gather.getDestination(), gather.getSource(), gather.getDim());
  if (auto scatter = dyn_cast<ReduceScatterOp>(collective))
    return verifyParts(scatter.getSource(), scatter.getDestination(), scatter.getDim());
  if (auto exchange = dyn_cast<AllToAllOp>(collective))
    if (AffineExpr size = getExtent(exchange.getSource(), exchange.getDim()))
      return verifyAlways(
          collective, exchange.getSource(), exchange.getDim(),
          world * size.floorDiv(static_cast<uint64_t>(*collective->getParentOfType<ProgramOp>().getWorld())));
  return success();
}

template <typename Op>
static LogicalResult verifyDimCollective(Op op, bool sameElements) {
  MemRefType source = op.getSource().getType(), destination = op.getDestination().getType();
  if (failed(verifyPair(op, source, destination, op.getTiles())) || failed(verifyDim(op, source, op.getDim())) ||
      failed(verifySizes(op, source, destination, op.getDim())))
    return failure();
  return sameElements ? verifySameElements(op, source, destination) : success();
}

/// A sum may change its element type, but not between floats and integers.
static LogicalResult verifySum(Operation *op, MemRefType source, MemRefType destination) {
  Type from = source.getElementType(), into = destination.getElementType();
  if (isa<FloatType>(from) != isa<FloatType>(into))
    return op->emitOpError() << "expected a destination of " << (isa<FloatType>(from) ? "floats" : "integers")
                             << ", as the source has, got " << into;
  return success();
}

LogicalResult AllGatherOp::verify() {
  return failure(failed(verifyDimCollective(*this, true)) ||
                 failed(verifyExtentsFollow(*this, getSource(), getDestination(), getDim(), /*gathers=*/true)));
}

LogicalResult ReduceScatterOp::verify() {
  return failure(failed(verifyDimCollective(*this, false)) ||
                 failed(verifySum(*this, getSource().getType(), getDestination().getType())) ||
                 failed(verifyExtentsFollow(*this, getSource(), getDestination(), getDim(), /*gathers=*/false)));
}

LogicalResult AllToAllOp::verify() {
  return failure(failed(verifyDimCollective(*this, true)) ||
                 failed(verifyExtentsFollow(*this, getSource(), getDestination(), /*dim=*/-1, /*gathers=*/true)));
}

LogicalResult AllReduceOp::verify() {
  MemRefType source = getSource().getType(), destination = getDestination().getType();
  return failure(failed(verifyPair(*this, source, destination, getTiles())) ||
                 failed(verifySizes(*this, source, destination)) || failed(verifySum(*this, source, destination)) ||
                 failed(verifyExtentsFollow(*this, getSource(), getDestination(), /*dim=*/-1, /*gathers=*/true)));
}

LogicalResult ShiftOp::verify() {
  MemRefType source = getSource().getType(), destination = getDestination().getType();
  return failure(failed(verifyPair(*this, source, destination, getTiles())) ||
                 failed(verifySizes(*this, source, destination)) ||
                 failed(verifySameElements(*this, source, destination)) ||
                 failed(verifyExtentsFollow(*this, getSource(), getDestination(), /*dim=*/-1, /*gathers=*/true)));
}

//===-- matmul
//------------------------------------------------------------------------------------------------------===//

static ParseResult parseEpilogue(OpAsmParser &parser, Region &region) {
  if (failed(parser.parseOptionalKeyword("epilogue")))
    return success();
  SmallVector<OpAsmParser::Argument> arguments;
  Type index = parser.getBuilder().getIndexType();
  auto parseArgument = [&]() -> ParseResult {
    OpAsmParser::Argument &argument = arguments.emplace_back();
    // The row and the column come first; only tiles write their type.
    argument.type = index;
    return parser.parseArgument(argument, /*allowType=*/arguments.size() > 2);
  };
  return failure(parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren, parseArgument) ||
                 parser.parseRegion(region, arguments));
}

ParseResult MatmulOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder &builder = parser.getBuilder();
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SmallVector<bool> transposed;
  if (parser.parseOperand(operands.emplace_back()))
    return failure();
  while (succeeded(parser.parseOptionalComma())) {
    transposed.push_back(succeeded(parser.parseOptionalKeyword("transpose")));
    if (parser.parseOperand(operands.emplace_back()))
      return failure();
  }
  SmallVector<Type> types;
  ArrayAttr tiles;
  if (parser.parseKeyword("into") || parser.parseOperand(operands.emplace_back()))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("tiles"))) {
    if (parseTileShape(parser, tiles))
      return failure();
    result.addAttribute(getTilesAttrName(result.name), tiles);
  }
  if (parser.parseOptionalAttrDictWithKeyword(result.attributes) || parser.parseColonTypeList(types) ||
      parser.resolveOperands(operands, types, parser.getCurrentLocation(), result.operands))
    return failure();
  result.addAttribute(getTransposedAttrName(result.name), builder.getDenseBoolArrayAttr(transposed));
  return parseEpilogue(parser, *result.addRegion());
}

void MatmulOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getLhs();
  for (auto [rhs, transposed] : llvm::zip(getRhs(), getTransposed()))
    printer << ", " << (transposed ? "transpose " : "") << rhs;
  printer << " into " << getDestination();
  if (getTiles()) {
    printer << " tiles ";
    printTileShape(printer, *this, *getTiles());
  }
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(), {getTilesAttrName(), getTransposedAttrName()});
  printer << " : ";
  llvm::interleaveComma(getOperandTypes(), printer);
  if (getEpilogue().empty())
    return;
  printer << " epilogue (";
  for (BlockArgument argument : getEpilogue().getArguments()) {
    printer << (argument.getArgNumber() ? ", " : "");
    printer.printRegionArgument(argument, {}, /*omitType=*/argument.getArgNumber() < 2);
  }
  printer << ") ";
  printer.printRegion(getEpilogue(), /*printEntryBlockArgs=*/false);
}

/// Tiles that enter and leave have the rows and columns of `tiles`, or '?' where those are parameters or not named.
static LogicalResult verifyEpilogueShapes(MatmulOp op, YieldOp yield) {
  SmallVector<Value> tiles(op.getEpilogue().getArguments().drop_front(2));
  tiles.push_back(yield.getValue());
  for (Value tile : tiles) {
    auto type = cast<RankedTensorType>(tile.getType());
    if (type.getRank() != 2)
      return op.emitOpError() << "epilogue yields " << type << ", expected rank 2";
    for (unsigned dim : {0, 1}) {
      auto size = op.getTiles() ? dyn_cast<IntegerAttr>((*op.getTiles())[dim]) : IntegerAttr();
      int64_t expected = size ? size.getInt() : ShapedType::kDynamic;
      if (type.getDimSize(dim) == expected)
        continue;
      InFlightDiagnostic diagnostic = op.emitOpError() << "epilogue has a tile of type " << type << ", expected ";
      if (size)
        return diagnostic << expected << " in dimension " << dim << " as in 'tiles'";
      return diagnostic << "'?' in dimension " << dim << ", whose size is chosen";
    }
  }
  return success();
}

static LogicalResult verifyEpilogue(MatmulOp op) {
  Block &block = op.getEpilogue().front();
  for (BlockArgument argument : block.getArguments().take_front(2))
    if (!argument.getType().isIndex())
      return op.emitOpError() << "epilogue takes " << argument.getType() << " for a row or column, expected index";
  if (block.getNumArguments() != 2 + op.getRhs().size())
    return op.emitOpError() << "epilogue has " << block.getNumArguments() << " arguments, expected a row, a column and "
                            << op.getRhs().size() << " tiles";
  Type operand = cast<MemRefType>(op.getLhs().getType()).getElementType();
  Type accumulator = operand.isInteger() ? Type(IntegerType::get(op.getContext(), 32))
                     : operand.isF64()   ? operand
                                         : Type(Float32Type::get(op.getContext()));
  for (BlockArgument argument : block.getArguments().drop_front(2)) {
    auto tile = dyn_cast<RankedTensorType>(argument.getType());
    if (!tile || tile.getRank() != 2 || tile.getElementType() != accumulator)
      return op.emitOpError() << "epilogue takes " << argument.getType() << ", expected a tile of " << accumulator;
  }
  auto yield = block.empty() ? YieldOp() : dyn_cast<YieldOp>(block.back());
  if (!yield)
    return op.emitOpError() << "epilogue must end with 'tile.yield'";
  Type element = cast<MemRefType>(op.getDestination().getType()).getElementType();
  if (yield.getValue().getType().getElementType() != element)
    return yield.emitOpError() << "yields " << yield.getValue().getType() << ", expected elements of type " << element;
  return verifyEpilogueShapes(op, yield);
}

/// Rows, columns and depth over the program's extents.
static LogicalResult verifyMatmulExtents(MatmulOp op) {
  AffineExpr rows = getExtent(op.getLhs(), 0), depth = getExtent(op.getLhs(), 1);
  if (rows && failed(verifyExtent(op, op.getDestination(), 0, rows)))
    return failure();
  for (auto [rhs, transposed] : llvm::zip(op.getRhs(), op.getTransposed())) {
    if (depth && failed(verifyExtent(op, rhs, transposed ? 1 : 0, depth)))
      return failure();
    AffineExpr columns = getExtent(rhs, transposed ? 0 : 1);
    if (columns && failed(verifyExtent(op, op.getDestination(), 1, columns)))
      return failure();
  }
  return success();
}

/// Matrix instructions take two operands of one type; nothing converts implicitly.
static LogicalResult elementsDiffer(MatmulOp op, Value rhs, Type expected, Type got) {
  InFlightDiagnostic diagnostic = op.emitOpError() << "expected a right-hand side of " << expected
                                                   << ", the element type of the left one, got " << got;
  diagnostic.attachNote(rhs.getLoc())
      << "the right-hand side is declared here; a 'tile.forall' before converts its tiles "
         "into a 'tile.alloc' of "
      << expected << ", with " << howToConvert(got, expected);
  return diagnostic;
}

LogicalResult MatmulOp::verify() {
  auto lhs = cast<MemRefType>(getLhs().getType()), destination = cast<MemRefType>(getDestination().getType());
  if (getRhs().empty())
    return emitOpError() << "has no right-hand side";
  if (getTransposed().size() != getRhs().size())
    return emitOpError() << "has " << getTransposed().size() << " transpose flags for " << getRhs().size()
                         << " right-hand sides";
  if (getRhs().size() > 1 && getEpilogue().empty())
    return emitOpError() << "has " << getRhs().size() << " right-hand sides and no epilogue to combine them";
  if (getEpilogue().empty() && isa<IntegerType>(lhs.getElementType()) != isa<IntegerType>(destination.getElementType()))
    return emitOpError() << "expected a destination of "
                         << (isa<FloatType>(lhs.getElementType()) ? "floats" : "integers")
                         << " or an epilogue that converts, got " << destination;
  auto disagree = [](int64_t a, int64_t b) { return !ShapedType::isDynamic(a) && !ShapedType::isDynamic(b) && a != b; };
  if (lhs.getRank() != 2 || destination.getRank() != 2)
    return emitOpError() << "operands must have rank 2, got " << lhs << " and " << destination;
  for (auto [value, transposed] : llvm::zip(getRhs(), getTransposed())) {
    auto rhs = cast<MemRefType>(value.getType());
    if (rhs.getRank() != 2)
      return emitOpError() << "operands must have rank 2, got " << rhs;
    if (rhs.getElementType() != lhs.getElementType())
      return elementsDiffer(*this, value, lhs.getElementType(), rhs.getElementType());
    if (disagree(lhs.getDimSize(1), rhs.getDimSize(transposed ? 1 : 0)))
      return emitOpError() << "contracts " << lhs.getDimSize(1) << " columns of " << lhs << " with "
                           << rhs.getDimSize(transposed ? 1 : 0) << " of " << rhs;
    if (disagree(destination.getDimSize(1), rhs.getDimSize(transposed ? 0 : 1)))
      return emitOpError() << "product with " << rhs << " does not fit " << destination;
  }
  if (disagree(lhs.getDimSize(0), destination.getDimSize(0)))
    return emitOpError() << "product of " << lhs << " does not fit " << destination;
  if (getTiles() && getTiles()->size() != 3)
    return emitOpError() << "has " << getTiles()->size() << " tile sizes, expected rows, columns and depth";
  // Three sizes of tiles that have two each.
  for (unsigned without = 0; getTiles() && without < 3; ++without) {
    SmallVector<Attribute> sizes(getTiles()->getValue());
    sizes.erase(sizes.begin() + (2 - without));
    if (failed(verifyTileShape(*this, ArrayAttr::get(getContext(), sizes), {})))
      return failure();
  }
  if (getDestination() == getLhs() || llvm::is_contained(getRhs(), getDestination()))
    return emitOpError() << "writes a buffer that it reads";
  if (failed(verifyMatmulExtents(*this)))
    return failure();
  return getEpilogue().empty() ? success() : verifyEpilogue(*this);
}
