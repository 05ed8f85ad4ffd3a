// Binds the world, given extents and parameters, and makes tile types static. Has the tiles of products chosen, no
// pattern.
#include "dialect/Combination.h"
#include "dialect/Conditions.h"
#include "dialect/Limits.h"
#include "dialect/Products.h"
#include "dialect/ResultShape.h"
#include "dialect/Suggestion.h"
#include "dialect/UnknownName.h"
#include "passes/Passes.h"
#include "passes/choose/FitTiles.h"
#include "passes/choose/LoopChoice.h"
#include "passes/choose/TileConflict.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

namespace tilec {
#define GEN_PASS_DEF_SPECIALIZE
#include "passes/Passes.h.inc"
} // namespace tilec

namespace {

class Specialize : public tilec::impl::SpecializeBase<Specialize> {
public:
  using SpecializeBase::SpecializeBase;

  void runOnOperation() override {
    ProgramOp program = getOperation();
    bound.clear();
    values.clear();
    conditions.clear();
    standsFor.clear();
    if (failed(bindWorld(program)) || failed(bindExtents(program)) || failed(bindConditions(program)))
      return signalPassFailure();
    declareTiles(program);
    if (failed(requireOpenParameters(program)))
      return signalPassFailure();
    auto size = [&](Value buffer, unsigned dim, int64_t assumed) { return sizeOf(buffer, dim, assumed); };
    SmallVector<Binding> fixed(parameters.begin(), parameters.end());
    if (failed(chooseTiles(program, fixed, target, size)) || failed(bindParameters(program)))
      return signalPassFailure();
    program.walk([&](Operation *op) { rewriteExpressions(op); });
    program.walk([&](Operation *op) { rewriteTileShapes(op); });
    WalkResult result = program.walk<WalkOrder::PreOrder>([&](Operation *op) { return inferTypes(op); });
    if (result.wasInterrupted())
      return signalPassFailure();
    promoteSingleIterations(program);
    for (ParamOp param : llvm::make_early_inc_range(program.getBody().getOps<ParamOp>()))
      param.erase();
  }

private:
  LogicalResult bindWorld(ProgramOp program) {
    if (failed(program.requireWorld(world)))
      return failure();
    if (world)
      program.setWorld(world);
    SmallVector<WorldSizeOp> sizes;
    program.walk([&](WorldSizeOp op) { sizes.push_back(op); });
    for (WorldSizeOp op : sizes) {
      OpBuilder builder(op);
      op.replaceAllUsesWith(arith::ConstantIndexOp::create(builder, op.getLoc(), *program.getWorld()).getResult());
      op.erase();
    }
    return success();
  }

  LogicalResult bindExtents(ProgramOp program) {
    for (const Binding &binding : extents) {
      BlockArgument extent;
      for (BlockArgument candidate : program.getExtents())
        if (auto name = dyn_cast<NameLoc>(candidate.getLoc()); name && name.getName() == binding.name)
          extent = candidate;
      if (!extent)
        return unknownExtent(program, binding.name);
      if (binding.value > kLargestExtent)
        return program.emitError() << "extent '" << binding.name << "' is " << binding.value << ", expected at most "
                                   << kLargestExtent;
      if (binding.value < 0)
        return program.emitError() << "extent '" << binding.name << "' is " << binding.value << ", expected 0 or more";
      bind(program, extent, binding.value);
    }
    return success();
  }

  void bind(ProgramOp program, BlockArgument extent, int64_t value) {
    bound[extent.getArgNumber()] = value;
    OpBuilder builder = OpBuilder::atBlockBegin(&program.getBody().front());
    extent.replaceAllUsesWith(arith::ConstantIndexOp::create(builder, extent.getLoc(), value).getResult());
  }

  /// The world and fixed extents in the conditions; a launch keeps those that remain, and has the extents that were
  /// fixed. Extents that conditions make equal become one.
  LogicalResult bindConditions(ProgramOp program) {
    for (const Condition &condition : conditionsOf(program))
      if (auto number = dyn_cast<AffineConstantExpr>(condition.right); number && condition.isEquality)
        if (auto symbol = dyn_cast<AffineSymbolExpr>(condition.left); symbol && symbol.getPosition() > 0)
          if (unsigned extent = symbol.getPosition() - 1; !bound.count(extent) && number.getValue() >= 0)
            bind(program, program.getExtents()[extent], number.getValue());
    SmallVector<AffineExpr> symbols = headerSymbols(program);
    SmallVector<int64_t> values(program.getNumExtents(), 0);
    for (auto [extent, value] : bound)
      values[extent] = value;
    for (const Condition &condition : conditionsOf(program)) {
      AffineExpr rest = simplifyAffineExpr(condition.constraint().replaceSymbols(symbols), 0, symbols.size());
      auto constant = dyn_cast<AffineConstantExpr>(rest);
      if (!constant)
        conditions.push_back(Condition::of(rest, condition.isEquality));
      else if (condition.isEquality ? constant.getValue() != 0 : constant.getValue() < 0)
        return emitBroken(program, condition, *program.getWorld(), values);
    }
    unifyExtents(program);
    SmallVector<Condition> all(conditions);
    for (unsigned i = 0; i < program.getNumExtents(); ++i)
      if (bound.count(i))
        all.push_back({getAffineSymbolExpr(1 + i, &getContext()), getAffineConstantExpr(bound[i], &getContext())});
    if (IntegerSet set = setOf(all, symbols.size()))
      program.setConditionsAttr(IntegerSetAttr::get(set));
    else
      program.removeConditionsAttr();
    return success();
  }

  /// Of extents that conditions make equal, the first of the header stands for all.
  void unifyExtents(ProgramOp program) {
    for (unsigned i = 0; i < program.getNumExtents(); ++i)
      standsFor.push_back(i);
    for (const Condition &condition : conditions) {
      auto left = dyn_cast<AffineSymbolExpr>(condition.left), right = dyn_cast<AffineSymbolExpr>(condition.right);
      if (!condition.isEquality || !left || !right)
        continue;
      unsigned a = standsFor[left.getPosition() - 1], b = standsFor[right.getPosition() - 1];
      for (unsigned &extent : standsFor)
        if (extent == std::max(a, b))
          extent = std::min(a, b);
    }
    for (auto [extent, other] : llvm::zip(program.getExtents(), standsFor))
      if (extent.getArgNumber() != other)
        extent.replaceAllUsesWith(program.getExtents()[other]);
  }

  /// What the symbols of the header are: the world, and numbers for extents that are fixed.
  SmallVector<AffineExpr> headerSymbols(ProgramOp program) {
    SmallVector<AffineExpr> symbols{getAffineConstantExpr(*program.getWorld(), &getContext())};
    for (unsigned i = 0; i < program.getNumExtents(); ++i)
      symbols.push_back(bound.count(i)
                            ? getAffineConstantExpr(bound[i], &getContext())
                            : getAffineSymbolExpr(1 + (i < standsFor.size() ? standsFor[i] : i), &getContext()));
    return symbols;
  }

  /// A map whose operands are extents, in the light of the conditions.
  AffineMap underConditions(AffineMap map, ValueRange operands) {
    MLIRContext *context = &getContext();
    AffineExpr none = getAffineConstantExpr(0, context);
    SmallVector<AffineExpr> outward{none}, inward(1 + getOperation().getNumExtents(), none);
    for (auto [i, operand] : llvm::enumerate(operands)) {
      auto extent = dyn_cast<BlockArgument>(operand);
      if (!extent || extent.getOwner() != &getOperation().getBody().front())
        return map;
      outward.push_back(getAffineSymbolExpr(1 + extent.getArgNumber(), context));
      inward[1 + extent.getArgNumber()] = getAffineSymbolExpr(1 + i, context);
    }
    SmallVector<AffineExpr> results;
    for (AffineExpr result : map.getResults())
      results.push_back(simplifyUnder(conditions, result.replaceSymbols(outward)).replaceSymbols(inward));
    return AffineMap::get(map.getNumDims(), map.getNumSymbols(), results, context);
  }

  /// A dimension of a buffer with extents that are not given taken as `assumed`; nothing where the buffer is a view.
  std::optional<int64_t> sizeOf(Value buffer, unsigned dim, int64_t assumed) {
    auto alloc = buffer.getDefiningOp<AllocOp>();
    auto argument = dyn_cast<BlockArgument>(buffer);
    ProgramOp program = getOperation();
    if (!alloc && !(argument && argument.getArgNumber() >= program.getNumExtents()))
      return std::nullopt;
    AffineMap map =
        alloc ? alloc.getSizes()
              : cast<AffineMapAttr>(program.getShapes()[argument.getArgNumber() - program.getNumExtents()]).getValue();
    // Parameters have no value yet.
    if (dim >= map.getNumResults() || (alloc && !alloc.getParams().empty()))
      return std::nullopt;
    SmallVector<Value> extents(program.getExtents());
    auto [simple, kept] = simplify(program, map, alloc ? ValueRange(alloc.getExtents()) : ValueRange(extents),
                                   Builder(&getContext()).getArrayAttr({}), /*given=*/true);
    SmallVector<AffineExpr> symbols(simple.getNumSymbols(), getAffineConstantExpr(assumed, &getContext()));
    auto constant =
        dyn_cast<AffineConstantExpr>(simplifyAffineExpr(simple.getResult(dim).replaceSymbols(symbols), 0, 0));
    return constant ? std::optional<int64_t>(std::max<int64_t>(1, constant.getValue())) : std::nullopt;
  }

  /// `64, 128 or 256`.
  static std::string listed(ArrayRef<int64_t> values) {
    SmallVector<std::string> texts;
    for (int64_t value : values)
      texts.push_back(std::to_string(value));
    return listNames(SmallVector<StringRef>(texts.begin(), texts.end()));
  }

  /// What an earlier run has chosen has no parameters left: values beside them are the author's, whom nobody would
  /// heed.
  LogicalResult requireOpenParameters(ProgramOp program) {
    auto params = program.getBody().getOps<ParamOp>();
    if (!program.getParameters() || params.empty())
      return success();
    InFlightDiagnostic diagnostic = program.emitError()
                                    << "attribute 'parameters' keeps what was chosen, expected --param to give values";
    diagnostic.attachNote((*params.begin()).getLoc()) << "'" << (*params.begin()).getSymName() << "' is to be chosen";
    return diagnostic;
  }

  LogicalResult bindParameters(ProgramOp program) {
    SmallVector<Binding> given(parameters.begin(), parameters.end());
    for (const Binding &binding : given)
      if (!isa_and_nonnull<ParamOp>(program.lookupSymbol(binding.name)))
        return unknownParameter(program, binding.name);
    SmallVector<NamedAttribute> chosen;
    for (ParamOp param : program.getBody().getOps<ParamOp>()) {
      int64_t open =
          param.getPreferred() ? static_cast<int64_t>(*param.getPreferred()) : *llvm::max_element(param.getChoices());
      int64_t value = valueOf(given, param.getSymName()).value_or(open);
      if (!llvm::is_contained(param.getChoices(), value)) {
        InFlightDiagnostic diagnostic = program.emitError()
                                        << "expected " << listed(param.getChoices()) << " for parameter '"
                                        << param.getSymName() << "', got " << value;
        diagnostic.attachNote(param.getLoc()) << "the choices are declared here";
        return diagnostic;
      }
      values[param.getSymNameAttr()] = value;
      chosen.emplace_back(param.getSymNameAttr(), IntegerAttr::get(IntegerType::get(&getContext(), 64), value));
    }
    if (!chosen.empty())
      program.setParametersAttr(DictionaryAttr::get(&getContext(), chosen));
    return success();
  }

  /// Replaces W, parameters and constant operands in an expression list; keeps the remaining operands.
  std::pair<AffineMap, SmallVector<Value>> simplify(ProgramOp program, AffineMap map, ValueRange operands,
                                                    ArrayAttr params, bool given = false) {
    MLIRContext *context = &getContext();
    SmallVector<AffineExpr> symbols{getAffineConstantExpr(*program.getWorld(), context)};
    SmallVector<Value> kept;
    for (Value operand : operands) {
      std::optional<int64_t> value = getConstantIntValue(operand);
      // The header's own extents are block arguments; those that were given stand in `bound`.
      if (auto argument = dyn_cast<BlockArgument>(operand); given && argument && bound.count(argument.getArgNumber()))
        value = bound.lookup(argument.getArgNumber());
      symbols.push_back(value ? getAffineConstantExpr(*value, context) : getAffineSymbolExpr(1 + kept.size(), context));
      if (!value)
        kept.push_back(operand);
    }
    for (Attribute param : params)
      symbols.push_back(getAffineConstantExpr(values.lookup(cast<FlatSymbolRefAttr>(param).getAttr()), context));
    return {underConditions(simplifyAffineMap(map.replaceDimsAndSymbols({}, symbols, 0, 1 + kept.size())), kept), kept};
  }

  void rewriteExpressions(Operation *op) {
    Builder builder(&getContext());
    if (auto program = dyn_cast<ProgramOp>(op)) {
      rewriteArguments(program);
    } else if (auto extent = dyn_cast<ExtentOp>(op)) {
      auto [map, kept] = simplify(getOperation(), extent.getSizes(), extent.getExtents(), extent.getParams());
      extent.setSizes(map);
      extent.getExtentsMutable().assign(kept);
      extent.setParamsAttr(builder.getArrayAttr({}));
    } else if (auto alloc = dyn_cast<AllocOp>(op)) {
      auto [map, kept] = simplify(getOperation(), alloc.getSizes(), alloc.getExtents(), alloc.getParams());
      alloc.setSizes(map);
      alloc.getExtentsMutable().assign(kept);
      alloc.setParamsAttr(builder.getArrayAttr({}));
    } else if (auto grid = dyn_cast<SignalsOp>(op)) {
      auto [map, kept] = simplify(getOperation(), grid.getSizes(), grid.getExtents(), grid.getParams());
      grid.setSizes(map);
      grid.getExtentsMutable().assign(kept);
      grid.setParamsAttr(builder.getArrayAttr({}));
    } else if (auto forall = dyn_cast<ForallOp>(op)) {
      if (FlatSymbolRefAttr param = forall.getWorkgroupsParamAttr()) {
        forall.setWorkgroups(values.lookup(param.getAttr()));
        forall.removeWorkgroupsParamAttr();
      }
      if (!forall.getBounds())
        return;
      auto [map, kept] = simplify(getOperation(), *forall.getBounds(), forall.getExtents(), forall.getParams());
      forall.setBounds(map);
      forall.getExtentsMutable().assign(kept);
      forall.setParamsAttr(builder.getArrayAttr({}));
    }
  }

  /// W and given extents in the shapes and strides of the arguments; the extents stay in the header, so that callers
  /// need not change.
  void rewriteArguments(ProgramOp program) {
    SmallVector<AffineExpr> symbols = headerSymbols(program);
    SmallVector<Value> extents(program.getExtents());
    auto rewritten = [&](ArrayAttr maps) {
      return ArrayAttr::get(&getContext(), llvm::map_to_vector(maps, [&](Attribute map) -> Attribute {
        AffineMap simple = simplifyAffineMap(
            cast<AffineMapAttr>(map).getValue().replaceDimsAndSymbols({}, symbols, 0, symbols.size()));
        return AffineMapAttr::get(underConditions(simple, extents));
      }));
    };
    program.setShapesAttr(rewritten(program.getShapes()));
    if (program.getStrides())
      program.setStridesAttr(rewritten(*program.getStrides()));
    if (program.getIndices())
      program.setIndicesAttr(rewritten(*program.getIndices()));
  }

  void rewriteTileShapes(Operation *op) {
    for (StringRef name : {"tile", "tiles"}) {
      auto shape = op->getAttrOfType<ArrayAttr>(name);
      if (!shape || !isa<TileDialect>(op->getDialect()))
        continue;
      written[op] = shape;
      SmallVector<Attribute> sizes;
      for (Attribute size : shape) {
        auto reference = dyn_cast<FlatSymbolRefAttr>(size);
        sizes.push_back(reference
                            ? IntegerAttr::get(IntegerType::get(&getContext(), 64), values.lookup(reference.getAttr()))
                            : size);
      }
      op->setAttr(name, ArrayAttr::get(&getContext(), sizes));
    }
  }

  /// Operands first (pre-order over ops in dominance order): a tile's shape follows from its op and its operands.
  WalkResult inferTypes(Operation *op) {
    if (failed(verifyTilesFit(op, written)))
      return WalkResult::interrupt();
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      for (auto [init, argument, result] : llvm::zip(loop.getInitArgs(), loop.getRegionIterArgs(), loop.getResults())) {
        argument.setType(init.getType());
        result.setType(init.getType());
      }
      return WalkResult::advance();
    }
    if (auto matmul = dyn_cast<MatmulOp>(op)) {
      if (!matmul.getEpilogue().empty() && matmul.getTiles())
        for (BlockArgument argument : epilogueTiles(matmul))
          argument.setType(staticTile(argument.getType(), sizes(matmul.getTiles()->getValue().take_front(2))));
      return WalkResult::advance();
    }
    if (auto branch = dyn_cast<scf::IfOp>(op))
      return inferBranch(branch);
    for (OpResult result : op->getResults()) {
      auto type = dyn_cast<RankedTensorType>(result.getType());
      if (!type || type.hasStaticShape())
        continue;
      SmallVector<int64_t> shape = resultShape(op, type);
      if (static_cast<int64_t>(shape.size()) != type.getRank() || llvm::any_of(shape, ShapedType::isDynamic)) {
        op->emitOpError() << "tile shape of " << type << " does not follow from its operands";
        return WalkResult::interrupt();
      }
      result.setType(staticTile(type, shape));
    }
    return WalkResult::advance();
  }

  /// The tiles of a branch are what its first region yields, known once the region's are.
  WalkResult inferBranch(scf::IfOp branch) {
    for (Region &region : branch->getRegions())
      if (region.walk<WalkOrder::PreOrder>([&](Operation *op) { return inferTypes(op); }).wasInterrupted())
        return WalkResult::interrupt();
    for (OpResult result : branch.getResults())
      result.setType(branch.thenYield().getOperand(result.getResultNumber()).getType());
    return WalkResult::skip();
  }

  static SmallVector<int64_t> sizes(ArrayRef<Attribute> shape) {
    return llvm::map_to_vector(shape, [](Attribute size) { return cast<IntegerAttr>(size).getInt(); });
  }

  static RankedTensorType staticTile(Type type, ArrayRef<int64_t> shape) {
    auto tile = cast<RankedTensorType>(type);
    return RankedTensorType::get(shape, tile.getElementType(), tile.getEncoding());
  }

  /// A constant where the bound of a loop is one, or an extent that has been fixed.
  static OpFoldResult folded(Value bound) {
    if (auto extent = bound.getDefiningOp<ExtentOp>())
      if (auto size = dyn_cast<AffineConstantExpr>(extent.getSizes().getResult(0)))
        return Builder(extent.getContext()).getIndexAttr(size.getValue());
    return getAsOpFoldResult(bound);
  }

  /// Products keep their loops, which say how operands are staged, and so do loops over ranks, which say who is
  /// addressed.
  static bool saysMore(scf::ForOp loop) {
    return loop
        ->walk([](Operation *op) {
          auto access = dyn_cast<AccessOpInterface>(op);
          return isa<DotOp>(op) || (access && access.getAccessRank()) ? WalkResult::interrupt() : WalkResult::advance();
        })
        .wasInterrupted();
  }

  /// A loop over a row that is one tile is no loop: what two such loops load is then seen to be the same.
  static void promoteSingleIterations(ProgramOp program) {
    SmallVector<scf::ForOp> loops;
    program.walk([&](scf::ForOp loop) {
      if (loop->getParentOfType<ForallOp>() && !saysMore(loop))
        loops.push_back(loop);
    });
    IRRewriter rewriter(program.getContext());
    for (scf::ForOp loop : loops) {
      auto trips = constantTripCount(folded(loop.getLowerBound()), folded(loop.getUpperBound()), folded(loop.getStep()),
                                     /*isSigned=*/true, [](Value, Value, bool) { return std::nullopt; });
      if (!trips || *trips != 1)
        continue;
      rewriter.setInsertionPoint(loop);
      for (OpOperand &bound : loop->getOpOperands().take_front(3))
        if (bound.get().getDefiningOp<ExtentOp>())
          bound.set(getValueOrCreateConstantIndexOp(rewriter, loop.getLoc(), folded(bound.get())));
      (void)loop.promoteIfSingleIteration(rewriter);
    }
  }

  DenseMap<unsigned, int64_t> bound;
  SmallVector<Condition> conditions; ///< but those that say what fixed extents are
  SmallVector<unsigned> standsFor;   ///< for each extent, the one that is used in its place
  DenseMap<StringAttr, int64_t> values;
  WrittenShapes written;
};

} // namespace
