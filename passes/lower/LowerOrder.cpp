// `lower`: which tile a task is, by the steps of its loop's order.
#include "passes/lower/Lower.h"

using namespace mlir;
using namespace tilec;

/// Some sizes of the grid of a tile loop over the program's extents; none of a loop over a view, whose size is
/// computed.
AffineMapAttr KernelLowering::sizesOf(tile::ForallOp forall, ArrayRef<int64_t> dims) {
  if (!forall.getBounds())
    return {};
  SmallVector<AffineExpr> all = extentExpressions(program, *forall.getBounds(), forall.getExtents());
  // Bounds may be other numbers than extents, as the rank.
  if (all.empty())
    return {};
  auto sizes = llvm::map_to_vector(dims, [&](int64_t dim) { return all[dim]; });
  return AffineMapAttr::get(AffineMap::get(0, program.getNumExtents(), sizes, builder.getContext()));
}

/// Row-major coordinates of a task; the last two dimensions as `plane` says, where it is not null.
SmallVector<Value> KernelLowering::coordinatesOf(tile::ForallOp forall, Value task, ValueRange grid, Attribute plane) {
  unsigned rank = grid.size();
  SmallVector<Value> result;
  auto unpack = [&](Value coordinates, unsigned count, unsigned first) {
    for (unsigned d = 0; d < count; ++d)
      result.push_back(hip::CoordinateOp::create(builder, forall.getIndices()[first + d].getLoc(),
                                                 builder.getIndexType(), coordinates, builder.getI64IntegerAttr(d)));
  };
  auto coordinates = [&](unsigned r) { return hip::CoordinatesType::get(builder.getContext(), r); };
  auto sizes = [&](unsigned first, unsigned end) {
    return sizesOf(forall, llvm::to_vector(llvm::seq<int64_t>(first, end)));
  };
  Location tile = named(loc, "tile");
  if (!plane) {
    if (rank == 1)
      return {task};
    unpack(hip::DelinearizeOp::create(builder, tile, coordinates(rank), task, grid, builder.getI64IntegerAttr(rank),
                                      sizes(0, rank)),
           rank, 0);
    return result;
  }
  if (rank > 2) {
    Value tiles = builder.createOrFold<arith::MulIOp>(named(loc, "plane"), grid[rank - 2], grid[rank - 1]);
    Value outer = arith::DivSIOp::create(builder, named(loc, "outer"), task, tiles);
    task = arith::RemSIOp::create(builder, named(loc, "inner"), task, tiles);
    if (rank == 3)
      result.push_back(outer);
    else
      unpack(hip::DelinearizeOp::create(builder, named(loc, "outer"), coordinates(rank - 2), outer, grid.drop_back(2),
                                        builder.getI64IntegerAttr(rank - 2), sizes(0, rank - 2)),
             rank - 2, 0);
  }
  if (auto grouped = dyn_cast<tile::GroupedAttr>(plane))
    unpack(hip::GroupedOp::create(builder, tile, coordinates(2), task, grid.take_back(2),
                                  builder.getI64IntegerAttr(grouped.getHeight()), sizes(rank - 2, rank)),
           2, rank - 2);
  else
    unpack(hip::DiagonalOp::create(builder, tile, coordinates(2), task, grid.take_back(2), sizes(rank - 2, rank)), 2,
           rank - 2);
  return result;
}

/// Coordinates of a task that counts through the dimensions in the order of `dims`.
SmallVector<Value> KernelLowering::permutedCoordinates(tile::ForallOp forall, Value task, ValueRange grid,
                                                       ArrayRef<int64_t> dims) {
  unsigned rank = dims.size();
  if (rank == 1)
    return {task};
  SmallVector<Value> sizes, result(rank);
  for (int64_t dim : dims)
    sizes.push_back(grid[dim]);
  auto type = hip::CoordinatesType::get(builder.getContext(), rank);
  Value tile = hip::DelinearizeOp::create(builder, named(loc, "tile"), type, task, sizes,
                                          builder.getI64IntegerAttr(rank), sizesOf(forall, dims));
  for (auto [place, dim] : llvm::enumerate(dims))
    result[dim] = hip::CoordinateOp::create(builder, forall.getIndices()[dim].getLoc(), builder.getIndexType(), tile,
                                            builder.getI64IntegerAttr(place));
  return result;
}

/// Where this rank's part of a dimension begins, of which each rank has one: the rank itself where there is one index
/// for each.
Value KernelLowering::partOfRank(Value extent, int64_t ahead) {
  int64_t world = *program.getWorld();
  Value rank = rankOfKernel();
  if (ahead)
    rank = builder.createOrFold<arith::AddIOp>(loc, rank, constant(ahead));
  if (std::optional<int64_t> known = getConstantIntValue(extent); known && *known % world == 0)
    return multiply(rank, *known / world);
  Value all = builder.createOrFold<arith::MulIOp>(loc, rank, extent);
  return builder.createOrFold<arith::DivSIOp>(loc, all, constant(world));
}

LogicalResult KernelLowering::lowerOrder(tile::ForallOp forall, Value task, Value tasks, ValueRange grid) {
  SmallVector<Value> indices;
  Attribute plane;
  for (Attribute step : forall.getOrder().value_or(ArrayAttr::get(builder.getContext(), {}))) {
    if (auto remap = dyn_cast<tile::RemapAttr>(step); remap && indices.empty()) {
      task = hip::RemapXcdOp::create(builder, loc, builder.getIndexType(), task, tasks,
                                     builder.getI64IntegerAttr(remap.getChiplets()));
    } else if (auto chunked = dyn_cast<tile::ChunkedAttr>(step); chunked && indices.empty()) {
      task = hip::ChunkedOp::create(builder, loc, builder.getIndexType(), task, tasks,
                                    builder.getI64IntegerAttr(chunked.getChiplets()),
                                    builder.getI64IntegerAttr(chunked.getChunk()));
    } else if (isa<tile::GroupedAttr, tile::DiagonalAttr>(step) && indices.empty() && grid.size() >= 2) {
      plane = step;
    } else if (auto permuted = dyn_cast<tile::PermutedAttr>(step);
               permuted && indices.empty() && permuted.getDims().size() == grid.size()) {
      indices = permutedCoordinates(forall, task, grid, permuted.getDims());
    } else if (auto rotated = dyn_cast<tile::RankFirstAttr>(step);
               rotated && rotated.getDim() >= 0 && rotated.getDim() < static_cast<int64_t>(grid.size())) {
      if (indices.empty())
        indices = coordinatesOf(forall, task, grid, plane);
      Value &index = indices[rotated.getDim()];
      Value extent = grid[rotated.getDim()];
      if (rotated.getBackward())
        index = builder.createOrFold<arith::SubIOp>(loc, builder.createOrFold<arith::SubIOp>(loc, extent, constant(1)),
                                                    index);
      index = hip::RotateOp::create(builder, forall.getIndices()[rotated.getDim()].getLoc(), builder.getIndexType(),
                                    index, extent, partOfRank(extent, rotated.getAhead()));
    } else if (auto mapped = dyn_cast<tile::MappedAttr>(step); mapped && indices.empty()) {
      AffineExpr symbol = getAffineSymbolExpr(0, builder.getContext());
      SmallVector<Value> results;
      for (AffineExpr result : mapped.getMap().getResults())
        results.push_back(expandExpression(builder, loc, result.replaceDims(symbol), task));
      if (results.size() == grid.size() && grid.size() > 1)
        indices = results;
      else if (results.size() == 1)
        task = results.front();
      else
        return forall.emitOpError() << "has an order with " << results.size() << " results, expected 1 or "
                                    << grid.size();
    } else {
      return forall.emitOpError() << "has an order step " << step << " that does not fit its grid of rank "
                                  << grid.size();
    }
  }
  if (indices.empty())
    indices = coordinatesOf(forall, task, grid, plane);
  for (auto [index, value] : llvm::zip(forall.getIndices(), indices))
    mapping.map(index, value);
  return success();
}
