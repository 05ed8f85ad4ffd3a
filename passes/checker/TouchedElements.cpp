// From the coordinates of a tile, through views, to those of the buffer.
#include "passes/checker/TouchedElements.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::checker;

Value checker::rootOf(Value buffer) {
  while (auto view = buffer.getDefiningOp<memref::SubViewOp>())
    buffer = view.getSource();
  return buffer;
}

Linear checker::ownerOf(IndexCase &at, tile::AccessOpInterface access) {
  return access.getAccessRank() ? at.valueOf(access.getAccessRank()) : at.thisRank();
}

SmallVector<Linear> checker::touchedElement(IndexCase &at, tile::AccessOpInterface access) {
  SmallVector<Linear> element;
  for (auto [dim, index, side, size] :
       llvm::enumerate(access.getAccessIndices(), access.getFootprintShape(), at.sizesOf(access.getAccessedBuffer()))) {
    Linear first = access.isEach(dim) ? Linear(0) : at.valueOf(index) * (access.hasElementOffsets() ? 1 : side);
    element.push_back(side == 1 ? first : at.between(first, first + Linear(side - 1)));
    at.assumeNonNegative(element.back());
    at.assumeNonNegative(size - Linear(1) - element.back());
  }
  for (Value of = access.getAccessedBuffer(); auto view = of.getDefiningOp<memref::SubViewOp>();
       of = view.getSource()) {
    SmallVector<Linear> inside;
    llvm::SmallBitVector dropped = view.getDroppedDims();
    SmallVector<OpFoldResult> offsets = view.getMixedOffsets(), strides = view.getMixedStrides();
    const Linear *next = element.begin();
    for (unsigned d = 0; d < offsets.size(); ++d) {
      Linear offset = at.valueOf(offsets[d]);
      inside.push_back(dropped[d] ? offset : offset + at.multiply(*next++, at.valueOf(strides[d])));
    }
    element = std::move(inside);
  }
  return element;
}
