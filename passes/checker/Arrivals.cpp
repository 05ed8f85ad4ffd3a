// Counts, and compares what those who come say.
#include "passes/checker/Arrivals.h"

using namespace mlir;
using namespace tilec::checker;

bool Arrivals::isLast(const ArrivalSite &site, uint32_t number, int64_t count, ArrayRef<int64_t> alike) {
  Word &word = words[number];
  if (!word.site)
    word = {&site, count, 0, false, SmallVector<int64_t, 4>(alike)};
  ++word.come;
  const bool isSame = word.site == &site && word.count == count && ArrayRef<int64_t>(word.alike) == alike;
  word.isReported |= !isSame;
  if (!isSame)
    findings.report("last", site.op, word.site->op, [&](InFlightDiagnostic &diagnostic) {
      diagnostic << "arrives at " << trace.describeWord(number) << ", where another task says "
                 << (word.count == count ? "something else to whoever comes last" : "another number of tasks")
                 << ": expected all that arrive at a word to have alike what the last of them uses";
    });
  return isSame && word.come == count;
}

void Arrivals::checkComplete() {
  if (trace.partial())
    return;
  for (const auto &[number, word] : words) {
    if (word.come == word.count || word.isReported)
      continue;
    findings.report("arrivals", word.site->op, nullptr,
                    [&, number = number, &word = word](InFlightDiagnostic &diagnostic) {
                      diagnostic << "is one of " << word.count << " tasks that arrive at " << trace.describeWord(number)
                                 << ", of which " << word.come << " come: expected as many as it says";
                    });
  }
}
