// Shared objects of generated text for the emulator, compiled once per content.
#pragma once

#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace tilec {

/// How text becomes a shared object for the emulator.
struct TextCompiler {
  std::string compiler;                        ///< empty: TILEC_CXX, else clang++-22, else clang++
  std::vector<std::string> includeDirectories; ///< of the runtime: the stand-in hip_runtime.h, then device headers
  std::vector<std::string> flags;              ///< further ones, behind those of TILEC_CXXFLAGS

  /// The directories ../include/tilec-emulator and ../include of the running program, or those below TILEC_RUNTIME.
  static TextCompiler configured();
  /// Of the target that the text is for.
  void setWaveLanes(int64_t lanes);
  /// Also tells the emulator of every atomic access, and keeps the lines of the text for reports of races. The device
  /// headers tell of the plain accesses to device memory and LDS that they make; `handWritten` text may make others, so
  /// all its plain accesses are told, which on small tiles costs twice the time: most are to
  /// stacks.
  void addRaceCheck(bool handWritten);
};

/// The path of the shared object of the text at `path`. It is found in, or put into, TILEC_CACHE, else
/// $XDG_CACHE_HOME/tilec, else ~/.cache/tilec, under a hash of text (without the comments in front of it), headers,
/// compiler and flags; compiled beside its final place and renamed, so that several processes may ask at once. The
/// runtime's headers are precompiled there. The error of a failed compilation holds the
/// compiler's words.
llvm::Expected<std::string> compileText(llvm::StringRef path, const TextCompiler &compiler);

/// The folder that holds them, which is made.
llvm::Expected<std::string> cacheDirectory();

} // namespace tilec
