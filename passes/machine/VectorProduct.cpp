// Deals the sums of a product to threads, and derives the operands' layouts from the sums'.
// Belongs here: what VectorProduct.h declares. Does not: when a dot takes this way (LayoutSolver).
#include "passes/machine/VectorProduct.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace llvm;

namespace tilec {

namespace {

using Bases = std::vector<LinearLayout::Point>;

/// Columns that a thread holds side by side, so that it stores them as a vector.
constexpr int64_t kRun = 4;

/// The index bits of an M x N tile, dealt out from the lowest of each dimension.
class SumBits {
public:
  SumBits(int64_t m, int64_t n) : left{m, n} {}

  /// Moves up to `count` bits to `bases`, half of them (rounded up) of the columns where both dimensions have enough;
  /// what the tile lacks becomes zero bases if `fill`.
  void take(int64_t count, Bases &bases, bool fill) {
    int64_t rows = std::min(count / 2, bitsOf(0));
    int64_t columns = std::min(count - rows, bitsOf(1));
    rows = std::min(count - columns, bitsOf(0));
    takeOf(1, columns, bases);
    takeOf(0, rows, bases);
    if (fill)
      bases.insert(bases.end(), count - columns - rows, {0, 0});
  }
  void takeOf(unsigned dim, int64_t count, Bases &bases) {
    for (; count > 0 && next[dim] < left[dim]; --count, next[dim] *= 2) {
      bases.push_back({0, 0});
      bases.back()[dim] = next[dim];
    }
  }
  int64_t bitsOf(unsigned dim) const { return Log2_64(left[dim] / next[dim]); }

private:
  int64_t left[2];
  int64_t next[2] = {1, 1};
};

/// The bases of an operand whose rows are dimension `dim` of the sums; registers that only tell other sums apart are
/// left out.
Bases follow(const Bases &sums, unsigned dim, bool dropZeros) {
  Bases result;
  for (const LinearLayout::Point &basis : sums)
    if (basis[dim] || !dropZeros)
      result.push_back({basis[dim], 0});
  return result;
}

LinearLayout operand(const LinearLayout &sums, unsigned dim, int64_t k) {
  Bases registers;
  for (int64_t bit = 1; bit < k; bit *= 2)
    registers.push_back({0, bit});
  Bases rows = follow(sums.bases(LinearLayout::kRegister), dim, /*dropZeros=*/true);
  registers.insert(registers.end(), rows.begin(), rows.end());
  return LinearLayout::tile(registers, follow(sums.bases(LinearLayout::kLane), dim, false),
                            follow(sums.bases(LinearLayout::kWave), dim, false), {sums.outputSize(dim), k});
}

} // namespace

VectorProduct VectorProduct::choose(int64_t m, int64_t n, int64_t k, Threads threads) {
  int64_t perThread = std::max<int64_t>(1, m * n / (threads.lanes * threads.waves));
  SumBits bits(m, n);
  Bases registers, lanes, waves;
  // Of the columns half of the registers' bits, or what the rows leave.
  int64_t count = Log2_64(perThread);
  int64_t run = std::min<int64_t>(std::max((count + 1) / 2, count - bits.bitsOf(0)), Log2_64(kRun));
  bits.takeOf(1, run, registers);
  bits.take(Log2_64(threads.lanes), lanes, /*fill=*/true);
  bits.take(Log2_64(threads.waves), waves, /*fill=*/true);
  bits.takeOf(1, 62, registers);
  bits.takeOf(0, 62, registers);
  return *withAccumulator(LinearLayout::tile(registers, lanes, waves, {m, n}), k);
}

std::optional<VectorProduct> VectorProduct::withAccumulator(const LinearLayout &accumulator, int64_t k) {
  for (StringRef input : {LinearLayout::kRegister, LinearLayout::kLane, LinearLayout::kWave})
    for (const LinearLayout::Point &basis : accumulator.bases(input))
      if (basis[0] && basis[1])
        return std::nullopt;
  return VectorProduct{operand(accumulator, 0, k), operand(accumulator, 1, k), accumulator};
}

} // namespace tilec
