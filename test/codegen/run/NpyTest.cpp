// Writing, reading and refusing .npy files.
#include "codegen/tilec/run/Npy.h"
#include "Scratch.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/Error.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::test;
using interpreter::Format;

static std::string errorOf(llvm::Expected<NpyArray> array) {
  if (array)
    return "no error";
  return llvm::toString(array.takeError());
}

/// A version 1 file with a header that is not padded.
static std::string file(const std::string &header, const std::string &content, char version = 1) {
  return std::string("\x93NUMPY", 6) + version + '\0' + static_cast<char>(header.size()) + '\0' + header + content;
}

TEST(Npy, WhatIsWrittenIsRead) {
  Scratch scratch;
  NpyArray array{"<f4", {2, 3}, std::vector<char>(24, 'x')};
  ASSERT_FALSE(static_cast<bool>(writeNpy(scratch.path("a.npy"), array)));
  std::string bytes = Scratch::read(scratch.path("a.npy"));
  // numpy: the elements start at a multiple of 64 and the header ends with a line feed.
  ASSERT_EQ(bytes.size() % 64, 24u);
  EXPECT_EQ(bytes[bytes.size() - 25], '\n');
  EXPECT_NE(bytes.find("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }"), std::string::npos);
  llvm::Expected<NpyArray> back = readNpy(scratch.path("a.npy"));
  ASSERT_TRUE(static_cast<bool>(back));
  EXPECT_EQ(back->dtype, "<f4");
  EXPECT_EQ(back->shape, array.shape);
  EXPECT_EQ(back->bytes, array.bytes);
}

TEST(Npy, ScalarsVectorsAndVersionTwo) {
  Scratch scratch;
  llvm::Expected<NpyArray> scalar =
      readNpy(scratch.write("s.npy", file("{'descr': '<f8', 'fortran_order': False, 'shape': ()}", "12345678")));
  ASSERT_TRUE(static_cast<bool>(scalar));
  EXPECT_TRUE(scalar->shape.empty());
  std::string header = "{'shape': (3,), 'fortran_order': False, 'descr': '|i1'}";
  std::string two =
      std::string("\x93NUMPY\x02\x00", 8) + static_cast<char>(header.size()) + std::string(3, '\0') + header + "abc";
  llvm::Expected<NpyArray> vector = readNpy(scratch.write("v.npy", two));
  ASSERT_TRUE(static_cast<bool>(vector));
  EXPECT_EQ(vector->shape[0], 3);
}

TEST(Npy, FormatsHaveDescriptors) {
  MLIRContext context;
  for (auto [type, dtype] : {std::pair<Type, const char *>{Float64Type::get(&context), "<f8"},
                             {Float32Type::get(&context), "<f4"},
                             {Float16Type::get(&context), "<f2"},
                             {BFloat16Type::get(&context), "<V2"},
                             {Float8E4M3FNType::get(&context), "|V1"},
                             {IntegerType::get(&context, 32), "<i4"},
                             {IntegerType::get(&context, 8), "|i1"},
                             {IntegerType::get(&context, 1), "|b1"}})
    EXPECT_EQ(npyDtype(*Format::get(type)), dtype);
}

TEST(Npy, RawBf16IsAcceptedInEveryDisguise) {
  Scratch scratch;
  MLIRContext context;
  Format bf16 = *Format::get(BFloat16Type::get(&context)), f16 = *Format::get(Float16Type::get(&context));
  for (const char *dtype : {"<V2", "|V2", "<u2"}) {
    std::string path = scratch.write(
        "b.npy", file(std::string("{'descr': '") + dtype + "', 'fortran_order': False, 'shape': (2,)}", "abcd"));
    EXPECT_EQ(errorOf(readNpy(path, bf16, {2})), "no error") << dtype;
    EXPECT_NE(errorOf(readNpy(path, f16, {2})), "no error") << dtype;
  }
}

TEST(Npy, Refusals) {
  Scratch scratch;
  MLIRContext context;
  Format f32 = *Format::get(Float32Type::get(&context));
  auto refused = [&](const std::string &content, const std::string &words) {
    std::string message = errorOf(readNpy(scratch.write("x.npy", content), f32, {2}));
    EXPECT_NE(message.find(words), std::string::npos) << message;
  };
  EXPECT_NE(errorOf(readNpy(scratch.path("none.npy"))).find("cannot read"), std::string::npos);
  refused("hello", "is no .npy file");
  refused("", "is no .npy file");
  refused(file("{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", "12345678", 9),
          "has format version 9, expected 1, 2 or 3");
  refused(std::string("\x93NUMPY\x01\x00\xff\x7f", 10) + "{}", "is truncated in its header");
  refused(file("{'descr': '<f4', 'shape': (2,)}", "12345678"), "has a malformed header");
  refused(file("[1, 2]", "12345678"), "has a malformed header");
  refused(file("{'descr': '<f4', 'fortran_order': True, 'shape': (2,)}", "12345678"),
          "is in Fortran order, expected C order");
  refused(file("{'descr': '>f4', 'fortran_order': False, 'shape': (2,)}", "12345678"),
          "has elements of type '>f4', expected little-endian numbers");
  refused(file("{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", "1234567"),
          "has 7 bytes of elements, expected 8");
  refused(file("{'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775807,)}", ""),
          "has an impossible shape");
  refused(file("{'descr': '<i4', 'fortran_order': False, 'shape': (2,)}", "12345678"),
          "has elements of type '<i4', expected '<f4'");
  refused(file("{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2)}", "12345678"),
          "has shape (1, 2), expected (2,)");
}
