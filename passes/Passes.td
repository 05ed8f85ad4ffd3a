// The passes, in pipeline order (Pipeline.cpp holds the order itself).
#ifndef TILEC_PASSES
#define TILEC_PASSES

include "mlir/Pass/PassBase.td"

class Tile_Pass<string noun> : Pass<"tile-" # noun, "::tilec::tile::ProgramOp"> {
  let dependentDialects = ["::tilec::tile::TileDialect"];
}

def Tile_TargetOption : Option<"target", "target", "std::string", "\"\"",
                                 "name of a target or path of its file; empty takes the program's, else gfx942">;

def Specialize : Tile_Pass<"specialize"> {
  let summary = "bind the world, the extents that are given and the tile parameters";
  let description = [{
    Replaces `tile.world_size` and `W` by the world, given extents by constants, parameters by their values, and makes
    tile types static. The program's attribute `parameters` records the values. Where neither the program nor an option gives a
    tile size of a product, the cost model chooses the cheapest for the target; it takes 2048 for extents that are not given. A loop
    in a task that multiplies nothing, addresses no other rank and has one iteration becomes its body.

    Before: `%t = tile.load %a[%m, %k] tile [@BM, 64] : memref<?x64xf32> -> tensor<?x64xf32>`
    After `parameters=BM=128`: `%t = tile.load %a[%m, %k] tile [128, 64] : memref<?x64xf32> -> tensor<128x64xf32>`
  }];
  let options = [
    Option<"world", "world", "int64_t", "0", "number of ranks; 0 takes the program's">,
    ListOption<"extents", "extents", "tilec::Binding", "NAME=VALUE: extents fixed at compile time">,
    ListOption<"parameters", "parameters", "tilec::Binding", "NAME=VALUE: values of parameters">,
    Tile_TargetOption,
  ];
}

def Choose : Tile_Pass<"choose"> {
  let summary = "choose the overlap pattern, the granularity of waits and the order of tasks";
  let description = [{
    Sets `pattern`, `granularity` and `order` of the program, and the `schedule` of each product: from the options, else as its author
    wrote them, else what the cost model predicts to take least time on the target, for extents of 2048 where they are not fixed. Each candidate is a copy of the program,
    compiled as far as `waits`; a pattern whose kernels alone take longer than the best so far is not followed to its waits.
    Where every pattern is refused none is set, and the stages say why.

    Before: `tile.program @gather(..) {`
    After: `tile.program @gather(..) attributes {granularity = #tile.granularity<task>, order = #tile.order<auto>,
    pattern = #tile.pattern<sequential, push>} {`
  }];
  let options = [
    Option<"pattern", "pattern", "std::string", "\"\"", "overlap pattern, as in specialized-push; empty chooses">,
    Option<"granularity", "granularity", "std::string", "\"\"",
           "what one wait covers: tile, group-<n>, shard, task or statement; empty chooses">,
    Option<"order", "order", "std::string", "\"\"",
           "order of tasks: auto, none, remap, chunked, grouped, diagonal, rank-first or head-first, with a size as in grouped-8, or several, as in remap+grouped-8; empty takes the program's, else auto">,
    Tile_TargetOption,
  ];
  let statistics = [
    Statistic<"weighed", "weighed", "candidates compiled as far as their waits">,
    Statistic<"pruned", "pruned", "patterns whose kernels alone took longer than the best">,
  ];
}

def Expand : Tile_Pass<"expand"> {
  let summary = "collectives and matmul become tile loops with loads and stores on other ranks";
  let description = [{
    The pattern says who moves remote data (its reader: pull; its writer: push, or its device's copy engine; a copy into local memory: staged) and whether an all-reduce
    takes one step or two. It also says whether grids follow the shards of the ranks, so that `fuse` finds one owner for each tile.

    Before: `tile.all_gather %a into %full dim 0`
    After, for push in a world of 4: `tile.forall (%peer, %m, %k) in [4, ..] { %t = tile.load %a[%m, %k] ..; tile.store %t, %block[%m, %k] to %peer }`
  }];
  let statistics = [Statistic<"statements", "statements", "number of statements expanded">];
}

def Fuse : Tile_Pass<"fuse"> {
  let summary = "statements join into kernels, by the overlap pattern";
  let description = [{
    Under `bulk` each statement becomes a kernel. Under `sequential` all statements join in one kernel, and a copy that follows a
    computation disappears: the computation stores its tiles where the copy would put them, straight from registers. Under `pull` a copy
    that precedes a computation disappears likewise: the computation loads from where the copy would. Under `specialized` copies run in workgroups of their own.

    Under `sequential`, on targets whose copy engine feeds products, tasks that multiply may also add: the tasks that multiply the owner's part
    add what the other ranks have stored to its slots, where the slots hold narrower elements than the sums. Where every rank adds the slots of
    all ranks, and each unit has one task at most, the tasks of each rank do this, with their own part in the place of this rank's slot. They
    add in the order of the ranks, so that all ranks get the same sums.

    Before: `tile.forall (..) { .. tile.store %t, %part[..] }  tile.forall (%r, ..) { %t = tile.load %part[..]; tile.store %t, %c[..] to %r }`
    After `sequential`: `tile.kernel @k { tile.role @multiply { tile.forall (..) { .. scf.for %ahead .. { tile.store %t, %c[..] to %peer } } } }`
  }];
  let options = [
    Option<"communication", "communication", "int64_t", "8", "workgroups of a communication role">,
    Option<"target", "target", "std::string", "\"\"",
           "target whose copy engine leaves waves the registers to add what peers send to what they multiply; empty takes the program's">,
  ];
  let statistics = [
    Statistic<"sunk", "sunk", "copies fused into their producer">,
    Statistic<"forwarded", "forwarded", "copies fused into their consumers">,
    Statistic<"ownerSums", "owner sums", "sums made by the tasks that multiply the owner's part">,
    Statistic<"eachSums", "sums on each rank", "sums made on each rank by the tasks that multiply its part">,
    Statistic<"kernels", "kernels", "kernels made">,
  ];
}

def Waits : Tile_Pass<"waits"> {
  let summary = "barriers between statements become per-tile signals and waits";
  let description = [{
    An access depends on the tasks that wrote the same elements before, possibly in another workgroup or on another rank. The pass finds these tasks by inverting
    the footprint of their stores, and makes the access wait for them, or for a superset of them (safe, because every task signals in every launch). A task
    signals once, when it is complete. The signals are stored in the memory of the rank that waits. A wait has scope `system` where the signal comes from another rank, else `agent`.
    Under the `bulk` pattern one barrier over all ranks replaces all of this.

    Arguments belong to the application between launches. Where peers touch them, each rank signals `entered` when its launch begins, and the launch
    ends only after a signal `done` of every such peer. `entered` is omitted where an earlier wait already implies that every peer has begun this
    launch: a wait for a signal of each rank, directly or through a task that waited for one.

    Scratch that peers write must be free before they write it in the next launch. It has one copy where a wait for signals of all ranks implies that,
    else two copies, used in turn. Where a launch waits for no such signals, a reader returns a credit, and a writer waits for it. Assumes that extents are at least 1.

    A task that reads in a loop waits once before the loop (granularity `task`), or in the loop, together with the loads: for
    each tile of the producer (`tile`), for n of them (`group-n`; a copy then moves n tiles in one task and signals once, and takes fewer rows at a time where each workgroup
    of the target sends a part) or
    for what one rank has produced (`shard`). The loads between two waits use the token of the first.

    A kernel that already has signals or waits was written by hand and is left alone.

    A task of the copy engine moves all tiles of a row and signals once. What the engine would wait for, and the role that begins the launch, become a kernel before its own, the
    gate; and a launch ends when what the engines of other ranks copy to its arguments has come. Scratch then has one copy: an engine is told of places when a launch is captured.

    After `granularity=tile`, where four iterations read one tile of the producer:
        scf.for %k = .. iter_args(%ready = %none) {
          %start = arith.cmpi eq, %k mod 4, %zero
          %token = scf.if %start { scf.yield (tile.wait system %sent[%m, %k / 4]) } else { scf.yield %ready }
          %t = tile.load %full[%m, %k] .. after %token
          scf.yield %token
        }
  }];
  let options = [
    Option<"target", "target", "std::string", "\"\"", "target whose workgroups send; empty takes the program's">,
  ];
  let statistics = [
    Statistic<"inserted", "inserted", "waits inserted">,
    Statistic<"coarse", "coarse", "copies whose tasks move several tiles, for one signal; all that are a copy engine's">,
    Statistic<"inLoops", "in-loops", "waits in a loop, with the loads that they protect">,
    Statistic<"merged", "merged", "waits that another wait makes redundant">,
    Statistic<"barriers", "barriers", "accesses ordered by a barrier">,
    Statistic<"credits", "credits", "programs that need credits">,
  ];
}

def Arrivals : Tile_Pass<"arrivals"> {
  let summary = "tasks that wait for several tasks of their rank are done by whichever of these comes last";
  let description = [{
    A role whose tasks wait for nothing but a fixed box of tasks of an earlier role of the same workgroups, and multiply nothing, needs no tasks of
    its own: the tasks of the box increment one counter, and the last of them does the work. Nobody polls, and nobody draws a task to find
    that it has to wait. The parts of a split depth are added up this way, and the results of a split context are merged this way.

    Each dimension of the awaited grid is either one index of the waiting task, or whole; each index of the task is one of these, with the same bound.

    Before: `tile.forall (%p, %m) in [4, %M] { ..; tile.signal agent %done[%p, %m] }  tile.forall (%m) in [%M] { tile.wait agent %done[%zero, %m]
    count [%four, %one]; .. }`
    After: `tile.forall (%p, %m) in [4, %M] { ..; %last, %t = tile.arrive %done[%m] of %four; scf.if %last { .. } }`
  }];
  let statistics = [Statistic<"merged", "merged", "roles whose tasks are done by the last of those that they waited for">];
}

def Tally : Tile_Pass<"tally"> {
  let summary = "tasks that others wait for as a whole count by chiplet, and release together";
  let description = [{
    With granularity `statement`, on a target with chiplets: where each task of a role raises one signal of this rank, and nobody waits for it but tasks of later roles,
    each wait becomes one for all of these signals, and the grid `by_chiplet`. The stores of a task need then not leave its chiplet's cache one task at a time: the task counts
    there, and the last one of those that have begun on its chiplet writes back for all of them, and tells how many they were. A chiplet releases once, mostly, in place
    of once for each task; who waits looks at one word. What the wait was for before is part of all, and a task of a later role waits for no task of its own.

    Before: `%done = tile.signals [%M] ..; tile.wait agent %done[%m] count [%two]`
    After: `%done = tile.signals [%M] by_chiplet ..; tile.wait agent %done[%zero] count [%M]`
  }];
  let options = [Tile_TargetOption];
  let statistics = [
    Statistic<"counted", "counted", "grids whose tasks count by chiplet">,
    Statistic<"widened", "widened", "waits that were for a part of them">,
  ];
}

def Order : Tile_Pass<"order"> {
  let summary = "each tile loop gets an order of its tasks";
  let description = [{
    An order is a list of steps, each a bijection of the tasks by construction. `auto` visits the tiles of a product in windows of a few rows, and
    starts a loop over peers at this rank. The number of chiplets comes from the target. A loop that has an order keeps it.

    Before: `tile.forall (%m, %n) in [..] { .. tile.dot .. }`
    After: `tile.forall (%m, %n) in [..] order [#tile.grouped<4>] { .. tile.dot .. }`
  }];
  let options = [
    Option<"target", "target", "std::string", "\"\"", "target whose chiplets to deal tasks to; empty takes the program's">,
  ];
  let statistics = [Statistic<"ordered", "ordered", "loops whose tasks are reordered">];
}

def Verify : Tile_Pass<"verify"> {
  let summary = "prove the kernel form free of races, deadlocks and indices out of bounds";
  let description = [{
    Runs every task of every role on every rank, for two launches more than the largest number of copies of a buffer. Only signals,
    waits, kernels and launches order the accesses of different tasks (docs/verify.md). Shares no code with `waits` that judges: what both use to read
    an index decides which extents are sampled (passes/checker/README.md).
    Samples the extents that are not fixed, and notes those that must not be 0. Changes only attributes: `verified` of the program, `progress` and
    `resident` of its kernels.
  }];
  let options = [
    ListOption<"extents", "extents", "std::string",
               "NAME=VALUE/NAME=VALUE: one sample of the extents each; without any, combinations of 1, 40, 128 and 200, or of smaller ones">,
    Option<"residentWorkgroups", "resident-workgroups", "int64_t", "0",
           "how many workgroups of a kernel can be resident at once; 0 takes what the target can hold, if one is given">,
    Option<"target", "target", "std::string", "\"\"",
           "name of a target or path of its file, for how many workgroups can be resident; empty when not known">,
    Option<"maxErrors", "max-errors", "unsigned", "5", "errors that are reported in full">,
    Option<"explainLimits", "explain-limits", "bool", "false",
           "warn where nothing is claimed beyond the samples of a program whose waits are derived, and say why">,
    Option<"budget", "budget", "uint64_t", "100000000",
           "accesses of a launch, over all ranks, up to which extents are checked; beyond it, or a million tasks, a warning says that they are not">,
  ];
  let statistics = [
    Statistic<"accesses", "accesses", "accesses checked">,
    Statistic<"waits", "waits", "waits of one launch, over all samples">,
    Statistic<"signals", "signals", "signals of one launch, over all samples">,
    Statistic<"cells", "cells", "cells that buffers were refined into">,
    Statistic<"launches", "launches", "launches executed">,
  ];
}

def Merge : Tile_Pass<"merge"> {
  let summary = "roles that multiply the same way become one loop over tasks";
  let description = [{
    A role whose tasks serve the other ranks, and one that multiplies this rank's part of the same product and then does something else with it
    (what `fuse` makes of a product whose owners add), become one loop over tasks: the product once, then a branch. This rank's tasks are the last of
    the first role's order, and do nothing there, so that all tasks stay in the order that `verify` has seen.

    The same holds for a sum of one shot: one role multiplies and sends, another multiplies the same again, waits for the signals of tasks with
    its own indices on other ranks, and adds. They become one loop: the product once, then the stores and the signal, then the wait. Each task
    signals before it waits, and tasks are drawn in order, so the earliest task without its signal is never held up, and no wait lasts for ever.

    Before: `tile.forall (%r, %m, %n) { scf.if %r != %rank { product of %r; A } }  tile.forall (%m, %n) { product of %rank; B }`
    After: `tile.forall (%r, %m, %n) { product of %r; scf.if %r != %rank { A } else { B } }`
  }];
  let statistics = [Statistic<"merged", "merged", "roles that joined the one before">];
}

def Partition : Tile_Pass<"partition"> {
  let summary = "choose how many waves run each kernel";
  let description = [{
    A kernel gets 256 threads, which are four waves of 64 lanes or eight of 32. It gets twice as many, repeatedly, while the largest accumulator
    of a dot needs more than 128 registers a thread, and fewer when it only moves tiles that are too small for them. A kernel that has
    `waves` keeps them, and kernels with products have the waves and the dealing that the schedules of these name (`#tile.schedule`). In a kernel of one wave,
    waits, signals and arrivals become `by wave`: there is no other wave to synchronise with. Records the target in the program.

    Roles of the copy engine become a kernel of their own (`engine`) before the one that they run beside, and their loads and stores `tile.move`s, which no thread takes part in.

    Before: `tile.kernel @matmul { ... }`
    After: `tile.kernel @matmul attributes {waves = 4 : i64} { ... }`
  }];
  let options = [
    Tile_TargetOption,
    Option<"waves", "waves", "int64_t", "0", "waves of every kernel; 0 chooses">,
  ];
  let statistics = [Statistic<"numKernels", "kernels", "kernels partitioned">];
}

def Layout : Tile_Pass<"layout"> {
  let summary = "give every tile value of a kernel a layout over registers, lanes and waves";
  let description = [{
    Values connected by elementwise operations, loops and branches share a layout. Accumulators of dots take the layout of the matrix
    instruction and wave grid that need the fewest cycles, then the fewest reads from LDS. Other values get a blocked layout, with
    vectors of up to 16 bytes. Where two layouts differ, a `tile.convert` is inserted, mostly at the operands of dots.
    Loads and stores connected to an accumulator keep its layout while that gives at least 8 bytes a lane. Narrower ones of two
    or more dimensions are converted where a blocked layout is wider.

    Before: `%t = tile.load %a[%m, %k] tile [64, 32] : memref<?x?xbf16> -> tensor<64x32xbf16>`
    After: `... -> tensor<64x32xbf16, #tile.layout<registers = [..], lanes = [..], waves = [..]>>`
  }];
  let options = [Tile_TargetOption];
  let statistics = [Statistic<"numConverts", "converts", "converts inserted">];
}

def Pack : Tile_Pass<"pack"> {
  let summary = "let scratch lie in the order of registers";
  let description = [{
    Scratch whose accesses all move tiles of one grid, held in one layout where they are made and where they are used, need not lie in rows. It becomes a grid
    of such tiles, each a run of memory in the order of registers: as many as make 16 bytes, then lanes, waves and the other registers. So no
    tile is transposed in LDS, and each access of a wave moves one run. This is done only where it saves a `tile.convert` or makes accesses wider.
    A packed tile at the edge also moves the elements that lie outside of the buffer, so scratch is packed only where no tile reaches beyond it, or
    where all that is made of such tiles is stored within the same bounds.

    Before:
        %wide = tile.convert %sums : tensor<128x256xbf16, #sums> -> tensor<128x256xbf16, #rows>
        tile.store %wide, %slots[%m, %n] to %r : tensor<128x256xbf16, #rows>, memref<2048x8192xbf16, #tile.symmetric>
    After:
        %run = tile.relabel %sums : tensor<128x256xbf16, #sums> -> tensor<32768xbf16, #packed>
        tile.store %run, %slots[%m, %n, %zero] to %r : tensor<32768xbf16, #packed>, memref<16x32x32768xbf16, #tile.symmetric>
  }];
  let statistics = [Statistic<"numBuffers", "buffers", "buffers that are packed">];
}

def Send : Tile_Pass<"send"> {
  let summary = "what tasks store to other ranks lies at home first, and the copy engine sends it";
  let description = [{
    In pattern `sequential-copy-engine`: of a product whose tasks store parts of a sum to the ranks that own them. Who multiplies would hold what it has stored until a link has
    taken it. So tasks store to scratch at home, laid out as the slots of the receiver, and count themselves; the engine's tasks take the counts of a piece of about 8 MB (of more, where an engine would be asked for too much),
    in the order in which tasks make the pieces, move it, and signal once for all of it. Owners wait for pieces instead of tiles.

    Before:
        %stored = tile.store %part, %mine[%m, %n, %zero] to %shard
        tile.signal system %arrived[%rank, %m, %n] to %shard publishes %stored
    After:
        %stored = tile.store %part, %home[%m, %n, %zero]
        tile.signal system %counts[%shard, %i, %j] to %rank publishes %stored
    and beside the kernel, in a task of the engine for each rank and piece:
        %made = tile.take_counted %counts[%peer, %i, %j] of %tasks
        %moved = tile.move %home -> %slots[%i, %j, %zero] tile [16, 8, 32768] parts %one to %peer after %made
        tile.signal system by wave %arrived[%rank, %i, %j] to %peer publishes %moved

    What tasks store to all ranks, and nobody waits for tile by tile, goes the same way: they store it at home alone, the engine sends a piece of about 4 MB to each of the others, and
    signals once for all pieces that lie beside each other. The last workgroup waits for what the others send.

    Before:
        scf.for %ahead = %one to %all step %one {
          tile.store %out, %part[%m, %n] to %peer
        }
    After:
        %stored = tile.store %out, %part[%m, %n]
        tile.signal system %counts[%i, %j] to %rank publishes %stored
    and in a task of the engine for each row of pieces, for one piece after the other:
        %made = tile.take_counted %counts[%i, %j] of %tasks
        scf.for %ahead = %one to %world step %one {
          %moved = tile.move %part -> %part[%i, %j] tile [2048, 1024] parts %one to %peer after %made
        }
  }];
  let statistics = [Statistic<"numBuffers", "num-buffers", "Buffers whose tiles the copy engine sends">];
}

def Post : Tile_Pass<"post"> {
  let summary = "partial sums are their own arrival flags, instead of signals";
  let description = [{
    Where each workgroup has one task at most, nothing else runs while a signal is published, travels and is seen. Slots into which tasks of other
    ranks store a tile, and from which a task of this rank adds what each of the others has stored, do without: the receiver polls the data.
    A word of memory that is not 0 has arrived (a sum of 0 travels as -0.0), and the receiver stores 0 there for a later launch. The buffer becomes persistent, since it must
    begin as zeros. The grids of signals stay, as names for reports. Tiles of all other ranks are awaited together, since each costs a round trip
    to memory, unless a thread has no registers for them.

    Done on targets of one chiplet, for all-reduces whose sums are added in the loop of their product (`merge`): of two shots, and of one shot, whose slots have
    two copies, so that no tile arrives before the receiver has taken that of the launch before. Slots of a reduce-scatter, and sums in a role of their own, keep their signals.

    Before:
        %stored = tile.store %sums, %mine[%m, %n, %zero] to %shard
        tile.signal system %arrived[%rank, %m, %n] to %shard publishes %stored
        ...
        %there = tile.wait system %arrived[%source, %m, %n]
        %t = tile.load %theirs[%m, %n, %zero] tile [1024] after %there
    After:
        tile.post %sums, %mine[%m, %n, %zero] to %shard as %arrived[%rank, %m, %n]
        ...
        %t = tile.receive %slots[%source, %m, %n, %zero] as %arrived[%m, %n]
  }];
  let options = [Tile_TargetOption];
  let statistics = [Statistic<"numBuffers", "buffers", "buffers whose data are their own arrival flags">];
}

def Stage : Tile_Pass<"stage"> {
  let summary = "send layout changes through LDS";
  let description = [{
    A `tile.convert` that moves elements between threads, or that needs another register in each thread, becomes a buffer, a
    store, a barrier and a load; converts whose operands are ready together share their barriers, unless their buffers do not
    fit LDS beside each other. The swizzle is the one with the fewest bank conflicts, by computation. A barrier stands before
    the stores too, because the bytes may have been read before. A convert that renames registers, alike in all threads, stays.
    A reduction over several waves gets a scratch buffer. Where all reductions of a kernel stay within waves, and its waves meet nowhere, tasks are
    dealt out by number (`strided`) on targets that gain by it (`strided_rows`), since drawing a task takes two barriers. Loads that stand behind a
    reduction and depend on nothing of it move to the first loads of their block, as far as registers allow: the text keeps the order of loads.

    Before: `%o = tile.convert %t : tensor<64x32xbf16, #blocked> -> tensor<64x32xbf16, #operand>`
    After:
        %s = tile.shared_buffer : memref<64x32xbf16, #tile.shared<8, 2, 4>>
        tile.barrier
        tile.shared_store %t, %s : tensor<64x32xbf16, #blocked>, memref<64x32xbf16, #tile.shared<8, 2, 4>>
        tile.barrier
        %o = tile.shared_load %s : memref<64x32xbf16, #tile.shared<8, 2, 4>> -> tensor<64x32xbf16, #operand>
  }];
  let options = [Tile_TargetOption];
  let statistics = [
    Statistic<"numBuffers", "buffers", "buffers in LDS">,
    Statistic<"numBarriers", "barriers", "barriers inserted">,
    Statistic<"numConflicts", "conflicts", "cycles lost to bank conflicts, each access counted once">,
    Statistic<"numEarly", "early", "loads moved before a reduction">,
  ];
}

include "passes/LoopPasses.td"

def Allocate : Tile_Pass<"allocate"> {
  let summary = "give buffers in LDS their offsets";
  let description = [{
    Buffers that are never live together may share bytes. Offsets are multiples of 128, and of 1024 for what a copy engine fills. No byte is kept
    from the kernel, but the device library writes to the first 16 (`broadcast_lds`) when a workgroup is told its launch or its task. So a buffer
    that a task uses before its threads have met, and all that is kept from task to task, lies behind them. Words by which producers and consumers
    tell each other what is full, empty or to be signalled come next. Sets the kernel's `shared_bytes`; reports a kernel that needs more than the target has.

    Before: `%s = tile.shared_buffer : memref<64x32xbf16, #tile.shared<8, 2, 4>>`
    After: `%s = tile.shared_buffer at 0 : memref<64x32xbf16, #tile.shared<8, 2, 4>>`
  }];
  let options = [Tile_TargetOption];
  let statistics = [Statistic<"numBytes", "bytes", "bytes of LDS, summed over the kernels">];
}

def Lower : Tile_Pass<"lower"> {
  let summary = "kernels in kernel form become operations of the exit dialect, and a launcher";
  let description = [{
    Each `tile.kernel` becomes a `hip.kernel` whose arguments are the context, the program's buffers, the workspace, extents and
    their largest values. Scalars of the program's body are computed again at the kernel's entry. Each group of workgroups draws tasks from a
    queue of its own. A workgroup that finds its queue empty goes on to the next group, so that a single resident workgroup can do all the work.
    Where all workgroups draw from one queue in one loop, and the last of them to leave would do nothing else, whoever draws the last ticket counts the launch.
    Tokens disappear. `tile.alloc` and `tile.signals` stay as declarations for the manifest.

    A kernel with `dealing = #tile<dealing strided>` deals tasks out by worker number instead of tickets: right only when
    no task waits for another of its kernel.

    A kernel of the copy engine becomes a `hip.engine`, a function of the host that asks for copies and signals. The launcher calls it beside the next kernel, behind one that
    writes the word with which the engine signals.

    Before: `%t = tile.load %a[%m, %n] tile [64, 64] : memref<?x256xf32> -> tensor<64x64xf32, #tile.layout<...>>`
    After: `%t = hip.load %view, %row, %col {vector = 4 : i64} : ... -> tensor<64x64xf32, #tile.layout<...>>`
  }];
  let options = [Tile_TargetOption];
  let dependentDialects = ["::tilec::hip::HipDialect"];
}

def Trace : Tile_Pass<"trace"> {
  let summary = "kernels record their tasks, waits and signals";
  let description = [{
    Runs with `--trace` alone. Puts `hip.task_begins` and `hip.task_ends` around what a role does in a task, `hip.wait_begins` and
    `hip.wait_ends` around each wait, and `hip.signalling` before each signal. One lane of the first wave writes the records, and one of the
    first wave that produces, where there is one. docs/trace.md says what becomes of them.

    Before: `hip.wait %launch, %arrived, %i, %one {scope = #tile<scope system>} : ..`
    After: the same between `hip.wait_begins %trace, %arrived, %i, %one : ..` and `hip.wait_ends %trace : ..`
  }];
  let dependentDialects = ["::tilec::hip::HipDialect"];
}

def PrepareHip : Tile_Pass<"prepare"> {
  let summary = "last decisions before printing: names, what is printed in place, which variables are assigned";
  let description = [{
    Afterwards an operation with a `hip.name` is a statement that declares (or, with `hip.assign`, assigns) that variable, and a pure
    one without a name is printed where it is used. A value that a loop carries shares one variable with its initial value and its
    update, unless another use still needs one of them; then a `hip.copy` is inserted.
  }];
  let dependentDialects = ["::tilec::hip::HipDialect"];
}

def Check : Tile_Pass<"check"> {
  let summary = "check what is printed: LDS against barriers, and the proof of `verify` once more";
  let description = [{
    The last pass: nothing changes the program between it and the text. Executes each kernel abstractly over all paths, iterations of
    loops and sequences of tasks. Reports loads and stores of the same bytes of LDS that no barrier separates, loads of bytes
    that another tile has overwritten or that nothing has stored, and bytes outside of the kernel's LDS. Of rings also reports slots that are
    read before they are filled, or again before they are filled again, and registers (`hip.hold`) that are used before something fills them,
    filled again before something uses them, or filled by an access among the products that use them. Runs rings with numbers, for extents of up to
    twice their slots and one more: each product must multiply the tiles of the step behind those that its sum has, up to where the rest begins, in the
    first 4096 iterations of a task.

    Then compiles the kernels to the form that `verify` runs, in the order of the text: an access comes after the waits before it, a signal
    publishes the stores before it. Repeats, for the first `samples` that `verify` noted and the one in which each extent is longest, its search for races,
    deadlock, scopes that are too narrow and scratch that nothing writes. Two accesses of one task to the same elements, one of them a store, need a
    barrier of the workgroup between them, unless both move the same tile in the same layout, so that one thread makes both.
    Fetches must stay in the columns of their views; where a program fetches, extents of 1 to `slots` + 1 steps are tried too.
    Addresses, strides and grids must be those of the program's declarations. Memory that others write must be read by
    `hip.load_live`. The last workgroup must release at the scope at which it signals, and leave,
    unless the launch is counted by its last ticket, or as it begins. Tiles
    must be dealt to waves of the target's size, and operands of a product must lie as a matrix instruction of the target has them. Changes nothing.

    Before, and after: `hip.shared_store ..`, `hip.barrier`, `hip.shared_load ..`. Without the barrier: an error.
  }];
  let options = [
    Tile_TargetOption,
    Option<"maxErrors", "max-errors", "unsigned", "4", "errors of the protocol shown in full">,
    Option<"samples", "samples", "unsigned", "2", "how many of the samples of `verify` are tried again">,
    Option<"protocol", "protocol", "bool", "true", "check signals and waits too, not LDS alone">,
  ];
  let statistics = [
    Statistic<"numKernels", "kernels", "kernels checked">,
    Statistic<"numSamples", "samples", "samples of the extents tried">,
  ];
}

#endif
