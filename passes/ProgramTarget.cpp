// Finds the target of a program among the target files.
#include "passes/ProgramTarget.h"
#include "dialect/Suggestion.h"

#include "llvm/Support/FileSystem.h"

using namespace mlir;

namespace tilec {

/// Leaves a program whose schedule was given an instruction no other for the operands of that one, but those from
/// registers that a product which reads LDS needs beside it.
static void keepInstruction(Target &target, StringRef name) {
  std::vector<std::string> operands;
  bool readsShared = false;
  for (const MatrixInstructionInfo &info : target.matrix)
    if (info.name == name) {
      operands.insert(operands.end(), info.operands.begin(), info.operands.end());
      readsShared |= info.readsShared();
    }
  llvm::erase_if(target.matrix, [&](const MatrixInstructionInfo &info) {
    bool isOther = info.name != name && llvm::any_of(info.operands, [&](const std::string &operand) {
                     return llvm::is_contained(operands, operand);
                   });
    return isOther && (info.readsShared() || !readsShared);
  });
}

FailureOr<Target> programTarget(tile::ProgramOp program, StringRef option) {
  std::string name = !option.empty() ? option.str() : program.getTarget().value_or(kDefaultTarget).str();
  // The address of any function of the program lets LLVM find the executable where the system offers no better way.
  std::string executable = llvm::sys::fs::getMainExecutable(nullptr, reinterpret_cast<void *>(&programTarget));
  std::string error;
  std::vector<std::string> folders = targetFolders(executable);
  std::optional<Target> target = loadTarget(name, folders, error);
  if (target) {
    if (tile::ScheduleAttr schedule = program.getScheduleAttr(); schedule && !schedule.givenInstruction().empty())
      keepInstruction(*target, schedule.givenInstruction());
    return *target;
  }
  std::vector<std::string> known = targetNames(folders);
  std::string advice;
  if (std::string meant = targetOfProduct(name, folders); !meant.empty())
    advice = "; did you mean '" + meant + "'?";
  else if (!llvm::is_contained(known, name))
    advice = didYouMean(name, SmallVector<StringRef>(known.begin(), known.end()));
  // What the program does not say has no place in it.
  if (option.empty())
    return program.emitError() << error << advice;
  return emitError(UnknownLoc::get(program.getContext())) << "--target: " << error << advice;
}

} // namespace tilec
