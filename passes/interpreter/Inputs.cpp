// Seeded inputs and comparison.
#include "passes/interpreter/Inputs.h"

#include <tuple>
#include <unordered_map>

using namespace tilec::interpreter;

/// splitmix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014).
static uint64_t next(uint64_t &state) {
  uint64_t z = state += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

static uint64_t stateOf(uint64_t seed, int64_t launch, int64_t rank, unsigned argument) {
  uint64_t state = seed;
  for (uint64_t part : {static_cast<uint64_t>(launch), static_cast<uint64_t>(rank), static_cast<uint64_t>(argument)})
    state = next(state) + part;
  return state;
}

void tilec::interpreter::fillUniform(Buffer &buffer, uint64_t seed, int64_t launch, int64_t rank, unsigned argument) {
  uint64_t state = stateOf(seed, launch, rank, argument);
  buffer.error.clear();
  for (double &element : buffer.real)
    element = buffer.format.round(static_cast<double>(static_cast<int64_t>(next(state)) >> 10) * 0x1p-53);
  for (int64_t &element : buffer.whole)
    element = buffer.format.wrap(static_cast<int64_t>(next(state) % 9) - 4);
}

/// The first numbers of a shuffled list (Fisher and Yates), of which only what was swapped is kept.
static void drawDistinct(std::vector<int64_t> &numbers, int64_t count, uint64_t state) {
  auto size = static_cast<int64_t>(numbers.size()), all = std::max(count, size);
  std::unordered_map<int64_t, int64_t> moved;
  auto at = [&](int64_t place) {
    auto known = moved.find(place);
    return known == moved.end() ? place : known->second;
  };
  for (int64_t i = 0; i < size; ++i) {
    int64_t other = i + static_cast<int64_t>(next(state) % static_cast<uint64_t>(all - i)), drawn = at(other);
    moved[other] = at(i);
    numbers[i] = drawn;
  }
}

void tilec::interpreter::fillIndices(Buffer &buffer, uint64_t seed, int64_t launch, int64_t rank, unsigned argument,
                                     int64_t count, bool distinct) {
  uint64_t state = stateOf(seed, launch, rank, argument);
  buffer.error.clear();
  count = std::clamp<int64_t>(count, 0, std::numeric_limits<int32_t>::max() - 1);
  if (distinct)
    return drawDistinct(buffer.whole, count, state);
  for (int64_t &element : buffer.whole)
    element = static_cast<int64_t>(next(state) % static_cast<uint64_t>(count + 2)) - 1;
}

void tilec::interpreter::fillInputs(Interpreter &interpreter, uint64_t seed, int64_t launch) {
  for (unsigned i = 0; i < interpreter.getNumArguments(); ++i) {
    if (interpreter.getUsage(i) == Usage::Output)
      continue;
    std::optional<int64_t> count = interpreter.getIndexCount(i);
    for (int64_t rank = 0; rank < interpreter.getWorld(); ++rank)
      if (count)
        fillIndices(interpreter.argument(rank, i), seed, launch, rank, i, *count,
                    (*interpreter.getProgram().getDistinct())[i]);
      else
        fillUniform(interpreter.argument(rank, i), seed, launch, rank, i);
  }
}

double tilec::interpreter::largestMagnitude(const Buffer &buffer) {
  double largest = 0;
  for (double value : buffer.real)
    if (std::isfinite(value))
      largest = std::max(largest, std::abs(value));
  return largest;
}

Buffer tilec::interpreter::withBound(Buffer oracle, double bound) {
  if (!oracle.real.empty())
    oracle.error.assign(oracle.real.size(), bound);
  return oracle;
}

/// Some times the least normal f32: what a machine may lose where it has no numbers below that. Zeros may be off by it.
static constexpr double kFlushed = 0x1p-120;

Comparison tilec::interpreter::compare(const Buffer &oracle, const Buffer &implementation, double scale,
                                       const std::vector<bool> &unjudged) {
  Comparison result;
  bool isFirst = true;
  for (int64_t i = 0, n = oracle.size(); i < n; ++i) {
    if (!unjudged.empty() && unjudged[i]) {
      ++result.unjudged;
      continue;
    }
    bool isFloat = oracle.format.isFloat;
    double expected = isFloat ? oracle.real[i] : static_cast<double>(oracle.whole[i]);
    double got = isFloat ? implementation.real[i] : static_cast<double>(implementation.whole[i]);
    double bound = oracle.errorAt(i), error = std::abs(got - expected);
    bool same = isFloat ? got == expected || (std::isnan(got) && std::isnan(expected))
                        : oracle.whole[i] == implementation.whole[i];
    if (same)
      error = 0;
    else if (!isFloat) // of 64 bits, of which a double holds 53
      error = std::max(error, 1.0);
    else if (std::isnan(error))
      error = infinity;
    Difference one{error, bound, 0, i, expected, got};
    one.usage = error == 0 ? 0 : bound == 0 ? infinity : std::isinf(bound) ? 1 : error / bound;
    bool undetermined = !std::isfinite(bound) || (isFloat && bound > kFlushed && bound >= scale);
    result.undetermined += undetermined;
    result.exceeded += error > bound;
    if (isFirst || std::tie(one.error, one.usage) > std::tie(result.largest.error, result.largest.usage))
      result.largest = one;
    if (isFirst || std::tie(one.usage, one.error) > std::tie(result.closest.usage, result.closest.error))
      result.closest = one;
    isFirst = false;
  }
  return result;
}
