// Drops the highest bits of a register's number from a layout.
#include "dialect/Parts.h"
#include "dialect/Tile.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilec;

/// The dimension of which a basis is the upper half, and nothing else; none where it is not.
static std::optional<size_t> halved(ArrayRef<int32_t> basis, ArrayRef<int64_t> shape) {
  std::optional<size_t> found;
  for (auto [dim, value] : llvm::enumerate(basis)) {
    if (value == 0)
      continue;
    if (found || int64_t(value) * 2 != shape[dim])
      return std::nullopt;
    found = dim;
  }
  return found;
}

RankedTensorType tilec::partOf(RankedTensorType whole, int64_t parts) {
  auto layout = dyn_cast_or_null<tile::LayoutAttr>(whole.getEncoding());
  size_t rank = whole.getRank();
  if (!layout || !rank || parts < 1 || !llvm::isPowerOf2_64(parts))
    return {};
  ArrayRef<int32_t> registers = layout.getRegisters();
  SmallVector<int64_t> shape(whole.getShape());
  for (; parts > 1; parts /= 2) {
    std::optional<size_t> dim = registers.size() < rank ? std::nullopt : halved(registers.take_back(rank), shape);
    if (!dim)
      return {};
    registers = registers.drop_back(rank);
    shape[*dim] /= 2;
  }
  // No other bit reaches into the half that is gone.
  for (ArrayRef<int32_t> bases : {registers, layout.getLanes(), layout.getWaves()})
    for (auto [at, value] : llvm::enumerate(bases))
      if (value >= shape[at % rank])
        return {};
  return RankedTensorType::get(
      shape, whole.getElementType(),
      tile::LayoutAttr::get(whole.getContext(), layout.getRank(), registers, layout.getLanes(), layout.getWaves()));
}
