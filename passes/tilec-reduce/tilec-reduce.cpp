// Shrinks an .mlir file while a test script still finds it interesting: `tilec-reduce in.mlir --test=script`.
// (--reduction-tree and --opt-reduction-pass choose how, as in mlir-reduce.)
#include "dialect/Tile.h"
#include "passes/Passes.h"

#include "mlir/Reducer/Passes.h"
#include "mlir/Tools/mlir-reduce/MlirReduceMain.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/InitLLVM.h"

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  mlir::DialectRegistry registry;
  tilec::registerDialects(registry);
  mlir::registerTransformsPasses();
  tilec::registerTilecPasses();
  mlir::MLIRContext context(registry);
  return mlir::failed(mlir::mlirReduceMain(argc, argv, context));
}
