// Offsets in the symmetric heap. Hands out ranges of offsets; the same calls give the same answers on every rank. The
// memory behind them is World's.
#ifndef TILEC_HOST_HEAP_H
#define TILEC_HOST_HEAP_H

#include <cstddef>
#include <map>
#include <optional>

namespace tilec::host {

class Heap {
public:
  static constexpr size_t alignment = 256;

  explicit Heap(size_t bytes);
  /// The lowest free range that fits; empty when none does.
  std::optional<size_t> take(size_t bytes);
  /// False when nothing was taken at `offset`.
  bool give(size_t offset);
  size_t size() const { return bytes; }

private:
  size_t bytes;
  std::map<size_t, size_t> free, taken; ///< offset to length
};

} // namespace tilec::host

#endif // TILEC_HOST_HEAP_H
