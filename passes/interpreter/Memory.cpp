// Masked rows of tiles in strided views; bytes of buffers.
#include "passes/interpreter/Memory.h"
#include "passes/interpreter/RealFunctions.h"

#include <cstring>

using namespace tilec::interpreter;

void Buffer::poison(bool undefined) {
  std::fill(real.begin(), real.end(), std::numeric_limits<double>::quiet_NaN());
  std::fill(whole.begin(), whole.end(), -1);
  error.clear();
  if (undefined && !whole.empty())
    error.assign(whole.size(), infinity);
  readUnwritten.reset();
  passedOver = false;
  unwrittenCount = undefined ? size() : 0;
  unwritten.assign(unwrittenCount, true);
}

void Buffer::settle() {
  for (size_t i = 0; i < terms.size(); ++i) {
    if (!terms[i])
      continue;
    // Subnormal sums are rounded to multiples of the smallest of them, or flushed.
    double tiny = format.bits < 32 ? std::ldexp(1.0, format.minExponent) : 0;
    double lost = errorAt(i) + gamma(terms[i], format.storedUnit()) * magnitudes[i] + terms[i] * tiny;
    double value = real[i];
    if (std::isfinite(value) && (format.mayOverflow(magnitudes[i]) || magnitudes[i] > format.largest))
      lost = infinity;
    real[i] = format.round(value);
    setError(i, format.roundingError(value, lost));
  }
  magnitudes.clear();
  terms.clear();
}

std::vector<char> Buffer::toBytes() const {
  unsigned width = format.bytes();
  std::vector<char> bytes(size() * width);
  for (int64_t i = 0, n = size(); i < n; ++i) {
    uint64_t bits = format.isFloat ? encode(format, real[i]) : format.zeroExtend(whole[i]);
    std::memcpy(bytes.data() + i * width, &bits, width);
  }
  return bytes;
}

void Buffer::fromBytes(llvm::ArrayRef<char> bytes) {
  unsigned width = format.bytes();
  assert(bytes.size() == static_cast<size_t>(size()) * width && "bytes of another shape");
  error.clear();
  for (int64_t i = 0, n = size(); i < n; ++i) {
    uint64_t bits = 0;
    std::memcpy(&bits, bytes.data() + i * width, width);
    if (format.isFloat)
      real[i] = decode(format, bits);
    else
      whole[i] = format.wrap(bits);
  }
}

View View::whole(unsigned slot, llvm::ArrayRef<int64_t> shape) {
  View view;
  view.slot = slot;
  view.sizes.assign(shape.begin(), shape.end());
  view.strides.resize(shape.size());
  int64_t stride = 1;
  for (size_t i = shape.size(); i-- > 0; stride *= shape[i])
    view.strides[i] = stride;
  return view;
}

/// Calls `row(tile, memory, low, high)` for each row of the tile: elements [low, high) of the row that starts at
/// element `tile` of the tile lie in the view, the first of them at `memory` and the next at the view's last stride.
template <typename Row>
static void forEachRow(const View &view, llvm::ArrayRef<int64_t> first, llvm::ArrayRef<int64_t> shape, Row row) {
  size_t rank = shape.size();
  if (rank == 0)
    return row(0, view.offset, 0, 1);
  int64_t length = shape.back(), rows = length ? count(shape) / length : 0;
  int64_t start = first.back(), size = view.sizes.back();
  int64_t low = std::clamp<int64_t>(-start, 0, length), high = std::clamp<int64_t>(size - start, low, length);
  Shape index(rank - 1, 0);
  for (int64_t r = 0; r < rows; ++r) {
    int64_t memory = view.offset + (start + low) * view.strides.back();
    bool inside = true;
    for (size_t d = 0; d + 1 < rank; ++d) {
      int64_t at = first[d] + index[d];
      inside &= at >= 0 && at < view.sizes[d];
      memory += at * view.strides[d];
    }
    row(r * length, memory, low, inside ? high : low);
    for (size_t d = rank - 1; d-- > 0;) {
      if (++index[d] < shape[d])
        break;
      index[d] = 0;
    }
  }
}

void tilec::interpreter::load(Buffer &buffer, const View &view, llvm::ArrayRef<int64_t> first,
                              llvm::ArrayRef<int64_t> shape, const Elements *otherwise, Elements &tile) {
  int64_t stride = view.strides.empty() ? 1 : view.strides.back();
  if (otherwise)
    for (int64_t i = 0, n = tile.size(); i < n; ++i)
      tile.copy(i, *otherwise, 0);
  if (!buffer.error.empty() && tile.error.empty())
    tile.error.assign(tile.size(), 0);
  forEachRow(view, first, shape, [&](int64_t at, int64_t memory, int64_t low, int64_t high) {
    for (int64_t i = low; i < high; ++i, memory += stride) {
      buffer.noteRead(memory);
      if (buffer.format.isFloat)
        tile.real[at + i] = buffer.real[memory];
      else
        tile.whole[at + i] = buffer.whole[memory];
      if (!tile.error.empty())
        tile.error[at + i] = buffer.errorAt(memory);
    }
  });
}

void tilec::interpreter::store(Buffer &buffer, const View &view, llvm::ArrayRef<int64_t> first,
                               llvm::ArrayRef<int64_t> shape, const Elements &tile) {
  int64_t stride = view.strides.empty() ? 1 : view.strides.back();
  buffer.written = true;
  forEachRow(view, first, shape, [&](int64_t at, int64_t memory, int64_t low, int64_t high) {
    for (int64_t i = low; i < high; ++i, memory += stride) {
      double error = tile.errorAt(at + i);
      buffer.noteWritten(memory);
      if (buffer.format.isFloat) {
        error = buffer.format.roundingError(tile.real[at + i], error);
        buffer.real[memory] = buffer.format.round(tile.real[at + i]);
      } else {
        buffer.whole[memory] = tile.whole[at + i];
      }
      buffer.setError(memory, error);
    }
  });
}

bool tilec::interpreter::noteElements(std::vector<bool> &seen, const View &view, llvm::ArrayRef<int64_t> first,
                                      llvm::ArrayRef<int64_t> shape) {
  int64_t stride = view.strides.empty() ? 1 : view.strides.back();
  bool isNew = true;
  forEachRow(view, first, shape, [&](int64_t, int64_t memory, int64_t low, int64_t high) {
    for (int64_t i = low; i < high; ++i, memory += stride) {
      isNew &= !seen[memory];
      seen[memory] = true;
    }
  });
  return isNew;
}

/// One integer element.
static void combineWhole(Buffer &buffer, int64_t memory, const Elements &tile, int64_t i, Combination kind) {
  int64_t &into = buffer.whole[memory], value = tile.whole[i];
  double error = buffer.errorAt(memory) + tile.errorAt(i);
  if (kind == Combination::Add)
    into = buffer.format.wrap(static_cast<uint64_t>(into) + static_cast<uint64_t>(value));
  else
    into = kind == Combination::Maximum ? std::max(into, value) : std::min(into, value);
  buffer.setError(memory, error);
}

/// One float element.
static void combineReal(Buffer &buffer, int64_t memory, const Elements &tile, int64_t i, Combination kind) {
  double &into = buffer.real[memory], value = tile.real[i];
  double error = tile.errorAt(i), before = buffer.errorAt(memory);
  if (kind != Combination::Add) {
    auto winner = [kind](double a, double b) { return kind == Combination::Maximum ? std::max(a, b) : std::min(a, b); };
    bool takes = std::isnan(value) || (kind == Combination::Maximum ? value > into : value < into);
    double low = winner(into - before, value - error), high = winner(into + before, value + error);
    if (takes)
      into = value;
    bool isExact = (before == 0 && error == 0) || std::isnan(into);
    buffer.setError(memory, isExact ? 0 : spread(into, low, high));
    return;
  }
  if (buffer.terms[memory]++ == 0)
    buffer.magnitudes[memory] = std::abs(into) + before;
  buffer.magnitudes[memory] += std::abs(value) + error;
  into += value;
  buffer.setError(memory, before + error);
}

void tilec::interpreter::combine(Buffer &buffer, const View &view, llvm::ArrayRef<int64_t> first,
                                 llvm::ArrayRef<int64_t> shape, const Elements &tile, Combination kind) {
  int64_t stride = view.strides.empty() ? 1 : view.strides.back();
  buffer.written = true;
  if (buffer.format.isFloat && kind == Combination::Add && buffer.terms.empty()) {
    buffer.terms.resize(buffer.size());
    buffer.magnitudes.resize(buffer.size());
  }
  forEachRow(view, first, shape, [&](int64_t at, int64_t memory, int64_t low, int64_t high) {
    for (int64_t i = low; i < high; ++i, memory += stride) {
      if (buffer.format.isFloat)
        combineReal(buffer, memory, tile, at + i, kind);
      else
        combineWhole(buffer, memory, tile, at + i, kind);
    }
  });
}
