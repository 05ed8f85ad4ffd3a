// Linear maps over GF(2) between named index spaces: where each element of a tile lives (register, lane, wave; LDS).
// Belongs here: algebra on the maps. Does not: which map is good for what (BlockedLayout, MatrixInstruction,
// SharedLayout).
#ifndef TILEC_PASSES_MACHINE_LINEARLAYOUT_H
#define TILEC_PASSES_MACHINE_LINEARLAYOUT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace llvm {
class raw_ostream;
}

namespace tilec {

/// A linear map over GF(2) from a list of named input spaces to a list of named output spaces, all of a power-of-two
/// size. It is given by its bases: basis i of an input is the image of index 2^i, and the image of any index is the XOR
/// of the bases of its set bits. Source: Zhou et al., "Linear Layouts: Robust Code Generation of Efficient Tensor
/// Computation Using F2" (arXiv 2505.23819).
///
/// A *tile layout* has the inputs register, lane, wave (in this order) and the outputs dim0, dim1, ... of the tile.
/// A zero basis means that the index bit does not matter: the element is replicated.
///
/// Inside, an output point is one 64-bit number, the row-major position in the output space (the last output is the
/// least significant); so reshapes are free and a map is a matrix with at most 64 rows.
class LinearLayout {
public:
  /// One coordinate for each output.
  using Point = llvm::SmallVector<int64_t, 4>;

  /// An input space and its bases, least significant first; its size is 2^bases.size().
  struct Input {
    std::string name;
    std::vector<Point> bases;
  };

  /// An output space; the size is a power of two.
  struct Output {
    std::string name;
    int64_t size;
  };

  static constexpr llvm::StringLiteral kRegister = "register";
  static constexpr llvm::StringLiteral kLane = "lane";
  static constexpr llvm::StringLiteral kWave = "wave";
  static constexpr llvm::StringLiteral kOffset = "offset";

  /// The empty map: no inputs, no outputs.
  LinearLayout() = default;

  /// From explicit bases. Returns what is wrong with them (a size that is no power of two, a basis outside of its
  /// output, a wrong number of coordinates, a name used twice, more than 62 bits) or an empty string.
  static std::string check(llvm::ArrayRef<Input> inputs, llvm::ArrayRef<Output> outputs);

  /// From explicit bases for which `check` is empty.
  static LinearLayout get(llvm::ArrayRef<Input> inputs, llvm::ArrayRef<Output> outputs);

  /// A tile layout over `shape`, from the bases of register, lane and wave.
  static LinearLayout tile(llvm::ArrayRef<Point> registers, llvm::ArrayRef<Point> lanes, llvm::ArrayRef<Point> waves,
                           llvm::ArrayRef<int64_t> shape);

  /// The outputs dim0, dim1, ... of a tile of this shape.
  static llvm::SmallVector<Output> tileOutputs(llvm::ArrayRef<int64_t> shape);

  /// index -> index on 2^bits points, from `input` to `output`.
  static LinearLayout identity(unsigned bits, llvm::StringRef input, llvm::StringRef output);

  /// index -> 0 on 2^bits points: pure replication.
  static LinearLayout zero(unsigned bits, llvm::StringRef input, llvm::StringRef output);

  // --- Shape -------------------------------------------------------------------------------------------------------

  unsigned numInputs() const { return inputs.size(); }
  unsigned numOutputs() const { return outputs.size(); }
  llvm::StringRef inputName(unsigned i) const { return inputs[i].name; }
  llvm::StringRef outputName(unsigned i) const { return outputs[i].name; }
  std::optional<unsigned> findInput(llvm::StringRef name) const;
  std::optional<unsigned> findOutput(llvm::StringRef name) const;
  /// log2 of the size of an input; 0 when there is none of this name.
  unsigned inputBits(llvm::StringRef name) const;
  int64_t inputSize(llvm::StringRef name) const { return int64_t(1) << inputBits(name); }
  int64_t outputSize(unsigned i) const { return int64_t(1) << outputs[i].bits; }
  llvm::SmallVector<int64_t, 4> shape() const;
  unsigned totalInputBits() const { return columns.size(); }
  unsigned totalOutputBits() const;

  /// The bases of an input as points; empty when there is none of this name.
  std::vector<Point> bases(llvm::StringRef input) const;
  /// All bases of an input, one after the other, coordinates of a basis adjacent: the form of an attribute's array.
  llvm::SmallVector<int64_t> flatBases(llvm::StringRef input) const;
  /// The inverse of `flatBases` for outputs of rank `rank`; nothing when the length is no multiple of it.
  static std::optional<std::vector<Point>> unflatten(llvm::ArrayRef<int64_t> flat, unsigned rank);

  // --- Application -------------------------------------------------------------------------------------------------

  /// The image of an index per input, in the order of the inputs.
  Point apply(llvm::ArrayRef<int64_t> indices) const;
  /// The same as a row-major position in the output space.
  uint64_t applyFlat(llvm::ArrayRef<int64_t> indices) const;
  /// The element that a tile layout places at (register, lane, wave).
  Point at(int64_t reg, int64_t lane, int64_t wave = 0) const;

  // --- Algebra -----------------------------------------------------------------------------------------------------

  /// `outer` after this map. The outputs of this map are the inputs of `outer`, by name; the sizes may differ as long
  /// as every image of this map lies inside the inputs of `outer`.
  LinearLayout compose(const LinearLayout &outer) const;

  /// The direct sum: inputs and outputs of the same name are joined, those of `high` on top (its bits are more
  /// significant). Repeats this map as a block in the pattern of `high`. New names come after the old ones.
  LinearLayout product(const LinearLayout &high) const;

  /// The inverse of a bijection; nothing when the map is none.
  std::optional<LinearLayout> inverse() const;

  /// A right inverse of a surjective map: for each point, one place that holds it, and where several do, the one that
  /// uses the earliest inputs (register before lane before wave), with every replicating bit zero. Nothing when a
  /// point is held nowhere.
  std::optional<LinearLayout> pseudoInverse() const;

  /// Drops an output: the layout of a tile reduced along it, or the one a tile must have to be broadcast along it.
  LinearLayout slice(unsigned output) const;
  /// Removes the zero bases of one input (the registers that repeat others, after `slice`).
  LinearLayout withoutZeroBases(llvm::StringRef input) const;
  /// Removes an input by fixing its index to zero.
  LinearLayout withoutInput(llvm::StringRef input) const;
  /// The outputs reordered: output i of the result is output order[i] of this, under the name of place i.
  LinearLayout transpose(llvm::ArrayRef<unsigned> order) const;
  /// The same elements in row-major order as a tile of another shape with as many elements.
  LinearLayout reshape(llvm::ArrayRef<int64_t> shape) const;

  // --- Questions ---------------------------------------------------------------------------------------------------

  bool operator==(const LinearLayout &other) const;
  bool operator!=(const LinearLayout &other) const { return !(*this == other); }
  /// The dimension of the image.
  unsigned rank() const;
  bool isSurjective() const { return rank() == totalOutputBits(); }
  bool isInjective() const { return rank() == totalInputBits(); }
  bool isBijective() const { return isSurjective() && isInjective(); }
  /// Injective once the zero bases are left out: replication is visible as zero bases, so that "written once" is a
  /// test of index bits.
  bool isInjectiveModuloReplication() const;
  /// The bits of an input whose basis is zero.
  uint64_t replicationMask(llvm::StringRef input) const;
  /// Elements along the last output that consecutive registers hold: 2^v for the largest v such that register bases
  /// 0..v-1 are 1, 2, 4, ... there, and no other basis falls inside these bits.
  int64_t vectorWidth() const;

  /// `register: (0, 1) (0, 2); lane: (1, 0); wave: ; shape 2x4`.
  void print(llvm::raw_ostream &os) const;
  std::string str() const;

private:
  struct Space {
    std::string name;
    unsigned bits;
    bool operator==(const Space &other) const { return name == other.name && bits == other.bits; }
  };

  unsigned firstColumn(unsigned input) const;
  unsigned outputShift(unsigned output) const;
  uint64_t pack(llvm::ArrayRef<int64_t> point) const;
  Point unpack(uint64_t flat) const;

  llvm::SmallVector<Space, 3> inputs;
  llvm::SmallVector<Space, 4> outputs;
  /// The bases of all inputs, one input after the other.
  llvm::SmallVector<uint64_t, 16> columns;
};

/// What must move for a tile to change its layout.
enum class Conversion {
  None,      ///< the same layout
  Registers, ///< every element stays in its thread: a renaming of registers, the same in all threads
  Threads,   ///< every element stays in its thread, in a register that depends on the thread
  Lanes,     ///< every element stays in its wave: lane exchanges
  Shared,    ///< through LDS
};

/// What changing `from` into `to` (tile layouts of one shape) needs. Holds for any element the destination wants, that
/// is with replication on both sides.
Conversion conversionBetween(const LinearLayout &from, const LinearLayout &to);

/// For a destination place (register, lane, wave), the source place to read; both are tile layouts of one shape and
/// `from` is surjective. Where the thread of the destination itself holds the element, the source is that thread.
LinearLayout conversionMap(const LinearLayout &from, const LinearLayout &to);

} // namespace tilec

#endif // TILEC_PASSES_MACHINE_LINEARLAYOUT_H
