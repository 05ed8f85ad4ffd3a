// The passes, in pipeline order (Pipeline.cpp holds the order itself).
#ifndef TILEC_PASSES
#define TILEC_PASSES

include "mlir/Pass/PassBase.td"

class Tile_Pass<string noun> : Pass<"tile-" # noun, "::tilec::tile::ProgramOp"> {
  let dependentDialects = ["::tilec::tile::TileDialect"];
}

def Specialize : Tile_Pass<"specialize"> {
  let summary = "bind the world, the extents that are given and the tile parameters";
  let description = [{
    Replaces `tile.world_size` and `W` by the world, given extents by constants, parameters by their values, and makes
    tile types static. The choice is recorded in the program's `parameters`.

    Before: `%t = tile.load %a[%m, %k] tile [@BM, 64] : memref<?x64xf32> -> tensor<?x64xf32>`
    After `parameters=BM=128`: `%t = tile.load %a[%m, %k] tile [128, 64] : memref<?x64xf32> -> tensor<128x64xf32>`
  }];
  let options = [
    Option<"world", "world", "int64_t", "0", "number of ranks; 0 takes the program's">,
    ListOption<"extents", "extents", "std::string", "NAME=VALUE: extents fixed at compile time">,
    ListOption<"parameters", "parameters", "std::string", "NAME=VALUE: values of parameters">,
  ];
}

def Lower : Tile_Pass<"lower"> {
  let summary = "kernels in kernel form become operations of the exit dialect, and a launcher";
  let description = [{
    Each `tile.kernel` becomes a `hip.kernel` whose arguments are the context, the program's buffers, the workspace, extents and
    their largest values; what the program's body computes is computed again at its entry. Groups of workgroups draw tasks from one
    queue each; who has finished with one group goes on to the next, so that one resident workgroup does all the work.
    Tokens vanish. `tile.alloc` and `tile.signals` stay as declarations for the manifest.

    `{schedule = "strided"}` on a kernel with one group deals tasks out by worker number instead of tickets: right only when
    no task waits for another of its kernel.

    Before: `%t = tile.load %a[%m, %n] tile [64, 64] : memref<?x256xf32> -> tensor<64x64xf32, #tile.layout<...>>`
    After: `%t = hip.load %view, %row, %col {vector = 4} : ... -> tensor<64x64xf32, #tile.layout<...>>`
  }];
  let dependentDialects = ["::tilec::hip::HipDialect"];
}

def PrepareHip : Tile_Pass<"prepare"> {
  let summary = "last decisions before printing: names, what is printed in place, which variables are assigned";
  let description = [{
    Afterwards an operation with a `hip.name` is a statement that declares (or, with `hip.assign`, assigns) that variable, and a pure
    one without is printed where it is used. Values carried by a loop share one variable with what initialises and what
    updates them where no other use stands in the way; elsewhere a `hip.copy` is inserted.
  }];
  let dependentDialects = ["::tilec::hip::HipDialect"];
}

#endif
