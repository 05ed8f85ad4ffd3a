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
      from.getRank() > 3)
    return emitOpError() << "moves " << from << " to " << into
                         << ", expected two views of one to three dimensions and the same elements";
  if (getStart().size() != from.getRank())
    return emitOpError() << "has " << getStart().size() << " coordinates, expected " << from.getRank() << " as in "
                         << from;
  constexpr int64_t most = std::numeric_limits<int32_t>::max();
  int64_t rows = getRows().value_or(1), planes = getPlanes().value_or(1);
  if (rows > most || planes > most)
    return emitOpError() << "moves " << std::max(rows, planes) << (rows > most ? " rows" : " planes")
                         << ", expected as many as 32 bits count";
  if (getRows().has_value() != (from.getRank() >= 2) || getPlanes().has_value() != (from.getRank() == 3) || rows < 1 ||
      planes < 1 || int64_t(getTileColumns()) < 1)
    return emitOpError()
           << "of " << from << " says how many rows " << (getRows() ? "there are" : "there are not")
           << (getPlanes() ? ", and planes" : "")
           << ", expected 1 or more rows of a matrix, of several also planes, and none of a row, in tiles "
              "of 1 or more columns";
  return success();
}
