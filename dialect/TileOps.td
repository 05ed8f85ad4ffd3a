// Root for tablegen: includes the op families. Nothing else.
include "dialect/TileStructureOps.td"
include "dialect/TileMemoryOps.td"
include "dialect/TileIrregularOps.td"
include "dialect/TileComputeOps.td"
include "dialect/TileCollectiveOps.td"
include "dialect/TileKernelOps.td"
include "dialect/TileStreamOps.td"
include "dialect/TileFragmentOps.td"
