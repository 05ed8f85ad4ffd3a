// Each tile loop gets an order of its tasks: steps that are bijections by construction. Changes no body.
#include "passes/Passes.h"
#include "passes/ProgramTarget.h"
#include "passes/analysis/Footprint.h"
#include "passes/analysis/SharedReads.h"
#include "passes/schedule/Producer.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

namespace tilec {
#define GEN_PASS_DEF_ORDER
#include "passes/Passes.h.inc"
} // namespace tilec

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
    units = loaded->unitsPerChiplet;
    rule = program.getOrder().value_or(OrderRuleAttr::getDefault(&getContext()));
    findKernelsWithSteps();
    sent = footprintsIn(program);
    llvm::erase_if(sent, [](const Footprint &access) { return !access.writes || !access.rank; });
    program.walk([&](ForallOp forall) {
      if (!forall.getOrder() && isa<RoleOp>(forall->getParentOp()))
        setOrder(forall);
    });
  }

private:
  void setOrder(ForallOp forall) {
    MLIRContext *context = &getContext();
    SmallVector<Attribute> steps;
    OrderKind kind = rule.getKind();
    bool automatic = kind == OrderKind::Auto;
    DotOp product;
    forall.walk([&](DotOp dot) { product = dot; });
    // Tasks that wait for others of their loop stay in the order of steps: only what is inside of a step may change.
    bool inSteps = waitsForItsOwn(forall);
    if (kind == OrderKind::Remap && chiplets > 1 && !inSteps)
      steps.push_back(RemapAttr::get(context, chiplets));
    if (kind == OrderKind::Chunked && chiplets > 1 && !inSteps)
      steps.push_back(ChunkedAttr::get(context, chiplets, rule.getSize()));
    SharedReads reads = SharedReads::of(forall);
    // What other ranks wait for is sent first; what a rank has itself is multiplied first.
    std::optional<unsigned> rankDim =
        kind == OrderKind::RankFirst || automatic ? rankDimension(forall, inSteps) : std::nullopt;
    bool byHead =
        product && reads.areByHead() && !inSteps && (kind == OrderKind::HeadFirst || (automatic && chiplets > 1));
    if (byHead)
      addHeadFirst(forall, reads, steps);
    // A window of rows re-uses the columns' operand: only products read both.
    else if (forall.getGridRank() >= (inSteps ? 3 : 2) && (kind == OrderKind::Grouped || (automatic && product)))
      steps.push_back(GroupedAttr::get(context, automatic && chiplets == 1
                                                    ? std::min(windowOf(product), tilesOfPart(forall, rankDim))
                                                    : rule.getSize()));
    if (rankDim)
      steps.push_back(RankFirstAttr::get(context, *rankDim, /*ahead=*/sendsToOthers(forall, *rankDim) ? 1 : 0));
    forall.setOrderAttr(ArrayAttr::get(context, steps));
    ordered += !steps.empty();
  }

  /// Tasks that read the same come one after the other, and all tasks of a head to one chiplet, where tasks are dealt
  /// out by number. Where some tasks have longer loops than others, which only tickets balance, this takes an order
  /// that asks for it; the heads that share what they read go on side by side, so that those that run at once are
  /// alike.
  void addHeadFirst(ForallOp forall, const SharedReads &reads, SmallVectorImpl<Attribute> &steps) {
    MLIRContext *context = &getContext();
    auto kernel = forall->getParentOfType<KernelOp>();
    bool isAsked = rule.getKind() == OrderKind::HeadFirst;
    if (chiplets > 1 && (isAsked || !reads.isUneven) && schedule::dealingFor(kernel) == Dealing::Strided) {
      kernel.setDealing(Dealing::Strided);
      steps.push_back(RemapAttr::get(context, chiplets));
    }
    SmallVector<int64_t> dims = reads.headFirst();
    if (!llvm::is_sorted(dims))
      steps.push_back(PermutedAttr::get(context, dims));
    else if (reads.isUneven && reads.group > 1 && reads.dims.test(dims.size() - 2))
      steps.push_back(GroupedAttr::get(context, reads.group));
  }

  /// The tile loop around a signal if it is in the same kernel as `forall`.
  static ForallOp signallerOf(Operation *user, ForallOp forall) {
    auto signal = dyn_cast<SignalOp>(user);
    auto from = signal ? signal->getParentOfType<ForallOp>() : ForallOp();
    return from && from->getParentOfType<KernelOp>() == forall->getParentOfType<KernelOp>() ? from : ForallOp();
  }

  /// Kernels in which tasks wait for those of their own loop or of a later one. In others no loop waits for itself.
  void findKernelsWithSteps() {
    kernelsWithSteps.clear();
    llvm::DenseMap<Operation *, unsigned> number;
    getOperation().walk([&](ForallOp forall) { number.try_emplace(forall, number.size()); });
    getOperation().walk([&](WaitOp wait) {
      auto forall = wait->getParentOfType<ForallOp>();
      if (!forall)
        return;
      for (Operation *user : wait.getSignals().getUsers())
        if (ForallOp from = signallerOf(user, forall); from && number.at(from) >= number.at(forall))
          kernelsWithSteps.insert(forall->getParentOfType<KernelOp>());
    });
  }

  /// True when tasks of a loop wait for its other tasks, or for those of other roles of its kernel that wait for them.
  bool waitsForItsOwn(ForallOp forall) const {
    if (!kernelsWithSteps.contains(forall->getParentOfType<KernelOp>()))
      return false;
    llvm::SetVector<Operation *> awaited;
    auto addAwaited = [&](Operation *loop) {
      loop->walk([&](WaitOp wait) {
        for (Operation *user : wait.getSignals().getUsers())
          if (ForallOp from = signallerOf(user, forall))
            awaited.insert(from);
      });
    };
    addAwaited(forall);
    for (size_t i = 0; i < awaited.size(); ++i)
      addAwaited(awaited[i]);
    return awaited.contains(forall);
  }

  /// Rows of a window for which the tiles that run at once read the fewest rows and columns from one cache.
  int64_t windowOf(DotOp product) const {
    constexpr int64_t most = 32;
    int64_t best = 1, fewest = std::numeric_limits<int64_t>::max();
    for (int64_t height = 1; height <= most; height *= 2) {
      int64_t read =
          height * product.getType().getDimSize(0) + llvm::divideCeil(units, height) * product.getType().getDimSize(1);
      if (read < fewest) {
        fewest = read;
        best = height;
      }
    }
    return best;
  }

  /// Tiles of a rank's part of the rows of a grid whose rows come from one rank after the other: a window of more would
  /// begin with rows that are still on their way. As many as can be where that is not known.
  int64_t tilesOfPart(ForallOp forall, std::optional<unsigned> rankDim) {
    auto bounds = overExtents(*forall.getBounds(), forall.getExtents(), *getOperation().getWorld());
    bool ofRows = bounds && rankDim && *rankDim + 2 == bounds->size();
    auto rows = ofRows ? dyn_cast<AffineConstantExpr>((*bounds)[*rankDim]) : AffineConstantExpr();
    int64_t tiles = rows ? rows.getValue() / *getOperation().getWorld() : 0;
    return tiles > 0 ? tiles : std::numeric_limits<int64_t>::max();
  }

  /// Whether the tasks of a loop over ranks do nothing for this one.
  static bool sendsToOthers(ForallOp forall, unsigned dim) {
    bool all = true;
    forall.walk([&](AccessOpInterface access) { all &= isForOthers(access, forall.getIndices()[dim]); });
    return all;
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

  std::optional<unsigned> rankDimension(ForallOp forall, bool inSteps) {
    std::optional<unsigned> peer = peerDimension(forall);
    return peer || inSteps ? peer : partDimension(forall);
  }

  /// The index along a dimension of a buffer of which each rank has its part, and sends it to its peers: what a task
  /// reads there comes from one rank after the other, its own first, which is there when the tasks begin.
  std::optional<unsigned> partDimension(ForallOp forall) {
    std::optional<unsigned> dim;
    forall.walk([&](LoadOp load) {
      Footprint read = Footprint::of(cast<AccessOpInterface>(load.getOperation()));
      for (size_t d = 0; d < read.first.size() && !read.rank; ++d)
        for (auto [variable, factor] : read.first[d].terms) {
          auto index = dyn_cast<BlockArgument>(variable);
          if (index && index.getOwner()->getParentOp() == forall && isSentInParts(read.root, d))
            dim = index.getArgNumber();
        }
    });
    return dim;
  }

  /// Whether ranks send parts of a buffer to their peers, each its own: as many in a dimension as there are ranks.
  bool isSentInParts(Value root, size_t dim) {
    AffineExpr extent = shapeOf(root)[dim];
    return extent && llvm::any_of(sent, [&](const Footprint &part) {
             if (part.root != root || dim >= part.clipFirst.size())
               return false;
             return llvm::any_of(part.clipFirst[dim].terms, [&](const auto &term) {
               return term.first.template getDefiningOp<RankOp>() &&
                      simplifyAffineExpr(term.second * *getOperation().getWorld() - extent, 0, 64) ==
                          getAffineConstantExpr(0, &getContext());
             });
           });
  }

  OrderRuleAttr rule;
  std::vector<Footprint> sent; // what goes to other ranks
  llvm::DenseSet<Operation *> kernelsWithSteps;
  int64_t chiplets = 1, units = 1;
};

} // namespace
