// Calls within fragments are replaced as others are: what is put in the place of a call may hold calls again.
#include "dialect/Fragments.h"
#include "dialect/ParseTile.h"
#include "dialect/ResultShape.h"
#include "dialect/Suggestion.h"
#include "dialect/Tile.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"

#include <set>

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

namespace {

/// Calls within calls; more is taken for a fragment that calls itself.
constexpr unsigned kMostCalls = 64;
/// Calls of a program in all: fragments that call each other twice make a million of twenty.
constexpr unsigned kMostInAll = 65536;

class Inliner {
public:
  explicit Inliner(ModuleOp module) {
    for (auto fragment : module.getOps<FragmentOp>())
      fragments[fragment.getSymName()] = fragment;
  }

  LogicalResult run(ProgramOp program) {
    numCalls = 0;
    SmallVector<CallOp> calls;
    program.walk([&](CallOp call) { calls.push_back(call); });
    for (CallOp call : calls)
      if (failed(replace(call, 0)))
        return failure();
    return success();
  }

private:
  LogicalResult unknown(CallOp call) {
    SmallVector<StringRef> known = llvm::to_vector(fragments.keys());
    llvm::sort(known);
    InFlightDiagnostic diagnostic = call.emitOpError() << "unknown fragment '@" << call.getCallee() << "'"
                                                       << didYouMean(call.getCallee(), known);
    if (known.empty())
      diagnostic.attachNote(call.getLoc())
          << "fragments stand beside the program, or in a file that it names by 'tile.use'";
    return diagnostic;
  }

  static InFlightDiagnostic disagreement(CallOp call, FragmentOp fragment) {
    InFlightDiagnostic diagnostic = call.emitOpError();
    diagnostic.attachNote(fragment.getLoc()) << "the fragment is here";
    return diagnostic;
  }

  static LogicalResult verifyCall(CallOp call, FragmentOp fragment) {
    Block &body = fragment.getBody().front();
    auto expected = [&](size_t given, size_t wanted, StringRef what) -> LogicalResult {
      if (given == wanted)
        return success();
      return disagreement(call, fragment) << "has " << given << " " << what << ", expected " << wanted << " as '@"
                                          << fragment.getSymName() << "' has";
    };
    if (failed(expected(call.getSizes().size(), fragment.getSizes().size(), "sizes")) ||
        failed(expected(call.getOperands().size(), body.getNumArguments(), "operands")) ||
        failed(expected(call.getNumResults(), body.back().getNumOperands(), "results")))
      return failure();
    for (auto [operand, argument] : llvm::zip(call.getOperands(), body.getArguments()))
      if (!agree(operand.getType(), argument.getType()))
        return disagreement(call, fragment)
               << "has an operand of type " << operand.getType() << ", expected " << argument.getType();
    return success();
  }

  /// The same type, or sizes of a tile that one of them leaves open.
  static bool agree(Type given, Type wanted) {
    auto a = dyn_cast<RankedTensorType>(given), b = dyn_cast<RankedTensorType>(wanted);
    return given == wanted || (a && b && a.getElementType() == b.getElementType() &&
                               succeeded(verifyCompatibleShape(a.getShape(), b.getShape())));
  }

  /// Copies the body before the call, which goes; the calls in it are replaced as they come, since types follow from
  /// those in front. Gives what stands for the call's results. `depth`: how many calls it stands in.
  FailureOr<SmallVector<Value>> replace(CallOp call, unsigned depth) {
    FragmentOp fragment = fragments.lookup(call.getCallee());
    if (!fragment)
      return unknown(call);
    if (depth == kMostCalls)
      return call.emitOpError() << "of '@" << call.getCallee() << "' is " << kMostCalls
                                << " calls deep: a fragment must not call itself";
    if (++numCalls > kMostInAll)
      return call.emitOpError() << "is one of more than " << kMostInAll << " that the program makes";
    if (failed(verifyCall(call, fragment)))
      return failure();
    OpBuilder builder(call);
    Block &body = fragment.getBody().front();
    IRMapping mapping;
    mapping.map(body.getArguments(), call.getOperands());
    for (Operation &op : body.without_terminator()) {
      SmallVector<Operation *> copies;
      Operation *copy = builder.clone(op, mapping);
      copy->walk<WalkOrder::PreOrder>([&](Operation *inner) { copies.push_back(inner); });
      for (Operation *inner : copies) {
        adapt(inner, call, fragment);
        auto innerCall = dyn_cast<CallOp>(inner);
        FailureOr<SmallVector<Value>> values = innerCall ? replace(innerCall, depth + 1) : SmallVector<Value>();
        if (failed(values))
          return failure();
        if (innerCall && inner == copy)
          mapping.map(op.getResults(), *values);
      }
    }
    SmallVector<Value> results =
        llvm::map_to_vector(body.back().getOperands(), [&](Value value) { return mapping.lookup(value); });
    for (auto [result, value] : llvm::zip(call.getResults(), results))
      // In a fragment types leave sizes open that its call gives.
      if (depth == 0 ? value.getType() != result.getType() : !agree(value.getType(), result.getType()))
        return disagreement(call, fragment)
               << "has a result of type " << result.getType() << ", expected " << value.getType();
    call.replaceAllUsesWith(results);
    call.erase();
    return results;
  }

  /// Sizes, types and places as the call makes them.
  static void adapt(Operation *op, CallOp call, FragmentOp fragment) {
    for (StringRef name : {"tile", "sizes"})
      if (auto sizes = op->getAttrOfType<ArrayAttr>(name); sizes && isa<TileDialect>(op->getDialect()))
        op->setAttr(name, given(sizes, call, fragment));
    op->setLoc(calledFrom(op->getLoc(), call.getLoc()));
    for (Region &region : op->getRegions())
      for (BlockArgument argument : region.getArguments())
        argument.setLoc(calledFrom(argument.getLoc(), call.getLoc()));
    if (auto loop = dyn_cast<scf::ForOp>(op))
      for (auto [init, argument, result] : llvm::zip(loop.getInitArgs(), loop.getRegionIterArgs(), loop.getResults())) {
        argument.setType(init.getType());
        result.setType(init.getType());
      }
    if (op->getNumRegions() || isa<CallOp>(op))
      return;
    for (OpResult result : op->getResults())
      if (auto type = dyn_cast<RankedTensorType>(result.getType())) {
        SmallVector<int64_t> shape = resultShape(op, type);
        if (static_cast<int64_t>(shape.size()) == type.getRank())
          result.setType(RankedTensorType::get(shape, type.getElementType(), type.getEncoding()));
      }
  }

  /// The sizes with what the call gives in the place of the fragment's names.
  static ArrayAttr given(ArrayAttr sizes, CallOp call, FragmentOp fragment) {
    SmallVector<Attribute> result;
    for (Attribute size : sizes) {
      auto reference = dyn_cast<FlatSymbolRefAttr>(size);
      auto *known = reference ? llvm::find(fragment.getSizes(), reference.getAttr()) : fragment.getSizes().end();
      result.push_back(known == fragment.getSizes().end() ? size
                                                          : call.getSizes()[known - fragment.getSizes().begin()]);
    }
    return ArrayAttr::get(call.getContext(), result);
  }

  /// The place in the fragment, with that of the call behind it; the name of the value stays outermost.
  static Location calledFrom(Location loc, Location call) {
    if (auto name = dyn_cast<NameLoc>(call))
      call = name.getChildLoc();
    if (auto name = dyn_cast<NameLoc>(loc))
      return NameLoc::get(name.getName(), CallSiteLoc::get(name.getChildLoc(), call));
    return CallSiteLoc::get(loc, call);
  }

  llvm::StringMap<FragmentOp> fragments;
  unsigned numCalls = 0; ///< of a program, those within fragments included
};

/// Reads files once, in the order in which they are named.
class UsedFiles {
public:
  explicit UsedFiles(ModuleOp module) : module(module) {}

  LogicalResult read(ModuleOp user, StringRef path, StringRef text) {
    whole += withoutUses(user, text);
    for (UseOp use : llvm::make_early_inc_range(user.getOps<UseOp>())) {
      SmallString<128> file;
      if (!llvm::sys::path::is_absolute(use.getPath()))
        file = llvm::sys::path::parent_path(path);
      llvm::sys::path::append(file, use.getPath());
      llvm::sys::path::remove_dots(file, /*remove_dot_dot=*/false);
      if (!llvm::sys::fs::is_regular_file(file))
        return use.emitOpError() << "names '" << file << "', which is no file";
      llvm::sys::fs::UniqueID id;
      const bool isNew = !llvm::sys::fs::getUniqueID(file, id) && seen.insert({id.getDevice(), id.getFile()}).second;
      if (isNew && failed(take(use, file)))
        return failure();
      use.erase();
    }
    return success();
  }

private:
  /// Adds the fragments of a file, and those of files that it uses.
  LogicalResult take(UseOp use, StringRef file) {
    llvm::SourceMgr sources;
    OwningOpRef<ModuleOp> library = parseFragments(file, sources, module.getContext());
    if (!library)
      return use.emitOpError() << "names '" << file << "', which cannot be read";
    if (!library->getOps<ProgramOp>().empty())
      return use.emitOpError() << "names '" << file << "', which has a program, expected fragments alone";
    if (failed(read(*library, file, sources.getMemoryBuffer(sources.getMainFileID())->getBuffer())))
      return failure();
    for (FragmentOp fragment : llvm::make_early_inc_range(library->getOps<FragmentOp>()))
      fragment->moveBefore(module.getBody(), module.getBody()->end());
    return success();
  }

  /// The text with blanks where it names other files: all else keeps its place.
  static std::string withoutUses(ModuleOp user, StringRef text) {
    std::string result = text.str();
    for (UseOp use : user.getOps<UseOp>()) {
      auto place = use.getLoc()->findInstanceOf<FileLineColLoc>();
      size_t at = 0;
      for (unsigned line = 1; place && line < place.getLine(); ++line)
        at = text.find('\n', at) + 1;
      at += place ? place.getColumn() - 1 : 0;
      size_t path = text.find('"', at), end = text.find('"', path + 1);
      if (place && end != StringRef::npos)
        std::fill(result.begin() + at, result.begin() + end + 1, ' ');
    }
    return result;
  }

public:
  std::string whole; ///< the texts, one behind the other

private:
  ModuleOp module;
  std::set<std::pair<uint64_t, uint64_t>> seen;
};

} // namespace

FailureOr<std::string> tilec::readUsedFiles(ModuleOp module, StringRef path, StringRef text) {
  UsedFiles files(module);
  if (failed(files.read(module, path, text)))
    return failure();
  return std::move(files.whole);
}

LogicalResult tilec::inlineFragments(ModuleOp module) {
  Inliner inliner(module);
  for (auto program : module.getOps<ProgramOp>())
    if (failed(inliner.run(program)))
      return failure();
  for (FragmentOp fragment : llvm::make_early_inc_range(module.getOps<FragmentOp>()))
    fragment.erase();
  return success();
}
