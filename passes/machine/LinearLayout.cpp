// Linear maps over GF(2): construction, algebra, elimination.
// Belongs here: what LinearLayout.h declares. Does not: any rule about a machine.
#include "passes/machine/LinearLayout.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tilec {

using Point = LinearLayout::Point;

namespace {

/// Gaussian elimination over GF(2), one vector at a time. `pivots[i]` has leading bit i, or is zero; `combinations[i]`
/// says which of the inserted vectors XOR to it.
class Elimination {
public:
  /// Adds a vector; true when it is independent of the earlier ones.
  bool insert(uint64_t vector, uint64_t combination = 0) {
    if (!reduce(vector, combination))
      return false;
    unsigned lead = Log2_64(vector);
    pivots[lead] = vector;
    combinations[lead] = combination;
    return true;
  }

  /// The combination of inserted vectors that gives `vector`; nothing when it is outside of their span.
  std::optional<uint64_t> solve(uint64_t vector) const {
    uint64_t combination = 0;
    if (reduce(vector, combination))
      return std::nullopt;
    return combination;
  }

private:
  /// Reduces to zero or to a vector with an unused leading bit; true in the latter case.
  bool reduce(uint64_t &vector, uint64_t &combination) const {
    while (vector) {
      unsigned lead = Log2_64(vector);
      if (!pivots[lead])
        return true;
      vector ^= pivots[lead];
      combination ^= combinations[lead];
    }
    return false;
  }

  uint64_t pivots[64] = {};
  uint64_t combinations[64] = {};
};

} // namespace

// --- Construction ----------------------------------------------------------------------------------------------------

std::string LinearLayout::check(ArrayRef<Input> inputs, ArrayRef<Output> outputs) {
  StringSet<> names;
  unsigned outputBits = 0, inputBits = 0;
  for (const Output &output : outputs) {
    if (output.size <= 0 || !isPowerOf2_64(output.size))
      return (Twine("size of '") + output.name + "' must be a power of two, got " + Twine(output.size)).str();
    if (!names.insert(output.name).second)
      return "output '" + output.name + "' is named twice";
    outputBits += Log2_64(output.size);
  }
  names.clear();
  for (const Input &input : inputs) {
    if (!names.insert(input.name).second)
      return "input '" + input.name + "' is named twice";
    inputBits += input.bases.size();
    for (auto [i, basis] : enumerate(input.bases)) {
      if (basis.size() != outputs.size())
        return (Twine("basis ") + Twine(i) + " of '" + input.name + "' has " + Twine(basis.size()) +
                " coordinates, expected " + Twine(outputs.size()))
            .str();
      for (auto [coordinate, output] : zip(basis, outputs))
        if (coordinate < 0 || coordinate >= output.size)
          return (Twine("basis ") + Twine(i) + " of '" + input.name + "' is " + Twine(coordinate) + " in '" +
                  output.name + "', expected 0 to " + Twine(output.size - 1))
              .str();
    }
  }
  if (outputBits > 62 || inputBits > 62)
    return "layout has more than 62 index bits";
  return "";
}

LinearLayout LinearLayout::get(ArrayRef<Input> inputs, ArrayRef<Output> outputs) {
  assert(check(inputs, outputs).empty() && "malformed layout");
  LinearLayout layout;
  for (const Output &output : outputs)
    layout.outputs.push_back({output.name, Log2_64(output.size)});
  for (const Input &input : inputs) {
    layout.inputs.push_back({input.name, unsigned(input.bases.size())});
    for (const Point &basis : input.bases)
      layout.columns.push_back(layout.pack(basis));
  }
  return layout;
}

LinearLayout LinearLayout::tile(ArrayRef<Point> registers, ArrayRef<Point> lanes, ArrayRef<Point> waves,
                                ArrayRef<int64_t> shape) {
  return get(
      {Input{kRegister.str(), registers.vec()}, Input{kLane.str(), lanes.vec()}, Input{kWave.str(), waves.vec()}},
      tileOutputs(shape));
}

SmallVector<LinearLayout::Output> LinearLayout::tileOutputs(ArrayRef<int64_t> shape) {
  SmallVector<Output> outputs;
  for (auto [i, size] : enumerate(shape))
    outputs.push_back({"dim" + std::to_string(i), size});
  return outputs;
}

LinearLayout LinearLayout::identity(unsigned bits, StringRef input, StringRef output) {
  LinearLayout layout;
  layout.inputs.push_back({input.str(), bits});
  layout.outputs.push_back({output.str(), bits});
  for (unsigned i = 0; i < bits; ++i)
    layout.columns.push_back(uint64_t(1) << i);
  return layout;
}

LinearLayout LinearLayout::zero(unsigned bits, StringRef input, StringRef output) {
  LinearLayout layout;
  layout.inputs.push_back({input.str(), bits});
  layout.outputs.push_back({output.str(), 0});
  layout.columns.assign(bits, 0);
  return layout;
}

// --- Shape -----------------------------------------------------------------------------------------------------------

std::optional<unsigned> LinearLayout::findInput(StringRef name) const {
  for (auto [i, space] : enumerate(inputs))
    if (space.name == name)
      return i;
  return std::nullopt;
}

std::optional<unsigned> LinearLayout::findOutput(StringRef name) const {
  for (auto [i, space] : enumerate(outputs))
    if (space.name == name)
      return i;
  return std::nullopt;
}

unsigned LinearLayout::inputBits(StringRef name) const {
  std::optional<unsigned> i = findInput(name);
  return i ? inputs[*i].bits : 0;
}

SmallVector<int64_t, 4> LinearLayout::shape() const {
  SmallVector<int64_t, 4> sizes;
  for (const Space &space : outputs)
    sizes.push_back(int64_t(1) << space.bits);
  return sizes;
}

unsigned LinearLayout::totalOutputBits() const {
  unsigned bits = 0;
  for (const Space &space : outputs)
    bits += space.bits;
  return bits;
}

unsigned LinearLayout::firstColumn(unsigned input) const {
  unsigned first = 0;
  for (unsigned i = 0; i < input; ++i)
    first += inputs[i].bits;
  return first;
}

unsigned LinearLayout::outputShift(unsigned output) const {
  unsigned shift = 0;
  for (unsigned i = output + 1; i < outputs.size(); ++i)
    shift += outputs[i].bits;
  return shift;
}

uint64_t LinearLayout::pack(ArrayRef<int64_t> point) const {
  uint64_t flat = 0;
  for (auto [coordinate, space] : zip_equal(point, outputs))
    flat = flat << space.bits | uint64_t(coordinate);
  return flat;
}

Point LinearLayout::unpack(uint64_t flat) const {
  Point point(outputs.size(), 0);
  for (unsigned i = outputs.size(); i-- > 0;) {
    point[i] = flat & maskTrailingOnes<uint64_t>(outputs[i].bits);
    flat >>= outputs[i].bits;
  }
  return point;
}

std::vector<Point> LinearLayout::bases(StringRef input) const {
  std::vector<Point> result;
  if (std::optional<unsigned> i = findInput(input))
    for (uint64_t column : ArrayRef(columns).slice(firstColumn(*i), inputs[*i].bits))
      result.push_back(unpack(column));
  return result;
}

SmallVector<int64_t> LinearLayout::flatBases(StringRef input) const {
  SmallVector<int64_t> flat;
  for (const Point &basis : bases(input))
    append_range(flat, basis);
  return flat;
}

std::optional<std::vector<Point>> LinearLayout::unflatten(ArrayRef<int64_t> flat, unsigned rank) {
  if (rank == 0 || flat.size() % rank != 0)
    return std::nullopt;
  std::vector<Point> points;
  for (size_t i = 0; i < flat.size(); i += rank)
    points.push_back(Point(flat.slice(i, rank)));
  return points;
}

// --- Application -----------------------------------------------------------------------------------------------------

uint64_t LinearLayout::applyFlat(ArrayRef<int64_t> indices) const {
  assert(indices.size() == inputs.size() && "one index for each input");
  uint64_t flat = 0;
  unsigned column = 0;
  for (auto [index, space] : zip(indices, inputs)) {
    assert(uint64_t(index) >> space.bits == 0 && "index outside of its input");
    for (unsigned bit = 0; bit < space.bits; ++bit, ++column)
      if (index >> bit & 1)
        flat ^= columns[column];
  }
  return flat;
}

Point LinearLayout::apply(ArrayRef<int64_t> indices) const { return unpack(applyFlat(indices)); }

Point LinearLayout::at(int64_t reg, int64_t lane, int64_t wave) const { return apply({reg, lane, wave}); }

// --- Algebra ---------------------------------------------------------------------------------------------------------

LinearLayout LinearLayout::compose(const LinearLayout &outer) const {
  assert(outer.inputs.size() == outputs.size() && "outputs must be the inputs of the outer map");
  LinearLayout result;
  result.inputs = inputs;
  result.outputs = outer.outputs;
  for (uint64_t column : columns) {
    Point point = unpack(column);
    Point ordered(point.size(), 0);
    for (auto [i, space] : enumerate(outputs)) {
      std::optional<unsigned> input = outer.findInput(space.name);
      assert(input && "the outer map lacks an input");
      ordered[*input] = point[i];
    }
    result.columns.push_back(outer.applyFlat(ordered));
  }
  return result;
}

LinearLayout LinearLayout::product(const LinearLayout &high) const {
  SmallVector<Input, 3> newInputs;
  SmallVector<Output, 4> newOutputs;
  auto addOutputs = [&](const LinearLayout &layout) {
    for (const Space &space : layout.outputs) {
      auto *found = find_if(newOutputs, [&](const Output &output) { return output.name == space.name; });
      if (found == newOutputs.end())
        newOutputs.push_back({space.name, int64_t(1) << space.bits});
      else
        found->size <<= space.bits;
    }
  };
  addOutputs(*this);
  addOutputs(high);
  auto addInputs = [&](const LinearLayout &layout, bool onTop) {
    for (const Space &space : layout.inputs) {
      auto *found = find_if(newInputs, [&](const Input &input) { return input.name == space.name; });
      if (found == newInputs.end())
        found = newInputs.insert(newInputs.end(), Input{space.name, {}});
      for (const Point &basis : layout.bases(space.name)) {
        Point point(newOutputs.size(), 0);
        for (auto [i, output] : enumerate(newOutputs))
          if (std::optional<unsigned> from = layout.findOutput(output.name)) {
            std::optional<unsigned> below = onTop ? findOutput(output.name) : std::nullopt;
            point[i] = basis[*from] << (below ? outputs[*below].bits : 0);
          }
        found->bases.push_back(point);
      }
    }
  };
  addInputs(*this, /*onTop=*/false);
  addInputs(high, /*onTop=*/true);
  return get(newInputs, newOutputs);
}

std::optional<LinearLayout> LinearLayout::pseudoInverse() const {
  // A vector is inserted only when earlier inputs cannot express it, so dependent and zero bases are never used.
  Elimination elimination;
  for (auto [i, column] : enumerate(columns))
    elimination.insert(column, uint64_t(1) << i);
  LinearLayout result;
  for (const Space &space : outputs)
    result.inputs.push_back(space);
  for (const Space &space : inputs)
    result.outputs.push_back(space);
  for (unsigned i = 0; i < outputs.size(); ++i)
    for (unsigned bit = 0; bit < outputs[i].bits; ++bit) {
      std::optional<uint64_t> places = elimination.solve(uint64_t(1) << (outputShift(i) + bit));
      if (!places)
        return std::nullopt;
      Point point;
      for (auto [input, space] : enumerate(inputs))
        point.push_back(*places >> firstColumn(input) & maskTrailingOnes<uint64_t>(space.bits));
      result.columns.push_back(result.pack(point));
    }
  return result;
}

std::optional<LinearLayout> LinearLayout::inverse() const { return isInjective() ? pseudoInverse() : std::nullopt; }

LinearLayout LinearLayout::slice(unsigned output) const {
  assert(output < outputs.size() && "no such output");
  SmallVector<Output, 4> newOutputs;
  for (auto [i, space] : enumerate(outputs))
    if (i != output)
      newOutputs.push_back({"dim" + std::to_string(newOutputs.size()), int64_t(1) << space.bits});
  SmallVector<Input, 3> newInputs;
  for (const Space &space : inputs) {
    Input input{space.name, bases(space.name)};
    for (Point &basis : input.bases)
      basis.erase(basis.begin() + output);
    newInputs.push_back(std::move(input));
  }
  return get(newInputs, newOutputs);
}

LinearLayout LinearLayout::withoutZeroBases(StringRef input) const {
  std::optional<unsigned> index = findInput(input);
  if (!index)
    return *this;
  LinearLayout result = *this;
  auto *first = result.columns.begin() + firstColumn(*index);
  auto *last = first + inputs[*index].bits;
  auto *kept = std::remove(first, last, uint64_t(0));
  result.inputs[*index].bits = kept - first;
  result.columns.erase(kept, last);
  return result;
}

LinearLayout LinearLayout::withoutInput(StringRef input) const {
  std::optional<unsigned> index = findInput(input);
  if (!index)
    return *this;
  LinearLayout result = *this;
  auto *first = result.columns.begin() + firstColumn(*index);
  result.columns.erase(first, first + inputs[*index].bits);
  result.inputs.erase(result.inputs.begin() + *index);
  return result;
}

LinearLayout LinearLayout::transpose(ArrayRef<unsigned> order) const {
  assert(order.size() == outputs.size() && "one place for each output");
  LinearLayout result;
  result.inputs = inputs;
  for (auto [i, from] : enumerate(order))
    result.outputs.push_back({outputs[i].name, outputs[from].bits});
  for (uint64_t column : columns) {
    Point point = unpack(column), moved;
    for (unsigned from : order)
      moved.push_back(point[from]);
    result.columns.push_back(result.pack(moved));
  }
  return result;
}

LinearLayout LinearLayout::reshape(ArrayRef<int64_t> shape) const {
  LinearLayout result = *this;
  result.outputs.clear();
  for (const Output &output : tileOutputs(shape))
    result.outputs.push_back({output.name, Log2_64(output.size)});
  assert(result.totalOutputBits() == totalOutputBits() && "a reshape keeps the number of elements");
  return result;
}

// --- Questions -------------------------------------------------------------------------------------------------------

bool LinearLayout::operator==(const LinearLayout &other) const {
  return inputs == other.inputs && outputs == other.outputs && columns == other.columns;
}

unsigned LinearLayout::rank() const {
  Elimination elimination;
  return count_if(columns, [&](uint64_t column) { return elimination.insert(column); });
}

bool LinearLayout::isInjectiveModuloReplication() const {
  return rank() == count_if(columns, [](uint64_t column) { return column != 0; });
}

uint64_t LinearLayout::replicationMask(StringRef input) const {
  uint64_t mask = 0;
  if (std::optional<unsigned> i = findInput(input))
    for (unsigned bit = 0; bit < inputs[*i].bits; ++bit)
      if (columns[firstColumn(*i) + bit] == 0)
        mask |= uint64_t(1) << bit;
  return mask;
}

int64_t LinearLayout::vectorWidth() const {
  std::optional<unsigned> input = findInput(kRegister);
  if (!input || outputs.empty())
    return 1;
  unsigned first = firstColumn(*input), bits = 0;
  while (bits < inputs[*input].bits && bits < outputs.back().bits && columns[first + bits] == uint64_t(1) << bits)
    ++bits;
  // Another basis inside the vector's bits would start a vector at an unaligned place.
  for (auto [i, column] : enumerate(columns))
    while (bits > 0 && (i < first || i >= first + bits) && column & maskTrailingOnes<uint64_t>(bits))
      --bits;
  return int64_t(1) << bits;
}

void LinearLayout::print(raw_ostream &os) const {
  for (const Space &space : inputs) {
    os << space.name << ':';
    for (const Point &basis : bases(space.name)) {
      os << " (";
      interleaveComma(basis, os);
      os << ')';
    }
    os << "; ";
  }
  os << "shape ";
  interleave(shape(), os, "x");
}

std::string LinearLayout::str() const {
  std::string text;
  raw_string_ostream os(text);
  print(os);
  return text;
}

// --- Conversions -----------------------------------------------------------------------------------------------------

LinearLayout conversionMap(const LinearLayout &from, const LinearLayout &to) {
  assert(from.isSurjective() && from.shape() == to.shape() && "tile layouts of one shape");
  SmallVector<LinearLayout::Output> places;
  SmallVector<LinearLayout::Input> inputs;
  LinearLayout anywhere = *from.pseudoInverse();
  for (StringRef name : {LinearLayout::kRegister, LinearLayout::kLane, LinearLayout::kWave}) {
    places.push_back({name.str(), from.inputSize(name)});
    LinearLayout::Input input{name.str(), {}};
    for (auto [bit, basis] : enumerate(to.bases(name))) {
      Point image = anywhere.apply(basis);
      int64_t lane = name == LinearLayout::kLane ? int64_t(1) << bit : 0;
      int64_t wave = name == LinearLayout::kWave ? int64_t(1) << bit : 0;
      if (lane < from.inputSize(LinearLayout::kLane) && wave < from.inputSize(LinearLayout::kWave)) {
        // Keep the thread and see what is left to find: the earliest inputs are used, so registers alone if possible.
        Point left = from.at(0, lane, wave);
        for (auto [coordinate, wanted] : zip(left, basis))
          coordinate ^= wanted;
        Point rest = anywhere.apply(left);
        if (rest[2] == 0)
          image = {rest[0], rest[1] ^ lane, wave};
      }
      input.bases.push_back(image);
    }
    inputs.push_back(std::move(input));
  }
  return LinearLayout::get(inputs, places);
}

Conversion conversionBetween(const LinearLayout &from, const LinearLayout &to) {
  if (from == to)
    return Conversion::None;
  LinearLayout map = conversionMap(from, to);
  bool sameLane = true, sameWave = true, alike = true;
  for (StringRef name : {LinearLayout::kRegister, LinearLayout::kLane, LinearLayout::kWave})
    for (auto [bit, image] : enumerate(map.bases(name))) {
      alike &= name == LinearLayout::kRegister || image[0] == 0;
      sameLane &= image[1] == (name == LinearLayout::kLane ? int64_t(1) << bit : 0);
      sameWave &= image[2] == (name == LinearLayout::kWave ? int64_t(1) << bit : 0);
    }
  if (!sameWave)
    return Conversion::Shared;
  if (!sameLane)
    return Conversion::Lanes;
  return alike ? Conversion::Registers : Conversion::Threads;
}

} // namespace tilec
