// Follows the launcher from operation to operation; evaluates nothing.
#include "passes/checker/EngineStructure.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::checker;

namespace {

class LaunchOrder {
public:
  LaunchOrder(tile::ProgramOp program, hip::LauncherOp launcher) : program(program), launcher(launcher) {}

  LogicalResult run() {
    for (Operation &op : launcher.getBody().front())
      if (failed(visit(&op)))
        return failure();
    if (copies)
      return copies.emitOpError() << "never joins, expected 'hip.join_copies' behind the kernel that runs beside it";
    for (auto engine : program.getBody().getOps<hip::EngineOp>())
      if (unsigned count = times.lookup(engine.getSymName()); count != 1)
        return engine.emitOpError() << "is called " << count << " times, expected once";
    return success();
  }

private:
  LogicalResult visit(Operation *op) {
    if (auto begins = dyn_cast<hip::CopiesOp>(op))
      return visitCopies(begins);
    if (auto call = dyn_cast<hip::LaunchCopiesOp>(op))
      return visitCall(call);
    if (auto launch = dyn_cast<hip::LaunchKernelOp>(op))
      return visitKernel(launch);
    if (auto join = dyn_cast<hip::JoinCopiesOp>(op))
      return visitJoin(join);
    return success();
  }

  LogicalResult visitCopies(hip::CopiesOp op) {
    if (copies)
      return op.emitOpError() << "begins while other copies have not joined, expected 'hip.join_copies' before";
    copies = op;
    beside = hip::LaunchKernelOp();
    return success();
  }

  LogicalResult visitCall(hip::LaunchCopiesOp op) {
    auto engine = dyn_cast_or_null<hip::EngineOp>(SymbolTable::lookupSymbolIn(program, op.getEngine()));
    if (!engine)
      return op.emitOpError() << "calls '" << op.getEngine() << "', expected a 'hip.engine' of the program";
    ++times[op.getEngine()];
    if (op.getArguments().empty() || !copies || op.getArguments().front() != copies.getResult() || beside)
      return op.emitOpError() << "is not given the copies that begin before it, expected them as its first argument, "
                                 "and the kernel beside it behind it";
    return failure(failed(checkArguments(op, engine)) || failed(checkBody(engine)) || failed(checkBegun(op, engine)));
  }

  /// The word which the engine signals with has been written: by a kernel before, or by tasks for which it has waited.
  LogicalResult checkBegun(hip::LaunchCopiesOp op, hip::EngineOp engine) {
    WalkResult marks = engine.walk([&](hip::MarkOp mark) {
      for (Operation *at = mark; !begun && at != engine; at = at->getParentOp())
        for (Operation *before = at->getPrevNode(); before; before = before->getPrevNode())
          if (isa<hip::TakeCountedOp>(before))
            return WalkResult::advance();
      return begun ? WalkResult::advance() : WalkResult::interrupt();
    });
    if (!marks.wasInterrupted())
      return success();
    return op.emitOpError() << "follows no kernel that writes the word which the copy engine signals with, expected "
                               "one with a 'hip.begin_copies' right before, or a 'hip.take_counted' before each signal";
  }

  /// Behind the copies those of the launcher that it says.
  LogicalResult checkArguments(hip::LaunchCopiesOp op, hip::EngineOp engine) {
    Block &body = engine.getBody().front();
    if (op.getArguments().size() != body.getNumArguments())
      return op.emitOpError() << "passes " << op.getArguments().size() << " arguments, expected "
                              << body.getNumArguments() << " as '" << engine.getSymName() << "' has";
    for (unsigned i = 1; i < body.getNumArguments(); ++i) {
      auto source = dyn_cast<BlockArgument>(op.getArguments()[i]);
      auto to = dyn_cast<hip::PointerType>(body.getArgument(i).getType());
      auto from = source ? dyn_cast<hip::PointerType>(source.getType()) : hip::PointerType();
      bool fits = source && (to && from ? to.getElement() == from.getElement()
                                        : source.getType() == body.getArgument(i).getType());
      if (!fits || source.getOwner()->getParentOp() != launcher ||
          int64_t(source.getArgNumber()) != engine.getSources()[i])
        return op.emitOpError() << "passes something else as argument " << i << " of '" << engine.getSymName()
                                << "', expected argument " << engine.getSources()[i] << " of the launcher, of its type";
    }
    return success();
  }

  /// The host runs it: it has no waves, no LDS and no launch.
  static LogicalResult checkBody(hip::EngineOp engine) {
    bool moves = false;
    WalkResult result = engine.walk([&](Operation *op) {
      moves |= isa<hip::MoveOp>(op);
      if (op == engine || isa<hip::MoveOp, hip::MarkOp, hip::TakeCountedOp, scf::ForOp, scf::IfOp, scf::YieldOp>(op) ||
          isMemoryEffectFree(op))
        return WalkResult::advance();
      op->emitOpError() << "is nothing that the copy engine does, expected moves, signals and counts that it takes";
      return WalkResult::interrupt();
    });
    if (!moves && !result.wasInterrupted())
      return engine.emitOpError() << "moves nothing, expected a 'hip.move' in what the copy engine does";
    return failure(result.wasInterrupted());
  }

  LogicalResult visitKernel(hip::LaunchKernelOp op) {
    if (copies && beside)
      return op.emitOpError() << "is launched before the copies beside the kernel before it have joined, expected "
                                 "'hip.join_copies' between";
    beside = op;
    auto kernel = dyn_cast_or_null<hip::KernelOp>(SymbolTable::lookupSymbolIn(program, op.getKernel()));
    begun = false;
    if (!kernel) // checkLauncher's to say
      return success();
    for (hip::GroupOp group : kernel.getGroups()) {
      if (op.getAlone() && group.getTurn() == tile::Turn::Each)
        return op.emitOpError() << "is of one workgroup, expected as many as there are: the kernel has tasks";
      if (group.getTurn() == tile::Turn::First)
        for (auto role : group.getBody().getOps<hip::RoleOp>())
          begun |= !role.getBody().getOps<hip::BeginCopiesOp>().empty();
    }
    return success();
  }

  LogicalResult visitJoin(hip::JoinCopiesOp op) {
    if (!copies || !beside || op.getCopies() != copies.getResult())
      return op.emitOpError() << "joins no copies that run beside a kernel, expected it behind the kernel that is "
                                 "launched beside them";
    copies = hip::CopiesOp();
    begun = false;
    return success();
  }

  tile::ProgramOp program;
  hip::LauncherOp launcher;
  hip::CopiesOp copies;       ///< that have not joined
  hip::LaunchKernelOp beside; ///< the kernel launched last
  bool begun = false;         ///< it writes the word of signals
  llvm::StringMap<unsigned> times;
};

} // namespace

LogicalResult tilec::checker::checkEngines(tile::ProgramOp program, hip::LauncherOp launcher) {
  return LaunchOrder(program, launcher).run();
}
