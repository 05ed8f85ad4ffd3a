// Runs threads until each has ended or waits for ever, and computes clocks on the way.
#include "passes/checker/Execution.h"

using namespace llvm;
using namespace tilec::checker;

Execution::Execution(const Trace &trace, uint32_t launches, Findings &findings, Assumptions assumptions)
    : trace(trace), findings(findings), launches(launches), kernels(trace.numKernels()), ranks(trace.numRanks()),
      words(trace.wordsPerRank * trace.numRanks()), clocks(ranks, launches, kernels, endsOf(trace)),
      threadOfSync(trace.syncs.size()), producerBegin(words + 2, 0), raised(launches * words, 0),
      blocked(launches * words, none), states(trace.waits.size() * launches),
      syncClocks(launches * trace.syncs.size(), HappensBefore::nothing), baseClocks(launches * kernels * ranks),
      lastClocks(baseClocks.size()), overClocks(baseClocks.size()), streams(ranks), nextSync(trace.threads.size()),
      nextAccess(trace.threads.size()), nextWaiter(trace.threads.size(), none), status(trace.threads.size(), 0),
      assumptions(std::move(assumptions)) {
  for (const Thread &thread : trace.threads) {
    bool tells = thread.before != none && trace.threads[thread.before].firstSync < trace.threads[thread.before].endSync;
    earlier.push_back(tells || thread.before == none ? thread.before : earlier[thread.before]);
  }
  for (auto [number, thread] : enumerate(trace.threads))
    std::fill(threadOfSync.begin() + thread.firstSync, threadOfSync.begin() + thread.endSync, number);
  counted.resize(words);
  for (const Sync &sync : trace.syncs)
    if (sync.signal) {
      ++producerBegin[sync.object + 2];
      counted[sync.object] = counted[sync.object] || sync.counted;
    }
  for (uint32_t word = 0; word < words; ++word)
    producerBegin[word + 2] += producerBegin[word + 1];
  producerList.resize(producerBegin[words + 1]);
  for (auto [number, sync] : enumerate(trace.syncs))
    if (sync.signal)
      producerList[producerBegin[sync.object + 1]++] = number;
}

std::vector<ThreadEnd> Execution::endsOf(const Trace &trace) {
  std::vector<ThreadEnd> ends;
  for (const Thread &thread : trace.threads)
    ends.push_back({thread.rank, thread.kind == Thread::Last || thread.engine ? Milestone::over(thread.kernel)
                                                                              : Milestone::body(thread.kernel)});
  return ends;
}

void Execution::run(Visitor visit) {
  if (kernels == 0) {
    complete = true;
    return;
  }
  for (uint32_t rank = 0; rank < ranks; ++rank)
    beginKernel(rank);
  do {
    // First in, first out: ranks advance together, which keeps the last accesses of a cell recent.
    for (size_t at = 0; at < ready.size(); ++at) {
      runThread(ready[at], visit);
      if (findings.isDecided())
        return;
      if (at >= 65536) {
        ready.erase(ready.begin(), ready.begin() + at + 1);
        at = size_t(-1);
      }
    }
    ready.clear();
  } while (forceOne());
  complete = all_of(streams, [&](const Stream &stream) { return stream.kernel == launches * kernels; });
  if (!complete)
    reportStuck();
  checkLowered();
}

//===-- kernels
//-----------------------------------------------------------------------------------------------------===//

void Execution::beginKernel(uint32_t rank) {
  Stream &stream = streams[rank];
  if (stream.kernel == launches * kernels)
    return;
  const KernelThreads &kernel = trace.kernels[rank][stream.kernel % kernels];
  std::vector<uint32_t> known(ranks, 0);
  if (stream.kernel)
    known = clocks.milestones(overClocks[(stream.kernel - 1) * ranks + rank]).vec();
  known[rank] = Milestone::begun(stream.kernel);
  clocks.setMilestone(rank, known[rank], HappensBefore::nothing);
  baseClocks[stream.kernel * ranks + rank] = clocks.makeClock(std::move(known), {}, {});
  stream.remaining = kernel.bodyThreads;
  stream.engines = kernel.engineThreads;
  stream.left = false;
  stream.waited.clear();
  auto reset = [&](uint32_t thread) {
    status[thread] = 0;
    nextSync[thread] = trace.threads[thread].firstSync;
    nextAccess[thread] = trace.threads[thread].firstAccess;
  };
  for_each(kernel.firsts, reset);
  for_each(kernel.lasts, reset);
  for (const std::vector<RoleThreads> &group : kernel.groups)
    for (const RoleThreads &role : group) {
      for_each(role.prologues, reset);
      for (uint32_t task = role.beginTask; task < role.endTask; ++task)
        reset(task);
    }
  if (!kernel.firsts.empty())
    ready.push_back(kernel.firsts.front());
  for (const std::vector<RoleThreads> &group : kernel.groups)
    if (!group.empty())
      append_range(ready, group.front().prologues);
  if (stream.remaining == 0)
    bodyOver(rank);
}

void Execution::bodyOver(uint32_t rank) {
  Stream &stream = streams[rank];
  uint32_t at = stream.kernel * ranks + rank;
  std::vector<uint32_t> known = clocks.milestones(baseClocks[at]).vec();
  known[rank] = Milestone::body(stream.kernel);
  llvm::sort(stream.waited);
  stream.waited.erase(llvm::unique(stream.waited), stream.waited.end());
  lastClocks[at] = clocks.makeClock(std::move(known), {}, stream.waited);
  clocks.setMilestone(rank, Milestone::body(stream.kernel), lastClocks[at]);
  stream.waited.clear();
  const KernelThreads &kernel = trace.kernels[rank][stream.kernel % kernels];
  if (kernel.lasts.empty())
    return left(rank);
  ready.push_back(kernel.lasts.front());
}

/// The stream goes on when the copy engine is done, too.
void Execution::left(uint32_t rank) {
  streams[rank].left = true;
  if (streams[rank].engines == 0)
    kernelOver(rank);
}

void Execution::kernelOver(uint32_t rank) {
  Stream &stream = streams[rank];
  uint32_t at = stream.kernel * ranks + rank;
  std::vector<uint32_t> known = clocks.milestones(lastClocks[at]).vec();
  known[rank] = Milestone::over(stream.kernel);
  overClocks[at] = clocks.makeClock(std::move(known), {}, stream.waited);
  clocks.setMilestone(rank, Milestone::over(stream.kernel), overClocks[at]);
  ++stream.kernel;
  beginKernel(rank);
}

//===-- threads
//-----------------------------------------------------------------------------------------------------===//

void Execution::runThread(uint32_t number, Visitor visit) {
  const Thread &thread = trace.threads[number];
  uint32_t launch = streams[thread.rank].kernel / kernels;
  status[number] = 1;
  while (true) {
    uint32_t sync = nextSync[number];
    uint32_t &access = nextAccess[number];
    for (; access < thread.endAccess && trace.accesses[access].position <= sync - thread.firstSync; ++access)
      visit(launch, number, access);
    if (sync == thread.endSync)
      break;
    if (trace.syncs[sync].signal) {
      raise(number, sync);
      ++nextSync[number];
      continue;
    }
    uint32_t lag = trace.waits[trace.syncs[sync].object].lag;
    if (launch >= lag) {
      uint32_t state = trace.syncs[sync].object * launches + launch - lag;
      if (!states[state].over && (states[state].listed || !advance(state, false))) {
        nextWaiter[number] = states[state].waiters;
        states[state].waiters = number;
        return;
      }
      syncClocks[launch * trace.syncs.size() + sync] = states[state].clock;
      if (states[state].user != streams[thread.rank].kernel)
        streams[thread.rank].waited.push_back(states[state].clock);
      states[state].user = streams[thread.rank].kernel;
    }
    ++nextSync[number];
  }
  threadOver(number);
}

void Execution::threadOver(uint32_t number) {
  const Thread &thread = trace.threads[number];
  Stream &stream = streams[thread.rank];
  const KernelThreads &kernel = trace.kernels[thread.rank][thread.kernel];
  status[number] = 2;
  auto next = [&](ArrayRef<uint32_t> chain) {
    const uint32_t *at = llvm::find(chain, number) + 1;
    if (at == chain.end())
      return false;
    ready.push_back(*at);
    return true;
  };
  if (thread.kind == Thread::Last) {
    if (!next(kernel.lasts))
      left(thread.rank);
    return;
  }
  if (thread.kind == Thread::First)
    next(kernel.firsts);
  else if (thread.kind == Thread::Prologue)
    prologueOver(number);
  if (thread.engine ? --stream.engines == 0 && stream.left : --stream.remaining == 0)
    thread.engine ? kernelOver(thread.rank) : bodyOver(thread.rank);
}

/// The tasks of the role may begin, and so may the next role of the group: some other workgroup finds no ticket left.
void Execution::prologueOver(uint32_t number) {
  const Thread &thread = trace.threads[number];
  for (const std::vector<RoleThreads> &group : trace.kernels[thread.rank][thread.kernel].groups)
    for (size_t i = 0; i < group.size(); ++i) {
      if (group[i].prologues.front() != number)
        continue;
      for (uint32_t task = group[i].beginTask; task < group[i].endTask; ++task)
        ready.push_back(task);
      if (i + 1 < group.size())
        append_range(ready, group[i + 1].prologues);
    }
}

//===-- signals and waits
//-------------------------------------------------------------------------------------------===//

void Execution::raise(uint32_t thread, uint32_t sync) {
  uint32_t launch = streams[trace.threads[thread].rank].kernel / kernels;
  uint32_t word = trace.syncs[sync].object, at = launch * words + word;
  syncClocks[launch * trace.syncs.size() + sync] = signalClock(launch, sync);
  ++raised[at];
  if (!raisedEnough(word, launch))
    return;
  uint32_t state = blocked[at];
  blocked[at] = none;
  while (state != none) {
    uint32_t next = states[state].nextBlocked;
    states[state].nextBlocked = none;
    states[state].listed = false;
    if (advance(state, false))
      wake(state);
    state = next;
  }
}

/// Moves on over the raised words of a box; true when none is left. With `force` one producer of several is enough for
/// the word that it stands at.
bool Execution::advance(uint32_t number, bool force) {
  WaitState &state = states[number];
  const WaitBox &box = trace.waits[number / launches];
  uint32_t launch = number % launches;
  for (; box.begin + state.progress < box.end; ++state.progress) {
    uint32_t word = trace.boxWords[box.begin + state.progress];
    if (raisedEnough(word, launch))
      continue;
    if (force) {
      force = false;
      continue;
    }
    state.listed = true;
    state.nextBlocked = blocked[launch * words + word];
    blocked[launch * words + word] = number;
    return false;
  }
  auto assumed = assumptions.find(number);
  state.clock = assumed == assumptions.end() ? waitClock(number)
                                             : clocks.makeClock(assumed->second.milestones, assumed->second.marks, {});
  state.over = true;
  return true;
}

void Execution::wake(uint32_t number) {
  for (uint32_t thread = states[number].waiters; thread != none;) {
    uint32_t next = nextWaiter[thread];
    nextWaiter[thread] = none;
    ready.push_back(thread);
    thread = next;
  }
  states[number].waiters = none;
}

/// Nothing else can move: if some wait stands at a word that some, but not all, of its producers have raised, the
/// others may come after it. Lets one such wait go; `settle` finds out what it may be taken to know.
bool Execution::forceOne() {
  for (uint32_t at = 0; at < blocked.size(); ++at) {
    if (blocked[at] == none || raised[at] == 0 || counted[at % words])
      continue;
    uint32_t state = blocked[at];
    blocked[at] = states[state].nextBlocked;
    states[state].nextBlocked = none;
    states[state].listed = false;
    forced.push_back(state);
    if (advance(state, true))
      wake(state);
    return true;
  }
  return false;
}

//===-- clocks
//------------------------------------------------------------------------------------------------------===//

Execution::Clock Execution::base(uint32_t launch, uint32_t number) const {
  const Thread &thread = trace.threads[number];
  uint32_t at = (launch * kernels + thread.kernel) * ranks + thread.rank;
  return thread.kind == Thread::Last ? lastClocks[at] : baseClocks[at];
}

void Execution::tokenClocks(uint32_t launch, uint32_t thread, uint32_t access, SmallVectorImpl<Clock> &result) const {
  for (int64_t token : trace.tokenSets[trace.accesses[access].tokens]) {
    uint32_t owner = token & Trace::prologueToken ? trace.threads[thread].before : thread;
    uint32_t sync = trace.threads[owner].firstSync + (token & ~Trace::prologueToken);
    result.push_back(syncClocks[launch * trace.syncs.size() + sync]);
  }
}

/// What a signal carries: what its thread knew at the start, every wait that its workgroup has passed, the signals
/// before it in its thread, and itself.
Execution::Clock Execution::signalClock(uint32_t launch, uint32_t sync) {
  uint32_t number = threadOfSync[sync], instances = launch * trace.threads.size();
  const Mark self{instances + number, trace.syncs[sync].number};
  auto isPosted = [&](uint32_t other) { return trace.program->syncs[trace.syncs[other].site].posted; };
  if (isPosted(sync)) {
    // Without a release nothing but the tile is known, and that its rank has begun the kernel: who has the words stores
    // behind that what it makes of them.
    std::vector<uint32_t> begun(ranks, 0);
    const Thread &thread = trace.threads[number];
    begun[thread.rank] = Milestone::begun(launch * kernels + thread.kernel);
    return clocks.makeSignal(clocks.makeClock(std::move(begun), {}, {}), self);
  }
  if (sync > trace.threads[number].firstSync && trace.syncs[sync - 1].signal && !isPosted(sync - 1))
    return clocks.makeSignal(syncClocks[launch * trace.syncs.size() + sync - 1], self);
  SmallVector<Clock> included{base(launch, number)};
  std::vector<Mark> marks;
  uint32_t end = sync;
  for (uint32_t at = number; at != none; at = earlier[at]) {
    const Thread &thread = trace.threads[at];
    if (at != number) {
      end = thread.endSync;
      // Signals that only some other workgroup may have raised say nothing.
      if (thread.alone && thread.signals)
        marks.push_back({instances + at, thread.signals});
    }
    for (uint32_t i = thread.firstSync; i < end; ++i)
      if (!trace.syncs[i].signal && syncClocks[launch * trace.syncs.size() + i] != HappensBefore::nothing)
        included.push_back(syncClocks[launch * trace.syncs.size() + i]);
  }
  return clocks.makeSignal(clocks.makeClock(std::vector<uint32_t>(ranks, 0), std::move(marks), included), self);
}

/// All words of the box; of a word that several may raise, what all of them know, and where all are counted what any
/// of them knows.
Execution::Clock Execution::waitClock(uint32_t number) {
  const WaitBox &box = trace.waits[number / launches];
  uint32_t launch = number % launches;
  SmallVector<Clock> included;
  for (uint32_t at = box.begin; at < box.end; ++at) {
    SmallVector<Clock> ways;
    for (uint32_t sync : producers(trace.boxWords[at]))
      if (Clock clock = syncClocks[launch * trace.syncs.size() + sync]; clock != HappensBefore::nothing)
        ways.push_back(clock);
    if (counted[trace.boxWords[at]])
      included.append(ways);
    else
      included.push_back(ways.size() == 1 ? ways[0] : clocks.makeCommon(ways));
  }
  if (included.size() == 1)
    return included[0];
  return clocks.makeClock(std::vector<uint32_t>(ranks, 0), {}, included);
}
