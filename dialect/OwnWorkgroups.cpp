#include "dialect/OwnWorkgroups.h"

#include "dialect/Limits.h"

using namespace mlir;
using namespace tilec::tile;

ParseResult tilec::tile::parseOwnWorkgroups(OpAsmParser &parser, OperationState &result, StringAttr name) {
  if (failed(parser.parseOptionalKeyword("on")))
    return success();
  int64_t workgroups;
  if (parser.parseInteger(workgroups) || parser.parseKeyword("workgroups"))
    return failure();
  result.addAttribute(name, parser.getBuilder().getI64IntegerAttr(workgroups));
  return success();
}

LogicalResult tilec::tile::verifyOwnWorkgroups(Operation *op, std::optional<uint64_t> workgroups) {
  if (workgroups && (*workgroups == 0 || *workgroups > kMostWorkgroups))
    return op->emitOpError() << "runs on " << static_cast<int64_t>(*workgroups) << " workgroups, expected 1 to "
                             << kMostWorkgroups;
  return success();
}
