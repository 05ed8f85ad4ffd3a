// Converts between `#tile.layout` and LinearLayout. Decides nothing.
#include "passes/analysis/LayoutConversion.h"

#include "passes/machine/TileBox.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tilec {

static SmallVector<int32_t> flat(const LinearLayout &layout, StringRef input) {
  return llvm::map_to_vector(layout.flatBases(input),
                             [](int64_t coordinate) { return static_cast<int32_t>(coordinate); });
}

tile::LayoutAttr layoutAttr(MLIRContext *context, const LinearLayout &layout) {
  return tile::LayoutAttr::get(context, layout.numOutputs(), flat(layout, LinearLayout::kRegister),
                               flat(layout, LinearLayout::kLane), flat(layout, LinearLayout::kWave));
}

std::optional<LinearLayout> layoutOf(Type type) {
  auto tile = dyn_cast<RankedTensorType>(type);
  auto attr = tile ? dyn_cast_or_null<tile::LayoutAttr>(tile.getEncoding()) : nullptr;
  if (!attr || !tile.hasStaticShape())
    return std::nullopt;
  std::vector<LinearLayout::Input> inputs;
  for (auto [name, bases] :
       {std::pair(LinearLayout::kRegister, attr.getRegisters()), std::pair(LinearLayout::kLane, attr.getLanes()),
        std::pair(LinearLayout::kWave, attr.getWaves())}) {
    auto points = LinearLayout::unflatten(SmallVector<int64_t>(bases.begin(), bases.end()), tile.getRank());
    if (!points)
      return std::nullopt;
    inputs.push_back({name.str(), *points});
  }
  SmallVector<LinearLayout::Output> outputs = LinearLayout::tileOutputs(boxOf(tile.getShape()));
  if (!LinearLayout::check(inputs, outputs).empty())
    return std::nullopt;
  return LinearLayout::get(inputs, outputs);
}

bool hasOneThreadEach(Type type) {
  std::optional<LinearLayout> layout = layoutOf(type);
  return layout && layout->isInjectiveModuloReplication() && !layout->replicationMask(LinearLayout::kLane) &&
         !layout->replicationMask(LinearLayout::kWave);
}

RankedTensorType withLayout(RankedTensorType type, const LinearLayout &layout) {
  return RankedTensorType::get(type.getShape(), type.getElementType(), layoutAttr(type.getContext(), layout));
}

int64_t bytesOf(Type element) {
  unsigned bits = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
  return llvm::PowerOf2Ceil(llvm::divideCeil(bits, 8));
}

int64_t registersHeld(Type type) {
  auto tile = dyn_cast<RankedTensorType>(type);
  std::optional<LinearLayout> layout = tile ? layoutOf(tile) : std::nullopt;
  return layout ? llvm::divideCeil(registersOf(*layout, tile.getShape()) * bytesOf(tile.getElementType()), 4) : 0;
}

int64_t vectorOf(RankedTensorType tile) {
  auto layout = cast<tile::LayoutAttr>(tile.getEncoding());
  // Beyond a whole run of the columns a register may have no neighbour.
  int64_t rank = layout.getRank(), width = 1;
  int64_t widest = std::min(16 / bytesOf(tile.getElementType()), wholeRun(tile.getShape().back()));
  auto isStep = [&](ArrayRef<int32_t> basis) {
    return basis.back() == width && llvm::all_of(basis.drop_back(), [](int32_t c) { return c == 0; });
  };
  ArrayRef<int32_t> registers = layout.getRegisters();
  size_t taken = 0;
  while (taken * rank < registers.size() && width < widest && isStep(registers.slice(taken * rank, rank))) {
    width *= 2;
    ++taken;
  }
  auto fallsInside = [&](ArrayRef<int32_t> bases) {
    for (size_t i = rank - 1; i < bases.size(); i += rank)
      if (bases[i] & (width - 1))
        return true;
    return false;
  };
  while (width > 1 && (fallsInside(registers.drop_front(taken * rank)) || fallsInside(layout.getLanes()) ||
                       fallsInside(layout.getWaves()))) {
    width /= 2;
    --taken;
  }
  return width;
}

} // namespace tilec
