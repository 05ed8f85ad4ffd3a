// What `tilec tune` found, as a file that compiling reads: the fastest choices of a program for one compiler, device
// and set of extents. Timing them is commands/Tune's.
#pragma once

#include "codegen/tilec/Options.h"
#include "dialect/Tile.h"

#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

namespace tilec {

/// In files a binding is its spelling.
llvm::json::Value toJSON(const Binding &binding);
bool fromJSON(const llvm::json::Value &value, Binding &binding, llvm::json::Path path);

/// What the compiler chooses when nobody says.
struct TunedChoices {
  std::vector<Binding> parameters;
  std::string order;    ///< as --order spells it; empty: chosen
  std::string schedule; ///< keys that --schedule would fix; empty: none

  bool operator==(const TunedChoices &other) const = default;
};

/// What an entry is for.
struct TunedKey {
  std::string program, source; ///< the name; a hash of the program without names and comments
  std::string compiler;        ///< a hash of the running tilec
  std::string target;
  std::vector<Binding> extents; ///< sorted

  /// Of a program before any pass. `extents` are those that are given.
  static TunedKey of(tile::ProgramOp program, llvm::StringRef target, llvm::ArrayRef<Binding> extents);
  bool operator==(const TunedKey &other) const = default;
};

struct TunedEntry {
  TunedKey key;
  std::string device; ///< as the device's runtime names it: NVIDIA H200
  TunedChoices choices;
  double microseconds = 0, chosen = 0; ///< of a launch; with what the compiler chooses itself
  int64_t candidates = 0;              ///< that were timed
};

/// Reads a file of entries; with `mayLack`, one that is not there has none.
llvm::Expected<std::vector<TunedEntry>> readTuned(llvm::StringRef path, bool mayLack);
/// Writes entries over those of the same key and device.
llvm::Error mergeTuned(llvm::StringRef path, llvm::ArrayRef<TunedEntry> entries);

/// The options with choices; order and schedule go into the program, as --order and --schedule do. What the user or the
/// program says stays.
Options withChoices(tile::ProgramOp program, const Options &options, const TunedChoices &choices);

/// The same with the choices of `options.tuned` that fit: the program's, this compiler's, for a device of the target's
/// product, with the extents that are given. A warning where nothing fits.
llvm::FailureOr<Options> withTuned(mlir::ModuleOp module, const Options &options);

} // namespace tilec
