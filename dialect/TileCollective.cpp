// Syntax and verification of collectives and of matmul.
#include "dialect/Tile.h"

using namespace mlir;
using namespace tilec::tile;

/// What holds for every collective from `source` into `destination`.
static LogicalResult verifyPair(Operation *op, MemRefType source, MemRefType destination, std::optional<ArrayAttr> tiles) {
  if (source.getRank() != destination.getRank())
    return op->emitOpError() << "source has rank " << source.getRank() << ", destination rank " << destination.getRank();
  if (op->getOperand(0) == op->getOperand(1))
    return op->emitOpError() << "source and destination are one buffer";
  if (!tiles)
    return success();
  if (static_cast<int64_t>(tiles->size()) != source.getRank())
    return op->emitOpError() << "has tiles of rank " << tiles->size() << ", expected " << source.getRank() << " as in " << source;
  return verifyTileShape(op, *tiles, {});
}

static LogicalResult verifySameElements(Operation *op, MemRefType source, MemRefType destination) {
  if (source.getElementType() != destination.getElementType())
    return op->emitOpError() << "moves " << source.getElementType() << " into " << destination.getElementType();
  return success();
}

static LogicalResult verifyDim(Operation *op, MemRefType source, uint64_t dim) {
  if (dim >= static_cast<uint64_t>(source.getRank()))
    return op->emitOpError() << "dimension " << dim << " of " << source << ", which has rank " << source.getRank();
  return success();
}

/// Sizes must agree in every dimension but `except`, where they are static.
static LogicalResult verifySizes(Operation *op, MemRefType source, MemRefType destination, int64_t except = -1) {
  for (int64_t i = 0; i < source.getRank(); ++i) {
    int64_t from = source.getDimSize(i), into = destination.getDimSize(i);
    if (i != except && !ShapedType::isDynamic(from) && !ShapedType::isDynamic(into) && from != into)
      return op->emitOpError() << "dimension " << i << " has " << from << " elements in the source and " << into
                               << " in the destination";
  }
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

LogicalResult AllGatherOp::verify() { return verifyDimCollective(*this, true); }
LogicalResult ReduceScatterOp::verify() { return verifyDimCollective(*this, false); }
LogicalResult AllToAllOp::verify() { return verifyDimCollective(*this, true); }

LogicalResult AllReduceOp::verify() {
  MemRefType source = getSource().getType(), destination = getDestination().getType();
  return failure(failed(verifyPair(*this, source, destination, getTiles())) ||
                 failed(verifySizes(*this, source, destination)));
}

LogicalResult ShiftOp::verify() {
  MemRefType source = getSource().getType(), destination = getDestination().getType();
  return failure(failed(verifyPair(*this, source, destination, getTiles())) ||
                 failed(verifySizes(*this, source, destination)) ||
                 failed(verifySameElements(*this, source, destination)));
}

//===-- matmul ------------------------------------------------------------------------------------------------------===//

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

static LogicalResult verifyEpilogue(MatmulOp op) {
  Block &block = op.getEpilogue().front();
  if (block.getNumArguments() != 2 + op.getRhs().size())
    return op.emitOpError() << "epilogue has " << block.getNumArguments() << " arguments, expected a row, a column and "
                            << op.getRhs().size() << " tiles";
  Type accumulator = cast<MemRefType>(op.getLhs().getType()).getElementType().isInteger()
                         ? Type(IntegerType::get(op.getContext(), 32))
                         : Type(Float32Type::get(op.getContext()));
  for (BlockArgument argument : block.getArguments().drop_front(2)) {
    auto tile = dyn_cast<RankedTensorType>(argument.getType());
    if (!tile || tile.getRank() != 2 || tile.getElementType() != accumulator)
      return op.emitOpError() << "epilogue takes " << argument.getType() << ", expected a tile of " << accumulator;
  }
  auto yield = dyn_cast<YieldOp>(block.getTerminator());
  if (!yield)
    return op.emitOpError() << "epilogue must end with 'tile.yield'";
  Type element = cast<MemRefType>(op.getDestination().getType()).getElementType();
  if (yield.getValue().getType().getElementType() != element)
    return yield.emitOpError() << "yields " << yield.getValue().getType() << ", expected elements of type " << element;
  return success();
}

LogicalResult MatmulOp::verify() {
  auto lhs = cast<MemRefType>(getLhs().getType()), destination = cast<MemRefType>(getDestination().getType());
  if (getRhs().empty())
    return emitOpError() << "has no right-hand side";
  if (getTransposed().size() != getRhs().size())
    return emitOpError() << "has " << getTransposed().size() << " transpose flags for " << getRhs().size() << " right-hand sides";
  if (getRhs().size() > 1 && getEpilogue().empty())
    return emitOpError() << "has " << getRhs().size() << " right-hand sides and no epilogue to combine them";
  auto disagree = [](int64_t a, int64_t b) { return !ShapedType::isDynamic(a) && !ShapedType::isDynamic(b) && a != b; };
  if (lhs.getRank() != 2 || destination.getRank() != 2)
    return emitOpError() << "operands must have rank 2, got " << lhs << " and " << destination;
  for (auto [value, transposed] : llvm::zip(getRhs(), getTransposed())) {
    auto rhs = cast<MemRefType>(value.getType());
    if (rhs.getRank() != 2)
      return emitOpError() << "operands must have rank 2, got " << rhs;
    if (rhs.getElementType() != lhs.getElementType())
      return emitOpError() << "multiplies " << lhs.getElementType() << " with " << rhs.getElementType();
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
  if (getTiles() && failed(verifyTileShape(*this, *getTiles(), {})))
    return failure();
  return getEpilogue().empty() ? success() : verifyEpilogue(*this);
}
