// A workgroup's program is the list of its roles; its position is a role, a task or the part before it, and an
// operation. Signals and satisfied waits are executed at once: they take nothing from anybody. What remains to choose
// is which workgroup arrives or draws the next ticket.
#include "Workgroups.h"

#include <algorithm>
#include <map>
#include <set>

namespace truth {

namespace {

struct Worker {
  int role = -1; ///< place in `order`; -1: in the `first` roles
  int task = -1; ///< ticket within the role; -1: before its tasks
  int op = 0;    ///< next operation
  bool draws = false;
  auto operator<=>(const Worker &) const = default;
};

struct Rank {
  int kernel = 0; ///< over launches
  int arrived = 0;
  std::vector<int> tickets;    ///< [place in `order`]
  std::vector<Worker> workers; ///< sorted
  auto operator<=>(const Rank &) const = default;
};

struct State {
  std::vector<Rank> ranks;
  std::vector<int> words; ///< the latest launch that raised each
  auto operator<=>(const State &) const = default;
};

/// The roles of a kernel in the order in which a workgroup of the first group goes through them.
struct Plan {
  std::vector<int> order; ///< numbers of roles
  std::vector<int> begin; ///< [group]: place in `order`
  std::vector<int> size;  ///< [group]: workgroups; 0: the pool
};

class Explorer {
public:
  Explorer(const Program &program, int workgroups, const std::vector<int> &resident, size_t limit)
      : program(program), workgroups(workgroups), resident(resident), limit(limit) {
    for (const Kernel &kernel : program.kernels)
      plans.push_back(plan(kernel));
  }

  Outcome run() {
    State start;
    start.ranks.resize(program.world);
    start.words.assign(program.world * program.words, 0);
    for (Rank &rank : start.ranks)
      rank.tickets.assign(plans[0].order.size(), 0);
    push(start);
    while (!work.empty()) {
      State state = *work.back();
      work.pop_back();
      if (!expand(state))
        return Outcome::Hangs;
      if (seen.size() > limit)
        return Outcome::Unknown;
    }
    return Outcome::Ends;
  }

private:
  static Plan plan(const Kernel &kernel) {
    std::vector<std::vector<int>> groups;
    Plan made;
    int pool = -1;
    for (size_t i = 0; i < kernel.roles.size(); ++i) {
      const Role &role = kernel.roles[i];
      if (role.turn != Turn::Each)
        continue;
      if (role.workgroups == 0 && pool >= 0) {
        groups[pool].push_back(i);
        continue;
      }
      if (role.workgroups == 0)
        pool = groups.size();
      groups.push_back({int(i)});
      made.size.push_back(role.workgroups);
    }
    for (const std::vector<int> &group : groups) {
      made.begin.push_back(made.order.size());
      made.order.insert(made.order.end(), group.begin(), group.end());
    }
    return made;
  }

  int kernelOf(const Rank &rank) const { return rank.kernel % int(program.kernels.size()); }
  int launchOf(const Rank &rank) const { return 1 + rank.kernel / int(program.kernels.size()); }
  bool isOver(const Rank &rank) const { return rank.kernel == program.launches * int(program.kernels.size()); }

  /// The place in `order` where the workgroup of an arrival number begins; its end when it joins no group.
  int entry(const Plan &plan, int arrival) const {
    int own = 0, end = 0;
    for (int size : plan.size)
      own += size;
    for (size_t group = 0; group < plan.size.size(); ++group) {
      end += plan.size[group] ? plan.size[group] : std::max(workgroups - own, 1);
      if (arrival < end || group + 1 == plan.size.size())
        return plan.begin[group];
    }
    return plan.order.size();
  }

  /// Executes one operation; false when it has to wait.
  bool execute(State &state, int rank, const Op &op) const {
    int launch = launchOf(state.ranks[rank]);
    if (op.kind == Kind::Signal) {
      int &word = state.words[op.to * program.words + program.wordsOf(op).front()];
      word = std::max(word, launch);
    }
    if (op.kind != Kind::Wait)
      return true;
    for (int word : program.wordsOf(op))
      if (state.words[rank * program.words + word] < launch - op.lag)
        return false;
    return true;
  }

  /// The roles of one turn as one thread.
  Thread once(const Kernel &kernel, Turn turn, int rank) const {
    Thread all;
    for (const Role &role : kernel.roles)
      if (role.turn == turn)
        all.insert(all.end(), role.ranks[rank].prologue.begin(), role.ranks[rank].prologue.end());
    return all;
  }

  /// Lets a workgroup go on until it waits, has to draw, or leaves. True when it has moved.
  bool proceed(State &state, int rank, Worker &worker, bool &leaves) const {
    const Kernel &kernel = program.kernels[kernelOf(state.ranks[rank])];
    const Plan &plan = plans[kernelOf(state.ranks[rank])];
    bool moved = false;
    while (true) {
      if (worker.role == int(plan.order.size())) {
        leaves = true;
        return true;
      }
      const Role::Part *part = worker.role < 0 ? nullptr : &kernel.roles[plan.order[worker.role]].ranks[rank];
      if (worker.draws) {
        if (state.ranks[rank].tickets[worker.role] < int(part->tasks.size()))
          return moved;
        worker = {worker.role + 1, -1, 0, false};
        moved = true;
        continue;
      }
      Thread firsts;
      if (!part)
        firsts = once(kernel, Turn::First, rank);
      const Thread &thread = !part ? firsts : worker.task < 0 ? part->prologue : part->tasks[worker.task];
      for (; worker.op < int(thread.size()); ++worker.op, moved = true)
        if (!execute(state, rank, thread[worker.op]))
          return moved;
      worker = part ? Worker{worker.role, -1, 0, true} : Worker{entry(plan, 0), -1, 0, false};
      moved = true;
    }
  }

  /// The `last` roles, and on to the next kernel. `op` of the only entry in `workers` says how far they are.
  bool finish(State &state, int number) const {
    Rank &rank = state.ranks[number];
    if (rank.arrived < workgroups || (!rank.workers.empty() && rank.workers[0].role != lasts))
      return false;
    bool moved = rank.workers.empty();
    if (moved)
      rank.workers.push_back({lasts, 0, 0, false});
    Thread thread = once(program.kernels[kernelOf(rank)], Turn::Last, number);
    for (int &op = rank.workers[0].op; op < int(thread.size()); ++op, moved = true)
      if (!execute(state, number, thread[op]))
        return moved;
    rank = Rank{rank.kernel + 1, 0, {}, {}};
    if (!isOver(rank))
      rank.tickets.assign(plans[kernelOf(rank)].order.size(), 0);
    return true;
  }

  void settle(State &state) const {
    for (bool moved = true; moved;) {
      moved = false;
      for (int number = 0; number < program.world; ++number) {
        Rank &rank = state.ranks[number];
        if (isOver(rank))
          continue;
        for (size_t i = 0; i < rank.workers.size(); ++i) {
          bool leaves = false;
          if (rank.workers[i].role == lasts || !proceed(state, number, rank.workers[i], leaves))
            continue;
          moved = true;
          if (leaves)
            rank.workers.erase(rank.workers.begin() + i--);
        }
        moved |= finish(state, number);
      }
    }
    for (Rank &rank : state.ranks)
      std::sort(rank.workers.begin(), rank.workers.end());
  }

  void push(State state) {
    settle(state);
    auto [at, fresh] = seen.insert(std::move(state));
    if (fresh)
      work.push_back(&*at);
  }

  /// False when nothing can move and something is left to do.
  bool expand(const State &state) {
    bool over = true, moved = false;
    for (int number = 0; number < program.world; ++number) {
      const Rank &rank = state.ranks[number];
      if (isOver(rank))
        continue;
      over = false;
      if (rank.arrived < workgroups && int(rank.workers.size()) < resident[kernelOf(rank)]) {
        State next = state;
        Rank &there = next.ranks[number];
        const Plan &plan = plans[kernelOf(rank)];
        there.workers.push_back({there.arrived == 0 ? -1 : entry(plan, there.arrived), -1, 0, false});
        ++there.arrived;
        push(next);
        moved = true;
      }
      for (size_t i = 0; i < rank.workers.size(); ++i) {
        if (!rank.workers[i].draws || (i && rank.workers[i] == rank.workers[i - 1]))
          continue;
        State next = state;
        Worker &worker = next.ranks[number].workers[i];
        worker = {worker.role, next.ranks[number].tickets[worker.role]++, 0, false};
        push(next);
        moved = true;
      }
    }
    return moved || over;
  }

  static constexpr int lasts = 1 << 20;
  const Program &program;
  int workgroups;
  std::vector<int> resident;
  size_t limit;
  std::vector<Plan> plans;
  std::set<State> seen;
  std::vector<const State *> work;
};

} // namespace

Outcome exploreWorkgroups(const Program &program, int workgroups, const std::vector<int> &resident, size_t limit) {
  if (program.kernels.empty())
    return Outcome::Ends;
  return Explorer(program, workgroups, resident, limit).run();
}

} // namespace truth
