// What a fetch reads beyond the last column (the last row, where each step takes other rows) is the next row, or what
// lies behind the buffer. or what lies behind the buffer.
#include "passes/checker/FetchedColumns.h"

using namespace mlir;
using namespace tilec::checker;

bool tilec::checker::checkColumns(const ProgramCode &program, const AccessSite &site, ArrayRef<int64_t> slots,
                                  Findings &findings, llvm::function_ref<std::string()> who) {
  if (site.whole < 0)
    return true;
  int64_t first = slots[site.indices[site.whole]], end = first + site.shape[site.whole];
  int64_t size = slots[program.views[site.view].sizes[site.whole]];
  if (first >= 0 && end <= size)
    return true;
  findings.report("columns", site.op, nullptr, [&](InFlightDiagnostic &diagnostic) {
    diagnostic << "fetches " << (site.whole == 0 ? "rows " : "columns ") << first << " to " << end - 1
               << " of a view with " << size << ", in " << who();
  });
  return false;
}
