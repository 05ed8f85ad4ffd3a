// Ops of the exit dialect for slots that a copy engine fills and matrix units read: what `tilec/stream.h` has.
#ifndef TILEC_HIP_STREAM_OPS
#define TILEC_HIP_STREAM_OPS

include "dialect/HipRingOps.td"

def Hip_TensorMapOp : Hip_TextOp<"tensor_map", "tilec::tensor_map<#S>($0, {$1}, {$2})",
                                     [Pure, HasParent<"LauncherOp">, AttrSizedOperandSegments]> {
  let arguments = (ins Hip_Pointer:$pointer, Variadic<Hip_Index>:$extents, Variadic<Hip_Index>:$strides);
  let results = (outs Hip_TensorMap:$result);
  let hasVerifier = 1;
}
def Hip_MappedOp : Hip_TextOp<"mapped", "tilec::are_mapped($0)", [Pure, HasParent<"LauncherOp">]> {
  let description = "Whether the copy engine can read all of these matrices. A kernel takes it as a parameter of its template.";
  let arguments = (ins Variadic<Hip_TensorMap>:$maps);
  let results = (outs I1:$result);
}
// A matrix, or one of a row of them: then `start` has its number first. `by_rows`: the feed goes down the rows, and is moved by a number of them.
// A view that is one of a row of matrices, as scratch that has copies is, has the number of it: `matrix`.
def Hip_MappedFeedOp : Hip_TextOp<"mapped_feed", "tilec::mapped_feed<#S>($0, {$1}, $2$,3[by_rows|, tilec::by_rows])",
                                  [Pure, AttrSizedOperandSegments]> {
  let arguments = (ins Hip_View:$view, Variadic<Index>:$start, Hip_TensorMap:$map, Optional<Index>:$matrix, UnitAttr:$by_rows);
  let results = (outs Hip_DirectFeed:$result);
  let hasVerifier = 1;
}
def Hip_FullOp : Hip_WriteOp<"full", "tilec::full<%slots>(%offset)", [Hip_MakesWords]> {
  let arguments = (ins I64Attr:$slots, I64Attr:$offset);
  let results = (outs Hip_Full:$result);
  let hasVerifier = 1;
}
def Hip_FillOp : Hip_WriteOp<"fill", "tilec::fill[alone|_alone][by_wave|_by_wave][in_turn|($0, $1, $2)|<$1>($0, $2)]"> {
  let description = "`alone`: the thread that comes here is the only one. `by_wave`: its wave is. `in_turn`: the slot is not known when compiling.";
  let arguments = (ins Hip_Full:$full, Index:$slot, Variadic<Hip_Activity>:$activities, UnitAttr:$alone, UnitAttr:$by_wave, UnitAttr:$in_turn);
}
// `of_pair`: so many waves of each workgroup of a pair release the slots of both.
def Hip_EmptyOp : Hip_WriteOp<"empty", "tilec::empty[of_pair|_of_pair]<%slots>(%offset, %waves)", [Hip_MakesWords]> {
  let arguments = (ins I64Attr:$slots, I64Attr:$offset, I64Attr:$waves, UnitAttr:$of_pair);
  let results = (outs Hip_Empty:$result);
  let hasVerifier = 1;
}
// Before one workgroup of a pair copies to the other or releases its slots.
def Hip_MeetPairOp : Hip_WriteOp<"meet_pair", "tilec::meet_pair()">;
// Before one ends: the thread behind so many `consumers` that has filled the slots waits until both have released all of them.
def Hip_EndPairOp : Hip_WriteOp<"end_pair", "tilec::end_pair<%consumers>($0)"> {
  let arguments = (ins Hip_Empty:$empty, I64Attr:$consumers);
}
def Hip_AwaitEmptyOp : Hip_WriteOp<"await_empty", "tilec::await_empty[in_turn|($0, $1)|<$1>($0)]"> {
  let arguments = (ins Hip_Empty:$empty, Index:$slot, UnitAttr:$in_turn);
}
def Hip_ReleaseStepOp : Hip_WriteOp<"release_step", "tilec::release_step($0, $1)"> {
  let arguments = (ins Hip_Empty:$empty, Index:$step);
}
def Hip_AwaitFullOp : Hip_WriteOp<"await_full", "tilec::await_full[in_turn|($0, $1)|<$1>($0)]"> {
  let arguments = (ins Hip_Full:$full, Index:$slot, UnitAttr:$in_turn);
}
// `acquired`: of what others stored to global memory, in place of LDS.
def Hip_FenceAsyncOp : Hip_WriteOp<"fence_async", "tilec::fence_async[acquired|_global]()"> {
  let arguments = (ins UnitAttr:$acquired);
}
// `begins`: the sums are those of this product alone, whatever the registers held. `promoted`: threads add what the
// matrix units gave for the columns of one instruction, and it is complete when it returns.
def Hip_MultiplyAsyncOp
    : Hip_WriteOp<"multiply_async",
                  "tilec::multiply[promoted|_promoted|_async]<tilec::%instruction<#E1>[lhs_transposed|, tilec::transposed_a[transposed| + tilec::transposed_b]|[transposed|, tilec::transposed_b]]>($0, $1, $2[begins|, false])"> {
  let arguments = (ins Hip_Held:$acc, AnyTypeOf<[Hip_Slot, Hip_Tile]>:$a, Hip_Slot:$b, StrAttr:$instruction, UnitAttr:$transposed,
                       UnitAttr:$begins, UnitAttr:$promoted, UnitAttr:$lhs_transposed);
  let hasVerifier = 1;
}
def Hip_AwaitProductsOp : Hip_WriteOp<"await_products", "tilec::await_products<%left>($0)"> {
  let description = "Names the sums that may be used behind it: no product that is left writes them.";
  let arguments = (ins Variadic<Hip_Held>:$sums, I64Attr:$left);
  let hasVerifier = 1;
}
def Hip_StreamOp : Hip_Op<"stream", [NoTerminator, SingleBlock]> {
  let summary = "`tilec::stream<Slots, Ahead>(count, [&](auto slot, int step) {...}, [&](auto slot, int step) {...})`";
  let description = [{
    Steps 0 to `count` - 1, as a `tile.stream` has them: `fills` is done `ahead` steps before `uses`.
  }];
  let arguments = (ins Index:$count, I64Attr:$slots, I64Attr:$ahead);
  let regions = (region SizedRegion<1>:$fills, SizedRegion<1>:$uses);
  let assemblyFormat = "$count `slots` $slots `ahead` $ahead attr-dict-with-keyword `fills` $fills `uses` $uses";
  let hasVerifier = 1;
}

// Waves that do different work.

def Hip_ByRoleOp : Hip_Op<"by_role", [ParentOneOf<["KernelOp", "RoleOp"]>, NoTerminator, SingleBlock]> {
  let summary = "`tilec::by_role<Consumers, ...>([&](auto role) {...})`: the first waves do the body as consumers, the others as producers";
  let description = [{
    Stands once in a kernel, around all of its loops over tasks: around the one loop of a role, or around the groups of `each` workgroup. What
    stands between it and the loops all waves do together, as often.

    `registers`: those that a producer goes on with, and a consumer; none where all keep what they have. A second `hip.by_role` would
    give waves registers again, and the device compiler gives the larger number to the code of the first alone.

    `sender`: the second wave of the producer has groups of its own.
  }];
  let arguments = (ins I64Attr:$consumers, OptionalAttr<DenseI64ArrayAttr>:$registers, UnitAttr:$sender);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "`consumers` $consumers (`registers` $registers^)? (`sender` $sender^)? attr-dict-with-keyword $body";
  let hasVerifier = 1;
}
def Hip_IfProducesOp : Hip_Op<"if_produces", [NoTerminator, SingleBlock]> {
  let summary = "`if constexpr (role.produces) {...} else {...}`";
  let description = "What producers do in a task: fill slots, and nothing else; and what consumers do. The two see each other's work in words of slots alone.";
  let arguments = (ins Hip_WaveRole:$role);
  let regions = (region SizedRegion<1>:$produces, SizedRegion<1>:$consumes);
  let assemblyFormat = "$role attr-dict-with-keyword $produces `else` $consumes";
}
class Hip_SideOp<string mnemonic, dag more = (ins)> : Hip_Op<mnemonic, [NoTerminator, SingleBlock]> {
  let arguments = !con((ins Index:$count, I64Attr:$slots, UnitAttr:$in_turn), more);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$count `slots` $slots attr-dict-with-keyword $body";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::BlockArgument getSlot() { return getBody().getArgument(0); }
    ::mlir::BlockArgument getStep() { return getBody().getArgument(1); }
  }];
}
def Hip_ProduceOp : Hip_SideOp<"produce", (ins UnitAttr:$by_wave)> {
  let summary = "`tilec::produce<Slots, Consumers>(count, [&](auto slot, int step) {...})`: one thread fills the slots of all steps";
  let description = "`by_wave`: all lanes of its wave come along, as they wait for others together (`tilec::produce_by_wave`). `in_turn`: slots are values (`tilec::produce_in_turn`).";
}
// A run of elements that lie side by side in the last dimension of a view, to a slot of as many.
def Hip_CopyingRunOp : Hip_TextOp<"copying_run", "tilec::copying_run($0, $1, {$2})", [Pure]> {
  let arguments = (ins Hip_Slot:$slot, Hip_View:$view, Variadic<Index>:$start);
  let results = (outs Hip_Activity:$result);
  let hasVerifier = 1;
}
// Registers of a tile that follow each other, of which `number`, known when compiling, says which.
def Hip_PartOp : Hip_TextOp<"part", "tilec::part<$1, #L>($0)", [Pure]> {
  let arguments = (ins Hip_Tile:$whole, Index:$number);
  let results = (outs Hip_Tile:$result);
  let hasVerifier = 1;
}
def Hip_WithPartOp : Hip_TextOp<"with_part", "tilec::with_part<$1>($0, $2)", [Pure, AllTypesMatch<["whole", "result"]>]> {
  let arguments = (ins Hip_Tile:$whole, Index:$number, Hip_Tile:$part);
  let results = (outs Hip_Tile:$result);
  let hasVerifier = 1;
}
def Hip_MovesInBulkOp : Hip_TextOp<"moves_in_bulk", "tilec::moves_in_bulk($0, $1)", [Pure]> {
  let arguments = (ins Hip_View:$from, Hip_View:$into);
  let results = (outs I1:$result);
}
def Hip_ByProducerOp : Hip_Op<"by_producer", [NoTerminator, SingleBlock]> {
  let summary = "`tilec::by_producer<Consumers>(when, [&]() {...})`: by the first wave behind the consumers";
  let arguments = (ins I1:$when);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "`when` $when attr-dict-with-keyword $body";
}
def Hip_TellingOp : Hip_WriteOp<"telling", "tilec::telling(%offset, %consumers)", [Hip_MakesWords]> {
  let description = "Words in LDS by which consumers hand on to a wave of the producer what it tells others of, each time in the order of the text.";
  let arguments = (ins I64Attr:$offset, I64Attr:$consumers);
  let results = (outs Hip_Telling:$result);
}
def Hip_HandOnOp : Hip_WriteOp<"hand_on", "tilec::hand_on($0)"> {
  let description = "A consumer has stored what is told of next. It waits at most for the wave to have begun with what it was handed before.";
  let arguments = (ins Hip_Telling:$telling);
}
def Hip_TellOp : Hip_Op<"tell", [NoTerminator, SingleBlock]> {
  let summary = "`tilec::tell(telling, [&]() {...})`: by the second wave behind the consumers, when all of these have handed on";
  let arguments = (ins Hip_Telling:$telling);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$telling attr-dict-with-keyword $body";
}
// Tiles of `rows` rows and `columns` columns, through slots of `slot_bytes` bytes from `offset` on.
// By the lanes of the wave where the engine cannot move them, `if_possible`.
def Hip_RelayOp : Hip_WriteOp<"relay", "tilec::relay[if_possible|_or_copy]<%slot_bytes>($0, %offset, $1, {$2}, {%rows, $3}, $4)", [AttrSizedOperandSegments]> {
  let arguments = (ins Hip_Full:$full, Hip_View:$from, Variadic<Index>:$start, Index:$columns, Variadic<Hip_View>:$into, I64Attr:$rows,
                       I64Attr:$tile_columns, I64Attr:$offset, I64Attr:$slot_bytes, UnitAttr:$if_possible);
  let hasVerifier = 1;
}
def Hip_TicketsOp : Hip_WriteOp<"tickets", "tilec::tickets(%offset, %waves[apart|, %apart])", [Hip_MakesWords]> {
  let description = "Words in LDS by which a producer tells the other waves of the tasks that it draws, but for so many `apart`, which have tasks of their own.";
  let arguments = (ins I64Attr:$offset, I64Attr:$waves, OptionalAttr<I64Attr>:$apart);
  let results = (outs Hip_Tickets:$result);
}
def Hip_ConsumeOp : Hip_SideOp<"consume"> {
  let summary = "`tilec::by_slot<Slots>(count, [&](auto slot, int step) {...})`: what consumers do with the slots that a producer fills";
  let description = "`in_turn`: slots are values (`tilec::by_turn`).";
}

#endif
