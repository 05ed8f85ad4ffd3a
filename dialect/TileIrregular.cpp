// Syntax and verification of gather, scatter and read, and their access interface.
#include "dialect/Access.h"

using namespace mlir;
using namespace tilec::tile;

//===-- syntax
//------------------------------------------------------------------------------------------------------===//

ParseResult tilec::tile::parseEachCoordinates(OpAsmParser &parser,
                                              SmallVectorImpl<OpAsmParser::UnresolvedOperand> &indices,
                                              IntegerAttr &each, UnitAttr &at) {
  SMLoc begin = parser.getCurrentLocation();
  bool isAt = succeeded(parser.parseOptionalKeyword("at"));
  if (isAt)
    at = parser.getBuilder().getUnitAttr();
  auto parseIndex = [&]() -> ParseResult {
    SMLoc loc = parser.getCurrentLocation();
    bool isEach = succeeded(parser.parseOptionalKeyword("each"));
    if (isEach && each)
      return parser.emitError(loc) << "names the elements of a second dimension, expected 'each' once";
    if (isEach)
      each = parser.getBuilder().getI64IntegerAttr(static_cast<int64_t>(indices.size()));
    return parser.parseOperand(indices.emplace_back());
  };
  if (parser.parseCommaSeparatedList(isAt ? OpAsmParser::Delimiter::Paren : OpAsmParser::Delimiter::Square, parseIndex))
    return failure();
  if (!each)
    return parser.emitError(begin) << "expected 'each' before the index that is a tile, as in '[each %ids, %n]'";
  return success();
}

void tilec::tile::printEachCoordinates(OpAsmPrinter &printer, Operation *, OperandRange indices, IntegerAttr each,
                                       UnitAttr at) {
  printer << (at ? " at (" : "[");
  llvm::interleaveComma(llvm::enumerate(indices), printer, [&](auto index) {
    printer << (static_cast<int64_t>(index.index()) == each.getInt() ? "each " : "") << index.value();
  });
  printer << (at ? ")" : "]");
}

ParseResult tilec::tile::parseEachTypes(OpAsmParser &parser, ArrayRef<OpAsmParser::UnresolvedOperand> indices,
                                        IntegerAttr each, SmallVectorImpl<Type> &types) {
  types.assign(indices.size(), parser.getBuilder().getIndexType());
  return parser.parseType(types[each.getInt()]);
}

void tilec::tile::printEachTypes(OpAsmPrinter &printer, Operation *, OperandRange, IntegerAttr each, TypeRange types) {
  printer << types[each.getInt()];
}

//===-- verification
//------------------------------------------------------------------------------------------------===//

/// One index is a list of elements as long as the tile is in that dimension.
static LogicalResult verifyEach(Operation *op, Value buffer, RankedTensorType tile, OperandRange indices,
                                uint64_t each) {
  if (each >= indices.size())
    return op->emitOpError() << "names the elements of dimension " << static_cast<int64_t>(each) << " of "
                             << buffer.getType() << ", which has no such dimension";
  for (auto [dim, index] : llvm::enumerate(indices))
    if (dim != each && !index.getType().isIndex())
      return op->emitOpError() << "index " << dim << " has type " << index.getType()
                               << ", expected 'each' before it or an index";
  Value list = indices[each];
  auto type = dyn_cast<RankedTensorType>(list.getType());
  if (!type || type.getRank() != 1 || !type.getElementType().isSignlessInteger(32)) {
    InFlightDiagnostic diagnostic = op->emitOpError() << "expected a tile of i32 with one dimension behind 'each', got "
                                                      << list.getType();
    diagnostic.attachNote(list.getLoc()) << "the indices are made here";
    return diagnostic;
  }
  int64_t leading = static_cast<int64_t>(indices.size()) - tile.getRank();
  if (static_cast<int64_t>(each) < leading)
    return op->emitOpError() << "names the elements of dimension " << each << " of " << buffer.getType()
                             << ", which the tile lacks: expected a tile of rank "
                             << static_cast<int64_t>(indices.size() - each) << " at least, got " << tile;
  int64_t size = tile.getDimSize(static_cast<int64_t>(each) - leading), count = type.getDimSize(0);
  if (ShapedType::isDynamic(size) || ShapedType::isDynamic(count) || size == count)
    return success();
  InFlightDiagnostic diagnostic = op->emitOpError() << "has " << count << " indices for dimension " << each
                                                    << ", expected " << size << ", the size of the tile there";
  diagnostic.attachNote(list.getLoc()) << "the indices are made here";
  return diagnostic;
}

LogicalResult GatherOp::verify() {
  auto buffer = cast<MemRefType>(getBuffer().getType());
  return failure(failed(verifyTileShape(*this, getTile(), getType())) ||
                 failed(verifyAccess(*this, buffer, getType(), getIndices(), getFrom())) ||
                 failed(verifyOtherwise(*this, buffer, getOtherwise())) ||
                 failed(verifyEach(*this, getBuffer(), getType(), getIndices(), getEach())));
}

LogicalResult ScatterOp::verify() {
  return failure(failed(verifyAccess(*this, cast<MemRefType>(getBuffer().getType()), getValue().getType(), getIndices(),
                                     getTo())) ||
                 failed(verifyEach(*this, getBuffer(), getValue().getType(), getIndices(), getEach())));
}

LogicalResult ReadOp::verify() {
  auto buffer = cast<MemRefType>(getBuffer().getType());
  if (!buffer.getElementType().isSignlessInteger(32))
    return emitOpError() << "reads a number of " << buffer << ", expected a buffer of i32";
  return verifyAccess(*this, buffer, RankedTensorType::get({}, buffer.getElementType()), getIndices(),
                      /*rank=*/Value());
}

//===-- accesses
//----------------------------------------------------------------------------------------------------===//

SmallVector<int64_t> AccessOpInterface::getMovedShape() {
  SmallVector<int64_t> shape = getFootprintShape();
  if (std::optional<unsigned> each = getEachDim())
    shape[*each] = cast<RankedTensorType>(getAccessIndices()[*each].getType()).getDimSize(0);
  return shape;
}

static SmallVector<int64_t> wholeAlong(unsigned each, SmallVector<int64_t> shape) {
  shape[each] = AccessOpInterface::kWholeDimension;
  return shape;
}

Value GatherOp::getAccessedBuffer() { return getBuffer(); }
OperandRange GatherOp::getAccessIndices() { return getIndices(); }
bool GatherOp::hasElementOffsets() { return getAt(); }
std::optional<unsigned> GatherOp::getEachDim() { return getEach(); }
Value GatherOp::getAccessRank() { return getFrom(); }
SmallVector<int64_t> GatherOp::getFootprintShape() {
  return wholeAlong(getEach(), footprintOf(getBuffer(), getType()));
}
bool GatherOp::readsBuffer() { return true; }
bool GatherOp::writesBuffer() { return false; }
MutableOperandRange GatherOp::getAfterTokensMutable() { return getAfterMutable(); }

Value ScatterOp::getAccessedBuffer() { return getBuffer(); }
OperandRange ScatterOp::getAccessIndices() { return getIndices(); }
bool ScatterOp::hasElementOffsets() { return getAt(); }
std::optional<unsigned> ScatterOp::getEachDim() { return getEach(); }
Value ScatterOp::getAccessRank() { return getTo(); }
SmallVector<int64_t> ScatterOp::getFootprintShape() {
  return wholeAlong(getEach(), footprintOf(getBuffer(), getValue().getType()));
}
bool ScatterOp::readsBuffer() { return false; }
bool ScatterOp::writesBuffer() { return true; }
MutableOperandRange ScatterOp::getAfterTokensMutable() { return getAfterMutable(); }

Value ReadOp::getAccessedBuffer() { return getBuffer(); }
OperandRange ReadOp::getAccessIndices() { return getIndices(); }
bool ReadOp::hasElementOffsets() { return true; }
Value ReadOp::getAccessRank() { return {}; }
SmallVector<int64_t> ReadOp::getFootprintShape() { return SmallVector<int64_t>(getIndices().size(), 1); }
bool ReadOp::readsBuffer() { return true; }
bool ReadOp::writesBuffer() { return false; }
MutableOperandRange ReadOp::getAfterTokensMutable() { return getAfterMutable(); }
