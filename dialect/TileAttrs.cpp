// Attributes of the tile dialect: registration, and the syntax of layouts.
#include "dialect/Keywords.h"
#include "dialect/Limits.h"
#include "dialect/Tile.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilec::tile;

/// `, ahead = 1`, `, backward`, both or neither.
static ParseResult parseWalk(AsmParser &parser, int64_t &ahead, bool &backward) {
  ahead = 0;
  backward = false;
  while (succeeded(parser.parseOptionalComma())) {
    if (succeeded(parser.parseOptionalKeyword("backward")))
      backward = true;
    else if (parser.parseKeyword("ahead") || parser.parseEqual() || parser.parseInteger(ahead))
      return failure();
  }
  return success();
}

static void printWalk(AsmPrinter &printer, int64_t ahead, bool backward) {
  if (ahead)
    printer << ", ahead = " << ahead;
  if (backward)
    printer << ", backward";
}

#define GET_ATTRDEF_CLASSES
#include "dialect/TileAttrs.cpp.inc"

void TileDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialect/TileAttrs.cpp.inc"
      >();
}

/// `[[0, 1], [0, 2]]` into a flat list; every basis has `rank` coordinates, set by the first one met.
static ParseResult parseBases(AsmParser &parser, unsigned &rank, SmallVectorImpl<int32_t> &flat) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&]() -> ParseResult {
    SMLoc loc = parser.getCurrentLocation();
    unsigned count = 0;
    auto parseCoordinate = [&]() -> ParseResult {
      ++count;
      return parser.parseInteger(flat.emplace_back());
    };
    if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseCoordinate))
      return failure();
    if (rank == 0)
      rank = count;
    if (count != rank)
      return parser.emitError(loc) << "basis has " << count << " coordinates, expected " << rank;
    return success();
  });
}

Attribute LayoutAttr::parse(AsmParser &parser, Type) {
  unsigned rank = 0;
  SmallVector<int32_t> registers, lanes, waves;
  if (parser.parseLess() || parser.parseKeyword("registers") || parser.parseEqual() ||
      parseBases(parser, rank, registers) || parser.parseComma() || parser.parseKeyword("lanes") ||
      parser.parseEqual() || parseBases(parser, rank, lanes) || parser.parseComma() || parser.parseKeyword("waves") ||
      parser.parseEqual() || parseBases(parser, rank, waves) || parser.parseGreater())
    return {};
  return LayoutAttr::get(parser.getContext(), rank, registers, lanes, waves);
}

void LayoutAttr::print(AsmPrinter &printer) const {
  auto printBases = [&](StringRef name, ArrayRef<int32_t> flat) {
    printer << name << " = [";
    for (size_t i = 0; i < flat.size(); i += getRank()) {
      printer << (i ? ", [" : "[");
      llvm::interleaveComma(flat.slice(i, getRank()), printer);
      printer << "]";
    }
    printer << "]";
  };
  printer << "<";
  printBases("registers", getRegisters());
  printer << ", ";
  printBases("lanes", getLanes());
  printer << ", ";
  printBases("waves", getWaves());
  printer << ">";
}

//===-- verification
//------------------------------------------------------------------------------------------------===//

static LogicalResult verifyPositive(function_ref<InFlightDiagnostic()> emitError, StringRef what, int64_t value) {
  return value > 0 ? success() : emitError() << what << " is " << value << ", expected at least 1";
}

static LogicalResult verifyWithin(function_ref<InFlightDiagnostic()> emitError, StringRef what, int64_t value,
                                  uint64_t most) {
  if (value <= 0 || uint64_t(value) <= most)
    return verifyPositive(emitError, what, value);
  return emitError() << what << " is " << value << ", expected at most " << most;
}

LogicalResult SharedAttr::verify(function_ref<InFlightDiagnostic()> emitError, int64_t vector, int64_t perPhase,
                                 int64_t phases, int64_t fold, int64_t panel) {
  for (int64_t value : {vector, perPhase, phases, fold ? fold : 1, panel ? panel : 1})
    if (value <= 0 || !llvm::isPowerOf2_64(value))
      return emitError() << "swizzle of " << value << ", expected powers of two";
  return success();
}

LogicalResult RemapAttr::verify(function_ref<InFlightDiagnostic()> emitError, int64_t chiplets) {
  return verifyWithin(emitError, "number of chiplets", chiplets, kMostChiplets);
}

LogicalResult ProducerAttr::verify(function_ref<InFlightDiagnostic()> emitError, int64_t waves, int64_t registers,
                                   int64_t consumers) {
  auto fits = [](int64_t count) { return count >= 24 && count <= 256 && count % 8 == 0; };
  if (registers || consumers)
    if (!fits(registers) || !fits(consumers))
      return emitError() << "has " << registers << " and " << consumers
                         << " registers a lane, expected multiples of 8 from 24 to 256, or 0 and 0";
  return verifyPositive(emitError, "number of producing waves", waves);
}

LogicalResult ChunkedAttr::verify(function_ref<InFlightDiagnostic()> emitError, int64_t chiplets, int64_t chunk) {
  return failure(failed(verifyWithin(emitError, "number of chiplets", chiplets, kMostChiplets)) ||
                 failed(verifyWithin(emitError, "chunk", chunk, kMostWindow)));
}

LogicalResult GroupedAttr::verify(function_ref<InFlightDiagnostic()> emitError, int64_t height) {
  return verifyWithin(emitError, "height of a group", height, kMostWindow);
}

LogicalResult RankFirstAttr::verify(function_ref<InFlightDiagnostic()> emitError, int64_t dim, int64_t ahead,
                                    bool /*backward*/) {
  if (ahead < 0 || ahead > 1)
    return emitError() << "starts " << ahead << " ranks ahead, expected 0 or 1";
  return dim >= 0 ? success() : emitError() << "dimension " << dim << ", expected 0 or more";
}

LogicalResult PermutedAttr::verify(function_ref<InFlightDiagnostic()> emitError, ArrayRef<int64_t> dims) {
  SmallVector<int64_t> sorted(dims);
  llvm::sort(sorted);
  for (auto [place, dim] : llvm::enumerate(sorted))
    if (dim != static_cast<int64_t>(place))
      return emitError() << "has " << dims.size() << " dimensions, expected each of 0 to " << dims.size() - 1
                         << " once";
  return success();
}

LogicalResult MappedAttr::verify(function_ref<InFlightDiagnostic()> emitError, AffineMap map) {
  if (map && map.getNumDims() == 1)
    return success();
  return emitError() << "order is no function of the task number: expected a map of one dimension";
}
