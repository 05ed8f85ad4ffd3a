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
    "acc",        "accumulate",  "across",   "after",    "ahead",    "allocate",  "at",        "attributes",
    "backward",   "by",          "by_rows",  "carries",  "ceildiv",  "copies",    "count",     "default",
    "dim",        "dims",        "distinct", "each",     "else",     "empty",     "epilogue",  "exclusive",
    "extents",    "fills",       "first",    "floordiv", "from",     "full",      "handshake", "in",
    "indices",    "instruction", "into",     "kept",     "lag",      "lanes",     "last",      "layout",
    "left",       "lhs",         "mod",      "of",       "offset",   "on",        "order",     "over",
    "parts",      "persistent",  "producer", "progress", "promoted", "publishes", "read_once", "registers",
    "resident",   "rhs",         "schedule", "scratch",  "slots",    "split",     "stage",     "step",
    "stored",     "strides",     "swapped",  "through",  "tile",     "tiles",     "to",        "transpose",
    "transposed", "unordered",   "upto",     "uses",     "vector",   "waves",     "when",      "where",
    "workgroups", "world"};

/// The words of the syntax that a message names, as in `expected 'into'`.
static SmallVector<StringRef> wordsOf(StringRef message) {
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
  // Ops that know what may stand there say so themselves.
  if (word.empty() || !llvm::isAlpha(word.front()) || word.contains('.') || message.contains("did you mean") ||
      !message.contains("expected"))
    return "";
  StringRef expected = closestName(word, wordsOf(message));
  if (!expected.empty() && message.ends_with(("expected '" + expected + "'").str()))
    return (", got '" + word + "'").str();
  if (llvm::is_contained(syntaxWords, word))
    return "";
  if (!expected.empty())
    return ("; did you mean '" + expected + "'?").str();
  // Of two letters anything may be meant, the name of a value before all.
  return word.size() > 2 ? didYouMean(word, syntaxWords) : "";
}

/// The end of a message at `name`, empty where the name is known or nothing is like it.
static std::string suggest(StringRef text, StringRef name, bool undeclaredValue, bool isOp, MLIRContext *context) {
  if (name.consume_front("#tile."))
    return llvm::is_contained(attributeNames(), name) ? "" : didYouMean(name, attributeNames());
  if (name.consume_front("!tile."))
    return llvm::is_contained(typeNames(), name) ? "" : didYouMean(name, typeNames());
  if (name.starts_with("%"))
    return undeclaredValue ? didYouMean(name, otherValues(text, name)) : "";
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

/// The end of a message where the parser wants a value and finds something else.
static StringRef adviseOperand(StringRef found) {
  if (found.empty())
    return "";
  if (llvm::isDigit(found.front()))
    return "; a constant is a value too, as in '%c0 = arith.constant 0 : index'";
  return llvm::isAlpha(found.front()) ? "; names of values begin with '%'" : "";
}

/// The end of a message about a value that has another type than its use: what converts it, where the elements alone
/// differ.
static std::string adviseConversion(const Diagnostic &diagnostic) {
  SmallVector<Type> types;
  for (const DiagnosticArgument &argument : diagnostic.getArguments())
    if (argument.getKind() == DiagnosticArgument::DiagnosticArgumentKind::Type)
      types.push_back(argument.getAsType());
  if (types.size() != 2)
    return "";
  Type to = getElementTypeOrSelf(types[0]), from = getElementTypeOrSelf(types[1]);
  auto toTile = dyn_cast<RankedTensorType>(types[0]), fromTile = dyn_cast<RankedTensorType>(types[1]);
  const bool isSameShape =
      toTile && fromTile ? toTile.getShape() == fromTile.getShape() : to == types[0] && from == types[1];
  if (!isSameShape || to == from || !to.isIntOrIndexOrFloat() || !from.isIntOrIndexOrFloat())
    return "";
  if (to.isIntOrFloat() && from.isIntOrFloat())
    return "; nothing converts implicitly, " + howToConvert(from, to) + " does";
  return isa<FloatType>(to) || isa<FloatType>(from) ? "" : "; nothing converts implicitly, 'arith.index_cast' does";
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
    // An error at a value may have any reason; only this one says that there is no such value.
    bool undeclaredValue = diagnostic.str() == "use of undeclared SSA value name";
    const char *at = line + place.getColumn() - 1;
    StringRef rest(at, text.end() - at);
    const std::string message = diagnostic.str();
    if (const std::string word = suggestWord(rest, message); !word.empty())
      diagnostic << word;
    else if (StringRef(message).ends_with("expected SSA operand"))
      diagnostic << adviseOperand(rest);
    else if (StringRef(message).contains("expects different type than prior uses"))
      diagnostic << adviseConversion(diagnostic);
    else if (diagnostic.str() == "expected operation name in quotes" && isEnd(rest))
      adviseBrace(diagnostic, text, place.getFilename());
    else
      diagnostic << suggest(text, nameAt(text, at), undeclaredValue, StringRef(message).starts_with("custom op "),
                            context);
    // Others report it.
    return failure();
  });
}
