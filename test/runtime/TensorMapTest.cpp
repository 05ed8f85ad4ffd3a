// What has a descriptor for bulk copies and what has none, in words; what the emulator keeps of it.
#include "tilec/host.h"
#include "tilec/tensor_map.h"
#include <cstring>
#include <gtest/gtest.h>

using namespace tilec;

namespace {

alignas(16) char memory[64];

/// A matrix of 70 x 100 bf16 in rows of 128, copied in boxes of 64 x 64.
MappedTensor matrix() { return {memory, {100, 70}, {2, 256}, {64, 64}, 2, MapElement::bf16, MapSwizzle::bytes128}; }

TEST(TensorMap, keepsWhatItWasMadeFrom) {
  const MappedTensor tensor = matrix();
  TensorMap map;
  ASSERT_EQ(tilec_can_map(&tensor), 1);
  ASSERT_EQ(tilec_make_tensor_map(&map, &tensor), 0) << tilec_last_error();
  EXPECT_EQ(std::memcmp(map.bytes, &tensor, sizeof(tensor)), 0);
}

TEST(TensorMap, refusesWhatNoMachineCopies) {
  const auto words = [](auto &&change) {
    MappedTensor tensor = matrix();
    change(tensor);
    TensorMap map;
    EXPECT_EQ(tilec_can_map(&tensor), 0);
    EXPECT_NE(tilec_make_tensor_map(&map, &tensor), 0);
    return std::string(tilec_last_error());
  };
  EXPECT_EQ(words([](MappedTensor &t) { t.base = memory + 2; }),
            "no tensor map: a base that is no multiple of 16 bytes");
  EXPECT_EQ(words([](MappedTensor &t) { t.strides[1] = 202; }),
            "no tensor map: the stride of dimension 1 is 202 bytes, expected a multiple of 16 below 2^40");
  EXPECT_EQ(words([](MappedTensor &t) { t.strides[0] = 4; }),
            "no tensor map: elements 4 bytes apart in dimension 0, expected 2");
  EXPECT_EQ(words([](MappedTensor &t) { t.sizes[1] = 0; }),
            "no tensor map: the size of dimension 1 is 0, expected 1 to 2^32");
  EXPECT_EQ(words([](MappedTensor &t) { t.box[1] = 257; }),
            "no tensor map: the box of dimension 1 is 257, expected 1 to 256");
  EXPECT_EQ(words([](MappedTensor &t) { t.box[0] = 72; }),
            "no tensor map: rows of 144 bytes in a box with a swizzle of 128");
  EXPECT_EQ(words([](MappedTensor &t) { t.box[0] = 4; }),
            "no tensor map: rows of 8 bytes in a box, expected a multiple of 16");
  EXPECT_EQ(words([](MappedTensor &t) { t.dimensions = 6; }), "no tensor map: 6 dimensions, expected 1 to 5");
  EXPECT_NE(tilec_make_tensor_map(nullptr, nullptr), 0);
  EXPECT_EQ(tilec_can_map(nullptr), 0);
}

} // namespace
