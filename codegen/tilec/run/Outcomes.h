// What `tilec-runner` kept of launches on a device, judged by the oracle that follows it.
#pragma once

#include "codegen/tilec/run/Judgement.h"

namespace tilec {

/// Judges every outcome in a program's folder of a kit (runtime/runner/Outcomes.h) and prints a line. The launches are
/// those of the kit: the same program and options. What the runner itself found wrong stays wrong. Errors are
/// diagnostics at the program.
Verdict judgeOutcomes(interpreter::Interpreter &oracle, std::vector<PreparedLaunch> &launches, llvm::StringRef folder,
                      llvm::raw_ostream &stream);

} // namespace tilec
