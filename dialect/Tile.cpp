// Registration of the tile dialect and its generated code. No logic.
#include "dialect/Tile.h"
#include "dialect/Combination.h"
#include "dialect/Deferred.h"
#include "dialect/Hip.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/IntegerSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilec::tile;

#include "dialect/TileDialect.cpp.inc"
#include "dialect/TileEnums.cpp.inc"
#include "dialect/TileInterfaces.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "dialect/TileTypes.cpp.inc"

#define GET_OP_CLASSES
#include "dialect/TileOps.cpp.inc"

void TileDialect::initialize() {
  registerAttributes();
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialect/TileTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialect/TileOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialect/TileDeferredOps.cpp.inc"
      >();
}

void tilec::registerDialects(DialectRegistry &registry) {
  registry.insert<TileDialect, hip::HipDialect, arith::ArithDialect, math::MathDialect, memref::MemRefDialect,
                  scf::SCFDialect, ub::UBDialect>();
}
