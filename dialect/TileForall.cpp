// Syntax and verification of tile loops.
#include "dialect/KnownAttributes.h"
#include "dialect/OwnWorkgroups.h"
#include "dialect/Schedules.h"
#include "dialect/Tile.h"

using namespace mlir;
using namespace tilec::tile;

/// How the tasks are done: their order, workgroups of their own, steps.
static ParseResult parseHow(OpAsmParser &parser, OperationState &result) {
  ArrayAttr order;
  if (succeeded(parser.parseOptionalKeyword("order"))) {
    if (parser.parseAttribute(order))
      return failure();
    result.addAttribute(ForallOp::getOrderAttrName(result.name), order);
  }
  if (parseOwnWorkgroups(parser, result, ForallOp::getWorkgroupsAttrName(result.name),
                         ForallOp::getWorkgroupsParamAttrName(result.name)))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("steps")))
    result.addAttribute(ForallOp::getStepsAttrName(result.name), parser.getBuilder().getUnitAttr());
  return success();
}

ParseResult ForallOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder &builder = parser.getBuilder();
  SmallVector<OpAsmParser::Argument> indices;
  SmallVector<OpAsmParser::UnresolvedOperand> operands, buffer;
  ArrayAttr params = builder.getArrayAttr({});
  // Without parentheses the syntax is shown below.
  if (parser.parseArgumentList(indices, OpAsmParser::Delimiter::OptionalParen))
    return failure();
  for (OpAsmParser::Argument &index : indices)
    index.type = builder.getIndexType();
  if (succeeded(parser.parseOptionalKeyword("over"))) {
    ArrayAttr tiles;
    if (parser.parseOperand(buffer.emplace_back()))
      return failure();
    if (failed(parser.parseOptionalKeyword("tiles")))
      return parser.emitError(parser.getCurrentLocation())
             << "expected the shape of a tile behind the buffer, as in 'over %c tiles [64, 64]'";
    if (parseTileShape(parser, tiles))
      return failure();
    result.addAttribute(getTilesAttrName(result.name), tiles);
  } else if (succeeded(parser.parseOptionalKeyword("in"))) {
    AffineMapAttr bounds;
    if (parseExtents(parser, operands, bounds, params))
      return failure();
    result.addAttribute(getBoundsAttrName(result.name), bounds);
  } else {
    return parser.emitError(parser.getCurrentLocation())
           << "expected the tiles of a buffer or numbers of tasks, as in 'tile.forall (%i, %j) over %c tiles [64, 64]' "
              "or 'tile.forall (%i, %j) in [4, 8]'";
  }
  if (parseHow(parser, result))
    return failure();
  if (tilec::parseKnownAttributes(parser, result,
                                  {getTilesAttrName(result.name), getBoundsAttrName(result.name),
                                   getOrderAttrName(result.name), getParamsAttrName(result.name),
                                   getWorkgroupsAttrName(result.name), getWorkgroupsParamAttrName(result.name),
                                   getStepsAttrName(result.name)}) ||
      parser.resolveOperands(operands, builder.getIndexType(), result.operands))
    return failure();
  Type bufferType;
  if (!buffer.empty() && failed(parser.parseOptionalColon()))
    return parser.emitError(parser.getCurrentLocation())
           << "expected ':' and the type of the buffer, as in 'over %c tiles [64, 64] : memref<?x?xf32>'";
  if (!buffer.empty() && (parser.parseType(bufferType) || parser.resolveOperands(buffer, bufferType, result.operands)))
    return failure();
  result.addAttribute(getParamsAttrName(result.name), params);
  result.addAttribute(getOperandSegmentSizeAttr(), builder.getDenseI32ArrayAttr({static_cast<int32_t>(operands.size()),
                                                                                 static_cast<int32_t>(buffer.size())}));
  Region *body = result.addRegion();
  if (parser.parseRegion(*body, indices))
    return failure();
  if (body->empty())
    body->emplaceBlock();
  return success();
}

void ForallOp::print(OpAsmPrinter &printer) {
  printer << " (";
  llvm::interleaveComma(getIndices(), printer,
                        [&](BlockArgument index) { printer.printRegionArgument(index, {}, /*omitType=*/true); });
  printer << ")";
  if (getBuffer()) {
    printer << " over ";
    printer.printOperand(getBuffer());
    printer << " tiles ";
    printTileShape(printer, *this, *getTiles());
  } else {
    printer << " in ";
    printExtentList(printer, getExtents(), *getBounds(), getParams());
  }
  if (getOrder())
    printer << " order " << *getOrder();
  if (getWorkgroups())
    printer << " on " << *getWorkgroups() << " workgroups";
  else if (FlatSymbolRefAttr param = getWorkgroupsParamAttr())
    printer << " on " << param << " workgroups";
  if (getSteps())
    printer << " steps";
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(),
                                           {getTilesAttrName(), getBoundsAttrName(), getOrderAttrName(),
                                            getParamsAttrName(), getWorkgroupsAttrName(), getWorkgroupsParamAttrName(),
                                            getStepsAttrName(), getOperandSegmentSizeAttr()});
  if (getBuffer())
    printer << " : " << getBuffer().getType();
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false, /*printBlockTerminators=*/true);
}

void ForallOp::build(OpBuilder &builder, OperationState &state, AffineMap bounds, ValueRange operands) {
  state.addOperands(operands);
  state.addAttribute(getBoundsAttrName(state.name), AffineMapAttr::get(bounds));
  state.addAttribute(getParamsAttrName(state.name), builder.getArrayAttr({}));
  state.addAttribute(getOperandSegmentSizeAttr(),
                     builder.getDenseI32ArrayAttr({static_cast<int32_t>(operands.size()), 0}));
  Block &body = state.addRegion()->emplaceBlock();
  for (unsigned i = 0; i < bounds.getNumResults(); ++i)
    body.addArgument(builder.getIndexType(), state.location);
}

namespace {
/// What a step of an order changes; the steps of an order come in this order.
enum class OrderStage { Number, Tile, Index };
} // namespace

static OrderStage stageOf(Attribute step) {
  if (isa<RankFirstAttr>(step))
    return OrderStage::Index;
  return isa<GroupedAttr, DiagonalAttr, PermutedAttr>(step) ? OrderStage::Tile : OrderStage::Number;
}

/// Whether a step can be one of a grid of this rank.
static LogicalResult verifyOrderStep(ForallOp op, Attribute step) {
  auto first = dyn_cast<RankFirstAttr>(step);
  if (first && first.getDim() >= static_cast<int64_t>(op.getGridRank()))
    return op.emitOpError() << "expected an order that rotates a dimension below " << op.getGridRank()
                            << ", the rank of the grid, got " << first.getDim();
  if (isa<GroupedAttr>(step) && op.getGridRank() < 2)
    return op.emitOpError() << "order groups rows of a grid of rank " << op.getGridRank() << ", expected at least 2";
  if (isa<DiagonalAttr>(step) && op.getGridRank() < 2)
    return op.emitOpError() << "order walks diagonals of a grid of rank " << op.getGridRank()
                            << ", expected at least 2";
  auto permuted = dyn_cast<PermutedAttr>(step);
  if (permuted && permuted.getDims().size() != op.getGridRank())
    return op.emitOpError() << "order permutes " << permuted.getDims().size() << " dimensions, expected "
                            << op.getGridRank() << ", the rank of the grid";
  return success();
}

static LogicalResult verifyOrder(ForallOp op) {
  Attribute before;
  for (Attribute step : op.getOrder().value_or(ArrayAttr::get(op.getContext(), {}))) {
    if (failed(verifyOrderStep(op, step)))
      return failure();
    OrderStage stage = stageOf(step), last = before ? stageOf(before) : OrderStage::Number;
    if (stage < last)
      return op.emitOpError() << "order has " << step << " behind " << before
                              << ", expected what deals tasks out, then what makes tiles of their numbers, then what "
                                 "rotates an index";
    if (stage == OrderStage::Tile && stage == last)
      return op.emitOpError() << "order makes tiles of numbers by " << before << " and by " << step
                              << ", expected one of these";
    before = step;
  }
  return success();
}

/// In a program or a role, or in a loop of steps of one of them.
static bool standsAsStatement(ForallOp op) {
  Operation *parent = op->getParentOp();
  if (isa_and_nonnull<scf::ForOp>(parent))
    parent = parent->getParentOp();
  return isa_and_nonnull<ProgramOp, RoleOp>(parent);
}

LogicalResult ForallOp::verify() {
  if (!standsAsStatement(*this))
    return emitOpError() << "must be a statement of a 'tile.program', alone or in one 'scf.for', or stand in a "
                            "'tile.role'";
  if (getSteps() && getIndices().empty())
    return emitOpError() << "has 'steps' and no index, expected the first one to number them";
  if (failed(verifyOwnWorkgroups(*this, getWorkgroups())) || failed(verifyOwnSchedule(*this)))
    return failure();
  if (getEngine() && getWorkgroups() != 1)
    return emitOpError() << "is the copy engine's, which counts as one workgroup: expected 'on 1 workgroups'";
  if ((getWorkgroups() || getWorkgroupsParam()) && !isa<ProgramOp>((*this)->getParentOp()))
    return emitOpError() << "runs on workgroups of its own inside a '" << (*this)->getParentOp()->getName()
                         << "', expected a statement of a 'tile.program' outside of loops";
  if (getWorkgroups() && getWorkgroupsParam())
    return emitOpError() << "runs on " << *getWorkgroups() << " workgroups and on as many as parameter "
                         << getWorkgroupsParamAttr() << " says, expected one of the two";
  if (getWorkgroupsParam() && failed(verifyOwnWorkgroups(*this, getWorkgroupsParamAttr())))
    return failure();
  if (static_cast<bool>(getBuffer()) != static_cast<bool>(getTiles()) ||
      static_cast<bool>(getBuffer()) == static_cast<bool>(getBounds()))
    return emitOpError() << "expected either bounds or a buffer with tiles, got "
                         << (getBuffer() && getBounds() ? "both" : "something else");
  for (BlockArgument index : getIndices())
    if (!index.getType().isIndex())
      return emitOpError() << "index has type " << index.getType() << ", expected index";
  if (failed(verifyOrder(*this)))
    return failure();
  if (getBounds()) {
    if (getBounds()->getNumResults() != getGridRank())
      return emitOpError() << "has " << getGridRank() << " indices, expected " << getBounds()->getNumResults()
                           << " as there are bounds";
    return verifyExtents(*this, getExtents().size(), *getBounds(), getParams());
  }
  auto type = cast<MemRefType>(getBuffer().getType());
  if (type.getRank() != getGridRank())
    return emitOpError() << "has " << getGridRank() << " indices, expected " << type.getRank() << " as in " << type;
  if (static_cast<int64_t>(getTiles()->size()) != type.getRank())
    return emitOpError() << "has tiles of rank " << getTiles()->size() << ", expected " << type.getRank() << " as in "
                         << type;
  return verifyTileShape(*this, *getTiles(), {});
}
