// Syntax of `#tile.verified`: the note of `verify` in a text between its stages.
#include "dialect/Tile.h"

#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace tilec::tile;

namespace {

/// What stands in the note, as it is read.
struct Note {
  int64_t launches = 0, boundsSampled = 0, writtenOnce = 0;
  bool drawsData = false, worksWithoutTasks = false;
  SmallVector<DenseI64ArrayAttr> samples, skipped, nonzero;
  SmallVector<int64_t> any, limits, drawn;
  AffineMapAttr least, greatest;
};

} // namespace

/// `[1, 2]`
static ParseResult parseNumbers(AsmParser &parser, SmallVectorImpl<int64_t> &numbers) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                        [&] { return parser.parseInteger(numbers.emplace_back()); });
}

/// `[[1, 2], []]`
static ParseResult parseLists(AsmParser &parser, SmallVectorImpl<DenseI64ArrayAttr> &lists) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&]() -> ParseResult {
    SmallVector<int64_t> numbers;
    if (parseNumbers(parser, numbers))
      return failure();
    lists.push_back(DenseI64ArrayAttr::get(parser.getContext(), numbers));
    return success();
  });
}

/// One of the parts that may be left out.
static ParseResult parsePart(AsmParser &parser, Note &note) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef key;
  if (parser.parseKeyword(&key))
    return failure();
  if (key == "draws_data" || key == "works_without_tasks") {
    (key == "draws_data" ? note.drawsData : note.worksWithoutTasks) = true;
    return success();
  }
  if (parser.parseEqual())
    return failure();
  if (key == "bounds_sampled" || key == "written_once")
    return parser.parseInteger(key == "bounds_sampled" ? note.boundsSampled : note.writtenOnce);
  if (key == "skipped" || key == "nonzero")
    return parseLists(parser, key == "skipped" ? note.skipped : note.nonzero);
  if (key == "any" || key == "limits" || key == "drawn")
    return parseNumbers(parser, key == "any" ? note.any : key == "limits" ? note.limits : note.drawn);
  if (key == "least" || key == "greatest")
    return parser.parseAttribute(key == "least" ? note.least : note.greatest);
  return parser.emitError(loc) << "'" << key << "' is no part of what was verified";
}

Attribute VerifiedAttr::parse(AsmParser &parser, Type) {
  Note note;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseKeyword("launches") || parser.parseEqual() ||
      parser.parseInteger(note.launches) || parser.parseComma() || parser.parseKeyword("samples") ||
      parser.parseEqual() || parseLists(parser, note.samples))
    return {};
  while (succeeded(parser.parseOptionalComma()))
    if (parsePart(parser, note))
      return {};
  if (parser.parseGreater())
    return {};
  // The overload of the declaration: that of the base needs the storage, which stands where all attributes are defined.
  auto error = [&] { return parser.emitError(loc); };
  function_ref<InFlightDiagnostic()> emitError = error;
  ArrayRef<DenseI64ArrayAttr> samples(note.samples), skipped(note.skipped), nonzero(note.nonzero);
  ArrayRef<int64_t> any(note.any), limits(note.limits), drawn(note.drawn);
  return getChecked(emitError, parser.getContext(), note.launches, samples, skipped, any, limits, drawn, note.drawsData,
                    note.boundsSampled, note.writtenOnce, nonzero, note.worksWithoutTasks, note.least, note.greatest);
}

static void printNumbers(AsmPrinter &printer, ArrayRef<int64_t> numbers) {
  printer << "[";
  llvm::interleaveComma(numbers, printer);
  printer << "]";
}

static void printLists(AsmPrinter &printer, ArrayRef<DenseI64ArrayAttr> lists) {
  printer << "[";
  llvm::interleaveComma(lists, printer, [&](DenseI64ArrayAttr list) { printNumbers(printer, list.asArrayRef()); });
  printer << "]";
}

void VerifiedAttr::print(AsmPrinter &printer) const {
  printer << "<launches = " << getLaunches() << ", samples = ";
  printLists(printer, getSamples());
  auto lists = [&](StringRef key, ArrayRef<DenseI64ArrayAttr> values) {
    if (values.empty())
      return;
    printer << ", " << key << " = ";
    printLists(printer, values);
  };
  auto numbers = [&](StringRef key, ArrayRef<int64_t> values) {
    if (values.empty())
      return;
    printer << ", " << key << " = ";
    printNumbers(printer, values);
  };
  lists("skipped", getSkipped());
  numbers("any", getAny());
  numbers("limits", getLimits());
  numbers("drawn", getDrawn());
  if (getDrawsData())
    printer << ", draws_data";
  if (getBoundsSampled())
    printer << ", bounds_sampled = " << getBoundsSampled();
  if (getWrittenOnce())
    printer << ", written_once = " << getWrittenOnce();
  lists("nonzero", getNonzero());
  if (getWorksWithoutTasks())
    printer << ", works_without_tasks";
  // In full: a name for the map would be declared outside of the program.
  auto ends = [&](StringRef key, AffineMapAttr map) {
    if (map)
      printer.getStream() << ", " << key << " = affine_map<" << map.getValue() << ">";
  };
  ends("least", getLeast());
  ends("greatest", getGreatest());
  printer << ">";
}

LogicalResult VerifiedAttr::verify(function_ref<InFlightDiagnostic()> emitError, int64_t launches,
                                   ArrayRef<DenseI64ArrayAttr> /*samples*/, ArrayRef<DenseI64ArrayAttr> /*skipped*/,
                                   ArrayRef<int64_t> /*any*/, ArrayRef<int64_t> /*limits*/, ArrayRef<int64_t> /*drawn*/,
                                   bool /*drawsData*/, int64_t boundsSampled, int64_t writtenOnce,
                                   ArrayRef<DenseI64ArrayAttr> /*nonzero*/, bool /*worksWithoutTasks*/,
                                   AffineMapAttr /*least*/, AffineMapAttr /*greatest*/) {
  if (launches < 1)
    return emitError() << "verified on " << launches << " launches, expected at least 1";
  if (boundsSampled < 0 || writtenOnce < 0)
    return emitError() << "counts fewer than 0 operations";
  return success();
}

LogicalResult VerifiedAttr::verifyFor(function_ref<InFlightDiagnostic()> emitError, int64_t extents,
                                      int64_t arguments) const {
  auto haveAll = [&](ArrayRef<DenseI64ArrayAttr> lists) {
    return llvm::all_of(lists, [&](DenseI64ArrayAttr list) { return list.size() == extents; });
  };
  auto isBelow = [](ArrayRef<int64_t> positions, int64_t end) {
    return llvm::all_of(positions, [&](int64_t position) { return position >= 0 && position < end; });
  };
  if (!haveAll(getSamples()) || !haveAll(getSkipped()) ||
      (!getLimits().empty() && static_cast<int64_t>(getLimits().size()) != extents))
    return emitError() << "was verified with samples of other extents, expected one number for each of " << extents;
  auto isOfExtents = [&](AffineMapAttr map) {
    return !map || (map.getValue().getNumDims() == 0 && map.getValue().getNumSymbols() == 1 + extents);
  };
  bool known = isOfExtents(getLeast()) && isOfExtents(getGreatest()) && isBelow(getAny(), extents) &&
               isBelow(getDrawn(), arguments) &&
               llvm::all_of(getNonzero(), [&](DenseI64ArrayAttr set) { return isBelow(set.asArrayRef(), extents); });
  return known ? success() : emitError() << "was verified as a program with other extents or arguments";
}
