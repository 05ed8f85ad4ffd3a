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

def Expand : Tile_Pass<"expand"> {
  let summary = "collectives and matmul become tile loops with loads and stores on other ranks";
  let description = [{
    The pattern says who moves remote data (pull, push, staged), how many shots an all-reduce takes, and whether grids must
    follow the shards of the ranks so that a later fusion finds one owner for each tile.

    Before: `tile.all_gather %a into %full dim 0`
    After, for push: `tile.forall (%r, %m, %k) in [W, ..] { %t = tile.load %a[%m, %k] ..; tile.store %t, %block[%m, %k] to %r }`
  }];
  let options = [Option<"pattern", "pattern", "std::string", "\"\"", "overlap pattern, as in specialized-push">];
  let statistics = [Statistic<"statements", "statements", "number of statements expanded">];
}

def Fuse : Tile_Pass<"fuse"> {
  let summary = "statements join into kernels, by the overlap pattern";
  let description = [{
    `sequential` stores tiles to where a following copy would put them, straight from registers, and joins all statements in
    one kernel. `pull` loads tiles from where a preceding copy would fetch them. `specialized` gives copies workgroups of their
    own. `bulk` makes one kernel of each statement.

    Before: `tile.forall (..) { .. tile.store %t, %part[..] }  tile.forall (%r, ..) { %t = tile.load %part[..]; tile.store %t, %c[..] to %r }`
    After `sequential`: `tile.kernel @k { tile.role @multiply { tile.forall (..) { .. scf.for %r .. { tile.store %t, %c[..] to %r } } } }`
  }];
  let options = [
    Option<"pattern", "pattern", "std::string", "\"\"", "overlap pattern; empty takes the program's">,
    Option<"communication", "communication", "int64_t", "8", "workgroups of a communication role">,
  ];
  let statistics = [
    Statistic<"sunk", "sunk", "copies fused into their producer">,
    Statistic<"forwarded", "forwarded", "copies fused into their consumers">,
    Statistic<"kernels", "kernels", "kernels made">,
  ];
}

#endif
