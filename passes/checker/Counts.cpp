// Adds up, and compares.
#include "passes/checker/Counts.h"

using namespace mlir;
using namespace tilec::checker;

/// What counts is how many have come, so that each signal is one of them, and a wait is for all.
void Counts::noteTally(const SyncSite &site, const Sync &made) {
  if (made.signal) {
    if (auto [known, isNew] = tallied.try_emplace(made.object, site.op); !isNew)
      findings.report("tallies", site.op, known->second == site.op ? nullptr : known->second,
                      [&](InFlightDiagnostic &diagnostic) {
                        diagnostic << "raises " << trace.describeWord(made.object)
                                   << " again, whose tasks count by chiplet: expected one task for each signal";
                      });
    return;
  }
  const WaitBox &box = trace.waits[made.object];
  int64_t all = 1;
  for (int64_t size : trace.gridSizes[site.grid])
    all *= size;
  if (int64_t(box.end - box.begin) != all)
    findings.report("tallies", site.op, nullptr, [&](InFlightDiagnostic &diagnostic) {
      diagnostic << "waits for " << box.end - box.begin << " of " << all
                 << " signals whose tasks count by chiplet: expected a wait for all of them";
    });
}

void Counts::note(const SyncSite &site, const Sync &made, int64_t number) {
  if (trace.program->grids[site.grid].op.getByChiplet())
    return noteTally(site, made);
  if (site.takes >= 0) {
    Word &word = words[trace.boxWords[trace.waits[made.object].begin]];
    word.taken = site.op;
    word.number = number;
    ++word.takes;
  } else if (site.signal && trace.program->grids[site.grid].op.getCounted()) {
    Word &word = words[made.object];
    word.counted = site.op;
    ++word.come;
  }
}

void Counts::checkComplete() {
  if (trace.partial())
    return;
  for (const auto &[number, word] : words) {
    if (word.takes == 1 && word.number == word.come)
      continue;
    Operation *named = word.taken ? word.taken : word.counted;
    findings.report("counts", named, word.taken ? word.counted : nullptr,
                    [&, number = number, &word = word](InFlightDiagnostic &diagnostic) {
                      if (word.takes == 0)
                        diagnostic << "counts in " << trace.describeWord(number)
                                   << ", which nobody takes: expected a copy engine that does";
                      else if (word.takes > 1)
                        diagnostic << "takes " << trace.describeWord(number) << ", which is taken " << word.takes
                                   << " times in a launch: expected once";
                      else
                        diagnostic << "takes " << word.number << " signals from " << trace.describeWord(number)
                                   << ", in which " << word.come << " count: expected as many";
                    });
  }
}
