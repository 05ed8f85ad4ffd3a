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

/// Behind every iteration: loops go up to sums and multiples of extents.
constexpr int64_t kFarIteration = int64_t(1) << 40;

class UnwrittenFinder {
public:
  UnwrittenFinder(tile::ProgramOp program, ArrayRef<NonzeroExtents> nonzero)
      : query(program, nonzero), program(program) {}

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

  void visit(ArrayRef<tile::AccessOpInterface> accesses) {
    for (tile::AccessOpInterface access : accesses) {
      if (!access.readsBuffer())
        continue;
      findSteps(access, accesses);
      std::optional<Elements> unwritten = elementsOf(access, access);
      if (unwritten)
        takeWritten(*unwritten, access, accesses);
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

  /// The loops around a read, from the outermost, that have a store too: what its iteration finds is what earlier ones
  /// have left.
  void findSteps(tile::AccessOpInterface read, ArrayRef<tile::AccessOpInterface> accesses) {
    steps.clear();
    for (auto loop = read->getParentOfType<scf::ForOp>(); loop; loop = loop->getParentOfType<scf::ForOp>())
      if (llvm::any_of(accesses, [&](tile::AccessOpInterface other) {
            return other.writesBuffer() && !other.readsBuffer() && loop->isAncestor(other);
          }))
        steps.insert(steps.begin(), loop);
  }

  /// Mostly the last statement before has written all of them: sets of what is left grow with each that did not.
  void takeWritten(Elements &elements, tile::AccessOpInterface read, ArrayRef<tile::AccessOpInterface> accesses) {
    for (tile::AccessOpInterface store : llvm::reverse(accesses)) {
      if (!store.writesBuffer() || store.readsBuffer() || !mayComeBefore(store, read))
        continue;
      std::optional<Elements> written = elementsOf(store, read);
      if (!written || !written->isExact) {
        elements.isExact = false; // what it writes is still among them
        continue;
      }
      elements.set = without(elements.set, written->set);
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
    return isInFront(store, read);
  }

  /// In the text, of which both have some block around them.
  static bool isInFront(Operation *store, Operation *read) {
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

  /// {extents, rank, coordinates, iterations of `steps` in which `read` may find them}; none where there are too many
  /// cases. What a store writes of data is written with some of it only, so that it does not count as exact.
  std::optional<Elements> elementsOf(tile::AccessOpInterface access, tile::AccessOpInterface read) {
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
      llvm::append_range(place, access == read ? iterations(at) : iterationsBehind(at, choices, access, read));
      for (const Linear &value : place)
        kept.push_back(at.between(value, value)); // a variable of its own
      IntegerPolyhedron polyhedron = over(at, kept);
      const unsigned unused = takeUnused(polyhedron, /*keepsBounds=*/access == read);
      if (polyhedron.getNumVars() - unused > kMostVariables || ++cases > kMostCases)
        return std::nullopt;
      PresburgerSet next(polyhedron);
      bool isExact = at.isExact() && (access == read || !at.isOfData());
      if (!elements)
        elements = Elements{next, isExact};
      else
        elements = Elements{elements->set.unionSet(next), elements->isExact && isExact};
    } while (choices.next());
    return elements;
  }

  /// Counts the extents that no constraint brings together with anything else. What is written is written with any of
  /// them, so that their own bounds say nothing; a read keeps them, as it is what the rest is taken from.
  unsigned takeUnused(IntegerPolyhedron &set, bool keepsBounds) {
    unsigned unused = 0;
    for (unsigned extent = 0; extent < program.getNumExtents(); ++extent) {
      SmallVector<unsigned> own;
      bool isUsed = false;
      auto look = [&](ArrayRef<llvm::DynamicAPInt> row, unsigned number, bool isBound) {
        auto counts = [&](unsigned variable) { return variable != extent && row[variable] != 0; };
        if (row[extent] == 0)
          return;
        isUsed |= !isBound || llvm::any_of(llvm::seq<unsigned>(0, set.getNumVars()), counts);
        own.push_back(number);
      };
      for (unsigned i = 0; i < set.getNumEqualities(); ++i)
        look(set.getEquality(i), i, /*isBound=*/false);
      for (unsigned i = 0; i < set.getNumInequalities(); ++i)
        look(set.getInequality(i), i, /*isBound=*/true);
      if (isUsed)
        continue;
      ++unused;
      for (unsigned number : llvm::reverse(own))
        if (!keepsBounds)
          set.removeInequality(number);
    }
    return unused;
  }

  SmallVector<Linear> iterations(IndexCase &at) {
    return llvm::map_to_vector(steps, [&](scf::ForOp loop) { return at.valueOf(loop.getInductionVar()); });
  }

  /// Iterations of the loops that come behind that of a store, one after the other; the same, where it stands in front;
  /// any, of loops that it is not in or whose tasks wait for each other.
  SmallVector<Linear> iterationsBehind(IndexCase &at, Choices &choices, Operation *store, Operation *read) {
    const Linear far(kFarIteration);
    SmallVector<scf::ForOp> shared(llvm::make_filter_range(
        steps, [&](scf::ForOp loop) { return loop->isAncestor(store) && !isAwaited(store, read); }));
    const bool isFirst = isInFront(store, read);
    const unsigned differing = shared.empty() ? 0 : choices.choose(shared.size() + (isFirst ? 1 : 0));
    SmallVector<Linear> behind;
    unsigned position = 0;
    for (scf::ForOp loop : steps) {
      const bool isShared = llvm::is_contained(shared, loop);
      if (!isShared || position > differing) {
        behind.push_back(at.between(Linear(0) - far, far));
      } else {
        Linear own = at.valueOf(loop.getInductionVar());
        behind.push_back(position == differing ? at.between(own + Linear(1), far) : own);
      }
      position += isShared ? 1 : 0;
    }
    return behind;
  }

  /// True when the store is one of another task that the read's task waits for.
  static bool isAwaited(Operation *store, Operation *read) {
    for (auto tasks = store->getParentOfType<tile::ForallOp>(); tasks; tasks = tasks->getParentOfType<tile::ForallOp>())
      if (tasks->isAncestor(read) && waitsForItself(tasks))
        return true;
    return false;
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
  SmallVector<scf::ForOp> steps; ///< of the read that is looked at
  UnwrittenElements found;
};

} // namespace

UnwrittenElements checker::findUnwrittenElements(tile::ProgramOp program, ArrayRef<NonzeroExtents> nonzero) {
  return UnwrittenFinder(program, nonzero).run();
}
