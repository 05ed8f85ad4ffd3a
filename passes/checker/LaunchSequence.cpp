// Joins traces.
#include "passes/checker/LaunchSequence.h"
#include "passes/checker/TaskOrder.h"

using namespace llvm;
using namespace tilec::checker;

namespace {

class Joiner {
public:
  explicit Joiner(ArrayRef<const Trace *> parts) : parts(parts) {
    uint32_t words = 0;
    for (const Trace *part : parts) {
      firstWord.push_back(words);
      words += part->wordsPerRank;
    }
    numWords = words;
  }

  Trace join() {
    joined.program = parts.front()->program;
    joined.rootSizes = parts.front()->rootSizes;
    joined.kernels.resize(parts.front()->numRanks());
    for (const Trace *part : parts) {
      append_range(joined.gridSizes, part->gridSizes);
      append_range(joined.roleSizes, part->roleSizes);
    }
    for (size_t part = 0; part < parts.size(); ++part)
      addWaits(part);
    joined.wordsPerRank = numWords;
    for (auto [rank, local] : boxWords)
      joined.boxWords.push_back(rank * numWords + local);
    for (size_t part = 0; part < parts.size(); ++part)
      addThreads(part);
    return std::move(joined);
  }

private:
  /// The word of another part at the coordinates of `local`; where that part's grid has none, one that nobody raises.
  uint32_t wordIn(size_t target, size_t part, uint32_t local) {
    if (target == part)
      return firstWord[target] + local;
    uint32_t offset = 0;
    for (auto [here, there] : zip(parts[part]->gridSizes, parts[target]->gridSizes)) {
      uint32_t count = countOf(here);
      if (local >= count) {
        local -= count;
        offset += countOf(there);
        continue;
      }
      SmallVector<int64_t, 4> at = taskCoordinates(local, here);
      int64_t linear = 0;
      for (auto [coordinate, size] : zip(at, there)) {
        if (coordinate >= size)
          return missing(at);
        linear = linear * size + coordinate;
      }
      return firstWord[target] + offset + linear;
    }
    llvm_unreachable("a word outside of all grids");
  }

  uint32_t missing(ArrayRef<int64_t> coordinates) {
    std::string text;
    raw_string_ostream out(text);
    out << "[";
    interleaveComma(coordinates, out);
    out << "]";
    joined.missingWords[numWords] = text;
    return numWords++;
  }

  static uint32_t countOf(ArrayRef<int64_t> sizes) {
    uint32_t count = 1;
    for (int64_t size : sizes)
      count *= std::max<int64_t>(size, 0);
    return count;
  }

  void addWaits(size_t part) {
    const Trace &trace = *parts[part];
    firstWait.push_back(joined.waits.size());
    for (const WaitBox &box : trace.waits) {
      int64_t launch = int64_t(part) - box.lag, count = parts.size();
      size_t target = ((launch % count) + count) % count;
      WaitBox made;
      made.lag = (int64_t(target) - launch) / count;
      made.begin = boxWords.size();
      for (uint32_t i = box.begin; i < box.end; ++i) {
        uint32_t word = trace.boxWords[i];
        boxWords.emplace_back(word / trace.wordsPerRank, wordIn(target, part, word % trace.wordsPerRank));
      }
      made.end = boxWords.size();
      joined.waits.push_back(made);
    }
  }

  void addThreads(size_t part) {
    const Trace &trace = *parts[part];
    uint32_t threads = joined.threads.size(), accesses = joined.accesses.size(), syncs = joined.syncs.size();
    uint32_t kernels = joined.kernels.front().size();
    for (Thread thread : trace.threads) {
      thread.kernel += kernels;
      if (thread.before != Thread::none)
        thread.before += threads;
      thread.firstAccess += accesses;
      thread.endAccess += accesses;
      thread.firstSync += syncs;
      thread.endSync += syncs;
      joined.threads.push_back(thread);
    }
    const Numbers &numbers = numbersOf(trace);
    for (Access access : trace.accesses) {
      access.box = numbers.boxes[access.box];
      access.tokens = numbers.tokenSets[access.tokens];
      joined.accesses.push_back(access);
    }
    for (Sync sync : trace.syncs) {
      if (sync.signal)
        sync.object = sync.object / trace.wordsPerRank * numWords + firstWord[part] + sync.object % trace.wordsPerRank;
      else
        sync.object += firstWait[part];
      joined.syncs.push_back(sync);
    }
    for (auto [rank, list] : enumerate(trace.kernels))
      for (KernelThreads kernel : list) {
        shift(kernel, threads);
        joined.kernels[rank].push_back(std::move(kernel));
      }
  }

  /// What the boxes and token sets of a trace are among those that are joined. The same trace is several parts.
  struct Numbers {
    std::vector<uint32_t> boxes, tokenSets;
  };
  const Numbers &numbersOf(const Trace &trace) {
    auto [it, isNew] = known.try_emplace(&trace);
    if (!isNew)
      return it->second;
    auto renumber = [](const Interner &from, Interner &into) {
      std::vector<uint32_t> numbers;
      for (uint32_t id = 0; id < from.size(); ++id)
        numbers.push_back(into.intern(from[id]));
      return numbers;
    };
    it->second = {renumber(trace.boxes, joined.boxes), renumber(trace.tokenSets, joined.tokenSets)};
    return it->second;
  }

  static void shift(KernelThreads &kernel, uint32_t threads) {
    auto move = [&](uint32_t &thread) { thread += threads; };
    for_each(kernel.firsts, move);
    for_each(kernel.lasts, move);
    for (std::vector<RoleThreads> &group : kernel.groups)
      for (RoleThreads &role : group) {
        for_each(role.prologues, move);
        move(role.beginTask);
        move(role.endTask);
      }
  }

  ArrayRef<const Trace *> parts;
  std::vector<uint32_t> firstWord, firstWait;
  uint32_t numWords = 0;
  std::vector<std::pair<uint32_t, uint32_t>> boxWords; ///< rank, word within it
  DenseMap<const Trace *, Numbers> known;
  Trace joined;
};

} // namespace

Trace tilec::checker::sequenceOf(ArrayRef<const Trace *> parts, ArrayRef<std::string> texts) {
  Trace joined = Joiner(parts).join();
  joined.partTexts = texts.vec();
  return joined;
}
