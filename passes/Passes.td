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

def Verify : Tile_Pass<"verify"> {
  let summary = "prove the kernel form free of races, deadlocks and indices out of bounds";
  let description = [{
    Runs every task of every role on every rank, over two launches more than the largest number of copies of a buffer, and
    orders their accesses by signals, waits, kernels and launches alone (docs/verify.md). Shares no code with `waits`.
    Extents that are not fixed are sampled. Changes nothing but the attributes `verified` of the program, and `progress` and
    `resident` of its kernels.
  }];
  let options = [
    ListOption<"extents", "extents", "std::string",
               "NAME=VALUE/NAME=VALUE: one sample of the extents each; without any, combinations of 1, 40, 128 and 200">,
    Option<"residentWorkgroups", "resident-workgroups", "int64_t", "0",
           "how many workgroups of a kernel can be resident at once; 0 when not known">,
    Option<"maxErrors", "max-errors", "unsigned", "5", "errors that are reported in full">,
  ];
  let statistics = [
    Statistic<"accesses", "accesses", "accesses checked">,
    Statistic<"waits", "waits", "waits of one launch, over all samples">,
    Statistic<"signals", "signals", "signals of one launch, over all samples">,
    Statistic<"cells", "cells", "cells that buffers were refined into">,
    Statistic<"launches", "launches", "launches executed">,
  ];
}

#endif
