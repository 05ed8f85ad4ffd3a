// What launches left in arguments and scratch, held against the oracle. Knows nothing of where they ran.
#pragma once

#include "codegen/tilec/run/Run.h"
#include "codegen/tilec/run/RunInputs.h"
#include "passes/interpreter/Inputs.h"

namespace tilec {

/// An element and where it is.
struct Finding {
  interpreter::Difference difference;
  unsigned argument = 0;
  size_t launch = 0;
  bool found = false;
};

/// What one rank did wrong, over all launches.
struct RankReport {
  Finding largest, closest; ///< as in Comparison
  int64_t exceeded = 0, undetermined = 0;
  int64_t unjudged = 0;           ///< elements that depend on what nobody wrote
  int64_t strayBytes = 0;         ///< changed behind an argument or between its elements
  unsigned strayArgument = 0;     ///< the last one
  std::string writer;             ///< of the worst element, when races are looked for
  std::string scratch, departure; ///< the largest error in scratch that was followed; where that was not possible first
  double scratchError = 0;
  bool scratchIsWrong = false; ///< what was not followed is beyond its bound

  Verdict verdict() const;
};

/// What a launch left in the scratch of a rank: the bytes of the alloc that the text calls `name`; empty where they
/// cannot be told.
using LeftScratch = llvm::function_ref<std::vector<char>(int64_t rank, llvm::StringRef name, size_t bytes)>;

class Judgement {
public:
  /// The launches outlive the judgement.
  Judgement(tile::ProgramOp program, std::vector<PreparedLaunch> &launches, std::optional<double> tolerance);

  /// Executes the oracle once more with what the launch left in scratch, so that `after` of the launch follows it
  /// (docs/oracle.md). `overwritten`: later launches may have written some of it already; what departs is no error
  /// then.
  llvm::LogicalResult follow(interpreter::Interpreter &oracle, size_t launch, bool overwritten, LeftScratch left);
  /// Compares an argument as a launch left it. True where one of its elements is the furthest beyond its bound so far.
  bool compare(size_t launch, int64_t rank, unsigned argument, const interpreter::Buffer &got);
  void noteStray(int64_t rank, unsigned argument, int64_t bytes);
  void noteWriter(int64_t rank, std::string words) { reports[rank].writer = std::move(words); }
  const Finding &furthest(int64_t rank) const { return reports[rank].closest; }

  /// A line for each rank, more where something is wrong; `counts` may be empty.
  Verdict print(llvm::raw_ostream &stream, llvm::ArrayRef<interpreter::Counts> counts) const;

private:
  void noteScratch(interpreter::Interpreter &oracle, size_t launch, bool overwritten);
  std::string name(unsigned argument) const;
  void printFinding(llvm::raw_ostream &stream, const Finding &finding, int64_t rank) const;
  void printReasons(llvm::raw_ostream &stream, const RankReport &report, Verdict verdict) const;

  tile::ProgramOp program;
  std::vector<PreparedLaunch> &launches;
  std::optional<double> tolerance;
  std::vector<RankReport> reports;
};

/// `[3, 17]` for a row-major position.
std::string coordinates(const interpreter::Buffer &buffer, int64_t element);

/// Of verdicts on several parts: what is wrong is wrong whatever else could not be told.
Verdict worse(Verdict a, Verdict b);

} // namespace tilec
