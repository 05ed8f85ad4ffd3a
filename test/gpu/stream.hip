//===- stream.hip - loops through slots that bulk copies fill, as the device compilers translate them ------===//
// stream.sh compiles it: no spill, and no product that ptxas could not keep asynchronous.
#include <hip/hip_runtime.h>

// Behind what it builds on.
#include "../device/StreamLoops.h"

extern "C" void tilec_note_occupancy(int) {}

namespace tilec::test {

/// A kernel that the compiler would print for a product of row-major a and transposed b, without a cut of either.
template <class L>
__global__ __launch_bounds__(L::waves * 32) void product(const TILEC_GRID_CONSTANT TensorMap a_map,
                                                         const TILEC_GRID_CONSTANT TensorMap b_map,
                                                         typename L::Element *c, int rows, int columns, int depth) {
  auto words = full<4>(word_offset);
  const int across = columns / L::columns, tasks = rows / L::rows * across;
  for (int task = int(blockIdx.x); task < tasks; task += int(gridDim.x)) {
    const auto to = view(c, {rows, columns}, {columns, 1});
    if constexpr (std::is_same_v<L, FromRegisters>)
      product_from_registers<L>(words, a_map, b_map, to, depth, task / across, task % across);
    else
      product_by_stream<L>(words, a_map, b_map, to, depth, task / across, task % across);
    meet();
  }
}
template __global__ void product<Large>(const TILEC_GRID_CONSTANT TensorMap, const TILEC_GRID_CONSTANT TensorMap, bf16 *, int, int, int);
template __global__ void product<Uneven>(const TILEC_GRID_CONSTANT TensorMap, const TILEC_GRID_CONSTANT TensorMap, bf16 *, int, int, int);
template __global__ void product<Narrow>(const TILEC_GRID_CONSTANT TensorMap, const TILEC_GRID_CONSTANT TensorMap, bf16 *, int, int, int);

template __global__ void product<Untransposed>(const TILEC_GRID_CONSTANT TensorMap, const TILEC_GRID_CONSTANT TensorMap,
                                              bf16 *, int, int, int);
template __global__ void product<FromRegisters>(const TILEC_GRID_CONSTANT TensorMap,
                                               const TILEC_GRID_CONSTANT TensorMap, bf16 *, int, int, int);

__global__ __launch_bounds__(Specialised::waves * 32, 1) void
    products_with_a_producer(const TILEC_GRID_CONSTANT TensorMap a_map, const TILEC_GRID_CONSTANT TensorMap b_map,
                             const TILEC_GRID_CONSTANT TensorMap c_map, int tasks, int across, int depth) {
  products_by_roles<Specialised>(a_map, b_map, c_map, tasks, across, depth);
}

/// A tile that nobody else reads, of a matrix and of one in a row of them.
__global__ __launch_bounds__(128) void copies_read_once(const TILEC_GRID_CONSTANT TensorMap map,
                                                        const TILEC_GRID_CONSTANT TensorMap row_map, const bf16 *from,
                                                        bf16 *to) {
  using S = Shared<bf16, Shape<64, 64>, Swizzle<8, 1, 8>>;
  using Held = Layout<Shape<64, 64>, Registers<at(0, 1), at(0, 2), at(0, 4), at(16), at(32)>,
                      Lanes<at(0, 8), at(0, 16), at(0, 32), at(1), at(2)>, Waves<at(4), at(8)>>;
  auto words = full<2>(word_offset);
  const auto ring = Ring<S, 2, 1024>();
  const auto plain = view(from, {64, 64}, {64, 1});
  fill<0>(words, copying(ring.slot<0>(), mapped_feed<S>(plain, {0, 0}, map), 0, read_once));
  fill<1>(words, copying(ring.slot<1>(), mapped_feed<S>(plain, {0, 0}, row_map, 1), 0, read_once));
  await_full<0>(words);
  await_full<1>(words);
  store<8>(load<Held>(shared<S>(1024)), view(to, {64, 64}, {64, 1}), {0, 0});
  store<8>(load<Held>(shared<S>(1024 + S::bytes)), view(to, {128, 64}, {64, 1}), {64, 0});
}

template <class L>
int launch(const bf16 *a, const bf16 *b, bf16 *c, int rows, int columns, int depth) {
  const TensorMap a_map = tensor_map<typename L::A>(a, {rows, depth}, {depth, 1});
  const TensorMap b_map = tensor_map<typename L::B>(b, {columns, depth}, {depth, 1});
  return launch_kernel(product<L>, 132, L::waves * 32, stream_lds<L>, nullptr, a_map, b_map, c, rows, columns, depth);
}
template int launch<Large>(const bf16 *, const bf16 *, bf16 *, int, int, int);

} // namespace tilec::test
