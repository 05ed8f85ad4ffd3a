// Attributes of what `choose` decides: their words in the text of a program, and their spelling on the command line.
#include "dialect/Keywords.h"
#include "dialect/Limits.h"
#include "dialect/Tile.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

/// The words of a spelling. Those that have a '-' of their own are written with '_' in a program.
static SmallVector<std::string> splitSpelling(StringRef spelling) {
  SmallVector<std::string> words;
  for (StringRef part : llvm::split(spelling, '-')) {
    bool second = !words.empty() &&
                  ((part == "shot" && (words.back() == "one" || words.back() == "two")) ||
                   (part == "first" && (words.back() == "rank" || words.back() == "head")) ||
                   (part == "engine" && words.back() == "copy") || (part == "consumer" && words.back() == "producer"));
    if (second)
      words.back() += "_" + part.str();
    else
      words.push_back(part.str());
  }
  return words;
}

static std::string spellingOf(ArrayRef<std::string> words) {
  std::string text = llvm::join(words, "-");
  std::replace(text.begin(), text.end(), '_', '-');
  return text;
}

static void printWords(AsmPrinter &printer, ArrayRef<std::string> words) {
  printer << "<" << llvm::join(words, ", ") << ">";
}

/// A keyword or a number.
static ParseResult parseWord(AsmParser &parser, SmallVectorImpl<std::string> &words) {
  StringRef word;
  int64_t number;
  if (OptionalParseResult parsed = parser.parseOptionalInteger(number); parsed.has_value()) {
    words.push_back(std::to_string(number));
    return *parsed;
  }
  if (parser.parseKeyword(&word))
    return failure();
  words.push_back(word.str());
  return success();
}

/// Words and numbers between angle brackets, made an attribute by `make`; null from there is an error.
template <typename Made>
static Made parseWords(AsmParser &parser, function_ref<Made(ArrayRef<std::string>)> make) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<std::string> words;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater, [&] { return parseWord(parser, words); }))
    return {};
  Made made = make(words);
  if (!made)
    parser.emitError(loc) << Made::refuse(spellingOf(words));
  return made;
}

/// The number that a word says, from 1; nothing of any other word.
static std::optional<int64_t> positive(StringRef word) {
  int64_t number;
  return word.getAsInteger(10, number) || number < 1 ? std::nullopt : std::optional(number);
}

/// The number at the end of a spelling, with its '-': a misspelt word before it does not hide it.
static StringRef sizeIn(StringRef spelling) {
  size_t dash = spelling.rfind('-');
  return dash != StringRef::npos && positive(spelling.substr(dash + 1)) ? spelling.substr(dash) : "";
}

/// The message about a spelling that is none of those there are.
static std::string unknown(StringRef what, StringRef spelling, StringRef known, StringRef suggestion) {
  return ("unknown " + what + " '" + spelling + "', expected " + known + suggestion).str();
}

static std::string closestOf(StringRef spelling, ArrayRef<std::string> known) {
  return didYouMean(spelling, SmallVector<StringRef>(known.begin(), known.end()));
}

//===-- patterns
//------------------------------------------------------------------------------------------------------===//

static SmallVector<std::string> splitSpelling(PatternAttr pattern) {
  SmallVector<std::string> words{stringifyPatternKind(pattern.getKind()).str()};
  if (pattern.getRemote() != Remote::Any)
    words.push_back(stringifyRemote(pattern.getRemote()).str());
  if (pattern.getShots() != Shots::One)
    words.push_back(stringifyShots(pattern.getShots()).str());
  if (pattern.getCredits())
    words.push_back("credits");
  return words;
}

/// Kind, remote, shots, credits, in this order; all but the first may be absent.
static PatternAttr patternOf(MLIRContext *context, ArrayRef<std::string> words) {
  std::optional<PatternKind> kind = words.empty() ? std::nullopt : symbolizePatternKind(words.front());
  if (!kind)
    return {};
  words = words.drop_front();
  std::optional<Remote> remote = words.empty() ? std::nullopt : symbolizeRemote(words.front());
  if (remote)
    words = words.drop_front();
  std::optional<Shots> shots = words.empty() ? std::nullopt : symbolizeShots(words.front());
  if (shots)
    words = words.drop_front();
  bool credits = !words.empty() && words.front() == "credits";
  if (words.size() > size_t(credits))
    return {};
  return PatternAttr::get(context, *kind, remote.value_or(Remote::Any), shots.value_or(Shots::One), credits);
}

PatternAttr PatternAttr::ofSpelling(MLIRContext *context, StringRef spelling) {
  return patternOf(context, splitSpelling(spelling));
}
PatternAttr PatternAttr::getDefault(MLIRContext *context) {
  return get(context, PatternKind::Sequential, Remote::Any, Shots::One, false);
}
std::string PatternAttr::spell() const { return spellingOf(splitSpelling(*this)); }

static std::string suggestPattern(StringRef spelling) {
  // Where the first word is none of the kinds, it was left out.
  const StringRef kinds[] = {"bulk", "sequential", "specialized", "producer-consumer"};
  StringRef first = spelling.starts_with("producer-consumer") ? kinds[3] : spelling.split('-').first;
  std::string whole = (closestName(first, kinds).empty() ? "specialized-" + spelling : Twine(spelling)).str();
  SmallVector<std::string> known;
  for (StringRef kind : kinds)
    for (StringRef remote : {"", "-pull", "-push", "-staged", "-copy-engine"})
      for (StringRef shots : {"", "-one-shot", "-two-shot"})
        for (StringRef credits : {"", "-credits"})
          known.push_back((kind + remote + shots + credits).str());
  // A name is no distance from itself; one that nobody wrote is not far from what was written.
  return llvm::is_contained(known, whole) ? "; did you mean '" + whole + "'?" : closestOf(whole, known);
}

std::string PatternAttr::refuse(StringRef spelling) {
  return unknown(getMnemonic(), spelling,
                 "bulk, sequential, specialized or producer-consumer, then optionally -pull, -push, -staged or "
                 "-copy-engine, then optionally "
                 "-one-shot or -two-shot, then optionally -credits",
                 suggestPattern(spelling));
}
void PatternAttr::print(AsmPrinter &printer) const { printWords(printer, splitSpelling(*this)); }
Attribute PatternAttr::parse(AsmParser &parser, Type) {
  return parseWords<PatternAttr>(parser,
                                 [&](ArrayRef<std::string> words) { return patternOf(parser.getContext(), words); });
}

//===-- granularities
//-------------------------------------------------------------------------------------------------===//

static SmallVector<std::string> splitSpelling(GranularityAttr granularity) {
  if (granularity.getCoverage() != Coverage::Group)
    return {stringifyCoverage(granularity.getCoverage()).str()};
  if (granularity.getTiles() == 1)
    return {"tile"};
  return {"group", std::to_string(granularity.getTiles())};
}

static GranularityAttr granularityOf(MLIRContext *context, ArrayRef<std::string> words) {
  if (words.size() == 2 && words.front() == "group") {
    std::optional<int64_t> tiles = positive(words[1]);
    return tiles ? GranularityAttr::get(context, Coverage::Group, *tiles) : GranularityAttr();
  }
  if (words.size() != 1)
    return {};
  if (words.front() == "tile")
    return GranularityAttr::get(context, Coverage::Group, 1);
  std::optional<Coverage> coverage = symbolizeCoverage(words.front());
  return coverage && *coverage != Coverage::Group ? GranularityAttr::get(context, *coverage, 1) : GranularityAttr();
}

GranularityAttr GranularityAttr::ofSpelling(MLIRContext *context, StringRef spelling) {
  return granularityOf(context, splitSpelling(spelling));
}
GranularityAttr GranularityAttr::getDefault(MLIRContext *context) { return get(context, Coverage::Task, 1); }
std::string GranularityAttr::spell() const { return spellingOf(splitSpelling(*this)); }
std::string GranularityAttr::refuse(StringRef spelling) {
  StringRef size = sizeIn(spelling);
  return unknown(
      getMnemonic(), spelling, "tile, group-<n> with n from 1, shard, task or statement",
      closestOf(spelling, {"tile", ("group" + (size.empty() ? "-4" : size)).str(), "shard", "task", "statement"}));
}
void GranularityAttr::print(AsmPrinter &printer) const { printWords(printer, splitSpelling(*this)); }
Attribute GranularityAttr::parse(AsmParser &parser, Type) {
  return parseWords<GranularityAttr>(
      parser, [&](ArrayRef<std::string> words) { return granularityOf(parser.getContext(), words); });
}

//===-- orders
//--------------------------------------------------------------------------------------------------------===//

/// Rows of a window, or tasks of a chunk, where the author gives none; 1 for orders that have neither.
static int64_t usualSize(OrderKind kind) {
  constexpr int64_t rows = 4, tasks = 16;
  return kind == OrderKind::Auto || kind == OrderKind::Grouped ? rows : kind == OrderKind::Chunked ? tasks : 1;
}

static SmallVector<std::string> splitSpelling(OrderPiece piece) {
  SmallVector<std::string> words{stringifyOrderKind(piece.kind).str()};
  if (piece.size != usualSize(piece.kind))
    words.push_back(std::to_string(piece.size));
  return words;
}

static std::string spellingOf(OrderKind kind) { return spellingOf({stringifyOrderKind(kind).str()}); }

static std::optional<OrderPiece> pieceOf(ArrayRef<std::string> words) {
  std::optional<OrderKind> kind = words.empty() || words.size() > 2 ? std::nullopt : symbolizeOrderKind(words.front());
  if (!kind)
    return std::nullopt;
  std::optional<int64_t> size = words.size() == 2 ? positive(words[1]) : usualSize(*kind);
  if (!size || *size > int64_t(kMostWindow) || (words.size() == 2 && usualSize(*kind) == 1))
    return std::nullopt;
  return OrderPiece{*kind, *size};
}

namespace {
/// What a piece does to the number of a task; pieces come in this order.
enum OrderWork : unsigned { Deals = 1, Places = 2, Rotates = 4 };
} // namespace

static unsigned workOf(OrderKind kind) {
  switch (kind) {
  case OrderKind::Remap:
  case OrderKind::Chunked:
    return Deals;
  case OrderKind::Grouped:
  case OrderKind::Diagonal:
    return Places;
  case OrderKind::HeadFirst:
    return Deals | Places;
  case OrderKind::RankFirst:
    return Rotates;
  case OrderKind::Auto:
  case OrderKind::None:
    return Deals | Places | Rotates;
  }
  llvm_unreachable("not a kind of order");
}

/// Why one piece cannot stand before another; empty where it can.
static std::string conflictOf(OrderKind first, OrderKind second) {
  std::string one = "'" + spellingOf(first) + "'", other = "'" + spellingOf(second) + "'";
  for (OrderKind kind : {first, second})
    if (kind == OrderKind::Auto || kind == OrderKind::None)
      return "'" + spellingOf(kind) + "' stands alone";
  if (first == second)
    return one + " is there twice";
  unsigned both = workOf(first) & workOf(second);
  if (both)
    return one + " and " + other +
           (both & Deals ? " both deal tasks to chiplets" : " both say which tile a number means") +
           ", expected one of them";
  return workOf(first) > workOf(second) ? other + " applies before " + one + ", expected it in front" : "";
}

static std::string conflictOf(ArrayRef<OrderPiece> pieces) {
  for (size_t second = 1; second < pieces.size(); ++second)
    for (const OrderPiece &first : pieces.take_front(second))
      if (std::string why = conflictOf(first.kind, pieces[second].kind); !why.empty())
        return why;
  return {};
}

/// The pieces of `chunked-16+grouped-4`; a spelling that is no piece is left in `unknown`.
static SmallVector<OrderPiece> piecesOf(StringRef spelling, std::optional<StringRef> &unknown) {
  SmallVector<OrderPiece> pieces;
  for (StringRef part : llvm::split(spelling, '+')) {
    std::optional<OrderPiece> piece = pieceOf(splitSpelling(part));
    if (!piece) {
      unknown = part;
      return {};
    }
    pieces.push_back(*piece);
  }
  return pieces;
}

OrderRuleAttr OrderRuleAttr::ofSpelling(MLIRContext *context, StringRef spelling) {
  std::optional<StringRef> unknown;
  SmallVector<OrderPiece> pieces = piecesOf(spelling, unknown);
  return unknown || !conflictOf(pieces).empty() ? OrderRuleAttr() : get(context, pieces);
}
OrderRuleAttr OrderRuleAttr::getDefault(MLIRContext *context) {
  return get(context, OrderKind::Auto, usualSize(OrderKind::Auto));
}
std::string OrderRuleAttr::spell() const {
  return llvm::join(llvm::map_range(getPieces(), [](OrderPiece piece) { return spellingOf(splitSpelling(piece)); }),
                    "+");
}
std::optional<int64_t> OrderRuleAttr::sizeOf(OrderKind kind) const {
  const auto *found = llvm::find_if(getPieces(), [&](const OrderPiece &piece) { return piece.kind == kind; });
  return found == getPieces().end() ? std::nullopt : std::optional(found->size);
}

static std::string suggestOrder(StringRef spelling) {
  SmallVector<std::string> known;
  StringRef size = sizeIn(spelling);
  if (!size.empty() && *positive(size.drop_front()) > int64_t(kMostWindow))
    size = "";
  for (StringRef word : keywordsOf<OrderKind>()) {
    known.push_back(spellingOf({word.str()}));
    if (usualSize(*symbolizeOrderKind(word)) != 1)
      known.push_back(known.back() + size.str());
  }
  return closestOf(spelling, known);
}

std::string OrderRuleAttr::refuse(StringRef spelling) {
  std::optional<StringRef> part;
  SmallVector<OrderPiece> pieces = piecesOf(spelling, part);
  if (!part)
    return ("order '" + spelling + "': " + conflictOf(pieces)).str();
  return unknown(getMnemonic(), *part,
                 "auto, none, remap, chunked, grouped, diagonal, rank-first or head-first; a number of rows may follow "
                 "auto and grouped, of tasks chunked, of at most 1024, as in grouped-8; '+' joins several, as in "
                 "remap+grouped-8",
                 suggestOrder(*part));
}

void OrderRuleAttr::print(AsmPrinter &printer) const {
  printer << "<";
  llvm::interleave(
      getPieces(), printer, [&](const OrderPiece &piece) { printer << llvm::join(splitSpelling(piece), ", "); }, " + ");
  printer << ">";
}

Attribute OrderRuleAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<OrderPiece> pieces;
  std::string spelling;
  bool known = true;
  if (parser.parseLess())
    return {};
  do {
    SmallVector<std::string> words;
    if (parser.parseCommaSeparatedList([&] { return parseWord(parser, words); }))
      return {};
    spelling += (spelling.empty() ? "" : "+") + spellingOf(words);
    std::optional<OrderPiece> piece = pieceOf(words);
    known &= piece.has_value();
    pieces.push_back(piece.value_or(OrderPiece()));
  } while (succeeded(parser.parseOptionalPlus()));
  if (parser.parseGreater())
    return {};
  if (known && conflictOf(pieces).empty())
    return get(parser.getContext(), pieces);
  parser.emitError(loc) << refuse(spelling);
  return {};
}
