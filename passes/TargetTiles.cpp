// What lanes hold for each matrix instruction, once more as the device headers have it (`tilec::Mfma`): shares no code
// with the choice of layouts.
#include "passes/TargetTiles.h"

#include "dialect/HeldTile.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::hip;

namespace {

/// acc (dim x dim) += a (dim x k) * b (k x dim) by one wave of 64 lanes.
struct Instruction {
  int64_t dim, k, sumBytes;

  int64_t groups() const { return 64 / dim; }
  int64_t elements() const { return k / groups(); }
  int64_t registers() const { return dim * dim / 64; }
  std::pair<int64_t, int64_t> operand(int64_t lane) const {
    return {lane % dim, std::min<int64_t>(elements(), 16) * (lane / dim)};
  }
  std::pair<int64_t, int64_t> accumulator(int64_t lane, int64_t index) const {
    if (sumBytes == 8)
      return {lane % dim, index * groups() + lane / dim};
    return {lane % dim, index / 4 * 4 * groups() + lane / dim * 4 + index % 4};
  }
};

/// A product of tiles as instructions. Rows of b are the columns of the sums.
struct Product {
  HeldTile a, b, sums;
  unsigned rowB;
  Instruction instruction;

  static std::pair<int64_t, int64_t> point(uint64_t packed, unsigned row = 0) {
    return {HeldTile::coordinate(packed, row), HeldTile::coordinate(packed, 1 - row)};
  }
  static bool repeats(const HeldTile &tile) { return tile.redundant & (tile.numRegisters() - 1); }

  bool lanesMatch() const {
    for (unsigned bit = 0; bit < sums.laneBits; ++bit) {
      auto operand = instruction.operand(int64_t(1) << bit);
      auto inA = point(a.threadBasis(bit)), inB = point(b.threadBasis(bit), rowB);
      if (point(sums.threads[bit]) != instruction.accumulator(int64_t(1) << bit, 0) || inA.first != operand.first ||
          inB.first != operand.first || inA.second != inB.second)
        return false;
    }
    return a.laneBits == sums.laneBits && b.laneBits == sums.laneBits;
  }
  bool wavesMatch() const {
    size_t bits = std::max({a.threads.size(), b.threads.size(), sums.threads.size()});
    for (unsigned bit = sums.laneBits; bit < bits; ++bit) {
      auto inSums = point(sums.threadBasis(bit));
      if (point(a.threadBasis(bit)) != std::pair(inSums.first, int64_t(0)) ||
          point(b.threadBasis(bit), rowB) != std::pair(inSums.second, int64_t(0)))
        return false;
    }
    return true;
  }
  /// Register bits of the sums that one instruction covers; nothing where some are missing.
  std::optional<unsigned> innerBits() const {
    unsigned inner = 0;
    for (int64_t index = 1; index < instruction.registers(); index *= 2) {
      unsigned found = 0;
      for (auto [bit, basis] : llvm::enumerate(sums.registers))
        if (point(basis) == instruction.accumulator(0, index))
          found = 1u << bit;
      if (!found)
        return std::nullopt;
      inner |= found;
    }
    return inner;
  }
  bool registersMatch() const {
    OperandOrder orderA(a, 0), orderB(b, rowB);
    if (repeats(a) || repeats(b) || repeats(sums) || orderA.steps() != orderB.steps() ||
        orderA.steps() % instruction.elements())
      return false;
    for (unsigned step = 0; step < orderA.steps(); ++step)
      if (orderA.k(step) != orderB.k(step))
        return false;
    std::optional<unsigned> inner = innerBits();
    for (unsigned r = 0; inner && r < sums.numRegisters(); ++r)
      if (auto [row, column] = point(sums.ofRegister(r));
          (r & *inner) == 0 && (!orderA.hasRow(row) || !orderB.hasRow(column)))
        return false;
    return inner.has_value();
  }
};

std::string spelled(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// A product of tiles by an instruction that has a name.
struct Named {
  Operation *op;
  RankedTensorType a, b, sums;
  StringRef instruction;
  bool transposed;
};

LogicalResult verifyInstruction(const Named &named, const Target &target) {
  std::string element = spelled(named.a.getElementType()), sum = spelled(named.sums.getElementType());
  auto info = llvm::find_if(target.matrix, [&](const MatrixInstructionInfo &row) {
    return row.name == named.instruction && llvm::is_contained(row.operands, element) && row.accumulator == sum;
  });
  if (info == target.matrix.end())
    return named.op->emitOpError() << "names " << named.instruction << " of " << element << " into " << sum
                                   << ", which is no matrix instruction of " << target.name;
  int64_t sumBytes = named.sums.getElementTypeBitWidth() / 8;
  Product product{HeldTile(named.a),
                  HeldTile(named.b),
                  HeldTile(named.sums),
                  named.transposed ? 0u : 1u,
                  {info->m, info->k, sumBytes}};
  StringRef what = !product.lanesMatch() ? "lanes" : !product.wavesMatch() ? "waves" : "registers";
  if (what == "registers" && product.registersMatch())
    return success();
  return named.op->emitOpError() << "has operands or sums whose " << what << " are not those of " << info->name << ": "
                                 << named.a << ", " << named.b << ", " << named.sums;
}

LogicalResult verifyProduct(Operation *op, const Target &target) {
  if (auto mma = dyn_cast<MmaOp>(op))
    return verifyInstruction(
        {op, mma.getA().getType(), mma.getB().getType(), mma.getType(), mma.getInstruction(), mma.getTransposed()},
        target);
  if (auto activity = dyn_cast<MultiplyingOp>(op))
    return verifyInstruction({op, activity.getA().getType().getTile(), activity.getB().getType().getTile(),
                              activity.getAcc().getType().getTile(), activity.getInstruction(),
                              activity.getTransposed()},
                             target);
  return success();
}

} // namespace

LogicalResult tilec::verifyForTarget(KernelOp kernel, const Target &target) {
  if (static_cast<int64_t>(kernel.getSharedBytes()) > target.lds.bytes)
    return kernel.emitOpError() << "asks for " << kernel.getSharedBytes() << " bytes of LDS, expected at most "
                                << target.lds.bytes << " on " << target.name;
  WalkResult result = kernel.walk([&](Operation *op) {
    for (Type type : op->getResultTypes()) {
      RankedTensorType tile = tileOf(type);
      auto layout = tile ? dyn_cast_or_null<tile::LayoutAttr>(tile.getEncoding()) : tile::LayoutAttr();
      if (layout && int64_t(1) << layout.getLanes().size() / layout.getRank() != target.waveLanes) {
        op->emitOpError() << "deals " << tile << " to waves of another size, expected " << target.waveLanes
                          << " lanes on " << target.name;
        return WalkResult::interrupt();
      }
    }
    return failed(verifyProduct(op, target)) ? WalkResult::interrupt() : WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}
