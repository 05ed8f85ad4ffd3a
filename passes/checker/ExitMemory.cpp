// Recognises addresses by their numbers.
#include "passes/checker/ExitMemory.h"
#include "dialect/Conditions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::checker;

ExitMemory::ExitMemory(tile::ProgramOp program, Workspace workspace)
    : program(program), workspace(std::move(workspace)) {
  // Unlike, large against the sizes of tiles, and of unlike remainders.
  for (int64_t base : {10007, 20011}) {
    SmallVector<int64_t> &values = trials.emplace_back();
    // Of the launch, then the greatest: what is laid out for the one is not where the other says.
    for (unsigned i = 0; i < 2 * program.getNumExtents(); ++i)
      values.push_back(base + 1009 * i * i + 613 * i);
    // Pitches that follow sizes are as unlike as these; others might equal one.
    for (auto part : {MutableArrayRef(values).take_front(program.getNumExtents()),
                      MutableArrayRef(values).drop_front(program.getNumExtents())})
      tile::makeLaunchable(
          program, program.getWorld().value_or(1), part, [](unsigned) { return false; },
          /*unlike=*/1009);
  }
  findPlaces();
}

void ExitMemory::findPlaces() {
  for (auto [number, buffer] : llvm::enumerate(workspace.buffers))
    bufferAt[evaluate(buffer.offset, /*greatest=*/true)].push_back(number);
  for (auto [number, grid] : llvm::enumerate(workspace.grids))
    gridAt[evaluate(grid.offset, /*greatest=*/true)].push_back(number);
}

FailureOr<ExitMemory> ExitMemory::of(tile::ProgramOp program) {
  FailureOr<Workspace> workspace = Workspace::of(program);
  if (failed(workspace))
    return failure();
  return ExitMemory(program, std::move(*workspace));
}

void ExitMemory::bind(hip::LauncherOp launcher, ValueRange passed, Block &body) {
  unsigned pointers = launcher.getNumPointers(), numExtents = launcher.getNumExtents();
  auto add = [&](BlockArgument argument, unsigned number) {
    if (number > 0 && number <= pointers) {
      if (BlockArgument known = program.getArguments()[number - 1]; isa<MemRefType>(known.getType()))
        buffers[argument] = known;
    } else if (number == pointers + 1) {
      buffers[argument] = Value();
    } else if (number > pointers + 1 && numExtents) {
      extents[argument] = (number - pointers - 2) % (2 * numExtents);
    }
  };
  for (BlockArgument argument : launcher.getBody().getArguments())
    add(argument, argument.getArgNumber());
  for (auto [value, argument] : llvm::zip(passed, body.getArguments())) {
    if (auto map = value.getDefiningOp<hip::TensorMapOp>())
      mapped[argument] = map;
    else if (auto given = dyn_cast<BlockArgument>(value))
      add(argument, given.getArgNumber());
  }
}

/// Whether the launcher lets a map begin where an argument or an alloc does.
bool ExitMemory::beginsAt(hip::TensorMapOp map, Value root) const {
  Value pointer = map.getPointer();
  if (isa<BlockArgument>(root))
    return buffers.lookup(pointer) == root;
  std::optional<Numbers> offset = Numbers{};
  if (auto advance = pointer.getDefiningOp<hip::AdvanceOp>()) {
    offset = evaluate(advance.getElements());
    pointer = advance.getPointer();
  }
  return isWorkspace(pointer) && offset == evaluate(workspace.find(root)->offset, /*greatest=*/true);
}

bool ExitMemory::isSame(ValueRange a, ValueRange b) const {
  return a.size() == b.size() &&
         llvm::all_of_zip(a, b, [&](Value x, Value y) { return evaluate(x) && evaluate(x) == evaluate(y); });
}

/// Whether what a map describes is the row of the copies of an alloc, and `matrix` this launch's.
bool ExitMemory::isRowOfCopies(hip::TensorMapOp map, Value root, Value matrix) const {
  auto alloc = root.getDefiningOp<tile::AllocOp>();
  auto number = matrix.getDefiningOp<hip::CopyNumberOp>();
  if (!alloc || !number || number.getCopies() != alloc.getCopies())
    return false;
  std::optional<Numbers> apart = evaluate(map.getStrides().front()), count = evaluate(map.getExtents().front());
  Numbers bytes = evaluate(workspace.find(root)->copyBytes, /*greatest=*/true);
  for (unsigned i = 0; i < kTrials; ++i)
    if (!apart || !count || (*apart)[i] * elementBytes(alloc.getResult().getType().getElementType()) != bytes[i] ||
        (*count)[i] != int64_t(alloc.getCopies()))
      return false;
  return true;
}

/// Whether it is that of the matrices, as large as a view, that a buffer of one copy is made of, behind each other or
/// side by side, and the view begins where number `matrix` does.
bool ExitMemory::isRowOfParts(hip::TensorMapOp map, Value root, hip::ViewAtOp view, Value matrix) const {
  ValueRange extents = map.getExtents(), strides = map.getStrides(), offsets = view.getOffsets();
  auto alloc = root.getDefiningOp<tile::AllocOp>();
  if ((alloc && alloc.getCopies() > 1) || extents.size() != 3 || offsets.size() != 2)
    return false;
  const bool isBeside = getConstantIntValue(offsets[1]) != 0;
  auto start = offsets[isBeside].getDefiningOp<arith::MulIOp>();
  if (getConstantIntValue(offsets[!isBeside]) != 0)
    return false;
  ValueRange size = view.getExtents().slice(isBeside, 1);
  bool isNumbered = (start && start.getLhs() == matrix && isSame(ValueRange(start.getRhs()), size)) ||
                    (start && start.getRhs() == matrix && isSame(ValueRange(start.getLhs()), size)) ||
                    (offsets[isBeside] == matrix && getConstantIntValue(size.front()) == 1);
  std::optional<Numbers> count = evaluate(extents[0]), part = evaluate(extents[1 + isBeside]),
                         apart = evaluate(strides[0]), pitch = evaluate(strides[1]);
  if (!isNumbered || !count || !part || !apart || !pitch)
    return false;
  Numbers all = evaluate(shapeOf(root)[isBeside]);
  // As many as the buffer has: the view of a matrix that the map lacks lies inside the buffer too.
  for (unsigned i = 0; i < kTrials; ++i)
    if ((*part)[i] <= 0 || (*count)[i] != all[i] / (*part)[i] ||
        (*apart)[i] != (*part)[i] * (isBeside ? 1 : (*pitch)[i]))
      return false;
  return true;
}

bool ExitMemory::isSame(Value view, hip::TensorMapOp map, Value matrix) const {
  auto plain = view.getDefiningOp<hip::ViewOp>();
  auto at = view.getDefiningOp<hip::ViewAtOp>();
  if (!plain && !at)
    return false;
  Value pointer = at ? at.getPointer() : plain.getPointer();
  ValueRange viewExtents = at ? at.getExtents() : plain.getExtents();
  ValueRange viewStrides = at ? at.getStrides() : plain.getStrides();
  auto argument = buffers.find(pointer);
  Value root = argument != buffers.end() ? argument->second : rootOf(pointer);
  if (!root || !beginsAt(map, root))
    return false;
  auto alloc = root.getDefiningOp<tile::AllocOp>();
  bool isWhole = !at && !matrix && (!alloc || alloc.getCopies() == 1);
  bool fits = isWhole || (matrix && (at ? isRowOfParts(map, root, at, matrix) : isRowOfCopies(map, root, matrix)));
  unsigned dropped = isWhole ? 0 : 1;
  return fits && isSame(viewExtents, map.getExtents().drop_front(dropped)) &&
         isSame(viewStrides, map.getStrides().drop_front(dropped));
}

std::optional<unsigned> ExitMemory::extentOf(Value argument) const {
  auto it = extents.find(argument);
  return it == extents.end() ? std::nullopt : std::optional(it->second % program.getNumExtents());
}

std::optional<ExitMemory::Number> ExitMemory::combine(Operation *op, Number a, Number b) {
  Number result;
  if (isa<arith::AddIOp>(op))
    return __builtin_add_overflow(a, b, &result) ? std::nullopt : std::optional(result);
  if (isa<arith::SubIOp>(op))
    return __builtin_sub_overflow(a, b, &result) ? std::nullopt : std::optional(result);
  if (isa<arith::MulIOp>(op))
    return __builtin_mul_overflow(a, b, &result) ? std::nullopt : std::optional(result);
  if (isa<arith::MaxSIOp>(op))
    return std::max(a, b);
  if (isa<arith::MinSIOp>(op))
    return std::min(a, b);
  // Extents are not negative, so that all divisions round alike.
  if (isa<arith::DivSIOp, arith::FloorDivSIOp>(op) && b > 0)
    return a / b;
  if (isa<arith::CeilDivSIOp>(op) && b > 0)
    return (a + b - 1) / b;
  if (isa<arith::RemSIOp>(op) && b > 0)
    return a % b;
  return std::nullopt;
}

/// The operands whose numbers make that of a value, when they all have some.
static ValueRange neededFor(Value value) {
  Operation *op = value.getDefiningOp();
  bool cast = isa_and_nonnull<arith::IndexCastOp, arith::ExtSIOp>(op);
  return op && (cast || (op->getNumOperands() == 2 && op->getNumResults() == 1)) ? ValueRange(op->getOperands())
                                                                                 : ValueRange();
}

std::optional<ExitMemory::Numbers> ExitMemory::evaluate(Value value, const Known &known) const {
  Numbers result;
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant))) {
    result.fill(constant.getSExtValue());
    return result;
  }
  if (auto extent = extents.find(value); extent != extents.end()) {
    for (unsigned i = 0; i < kTrials; ++i)
      result[i] = trials[i][extent->second];
    return result;
  }
  ValueRange operands = neededFor(value);
  if (operands.empty())
    return std::nullopt;
  std::optional<Numbers> a = known.lookup(operands.front()), b = known.lookup(operands.back());
  if (operands.size() == 1 || !a || !b)
    return operands.size() == 1 ? a : std::nullopt;
  for (unsigned i = 0; i < kTrials; ++i) {
    std::optional<Number> number = combine(value.getDefiningOp(), (*a)[i], (*b)[i]);
    if (!number)
      return std::nullopt;
    result[i] = *number;
  }
  return result;
}

/// Operands before what uses them, each once: a chain may be longer than the stack is deep.
std::optional<ExitMemory::Numbers> ExitMemory::evaluate(Value value) const {
  Known known;
  SmallVector<Value> pending{value};
  while (!pending.empty()) {
    Value next = pending.back();
    ValueRange needed = neededFor(next);
    auto unknown = llvm::find_if(needed, [&](Value operand) { return !known.contains(operand); });
    if (unknown != needed.end()) {
      pending.push_back(*unknown);
      continue;
    }
    known[next] = evaluate(next, known);
    pending.pop_back();
  }
  return known.lookup(value);
}

/// Not by folding, which gives up where 64 bits overflow. Of sizes and offsets: what divides is positive.
ExitMemory::Number ExitMemory::evaluate(AffineExpr expression, ArrayRef<int64_t> symbols) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expression))
    return constant.getValue();
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expression))
    return symbols[symbol.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expression);
  const Number a = evaluate(binary.getLHS(), symbols), b = evaluate(binary.getRHS(), symbols);
  switch (binary.getKind()) {
  case AffineExprKind::Add:
    return a + b;
  case AffineExprKind::Mul:
    return a * b;
  case AffineExprKind::Mod:
    return (a % b + b) % b;
  case AffineExprKind::FloorDiv:
    return a / b - (a % b < 0);
  default:
    return a / b + (a % b > 0);
  }
}

ExitMemory::Numbers ExitMemory::evaluate(AffineExpr expression, bool greatest) const {
  Numbers result;
  unsigned count = program.getNumExtents();
  for (unsigned i = 0; i < kTrials; ++i)
    result[i] = evaluate(expression, ArrayRef(trials[i]).slice(greatest ? count : 0, count));
  return result;
}

Value ExitMemory::rootOf(Value pointer) const {
  if (auto it = buffers.find(pointer); it != buffers.end() && it->second)
    return it->second;
  Operation *op = pointer.getDefiningOp();
  auto copied = dyn_cast_or_null<hip::CopyOfOp>(op);
  auto single = dyn_cast_or_null<hip::BufferOp>(op);
  if (copied || single) {
    Value base = copied ? copied.getBase() : single.getBase();
    std::optional<Numbers> offset = Numbers{};
    if (auto advance = base.getDefiningOp<hip::AdvanceOp>()) {
      offset = evaluate(advance.getElements());
      base = advance.getPointer();
    }
    auto scratch = buffers.find(base);
    auto here = offset ? bufferAt.find(*offset) : bufferAt.end();
    if (scratch != buffers.end() && !scratch->second && here != bufferAt.end())
      for (unsigned number : here->second) {
        const ScratchBuffer &buffer = workspace.buffers[number];
        tile::AllocOp alloc = buffer.alloc;
        if (single ? alloc.getCopies() == 1
                   : alloc.getCopies() == copied.getCopies() &&
                         evaluate(copied.getBytes()) == evaluate(buffer.copyBytes, /*greatest=*/true))
          return alloc.getResult();
      }
  }
  InFlightDiagnostic diagnostic = emitError(pointer.getLoc())
                                  << "addresses no argument and no 'tile.alloc' of the program, expected one of them "
                                     "with its offset, its copies and the bytes between them";
  return {};
}

tile::SignalsOp ExitMemory::gridOf(hip::SignalsOp grid) const {
  std::optional<Numbers> offset = evaluate(grid.getOffset());
  auto here = offset ? gridAt.find(*offset) : gridAt.end();
  for (unsigned number : here == gridAt.end() ? ArrayRef<unsigned>() : ArrayRef<unsigned>(here->second)) {
    const SignalGrid &declared = workspace.grids[number];
    if (declared.shape.size() != grid.getExtents().size())
      continue;
    bool same = true;
    for (auto [extent, size] : llvm::zip(grid.getExtents(), declared.shape))
      same &= evaluate(extent) == evaluate(size, /*greatest=*/true);
    if (same)
      return declared.signals;
  }
  grid.emitOpError() << "is none of the grids that the program declares, expected one with its offset and shape";
  return {};
}

SmallVector<AffineExpr> ExitMemory::shapeOf(Value root) const {
  if (auto alloc = root.getDefiningOp<tile::AllocOp>())
    return extentExpressions(program, alloc.getSizes(), alloc.getExtents());
  return argumentShape(program, cast<BlockArgument>(root).getArgNumber() - program.getNumExtents());
}

SmallVector<ExitMemory::Numbers> ExitMemory::stridesOf(Value root) const {
  SmallVector<Numbers> steps;
  if (auto argument = dyn_cast<BlockArgument>(root))
    for (AffineExpr stride : argumentStrides(program, argument.getArgNumber() - program.getNumExtents()))
      steps.push_back(evaluate(stride));
  if (!steps.empty())
    return steps;
  SmallVector<AffineExpr> shape = shapeOf(root);
  auto alloc = root.getDefiningOp<tile::AllocOp>();
  bool greatest = alloc && alloc.getPersistent();
  steps.resize(shape.size());
  for (size_t d = shape.size(); d-- > 0;)
    for (unsigned i = 0; i < kTrials; ++i)
      steps[d][i] = d + 1 == shape.size() ? 1 : steps[d + 1][i] * evaluate(shape[d + 1], greatest)[i];
  return steps;
}

bool ExitMemory::isStrided(Value root) const {
  auto argument = dyn_cast<BlockArgument>(root);
  return argument && program.getStridesOf(argument.getArgNumber() - program.getNumExtents());
}

SmallVector<ExitMemory::Dimension, 4> ExitMemory::dimensionsOf(Value root, ValueRange strides,
                                                               ValueRange viewExtents) const {
  SmallVector<AffineExpr> shape = shapeOf(root);
  SmallVector<Numbers> sizes, steps = stridesOf(root);
  for (AffineExpr size : shape)
    sizes.push_back(evaluate(size));
  // Of the outer ones of those taken: the innermost with this stride that can hold the view, or else one over whose
  // elements the view skips.
  SmallVector<Dimension, 4> result;
  size_t end = shape.size();
  for (auto [stride, extent] : llvm::reverse(llvm::zip_equal(strides, viewExtents))) {
    std::optional<Numbers> step = evaluate(stride), count = evaluate(extent);
    auto fits = [&](size_t d, bool skips) {
      for (unsigned i = 0; step && i < kTrials; ++i) {
        Number times = steps[d][i] ? (*step)[i] / steps[d][i] : 0;
        if (skips ? times < 1 || times * steps[d][i] != (*step)[i] : (*step)[i] != steps[d][i])
          return false;
        // Of one without elements nothing is accessed, however great a view of it would be.
        bool isGreater = i == 0 && sizes[d][i] > 0 && count && (*count)[i] > sizes[d][i];
        if (count && (skips ? ((*count)[i] - 1) * times >= sizes[d][i] : isGreater))
          return false;
      }
      return step.has_value();
    };
    bool found = false;
    for (bool skips : {false, true})
      for (size_t d = end; !found && d-- > 0;)
        if ((found = fits(d, skips))) {
          result.insert(result.begin(), {static_cast<unsigned>(d), skips});
          end = d;
        }
    if (!found)
      return {};
  }
  return result;
}
