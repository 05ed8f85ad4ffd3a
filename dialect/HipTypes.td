// Types of the exit dialect: what a C++ variable of the text may be besides tiles and scalars.
#ifndef TILEC_HIP_TYPES
#define TILEC_HIP_TYPES

include "dialect/HipDialect.td"
include "mlir/IR/AttrTypeBase.td"

class Hip_Type<string name, string typeMnemonic> : TypeDef<Hip_Dialect, name> { let mnemonic = typeMnemonic; }
class Hip_PlainType<string name, string typeMnemonic>
    : Hip_Type<name, typeMnemonic>, BuildableType<"$_builder.getType<::tilec::hip::" # name # "Type>()">;

def Hip_Context : Hip_PlainType<"Context", "context"> { let summary = "`tilec::Context`, a kernel's first argument"; }
def Hip_Launch : Hip_PlainType<"Launch", "launch"> { let summary = "`tilec::Launch`, what a workgroup knows of its launch"; }
def Hip_Pointer : Hip_Type<"Pointer", "pointer"> {
  let summary = "pointer to global memory";
  let parameters = (ins "::mlir::Type":$element, "bool":$isConst);
  let assemblyFormat = "`<` $element `,` $isConst `>`";
}
def Hip_View : Hip_Type<"View", "view"> {
  let summary = "`tilec::View`: pointer, extents and strides";
  let parameters = (ins "::mlir::Type":$element, "unsigned":$rank);
  let assemblyFormat = "`<` $element `,` $rank `>`";
}
def Hip_Shared : Hip_Type<"Shared", "shared"> {
  let summary = "`tilec::Shared`: a tile in LDS";
  let parameters = (ins "::mlir::Type":$element, ArrayRefParameter<"int64_t">:$shape, "::tilec::tile::SharedAttr":$swizzle);
  let assemblyFormat = "`<` $element `,` `[` $shape `]` `,` $swizzle `>`";
  let genVerifyDecl = 1;
}
def Hip_Signals : Hip_Type<"Signals", "signals"> {
  let summary = "`tilec::Signals`: a grid of signals on every rank";
  let parameters = (ins "unsigned":$rank);
  let assemblyFormat = "`<` $rank `>`";
}
def Hip_Coordinates : Hip_Type<"Coordinates", "coordinates"> {
  let summary = "`tilec::Coordinates`";
  let parameters = (ins "unsigned":$rank);
  let assemblyFormat = "`<` $rank `>`";
}

def Hip_Tiles : Hip_Type<"Tiles", "tiles"> {
  let summary = "`tilec::Tiles`: tiles of one layout, each by its number";
  let parameters = (ins "int64_t":$count, "::mlir::RankedTensorType":$tile);
  let assemblyFormat = "`<` $count `,` $tile `>`";
}

def Hip_Ring : Hip_Type<"Ring", "ring"> {
  let summary = "`tilec::Ring`: LDS tiles of one type behind each other, its slots";
  let parameters = (ins "::tilec::hip::SharedType":$tile, "int64_t":$slots);
  let assemblyFormat = "`<` $tile `,` $slots `>`";
}
def Hip_Slot : Hip_Type<"Slot", "slot"> {
  let summary = "`tilec::Slot`: one of them";
  let parameters = (ins "::tilec::hip::SharedType":$tile);
  let assemblyFormat = "`<` $tile `>`";
}
def Hip_Feed : Hip_Type<"Feed", "feed"> {
  let summary = "`tilec::Feed`: where the tiles of a loop over columns come from";
  let parameters = (ins "::mlir::RankedTensorType":$tile);
  let assemblyFormat = "`<` $tile `>`";
}
def Hip_Addresses : Hip_Type<"Addresses", "addresses"> {
  let summary = "`tilec::Addresses`: where a thread's elements of a tile lie in the slots of a ring";
  let parameters = (ins "::mlir::RankedTensorType":$tile, "::tilec::hip::RingType":$ring);
  let assemblyFormat = "`<` $tile `,` $ring `>`";
}
def Hip_Held : Hip_Type<"Held", "held"> {
  let summary = "`tilec::Tile` that is written more than once, or an array of `count` of them";
  let parameters = (ins "::mlir::RankedTensorType":$tile, "int64_t":$count);
  let assemblyFormat = "`<` $tile `,` $count `>`";
}
def Hip_DirectFeed : Hip_Type<"DirectFeed", "direct_feed"> {
  let summary = "`tilec::DirectFeed`: where the copies to the slots of a ring come from";
  let parameters = (ins "::tilec::hip::SharedType":$tile);
  let assemblyFormat = "`<` $tile `>`";
}
def Hip_TensorMap : Hip_Type<"TensorMap", "tensor_map"> {
  let summary = "`tilec::TensorMap`: a matrix as the copy engine knows it, made by the launcher, for tiles of one LDS type";
  let parameters = (ins "::tilec::hip::SharedType":$tile);
  let assemblyFormat = "`<` $tile `>`";
}
def Hip_Full : Hip_Type<"Full", "full"> {
  let summary = "`tilec::Full`: words in LDS that say which slots are full";
  let parameters = (ins "int64_t":$slots);
  let assemblyFormat = "`<` $slots `>`";
}
def Hip_Empty : Hip_Type<"Empty", "empty"> {
  let summary = "`tilec::Empty`: words in LDS that say which slots have been released";
  let parameters = (ins "int64_t":$slots);
  let assemblyFormat = "`<` $slots `>`";
}
def Hip_Telling : Hip_PlainType<"Telling", "telling"> { let summary = "`tilec::Telling`: words in LDS that hand on what to tell"; }
def Hip_Tickets : Hip_PlainType<"Tickets", "tickets"> { let summary = "`tilec::Tickets`: words in LDS that tell of tasks"; }
def Hip_WaveRole : Hip_PlainType<"WaveRole", "wave_role"> { let summary = "`tilec::WaveRole`: whether a wave produces"; }
def Hip_Activity : Hip_PlainType<"Activity", "activity"> { let summary = "what is done step by step among matrix instructions"; }
def Hip_Trace : Hip_PlainType<"Trace", "trace"> { let summary = "`tilec::Trace`: where a part of a workgroup writes what it does"; }

#endif
