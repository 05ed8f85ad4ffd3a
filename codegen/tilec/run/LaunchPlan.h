// Which extents the launches of a run have. Nothing here runs anything.
#pragma once

#include "dialect/Binding.h"
#include "dialect/Tile.h"

namespace tilec {

/// The author's name of a program's argument or extent; `#n` with its position when it has none.
std::string argumentName(mlir::BlockArgument argument);

/// One list of extents per launch, in the order of the program's header.
struct LaunchPlan {
  std::vector<std::vector<int64_t>> extents;
  bool scaled = false; ///< extents that nobody gave are smaller than usual
  /// `M=17 by M=16 in launch 2`: what was drawn and the program's conditions exclude.
  std::vector<std::string> replaced;

  /// The greatest value of every extent in any launch.
  std::vector<int64_t> greatest() const;
};

/// Which launches the runtime takes, as far as a manifest says it.
struct AcceptedExtents {
  /// The greatest value of each extent; empty where there are none.
  std::vector<std::optional<int64_t>> limits;
  /// Where a kernel needs several workgroups that are resident: nothing else is taken. Nothing for any value.
  std::vector<std::vector<std::optional<int64_t>>> only;
};

/// By the text of a manifest; everything where it is none.
AcceptedExtents acceptedBy(llvm::StringRef manifest);

/// `given` hold for every launch. Other extents are drawn at each launch from `choices`, by `seed`;
/// without choices they are small numbers that are multiples of no tile: M 200, N 136, K 72, and others in turn. One
/// that is only part of strides of arguments is never drawn: it is the least multiple of 8 that leaves a gap of 8
/// elements; others that are not given make way where strides or the program's conditions ask for it. Reports at the
/// program and fails for an unknown name, a name given twice, a value below 0, a condition of
/// the program that given extents break, or elements of an argument that would share memory. A launch that `refused`
/// says no to, or whose extents break a condition, is drawn again, up to a hundred times; extents that break one even
/// then are replaced, which `replaced` says. Where `tooLong` says that a launch would take more than seconds,
/// extents that were neither given nor drawn are halved, the greatest first, and `scaled` is set. Extents that
/// were neither given nor drawn keep to what is `accepted`; of others the runtime says that it does not take them.
llvm::FailureOr<LaunchPlan> planLaunches(tile::ProgramOp program, int64_t world, llvm::ArrayRef<Binding> given,
                                         llvm::ArrayRef<int64_t> choices, unsigned launches, uint64_t seed,
                                         llvm::function_ref<bool(llvm::ArrayRef<int64_t>)> refused,
                                         llvm::function_ref<bool(llvm::ArrayRef<int64_t>)> tooLong,
                                         const AcceptedExtents &accepted = {});

/// Whether the runtime refuses launches with these extents because of zeros, by the text of a manifest.
bool refusesZeros(llvm::StringRef manifest, llvm::ArrayRef<int64_t> extents);

} // namespace tilec
