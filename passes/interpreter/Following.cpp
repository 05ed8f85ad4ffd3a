// The oracle goes on with what an implementation left in scratch, so that each statement is judged by itself: a value
// that was rounded to another neighbour than the oracle's is no error in what is made of it.
#include "passes/interpreter/Inputs.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;
using namespace tilec::interpreter;

/// The last statement of the program that writes the buffer or a view of it; null without any.
static Operation *lastWriter(mlir::Value buffer, Block &program) {
  Operation *last = nullptr;
  auto join = [&](Operation *writer) {
    Operation *statement = writer ? program.findAncestorOpInBlock(*writer) : nullptr;
    if (statement && (!last || last->isBeforeInBlock(statement)))
      last = statement;
  };
  for (OpOperand &use : buffer.getUses()) {
    Operation *op = use.getOwner();
    if (auto access = dyn_cast<AccessOpInterface>(op)) {
      join(access.writesBuffer() ? op : nullptr);
    } else if (auto collective = dyn_cast<CollectiveOpInterface>(op)) {
      join(use.get() == collective.getDestination() ? op : nullptr);
    } else if (auto product = dyn_cast<MatmulOp>(op)) {
      join(&use == &product.getDestinationMutable() ? op : nullptr);
    } else {
      for (mlir::Value result : op->getResults())
        if (isa<MemRefType>(result.getType()))
          join(lastWriter(result, program));
    }
  }
  return last;
}

/// A quarter of the elements that are not zero are no greater: what a bound is held against where some elements stand
/// for minus infinity.
static double usualMagnitude(const Buffer &buffer) {
  std::vector<double> magnitudes;
  for (double value : buffer.real)
    if (value != 0 && std::isfinite(value))
      magnitudes.push_back(std::abs(value));
  if (magnitudes.empty())
    return 0;
  auto quarter = magnitudes.begin() + static_cast<std::ptrdiff_t>(magnitudes.size() / 4);
  std::nth_element(magnitudes.begin(), quarter, magnitudes.end());
  return *quarter;
}

/// Every element that the oracle has must be within a bound that tells it from others.
static Followed compared(const Buffer &own, const Buffer &left) {
  const double usual = usualMagnitude(own);
  Followed result;
  for (int64_t i = 0, n = own.size(); i < n && result.agrees; ++i) {
    double expected = own.real[i], bound = own.errorAt(i), error = std::abs(left.real[i] - expected);
    if (std::isnan(expected) || left.real[i] == expected)
      continue;
    result.agrees = error <= bound && bound < usual;
    if (!result.agrees || error > result.error) {
      result.element = i;
      result.error = error;
      result.bound = bound;
    }
  }
  return result;
}

void Interpreter::follow(Operation &statement, Left left) {
  for (AllocOp alloc : program.getBody().getOps<AllocOp>()) {
    if (alloc.getPersistent() || lastWriter(alloc.getResult(), program.getBody().front()) != &statement)
      continue;
    for (int64_t rank = 0; rank < world; ++rank) {
      Buffer &own = memory[rank][allocSlots.lookup(alloc)];
      if (!own.format.isFloat || own.isExact())
        continue;
      inexactScratch = true;
      std::optional<Buffer> other = left ? left(alloc, rank, own) : std::nullopt;
      if (!other)
        continue;
      Followed &found = followed.emplace_back(compared(own, *other));
      found.alloc = alloc;
      found.rank = rank;
      if (!found.agrees)
        continue;
      for (int64_t i = 0, n = own.size(); i < n; ++i)
        if (!std::isnan(own.real[i]))
          own.real[i] = other->real[i];
      own.error.clear();
    }
  }
}
