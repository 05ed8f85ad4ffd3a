// Syntax and verification of computation on tiles.
#include "dialect/Accumulation.h"
#include "dialect/Combination.h"
#include "dialect/Conversion.h"
#include "dialect/KnownAttributes.h"
#include "dialect/Tile.h"

using namespace mlir;
using namespace tilec::tile;

/// Static sizes agree when equal; an unknown one agrees with everything.
static bool agrees(int64_t a, int64_t b) { return a == b || ShapedType::isDynamic(a) || ShapedType::isDynamic(b); }

ParseResult SplatOp::parse(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand operand;
  OptionalParseResult hasOperand = parser.parseOptionalOperand(operand);
  if (hasOperand.has_value() && *hasOperand)
    return failure();
  SMLoc loc = parser.getCurrentLocation();
  double number = 0;
  bool negative = false, isInteger = false;
  int64_t integer = 0;
  if (!hasOperand.has_value()) {
    negative = succeeded(parser.parseOptionalMinus());
    OptionalParseResult parsed = parser.parseOptionalInteger(integer);
    isInteger = parsed.has_value();
    if ((isInteger && *parsed) || (!isInteger && parser.parseFloat(number)))
      return failure();
  }
  ArrayAttr tile;
  Type type;
  if (parseTileShape(parser, tile) ||
      tilec::parseKnownAttributes(parser, result, {getTileAttrName(result.name), getLiteralAttrName(result.name)},
                                  /*hasKeyword=*/false) ||
      parser.parseColonType(type))
    return failure();
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return parser.emitError(loc) << "splat of type " << type << ", expected a tensor";
  result.addAttribute(getTileAttrName(result.name), tile);
  result.addTypes(type);
  Type element = tensor.getElementType();
  if (hasOperand.has_value())
    return parser.resolveOperand(operand, element, result.operands);
  double value = (negative ? -1 : 1) * (isInteger ? static_cast<double>(integer) : number);
  if (isa<FloatType>(element))
    result.addAttribute(getLiteralAttrName(result.name), FloatAttr::get(element, value));
  else if (!isInteger || !element.isSignlessInteger())
    return parser.emitError(loc) << "expected a literal of type " << element << ", got "
                                 << (isInteger ? "an integer" : "a float");
  else if (unsigned width = element.getIntOrFloatBitWidth(); width < 64 &&
                                                             !llvm::isIntN(width, negative ? -integer : integer) &&
                                                             !(!negative && llvm::isUIntN(width, integer)))
    return parser.emitError(loc) << "literal " << (negative ? -integer : integer) << " does not fit elements of type "
                                 << element;
  else
    result.addAttribute(getLiteralAttrName(result.name),
                        IntegerAttr::get(element, APInt(width, negative ? -integer : integer, /*isSigned=*/true,
                                                        /*implicitTrunc=*/true)));
  return success();
}

void SplatOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  if (getOperand())
    printer.printOperand(getOperand());
  else
    printer.printAttributeWithoutType(*getLiteral());
  printer << ' ';
  printTileShape(printer, *this, getTile());
  printer.printOptionalAttrDict((*this)->getAttrs(), {getLiteralAttrName(), getTileAttrName()});
  printer << " : " << getType();
}

LogicalResult SplatOp::verify() {
  if (static_cast<bool>(getOperand()) == static_cast<bool>(getLiteral()))
    return emitOpError() << "expected either a value or a literal, got " << (getOperand() ? "both" : "neither");
  Type element = getType().getElementType(), given = getOperand() ? getOperand().getType() : getLiteral()->getType();
  if (given != element)
    return emitOpError() << "expected a value of type " << element << ", as the elements of " << getType() << ", got "
                         << given;
  return verifyTileShape(*this, getTile(), getType());
}

LogicalResult IotaOp::verify() {
  if (getDim() >= static_cast<uint64_t>(getType().getRank()))
    return emitOpError() << "expected a dimension below " << getType().getRank() << ", the rank of " << getType()
                         << ", got " << getDim();
  if (!getType().getElementType().isInteger(32))
    return emitOpError() << "expected elements of type i32, got " << getType().getElementType();
  return verifyTileShape(*this, getTile(), getType());
}

/// Matrix instructions take two operands of one type; nothing converts implicitly.
static LogicalResult elementsDiffer(DotOp op, Type lhs, Type rhs) {
  InFlightDiagnostic diagnostic = op.emitOpError()
                                  << "expected a right operand of " << lhs << ", as the left one has, got " << rhs;
  diagnostic.attachNote(op.getRhs().getLoc())
      << "the right operand is made here; convert it with " << howToConvert(rhs, lhs);
  return diagnostic;
}

bool tilec::tile::isEightBitFloat(Type element) {
  return isa<FloatType>(element) && element.getIntOrFloatBitWidth() == 8;
}

Accumulation tilec::tile::defaultAccumulation(Type element) {
  return isEightBitFloat(element) ? Accumulation::Promoted : Accumulation::Exact;
}

Type tilec::tile::accumulatorOf(Type element) {
  if (element.isF64() || element.isInteger(64))
    return element;
  return isa<IntegerType>(element) ? Type(IntegerType::get(element.getContext(), 32))
                                   : Type(Float32Type::get(element.getContext()));
}

Accumulation DotOp::accumulation() {
  return getAccumulate().value_or(defaultAccumulation(getLhs().getType().getElementType()));
}

LogicalResult DotOp::verify() {
  auto lhs = getLhs().getType(), rhs = getRhs().getType(), acc = getAcc().getType();
  if (lhs.getRank() != 2 || rhs.getRank() != 2 || acc.getRank() != 2)
    return emitOpError() << "operands must have rank 2, got " << lhs << ", " << rhs << " and " << acc;
  if (lhs.getElementType() != rhs.getElementType())
    return elementsDiffer(*this, lhs.getElementType(), rhs.getElementType());
  if (lhs.getElementType().isInteger(1))
    return emitOpError() << "expected operands of numbers, got elements of type i1";
  Type element = lhs.getElementType(), expected = accumulatorOf(element);
  if (acc.getElementType() != expected)
    return emitOpError() << "accumulates " << element << " products in " << acc.getElementType() << ", expected "
                         << expected;
  if (getAccumulate() && !isEightBitFloat(element))
    return emitOpError() << "expected operands of eight-bit floats with 'accumulate', got " << element;
  int64_t depth = rhs.getDimSize(getTranspose() ? 1 : 0), columns = rhs.getDimSize(getTranspose() ? 0 : 1);
  if (!agrees(this->depth(), depth))
    return emitOpError() << "expected " << this->depth() << (getTranspose() ? " columns" : " rows")
                         << " in the right operand, as the left one has " << (getLhsTransposed() ? "rows" : "columns")
                         << ", got " << depth;
  int64_t rows = lhs.getDimSize(rowDim());
  if (!agrees(rows, acc.getDimSize(0)) || !agrees(columns, acc.getDimSize(1)))
    return emitOpError() << "accumulator has type " << acc << ", expected " << rows << " x " << columns;
  return success();
}

/// Bits are those of integers; a tile of i1 has nothing but bits.
static LogicalResult verifyKind(Operation *op, Reduction kind, Type element) {
  bool isBit = element.isInteger(1);
  if (isBitwise(kind) ? isa<IntegerType>(element) : !isBit)
    return success();
  return op->emitOpError() << "combines elements of type " << element << " by '" << stringifyReduction(kind)
                           << "', expected " << (isBit ? "'and', 'or' or 'xor'" : "integers");
}

/// A result is the operand without the dimension, of elements of a type of its own.
static LogicalResult verifyReduced(Operation *op, RankedTensorType operand, uint64_t dim, RankedTensorType result,
                                   Type element) {
  if (dim >= static_cast<uint64_t>(operand.getRank()))
    return op->emitOpError() << "expected a dimension below " << operand.getRank() << ", the rank of " << operand
                             << ", got " << dim;
  SmallVector<int64_t> shape(operand.getShape());
  shape.erase(shape.begin() + dim);
  if (element == result.getElementType() && static_cast<int64_t>(shape.size()) == result.getRank() &&
      llvm::all_of_zip(shape, result.getShape(), agrees))
    return success();
  return op->emitOpError() << "result has type " << result << ", expected "
                           << RankedTensorType::get(operand.getShape(), element) << " without dimension " << dim;
}

LogicalResult ArgReduceOp::verify() {
  RankedTensorType operand = getOperand().getType();
  Type element = operand.getElementType();
  if (!picksElement(getKind()))
    return emitOpError() << "has kind '" << stringifyReduction(getKind()) << "', expected 'maximum' or 'minimum'";
  return failure(
      failed(verifyKind(*this, getKind(), element)) ||
      failed(verifyReduced(*this, operand, getDim(), getValue().getType(), element)) ||
      failed(verifyReduced(*this, operand, getDim(), getPlace().getType(), IntegerType::get(getContext(), 32))));
}

LogicalResult ReduceOp::verify() {
  auto operand = getOperand().getType(), result = getType();
  if (failed(verifyKind(*this, getKind(), operand.getElementType())) ||
      failed(verifyReduced(*this, operand, getDim(), result, operand.getElementType())))
    return failure();
  if (!getScratch())
    return success();
  auto scratch = cast<MemRefType>(getScratch().getType());
  if (!isa_and_nonnull<SharedAttr>(scratch.getMemorySpace()) || scratch.getElementType() != result.getElementType() ||
      scratch.getRank() == 0 || scratch.getShape().drop_front() != result.getShape())
    return emitOpError() << "has scratch of type " << scratch << ", expected partial results of type " << result
                         << " in LDS";
  return success();
}

void ReduceOp::getEffects(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  for (OpOperand &operand : getScratchMutable()) {
    effects.emplace_back(MemoryEffects::Write::get(), &operand);
    effects.emplace_back(MemoryEffects::Read::get(), &operand);
  }
}

LogicalResult ScanOp::verify() {
  RankedTensorType operand = getOperand().getType();
  Type element = operand.getElementType();
  if (getDim() >= static_cast<uint64_t>(operand.getRank()))
    return emitOpError() << "expected a dimension below " << operand.getRank() << ", the rank of " << operand
                         << ", got " << getDim();
  if (element.isInteger(1) || isEightBitFloat(element))
    return emitOpError() << "scans elements of type " << element
                         << ", expected a wider type: convert them before, with "
                         << (element.isInteger(1) ? "'arith.extui'" : "'arith.extf'");
  if (failed(verifyKind(*this, getKind(), element)))
    return failure();
  if (!getScratch())
    return success();
  auto scratch = cast<MemRefType>(getScratch().getType());
  if (!isa_and_nonnull<SharedAttr>(scratch.getMemorySpace()) || scratch.getElementType() != element ||
      scratch.getRank() != 1)
    return emitOpError() << "has scratch of type " << scratch << ", expected one dimension of " << element << " in LDS";
  return success();
}

void ScanOp::getEffects(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  for (OpOperand &operand : getScratchMutable()) {
    effects.emplace_back(MemoryEffects::Write::get(), &operand);
    effects.emplace_back(MemoryEffects::Read::get(), &operand);
  }
}

LogicalResult BroadcastOp::verify() {
  auto operand = getOperand().getType(), result = getType();
  if (static_cast<int64_t>(getDims().size()) != operand.getRank())
    return emitOpError() << "names " << getDims().size() << " dimensions, expected " << operand.getRank() << " as in "
                         << operand;
  if (operand.getElementType() != result.getElementType())
    return emitOpError() << "expected a result of " << operand.getElementType()
                         << ", the element type of the operand, got " << result.getElementType();
  for (auto [i, dim] : llvm::enumerate(getDims())) {
    if (dim < 0 || dim >= result.getRank() || (i && getDims()[i - 1] >= dim))
      return emitOpError() << "expected increasing dimensions below " << result.getRank() << ", the rank of " << result
                           << ", got " << dim;
    if (!agrees(operand.getDimSize(i), result.getDimSize(dim)))
      return emitOpError() << "expected " << operand.getDimSize(i) << " elements in dimension " << dim
                           << " of the result, as dimension " << i << " of " << operand << " has, got " << result;
  }
  return verifyTileShape(*this, getTile(), result);
}

LogicalResult TransposeOp::verify() {
  auto operand = getOperand().getType(), result = getType();
  SmallVector<bool> seen(operand.getRank(), false);
  if (static_cast<int64_t>(getPermutation().size()) != operand.getRank() || result.getRank() != operand.getRank())
    return emitOpError() << "permutes " << getPermutation().size() << " dimensions, expected " << operand.getRank();
  for (auto [i, dim] : llvm::enumerate(getPermutation())) {
    if (dim < 0 || dim >= operand.getRank() || seen[dim])
      return emitOpError() << "expected each dimension below " << operand.getRank() << " once, got " << dim
                           << (dim < 0 || dim >= operand.getRank() ? "" : " twice");
    seen[dim] = true;
    if (!agrees(result.getDimSize(i), operand.getDimSize(dim)))
      return emitOpError() << "expected " << operand.getDimSize(dim) << " elements in dimension " << i
                           << " of the result, as dimension " << dim << " of " << operand << " has, got " << result;
  }
  if (operand.getElementType() != result.getElementType())
    return emitOpError() << "expected a result of " << operand.getElementType()
                         << ", the element type of the operand, got " << result.getElementType();
  return success();
}

LogicalResult ReshapeOp::verify() {
  auto operand = getOperand().getType(), result = getType();
  if (operand.getElementType() != result.getElementType())
    return emitOpError() << "expected a result of " << operand.getElementType()
                         << ", the element type of the operand, got " << result.getElementType();
  if (failed(verifyTileSizes(*this, operand)) || failed(verifyTileSizes(*this, result)))
    return failure();
  if (operand.hasStaticShape() && result.hasStaticShape() && operand.getNumElements() != result.getNumElements())
    return emitOpError() << "expected a result of " << operand.getNumElements() << " elements, as the operand has, got "
                         << result.getNumElements();
  return verifyTileShape(*this, getTile(), result);
}
