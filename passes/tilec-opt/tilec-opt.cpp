// Runs any pass on any .mlir file: for tests and for people.
#include "dialect/Tile.h"
#include "passes/Passes.h"

#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  tilec::registerDialects(registry);
  mlir::registerTransformsPasses();
  tilec::registerTilecPasses();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "tilec optimizer\n", registry));
}
