// Syntax of fragments, and what may stand in one.
#include "dialect/Suggestion.h"
#include "dialect/Tile.h"

#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

ParseResult FragmentOp::parse(OpAsmParser &parser, OperationState &result) {
  StringAttr name;
  SmallVector<Attribute> sizes;
  SmallVector<OpAsmParser::Argument> arguments;
  auto parseSize = [&]() -> ParseResult {
    StringAttr size;
    if (parser.parseSymbolName(size))
      return failure();
    sizes.push_back(size);
    return success();
  };
  if (parser.parseSymbolName(name, getSymNameAttrName(result.name), result.attributes) ||
      parser.parseCommaSeparatedList(OpAsmParser::Delimiter::OptionalLessGreater, parseSize) ||
      parser.parseArgumentList(arguments, OpAsmParser::Delimiter::Paren, /*allowType=*/true) ||
      tilec::parseKnownAttributes(parser, result, {getSymNameAttrName(result.name), getSizesAttrName(result.name)}))
    return failure();
  result.addAttribute(getSizesAttrName(result.name), parser.getBuilder().getArrayAttr(sizes));
  return parser.parseRegion(*result.addRegion(), arguments);
}

void FragmentOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printer.printSymbolName(getSymName());
  if (!getSizes().empty()) {
    printer << '<';
    llvm::interleaveComma(getSizes().getAsValueRange<StringAttr>(), printer,
                          [&](StringRef size) { printer.printSymbolName(size); });
    printer << '>';
  }
  printer << '(';
  llvm::interleaveComma(getBody().getArguments(), printer,
                        [&](BlockArgument argument) { printer.printRegionArgument(argument); });
  printer << ") ";
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(), {getSymNameAttrName(), getSizesAttrName()});
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

/// Statements, scratch, collectives and signals are a program's; sizes of buffers are extents, which a fragment does
/// not know.
static bool mayStandInFragment(Operation &op) {
  if (!isa<TileDialect>(op.getDialect()) || isa<CallOp, ReturnOp, AccessOpInterface>(op))
    return true;
  return isMemoryEffectFree(&op) && !isa<ExtentOp, ParamOp>(op);
}

LogicalResult FragmentOp::verify() {
  if (failed(verifyIdentifier(*this, getSymName())))
    return failure();
  llvm::SmallDenseSet<StringRef> seen;
  for (StringRef size : getSizes().getAsValueRange<StringAttr>())
    if (!seen.insert(size).second)
      return emitOpError() << "names size '@" << size << "' twice";
  if (getBody().front().empty() || !isa<ReturnOp>(getBody().front().back()))
    return emitOpError() << "ends without a 'tile.return'";
  WalkResult result = getBody().walk([&](Operation *op) {
    if (mayStandInFragment(*op))
      return WalkResult::advance();
    InFlightDiagnostic diagnostic = op->emitOpError() << "stands in a fragment, expected what is part of a task";
    diagnostic.attachNote(getLoc()) << "the fragment is here";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

LogicalResult CallOp::verify() {
  if (!(*this)->getParentOfType<ProgramOp>() && !(*this)->getParentOfType<FragmentOp>())
    return emitOpError() << "stands in no 'tile.program' and in no 'tile.fragment'";
  for (Attribute size : getSizes()) {
    auto number = dyn_cast<IntegerAttr>(size);
    if (!number && failed(verifyParam(*this, size)))
      return failure();
    if (number && number.getInt() < 1)
      return emitOpError() << "gives size " << number.getInt() << ", expected at least 1";
  }
  return success();
}
