// Names to unique names and back.
#include "codegen/tilec/KernelForm.h"
#include "dialect/ParseTile.h"

#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace tilec;

/// `acc` of "acc.12"; the whole of a name that does not end so.
static StringRef withoutNumber(StringRef name) {
  StringRef base = name.rtrim("0123456789");
  return base.size() < name.size() && base.consume_back(".") ? base : name;
}

namespace {

class UniqueNames {
public:
  /// A place that holds nothing but a name that no other value has. A value without a name, which MLIR would give
  /// one, has a number alone.
  Location operator()(Location loc, bool numbered) {
    auto named = dyn_cast<NameLoc>(loc);
    StringRef name = named ? named.getName().strref() : StringRef();
    if (name.empty() && !numbered)
      return UnknownLoc::get(loc.getContext());
    unsigned &count = used[name];
    std::string text = name.str();
    if (count++ || name.empty() || withoutNumber(name) != name)
      text += "." + std::to_string(count - 1);
    return NameLoc::get(StringAttr::get(loc.getContext(), text));
  }

private:
  llvm::StringMap<unsigned> used;
};

} // namespace

static Location withOwnName(Location loc) {
  auto named = dyn_cast<NameLoc>(loc);
  if (!named)
    return loc;
  StringRef own = withoutNumber(named.getName());
  if (own.empty())
    return named.getChildLoc();
  return NameLoc::get(StringAttr::get(loc.getContext(), own), named.getChildLoc());
}

template <typename Rename>
static void renameAll(Operation *root, Rename &&rename) {
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op->getNumResults())
      op->setLoc(rename(op->getLoc(), isa<OpAsmOpInterface>(op)));
    for (Region &region : op->getRegions())
      for (BlockArgument argument : region.getArguments())
        argument.setLoc(rename(argument.getLoc(), true));
  });
}

std::string tilec::printKernelForm(tile::ProgramOp program, StringRef target) {
  OwningOpRef<tile::ProgramOp> copy = program.clone();
  copy->setTarget(target);
  UniqueNames unique;
  renameAll(*copy, [&](Location loc, bool numbered) { return unique(loc, numbered); });
  std::string text;
  llvm::raw_string_ostream stream(text);
  // Outside its module the copy would not be verified, and printed in the generic form.
  (*copy)->print(stream, OpPrintingFlags().printNameLocAsPrefix().useLocalScope().assumeVerified());
  return text + "\n";
}

OwningOpRef<ModuleOp> tilec::parseKernelForm(const llvm::SourceMgr &sources, MLIRContext *context) {
  OwningOpRef<ModuleOp> module = parseTile(sources, context);
  if (module)
    renameAll(*module, [](Location loc, bool) { return withOwnName(loc); });
  return module;
}
