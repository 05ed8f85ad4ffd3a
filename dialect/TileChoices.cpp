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
    bool second = !words.empty() && ((part == "shot" && (words.back() == "one" || words.back() == "two")) ||
                                     (part == "first" && (words.back() == "rank" || words.back() == "head")));
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

/// Words and numbers between angle brackets, made an attribute by `make`; null from there is an error.
template <typename Made>
static Made parseWords(AsmParser &parser, function_ref<Made(ArrayRef<std::string>)> make) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<std::string> words;
  auto parseWord = [&]() -> ParseResult {
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
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater, parseWord))
    return {};
  Made made = make(words);
  if (!made)
    parser.emitError(loc) << "unknown " << Made::getMnemonic() << " '" << spellingOf(words) << "', expected "
                          << Made::spellings() << Made::suggest(spellingOf(words));
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
StringRef PatternAttr::spellings() {
  return "bulk, sequential or specialized, then optionally -pull, -push or -staged, then optionally -one-shot or "
         "-two-shot, then optionally -credits";
}
std::string PatternAttr::suggest(StringRef spelling) {
  // Where the first word is none of the kinds, it was left out.
  const StringRef kinds[] = {"bulk", "sequential", "specialized"};
  StringRef first = spelling.split('-').first;
  std::string whole = (closestName(first, kinds).empty() ? "specialized-" + spelling : Twine(spelling)).str();
  SmallVector<std::string> known;
  for (StringRef kind : kinds)
    for (StringRef remote : {"", "-pull", "-push", "-staged"})
      for (StringRef shots : {"", "-one-shot", "-two-shot"})
        for (StringRef credits : {"", "-credits"})
          known.push_back((kind + remote + shots + credits).str());
  // A name is no distance from itself; one that nobody wrote is not far from what was written.
  return llvm::is_contained(known, whole) ? "; did you mean '" + whole + "'?" : closestOf(whole, known);
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
StringRef GranularityAttr::spellings() { return "tile, group-<n> with n from 1, shard or task"; }
std::string GranularityAttr::suggest(StringRef spelling) {
  StringRef size = sizeIn(spelling);
  return closestOf(spelling, {"tile", ("group" + (size.empty() ? "-4" : size)).str(), "shard", "task"});
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

static SmallVector<std::string> splitSpelling(OrderRuleAttr order) {
  SmallVector<std::string> words{stringifyOrderKind(order.getKind()).str()};
  if (order.getSize() != usualSize(order.getKind()))
    words.push_back(std::to_string(order.getSize()));
  return words;
}

static OrderRuleAttr orderOf(MLIRContext *context, ArrayRef<std::string> words) {
  std::optional<OrderKind> kind = words.empty() || words.size() > 2 ? std::nullopt : symbolizeOrderKind(words.front());
  if (!kind)
    return {};
  std::optional<int64_t> size = words.size() == 2 ? positive(words[1]) : usualSize(*kind);
  if (!size || *size > int64_t(kMostWindow) || (words.size() == 2 && usualSize(*kind) == 1))
    return {};
  return OrderRuleAttr::get(context, *kind, *size);
}

OrderRuleAttr OrderRuleAttr::ofSpelling(MLIRContext *context, StringRef spelling) {
  return orderOf(context, splitSpelling(spelling));
}
OrderRuleAttr OrderRuleAttr::getDefault(MLIRContext *context) {
  return get(context, OrderKind::Auto, usualSize(OrderKind::Auto));
}
std::string OrderRuleAttr::spell() const { return spellingOf(splitSpelling(*this)); }
StringRef OrderRuleAttr::spellings() {
  return "auto, none, remap, chunked, grouped, rank-first or head-first; a number of rows may follow auto and grouped, "
         "of tasks "
         "chunked, of at most 1024, as in grouped-8";
}
std::string OrderRuleAttr::suggest(StringRef spelling) {
  SmallVector<std::string> known;
  for (StringRef word : keywordsOf<OrderKind>()) {
    known.push_back(spellingOf({word.str()}));
    if (usualSize(*symbolizeOrderKind(word)) != 1)
      known.push_back(known.back() + sizeIn(spelling).str());
  }
  return closestOf(spelling, known);
}
void OrderRuleAttr::print(AsmPrinter &printer) const { printWords(printer, splitSpelling(*this)); }
Attribute OrderRuleAttr::parse(AsmParser &parser, Type) {
  return parseWords<OrderRuleAttr>(parser,
                                   [&](ArrayRef<std::string> words) { return orderOf(parser.getContext(), words); });
}
