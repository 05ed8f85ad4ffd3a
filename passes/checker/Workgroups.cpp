// Each workgroup runs until it waits or leaves; a signal wakes those that wait for its word.
#include "passes/checker/Workgroups.h"

using namespace llvm;
using namespace tilec;
using namespace tilec::checker;

Workgroups::Workgroups(const Trace &trace, uint32_t launches, int64_t workgroups, ArrayRef<int64_t> resident)
    : trace(trace), launches(launches), kernels(trace.numKernels()), workgroups(workgroups), resident(resident),
      values(size_t(trace.wordsPerRank) * trace.numRanks(), 0), waiting(values.size(), none),
      producer(values.size(), none), threadOfSignal(values.size(), none), ranks(trace.numRanks()) {
  for (auto [number, thread] : enumerate(trace.threads))
    for (uint32_t sync = thread.firstSync; sync < thread.endSync; ++sync)
      if (trace.syncs[sync].signal) {
        producer[trace.syncs[sync].object] = sync;
        if (trace.syncs[sync].counted)
          ++arriving[trace.syncs[sync].object];
        threadOfSignal[trace.syncs[sync].object] = number;
      }
  if (kernels == 0)
    return;
  for (uint32_t rank = 0; rank < ranks.size(); ++rank)
    beginKernel(rank);
}

bool Workgroups::run() {
  for (bool moved = true; moved;) {
    moved = false;
    for (uint32_t rank = 0; rank < ranks.size(); ++rank)
      moved |= dispatch(rank);
    for (; !ready.empty(); moved = true) {
      uint32_t worker = ready.back();
      ready.pop_back();
      if (proceed(worker))
        leave(worker);
    }
  }
  return all_of(ranks, [&](const Rank &rank) { return rank.kernel == launches * kernels; });
}

void Workgroups::beginKernel(uint32_t number) {
  Rank &rank = ranks[number];
  rank.arrived = rank.active = 0;
  rank.dry = false;
  rank.drawn.clear();
  if (rank.kernel < launches * kernels)
    for (const std::vector<RoleThreads> &group : kernelOf(rank, number).groups)
      rank.drawn.emplace_back(group.size(), 0);
}

/// Brings in the next workgroup, or begins the `last` roles. True when something has begun.
bool Workgroups::dispatch(uint32_t number) {
  Rank &rank = ranks[number];
  if (kernels == 0 || rank.kernel == launches * kernels)
    return false;
  bool more = !rank.dry && rank.arrived < workgroups;
  if (more && rank.active < resident[rank.kernel % kernels]) {
    arrive(number);
    return true;
  }
  if (more || rank.active)
    return false;
  // Nobody is left and nobody comes: the last workgroup runs the `last` roles. It holds no ticket, so it is let in at
  // any residency.
  const std::vector<uint32_t> &lasts = kernelOf(rank, number).lasts;
  if (lasts.empty()) {
    ++rank.kernel;
    beginKernel(number);
    return true;
  }
  arrive(number);
  Worker &worker = workers[ready.back()];
  worker.thread = lasts.front();
  worker.sync = trace.threads[worker.thread].firstSync;
  return true;
}

void Workgroups::arrive(uint32_t number) {
  Rank &rank = ranks[number];
  uint32_t made = workers.size();
  if (unused.empty()) {
    workers.emplace_back();
  } else {
    made = unused.back();
    unused.pop_back();
  }
  Worker &worker = workers[made] = Worker();
  worker.rank = number;
  worker.group = groupOf(trace.program->kernels[rank.kernel % kernels], rank.arrived, worker.steady);
  const KernelThreads &kernel = kernelOf(rank, number);
  if (rank.arrived == 0 && !kernel.firsts.empty())
    worker.thread = kernel.firsts.front();
  else if (worker.group < kernel.groups.size())
    worker.thread = kernel.groups[worker.group].front().prologues.front();
  worker.sync = worker.thread == none ? 0 : trace.threads[worker.thread].firstSync;
  ++rank.arrived;
  ++rank.active;
  ready.push_back(made);
}

/// Groups in the order of the text; the pool has what the others leave, and at least one.
uint32_t Workgroups::groupOf(const KernelCode &kernel, int64_t arrival, bool &steady) const {
  int64_t own = 0, end = 0;
  for (int64_t size : kernel.workgroups)
    own += size;
  for (auto [group, size] : enumerate(kernel.workgroups)) {
    end += size ? size : std::max<int64_t>(workgroups - own, 1);
    steady = group + 1 == kernel.workgroups.size();
    if (arrival < end || steady)
      return group;
  }
  steady = true;
  return 0;
}

/// True when the workgroup leaves, false when it waits.
bool Workgroups::proceed(uint32_t number) {
  Worker &worker = workers[number];
  uint32_t launch = ranks[worker.rank].kernel / kernels;
  do {
    if (worker.thread == none)
      return true;
    for (; worker.sync < trace.threads[worker.thread].endSync; ++worker.sync, worker.word = 0) {
      const Sync &sync = trace.syncs[worker.sync];
      if (sync.signal)
        raise(sync.object, launch);
      else if (!pass(worker, number))
        return false;
    }
  } while (nextThread(worker));
  return true;
}

bool Workgroups::pass(Worker &worker, uint32_t number) {
  const WaitBox &box = trace.waits[trace.syncs[worker.sync].object];
  uint32_t launch = ranks[worker.rank].kernel / kernels;
  for (; box.begin + worker.word < box.end; ++worker.word) {
    uint32_t word = trace.boxWords[box.begin + worker.word];
    if (values[word] + box.lag > launch)
      continue;
    worker.next = waiting[word];
    waiting[word] = number;
    return false;
  }
  return true;
}

void Workgroups::raise(uint32_t word, uint32_t launch) {
  auto counted = arriving.find(word);
  if (counted != arriving.end() && ++come[word] % counted->second)
    return;
  if (values[word] > launch)
    return;
  values[word] = launch + 1;
  // Those that wait for a later launch still find themselves here when they look again.
  for (uint32_t at = std::exchange(waiting[word], none); at != none; at = workers[at].next)
    ready.push_back(at);
}

/// Goes on with what the workgroup does next; false when that is nothing.
bool Workgroups::nextThread(Worker &worker) {
  Rank &rank = ranks[worker.rank];
  const KernelThreads &kernel = kernelOf(rank, worker.rank);
  auto go = [&](uint32_t thread) {
    worker.thread = thread;
    worker.sync = trace.threads[thread].firstSync;
    return true;
  };
  const Thread &done = trace.threads[worker.thread];
  if (done.kind == Thread::First || done.kind == Thread::Last) {
    const std::vector<uint32_t> &chain = done.kind == Thread::First ? kernel.firsts : kernel.lasts;
    const uint32_t *at = llvm::find(ArrayRef<uint32_t>(chain), worker.thread) + 1;
    if (at != chain.data() + chain.size())
      return go(*at);
    if (done.kind == Thread::Last || worker.group == kernel.groups.size())
      return false;
    return go(kernel.groups[worker.group].front().prologues.front());
  }
  const RoleThreads &role = kernel.groups[worker.group][worker.role];
  uint32_t ticket = role.beginTask + rank.drawn[worker.group][worker.role];
  if (ticket < role.endTask) {
    ++rank.drawn[worker.group][worker.role];
    return go(ticket);
  }
  if (++worker.role == kernel.groups[worker.group].size()) {
    worker.role = 0;
    ++worker.group;
  }
  return worker.group < kernel.groups.size() && go(kernel.groups[worker.group][worker.role].prologues.front());
}

void Workgroups::leave(uint32_t number) {
  Worker &worker = workers[number];
  Rank &rank = ranks[worker.rank];
  unused.push_back(number);
  --rank.active;
  if (worker.thread != none && trace.threads[worker.thread].kind == Thread::Last) {
    ++rank.kernel;
    beginKernel(worker.rank);
    return;
  }
  rank.dry |= worker.steady;
}

/// More workgroups than tasks: the others stand in front of their first ticket, and so would one more.
bool Workgroups::isFull(uint32_t number) const {
  const Rank &rank = ranks[number];
  int64_t useful = 1 + kernelOf(rank, number).bodyThreads + kernelOf(rank, number).engineThreads;
  for (int64_t own : trace.program->kernels[rank.kernel % kernels].workgroups)
    useful += own;
  return rank.active > useful;
}

SmallVector<uint32_t> Workgroups::waitingKernels(bool full) const {
  SmallVector<uint32_t> result;
  for (auto [number, rank] : enumerate(ranks)) {
    bool over = rank.kernel == launches * kernels || rank.dry;
    if (!over && (full ? isFull(number) || rank.arrived >= workgroups : !isFull(number) && rank.arrived < workgroups))
      result.push_back(rank.kernel % kernels);
  }
  llvm::sort(result);
  result.erase(llvm::unique(result), result.end());
  return result;
}

Workgroups::Blocked Workgroups::blocked(uint32_t kernel) const {
  Blocked best;
  for (uint32_t word = 0; word < waiting.size(); ++word)
    for (uint32_t at = waiting[word]; at != none; at = workers[at].next) {
      const Worker &worker = workers[at];
      Blocked found{worker.thread, worker.sync, producer[word]};
      bool here = trace.threads[worker.thread].kernel == kernel;
      const Thread *there = found.signal == none ? nullptr : &trace.threads[threadOfSignal[word]];
      if (here && there && there->kernel == kernel && there->rank == worker.rank)
        return found;
      if (best.wait == none || here)
        best = found;
    }
  return best;
}
