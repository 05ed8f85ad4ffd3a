// Results that the next task stores. What `schedule` makes.
#ifndef TILEC_TILE_DEFERRED_OPS
#define TILEC_TILE_DEFERRED_OPS

include "dialect/TileInterfaces.td"
include "dialect/TileTypes.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Tile_DeferOp : Tile_Op<"defer", [AttrSizedOperandSegments, MemoryEffects<[MemRead, MemWrite]>,
                                     DeclareOpInterfaceMethods<Tile_AccessOpInterface>]> {
  let summary = "leaves a tile in registers, for the next task of the workgroup to store";
  let description = [{
    Stored a part at a time by the next task, where it has a `tile.store_deferred`; what the last task leaves is stored behind the tasks. Not complete before
    that: no signal publishes it, and nobody reads it in the kernel. The tile goes to the buffer in layout `stored`, a part after the other by way
    of `scratch`, as a `tile.rearrange` has it. A task has one of them, in its body or in a branch there, behind a
    `tile.store_deferred` of all that the task before has left.

        tile.defer %out, %c[%m, %n] through %scratch stored tensor<128x256xbf16, #rows>
            : tensor<128x256xbf16, #sums>, memref<?x?xbf16>, memref<128x64xbf16, #lds>
  }];
  let arguments = (ins AnyTile:$value, AnyBuffer:$buffer, Variadic<Index>:$indices, AnyBuffer:$scratch, TypeAttr:$stored,
                       Variadic<Tile_Token>:$after);
  let assemblyFormat = [{
    $value `,` $buffer `[` $indices `]` `through` $scratch `stored` $stored (`after` $after^)? attr-dict
    `:` type($value) `,` type($buffer) `,` type($scratch)
  }];
  let hasVerifier = 1;
}

def Tile_StoreDeferredOp : Tile_Op<"store_deferred", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "stores what the task before has deferred";
  let description = [{
    All that is left of it; or, with the slot of a step, the parts whose turn it is: those of a result are spread over the first steps, up to 16.

        tile.store_deferred [%slot]
  }];
  let arguments = (ins Optional<Index>:$slot);
  let assemblyFormat = "(`[` $slot^ `]`)? attr-dict";
  let hasVerifier = 1;
}

#endif
