// `tilec run --device` and `--prepare`: a program on GPUs, one for each rank, here or on a machine without LLVM.
#pragma once

#include "codegen/tilec/run/Run.h"

namespace tilec {

/// Runs the oracle, writes text, launches and expectations into a kit, and has the kit's script build and run them
/// unless the options name a kit to be run elsewhere. What the script and the runner say goes to standard output.
Verdict runOnDevice(tile::ProgramOp program, const RunOptions &options, llvm::raw_ostream &stream);

/// Has the script of the runtime in `kit` build the folders' texts and run `tilec-runner` with the words, the folders
/// behind them. Returns its exit status; an error where it cannot be started.
llvm::Expected<int> runKit(llvm::StringRef kit, llvm::ArrayRef<std::string> words);

/// The kit that `tilec` keeps for itself, in the folder of compiled texts: its runtime is built once.
llvm::Expected<std::string> ownKit();

} // namespace tilec
