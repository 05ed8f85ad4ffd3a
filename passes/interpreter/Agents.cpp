// The scheduler of agents, and what signals and waits do to it.
#include "passes/interpreter/Agents.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;
using namespace tilec::interpreter;

struct Agents::Agent {
  Priority priority;
  std::unique_ptr<Fiber> fiber;
  std::function<bool()> ready;  ///< what it waits for; null: nothing
  Operation *wait = nullptr;    ///< where, when that is a word
  std::shared_ptr<Tasks> tasks; ///< of whose role it is one worker
  bool released = false;        ///< goes on although nothing has satisfied its wait
};

struct Agents::Tasks {
  ForallOp op;
  Shape bounds, next; ///< `next`: of the task that starts next
  bool empty = false; ///< none is left to start
  size_t busy = 0;    ///< workers that have not ended
  int64_t rank = 0;
  size_t statement = 0, role = 0;
  std::unique_ptr<Interpreter::Frame> begin; ///< what is known before the tasks
};

Agents::Agents(Interpreter &interpreter, ArrayRef<Operation *> statements)
    : interpreter(interpreter), statements(statements) {}
Agents::~Agents() = default;

Agents::Agent *Agents::start(size_t statement, size_t role, int64_t rank, std::function<LogicalResult(Agent &)> body) {
  auto agent = std::make_unique<Agent>();
  Agent *made = agent.get();
  made->priority = {statement, role, rank, started++};
  made->fiber = Fiber::create([this, made, body = std::move(body)] { failed |= mlir::failed(body(*made)); });
  if (!made->fiber)
    llvm::report_bad_alloc_error("no memory to run the roles of a kernel beside one another");
  agents[made->priority] = std::move(agent);
  ready[made->priority] = made;
  return made;
}

LogicalResult Agents::run() {
  for (int64_t rank = 0; rank < interpreter.world; ++rank)
    start(0, 0, rank, [this, rank](Agent &self) { return runStream(rank, self); });
  while (!agents.empty()) {
    if (ready.empty()) {
      if (failed)
        wakeAll();
      else
        breakDeadlock();
    }
    Agent *next = ready.begin()->second;
    ready.erase(ready.begin());
    running = next;
    next->fiber->resume();
    running = nullptr;
    // A task that has to wait lets the next one start.
    if (!next->fiber->isDone() && next->tasks && next->wait && !next->tasks->empty && !failed)
      startWorker(next->tasks);
    if (next->fiber->isDone()) {
      agents.erase(next->priority);
      wake(nullptr);
    }
  }
  return success(!failed);
}

/// One rank's kernels and what stands between them.
LogicalResult Agents::runStream(int64_t rank, Agent &self) {
  Interpreter::Frame &frame = interpreter.frames[rank];
  for (auto [number, statement] : llvm::enumerate(statements)) {
    LogicalResult result = success();
    if (auto kernel = dyn_cast<KernelOp>(statement))
      result = runKernel(kernel, number + 1, rank, self);
    else
      result = interpreter.executeOnRank(*statement, frame);
    if (mlir::failed(result))
      return failure();
  }
  return success();
}

LogicalResult Agents::runKernel(KernelOp op, size_t statement, int64_t rank, Agent &self) {
  // `last` roles come after everything else.
  for (bool last : {false, true}) {
    auto left = std::make_shared<size_t>(0);
    for (auto [number, role] : llvm::enumerate(op.getBody().getOps<RoleOp>())) {
      if ((role.getTurn() == Turn::Last) != last)
        continue;
      auto body = [this, role = RoleOp(role), left](Agent &agent) {
        LogicalResult result = runRole(role, agent);
        --*left;
        return result;
      };
      start(statement, number, rank, body);
      ++*left;
    }
    if (mlir::failed(hold(self, [left] { return *left == 0; }, nullptr)))
      return failure();
  }
  return success();
}

LogicalResult Agents::runRole(RoleOp op, Agent &self) {
  Interpreter::Frame frame = interpreter.frames[std::get<2>(self.priority)];
  return interpreter.executeBlock(op.getBody().front(), frame);
}

LogicalResult Agents::runTasks(ForallOp op, ArrayRef<int64_t> bounds, Interpreter::Frame &frame) {
  auto tasks = std::make_shared<Tasks>();
  tasks->op = op;
  tasks->bounds.assign(bounds.begin(), bounds.end());
  tasks->next = Shape(bounds.size(), 0);
  std::tie(tasks->statement, tasks->role, tasks->rank, std::ignore) = running->priority;
  tasks->begin = std::make_unique<Interpreter::Frame>(frame);
  Agent &agent = *running;
  agent.tasks = tasks;
  ++tasks->busy;
  LogicalResult result = work(*tasks, frame);
  agent.tasks = nullptr;
  if (mlir::failed(result))
    return failure();
  return hold(agent, [tasks] { return tasks->busy == 0; }, nullptr);
}

void Agents::startWorker(const std::shared_ptr<Tasks> &tasks) {
  Agent *worker = start(tasks->statement, tasks->role, tasks->rank, [this, tasks](Agent &) {
    Interpreter::Frame frame = *tasks->begin;
    return work(*tasks, frame);
  });
  worker->tasks = tasks;
  ++tasks->busy;
}

/// Tasks, one after the other, until none is left.
LogicalResult Agents::work(Tasks &tasks, Interpreter::Frame &frame) {
  LogicalResult result = success();
  while (!tasks.empty && succeeded(result)) {
    for (auto [index, value] : llvm::zip(tasks.op.getIndices(), tasks.next))
      interpreter.set(index, Elements::index(value), frame);
    size_t d = tasks.bounds.size();
    while (d > 0 && ++tasks.next[d - 1] == tasks.bounds[d - 1])
      tasks.next[--d] = 0;
    tasks.empty = d == 0;
    result = interpreter.executeBlock(tasks.op.getBody().front(), frame);
  }
  --tasks.busy;
  return result;
}

/// Stops the running agent until `satisfied`, which `wake(word)` asks again.
LogicalResult Agents::hold(Agent &agent, std::function<bool()> satisfied, const int64_t *word) {
  while (!failed && !agent.released && !satisfied()) {
    agent.ready = satisfied;
    waiting[word].push_back(&agent);
    Fiber::stop();
  }
  agent.released = false;
  agent.wait = nullptr;
  return success(!failed);
}

void Agents::wake(const int64_t *word) {
  auto it = waiting.find(word);
  if (it == waiting.end())
    return;
  std::vector<Agent *> held = std::move(it->second);
  waiting.erase(it);
  for (Agent *agent : held)
    if (agent->ready())
      ready[agent->priority] = agent;
    else
      waiting[word].push_back(agent);
}

void Agents::wakeAll() {
  for (auto &[priority, agent] : agents)
    ready[priority] = agent.get();
  waiting.clear();
}

/// Nothing can go on: the first wait in the text falls through, and nothing that follows can be compared.
void Agents::breakDeadlock() {
  for (auto &[priority, agent] : agents) {
    if (!agent->wait)
      continue;
    if (!interpreter.stuck)
      interpreter.stuck = Stuck{agent->wait, std::get<2>(priority)};
    agent->released = true;
    for (auto &[word, held] : waiting)
      llvm::erase(held, agent.get());
    ready[priority] = agent.get();
    return;
  }
  wakeAll();
}

/// The words of a grid, of the same sizes on every rank; zero when the launch begins.
FailureOr<Interpreter::Grid *> Agents::gridOf(mlir::Value signals) {
  auto [it, isNew] = interpreter.grids.try_emplace(signals);
  if (!isNew)
    return &it->second;
  auto op = signals.getDefiningOp<SignalsOp>();
  FailureOr<Shape> sizes =
      interpreter.evaluateList(op.getSizes(), op.getExtents(), op.getParams(), interpreter.frames.front(), op);
  if (mlir::failed(sizes))
    return failure();
  for (int64_t size : *sizes)
    if (size < 0)
      return op.emitOpError() << "has size " << size << ", expected 0 or more";
  it->second.sizes = *sizes;
  it->second.raised.assign(interpreter.world, std::vector<int64_t>(count(*sizes), 0));
  return &it->second;
}

FailureOr<int64_t *> Agents::wordOf(mlir::Value signals, int64_t rank, ArrayRef<int64_t> index, Operation *op) {
  FailureOr<Interpreter::Grid *> found = gridOf(signals);
  if (mlir::failed(found))
    return failure();
  Interpreter::Grid &grid = **found;
  int64_t word = 0;
  for (auto [at, size] : llvm::zip(index, grid.sizes)) {
    if (at < 0 || at >= size)
      return op->emitOpError() << "signal index " << at << " is outside of the grid, which has " << size;
    word = word * size + at;
  }
  if (rank < 0 || rank >= interpreter.world)
    return op->emitOpError() << "addresses rank " << rank << " of a world of " << interpreter.world;
  return &grid.raised[rank][word];
}

FailureOr<Shape> Agents::indices(ValueRange values, Interpreter::Frame &frame, Operation *op) {
  Shape result;
  for (mlir::Value value : values) {
    FailureOr<int64_t> at = interpreter.index(value, frame, op);
    if (mlir::failed(at))
      return failure();
    result.push_back(*at);
  }
  return result;
}

LogicalResult Agents::signal(SignalOp op, Interpreter::Frame &frame) {
  FailureOr<Shape> at = indices(op.getIndices(), frame, op);
  FailureOr<int64_t> to = interpreter.index(op.getTo(), frame, op);
  if (mlir::failed(at) || mlir::failed(to))
    return failure();
  FailureOr<int64_t *> word = wordOf(op.getSignals(), *to, *at, op);
  if (mlir::failed(word))
    return failure();
  auto grid = op.getSignals().getDefiningOp<SignalsOp>();
  **word = grid && grid.getCounted() ? **word + 1 : 1;
  wake(*word);
  return success();
}

LogicalResult Agents::take(TakeCountedOp op, Interpreter::Frame &frame) {
  FailureOr<Shape> at = indices(op.getIndices(), frame, op);
  FailureOr<int64_t> number = interpreter.index(op.getCount(), frame, op);
  if (mlir::failed(at) || mlir::failed(number))
    return failure();
  FailureOr<int64_t *> word = wordOf(op.getSignals(), frame.rank, *at, op);
  if (mlir::failed(word))
    return failure();
  running->wait = op;
  return hold(*running, [word = *word, number = *number] { return *word >= number; }, *word);
}

LogicalResult Agents::wait(WaitOp op, Interpreter::Frame &frame) {
  // Launches follow each other here: all that earlier ones raise has been raised.
  if (op.getLag() > 0)
    return success();
  FailureOr<Shape> first = indices(op.getIndices(), frame, op), counts = indices(op.getCounts(), frame, op);
  if (mlir::failed(first) || mlir::failed(counts))
    return failure();
  if (counts->empty())
    counts->assign(first->size(), 1);
  if (llvm::any_of(*counts, [](int64_t size) { return size <= 0; }))
    return success();
  Shape offset(first->size(), 0);
  while (true) {
    Shape at;
    for (auto [start, more] : llvm::zip(*first, offset))
      at.push_back(start + more);
    FailureOr<int64_t *> word = wordOf(op.getSignals(), frame.rank, at, op);
    if (mlir::failed(word))
      return failure();
    running->wait = op;
    if (mlir::failed(hold(*running, [word = *word] { return *word != 0; }, *word)))
      return failure();
    size_t d = offset.size();
    while (d > 0 && ++offset[d - 1] == (*counts)[d - 1])
      offset[--d] = 0;
    if (d == 0)
      return success();
  }
}
