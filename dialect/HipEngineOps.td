// What the copy engine of a device does beside a kernel: a function of the host, and what the launcher makes of it.
#ifndef TILEC_HIP_ENGINE_OPS
#define TILEC_HIP_ENGINE_OPS

include "dialect/HipTextOps.td"

def Hip_EngineOp : Hip_Op<"engine", [Symbol, IsolatedFromAbove, NoTerminator, SingleBlock]> {
  let summary = "`static void name(tilec::Copies &copies, ...)`: what the copy engine does beside a kernel";
  let description = [{
    A function of the host that asks for copies and signals, which a stream of their own does in this order. Arguments are the copies and those of a `hip.kernel`,
    of which `sources` says the same.

        hip.engine @exchange_send attributes {sources = array<i64: 0, 1, 3>} {
        ^bb0(%copies: !hip.context, %a: !hip.pointer<bf16, true>, %M: index):
          scf.for %peer = ... { hip.move ... hip.mark ... }
        }
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, DenseI64ArrayAttr:$sources);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$sym_name attr-dict-with-keyword $body";
  let hasVerifier = 1;
}

// The words of this launch's epoch, which the engine copies to raise signals: written in the kernel before.
def Hip_BeginCopiesOp : Hip_WriteOp<"begin_copies", "tilec::begin_copies($0)"> {
  let arguments = (ins Hip_Launch:$launch);
}
// `rows` of a matrix, and `planes` of several of them; one without.
def Hip_MoveOp : Hip_WriteOp<"move", "tilec::move($0, $1, {$2}, {[planes|%planes, ][rows|%rows, ]$3}, $4)"> {
  let description = [{
    The engine copies a box of one view to the same place of another: so many `columns` from `start`, `rows` of a matrix, and `planes` of a row of matrices; what lies
    outside of the views it leaves out. `tile_columns` are those of the tiles whose row it is.
  }];
  let arguments = (ins Hip_Context:$copies, Hip_View:$from, Variadic<Index>:$start, Index:$columns, Hip_View:$into,
                       OptionalAttr<I64Attr>:$planes, OptionalAttr<I64Attr>:$rows, I64Attr:$tile_columns);
  let hasVerifier = 1;
}
def Hip_TakeCountedOp : Hip_WriteOp<"take_counted", "tilec::take_counted($0, $1, {$2}, $3)", [Hip_Synchronizes]> {
  let description = "The engine waits until so many `hip.count` of this launch have come to a word of this rank, and leaves 0 there.";
  let arguments = (ins Hip_Context:$copies, Hip_Signals:$signals, Variadic<Index>:$index, Index:$count);
}
def Hip_MarkOp : Hip_WriteOp<"mark", "tilec::mark($0, $1, {$2}, $3)", [Hip_Synchronizes]> {
  let description = "The engine raises a signal of rank `to` behind all that it has copied.";
  let arguments = (ins Hip_Context:$copies, Hip_Signals:$signals, Variadic<Index>:$index, Index:$to);
}

// In the launcher.

def Hip_CopiesOp : Hip_TextOp<"copies", "tilec::Copies(*arguments)", [HasParent<"LauncherOp">]> {
  let description = "A stream of the copy engine, behind what has been launched so far.";
  let results = (outs Hip_Context:$result);
}
def Hip_LaunchCopiesOp : Hip_Op<"launch_copies", [HasParent<"LauncherOp">]> {
  let summary = "a call of the function of a `hip.engine`, beside the kernel that is launched next; returns from the launcher on an error";
  let arguments = (ins FlatSymbolRefAttr:$engine, Variadic<AnyType>:$arguments);
  let assemblyFormat = "$engine `(` $arguments `)` attr-dict `:` type($arguments)";
}
def Hip_JoinCopiesOp : Hip_Op<"join_copies", [HasParent<"LauncherOp">]> {
  let summary = "`copies.join()`: what is launched next comes behind the copies; returns from the launcher on an error";
  let arguments = (ins Hip_Context:$copies);
  let assemblyFormat = "$copies attr-dict `:` type($copies)";
}

#endif
