// Descriptors of tensors for bulk copies: the rules that every device's share, and the driver's call.
#include "host/World.h"
#include "tilec/tensor_map.h"
#include <cstring>
#include <hip/hip_runtime.h>
#if defined(TILEC_NVIDIA)
#include <cuda.h>
#endif

using namespace tilec;
using namespace tilec::host;

namespace {

std::string ofDimension(const char *what, int dimension) {
  return std::string(what) + " of dimension " + std::to_string(dimension);
}

/// What is wrong with it; empty when nothing is. The limits are those of cuTensorMapEncodeTiled.
std::string refusal(const MappedTensor &tensor) {
  constexpr long long mostElements = 1ll << 32, mostStride = 1ll << 40;
  constexpr int mostBox = 256, unit = 16;
  const int width = bytes_of(tensor.element);
  if (tensor.dimensions < 1 || tensor.dimensions > map_dimensions)
    return std::to_string(tensor.dimensions) + " dimensions, expected 1 to " + std::to_string(map_dimensions);
  if (!tensor.base || reinterpret_cast<std::uintptr_t>(tensor.base) % unit)
    return "a base that is no multiple of 16 bytes";
  if (tensor.strides[0] != width)
    return "elements " + std::to_string(tensor.strides[0]) + " bytes apart in dimension 0, expected " +
           std::to_string(width);
  for (int d = 0; d < tensor.dimensions; ++d) {
    if (tensor.sizes[d] < 1 || tensor.sizes[d] > mostElements)
      return ofDimension("the size", d) + " is " + std::to_string(tensor.sizes[d]) + ", expected 1 to 2^32";
    if (tensor.box[d] < 1 || tensor.box[d] > mostBox)
      return ofDimension("the box", d) + " is " + std::to_string(tensor.box[d]) + ", expected 1 to 256";
    if (d && (tensor.strides[d] < 0 || tensor.strides[d] % unit || tensor.strides[d] >= mostStride))
      return ofDimension("the stride", d) + " is " + std::to_string(tensor.strides[d]) +
             " bytes, expected a multiple of 16 below 2^40";
  }
  const int row = tensor.box[0] * width;
  if (row % unit)
    return "rows of " + std::to_string(row) + " bytes in a box, expected a multiple of 16";
  if (tensor.swizzle != MapSwizzle::none && row > int(tensor.swizzle))
    return "rows of " + std::to_string(row) + " bytes in a box with a swizzle of " +
           std::to_string(int(tensor.swizzle));
  return "";
}

#if defined(TILEC_NVIDIA)

CUtensorMapDataType typeOf(MapElement element) {
  switch (element) {
  case MapElement::bytes1:
    return CU_TENSOR_MAP_DATA_TYPE_UINT8;
  case MapElement::bytes2:
    return CU_TENSOR_MAP_DATA_TYPE_UINT16;
  case MapElement::bytes4:
  case MapElement::u32:
    return CU_TENSOR_MAP_DATA_TYPE_UINT32;
  case MapElement::bytes8:
    return CU_TENSOR_MAP_DATA_TYPE_UINT64;
  case MapElement::f16:
    return CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
  case MapElement::bf16:
    return CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
  case MapElement::f32:
    return CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
  case MapElement::f64:
    return CU_TENSOR_MAP_DATA_TYPE_FLOAT64;
  case MapElement::i32:
    return CU_TENSOR_MAP_DATA_TYPE_INT32;
  }
  return CU_TENSOR_MAP_DATA_TYPE_UINT8;
}

CUtensorMapSwizzle swizzleOf(MapSwizzle swizzle) {
  switch (swizzle) {
  case MapSwizzle::none:
    return CU_TENSOR_MAP_SWIZZLE_NONE;
  case MapSwizzle::bytes32:
    return CU_TENSOR_MAP_SWIZZLE_32B;
  case MapSwizzle::bytes64:
    return CU_TENSOR_MAP_SWIZZLE_64B;
  case MapSwizzle::bytes128:
    return CU_TENSOR_MAP_SWIZZLE_128B;
  }
  return CU_TENSOR_MAP_SWIZZLE_NONE;
}

using Encode = CUresult (*)(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *,
                            const cuuint64_t *, const cuuint32_t *, const cuuint32_t *, CUtensorMapInterleave,
                            CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill);

/// The driver's function: asking for it keeps libcuda from what this library links.
Encode encoder() {
  static const Encode found = [] {
    constexpr unsigned since = 12000;
    void *function = nullptr;
    cudaDriverEntryPointQueryResult state = cudaDriverEntryPointSymbolNotFound;
    check(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, since, cudaEnableDefault, &state),
          "asking the driver for tensor maps");
    require(function && state == cudaDriverEntryPointSuccess, TILEC_DEVICE_ERROR, "the driver knows no tensor maps");
    return reinterpret_cast<Encode>(function);
  }();
  return found;
}

void encode(TensorMap &map, const MappedTensor &tensor) {
  static_assert(sizeof(CUtensorMap) == sizeof(TensorMap) && alignof(CUtensorMap) <= alignof(TensorMap));
  cuuint64_t sizes[map_dimensions], strides[map_dimensions];
  cuuint32_t box[map_dimensions], steps[map_dimensions];
  for (int d = 0; d < tensor.dimensions; ++d) {
    sizes[d] = cuuint64_t(tensor.sizes[d]);
    strides[d] = cuuint64_t(tensor.strides[d]);
    box[d] = cuuint32_t(tensor.box[d]);
    steps[d] = 1;
  }
  const CUresult result =
      encoder()(reinterpret_cast<CUtensorMap *>(map.bytes), typeOf(tensor.element), cuuint32_t(tensor.dimensions),
                tensor.base, sizes, strides + 1, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzleOf(tensor.swizzle),
                CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  require(result == CUDA_SUCCESS, TILEC_DEVICE_ERROR,
          "making a tensor map: the driver's error " + std::to_string(int(result)));
}

#elif defined(TILEC_EMULATED)

void encode(TensorMap &map, const MappedTensor &tensor) { std::memcpy(map.bytes, &tensor, sizeof(tensor)); }

#else

void encode(TensorMap &, const MappedTensor &) {
  throw Error(TILEC_INVALID_ARGUMENT, "this device has no tensor maps");
}

#endif

} // namespace

int tilec_can_map(const MappedTensor *tensor) {
#if defined(TILEC_NVIDIA) || defined(TILEC_EMULATED)
  return tensor && refusal(*tensor).empty();
#else
  return 0;
#endif
}

int tilec_make_tensor_map(TensorMap *map, const MappedTensor *tensor) {
  const tilec_result result = guarded([&] {
    require(map && tensor, TILEC_INVALID_ARGUMENT, "the tensor map or what it describes is null");
    const std::string why = refusal(*tensor);
    require(why.empty(), TILEC_INVALID_ARGUMENT, "no tensor map: " + why);
    encode(*map, *tensor);
  });
  return result == TILEC_OK ? int(hipSuccess) : int(hipErrorInvalidValue);
}
