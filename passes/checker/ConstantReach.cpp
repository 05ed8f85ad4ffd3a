// Joins loops, extents and dimensions of buffers that lie along each other, and adds up the constants of each such
// group.
#include "passes/checker/ConstantReach.h"
#include "passes/analysis/IndexForm.h"
#include "passes/checker/TileSides.h"

#include "llvm/ADT/IntEqClasses.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <map>
#include <numeric>

using namespace mlir;
using namespace tilec;
using namespace tilec::checker;

namespace {

/// Far beyond all constants, so that an expression at it tells how fast it grows.
constexpr int64_t kFar = int64_t(1) << 24;
/// Numbers of elements that are looked for a whole number of tiles in.
constexpr int64_t kMostWholeTiles = 2048;

using Numbers = std::set<int64_t>;

/// Not beyond the farthest.
double times(double left, double right) { return std::min(left * right, double(kFar)); }

/// What an index is made of: |multiplier| units of the index for one of the variable, and constants in those units.
struct Parts {
  SmallVector<std::pair<Value, double>> variables;
  SmallVector<unsigned> extents;
  Numbers constants;
};

/// Each number once, with the first operation that it comes from.
using Places = std::map<int64_t, Operation *>;

double sumOf(const Places &places) {
  return std::accumulate(places.begin(), places.end(), 0.0,
                         [](double sum, const auto &place) { return sum + double(place.first); });
}

/// What groups are made of.
struct Node {
  Places elements; ///< of a buffer
  Places lengths;  ///< of the extent
  SmallVector<int64_t> sides;
  std::set<int64_t> steps;
  double slope = 1;  ///< the most elements of the extent that one element of a buffer takes
  double spread = 1; ///< the most elements of a buffer that one element of the extent takes
};

class ReachFinder {
public:
  explicit ReachFinder(tile::ProgramOp program)
      : program(program), world(program.getWorld().value_or(1)), numExtents(program.getNumExtents()) {
    nodes.resize(numExtents);
  }

  SmallVector<ConstantReach> run() {
    program.walk<WalkOrder::PreOrder>([&](Operation *op) {
      visited = op;
      visitLoop(op);
      if (auto access = dyn_cast<tile::AccessOpInterface>(op))
        visitAccess(access);
      if (auto compare = dyn_cast<arith::CmpIOp>(op))
        visitAlong(ValueRange{compare.getLhs(), compare.getRhs()});
    });
    return add();
  }

private:
  unsigned newNode() {
    nodes.emplace_back();
    return nodes.size() - 1;
  }

  unsigned nodeOf(Value variable) {
    auto [it, isNew] = variables.try_emplace(variable, nodes.size());
    return isNew ? newNode() : it->second;
  }

  unsigned nodeOf(Value buffer, unsigned dim) {
    auto [it, isNew] = dimensions.try_emplace({buffer, dim}, nodes.size());
    if (!isNew)
      return it->second;
    unsigned node = newNode();
    if (AffineExpr size = shapeOf(buffer)[dim])
      visitExpression(size, node);
    return node;
  }

  void join(unsigned left, unsigned right) { joined.push_back({left, right}); }

  /// The value where an extent is `length` and the others are 0.
  int64_t valueAt(AffineExpr expression, unsigned extent, int64_t length) const {
    MLIRContext *context = expression.getContext();
    SmallVector<AffineExpr> numbers(numExtents, getAffineConstantExpr(0, context));
    if (extent < numExtents)
      numbers[extent] = getAffineConstantExpr(length, context);
    auto number = dyn_cast<AffineConstantExpr>(simplifyAffineExpr(expression.replaceSymbols(numbers), 0, numExtents));
    return number ? number.getValue() : 0;
  }

  /// How much longer an extent is for one more of an expression; none where it does not grow with any.
  std::optional<double> rateOf(AffineExpr expression) const {
    std::optional<double> rate;
    const int64_t none = valueAt(expression, numExtents, 0);
    for (unsigned extent = 0; extent < numExtents; ++extent) {
      int64_t growth = std::abs(valueAt(expression, extent, kFar) - none);
      // Less than a unit in so many elements is the remainder of a division.
      if (growth > kFar / kMostWholeTiles)
        rate = std::max(rate.value_or(0), double(kFar) / growth);
    }
    return rate;
  }

  /// The extents of an expression lie along the node; what it adds to them counts for it, and its remainders.
  void visitExpression(AffineExpr expression, unsigned node) {
    expression.walk([&](AffineExpr part) {
      if (auto symbol = dyn_cast<AffineSymbolExpr>(part); symbol && symbol.getPosition() < numExtents)
        join(node, symbol.getPosition());
      auto remainder = dyn_cast<AffineBinaryOpExpr>(part);
      if (!remainder || remainder.getKind() != AffineExprKind::Mod)
        return;
      if (auto divisor = dyn_cast<AffineConstantExpr>(remainder.getRHS()))
        nodes[node].lengths.try_emplace(std::min(std::abs(divisor.getValue()), kFar), visited);
    });
    int64_t moved = std::min(std::abs(valueAt(expression, numExtents, 0)), kFar);
    if (std::optional<double> rate = rateOf(expression))
      nodes[node].lengths.try_emplace(int64_t(moved * *rate), visited);
    else
      nodes[node].elements.try_emplace(moved, visited);
  }

  /// How much longer an extent is for one more iteration of the loop of an index; none where its length is a number.
  std::optional<double> rateOf(Value index) const {
    auto it = rates.find(index);
    return it == rates.end() ? std::nullopt : std::optional<double>(it->second);
  }

  void visitLoop(Operation *op) {
    SmallVector<AffineExpr> bounds = loopBounds(op, world);
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      visitAlong(ValueRange{loop.getInductionVar(), loop.getLowerBound()});
      if (bounds.empty())
        visitAlong(ValueRange{loop.getInductionVar(), loop.getUpperBound()});
    }
    for (auto [i, bound] : llvm::enumerate(bounds)) {
      Value index = isa<scf::ForOp>(op) ? cast<scf::ForOp>(op).getInductionVar()
                                        : Value(cast<tile::ForallOp>(op).getBody().getArgument(i));
      if (std::optional<double> rate = rateOf(bound)) {
        rates[index] = *rate;
        visitExpression(bound, nodeOf(index));
        Node &node = nodes[nodeOf(index)];
        node.sides.push_back(std::llround(*rate));
        node.steps.insert(std::max<int64_t>(std::llround(*rate), 1)); // the quotient is cut off
      } else if (auto number = dyn_cast<AffineConstantExpr>(bound)) {
        iterations[index] = std::clamp<int64_t>(number.getValue(), 0, kFar);
      }
    }
  }

  /// Takes an index apart, through what is no linear function of its operands too.
  Parts partsOf(ValueRange values) {
    Parts parts;
    SmallVector<std::pair<Value, double>> pending;
    for (Value value : values)
      pending.push_back({value, 1.0});
    llvm::DenseSet<Value> seen;
    while (!pending.empty()) {
      auto [value, multiplier] = pending.pop_back_val();
      const IndexForm &form = forms.of(value);
      form.constant.walk([&](AffineExpr part) {
        if (auto symbol = dyn_cast<AffineSymbolExpr>(part); symbol && symbol.getPosition() < numExtents)
          parts.extents.push_back(symbol.getPosition());
      });
      int64_t moved = valueAt(form.constant, numExtents, 0);
      parts.constants.insert(times(multiplier, std::min(std::abs(moved), kFar)));
      for (auto [variable, coefficient] : form.terms) {
        auto factor = dyn_cast<AffineConstantExpr>(coefficient);
        double unit = factor ? times(multiplier, std::min(std::abs(factor.getValue()), kFar)) : multiplier;
        if (seen.insert(variable).second)
          visitVariable(variable, unit, parts, pending);
      }
    }
    return parts;
  }

  void visitVariable(Value variable, double unit, Parts &parts, SmallVectorImpl<std::pair<Value, double>> &pending) {
    Operation *op = variable.getDefiningOp();
    if (!op) {
      parts.variables.push_back({variable, unit});
      if (auto it = iterations.find(variable); it != iterations.end())
        parts.constants.insert(times(unit, it->second));
      return;
    }
    if (isa<tile::RankOp>(op))
      parts.constants.insert(times(unit, world)); // as a loop over all ranks does
    if (op->getNumRegions())
      return;
    std::optional<int64_t> divisor;
    if (isa<arith::DivSIOp, arith::DivUIOp, arith::FloorDivSIOp, arith::CeilDivSIOp, arith::CeilDivUIOp>(op))
      divisor = getConstantIntValue(op->getOperand(1));
    if (divisor && *divisor > 0) {
      // One element more of the quotient is that many of the dividend.
      pending.push_back({op->getOperand(0), unit / *divisor});
      return;
    }
    for (Value operand : op->getOperands())
      if (operand.getType().isIntOrIndex() && !operand.getType().isInteger(1))
        pending.push_back({operand, unit});
  }

  /// Values that are compared, or bound each other: they lie along each other, in units of the indices in them.
  void visitAlong(ValueRange values) {
    if (!llvm::all_of(values, [](Value value) { return value.getType().isIntOrIndex(); }))
      return;
    Parts parts = partsOf(values);
    std::optional<double> length;
    for (auto [variable, unit] : parts.variables)
      if (std::optional<double> rate = rateOf(variable); rate && unit)
        length = std::max(length.value_or(0), *rate / unit);
    if (!length && parts.extents.empty())
      return;
    unsigned node = newNode();
    joinAll(node, parts);
    for (int64_t constant : parts.constants)
      nodes[node].lengths.try_emplace(int64_t(constant * length.value_or(1)), visited);
  }

  void joinAll(unsigned node, const Parts &parts) {
    for (unsigned extent : parts.extents)
      join(node, extent);
    for (auto [variable, unit] : parts.variables)
      join(node, nodeOf(variable));
  }

  void visitAccess(tile::AccessOpInterface access) {
    Value buffer = access.getAccessedBuffer();
    SmallVector<int64_t> shape = access.getMovedShape();
    SmallVector<unsigned> dims = llvm::to_vector(llvm::seq<unsigned>(0, shape.size()));
    while (auto view = buffer.getDefiningOp<memref::SubViewOp>()) {
      dims = visitView(view, dims);
      buffer = view.getSource();
    }
    for (auto [dim, index, side] : llvm::enumerate(access.getAccessIndices(), shape)) {
      unsigned node = nodeOf(buffer, dims[dim]);
      if (side > 0)
        nodes[node].sides.push_back(side);
      if (!access.isEach(dim))
        place(node, index, access.hasElementOffsets() ? 1 : std::max<int64_t>(side, 1));
    }
  }

  /// Offsets and sizes; the dimensions of the source that those of the view are.
  SmallVector<unsigned> visitView(memref::SubViewOp view, ArrayRef<unsigned> dims) {
    Value source = view.getSource(), root = source;
    while (auto next = root.getDefiningOp<memref::SubViewOp>())
      root = next.getSource();
    SmallVector<unsigned> kept;
    llvm::SmallBitVector dropped = view.getDroppedDims();
    for (unsigned dim = 0; dim < dropped.size(); ++dim)
      if (!dropped[dim])
        kept.push_back(dim);
    if (root != source) // dimensions of views of views are not followed: what moves them counts where they end
      return llvm::map_to_vector(dims, [&](unsigned dim) { return kept[dim]; });
    for (unsigned dim = 0; dim < dropped.size(); ++dim)
      for (OpFoldResult moved : {view.getMixedOffsets()[dim], view.getMixedSizes()[dim]})
        if (auto value = dyn_cast<Value>(moved))
          place(nodeOf(root, dim), value, 1);
        else if (!dropped[dim])
          nodes[nodeOf(root, dim)].elements.try_emplace(*getConstantIntValue(moved), visited);
    return llvm::map_to_vector(dims, [&](unsigned dim) { return kept[dim]; });
  }

  /// An index along a dimension, of which one step is `side` elements.
  void place(unsigned node, Value index, int64_t side) {
    Parts parts = partsOf(index);
    joinAll(node, parts);
    for (int64_t constant : parts.constants)
      nodes[node].elements.try_emplace(times(constant, side), visited);
    for (auto [variable, unit] : parts.variables)
      if (std::optional<double> rate = rateOf(variable); rate && unit) {
        nodes[node].slope = std::max(nodes[node].slope, *rate / times(unit, side));
        nodes[node].spread = std::max(nodes[node].spread, times(unit, side) / *rate);
      }
  }

  SmallVector<ConstantReach> add() {
    llvm::IntEqClasses groups(nodes.size());
    for (auto [left, right] : joined)
      groups.join(left, right);
    SmallVector<ConstantReach> reaches(numExtents);
    for (auto [extent, reach] : llvm::enumerate(reaches)) {
      reach.group = groups.findLeader(extent);
      Node all;
      for (auto [i, node] : llvm::enumerate(nodes)) {
        if (groups.findLeader(i) != groups.findLeader(extent))
          continue;
        all.elements.insert(node.elements.begin(), node.elements.end());
        all.lengths.insert(node.lengths.begin(), node.lengths.end());
        llvm::append_range(all.sides, node.sides);
        reach.steps.insert(node.steps.begin(), node.steps.end());
        all.slope = std::max(all.slope, node.slope);
        all.spread = std::max(all.spread, node.spread);
      }
      reach.distance =
          int64_t(std::min(sumOf(all.elements) * all.slope + sumOf(all.lengths) * all.spread, double(kFar)));
      reach.cause = causeOf(all);
      for (int64_t side : all.sides) {
        reach.greatestTile = std::max(reach.greatestTile, std::min(side, kFar));
        int64_t whole = std::lcm(reach.wholeTiles, std::clamp<int64_t>(side, 1, kFar));
        if (whole <= kMostWholeTiles)
          reach.wholeTiles = whole;
      }
    }
    return reaches;
  }

  /// Where the greatest of the constants stands.
  static Operation *causeOf(const Node &all) {
    const bool isByElements =
        !all.elements.empty() &&
        (all.lengths.empty() || all.elements.rbegin()->first * all.slope >= all.lengths.rbegin()->first * all.spread);
    const Places &places = isByElements ? all.elements : all.lengths;
    return places.empty() ? nullptr : places.rbegin()->second;
  }

  tile::ProgramOp program;
  int64_t world;
  unsigned numExtents;
  Operation *visited = nullptr; ///< the operation that is looked at
  FormsThroughCasts forms;
  std::vector<Node> nodes; ///< extents come first
  std::vector<std::pair<unsigned, unsigned>> joined;
  llvm::DenseMap<Value, unsigned> variables;
  llvm::DenseMap<std::pair<Value, unsigned>, unsigned> dimensions;
  llvm::DenseMap<Value, double> rates;
  llvm::DenseMap<Value, int64_t> iterations;
};

} // namespace

SmallVector<ConstantReach> checker::constantReach(tile::ProgramOp program) { return ReachFinder(program).run(); }
