// The errors that the checker has found: one report per pair of places and kind, the first few in full, then a count.
#pragma once

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Operation.h"

#include "llvm/ADT/DenseSet.h"

#include <functional>

namespace tilec::checker {

class Findings {
public:
  explicit Findings(unsigned limit) : limit(limit) {}

  /// Shows nothing, and is asked for nothing but whether there is an error: the first decides.
  static Findings silent() {
    Findings made(0);
    made.isSilent = true;
    return made;
  }

  /// Reports an error at `place` unless one of the same kind has been reported for the same two places. `other` may be
  /// null. `write` fills in the message and its notes.
  void report(llvm::StringRef kind, mlir::Operation *place, mlir::Operation *other,
              llvm::function_ref<void(mlir::InFlightDiagnostic &)> write) {
    if (!seen.insert({{place, other}, llvm::hash_value(kind)}).second)
      return;
    if (++count > limit)
      return;
    mlir::InFlightDiagnostic diagnostic = place->emitError();
    write(diagnostic);
    if (!extents.empty())
      diagnostic << ", with " << extents;
  }

  /// Says how many more there are; called once at the end.
  void summarise(mlir::Operation *program) const {
    if (count > limit)
      program->emitError() << count - limit << " more errors of the kernel form, not shown";
  }

  /// What is reported from here on is said to be so with these extents, such as `M=2561`.
  void setExtents(std::string text) { extents = std::move(text); }

  bool empty() const { return count == 0; }

  /// Whether further errors change nothing.
  bool isDecided() const { return isSilent && count > 0; }

  /// Whether an error of this kind has been reported for these two places.
  bool isKnown(llvm::StringRef kind, mlir::Operation *place, mlir::Operation *other) const {
    return seen.contains({{place, other}, llvm::hash_value(kind)});
  }

private:
  using Places = std::pair<mlir::Operation *, mlir::Operation *>;
  unsigned limit, count = 0;
  bool isSilent = false;
  std::string extents;
  llvm::DenseSet<std::pair<Places, size_t>> seen;
};

} // namespace tilec::checker
