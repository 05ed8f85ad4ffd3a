// `tilec --package`: compiled programs as a wheel, for the Python package `tilec`.
#pragma once

#include "codegen/tilec/Compile.h"

#include "mlir/IR/BuiltinOps.h"

namespace tilec {

/// What a program's files are called where several variants of it lie together: its name and what `given` says of it,
/// as in `matmul-M77-N51-BM64-world2-bulk`.
std::string variantLabel(tile::ProgramOp program, const Options &given);

/// Adds the programs to the folder `options.package`: text, manifest, and code for the emulator with
/// `options.emulated`. Then runtime/python/tilec/package.py compiles for the GPU what has no code, and makes the wheel.
/// 0, or 1 after an error of the user's.
int package(mlir::ModuleOp module, llvm::ArrayRef<Outputs> outputs, const Options &options, const Options &given);

} // namespace tilec
