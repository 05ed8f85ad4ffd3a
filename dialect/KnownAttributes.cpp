// Errors at attributes that no operation defines.
#include "dialect/KnownAttributes.h"
#include "dialect/Hip.h"
#include "dialect/Suggestion.h"

using namespace mlir;
using namespace tilec;

LogicalResult tilec::verifyKnownAttributes(Operation *op) {
  for (NamedAttribute attribute : op->getDiscardableAttrs()) {
    if (attribute.getName().getValue().contains('.'))
      continue;
    SmallVector<StringRef> known;
    for (StringAttr name : op->getName().getAttributeNames())
      if (!name.getValue().ends_with("SegmentSizes"))
        known.push_back(name);
    return op->emitOpError() << "has no attribute '" << attribute.getName().getValue() << "'"
                             << didYouMean(attribute.getName(), known);
  }
  return success();
}

static LogicalResult verifyName(Operation *op, NamedAttribute attribute, ArrayRef<StringRef> known) {
  StringRef name = attribute.getName();
  if (llvm::is_contained(known, name))
    return success();
  return op->emitError() << "unknown attribute '" << name << "', expected " << listNames(known)
                         << didYouMean(name, known);
}

LogicalResult tile::TileDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  return verifyName(op, attribute,
                    {RestAttrHelper::getNameStr(), CommentAttrHelper::getNameStr(), ByHandAttrHelper::getNameStr()});
}

LogicalResult hip::HipDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  return verifyName(op, attribute, {nameAttr, argumentsAttr, mutableAttr, assignAttr, wrapsAttr, positiveDivisorAttr});
}
