// The second checker: LDS against barriers, loads against their waits. Shares no code with the passes before it.
#include "passes/Passes.h"
#include "passes/SharedExecution.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

namespace tilec {
#define GEN_PASS_DEF_CHECK
#include "passes/Passes.h.inc"
} // namespace tilec

namespace {

class Check : public tilec::impl::CheckBase<Check> {
public:
  using CheckBase::CheckBase;

  void runOnOperation() override {
    bool wrong = false;
    for (KernelOp kernel : getOperation().getBody().getOps<KernelOp>()) {
      wrong |= failed(SharedExecution(kernel).run());
      kernel.walk([&](AccessOpInterface access) { wrong |= failed(checkTokens(access)); });
      ++numKernels;
    }
    if (wrong)
      signalPassFailure();
  }

private:
  /// The waits behind the tokens of an access are those that `partition` wrote down. That they dominate is SSA.
  LogicalResult checkTokens(AccessOpInterface access) {
    auto expected = access->getAttrOfType<DenseI64ArrayAttr>("tile.waits");
    if (!expected)
      return success();
    ++numProtected;
    std::set<int64_t> found;
    SmallVector<Value> work;
    for (OpOperand &token : access.getAfterTokensMutable())
      work.push_back(token.get());
    while (!work.empty()) {
      Operation *op = work.pop_back_val().getDefiningOp();
      auto number = op ? op->getAttrOfType<IntegerAttr>("tile.wait_number") : nullptr;
      if (number && isa<WaitOp>(op))
        found.insert(number.getInt());
      if (isa_and_nonnull<JoinOp>(op))
        llvm::append_range(work, op->getOperands());
    }
    for (int64_t wait : expected.asArrayRef())
      if (!found.contains(wait))
        return access->emitOpError() << "comes after " << found.size() << " waits without number " << wait
                                     << ", expected all " << expected.size() << " that protected it before";
    return success();
  }
};

} // namespace
