// What kinds of combining have in common, and their syntax in collectives.
#include "dialect/Combination.h"
#include "dialect/Keywords.h"

using namespace mlir;
using namespace tilec::tile;

bool tilec::tile::isBitwise(Reduction kind) {
  return kind == Reduction::And || kind == Reduction::Or || kind == Reduction::Xor;
}

bool tilec::tile::picksElement(Reduction kind) { return kind == Reduction::Maximum || kind == Reduction::Minimum; }

bool tilec::tile::combinesRanks(Reduction kind) { return kind == Reduction::Add || picksElement(kind); }

bool tilec::tile::isAtomicElement(Type element) {
  return element.isF32() || element.isBF16() || element.isF16() || element.isInteger(32) || element.isInteger(64);
}

std::optional<uint64_t> tilec::tile::removedDim(Operation *op) {
  if (auto reduce = dyn_cast<ReduceOp>(op))
    return reduce.getDim();
  if (auto reduce = dyn_cast<ArgReduceOp>(op))
    return reduce.getDim();
  return std::nullopt;
}

bool tilec::tile::isCooperative(Operation *op) { return isa<ReduceOp, ScanOp>(op); }

Value tilec::tile::scratchOf(Operation *op) {
  if (auto reduce = dyn_cast<ReduceOp>(op))
    return reduce.getScratch();
  if (auto scan = dyn_cast<ScanOp>(op))
    return scan.getScratch();
  return {};
}

ParseResult tilec::tile::parseCombination(OpAsmParser &parser, ReductionAttr &kind) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef word;
  // The source begins with '%': a word can only be a kind.
  if (failed(parser.parseOptionalKeyword(&word)))
    return success();
  std::optional<Reduction> known = symbolizeReduction(word);
  SmallVector<StringRef> kinds = llvm::to_vector(llvm::make_filter_range(
      keywordsOf<Reduction>(), [](StringRef name) { return combinesRanks(*symbolizeReduction(name)); }));
  if (!known || !combinesRanks(*known))
    return parser.emitError(loc) << "expected " << listNames(kinds) << ", got '" << word << "'"
                                 << didYouMean(word, kinds);
  kind = ReductionAttr::get(parser.getContext(), *known);
  return success();
}

void tilec::tile::printCombination(OpAsmPrinter &printer, Operation *, ReductionAttr kind) {
  if (kind)
    printer << stringifyReduction(kind.getValue()) << ' ';
}
