// Keywords of the attributes that name one of a few things: scopes, participants, reductions.
#pragma once

#include "dialect/Suggestion.h"
#include "dialect/Tile.h"

#include "mlir/IR/OpImplementation.h"

namespace tilec::tile {

/// The words that the text has for the cases of an enumeration.
template <typename Enum>
llvm::SmallVector<llvm::StringRef> keywordsOf() {
  llvm::SmallVector<llvm::StringRef> words;
  for (uint32_t i = 0; !stringifyEnum(static_cast<Enum>(i)).empty(); ++i)
    words.push_back(stringifyEnum(static_cast<Enum>(i)));
  return words;
}

template <typename Enum>
mlir::ParseResult parseKeyword(mlir::AsmParser &parser, Enum &result) {
  llvm::SMLoc loc = parser.getCurrentLocation();
  std::string word;
  llvm::SmallVector<llvm::StringRef> known = keywordsOf<Enum>();
  if (failed(parser.parseOptionalKeywordOrString(&word)))
    return parser.emitError(loc) << "expected " << listNames(known);
  std::optional<Enum> value = symbolizeEnum<Enum>(word);
  if (!value)
    return parser.emitError(loc) << "expected " << listNames(known) << ", got '" << word << "'"
                                 << didYouMean(word, known);
  result = *value;
  return mlir::success();
}

template <typename Enum>
void printKeyword(mlir::AsmPrinter &printer, Enum value) {
  printer << stringifyEnum(value);
}

} // namespace tilec::tile
