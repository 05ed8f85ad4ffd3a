// Types the dialect adds. Tile values are builtin tensors and buffers builtin memrefs; no attributes here.
#ifndef TILEC_TILE_TYPES
#define TILEC_TILE_TYPES

include "dialect/TileDialect.td"
include "mlir/IR/AttrTypeBase.td"

class Tile_Type<string name, string typeMnemonic> : TypeDef<Tile_Dialect, name> {
  let mnemonic = typeMnemonic;
}

def Tile_Signals : Tile_Type<"Signals", "signals"> {
  let summary = "grid of signals, one grid on every rank";
  let description = [{
    `rank` is the number of indices. A signal holds the epoch of the last launch that raised it and is never reset.
    Indices are logical tile coordinates, never positions in an order.
  }];
  let parameters = (ins "unsigned":$rank);
  let assemblyFormat = "`<` $rank `>`";
}

def Tile_Token : Tile_Type<"Token", "token">,
                 BuildableType<"$_builder.getType<::tilec::tile::TokenType>()"> {
  let summary = "proof that some stores are complete, or that some waits are over";
  let description = [{
    A wait yields a token that the accesses it protects name (`after`); a store yields a token that the signal which
    publishes it names. Program order means nothing to a pair of operations that no token connects.
  }];
}

def Tile_Full : Tile_Type<"Full", "full">, BuildableType<"$_builder.getType<::tilec::tile::FullType>()"> {
  let summary = "words in LDS, one for each slot of rings, that say when what fills the slot is there";
}

def Tile_Empty : Tile_Type<"Empty", "empty">, BuildableType<"$_builder.getType<::tilec::tile::EmptyType>()"> {
  let summary = "words in LDS, one for each slot of rings, that say when those who read it have released it";
}

// What memory holds; a tile may also hold i1, the result of a comparison.
defvar Tile_StoredElements = [F64, F32, F16, BF16, F8E4M3FN, F8E5M2, F8E4M3FNUZ, F8E5M2FNUZ, I8, I32, I64];

def AnyTile : RankedTensorOf<!listconcat(Tile_StoredElements, [I1])>;
def AnyBuffer : MemRefOf<Tile_StoredElements>;
def AnyElement : AnyTypeOf<!listconcat(Tile_StoredElements, [I1])>;

#endif
