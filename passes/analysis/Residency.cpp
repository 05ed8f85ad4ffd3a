// Starts with one resident workgroup per kernel and admits another whenever nothing moves. A pool that stands in front of
// other groups changes who joins those with the number of workgroups of the launch; such kernels are tried with each.
#include "passes/analysis/Residency.h"
#include "passes/analysis/Workgroups.h"

using namespace llvm;
using namespace tilec;
using namespace tilec::checker;

namespace {

class Judge {
public:
  Judge(const Trace &trace, uint32_t launches, Findings &findings)
      : trace(trace), launches(launches), findings(findings), result(trace.numKernels()) {}

  SmallVector<Progress> run() {
    if (!grow(Workgroups::unbounded) && !poolInFront()) {
      reportHang();
      return result;
    }
    if (!poolInFront() || llvm::all_of(result, [](const Progress &p) { return p.resident == 1 && !p.all; }))
      return result;
    if (hung || !settle())
      requireAll();
    return result;
  }

private:
  /// Launches of so many workgroups: admits what is missing. False when they hang whatever is admitted.
  bool grow(int64_t workgroups) {
    SmallVector<int64_t> resident;
    for (const Progress &progress : result)
      resident.push_back(progress.resident);
    Workgroups attempt(trace, launches, workgroups, resident);
    while (!attempt.run()) {
      SmallVector<uint32_t> missing = attempt.kernelsShort();
      if (missing.empty()) {
        note(attempt, hungKernel(attempt));
        hung = true;
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

  uint32_t hungKernel(const Workgroups &attempt) const {
    uint32_t thread = attempt.blocked(0).thread;
    return thread == Workgroups::none ? 0 : trace.threads[thread].kernel;
  }

  void note(const Workgroups &attempt, uint32_t kernel) {
    Workgroups::Blocked blocked = attempt.blocked(kernel);
    last = blocked;
    if (blocked.wait == Workgroups::none)
      return;
    result[kernel].wait = trace.opOf(trace.syncs[blocked.wait]);
    if (blocked.signal != Workgroups::none)
      result[kernel].signal = trace.opOf(trace.syncs[blocked.signal]);
  }

  static int64_t ownOf(const KernelCode &kernel) {
    int64_t own = 0;
    for (int64_t size : kernel.workgroups)
      own += size;
    return own;
  }

  bool poolInFront() const {
    return llvm::any_of(trace.program->kernels, [](const KernelCode &kernel) {
      return llvm::is_contained(ArrayRef<int64_t>(kernel.workgroups).drop_back(kernel.workgroups.empty() ? 0 : 1), 0);
    });
  }

  int64_t most() const {
    int64_t most = 1;
    for (const Progress &progress : result)
      most = std::max(most, progress.resident);
    return most;
  }

  /// Raises the requirement until it holds for a launch of any size that has as many workgroups. A pool that is at least
  /// as large as the requirement is as good as an unbounded one.
  bool settle() {
    int64_t own = 0;
    for (const KernelCode &kernel : trace.program->kernels)
      own = std::max(own, ownOf(kernel));
    for (int64_t workgroups = most(); workgroups < own + most(); ++workgroups) {
      if (workgroups > own + settleLimit)
        return false;
      SmallVector<Progress> before = result;
      bool ends = grow(workgroups);
      bool same = llvm::equal(before, result, [](auto &a, auto &b) { return a.resident == b.resident; });
      if (ends && same)
        continue;
      if (!ends)
        for (Progress &progress : result)
          if (progress.resident > 1)
            progress.resident = std::max(progress.resident, workgroups + 1);
      // Anew: a smaller launch may hang with what is now required.
      workgroups = most() - 1;
    }
    return true;
  }

  /// With every workgroup resident, one more never harms: the least number that ends.
  void requireAll() {
    int64_t bound = 2;
    for (const KernelCode &kernel : trace.program->kernels)
      bound = std::max(bound, ownOf(kernel) + 2);
    bound += trace.threads.size();
    auto ends = [&](int64_t workgroups) {
      SmallVector<int64_t> resident(result.size(), workgroups);
      Workgroups attempt(trace, launches, workgroups, resident);
      if (attempt.run())
        return true;
      note(attempt, hungKernel(attempt));
      return false;
    };
    if (!ends(bound))
      return reportHang();
    int64_t low = 1, high = bound;
    while (low < high)
      if (int64_t middle = (low + high) / 2; ends(middle))
        high = middle;
      else
        low = middle + 1;
    for (auto [progress, kernel] : zip(result, trace.program->kernels)) {
      bool inFront = llvm::is_contained(ArrayRef<int64_t>(kernel.workgroups).drop_back(!kernel.workgroups.empty()), 0);
      progress.all = progress.resident > 1 && inFront;
      if (progress.resident > 1)
        progress.resident = progress.all ? std::max<int64_t>(low, 2) : progress.resident;
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
  bool hung = false;
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
