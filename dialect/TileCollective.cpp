// Syntax and verification of collectives and of matmul.
#include "dialect/Accumulation.h"
#include "dialect/Aliasing.h"
#include "dialect/Conversion.h"
#include "dialect/Keywords.h"
#include "dialect/KnownAttributes.h"
#include "dialect/Limits.h"
#include "dialect/Products.h"
#include "dialect/Relations.h"
#include "dialect/Schedules.h"
#include "dialect/Tile.h"

using namespace mlir;
using namespace tilec::tile;

static LogicalResult verifyTiles(Operation *op, MemRefType source, std::optional<ArrayAttr> tiles) {
  if (!tiles)
    return success();
  if (static_cast<int64_t>(tiles->size()) != source.getRank())
    return op->emitOpError() << "has tiles of rank " << tiles->size() << ", expected " << source.getRank() << " as in "
                             << source;
  return verifyTileShape(op, *tiles, {});
}

/// A sum may change its element type, but not between floats and integers; what moves elements keeps theirs.
static LogicalResult verifyElements(CollectiveOpInterface op, MemRefType source, MemRefType destination) {
  Type from = source.getElementType(), into = destination.getElementType();
  if (op.reduces() && isa<FloatType>(from) != isa<FloatType>(into))
    return op->emitOpError() << "expected a destination of " << (isa<FloatType>(from) ? "floats" : "integers")
                             << ", as the source has, got " << into;
  if (op.reduces() || from == into)
    return success();
  InFlightDiagnostic diagnostic = op->emitOpError() << "expected a destination of " << from
                                                    << ", the element type of the source, got " << into;
  diagnostic.attachNote(op.getSource().getLoc()) << "the source is declared here";
  diagnostic.attachNote(op.getDestination().getLoc()) << "the destination is declared here";
  return diagnostic;
}

static LogicalResult verifyDim(CollectiveOpInterface op, MemRefType source) {
  std::optional<uint64_t> dim = op.getPartsDim();
  if (!dim || *dim < static_cast<uint64_t>(source.getRank()))
    return success();
  InFlightDiagnostic diagnostic = op->emitOpError()
                                  << "expected a dimension below " << source.getRank() << ", the rank of " << source
                                  << ", got " << static_cast<int64_t>(*dim);
  diagnostic.attachNote(op.getSource().getLoc()) << "the source is declared here; dimensions are counted from 0";
  return diagnostic;
}

/// Sizes must agree in every dimension but that of the parts, where they are static.
static LogicalResult verifySizes(CollectiveOpInterface op, MemRefType source, MemRefType destination) {
  for (int64_t i = 0; i < source.getRank(); ++i) {
    int64_t from = source.getDimSize(i), into = destination.getDimSize(i);
    if (op.getPartsDim() != static_cast<uint64_t>(i) && !ShapedType::isDynamic(from) && !ShapedType::isDynamic(into) &&
        from != into)
      return op->emitOpError() << "expected " << from << " elements in dimension " << i
                               << " of the destination, as in the source, got " << into;
  }
  return success();
}

/// Dimension `dim` of `buffer` must be `expected`, an expression over the program's extents that follows from `other`;
/// silent where not decidable.
static LogicalResult verifyExtent(Operation *op, Value buffer, unsigned dim, AffineExpr expected, Value other) {
  auto program = op->getParentOfType<ProgramOp>();
  AffineExpr extent = getExtent(buffer, dim);
  if (!contradict(program, extent, expected))
    return success();
  InFlightDiagnostic diagnostic = op->emitOpError();
  diagnostic << "dimension " << dim << " has size " << describeExtent(program, extent) << ", expected "
             << describeExtent(program, expected);
  diagnostic.attachNote(buffer.getLoc()) << "the buffer is declared here";
  Diagnostic &note = diagnostic.attachNote(other.getLoc()) << "its size must agree with this buffer's";
  if (nameOtherExtents(program, extent, expected))
    note << ": name one extent, or state 'where " << describeExtent(program, extent)
         << " == " << describeExtent(program, expected) << "'";
  return diagnostic;
}

/// Dimension `dim` of `buffer` must be W times `part`, the size of `other`.
static LogicalResult verifyWhole(Operation *op, Value buffer, unsigned dim, AffineExpr part, Value other) {
  // Of a share of the ranks it depends on the extents of a launch: `verifyExtentsAgree` names those with which it is
  // not.
  auto share = dyn_cast<AffineBinaryOpExpr>(part);
  if (share && share.getKind() == AffineExprKind::FloorDiv && share.getLHS() == getExtent(buffer, dim))
    return success();
  return verifyExtent(op, buffer, dim, getAffineSymbolExpr(0, op->getContext()) * part, other);
}

/// Extents of one end follow from those of the other: along the dimension of parts, the end that has them is W times
/// the other.
static LogicalResult verifyExtentsFollow(CollectiveOpInterface op) {
  Value source = op.getSource(), destination = op.getDestination();
  for (int64_t i = 0; i < cast<MemRefType>(source.getType()).getRank(); ++i) {
    AffineExpr from = getExtent(source, i), into = getExtent(destination, i);
    bool parts = op.getPartsDim() == static_cast<uint64_t>(i);
    bool scatters = parts && op.hasPartsInSource() && !op.hasPartsInDestination();
    bool gathers = parts && op.hasPartsInDestination() && !op.hasPartsInSource();
    if (scatters && into && failed(verifyWhole(op, source, i, into, destination)))
      return failure();
    if (gathers && from && failed(verifyWhole(op, destination, i, from, source)))
      return failure();
    if (!scatters && !gathers && from && failed(verifyExtent(op, destination, i, from, source)))
      return failure();
  }
  return success();
}

LogicalResult CollectiveOpInterface::verifyEnds() {
  CollectiveOpInterface op = *this;
  auto source = cast<MemRefType>(op.getSource().getType()),
       destination = cast<MemRefType>(op.getDestination().getType());
  if (source.getRank() != destination.getRank())
    return op->emitOpError() << "expected a destination of rank " << source.getRank() << ", as " << source
                             << " has, got " << destination;
  if (source.getRank() > kMostTileRank)
    return op->emitOpError() << "takes buffers of " << source.getRank() << " dimensions, expected at most "
                             << kMostTileRank << ", as tiles have";
  return failure(failed(verifyTiles(op, source, op.getTiles())) || failed(verifyDim(op, source)) ||
                 failed(verifyElements(op, source, destination)) || failed(verifySizes(op, source, destination)) ||
                 failed(verifyExtentsFollow(op)) || failed(verifyAliasing(op)));
}

//===-- matmul
//------------------------------------------------------------------------------------------------------===//

/// Offsets come first, one for each dimension of the destination.
static ParseResult parseEpilogue(OpAsmParser &parser, Region &region, Type destination) {
  if (failed(parser.parseOptionalKeyword("epilogue")))
    return success();
  SmallVector<OpAsmParser::Argument> arguments;
  Type index = parser.getBuilder().getIndexType();
  auto buffer = dyn_cast<MemRefType>(destination);
  size_t offsets = buffer ? static_cast<size_t>(buffer.getRank()) : 2;
  auto parseArgument = [&]() -> ParseResult {
    OpAsmParser::Argument &argument = arguments.emplace_back();
    // Only tiles write their type.
    argument.type = index;
    return parser.parseArgument(argument, /*allowType=*/arguments.size() > offsets);
  };
  return failure(parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren, parseArgument) ||
                 parser.parseRegion(region, arguments));
}

/// A keyword and a number, where the keyword stands.
static ParseResult parseNumberBehind(OpAsmParser &parser, StringRef keyword, StringAttr name, OperationState &result) {
  int64_t number;
  if (failed(parser.parseOptionalKeyword(keyword)))
    return success();
  if (parser.parseInteger(number))
    return failure();
  result.addAttribute(name, parser.getBuilder().getI64IntegerAttr(number));
  return success();
}

ParseResult MatmulOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder &builder = parser.getBuilder();
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SmallVector<bool> transposed;
  if (succeeded(parser.parseOptionalKeyword("transpose")))
    result.addAttribute(getLhsTransposedAttrName(result.name), builder.getUnitAttr());
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
  OpAsmParser::UnresolvedOperand rows;
  Type countsType;
  bool countsRows = succeeded(parser.parseOptionalKeyword("rows"));
  if (countsRows && (parser.parseOperand(rows) || parser.parseColonType(countsType)))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("accumulate"))) {
    Accumulation accumulation;
    if (parseKeyword(parser, accumulation))
      return failure();
    result.addAttribute(getAccumulateAttrName(result.name), AccumulationAttr::get(builder.getContext(), accumulation));
  }
  if (succeeded(parser.parseOptionalKeyword("tiles"))) {
    if (parseTileShape(parser, tiles))
      return failure();
    result.addAttribute(getTilesAttrName(result.name), tiles);
  }
  if (SMLoc at = parser.getCurrentLocation(); succeeded(parser.parseOptionalKeyword("rows")))
    return parser.emitError(at)
           << "expected 'rows' right behind the destination, as in 'into %c rows %counts : memref<?xi32> tiles [..]'";
  if (succeeded(parser.parseOptionalKeyword("swapped")))
    result.addAttribute(getSwappedAttrName(result.name), builder.getUnitAttr());
  if (parseNumberBehind(parser, "split", getSplitAttrName(result.name), result) ||
      (result.attributes.get(getSplitAttrName(result.name)) &&
       parseNumberBehind(parser, "behind", getBehindAttrName(result.name), result)))
    return failure();
  if (tilec::parseKnownAttributes(parser, result,
                                  {getAccumulateAttrName(result.name), getTilesAttrName(result.name),
                                   getSwappedAttrName(result.name), getSplitAttrName(result.name),
                                   getBehindAttrName(result.name), getTransposedAttrName(result.name),
                                   getLhsTransposedAttrName(result.name)}) ||
      parser.parseColonTypeList(types) ||
      parser.resolveOperands(operands, types, parser.getCurrentLocation(), result.operands) ||
      (countsRows && parser.resolveOperand(rows, countsType, result.operands)))
    return failure();
  result.getOrAddProperties<Properties>().operandSegmentSizes = {1, static_cast<int32_t>(transposed.size()), 1,
                                                                 countsRows ? 1 : 0};
  result.addAttribute(getTransposedAttrName(result.name), builder.getDenseBoolArrayAttr(transposed));
  return parseEpilogue(parser, *result.addRegion(), types.back());
}

void MatmulOp::print(OpAsmPrinter &printer) {
  printer << (getLhsTransposed() ? " transpose " : " ") << getLhs();
  for (auto [rhs, transposed] : llvm::zip(getRhs(), getTransposed()))
    printer << ", " << (transposed ? "transpose " : "") << rhs;
  printer << " into " << getDestination();
  if (getRows())
    printer << " rows " << getRows() << " : " << getRows().getType();
  if (getAccumulate())
    printer << " accumulate " << stringifyAccumulation(*getAccumulate());
  if (getTiles()) {
    printer << " tiles ";
    printTileShape(printer, *this, *getTiles());
  }
  if (getSwapped())
    printer << " swapped";
  if (getSplit())
    printer << " split " << static_cast<int64_t>(*getSplit());
  if (getBehind())
    printer << " behind " << static_cast<int64_t>(*getBehind());
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(),
                                           {getAccumulateAttrName(), getTilesAttrName(), getTransposedAttrName(),
                                            getSwappedAttrName(), getSplitAttrName(), getBehindAttrName(),
                                            getLhsTransposedAttrName(), getOperandSegmentSizesAttrName()});
  printer << " : ";
  llvm::interleaveComma(TypeRange(getOperandTypes()).drop_back(getRows() ? 1 : 0), printer);
  if (getEpilogue().empty())
    return;
  printer << " epilogue (";
  for (BlockArgument argument : getEpilogue().getArguments()) {
    printer << (argument.getArgNumber() ? ", " : "");
    printer.printRegionArgument(argument, {}, /*omitType=*/argument.getArgNumber() < epilogueOffsets(*this));
  }
  printer << ") ";
  printer.printRegion(getEpilogue(), /*printEntryBlockArgs=*/false);
}

/// Tiles that enter and leave have the rows and columns of `tiles`, or '?' where those are parameters or not named.
static LogicalResult verifyEpilogueShapes(MatmulOp op, YieldOp yield) {
  SmallVector<Value> tiles = llvm::to_vector_of<Value>(epilogueTiles(op));
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
  if (block.getNumArguments() != epilogueOffsets(op) + op.getRhs().size())
    return op.emitOpError() << "epilogue has " << block.getNumArguments() << " arguments, expected "
                            << (leadingDims(op) ? "the number of a matrix in each leading dimension, " : "")
                            << "a row, a column and " << op.getRhs().size() << " tiles";
  for (BlockArgument argument : block.getArguments().take_front(epilogueOffsets(op)))
    if (!argument.getType().isIndex())
      return op.emitOpError() << "epilogue takes " << argument.getType() << " for a row or column, expected index";
  Type operand = cast<MemRefType>(op.getLhs().getType()).getElementType();
  Type accumulator = accumulatorOf(operand);
  for (BlockArgument argument : epilogueTiles(op)) {
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

/// The first of the two dimensions of a matrix, or of those that lie side by side.
static unsigned firstOf(Value buffer) {
  return static_cast<unsigned>(cast<MemRefType>(buffer.getType()).getRank() - 2);
}

/// What a product contracts: columns of the left-hand side with rows of a right-hand side; of either its other
/// dimension where it is transposed.
static LogicalResult verifyDepth(MatmulOp op, Value rhs, bool transposed, AffineExpr depth) {
  auto program = op->getParentOfType<ProgramOp>();
  unsigned first = firstOf(rhs);
  AffineExpr contracted = getExtent(rhs, first + (transposed ? 1 : 0)),
             columns = getExtent(rhs, first + (transposed ? 0 : 1));
  if (!contradict(program, contracted, depth))
    return success();
  InFlightDiagnostic diagnostic = op.emitOpError()
                                  << "contracts " << describeExtent(program, depth)
                                  << (op.getLhsTransposed() ? " rows" : " columns") << " of the left-hand side with "
                                  << describeExtent(program, contracted) << (transposed ? " columns" : " rows")
                                  << " of a right-hand side, expected " << describeExtent(program, depth);
  // Which operand lies the other way round, so that the result is as large as the destination.
  unsigned leading = leadingDims(op);
  AffineExpr other = getExtent(op.getLhs(), op.rowDim()), rows = getExtent(op.getDestination(), leading),
             width = getExtent(op.getDestination(), leading + 1);
  auto agree = [&](AffineExpr a, AffineExpr b) { return a && b && !contradict(program, a, b); };
  if (agree(columns, depth) && (!width || agree(contracted, width)))
    diagnostic << ": it fits " << (transposed ? "without 'transpose'" : "with 'transpose' before it");
  else if (agree(contracted, other) && (!rows || agree(depth, rows)))
    diagnostic << ": the left-hand side fits "
               << (op.getLhsTransposed() ? "without 'transpose'" : "with 'transpose' before it");
  diagnostic.attachNote(op.getLhs().getLoc()) << "the left-hand side is declared here";
  diagnostic.attachNote(rhs.getLoc()) << "the right-hand side is declared here";
  return diagnostic;
}

/// Rows, columns and depth over the program's extents.
static LogicalResult verifyMatmulExtents(MatmulOp op) {
  unsigned leading = leadingDims(op);
  AffineExpr depth = getExtent(op.getLhs(), op.depthDim());
  // First what an operand that should be transposed, or not, gets wrong.
  for (auto [rhs, transposed] : llvm::zip(op.getRhs(), op.getTransposed()))
    if (depth && failed(verifyDepth(op, rhs, transposed, depth)))
      return failure();
  for (unsigned dim = 0; dim <= leading; ++dim)
    if (AffineExpr size = getExtent(op.getLhs(), dim < leading ? dim : op.rowDim());
        size && failed(verifyExtent(op, op.getDestination(), dim, size, op.getLhs())))
      return failure();
  for (auto [rhs, transposed] : llvm::zip(op.getRhs(), op.getTransposed())) {
    AffineExpr columns = getExtent(rhs, firstOf(rhs) + (transposed ? 0 : 1));
    if (columns && failed(verifyExtent(op, op.getDestination(), leading + 1, columns, rhs)))
      return failure();
    for (unsigned dim = 0; dim < firstOf(rhs); ++dim)
      if (AffineExpr size = getExtent(rhs, dim); size && failed(verifyExtent(op, op.getDestination(), dim, size, rhs)))
        return failure();
  }
  for (unsigned dim = 0; op.getRows() && dim < leading; ++dim)
    if (AffineExpr size = getExtent(op.getRows(), dim);
        size && failed(verifyExtent(op, op.getDestination(), dim, size, op.getRows())))
      return failure();
  return success();
}

/// Of which products how many rows are in use.
static LogicalResult verifyRows(MatmulOp op) {
  if (!op.getRows())
    return success();
  auto type = cast<MemRefType>(op.getRows().getType());
  unsigned leading = leadingDims(op);
  if (op.getLhsTransposed())
    return op.emitOpError() << "takes numbers of rows for a left-hand side that is transposed, expected one that is "
                               "stored M x K";
  if (!type.getElementType().isSignlessInteger(32))
    return op.emitOpError() << "takes numbers of rows from " << type << ", expected a buffer of i32";
  if (type.getRank() != std::max(leading, 1u) || (leading == 0 && type.getDimSize(0) != 1))
    return op.emitOpError() << "takes numbers of rows from " << type << ", expected "
                            << (leading ? "the leading dimensions of " : "one element for ")
                            << op.getDestination().getType();
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

/// How tiles are made, where the program says it.
static LogicalResult verifyWay(MatmulOp op) {
  if (op.getSplit() && op.getRows())
    return op.emitOpError() << "splits the depth of a product of so many rows as data says, expected 'rows' or 'split'";
  if (op.getSplit() && leadingDims(op))
    return op.emitOpError() << "splits the depth of products of " << op.getLhs().getType()
                            << ", expected operands of two dimensions";
  if (auto split = op.getSplit(); split && static_cast<int64_t>(*split) < 2)
    return op.emitOpError() << "splits the depth into " << static_cast<int64_t>(*split)
                            << " parts, expected at least 2";
  if (op.getBehind() && !op.getSplit())
    return op.emitOpError() << "has tiles that others are behind, expected a 'split' of these";
  if (auto behind = op.getBehind(); behind && static_cast<int64_t>(*behind) < 1)
    return op.emitOpError() << "splits the tiles behind " << static_cast<int64_t>(*behind) << ", expected at least 1";
  return success();
}

unsigned MatmulOp::depthDim() { return leadingDims(*this) + (getLhsTransposed() ? 0 : 1); }
unsigned MatmulOp::rowDim() { return leadingDims(*this) + (getLhsTransposed() ? 1 : 0); }

Accumulation MatmulOp::accumulation() {
  return getAccumulate().value_or(defaultAccumulation(cast<MemRefType>(getLhs().getType()).getElementType()));
}

LogicalResult MatmulOp::verify() {
  auto lhs = cast<MemRefType>(getLhs().getType()), destination = cast<MemRefType>(getDestination().getType());
  if (getRhs().empty())
    return emitOpError() << "has no right-hand side";
  if (getAccumulate() && !isEightBitFloat(lhs.getElementType()))
    return emitOpError() << "expected operands of eight-bit floats with 'accumulate', got " << lhs.getElementType();
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
  int64_t leading = destination.getRank() - 2;
  if (leading < 0 || lhs.getRank() != destination.getRank())
    return emitOpError() << "expected a left-hand side and a destination of two dimensions, or of as many more that "
                            "number products, got "
                         << lhs << " and " << destination;
  auto side = [](MemRefType type, unsigned dim) { return type.getDimSize(type.getRank() - 2 + dim); };
  for (int64_t dim = 0; dim < leading; ++dim)
    if (disagree(lhs.getDimSize(dim), destination.getDimSize(dim)))
      return emitOpError() << "product of " << lhs << " does not fit " << destination;
  for (auto [value, transposed] : llvm::zip(getRhs(), getTransposed())) {
    auto rhs = cast<MemRefType>(value.getType());
    if (rhs.getRank() != 2 && rhs.getRank() != destination.getRank())
      return emitOpError() << "expected a right-hand side of two dimensions"
                           << (leading ? ", for all products, or of as many as the left one" : "") << ", got " << rhs;
    for (int64_t dim = 0; dim < rhs.getRank() - 2; ++dim)
      if (disagree(rhs.getDimSize(dim), destination.getDimSize(dim)))
        return emitOpError() << "product with " << rhs << " does not fit " << destination;
    if (rhs.getElementType() != lhs.getElementType())
      return elementsDiffer(*this, value, lhs.getElementType(), rhs.getElementType());
    if (int64_t depth = lhs.getDimSize(depthDim()); disagree(depth, side(rhs, transposed ? 1 : 0)))
      return emitOpError() << "contracts " << depth << (getLhsTransposed() ? " rows of " : " columns of ") << lhs
                           << " with " << side(rhs, transposed ? 1 : 0) << " of " << rhs;
    if (disagree(side(destination, 1), side(rhs, transposed ? 0 : 1)))
      return emitOpError() << "product with " << rhs << " does not fit " << destination;
  }
  if (disagree(lhs.getDimSize(rowDim()), side(destination, 0)))
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
  if (failed(verifyWay(*this)) || failed(verifyOwnSchedule(*this)) || failed(verifyRows(*this)) ||
      failed(verifyMatmulExtents(*this)))
    return failure();
  return getEpilogue().empty() ? success() : verifyEpilogue(*this);
}
