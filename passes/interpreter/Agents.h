// Kernels that synchronise by hand: every role of every rank is an agent, and its tasks run when what they wait for has
// been raised. The values are Interpreter's.
#pragma once

#include "passes/interpreter/Fiber.h"
#include "passes/interpreter/Interpreter.h"

#include <map>
#include <unordered_map>

namespace tilec::interpreter {

/// Runs statements from one collective or plain statement to the next. Each rank runs them in the order of the text,
/// and in a kernel its roles beside one another; tasks of a role start in their order, and one that has to wait lets
/// the next start. Of what can go on, the first role in the text does, on its lowest rank: without waits that have to
/// hold anything back, this is role after role, and rank after rank in each.
class Agents {
public:
  Agents(Interpreter &interpreter, llvm::ArrayRef<mlir::Operation *> statements);
  ~Agents();

  llvm::LogicalResult run();

  /// Called by the interpreter in an agent: the tasks of a role; a signal; a wait, which returns when it is satisfied.
  llvm::LogicalResult runTasks(tile::ForallOp op, llvm::ArrayRef<int64_t> bounds, Interpreter::Frame &frame);
  llvm::LogicalResult signal(tile::SignalOp op, Interpreter::Frame &frame);
  llvm::LogicalResult wait(tile::WaitOp op, Interpreter::Frame &frame);
  llvm::LogicalResult take(tile::TakeCountedOp op, Interpreter::Frame &frame);

private:
  struct Agent;
  /// Of the tasks of a role on a rank.
  struct Tasks;
  /// Text order first, then ranks, then age.
  using Priority = std::tuple<size_t, size_t, int64_t, size_t>;
  Agent *start(size_t statement, size_t role, int64_t rank, std::function<llvm::LogicalResult(Agent &)> body);
  llvm::LogicalResult runStream(int64_t rank, Agent &self);
  llvm::LogicalResult runKernel(tile::KernelOp op, size_t statement, int64_t rank, Agent &self);
  llvm::LogicalResult runRole(tile::RoleOp op, Agent &self);
  llvm::LogicalResult work(Tasks &tasks, Interpreter::Frame &frame);
  void startWorker(const std::shared_ptr<Tasks> &tasks);
  llvm::LogicalResult hold(Agent &self, std::function<bool()> ready, const int64_t *word);
  void wake(const int64_t *word);
  void wakeAll();
  void breakDeadlock();
  llvm::FailureOr<Interpreter::Grid *> gridOf(mlir::Value signals);
  llvm::FailureOr<int64_t *> wordOf(mlir::Value signals, int64_t rank, llvm::ArrayRef<int64_t> index,
                                    mlir::Operation *op);
  llvm::FailureOr<Shape> indices(mlir::ValueRange values, Interpreter::Frame &frame, mlir::Operation *op);

  Interpreter &interpreter;
  llvm::ArrayRef<mlir::Operation *> statements;
  std::map<Priority, std::unique_ptr<Agent>> agents; ///< that have not ended
  std::map<Priority, Agent *> ready;
  std::unordered_map<const int64_t *, std::vector<Agent *>> waiting; ///< for a word; null: for something to end
  Agent *running = nullptr;
  size_t started = 0;
  bool failed = false;
};

} // namespace tilec::interpreter
