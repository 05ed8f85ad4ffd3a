// Which loops over K can be run through rings.
#include "passes/schedule/RingLoop.h"

#include "passes/analysis/LayoutConversion.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;
using namespace tilec::schedule;

/// The columns of the tile (the rows, where LDS holds the transpose) are those of the step, and nothing else of it
/// depends on the loop.
bool RingLoop::matchFetch(SharedStoreOp store) {
  auto load = store.getValue().getDefiningOp<LoadOp>();
  if (!load || load->getBlock() != loop.getBody() || !load->hasOneUse() || store.getCopy())
    return false;
  auto buffer = cast<MemRefType>(load.getBuffer().getType());
  bool isPlain = !load.getAt() && !load.getOtherwise() && buffer.getRank() == 2 && load.getType().getRank() == 2;
  unsigned step = store.getTransposed() ? 0 : 1;
  if (!isPlain || load.getIndices()[step] != loop.getInductionVar() || !hasOneThreadEach(load.getType()))
    return false;
  if (!isInvariant(load.getBuffer()) || !isInvariant(load.getIndices()[1 - step]) || !isInvariant(load.getFrom()) ||
      !llvm::all_of(load.getAfter(), [&](Value token) { return isInvariant(token); }))
    return false;
  for (Operation *user : store.getBuffer().getUsers())
    if (!loop->isProperAncestor(user))
      return false;
  operands.push_back({load, store, {}, SmallVector<Value>(load.getAfter()), {}});
  return true;
}

bool RingLoop::matchRead(SharedLoadOp read) {
  auto operand = llvm::find_if(operands, [&](RingOperand &o) { return o.store.getBuffer() == read.getBuffer(); });
  if (operand == operands.end() || read.getTransposed() != operand->isAcross() || read.getCopy())
    return false;
  // What LDS holds transposed is a right operand that lies K x N.
  bool multiplied = llvm::all_of(read->getUsers(), [&](Operation *user) {
    auto product = dyn_cast<DotOp>(user);
    return product && (!operand->isAcross() || (!product.getTranspose() && product.getLhs() != read.getResult()));
  });
  if (!multiplied)
    return false;
  operand->reads.push_back(read);
  reads.push_back(read);
  return true;
}

/// Every product adds to what the loop carries, or to a product that does, and is handed on in its place.
bool RingLoop::matchProducts() {
  if (products.empty() || loop.getNumRegionIterArgs() == 0)
    return false;
  for (DotOp product : products) {
    bool fromLds = llvm::all_of(ValueRange{product.getLhs(), product.getRhs()}, [&](Value operand) {
      return operand.getDefiningOp<SharedLoadOp>() && operand.getDefiningOp()->getBlock() == loop.getBody();
    });
    if (!product.getInstruction() || !fromLds || !product->hasOneUse())
      return false;
  }
  for (auto [argument, yielded] : llvm::zip(loop.getRegionIterArgs(), loop.getYieldedValues())) {
    auto product = yielded.getDefiningOp<DotOp>();
    while (product && product.getAcc() != argument)
      product = product.getAcc().getDefiningOp<DotOp>();
    if (!product || !argument.hasOneUse())
      return false;
  }
  return true;
}

/// Only index arithmetic stands besides what was matched.
bool RingLoop::matchBody() {
  unsigned barriers = 0;
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (isa<LoadOp>(op))
      continue;
    if (isa<BarrierOp>(op)) {
      ++barriers;
    } else if (auto store = dyn_cast<SharedStoreOp>(op)) {
      if (barriers != 1 || !matchFetch(store))
        return false;
    } else if (auto read = dyn_cast<SharedLoadOp>(op)) {
      if (barriers != 2 || !matchRead(read))
        return false;
    } else if (auto product = dyn_cast<DotOp>(op)) {
      products.push_back(product);
    } else {
      return false;
    }
  }
  auto loads = loop.getBody()->getOps<LoadOp>();
  return barriers == 2 && static_cast<size_t>(llvm::range_size(loads)) == operands.size();
}

bool RingLoop::match() {
  bool counts = getConstantIntValue(loop.getLowerBound()) == 0 && getConstantIntValue(loop.getStep()) == 1;
  return counts && matchBody() && !operands.empty() &&
         llvm::all_of(operands, [](RingOperand &operand) { return !operand.reads.empty(); }) && matchProducts();
}
