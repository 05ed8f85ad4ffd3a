// Statements join into kernels, by the overlap pattern. Adds no synchronisation.
#include "passes/Passes.h"
#include "passes/fuse/CopyFusion.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

namespace tilec {
#define GEN_PASS_DEF_FUSE
#include "passes/Passes.h.inc"
} // namespace tilec

namespace {

class Fuse : public tilec::impl::FuseBase<Fuse> {
public:
  using FuseBase::FuseBase;

  void runOnOperation() override {
    ProgramOp program = getOperation();
    for (Operation &op : program.getBody().front()) {
      auto forall = dyn_cast<ForallOp>(op);
      if (!isa<MatmulOp, CollectiveOpInterface>(op) && !(forall && forall.getBuffer()))
        continue;
      op.emitOpError() << "is not expanded: run tile-expand first";
      return signalPassFailure();
    }
    PatternAttr pattern = program.getPattern().value_or(PatternAttr::getDefault(&getContext()));
    if (pattern.getKind() == PatternKind::Sequential || pattern.getRemote() == Remote::Pull)
      fuseCopies(program, pattern);
    makeKernels(program, pattern);
    if (program.getBody().getOps<KernelOp>().empty()) {
      program.emitOpError() << "has no statements";
      return signalPassFailure();
    }
  }

private:
  /// Groups of workgroups that a kernel can have: `lower` gives each a queue of tickets.
  static constexpr size_t maxGroups = 8;

  void fuseCopies(ProgramOp program, PatternAttr plan) {
    SmallVector<ForallOp> statements(program.getBody().getOps<ForallOp>());
    if (statements.size() < 2 || plan.getKind() == PatternKind::Bulk)
      return;
    for (ForallOp statement : statements) {
      std::optional<Copy> copy = Copy::match(statement);
      if (!copy)
        continue;
      if (plan.getKind() == PatternKind::Sequential && sinkCopy(*copy))
        ++sunk;
      else if (plan.getRemote() == Remote::Pull && forwardCopy(*copy))
        ++forwarded;
    }
  }

  /// Runs of statements become kernels: one for each statement when bulk, else one for the run.
  void makeKernels(ProgramOp program, PatternAttr plan) {
    SmallVector<SmallVector<ForallOp>> runs(1);
    for (Operation &op : program.getBody().front()) {
      if (auto forall = dyn_cast<ForallOp>(op)) {
        bool full = plan.getKind() == PatternKind::Specialized && runs.back().size() == maxGroups;
        if (full || (plan.getKind() == PatternKind::Bulk && !runs.back().empty()))
          runs.emplace_back();
        runs.back().push_back(forall);
      } else if (isa<KernelOp>(op) && !runs.back().empty()) {
        runs.emplace_back();
      }
    }
    llvm::erase_if(runs, [](const auto &run) { return run.empty(); });
    for (auto [i, run] : llvm::enumerate(runs)) {
      std::string name = program.getSymName().str();
      if (runs.size() > 1)
        name += "_" + std::to_string(i + 1);
      while (program.lookupSymbol(name)) // a kernel written by hand may have taken it
        name += "_fused";
      makeKernel(run, name, plan.getKind() == PatternKind::Specialized && run.size() > 1);
      ++kernels;
    }
  }

  void makeKernel(ArrayRef<ForallOp> run, StringRef name, bool specialized) {
    OpBuilder builder(run.back());
    Location loc = ForallOp(run.front()).getLoc();
    auto kernel = KernelOp::create(builder, loc, name);
    Block &body = kernel.getBody().front();
    llvm::StringMap<unsigned> used;
    bool pool = false, afterPool = false;
    for (ForallOp statement : run) {
      // Copies have workgroups of their own; so has what follows a copy that follows the pool, since the pool would
      // otherwise wait for workgroups that arrive after its own. Groups then only wait for earlier ones, which needs no
      // residency.
      bool separate = Copy::match(statement) || afterPool;
      pool |= !separate;
      afterPool |= separate && pool;
      std::string role = roleName(statement).str();
      if (unsigned count = used[role]++)
        role += "_" + std::to_string(count + 1);
      OpBuilder inner = OpBuilder::atBlockEnd(&body);
      IntegerAttr own = specialized && separate ? inner.getI64IntegerAttr(communication) : IntegerAttr();
      auto roleOp = RoleOp::create(inner, statement.getLoc(), inner.getStringAttr(role),
                                   TurnAttr::get(&getContext(), Turn::Each), own);
      Block &roleBody = roleOp.getBody().emplaceBlock();
      statement->moveBefore(&roleBody, roleBody.end());
    }
  }

  /// A name a reader understands: what the statement does.
  static StringRef roleName(ForallOp statement) {
    if (std::optional<Copy> copy = Copy::match(statement))
      return copy->into.rank ? "send" : copy->from.rank ? "fetch" : "copy";
    bool multiplies = statement.walk([](DotOp) { return WalkResult::interrupt(); }).wasInterrupted();
    return multiplies ? "multiply" : "combine";
  }
};

} // namespace
