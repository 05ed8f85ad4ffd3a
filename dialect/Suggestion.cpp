// Closest names by edit distance.
#include "dialect/Suggestion.h"

#include "llvm/ADT/STLExtras.h"

using llvm::ArrayRef;
using llvm::StringRef;

/// A name without what marks it as a value or a symbol.
static StringRef letters(StringRef name) { return name.ltrim("%@"); }

/// Those behind the dialect.
static StringRef ownLetters(StringRef name) { return letters(name).substr(letters(name).rfind('.') + 1); }

/// Whether two neighbouring letters of one are exchanged in the other: a slip of two fingers, which is one mistake.
static bool isExchanged(StringRef a, StringRef b) {
  for (size_t i = 0; a.size() == b.size() && i + 1 < a.size(); ++i)
    if (a[i] != b[i])
      return a[i] == b[i + 1] && a[i + 1] == b[i] && a.substr(i + 2) == b.substr(i + 2);
  return false;
}

/// Whether a name has the letters of another but for one of them, in any order: `lode` and `load`, of four letters or
/// more.
static bool isAnagramButOne(StringRef a, StringRef b) {
  if (a.size() != b.size() || a.size() < 4 || a.front() != b.front())
    return false;
  std::string rest = b.str();
  for (char letter : a)
    if (size_t at = rest.find(letter); at != std::string::npos)
      rest.erase(at, 1);
  return rest.size() <= 1;
}

StringRef tilec::closestName(StringRef word, ArrayRef<StringRef> known) {
  StringRef closest;
  // A third of the letters may differ. Of `tile.load` those behind the dot count: most ops have the same before it.
  size_t least = std::max<size_t>(1, ownLetters(word).size() / 3) + 1;
  for (StringRef name : known) {
    size_t distance = letters(word).edit_distance_insensitive(letters(name), /*AllowReplacements=*/true,
                                                              static_cast<unsigned>(least));
    if (isExchanged(letters(word), letters(name)))
      distance = 1;
    // In short names two mistakes are too many, unless nothing is closer and the letters are the same.
    else if (closest.empty() && distance == 2 && least == 2 && isAnagramButOne(ownLetters(word), ownLetters(name)))
      distance = 1;
    // Of two that are as close, a letter in the middle is missed more often than the last is another.
    const bool isSameEnd = !closest.empty() && distance == least && name.size() > word.size() &&
                           name.ends_with(word.take_back()) && !closest.ends_with(word.take_back());
    // Names without a letter in common are not alike, however short they are.
    if ((distance < least || isSameEnd) && distance < std::max(letters(word).size(), letters(name).size())) {
      least = distance;
      closest = name;
    }
  }
  return closest;
}

std::string tilec::didYouMean(StringRef word, ArrayRef<StringRef> known) {
  StringRef closest = closestName(word, known);
  return closest.empty() ? "" : ("; did you mean '" + closest + "'?").str();
}

std::string tilec::listNames(ArrayRef<StringRef> names) {
  std::string list;
  for (auto [i, name] : llvm::enumerate(names))
    list += (i == 0 ? "" : i + 1 == names.size() ? " or " : ", ") + name.str();
  return list;
}
