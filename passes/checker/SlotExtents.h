// Which extents a number of the bytecode is a function of. Chooses samples; nothing is proven by it.
#pragma once

#include "passes/checker/RoleProgram.h"

namespace tilec::checker {

/// By assignments, and by the loops and branches around them. An extent too many costs time alone.
class SlotExtents {
public:
  explicit SlotExtents(const ProgramCode &program);

  /// Whether with another value of an extent an access may be made at other places along a dimension, or as often as
  /// it was not, or find another number of elements there.
  bool isMovedBy(unsigned extent, uint32_t access, size_t along) const {
    const AccessSite &site = program.accesses[access];
    Extents all = around[access] | known[site.indices[along]] | known[program.views[site.view].sizes[along]];
    return all & bit(extent);
  }

private:
  using Extents = uint64_t; ///< bit i: extent i, and all extents from the last bit on
  static constexpr Extents any = ~Extents(0);
  static Extents bit(size_t extent) { return Extents(1) << std::min<size_t>(extent, 63); }

  void visit(const CodeList &list);
  void visit(const Instruction &step, Extents branches);
  void add(uint32_t slot, Extents extents);

  const ProgramCode &program;
  std::vector<Extents> known;  ///< [slot]
  std::vector<Extents> around; ///< [access]: of the loops and branches that it stands in
  bool isChanged = false;
};

} // namespace tilec::checker
