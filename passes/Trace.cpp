// Kernels that record their tasks, waits and signals, for `tilec trace`. Changes nothing that a launch computes.
#include "passes/Passes.h"

using namespace mlir;
using namespace tilec;

namespace tilec {
#define GEN_PASS_DEF_TRACE
#include "passes/Passes.h.inc"
} // namespace tilec

namespace {

class Trace : public tilec::impl::TraceBase<Trace> {
public:
  using TraceBase::TraceBase;

  void runOnOperation() override {
    for (auto [number, kernel] : llvm::enumerate(getOperation().getBody().getOps<hip::KernelOp>()))
      recordKernel(kernel, number);
  }

private:
  void recordKernel(hip::KernelOp kernel, int64_t number) {
    OpBuilder builder(&getContext());
    Value launch;
    for (Operation &op : kernel.getBody().front())
      if (op.hasTrait<hip::Enters>()) {
        builder.setInsertionPointAfter(&op);
        launch = op.getResult(0);
      }
    IntegerAttr producer;
    kernel.walk([&](hip::ByRoleOp roles) { producer = builder.getI64IntegerAttr(roles.getConsumers()); });
    bool tells = kernel
                     .walk([](Operation *op) {
                       auto roles = dyn_cast<hip::ByRoleOp>(op);
                       return isa<hip::TellOp>(op) || (roles && roles.getSender()) ? WalkResult::interrupt()
                                                                                   : WalkResult::advance();
                     })
                     .wasInterrupted();
    Location loc = NameLoc::get(builder.getStringAttr("trace"), kernel.getLoc());
    trace =
        hip::TraceOp::create(builder, loc, hip::TraceType::get(&getContext()), launch,
                             builder.getI64IntegerAttr(number), producer, tells ? builder.getUnitAttr() : UnitAttr());
    int64_t role = 0;
    kernel.walk([&](hip::RoleOp op) { recordRole(op, role++); });
    SmallVector<Operation *> events;
    kernel.walk([&](Operation *op) {
      if (isa<hip::WaitOp, hip::WaitTallyOp, hip::SignalOp, hip::TallyOp, hip::SetOp>(op))
        events.push_back(op);
    });
    for (Operation *op : events)
      recordEvent(op);
  }

  /// A role without a loop over tasks is one task.
  void recordRole(hip::RoleOp role, int64_t number) {
    SmallVector<hip::TasksOp> loops;
    role.walk([&](hip::TasksOp tasks) { loops.push_back(tasks); });
    OpBuilder builder(&getContext());
    auto record = [&](Block &block, Value task) {
      hip::TaskBeginsOp::create(builder, role.getLoc(), trace, task, builder.getI64IntegerAttr(number));
      builder.setInsertionPointToEnd(&block);
      hip::TaskEndsOp::create(builder, role.getLoc(), trace);
    };
    for (hip::TasksOp tasks : loops) {
      Block &block = tasks.getBody().front();
      builder.setInsertionPointToStart(&block);
      record(block, block.getArgument(0));
    }
    Block &block = role.getBody().front();
    if (!loops.empty() || block.empty())
      return;
    builder.setInsertionPointToStart(&block);
    Value only = arith::ConstantIndexOp::create(builder, role.getLoc(), 0);
    record(block, only);
  }

  void recordEvent(Operation *op) {
    OpBuilder builder(op);
    Location loc = op->getLoc();
    if (auto wait = dyn_cast<hip::WaitOp>(op)) {
      hip::WaitBeginsOp::create(builder, loc, trace, wait.getSignals(), wait.getFirst(), wait.getCount(),
                                wait.getLagAttr());
      builder.setInsertionPointAfter(op);
      hip::WaitEndsOp::create(builder, loc, trace);
    } else if (auto all = dyn_cast<hip::WaitTallyOp>(op)) {
      Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
      hip::WaitBeginsOp::create(builder, loc, trace, all.getSignals(), SmallVector<Value>(all.getCount().size(), zero),
                                all.getCount(), IntegerAttr());
      builder.setInsertionPointAfter(op);
      hip::WaitEndsOp::create(builder, loc, trace);
    } else if (auto signal = dyn_cast<hip::SignalOp>(op)) {
      hip::SignallingOp::create(builder, loc, trace, signal.getSignals(), signal.getIndex(), signal.getTo());
    } else if (auto tally = dyn_cast<hip::TallyOp>(op)) {
      hip::SignallingOp::create(builder, loc, trace, tally.getSignals(), tally.getIndex(), rankIn(op));
    } else {
      auto set = cast<hip::SetOp>(op);
      hip::SignallingOp::create(builder, loc, trace, set.getSignals(), set.getIndex(), set.getTo());
    }
  }

  /// This rank, at the kernel's entry.
  Value rankIn(Operation *op) {
    auto kernel = op->getParentOfType<hip::KernelOp>();
    for (auto rank : kernel.getBody().front().getOps<hip::RankOp>())
      return rank;
    OpBuilder entry(trace.getDefiningOp());
    return hip::RankOp::create(entry, NameLoc::get(entry.getStringAttr("rank"), op->getLoc()), entry.getIndexType(),
                               kernel.getBody().getArgument(0));
  }

  Value trace; ///< of the kernel
};

} // namespace
