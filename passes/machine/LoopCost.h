// What the loop over K of a matrix product takes of a compute unit, by the rates of a target.
// Belongs here: clocks of a step, and of all of them. Does not: IR, which loop a program gets (choose/LoopChoice).
#pragma once

#include "passes/machine/Target.h"

namespace tilec {

/// A product rows x depth times depth x columns, with several right-hand sides that share the left one; of the
/// transpose, several left ones.
struct ProductShape {
  int64_t rows = 0, columns = 0, depth = 0;
  int64_t rightSides = 1;
  int64_t bytes = 2;       ///< of an operand's element
  std::string element;     ///< as target files spell it: bf16
  bool fast = false;       ///< matrix instructions may keep fewer bits of their sums
  bool promoted = false;   ///< they may within a step
  int64_t parts = 1;       ///< of the depth, each a task's
  bool mapped = false;     ///< a copy engine can read both operands, for matrix units that read what it copies
  bool across = false;     ///< a right operand lies K x N
  bool leftAcross = false; ///< a left operand lies K x M
  bool own = false;        ///< the waves of its kernel do nothing else
  int64_t leftSides = 1;   ///< of the transpose: what were right-hand sides
  int64_t matrices = 1;    ///< products side by side, of so many rows and columns each
  /// Bytes from a row of an operand to the next, as it lies in memory; 0 where that is not known, and taken for whole
  /// sectors.
  int64_t leftPitch = 0, rightPitch = 0;
  bool pairs = false; ///< workgroups may copy for each other, two by two

  /// The product of the transposes, whose result is the transpose.
  ProductShape swapped() const;
};

struct TileSizes {
  int64_t rows = 0, columns = 0, depth = 0;
};

/// The sizes one may choose from.
struct TileChoices {
  llvm::SmallVector<int64_t> rows, columns, depth;
};

/// What else of a loop is given; 0 leaves it to what `partition` and `schedule` take.
struct LoopGiven {
  int64_t waves = 0, slots = 0;
  bool alternates = false; ///< halves of the waves, two of which share each SIMD then
};

/// What a loop waits for longest.
enum class LoopBound { Matrix, Lds, Copies, Issue, Latency };
llvm::StringRef nameOf(LoopBound bound);

/// Clocks of a step over the depth, as if nothing else took any.
struct LoopCost {
  TileSizes tiles;
  int64_t waves = 0, slots = 0;
  int64_t ldsBytes = 0;    ///< of all slots
  int64_t registers = 0;   ///< of a lane, 32 bits each
  int64_t resident = 0;    ///< workgroups that a compute unit holds at once; 0 where not even one has room
  std::string instruction; ///< empty: the vector units multiply
  double matrix = 0;       ///< of the matrix units
  double lds = 0;          ///< of LDS: its reads, and what is copied to it
  double copies = 0;       ///< of the way from the chiplet's cache
  double issue = 0;        ///< of the SIMD that issues most instructions
  double latency = 0;      ///< of a copy, shared by the steps it is ahead and the workgroups that go on meanwhile
  double step = 0;         ///< what a counted loop takes of the unit: the longest of these, and its meetings
  LoopBound bound = LoopBound::Matrix;
  double clocks = 0; ///< of the whole product, on all compute units; 0 where it does not fit

  /// The share of the matrix units' time that is used.
  double reached() const { return step > 0 ? matrix / step : 0; }
};

/// Slots of a ring of operands in LDS, twice as many where copies pass no register and there is room.
inline constexpr int64_t kRingSlots = 2;
/// Bytes of LDS that slots lose which begin where a swizzle does.
inline constexpr int64_t kSwizzleSlack = 2048;
/// Threads of a workgroup, where nothing asks for more: four waves of 64 lanes, eight of 32.
inline constexpr int64_t kUsualThreads = 256;
/// Registers of a lane for addresses, counters and what is made element by element, outside of rings: of our text, on
/// every machine.
inline constexpr int64_t kTextRegisters = 30;

/// Iterations of a loop without LDS whose loads `pipeline` has in flight at once, at most. Such a loop is unrolled, as
/// a move of a tile from one iteration to the next would wait for its load.
inline constexpr int64_t kUnrolledIterations = 16;

/// Waves of a workgroup whose tile has so many sums: the fewest, from 256 threads on, that hold them in their
/// registers.
int64_t productWaves(int64_t sums, const Target &target);

/// Whether so many waves have the registers for so many sums.
bool holdSums(int64_t waves, int64_t sums, const Target &target);

/// Registers that a lane may have when so many waves share those of a compute unit.
int64_t registerShare(int64_t waves, const Target &target);

/// Those of a lane of `waves` beside the target's waves that only fill slots, which have `given` each. 0 where so few
/// are left that tiles chosen for these waves would spill: they then fill slots themselves.
int64_t registersBesideProducer(int64_t waves, int64_t given, const Target &target);

/// The loop of a product with such tiles. A step takes what the slowest of matrix units, LDS, caches, issue and the
/// latency of its copies takes, and its part of what the waves lose where they meet: workgroups that a unit holds
/// beside it, as far as there are tasks for them, go on meanwhile. Rounds of tiles over the compute units make the
/// whole, with the share of what should overlap that the target says does not. Does not fit where the slots are more
/// than the target's LDS, or sums, operands of two steps and a step on its way more than the registers of the waves;
/// nor, unless the waves are given, where a copy engine feeds them and they leave no registers to a producer.
LoopCost loopCost(const ProductShape &shape, const TileSizes &tiles, const Target &target, LoopGiven given = {});

/// Those that fit of a product's choices, the cheapest first, the larger tile of equals.
std::vector<LoopCost> loopCosts(const ProductShape &shape, const TileChoices &choices, const Target &target,
                                LoopGiven given = {});

/// The tile of the first of them. When none fits, the smallest choices.
TileSizes cheapestTile(const ProductShape &shape, const TileChoices &choices, const Target &target,
                       LoopGiven given = {});

/// Whether a copy engine fills slots with the operands of such tiles, which matrix units read there.
bool isStreamed(const ProductShape &shape, const TileSizes &tiles, const Target &target);

} // namespace tilec
