// Ops of the exit dialect for results that are stored while the waves go on: what `tilec/deferred.h` and `tilec/store_parts.h` have.
#ifndef TILEC_HIP_DEFERRED_OPS
#define TILEC_HIP_DEFERRED_OPS

include "dialect/HipTextOps.td"

def Hip_DeferredOp
    : Hip_TextOp<"deferred", "tilec::deferred<#L, %stored, %vector>($0, $1$,2)", [MemoryEffects<[MemAlloc]>]> {
  let description = [{
    Registers that hold the tile of a task until it is stored, in layout `stored`, by accesses of `vector` elements; with a map of the view's matrix, by the copy engine, where
    it has one. Stands before the tasks.
  }];
  let arguments = (ins Hip_Shared:$scratch, Hip_View:$view, Optional<Hip_TensorMap>:$map, TypeAttr:$stored, I64Attr:$vector);
  let results = (outs Hip_Held:$result);
  let hasVerifier = 1;
}
def Hip_DeferOp : Hip_WriteOp<"defer", "tilec::defer($0, $1, {$2})"> {
  let arguments = (ins Hip_Held:$deferred, Hip_Tile:$value, Variadic<Index>:$start);
  let hasVerifier = 1;
}
def Hip_StoreDeferredOp : Hip_WriteOp<"store_deferred", "tilec::store_deferred[slots|<%slots>]($0$,1)"> {
  let description = [{
    All that is left; or, with the slot of a step, the parts whose turn it is: those of a result are spread over the first steps, up to 16, which use so many slots in
    turn. Behind the tasks it stands in a `hip.if_produces` of its own, in
    which producers do nothing.
  }];
  let arguments = (ins Hip_Held:$deferred, Optional<Index>:$slot, OptionalAttr<I64Attr>:$slots);
  let hasVerifier = 1;
}
def Hip_StoreAsyncOp : Hip_WriteOp<"store_async", "tilec::store_async<%stored, %vector, %copies>($1, $0, $2, {$3}, $4)"> {
  let description = [{
    Stores a tile by the copy engine; where the view's matrix has no map, in layout `stored` by accesses of `vector` elements.
    Parts take so many `copies` of `scratch` in turn, which lie behind each other. The engine may read them after the waves have gone on: nobody else
    writes these bytes.
  }];
  let arguments = (ins Hip_Tile:$value, Hip_Shared:$scratch, Hip_View:$view, Variadic<Index>:$start, Hip_TensorMap:$map,
                       TypeAttr:$stored, I64Attr:$vector, I64Attr:$copies);
  let hasVerifier = 1;
}
def Hip_AwaitStoresOp : Hip_WriteOp<"await_stores", "tilec::await_stores<0>()"> {
  let description = "Waits until the copy engine has stored all that these threads have told it to. Stands behind the tasks, where `hip.store_deferred` does.";
}

#endif
