// Ops of the exit dialect for rings of LDS: what `tilec/ring.h`, `tilec/feed.h` and `tilec/places.h` have.
#ifndef TILEC_HIP_RING_OPS
#define TILEC_HIP_RING_OPS

include "dialect/HipTextOps.td"

// With 0 rows: all that the view has.
def Hip_RegularOp : Hip_TextOp<"regular", "tilec::is_regular<%rows, %vector>($0, {$1}[across|, tilec::across])", [Pure]> {
  let arguments = (ins Hip_View:$view, Variadic<Index>:$start, I64Attr:$rows, I64Attr:$vector, UnitAttr:$across);
  let results = (outs I1:$result);
}

// Declared before a loop.

// A feed goes along the columns of its view, or (`by_rows`) down its rows: what it is moved by is in bytes either way.
// Down them, columns outside of the view are zero.
// `across`: it goes along the columns of tiles that are transposes of what the view has.
def Hip_FeedOp : Hip_TextOp<"feed", "tilec::feed<#L, %vector>($0, {$1}[across|, tilec::across][by_rows|, tilec::by_rows])", [Pure]> {
  let arguments = (ins Hip_View:$view, Variadic<Index>:$start, I64Attr:$vector, UnitAttr:$across, UnitAttr:$by_rows);
  let results = (outs Hip_Feed:$result);
  let hasVerifier = 1;
}
// `halved`: each half of the waves copies all of the tile, as `hip.by_halves` has it.
def Hip_DirectFeedOp
    : Hip_TextOp<"direct_feed", "tilec::direct_feed<#S, %wave_bits>($0, {$1}[by_rows|, tilec::by_rows][halved|, tilec::halved])", [Pure]> {
  let arguments = (ins Hip_View:$view, Variadic<Index>:$start, I64Attr:$wave_bits, UnitAttr:$by_rows, UnitAttr:$halved);
  let results = (outs Hip_DirectFeed:$result);
  let hasVerifier = 1;
}
def Hip_RingOp : Hip_TextOp<"ring", "tilec::Ring<#S, %slots, %offset>()", [Pure]> {
  let arguments = (ins I64Attr:$slots, I64Attr:$offset);
  let results = (outs Hip_Ring:$result);
  let hasVerifier = 1;
}
def Hip_AddressesOp : Hip_TextOp<"addresses", "tilec::addresses_in<#L>($0[transposed|, tilec::transposed])", [Pure]> {
  let arguments = (ins Hip_Ring:$ring, UnitAttr:$transposed);
  let results = (outs Hip_Addresses:$result);
  let hasVerifier = 1;
}
def Hip_HoldOp : Hip_Op<"hold", [MemoryEffects<[MemAlloc]>]> {
  let summary = "`tilec::Tile<T, L> name;`: registers that are written more than once, several of them as an array";
  let arguments = (ins Optional<Hip_Tile>:$init);
  let results = (outs Hip_Held:$result);
  let assemblyFormat = "($init^ `:` type($init))? attr-dict `->` type($result)";
  let hasVerifier = 1;
}

// What an activity works on.

def Hip_SlotOp : Hip_TextOp<"slot", "$0.slot[in_turn|($1)|<$1>()]", [Pure]> {
  let description = "`in_turn`: its number is not known when compiling.";
  let arguments = (ins Hip_Ring:$ring, Index:$number, UnitAttr:$in_turn);
  let results = (outs Hip_Slot:$result);
  let hasVerifier = 1;
}
def Hip_HeldAtOp : Hip_TextOp<"held_at", "$0[$1]", [Pure]> {
  let arguments = (ins Hip_Held:$held, Index:$number);
  let results = (outs Hip_Held:$result);
  let hasVerifier = 1;
}
def Hip_PutOp : Hip_WriteOp<"put", "$0 = $1"> {
  let arguments = (ins Hip_Held:$held, Hip_Tile:$value);
  let hasVerifier = 1;
}
def Hip_ReadSlotOp : Hip_ReadOp<"read_slot", "tilec::read($0, $1)"> {
  let arguments = (ins Hip_Addresses:$addresses, Hip_Slot:$slot);
  let results = (outs Hip_Tile:$result);
  let hasVerifier = 1;
}
def Hip_TakeOp : Hip_TextOp<"take", "$0", [MemoryEffects<[MemRead]>]> {
  let arguments = (ins Hip_Held:$held);
  let results = (outs Hip_Tile:$result);
  let hasVerifier = 1;
}

// Activities: nothing happens before `places` or `in_order` has them. The registers that one writes come first; `moved`
// is in bytes, along the rows of the feed.

def Hip_ReadingOp : Hip_TextOp<"reading", "tilec::reading($0, $1, $2)", [Pure]> {
  let arguments = (ins Hip_Held:$to, Hip_Addresses:$addresses, Hip_Slot:$slot);
  let results = (outs Hip_Activity:$result);
  let hasVerifier = 1;
}
def Hip_FetchingOp : Hip_TextOp<"fetching", "tilec::fetching($0, $1, $2)", [Pure]> {
  let arguments = (ins Hip_Held:$to, Hip_Feed:$feed, Index:$moved);
  let results = (outs Hip_Activity:$result);
  let hasVerifier = 1;
}
def Hip_DepositingOp : Hip_TextOp<"depositing", "tilec::depositing($0, $1, $2)", [Pure]> {
  let arguments = (ins Hip_Slot:$slot, Hip_Addresses:$addresses, Hip_Held:$from);
  let results = (outs Hip_Activity:$result);
  let hasVerifier = 1;
}
def Hip_RefillingOp : Hip_TextOp<"refilling", "tilec::refilling($0, $1, $2, $3, $4)", [Pure]> {
  let arguments = (ins Hip_Slot:$slot, Hip_Addresses:$addresses, Hip_Held:$registers, Hip_Feed:$feed, Index:$moved);
  let results = (outs Hip_Activity:$result);
  let hasVerifier = 1;
}
// `halved`: half of the tile, to both workgroups of a pair, by a feed of tiles of half as many rows.
def Hip_CopyingOp : Hip_TextOp<"copying", "tilec::copying[halved|_half]($0, $1, $2[read_once|, tilec::read_once])", [Pure]> {
  let arguments = (ins Hip_Slot:$slot, Hip_DirectFeed:$feed, Index:$moved, UnitAttr:$read_once, UnitAttr:$halved);
  let results = (outs Hip_Activity:$result);
  let hasVerifier = 1;
}
// The first half of the waves does the first, the others the second: both are copies of as many bytes. A wave's copies then lie
// closer to each other, within what an immediate reaches.
def Hip_ByHalvesOp : Hip_TextOp<"by_halves", "tilec::by_halves($0, $1)", [Pure]> {
  let arguments = (ins Hip_Activity:$first, Hip_Activity:$second);
  let results = (outs Hip_Activity:$result);
  let hasVerifier = 1;
}
def Hip_MultiplyingOp
    : Hip_TextOp<"multiplying",
                 "tilec::multiplying<tilec::%instruction<#E1>[lhs_transposed|, tilec::transposed_a[transposed| + tilec::transposed_b]|[transposed|, tilec::transposed_b]]>($0, $1, $2)", [Pure]> {
  let arguments = (ins Hip_Held:$acc, Hip_Held:$a, Hip_Held:$b, StrAttr:$instruction, UnitAttr:$transposed, UnitAttr:$lhs_transposed);
  let results = (outs Hip_Activity:$result);
  let hasVerifier = 1;
}
def Hip_InTurnOp : Hip_TextOp<"in_turn", "tilec::in_turn($0)", [Pure]> {
  let arguments = (ins Variadic<Hip_Activity>:$activities);
  let results = (outs Hip_Activity:$result);
}

// Places.

def Hip_PlacesOp : Hip_WriteOp<"places", "tilec::places($0, tilec::evenly($1))"> {
  let arguments = (ins Hip_Activity:$products, Variadic<Hip_Activity>:$activities);
}
def Hip_InOrderOp : Hip_WriteOp<"in_order", "tilec::in_order($0)"> {
  let arguments = (ins Variadic<Hip_Activity>:$activities);
}
def Hip_AwaitCopiesOp : Hip_WriteOp<"await_copies", "tilec::await_copies<%left>()"> {
  let arguments = (ins I64Attr:$left);
  let hasVerifier = 1;
}
def Hip_MeetOp : Hip_WriteOp<"meet", "tilec::meet()">;
def Hip_PriorityOp : Hip_WriteOp<"priority", "tilec::priority<%level>()"> {
  let arguments = (ins I64Attr:$level);
  let hasVerifier = 1;
}
def Hip_StepsOp : Hip_Op<"steps", [NoTerminator, SingleBlock]> {
  let summary = "`tilec::by_slot<Slots>(from, count, [&](auto slot, int step) {...})`";
  let description = [{
    Steps 0, or `from`, which is a multiple of `slots`, to `count` - 1; the slot of a step, its number modulo `slots`, is a constant
    inside. What steps hand on lies in registers of a `hip.hold` outside.

    `alternating`: `tilec::by_slot_alternating<Slots, Threads>(...)`, so many being the threads of the workgroup; the second half of their waves
    is one meeting behind the first.
  }];
  let arguments = (ins Optional<Index>:$from, Index:$count, I64Attr:$slots, OptionalAttr<I64Attr>:$alternating);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "(`from` $from^ `to`)? $count `slots` $slots (`alternating` $alternating^)? attr-dict-with-keyword $body";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::BlockArgument getSlot() { return getBody().getArgument(0); }
    ::mlir::BlockArgument getStep() { return getBody().getArgument(1); }
  }];
}

#endif
