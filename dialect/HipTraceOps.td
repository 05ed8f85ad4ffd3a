// Ops of the exit dialect that record what a launch does. The pass `trace` makes them; nothing depends on them.
#ifndef TILEC_HIP_TRACE_OPS
#define TILEC_HIP_TRACE_OPS

include "dialect/HipTextOps.td"

class Hip_RecordOp<string mnemonic, string cpp, list<Trait> traits = []>
    : Hip_WriteOp<mnemonic, cpp, !listconcat(traits, [Hip_RecordsOnly])>;

def Hip_TraceOp : Hip_RecordOp<"trace", "tilec::trace($0, %kernel[producer|, %producer][tells|, /*tells=*/true])"> {
  let description = "`kernel`: its number in the program. `producer`: the first wave of those that produce. `tells`: the second has a `hip.tell`, or sends.";
  let arguments = (ins Hip_Launch:$launch, I64Attr:$kernel, OptionalAttr<I64Attr>:$producer, UnitAttr:$tells);
  let results = (outs Hip_Trace:$trace);
}
def Hip_TaskBeginsOp : Hip_RecordOp<"task_begins", "tilec::task_begins($0, %role, $1)"> {
  let description = "`role`: its number among the roles of the kernel.";
  let arguments = (ins Hip_Trace:$trace, Index:$task, I64Attr:$role);
}
def Hip_TaskEndsOp : Hip_RecordOp<"task_ends", "tilec::task_ends($0)"> {
  let arguments = (ins Hip_Trace:$trace);
}
def Hip_WaitBeginsOp : Hip_RecordOp<"wait_begins", "tilec::wait_begins($0, $1, {$2}, {$3}[lag|, %lag])", [AttrSizedOperandSegments]> {
  let description = "The words of the `hip.wait` behind it.";
  let arguments = (ins Hip_Trace:$trace, Hip_Signals:$signals, Variadic<Hip_Index>:$index, Variadic<Hip_Index>:$count,
                       OptionalAttr<I64Attr>:$lag);
}
def Hip_WaitEndsOp : Hip_RecordOp<"wait_ends", "tilec::wait_ends($0)"> {
  let arguments = (ins Hip_Trace:$trace);
}
def Hip_SignallingOp : Hip_RecordOp<"signalling", "tilec::signalling($0, $1, {$2}, $3)"> {
  let description = "The word of the `hip.signal` or `hip.set` behind it.";
  let arguments = (ins Hip_Trace:$trace, Hip_Signals:$signals, Variadic<Hip_Index>:$index, Hip_Index:$to);
}

#endif
