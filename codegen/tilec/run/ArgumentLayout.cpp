// Elements of strided arguments.
#include "codegen/tilec/run/ArgumentLayout.h"

#include "llvm/Support/MathExtras.h"

#include <cstring>

using namespace mlir;
using namespace tilec;
using namespace tilec::interpreter;

ArgumentLayout ArgumentLayout::of(tile::ProgramOp program, unsigned number, int64_t world, ArrayRef<int64_t> extents,
                                  const Buffer &buffer) {
  Shape strides = View::whole(0, buffer.shape).strides;
  if (AffineMap map = program.getStridesOf(number)) {
    Type index = IndexType::get(program.getContext());
    SmallVector<Attribute> symbols{IntegerAttr::get(index, world)}, results;
    for (int64_t extent : extents)
      symbols.push_back(IntegerAttr::get(index, extent));
    // The plan of the launches has refused strides without a value.
    if (succeeded(map.constantFold(symbols, results)))
      for (auto [stride, result] : llvm::zip(strides, results))
        stride = cast<IntegerAttr>(result).getInt();
  }
  return ArgumentLayout(buffer.shape, std::move(strides), buffer.format.bytes());
}

size_t ArgumentLayout::bytes() const {
  if (numElements() == 0)
    return 0;
  // More than any emulated rank has, so that sums of it stay in 64 bits.
  constexpr uint64_t most = uint64_t(1) << 40;
  uint64_t elements = 1;
  for (auto [size, stride] : llvm::zip(sizes, strides))
    if (size > 1)
      elements = llvm::SaturatingMultiplyAdd<uint64_t>(size - 1, stride, elements);
  return std::min(llvm::SaturatingMultiply<uint64_t>(elements, width), most);
}

size_t ArgumentLayout::offsetOf(int64_t element) const {
  int64_t place = 0;
  for (size_t d = sizes.size(); d-- > 0; element /= sizes[d])
    place += element % sizes[d] * strides[d];
  return place * width;
}

std::optional<int64_t> ArgumentLayout::elementAt(size_t offset) const {
  if (offset >= bytes())
    return std::nullopt;
  // Elements lie apart: the largest stride that fits is a step of its dimension.
  auto order = llvm::to_vector(llvm::seq<size_t>(0, sizes.size()));
  llvm::stable_sort(order, [&](size_t a, size_t b) { return strides[a] > strides[b]; });
  Shape index(sizes.size(), 0);
  int64_t rest = offset / width;
  for (size_t d : order)
    if (sizes[d] > 1) {
      index[d] = std::min(rest / strides[d], sizes[d] - 1);
      rest -= index[d] * strides[d];
    }
  if (rest)
    return std::nullopt;
  int64_t element = 0;
  for (auto [size, i] : llvm::zip(sizes, index))
    element = element * size + i;
  return element;
}

void ArgumentLayout::scatter(ArrayRef<char> elements, char *memory) const {
  if (!hasGaps() && llvm::equal(strides, View::whole(0, sizes).strides))
    return void(std::copy(elements.begin(), elements.end(), memory));
  for (size_t i = 0, n = numElements(); i < n; ++i)
    std::memcpy(memory + offsetOf(i), elements.data() + i * width, width);
}

std::vector<char> ArgumentLayout::gather(const char *memory) const {
  std::vector<char> elements(numElements() * width);
  for (size_t i = 0, n = numElements(); i < n; ++i)
    std::memcpy(elements.data() + i * width, memory + offsetOf(i), width);
  return elements;
}

int64_t ArgumentLayout::strayBytes(const char *memory, char fill) const {
  if (!hasGaps())
    return 0;
  std::vector<char> gaps(memory, memory + bytes());
  scatter(std::vector<char>(numElements() * width, fill), gaps.data());
  return std::count_if(gaps.begin(), gaps.end(), [fill](char c) { return c != fill; });
}
