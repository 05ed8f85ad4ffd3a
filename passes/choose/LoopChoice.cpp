// Weighs the loops of a product by their costs. Changes parameters' defaults and the words of products, no body.
#include "passes/choose/LoopChoice.h"

#include "dialect/Limits.h"
#include "dialect/Products.h"
#include "dialect/Schedules.h"
#include "dialect/Suggestion.h"
#include "passes/ProgramTarget.h"
#include "passes/analysis/AssumedExtents.h"
#include "passes/analysis/Contains.h"
#include "passes/analysis/IndexForm.h"
#include "passes/analysis/Workspace.h"
#include "passes/choose/FitTiles.h"
#include "passes/machine/SplitCost.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

/// Rows, columns and depth below which a tile is only taken when asked for or when the choices offer nothing larger:
/// its waves share one matrix instruction, which the model of costs does not see.
static constexpr int64_t kLeastChosen[] = {32, 64, 16};

//===-- what is multiplied
//--------------------------------------------------------------------------------------------===//

/// Whether a copy engine can read a buffer: an argument or scratch, as it lies on this rank.
static bool isMapped(Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  bool isPlaced = isa<BlockArgument>(buffer) || buffer.getDefiningOp<AllocOp>();
  // Of matrices side by side, where their elements lie side by side too.
  return isPlaced && (type.getRank() == 2 || (type.getRank() == 3 && type.getLayout().isIdentity()));
}

/// Whether no collective shares the product's buffers: what it sends may go from the registers of a product's tasks.
static bool isOwn(MatmulOp op) {
  return llvm::none_of(op->getOperands(), [](Value buffer) {
    return llvm::any_of(buffer.getUsers(), llvm::IsaPred<CollectiveOpInterface>);
  });
}

static std::optional<int64_t> knownSize(Value buffer, unsigned dim, SizeOf sizeOf) {
  std::optional<int64_t> size = sizeOf(buffer, dim, kAssumedExtent);
  return size == sizeOf(buffer, dim, 1) ? size : std::nullopt;
}

/// Bytes from a row of a matrix to the next; 0 where they are not known.
static int64_t pitchOf(Value buffer, SizeOf sizeOf) {
  auto type = cast<MemRefType>(buffer.getType());
  int64_t bytes = type.getElementTypeBitWidth() / 8;
  unsigned row = type.getRank() - 2;
  if (!type.getLayout().isIdentity()) {
    int64_t stride = type.getStridesAndOffset().first[row];
    return ShapedType::isDynamic(stride) ? 0 : stride * bytes;
  }
  return knownSize(buffer, row + 1, sizeOf).value_or(0) * bytes;
}

/// Whether workgroups may copy for each other (passes/schedule/Pairs.cpp): tiles are known to be even many, and with
/// collectives it depends on the pattern how tasks are dealt out.
static bool mayPair(MatmulOp op, SizeOf sizeOf) {
  unsigned rows = leadingDims(op);
  ScheduleAttr schedule = scheduleOf(op);
  auto given = schedule ? dyn_cast_or_null<BoolAttr>(schedule.valueOf(ScheduleKey::Pairs)) : BoolAttr();
  return isOwn(op) && knownSize(op.getDestination(), rows, sizeOf) &&
         knownSize(op.getDestination(), rows + 1, sizeOf) && (!given || given.getValue());
}

static ProductShape productOf(MatmulOp op, SizeOf sizeOf) {
  auto modelled = [&](Value buffer, unsigned dim) {
    return sizeOf(buffer, dim, kAssumedExtent).value_or(kAssumedExtent);
  };
  Type element = cast<MemRefType>(op.getLhs().getType()).getElementType();
  ProductShape shape;
  unsigned leading = leadingDims(op);
  shape.rows = modelled(op.getDestination(), leading);
  shape.columns = modelled(op.getDestination(), leading + 1);
  shape.depth = modelled(op.getLhs(), op.depthDim());
  for (unsigned dim = 0; dim < leading; ++dim)
    shape.matrices *= modelled(op.getDestination(), dim);
  shape.rightSides = static_cast<int64_t>(op.getRhs().size());
  shape.bytes = std::max<int64_t>(1, element.getIntOrFloatBitWidth() / 8);
  llvm::raw_string_ostream(shape.element) << element;
  shape.fast = op.accumulation() == Accumulation::Fast;
  shape.promoted = op.accumulation() == Accumulation::Promoted;
  shape.across = !llvm::all_of(op.getTransposed(), [](bool is) { return is; });
  shape.leftAcross = op.getLhsTransposed();
  shape.mapped = (!(shape.across || shape.leftAcross) || shape.bytes == kTurnedBytes) && isMapped(op.getLhs()) &&
                 llvm::all_of(op.getRhs(), isMapped);
  shape.own = isOwn(op);
  shape.pairs = mayPair(op, sizeOf);
  shape.leftPitch = pitchOf(op.getLhs(), sizeOf);
  shape.rightPitch = pitchOf(op.getRhs().front(), sizeOf);
  return shape;
}

/// Sizes where extents that were given are numbers already.
static std::optional<int64_t> sizeBehindSpecialize(Value buffer, unsigned dim, int64_t assumed) {
  AffineExpr size = shapeOf(buffer)[dim];
  if (!size)
    return std::nullopt;
  unsigned extents = programOf(buffer).getNumExtents();
  SmallVector<AffineExpr> symbols(extents, getAffineConstantExpr(assumed, buffer.getContext()));
  auto constant = dyn_cast<AffineConstantExpr>(simplifyAffineExpr(size.replaceSymbols(symbols), 0, 0));
  return constant ? std::optional(std::max<int64_t>(1, constant.getValue())) : std::nullopt;
}

/// The product and its tile as its loop has them: where operands change places, those of the transpose.
static std::pair<ProductShape, TileSizes> loopOf(MatmulOp op) {
  ProductShape shape = productOf(op, sizeBehindSpecialize);
  auto size = [&](unsigned dim) { return cast<IntegerAttr>((*op.getTiles())[dim]).getInt(); };
  TileSizes tiles{size(0), size(1), size(2)};
  shape.parts = static_cast<int64_t>(op.getSplit().value_or(1));
  if (op.getSwapped()) {
    shape = shape.swapped();
    std::swap(tiles.rows, tiles.columns);
  }
  return {shape, tiles};
}

static ScheduleAttr scheduleOrEmpty(MatmulOp op) {
  ScheduleAttr schedule = scheduleOf(op);
  return schedule ? schedule : ScheduleAttr::getEmpty(op.getContext());
}

static LoopGiven givenOf(MatmulOp op) {
  ScheduleAttr schedule = scheduleOf(op);
  if (!schedule)
    return {};
  return {schedule.givenNumber(ScheduleKey::Waves).value_or(0), schedule.givenNumber(ScheduleKey::Slots).value_or(0),
          schedule.alternatesHalves()};
}

//===-- tiles and ways
//------------------------------------------------------------------------------------------------===//

namespace {

/// What one product's tile may be, and which way it is made.
class ProductChoice {
public:
  ProductChoice(MatmulOp op, ArrayRef<Binding> parameters, SizeOf sizeOf)
      : op(op), program(op->getParentOfType<ProgramOp>()), parameters(parameters), sizeOf(sizeOf),
        schedule(scheduleOrEmpty(op)), given(givenOf(op)) {}

  /// Does what was given.
  LogicalResult take() { return failure(failed(takeDepth()) || failed(takeWay())); }

  /// Its way alone where the sizes are known: those of the text, given, or of the first product with these
  /// parameters.
  void choose(const Target &target) {
    ProductShape shape = productOf(op, sizeOf);
    const Widths widths = columnWidths(target);
    TileSizes sizes = cheapestWritten(shape, choicesOf(kLeastChosen, Widths::Powers, widths), target);
    const bool mayBeSplit = !op.getSplit() && !op.getRows() && !schedule.isGiven(ScheduleKey::Split);
    std::optional<TileSizes> swapped = chooseSwapped(shape, sizes, rowWidths(target), target);
    // What parts of the last straight tiles of many are predicted to save is more.
    if (swapped && !schedule.isGiven(ScheduleKey::Swapped) && shape.rows % sizes.rows == 0 && mayBeSplit &&
        tasksOf(shape, sizes) > target.units() && chooseSplit(shape, sizes, widths, target))
      swapped = std::nullopt;
    if (swapped) {
      sizes = *swapped;
      op.setSwapped(true);
    }
    if (mayBeSplit)
      if (std::optional<Split> split = chooseSplit(shape, sizes, widths, target)) {
        sizes = split->sizes;
        op.setSplit(split->parts);
        if (split->behind)
          op.setBehind(split->behind);
      }
    int64_t chosen[] = {sizes.rows, sizes.columns, sizes.depth};
    for (auto [param, size] : llvm::zip(open, chosen))
      if (param)
        param.setPreferred(size);
  }

  /// Sides of tiles: powers of two, where they have a choice, those and whole panels, or all of their choices.
  enum class Widths { Powers, Panels, Any };

  /// What a loop of the written product may have for its tiles; remembers the parameters that are to be chosen.
  TileChoices choicesOf(ArrayRef<int64_t> least, Widths rows = Widths::Powers, Widths columns = Widths::Powers) {
    auto choices = [&](unsigned dim, Widths widths) {
      SmallVector<int64_t> all = choicesOf((*op.getTiles())[dim], least[dim], open[dim]);
      return widths == Widths::Any ? all : evenOf(all, widths == Widths::Panels);
    };
    return {choices(0, rows), choices(1, columns), choices(2, Widths::Powers)};
  }

  /// Columns of its tiles; rows, of those that are made as tiles of the transpose.
  Widths columnWidths(const Target &target) { return widthsFor(target, productOf(op, sizeOf).across); }
  Widths rowWidths(const Target &target) { return widthsFor(target, productOf(op, sizeOf).leftAcross); }

private:
  /// Any, where its tiles may have a width that fills the last round of tasks, or the last tile, better than a power of
  /// two: where a copy engine fills slots for instructions of any width, and as many tasks as there are is known. What
  /// has its depth down the rows it brings in whole panels, whose last one may have columns of the next tile: nobody
  /// may write these.
  Widths widthsFor(const Target &target, bool across) {
    ProductShape shape = productOf(op, sizeOf);
    auto isAny = [&](const MatrixInstructionInfo &info) {
      return info.readsShared() && !llvm::isPowerOf2_64(info.n) && llvm::is_contained(info.operands, shape.element);
    };
    bool isFree = shape.mapped && target.lds.mappedRowBytes && llvm::any_of(target.matrix, isAny) &&
                  hasGivenExtents() && op.getEpilogue().getOps<ReshapeOp>().empty();
    return !isFree ? Widths::Powers : across && !readsArguments() ? Widths::Panels : Widths::Any;
  }

  /// Whether nothing of the program but products takes the operands, all of which are arguments, and none writes them.
  bool readsArguments() {
    auto isRead = [](OpOperand &use) {
      auto product = dyn_cast<MatmulOp>(use.getOwner());
      return product && product.getDestination() != use.get();
    };
    return llvm::all_of(op->getOperands(), [&](Value operand) {
      return operand == op.getDestination() || (isa<BlockArgument>(operand) && llvm::all_of(operand.getUses(), isRead));
    });
  }

  static SmallVector<int64_t> evenOf(SmallVector<int64_t> sizes, bool inPanels) {
    SmallVector<int64_t> even;
    llvm::copy_if(sizes, std::back_inserter(even),
                  [&](int64_t size) { return llvm::isPowerOf2_64(size) || (inPanels && size % kAcrossColumns == 0); });
    return even.empty() ? sizes : even;
  }

  /// What a size of a tile may be; `open` is its parameter if that is to be chosen.
  SmallVector<int64_t> choicesOf(Attribute size, int64_t least, ParamOp &open) {
    auto reference = dyn_cast<FlatSymbolRefAttr>(size);
    if (!reference)
      return {cast<IntegerAttr>(size).getInt()};
    auto param = cast<ParamOp>(program.lookupSymbol(reference));
    if (std::optional<int64_t> value = givenValue(param))
      return {*value};
    if (param.getPreferred())
      return {static_cast<int64_t>(*param.getPreferred())};
    open = param;
    SmallVector<int64_t> all(param.getChoices()), large;
    llvm::copy_if(all, std::back_inserter(large), [least](int64_t choice) { return choice >= least; });
    return large.empty() ? all : large;
  }

  std::optional<int64_t> givenValue(ParamOp param) { return valueOf(parameters, param.getSymName()); }

  /// Makes the depth that was given that of the tile, where the text leaves it open.
  LogicalResult takeDepth() {
    std::optional<int64_t> depth = schedule.givenNumber(ScheduleKey::Depth);
    if (!depth)
      return success();
    Attribute written = (*op.getTiles())[2];
    auto reference = dyn_cast<FlatSymbolRefAttr>(written);
    ParamOp param = reference ? cast<ParamOp>(program.lookupSymbol(reference)) : ParamOp();
    std::optional<int64_t> fixed = param ? givenValue(param) : cast<IntegerAttr>(written).getInt();
    if (fixed && *fixed != *depth)
      return op.emitOpError() << "has a depth of " << *fixed << (param ? ", which --param gives" : "")
                              << ", got a schedule of depth " << *depth;
    if (!param)
      return success();
    if (!llvm::is_contained(param.getChoices(), *depth)) {
      InFlightDiagnostic diagnostic = op.emitOpError()
                                      << "has no choice " << *depth << " for its depth, which the schedule gives";
      diagnostic.attachNote(param.getLoc()) << "the choices are declared here";
      return diagnostic;
    }
    if (MatmulOp other = otherDepth(reference, *depth)) {
      InFlightDiagnostic diagnostic = op.emitOpError()
                                      << "has a depth of " << *depth << " by its schedule, and another "
                                      << "product another one by the same parameter " << reference
                                      << ", expected one, or 'tiles' of their own";
      diagnostic.attachNote(other.getLoc()) << "the other product is here";
      return diagnostic;
    }
    param.setPreferred(*depth);
    return success();
  }

  /// A product whose tiles are as deep by the same parameter, and whose schedule was given another depth.
  MatmulOp otherDepth(FlatSymbolRefAttr reference, int64_t depth) {
    MatmulOp found;
    program.walk([&](MatmulOp other) {
      ScheduleAttr schedule = scheduleOf(other);
      std::optional<int64_t> given = schedule ? schedule.givenNumber(ScheduleKey::Depth) : std::nullopt;
      if (given && *given != depth && other.getTiles() && (*other.getTiles())[2] == reference)
        found = other;
    });
    return found;
  }

  LogicalResult takeWay() {
    if (std::optional<int64_t> parts = schedule.givenNumber(ScheduleKey::Split))
      op.setSplit(*parts > 1 ? std::optional<uint64_t>(*parts) : std::nullopt);
    if (std::optional<int64_t> behind = schedule.givenNumber(ScheduleKey::Behind))
      op.setBehind(*behind);
    if (op.getBehind() && !op.getSplit() && schedule.isGiven(ScheduleKey::Behind))
      return op.emitOpError() << "has no split of the depth, which the schedule gives to the tiles behind "
                              << static_cast<int64_t>(*op.getBehind());
    if (!op.getSplit())
      op.setBehind(std::nullopt);
    if (op.getSplit() && (leadingDims(op) || op.getRows()))
      return op.emitOpError() << "cannot be split, as the schedule says: expected operands of two dimensions"
                              << (op.getRows() ? " without 'rows'" : "");
    if (!schedule.isGiven(ScheduleKey::Swapped))
      return success();
    op.setSwapped(cast<BoolAttr>(schedule.valueOf(ScheduleKey::Swapped)).getValue());
    return success();
  }

  /// Of a product as it is written. Results whose columns are no multiple of 32 are turned in narrower parts: such
  /// widths must save more clocks than that takes (1000 x 1144 x 1096 on an H200: 144 columns, 1 % less than 128 by
  /// prediction, take 7 % more).
  TileSizes cheapestWritten(const ProductShape &shape, TileChoices choices, const Target &target) {
    TileSizes best = cheapestTile(shape, choices, target, given);
    llvm::erase_if(choices.columns, [](int64_t columns) { return columns % 32 != 0 && columns > 32; });
    if (best.columns % 32 == 0 || choices.columns.empty())
      return best;
    TileSizes wide = cheapestTile(shape, choices, target, given);
    double clocks = loopCost(shape, best, target, given).clocks, others = loopCost(shape, wide, target, given).clocks;
    return others > 0 && clocks >= others * 0.97 ? wide : best;
  }

  /// By which share of the clocks tiles of the transpose must be faster, 1 for any; nothing where they are not looked
  /// at.
  std::optional<double> leastGain(const ProductShape &shape, const TileSizes &straight, Widths widths,
                                  const Target &target) {
    // Fewer rows than a matrix instruction that reads LDS has, whose columns may be few.
    auto isHigher = [&](const MatrixInstructionInfo &info) { return info.readsShared() && info.m > shape.rows; };
    if (llvm::any_of(target.matrix, isHigher))
      return 1;
    if (widths == Widths::Powers)
      return std::nullopt;
    // The last tile would reach beyond the rows, and columns may be as many as these (1000 x 1144 x 1096 on an H200:
    // 1 % predicted, 3 % lost). Where rows are whole tiles too, others may fill the last round of several better; tiles
    // of one round may be split instead.
    if (shape.rows % straight.rows == 0 && tasksOf(shape, straight) <= target.units())
      return std::nullopt;
    // Of many rows on an H200, 2 % predicted gained nothing, 4 to 11 % gained 3 to 11 %. The panels of an operand that
    // lies K x N cost less than predicted: where they alone are saved 8 to 11 % gained 2 to 8 %, and 6 % lost 3 %.
    return shape.across && !shape.leftAcross ? 0.925 : 0.97;
  }

  /// Sizes of tiles that are made as those of the transpose, where that costs less.
  std::optional<TileSizes> chooseSwapped(const ProductShape &shape, const TileSizes &straight, Widths widths,
                                         const Target &target) {
    bool isGiven = schedule.isGiven(ScheduleKey::Swapped);
    std::optional<double> share = leastGain(shape, straight, widths, target);
    if (isGiven ? !op.getSwapped() : !share)
      return std::nullopt;
    ProductShape turned = shape.swapped();
    TileChoices all = choicesOf({1, 1, 1}, widths);
    TileSizes sizes = cheapestTile(turned, {all.columns, all.rows, all.depth}, target, given);
    double clocks = loopCost(turned, sizes, target, given).clocks;
    double others = loopCost(shape, straight, target, given).clocks;
    if (!isGiven && (!isStreamed(turned, sizes, target) || (others > 0 && clocks >= others * *share)))
      return std::nullopt;
    return TileSizes{sizes.columns, sizes.rows, sizes.depth};
  }

  /// A tile, and parts of the depth, of which each is the task of another workgroup.
  struct Split {
    TileSizes sizes;
    uint64_t parts;
    uint64_t behind = 0; ///< tiles that are one task's each
  };

  static int64_t tasksOf(const ProductShape &shape, const TileSizes &sizes) {
    return llvm::divideCeil(shape.rows, sizes.rows) * llvm::divideCeil(shape.columns, sizes.columns);
  }

  /// Those of a product whose tasks have a unit each.
  static double clocksOf(const ProductShape &shape, const LoopCost &cost, const Target &target) {
    if (isStreamed(shape, cost.tiles, target))
      return clocksOfOneRound(shape, cost, target);
    return target.lds.mappedRowBytes ? clocksWithMemory(shape, cost, target) : cost.clocks;
  }

  /// Tiles that fill rounds of the units, and parts of those behind them; nothing where that is not predicted to save
  /// 15 % of the clocks. With less, a last round of few tiles is too fast for parts to gain: by a prediction of .8,
  /// 3072 x 3072 x 8192 across took .87 of the time on an H200, and 2048 x 7168 x 8192 1.02 by one of .9.
  std::optional<Split> chooseLastRound(const ProductShape &shape, const TileSizes &sizes, Widths widths,
                                       const Target &target) {
    if (op.getSwapped() || statementBeside(op))
      return std::nullopt;
    double fewest = 0.85 * loopCost(shape, sizes, target, given).clocks;
    std::optional<Split> best;
    for (const LoopCost &cost : loopCosts(shape, choicesOf(kLeastChosen, Widths::Powers, widths), target, given)) {
      auto [tiles, clocks] = cheapestLastRound(shape, cost, target);
      if (tiles.parts == 1 || clocks >= fewest)
        continue;
      fewest = clocks;
      best = Split{cost.tiles, static_cast<uint64_t>(tiles.parts), static_cast<uint64_t>(tiles.whole)};
    }
    return best;
  }

  /// Of those with which all parts of all tiles have a unit each, what takes least time; nothing where that is not less
  /// than without parts. Of more tiles than units the last ones alone.
  std::optional<Split> chooseSplit(ProductShape shape, TileSizes sizes, Widths widths, const Target &target) {
    if (!isOwn(op) || !hasGivenExtents() || leadingDims(op))
      return std::nullopt;
    if (tasksOf(shape, sizes) > target.units())
      return chooseLastRound(shape, sizes, widths, target);
    TileChoices all = choicesOf(op.getSwapped() ? ArrayRef<int64_t>{1, 1, 1} : ArrayRef(kLeastChosen));
    if (op.getSwapped()) {
      shape = shape.swapped();
      std::swap(sizes.rows, sizes.columns);
      std::swap(all.rows, all.columns);
    }
    if (tasksOf(shape, sizes) > target.units())
      return std::nullopt;
    // A tenth less is within what the model errs.
    double fewest = 0.9 * clocksOf(shape, loopCost(shape, sizes, target, given), target);
    std::optional<Split> best;
    for (shape.parts = 2; shape.parts <= target.units(); shape.parts *= 2)
      for (const LoopCost &cost : loopCosts(shape, all, target, given)) {
        const double clocks = clocksOf(shape, cost, target);
        if (shape.parts * tasksOf(shape, cost.tiles) > target.units() ||
            shape.depth % (shape.parts * cost.tiles.depth) != 0 || clocks >= fewest ||
            (isStreamed(shape, cost.tiles, target) && !liePlain()))
          continue;
        fewest = clocks;
        best = Split{cost.tiles, static_cast<uint64_t>(shape.parts)};
      }
    if (best && op.getSwapped())
      std::swap(best->sizes.rows, best->sizes.columns);
    return best;
  }

  /// Whether a copy engine can be told of parts of the operands: their rows follow each other.
  bool liePlain() {
    auto isPlain = [&](Value operand) {
      if (auto alloc = operand.getDefiningOp<AllocOp>())
        return !alloc.getPersistent();
      auto argument = dyn_cast<BlockArgument>(operand);
      return argument && argumentStrides(program, argument.getArgNumber() - program.getNumExtents()).empty();
    };
    return isPlain(op.getLhs()) && llvm::all_of(op.getRhs(), isPlain);
  }

  /// Whether all extents of the product are: how many tiles it has depends on them.
  bool hasGivenExtents() {
    auto isKnown = [&](Value buffer, unsigned dim) {
      return sizeOf(buffer, dim, kAssumedExtent) && sizeOf(buffer, dim, kAssumedExtent) == sizeOf(buffer, dim, 1);
    };
    auto dims = llvm::seq<unsigned>(0, leadingDims(op) + 2);
    return llvm::all_of(dims, [&](unsigned dim) { return isKnown(op.getDestination(), dim); }) &&
           isKnown(op.getLhs(), op.depthDim());
  }

  MatmulOp op;
  ProgramOp program;
  ArrayRef<Binding> parameters;
  SizeOf sizeOf;
  ScheduleAttr schedule;
  LoopGiven given;
  SmallVector<ParamOp> open = SmallVector<ParamOp>(3);
};

} // namespace

LogicalResult tilec::chooseTiles(ProgramOp program, ArrayRef<Binding> parameters, StringRef target, SizeOf sizeOf) {
  std::optional<Target> loaded;
  WalkResult result = program.walk([&](MatmulOp op) {
    ProductChoice choice(op, parameters, sizeOf);
    if (failed(choice.take()))
      return WalkResult::interrupt();
    if (!loaded) {
      FailureOr<Target> found = programTarget(program, target);
      if (failed(found))
        return WalkResult::interrupt();
      loaded = *found;
    }
    choice.choose(*loaded);
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

//===-- the schedule
//--------------------------------------------------------------------------------------------------===//

/// Whether something multiplies that a schedule could be of, and the target has what was given: the instruction, and
/// threads for the waves.
static LogicalResult verifyGiven(ScheduledOpInterface op, const Target &target) {
  ScheduleAttr schedule = op.getScheduleAttr();
  auto multiplies = [](Operation *inner) {
    return isa<DotOp, MatmulOp>(inner) ? WalkResult::interrupt() : WalkResult::advance();
  };
  StringRef what = isa<ProgramOp>(op) ? "program" : "statement";
  if (!op->walk(multiplies).wasInterrupted())
    return op->emitError() << "schedule '" << schedule.spellGiven() << "' given for a " << what
                           << " that multiplies nothing";
  int64_t most = kMostThreads / target.waveLanes;
  if (int64_t waves = schedule.givenNumber(ScheduleKey::Waves).value_or(1); waves > most)
    return op->emitError() << "schedule of " << waves << " waves, expected at most " << most << ": those of "
                           << target.name << " have " << target.waveLanes << " lanes";
  StringRef instruction = schedule.givenInstruction();
  SmallVector<StringRef> known;
  for (const MatrixInstructionInfo &info : target.matrix)
    if (!llvm::is_contained(known, info.name))
      known.push_back(info.name);
  if (!instruction.empty() && !llvm::is_contained(known, instruction))
    return op->emitError() << "schedule names instruction '" << instruction << "', and " << target.name << " has "
                           << listNames(known) << didYouMean(instruction, known);
  return success();
}

/// The instruction that `layout` takes for the tiles of a product.
static std::string instructionOf(const ProductShape &shape, const TileSizes &tiles, const LoopCost &cost,
                                 const Target &target) {
  if (isStreamed(shape, tiles, target))
    return cost.instruction;
  MatrixProblem problem{tiles.rows, tiles.columns, tiles.depth, shape.element, "", cost.waves};
  problem.accumulator = shape.element == "i8" ? "i32" : shape.element == "f64" ? "f64" : "f32";
  problem.fast = shape.fast;
  std::optional<MatrixTiling> tiling = chooseTiling(target.matrix, problem);
  return tiling ? tiling->instruction->info().name : "";
}

LoopCost tilec::expectedLoop(MatmulOp op, const Target &target) {
  auto [shape, tiles] = loopOf(op);
  LoopCost cost = loopCost(shape, tiles, target, givenOf(op));
  cost.instruction = instructionOf(shape, tiles, cost, target);
  return cost;
}

/// Takes what is open of the schedule of a product whose tiles have sizes.
static void chooseFor(MatmulOp op, const Target &target) {
  Builder builder(op.getContext());
  const ScheduleAttr given = scheduleOrEmpty(op);
  ScheduleAttr own = op.getScheduleAttr() ? op.getScheduleAttr() : ScheduleAttr::getEmpty(op.getContext());
  auto take = [&](ScheduleKey key, Attribute value) {
    if (!given.isGiven(key))
      own = own.withChosen(key, value);
  };
  auto takeNumber = [&](ScheduleKey key, uint64_t number) {
    take(key, builder.getI64IntegerAttr(static_cast<int64_t>(number)));
  };
  LoopCost cost = expectedLoop(op, target);
  takeNumber(ScheduleKey::Waves, cost.waves);
  takeNumber(ScheduleKey::Depth, cost.tiles.depth);
  // Where a copy engine may fill slots, and where an operand is transposed on its way, `schedule` finds how many.
  bool isPlain = !op.getLhsTransposed() && llvm::all_of(op.getTransposed(), [](bool is) { return is; });
  if (cost.resident > 0 && isPlain && !target.lds.mappedRowBytes)
    takeNumber(ScheduleKey::Slots, cost.slots);
  if (!cost.instruction.empty())
    take(ScheduleKey::Instruction, builder.getStringAttr(cost.instruction));
  if (op.getSplit())
    takeNumber(ScheduleKey::Split, *op.getSplit());
  if (op.getBehind())
    takeNumber(ScheduleKey::Behind, *op.getBehind());
  if (op.getSwapped())
    take(ScheduleKey::Swapped, builder.getBoolAttr(true));
  op.setScheduleAttr(own);
}

/// What was given alone: what was chosen before was for what was known then.
static void forgetChosen(ScheduledOpInterface op) {
  if (ScheduleAttr schedule = op.getScheduleAttr())
    op.setScheduleAttr(schedule.hasGiven() ? schedule.withoutChosen() : ScheduleAttr());
}

LogicalResult tilec::chooseSchedules(ProgramOp program, const Target &target) {
  WalkResult result = program->walk<WalkOrder::PreOrder>([&](ScheduledOpInterface op) {
    forgetChosen(op);
    return WalkResult(LogicalResult(failure(op.getScheduleAttr() && failed(verifyGiven(op, target)))));
  });
  if (!result.wasInterrupted())
    program.walk([&](MatmulOp op) { chooseFor(op, target); });
  return failure(result.wasInterrupted());
}

std::vector<LoopCost> tilec::loopCandidates(MatmulOp written, MatmulOp op, ArrayRef<Binding> parameters,
                                            const Target &target) {
  auto [shape, tiles] = loopOf(op);
  using Widths = ProductChoice::Widths;
  ProductChoice made(op, parameters, sizeBehindSpecialize), choice(written, parameters, sizeBehindSpecialize);
  TileChoices all = op.getSwapped() ? choice.choicesOf({1, 1, 1}, made.rowWidths(target))
                                    : choice.choicesOf(kLeastChosen, Widths::Powers, made.columnWidths(target));
  if (op.getSwapped())
    std::swap(all.rows, all.columns);
  LoopGiven given = givenOf(op);
  std::vector<LoopCost> costs = loopCosts(shape, all, target, given);
  LoopCost chosen = loopCost(shape, tiles, target, given);
  auto consider = [&](LoopGiven other) {
    if (LoopCost cost = loopCost(shape, tiles, target, other); cost.clocks > 0)
      costs.push_back(cost);
  };
  if (!given.waves)
    for (int64_t waves : {chosen.waves / 2, chosen.waves * 2})
      if (waves > 0 && waves * target.waveLanes <= kMostThreads)
        consider({waves, given.slots});
  if (!given.slots)
    for (int64_t slots : {chosen.slots / 2, chosen.slots * 2})
      if (slots >= 2)
        consider({given.waves, slots});
  return costs;
}
