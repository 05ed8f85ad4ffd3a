// What a value is called, by its author or by what it is for.
#include "passes/prepare/HipNames.h"
#include "dialect/Identifiers.h"

using namespace mlir;
using namespace tilec;

/// What a number is for: the size or the place of something that has a name, or a step along a named index.
static std::string purposeOf(Operation *op, int depth = 4) {
  auto nameOf = [](Location loc) {
    auto name = dyn_cast<NameLoc>(loc);
    return name ? legalName(name.getName()) : std::string();
  };
  for (Operation *user : op->getUsers()) {
    std::string name = nameOf(user->getLoc());
    if (isa<hip::CopyOfOp>(user) && !name.empty())
      return name + "_bytes";
    if (isa<hip::SignalsOp>(user) && !name.empty())
      return name + "_offset";
    if (isa<hip::AdvanceOp>(user))
      for (Operation *placed : user->getUsers())
        if (std::string buffer = nameOf(placed->getLoc()); !buffer.empty())
          return buffer + "_offset";
    if (depth > 0 && isa<arith::ArithDialect>(user->getDialect()))
      if (std::string purpose = purposeOf(user, depth - 1); !purpose.empty())
        return purpose;
  }
  if (!isa<arith::MulIOp, arith::AddIOp>(op))
    return {};
  // `shard * M`, `i * 4 + rank`: from the index that varies.
  for (Value operand : op->getOperands()) {
    Operation *def = operand.getDefiningOp();
    std::string name = nameOf(operand.getLoc());
    if (isa_and_nonnull<hip::CoordinateOp, hip::RotateOp>(def) ||
        (!def && isa<scf::ForOp>(operand.getParentBlock()->getParentOp())))
      return name.empty() ? name : name + "_start";
    if (auto product = operand.getDefiningOp<arith::MulIOp>(); product && isa<arith::AddIOp>(op) && depth > 0)
      if (std::string purpose = purposeOf(product, 0); !purpose.empty())
        return purpose;
  }
  return {};
}

std::string tilec::suggestName(Operation *op) {
  if (auto name = dyn_cast<NameLoc>(op->getLoc()))
    return legalName(name.getName());
  StringRef mnemonic = op->getName().stripDialect();
  if (isa<arith::ArithDialect, math::MathDialect>(op->getDialect())) {
    std::string purpose = purposeOf(op);
    return purpose.empty() ? "value" : purpose;
  }
  if (isa<hip::ElementwiseOp>(op))
    return "out";
  if (isa<hip::MmaOp, hip::DotOp>(op))
    return "product";
  if (isa<scf::SCFDialect>(op->getDialect()))
    return "carried";
  if (isa<hip::SharedLoadOp>(op))
    for (OpOperand &use : op->getUses())
      if (isa<hip::MmaOp, hip::DotOp>(use.getOwner()))
        return use.getOperandNumber() == 0 ? "lhs" : "rhs";
  if (op->hasTrait<hip::ReadsTile>() || isa<hip::SharedLoadOp, hip::RearrangeOp>(op))
    return "tile";
  return legalName(mnemonic);
}

void ScopedNames::pop() {
  for (const Taken &taken : scopes.back()) {
    active.erase(taken.name);
    // A name as it was wanted may be another one with a number.
    if (taken.number == 1 && llvm::isDigit(taken.name.back()))
      next.clear();
    else if (auto known = next.find(taken.wanted); known != next.end() && taken.number > 1)
      known->second = std::min(known->second, taken.number);
  }
  scopes.pop_back();
}

std::string ScopedNames::add(StringRef wanted) {
  std::string name = wanted.str();
  int number = 1;
  if (!active.insert(name).second) {
    int &free = next.try_emplace(wanted, 2).first->second;
    do
      name = wanted.str() + "_" + std::to_string(number = free++);
    while (!active.insert(name).second);
  }
  scopes.back().push_back({name, wanted.str(), number});
  return name;
}
