// Shrinks an .mlir file while a script finds it interesting: it gets a file and exits with status 1 if it is, else 0.
//   tilec-reduce in.mlir --reduction-tree='traversal-mode=0 test=script'
// (or --opt-reduction-pass='opt-pass=pass test=script', as in mlir-reduce.)
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
