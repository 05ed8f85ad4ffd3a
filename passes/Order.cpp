// Each tile loop gets an order of its tasks: steps that are bijections by construction. Changes no body.
#include "dialect/Limits.h"
#include "passes/Passes.h"
#include "passes/ProgramTarget.h"
#include "passes/analysis/Footprint.h"
#include "passes/analysis/SharedReads.h"
#include "passes/analysis/Wavefront.h"
#include "passes/schedule/Producer.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

#include <numeric>

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
    machine = *loaded;
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
    bool automatic = rule.has(OrderKind::Auto);
    DotOp product;
    forall.walk([&](DotOp dot) { product = dot; });
    // Tasks that wait for others of their loop stay in the order of steps: only what is inside of a step may change.
    bool inSteps = waitsForItsOwn(forall);
    if (rule.has(OrderKind::Remap) && chiplets > 1 && !inSteps)
      steps.push_back(RemapAttr::get(context, chiplets));
    if (rule.has(OrderKind::Chunked) && chiplets > 1 && !inSteps)
      steps.push_back(ChunkedAttr::get(context, chiplets, *rule.sizeOf(OrderKind::Chunked)));
    SharedReads reads = SharedReads::of(forall);
    // What other ranks wait for is sent first; what a rank has itself is multiplied first.
    std::optional<unsigned> rankDim =
        rule.has(OrderKind::RankFirst) || automatic ? rankDimension(forall, inSteps) : std::nullopt;
    bool byHead =
        product && reads.areByHead() && !inSteps && (rule.has(OrderKind::HeadFirst) || (automatic && chiplets > 1));
    if (byHead)
      addHeadFirst(forall, reads, steps);
    else if (goesByDiagonals(forall, inSteps))
      steps.push_back(DiagonalAttr::get(context));
    // A window of rows re-uses the columns' operand: only products read both.
    else if (forall.getGridRank() >= (inSteps ? 3 : 2) && (rule.has(OrderKind::Grouped) || (automatic && product)))
      steps.push_back(GroupedAttr::get(
          context, isMeasured() ? std::min(windowOf(product, forall), tilesOfPart(forall, rankDim)) : windowOfRule()));
    if (rankDim) {
      RankFirstAttr fromHere = fromRank(forall, *rankDim);
      if (SmallVector<int64_t> dims = depthFirst(forall); fromHere.getBackward() && !dims.empty() && steps.empty())
        steps.push_back(PermutedAttr::get(context, dims));
      steps.push_back(fromHere);
    }
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
    bool isAsked = rule.has(OrderKind::HeadFirst);
    if (chiplets > 1 && (isAsked || !reads.isUneven) && schedule::dealingFor(kernel, machine) == Dealing::Strided) {
      kernel.setDealing(Dealing::Strided);
      steps.push_back(RemapAttr::get(context, chiplets));
    }
    SmallVector<int64_t> dims = reads.headFirst();
    if (!llvm::is_sorted(dims))
      steps.push_back(PermutedAttr::get(context, dims));
    else if (reads.isUneven && reads.group > 1 && reads.group <= int64_t(kMostWindow) &&
             reads.dims.test(dims.size() - 2))
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

  /// Asked for, or tasks wait for those above them and to their left: by anti-diagonals the ones that wait for each
  /// other are furthest apart. Of tasks in steps, those of one step, or where tasks wait for such as come before.
  bool goesByDiagonals(ForallOp forall, bool inSteps) const {
    bool automatic = rule.has(OrderKind::Auto);
    if (forall.getGridRank() < 2 || !(rule.has(OrderKind::Diagonal) || automatic))
      return false;
    Wavefront waits = inSteps ? Wavefront::of(forall) : Wavefront();
    if (automatic)
      return waits.isWhole();
    return !inSteps || waits.fits || (forall.getSteps() && forall.getGridRank() >= 3);
  }

  /// Whether the heights of windows follow from the machine, and are not the author's.
  bool isMeasured() const { return rule.has(OrderKind::Auto) && chiplets == 1; }

  /// Rows of a window as the author, or the default, says.
  int64_t windowOfRule() const {
    return rule.sizeOf(OrderKind::Auto).value_or(rule.sizeOf(OrderKind::Grouped).value_or(1));
  }

  /// Rows of a window for which the tiles that run at once read the fewest rows and columns from one cache. Where a
  /// window has few columns lower ones have the same tiles running at once. Their neighbours share both operands then:
  /// on H200 4096 x 1152 x 16384 takes 232 to 249 us with 4 rows and 259 to 266 with 16, five others are level.
  int64_t windowOf(DotOp product, ForallOp forall) const {
    constexpr int64_t most = 32, low = 4;
    int64_t best = 1, fewest = std::numeric_limits<int64_t>::max();
    int64_t rows = product.getType().getDimSize(0), columns = product.getType().getDimSize(1);
    if (isTurned(product, forall))
      std::swap(rows, columns);
    for (int64_t height = 1; height <= most; height *= 2) {
      int64_t read = height * rows + llvm::divideCeil(units, height) * columns;
      if (read < fewest) {
        fewest = read;
        best = height;
      }
    }
    auto bounds =
        overExtents(*forall.getBounds(), forall.getExtents(), *forall->getParentOfType<ProgramOp>().getWorld());
    auto across = bounds ? dyn_cast<AffineConstantExpr>(bounds->back()) : AffineConstantExpr();
    return across && across.getValue() * best <= units ? std::min(best, low) : best;
  }

  /// Whether a task transposes what its product, or the loop that it is in, has made.
  static bool isTurned(DotOp product, ForallOp forall) {
    return forall
        .walk([&](TransposeOp turn) {
          Operation *made = turn.getOperand().getDefiningOp();
          bool isOfProduct = made && turn.getOperand().getType().getShape() == product.getType().getShape() &&
                             made->isAncestor(product);
          return isOfProduct ? WalkResult::interrupt() : WalkResult::advance();
        })
        .wasInterrupted();
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

  /// Others come before this rank where nothing is done for it. A reader begins with its own part, and needs that of
  /// the next rank second: so what it reads goes to the rank before this one before it goes to others. Backward, the
  /// place where a walk begins comes last.
  RankFirstAttr fromRank(ForallOp forall, unsigned dim) {
    bool isLast = sendsToOthers(forall, dim), isBackward = readerInParts(forall).first != nullptr;
    return RankFirstAttr::get(&getContext(), dim, /*ahead=*/isLast != isBackward ? 1 : 0, isBackward);
  }

  /// A load that reads what `forall` stores to its peers, from one rank after the other, and the store; null where
  /// there is none.
  std::pair<LoadOp, StoreOp> readerInParts(ForallOp forall) {
    llvm::MapVector<Value, StoreOp> stored;
    forall.walk([&](StoreOp store) {
      if (store.getTo())
        stored.insert({Footprint::of(cast<AccessOpInterface>(store.getOperation())).root, store});
    });
    std::pair<LoadOp, StoreOp> found;
    getOperation().walk([&](LoadOp load) {
      auto store = stored.lookup(Footprint::of(cast<AccessOpInterface>(load.getOperation())).root);
      if (store && partIndex(load))
        found = {load, store};
    });
    return found;
  }

  /// The order of dimensions in which the last one, along which readers go on in a loop within their tasks, comes right
  /// behind the rank: readers whose window holds all rows of a part read the first columns of all of them at once.
  /// Empty where they do not, and where there is no dimension between. On H200, 8192 x 2048 x 8192 a rank: 457 us
  /// without this on four and 427 with it; on two, where a part has the rows of two windows, 376 and 390.
  SmallVector<int64_t> depthFirst(ForallOp forall) {
    auto [load, store] = readerInParts(forall);
    std::optional<ArrayRef<AffineExpr>> bounds;
    if (forall.getBounds())
      bounds = forall.getBounds()->getResults();
    if (!load || forall.getGridRank() < 3 || !bounds || bounds->back() == getAffineConstantExpr(1, &getContext()))
      return {};
    auto reader = load->getParentOfType<ForallOp>();
    DotOp product;
    reader.walk([&](DotOp dot) { product = dot; });
    if (!product ||
        tilesOfPart(reader, partDimension(reader)) > (isMeasured() ? windowOf(product, reader) : windowOfRule()))
      return {};
    Footprint read = Footprint::of(cast<AccessOpInterface>(load.getOperation()));
    Footprint written = Footprint::of(cast<AccessOpInterface>(store.getOperation()));
    BlockArgument last = forall.getIndices().back();
    bool isAlongLoop = false;
    for (auto [reads, writes] : llvm::zip(read.first, written.first))
      isAlongLoop |= writes.coefficient(last) && llvm::any_of(reads.terms, [](const auto &term) {
                       auto index = dyn_cast<BlockArgument>(term.first);
                       return index && isa<scf::ForOp>(index.getOwner()->getParentOp());
                     });
    SmallVector<int64_t> dims(forall.getGridRank());
    std::iota(dims.begin(), dims.end(), 0);
    std::rotate(dims.begin() + 1, dims.end() - 1, dims.end());
    return isAlongLoop ? dims : SmallVector<int64_t>();
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
    if (peer && inSteps && waitsAcross(forall, *peer))
      return std::nullopt;
    return peer || inSteps ? peer : partDimension(forall);
  }

  /// Whether tasks wait for tasks of their loop with another index in this dimension. From this rank's on, the last of
  /// them would come before some that they wait for.
  static bool waitsAcross(ForallOp forall, unsigned dim) {
    Value index = forall.getIndices()[dim];
    auto isOwn = [&](WaitOp wait, SignalOp signal) {
      for (auto [at, raised] : llvm::enumerate(signal.getIndices()))
        if (raised == index)
          return wait.getIndices()[at] == index &&
                 (wait.getCounts().empty() || getConstantIntValue(wait.getCounts()[at]) == 1);
      return false;
    };
    return forall
        .walk([&](WaitOp wait) {
          bool isAcross = llvm::any_of(wait.getSignals().getUsers(), [&](Operation *user) {
            auto signal = dyn_cast<SignalOp>(user);
            return signal && signal->getParentOfType<ForallOp>() == forall && !isOwn(wait, signal);
          });
          return isAcross ? WalkResult::interrupt() : WalkResult::advance();
        })
        .wasInterrupted();
  }

  /// The index along a dimension of a buffer of which each rank has its part, and sends it to its peers: what a task
  /// reads there comes from one rank after the other, its own first, which is there when the tasks begin.
  std::optional<unsigned> partDimension(ForallOp forall) {
    std::optional<unsigned> dim;
    forall.walk([&](LoadOp load) {
      if (BlockArgument index = partIndex(load); index && index.getOwner()->getParentOp() == forall)
        dim = index.getArgNumber();
    });
    return dim;
  }

  /// The index of its tile loop by which a load goes through the ranks' parts of a buffer; null where it does not.
  BlockArgument partIndex(LoadOp load) {
    Footprint read = Footprint::of(cast<AccessOpInterface>(load.getOperation()));
    auto forall = load->getParentOfType<ForallOp>();
    BlockArgument found;
    for (size_t d = 0; d < read.first.size() && !read.rank; ++d)
      for (auto [variable, factor] : read.first[d].terms) {
        auto index = dyn_cast<BlockArgument>(variable);
        if (index && index.getOwner()->getParentOp() == forall && isSentInParts(read.root, d, forall))
          found = index;
      }
    return found;
  }

  /// Whether ranks send parts of a buffer to their peers while tasks read it, each its own: as many in a dimension as
  /// there are ranks. What a kernel before has sent is there, and its rows may share what they are multiplied with.
  bool isSentInParts(Value root, size_t dim, ForallOp reader) {
    AffineExpr extent = shapeOf(root)[dim];
    auto kernel = reader->getParentOfType<KernelOp>();
    return extent && llvm::any_of(sent, [&](const Footprint &part) {
             if (part.root != root || dim >= part.clipFirst.size() || part.op->getParentOfType<KernelOp>() != kernel)
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
  Target machine;
  int64_t chiplets = 1, units = 1;
};

} // namespace
