// The elements that are read, less those that are written, are sets over the extents, the rank and the coordinates of
// the buffer; tasks and iterations are quantified away.
#include "passes/checker/UnwrittenElements.h"
#include "dialect/Limits.h"
#include "passes/checker/ExtentQuery.h"
#include "passes/checker/TouchedElements.h"

#include "mlir/Analysis/Presburger/PresburgerRelation.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::checker;
using presburger::IntegerPolyhedron;
using presburger::IntegerRelation;
using presburger::PresburgerSet;
using presburger::VarKind;

namespace {

/// Cases of the accesses to one buffer, and variables of one case. Taking sets from each other costs more with each.
constexpr unsigned kMostCases = 24, kMostVariables = 12;

class Finder {
public:
  Finder(tile::ProgramOp program, ArrayRef<NonzeroExtents> nonzero) : query(program, nonzero), program(program) {}

  std::vector<UnwrittenElements> run() {
    llvm::MapVector<Value, SmallVector<tile::AccessOpInterface>> buffers;
    program.walk(
        [&](tile::AccessOpInterface access) { buffers[rootOf(access.getAccessedBuffer())].push_back(access); });
    for (auto &[buffer, accesses] : buffers)
      if (auto scratch = buffer.getDefiningOp<tile::AllocOp>(); scratch && !scratch.getPersistent())
        visit(accesses);
    return std::move(found);
  }

private:
  struct Store {
    tile::AccessOpInterface access;
    PresburgerSet elements;
  };

  void visit(ArrayRef<tile::AccessOpInterface> accesses) {
    cases = 0;
    std::vector<Store> stores;
    for (tile::AccessOpInterface access : accesses) {
      if (!access.writesBuffer() || access.readsBuffer())
        continue;
      std::optional<PresburgerSet> elements = elementsOf(access);
      if (!elements)
        return;
      stores.push_back({access, *elements});
    }
    for (tile::AccessOpInterface access : accesses) {
      if (!access.readsBuffer())
        continue;
      std::optional<PresburgerSet> unwritten = elementsOf(access);
      if (!unwritten)
        return;
      // Mostly the last statement before has written all of them: sets of what is left grow with each that did not.
      for (const Store &store : llvm::reverse(stores)) {
        if (!mayComeBefore(store.access, access))
          continue;
        unwritten = without(*unwritten, store.elements);
        if (unwritten->isIntegerEmpty()) {
          unwritten = PresburgerSet::getEmpty(unwritten->getSpace());
          break;
        }
      }
      for (const IntegerRelation &part : unwritten->getAllDisjuncts())
        if (std::optional<SmallVector<llvm::DynamicAPInt, 8>> point = part.findIntegerSample()) {
          found.push_back({access, query.least(IntegerPolyhedron(part), *point)});
          return;
        }
    }
  }

  /// What is left where these are written too. A store often has the very constraints of the read, which needs no
  /// solver.
  static PresburgerSet without(const PresburgerSet &elements, const PresburgerSet &written) {
    if (elements.isObviouslyEqual(written))
      return PresburgerSet::getEmpty(elements.getSpace());
    return elements.subtract(written);
  }

  /// In the order of the text, which that of statements is, or in an earlier iteration.
  static bool mayComeBefore(Operation *store, Operation *read) {
    for (auto loop = store->getParentOfType<scf::ForOp>(); loop; loop = loop->getParentOfType<scf::ForOp>())
      if (loop->isAncestor(read))
        return true;
    Block *shared = store->getBlock();
    while (!shared->findAncestorOpInBlock(*read))
      shared = shared->getParentOp()->getBlock();
    return shared->findAncestorOpInBlock(*store)->isBeforeInBlock(shared->findAncestorOpInBlock(*read));
  }

  /// {extents, rank, coordinates}; none where an index is not affine, or there are too many cases.
  std::optional<PresburgerSet> elementsOf(tile::AccessOpInterface access) {
    std::optional<PresburgerSet> elements;
    Choices choices;
    do {
      IndexCase at(program, choices);
      query.limitExtents(at, choices);
      at.assumeReached(access);
      SmallVector<Linear> kept;
      for (BlockArgument extent : program.getExtents())
        kept.push_back(at.valueOf(extent));
      for (const Linear &extent : kept)
        at.assumeNonNegative(Linear(tile::kLargestExtent) - extent);
      SmallVector<Linear> place{ownerOf(at, access)};
      llvm::append_range(place, touchedElement(at, access));
      for (const Linear &value : place)
        kept.push_back(at.between(value, value)); // a variable of its own
      if (!at.isExact() || at.numVariables() > kMostVariables || ++cases > kMostCases)
        return std::nullopt;
      IntegerPolyhedron polyhedron = over(at, kept);
      PresburgerSet next(polyhedron);
      elements = elements ? elements->unionSet(next) : next;
    } while (choices.next());
    return elements;
  }

  /// The constraints of a case, in which the variables other than these exist for each solution.
  static IntegerPolyhedron over(IndexCase &at, ArrayRef<Linear> kept) {
    IntegerPolyhedron set = at.constraints();
    for (auto [to, variable] : llvm::enumerate(kept)) {
      unsigned from = variable.coefficients.size() - 1; // extents are the first variables, the others the last ones
      set.swapVar(to, from);
    }
    set.convertToLocal(VarKind::SetDim, kept.size(), set.getNumDimVars());
    set.simplify();
    return set;
  }

  ExtentQuery query;
  tile::ProgramOp program;
  unsigned cases = 0;
  std::vector<UnwrittenElements> found;
};

} // namespace

std::vector<UnwrittenElements> checker::findUnwrittenElements(tile::ProgramOp program,
                                                              ArrayRef<NonzeroExtents> nonzero) {
  return Finder(program, nonzero).run();
}
