// Syntax and verification of the program, its statements and its scratch.
#include "dialect/Conditions.h"
#include "dialect/Limits.h"
#include "dialect/Strides.h"
#include "dialect/Suggestion.h"
#include "dialect/Tile.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

//===-- program
//-----------------------------------------------------------------------------------------------------===//

namespace {
struct ProgramHeader {
  SmallVector<OpAsmParser::Argument> extents, buffers;
  SmallVector<Attribute> shapes, strides, indices;
  SmallVector<bool> distinct;
  SmallVector<Condition> conditions;
};
} // namespace

/// Ops are verified before `parseTile` gives values their names; messages need those of extents and arguments.
static void keepName(OpAsmParser &parser, OpAsmParser::Argument &argument) {
  StringRef name = argument.ssaName.name.drop_front();
  if (!argument.sourceLoc && name.find_first_not_of("0123456789") != StringRef::npos)
    argument.sourceLoc =
        NameLoc::get(parser.getBuilder().getStringAttr(name), parser.getEncodedSourceLoc(argument.ssaName.location));
}

static ParseResult parseExtentNames(OpAsmParser &parser, ProgramHeader &header) {
  if (failed(parser.parseOptionalLess()))
    return success();
  auto parseName = [&]() -> ParseResult {
    OpAsmParser::Argument &argument = header.extents.emplace_back();
    argument.type = parser.getBuilder().getIndexType();
    if (parser.parseArgument(argument))
      return failure();
    keepName(parser, argument);
    return success();
  };
  return failure(parser.parseCommaSeparatedList(parseName) || parser.parseGreater());
}

/// The shape of a buffer argument before its extents clause: static dimensions as they are, dynamic ones unknown
/// (null).
static AffineMap staticShape(MemRefType type, unsigned numExtents) {
  MLIRContext *context = type.getContext();
  SmallVector<AffineExpr> sizes;
  for (int64_t dim : type.getShape())
    sizes.push_back(getAffineConstantExpr(dim, context));
  return AffineMap::get(0, 1 + numExtents, sizes, context);
}

/// The strides of a buffer argument before its extents clause: those of its type, dynamic ones unknown; no results
/// where it is contiguous.
static AffineMap staticStrides(MemRefType type, unsigned numExtents) {
  MLIRContext *context = type.getContext();
  SmallVector<int64_t> strides;
  int64_t offset;
  SmallVector<AffineExpr> steps;
  if (!type.getLayout().isIdentity() && succeeded(type.getStridesAndOffset(strides, offset)))
    for (int64_t stride : strides)
      steps.push_back(getAffineConstantExpr(stride, context));
  return AffineMap::get(0, 1 + numExtents, steps, context);
}

static SmallVector<StringRef> namesOf(ArrayRef<OpAsmParser::Argument> arguments) {
  return llvm::map_to_vector(arguments, [](const OpAsmParser::Argument &argument) { return argument.ssaName.name; });
}

/// Expressions over operands as expressions over the extents of the header.
static FailureOr<AffineMap> overHeader(OpAsmParser &parser, const ProgramHeader &header,
                                       ArrayRef<OpAsmParser::UnresolvedOperand> operands, AffineMap map) {
  MLIRContext *context = parser.getContext();
  SmallVector<AffineExpr> symbols{getAffineSymbolExpr(0, context)};
  for (const OpAsmParser::UnresolvedOperand &operand : operands) {
    auto *extent = llvm::find_if(
        header.extents, [&](const OpAsmParser::Argument &other) { return other.ssaName.name == operand.name; });
    if (extent == header.extents.end())
      return parser.emitError(operand.location) << "unknown extent '" << operand.name << "', expected one of the header"
                                                << didYouMean(operand.name, namesOf(header.extents));
    symbols.push_back(getAffineSymbolExpr(1 + (extent - header.extents.begin()), context));
  }
  return map.replaceDimsAndSymbols({}, symbols, 0, 1 + header.extents.size());
}

/// A list of expressions over the extents of the header, one for each dimension of an argument.
static FailureOr<AffineMapAttr> parseArgumentExprs(OpAsmParser &parser, const ProgramHeader &header,
                                                   const OpAsmParser::Argument *&buffer,
                                                   OpAsmParser::UnresolvedOperand name, StringRef what) {
  SMLoc loc = name.location;
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  AffineMapAttr sizes;
  ArrayAttr params;
  if (parseExtentExprs(parser, operands, sizes, params))
    return failure();
  buffer = llvm::find_if(header.buffers,
                         [&](const OpAsmParser::Argument &other) { return other.ssaName.name == name.name; });
  if (buffer == header.buffers.end() || name.number != 0)
    return parser.emitError(loc) << "expected " << what << " of an argument of this program, got '" << name.name << "'"
                                 << didYouMean(name.name, namesOf(header.buffers));
  if (!params.empty())
    return parser.emitError(loc) << what << " of an argument may not depend on parameter " << params[0];
  FailureOr<AffineMap> exprs = overHeader(parser, header, operands, sizes.getValue());
  if (failed(exprs))
    return failure();
  auto type = dyn_cast<MemRefType>(buffer->type);
  if (!type || type.getRank() != static_cast<int64_t>(exprs->getNumResults()))
    return parser.emitError(loc) << "expected " << what << " for each dimension of " << buffer->type
                                 << ", the type of '" << name.name << "', got " << exprs->getNumResults();
  return AffineMapAttr::get(*exprs);
}

/// `[%a: W * %M, 64]` or `[%a: W * %M, 64 strides %lda, 1]`: the sizes of one argument, and its strides, over the
/// extents of the header.
static ParseResult parseShapeClause(OpAsmParser &parser, ProgramHeader &header) {
  OpAsmParser::UnresolvedOperand name;
  const OpAsmParser::Argument *buffer = nullptr;
  if (parser.parseOperand(name) || parser.parseColon())
    return failure();
  FailureOr<AffineMapAttr> sizes = parseArgumentExprs(parser, header, buffer, name, "extents");
  if (failed(sizes))
    return failure();
  header.shapes[buffer - header.buffers.begin()] = *sizes;
  if (succeeded(parser.parseOptionalKeyword("strides"))) {
    FailureOr<AffineMapAttr> strides = parseArgumentExprs(parser, header, buffer, name, "strides");
    if (failed(strides))
      return failure();
    header.strides[buffer - header.buffers.begin()] = *strides;
  }
  return parser.parseRSquare();
}

static ParseResult parseShapeClauses(OpAsmParser &parser, ProgramHeader &header) {
  for (const OpAsmParser::Argument &buffer : header.buffers) {
    auto type = dyn_cast<MemRefType>(buffer.type);
    if (!type)
      return parser.emitError(buffer.ssaName.location) << "argument must be a memref, got " << buffer.type;
    header.shapes.push_back(AffineMapAttr::get(staticShape(type, header.extents.size())));
    header.strides.push_back(AffineMapAttr::get(staticStrides(type, header.extents.size())));
  }
  if (failed(parser.parseOptionalKeyword("extents")))
    return success();
  while (succeeded(parser.parseOptionalLSquare()))
    if (parseShapeClause(parser, header))
      return failure();
  return success();
}

/// One side of a condition, or a number: an expression over the extents of the header.
static FailureOr<AffineExpr> parseSide(OpAsmParser &parser, const ProgramHeader &header, StringRef what) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  AffineMapAttr side;
  ArrayAttr params;
  if (parseExtentExpr(parser, operands, side, params))
    return failure();
  if (!params.empty())
    return parser.emitError(loc) << what << " may not depend on parameter " << params[0];
  FailureOr<AffineMap> expr = overHeader(parser, header, operands, side.getValue());
  return failed(expr) ? FailureOr<AffineExpr>(failure()) : expr->getResult(0);
}

/// `[%ids: %V]` or `[%slots: %S distinct]`: how many elements the integers of an argument name.
static ParseResult parseIndexClause(OpAsmParser &parser, ProgramHeader &header) {
  OpAsmParser::UnresolvedOperand name;
  if (parser.parseOperand(name) || parser.parseColon())
    return failure();
  auto *buffer = llvm::find_if(header.buffers,
                               [&](const OpAsmParser::Argument &other) { return other.ssaName.name == name.name; });
  if (buffer == header.buffers.end() || name.number != 0)
    return parser.emitError(name.location) << "expected indices in an argument of this program, got '" << name.name
                                           << "'" << didYouMean(name.name, namesOf(header.buffers));
  FailureOr<AffineExpr> count = parseSide(parser, header, "number of indices");
  if (failed(count))
    return failure();
  auto number = static_cast<size_t>(buffer - header.buffers.begin());
  header.indices[number] = AffineMapAttr::get(AffineMap::get(0, 1 + header.extents.size(), *count));
  header.distinct[number] = succeeded(parser.parseOptionalKeyword("distinct"));
  return parser.parseRSquare();
}

static ParseResult parseIndexClauses(OpAsmParser &parser, ProgramHeader &header) {
  auto none = AffineMapAttr::get(AffineMap::get(0, 1 + header.extents.size(), parser.getContext()));
  header.indices.assign(header.buffers.size(), none);
  header.distinct.assign(header.buffers.size(), false);
  if (failed(parser.parseOptionalKeyword("indices")))
    return success();
  while (succeeded(parser.parseOptionalLSquare()))
    if (parseIndexClause(parser, header))
      return failure();
  return success();
}

/// `where %M mod W == 0, %K <= %N`.
static ParseResult parseConditions(OpAsmParser &parser, ProgramHeader &header) {
  if (failed(parser.parseOptionalKeyword("where")))
    return success();
  return parser.parseCommaSeparatedList([&]() -> ParseResult {
    FailureOr<AffineExpr> left = parseSide(parser, header, "condition");
    if (failed(left))
      return failure();
    SMLoc loc = parser.getCurrentLocation();
    bool isEquality = succeeded(parser.parseOptionalEqual());
    if ((!isEquality && failed(parser.parseOptionalLess())) || failed(parser.parseOptionalEqual()))
      return parser.emitError(loc) << "expected '==' or '<=' in a condition";
    FailureOr<AffineExpr> right = parseSide(parser, header, "condition");
    if (failed(right))
      return failure();
    header.conditions.push_back({*left, *right, isEquality});
    return success();
  });
}

/// A word where the body should begin: a clause that is misspelt, out of its order or unknown.
static ParseResult rejectOtherClause(OpAsmParser &parser) {
  static constexpr StringRef clauses[] = {"world", "extents", "indices", "where", "attributes"};
  SMLoc loc = parser.getCurrentLocation();
  StringRef word;
  if (failed(parser.parseOptionalKeyword(&word)))
    return success();
  return parser.emitError(loc) << "expected the clauses 'world', 'extents', 'indices', 'where' and 'attributes' in "
                                  "this order, then '{', got '"
                               << word << "'" << (llvm::is_contained(clauses, word) ? "" : didYouMean(word, clauses));
}

ParseResult ProgramOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder &builder = parser.getBuilder();
  StringAttr name;
  ProgramHeader header;
  if (parser.parseSymbolName(name, getSymNameAttrName(result.name), result.attributes) ||
      parseExtentNames(parser, header) ||
      parser.parseArgumentList(header.buffers, OpAsmParser::Delimiter::Paren, /*allowType=*/true))
    return failure();
  for (OpAsmParser::Argument &buffer : header.buffers)
    keepName(parser, buffer);
  if (succeeded(parser.parseOptionalKeyword("world"))) {
    int64_t world;
    if (parser.parseInteger(world))
      return failure();
    result.addAttribute(getWorldAttrName(result.name), builder.getI64IntegerAttr(world));
  }
  if (parseShapeClauses(parser, header) || parseIndexClauses(parser, header) || parseConditions(parser, header) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes) || rejectOtherClause(parser))
    return failure();
  if (IntegerSet conditions = setOf(header.conditions, 1 + header.extents.size()))
    result.addAttribute(getConditionsAttrName(result.name), IntegerSetAttr::get(conditions));
  result.addAttribute(getNumExtentsAttrName(result.name), builder.getI64IntegerAttr(header.extents.size()));
  result.addAttribute(getShapesAttrName(result.name), builder.getArrayAttr(header.shapes));
  if (llvm::any_of(header.strides,
                   [](Attribute strides) { return cast<AffineMapAttr>(strides).getValue().getNumResults() != 0; }))
    result.addAttribute(getStridesAttrName(result.name), builder.getArrayAttr(header.strides));
  if (llvm::any_of(header.indices,
                   [](Attribute count) { return cast<AffineMapAttr>(count).getValue().getNumResults() != 0; })) {
    result.addAttribute(getIndicesAttrName(result.name), builder.getArrayAttr(header.indices));
    result.addAttribute(getDistinctAttrName(result.name), builder.getDenseBoolArrayAttr(header.distinct));
  }
  SmallVector<OpAsmParser::Argument> arguments(header.extents);
  arguments.append(header.buffers);
  Region *body = result.addRegion();
  if (parser.parseRegion(*body, arguments))
    return failure();
  if (body->empty())
    body->emplaceBlock();
  return success();
}

/// The extents clauses of the arguments whose types do not say all.
static void printShapeClauses(ProgramOp program, OpAsmPrinter &printer) {
  bool first = true;
  SmallVector<Value> extents(program.getExtents());
  ArrayAttr none = ArrayAttr::get(program.getContext(), {});
  for (auto [i, buffer] : llvm::enumerate(program.getBuffers())) {
    auto type = cast<MemRefType>(buffer.getType());
    AffineMap sizes = cast<AffineMapAttr>(program.getShapes()[i]).getValue(), strides = program.getStridesOf(i);
    bool said = !strides || strides == staticStrides(type, program.getNumExtents());
    if (said && sizes == staticShape(type, program.getNumExtents()))
      continue;
    printer << (first ? " extents [" : " [");
    first = false;
    printer.printOperand(buffer);
    printer << ": ";
    printExtentExprs(printer, extents, sizes, none);
    if (!said) {
      printer << " strides ";
      printExtentExprs(printer, extents, strides, none);
    }
    printer << "]";
  }
}

static void printIndexClauses(ProgramOp program, OpAsmPrinter &printer) {
  SmallVector<Value> extents(program.getExtents());
  const char *separator = " indices [";
  for (auto [i, buffer] : llvm::enumerate(program.getBuffers())) {
    AffineMap count = program.getIndicesOf(i);
    if (!count)
      continue;
    printer << separator;
    printer.printOperand(buffer);
    printer << ": ";
    printExtentExprs(printer, extents, count, ArrayAttr::get(program.getContext(), {}));
    printer << ((*program.getDistinct())[i] ? " distinct]" : "]");
    separator = " [";
  }
}

static void printConditions(ProgramOp program, OpAsmPrinter &printer) {
  SmallVector<Value> extents(program.getExtents());
  ArrayAttr none = ArrayAttr::get(program.getContext(), {});
  auto printSide = [&](AffineExpr side) {
    printExtentExprs(printer, extents, AffineMap::get(0, 1 + extents.size(), side), none);
  };
  const char *separator = " where ";
  for (const Condition &condition : conditionsOf(program)) {
    printer << separator;
    printSide(condition.left);
    printer << (condition.isEquality ? " == " : " <= ");
    printSide(condition.right);
    separator = ", ";
  }
}

void ProgramOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printer.printSymbolName(getSymName());
  if (getNumExtents()) {
    printer << '<';
    llvm::interleaveComma(getExtents(), printer,
                          [&](BlockArgument extent) { printer.printRegionArgument(extent, {}, /*omitType=*/true); });
    printer << '>';
  }
  printer << '(';
  llvm::interleaveComma(getBuffers(), printer, [&](BlockArgument buffer) { printer.printRegionArgument(buffer); });
  printer << ')';
  if (getWorld())
    printer << " world " << *getWorld();
  printShapeClauses(*this, printer);
  printIndexClauses(*this, printer);
  printConditions(*this, printer);
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(), {getSymNameAttrName(), getNumExtentsAttrName(), getShapesAttrName(), getStridesAttrName(),
                            getIndicesAttrName(), getDistinctAttrName(), getConditionsAttrName(), getWorldAttrName()});
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false, /*printBlockTerminators=*/true);
}

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
  for (auto [i, buffer] : llvm::enumerate(program.getBuffers())) {
    auto type = dyn_cast<MemRefType>(buffer.getType());
    auto name = dyn_cast<NameLoc>(buffer.getLoc());
    if (!type || type.hasStaticShape())
      continue;
    std::string argument = name ? name.getName().str() : std::to_string(i);
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
  if (!type)
    return error() << "argument must be a memref, got " << buffer.getType();
  if (map.getNumDims() != 0 || map.getNumSymbols() != 1 + program.getNumExtents() ||
      static_cast<int64_t>(map.getNumResults()) != type.getRank())
    return error() << "shape " << AffineMapAttr::get(map) << " does not describe " << type << " over W and "
                   << program.getNumExtents() << " extents";
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

AffineMap ProgramOp::getStridesOf(unsigned buffer) {
  AffineMap strides = getStrides() ? cast<AffineMapAttr>((*getStrides())[buffer]).getValue() : AffineMap();
  return strides && strides.getNumResults() ? strides : AffineMap();
}

AffineMap ProgramOp::getIndicesOf(unsigned buffer) {
  AffineMap count = getIndices() ? cast<AffineMapAttr>((*getIndices())[buffer]).getValue() : AffineMap();
  return count && count.getNumResults() ? count : AffineMap();
}

static LogicalResult verifyIndices(ProgramOp program) {
  size_t buffers = program.getBuffers().size(), flags = program.getDistinct() ? program.getDistinct()->size() : 0;
  size_t counts = program.getIndices() ? program.getIndices()->size() : 0;
  if (counts != flags || (counts != 0 && counts != buffers))
    return program.emitOpError() << "has " << counts << " counts of indices and " << flags << " flags for " << buffers
                                 << " buffers";
  for (auto [i, buffer] : llvm::enumerate(program.getBuffers())) {
    AffineMap count = program.getIndicesOf(i);
    Type element = cast<MemRefType>(buffer.getType()).getElementType();
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
  if (getWorld() && static_cast<int64_t>(*getWorld()) <= 0)
    return emitOpError() << "world of " << static_cast<int64_t>(*getWorld()) << " ranks, expected at least 1";
  if (getShapes().size() != getBuffers().size())
    return emitOpError() << "has " << getShapes().size() << " shapes for " << getBuffers().size() << " buffers";
  if (getStrides() && getStrides()->size() != getBuffers().size())
    return emitOpError() << "has " << getStrides()->size() << " lists of strides for " << getBuffers().size()
                         << " buffers";
  for (auto [i, buffer, shape] : llvm::enumerate(getBuffers(), getShapes()))
    if (failed(verifyArgument(*this, buffer, cast<AffineMapAttr>(shape).getValue(), getStridesOf(i))))
      return failure();
  return failure(failed(verifyIndices(*this)) || failed(verifyConditions(*this)));
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
