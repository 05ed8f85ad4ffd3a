// What is wrong with a number that a task computes. `where` says which task: `, in task (0) of role @copy on rank 0`.
#pragma once

#include "dialect/Tile.h"
#include "passes/checker/Findings.h"

namespace tilec::checker {

inline void reportOverflow(Findings &findings, mlir::Operation *op, int64_t value, unsigned bits,
                           const std::string &where) {
  findings.report("overflow", op, nullptr, [&](mlir::InFlightDiagnostic &diagnostic) {
    diagnostic << "computes " << value << where << ": expected a value of " << bits
               << " bits, in which the text computes it";
  });
}

inline void reportDivision(Findings &findings, mlir::Operation *op, const std::string &where) {
  findings.report("division", op, nullptr, [&](mlir::InFlightDiagnostic &diagnostic) {
    diagnostic << "an index expression divides by zero" << where;
  });
}

inline void reportNegative(Findings &findings, mlir::Operation *op, int64_t value, const std::string &where) {
  findings.report("unsigned", op, nullptr, [&](mlir::InFlightDiagnostic &diagnostic) {
    const bool isBound = mlir::isa<tile::ClampOp, tile::ReadOp>(op);
    if (mlir::isa<tile::ForallOp, tile::ExtentOp, tile::AllocOp, tile::SignalsOp>(op)) {
      diagnostic << "has an extent that divides by " << value << where
                 << ": expected a positive number, by a 'where' that excludes these extents";
      return;
    }
    diagnostic << (isBound ? "takes a number up to " : "unsigned arithmetic on the index ") << value << where
               << (isBound ? ": expected 0 or more"
                           : ": expected no negative operand, which the text would take for a signed one");
  });
}

/// Of an order, which walks a grid that its loop does not have.
inline void reportSize(Findings &findings, mlir::Operation *op, int64_t size, int64_t expected,
                       const std::string &where) {
  findings.report("orders", op, nullptr, [&](mlir::InFlightDiagnostic &diagnostic) {
    diagnostic << "walks a grid with " << size << " tiles in one dimension" << where << ": expected " << expected
               << " as its loop has";
  });
}

} // namespace tilec::checker
