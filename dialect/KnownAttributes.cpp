// Errors at attributes that no operation defines.
#include "dialect/KnownAttributes.h"
#include "dialect/Hip.h"
#include "dialect/Suggestion.h"

using namespace mlir;
using namespace tilec;

/// How the tasks of a kernel are dealt out, under another name or as a mere word: what a schedule says of products.
static std::string dealingMeant(Operation *op, NamedAttribute attribute) {
  auto word = dyn_cast<StringAttr>(attribute.getValue());
  std::optional<tile::Dealing> dealing = word ? tile::symbolizeDealing(word.getValue()) : std::nullopt;
  if (!dealing || !isa<tile::KernelOp>(op))
    return {};
  return ("; did you mean 'dealing = #tile<dealing " + tile::stringifyDealing(*dealing) + ">'?").str();
}

LogicalResult tilec::verifyKnownAttributes(Operation *op) {
  for (NamedAttribute attribute : op->getDiscardableAttrs()) {
    if (attribute.getName().getValue().contains('.'))
      continue;
    SmallVector<StringRef> known;
    for (StringAttr name : op->getName().getAttributeNames())
      if (!name.getValue().ends_with("SegmentSizes"))
        known.push_back(name);
    std::string meant = dealingMeant(op, attribute);
    return op->emitOpError() << "has no attribute '" << attribute.getName().getValue() << "'"
                             << (meant.empty() ? didYouMean(attribute.getName(), known) : meant);
  }
  return success();
}

ParseResult tilec::parseKnownAttributes(OpAsmParser &parser, OperationState &result, ArrayRef<StringAttr> written,
                                        bool hasKeyword) {
  SMLoc loc = parser.getCurrentLocation();
  NamedAttrList given;
  if (hasKeyword ? parser.parseOptionalAttrDictWithKeyword(given) : parser.parseOptionalAttrDict(given))
    return failure();
  auto emitError = [&] { return parser.emitError(loc); };
  for (NamedAttribute attribute : given)
    if (llvm::is_contained(written, attribute.getName()))
      return emitError() << "attribute '" << attribute.getName().getValue()
                         << "' is said by its syntax, expected none in the dictionary";
  if (failed(result.name.verifyInherentAttrs(given, emitError)))
    return failure();
  result.attributes.append(given.begin(), given.end());
  return success();
}

/// Fails where `attribute` has none of these names, or a value that is none of this one's kind.
static LogicalResult verifyWord(Operation *op, NamedAttribute attribute,
                                ArrayRef<std::pair<StringRef, function_ref<bool(Attribute)>>> known) {
  StringRef name = attribute.getName();
  auto names = llvm::map_to_vector(known, [](const auto &entry) { return entry.first; });
  const auto *entry = llvm::find_if(known, [&](const auto &entry) { return entry.first == name; });
  if (entry == known.end())
    return op->emitError() << "unknown attribute '" << name << "', expected " << listNames(names)
                           << didYouMean(name, names);
  if (!entry->second(attribute.getValue()))
    return op->emitError() << "attribute '" << name << "' is " << attribute.getValue()
                           << ", which is none of its values";
  return success();
}

/// A comment of one line: a backslash at its end would take the next line of the text with it.
static bool isLine(Attribute value) {
  auto words = dyn_cast<StringAttr>(value);
  return words && !words.getValue().rtrim().ends_with("\\") &&
         llvm::all_of(words.getValue(), [](char c) { return llvm::isPrint(c) || (c & 0x80); });
}

/// Names of results, or of arguments of regions.
static bool isNames(Attribute value) {
  auto names = dyn_cast<ArrayAttr>(value);
  return names && llvm::all_of(names, llvm::IsaPred<StringAttr>);
}

LogicalResult tile::TileDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  auto isLoop = [op](Attribute value) { return isa<UnitAttr>(value) && isa<scf::ForOp>(op); };
  auto isProgram = [op](Attribute value) { return isa<UnitAttr>(value) && isa<ProgramOp>(op); };
  return verifyWord(op, attribute,
                    {{RestAttrHelper::getNameStr(), isLoop},
                     {UnrolledAttrHelper::getNameStr(), isLoop},
                     {CommentAttrHelper::getNameStr(), isLine},
                     {ByHandAttrHelper::getNameStr(), isProgram}});
}

LogicalResult hip::HipDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  auto isUnit = [](Attribute value) { return isa<UnitAttr>(value); };
  auto isNameOrNames = [](Attribute value) { return isa<StringAttr>(value) || isNames(value); };
  if (failed(verifyWord(op, attribute,
                        {{nameAttr, isNameOrNames},
                         {argumentsAttr, isNames},
                         {mutableAttr, isUnit},
                         {assignAttr, isUnit},
                         {wrapsAttr, isUnit},
                         {positiveDivisorAttr, isUnit}})))
    return failure();
  // `prepare` decides them for what stands there; anywhere else an author's word would be believed.
  if (isa<KernelOp, EngineOp, LauncherOp>(op) || op->getParentOfType<KernelOp>() || op->getParentOfType<EngineOp>() ||
      op->getParentOfType<LauncherOp>())
    return success();
  return op->emitError()
         << "attribute '" << attribute.getName().getValue()
         << "' is of what a text is printed from, expected it in a 'hip.kernel', 'hip.engine' or 'hip.launcher'";
}
