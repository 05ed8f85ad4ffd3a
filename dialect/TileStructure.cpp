// Verification of the program, its parameters and its scratch. The syntax of its header is ProgramSyntax's.
#include "dialect/Conditions.h"
#include "dialect/Limits.h"
#include "dialect/Scalars.h"
#include "dialect/Strides.h"
#include "dialect/Tile.h"
#include "tilec/constants.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

//===-- program
//-----------------------------------------------------------------------------------------------------===//

/// Peers and kernels address buffers by strides, in memory or in symmetric memory.
static LogicalResult verifyBuffer(function_ref<InFlightDiagnostic()> error, MemRefType type) {
  if (!isTileElement(type.getElementType()) || type.getElementType().isInteger(1))
    return error() << "buffer of " << type.getElementType() << ", expected a type that memory holds";
  if (type.getRank() == 0)
    return error() << "buffer " << type << " has no dimension, expected at least one";
  if (type.getMemorySpace() && !isa<SymmetricAttr>(type.getMemorySpace()))
    return error() << "memory space " << type.getMemorySpace() << ", expected none or #tile.symmetric";
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)))
    return error() << "layout of " << type << " has no strides";
  for (auto [size, stride] : llvm::zip(type.getShape(), strides))
    if (stride <= 0 && !ShapedType::isDynamic(stride) && size != 1)
      return error() << "stride " << stride << " in " << type << ", expected a positive one";
  return success();
}

/// What the text decides: of dimensions with a constant stride, those of unknown size taken to have two elements.
static LogicalResult verifyApart(function_ref<InFlightDiagnostic()> error, MemRefType type, AffineMap sizes,
                                 AffineMap strides) {
  SmallVector<int64_t> counts, steps;
  for (auto [size, stride] : llvm::zip(sizes.getResults(), strides.getResults())) {
    auto count = dyn_cast<AffineConstantExpr>(size), step = dyn_cast<AffineConstantExpr>(stride);
    counts.push_back(count && (step || count.getValue() == 0) ? count.getValue() : step ? 2 : 1);
    steps.push_back(step ? step.getValue() : 1);
  }
  if (std::optional<Overlap> overlap = findOverlap(counts, steps))
    return error() << "elements of " << type << " share memory: dimension " << overlap->dim << " has stride "
                   << overlap->stride << ", the dimensions inside it reach over " << overlap->least;
  return success();
}

/// The launcher passes a pointer to the first element and extents, of which strides are expressions.
static LogicalResult verifyStrides(ProgramOp program, BlockArgument buffer, AffineMap sizes, AffineMap map) {
  auto error = [&]() { return mlir::emitError(buffer.getLoc()); };
  auto type = cast<MemRefType>(buffer.getType());
  if (type.getLayout().isIdentity())
    return map && map.getNumResults() ? LogicalResult(error() << "strides of an argument of type " << type
                                                              << ", which is contiguous: expected a strided layout")
                                      : success();
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)) || offset != 0)
    return error() << "argument has type " << type
                   << ", expected no offset: a launch gives a pointer to the first element";
  if (!map || map.getNumDims() != 0 || map.getNumSymbols() != 1 + program.getNumExtents() ||
      map.getNumResults() != strides.size())
    return error() << "argument of type " << type << " has no list of strides, one for each dimension over W and "
                   << program.getNumExtents() << " extents";
  for (auto [i, stride] : llvm::enumerate(map.getResults())) {
    auto constant = dyn_cast<AffineConstantExpr>(stride);
    if (constant && ShapedType::isDynamic(constant.getValue()))
      return error() << "stride of dimension " << i << " of " << type
                     << " is not known: name it, as in 'extents [%a: %M, 64 strides %lda, 1]'";
    if (constant && constant.getValue() < 0)
      return error() << "stride " << constant.getValue() << " of dimension " << i << ", expected a positive one";
    if (!ShapedType::isDynamic(strides[i]) && (!constant || constant.getValue() != strides[i]))
      return error() << "expected stride " << strides[i] << " of dimension " << i << ", as in " << type;
  }
  return verifyApart(error, type, sizes, map);
}

/// The clause as it could be written: sizes that are known, and names for those that are not.
static std::string extentsClause(ProgramOp program) {
  std::string clause;
  for (BlockArgument buffer : program.getBuffers()) {
    auto type = cast<MemRefType>(buffer.getType());
    auto name = dyn_cast<NameLoc>(buffer.getLoc());
    if (type.hasStaticShape())
      continue;
    std::string argument =
        name ? name.getName().str() : std::to_string(buffer.getArgNumber() - program.getNumExtents());
    clause += (clause.empty() ? "[%" : " [%") + argument + ": ";
    for (auto [dim, size] : llvm::enumerate(type.getShape()))
      clause += (dim ? ", " : "") + (ShapedType::isDynamic(size) ? "<size>" : std::to_string(size));
    clause += "]";
  }
  return clause;
}

/// Shows the syntax for this program: who forgets the clause has often never seen one.
static LogicalResult missingExtent(ProgramOp program, BlockArgument buffer, unsigned dim) {
  InFlightDiagnostic diagnostic = mlir::emitError(buffer.getLoc())
                                  << "dimension " << dim << " of " << buffer.getType()
                                  << " has no extent, expected one in a clause behind the arguments";
  Diagnostic &note = diagnostic.attachNote(program.getLoc());
  note << "the clause is 'extents " << extentsClause(program) << "', each <size> an expression over W and the extents";
  if (!program.getNumExtents())
    note << ", which are declared before the arguments: 'tile.program @" << program.getSymName() << "<%M, %N>(..)'";
  const char *separator = " ";
  for (BlockArgument extent : program.getExtents())
    if (auto name = dyn_cast<NameLoc>(extent.getLoc())) {
      note << separator << "%" << name.getName().getValue();
      separator = ", ";
    }
  return diagnostic;
}

static LogicalResult verifyArgument(ProgramOp program, BlockArgument buffer, AffineMap map, AffineMap strides) {
  auto error = [&]() { return mlir::emitError(buffer.getLoc()); };
  auto type = dyn_cast<MemRefType>(buffer.getType());
  if (!type && !isScalarArgument(buffer.getType()))
    return error() << "argument must be a memref or a number of f32, f64, i32 or i64, got " << buffer.getType();
  if (map.getNumDims() != 0 || map.getNumSymbols() != 1 + program.getNumExtents() ||
      static_cast<int64_t>(map.getNumResults()) != (type ? type.getRank() : 0))
    return error() << "shape " << AffineMapAttr::get(map) << " does not describe " << buffer.getType() << " over W and "
                   << program.getNumExtents() << " extents";
  if (!type)
    return success();
  for (auto [i, size] : llvm::enumerate(map.getResults())) {
    auto constant = dyn_cast<AffineConstantExpr>(size);
    if (constant && ShapedType::isDynamic(constant.getValue()))
      return missingExtent(program, buffer, i);
    if (constant && constant.getValue() < 0)
      return error() << "extent " << constant.getValue() << " of dimension " << i << ", expected 0 or more";
    if (!type.isDynamicDim(i) && (!constant || constant.getValue() != type.getDimSize(i)))
      return error() << "expected extent " << type.getDimSize(i) << " of dimension " << i << ", as in " << type;
  }
  if (failed(verifyBuffer(error, type)))
    return failure();
  return verifyStrides(program, buffer, map, strides);
}

/// Programs, kernels and roles give functions, files and comments of the text their names.
LogicalResult tilec::tile::verifyIdentifier(Operation *op, StringRef name) {
  bool identifier = !name.empty() && !llvm::isDigit(name.front()) &&
                    llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_'; });
  if (identifier)
    return success();
  return op->emitOpError() << "has the name '" << name << "', expected letters, digits and '_' as in C";
}

SmallVector<BlockArgument> ProgramOp::getBuffers() {
  return llvm::filter_to_vector(getArguments(),
                                [](BlockArgument argument) { return isa<MemRefType>(argument.getType()); });
}

SmallVector<BlockArgument> ProgramOp::getScalars() {
  return llvm::filter_to_vector(getArguments(),
                                [](BlockArgument argument) { return !isa<MemRefType>(argument.getType()); });
}

AffineMap ProgramOp::getStridesOf(unsigned argument) {
  AffineMap strides = getStrides() ? cast<AffineMapAttr>((*getStrides())[argument]).getValue() : AffineMap();
  return strides && strides.getNumResults() ? strides : AffineMap();
}

AffineMap ProgramOp::getIndicesOf(unsigned argument) {
  AffineMap count = getIndices() ? cast<AffineMapAttr>((*getIndices())[argument]).getValue() : AffineMap();
  return count && count.getNumResults() ? count : AffineMap();
}

static LogicalResult verifyIndices(ProgramOp program) {
  size_t arguments = program.getArguments().size(), flags = program.getDistinct() ? program.getDistinct()->size() : 0;
  size_t counts = program.getIndices() ? program.getIndices()->size() : 0;
  if (counts != flags || (counts != 0 && counts != arguments))
    return program.emitOpError() << "has " << counts << " counts of indices and " << flags << " flags for " << arguments
                                 << " arguments";
  for (auto [i, buffer] : llvm::enumerate(program.getArguments())) {
    AffineMap count = program.getIndicesOf(i);
    Type element = getElementTypeOrSelf(buffer.getType());
    if (count &&
        (count.getNumDims() != 0 || count.getNumSymbols() != 1 + program.getNumExtents() || count.getNumResults() != 1))
      return program.emitOpError() << "has " << AffineMapAttr::get(count)
                                   << " as a count of indices, expected one expression over W and "
                                   << program.getNumExtents() << " extents";
    if (count && !element.isSignlessInteger(32))
      return mlir::emitError(buffer.getLoc())
             << "indices in an argument of type " << buffer.getType() << ", expected one of i32";
  }
  return success();
}

/// What no extents can change is no condition, or one that no launch keeps.
static LogicalResult verifyConditions(ProgramOp program) {
  std::optional<IntegerSet> set = program.getConditions();
  if (!set)
    return success();
  if (set->getNumDims() != 0 || set->getNumSymbols() != 1 + program.getNumExtents())
    return program.emitOpError() << "has conditions over " << set->getNumInputs() << " symbols, expected W and "
                                 << program.getNumExtents() << " extents";
  for (const Condition &condition : conditionsOf(program)) {
    auto constant = dyn_cast<AffineConstantExpr>(condition.constraint());
    if (constant && (condition.isEquality ? constant.getValue() != 0 : constant.getValue() < 0))
      return program.emitOpError() << "has the condition '" << describe(program, condition)
                                   << "', which no launch can keep";
  }
  return success();
}

static LogicalResult verifyWorld(ProgramOp program, int64_t world) {
  if (world < 1)
    return program.emitError() << "world of " << world << " ranks, expected at least 1";
  if (world > most_ranks)
    return program.emitError() << "world of " << world << " ranks, expected at most " << most_ranks;
  return success();
}

LogicalResult ProgramOp::requireWorld(int64_t given) {
  if (given && failed(verifyWorld(*this, given)))
    return failure();
  if (given && getWorld() && static_cast<int64_t>(*getWorld()) != given) {
    InFlightDiagnostic diagnostic = emitError()
                                    << "program is for a world of " << *getWorld() << " ranks, got world " << given;
    diagnostic.attachNote(getLoc()) << "its header says 'world " << *getWorld()
                                    << "': without it, --world gives the world";
    return diagnostic;
  }
  if (!given && !getWorld())
    return emitError() << "world is not known: write 'world N' in the program or give --world N";
  return success();
}

LogicalResult ProgramOp::verify() {
  if (failed(verifyIdentifier(*this, getSymName())))
    return failure();
  Block::BlockArgListType arguments = getBody().getArguments();
  auto numExtents = static_cast<int64_t>(getNumExtents());
  if (numExtents < 0 || numExtents > static_cast<int64_t>(arguments.size()))
    return emitOpError() << "has " << arguments.size() << " arguments, of which " << numExtents << " are extents";
  for (BlockArgument extent : getExtents())
    if (!extent.getType().isIndex())
      return emitOpError() << "extent has type " << extent.getType() << ", expected index";
  if (getWorld() && failed(verifyWorld(*this, static_cast<int64_t>(*getWorld()))))
    return failure();
  if (getVerified() &&
      failed(getVerified()->verifyFor([&] { return emitOpError(); }, numExtents, getArguments().size())))
    return failure();
  if (getShapes().size() != getArguments().size())
    return emitOpError() << "has " << getShapes().size() << " shapes for " << getArguments().size() << " arguments";
  if (getStrides() && getStrides()->size() != getArguments().size())
    return emitOpError() << "has " << getStrides()->size() << " lists of strides for " << getArguments().size()
                         << " arguments";
  for (auto [i, buffer, shape] : llvm::enumerate(getArguments(), getShapes()))
    if (failed(verifyArgument(*this, buffer, cast<AffineMapAttr>(shape).getValue(), getStridesOf(i))))
      return failure();
  return failure(failed(verifyIndices(*this)) || failed(verifyConditions(*this)) || failed(verifySatisfiable(*this)));
}

//===-- param, extent, alloc
//----------------------------------------------------------------------------------------===//

LogicalResult ParamOp::verify() {
  if (getChoices().empty())
    return emitOpError() << "expected at least one choice, got none";
  for (int64_t choice : getChoices())
    if (choice <= 0)
      return emitOpError() << "choice " << choice << ", expected a positive value";
  if (getPreferred() && !llvm::is_contained(getChoices(), static_cast<int64_t>(*getPreferred())))
    return emitOpError() << "expected one of the choices as default, got " << *getPreferred();
  return success();
}

LogicalResult ExtentOp::verify() {
  if (getSizes().getNumResults() != 1)
    return emitOpError() << "has " << getSizes().getNumResults() << " expressions, expected 1";
  return verifyExtents(*this, getExtents().size(), getSizes(), getParams());
}

void AllocOp::getEffects(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  effects.emplace_back(MemoryEffects::Allocate::get(), cast<OpResult>(getResult()));
}

LogicalResult AllocOp::verify() {
  auto type = cast<MemRefType>(getType());
  if (failed(verifyExtents(*this, getExtents().size(), getSizes(), getParams())))
    return failure();
  if (static_cast<int64_t>(getSizes().getNumResults()) != type.getRank())
    return emitOpError() << "has " << getSizes().getNumResults() << " sizes, expected " << type.getRank() << " as in "
                         << type;
  if (!type.getLayout().isIdentity())
    return emitOpError() << "expected a contiguous type, got " << type;
  if (getCopies() == 0 || getCopies() > kMostLaunches)
    return emitOpError() << "has " << static_cast<int64_t>(getCopies()) << " copies, expected 1 to " << kMostLaunches;
  for (auto [i, size] : llvm::enumerate(getSizes().getResults())) {
    auto constant = dyn_cast<AffineConstantExpr>(size);
    if (!type.isDynamicDim(i) && (!constant || constant.getValue() != type.getDimSize(i)))
      return emitOpError() << "expected size " << type.getDimSize(i) << " of dimension " << i << ", as in " << type;
    if (constant && constant.getValue() < 0)
      return emitOpError() << "size of dimension " << i << " is " << constant.getValue() << ", expected 0 or more";
  }
  return verifyBuffer([&]() { return emitOpError(); }, type);
}
