// Suggestions at the names that upstream's parser does not know: it says no more than that.
#include "dialect/Misspelling.h"
#include "dialect/Conversion.h"
#include "dialect/Nesting.h"
#include "dialect/Suggestion.h"
#include "dialect/Tile.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

static bool isNamePart(char c) { return llvm::isAlnum(c) || c == '_' || c == '.' || c == '$'; }

/// The name at `loc` with what marks it: `tile.load`, `%acc`, `#tile.symmetric`. The parser points behind the dialect
/// of an attribute.
static StringRef nameAt(StringRef text, const char *place) {
  const char *begin = place, *end = place;
  while (begin != text.begin() && isNamePart(begin[-1]))
    --begin;
  if (begin != text.begin() && StringRef("%#!").contains(begin[-1]))
    --begin;
  if (end != text.end() && StringRef("%#!").contains(*end))
    ++end;
  while (end != text.end() && isNamePart(*end))
    ++end;
  return StringRef(begin, end - begin);
}

template <typename... Named>
static SmallVector<StringRef> mnemonicsOf() {
  return {Named::getMnemonic()...};
}

static SmallVector<StringRef> attributeNames() {
  return mnemonicsOf<
#define GET_ATTRDEF_LIST
#include "dialect/TileAttrs.cpp.inc"
      >();
}

static SmallVector<StringRef> typeNames() {
  return mnemonicsOf<
#define GET_TYPEDEF_LIST
#include "dialect/TileTypes.cpp.inc"
      >();
}

/// Every value that the text names, but `name` itself.
static SmallVector<StringRef> otherValues(StringRef text, StringRef name) {
  llvm::StringSet<> seen;
  SmallVector<StringRef> values;
  for (size_t at = text.find('%'); at != StringRef::npos; at = text.find('%', at + 1)) {
    StringRef value = nameAt(text, text.begin() + at);
    if (value != name && seen.insert(value).second)
      values.push_back(value);
  }
  return values;
}

static SmallVector<StringRef> operationNames(MLIRContext *context) {
  return llvm::map_to_vector(context->getRegisteredOperations(),
                             [](RegisteredOperationName name) { return name.getStringRef(); });
}

/// The words of the syntax of programs: clauses, expressions over extents, and what stands between operands.
/// test/tilec/misspelt-words.test holds them against the formats of the ops.
static constexpr StringRef syntaxWords[] = {
    "acc",       "accumulate", "across",      "after",     "ahead",      "allocate",  "alternating", "as",
    "async",     "at",         "attributes",  "backward",  "beside",     "by",        "by_chiplet",  "by_rows",
    "carries",   "ceildiv",    "columns",     "copies",    "count",      "counted",   "default",     "dim",
    "dims",      "distinct",   "each",        "else",      "empty",      "epilogue",  "exclusive",   "extents",
    "fills",     "first",      "floordiv",    "from",      "full",       "halved",    "handshake",   "in",
    "in_turn",   "indices",    "instruction", "into",      "kept",       "lag",       "lanes",       "last",
    "layout",    "left",       "lhs",         "mod",       "of",         "offset",    "on",          "order",
    "over",      "parts",      "persistent",  "producer",  "progress",   "promoted",  "publishes",   "read_once",
    "registers", "replaces",   "resident",    "rhs",       "rows",       "schedule",  "scratch",     "slots",
    "split",     "stage",      "step",        "steps",     "stored",     "strides",   "swapped",     "through",
    "tile",      "tiles",      "to",          "transpose", "transposed", "unordered", "upto",        "uses",
    "vector",    "waves",      "when",        "where",     "workgroups", "world"};

/// The words of the syntax that a message names, as in `expected 'into'`.
static SmallVector<StringRef> quotedWords(StringRef message) {
  return llvm::filter_to_vector(syntaxWords, [&](StringRef word) {
    for (size_t at = message.find(word); at != StringRef::npos; at = message.find(word, at + 1)) {
      StringRef after = message.substr(at + word.size());
      if ((at == 0 || !isNamePart(message[at - 1])) && (after.empty() || !isNamePart(after.front())))
        return true;
    }
    return false;
  });
}

/// The end of a message about the word at `rest` that is none of the syntax but like one: what the message expects
/// comes first. The parser points behind the last token where it misses one.
static std::string suggestWord(StringRef rest, StringRef message) {
  StringRef word = rest.ltrim(" \t").take_while(isNamePart);
  if (word.empty() || !llvm::isAlpha(word.front()) || word.contains('.') || !message.contains("expected"))
    return "";
  StringRef expected = closestName(word, quotedWords(message));
  if (!expected.empty() && message.ends_with(("expected '" + expected + "'").str()))
    return (", got '" + word + "'").str();
  if (llvm::is_contained(syntaxWords, word))
    return "";
  if (!expected.empty())
    return ("; did you mean '" + expected + "'?").str();
  // Of two letters anything may be meant, the name of a value before all.
  return word.size() > 2 ? didYouMean(word, syntaxWords) : "";
}

/// The end of a message about a value that nothing declares and that nothing is like, where it is written as extents
/// are: a letter is like any other.
static std::string adviseExtent(StringRef text, StringRef name) {
  if (name.size() < 2 || !llvm::isUpper(name[1]))
    return "";
  StringRef header = text.take_front(name.begin() - text.begin());
  header = header.drop_front(std::min(header.rfind("tile.program @"), header.size()));
  header = header.take_front(header.find('('));
  size_t from = header.find('<'), to = header.find('>');
  if (from == StringRef::npos || to == StringRef::npos || to < from)
    return "";
  StringRef extents = header.slice(from + 1, to).trim();
  return extents.empty() ? "" : ("; the extents of the program are " + extents).str();
}

/// The end of a message at `name`, empty where the name is known or nothing is like it.
static std::string suggest(StringRef text, StringRef name, bool undeclaredValue, bool isOp, MLIRContext *context) {
  if (name.consume_front("#tile."))
    return llvm::is_contained(attributeNames(), name) ? "" : didYouMean(name, attributeNames());
  if (name.consume_front("!tile."))
    return llvm::is_contained(typeNames(), name) ? "" : didYouMean(name, typeNames());
  if (name.starts_with("%")) {
    std::string meant = undeclaredValue ? didYouMean(name, otherValues(text, name)) : "";
    return meant.empty() && undeclaredValue ? adviseExtent(text, name) : meant;
  }
  // A dialect is loaded by the first op that names it, which a misspelt one does not.
  context->loadAllAvailableDialects();
  std::string ours = ("tile." + name).str();
  if (isOp && RegisteredOperationName::lookup(ours, context))
    return "; did you mean '" + ours + "'?";
  if (!name.contains('.'))
    return "";
  if (RegisteredOperationName::lookup(name, context))
    return "";
  std::string meant = didYouMean(name, operationNames(context));
  if (!meant.empty())
    return meant;
  // Dialect and op misspelt: each alone is close.
  std::vector<StringRef> dialects = context->getAvailableDialects();
  auto [dialect, op] = name.split('.');
  StringRef closest = closestName(dialect, dialects);
  return closest.empty() ? "" : didYouMean((closest + "." + op).str(), operationNames(context));
}

/// The end of a message where an expression over extents goes on with what is none: signs of other languages.
static StringRef adviseOperator(StringRef rest, StringRef message) {
  rest = rest.ltrim(" \t");
  if (message == "invalid SSA name" && rest.starts_with("%"))
    return "; a remainder is written 'mod', as in '%M mod 4'";
  if (message.contains("expected ']'") && rest.starts_with("/") && !rest.starts_with("//"))
    return "; a quotient is written 'floordiv', or 'ceildiv' where a part of a tile counts, as in '%M ceildiv 32'";
  return "";
}

/// The end of a message where an op of ours lacks something of its syntax: what stands there. `before` is the line up
/// to the place.
static StringRef adviseSyntax(StringRef before, StringRef rest, StringRef message) {
  if (message.ends_with("expected 'dim'"))
    return "; the dimension along which parts lie follows, as in 'into %b dim 0'";
  if (!message.ends_with("expected ':'"))
    return "";
  if (before.contains("tile.matmul") && rest.ltrim(" \t").starts_with("{"))
    return "; the types of all operands come first, and behind them 'epilogue (%row, %col, %sum: tensor<?x?xf32>) {'";
  if (before.contains("tile.load") && before.contains(" else %"))
    return "; the type of the value behind 'else' comes first, as in 'else %low : f32 : memref<?xf32> -> "
           "tensor<64xf32>'";
  return "";
}

/// The end of a message where the parser wants a value and finds something else.
static std::string adviseOperand(StringRef found) {
  found = found.ltrim(" \t");
  StringRef digits = found.ltrim('-').take_while(llvm::isDigit);
  if (!digits.empty()) {
    if (found.ltrim('-').drop_front(digits.size()).starts_with("."))
      return "; a constant is a value too, as in '%c = arith.constant 2.0 : f32', and for a tile '%c = tile.splat 2.0 "
             "[64] : tensor<64xf32>'";
    return "; a constant is a value too, as in '%c0 = arith.constant 0 : index'";
  }
  return !found.empty() && llvm::isAlpha(found.front()) ? "; names of values begin with '%'" : "";
}

/// The end of a message about a value that has another type than its use, where a tile is meant to be as large as
/// another.
static std::string adviseTile(RankedTensorType to, Type from) {
  std::string text;
  llvm::raw_string_ostream out(text);
  auto shape = [&](RankedTensorType tile) {
    out << '[';
    llvm::interleaveComma(tile.getShape(), out);
    out << ']';
  };
  auto tile = dyn_cast<RankedTensorType>(from);
  if (!tile) {
    out << "; 'tile.splat' makes a tile of a number, as in '%t = tile.splat %x ";
    shape(to);
    out << " : " << to.clone(from) << "'";
    return text;
  }
  // The dimension along which the smaller one is not repeated.
  if (to.getElementType() != tile.getElementType() || to.getRank() != 2 || tile.getRank() != 1)
    return "";
  const int64_t dim = to.getDimSize(0) == tile.getDimSize(0) ? 0 : 1;
  if (to.getDimSize(dim) != tile.getDimSize(0))
    return "";
  out << "; 'tile.broadcast' repeats a tile, as in '%t = tile.broadcast %x dims [" << dim << "] tile ";
  shape(to);
  out << " : " << tile << " -> " << to << "'";
  if (to.getDimSize(0) == to.getDimSize(1))
    out << ", or dims [1]";
  return text;
}

/// The types of a message, in their order.
static SmallVector<Type> typesOf(const Diagnostic &diagnostic) {
  SmallVector<Type> types;
  for (const DiagnosticArgument &argument : diagnostic.getArguments())
    if (argument.getKind() == DiagnosticArgument::DiagnosticArgumentKind::Type)
      types.push_back(argument.getAsType());
  return types;
}

/// The end of a message about a value that has another type than its use: what makes the one of the other.
static std::string adviseConversion(const Diagnostic &diagnostic) {
  SmallVector<Type> types = typesOf(diagnostic);
  if (types.size() != 2)
    return "";
  Type to = getElementTypeOrSelf(types[0]), from = getElementTypeOrSelf(types[1]);
  auto toTile = dyn_cast<RankedTensorType>(types[0]), fromTile = dyn_cast<RankedTensorType>(types[1]);
  if (toTile && (fromTile ? toTile.getShape() != fromTile.getShape() : from == types[1] && from.isIntOrFloat()))
    return adviseTile(toTile, types[1]);
  // Whichever stands first names the type: a number that is followed by a tile.
  if (fromTile && to == types[0] && to.isIntOrFloat())
    return adviseTile(fromTile, to);
  const bool isSameShape = (toTile && fromTile) || (to == types[0] && from == types[1]);
  if (!isSameShape || to == from || !to.isIntOrIndexOrFloat() || !from.isIntOrIndexOrFloat())
    return "";
  if (to.isIntOrFloat() && from.isIntOrFloat())
    return "; nothing converts implicitly, " + howToConvert(from, to) + " does";
  return isa<FloatType>(to) || isa<FloatType>(from) ? "" : "; nothing converts implicitly, 'arith.index_cast' does";
}

/// The end of a message about a conversion that there is none of.
static std::string adviseSteps(const Diagnostic &diagnostic) {
  SmallVector<Type> types = typesOf(diagnostic);
  if (types.size() != 2)
    return "";
  Type from = getElementTypeOrSelf(types[0]), to = getElementTypeOrSelf(types[1]);
  if (from == to || !from.isIntOrFloat() || !to.isIntOrFloat())
    return "";
  return "; " + howToConvert(from, to) + " is what there is";
}

/// The end of a message about an index that has a name which its own bound uses: `(%m) in [%m ceildiv 32]`.
static std::string adviseCase(StringRef name, ArrayRef<StringRef> values) {
  for (StringRef value : values)
    if (value != name && value.equals_insensitive(name))
      return ("; did you mean '" + value + "' there?").str();
  return "";
}

/// The end of a message about a statement in a loop or a task.
static StringRef advisePlace(StringRef message, MLIRContext *context) {
  StringRef name = message.split("' op ").first.ltrim('\'');
  auto op = RegisteredOperationName::lookup(name, context);
  if (!op)
    return "";
  return op->hasInterface<CollectiveOpInterface>()
             ? "; it stands before or behind loops: in one, a 'tile.forall' that stores 'to' a rank does the same"
             : "; it stands before or behind loops and tasks";
}

/// Whether nothing but white space and comments follows. The parser points to the last character of a file.
static bool isEnd(StringRef rest) {
  if (rest.size() <= 1)
    return true;
  for (rest = rest.ltrim(); rest.consume_front("//"); rest = rest.ltrim())
    rest = rest.drop_until([](char c) { return c == '\n'; });
  return rest.empty();
}

/// The parser wants another operation where a file ends before a region does.
static void adviseBrace(Diagnostic &diagnostic, StringRef text, StringAttr file) {
  std::optional<NestingPlace> open = findOpenBrace(text);
  if (!open)
    return;
  diagnostic << "; the file ends before a '}'";
  diagnostic.attachNote(FileLineColLoc::get(file, open->line, open->column)) << "this '{' is open";
}

/// The line of `text` in which `rest` begins, up to there.
static StringRef lineBefore(StringRef text, StringRef rest) {
  StringRef before(text.begin(), rest.begin() - text.begin());
  return before.rsplit('\n').second.empty() ? before : before.rsplit('\n').second;
}

/// The end of a message at `rest`, a part of `text`.
static std::string advise(const Diagnostic &diagnostic, StringRef text, StringRef rest, MLIRContext *context) {
  const std::string said = diagnostic.str();
  const StringRef message = said, name = nameAt(text, rest.begin());
  if (message.contains("did you mean"))
    return "";
  if (std::string word = suggestWord(rest, message); !word.empty())
    return word;
  if (StringRef sign = adviseOperator(rest, message); !sign.empty())
    return sign.str();
  if (StringRef syntax = adviseSyntax(lineBefore(text, rest), rest, message); !syntax.empty())
    return syntax.str();
  // A word behind an op whose syntax could have ended there: the parser takes it for the next op.
  if (StringRef before = lineBefore(text, rest).trim();
      message.starts_with("Dialect `' not found") && !before.empty() && !before.ends_with("="))
    return didYouMean(name, syntaxWords);
  if (message.ends_with("expected SSA operand"))
    return adviseOperand(rest);
  if (message.contains("expects different type than prior uses"))
    return adviseConversion(diagnostic);
  if (message.ends_with("are cast incompatible"))
    return adviseSteps(diagnostic);
  if (message.ends_with("integer-like, but got 'index'"))
    return "; 'arith.index_cast' makes an integer of it";
  if (message.ends_with("is already in use"))
    return adviseCase(name, otherValues(text, name));
  if (message.ends_with("op expects parent op 'tile.program'"))
    return advisePlace(message, context).str();
  if (message == "expected operation name in quotes" && isEnd(rest))
    return "";
  // An error at a value may have any reason; only this one says that there is no such value.
  return suggest(text, name, message == "use of undeclared SSA value name", message.starts_with("custom op "), context);
}

MisspellingHandler::MisspellingHandler(const llvm::SourceMgr &sources, MLIRContext *context)
    : ScopedDiagnosticHandler(context) {
  setHandler([&sources, context](Diagnostic &diagnostic) -> LogicalResult {
    auto place = dyn_cast<FileLineColLoc>(diagnostic.getLocation());
    const auto &buffer = sources.getBufferInfo(sources.getMainFileID());
    StringRef text = buffer.Buffer->getBuffer();
    if (diagnostic.getSeverity() != DiagnosticSeverity::Error || !place ||
        place.getFilename() != buffer.Buffer->getBufferIdentifier())
      return failure();
    const char *line = buffer.getPointerForLineNumber(place.getLine());
    if (!line || place.getColumn() == 0 || place.getColumn() - 1 > static_cast<size_t>(text.end() - line))
      return failure();
    const char *at = line + place.getColumn() - 1;
    StringRef rest(at, text.end() - at);
    diagnostic << advise(diagnostic, text, rest, context);
    if (diagnostic.str() == "expected operation name in quotes" && isEnd(rest))
      adviseBrace(diagnostic, text, place.getFilename());
    // Others report it.
    return failure();
  });
}
