// Finds the target of a program among the target files.
#include "passes/ProgramTarget.h"

#include "llvm/Support/FileSystem.h"

using namespace mlir;

namespace tilec {

FailureOr<Target> programTarget(tile::ProgramOp program, StringRef option) {
  std::string name = !option.empty() ? option.str() : program.getTarget().value_or("gfx942").str();
  // The address of any function of the program lets LLVM find the executable where the system offers no better way.
  std::string executable = llvm::sys::fs::getMainExecutable(nullptr, reinterpret_cast<void *>(&programTarget));
  std::string error;
  std::optional<Target> target = loadTarget(name, targetFolders(executable), error);
  if (!target)
    return program.emitError() << error;
  return *target;
}

} // namespace tilec
