// libFuzzer target: any bytes through the parser and the whole pipeline. Errors are fine, crashes are not.
#include "dialect/ParseTile.h"
#include "dialect/Tile.h"
#include "passes/Pipeline.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

// LLVM's allocators poison from inline code, which is instrumented here, and unpoison inside the installed library,
// which is not: both would report memory that is in use.
extern "C" const char *__asan_default_options() { return "allow_user_poisoning=0:detect_container_overflow=0"; }

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static DialectRegistry registry = [] {
    DialectRegistry result;
    tilec::registerDialects(result);
    return result;
  }();
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  ScopedDiagnosticHandler silence(&context, [](Diagnostic &) { return success(); });
  llvm::SourceMgr sources;
  StringRef text(reinterpret_cast<const char *>(data), size);
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text, "fuzz.mlir"), llvm::SMLoc());
  OwningOpRef<ModuleOp> module = tilec::parseTile(sources, &context);
  if (!module)
    return 0;
  PassManager manager(&context);
  tilec::PipelineOptions options;
  // A program that names its world keeps it; most inputs do not.
  bool hasWorld =
      llvm::any_of(module->getOps<tilec::tile::ProgramOp>(), [](auto program) { return program.getWorld(); });
  options.world = hasWorld ? 0 : 2;
  if (succeeded(tilec::buildPipeline(manager, options)))
    (void)manager.run(*module);
  return 0;
}
