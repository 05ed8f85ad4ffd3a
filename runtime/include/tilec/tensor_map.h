// Descriptors for bulk copies of boxes of a tensor: made on the host at a launch, handed to kernels by value. What a
// launch function asks the host library for, and what the emulator's copies read. No device code.
#ifndef TILEC_TENSOR_MAP_H
#define TILEC_TENSOR_MAP_H

namespace tilec {

/// What a kernel gets as a `__grid_constant__` parameter. On NVIDIA the bytes are a CUtensorMap; the emulator keeps the
/// MappedTensor that it was made from.
struct alignas(128) TensorMap {
  char bytes[128];
};

/// Elements as far as a copy must tell them apart. Plain copies know widths alone; bulk sums compute with them.
enum class MapElement : int { bytes1, bytes2, bytes4, bytes8, f16, bf16, f32, f64, i32, u32 };
constexpr int bytes_of(MapElement element) {
  switch (element) {
  case MapElement::bytes1:
    return 1;
  case MapElement::bytes2:
  case MapElement::f16:
  case MapElement::bf16:
    return 2;
  case MapElement::bytes4:
  case MapElement::f32:
  case MapElement::i32:
  case MapElement::u32:
    return 4;
  case MapElement::bytes8:
  case MapElement::f64:
    return 8;
  }
  return 0;
}

/// How a copy permutes the 16-byte parts of rows in LDS: part p of row r goes to p xor (r mod 2, 4, 8), in spans of so
/// many bytes.
enum class MapSwizzle : int { none = 0, bytes32 = 32, bytes64 = 64, bytes128 = 128 };

constexpr int map_dimensions = 5; ///< at most

/// A tensor and the box of it that one copy moves. Dimension 0 is the one whose elements are adjacent.
struct MappedTensor {
  void *base;
  long long sizes[map_dimensions];   ///< elements; what a box has beyond them reads as zero and is not written
  long long strides[map_dimensions]; ///< bytes from one element to the next; that of dimension 0 is the element's width
  int box[map_dimensions];           ///< elements
  int dimensions;
  MapElement element;
  MapSwizzle swizzle;
};
static_assert(sizeof(MappedTensor) <= sizeof(TensorMap), "the emulator keeps one in a map");

} // namespace tilec

/// Whether the machine has a descriptor for it: 1 or 0. Where it has none a launch takes the loop without bulk copies.
/// What is asked of base, sizes, strides and boxes is NVIDIA's, in the emulator too.
extern "C" int tilec_can_map(const tilec::MappedTensor *tensor);

/// Makes the descriptor. Needs no device memory and no stream, so that a launch that makes one can be captured; the
/// graph keeps it. Returns 0, or the device runtime's error with words for tilec_last_error.
extern "C" int tilec_make_tensor_map(tilec::TensorMap *map, const tilec::MappedTensor *tensor);

#endif // TILEC_TENSOR_MAP_H
