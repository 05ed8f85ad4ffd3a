// Memory spaces, layouts, orders and the enums of the dialect. No types, no ops.
#ifndef TILEC_TILE_ATTRS
#define TILEC_TILE_ATTRS

include "dialect/TileDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/EnumAttr.td"

// What the attributes of ops may hold.
def Tile_TileShape : TypedArrayAttrBase<AnyAttrOf<[I64Attr, FlatSymbolRefAttr]>, "tile sizes: integers or parameters">;
def Tile_Params : TypedArrayAttrBase<FlatSymbolRefAttr, "names of parameters">;

class Tile_Attr<string name, string attrMnemonic, list<Trait> traits = []> : AttrDef<Tile_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

def Tile_Symmetric : Tile_Attr<"Symmetric", "symmetric"> {
  let summary = "memory space of buffers that every rank has at the same heap offset";
}

def Tile_Shared : Tile_Attr<"Shared", "shared"> {
  let summary = "memory space of LDS buffers, with the swizzle of their last two dimensions";
  let description = [{
    Element (row, col) lies at `row * cols + ((col / vector) ^ ((row / per_phase) % phases)) * vector + col % vector`.
    `#tile.shared<1, 1, 1>` is the plain row-major placement.
  }];
  let parameters = (ins "int64_t":$vector, "int64_t":$perPhase, "int64_t":$phases);
  let genVerifyDecl = 1;
  let assemblyFormat = "`<` $vector `,` $perPhase `,` $phases `>`";
}

def Tile_Layout : Tile_Attr<"Layout", "layout"> {
  let summary = "linear layout of a tile over the registers of the lanes of the waves of a workgroup";
  let description = [{
    A linear map over GF(2): each list holds one basis per bit of the register, lane or wave index, a basis being a point
    of the tile; an element lies where the bases of the set bits meet by XOR. A zero basis replicates.
    Source: Triton's "Linear Layouts" (arXiv 2505.23819).

        #tile.layout<registers = [[0, 1], [0, 2]], lanes = [[1, 0], [2, 0]], waves = []>
  }];
  let parameters = (ins "unsigned":$rank, ArrayRefParameter<"int32_t">:$registers, ArrayRefParameter<"int32_t">:$lanes,
                        ArrayRefParameter<"int32_t">:$waves);
  let hasCustomAssemblyFormat = 1;
  let genMnemonicAlias = 1;
}

// Orders: a list of steps, each a bijection of the tasks by construction, except `map`, which `verify` must prove.
def Tile_Remap : Tile_Attr<"Remap", "remap"> {
  let summary = "deals consecutive tasks to one chiplet: exact for any number of tasks";
  let description = [{
    The dispatcher hands workgroup i to chiplet i mod `chiplets`; the remap gives each chiplet a contiguous range of
    tasks, the first `tasks mod chiplets` chiplets one more.
  }];
  let parameters = (ins "int64_t":$chiplets);
  let genVerifyDecl = 1;
  let assemblyFormat = "`<` $chiplets `>`";
}
def Tile_Chunked : Tile_Attr<"Chunked", "chunked"> {
  let summary = "deals chunks of consecutive tasks to the chiplets in turn; the remainder keeps its place";
  let parameters = (ins "int64_t":$chiplets, "int64_t":$chunk);
  let genVerifyDecl = 1;
  let assemblyFormat = "`<` $chiplets `,` $chunk `>`";
}
def Tile_Grouped : Tile_Attr<"Grouped", "grouped"> {
  let summary = "walks the last two grid dimensions column-major in windows of `height` rows";
  let parameters = (ins "int64_t":$height);
  let genVerifyDecl = 1;
  let assemblyFormat = "`<` $height `>`";
}
def Tile_RankFirst : Tile_Attr<"RankFirst", "rank_first"> {
  let summary = "rotates grid dimension `dim` so that it starts at this rank";
  let parameters = (ins "int64_t":$dim);
  let genVerifyDecl = 1;
  let assemblyFormat = "`<` $dim `>`";
}
def Tile_Mapped : Tile_Attr<"Mapped", "mapped"> {
  let summary = "an order written as a formula over the task number; `verify` must prove it a bijection";
  let parameters = (ins "::mlir::AffineMap":$map);
  let genVerifyDecl = 1;
  let assemblyFormat = "`<` $map `>`";
}

def Tile_Order : TypedArrayAttrBase<AnyAttrOf<[Tile_Remap, Tile_Chunked, Tile_Grouped, Tile_RankFirst, Tile_Mapped]>,
                                    "steps of an order">;

class Tile_Enum<string name, string summary, list<I32EnumAttrCase> cases> : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::tilec::tile";
  let genSpecializedAttr = 0;
}
class Tile_EnumAttr<EnumInfo info, string attrMnemonic> : EnumAttr<Tile_Dialect, info, attrMnemonic> {
  let assemblyFormat = "custom<Keyword>($value)";
}

def Tile_ScopeEnum : Tile_Enum<"Scope", "who must see the published stores", [
  I32EnumAttrCase<"Agent", 0, "agent">, I32EnumAttrCase<"System", 1, "system">]>;
def Tile_Scope : Tile_EnumAttr<Tile_ScopeEnum, "scope">;

def Tile_ParticipantsEnum : Tile_Enum<"Participants", "which threads wait or signal together", [
  I32EnumAttrCase<"Workgroup", 0, "workgroup">, I32EnumAttrCase<"Wave", 1, "wave">]>;
def Tile_Participants : Tile_EnumAttr<Tile_ParticipantsEnum, "participants">;

def Tile_ReductionEnum : Tile_Enum<"Reduction", "how elements are combined", [
  I32EnumAttrCase<"Add", 0, "add">, I32EnumAttrCase<"Maximum", 1, "maximum">, I32EnumAttrCase<"Minimum", 2, "minimum">]>;
def Tile_Reduction : Tile_EnumAttr<Tile_ReductionEnum, "reduction">;

def Tile_AccumulationEnum : Tile_Enum<"Accumulation", "precision of the sums inside a matrix instruction", [
  I32EnumAttrCase<"Exact", 0, "exact">, I32EnumAttrCase<"Fast", 1, "fast">]>;
def Tile_Accumulation : Tile_EnumAttr<Tile_AccumulationEnum, "accumulation">;

def Tile_TurnEnum : Tile_Enum<"Turn", "when a role runs within a launch", [
  I32EnumAttrCase<"Each", 0, "each">, I32EnumAttrCase<"First", 1, "first">, I32EnumAttrCase<"Last", 2, "last">]>;
def Tile_Turn : Tile_EnumAttr<Tile_TurnEnum, "turn">;

#endif
