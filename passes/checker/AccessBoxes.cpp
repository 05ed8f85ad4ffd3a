// Clips a tile to its view, and carries it from view to view to the buffer.
#include "passes/checker/AccessBoxes.h"

using namespace mlir;
using namespace tilec::checker;

static void reportView(const AccessSite &site, Findings &findings, llvm::function_ref<std::string()> describeThread,
                       size_t dim, int64_t last, int64_t size) {
  findings.report("view", site.op, nullptr, [&](InFlightDiagnostic &diagnostic) {
    diagnostic << "view reaches element " << last << " in dimension " << dim << " of a buffer of size " << size
               << ", in " << describeThread();
  });
}

/// Whether a view has a size that no view has: reports it.
static bool isNegative(const AccessSite &site, Findings &findings, llvm::function_ref<std::string()> describeThread,
                       size_t dim, int64_t size) {
  if (size < 0)
    findings.report("size", site.op, nullptr, [&](InFlightDiagnostic &diagnostic) {
      diagnostic << "view has " << size << " elements in dimension " << dim
                 << ", expected 0 or more, by 'arith.maxsi' with 0 or by a 'where' that excludes these extents, in "
                 << describeThread();
    });
  return size < 0;
}

bool tilec::checker::boxOf(const ProgramCode &program, const AccessSite &site, ArrayRef<int64_t> slots,
                           Findings &findings, llvm::function_ref<std::string()> describeThread,
                           SmallVectorImpl<int64_t> &box) {
  const View *view = &program.views[site.view];
  box.push_back(view->root);
  for (size_t i = 0; i < site.indices.size(); ++i) {
    int64_t first = slots[site.indices[i]] * (site.elementOffsets ? 1 : site.shape[i]);
    int64_t low = std::max<int64_t>(first, 0), high = std::min(first + site.shape[i], slots[view->sizes[i]]);
    if (isNegative(site, findings, describeThread, i, slots[view->sizes[i]]))
      return false;
    if (low >= high)
      return false;
    box.append({low, high - low, 1});
  }
  SmallVector<int64_t, 13> outer;
  for (; view->parent != View::none; view = &program.views[view->parent]) {
    outer.assign(1, view->root);
    for (size_t i = 0, inner = 1; i < view->offsets.size(); ++i) {
      int64_t offset = slots[view->offsets[i]], stride = slots[view->strides[i]];
      int64_t size = slots[program.views[view->parent].sizes[i]];
      if (stride < 1 && slots[view->extents[i]] > 1) {
        findings.report("stride", site.op, nullptr, [&](InFlightDiagnostic &diagnostic) {
          diagnostic << "view steps by " << stride << " in dimension " << i << ", expected 1 or more, in "
                     << describeThread();
        });
        return false;
      }
      if (offset < 0 || (slots[view->extents[i]] > 0 && offset + (slots[view->extents[i]] - 1) * stride >= size)) {
        reportView(site, findings, describeThread, i, offset + (slots[view->extents[i]] - 1) * stride, size);
        return false;
      }
      if (view->dropped[i]) {
        outer.append({offset, 1, 1});
        continue;
      }
      outer.append({offset + box[inner] * stride, box[inner + 1], box[inner + 1] == 1 ? 1 : box[inner + 2] * stride});
      inner += 3;
    }
    box.assign(outer.begin(), outer.end());
  }
  return true;
}
