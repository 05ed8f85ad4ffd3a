// Layouts of tiles as maps over GF(2) with packed points. Knows no operation.
#include "dialect/HeldTile.h"
#include "dialect/Limits.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::hip;

/// More registers than any thread has; enumerating them stays cheap.
static constexpr size_t kMostRegisterBits = 12;

static SmallVector<uint64_t, 8> pack(ArrayRef<int32_t> flat, unsigned rank) {
  SmallVector<uint64_t, 8> points;
  for (size_t i = 0; i < flat.size(); ++i) {
    if (i % rank == 0)
      points.push_back(0);
    points.back() |= static_cast<uint64_t>(flat[i]) << (16 * (i % rank));
  }
  return points;
}

/// The side of the box of powers of two around a tile, whose layout is the tile's.
static int64_t boxSide(int64_t side) { return static_cast<int64_t>(llvm::PowerOf2Ceil(static_cast<uint64_t>(side))); }

static bool isPower(int64_t side) { return llvm::isPowerOf2_64(static_cast<uint64_t>(side)); }

/// What a side is a whole number of: threads step within so many elements.
static int64_t runOf(int64_t side) { return side & -side; }

HeldTile::HeldTile(RankedTensorType type) : rank(type.getRank()), shape(type.getShape()) {
  auto layout = cast<tile::LayoutAttr>(type.getEncoding());
  registers = pack(layout.getRegisters(), rank);
  threads = pack(layout.getLanes(), rank);
  laneBits = threads.size();
  llvm::append_range(threads, pack(layout.getWaves(), rank));
  SmallVector<uint64_t, 16> reduced;
  for (auto [bit, basis] : llvm::enumerate(llvm::concat<uint64_t>(registers, threads))) {
    uint64_t rest = basis;
    for (uint64_t pivot : reduced)
      rest = std::min(rest, rest ^ pivot);
    if (rest)
      reduced.push_back(rest);
    else
      redundant |= uint64_t(1) << bit;
  }
  imageBits = reduced.size();
}

uint64_t HeldTile::drop(uint64_t point, ArrayRef<int64_t> dims) const {
  uint64_t rest = 0;
  unsigned kept = 0;
  for (unsigned dim = 0; dim < rank; ++dim)
    if (!llvm::is_contained(dims, static_cast<int64_t>(dim)))
      rest |= static_cast<uint64_t>(coordinate(point, dim)) << (16 * kept++);
  return rest;
}

unsigned HeldTile::numRegisters() const {
  int64_t count = int64_t(1) << registers.size();
  for (int64_t side : shape)
    count = count / (boxSide(side) / runOf(side)) * (side / runOf(side));
  return static_cast<unsigned>(count);
}

uint64_t HeldTile::ofRegister(unsigned index) const {
  uint64_t point = 0;
  for (auto [bit, basis] : llvm::enumerate(registers))
    if (index >> bit & 1)
      point ^= basis;
  return point;
}

int HeldTile::registerAt(uint64_t point, unsigned without) const {
  for (unsigned index = 0; index < numRegisters(); ++index)
    if ((index & without) == 0 && ofRegister(index) == point)
      return static_cast<int>(index);
  return -1;
}

OperandOrder::OperandOrder(const HeldTile &tile, unsigned row) {
  llvm::SmallDenseSet<int64_t> distinct;
  for (unsigned index = 0; index < tile.numRegisters(); ++index) {
    uint64_t point = tile.ofRegister(index);
    places.emplace_back(HeldTile::coordinate(point, row), HeldTile::coordinate(point, 1 - row));
    distinct.insert(places.back().first);
  }
  llvm::sort(places);
  rows = distinct.size();
}

bool OperandOrder::hasRow(int64_t wanted) const {
  return llvm::any_of(places, [wanted](const auto &place) { return place.first == wanted; });
}

/// Whether what lies beyond a side that is no power of two is held by the last registers, in every thread: those that
/// step by one run of it, by two, by four.
static bool leavesLast(const HeldTile &held, unsigned dim) {
  int64_t side = held.shape[dim], run = runOf(side);
  SmallVector<uint64_t, 8> registers(held.registers);
  for (int64_t step = boxSide(side) / 2; step >= run; step /= 2) {
    if (registers.empty() || registers.back() != static_cast<uint64_t>(step) << (16 * dim))
      return false;
    registers.pop_back();
  }
  return llvm::all_of(llvm::concat<const uint64_t>(registers, held.threads),
                      [&](uint64_t basis) { return HeldTile::coordinate(basis, dim) < run; });
}

LogicalResult hip::verifyHeld(Operation *op, RankedTensorType type) {
  auto layout = dyn_cast_or_null<tile::LayoutAttr>(type.getEncoding());
  if (!layout)
    return op->emitOpError() << "tile " << type << " has no layout";
  auto refuse = [&](const Twine &why) { return op->emitOpError() << "tile " << type << " " << why; };
  if (type.getRank() < 1 || type.getRank() > 4)
    return refuse("has " + Twine(type.getRank()) + " dimensions, expected 1 to 4");
  for (int64_t extent : type.getShape())
    if (extent < 1 || extent > tile::kMostTileSide || (!isPower(extent) && (extent % 8 || type.getRank() > 2)))
      return refuse("has an extent of " + Twine(extent) + ", expected a power of two up to " +
                    Twine(tile::kMostTileSide) + ", or a multiple of 8 in one or two dimensions");
  for (ArrayRef<int32_t> bases : {layout.getRegisters(), layout.getLanes(), layout.getWaves()}) {
    if (!bases.empty() && layout.getRank() != type.getRank())
      return refuse("has a layout of " + Twine(layout.getRank()) + " dimensions");
    for (auto [i, coordinate] : llvm::enumerate(bases))
      if (coordinate < 0 || coordinate >= boxSide(type.getDimSize(i % type.getRank())))
        return refuse("has a layout that leaves it: " + Twine(coordinate) + " in dimension " +
                      Twine(i % type.getRank()));
  }
  if (layout.getRegisters().size() / type.getRank() > kMostRegisterBits)
    return refuse("needs more than " + Twine(1 << kMostRegisterBits) + " registers of a thread");
  HeldTile held(type);
  int64_t box = 1;
  for (int64_t side : type.getShape())
    box *= boxSide(side);
  if (int64_t(1) << held.imageBits != box)
    return refuse("has " + Twine(box) + " elements, its layout holds " + Twine(int64_t(1) << held.imageBits));
  for (unsigned dim = 0; dim < held.rank; ++dim)
    if (!isPower(held.shape[dim]) && !leavesLast(held, dim))
      return refuse("has a layout whose last registers are not those beyond its " + Twine(held.shape[dim]) +
                    " elements in dimension " + Twine(dim));
  return success();
}

bool hip::movesRuns(const HeldTile &tile, int64_t vector) { return movesRuns(tile, vector, tile.rank - 1); }

bool hip::movesRuns(const HeldTile &tile, int64_t vector, unsigned dim) {
  unsigned bits = llvm::Log2_64(vector);
  if (bits > tile.registers.size() || vector > runOf(tile.shape[dim]))
    return false;
  for (unsigned bit = 0; bit < bits; ++bit)
    if (tile.registers[bit] != uint64_t(1) << bit << (16 * dim))
      return false;
  return llvm::none_of(llvm::concat<const uint64_t>(ArrayRef(tile.registers).drop_front(bits), tile.threads),
                       [&](uint64_t basis) { return HeldTile::coordinate(basis, dim) & (vector - 1); });
}

bool hip::isInDisjointBits(const HeldTile &tile) {
  uint64_t used = 0;
  for (uint64_t basis : llvm::concat<const uint64_t>(tile.registers, tile.threads)) {
    if (used & basis)
      return false;
    used |= basis;
  }
  return true;
}

/// Whether registers and lanes step along bits that no wave's basis sets, and each element has one thread.
static bool wavesAreApart(const HeldTile &tile) {
  uint64_t waves = 0;
  for (uint64_t basis : ArrayRef(tile.threads).drop_front(tile.laneBits))
    waves |= basis;
  auto crosses = [waves](uint64_t basis) { return (basis & waves) != 0; };
  return !tile.redundant && llvm::none_of(tile.registers, crosses) &&
         llvm::none_of(ArrayRef(tile.threads).take_front(tile.laneBits), crosses);
}

std::optional<unsigned> hip::dimOfParts(ArrayRef<int64_t> tile, ArrayRef<int64_t> part) {
  if (tile.size() != 2 || part.size() != 2)
    return std::nullopt;
  unsigned dim = part[1] == tile[1] && part[0] != tile[0] ? 0 : 1;
  bool areParts = part[1 - dim] == tile[1 - dim] && part[dim] > 0 && tile[dim] % part[dim] == 0;
  // LDS has columns that are a power of two, and bits of registers tell the parts.
  bool arePowers = isPower(part[1]) && (part == tile || isPower(part[dim]));
  return areParts && arePowers ? std::optional(dim) : std::nullopt;
}

StringRef hip::whyNotRearranged(RankedTensorType from, RankedTensorType to, ArrayRef<int64_t> part) {
  HeldTile source(from), result(to);
  if (source.laneBits != result.laneBits ||
      ArrayRef(source.threads).drop_front(source.laneBits) != ArrayRef(result.threads).drop_front(result.laneBits) ||
      !wavesAreApart(source) || !wavesAreApart(result))
    return "waves would hold other elements";
  unsigned dim = *dimOfParts(from.getShape(), part);
  auto leaves = [&](uint64_t basis) { return HeldTile::coordinate(basis, dim) >= part[dim]; };
  auto leavesAlone = [&](uint64_t basis) {
    int64_t step = HeldTile::coordinate(basis, dim);
    return isPower(step) && basis == uint64_t(step) << 16 * dim;
  };
  for (const HeldTile *tile : {&source, &result})
    if (llvm::any_of(tile->threads, leaves) ||
        llvm::any_of(tile->registers, [&](uint64_t basis) { return leaves(basis) && !leavesAlone(basis); }))
      return "registers alone do not tell its parts from each other";
  return "";
}

/// Whether the copy engine knows the placement of rows of so many bytes: 32, 64 or 128 of them, swizzled in pieces of
/// 16 by as many rows (or pairs, or fours) as there are pieces, so that it comes back after 8 rows.
static bool isEnginesPlacement(int64_t row, int64_t element, tile::SharedAttr swizzle) {
  return (row == 32 || row == 64 || row == 128) && swizzle.getPanel() == 0 && swizzle.getFold() == 0 &&
         swizzle.getVector() * element == 16 && swizzle.getPhases() == row / 16 && swizzle.getPerPhase() == 128 / row;
}

int64_t hip::rowsOfWave(RankedTensorType held, ArrayRef<int64_t> part, tile::SharedAttr swizzle) {
  constexpr int64_t kMostRows = 256;
  HeldTile tile(held);
  ArrayRef<uint64_t> waves = ArrayRef(tile.threads).drop_front(tile.laneBits);
  int64_t element = held.getElementType().getIntOrFloatBitWidth() / 8;
  if (held.getRank() != 2 || part.size() != 2 || !isEnginesPlacement(part.back() * element, element, swizzle))
    return 0;
  int64_t rows = waves.empty() ? held.getDimSize(0) : HeldTile::coordinate(waves.front(), 0);
  for (auto [number, basis] : llvm::enumerate(waves))
    if (basis != uint64_t(rows) << number)
      return 0;
  // They begin where the swizzle does, and are all that waves have: registers that go on behind them hold others.
  return rows <= kMostRows && rows % 8 == 0 && rows << waves.size() >= part.front() ? rows : 0;
}

hip::SharedType hip::boxOfWave(RankedTensorType held, SharedType part) {
  int64_t rows = rowsOfWave(held, part.getShape(), part.getSwizzle());
  if (!rows)
    return {};
  return SharedType::get(held.getContext(), part.getElement(), {rows, part.getShape().back()}, part.getSwizzle());
}
