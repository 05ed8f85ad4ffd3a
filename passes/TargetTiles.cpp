// What lanes hold for each matrix instruction, once more as the device headers have it (`tilec::Mfma`, `tilec::Mma`):
// shares no code with the choice of layouts.
#include "passes/TargetTiles.h"

#include "dialect/HeldTile.h"
#include "llvm/Support/MathExtras.h"

#include <functional>

using namespace mlir;
using namespace tilec;
using namespace tilec::hip;

namespace {

using Place = std::pair<int64_t, int64_t>;

/// acc (m x n) += a (m x k) * b (k x n) by one wave.
struct Instruction {
  int64_t depth;     ///< different k of a lane
  int64_t registers; ///< of the sums, per lane
  /// Beside that of its first register, the row of a lane's other registers of a.
  int64_t otherRow;
  /// (row, k) of the first register of a; (column, k) of that of b, whose k is that of a.
  std::function<Place(int64_t lane)> a, b;
  std::function<Place(int64_t lane, int64_t index)> accumulator;
};

/// AMD's, dim x dim, by the lanes of a wave.
Instruction mfma(int64_t lanes, int64_t dim, int64_t k, int64_t sumBytes) {
  int64_t groups = lanes / dim, elements = k / groups;
  auto operand = [=](int64_t lane) { return Place{lane % dim, std::min<int64_t>(elements, 16) * (lane / dim)}; };
  auto accumulator = [=](int64_t lane, int64_t index) {
    if (sumBytes == 8)
      return Place{lane % dim, index * groups + lane / dim};
    return Place{lane % dim, index / 4 * 4 * groups + lane / dim * 4 + index % 4};
  };
  return {elements, dim * dim / lanes, 0, operand, operand, accumulator};
}

/// NVIDIA's, 16 x 8, by 32 lanes.
Instruction mma(int64_t k) {
  auto operand = [=](int64_t lane) { return Place{lane / 4, k / 4 * (lane % 4)}; };
  auto accumulator = [](int64_t lane, int64_t index) {
    return Place{lane / 4 + index / 2 * 8, lane % 4 * 2 + index % 2};
  };
  return {k / 4, 4, 8, operand, operand, accumulator};
}

/// A product of tiles as instructions. Rows of b are the columns of the sums; `rowA` and `rowB` number the dimensions.
struct Product {
  HeldTile a, b, sums;
  unsigned rowA, rowB;
  Instruction instruction;

  static Place point(uint64_t packed, unsigned row = 0) {
    return {HeldTile::coordinate(packed, row), HeldTile::coordinate(packed, 1 - row)};
  }
  static bool repeats(const HeldTile &tile) { return tile.redundant & ((uint64_t(1) << tile.registers.size()) - 1); }

  bool lanesMatch() const {
    for (unsigned bit = 0; bit < sums.laneBits; ++bit) {
      int64_t lane = int64_t(1) << bit;
      Place inA = point(a.threadBasis(bit), rowA), inB = point(b.threadBasis(bit), rowB);
      if (point(sums.threads[bit]) != instruction.accumulator(lane, 0) || inA.first != instruction.a(lane).first ||
          inB.first != instruction.b(lane).first || inA.second != inB.second)
        return false;
    }
    return a.laneBits == sums.laneBits && b.laneBits == sums.laneBits;
  }
  bool wavesMatch() const {
    size_t bits = std::max({a.threads.size(), b.threads.size(), sums.threads.size()});
    for (unsigned bit = sums.laneBits; bit < bits; ++bit) {
      auto inSums = point(sums.threadBasis(bit));
      if (point(a.threadBasis(bit), rowA) != Place(inSums.first, 0) ||
          point(b.threadBasis(bit), rowB) != Place(inSums.second, 0))
        return false;
    }
    return true;
  }
  /// Register bits of the sums that one instruction covers; nothing where some are missing.
  std::optional<unsigned> innerBits() const {
    unsigned inner = 0;
    for (int64_t index = 1; index < instruction.registers; index *= 2) {
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
    OperandOrder orderA(a, rowA), orderB(b, rowB);
    if (repeats(a) || repeats(b) || repeats(sums) || orderA.steps() != orderB.steps() ||
        orderA.steps() % instruction.depth)
      return false;
    for (unsigned step = 0; step < orderA.steps(); ++step)
      if (orderA.k(step) != orderB.k(step))
        return false;
    std::optional<unsigned> inner = innerBits();
    for (unsigned r = 0; inner && r < sums.numRegisters(); ++r)
      if (auto [row, column] = point(sums.ofRegister(r));
          (r & *inner) == 0 &&
          (!orderA.hasRow(row) || !orderA.hasRow(row ^ instruction.otherRow) || !orderB.hasRow(column)))
        return false;
    return inner.has_value();
  }
};

/// Sums of an instruction that four waves issue together, 16 rows each: in a lane as those of `mma`.
struct TogetherSums {
  HeldTile sums;
  int64_t columns;

  bool hasRegister(Place basis) const {
    return llvm::any_of(sums.registers, [&](uint64_t known) { return Product::point(known) == basis; });
  }
  bool lanesMatch() const {
    Instruction one = mma(/*k=*/16);
    for (unsigned bit = 0; bit < sums.laneBits; ++bit)
      if (Product::point(sums.threads[bit]) != one.accumulator(int64_t(1) << bit, 0))
        return false;
    return true;
  }
  bool wavesMatch() const {
    auto covers = [&](uint64_t basis) {
      auto [row, column] = Product::point(basis);
      return row % 64 == 0 && column % columns == 0 && (row || column);
    };
    auto threads = llvm::ArrayRef(sums.threads);
    return threads.size() >= sums.laneBits + 2 && Product::point(threads[sums.laneBits]) == Place(16, 0) &&
           Product::point(threads[sums.laneBits + 1]) == Place(32, 0) &&
           llvm::all_of(threads.drop_front(sums.laneBits + 2), covers);
  }
  bool registersMatch() const {
    // Of sums whose columns are no power of two, one instruction has all, or some of what they are a multiple of.
    int64_t all = sums.shape[1];
    bool isWhole = all == columns || (all & -all) % columns == 0;
    bool has = isWhole && !Product::repeats(sums) && hasRegister({0, 1}) && hasRegister({8, 0});
    for (int64_t column = 8; column < columns; column *= 2)
      has &= hasRegister({0, column});
    return has;
  }
};

/// The left operand of such an instruction in registers: a lane has the rows of its sums, and 4 bytes in a row of
/// each 16.
struct TogetherOperand {
  HeldTile a, sums;
  int64_t depth; ///< k of an instruction

  bool lanesMatch() const {
    for (unsigned bit = 0; bit < a.laneBits; ++bit) {
      int64_t lane = int64_t(1) << bit;
      if (Product::point(a.threads[bit]) != Place(lane / 4, depth / 8 * (lane % 4)))
        return false;
    }
    return a.laneBits == sums.laneBits;
  }
  bool wavesMatch() const {
    size_t bits = std::max(a.threads.size(), sums.threads.size());
    for (unsigned bit = sums.laneBits; bit < bits; ++bit)
      if (Product::point(a.threadBasis(bit)) != Place(Product::point(sums.threadBasis(bit)).first, 0))
        return false;
    return true;
  }
  bool hasRegister(Place place) const {
    return llvm::any_of(a.registers, [&](uint64_t known) { return Product::point(known) == place; });
  }
  bool registersMatch() const {
    bool has = !Product::repeats(a) && hasRegister({8, 0});
    for (int64_t k = 1; k < a.shape[1]; k *= 2)
      if (k < depth / 8 || k >= depth / 2)
        has &= hasRegister({0, k});
    for (uint64_t basis : sums.registers)
      if (int64_t row = Product::point(basis).first)
        has &= hasRegister({row, 0});
    return has;
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
  unsigned rowA, rowB; ///< dimensions of the rows, and of the columns, of the sums
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
                  named.rowA,
                  named.rowB,
                  info->family == MatrixFamily::Mma ? mma(info->k)
                                                    : mfma(target.waveLanes, info->m, info->k, sumBytes)};
  StringRef what = !product.lanesMatch() ? "lanes" : !product.wavesMatch() ? "waves" : "registers";
  if (what == "registers" && product.registersMatch())
    return success();
  return named.op->emitOpError() << "has operands or sums whose " << what << " are not those of " << info->name << ": "
                                 << named.a << ", " << named.b << ", " << named.sums;
}

LogicalResult verifyTogether(MultiplyAsyncOp op, const Target &target) {
  RankedTensorType tile = op.getAcc().getType().getTile();
  std::string element = spelled(op.getB().getType().getTile().getElement()), sum = spelled(tile.getElementType());
  auto info = llvm::find_if(target.matrix, [&](const MatrixInstructionInfo &row) {
    return row.readsShared() && row.name == op.getInstruction() && llvm::is_contained(row.operands, element) &&
           row.accumulator == sum;
  });
  if (info == target.matrix.end())
    return op.emitOpError() << "names " << op.getInstruction() << " of " << element << " into " << sum
                            << ", which is no matrix instruction of " << target.name << " that reads LDS";
  TogetherSums sums{HeldTile(tile), info->n};
  StringRef what = !sums.lanesMatch() ? "lanes" : !sums.wavesMatch() ? "waves" : "registers";
  if (what != "registers" || !sums.registersMatch())
    return op.emitOpError() << "has sums whose " << what << " are not those of " << info->name << ": " << tile;
  auto registers = dyn_cast<RankedTensorType>(op.getA().getType());
  if (!registers)
    return success();
  TogetherOperand operand{HeldTile(registers), sums.sums, info->k};
  what = !operand.lanesMatch() ? "lanes" : !operand.wavesMatch() ? "waves" : "registers";
  if (what == "registers" && operand.registersMatch())
    return success();
  return op.emitOpError() << "has a left operand whose " << what << " are not those of " << info->name << ": "
                          << registers;
}

template <class Op>
unsigned rowOfLeft(Op product) {
  return product.getLhsTransposed() ? 1 : 0;
}
template <class Op>
unsigned rowOfRight(Op product) {
  return product.getTransposed() ? 0 : 1;
}

LogicalResult verifyProduct(Operation *op, const Target &target) {
  if (auto together = dyn_cast<MultiplyAsyncOp>(op))
    return verifyTogether(together, target);
  if (auto mma = dyn_cast<MmaOp>(op))
    return verifyInstruction({op, mma.getA().getType(), mma.getB().getType(), mma.getType(), mma.getInstruction(),
                              rowOfLeft(mma), rowOfRight(mma)},
                             target);
  if (auto activity = dyn_cast<MultiplyingOp>(op))
    return verifyInstruction({op, activity.getA().getType().getTile(), activity.getB().getType().getTile(),
                              activity.getAcc().getType().getTile(), activity.getInstruction(), rowOfLeft(activity),
                              rowOfRight(activity)},
                             target);
  return success();
}

} // namespace

/// Waves that want more registers wait until others have given them up: a kernel that asks for more than there are
/// never goes on. Each wave begins with an equal part, in whole steps.
static LogicalResult verifyRegisters(ByRoleOp op, KernelOp kernel, const Target &target) {
  if (!op.getRegisters())
    return success();
  int64_t waves = int64_t(kernel.getThreads()) / target.waveLanes, consumers = op.getConsumers();
  int64_t even = llvm::alignDown(target.registersPerLane * target.simdsPerUnit / waves, target.registerStep);
  int64_t wanted = (*op.getRegisters())[0] * (waves - consumers) + (*op.getRegisters())[1] * consumers;
  if (wanted <= even * waves && (*op.getRegisters())[0] <= even && (*op.getRegisters())[1] >= even)
    return success();
  return op.emitOpError() << "shares out " << wanted << " registers a lane among " << waves
                          << " waves, expected at most " << even * waves
                          << ", fewer for producers and more for consumers than " << even;
}

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
    auto roles = dyn_cast<ByRoleOp>(op);
    return failed(verifyProduct(op, target)) || (roles && failed(verifyRegisters(roles, kernel, target)))
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}
