// States are kept per rank as a place in its stream of kernels and the set of signals done there. Signals only rise, so
// an operation that could happen next stays so until it happens. Hence three reductions that lose no state of interest:
//   - accesses are no steps: one could happen next as long as all that must come before it has happened and nothing
//   that
//     must come after it has;
//   - a wait is over as soon as it is satisfied, for nothing must come before a wait;
//   - a signal that no access must precede is done at once, alone: every state without it is covered by one with it.
// Two conflicting accesses race when some state lets both happen next. That is the same as an execution whose
// happens-before, with each wait after the signals that it read, leaves them unordered: what comes before either of
// them, and no more, is itself an execution, and ends in such a state.
#include "Interleavings.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <unordered_set>

namespace truth {

namespace {

/// One element of one access.
struct Access {
  Kind kind = Kind::Load;
  int place = 0; ///< buffer, owner, element; the copy comes from the launch
  int buffer = 0;
  int copies = 1;
  int thread = 0;         ///< over all segments of the program
  std::vector<int> waits; ///< of the segment
  int closer = -1;        ///< the first signal of the segment that comes after it
  int farCloser = -1;     ///< the first of those that releases to other ranks
};

struct Wait {
  int lag = 0;
  std::vector<int> words; ///< over all ranks
};

struct Signal {
  int word = 0; ///< over all ranks
  bool eager = false;
  bool system = false;
  int thread = 0;
  std::vector<int> waits;
  uint64_t signals = 0;                                         ///< that come before
  std::vector<std::pair<std::vector<int>, uint64_t>> prologues; ///< one of these must be over
};

/// What happens on a rank between two points of its stream.
struct Segment {
  std::vector<Access> accesses;
  std::vector<Wait> waits;
  std::vector<Signal> signals;
};

constexpr int maxRanks = 3;
struct State {
  uint64_t done[maxRanks] = {};
  uint32_t segment[maxRanks] = {};
  uint32_t unused = 0;
  bool operator==(const State &other) const { return std::memcmp(this, &other, sizeof *this) == 0; }
};
struct Hash {
  size_t operator()(const State &state) const {
    uint64_t hash = 0x9e3779b97f4a7c15ull;
    for (int rank = 0; rank < maxRanks; ++rank) {
      hash = (hash ^ state.done[rank]) * 0xff51afd7ed558ccdull;
      hash = (hash ^ (hash >> 29) ^ state.segment[rank]) * 0xc4ceb9fe1a85ec53ull;
    }
    return hash ^ (hash >> 32);
  }
};

/// A thread while its segment is built: the numbers of its waits and signals there.
struct Built {
  std::vector<int> waitOf; ///< per operation; -1 where it is none
  std::vector<int> waits;
  uint64_t signals = 0;
};

class Explorer {
public:
  Explorer(const Program &program, size_t limit, Verdict &verdict)
      : program(program), limit(limit), verdict(verdict), segments(program.world),
        producers(program.world * program.words) {
    for (int rank = 0; rank < program.world; ++rank)
      build(rank);
    perLaunch = segments[0].size();
    for (int rank = 0; rank < program.world; ++rank)
      for (size_t at = 0; at < segments[rank].size(); ++at)
        finish(rank, at);
  }

  void run() {
    push(State());
    while (!work.empty() && verdict.complete) {
      State state = work.back();
      work.pop_back();
      visit(state);
      if (seen.size() > limit)
        verdict.complete = false;
    }
    verdict.states = seen.size();
  }

private:
  struct Producer {
    int rank;
    size_t segment;
    int signal;
  };

  //===-- building ---------------------------------------------------------------------------------------------===//

  int place(int buffer, int owner, int element) {
    return places.insert({{buffer, owner, element}, int(places.size())}).first->second;
  }

  void build(int rank) {
    Segment &application = segments[rank].emplace_back();
    for (size_t b = 0; b < program.buffers.size(); ++b)
      for (int element = 0; program.buffers[b].argument && element < program.buffers[b].size; ++element)
        application.accesses.push_back({Kind::Store, place(b, rank, element), int(b), 1, threads, {}, -1, -1});
    ++threads;
    for (const Kernel &kernel : program.kernels) {
      segments[rank].emplace_back();
      addOnce(rank, kernel, Turn::First);
      addGroups(rank, kernel);
      segments[rank].emplace_back();
      addOnce(rank, kernel, Turn::Last);
    }
  }

  /// `first` and `last` roles: one workgroup runs them one after the other.
  void addOnce(int rank, const Kernel &kernel, Turn turn) {
    Built before;
    for (const Role &role : kernel.roles)
      if (role.turn == turn) {
        Built made = add(rank, role.ranks[rank].prologue, nullptr, {before});
        before.waits.insert(before.waits.end(), made.waits.begin(), made.waits.end());
        before.signals |= made.signals;
      }
  }

  void addGroups(int rank, const Kernel &kernel) {
    std::vector<std::vector<const Role *>> groups;
    int pool = -1;
    for (const Role &role : kernel.roles) {
      if (role.turn != Turn::Each)
        continue;
      if (role.workgroups == 0 && pool >= 0) {
        groups[pool].push_back(&role);
        continue;
      }
      if (role.workgroups == 0)
        pool = groups.size();
      groups.push_back({&role});
    }
    for (size_t g = 0; g < groups.size(); ++g) {
      // Whoever has finished with a group goes on to the later ones, and the rest of a launch joins the last: only the
      // first of several can have a single workgroup. Two stand for any number: one that a race is about, and one that
      // does the tasks in the meantime.
      int instances = g == 0 && groups.size() > 1 && groups[g].front()->workgroups == 1 ? 1 : 2;
      std::vector<Built> before(instances);
      for (const Role *role : groups[g])
        addRole(rank, *role, before);
    }
  }

  /// `before`: per instance what its workgroup has done in earlier roles of the group.
  void addRole(int rank, const Role &role, std::vector<Built> &before) {
    const Role::Part &part = role.ranks[rank];
    std::vector<int> waitOf;
    for (Built &mine : before) {
      Built made = add(rank, part.prologue, nullptr, {mine});
      waitOf = made.waitOf;
      mine.waits.insert(mine.waits.end(), made.waits.begin(), made.waits.end());
      mine.signals |= made.signals;
    }
    for (const Thread &task : part.tasks)
      add(rank, task, &waitOf, before);
  }

  /// Adds a thread to the latest segment. One of `before` must be over before its signals.
  Built add(int rank, const Thread &thread, const std::vector<int> *prologue, const std::vector<Built> &before) {
    Segment &segment = segments[rank].back();
    Built made;
    std::vector<int> signalOf(thread.size(), -1);
    for (size_t i = 0; i < thread.size(); ++i) {
      const Op &op = thread[i];
      made.waitOf.push_back(-1);
      if (op.kind == Kind::Wait) {
        made.waitOf[i] = segment.waits.size();
        made.waits.push_back(segment.waits.size());
        Wait wait{op.lag, program.wordsOf(op)};
        for (int &word : wait.words)
          word += rank * program.words;
        segment.waits.push_back(wait);
      } else if (op.kind == Kind::Signal) {
        signalOf[i] = segment.signals.size();
        Signal signal{op.to * program.words + program.wordsOf(op).front(),
                      false,
                      op.system,
                      threads,
                      made.waits,
                      made.signals,
                      {}};
        for (const Built &way : before)
          signal.prologues.push_back({way.waits, way.signals});
        producers[signal.word].push_back({rank, segments[rank].size() - 1, signalOf[i]});
        made.signals |= uint64_t(1) << signalOf[i];
        segment.signals.push_back(signal);
      } else {
        addAccess(thread, i, made.waitOf, prologue, segment);
      }
    }
    close(thread, signalOf, segment);
    ++threads;
    return made;
  }

  void addAccess(const Thread &thread, size_t number, const std::vector<int> &waitOf, const std::vector<int> *prologue,
                 Segment &segment) {
    const Op &op = thread[number];
    for (int element = op.first; element < op.first + op.count; ++element) {
      Access access{
          op.kind, place(op.buffer, op.owner, element), op.buffer, program.buffers[op.buffer].copies, threads, {}, -1};
      for (Name name : op.names)
        access.waits.push_back(name.prologue ? prologue->at(name.op) : waitOf[name.op]);
      // It comes after the earlier ones of the thread to the same element, and so after their waits.
      for (const Access &other : segment.accesses)
        if (other.thread == threads && other.place == access.place)
          access.waits.insert(access.waits.end(), other.waits.begin(), other.waits.end());
      segment.accesses.push_back(access);
    }
  }

  /// Which signal of the thread comes after each of its accesses.
  void close(const Thread &thread, const std::vector<int> &signalOf, Segment &segment) {
    std::map<int, int> closers; // place: the closer of the next access to it
    size_t at = segment.accesses.size();
    for (size_t i = thread.size(); i-- > 0;) {
      const Op &op = thread[i];
      if (op.kind == Kind::Wait || op.kind == Kind::Signal)
        continue;
      int closer = -1;
      for (size_t later = thread.size(); later-- > i;) {
        bool names = std::any_of(thread[later].names.begin(), thread[later].names.end(),
                                 [&](Name name) { return !name.prologue && name.op == int(i); });
        if (thread[later].kind == Kind::Signal && (op.kind == Kind::Load || names))
          closer = signalOf[later];
      }
      for (int element = op.count; element-- > 0;) {
        Access &access = segment.accesses[--at];
        auto [next, fresh] = closers.insert({access.place, closer});
        if (!fresh && next->second >= 0 && (closer < 0 || next->second < closer))
          access.closer = next->second;
        else
          access.closer = closer;
        next->second = access.closer;
      }
    }
  }

  /// Leaves out accesses that nothing conflicts with, and finds the signals that can be done at once.
  void finish(int rank, size_t number) {
    Segment &segment = segments[rank][number];
    auto &list = segment.accesses;
    list.erase(std::remove_if(list.begin(), list.end(), [&](const Access &access) { return !isShared(access); }),
               list.end());
    // What is released to its own device alone stays open for other ranks until its thread releases further.
    for (Access &access : list)
      for (size_t i = segment.signals.size(); access.closer >= 0 && i-- > size_t(access.closer);)
        if (segment.signals[i].thread == access.thread && segment.signals[i].system)
          access.farCloser = i;
    for (size_t i = 0; i < segment.signals.size(); ++i) {
      Signal &signal = segment.signals[i];
      bool closes = std::any_of(list.begin(), list.end(),
                                [&](const Access &a) { return a.closer == int(i) || a.farCloser == int(i); });
      // Whether a word can be lowered depends on the order of the ranks that raise it.
      bool alone = std::all_of(producers[signal.word].begin(), producers[signal.word].end(),
                               [&](const Producer &p) { return p.rank == rank; });
      signal.eager = !closes && alone;
    }
  }

  bool isShared(const Access &access) const {
    for (const auto &stream : segments)
      for (const Segment &segment : stream)
        for (const Access &other : segment.accesses)
          if (other.place == access.place && (other.kind != Kind::Load || access.kind != Kind::Load))
            return true;
    return false;
  }

  //===-- exploring --------------------------------------------------------------------------------------------===//

  int launchOf(const State &state, int rank) const { return 1 + int(state.segment[rank] / perLaunch); }
  bool isOver(const State &state, int rank) const { return state.segment[rank] > program.launches * perLaunch; }
  const Segment &segmentOf(const State &state, int rank) const {
    return segments[rank][state.segment[rank] % perLaunch];
  }

  int valueOf(const State &state, int word) const {
    int value = 0;
    for (const Producer &producer : producers[word]) {
      int launch = launchOf(state, producer.rank);
      size_t segment = state.segment[producer.rank] % perLaunch;
      bool raised = producer.segment < segment ||
                    (producer.segment == segment && (state.done[producer.rank] >> producer.signal & 1));
      value = std::max(value, raised ? launch : launch - 1);
    }
    return value;
  }

  bool areOver(const State &state, int rank, const std::vector<int> &waits) const {
    const Segment &segment = segmentOf(state, rank);
    for (int number : waits) {
      const Wait &wait = segment.waits[number];
      for (int word : wait.words)
        if (valueOf(state, word) < launchOf(state, rank) - wait.lag)
          return false;
    }
    return true;
  }

  bool canSignal(const State &state, int rank, int number) const {
    const Signal &signal = segmentOf(state, rank).signals[number];
    uint64_t done = state.done[rank];
    if ((done >> number & 1) || (signal.signals & ~done) || !areOver(state, rank, signal.waits))
      return false;
    return signal.prologues.empty() ||
           std::any_of(signal.prologues.begin(), signal.prologues.end(),
                       [&](const auto &way) { return !(way.second & ~done) && areOver(state, rank, way.first); });
  }

  bool canAdvance(const State &state, int rank) const {
    const Segment &segment = segmentOf(state, rank);
    if (state.done[rank] + 1 != uint64_t(1) << segment.signals.size())
      return false;
    for (size_t wait = 0; wait < segment.waits.size(); ++wait)
      if (!areOver(state, rank, {int(wait)}))
        return false;
    return true;
  }

  /// Nothing is left of the segment that its end would forbid.
  bool endsQuietly(const Segment &segment) const {
    return std::all_of(segment.accesses.begin(), segment.accesses.end(),
                       [](const Access &a) { return a.closer >= 0 && a.farCloser >= 0; });
  }

  void push(const State &state) {
    if (seen.insert(state).second)
      work.push_back(state);
  }

  void visit(const State &state) {
    std::vector<State> successors;
    bool over = true;
    for (int rank = 0; rank < program.world; ++rank) {
      if (isOver(state, rank))
        continue;
      // The application has the arguments after the last launch: its segment is entered once more, and is the end.
      bool last = state.segment[rank] == program.launches * perLaunch;
      over = over && last;
      const Segment &segment = segmentOf(state, rank);
      for (int signal = 0; signal < int(segment.signals.size()); ++signal) {
        if (!canSignal(state, rank, signal))
          continue;
        if (valueOf(state, segment.signals[signal].word) > launchOf(state, rank))
          verdict.findings.insert("lowered");
        State next = state;
        next.done[rank] |= uint64_t(1) << signal;
        if (segment.signals[signal].eager)
          return push(next);
        successors.push_back(next);
      }
      if (last || !canAdvance(state, rank))
        continue;
      State next = state;
      ++next.segment[rank];
      next.done[rank] = 0;
      if (endsQuietly(segment))
        return push(next);
      successors.push_back(next);
    }
    findRaces(state);
    if (successors.empty() && !over)
      verdict.findings.insert("stuck");
    for (const State &next : successors)
      push(next);
  }

  void findRaces(const State &state) {
    struct Possible {
      const Access *access;
      int rank, copy;
      bool near; ///< not over for its own device either
    };
    std::vector<Possible> possible;
    for (int rank = 0; rank < program.world; ++rank)
      for (const Access &access : segmentOf(state, rank).accesses) {
        auto isOpen = [&](int closer) { return closer < 0 || !(state.done[rank] >> closer & 1); };
        if (isOpen(access.farCloser) && areOver(state, rank, access.waits))
          possible.push_back({&access, rank, launchOf(state, rank) % access.copies, isOpen(access.closer)});
      }
    for (const Possible &each : possible)
      if (each.near)
        findEarly(state, each.rank, *each.access);
    for (size_t i = 0; i < possible.size(); ++i)
      for (size_t j = 0; j < i; ++j) {
        const Access &one = *possible[i].access, &two = *possible[j].access;
        if (possible[i].rank == possible[j].rank && !(possible[i].near && possible[j].near))
          continue;
        bool conflict = one.place == two.place && possible[i].copy == possible[j].copy && one.thread != two.thread &&
                        (one.kind != Kind::Load || two.kind != Kind::Load) &&
                        !(one.kind == Kind::Atomic && two.kind == Kind::Atomic);
        if (conflict)
          verdict.findings.insert("race");
      }
  }

  /// Something that reads scratch could happen next, and no store to the place has surely happened in this launch. A
  /// store that may but need not have happened is a race, too. Persistent scratch begins as zero.
  void findEarly(const State &state, int rank, const Access &read) {
    const Buffer &buffer = program.buffers[read.buffer];
    if (read.kind == Kind::Store || buffer.argument || buffer.persistent)
      return;
    int launch = launchOf(state, rank);
    for (int other = 0; other < program.world; ++other)
      for (size_t at = 0; at < segments[other].size(); ++at)
        for (const Access &store : segments[other][at].accesses) {
          if (store.kind != Kind::Store || store.place != read.place)
            continue;
          bool sameThread = other == rank && store.thread == read.thread && &store < &read;
          bool earlier = launchOf(state, other) > launch;
          if (sameThread || earlier || (launchOf(state, other) == launch && isDone(state, other, at, store)))
            return;
        }
    verdict.findings.insert("early");
  }

  /// Whether an access of the launch that its rank is in has happened, for all others to count on.
  bool isDone(const State &state, int rank, size_t segment, const Access &access) const {
    size_t now = state.segment[rank] % perLaunch;
    return segment < now || (segment == now && access.closer >= 0 && (state.done[rank] >> access.closer & 1));
  }

  const Program &program;
  size_t limit;
  Verdict &verdict;
  std::vector<std::vector<Segment>> segments; ///< [rank]: of one launch, the application's first
  std::vector<std::vector<Producer>> producers;
  std::map<std::vector<int>, int> places;
  size_t perLaunch = 1;
  int threads = 0;
  std::unordered_set<State, Hash> seen;
  std::vector<State> work;
};

} // namespace

void exploreInterleavings(const Program &program, size_t limit, Verdict &verdict) {
  Explorer(program, limit, verdict).run();
}

} // namespace truth
