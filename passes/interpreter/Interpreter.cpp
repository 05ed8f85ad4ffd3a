// Creation, launches and statements of the oracle.
#include "dialect/UnknownName.h"
#include "passes/interpreter/Agents.h"
#include "passes/interpreter/Inputs.h"
#include "tilec/constants.h"

#include "mlir/IR/TypeUtilities.h"

#include <unistd.h>

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;
using namespace tilec::interpreter;

FailureOr<std::unique_ptr<Interpreter>> Interpreter::create(ProgramOp program, const InterpreterOptions &options) {
  if (failed(program.requireWorld(options.world)))
    return failure();
  int64_t world = options.world ? options.world : static_cast<int64_t>(*program.getWorld());
  std::unique_ptr<Interpreter> result(new Interpreter(program, world));
  result->countsOnly = options.countsOnly;
  result->shortSums = options.shortSums;
  result->mostWork = options.mostWork;
  if (DictionaryAttr all = program.getParametersAttr())
    for (NamedAttribute chosen : all)
      if (auto value = dyn_cast<IntegerAttr>(chosen.getValue()))
        result->parameters[chosen.getName()] = value.getInt();
  for (ParamOp param : program.getBody().getOps<ParamOp>())
    result->parameters.try_emplace(param.getSymNameAttr(), param.getChoices().front());
  for (const auto &given : options.parameters) {
    auto it = result->parameters.find(StringAttr::get(program.getContext(), given.getKey()));
    if (it == result->parameters.end())
      return unknownParameter(program, given.getKey());
    it->second = given.getValue();
  }
  unsigned slot = program.getArguments().size();
  for (AllocOp alloc : program.getBody().getOps<AllocOp>())
    result->allocSlots[alloc] = slot++;
  result->memory.resize(world);
  for (auto &buffers : result->memory)
    buffers.resize(slot);
  return result;
}

std::unique_ptr<Interpreter> Interpreter::withNumbersIn(AllocOp alloc, Fill fill) const {
  std::unique_ptr<Interpreter> result(new Interpreter(program, world));
  result->shortSums = shortSums;
  result->parameters = parameters;
  result->allocSlots = allocSlots;
  result->memory.assign(world, std::vector<Buffer>(memory.front().size()));
  result->allocOfNumbers = alloc;
  result->fillOfNumbers = std::move(fill);
  return result;
}

/// Of a row-major position.
static Shape coordinatesOf(ArrayRef<int64_t> shape, int64_t element) {
  Shape result, strides = View::whole(0, shape).strides;
  for (auto [size, stride] : llvm::zip(shape, strides))
    result.push_back(element / stride % size);
  return result;
}

std::vector<Unwritten> Interpreter::getUnwritten() const {
  std::vector<Unwritten> result;
  for (AllocOp alloc : ProgramOp(program).getBody().getOps<AllocOp>())
    for (int64_t rank = 0; rank < world; ++rank) {
      const Buffer &buffer = scratch(rank, alloc);
      if (buffer.readUnwritten)
        result.push_back({alloc, rank, coordinatesOf(buffer.shape, *buffer.readUnwritten)});
      else if (buffer.passedOver)
        result.push_back({alloc, rank, Shape(), /*passedOver=*/true});
    }
  return result;
}

unsigned Interpreter::getNumArguments() const { return ProgramOp(program).getArguments().size(); }

/// Adds how a buffer or a view of it is used to what is known.
static void collectUses(mlir::Value buffer, bool &read, bool &written) {
  for (OpOperand &use : buffer.getUses()) {
    Operation *op = use.getOwner();
    if (auto access = dyn_cast<AccessOpInterface>(op)) {
      // Where data says which elements are written, the others keep what they had.
      read |= access.readsBuffer() || access.getEachDim();
      written |= access.writesBuffer();
    } else if (auto collective = dyn_cast<CollectiveOpInterface>(op)) {
      read |= use.get() == collective.getSource();
      written |= use.get() == collective.getDestination();
    } else if (auto product = dyn_cast<MatmulOp>(op)) {
      bool isInto = &use == &product.getDestinationMutable();
      read |= !isInto || product.getRows();
      written |= isInto;
    } else {
      for (mlir::Value result : op->getResults())
        if (isa<MemRefType>(result.getType()))
          collectUses(result, read, written);
    }
  }
}

Usage Interpreter::getUsage(unsigned argument) const {
  bool read = false, written = false;
  collectUses(ProgramOp(program).getArguments()[argument], read, written);
  return !written ? Usage::Input : read ? Usage::Both : Usage::Output;
}

LogicalResult Interpreter::resize(Buffer &buffer, Operation *op, Type type, ArrayRef<int64_t> shape) {
  int64_t elements = 1;
  for (auto [i, size] : llvm::enumerate(shape)) {
    if (size < 0)
      return op->emitOpError() << "dimension " << i << " of " << type << " has size " << size << ", expected 0 or more";
    if (__builtin_mul_overflow(elements, size, &elements) || elements > maxElements)
      return op->emitOpError() << "buffer of type " << type << " has more than " << maxElements << " elements";
  }
  Format format = *Format::get(getElementTypeOrSelf(type));
  buffer = countsOnly ? Buffer(format, {0}) : Buffer(format, shape);
  buffer.shape.assign(shape.begin(), shape.end());
  return success();
}

/// Bytes that the oracle keeps for one element: its value, its error and what is made of them on the way.
static constexpr double bytesPerElement = 24;

FailureOr<Shape> Interpreter::shapeOf(Attribute map, ArrayRef<int64_t> values) {
  SmallVector<int64_t> symbols{world};
  symbols.append(values.begin(), values.end());
  Shape sizes;
  for (AffineExpr expr : cast<AffineMapAttr>(map).getValue().getResults()) {
    FailureOr<int64_t> size = evaluate(expr, {}, symbols, program);
    if (failed(size))
      return failure();
    sizes.push_back(*size);
  }
  return sizes;
}

LogicalResult Interpreter::check(ArrayRef<int64_t> values) {
  if (values.size() != program.getNumExtents())
    return program.emitError() << "got " << values.size() << " extents, expected " << program.getNumExtents();
  for (auto [extent, value] : llvm::zip(program.getExtents(), values))
    if (value < 0)
      return mlir::emitError(extent.getLoc()) << "extent is " << value << ", expected 0 or more";
  double bytes = 0;
  for (Attribute map : program.getShapes()) {
    FailureOr<Shape> sizes = shapeOf(map, values);
    if (failed(sizes))
      return failure();
    double elements = world;
    for (int64_t size : *sizes)
      elements *= static_cast<double>(size);
    bytes += elements * bytesPerElement;
  }
  constexpr double gibibyte = 1 << 30;
  double machine = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  if (bytes > machine)
    return program.emitError() << "the oracle needs " << static_cast<int64_t>(bytes / gibibyte)
                               << " GiB for the arguments of " << world << " ranks, this machine has "
                               << static_cast<int64_t>(machine / gibibyte) << " GiB";
  return success();
}

std::optional<int64_t> Interpreter::getIndexCount(unsigned argument) {
  AffineMap count = program.getIndicesOf(argument);
  FailureOr<Shape> counts = count ? shapeOf(AffineMapAttr::get(count), extents) : FailureOr<Shape>(failure());
  return succeeded(counts) ? std::optional(counts->front()) : std::nullopt;
}

LogicalResult Interpreter::begin(ArrayRef<int64_t> values) {
  if (failed(check(values)))
    return failure();
  extents.assign(values.begin(), values.end());
  for (auto [i, argument, map] : llvm::enumerate(program.getArguments(), program.getShapes())) {
    FailureOr<Shape> sizes = shapeOf(map, values);
    if (failed(sizes))
      return failure();
    for (auto &buffers : memory) {
      if (failed(resize(buffers[i], program, argument.getType(), *sizes)))
        return failure();
      buffers[i].poison(/*undefined=*/false);
    }
  }
  return success();
}

void Interpreter::settle() {
  for (auto &buffers : memory)
    for (Buffer &buffer : buffers)
      buffer.settle();
  scattered.clear();
}

static bool synchronises(Operation *op) {
  return op
      ->walk([](Operation *inner) {
        return isa<SignalOp, WaitOp, ArriveOp>(inner) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// A loop around statements.
static bool repeatsStatements(Operation &op) {
  auto loop = dyn_cast<scf::ForOp>(op);
  return loop && !loop.getBody()->getOps<ForallOp>().empty();
}

/// Whether a statement takes no part in the barriers between statements.
static bool runsAlone(Operation &op) {
  if (isa<KernelOp>(op))
    return synchronises(&op);
  return !isa<AllocOp, ForallOp, MatmulOp, CollectiveOpInterface>(op) && !repeatsStatements(op);
}

/// A number that a launch gives; where nothing has content, any.
static Elements number(const Buffer &buffer) {
  Elements result(buffer.format, {});
  if (buffer.size())
    result.copy(0, buffer, 0);
  return result;
}

LogicalResult Interpreter::run(Left left) {
  if (extents.size() != program.getNumExtents())
    return program.emitError() << "launch has not begun";
  frames.assign(world, Frame());
  for (auto [rank, frame] : llvm::enumerate(frames)) {
    frame.rank = rank;
    for (auto [argument, value] : llvm::zip(program.getExtents(), extents))
      set(argument, Elements::index(value), frame);
    for (auto [i, argument] : llvm::enumerate(program.getArguments()))
      if (isa<MemRefType>(argument.getType()))
        frame.views[argument] = View::whole(i, memory[rank][i].shape);
      else
        set(argument, number(memory[rank][i]), frame);
  }
  work = 0;
  inexactScratch = false;
  followed.clear();
  stuck.reset();
  grids.clear();
  arrived.clear();
  const bool hasOwnSignals =
      llvm::any_of(program.getBody().getOps<KernelOp>(), [](KernelOp op) { return synchronises(op); });
  SmallVector<Operation *> together;
  for (Operation &op : program.getBody().front()) {
    // Kernels that synchronise by hand, and what each rank does alone beside them, know no barrier.
    if (!countsOnly && hasOwnSignals && runsAlone(op)) {
      together.push_back(&op);
      continue;
    }
    if (failed(runTogether(together)) || failed(executeStatement(op)))
      return failure();
    settle();
    if (!countsOnly && !hasOwnSignals)
      follow(op, left);
  }
  return runTogether(together);
}

LogicalResult Interpreter::runTogether(SmallVectorImpl<Operation *> &statements) {
  if (statements.empty())
    return success();
  LogicalResult result = success();
  if (llvm::any_of(statements, [](Operation *op) { return isa<KernelOp>(op); })) {
    Agents all(*this, statements);
    agents = &all;
    result = all.run();
    agents = nullptr;
  } else {
    for (Operation *op : statements)
      if (succeeded(result))
        result = executeStatement(*op);
  }
  statements.clear();
  settle();
  return result;
}

LogicalResult Interpreter::executeStatement(Operation &op) {
  if (auto kernel = dyn_cast<KernelOp>(op))
    return executeKernel(kernel);
  if (isa<CollectiveOpInterface>(op))
    return countsOnly ? success() : executeCollective(op);
  if (repeatsStatements(op))
    return executeSteps(cast<scf::ForOp>(op));
  for (Frame &frame : frames)
    if (failed(executeOnRank(op, frame)))
      return failure();
  return success();
}

/// Step after step on all ranks, with a barrier behind each statement. Ranks agree on the steps: `fuse` refuses bounds
/// that are not made of extents.
LogicalResult Interpreter::executeSteps(scf::ForOp loop) {
  auto low = index(loop.getLowerBound(), frames.front(), loop),
       high = index(loop.getUpperBound(), frames.front(), loop), step = index(loop.getStep(), frames.front(), loop);
  if (failed(low) || failed(high) || failed(step))
    return failure();
  auto format = Format::get(loop.getInductionVar().getType());
  for (int64_t at = *low; at < *high; at += *step) {
    for (Frame &frame : frames)
      set(loop.getInductionVar(), Elements::integer(*format, at), frame);
    for (Operation &op : *loop.getBody()) {
      if (failed(executeStatement(op)))
        return failure();
      settle();
    }
    if (*high - at <= *step)
      break;
  }
  return success();
}

LogicalResult Interpreter::executeOnRank(Operation &op, Frame &frame) {
  if (auto alloc = dyn_cast<AllocOp>(op))
    return allocate(alloc, frame);
  if (auto matmul = dyn_cast<MatmulOp>(op))
    return countsOnly ? success() : executeMatmul(matmul, frame);
  return execute(op, frame);
}

LogicalResult Interpreter::allocate(AllocOp op, Frame &frame) {
  FailureOr<Shape> shape = evaluateList(op.getSizes(), op.getExtents(), op.getParams(), frame, op);
  if (failed(shape))
    return failure();
  unsigned slot = allocSlots.lookup(op);
  Buffer &buffer = memory[frame.rank][slot];
  if (op.getPersistent())
    return keep(op, *shape, slot, frame);
  if (failed(resize(buffer, op, op.getResult().getType(), *shape)))
    return failure();
  buffer.poison(/*undefined=*/true);
  if (op == allocOfNumbers)
    fillOfNumbers(buffer, frame.rank);
  frame.views[op.getResult()] = View::whole(slot, *shape);
  return success();
}

/// Persistent scratch is as large as the largest launch so far has made it in each dimension, zero where nothing was
/// stored; a launch sees the elements that its extents name.
LogicalResult Interpreter::keep(AllocOp op, ArrayRef<int64_t> shape, unsigned slot, Frame &frame) {
  Buffer &buffer = memory[frame.rank][slot];
  Shape largest(shape.begin(), shape.end());
  bool isNew = buffer.shape.size() != shape.size();
  for (size_t d = 0; !isNew && d < shape.size(); ++d)
    largest[d] = std::max(largest[d], buffer.shape[d]);
  if (isNew || buffer.shape != largest) {
    Buffer before = std::move(buffer);
    if (failed(resize(buffer, op, op.getResult().getType(), largest)))
      return failure();
    View from = View::whole(slot, before.shape), to = View::whole(slot, largest);
    for (int64_t i = 0, n = isNew || countsOnly ? 0 : before.size(); i < n; ++i) {
      int64_t place = 0;
      for (size_t d = 0; d < largest.size(); ++d)
        place += i / from.strides[d] % before.shape[d] * to.strides[d];
      buffer.copy(place, before, i);
    }
  }
  View view = View::whole(slot, largest);
  view.sizes.assign(shape.begin(), shape.end());
  frame.views[op.getResult()] = view;
  return success();
}

LogicalResult Interpreter::executeKernel(KernelOp op) {
  for (RoleOp role : op.getBody().getOps<RoleOp>()) {
    for (Frame &frame : frames)
      if (failed(executeBlock(role.getBody().front(), frame)))
        return failure();
    settle();
  }
  return success();
}

LogicalResult Interpreter::executeForall(ForallOp op, Frame &frame) {
  Shape bounds;
  if (op.getBounds()) {
    FailureOr<Shape> list = evaluateList(*op.getBounds(), op.getExtents(), op.getParams(), frame, op);
    if (failed(list))
      return failure();
    bounds = *list;
  } else {
    View over = view(op.getBuffer(), frame);
    FailureOr<Shape> tiles = tileShape(*op.getTiles(), op);
    if (failed(tiles))
      return failure();
    for (auto [size, tile] : llvm::zip(over.sizes, *tiles))
      bounds.push_back((size + tile - 1) / tile);
  }
  if (llvm::any_of(bounds, [](int64_t bound) { return bound <= 0; }))
    return success();
  if (agents && isa<RoleOp>(op->getParentOp()))
    return agents->runTasks(op, bounds, frame);
  Shape coordinates(bounds.size(), 0);
  while (true) {
    for (auto [index, value] : llvm::zip(op.getIndices(), coordinates))
      set(index, Elements::index(value), frame);
    if (failed(executeBlock(op.getBody().front(), frame)))
      return failure();
    size_t d = bounds.size();
    while (d > 0 && ++coordinates[d - 1] == bounds[d - 1])
      coordinates[--d] = 0;
    if (d == 0)
      return success();
  }
}
