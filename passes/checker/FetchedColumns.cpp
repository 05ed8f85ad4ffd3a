// What a fetch reads beyond the last column is the next row, or what lies behind the buffer.
#include "passes/checker/FetchedColumns.h"

using namespace mlir;
using namespace tilec::checker;

bool tilec::checker::checkColumns(const ProgramCode &program, const AccessSite &site, ArrayRef<int64_t> slots,
                                  Findings &findings, llvm::function_ref<std::string()> who) {
  int64_t first = slots[site.indices.back()], end = first + site.shape.back();
  int64_t size = slots[program.views[site.view].sizes.back()];
  if (!site.wholeColumns || (first >= 0 && end <= size))
    return true;
  findings.report("columns", site.op, nullptr, [&](InFlightDiagnostic &diagnostic) {
    diagnostic << "fetches columns " << first << " to " << end - 1 << " of a view with " << size << ", in " << who();
  });
  return false;
}
