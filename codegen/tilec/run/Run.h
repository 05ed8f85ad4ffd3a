// `tilec run`: generated text on the emulator, all ranks, against the oracle. Making the text is the compile half's.
#pragma once

#include "codegen/tilec/run/EmulatedWorld.h"
#include "codegen/tilec/run/TextCache.h"
#include "dialect/Binding.h"
#include "dialect/Tile.h"

namespace tilec {

/// What a run says of a program; the value is the exit code of `tilec run`.
enum class Verdict {
  Right = 0,
  Wrong = 1,   ///< or it could not be run at all, which is a diagnostic
  TooWeak = 2, ///< nothing is wrong, but the bound of some elements says nothing of them
  NotComparable =
      3, ///< nothing is wrong but with data that the oracle cannot tell: it found a wait that nothing satisfies
  Undetermined = 4, ///< nothing is wrong, but some elements depend on scratch that nobody wrote in the launch
};

struct RunOptions {
  std::string text, manifest;       ///< paths of the generated .hip and .json
  int64_t world = 0;                ///< 0: the program's
  std::vector<Binding> extents;     ///< others are chosen (LaunchPlan.h)
  std::vector<int64_t> extentsFrom; ///< other extents are drawn from these at each launch
  std::vector<Binding> parameters;  ///< for the oracle's tiles; they change no result
  std::vector<std::string> inputs;  ///< ARGUMENT=FILE.npy; `{rank}` and `{launch}` in FILE stand for their numbers
  std::vector<std::string> outputs; ///< the same, written after the last launch
  bool device = false;              ///< on the GPU of this machine (DeviceRun.h), else on emulated ranks
  std::string kit;                  ///< folder for a run on another machine's GPU (Kit.h); or empty
  std::string judged;               ///< a kit that has run: what its launches left is followed; or empty
  std::string label;                ///< of the program's folder in a kit
  unsigned relaunches = 100;        ///< on a device: in a random order, after one launch of each extents
  unsigned deadline = 60;           ///< on a device: seconds that a wait in a kernel may take; 0: any time
  uint64_t seed = 1;                ///< of inputs and drawn extents
  unsigned launches = 1;
  /// Instead of the oracle's bounds: how far a float may be from the oracle's, as a part of the largest magnitude that
  /// its argument has on its rank.
  std::optional<double> tolerance;
  /// All launches are queued before any is waited for; scratch is then poisoned once, otherwise before every launch.
  /// `machine.skewed` implies it.
  bool queued = false;
  std::string traces;       ///< folder for a file of each rank, RANK.json, of what the launches recorded; or empty
  std::string repeat;       ///< the command line that repeats this run, printed when it fails
  bool handWritten = false; ///< the text is no longer what was generated
  /// Makes another manifest that the text may be of: that for all extents, where some are given. Returns its path.
  std::function<llvm::FailureOr<std::string>()> otherManifest;
  bool timing = false; ///< also print the seconds of the oracle, the compilation of the text and the emulated launches
  EmulatedMachine machine;
  TextCompiler compiler = TextCompiler::configured();
  /// The program after `waits`, to count what each rank signals and waits for; may be null.
  tile::ProgramOp kernelForm;
};

/// The arguments of every rank are the same memory in every launch. As soon as a launch has completed on a rank, and
/// whatever the others do, its results are read and all its arguments are overwritten, as an application may.
///
/// Whether a run of `program` could begin: extents, parameters, names of arguments and files, memory. Needs no text, so
/// that what is wrong with the options is said before anything is compiled. Errors are diagnostics.
llvm::LogicalResult checkRun(tile::ProgramOp program, const RunOptions &options);

/// Runs the text of `program` (its source, before any pass) and prints to `stream` one line per rank: the largest error
/// with its bound and place, the element closest to its bound where that is another, and the numbers of signals and
/// waits of one launch. Wrong: an element exceeds its bound, a byte behind an argument has changed, accesses race, or a
/// launch fails. Everything but Right is followed by `repeat`, races by both their places.
Verdict runProgram(tile::ProgramOp program, const RunOptions &options, llvm::raw_ostream &stream);

} // namespace tilec
