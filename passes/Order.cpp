// Each tile loop gets an order of its tasks: steps that are bijections by construction. Changes no body.
#include "passes/Order.h"
#include "dialect/Suggestion.h"
#include "passes/Passes.h"
#include "passes/ProgramTarget.h"
#include "passes/analysis/IndexForm.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

namespace tilec {
#define GEN_PASS_DEF_ORDER
#include "passes/Passes.h.inc"
} // namespace tilec

LogicalResult tilec::requireOrder(Location loc, StringRef kind) {
  static constexpr StringRef kinds[] = {"auto", "none", "remap", "chunked", "grouped", "rank-first"};
  if (llvm::is_contained(kinds, kind))
    return success();
  return emitError(loc) << "unknown order '" << kind << "', expected " << listNames(kinds) << didYouMean(kind, kinds);
}

namespace {

class Order : public tilec::impl::OrderBase<Order> {
public:
  using OrderBase::OrderBase;

  void runOnOperation() override {
    ProgramOp program = getOperation();
    FailureOr<Target> loaded = programTarget(program, target);
    if (failed(loaded))
      return signalPassFailure();
    chiplets = loaded->chiplets;
    if (failed(requireOrder(program.getLoc(), kind)))
      return signalPassFailure();
    program.walk([&](ForallOp forall) {
      if (!forall.getOrder() && isa<RoleOp>(forall->getParentOp()))
        setOrder(forall);
    });
  }

private:
  void setOrder(ForallOp forall) {
    MLIRContext *context = &getContext();
    SmallVector<Attribute> steps;
    bool automatic = kind == "auto";
    bool multiplies = forall.walk([](DotOp) { return WalkResult::interrupt(); }).wasInterrupted();
    if (kind == "remap" && chiplets > 1)
      steps.push_back(RemapAttr::get(context, chiplets));
    if (kind == "chunked" && chiplets > 1)
      steps.push_back(ChunkedAttr::get(context, chiplets, chunk));
    // A window of rows re-uses the columns' operand: only products read both.
    if (forall.getGridRank() >= 2 && (kind == "grouped" || (automatic && multiplies)))
      steps.push_back(GroupedAttr::get(context, height));
    if (kind == "rank-first" || automatic)
      if (std::optional<unsigned> dim = peerDimension(forall))
        steps.push_back(RankFirstAttr::get(context, *dim));
    forall.setOrderAttr(ArrayAttr::get(context, steps));
    ordered += !steps.empty();
  }

  /// The index that names another rank in an access or signal of the body: starting at our own rank, the ranks' traffic
  /// is spread over all links instead of meeting at one.
  std::optional<unsigned> peerDimension(ForallOp forall) {
    std::optional<unsigned> dim;
    forall.walk([&](AccessOpInterface access) {
      auto index = dyn_cast_or_null<BlockArgument>(access.getAccessRank());
      if (index && index.getOwner()->getParentOp() == forall)
        dim = index.getArgNumber();
    });
    if (!dim)
      return std::nullopt;
    auto bounds = overExtents(*forall.getBounds(), forall.getExtents(), *getOperation().getWorld());
    bool all = bounds && (*bounds)[*dim] == getAffineConstantExpr(*getOperation().getWorld(), &getContext());
    return all ? dim : std::nullopt;
  }

  int64_t chiplets = 1;
};

} // namespace
