// .npy files: one array of raw little-endian elements. What the elements mean is the caller's.
#pragma once

#include "passes/interpreter/Number.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

namespace tilec {

/// An array in C order. `dtype` is numpy's descriptor, such as "<f4".
struct NpyArray {
  std::string dtype;
  llvm::SmallVector<int64_t, 4> shape;
  std::vector<char> bytes;
};

/// numpy's descriptor for elements of a format: f64 <f8, f32 <f4, f16 <f2, i64 <i8, i32 <i4, i16 <i2, i8 |i1, i1 |b1.
/// Formats that numpy lacks are raw: bf16 <V2, eight-bit floats |V1.
llvm::StringRef npyDtype(const interpreter::Format &format);

/// Reads a file of version 1.0, 2.0 or 3.0. Errors name the path: no such file, no regular file (it may not
/// end), no .npy file, truncated, Fortran order, big-endian, an unknown descriptor, bytes left over.
llvm::Expected<NpyArray> readNpy(llvm::StringRef path);

/// The shape alone; the elements may lack or be wrong.
llvm::Expected<llvm::SmallVector<int64_t, 4>> readNpyShape(llvm::StringRef path);

/// As `readNpy`, and the array must have the format and shape: got and expected are in the error. Raw formats may also
/// be stored as unsigned integers (<u2, |u1).
llvm::Expected<NpyArray> readNpy(llvm::StringRef path, const interpreter::Format &format,
                                 llvm::ArrayRef<int64_t> shape);

/// Writes version 1.0 (2.0 when the header needs it), through a temporary file in the same folder; what is there and is
/// no regular file (a device, a fifo, a link) is written to and stays what it is.
llvm::Error writeNpy(llvm::StringRef path, const NpyArray &array);

} // namespace tilec
