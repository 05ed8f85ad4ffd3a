// The elements that are read, less those that are written, are sets over the extents, the rank and the coordinates of
// the buffer; variables of tasks and iterations are eliminated or local.
#include "passes/checker/UnwrittenElements.h"
#include "dialect/Limits.h"
#include "passes/checker/ExtentQuery.h"
#include "passes/checker/Projection.h"
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

/// Cases of one access, and variables of one case that are left when all that can be eliminated is. Taking sets from
/// each other costs more with each.
constexpr unsigned kMostCases = 64, kMostVariables = 12;

class Finder {
public:
  Finder(tile::ProgramOp program, ArrayRef<NonzeroExtents> nonzero) : query(program, nonzero), program(program) {}

  UnwrittenElements run() {
    llvm::MapVector<Value, SmallVector<tile::AccessOpInterface>> buffers;
    program.walk(
        [&](tile::AccessOpInterface access) { buffers[rootOf(access.getAccessedBuffer())].push_back(access); });
    for (auto &[buffer, accesses] : buffers)
      if (auto scratch = buffer.getDefiningOp<tile::AllocOp>(); scratch && !scratch.getPersistent())
        visit(accesses);
    return std::move(found);
  }

private:
  struct Elements {
    PresburgerSet set;
    bool isExact; ///< there is no other element in the set
  };
  struct Store {
    tile::AccessOpInterface access;
    std::optional<Elements> elements;
  };

  void visit(ArrayRef<tile::AccessOpInterface> accesses) {
    std::vector<Store> stores;
    for (tile::AccessOpInterface access : accesses)
      if (access.writesBuffer() && !access.readsBuffer())
        stores.push_back({access, elementsOf(access)});
    for (tile::AccessOpInterface access : accesses) {
      if (!access.readsBuffer())
        continue;
      std::optional<Elements> unwritten = elementsOf(access);
      if (unwritten)
        takeWritten(*unwritten, access, stores);
      std::optional<SmallVector<int64_t>> extents = unwritten ? leastOf(unwritten->set) : std::nullopt;
      if (unwritten && !extents)
        continue;
      if (!unwritten || !unwritten->isExact) {
        found.unknown.push_back(access);
      } else {
        found.reads.push_back({access, *extents});
        return;
      }
    }
  }

  /// Mostly the last statement before has written all of them: sets of what is left grow with each that did not.
  void takeWritten(Elements &elements, tile::AccessOpInterface read, ArrayRef<Store> stores) {
    for (const Store &store : llvm::reverse(stores)) {
      if (!mayComeBefore(store.access, read))
        continue;
      if (!store.elements || !store.elements->isExact) {
        elements.isExact = false; // what it writes is still among them
        continue;
      }
      elements.set = without(elements.set, store.elements->set);
      if (elements.set.isIntegerEmpty()) {
        elements.set = PresburgerSet::getEmpty(elements.set.getSpace());
        return;
      }
    }
  }

  /// The least extents with which there is an element; none where there is none.
  std::optional<SmallVector<int64_t>> leastOf(const PresburgerSet &elements) {
    for (const IntegerRelation &part : elements.getAllDisjuncts())
      if (std::optional<SmallVector<llvm::DynamicAPInt, 8>> point = part.findIntegerSample())
        return query.least(IntegerPolyhedron(part), *point);
    return std::nullopt;
  }

  /// What is left where these are written too. A store often has the very constraints of the read, which needs no
  /// solver.
  static PresburgerSet without(const PresburgerSet &elements, const PresburgerSet &written) {
    if (elements.isObviouslyEqual(written))
      return PresburgerSet::getEmpty(elements.getSpace());
    return elements.subtract(written);
  }

  /// In the order of the text, which that of statements is, in an earlier iteration, or in a task that another one of
  /// its loop waits for, as where the steps of a ring have become tasks.
  static bool mayComeBefore(Operation *store, Operation *read) {
    for (Operation *loop = store->getParentOp(); loop; loop = loop->getParentOp())
      if (loop->isAncestor(read) && (isa<scf::ForOp>(loop) || waitsForItself(dyn_cast<tile::ForallOp>(loop))))
        return true;
    Block *shared = store->getBlock();
    while (!shared->findAncestorOpInBlock(*read))
      shared = shared->getParentOp()->getBlock();
    return shared->findAncestorOpInBlock(*store)->isBeforeInBlock(shared->findAncestorOpInBlock(*read));
  }

  /// True when tasks of the loop wait for signals that tasks of it raise.
  static bool waitsForItself(tile::ForallOp loop) {
    llvm::SmallDenseSet<Value> raised;
    if (loop)
      loop.walk([&](tile::SignalOp signal) { raised.insert(signal.getSignals()); });
    return loop && loop.walk([&](tile::WaitOp wait) {
                         return raised.contains(wait.getSignals()) ? WalkResult::interrupt() : WalkResult::advance();
                       })
                       .wasInterrupted();
  }

  /// {extents, rank, coordinates}; none where there are too many cases.
  std::optional<Elements> elementsOf(tile::AccessOpInterface access) {
    std::optional<Elements> elements;
    Choices choices;
    unsigned cases = 0;
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
      IntegerPolyhedron polyhedron = over(at, kept);
      if (polyhedron.getNumVars() > kMostVariables || ++cases > kMostCases)
        return std::nullopt;
      PresburgerSet next(polyhedron);
      if (!elements)
        elements = Elements{next, at.isExact()};
      else
        elements = Elements{elements->set.unionSet(next), elements->isExact && at.isExact()};
    } while (choices.next());
    return elements;
  }

  /// The constraints of a case, in which the variables other than these exist for each solution: eliminated, or local.
  static IntegerPolyhedron over(IndexCase &at, ArrayRef<Linear> kept) {
    IntegerPolyhedron set = at.constraints();
    for (auto [to, variable] : llvm::enumerate(kept)) {
      unsigned from = variable.coefficients.size() - 1; // extents are the first variables, the others the last ones
      set.swapVar(to, from);
    }
    eliminateExactly(set, kept.size());
    set.convertToLocal(VarKind::SetDim, kept.size(), set.getNumDimVars());
    set.simplify();
    return set;
  }

  ExtentQuery query;
  tile::ProgramOp program;
  UnwrittenElements found;
};

} // namespace

UnwrittenElements checker::findUnwrittenElements(tile::ProgramOp program, ArrayRef<NonzeroExtents> nonzero) {
  return Finder(program, nonzero).run();
}
