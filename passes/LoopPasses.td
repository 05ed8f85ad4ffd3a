// Passes that run what a loop loads ahead of what it computes: `schedule`, `count` and `pipeline`. Part of Passes.td, which has their classes.
#ifndef TILEC_LOOP_PASSES
#define TILEC_LOOP_PASSES

def Schedule : Tile_Pass<"schedule"> {
  let summary = "run the copies of a product ahead of its matrix instructions";
  let description = [{
    Takes the loops over K that load the operands of matrix instructions through LDS and do nothing else, or compute with the products (below). Their operands get rings of `slots`
    copies in LDS, or of as many as the loop's schedule was given, that of its role or of the program; where these have no room, that is an error. A step multiplies what the step
    before has read from LDS. Meanwhile it reads the operands of the next step, deposits those of `slots` steps later, which were fetched in the
    step before, and fetches the tiles behind them. One barrier at the start of a step
    protects both the slot that is read and the slot that is filled again. Accesses stand at even distances among the matrix instructions (`tile.places`).

    Where the target copies 16 bytes a lane from memory to LDS and twice the slots fit, the copies pass no register (`tile.copy_async`): a step
    then copies the tiles of as many steps later, and begins by waiting for those of the next step (`tile.await`); the copies of the
    steps behind it stay in flight.

    Where the target has an engine that copies boxes of a matrix, the loop becomes a `tile.stream` if both operands are tiles of matrices that lie
    on this rank: of arguments or of scratch, whole or in equal parts, alone or side by side. The rows of a tile are as long as the engine spreads
    them over the banks (`lds.mapped_row_bytes`); an operand of 16-bit elements that lies K x M or K x N may have a multiple of that. The engine fills as many slots as
    fit, up to twice `slots`, some steps ahead, and the products read both operands from there (`tile.dot_async`). Rows and columns outside of
    the matrices are zero, so that no step is left over.

    A kernel in which one loop over tasks multiplies, and no other does, gets a producer for such a stream where the target has one
    (`#tile.producer`): waves of their own fill a slot as soon as it has been released (`tile.release`), for later tasks too. The slots are used for
    nothing else. What is copied may not be written by the tasks that multiply; for what other tasks or other ranks write, the producer waits by itself.
    A kernel that reduces or scans over several waves has no producer. Tasks are dealt out by number where the kernel has one loop over tasks, which
    waits for nothing and signals nothing, and in which no arrivals are counted unless each unit has one task at most. Else the producer draws tickets.

    What others left for a task to add to its product, as owners of the parts of a sum do, the producer brings, too: where a loop behind the product
    loads one run of memory in each iteration, and combines it with the sums element by element, the runs come through the slots that the
    product is done with (`tile.shared_buffer over`), a part of a run in each. The task adds a part to the registers that are its own
    (`tile.part`). The producer waits before the first of these steps for what the loop alone waited for. Tasks may not write what it brings, unless to another
    rank. An engine asks for no bounds, and wants multiples of 16 bytes: so this is about whole rows of scratch, whose indices are known to be inside for all
    extents (those of the tasks that count them, of the loop, this rank, the rest of a division), and about places that can be computed ahead of the task's branches.

    Where the result of such tasks is a tile that their waves turn by themselves and store (`tile.rearrange`), and registers have room for it, rounded,
    beside the sums, a task leaves it in registers (`tile.defer`), and the next one stores it a part at a time behind the products of its first steps
    (`tile.store_deferred`), so that the matrix units do not wait for stores. A task without steps stores it all, and so does the end of the tasks.
    The copy engine of a target that has one stores these parts (`async`), from LDS where it knows their placement, to a matrix whose rows may be multiples of
    16 bytes apart. Where registers have no room it stores the result while the waves go on to the next task (`tile.store_async`).
    Results stay where they are if tasks signal or arrive, if anything else in the kernel accesses the buffer, or if there are no more tasks than
    the target has compute units: a workgroup then has no next task. In a kernel with so few tasks a loop of at most 32 steps has as many slots as fit,
    since all of them are empty when it begins: up to 8, and up to 12 where there are fewer tasks than units. Other loops have as many as hide the latency of memory.

    A copy of an operand says `read_once` where the other dimension of the tasks is one tile, and nobody else in the program reads the buffer.

    A step of such a stream may also compute with its products, as loops do that scale each part of the depth: it waits for each product, computes, and
    frees its slot behind the last one. What it loads beside the slots and for no product is loaded a step ahead, as far as few registers hold it, and products that begin
    at zero and are used up within the step share their registers (`replaces` of `tile.dot_async`). Such a loop may wait for nothing at its steps, and where waves fill the slots it is left as it is.

    A loop that takes further rows of buffers at each step and computes with them, as attention does with keys and values, has one slot
    less ahead: a step deposits what the step before has fetched in the slot that it has read, fetches the rows behind, and
    computes what the loop did. With fewer slots where LDS has no room for them, down to one.
    Where copies of its rows can pass the registers, and lanes can turn those that registers run down, rows lie in two slots as they do in memory, and
    the copies of the step behind stand among the matrix instructions of the first product (`tile.places`).

    Where the first of several products adds to nothing that steps leave, and a lane has room for its sums twice, a step begins with the first product of the
    step behind, whose operands are a step ahead in their slots, with all accesses in its places; what only it leads to, such as the maxima of its rows, follows
    behind the step's other products. The first step's own stands before the loop. Sums of rows that a step only adds to are sums of lanes until
    the loop ends.

    The steps whose tiles lie in the buffers with all their columns, or rows, run this way, if addresses are aligned (`tile.regular`); the loop that
    was there runs the rest, and everything where they are not. A loop stays as it is when its loads depend on it otherwise than by
    their column or row, when it writes, or when the rings do not fit in LDS.

    Waits of a loop stand between groups of steps, in a loop outside of the steps: before the first copy from what they wait for, which runs
    ahead of its product by as many steps as there are slots. The rings stay full from group to group. Waits must come at equal distances,
    all of them at the same.

    Before: a loop as before `pipeline`
    After:
        %whole = arith.select %regular, %columns / 32, %zero
        %sum = scf.if %whole > 0 {
          ...                                    // fills the slots, fetches one tile more, reads the first operands
          tile.steps %whole slots 2 carries(%acc, %lhs, %fetched : ..) {
          ^bb0(%k: index, %slot: index, %acc: .., %lhs: .., %fetched: ..):
            tile.barrier
            %results:3 = tile.places -> .. {
              %next = tile.dot %lhs, .., %acc
              %read = tile.shared_load %ring[%following]
              tile.shared_store %fetched, %ring[%slot]
              %more = tile.fetch %a[%m, %ahead]
              tile.placed %next, %read, %more : ..
            }
            tile.next %results : ..
          }
        } else { %acc }
        scf.for %k = %whole to %steps ..
  }];
  let options = [
    Option<"slots", "slots", "int64_t", "2", "slots of a ring: a power of two from 2 on; 0 leaves all loops as they are">,
    Tile_TargetOption,
  ];
  let statistics = [Statistic<"numLoops", "loops", "loops whose copies run ahead">,
                    Statistic<"numSummed", "summed", "loops over what others left, as further steps of a producer">,
                    Statistic<"numRelayed", "relayed", "loops over tasks whose tiles a producer moves">,
                    Statistic<"numPaired", "paired", "kernels whose workgroups copy for each other, two by two">,
                    Statistic<"numTold", "told", "places of tasks where a wave of the producer signals what they stored">];
}

def Count : Tile_Pass<"count"> {
  let summary = "say how many accesses the waits for copies may leave";
  let description = [{
    `schedule` says where a wave waits for what it reads from slots behind that place (`tile.await`), not for how much of what it has issued.
    Accesses of a wave to memory complete in the order in which they were issued. So a wait may leave as many as have been issued, on any path, since the
    youngest of the slots was filled that are read behind it, up to the next wait. Numbers of slots follow from the step by sums, products and rests; a copy to a
    slot of any other number is an error. What an engine copies says by itself that it is there. A wait that has a count keeps it, and one behind which nothing is read leaves nothing.

    Before:
        tile.await
        tile.meet
        %a = tile.shared_load %ring[%next]     // filled two steps ago, with four accesses a step
    After:
        tile.await left 8
  }];
  let options = [Tile_TargetOption];
  let statistics = [Statistic<"numCounted", "counted", "waits that got a count">];
}

def Pipelining : Tile_Pass<"pipeline"> {
  let summary = "load for the next iteration of a loop while this one computes";
  let description = [{
    In a loop that loads tiles, stores them to LDS and computes from there, the loads for iteration k + 1 are issued at the start of
    iteration k and stored at its end into the other of two copies of the buffers, with one barrier per iteration. Waits whose tokens the loads
    name move with them. The loads of the first iteration come before the loop, under a guard, so that the trip count may be unknown or zero. The last
    iteration loads its own tiles again.
    A loop of a known number of iterations that loads tiles and computes with them, with no products and no LDS, as those are that merge what other tasks left,
    has the loads of as many iterations ahead in flight as registers hold: it takes about one way to memory, and not one for each iteration. The text asks
    for it to be unrolled, up to 16 iterations and as many registers of tiles as a lane has: a tile that moves to the next iteration's registers would wait for its load.

    A loop stays as it is, with a remark, when its loads depend on the iteration before or on what it writes, when a wait would
    move ahead of a signal, or when two copies do not fit in LDS. So does the loop over the rest that `schedule` leaves, which is too short to gain.

    Before:
        scf.for %k = .. {
          %t = tile.load %a[%m, %k] ..
          tile.barrier
          tile.shared_store %t, %s ..
          tile.barrier
          %o = tile.shared_load %s ..
          tile.dot %o, ..
        }
    After:
        tile.barrier
        scf.if %any { tile.shared_store (tile.load %a[%m, %lb] ..), %s[%zero] .. }
        scf.for %k = .. iter_args(%copy = %zero) {
          tile.barrier
          %next = arith.select %more, %k + 1, %k
          %t = tile.load %a[%m, %next] ..
          %o = tile.shared_load %s[%copy] ..
          tile.dot %o, ..
          tile.shared_store %t, %s[1 - %copy] ..
          scf.yield 1 - %copy
        }
  }];
  let options = [
    Tile_TargetOption,
    Option<"buffers", "buffers", "int64_t", "2", "copies of each buffer: 1 (no pipeline) or 2">,
  ];
  let statistics = [Statistic<"numLoops", "loops", "loops pipelined">,
                    Statistic<"numAhead", "ahead", "loops without LDS whose loads go ahead">];
}

#endif
