// The command line of `tilec`: its subcommands and options. What they do is elsewhere.
#pragma once

#include "codegen/tilec/run/Run.h"
#include "passes/Pipeline.h"

#include "llvm/Support/CommandLine.h"

#include <string>
#include <vector>

namespace tilec {

enum class Command { Compile, Run, Verify, Explain, Launch, Tune, Trace, Doctor };

struct Options {
  Command command = Command::Compile;
  std::string input;
  std::string output; ///< folder
  bool outputGiven = false;
  std::string package;   ///< folder of programs that become a wheel; empty: none
  bool emulated = false; ///< their code is for the emulator
  std::string until;     ///< stage whose IR is printed
  std::string from;      ///< stage that comes first, or `print`; empty: all of them
  std::string emit;      ///< `hip`, `header`, `manifest` or `mlir` to standard output; empty: files
  bool locations = false, timing = false;
  bool worldGiven = false; ///< `pipeline.world` is the user's, 0 too
  bool targetGiven = false;
  bool minimal = false; ///< of `verify`
  std::string manifest; ///< of `verify`: a file whose proof is repeated; no program is read then
  PipelineOptions pipeline;
  std::string pattern, granularity, order, schedule; ///< as spelt; the program has them as attributes
  std::string tuned;                ///< file of choices that were timed (Tuned.h); of `tune`: where they go
  std::string tuneFrom;             ///< of `tune`: a kit whose times are read
  unsigned candidates = 0;          ///< of `tune`: at most
  unsigned seeds = 1;               ///< of `run`: how many, from `run.seed`
  std::string words;                ///< the command line without seeds
  RunOptions run;                   ///< of `run`; what it shares with the pipeline is filled in there
  std::vector<std::string> traces;  ///< of `trace`: a file of tilec_trace_save for each rank
  std::string timeline;             ///< of `trace` and `run`: the file for Perfetto; empty: none
  int ranks = 1;                    ///< of `launch`
  std::vector<std::string> program; ///< of `launch`: the application and its arguments
};

/// Parses the command line; prints help or an error and exits as llvm::cl does.
Options parseOptions(int argc, char **argv);

} // namespace tilec
