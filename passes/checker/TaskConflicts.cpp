// Two tasks are two sets of values over the same extents, and an element that both touch is a solution.
#include "passes/checker/TaskConflicts.h"
#include "passes/checker/ExtentQuery.h"
#include "passes/checker/TouchedElements.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::checker;
using Answer = ExtentQuery::Answer;
using Products = IndexCase::Products;

namespace {

/// Tasks that write where data says: each element is written once, which is assumed.
bool isTakenApart(tile::AccessOpInterface left, tile::AccessOpInterface right) {
  return left == right && left.getEachDim() && left.writesBuffer();
}

/// Accesses that touch the same elements in each task.
bool isRepeated(tile::AccessOpInterface left, tile::AccessOpInterface right) {
  return left->getBlock() == right->getBlock() && left.getAccessedBuffer() == right.getAccessedBuffer() &&
         left.getAccessRank() == right.getAccessRank() && left.writesBuffer() == right.writesBuffer() &&
         left.getCommutation() == right.getCommutation() && left.hasElementOffsets() == right.hasElementOffsets() &&
         left.getFootprintShape() == right.getFootprintShape() &&
         llvm::equal(left.getAccessIndices(), right.getAccessIndices());
}

/// The arrival of whose last task an access is a part; null of what each task does.
tile::ArriveOp ownArrivalOf(tile::AccessOpInterface access) {
  for (auto branch = access->getParentOfType<scf::IfOp>(); branch; branch = branch->getParentOfType<scf::IfOp>())
    if (auto arrive = branch.getCondition().getDefiningOp<tile::ArriveOp>())
      return arrive;
  return {};
}

/// The arrival of whose last task one of two accesses is a part, where all tasks that do the other arrive too: then the
/// last comes behind both. Null of accesses that meet wherever their tasks are two.
tile::ArriveOp arrivalOf(tile::AccessOpInterface left, tile::AccessOpInterface right) {
  tile::ArriveOp mine = ownArrivalOf(left), theirs = ownArrivalOf(right), last = mine ? mine : theirs;
  bool isOfBoth = last && (!mine || !theirs || mine == theirs) &&
                  llvm::all_of(ArrayRef{left, right}, [&](tile::AccessOpInterface access) {
                    return last->getParentRegion()->isAncestor(access->getParentRegion());
                  });
  return isOfBoth ? last : tile::ArriveOp();
}

class ConflictFinder {
public:
  ConflictFinder(tile::ProgramOp program, ArrayRef<NonzeroExtents> nonzero)
      : query(program, nonzero), program(program) {}

  TaskConflicts run() {
    program.walk([&](tile::ForallOp tasks) { visit(tasks); });
    return std::move(conflicts);
  }

private:
  void visit(tile::ForallOp loop) {
    tasks = loop;
    SmallVector<tile::AccessOpInterface> accesses;
    tasks.walk([&](tile::AccessOpInterface access) {
      if (llvm::none_of(accesses, [&](tile::AccessOpInterface other) { return isRepeated(access, other); }))
        accesses.push_back(access);
    });
    for (auto [i, store] : llvm::enumerate(accesses))
      for (auto [j, other] : llvm::enumerate(accesses))
        if (store.writesBuffer() && (!other.writesBuffer() || i <= j) && !store.commutesWith(other) &&
            !isTakenApart(store, other) && rootOf(store.getAccessedBuffer()) == rootOf(other.getAccessedBuffer()))
          visit(store, other);
  }

  void visit(tile::AccessOpInterface store, tile::AccessOpInterface other) {
    bool reachesOthers = store.getAccessRank() || other.getAccessRank();
    for (bool onOneRank : {true, false}) {
      if (!onOneRank && (!reachesOthers || program.getWorld() == 1))
        continue;
      bool isOfData = false;
      SmallVector<IndexCase::Given> numbers;
      auto claim = [&](IndexCase &at) {
        Breaches breaches = meet(at, store, other, onOneRank);
        isOfData |= at.isOfData();
        numbers.assign(at.givenNumbers().begin(), at.givenNumbers().end());
        return breaches;
      };
      Answer answer = query.ask(store, claim, true, Products::Formal);
      if (answer == Answer::Unknown)
        answer = query.ask(store, claim, true, Products::ByCase);
      if (answer == Answer::Unknown)
        return conflicts.unknown.push_back({store, other});
      if (answer == Answer::Sometimes)
        return conflicts.meetings.push_back(
            {store, other, SmallVector<int64_t>(query.extents()),
             llvm::map_to_vector(numbers, [&](const IndexCase::Given &given) { return query.valueOf(given.value); }),
             isOfData});
    }
  }

  /// An element that `store` touches in the task of the case, and `other` in another one.
  Breaches meet(IndexCase &at, tile::AccessOpInterface store, tile::AccessOpInterface other, bool onOneRank) {
    // What the last of several does happens once for each word, behind what all that arrive there do.
    tile::ArriveOp last = arrivalOf(store, other);
    Linear rank = at.thisRank(), owner = ownerOf(at, store);
    SmallVector<Linear> task = indices(at, last), element = touchedElement(at, store);
    at.beginOtherTask(onOneRank);
    at.assumeReached(other);
    Linear otherRank = at.thisRank();
    SmallVector<Linear> otherTask = indices(at, last);
    at.assumeEqual(owner, ownerOf(at, other));
    for (auto [left, right] : llvm::zip(element, touchedElement(at, other)))
      at.assumeEqual(left, right);
    // Of two accesses of one kind it does not matter which comes first.
    bool isSymmetric = store == other;
    Breaches breaches;
    auto differ = [&](const Linear &left, const Linear &right) {
      breaches.push_back({left - right - Linear(1)});
      if (!isSymmetric)
        breaches.push_back({right - left - Linear(1)});
    };
    if (!onOneRank)
      differ(rank, otherRank);
    else
      for (auto [left, right] : llvm::zip(task, otherTask))
        differ(left, right);
    return breaches;
  }

  /// The number of a task, or of the word at which it arrives.
  SmallVector<Linear> indices(IndexCase &at, tile::ArriveOp last) {
    ValueRange numbers = last ? ValueRange(last.getIndices()) : ValueRange(tasks.getIndices());
    return llvm::map_to_vector(numbers, [&](Value index) { return at.valueOf(index); });
  }

  ExtentQuery query;
  tile::ProgramOp program;
  tile::ForallOp tasks;
  TaskConflicts conflicts;
};

} // namespace

TaskConflicts checker::findTaskConflicts(tile::ProgramOp program, ArrayRef<NonzeroExtents> nonzero) {
  return ConflictFinder(program, nonzero).run();
}
