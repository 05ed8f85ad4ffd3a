// What passes ask of ops, so that no pass lists op names.
#ifndef TILEC_TILE_INTERFACES
#define TILEC_TILE_INTERFACES

include "mlir/IR/OpBase.td"

def Tile_AccessOpInterface : OpInterface<"AccessOpInterface"> {
  let cppNamespace = "::tilec::tile";
  let description = [{
    An access to one tile of a buffer, on this rank or another. The footprint in dimension d is
    [first(d), first(d) + size(d)) clipped to the view, with first = index * size for tile coordinates and
    first = index for element offsets.
  }];
  let methods = [
    InterfaceMethod<"The buffer or view.", "::mlir::Value", "getAccessedBuffer">,
    InterfaceMethod<"Tile coordinates or element offsets, one per dimension of the buffer.",
                    "::mlir::OperandRange", "getAccessIndices">,
    InterfaceMethod<"True when the indices are element offsets.", "bool", "hasElementOffsets">,
    InterfaceMethod<"Rank whose copy is addressed; null for this rank's.", "::mlir::Value", "getAccessRank">,
    InterfaceMethod<"Extent of the tile in each dimension of the buffer; 1 in leading dimensions that the tile lacks, "
                    "kDynamic before `specialize`.",
                    "::llvm::SmallVector<int64_t>", "getFootprintShape">,
    InterfaceMethod<"True for loads and atomics.", "bool", "readsBuffer">,
    InterfaceMethod<"True for stores and atomics.", "bool", "writesBuffer">,
    InterfaceMethod<"True when two such accesses to one element commute (atomics of one kind).", "bool", "commutes">,
    InterfaceMethod<"Tokens this access comes after.", "::mlir::MutableOperandRange", "getAfterTokensMutable">,
  ];
}

#endif
