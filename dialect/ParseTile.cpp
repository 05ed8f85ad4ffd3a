// Source text to module: upstream's parser, then names from the places where values were defined.
#include "dialect/ParseTile.h"
#include "dialect/Fragments.h"
#include "dialect/Misspelling.h"
#include "dialect/Nesting.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/WithColor.h"

using namespace mlir;
using namespace tilec;

/// `%acc` gives "acc"; `%0` and places that hold no name give nothing.
static StringRef nameAt(SMRange range) {
  if (!range.isValid())
    return {};
  StringRef text(range.Start.getPointer(), range.End.getPointer() - range.Start.getPointer());
  text.consume_front("%");
  return text.find_first_not_of("0123456789") == StringRef::npos ? StringRef() : text;
}

static LocationAttr named(SMRange range, LocationAttr loc) {
  StringRef name = nameAt(range);
  if (name.empty() || isa<NameLoc>(loc))
    return loc;
  return NameLoc::get(StringAttr::get(loc.getContext(), name), Location(loc));
}

static void keepNames(AsmParserState &state) {
  for (AsmParserState::OperationDefinition &definition : state.getOpDefs())
    if (!definition.resultGroups.empty())
      definition.op->setLoc(named(definition.resultGroups.front().definition.loc, definition.op->getLoc()));
  for (AsmParserState::BlockDefinition &definition : state.getBlockDefs())
    for (auto [argument, source] : llvm::zip(definition.block->getArguments(), definition.arguments))
      argument.setLoc(named(source.loc, argument.getLoc()));
}

LogicalResult tilec::checkNesting(const llvm::MemoryBuffer &text, MLIRContext *context) {
  std::optional<NestingPlace> place = findDeepNesting(text.getBuffer());
  if (!place)
    return success();
  return emitError(FileLineColLoc::get(context, text.getBufferIdentifier(), place->line, place->column))
         << "brackets, operators or aliases nest deeper than " << maxNesting;
}

/// The text as it is, with names.
static OwningOpRef<ModuleOp> parseText(const llvm::SourceMgr &sources, MLIRContext *context) {
  if (failed(checkNesting(*sources.getMemoryBuffer(sources.getMainFileID()), context)))
    return {};
  Block block;
  AsmParserState state;
  ParserConfig config(context);
  MisspellingHandler misspelling(sources, context);
  if (failed(parseAsmSourceFile(sources, &block, config, &state)))
    return {};
  keepNames(state);
  // A file may write its module out; otherwise it is the body of one.
  if (llvm::hasSingleElement(block))
    if (auto module = dyn_cast<ModuleOp>(block.front())) {
      module->remove();
      return module;
    }
  StringRef path = sources.getMemoryBuffer(sources.getMainFileID())->getBufferIdentifier();
  OwningOpRef<ModuleOp> module(ModuleOp::create(FileLineColLoc::get(context, path, 1, 1)));
  module->getBody()->getOperations().splice(module->getBody()->begin(), block.getOperations());
  // The parser has verified each op; what the module as a whole requires (distinct symbols) is checked here.
  return succeeded(mlir::verify(*module)) ? std::move(module) : nullptr;
}

OwningOpRef<ModuleOp> tilec::parseTile(const llvm::SourceMgr &sources, MLIRContext *context, std::string *whole) {
  OwningOpRef<ModuleOp> module = parseText(sources, context);
  if (!module)
    return {};
  const llvm::MemoryBuffer *main = sources.getMemoryBuffer(sources.getMainFileID());
  FailureOr<std::string> text = readUsedFiles(*module, main->getBufferIdentifier(), main->getBuffer());
  // Twice: what is said of the text is said of all of it, and what calls become is a program again.
  if (failed(text) || failed(mlir::verify(*module)) || failed(inlineFragments(*module)) ||
      failed(mlir::verify(*module)))
    return {};
  if (whole)
    *whole = std::move(*text);
  return module;
}

OwningOpRef<ModuleOp> tilec::parseFragments(StringRef path, llvm::SourceMgr &sources, MLIRContext *context) {
  std::unique_ptr<llvm::MemoryBuffer> buffer = openInputFile(path);
  if (!buffer)
    return {};
  sources.AddNewSourceBuffer(std::move(buffer), SMLoc());
  return parseText(sources, context);
}

OwningOpRef<ModuleOp> tilec::parseTileFile(StringRef path, llvm::SourceMgr &sources, MLIRContext *context,
                                           std::string *whole) {
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> buffer = openInputFile(path, &message);
  if (!buffer) {
    // No place in a text: there is none.
    llvm::WithColor::error(llvm::errs()) << message << "\n";
    return {};
  }
  sources.AddNewSourceBuffer(std::move(buffer), SMLoc());
  return parseTile(sources, context, whole);
}
