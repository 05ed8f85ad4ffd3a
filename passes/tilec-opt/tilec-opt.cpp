// Runs any pass on any .mlir file: for tests and for people.
// With --keep-names the input is read as `tilec` reads it, so that values keep the author's names through the passes;
// add
// --mlir-use-nameloc-as-prefix to print them.
#include "dialect/ParseTile.h"
#include "dialect/Tile.h"
#include "passes/Passes.h"

#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

static llvm::cl::opt<bool> keepNames("keep-names",
                                     llvm::cl::desc("read one module as tilec does: values keep the author's names"));

/// The input with every name written as a location, which is what MlirOptMain can read back. In generic form, because
/// scf.for's own syntax leaves out the locations of its block arguments.
static std::unique_ptr<llvm::MemoryBuffer> readNames(StringRef path, const DialectRegistry &registry) {
  MLIRContext context(registry);
  llvm::SourceMgr sources;
  SourceMgrDiagnosticHandler handler(sources, &context);
  OwningOpRef<ModuleOp> module = tilec::parseTileFile(path, sources, &context);
  if (!module)
    return nullptr;
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream, OpPrintingFlags().enableDebugInfo().printGenericOpForm());
  return llvm::MemoryBuffer::getMemBufferCopy(text, path);
}

/// MlirOptMain opens and parses the file by itself. What cannot be read is left to it as well, and so is standard
/// input.
static LogicalResult checkFile(StringRef path) {
  auto text =
      path == "-" ? std::make_error_code(std::errc::not_supported) : llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!text)
    return success();
  MLIRContext context;
  llvm::SourceMgr sources;
  SourceMgrDiagnosticHandler handler(sources, &context);
  return tilec::checkNesting(**text, &context);
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  DialectRegistry registry;
  tilec::registerDialects(registry);
  registerTransformsPasses();
  tilec::registerTilecPasses();
  auto [input, output] = registerAndParseCLIOptions(argc, argv, "tilec optimizer\n", registry);
  if (failed(checkFile(input)))
    return 1;
  if (!keepNames)
    return asMainReturnCode(MlirOptMain(argc, argv, input, output, registry));
  std::unique_ptr<llvm::MemoryBuffer> buffer = readNames(input, registry);
  if (!buffer)
    return 1;
  return asMainReturnCode(
      MlirOptMain(llvm::outs(), std::move(buffer), registry, MlirOptMainConfig::createFromCLOptions()));
}
