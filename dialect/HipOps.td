// Ops of the exit dialect. What a pass would still have to decide does not belong here.
#ifndef TILEC_HIP_OPS
#define TILEC_HIP_OPS

include "dialect/HipBesideOps.td"
include "dialect/HipEngineOps.td"
include "dialect/HipStreamOps.td"
include "dialect/HipTraceOps.td"

// Kernels and launchers.

def Hip_KernelOp : Hip_Op<"kernel", [Symbol, IsolatedFromAbove, NoTerminator, SingleBlock]> {
  let summary = "`extern \"C\" __global__` function";
  let description = [{
    Arguments: the context, one pointer or number per argument of the program, the workspace, extents and their largest values, maps, without those
    that the kernel does not use. `sources` says of each argument which of the launcher's it is, `restricted` whether it is
    `__restrict__`: memory that nobody else writes while the kernel runs, and no other name reaches. An `i1` is a parameter of the kernel's
    template, of which the launcher starts one or the other (`hip.mapped`): what it decides costs no registers.

    The body enters the launch, computes what all groups use, and holds the groups: those of turn `first`, those whose workgroups take
    tasks (`each`), the one of turn `last`. Where waves do different work, a `hip.by_role` may hold the groups of `each` workgroup.
    `progress`, `resident` and `beside` are those of the `tile.kernel`. `alone`: a workgroup has a unit and all its registers for itself, which the
    device compiler must know before waves give registers to each other.

        hip.kernel @exchange_kernel attributes {...} {
        ^bb0(%context: !hip.context, ...):
          %launch = hip.enter %context : (!hip.context) -> !hip.launch
          hip.group first %launch { hip.role @enter { ... } }
          hip.group each %launch on 2 workgroups queue 0 below %two { hip.role @send { ... } }
          hip.group each %launch queue 1 { hip.role @receive { ... } }
          hip.group last %launch releases system { hip.role @leave { ... } hip.leave %launch {advance = true} ... }
        }
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, I64Attr:$threads, I64Attr:$shared_bytes, DenseBoolArrayAttr:$restricted,
                       DenseI64ArrayAttr:$sources, OptionalAttr<Tile_Progress>:$progress, OptionalAttr<I64Attr>:$resident,
                       UnitAttr:$alone, OptionalAttr<I64Attr>:$most_workgroups, UnitAttr:$pairs, UnitAttr:$beside);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$sym_name attr-dict-with-keyword $body";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Workgroups that its groups have for themselves.
    int64_t getOwnWorkgroups();
    /// The source of the argument that says whether all maps of the launch are there (`hip.mapped`).
    static constexpr int64_t kMapped = -1;
    /// The source of the one that says how many workgroups the launch has (`hip.all_workgroups`).
    static constexpr int64_t kAll = -2;
    /// In the order of the text, those in a `hip.by_role` too.
    ::llvm::SmallVector<GroupOp> getGroups();
  }];
}

def Hip_GroupOp : Hip_Op<"group", [ParentOneOf<["KernelOp", "ByRoleOp"]>, NoTerminator, SingleBlock]> {
  let summary = "`if (launch.worker < end)`: workgroups of a kernel that do the same work";
  let description = [{
    `first`: the workgroup that arrives first, once per launch. `each`: the workgroups whose number is below `end`, all workgroups
    without it. They draw the tasks of their roles from `queue`, one role's tasks after the other's, or take them by their number
    (`strided`). `workgroups` says how many are the group's own; without it the group is the pool, which has the rest. `last`: the
    workgroup that leaves last; what the others released at scope `releases` is visible to it.

    A workgroup goes through the groups in the order of the text, so that it also works for later ones when a queue is empty.

    `sender`: the second wave of the producer of each workgroup does the group, by itself, while the other waves do the groups of `others`. It draws
    the tasks alone.

        hip.group each %launch on 8 workgroups queue 0 below %eight { hip.role @send { ... } }
  }];
  let arguments = (ins Tile_Turn:$turn, Hip_Launch:$launch, OptionalAttr<I64Attr>:$workgroups, OptionalAttr<I64Attr>:$queue,
                       DefaultValuedAttr<Tile_Dealing, "::tilec::tile::Dealing::Ticketed">:$dealing,
                       Optional<Index>:$end, OptionalAttr<Tile_Scope>:$scope, OptionalAttr<Tile_Side>:$side);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $turn $launch (`by` $side^)? (`on` $workgroups^ `workgroups`)? (`queue` $queue^)? (`below` $end^)? (`releases` $scope^)?
    attr-dict-with-keyword $body
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Whether some workgroups pass the group by: its text has braces of its own.
    bool isConditional() { return getTurn() != ::tilec::tile::Turn::Each || getEnd() || getSide(); }
    /// Whether one wave does it by itself.
    bool isSender() { return getSide() == ::tilec::tile::GroupSide::Sender; }
    /// Whether the roles have one loop over tasks; the variable of the ticket is then declared in its head.
    bool hasOneLoop();
  }];
}

def Hip_RoleOp : Hip_Op<"role", [HasParent<"GroupOp">, NoTerminator, SingleBlock]> {
  let summary = "what a group does for one `tile.role`; its name is a comment of the text";
  let description = [{
    Before its tasks a workgroup does the rest of the role, once. `tasks` is the number of tasks over the program's extents, for the
    manifest; it is absent where that is no expression.

        hip.role @multiply attributes {tasks = affine_map<()[M] -> (M ceildiv 128)>} { ... hip.tasks below %tasks { ... } }
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, OptionalAttr<AffineMapAttr>:$tasks);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$sym_name attr-dict-with-keyword $body";
}

def Hip_LauncherOp : Hip_Op<"launcher", [Symbol, IsolatedFromAbove, NoTerminator, SingleBlock]> {
  let summary = "`extern \"C\" int name(const tilec::LaunchArguments *arguments)`";
  let description = [{
    Unpacks the arguments (its region has those of the kernels) and launches its kernels in turn. `num_pointers` counts the arguments of the
    program; a number among them is read where its pointer says. `peers` says of each argument what other ranks do with it, `scopes` of each grid of signals how far its widest signal or wait reaches.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, I64Attr:$num_pointers, I64Attr:$num_extents,
                       TypedArrayAttrBase<Tile_PeerUse, "what peers do">:$peers,
                       TypedArrayAttrBase<Tile_Scope, "scopes">:$scopes);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$sym_name attr-dict-with-keyword $body";
}

def Hip_LaunchKernelOp : Hip_Op<"launch_kernel", [HasParent<"LauncherOp">, AttrSizedOperandSegments]> {
  let summary = "`tilec::launch_kernel`, returning from the launcher on an error";
  let description = [{
    `alone`: as one workgroup, where the kernel has no tasks. `most`: as so many at most. `pairs`: as an even number of workgroups, of which
    2 n and 2 n + 1 are resident together. `beside`: as one of two kernels that are a launch together, the `aside` one in a stream of its own.
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, I64Attr:$threads, I64Attr:$shared_bytes, Variadic<AnyType>:$arguments, Optional<Hip_Context>:$beside,
                       UnitAttr:$alone, OptionalAttr<I64Attr>:$most, UnitAttr:$pairs, UnitAttr:$aside);
  let assemblyFormat = [{
    $kernel `threads` $threads `shared` $shared_bytes (`alone` $alone^)? (`most` $most^)? (`pairs` $pairs^)? (`beside` $beside^ `:` type($beside))?
    (`aside` $aside^)? `(` $arguments `)` attr-dict `:` type($arguments)
  }];
}

def Hip_SeparateRoundingOp : Hip_Op<"separate_rounding"> {
  let summary = "`#pragma clang fp contract(off)`: no product is fused with a sum";
  let description = "Stands in programs in which the result of a product is rounded by itself, as f16 is.";
  let assemblyFormat = "attr-dict";
}

def Hip_LayoutOp : Hip_Op<"layout", [Symbol]> {
  let summary = "`using Name = tilec::Layout<...>`";
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttr:$tile);
  let assemblyFormat = "$sym_name $tile attr-dict";
}

def Hip_SharedTypeOp : Hip_Op<"shared_type", [Symbol]> {
  let summary = "`using Name = tilec::Shared<...>`";
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttr:$type);
  let assemblyFormat = "$sym_name $type attr-dict";
}

// Launches and tasks.

def Hip_EnterOp : Hip_WriteOp<"enter", "tilec::enter($0)", [Hip_Enters]> {
  let arguments = (ins Hip_Context:$context);
  let results = (outs Hip_Launch:$result);
}
def Hip_EnterTasksOp : Hip_WriteOp<"enter_tasks", "tilec::enter($0, $1, /*advance=*/%advance)", [Hip_Enters]> {
  let description = [{
    In place of `hip.enter` and `hip.leave` where all workgroups draw from one queue of `tasks` tasks, and nothing is done by the last of them to leave: whoever
    draws the last ticket counts the launch, and nobody meets at the end.

        %launch = hip.enter_tasks %context, %tasks {advance = true} : (!hip.context, index) -> !hip.launch
  }];
  let arguments = (ins Hip_Context:$context, Index:$tasks, BoolAttr:$advance);
  let results = (outs Hip_Launch:$result);
}
def Hip_CountLaunchOp : Hip_WriteOp<"count_launch", "tilec::count_launch($0, /*advance=*/%advance)", [Hip_Enters]> {
  let description = [{
    In place of `hip.enter` and `hip.leave` where workgroups wait for nothing, signal nothing (they may arrive) and take their tasks by their numbers: the last
    of them to come counts the launch, and nobody meets.
  }];
  let arguments = (ins Hip_Context:$context, BoolAttr:$advance);
  let results = (outs Hip_Launch:$result);
}
def Hip_RankOp : Hip_TextOp<"rank", "$0.rank", [Pure]> {
  let arguments = (ins Hip_Context:$context);
  let results = (outs Index:$result);
}
def Hip_WorkgroupsOp : Hip_TextOp<"workgroups", "$0.workgroups", [Pure]> {
  let arguments = (ins Hip_Launch:$launch);
  let results = (outs Index:$result);
}
def Hip_LeaveOp : Hip_WriteOp<"leave", "tilec::leave($0, /*advance=*/%advance)", [HasParent<"GroupOp">]> {
  let arguments = (ins Hip_Launch:$launch, BoolAttr:$advance);
}
def Hip_TasksOp : Hip_Op<"tasks", [ParentOneOf<["RoleOp", "ByRoleOp"]>, NoTerminator, SingleBlock]> {
  let summary = "loop over the tasks that a workgroup draws from the queue of its group, or takes by its number";
  let description = [{
    Where several loops share a queue, the ticket that ended one is the first of the next. With `tickets` it is the producer that draws, and the
    waves do not meet. `numbered`: where there are no more tasks than workgroups, the number of its arrival is a workgroup's ticket, and nothing is drawn.
  }];
  let arguments = (ins Index:$end, Optional<Hip_Tickets>:$tickets, UnitAttr:$numbered);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "`below` $end (`by` $tickets^)? (`numbered` $numbered^)? attr-dict-with-keyword $body";
  let extraClassDeclaration = [{
    ::mlir::BlockArgument getTask() { return getBody().getArgument(0); }
    GroupOp getGroup() { return (*this)->getParentOfType<GroupOp>(); }
  }];
}

// Orders. `grid`: the extents once more, as the tile loop has them, over those of the program; with it `check` sees a walk of another grid.

def Hip_RemapXcdOp : Hip_TextOp<"remap_xcd", "tilec::remap_xcd($0, $1, %chiplets)", [Pure]> {
  let arguments = (ins Index:$task, Index:$tasks, I64Attr:$chiplets);
  let results = (outs Index:$result);
}
def Hip_ChunkedOp : Hip_TextOp<"chunked", "tilec::chunked($0, $1, %chiplets, %chunk)", [Pure]> {
  let arguments = (ins Index:$task, Index:$tasks, I64Attr:$chiplets, I64Attr:$chunk);
  let results = (outs Index:$result);
}
def Hip_GroupedOp : Hip_TextOp<"grouped", "tilec::grouped($0, {$1}, %height)", [Pure]> {
  let arguments = (ins Index:$task, Variadic<Index>:$extents, I64Attr:$height, OptionalAttr<AffineMapAttr>:$grid);
  let results = (outs Hip_Coordinates:$result);
}
def Hip_DiagonalOp : Hip_TextOp<"diagonal", "tilec::diagonal($0, {$1})", [Pure]> {
  let arguments = (ins Index:$task, Variadic<Index>:$extents, OptionalAttr<AffineMapAttr>:$grid);
  let results = (outs Hip_Coordinates:$result);
}
def Hip_RotateOp : Hip_TextOp<"rotate", "tilec::rotate($0, $1, $2)", [Pure]> {
  let arguments = (ins Index:$index, Index:$extent, Index:$by);
  let results = (outs Index:$result);
}
def Hip_DelinearizeOp : Hip_TextOp<"delinearize", "tilec::delinearize<%rank>($0, {$1})", [Pure]> {
  let arguments = (ins Index:$task, Variadic<Index>:$extents, I64Attr:$rank, OptionalAttr<AffineMapAttr>:$grid);
  let results = (outs Hip_Coordinates:$result);
}
def Hip_CoordinateOp : Hip_TextOp<"coordinate", "$0[%dim]", [Pure]> {
  let arguments = (ins Hip_Coordinates:$coordinates, I64Attr:$dim);
  let results = (outs Index:$result);
}

// Memory.

def Hip_AdvanceOp : Hip_Op<"advance", [Pure]> {
  let summary = "pointer + elements; those of `char` are bytes";
  let arguments = (ins Hip_Pointer:$pointer, I64:$elements);
  let results = (outs Hip_Pointer:$result);
  let assemblyFormat = "operands attr-dict `:` type($pointer) `->` type($result)";
}
def Hip_CopyOfOp : Hip_TextOp<"copy_of", "tilec::copy_of<#E>($1, $0.epoch % %copies, $2)", [Pure]> {
  let arguments = (ins Hip_Launch:$launch, Hip_Pointer:$base, I64:$bytes, I64Attr:$copies);
  let results = (outs Hip_Pointer:$result);
}
def Hip_CopyNumberOp : Hip_TextOp<"copy_number", "$0.epoch % %copies", [Pure]> {
  let arguments = (ins Hip_Launch:$launch, I64Attr:$copies);
  let results = (outs Index:$result);
}
def Hip_BufferOp : Hip_TextOp<"buffer", "tilec::copy_of<#E>($0, 0, 0)", [Pure]> {
  let arguments = (ins Hip_Pointer:$base);
  let results = (outs Hip_Pointer:$result);
}
def Hip_RemoteOp : Hip_TextOp<"remote", "tilec::remote($0, $1, $2)", [Pure]> {
  let arguments = (ins Hip_Context:$context, Hip_Pointer:$pointer, Index:$to);
  let results = (outs Hip_Pointer:$result);
}
def Hip_ViewOp : Hip_TextOp<"view", "tilec::view($0, {$1}, {$2})", [Pure, AttrSizedOperandSegments]> {
  let arguments = (ins Hip_Pointer:$pointer, Variadic<Hip_Index>:$extents, Variadic<Hip_Index>:$strides);
  let results = (outs Hip_View:$result);
}
def Hip_ViewAtOp : Hip_TextOp<"view_at", "tilec::view_at($0, {$1}, {$2}, {$3})", [Pure, AttrSizedOperandSegments]> {
  let arguments = (ins Hip_Pointer:$pointer, Variadic<Hip_Index>:$offsets, Variadic<Hip_Index>:$extents,
                       Variadic<Hip_Index>:$strides);
  let results = (outs Hip_View:$result);
}
// `packed`: the tile is all of the last dimension, a run of memory that begins where an access may, in an order that gives each register and each
// thread bits of its own. `rare`: in a loop that runs seldom, of which nothing is computed before.
class Hip_LoadOp<string mnemonic> : Hip_ReadOp<mnemonic, "tilec::" # mnemonic # "<#L, %vector>($0, {$1}$,2[packed|, tilec::packed][rare|, tilec::rare])",
                                              [AttrSizedOperandSegments, Hip_ReadsTile]> {
  let arguments = (ins Hip_View:$view, Variadic<Index>:$start, Optional<AnyType>:$outside, I64Attr:$vector, UnitAttr:$packed,
                       UnitAttr:$rare);
  let results = (outs Hip_Tile:$result);
  let hasVerifier = 1;
}
def Hip_PlainLoadOp : Hip_LoadOp<"load">;
def Hip_LoadLiveOp : Hip_LoadOp<"load_live">;
def Hip_NumberOp : Hip_ReadOp<"number", "tilec::number($0, {$1}, $2)"> {
  let description = "An element of a view, the same in all threads: 0 where there is none or it is negative, `most` where it is greater.";
  let arguments = (ins Hip_View:$view, Variadic<Index>:$start, Index:$most);
  let results = (outs Index:$result);
  let hasVerifier = 1;
}
def Hip_ClampOp : Hip_TextOp<"clamp", "tilec::clamp($0, $1)", [Pure]> {
  let description = "A number of the launch as an index: 0 where it is negative, `most` where it is greater.";
  let arguments = (ins AnyTypeOf<[I32, I64]>:$number, Index:$most);
  let results = (outs Index:$result);
}
class Hip_EachLoadOp<string mnemonic> : Hip_ReadOp<mnemonic, "tilec::" # mnemonic # "<#L, %dim, %vector>($0, {$1}, $2$,3)",
                                                  [AttrSizedOperandSegments, Hip_ReadsTile]> {
  let description = "Element i along dimension `dim` of the view is the one that `index` names; its start there is 0.";
  let arguments = (ins Hip_View:$view, Variadic<Index>:$start, Hip_Tile:$index, Optional<AnyType>:$outside, I64Attr:$dim,
                       I64Attr:$vector);
  let results = (outs Hip_Tile:$result);
  let hasVerifier = 1;
}
def Hip_GatherOp : Hip_EachLoadOp<"gather">;
def Hip_GatherLiveOp : Hip_EachLoadOp<"gather_live">;
def Hip_StoreOp : Hip_WriteOp<"store", "tilec::store<%vector>($0, $1, {$2}[packed|, tilec::packed])"> {
  let arguments = (ins Hip_Tile:$value, Hip_View:$view, Variadic<Index>:$start, I64Attr:$vector, UnitAttr:$packed);
  let hasVerifier = 1;
}
def Hip_ScatterOp : Hip_WriteOp<"scatter", "tilec::scatter<%dim, %vector>($0, $1, {$2}, $3)"> {
  let arguments = (ins Hip_Tile:$value, Hip_View:$view, Variadic<Index>:$start, Hip_Tile:$index, I64Attr:$dim,
                       I64Attr:$vector);
  let hasVerifier = 1;
}
def Hip_AtomicOp : Hip_WriteOp<"atomic", "tilec::atomic_%kind<%scope>($0, $1, {$2})"> {
  let arguments = (ins Hip_Tile:$value, Hip_View:$view, Variadic<Index>:$start, Tile_Reduction:$kind, Tile_Scope:$scope);
  let hasVerifier = 1;
}
def Hip_SharedOp : Hip_TextOp<"shared", "tilec::shared<#S>($0)", [Pure]> {
  let arguments = (ins Index:$offset);
  let results = (outs Hip_Shared:$result);
}
def Hip_SharedStoreOp : Hip_WriteOp<"shared_store", "tilec::store($1, $0[transposed|, tilec::transposed][rare|, tilec::rare])"> {
  let arguments = (ins Hip_Tile:$value, Hip_Shared:$shared, UnitAttr:$transposed, UnitAttr:$rare);
  let hasVerifier = 1;
}
def Hip_SharedLoadOp : Hip_ReadOp<"shared_load", "tilec::load<#L>($0[transposed|, tilec::transposed][rare|, tilec::rare])"> {
  let arguments = (ins Hip_Shared:$shared, UnitAttr:$transposed, UnitAttr:$rare);
  let results = (outs Hip_Tile:$result);
  let hasVerifier = 1;
}
def Hip_BarrierOp : Hip_WriteOp<"barrier", "tilec::barrier[waves|<%waves>]()", [Hip_MeetingOpInterface]> {
  let description = "Of all waves of the workgroup, or of its first `waves`.";
  let arguments = (ins OptionalAttr<I64Attr>:$waves);
}
def Hip_RearrangeOp : Hip_WriteOp<"rearrange", "tilec::rearrange<#L>($1, $0)"> {
  let arguments = (ins Hip_Tile:$operand, Hip_Shared:$scratch);
  let results = (outs Hip_Tile:$result);
  let hasVerifier = 1;
}

// Signals.

def Hip_SignalsOp : Hip_TextOp<"signals", "tilec::Signals<%rank>{$0, $1, {$2}}", [Pure]> {
  let arguments = (ins Hip_Context:$context, Hip_Index:$offset, Variadic<Index>:$extents, I64Attr:$rank);
  let results = (outs Hip_Signals:$result);
}
def Hip_WaitOp : Hip_WriteOp<"wait", "tilec::wait<%scope[participants|, %participants][waves|, tilec::first_waves<%waves>]>($0, $1, {$2}, {$3}[lag|, %lag])", [AttrSizedOperandSegments, Hip_MeetingOpInterface, Hip_Synchronizes]> {
  let arguments = (ins Hip_Launch:$launch, Hip_Signals:$signals, Variadic<Index>:$first, Variadic<Index>:$count,
                       Tile_Scope:$scope, OptionalAttr<I64Attr>:$lag, OptionalAttr<Tile_Participants>:$participants,
                       OptionalAttr<I64Attr>:$waves);
  let hasVerifier = 1;
}
// `waves`: by the first so many waves of the workgroup.
def Hip_SignalOp : Hip_WriteOp<"signal", "tilec::signal<%scope[participants|, %participants][waves|, tilec::first_waves<%waves>]>($0, $1, {$2}, $3)", [Hip_MeetingOpInterface, Hip_RaisingOpInterface, Hip_Synchronizes]> {
  let arguments = (ins Hip_Launch:$launch, Hip_Signals:$signals, Variadic<Index>:$index, Index:$to, Tile_Scope:$scope,
                       OptionalAttr<Tile_Participants>:$participants, OptionalAttr<I64Attr>:$waves);
}

// One release for several signals: `publish`, then a `set` for each. Nothing is stored between them.
def Hip_PublishOp : Hip_WriteOp<"publish", "tilec::publish<%scope[participants|, %participants][waves|, tilec::first_waves<%waves>]>()", [Hip_MeetingOpInterface, Hip_RaisingOpInterface, Hip_Synchronizes]> {
  let arguments = (ins Tile_Scope:$scope, OptionalAttr<Tile_Participants>:$participants, OptionalAttr<I64Attr>:$waves);
}
// One more in a word that the copy engine takes: a signal of this rank's own.
def Hip_CountOp : Hip_WriteOp<"count", "tilec::count<%scope[participants|, %participants][waves|, tilec::first_waves<%waves>]>($0, $1, {$2})", [Hip_MeetingOpInterface, Hip_RaisingOpInterface, Hip_Synchronizes]> {
  let arguments = (ins Hip_Launch:$launch, Hip_Signals:$signals, Variadic<Index>:$index, Tile_Scope:$scope,
                       OptionalAttr<Tile_Participants>:$participants, OptionalAttr<I64Attr>:$waves);
}
// Grids whose tasks count by chiplet: ready for the launch behind this one; a task begins, and has stored; all tasks have.
def Hip_RenewTallyOp : Hip_WriteOp<"renew_tally", "tilec::renew_tally($0, $1)"> {
  let arguments = (ins Hip_Launch:$launch, Hip_Signals:$signals);
}
def Hip_JoinTallyOp : Hip_WriteOp<"join_tally", "tilec::join_tally($0, $1)"> {
  let arguments = (ins Hip_Launch:$launch, Hip_Signals:$signals);
}
def Hip_TallyOp : Hip_WriteOp<"tally", "tilec::tally<%scope[participants|, %participants][waves|, tilec::first_waves<%waves>]>($0, $1, {$2})", [Hip_MeetingOpInterface, Hip_RaisingOpInterface, Hip_Synchronizes]> {
  let arguments = (ins Hip_Launch:$launch, Hip_Signals:$signals, Variadic<Index>:$index, Tile_Scope:$scope,
                       OptionalAttr<Tile_Participants>:$participants, OptionalAttr<I64Attr>:$waves);
}
def Hip_WaitTallyOp : Hip_WriteOp<"wait_tally", "tilec::wait_tally<%scope[participants|, %participants][waves|, tilec::first_waves<%waves>]>($0, $1, {$2})", [Hip_MeetingOpInterface, Hip_Synchronizes]> {
  let arguments = (ins Hip_Launch:$launch, Hip_Signals:$signals, Variadic<Index>:$count, Tile_Scope:$scope,
                       OptionalAttr<Tile_Participants>:$participants, OptionalAttr<I64Attr>:$waves);
}
def Hip_SetOp : Hip_WriteOp<"set", "tilec::set<%scope[participants|, %participants]>($0, $1, {$2}, $3)", [Hip_RaisingOpInterface, Hip_Synchronizes]> {
  let arguments = (ins Hip_Launch:$launch, Hip_Signals:$signals, Variadic<Index>:$index, Index:$to, Tile_Scope:$scope,
                       OptionalAttr<Tile_Participants>:$participants);
  let hasVerifier = 1;
}

// Tiles whose words show that they have come: nobody raises the signal that names them.
def Hip_PostOp : Hip_WriteOp<"post", "tilec::post<%vector>($0, {$1}, $3, $4, {$5})", [AttrSizedOperandSegments, Hip_Synchronizes, Hip_CarriesFlags]> {
  let arguments = (ins Hip_Signals:$signals, Variadic<Index>:$index, Index:$to, Hip_Tile:$value, Hip_View:$view,
                       Variadic<Index>:$start, I64Attr:$vector);
  let hasVerifier = 1;
}
def Hip_ReceiveOp : Hip_WriteOp<"receive", "tilec::receive<#L, %vector>($0, $1, $2, {$3}, $4, {$5})", [AttrSizedOperandSegments, Hip_Synchronizes, Hip_CarriesFlags]> {
  let arguments = (ins Hip_Launch:$launch, Hip_Signals:$signals, Index:$source, Variadic<Index>:$index, Hip_View:$view,
                       Variadic<Index>:$start, I64Attr:$vector);
  let results = (outs Hip_Tile:$result);
  let hasVerifier = 1;
}
def Hip_ReceiveOthersOp : Hip_WriteOp<"receive_others", "tilec::receive_others<%world, #L, %vector>($0, $1, $2, {$3}, $4, {$5})", [AttrSizedOperandSegments, Hip_Synchronizes, Hip_CarriesFlags]> {
  let arguments = (ins Hip_Launch:$launch, Hip_Signals:$signals, Index:$rank, Variadic<Index>:$index, Hip_View:$view,
                       Variadic<Index>:$start, I64Attr:$world, I64Attr:$vector);
  let results = (outs Hip_Tiles:$result);
  let hasVerifier = 1;
}
def Hip_ReceiveAllOp : Hip_WriteOp<"receive_all", "tilec::receive_all<%world, %vector>($0, $1, $2, {$3}, $4, $5, {$6})", [AttrSizedOperandSegments, Hip_Synchronizes, Hip_CarriesFlags]> {
  let arguments = (ins Hip_Launch:$launch, Hip_Signals:$signals, Index:$rank, Variadic<Index>:$index, Hip_Tile:$own,
                       Hip_View:$view, Variadic<Index>:$start, I64Attr:$world, I64Attr:$vector);
  let results = (outs Hip_Tiles:$result);
  let hasVerifier = 1;
}
def Hip_TileOfOp : Hip_TextOp<"tile_of", "$0[%number]", [Pure]> {
  let arguments = (ins Hip_Tiles:$tiles, I64Attr:$number);
  let results = (outs Hip_Tile:$result);
  let hasVerifier = 1;
}

// Counts a task; true in all threads of the workgroup that comes last of `count`.
def Hip_ArriveOp : Hip_WriteOp<"arrive", "tilec::arrive<%scope[participants|, %participants][waves|, tilec::first_waves<%waves>]>($0, $1, {$2}, $3)", [Hip_MeetingOpInterface, Hip_RaisingOpInterface]> {
  let arguments = (ins Hip_Launch:$launch, Hip_Signals:$signals, Variadic<Index>:$index, Index:$count, Tile_Scope:$scope,
                       OptionalAttr<Tile_Participants>:$participants, OptionalAttr<I64Attr>:$waves);
  let results = (outs I1:$result);
}

// Tiles.

def Hip_SplatOp : Hip_TextOp<"splat", "tilec::splat<#T, #L>($0)", [Pure]> {
  let arguments = (ins AnyType:$value);
  let results = (outs Hip_Tile:$result);
  let hasVerifier = 1;
}
def Hip_IotaOp : Hip_TextOp<"iota", "tilec::iota<#T, #L, %dim>()", [Pure]> {
  let arguments = (ins I64Attr:$dim);
  let results = (outs Hip_Tile:$result);
  let hasVerifier = 1;
}
def Hip_MmaOp : Hip_TextOp<"mma", "tilec::mma<tilec::%instruction<#E0>[lhs_transposed|, tilec::transposed_a[transposed| + tilec::transposed_b]|[transposed|, tilec::transposed_b]]>($0, $1, $2)", [Pure]> {
  let arguments = (ins Hip_Tile:$a, Hip_Tile:$b, Hip_Tile:$acc, StrAttr:$instruction, UnitAttr:$transposed, UnitAttr:$lhs_transposed);
  let results = (outs Hip_Tile:$result);
  let hasVerifier = 1;
}
def Hip_DotOp : Hip_TextOp<"dot", "tilec::dot[lhs_transposed|<tilec::transposed_a[transposed| + tilec::transposed_b]>|[transposed|<tilec::transposed_b>]]($0, $1, $2)", [Pure]> {
  let arguments = (ins Hip_Tile:$a, Hip_Tile:$b, Hip_Tile:$acc, UnitAttr:$transposed, UnitAttr:$lhs_transposed);
  let results = (outs Hip_Tile:$result);
  let hasVerifier = 1;
}
def Hip_ReduceOp : Hip_TextOp<"reduce", "tilec::reduce<%dim, tilec::%kind, #L>($0$,1)"> {
  let arguments = (ins Hip_Tile:$operand, Optional<Hip_Shared>:$scratch, I64Attr:$dim, Tile_Reduction:$kind);
  let results = (outs Hip_Tile:$result);
  let hasVerifier = 1;
}
def Hip_ScanOp : Hip_TextOp<"scan", "tilec::scan<%dim, tilec::%kind[exclusive|, tilec::exclusive]>($0$,1)"> {
  let arguments = (ins Hip_Tile:$operand, Optional<Hip_Shared>:$scratch, I64Attr:$dim, Tile_Reduction:$kind, UnitAttr:$exclusive);
  let results = (outs Hip_Tile:$result);
  let hasVerifier = 1;
}
def Hip_BroadcastOp : Hip_TextOp<"broadcast", "tilec::broadcast<#L[dims|, %dims]>($0)", [Pure]> {
  let arguments = (ins Hip_Tile:$operand, DenseI64ArrayAttr:$dims);
  let results = (outs Hip_Tile:$result);
  let hasVerifier = 1;
}
def Hip_ElementwiseOp : Hip_Op<"elementwise", [RecursiveMemoryEffects]> {
  let summary = "`for (int i = 0; i < Layout::registers; ++i) out[i] = ...`";
  let description = [{
    The region computes one element from those of the operands; it may use scalars from outside. The layouts of operands and
    result have the same registers: a transposition or a reshape that only renames them is one of these too.
  }];
  let arguments = (ins Variadic<Hip_Tile>:$operands);
  let results = (outs Hip_Tile:$result);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "operands attr-dict-with-keyword `:` functional-type(operands, results) $body";
  let hasVerifier = 1;
}
def Hip_YieldOp : Hip_Op<"yield", [Pure, Terminator, HasParent<"ElementwiseOp">]> {
  let summary = "the element";
  let arguments = (ins AnyType:$value);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}
def Hip_CopyOp : Hip_Op<"copy", [MemoryEffects<[MemRead]>]> {
  let summary = "`auto copy = value`: a variable of its own for a value that another name still holds";
  let arguments = (ins AnyType:$value);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `->` type($result)";
}

#endif
