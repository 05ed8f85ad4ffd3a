// Syntax of expressions over extents and of tile shapes.
#include "dialect/Extents.h"
#include "dialect/Limits.h"
#include "dialect/Suggestion.h"
#include "dialect/Tile.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

namespace {

/// Recursive descent over `+ -`, then `* ceildiv floordiv mod`, then atoms. Operands and parameters get symbol numbers
/// far apart while parsing, because their counts are not known yet.
class ExtentParser {
public:
  static constexpr unsigned firstOperand = 1, firstParam = 1 << 16;
  static constexpr unsigned maxDepth = 64, maxAtoms = 128;

  ExtentParser(OpAsmParser &parser, SmallVectorImpl<OpAsmParser::UnresolvedOperand> &operands)
      : parser(parser), operands(operands) {}

  ParseResult parseSum(AffineExpr &result) {
    // Bounds the recursion of everything that visits the expression.
    if (++depth > maxDepth)
      return parser.emitError(parser.getCurrentLocation())
             << "parentheses are nested more than " << maxDepth << " deep";
    ParseResult parsed = parseTerms(result);
    --depth;
    return parsed;
  }

  /// Numbers of an expression are folded as it is made. No number in it is greater than what it is with 1 for each
  /// name, with all signs plus.
  static std::optional<int64_t> sizeOf(AffineExpr expr) {
    if (auto number = dyn_cast<AffineConstantExpr>(expr)) {
      const int64_t value = number.getValue();
      return value == std::numeric_limits<int64_t>::min() ? std::nullopt : std::optional(std::abs(value));
    }
    auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
    if (!binary)
      return 1;
    std::optional<int64_t> left = sizeOf(binary.getLHS()), right = left ? sizeOf(binary.getRHS()) : std::nullopt;
    return right ? sizeOf(expr.getKind(), *left, *right) : std::nullopt;
  }
  static std::optional<int64_t> sizeOf(AffineExprKind kind, int64_t left, int64_t right) {
    int64_t size = std::max(left, right);
    const bool overflows = kind == AffineExprKind::Mul   ? llvm::MulOverflow(left, right, size)
                           : kind == AffineExprKind::Add ? llvm::AddOverflow(left, right, size)
                                                         : false;
    return overflows ? std::nullopt : std::optional(size);
  }

  ParseResult requireFits(SMLoc loc, AffineExprKind kind, AffineExpr left, AffineExpr right) {
    std::optional<int64_t> a = sizeOf(left), b = sizeOf(right);
    if (a && b && sizeOf(kind, *a, *b))
      return success();
    return parser.emitError(loc) << "computes with numbers that do not fit 64 bits";
  }

  ParseResult parseTerms(AffineExpr &result) {
    if (parseProduct(result))
      return failure();
    while (true) {
      AffineExpr rhs;
      SMLoc loc = parser.getCurrentLocation();
      if (succeeded(parser.parseOptionalPlus())) {
        if (parseProduct(rhs) || requireFits(loc, AffineExprKind::Add, result, rhs))
          return failure();
        result = result + rhs;
      } else if (succeeded(parser.parseOptionalMinus())) {
        if (parseProduct(rhs) || requireFits(loc, AffineExprKind::Add, result, rhs))
          return failure();
        result = result - rhs;
      } else {
        return success();
      }
    }
  }

  /// The final map: symbol 0 is W, then operands, then parameters.
  AffineMap finish(ArrayRef<AffineExpr> exprs) {
    MLIRContext *context = parser.getContext();
    DenseMap<AffineExpr, AffineExpr> renamed;
    for (unsigned i = 0; i < params.size(); ++i)
      renamed[getAffineSymbolExpr(firstParam + i, context)] =
          getAffineSymbolExpr(firstOperand + operands.size() + i, context);
    SmallVector<AffineExpr> results;
    for (AffineExpr expr : exprs)
      results.push_back(expr.replace(renamed));
    return AffineMap::get(0, firstOperand + operands.size() + params.size(), results, context);
  }

  ArrayAttr getParams() { return ArrayAttr::get(parser.getContext(), params); }

private:
  ParseResult parseProduct(AffineExpr &result) {
    if (parseAtom(result))
      return failure();
    while (true) {
      AffineExpr rhs;
      StringRef keyword;
      SMLoc loc = parser.getCurrentLocation();
      if (succeeded(parser.parseOptionalStar())) {
        if (parseAtom(rhs) || requireFits(loc, AffineExprKind::Mul, result, rhs))
          return failure();
        result = result * rhs;
      } else if (succeeded(parser.parseOptionalKeyword(&keyword, {"ceildiv", "floordiv", "mod"}))) {
        if (parseAtom(rhs))
          return failure();
        if (auto constant = dyn_cast<AffineConstantExpr>(rhs); constant && constant.getValue() <= 0)
          return parser.emitError(loc) << "'" << keyword << "' by " << constant.getValue()
                                       << ", expected a positive value";
        result = keyword == "ceildiv" ? result.ceilDiv(rhs) : keyword == "mod" ? result % rhs : result.floorDiv(rhs);
      } else {
        return success();
      }
    }
  }

  ParseResult parseAtom(AffineExpr &result) {
    MLIRContext *context = parser.getContext();
    if (++atoms > maxAtoms)
      return parser.emitError(parser.getCurrentLocation()) << "expression has more than " << maxAtoms << " terms";
    int64_t value;
    OptionalParseResult integer = parser.parseOptionalInteger(value);
    if (integer.has_value()) {
      result = getAffineConstantExpr(value, context);
      return *integer;
    }
    if (succeeded(parser.parseOptionalKeyword("W"))) {
      result = getAffineSymbolExpr(0, context);
      return success();
    }
    StringAttr name;
    if (succeeded(parser.parseOptionalSymbolName(name))) {
      Attribute reference = FlatSymbolRefAttr::get(name);
      auto *it = llvm::find(params, reference);
      result = getAffineSymbolExpr(firstParam + (it - params.begin()), context);
      if (it == params.end())
        params.push_back(reference);
      return success();
    }
    if (succeeded(parser.parseOptionalLParen()))
      return failure(parseSum(result) || parser.parseRParen());
    OpAsmParser::UnresolvedOperand operand;
    OptionalParseResult parsed = parser.parseOptionalOperand(operand);
    if (!parsed.has_value())
      return parser.emitError(parser.getCurrentLocation(),
                              "expected an extent: an integer, W, a value, a parameter or '('");
    if (*parsed)
      return failure();
    auto *it = llvm::find_if(operands, [&](const OpAsmParser::UnresolvedOperand &other) {
      return other.name == operand.name && other.number == operand.number;
    });
    result = getAffineSymbolExpr(firstOperand + (it - operands.begin()), context);
    if (it == operands.end())
      operands.push_back(operand);
    return success();
  }

  OpAsmParser &parser;
  SmallVectorImpl<OpAsmParser::UnresolvedOperand> &operands;
  SmallVector<Attribute> params;
  unsigned depth = 0, atoms = 0;
};

/// Prints an affine expression in the syntax above; `tight` asks for parentheses around sums and quotients.
class ExtentPrinter {
public:
  ExtentPrinter(OpAsmPrinter &printer, ValueRange operands, ArrayAttr params)
      : printer(printer), operands(operands), params(params) {}

  void print(AffineExpr expr, bool tight = false) {
    if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
      printer << constant.getValue();
    } else if (auto symbol = dyn_cast<AffineSymbolExpr>(expr)) {
      printSymbol(symbol.getPosition());
    } else if (auto binary = dyn_cast<AffineBinaryOpExpr>(expr)) {
      printer << (tight ? "(" : "");
      printBinary(binary);
      printer << (tight ? ")" : "");
    }
  }

private:
  void printSymbol(unsigned position) {
    if (position == 0)
      printer << "W";
    else if (position <= operands.size())
      printer.printOperand(operands[position - 1]);
    else
      printer << params[position - 1 - operands.size()];
  }

  void printBinary(AffineBinaryOpExpr binary) {
    AffineExpr lhs = binary.getLHS(), rhs = binary.getRHS();
    if (binary.getKind() == AffineExprKind::Add) {
      print(lhs);
      auto product = dyn_cast<AffineBinaryOpExpr>(rhs);
      auto factor = product && product.getKind() == AffineExprKind::Mul ? dyn_cast<AffineConstantExpr>(product.getRHS())
                                                                        : AffineConstantExpr();
      if (auto constant = dyn_cast<AffineConstantExpr>(rhs); constant && constant.getValue() < 0) {
        printer << " - " << -constant.getValue();
      } else if (factor && factor.getValue() < 0) {
        printer << " - ";
        print(product.getLHS() * -factor.getValue(), true);
      } else {
        printer << " + ";
        print(rhs);
      }
      return;
    }
    StringRef spelling = binary.getKind() == AffineExprKind::Mul        ? " * "
                         : binary.getKind() == AffineExprKind::CeilDiv  ? " ceildiv "
                         : binary.getKind() == AffineExprKind::FloorDiv ? " floordiv "
                                                                        : " mod ";
    // Constants stand right of symbols in affine form; readers expect `W * %M` and `2 * %M`.
    print(lhs, true);
    printer << spelling;
    print(rhs, true);
  }

  OpAsmPrinter &printer;
  ValueRange operands;
  ArrayAttr params;
};

} // namespace

ParseResult tilec::tile::parseExtentExprs(OpAsmParser &parser,
                                          SmallVectorImpl<OpAsmParser::UnresolvedOperand> &operands,
                                          AffineMapAttr &sizes, ArrayAttr &params) {
  ExtentParser extents(parser, operands);
  SmallVector<AffineExpr> exprs;
  if (parser.parseCommaSeparatedList([&]() { return extents.parseSum(exprs.emplace_back()); }))
    return failure();
  sizes = AffineMapAttr::get(extents.finish(exprs));
  params = extents.getParams();
  return success();
}

ParseResult tilec::tile::parseExtentExpr(OpAsmParser &parser, SmallVectorImpl<OpAsmParser::UnresolvedOperand> &operands,
                                         AffineMapAttr &size, ArrayAttr &params) {
  ExtentParser extents(parser, operands);
  AffineExpr expr;
  if (extents.parseSum(expr))
    return failure();
  size = AffineMapAttr::get(extents.finish(expr));
  params = extents.getParams();
  return success();
}

ParseResult tilec::tile::parseExtents(OpAsmParser &parser, SmallVectorImpl<OpAsmParser::UnresolvedOperand> &operands,
                                      AffineMapAttr &sizes, ArrayAttr &params) {
  if (parser.parseLSquare())
    return failure();
  if (succeeded(parser.parseOptionalRSquare())) {
    sizes = AffineMapAttr::get(AffineMap::get(0, 1, {}, parser.getContext()));
    params = ArrayAttr::get(parser.getContext(), {});
    return success();
  }
  return failure(parseExtentExprs(parser, operands, sizes, params) || parser.parseRSquare());
}

void tilec::tile::printExtentExprs(OpAsmPrinter &printer, ValueRange operands, AffineMap sizes, ArrayAttr params) {
  ExtentPrinter extents(printer, operands, params);
  llvm::interleaveComma(sizes.getResults(), printer, [&](AffineExpr expr) { extents.print(expr); });
}

void tilec::tile::printExtentList(OpAsmPrinter &printer, ValueRange operands, AffineMap sizes, ArrayAttr params) {
  printer << "[";
  printExtentExprs(printer, operands, sizes, params);
  printer << "]";
}

void tilec::tile::printExtents(OpAsmPrinter &printer, Operation *, ValueRange operands, AffineMapAttr sizes,
                               ArrayAttr params) {
  printExtentList(printer, operands, sizes.getValue(), params);
}

static ParseResult parseSizes(OpAsmParser &parser, OpAsmParser::Delimiter delimiter, ArrayAttr &shape) {
  SmallVector<Attribute> sizes;
  auto parseSize = [&]() -> ParseResult {
    StringAttr name;
    if (succeeded(parser.parseOptionalSymbolName(name))) {
      sizes.push_back(FlatSymbolRefAttr::get(name));
      return success();
    }
    int64_t value;
    if (parser.parseInteger(value))
      return failure();
    sizes.push_back(parser.getBuilder().getI64IntegerAttr(value));
    return success();
  };
  if (parser.parseCommaSeparatedList(delimiter, parseSize))
    return failure();
  shape = parser.getBuilder().getArrayAttr(sizes);
  return success();
}

static void printSizes(OpAsmPrinter &printer, ArrayAttr shape) {
  llvm::interleaveComma(shape, printer, [&](Attribute size) {
    if (auto integer = dyn_cast<IntegerAttr>(size))
      printer << integer.getInt();
    else
      printer << size;
  });
}

ParseResult tilec::tile::parseTileShape(OpAsmParser &parser, ArrayAttr &shape) {
  return parseSizes(parser, OpAsmParser::Delimiter::Square, shape);
}

void tilec::tile::printTileShape(OpAsmPrinter &printer, Operation *, ArrayAttr shape) {
  printer << "[";
  printSizes(printer, shape);
  printer << "]";
}

ParseResult tilec::tile::parseCallSizes(OpAsmParser &parser, ArrayAttr &sizes) {
  return parseSizes(parser, OpAsmParser::Delimiter::OptionalLessGreater, sizes);
}

void tilec::tile::printCallSizes(OpAsmPrinter &printer, Operation *, ArrayAttr sizes) {
  if (sizes.empty())
    return;
  printer << "<";
  printSizes(printer, sizes);
  printer << ">";
}

ParseResult tilec::tile::parseOptionalTileShape(OpAsmParser &parser, ArrayAttr &shape) {
  return parseTileShape(parser, shape);
}

void tilec::tile::printOptionalTileShape(OpAsmPrinter &printer, Operation *op, ArrayAttr shape) {
  if (shape)
    printTileShape(printer, op, shape);
}

ParseResult tilec::tile::parseCoordinates(OpAsmParser &parser, SmallVectorImpl<OpAsmParser::UnresolvedOperand> &indices,
                                          UnitAttr &at) {
  if (succeeded(parser.parseOptionalKeyword("at"))) {
    at = parser.getBuilder().getUnitAttr();
    return parser.parseOperandList(indices, OpAsmParser::Delimiter::Paren);
  }
  return parser.parseOperandList(indices, OpAsmParser::Delimiter::Square);
}

void tilec::tile::printCoordinates(OpAsmPrinter &printer, Operation *, OperandRange indices, UnitAttr at) {
  printer << (at ? " at (" : "[");
  printer.printOperands(indices);
  printer << (at ? ")" : "]");
}

/// A size of the fragment that an operation stands in.
static LogicalResult verifySize(Operation *op, FragmentOp fragment, FlatSymbolRefAttr reference) {
  SmallVector<StringRef> known(fragment.getSizes().getAsValueRange<StringAttr>());
  if (llvm::is_contained(known, reference.getValue()))
    return success();
  InFlightDiagnostic diagnostic = op->emitOpError()
                                  << "unknown size " << reference << didYouMean(reference.getValue(), known);
  diagnostic.attachNote(fragment.getLoc())
      << "sizes of a fragment stand behind its name, as in '@" << fragment.getSymName() << "<" << reference << ">'";
  return diagnostic;
}

LogicalResult tilec::tile::verifyParam(Operation *op, Attribute reference) {
  if (auto fragment = op->getParentOfType<FragmentOp>())
    return verifySize(op, fragment, cast<FlatSymbolRefAttr>(reference));
  auto program = op->getParentOfType<ProgramOp>();
  Operation *symbol = program.lookupSymbol(cast<FlatSymbolRefAttr>(reference));
  if (isa_and_nonnull<ParamOp>(symbol))
    return success();
  SmallVector<StringRef> known;
  for (ParamOp param : program.getBody().getOps<ParamOp>())
    known.push_back(param.getSymName());
  InFlightDiagnostic diagnostic = op->emitOpError() << "unknown parameter " << reference
                                                    << didYouMean(cast<FlatSymbolRefAttr>(reference).getValue(), known);
  diagnostic.attachNote(program.getLoc())
      << "declare it in the program, as in 'tile.param " << reference << " in [64, 128]'";
  return diagnostic;
}

LogicalResult tilec::tile::verifyExtents(Operation *op, unsigned numOperands, AffineMap sizes, ArrayAttr params) {
  if (sizes.getNumDims() != 0 || sizes.getNumSymbols() != 1 + numOperands + params.size())
    return op->emitOpError() << "extent map has " << sizes.getNumSymbols() << " symbols, expected "
                             << 1 + numOperands + params.size();
  for (Attribute param : params)
    if (failed(verifyParam(op, param)))
      return failure();
  return success();
}

bool tilec::tile::isTileElement(Type type) {
  return isa<Float64Type, Float32Type, Float16Type, BFloat16Type, Float8E4M3FNType, Float8E5M2Type, Float8E4M3FNUZType,
             Float8E5M2FNUZType>(type) ||
         type.isSignlessInteger(1) || type.isSignlessInteger(8) || type.isSignlessInteger(32) ||
         type.isSignlessInteger(64);
}

/// Columns of the narrowest matrix instruction.
static constexpr int64_t kLeastRun = 8;

static bool isTileSide(int64_t size) {
  return size > 0 && (llvm::isPowerOf2_64(static_cast<uint64_t>(size)) || size % kLeastRun == 0);
}

/// Multiplies `elements` by the size of one dimension and checks both against the limits of a tile.
static LogicalResult verifyTileSize(Operation *op, unsigned dim, int64_t size, int64_t &elements) {
  if (!isTileSide(size))
    return op->emitOpError() << "tile size " << size << " in dimension " << dim
                             << ", expected a power of two or a multiple of 8";
  if (size > kMostTileSide)
    return op->emitOpError() << "tile size " << size << " in dimension " << dim << ", expected at most "
                             << kMostTileSide;
  elements *= size;
  if (elements > kMostTileElements)
    return op->emitOpError() << "tile has more than " << kMostTileElements << " elements";
  return success();
}

LogicalResult tilec::tile::verifyTileSizes(Operation *op, ShapedType type) {
  if (type.getRank() > kMostTileRank)
    return op->emitOpError() << "tile of rank " << type.getRank() << ", expected at most " << kMostTileRank;
  int64_t elements = 1;
  for (auto [i, size] : llvm::enumerate(type.getShape()))
    if (!ShapedType::isDynamic(size) && failed(verifyTileSize(op, i, size, elements)))
      return failure();
  return success();
}

LogicalResult tilec::tile::verifyRank(Operation *op, Value rank) {
  std::optional<int64_t> value = rank ? getConstantIntValue(rank) : std::nullopt;
  auto program = op->getParentOfType<ProgramOp>();
  if (!value ||
      (*value >= 0 && (!program || !program.getWorld() || *value < static_cast<int64_t>(*program.getWorld()))))
    return success();
  InFlightDiagnostic diagnostic = op->emitOpError() << "addresses rank " << *value;
  if (program && program.getWorld())
    diagnostic << " of a world of " << *program.getWorld();
  diagnostic.attachNote(rank.getLoc()) << "the rank is this constant";
  if (program && program.getWorld())
    diagnostic.attachNote(program.getLoc()) << "ranks are counted from 0; the world is set here";
  return diagnostic;
}

/// A parameter that is a tile size: every choice must be one.
static LogicalResult verifyTileParam(Operation *op, Attribute reference) {
  if (failed(verifyParam(op, reference)))
    return failure();
  auto program = op->getParentOfType<ProgramOp>();
  if (!program)
    return success(); // a fragment's, which a call gives
  auto param = cast<ParamOp>(program.lookupSymbol(cast<FlatSymbolRefAttr>(reference)));
  for (int64_t choice : param.getChoices())
    if (!isTileSide(choice) || choice > kMostTileSide) {
      InFlightDiagnostic diagnostic = op->emitOpError()
                                      << "takes tile size " << choice << " from parameter " << reference
                                      << ", expected powers of two and multiples of 8 of at most " << kMostTileSide;
      diagnostic.attachNote(param.getLoc()) << "the choices are declared here";
      return diagnostic;
    }
  return success();
}

LogicalResult tilec::tile::verifyTileShape(Operation *op, ArrayAttr shape, ShapedType type) {
  if (static_cast<int64_t>(shape.size()) > kMostTileRank)
    return op->emitOpError() << "tile of rank " << shape.size() << ", expected at most " << kMostTileRank;
  int64_t elements = 1;
  if (type && type.getRank() != static_cast<int64_t>(shape.size()))
    return op->emitOpError() << "tile shape has " << shape.size() << " dimensions, expected " << type.getRank()
                             << " as in " << type;
  for (auto [i, size] : llvm::enumerate(shape)) {
    int64_t dim = type ? type.getDimSize(i) : ShapedType::kDynamic;
    auto integer = dyn_cast<IntegerAttr>(size);
    if (!integer) {
      if (failed(verifyTileParam(op, size)))
        return failure();
      if (type && !ShapedType::isDynamic(dim))
        return op->emitOpError() << "expected '?' in dimension " << i << ", whose size is the parameter " << size
                                 << ", got " << type;
      continue;
    }
    if (failed(verifyTileSize(op, i, integer.getInt(), elements)))
      return failure();
    if (type && dim != integer.getInt())
      return op->emitOpError() << "expected " << integer.getInt() << " elements in dimension " << i
                               << ", as the tile shape says, got " << type;
  }
  return success();
}
