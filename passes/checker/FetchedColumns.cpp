// What a fetch reads beyond the last column is the next row, or what lies behind the buffer.
#include "passes/checker/FetchedColumns.h"
#include "dialect/Hip.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilec::checker;

bool tilec::checker::goesByRows(Operation *feed) {
  return llvm::TypeSwitch<Operation *, bool>(feed)
      .Case<tilec::hip::FeedOp, tilec::hip::DirectFeedOp, tilec::hip::MappedFeedOp>(
          [](auto op) { return op.getByRows(); })
      .Default([](Operation *) { return false; });
}

bool tilec::checker::checkColumns(const ProgramCode &program, const AccessSite &site, ArrayRef<int64_t> slots,
                                  Findings &findings, llvm::function_ref<std::string()> who) {
  const View &view = program.views[site.view];
  auto check = [&](size_t back) {
    size_t dim = site.indices.size() - 1 - back;
    StringRef what = back == 0 ? "columns" : back == 1 ? "rows" : "matrices";
    int64_t first = slots[site.indices[dim]], end = first + site.shape[dim], size = slots[view.sizes[dim]];
    if (first >= 0 && end <= size)
      return true;
    findings.report(what, site.op, nullptr, [&](InFlightDiagnostic &diagnostic) {
      diagnostic << "fetches " << what << " " << first << " to " << end - 1 << " of a view with " << size << ", in "
                 << who();
    });
    return false;
  };
  for (size_t back = 0; back < site.indices.size(); ++back)
    if ((site.whole >> back & 1) && !check(back))
      return false;
  return true;
}
