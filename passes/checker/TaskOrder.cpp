// Enumerates orders. The formulas are this checker's own: it must not trust those that the compiler prints.
#include "passes/checker/TaskOrder.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::checker;

namespace {

struct OrderedTasks {
  ArrayRef<int64_t> sizes;
  int64_t rank, world, tasks;
};

/// Each chiplet owns a contiguous range; ticket t goes to chiplet t mod X.
int64_t remap(int64_t ticket, int64_t chiplets, int64_t tasks) {
  int64_t chiplet = ticket % chiplets, turn = ticket / chiplets;
  int64_t shorter = tasks / chiplets, longer = tasks % chiplets;
  return chiplet * shorter + std::min(chiplet, longer) + turn;
}

/// Chunks of `chunk` tasks go to the chiplets in turn; what does not fill a round of chunks keeps its place.
int64_t chunked(int64_t ticket, int64_t chiplets, int64_t chunk, int64_t tasks) {
  int64_t round = chiplets * chunk;
  if (ticket >= tasks / round * round)
    return ticket;
  int64_t chiplet = ticket % chiplets, turn = ticket / chiplets;
  return turn / chunk * round + chiplet * chunk + turn % chunk;
}

/// Column-major within windows of `height` rows over the last two dimensions; the last window may be lower.
int64_t grouped(int64_t task, int64_t height, const OrderedTasks &grid) {
  if (grid.sizes.size() < 2)
    return task;
  int64_t rows = grid.sizes[grid.sizes.size() - 2], columns = grid.sizes.back(), plane = rows * columns;
  int64_t window = task % plane / (height * columns), inside = task % plane % (height * columns);
  int64_t tall = std::min(height, rows - window * height);
  int64_t row = window * height + inside % tall, column = inside / tall;
  return task / plane * plane + row * columns + column;
}

/// Tiles of a grid of rows x columns on the first `count` anti-diagonals: those of the quadrant, without those beyond
/// the last row and those beyond the last column. None is beyond both, as there are rows + columns - 1 diagonals.
int64_t tilesOnDiagonals(int64_t count, int64_t rows, int64_t columns) {
  auto triangle = [](int64_t side) { return side > 0 ? side * (side + 1) / 2 : 0; };
  return triangle(count) - triangle(count - rows) - triangle(count - columns);
}

/// Anti-diagonal by anti-diagonal over the last two dimensions, rows ascending.
int64_t diagonal(int64_t task, const OrderedTasks &grid) {
  if (grid.sizes.size() < 2)
    return task;
  int64_t rows = grid.sizes[grid.sizes.size() - 2], columns = grid.sizes.back(), plane = rows * columns;
  int64_t place = task % plane, first = 0, behind = rows + columns - 1;
  while (behind - first > 1) {
    int64_t middle = (first + behind) / 2;
    (tilesOnDiagonals(middle, rows, columns) <= place ? first : behind) = middle;
  }
  int64_t row = std::max<int64_t>(0, first - columns + 1) + place - tilesOnDiagonals(first, rows, columns);
  return task / plane * plane + row * columns + first - row;
}

/// From the part of a dimension on that is this rank's, or so many ranks ahead; or backward from there.
int64_t rankFirst(int64_t task, tile::RankFirstAttr order, const OrderedTasks &grid) {
  int64_t inner = 1;
  for (int64_t size : grid.sizes.drop_front(order.getDim() + 1))
    inner *= size;
  int64_t size = grid.sizes[order.getDim()], coordinate = task / inner % size;
  int64_t start = (grid.rank + order.getAhead()) * size / grid.world;
  int64_t place = order.getBackward() ? start + size - 1 - coordinate : start + coordinate;
  return task + (place % size - coordinate) * inner;
}

/// The task counts through the dimensions in the order of `dims`, the last one fastest.
int64_t permuted(int64_t task, ArrayRef<int64_t> dims, const OrderedTasks &grid) {
  SmallVector<int64_t, 4> coordinates(grid.sizes.size());
  for (int64_t dim : llvm::reverse(dims)) {
    coordinates[dim] = task % grid.sizes[dim];
    task /= grid.sizes[dim];
  }
  int64_t result = 0;
  for (auto [coordinate, size] : llvm::zip_equal(coordinates, grid.sizes))
    result = result * size + coordinate;
  return result;
}

/// One step applied to a task number; the step's parameters have been checked.
int64_t applyStep(Attribute step, int64_t task, const OrderedTasks &grid) {
  if (auto order = dyn_cast<tile::RemapAttr>(step))
    return remap(task, order.getChiplets(), grid.tasks);
  if (auto order = dyn_cast<tile::ChunkedAttr>(step))
    return chunked(task, order.getChiplets(), order.getChunk(), grid.tasks);
  if (auto order = dyn_cast<tile::GroupedAttr>(step))
    return grouped(task, order.getHeight(), grid);
  if (isa<tile::DiagonalAttr>(step))
    return diagonal(task, grid);
  if (auto order = dyn_cast<tile::RankFirstAttr>(step))
    return rankFirst(task, order, grid);
  if (auto order = dyn_cast<tile::PermutedAttr>(step))
    return permuted(task, order.getDims(), grid);
  AffineMap map = cast<tile::MappedAttr>(step).getMap();
  Type index = IndexType::get(map.getContext());
  SmallVector<Attribute> numbers;
  if (failed(map.constantFold({IntegerAttr::get(index, task)}, numbers)))
    return -1;
  int64_t result = 0;
  for (auto [i, number] : llvm::enumerate(numbers)) {
    int64_t value = cast<IntegerAttr>(number).getInt();
    int64_t size = numbers.size() == 1 ? grid.tasks : grid.sizes[i];
    if (value < 0 || value >= size)
      return -1;
    result = result * size + value;
  }
  return result;
}

/// What the dialect leaves open: the shape of a written map.
LogicalResult checkStep(tile::ForallOp forall, Attribute step, const OrderedTasks &grid) {
  auto order = dyn_cast<tile::MappedAttr>(step);
  if (!order)
    return success();
  AffineMap map = order.getMap();
  if (map.getNumSymbols() == 0 && (map.getNumResults() == 1 || map.getNumResults() == grid.sizes.size()))
    return success();
  return forall.emitError() << "order " << step << " maps " << map.getNumInputs() << " inputs to "
                            << map.getNumResults() << " results, expected 1 to 1 or to the " << grid.sizes.size()
                            << " indices of the grid";
}

void printTask(InFlightDiagnostic &diagnostic, int64_t task, ArrayRef<int64_t> sizes) {
  diagnostic << "(";
  llvm::interleaveComma(taskCoordinates(task, sizes), diagnostic);
  diagnostic << ")";
}

} // namespace

SmallVector<int64_t, 4> tilec::checker::taskCoordinates(int64_t task, ArrayRef<int64_t> sizes) {
  SmallVector<int64_t, 4> coordinates(sizes.size());
  for (size_t i = sizes.size(); i-- > 0; task /= sizes[i])
    coordinates[i] = task % sizes[i];
  return coordinates;
}

FailureOr<std::vector<int64_t>> tilec::checker::enumerateTasks(tile::ForallOp forall, ArrayRef<int64_t> sizes,
                                                               int64_t rank) {
  auto world = static_cast<int64_t>(forall->getParentOfType<tile::ProgramOp>().getWorld().value_or(1));
  OrderedTasks grid{sizes, rank, world, 1};
  for (int64_t size : sizes)
    grid.tasks *= size;
  std::vector<int64_t> tasks(grid.tasks);
  for (int64_t ticket = 0; ticket < grid.tasks; ++ticket)
    tasks[ticket] = ticket;
  ArrayAttr order = forall.getOrderAttr();
  if (!order || grid.tasks == 0)
    return tasks;
  for (Attribute step : order) {
    if (failed(checkStep(forall, step, grid)))
      return failure();
    std::vector<uint8_t> drawn(grid.tasks, 0);
    std::optional<int64_t> doubled;
    bool outside = false;
    for (int64_t &task : tasks) {
      task = applyStep(step, task, grid);
      outside |= task < 0;
      if (task >= 0 && drawn[task]++)
        doubled = task;
    }
    auto lost = llvm::find(drawn, 0);
    if (lost == drawn.end())
      continue;
    InFlightDiagnostic diagnostic = forall.emitError()
                                    << "order " << step << " is no bijection of " << grid.tasks << " tasks: task ";
    printTask(diagnostic, lost - drawn.begin(), sizes);
    diagnostic << " is lost";
    if (doubled) {
      diagnostic << ", task ";
      printTask(diagnostic, *doubled, sizes);
      diagnostic << " is drawn twice";
    } else if (outside) {
      diagnostic << ", a number outside the grid is drawn";
    }
    return diagnostic;
  }
  return tasks;
}
