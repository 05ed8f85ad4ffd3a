// Two waits of one task for the same signals are one: different elements may be of the same tasks, as those of two
// buffers that one task writes are.
#include "passes/waits/Synchronization.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

namespace {

/// Whether two operations do the same, with operands that are the same or computed in the same way.
class Comparison {
public:
  bool isSame(Operation *a, Operation *b) {
    auto mark = [&](Value x, Value y) { equals[x] = y; };
    auto check = [&](Value x, Value y) { return success(isSame(x, y)); };
    return OperationEquivalence::isEquivalentTo(
        a, b, check, mark, OperationEquivalence::IgnoreLocations | OperationEquivalence::IgnoreDiscardableAttrs);
  }

private:
  bool isSame(Value x, Value y) {
    if (x == y || equals.lookup(x) == y)
      return true;
    auto left = dyn_cast<OpResult>(x), right = dyn_cast<OpResult>(y);
    return left && right && left.getResultNumber() == right.getResultNumber() && isMemoryEffectFree(left.getOwner()) &&
           isSame(left.getOwner(), right.getOwner());
  }

  DenseMap<Value, Value> equals; ///< of the regions of both
};

} // namespace

/// The wait that gives a token: itself, or alone in a loop over the ranks.
static WaitOp waitOf(Operation *op) {
  if (auto loop = dyn_cast_or_null<scf::ForOp>(op)) {
    auto waits = loop.getBody()->getOps<WaitOp>();
    return llvm::hasSingleElement(waits) ? *waits.begin() : WaitOp();
  }
  return dyn_cast_or_null<WaitOp>(op);
}

Value tilec::unlessRepeated(Value token, ArrayRef<Value> known) {
  Operation *repeated = token.getDefiningOp();
  WaitOp wait = waitOf(repeated);
  for (Value earlier : known) {
    Operation *op = earlier.getDefiningOp();
    WaitOp first = waitOf(op);
    if (!wait || !first || op == repeated || op->getBlock() != repeated->getBlock() || !op->isBeforeInBlock(repeated) ||
        !Comparison().isSame(op, repeated))
      continue;
    TileDialect::CommentAttrHelper comments(wait.getContext());
    StringAttr mine = comments.getAttr(wait), its = comments.getAttr(first);
    if (mine && its && mine != its)
      comments.setAttr(first, StringAttr::get(wait.getContext(), its.getValue() + "; " + mine.getValue()));
    repeated->erase();
    return earlier;
  }
  return token;
}
