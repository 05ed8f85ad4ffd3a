// h = silu(x * gate^T + bias) * (x * up^T), against the same in double.
#include "../example.h"
#include "matmul.h"

using namespace example;

namespace {
enum { X, Gate, Up, Bias }; // tells the inputs apart

double dot(int rank, int row, int column, int weights, int K) {
  double sum = 0;
  for (int k = 0; k < K; ++k)
    sum += input(rank, row, k, X) * input(rank, column, k, weights);
  return sum;
}
} // namespace

int main() {
  struct Extents {
    int M, N, K;
  };
  constexpr Extents greatest{140, 150, 96};
  World world(4, MATMUL_MANIFEST, matmul_launch, {greatest.M, greatest.N, greatest.K});
  Buffer<bf16> x(world, greatest.M * greatest.K), gate(world, greatest.N * greatest.K),
      up(world, greatest.N * greatest.K), h(world, greatest.M * greatest.N);
  Buffer<float> bias(world, greatest.N);

  bool good = true;
  for (auto [M, N, K] : {greatest, Extents{70, 40, 72}}) {
    x.fill(M, K, [](int rank, int row, int k) { return input(rank, row, k, X); });
    gate.fill(N, K, [](int rank, int row, int k) { return input(rank, row, k, Gate); });
    up.fill(N, K, [](int rank, int row, int k) { return input(rank, row, k, Up); });
    bias.fill(1, N, [](int rank, int, int column) { return input(rank, 0, column, Bias); });
    h.poison(M, N);
    world.launch({M, N, K},
                 [&](int rank) { return std::vector<void *>{x[rank], gate[rank], up[rank], bias[rank], h[rank]}; });
    // One rounding to bf16; the exponential's error is far below it.
    good &= h.matches(M, N, bf16Rounding, [K = K](int rank, int row, int column) {
      const double g = dot(rank, row, column, Gate, K) + input(rank, 0, column, Bias);
      return g / (1 + std::exp(-g)) * dot(rank, row, column, Up, K);
    });
  }
  return good ? 0 : 1;
}
