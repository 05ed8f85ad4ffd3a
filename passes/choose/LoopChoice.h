// How the loops of a program's products run: the sizes of their tiles, which way they are multiplied, and what the
// schedule says of them.
// Belongs here: which of the loops that a target can run is taken, by their costs or because it was given. Does not:
// what a loop costs (machine/LoopCost), tiles of programs that multiply nothing (RowTiles), whether LDS holds them
// (FitTiles).
#pragma once

#include "dialect/Binding.h"
#include "passes/machine/LoopCost.h"

#include "dialect/Tile.h"

namespace tilec {

/// A dimension of a buffer, with extents that are not given taken as `assumed`; nothing where the buffer is a view.
using SizeOf = llvm::function_ref<std::optional<int64_t>(mlir::Value buffer, unsigned dim, int64_t assumed)>;

/// For `specialize`: gives the parameters of products that are neither given nor have a default the sizes that cost
/// least, and products their ways, `swapped` and `split`. What the program's schedule was given is done, or reported. A
/// parameter that two products share is chosen for the first.
mlir::LogicalResult chooseTiles(tile::ProgramOp program, llvm::ArrayRef<Binding> parameters, llvm::StringRef target,
                                SizeOf sizeOf);

/// For `choose`, behind `specialize`: the schedule of each product, as it will run where nothing else takes its room.
/// Reports what was given and the target cannot do.
mlir::LogicalResult chooseSchedules(tile::ProgramOp program, const Target &target);

/// Costs of a product's loop, the cheapest first: one for each choice that its parameters leave open, then for other
/// waves and slots with the first one's tiles; without those that do not fit. `written` is the product before
/// `specialize`, `op` behind it.
std::vector<LoopCost> loopCandidates(tile::MatmulOp written, tile::MatmulOp op, llvm::ArrayRef<Binding> parameters,
                                     const Target &target);

/// The loop that `choose` expects of a product behind `specialize`.
LoopCost expectedLoop(tile::MatmulOp op, const Target &target);

} // namespace tilec
