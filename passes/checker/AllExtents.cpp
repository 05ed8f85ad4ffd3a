// Asks for each case of an index whether a point outside of the bounds solves its constraints. First without the loops
// and branches around it, which is less to solve and mostly enough; then with them.
#include "passes/checker/AllExtents.h"
#include "passes/checker/IndexCase.h"

#include "mlir/Analysis/Presburger/Simplex.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::checker;
using presburger::IntegerPolyhedron;

namespace {

/// Where an index has more cases, or a case more variables, nothing is proven.
constexpr unsigned kMostCases = 256;
constexpr unsigned kMostVariables = 24;
/// Simplex runs for one program.
constexpr unsigned kMostQueries = 20000;
/// An extent is an int of the text.
constexpr int64_t kLargestExtent = std::numeric_limits<int32_t>::max();

/// Broken where each of these is at least 0.
using Breach = SmallVector<Linear, 2>;
using Breaches = SmallVector<Breach>;

class AllExtents {
public:
  AllExtents(tile::ProgramOp program, ArrayRef<NonzeroExtents> nonzero) : program(program), nonzero(nonzero) {
    unsigned combinations = 1;
    for (const NonzeroExtents &set : nonzero)
      combinations = llvm::SaturatingMultiply<unsigned>(combinations, set.size());
    allPositive = combinations > 16;
  }

  BoundsProof run() {
    program.walk([&](Operation *op) {
      if (isa<tile::SignalOp, tile::WaitOp>(op))
        prove(op, [&](IndexCase &at) { return breachesOfGrid(at, op); });
      if (auto access = dyn_cast<tile::AccessOpInterface>(op))
        proveViews(access);
      if (Value rank = rankOf(op))
        prove(op, [&](IndexCase &at) { return outside(at.valueOf(rank), Linear(*program.getWorld())); });
      if (isUnsignedIndex(op))
        prove(op, [&](IndexCase &at) {
          Breaches breaches;
          for (Value operand : op->getOperands())
            breaches.push_back({Linear(-1) - at.valueOf(operand)});
          return breaches;
        });
    });
    return std::move(proof);
  }

private:
  using Claim = llvm::function_ref<Breaches(IndexCase &)>;

  //===-- claims
  //----------------------------------------------------------------------------------------------------===//

  static Breaches outside(const Linear &index, const Linear &size) { return {{Linear(-1) - index}, {index - size}}; }

  static Breaches breachesOfGrid(IndexCase &at, Operation *op) {
    auto wait = dyn_cast<tile::WaitOp>(op);
    auto signal = dyn_cast<tile::SignalOp>(op);
    auto grid = (wait ? wait.getSignals() : signal.getSignals()).getDefiningOp<tile::SignalsOp>();
    SmallVector<Linear> sizes = at.expressions(grid.getSizes(), grid.getExtents());
    Breaches breaches;
    for (auto [d, index] : llvm::enumerate(wait ? wait.getIndices() : signal.getIndices())) {
      Linear first = at.valueOf(index), count = wait && !wait.getCounts().empty() ? at.valueOf(wait.getCounts()[d]) : 1;
      breaches.push_back({Linear(-1) - first, count - Linear(1)});
      breaches.push_back({first + count - Linear(1) - sizes[d], count - Linear(1)});
    }
    return breaches;
  }

  static Value rankOf(Operation *op) {
    if (auto signal = dyn_cast<tile::SignalOp>(op))
      return signal.getTo();
    auto access = dyn_cast<tile::AccessOpInterface>(op);
    return access ? access.getAccessRank() : Value();
  }

  static bool isUnsignedIndex(Operation *op) {
    auto compare = dyn_cast<arith::CmpIOp>(op);
    bool isUnsigned =
        compare
            ? arith::CmpIPredicate::ult <= compare.getPredicate()
            : isa<arith::DivUIOp, arith::RemUIOp, arith::CeilDivUIOp, arith::MaxUIOp, arith::MinUIOp, arith::ShRUIOp>(
                  op);
    return isUnsigned && op->getOperand(0).getType().isIndex();
  }

  /// Several accesses of one view ask the same, mostly.
  void proveViews(tile::AccessOpInterface access) {
    Value buffer = access.getAccessedBuffer();
    if (!buffer.getDefiningOp<memref::SubViewOp>())
      return;
    if (provenViews.contains(buffer)) {
      ++proof.proven;
      return;
    }
    unsigned before = proof.proven;
    prove(access, [&](IndexCase &at) {
      if (inContext)
        assumeTouched(at, access);
      Breaches breaches;
      for (Value of = buffer; auto view = of.getDefiningOp<memref::SubViewOp>(); of = view.getSource())
        addBreachesOfView(at, view, breaches);
      return breaches;
    });
    if (proof.proven > before && !inContext)
      provenViews.insert(buffer);
  }

  /// An access of which nothing lies in the view is none.
  static void assumeTouched(IndexCase &at, tile::AccessOpInterface access) {
    SmallVector<Linear> sizes = at.sizesOf(access.getAccessedBuffer());
    for (auto [index, tile, size] : llvm::zip(access.getAccessIndices(), access.getFootprintShape(), sizes)) {
      Linear first = at.valueOf(index) * (access.hasElementOffsets() ? 1 : tile);
      at.assumeNonNegative(first + Linear(tile - 1));
      at.assumeNonNegative(size - Linear(1) - first);
    }
  }

  static void addBreachesOfView(IndexCase &at, memref::SubViewOp view, Breaches &breaches) {
    SmallVector<Linear> sizes = at.sizesOf(view.getSource());
    SmallVector<OpFoldResult> offsets = view.getMixedOffsets(), extents = view.getMixedSizes(),
                              strides = view.getMixedStrides();
    for (auto [d, size] : llvm::enumerate(sizes)) {
      Linear offset = at.valueOf(offsets[d]), extent = at.valueOf(extents[d]), stride = at.valueOf(strides[d]);
      Linear last = offset + at.multiply(extent - Linear(1), stride);
      breaches.push_back({Linear(-1) - offset, extent - Linear(1)});
      breaches.push_back({last - size, extent - Linear(1)});
      breaches.push_back({Linear(0) - stride, extent - Linear(2)});
    }
  }

  //===-- proofs
  //----------------------------------------------------------------------------------------------------===//

  enum class Answer { Never, Sometimes, Unknown };

  void prove(Operation *op, Claim claim) {
    inContext = false;
    Answer answer = ask(op, claim);
    if (answer != Answer::Never) {
      inContext = true;
      answer = ask(op, claim);
    }
    if (answer == Answer::Never)
      ++proof.proven;
    else if (answer == Answer::Sometimes)
      proof.violations.push_back({op, found});
    else
      proof.sampled.push_back(op);
  }

  /// Whether a breach has a solution in any case.
  Answer ask(Operation *op, Claim claim) {
    Choices choices;
    Answer answer = Answer::Never;
    unsigned cases = 0;
    do {
      if (++cases > kMostCases)
        return Answer::Unknown;
      IndexCase at(program, choices);
      excludeZeros(at, choices);
      if (inContext)
        at.assumeReached(op);
      Breaches breaches = claim(at);
      if (at.numVariables() > kMostVariables)
        return Answer::Unknown;
      for (const Breach &breach : breaches) {
        Answer next = solve(at, breach);
        if (next == Answer::Sometimes)
          return next;
        if (next == Answer::Unknown)
          answer = next;
      }
      if (answer == Answer::Unknown && !inContext)
        return answer;
    } while (choices.next());
    return answer;
  }

  void excludeZeros(IndexCase &at, Choices &choices) {
    if (allPositive)
      for (BlockArgument extent : program.getExtents())
        at.assumeNonNegative(at.valueOf(extent) - Linear(1));
    for (const NonzeroExtents &set : nonzero)
      if (!allPositive)
        at.assumeNonNegative(at.valueOf(program.getExtents()[set[choices.choose(set.size())]]) - Linear(1));
  }

  Answer solve(const IndexCase &at, const Breach &breach) {
    if (llvm::any_of(breach, [&](const Linear &value) { return at.isNonNegative(Linear(-1) - value); }))
      return Answer::Never;
    if (++queries > kMostQueries)
      return Answer::Unknown;
    IntegerPolyhedron set = at.constraints();
    for (const Linear &value : breach)
      add(set, value);
    if (presburger::Simplex(set).isEmpty())
      return Answer::Never;
    if (!inContext)
      return Answer::Unknown;
    for (unsigned i = 0; i < program.getNumExtents(); ++i)
      add(set, Linear(kLargestExtent) - Linear::variable(i));
    // Without a solution among the integers nothing is broken, however inexact the case.
    std::optional<SmallVector<llvm::DynamicAPInt, 8>> point = set.findIntegerSample();
    if (!point)
      return Answer::Never;
    if (!at.isExact())
      return Answer::Unknown;
    found = least(std::move(set), *point);
    return Answer::Sometimes;
  }

  static void add(IntegerPolyhedron &set, const Linear &value) {
    SmallVector<int64_t, 8> row(value.coefficients);
    row.resize(set.getNumVars(), 0);
    row.push_back(value.constant);
    set.addInequality(row);
  }

  /// Makes one extent after the other as small as the rest allows, starting from a solution.
  SmallVector<int64_t> least(IntegerPolyhedron set, ArrayRef<llvm::DynamicAPInt> point) {
    SmallVector<llvm::DynamicAPInt, 8> best(point);
    SmallVector<int64_t> extents;
    for (unsigned i = 0; i < program.getNumExtents(); ++i) {
      int64_t low = 0, high = llvm::int64fromDynamicAPInt(best[i]);
      while (low < high) {
        int64_t middle = low + (high - low) / 2;
        IntegerPolyhedron half(set);
        add(half, Linear(middle) - Linear::variable(i));
        if (auto smaller = half.findIntegerSample()) {
          best = *smaller;
          high = llvm::int64fromDynamicAPInt(best[i]);
        } else {
          low = middle + 1;
        }
      }
      extents.push_back(low);
      add(set, Linear(low) - Linear::variable(i));
    }
    return extents;
  }

  tile::ProgramOp program;
  ArrayRef<NonzeroExtents> nonzero;
  bool allPositive = false, inContext = false; ///< the second: with the loops and branches around the operation
  unsigned queries = 0;
  SmallVector<int64_t> found;
  llvm::DenseSet<Value> provenViews;
  BoundsProof proof;
};

} // namespace

BoundsProof tilec::checker::proveBounds(tile::ProgramOp program, ArrayRef<NonzeroExtents> nonzero) {
  return AllExtents(program, nonzero).run();
}
