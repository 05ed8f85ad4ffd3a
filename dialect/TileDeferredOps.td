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
  let extraClassDefinition = [{
    ::mlir::Value $cppClass::getAccessedBuffer() { return getBuffer(); }
    ::mlir::OperandRange $cppClass::getAccessIndices() { return getIndices(); }
    bool $cppClass::hasElementOffsets() { return false; }
    ::mlir::Value $cppClass::getAccessRank() { return {}; }
    ::llvm::SmallVector<int64_t> $cppClass::getFootprintShape() { return footprintOf(getBuffer(), getValue().getType()); }
    bool $cppClass::readsBuffer() { return false; }
    bool $cppClass::writesBuffer() { return true; }
    ::mlir::MutableOperandRange $cppClass::getAfterTokensMutable() { return getAfterMutable(); }
  }];
}

def Tile_DeferOp : Tile_LateStoreOp<"defer"> {
  let summary = "leaves a tile in registers, for the next task of the workgroup to store";
  let description = [{
    Stored a part at a time by the next task, where it has a `tile.store_deferred`; what the last task leaves is stored behind the tasks. Not complete before
    that: no signal publishes it, nobody reads it in the kernel, and it is the last that its task does. The tile goes to the buffer in layout `stored`, a part after the other by way
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
    Each wave puts the rows that it holds of a part in `scratch`, one of its lanes tells the copy engine where they go, and the wave goes on with the next part.
    Before it overwrites bytes of `scratch` it waits until the engine has read them. `scratch` may have a leading dimension, of up to 8 copies, each a multiple of 1024 bytes, that the parts take in turn: a wave
    then waits for a part that is further back.

    The engine stores no rows that are no multiple of 16 bytes apart, and none to a buffer that does not begin at such a multiple, which the launch knows: the waves store
    those, in layout `stored`.

    No other operation of the kernel uses the bytes of `scratch`, but for others of this kind whose tiles have the same waves. It is the last that its task does. It
    is complete before the kernel ends: no signal publishes what it stores, and nobody reads it in the kernel.

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
