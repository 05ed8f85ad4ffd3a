// Syntax and verification of computation on tiles.
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
  if (parseTileShape(parser, tile) || parser.parseOptionalAttrDict(result.attributes) || parser.parseColonType(type))
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
    return parser.emitError(loc) << "literal does not fit elements of type " << element;
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
    return emitOpError() << "needs either a value or a literal";
  Type element = getType().getElementType(), given = getOperand() ? getOperand().getType() : getLiteral()->getType();
  if (given != element)
    return emitOpError() << "repeats a value of type " << given << " in " << getType();
  return verifyTileShape(*this, getTile(), getType());
}

LogicalResult IotaOp::verify() {
  if (getDim() >= static_cast<uint64_t>(getType().getRank()))
    return emitOpError() << "dimension " << getDim() << " of " << getType() << ", which has rank "
                         << getType().getRank();
  if (!getType().getElementType().isInteger(32))
    return emitOpError() << "elements of type " << getType().getElementType() << ", expected i32";
  return verifyTileShape(*this, getTile(), getType());
}

LogicalResult DotOp::verify() {
  auto lhs = getLhs().getType(), rhs = getRhs().getType(), acc = getAcc().getType();
  if (lhs.getRank() != 2 || rhs.getRank() != 2 || acc.getRank() != 2)
    return emitOpError() << "operands must have rank 2, got " << lhs << ", " << rhs << " and " << acc;
  if (lhs.getElementType() != rhs.getElementType())
    return emitOpError() << "operands have element types " << lhs.getElementType() << " and " << rhs.getElementType()
                         << ", expected one";
  if (lhs.getElementType().isInteger(1))
    return emitOpError() << "multiplies elements of type i1";
  Type element = lhs.getElementType(), expected = Float32Type::get(getContext());
  if (element.isInteger())
    expected = IntegerType::get(getContext(), 32);
  else if (element.isF64())
    expected = element;
  if (acc.getElementType() != expected)
    return emitOpError() << "accumulates " << element << " products in " << acc.getElementType() << ", expected "
                         << expected;
  if (getAccumulate() && (!isa<FloatType>(element) || element.getIntOrFloatBitWidth() != 8))
    return emitOpError() << "says how products of " << element
                         << " accumulate, which is open for eight-bit floats alone";
  int64_t depth = rhs.getDimSize(getTranspose() ? 1 : 0), columns = rhs.getDimSize(getTranspose() ? 0 : 1);
  if (!agrees(lhs.getDimSize(1), depth))
    return emitOpError() << "contracts " << lhs.getDimSize(1) << " columns of the left operand with " << depth
                         << " of the right one";
  if (!agrees(lhs.getDimSize(0), acc.getDimSize(0)) || !agrees(columns, acc.getDimSize(1)))
    return emitOpError() << "accumulator has type " << acc << ", expected " << lhs.getDimSize(0) << " x " << columns;
  return success();
}

LogicalResult ReduceOp::verify() {
  auto operand = getOperand().getType(), result = getType();
  if (getDim() >= static_cast<uint64_t>(operand.getRank()))
    return emitOpError() << "dimension " << getDim() << " of " << operand << ", which has rank " << operand.getRank();
  SmallVector<int64_t> shape(operand.getShape());
  shape.erase(shape.begin() + getDim());
  if (operand.getElementType() != result.getElementType() || static_cast<int64_t>(shape.size()) != result.getRank() ||
      !llvm::all_of_zip(shape, result.getShape(), agrees))
    return emitOpError() << "result has type " << result << ", expected " << operand << " without dimension "
                         << getDim();
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

LogicalResult BroadcastOp::verify() {
  auto operand = getOperand().getType(), result = getType();
  if (static_cast<int64_t>(getDims().size()) != operand.getRank())
    return emitOpError() << "names " << getDims().size() << " dimensions, expected " << operand.getRank() << " as in "
                         << operand;
  if (operand.getElementType() != result.getElementType())
    return emitOpError() << "changes the element type from " << operand.getElementType() << " to "
                         << result.getElementType();
  for (auto [i, dim] : llvm::enumerate(getDims())) {
    if (dim < 0 || dim >= result.getRank() || (i && getDims()[i - 1] >= dim))
      return emitOpError() << "dimensions must be increasing and below " << result.getRank();
    if (!agrees(operand.getDimSize(i), result.getDimSize(dim)))
      return emitOpError() << "dimension " << i << " of " << operand << " does not fit dimension " << dim << " of "
                           << result;
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
      return emitOpError() << "is no permutation of " << operand.getRank() << " dimensions";
    seen[dim] = true;
    if (!agrees(result.getDimSize(i), operand.getDimSize(dim)))
      return emitOpError() << "result has type " << result << ", which is no permutation of " << operand;
  }
  if (operand.getElementType() != result.getElementType())
    return emitOpError() << "changes the element type from " << operand.getElementType() << " to "
                         << result.getElementType();
  return success();
}

LogicalResult ReshapeOp::verify() {
  auto operand = getOperand().getType(), result = getType();
  if (operand.getElementType() != result.getElementType())
    return emitOpError() << "changes the element type from " << operand.getElementType() << " to "
                         << result.getElementType();
  if (failed(verifyTileSizes(*this, operand)) || failed(verifyTileSizes(*this, result)))
    return failure();
  if (operand.hasStaticShape() && result.hasStaticShape() && operand.getNumElements() != result.getNumElements())
    return emitOpError() << "makes " << result.getNumElements() << " elements of " << operand.getNumElements();
  return verifyTileShape(*this, getTile(), result);
}
