// Barriers become signals and waits: which pairs of accesses need them, and the edges of a launch. Moves no access.
#include "passes/Passes.h"
#include "passes/Synchronization.h"
#include "passes/analysis/OverlapPattern.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

namespace tilec {
#define GEN_PASS_DEF_WAITS
#include "passes/Passes.h.inc"
} // namespace tilec

namespace {

class Waits : public tilec::impl::WaitsBase<Waits> {
public:
  using WaitsBase::WaitsBase;

  void runOnOperation() override {
    ProgramOp program = getOperation();
    for (Operation &op : program.getBody().front())
      if (isa<ForallOp>(op)) {
        op.emitOpError() << "stands outside a 'tile.kernel': run tile-fuse first";
        return signalPassFailure();
      }
    FailureOr<OverlapPattern> parsed = OverlapPattern::parse(program.getLoc(), program.getPattern().value_or(""));
    FailureOr<Granularity> covered = Granularity::parse(
        program.getLoc(), granularity.empty() ? program.getGranularity().value_or("") : StringRef(granularity));
    if (failed(parsed) || failed(covered))
      return signalPassFailure();
    covering = *covered;
    program.setGranularity(covering.spell());
    bulk = parsed->kind == OverlapPattern::Kind::Bulk;
    oneCopy = parsed->credits;
    if (Synchronizer before(program); !bulk)
      coarse += coarsenCopies(before, covering);
    Synchronizer synchronizer(program);
    sync = &synchronizer;
    std::vector<Statement> &statements = sync->statements();
    for (size_t later = 1; later < statements.size(); ++later)
      for (size_t earlier = 0; earlier < later; ++earlier)
        orderStatements(statements[earlier], statements[later]);
    guardArguments();
    guardScratch();
    sync->emitCompletions();
    sync->carryTokens();
  }

private:
  static bool isArgument(Value root) { return isa<BlockArgument>(root); }

  static bool isPersistent(Value root) {
    auto alloc = root.getDefiningOp<AllocOp>();
    return alloc && alloc.getPersistent();
  }

  void orderStatements(Statement &earlier, Statement &later) {
    for (Footprint &second : later.accesses)
      for (Footprint &first : earlier.accesses)
        if (first.conflictsWith(second) && !disjoint(first, second))
          orderAccesses(earlier, first, later, second);
  }

  /// Constant intervals that do not meet in some dimension.
  static bool disjoint(const Footprint &a, const Footprint &b) {
    for (auto [x, y, sizeX, sizeY] : llvm::zip(a.first, b.first, a.size, b.size)) {
      auto first = dyn_cast<AffineConstantExpr>(x.constant), second = dyn_cast<AffineConstantExpr>(y.constant);
      if (x.isConstant() && y.isConstant() && first && second &&
          (first.getValue() + sizeX <= second.getValue() || second.getValue() + sizeY <= first.getValue()))
        return true;
    }
    return false;
  }

  void orderAccesses(Statement &earlier, Footprint &first, Statement &later, Footprint &second) {
    bool remote = first.rank || second.rank;
    // Kernels of one rank follow each other: only what another rank did needs more.
    if (!remote && earlier.kernel != later.kernel)
      return;
    if (bulk) {
      SignalsOp reached = sync->rankGrid(("reached_" + earlier.kernel.getSymName()).str());
      if (signalled.insert(reached).second)
        sync->signalEveryone(&sync->edgeRole(earlier.kernel, Turn::Last).getBody().front(), reached);
      sync->protect(second, sync->awaitEveryone(later.role, reached, 0));
      exchanges = true;
      ++barriers;
      return;
    }
    Audience audience = !remote ? Audience::Self : first.rank && !second.rank ? Audience::Target : Audience::Everyone;
    Completion completion = sync->completionOf(earlier, first, audience);
    for (Emitted &emitted : waits)
      if (emitted.grid == completion.grid && emitted.forall == later.forall && sameWait(emitted, first, second)) {
        ++merged;
        return sync->protect(second, emitted.token);
      }
    bool covers = false;
    Value token = awaitFootprint(*sync, later, second, earlier, first, completion, covering, covers);
    inLoops += isa<scf::ForOp>(token.getParentBlock()->getParentOp());
    exchanges |= covers && completion.byRank;
    waits.push_back({completion.grid, later.forall, first, second, token});
    sync->protect(second, token);
    ++inserted;
  }

  /// Two waits are one when they invert the same footprints.
  struct Emitted {
    SignalsOp grid;
    ForallOp forall;
    Footprint first, second;
    Value token;
  };
  static bool sameFootprint(const Footprint &a, const Footprint &b) {
    auto equal = [](const IndexForm &x, const IndexForm &y) { return x == y; };
    return a.rank == b.rank && a.size == b.size && llvm::all_of_zip(a.first, b.first, equal) &&
           llvm::all_of_zip(a.clipFirst, b.clipFirst, equal) && llvm::all_of_zip(a.clipSize, b.clipSize, equal);
  }
  /// The emitted wait must also stand before the access.
  static bool sameWait(const Emitted &emitted, const Footprint &first, const Footprint &second) {
    if (!sameFootprint(emitted.first, first) || !sameFootprint(emitted.second, second))
      return false;
    Operation *ancestor = Value(emitted.token).getParentBlock()->findAncestorOpInBlock(*second.op);
    return ancestor && emitted.token.getDefiningOp()->isBeforeInBlock(ancestor);
  }

  /// Peers touch an argument only after its rank has entered the launch, and the launch ends only when they are done.
  void guardArguments() {
    for (Statement &statement : sync->statements())
      for (Footprint &access : statement.accesses) {
        if (!access.rank || !(isArgument(access.root) || isPersistent(access.root)))
          continue;
        handshake = true;
        if (isArgument(access.root))
          sync->protect(access, sync->awaitEveryone(statement.role, sync->rankGrid("entered"), 0));
      }
    if (!handshake)
      return;
    auto kernels = getOperation().getBody().getOps<KernelOp>();
    KernelOp first = *kernels.begin(), last = first;
    for (KernelOp kernel : kernels)
      last = kernel;
    sync->signalEveryone(&sync->edgeRole(first, Turn::First).getBody().front(), sync->rankGrid("entered"));
    Block &leave = sync->edgeRole(last, Turn::Last).getBody().front();
    sync->signalEveryone(&leave, sync->rankGrid("done"));
    OpBuilder builder = OpBuilder::atBlockEnd(&leave);
    sync->waitForRanks(builder, sync->rankGrid("done"), 0);
  }

  /// Scratch that peers touch. When every launch ends with a handshake, or every rank hears from every other one in
  /// each launch, no message is needed: one copy, or two. Otherwise, or with one copy, a credit, given when a launch is
  /// over.
  void guardScratch() {
    llvm::SetVector<Operation *> shared;
    for (Statement &statement : sync->statements())
      for (Footprint &access : statement.accesses)
        if (auto alloc = access.root.getDefiningOp<AllocOp>(); alloc && access.rank && !alloc.getPersistent())
          shared.insert(alloc);
    if (shared.empty() || handshake)
      return;
    int64_t copies = oneCopy ? 1 : 2;
    for (Operation *alloc : shared)
      cast<AllocOp>(alloc).setCopies(copies);
    if (exchanges && !oneCopy)
      return;
    SignalsOp consumed = sync->rankGrid("consumed");
    for (Statement &statement : sync->statements())
      for (Footprint &access : statement.accesses)
        if (access.writes && access.root.getDefiningOp() && shared.contains(access.root.getDefiningOp()))
          sync->protect(access, sync->awaitEveryone(statement.role, consumed, copies));
    KernelOp last;
    for (KernelOp kernel : getOperation().getBody().getOps<KernelOp>())
      last = kernel;
    sync->signalEveryone(&sync->edgeRole(last, Turn::Last).getBody().front(), consumed);
    ++credits;
  }

  Synchronizer *sync = nullptr;
  Granularity covering;
  bool bulk = false, oneCopy = false, exchanges = false, handshake = false;
  std::vector<Emitted> waits;
  llvm::DenseSet<Operation *> signalled;
};

} // namespace
