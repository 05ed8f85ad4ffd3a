// A folder with all that programs need on a machine that has a GPU but no LLVM: the runtime's sources, the script that
// builds and runs them, and programs with their launches. Running it is DeviceRun's.
#pragma once

#include "codegen/tilec/run/RunInputs.h"
#include "dialect/Binding.h"

#include "llvm/Support/Error.h"

namespace tilec {

/// One program of a kit.
struct KitProgram {
  tile::ProgramOp source;
  std::string text, manifest; ///< paths of the .hip and .json, which are copied
  llvm::ArrayRef<PreparedLaunch> launches;
  bool expected = true; ///< the launches hold arguments and what the oracle says; else their sizes alone count
  std::optional<double> tolerance; ///< as in RunOptions
};

/// Writes the sources of the runtime and `run` into a folder, which is made. Files that are there and say the same keep
/// their times, so that nothing is built again.
llvm::Error writeKit(llvm::StringRef folder);

/// Writes the program into `folder`, which is emptied first: text, manifest, launch.json and the arrays of each launch
/// (docs/oracle.md).
llvm::Error writeKitProgram(llvm::StringRef folder, const KitProgram &program);

/// What a program's folder in a kit is called: its name and what it was given, as in `matmul-M77-N51-BM64`.
std::string kitLabel(tile::ProgramOp program, llvm::ArrayRef<Binding> extents, llvm::ArrayRef<Binding> parameters);

/// The folder of the runtime's sources: TILEC_RUNTIME, or where this program was installed with them.
std::string runtimeSources();
/// The include directory with the JSON library that they read.
std::string jsonSources();

} // namespace tilec
