// Per cell the last write and the accesses since, as in FastTrack (Flanagan and Freund, PLDI 2009).
#include "passes/checker/Races.h"

using namespace llvm;
using namespace tilec::checker;

static bool isScratch(const Root &root) {
  auto alloc = root.value.getDefiningOp<tilec::tile::AllocOp>();
  return !root.argument && !(alloc && alloc.getPersistent());
}

Races::Races(const Trace &trace, const Cells &cells, const Execution &execution, Findings &findings)
    : trace(trace), cells(cells), execution(execution), findings(findings), state(trace.program->roots.size()) {
  for (auto [root, list] : enumerate(state))
    list.resize(size_t(cells.count(root)) * trace.numRanks() * trace.program->roots[root].copies);
  for (const Root &root : trace.program->roots)
    isUndefined.push_back(isScratch(root));
}

uint64_t Races::numCells() const {
  uint64_t count = 0;
  for (const std::vector<Cell> &list : state)
    count += list.size();
  return count;
}

static std::string bufferName(const Root &root) {
  if (auto name = dyn_cast<mlir::NameLoc>(root.value.getLoc()))
    return "'%" + name.getName().str() + "'";
  return root.argument ? "argument " + std::to_string(cast<mlir::BlockArgument>(root.value).getArgNumber())
                       : "a buffer";
}

void Races::visit(uint32_t launch, uint32_t thread, uint32_t access) {
  const Access &made = trace.accesses[access];
  uint32_t root = cells.rootOf(made.box);
  const Root &buffer = trace.program->roots[root];
  bool foreign = buffer.argument && made.owner != trace.threads[thread].rank;
  if (!foreign && !cells.isWritten(root))
    return;
  now = {execution.event(launch, thread, access),
         trace.systemCover(thread, made.cover),
         launch,
         thread,
         access,
         made.site};
  nowNumber = 0;
  lastCovered = {0, 0};
  known.clear();
  known.push_back(execution.base(launch, thread));
  execution.tokenClocks(launch, thread, access, known);
  latest.isValid = false;
  if (foreign)
    checkEntry(root);
  if (!cells.isWritten(root))
    return;
  size_t copy = made.owner * buffer.copies + launch % buffer.copies;
  for (uint32_t cell : cells.of(made.box))
    checkCell(cell, state[root][copy * cells.count(root) + cell]);
}

/// What is released at scope `agent` is ordered for its own device alone, however far the news travels from there. The
/// end of a kernel leaves it to whatever its device releases at `system` later.
Event Races::seenFrom(uint32_t rank, const Entry &earlier) const {
  Event event = earlier.event;
  if (event.rank != rank)
    event.cover = earlier.farCover;
  return event;
}

bool Races::isOrdered(const Entry &earlier, uint32_t cell) {
  // Within a task, accesses to one element happen in the order of the text.
  if (earlier.isFrom(now))
    return true;
  return isKnown(seenFrom(now.event.rank, earlier)) || orderedInTask(earlier, cell);
}

bool Races::isKnown(const Event &event) {
  if (!latest.isValid || latest.event != event)
    latest = {event, execution.order().knowsAny(known, event), true};
  return latest.isKnown;
}

/// By way of an earlier access of the same task to the same element, whose tokens know the event.
bool Races::orderedInTask(const Entry &earlier, uint32_t cell) const {
  uint32_t owner = trace.accesses[now.access].owner, root = cells.rootOf(trace.accesses[now.access].box);
  SmallVector<Clock, 4> clocks;
  for (uint32_t access = trace.threads[now.thread].firstAccess; access < now.access; ++access) {
    const Access &other = trace.accesses[access];
    if (other.owner != owner || cells.rootOf(other.box) != root || !llvm::binary_search(cells.of(other.box), cell))
      continue;
    clocks.clear();
    execution.tokenClocks(now.launch, now.thread, access, clocks);
    if (execution.order().knowsAny(clocks, seenFrom(now.event.rank, earlier)))
      return true;
  }
  return false;
}

/// What comes after this access comes after the earlier ones of its task to the element: a signal that covers it
/// covers them.
void Races::coverEarlier(Cell &state) {
  if (state.write && entries[state.write].isFrom(now))
    state.write = covered(state.write);
  for (uint32_t at = state.since; at && entries[lists[at].entry].isFrom(now); at = lists[at].next)
    lists[at].entry = covered(lists[at].entry);
}

/// An entry for this cell alone: of the others of the earlier access, this one may touch none.
uint32_t Races::covered(uint32_t earlier) {
  Entry entry = entries[earlier];
  if (entry.event.cover <= now.event.cover && entry.farCover <= now.farCover)
    return earlier;
  if (lastCovered.first == earlier)
    return lastCovered.second;
  entry.event.cover = std::min(entry.event.cover, now.event.cover);
  entry.farCover = std::min(entry.farCover, now.farCover);
  entries.push_back(entry);
  lastCovered = {earlier, uint32_t(entries.size() - 1)};
  return lastCovered.second;
}

/// One for all cells of the access.
uint32_t Races::numberOfNow() {
  if (!nowNumber) {
    nowNumber = entries.size();
    entries.push_back(now);
  }
  return nowNumber;
}

void Races::checkCell(uint32_t cell, Cell &state) {
  coverEarlier(state);
  const AccessSite &mine = site(now);
  if (mine.reads)
    checkWritten(cell, state);
  if (state.write && !isApart(entries[state.write]) && !isOrdered(entries[state.write], cell))
    report(entries[state.write], cell);
  // Reads do not conflict, and of most cells there are nothing but reads.
  if (mine.writes || state.commuted) {
    for (uint32_t at = state.since; at; at = lists[at].next) {
      const Entry &earlier = entries[lists[at].entry];
      const AccessSite &other = site(earlier);
      bool conflict = (mine.writes || other.writes) && !(mine.kind && mine.kind == other.kind) && !isApart(earlier);
      if (conflict && !isOrdered(earlier, cell))
        report(earlier, cell);
    }
  }
  record(state);
}

/// Tasks of one launch, and of one step, that write where data says: each element is written once, which is assumed.
bool Races::isApart(const Entry &earlier) const {
  return earlier.launch == now.launch && site(now).isApart && earlier.site == now.site &&
         trace.stepOf(trace.threads[earlier.thread]) == trace.stepOf(trace.threads[now.thread]);
}

/// Accesses are visited in an order that happens-before allows: a store that comes before this read has been. One that
/// nothing orders is a race, whether it has been or not.
void Races::checkWritten(uint32_t cell, const Cell &state) {
  uint32_t root = cells.rootOf(trace.accesses[now.access].box);
  if (!isUndefined[root] || (state.write && entries[state.write].launch == now.launch))
    return;
  const Root &buffer = trace.program->roots[root];
  findings.report("unwritten", site(now).op, nullptr, [&](mlir::InFlightDiagnostic &diagnostic) {
    diagnostic << (site(now).writes ? "accumulates into" : "reads") << " element [";
    interleaveComma(cells.element(root, cell), diagnostic);
    diagnostic << "] of " << bufferName(buffer) << " on rank " << trace.accesses[now.access].owner << ", by "
               << trace.describe(trace.threads[now.thread]) << ", before any store of the launch";
    diagnostic.attachNote(buffer.value.getLoc()) << "scratch is undefined at the start of every launch";
  });
}

void Races::record(Cell &state) {
  const AccessSite &mine = site(now);
  bool joins = mine.isApart && state.write && isApart(entries[state.write]);
  if (mine.writes && !mine.kind && !joins) {
    state = {numberOfNow(), 0, 0};
    return;
  }
  if (isRepeated(state))
    return;
  lists.push_back({numberOfNow(), state.since});
  state.since = lists.size() - 1;
  state.commuted |= mine.writes;
}

/// Reads that no signal follows are over with their kernel. Two of different tasks stand for all of them: whoever comes
/// later is not the task of one of the two.
bool Races::isRepeated(const Cell &state) const {
  if (!state.since || site(now).writes)
    return false;
  const Entry &latest = entries[lists[state.since].entry];
  if (latest.isFrom(now) && !site(latest).writes && latest.event.cover == now.event.cover)
    return true;
  uint32_t tasks = 0;
  for (uint32_t at = state.since, depth = 0; at && depth < 2; at = lists[at].next, ++depth) {
    const Entry &entry = entries[lists[at].entry];
    if (now.event.cover != Access::never || entry.event.cover != Access::never || entry.event.rank != now.event.rank ||
        entry.event.milestone != now.event.milestone || site(entry).writes)
      return false;
    if (entry.isFrom(now))
      return true;
    ++tasks;
  }
  return tasks == 2;
}

//===-- the application
//---------------------------------------------------------------------------------------------===//

static StringRef verb(const AccessSite &site) { return !site.writes ? "read" : site.reads ? "atomic update" : "write"; }

/// A peer's access to an argument comes after the launch has begun on the argument's rank: the application writes
/// before.
void Races::checkEntry(uint32_t root) {
  uint32_t owner = trace.accesses[now.access].owner;
  // One of several alike stands for all.
  if (exits.empty() || exits.back().launch != now.launch || exits.back().thread != now.thread ||
      trace.accesses[exits.back().access].owner != owner ||
      trace.accesses[exits.back().access].cover != now.event.cover)
    exits.push_back({now.launch, now.thread, now.access});
  for (Clock clock : known)
    if (execution.order().reached(clock, owner) >= execution.launchBegun(now.launch))
      return;
  mlir::Operation *place = site(now).op;
  findings.report("entry", place, nullptr, [&](mlir::InFlightDiagnostic &diagnostic) {
    const Root &buffer = trace.program->roots[root];
    diagnostic << "data race: " << verb(site(now)) << " of " << bufferName(buffer) << " on rank " << owner << ", by "
               << trace.describe(trace.threads[now.thread])
               << ", may come before that rank has entered the launch: no token it names knows of a signal of rank "
               << owner << " in this launch";
    diagnostic.attachNote(buffer.value.getLoc())
        << "the application of rank " << owner << " owns the argument until then";
  });
}

void Races::checkCompletion() {
  if (!execution.isComplete())
    return;
  for (const Exit &exit : exits) {
    const Access &access = trace.accesses[exit.access];
    Clock over = execution.completion(exit.launch, access.owner);
    Event event = execution.event(exit.launch, exit.thread, exit.access);
    event.cover = trace.systemCover(exit.thread, event.cover);
    if (execution.order().knows(over, event))
      continue;
    findings.report(
        "exit", trace.program->accesses[access.site].op, nullptr, [&](mlir::InFlightDiagnostic &diagnostic) {
          const Root &buffer = trace.program->roots[cells.rootOf(access.box)];
          diagnostic << "data race: " << verb(trace.program->accesses[access.site]) << " of " << bufferName(buffer)
                     << " on rank " << access.owner << ", by " << trace.describe(trace.threads[exit.thread])
                     << ", may come after the launch has completed on that rank: "
                     << (access.cover == Access::never ? "no signal of the task covers it"
                                                       : "that rank does not wait for a signal that covers it");
          diagnostic.attachNote(buffer.value.getLoc())
              << "the application of rank " << access.owner << " owns the argument from then on";
        });
  }
}

//===-- reports
//-----------------------------------------------------------------------------------------------------===//

void Races::explain(mlir::InFlightDiagnostic &diagnostic, const Entry &earlier) const {
  uint32_t cover = trace.accesses[earlier.access].cover;
  const Thread &thread = trace.threads[earlier.thread];
  if (cover != Access::never && thread.rank != now.event.rank) {
    if (earlier.farCover == Access::never) {
      diagnostic << "it is released at scope 'agent' alone, which does not reach another GPU, not even through a "
                    "signal of another task";
      return;
    }
    cover = earlier.farCover;
  }
  if (cover == Access::never) {
    diagnostic << (site(earlier).writes ? "no signal publishes the " : "no signal follows the ") << verb(site(earlier));
    return;
  }
  for (uint32_t sync = thread.firstSync; sync < thread.endSync; ++sync) {
    if (!trace.syncs[sync].signal || trace.syncs[sync].number != cover)
      continue;
    diagnostic << (known.size() == 1 ? "it names no wait" : "none of the waits it names knows") << ", expected "
               << (known.size() == 1 ? "one for " : "") << "the signal "
               << trace.describeWord(trace.syncs[sync].object);
    diagnostic.attachNote(trace.opOf(trace.syncs[sync])->getLoc()) << "the signal is here";
    return;
  }
}

void Races::report(const Entry &earlier, uint32_t cell) {
  const AccessSite &mine = site(now), &other = site(earlier);
  const Thread &here = trace.threads[now.thread], &there = trace.threads[earlier.thread];
  uint32_t root = cells.rootOf(trace.accesses[now.access].box);
  findings.report("race", mine.op, other.op, [&](mlir::InFlightDiagnostic &diagnostic) {
    diagnostic << "data race: " << verb(mine) << " of element [";
    interleaveComma(cells.element(root, cell), diagnostic);
    diagnostic << "] of " << bufferName(trace.program->roots[root]) << " on rank " << trace.accesses[now.access].owner
               << ", by " << trace.describe(here) << ", is not ordered after the " << verb(other) << " by "
               << trace.describe(there);
    if (earlier.launch != now.launch)
      diagnostic << ", " << now.launch - earlier.launch << (now.launch - earlier.launch == 1 ? " launch" : " launches")
                 << " earlier";
    diagnostic << ": ";
    bool oneRole = here.kernel == there.kernel && here.role == there.role && here.kind == Thread::Task &&
                   earlier.launch == now.launch && mine.writes && other.writes;
    if (oneRole && mine.op == other.op)
      diagnostic << "two tasks of one role write one element";
    else
      explain(diagnostic, earlier);
    diagnostic.attachNote(other.op->getLoc()) << "the " << verb(other) << " is here";
  });
}
