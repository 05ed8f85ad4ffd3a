// Verifiers of what a copy engine does beside a kernel.
#include "dialect/Hip.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::hip;

LogicalResult EngineOp::verify() {
  Block &body = getBody().front();
  if (getSources().size() != body.getNumArguments())
    return emitOpError() << "says of " << getSources().size() << " arguments where they come from, expected "
                         << body.getNumArguments();
  if (body.getNumArguments() == 0 || !isa<ContextType>(body.getArgument(0).getType()))
    return emitOpError() << "does not begin with its copies, expected them as the first argument";
  return success();
}

LogicalResult MoveOp::verify() {
  ViewType from = getFrom().getType(), into = getInto().getType();
  if (from.getElement() != into.getElement() || from.getRank() != into.getRank() || from.getRank() < 1 ||
      from.getRank() > 2)
    return emitOpError() << "moves " << from << " to " << into
                         << ", expected two views of one or two dimensions and the same elements";
  if (getStart().size() != from.getRank())
    return emitOpError() << "has " << getStart().size() << " coordinates, expected " << from.getRank() << " as in "
                         << from;
  if (int64_t(getRows().value_or(1)) > std::numeric_limits<int32_t>::max())
    return emitOpError() << "moves " << static_cast<int64_t>(*getRows()) << " rows, expected as many as 32 bits count";
  if (getRows().has_value() != (from.getRank() == 2) || int64_t(getRows().value_or(1)) < 1 ||
      int64_t(getTileColumns()) < 1)
    return emitOpError() << "of " << from << " says how many rows " << (getRows() ? "there are" : "there are not")
                         << ", expected 1 or more of a matrix and none of a row, in tiles of 1 or more columns";
  return success();
}
