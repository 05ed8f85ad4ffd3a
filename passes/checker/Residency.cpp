// Starts with one resident workgroup per kernel and admits another whenever nothing moves. A pool that stands in front
// of other groups changes who joins those with the number of workgroups of the launch; such kernels are tried with
// each.
#include "passes/checker/Residency.h"
#include "passes/checker/Workgroups.h"

using namespace llvm;
using namespace tilec;
using namespace tilec::checker;

namespace {

class Judge {
public:
  Judge(const Trace &trace, uint32_t launches, Findings &findings)
      : trace(trace), launches(launches), findings(findings), result(trace.numKernels()) {}

  SmallVector<Progress> run() {
    // A pool that nobody gets past as long as there is something to do is as good as an unbounded one.
    int64_t large = 0;
    for (uint32_t kernel = 0; kernel < result.size(); ++kernel)
      large = std::max(large, 2 * ownOf() + mostTasks(kernel) + 8);
    while (!grow(large))
      if (!requireAll()) {
        reportHang();
        return result;
      }
    bool sized = llvm::any_of(result, [](const Progress &p) { return p.all || p.resident > 1; });
    for (uint32_t kernel = 0; kernel < result.size(); ++kernel)
      if (sized && poolInFront(kernel)) {
        settle(large);
        break;
      }
    return result;
  }

private:
  /// Launches of so many workgroups: admits what is missing. False when they hang whatever is admitted.
  bool grow(int64_t workgroups) {
    SmallVector<int64_t> resident;
    for (const Progress &progress : result)
      resident.push_back(progress.all ? workgroups : progress.resident);
    Workgroups attempt(trace, launches, workgroups, resident);
    while (!attempt.run()) {
      SmallVector<uint32_t> missing = attempt.kernelsShort();
      if (missing.empty()) {
        last = attempt.blocked(0);
        note(attempt, trace.threads[last.thread].kernel);
        full = attempt.kernelsFull();
        return false;
      }
      // One at a time: what another kernel lacks may come with it.
      uint32_t kernel = missing.front();
      if (!result[kernel].wait)
        note(attempt, kernel);
      attempt.admit(kernel);
      result[kernel].resident = attempt.residentOf(kernel);
    }
    return true;
  }

  void note(const Workgroups &attempt, uint32_t kernel) {
    Workgroups::Blocked blocked = attempt.blocked(kernel);
    result[kernel].wait = trace.opOf(trace.syncs[blocked.wait]);
    if (blocked.signal != Workgroups::none)
      result[kernel].signal = trace.opOf(trace.syncs[blocked.signal]);
  }

  int64_t ownOf() const {
    int64_t most = 0;
    for (const KernelCode &kernel : trace.program->kernels) {
      int64_t own = 0;
      for (int64_t size : kernel.workgroups)
        own += size;
      most = std::max(most, own);
    }
    return most;
  }

  int64_t mostTasks(uint32_t kernel) const {
    int64_t most = 0;
    for (const std::vector<KernelThreads> &rank : trace.kernels)
      most = std::max<int64_t>(most, rank[kernel].bodyThreads + rank[kernel].engineThreads);
    return most;
  }

  /// Who joins the groups behind the pool depends on how many workgroups the launch has.
  bool poolInFront(uint32_t kernel) const {
    ArrayRef<int64_t> groups = trace.program->kernels[kernel].workgroups;
    return llvm::is_contained(groups.drop_back(!groups.empty()), 0);
  }

  int64_t most() const {
    int64_t most = 1;
    for (const Progress &progress : result)
      most = std::max(most, progress.resident);
    return most;
  }

  /// A pool whose workgroups all wait for groups behind it, before they draw: every workgroup has to be there. False
  /// when there is no such kernel.
  bool requireAll() {
    for (uint32_t kernel : full)
      if (poolInFront(kernel) && !result[kernel].all) {
        result[kernel].all = true;
        result[kernel].resident = 2;
        return true;
      }
    return false;
  }

  /// Raises the requirements until they hold for launches of any size that have as many workgroups. Many of them are
  /// not worth the search: a pool that holds all tasks is enough.
  void settle(int64_t large) {
    if (most() > settleLimit) {
      for (uint32_t kernel = 0; kernel < result.size(); ++kernel)
        if (poolInFront(kernel) && result[kernel].resident > 1) {
          result[kernel].all = true;
          result[kernel].resident = large;
        }
      return;
    }
    for (int64_t workgroups = most(); workgroups < std::min(ownOf() + most() + 1, large); ++workgroups) {
      int64_t before = most();
      SmallVector<Progress> old = result;
      bool ends = grow(workgroups);
      bool same = llvm::equal(old, result, [](auto &a, auto &b) { return a.resident == b.resident; });
      if (ends && same)
        continue;
      for (Progress &progress : result)
        if (!ends && (progress.all || progress.resident > 1))
          progress.resident = std::max(progress.resident, workgroups + 1);
      // Anew: what is now required changes what smaller launches do.
      workgroups = std::max(before, most()) - 1;
    }
  }

  void reportHang() {
    const Sync &wait = trace.syncs[last.wait];
    findings.report("hang", trace.opOf(wait), nullptr, [&](mlir::InFlightDiagnostic &diagnostic) {
      diagnostic << "hangs with any number of resident workgroups: this wait, in "
                 << trace.describe(trace.threads[last.thread])
                 << ", holds a workgroup for which its role has no substitute";
      if (last.signal != Workgroups::none)
        diagnostic.attachNote(trace.opOf(trace.syncs[last.signal])->getLoc()) << "it waits for this signal";
    });
  }

  static constexpr int64_t settleLimit = 64;
  const Trace &trace;
  uint32_t launches;
  Findings &findings;
  SmallVector<Progress> result;
  Workgroups::Blocked last;
  SmallVector<uint32_t> full; ///< kernels that hang though more workgroups could come
};

} // namespace

void Progress::require(const Progress &other) {
  bool more = other.resident > resident;
  bool both = all || other.all;
  int64_t most = std::max(resident, other.resident);
  if (more || (other.all && !all))
    *this = other;
  all = both;
  resident = most;
}

SmallVector<Progress> tilec::checker::judgeResidency(const Trace &trace, uint32_t launches, Findings &findings) {
  return Judge(trace, launches, findings).run();
}
