// Spelling of overlap patterns.
#include "passes/analysis/OverlapPattern.h"
#include "dialect/Suggestion.h"

using namespace mlir;
using namespace tilec;

/// What may have been meant: a misspelt part does not hide the others.
static std::string suggestPattern(StringRef spelling) {
  SmallVector<std::string> known;
  for (StringRef kind : {"bulk", "sequential", "specialized"})
    for (StringRef remote : {"", "-pull", "-push", "-staged"})
      for (StringRef shots : {"", "-one-shot", "-two-shot"})
        for (StringRef credits : {"", "-credits"})
          known.push_back((kind + remote + shots + credits).str());
  return didYouMean(spelling, SmallVector<StringRef>(known.begin(), known.end()));
}

FailureOr<OverlapPattern> OverlapPattern::parse(Location loc, StringRef spelling) {
  OverlapPattern pattern;
  StringRef rest = spelling;
  auto consume = [&](StringRef word) { return rest.consume_front(word) && (rest.empty() || rest.consume_front("-")); };
  if (spelling.empty())
    return pattern;
  if (consume("bulk"))
    pattern.kind = Kind::Bulk;
  else if (consume("specialized"))
    pattern.kind = Kind::Specialized;
  else if (!consume("sequential"))
    rest = "?";
  if (consume("pull"))
    pattern.remote = Remote::Pull;
  else if (consume("push"))
    pattern.remote = Remote::Push;
  else if (consume("staged"))
    pattern.remote = Remote::Staged;
  if (consume("two-shot"))
    pattern.shots = Shots::Two;
  else
    consume("one-shot");
  pattern.credits = consume("credits");
  if (!rest.empty())
    return emitError(loc)
           << "unknown pattern '" << spelling
           << "', expected bulk, sequential or specialized, then optionally -pull, -push or -staged, then "
              "optionally -one-shot or -two-shot, then optionally -credits"
           << suggestPattern(spelling);
  return pattern;
}

std::string OverlapPattern::spell() const {
  std::string text = kind == Kind::Bulk ? "bulk" : kind == Kind::Sequential ? "sequential" : "specialized";
  text += remote == Remote::Pull     ? "-pull"
          : remote == Remote::Push   ? "-push"
          : remote == Remote::Staged ? "-staged"
                                     : "";
  text += shots == Shots::Two ? "-two-shot" : "";
  text += credits ? "-credits" : "";
  return text;
}
