// One pass over the characters.
#include "dialect/Nesting.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace llvm;
using namespace tilec;

namespace {

class Scanner {
public:
  explicit Scanner(StringRef text) : text(text) {}

  std::optional<NestingPlace> run() {
    while (at < text.size()) {
      size_t before = at;
      step();
      if (depth() > maxNesting || deepestAlias > maxNesting)
        return placeOf(before);
    }
    return std::nullopt;
  }

  /// Of a text that has been scanned to its end.
  std::optional<NestingPlace> openBrace() const {
    for (const Frame &frame : reverse(drop_begin(frames)))
      if (frame.bracket == '{')
        return placeOf(frame.begin);
    return std::nullopt;
  }

private:
  /// What is open; the first frame is the file.
  struct Frame {
    char bracket = '{';
    size_t begin = 0;
    unsigned operators = 0;
  };

  unsigned depth() const { return frames.size() - 1 + operators; }
  char peek(size_t ahead) const { return at + ahead < text.size() ? text[at + ahead] : '\0'; }

  void step() {
    char c = text[at];
    if (c == '"')
      return skipString();
    if (c == '/' && peek(1) == '/') {
      at = std::min(text.find('\n', at), text.size());
      return;
    }
    if ((c == '-' && peek(1) == '>') || ((c == '<' || c == '>') && peek(1) == '=')) {
      at += 2;
      return;
    }
    if (isAlpha(c) || c == '_') {
      if (is_contained({"mod", "floordiv", "ceildiv"}, word()))
        count();
      return;
    }
    ++at;
    if (c == '#' || c == '!')
      alias();
    else if (StringRef("([{<").contains(c))
      frames.push_back({c, at - 1});
    else if (StringRef(")]}>").contains(c))
      close();
    else if (StringRef("+-*").contains(c))
      count();
    else if (c == ',' || (c == '\n' && frames.back().bracket == '{'))
      endExpression(); // Lines end statements; inside of other brackets they end nothing.
  }

  /// A string ends with its line at the latest, as in MLIR.
  void skipString() {
    for (++at; at < text.size() && text[at] != '"' && text[at] != '\n'; ++at)
      if (text[at] == '\\')
        ++at;
    at = std::min(at + 1, text.size());
  }

  StringRef word() {
    size_t begin = at;
    while (at < text.size() && (isAlnum(text[at]) || text[at] == '_' || text[at] == '$' || text[at] == '.'))
      ++at;
    return text.slice(begin, at);
  }

  void count() {
    ++frames.back().operators;
    ++operators;
  }

  void endExpression() {
    operators -= frames.back().operators;
    frames.back().operators = 0;
  }

  void close() {
    endExpression();
    if (frames.size() > 1)
      frames.pop_back();
  }

  /// Behind `#` or `!`: an alias that is defined, one that is used, or something of a dialect. What is used after a
  /// definition counts as part of it; the next definition begins at the end of it or later.
  void alias() {
    StringRef name = word();
    StringRef rest = text.drop_front(at).ltrim(" \t");
    if (frames.size() == 1 && rest.starts_with("=")) {
      aliases[defined] = deepest;
      defined = name;
      deepest = 0;
    }
    auto known = aliases.find(name);
    deepestAlias = depth() + (known == aliases.end() ? 0 : known->second);
    deepest = std::max(deepest, deepestAlias);
  }

  NestingPlace placeOf(size_t offset) const {
    StringRef before = text.take_front(offset);
    size_t lineStart = before.rfind('\n') + 1; // npos + 1 is 0
    return {unsigned(before.count('\n') + 1), unsigned(offset - lineStart + 1)};
  }

  StringRef text;
  size_t at = 0;
  SmallVector<Frame, 32> frames{Frame()};
  unsigned operators = 0; ///< of all frames
  StringMap<unsigned> aliases;
  StringRef defined; ///< the last alias whose definition has begun
  unsigned deepest = 0, deepestAlias = 0;
};

} // namespace

std::optional<NestingPlace> tilec::findDeepNesting(StringRef text) { return Scanner(text).run(); }

std::optional<NestingPlace> tilec::findOpenBrace(StringRef text) {
  Scanner scanner(text);
  return scanner.run() ? std::nullopt : scanner.openBrace();
}
