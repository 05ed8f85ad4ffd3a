#include "dialect/OwnWorkgroups.h"

#include "dialect/Limits.h"

using namespace mlir;
using namespace tilec::tile;

ParseResult tilec::tile::parseOwnWorkgroups(OpAsmParser &parser, OperationState &result, StringAttr name,
                                            StringAttr param) {
  if (failed(parser.parseOptionalKeyword("on")))
    return success();
  StringAttr symbol;
  if (param && succeeded(parser.parseOptionalSymbolName(symbol))) {
    result.addAttribute(param, FlatSymbolRefAttr::get(symbol));
    return parser.parseKeyword("workgroups");
  }
  int64_t workgroups;
  if (parser.parseInteger(workgroups) || parser.parseKeyword("workgroups"))
    return failure();
  result.addAttribute(name, parser.getBuilder().getI64IntegerAttr(workgroups));
  return success();
}

static bool canBeNumber(int64_t number) { return number > 0 && number <= int64_t{kMostWorkgroups}; }

LogicalResult tilec::tile::verifyOwnWorkgroups(Operation *op, std::optional<uint64_t> workgroups) {
  if (workgroups && !canBeNumber(static_cast<int64_t>(*workgroups)))
    return op->emitOpError() << "runs on " << static_cast<int64_t>(*workgroups) << " workgroups, expected 1 to "
                             << kMostWorkgroups;
  return success();
}

LogicalResult tilec::tile::verifyOwnWorkgroups(Operation *op, FlatSymbolRefAttr reference) {
  if (failed(verifyParam(op, reference)))
    return failure();
  auto param = cast<ParamOp>(op->getParentOfType<ProgramOp>().lookupSymbol(reference.getAttr()));
  for (int64_t choice : param.getChoices())
    if (!canBeNumber(choice)) {
      InFlightDiagnostic diagnostic = op->emitOpError() << "runs on " << choice << " workgroups by parameter "
                                                        << reference << ", expected 1 to " << kMostWorkgroups;
      diagnostic.attachNote(param.getLoc()) << "the choices are declared here";
      return diagnostic;
    }
  return success();
}

bool tilec::tile::isNumberOfWorkgroups(ParamOp param) {
  auto program = param->getParentOfType<ProgramOp>();
  return llvm::any_of(program.getBody().getOps<ForallOp>(), [&](ForallOp statement) {
    FlatSymbolRefAttr name = statement.getWorkgroupsParamAttr();
    return name && name.getAttr() == param.getSymNameAttr();
  });
}
