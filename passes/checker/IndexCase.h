// One case of an index: its value, and what holds where it is computed, as linear constraints over the extents, the
// rank and the indices of loops. Knows no grid and no buffer: AllExtents asks.
#pragma once

#include "passes/checker/IndexRange.h"

#include "mlir/Analysis/Presburger/IntegerRelation.h"

namespace tilec::checker {

/// Which alternative is looked at wherever a value is one of several, in the order in which they are met. Enumerates
/// all combinations.
class Choices {
public:
  unsigned choose(unsigned count) {
    if (met == taken.size())
      taken.push_back({0, count});
    return taken[met++].first;
  }
  /// Goes on to the next combination; false when that was the last.
  bool next() {
    taken.truncate(met);
    while (!taken.empty() && ++taken.back().first == taken.back().second)
      taken.pop_back();
    met = 0;
    return !taken.empty();
  }

private:
  llvm::SmallVector<std::pair<unsigned, unsigned>> taken; ///< the alternative, of how many
  size_t met = 0;
};

/// constant + sum of coefficient * variable; trailing coefficients of 0 may be absent.
struct Linear {
  llvm::SmallVector<int64_t, 8> coefficients;
  int64_t constant = 0;

  Linear(int64_t constant = 0) : constant(constant) {}
  static Linear variable(unsigned number);
  bool isConstant() const;
  /// A number in it is too large to compute with: it counts as no affine function.
  bool isLarge() const;
  bool operator==(const Linear &other) const;
  Linear operator+(const Linear &other) const;
  Linear operator-(const Linear &other) const;
  Linear operator*(int64_t factor) const;
};

class IndexCase {
public:
  /// What a product with an extent is, or a quotient by one.
  enum class Products {
    ByCase, ///< each value of a factor that has few, such as a rank; exact
    Formal  ///< a variable that grows with its factor, which is all that most proofs need
  };

  /// Extents are variables 0 to n - 1, of any value that is not negative.
  IndexCase(tile::ProgramOp program, Choices &choices, Products products = Products::ByCase);

  /// From here on values are those of another task, of this rank or of any.
  void beginOtherTask(bool onThisRank);
  /// The rank that the values belong to.
  Linear thisRank();
  /// Any number from `low` to `high`.
  Linear between(const Linear &low, const Linear &high);

  /// What a value is in this case. One that is no affine function becomes a variable of its own, and the case inexact.
  Linear valueOf(mlir::Value value);
  Linear valueOf(mlir::OpFoldResult value);
  /// The results of an expression list: symbol 0 is the world, then the operands.
  llvm::SmallVector<Linear> expressions(mlir::AffineMap map, mlir::ValueRange operands);
  /// Sizes of an argument, an alloc or a view.
  llvm::SmallVector<Linear> sizesOf(mlir::Value buffer);
  Linear multiply(const Linear &left, const Linear &right);

  /// A number of the launch, as an index from 0 to something that tasks have in common.
  struct Given {
    mlir::Value number;
    Linear most, value;
  };
  llvm::ArrayRef<Given> givenNumbers() const { return given; }

  void assumeNonNegative(const Linear &value) { inequalities.push_back(value); }
  /// The case in which a condition holds, or does not.
  void assume(mlir::Value condition, bool holds);
  void assumeEqual(const Linear &left, const Linear &right) { equate(left, right); }
  /// The tasks, iterations and branches in which `op` stands.
  void assumeReached(mlir::Operation *op);

  /// Every solution of the constraints is a case of the program; without, there may be more solutions than cases.
  bool isExact() const { return exact; }
  /// A value is any of those that data, or a number of the launch, may be: the case stands for several launches.
  bool isOfData() const { return ofData; }
  unsigned numVariables() const { return variables.size(); }
  bool isNonNegative(const Linear &value) const;
  mlir::presburger::IntegerPolyhedron constraints() const;

private:
  struct Range {
    std::optional<int64_t> low, high;
  };
  Linear fresh(Range range);
  Linear opaque();
  Range rangeOf(const Linear &value) const;
  Linear evaluate(mlir::Value value);
  Linear evaluateOp(mlir::Operation *op);
  Linear clampedNumber(tile::ClampOp clamp);
  Linear evaluateBinary(mlir::Operation *op);
  bool isNumber(mlir::Value value);
  bool isReadThrough(mlir::Operation *cast);
  bool mayWrap(mlir::Operation *op);
  bool fitsWide(mlir::Operation *op);
  Linear indexOf(mlir::BlockArgument argument);
  Linear iterationOf(mlir::scf::ForOp loop);
  Linear expression(mlir::AffineExpr expr, llvm::ArrayRef<Linear> symbols);
  bool isOfExtents(const Linear &value) const;
  std::optional<Linear> formalProduct(const Linear &left, const Linear &right);
  void addMultiple(const Linear &value, int64_t times);
  void relate(const Linear &factor, const Linear &extent, const Linear &product);
  Linear divideByExtents(const Linear &left, const Linear &right);
  Linear floorDivide(const Linear &left, const Linear &right);
  Linear truncatingDivide(const Linear &left, const Linear &right);
  Linear lesser(const Linear &left, const Linear &right, bool least);
  void compare(mlir::arith::CmpIPredicate predicate, const Linear &left, const Linear &right);
  void equate(const Linear &left, const Linear &right);

  tile::ProgramOp program;
  Choices &choices;
  int64_t world;
  unsigned numExtents;
  bool exact = true, isFormal = false, ofData = false;
  llvm::DenseMap<mlir::Value, unsigned> bits; ///< of numbers, at most
  IndexRanges ranges;
  std::optional<Linear> rank;
  llvm::SmallVector<Range> variables;
  llvm::SmallVector<Linear> inequalities; ///< each at least 0
  llvm::DenseMap<mlir::Value, Linear> values;
  llvm::SmallVector<Given> given; ///< the same for all tasks of a rank
  struct Quotient {
    Linear dividend;
    int64_t divisor;
    Linear value;
  };
  llvm::SmallVector<Quotient> quotients;
  struct Product {
    Linear factor, extent, value;
  };
  std::vector<Product> products;           ///< formal ones
  std::vector<Product> quotientsByExtents; ///< `factor` is the dividend
};

} // namespace tilec::checker
