// Asks for each case of an index whether a point outside of the bounds solves its constraints. First without the loops
// and branches around it, which is less to solve and mostly enough; then with them.
#include "passes/checker/AllExtents.h"
#include "passes/checker/ExtentQuery.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::checker;

namespace {

class AllExtents {
public:
  AllExtents(tile::ProgramOp program, ArrayRef<NonzeroExtents> nonzero) : program(program), query(program, nonzero) {}

  BoundsProof run() {
    program.walk([&](Operation *op) {
      if (isa<tile::SignalOp, tile::WaitOp, tile::TakeCountedOp, tile::ArriveOp>(op))
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
  using Claim = ExtentQuery::Claim;
  using Answer = ExtentQuery::Answer;

  //===-- claims
  //----------------------------------------------------------------------------------------------------===//

  static Breaches outside(const Linear &index, const Linear &size) { return {{Linear(-1) - index}, {index - size}}; }

  static Breaches breachesOfGrid(IndexCase &at, Operation *op) {
    auto wait = dyn_cast<tile::WaitOp>(op);
    auto signal = dyn_cast<tile::SignalOp>(op);
    auto take = dyn_cast<tile::TakeCountedOp>(op);
    OperandRange indices = wait     ? wait.getIndices()
                           : signal ? signal.getIndices()
                           : take   ? take.getIndices()
                                    : cast<tile::ArriveOp>(op).getIndices();
    auto grid = op->getOperand(0).getDefiningOp<tile::SignalsOp>();
    SmallVector<Linear> sizes = at.expressions(grid.getSizes(), grid.getExtents());
    Breaches breaches;
    for (auto [d, index] : llvm::enumerate(indices)) {
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
    for (auto [dim, index, tile, size] :
         llvm::enumerate(access.getAccessIndices(), access.getFootprintShape(), sizes)) {
      if (access.isEach(dim))
        continue;
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

  void prove(Operation *op, Claim claim) {
    inContext = false;
    Answer answer = query.ask(op, claim, inContext);
    if (answer != Answer::Never) {
      inContext = true;
      answer = query.ask(op, claim, inContext);
      // Less is known of formal products, but they make no cases.
      if (answer == Answer::Unknown && query.ask(op, claim, inContext, IndexCase::Products::Formal) == Answer::Never)
        answer = Answer::Never;
    }
    if (answer == Answer::Never)
      ++proof.proven;
    else if (answer == Answer::Sometimes)
      proof.violations.push_back({op, SmallVector<int64_t>(query.extents())});
    else
      proof.sampled.push_back(op);
  }

  tile::ProgramOp program;
  ExtentQuery query;
  bool inContext = false; ///< with the loops and branches around the operation
  llvm::DenseSet<Value> provenViews;
  BoundsProof proof;
};

} // namespace

BoundsProof tilec::checker::proveBounds(tile::ProgramOp program, ArrayRef<NonzeroExtents> nonzero) {
  return AllExtents(program, nonzero).run();
}
