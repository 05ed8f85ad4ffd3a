// Syntax of a program's header: extents, arguments and the clauses behind them. What they must keep is TileStructure's.
#include "dialect/Conditions.h"
#include "dialect/KnownAttributes.h"
#include "dialect/Scalars.h"
#include "dialect/Suggestion.h"
#include "dialect/Tile.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

namespace {
struct ProgramHeader {
  SmallVector<OpAsmParser::Argument> extents, arguments;
  SmallVector<Attribute> shapes, strides, indices;
  SmallVector<bool> distinct;
  SmallVector<Condition> conditions;
  /// Where a clause said it of an argument.
  llvm::SmallDenseMap<size_t, SMLoc> shaped, indexed;
};
} // namespace

/// An argument has one entry in a clause.
static ParseResult requireFirst(OpAsmParser &parser, llvm::SmallDenseMap<size_t, SMLoc> &said, size_t argument,
                                OpAsmParser::UnresolvedOperand name, StringRef what) {
  auto [first, isNew] = said.try_emplace(argument, name.location);
  if (isNew)
    return success();
  InFlightDiagnostic diagnostic = parser.emitError(name.location) << "gives " << what << " of '" << name.name
                                                                  << "' for the second time, expected them once";
  diagnostic.attachNote(parser.getEncodedSourceLoc(first->second)) << "the first are here";
  return diagnostic;
}

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

/// The shape of an argument before its extents clause: static dimensions as they are, dynamic ones unknown (null); a
/// number has none.
static AffineMap staticShape(Type type, unsigned numExtents) {
  MLIRContext *context = type.getContext();
  SmallVector<AffineExpr> sizes;
  if (auto buffer = dyn_cast<MemRefType>(type))
    for (int64_t dim : buffer.getShape())
      sizes.push_back(getAffineConstantExpr(dim, context));
  return AffineMap::get(0, 1 + numExtents, sizes, context);
}

/// The strides of an argument before its extents clause: those of its type, dynamic ones unknown; no results where it
/// is contiguous.
static AffineMap staticStrides(Type type, unsigned numExtents) {
  MLIRContext *context = type.getContext();
  auto buffer = dyn_cast<MemRefType>(type);
  SmallVector<int64_t> strides;
  int64_t offset;
  SmallVector<AffineExpr> steps;
  if (buffer && !buffer.getLayout().isIdentity() && succeeded(buffer.getStridesAndOffset(strides, offset)))
    for (int64_t stride : strides)
      steps.push_back(getAffineConstantExpr(stride, context));
  return AffineMap::get(0, 1 + numExtents, steps, context);
}

static SmallVector<StringRef> namesOf(ArrayRef<OpAsmParser::Argument> arguments) {
  return llvm::map_to_vector(arguments, [](const OpAsmParser::Argument &argument) { return argument.ssaName.name; });
}

/// `%M, %K`
static std::string listed(ArrayRef<OpAsmParser::Argument> extents) {
  return extents.empty() ? "which has none" : llvm::join(namesOf(extents), ", ");
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
      return parser.emitError(operand.location)
             << "unknown extent '" << operand.name << "', expected one of the header (" << listed(header.extents) << ")"
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
  buffer = llvm::find_if(header.arguments,
                         [&](const OpAsmParser::Argument &other) { return other.ssaName.name == name.name; });
  if (buffer == header.arguments.end() || name.number != 0)
    return parser.emitError(loc) << "expected " << what << " of an argument of this program, got '" << name.name << "'"
                                 << didYouMean(name.name, namesOf(header.arguments));
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
  auto number = static_cast<size_t>(buffer - header.arguments.begin());
  if (requireFirst(parser, header.shaped, number, name, "extents"))
    return failure();
  header.shapes[number] = *sizes;
  if (succeeded(parser.parseOptionalKeyword("strides"))) {
    FailureOr<AffineMapAttr> strides = parseArgumentExprs(parser, header, buffer, name, "strides");
    if (failed(strides))
      return failure();
    header.strides[number] = *strides;
  }
  return parser.parseRSquare();
}

static ParseResult parseShapeClauses(OpAsmParser &parser, ProgramHeader &header) {
  for (const OpAsmParser::Argument &argument : header.arguments) {
    if (!isa<MemRefType>(argument.type) && !isScalarArgument(argument.type))
      return parser.emitError(argument.ssaName.location)
             << "argument must be a memref or a number of f32, f64, i32 or i64, got " << argument.type;
    header.shapes.push_back(AffineMapAttr::get(staticShape(argument.type, header.extents.size())));
    header.strides.push_back(AffineMapAttr::get(staticStrides(argument.type, header.extents.size())));
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
  auto *buffer = llvm::find_if(header.arguments,
                               [&](const OpAsmParser::Argument &other) { return other.ssaName.name == name.name; });
  if (buffer == header.arguments.end() || name.number != 0)
    return parser.emitError(name.location) << "expected indices in an argument of this program, got '" << name.name
                                           << "'" << didYouMean(name.name, namesOf(header.arguments));
  FailureOr<AffineExpr> count = parseSide(parser, header, "number of indices");
  if (failed(count))
    return failure();
  auto number = static_cast<size_t>(buffer - header.arguments.begin());
  if (requireFirst(parser, header.indexed, number, name, "indices"))
    return failure();
  header.indices[number] = AffineMapAttr::get(AffineMap::get(0, 1 + header.extents.size(), *count));
  header.distinct[number] = succeeded(parser.parseOptionalKeyword("distinct"));
  return parser.parseRSquare();
}

static ParseResult parseIndexClauses(OpAsmParser &parser, ProgramHeader &header) {
  auto none = AffineMapAttr::get(AffineMap::get(0, 1 + header.extents.size(), parser.getContext()));
  header.indices.assign(header.arguments.size(), none);
  header.distinct.assign(header.arguments.size(), false);
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
    // Behind this the two sides are one expression, of which nobody knows what stood on which.
    auto least = dyn_cast<AffineConstantExpr>(*left), most = dyn_cast<AffineConstantExpr>(*right);
    if (least && most && (isEquality ? least != most : least.getValue() > most.getValue()))
      return parser.emitError(loc) << "has the condition '" << least.getValue() << (isEquality ? " == " : " <= ")
                                   << most.getValue() << "', which no launch can keep";
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
      parser.parseArgumentList(header.arguments, OpAsmParser::Delimiter::Paren, /*allowType=*/true))
    return failure();
  for (OpAsmParser::Argument &argument : header.arguments)
    keepName(parser, argument);
  if (succeeded(parser.parseOptionalKeyword("world"))) {
    int64_t world;
    if (parser.parseInteger(world))
      return failure();
    result.addAttribute(getWorldAttrName(result.name), builder.getI64IntegerAttr(world));
  }
  if (parseShapeClauses(parser, header) || parseIndexClauses(parser, header) || parseConditions(parser, header) ||
      tilec::parseKnownAttributes(parser, result,
                                  {getSymNameAttrName(result.name), getWorldAttrName(result.name),
                                   getConditionsAttrName(result.name), getNumExtentsAttrName(result.name),
                                   getShapesAttrName(result.name), getStridesAttrName(result.name),
                                   getIndicesAttrName(result.name), getDistinctAttrName(result.name)}) ||
      rejectOtherClause(parser))
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
  arguments.append(header.arguments);
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
  for (auto [i, buffer] : llvm::enumerate(program.getArguments())) {
    Type type = buffer.getType();
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
  for (auto [i, buffer] : llvm::enumerate(program.getArguments())) {
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
  llvm::interleaveComma(getArguments(), printer,
                        [&](BlockArgument argument) { printer.printRegionArgument(argument); });
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
