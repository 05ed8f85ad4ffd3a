// A text in the generated style, written by hand: c = all_gather(a) * b^T, each rank pushing its rows to all inboxes.
// Extents: M rows of a on each rank. a: M x 512, b: 256 x 512, c: (world * M) x 256, bf16.
#include <hip/hip_runtime.h>
#include <tilec/device.h>

namespace {
using tilec::at;
// A test compiles the text once more with the wrong scope.
#ifndef SENT_SCOPE
#define SENT_SCOPE tilec::system
#endif
constexpr int K = 512, N = 256;

// global memory to registers and LDS: 8 elements along k in a thread
using Staged = tilec::Layout<tilec::Shape<128, 32>, tilec::Registers<at(0, 1), at(0, 2), at(0, 4), at(64, 0)>,
                             tilec::Lanes<at(0, 8), at(0, 16), at(1, 0), at(2, 0), at(4, 0), at(8, 0)>,
                             tilec::Waves<at(16, 0), at(32, 0)>>;
// operands of 32x32x8, 2x2 waves of 64x64
using AOperand = tilec::Layout<tilec::Shape<128, 32>,
                               tilec::Registers<at(0, 1), at(0, 2), at(0, 8), at(0, 16), at(32, 0)>,
                               tilec::Lanes<at(1, 0), at(2, 0), at(4, 0), at(8, 0), at(16, 0), at(0, 4)>,
                               tilec::Waves<at(0, 0), at(64, 0)>>;
using BOperand = tilec::Layout<tilec::Shape<128, 32>,
                               tilec::Registers<at(0, 1), at(0, 2), at(0, 8), at(0, 16), at(32, 0)>,
                               tilec::Lanes<at(1, 0), at(2, 0), at(4, 0), at(8, 0), at(16, 0), at(0, 4)>,
                               tilec::Waves<at(64, 0), at(0, 0)>>;
using Acc = tilec::Layout<tilec::Shape<128, 128>,
                          tilec::Registers<at(0, 1), at(0, 2), at(0, 8), at(0, 16), at(0, 32), at(32, 0)>,
                          tilec::Lanes<at(1, 0), at(2, 0), at(4, 0), at(8, 0), at(16, 0), at(0, 4)>,
                          tilec::Waves<at(0, 64), at(64, 0)>>;
using Shared = tilec::Shared<tilec::bf16, tilec::Shape<128, 32>, tilec::Swizzle<8, 2, 4>>;
} // namespace

extern "C" __global__ __launch_bounds__(256) void gather_matmul_kernel(const tilec::Context context,
                                                                       const tilec::bf16 *a, const tilec::bf16 *b,
                                                                       tilec::bf16 *c, char *scratch, const int M,
                                                                       const int most) {
  const tilec::Launch launch = tilec::enter(context);
  const int world = context.world, rank = context.rank;
  const int tiles = (M + 127) / 128, most_tiles = (most + 127) / 128;
  // two copies, so that a peer may write epoch e + 1 while this rank still reads e
  tilec::bf16 *const full =
      tilec::copy_of<tilec::bf16>(scratch, launch.epoch % 2, (long long)world * most * K * sizeof(tilec::bf16));
  const tilec::Signals<2> sent{context, 0, {world, most_tiles}};
  const Shared a_lds = tilec::shared<Shared>(64), b_lds = tilec::shared<Shared>(64 + Shared::bytes);

  for (int task = tilec::next(launch, 0); task < world * tiles; task = tilec::next(launch, 0)) {
    const auto index = tilec::delinearize<2>(task, {world, tiles});
    const int to = tilec::rotate(index[0], world, rank), m = index[1];
    const auto there = tilec::remote(context, full + (long long)rank * M * K, to);
    for (int k = 0; k < K; k += 32)
      tilec::store<8>(tilec::load<Staged, 8>(tilec::view(a, {M, K}, {K, 1}), {m * 128, k}),
                      tilec::view(there, {M, K}, {K, 1}), {m * 128, k});
    tilec::signal<SENT_SCOPE>(launch, sent, {rank, m}, to);
  }
  for (int task = tilec::next(launch, 1); task < world * tiles * 2; task = tilec::next(launch, 1)) {
    const auto index = tilec::delinearize<3>(task, {world, tiles, 2});
    const int from = tilec::rotate(index[0], world, rank), m = index[1], n = index[2];
    // rows of rank `from`
    tilec::wait<tilec::system>(launch, sent, {from, m}, {1, 1});
    const auto rows = tilec::view(full + (long long)from * M * K, {M, K}, {K, 1});
    tilec::Tile<float, Acc> acc = tilec::splat<float, Acc>(0.0f);
    for (int k = 0; k < K; k += 32) {
      const auto ta = tilec::load_live<Staged, 8>(rows, {m * 128, k});
      const auto tb = tilec::load<Staged, 8>(tilec::view(b, {N, K}, {K, 1}), {n * 128, k});
      tilec::barrier();
      tilec::store(a_lds, ta);
      tilec::store(b_lds, tb);
      tilec::barrier();
      acc = tilec::mma<tilec::Mfma32x32x8<tilec::bf16>, tilec::transposed_b>(tilec::load<AOperand>(a_lds),
                                                                              tilec::load<BOperand>(b_lds), acc);
    }
    tilec::Tile<tilec::bf16, Acc> out;
#pragma unroll
    for (int i = 0; i < Acc::registers; ++i)
      out[i] = tilec::cast<tilec::bf16>(acc[i]);
    tilec::store<4>(out, tilec::view(c + (long long)from * M * N, {M, N}, {N, 1}), {m * 128, n * 128});
  }
  if (tilec::last(launch))
    tilec::leave(launch, /*advance epoch*/ true);
}

extern "C" int gather_matmul_launch(const tilec::LaunchArguments *arguments) {
  return tilec::launch_kernel(gather_matmul_kernel, arguments->workgroups, 256, 64 + 2 * Shared::bytes,
                              arguments->stream, arguments->context,
                              static_cast<const tilec::bf16 *>(arguments->pointers[0]),
                              static_cast<const tilec::bf16 *>(arguments->pointers[1]),
                              static_cast<tilec::bf16 *>(arguments->pointers[2]), arguments->workspace,
                              int(arguments->extents[0]), int(arguments->max_extents[0]));
}
