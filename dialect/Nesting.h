// How deep a source text nests, before anything parses it, and what it leaves open.
// Belongs here: counting. Does not: whether brackets match; the parser says that.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <optional>

namespace tilec {

/// Parser, verifiers and passes recurse over what is nested. Far above what a program needs, far below what a stack of
/// 8 MiB holds in any of them.
inline constexpr unsigned maxNesting = 256;

/// As in diagnostics: from 1.
struct NestingPlace {
  unsigned line = 1, column = 1;
};

/// The first place that nests deeper than `maxNesting`. What counts, together: open brackets (`(`, `[`, `{` and `<`),
/// the operators of an affine expression around and before the place, since a sum is a sum of a sum, and what the alias
/// at the place nests by itself. Strings, comments, `->`, `<=` and `>=` do not.
std::optional<NestingPlace> findDeepNesting(llvm::StringRef text);

/// The last `{` that nothing closes before the text ends.
std::optional<NestingPlace> findOpenBrace(llvm::StringRef text);

} // namespace tilec
