// Results that are stored while the waves go on: by the next task, or by the copy engine. What `schedule` makes.
#ifndef TILEC_TILE_DEFERRED_OPS
#define TILEC_TILE_DEFERRED_OPS

include "dialect/TileInterfaces.td"
include "dialect/TileTypes.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

/// Tiles that go to a buffer a part at a time, by way of LDS, at some time before the kernel ends.
class Tile_LateStoreOp<string mnemonic> : Tile_Op<mnemonic, [AttrSizedOperandSegments, MemoryEffects<[MemRead, MemWrite]>,
                                                             DeclareOpInterfaceMethods<Tile_AccessOpInterface>]> {
  let hasVerifier = 1;
}

def Tile_DeferOp : Tile_LateStoreOp<"defer"> {
  let summary = "leaves a tile in registers, for the next task of the workgroup to store";
  let description = [{
    Stored a part at a time by the next task, where it has a `tile.store_deferred`; what the last task leaves is stored behind the tasks. Not complete before
    that: no signal publishes it, and nobody reads it in the kernel. The tile goes to the buffer in layout `stored`, a part after the other by way
    of `scratch`, as a `tile.rearrange` has it; `async`: by the copy engine, as a `tile.store_async` has it. A task has one of them, in its body or in a branch there, behind a
    `tile.store_deferred` of all that the task before has left.

        tile.defer %out, %c[%m, %n] through %scratch stored tensor<128x256xbf16, #rows>
            : tensor<128x256xbf16, #sums>, memref<?x?xbf16>, memref<128x64xbf16, #lds>
  }];
  let arguments = (ins AnyTile:$value, AnyBuffer:$buffer, Variadic<Index>:$indices, AnyBuffer:$scratch, TypeAttr:$stored,
                       UnitAttr:$async, Variadic<Tile_Token>:$after);
  let assemblyFormat = [{
    $value `,` $buffer `[` $indices `]` `through` $scratch `stored` $stored (`async` $async^)? (`after` $after^)? attr-dict
    `:` type($value) `,` type($buffer) `,` type($scratch)
  }];
}

def Tile_StoreAsyncOp : Tile_LateStoreOp<"store_async"> {
  let summary = "stores a tile from LDS by the copy engine, while the waves go on";
  let description = [{
    A part after the other passes `scratch`: each wave puts there what it holds, rows of its own, and one of its lanes tells the engine where they go. It waits
    only until the engine has read its part before. Where rows of the buffer are not a multiple of 16 bytes apart, or it does not begin at one, which the launch knows, the waves store the tile
    in layout `stored` instead. No other operation uses these bytes in the kernel, but for others of this kind whose tiles have the same waves. Complete before the kernel ends: no signal
    publishes it, nobody reads it in the kernel, and it is the last that its task does.

        tile.store_async %out, %c[%m, %n] through %scratch stored tensor<128x256xbf16, #rows>
            : tensor<128x256xbf16, #sums>, memref<?x?xbf16>, memref<128x64xbf16, #tile.shared<8, 1, 8>>
  }];
  let arguments = (ins AnyTile:$value, AnyBuffer:$buffer, Variadic<Index>:$indices, AnyBuffer:$scratch, TypeAttr:$stored,
                       Variadic<Tile_Token>:$after);
  let assemblyFormat = [{
    $value `,` $buffer `[` $indices `]` `through` $scratch `stored` $stored (`after` $after^)? attr-dict
    `:` type($value) `,` type($buffer) `,` type($scratch)
  }];
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
