// c = the columns of a_r * b_r^T of every rank r, side by side, on every rank.
#include "../example.h"
#include "matmul_all_scatter.h"

using namespace example;

namespace {
enum { A, B }; // tells the inputs apart
struct Extents {
  int M, N, K;
};
} // namespace

int main() {
  constexpr int ranks = 4;
  constexpr Extents greatest{130, 70, 96};
  World world(ranks, MATMUL_ALL_SCATTER_MANIFEST, matmul_all_scatter_launch, {greatest.M, greatest.N, greatest.K});
  Buffer<bf16> a(world, greatest.M * greatest.K), b(world, greatest.N * greatest.K),
      c(world, greatest.M * ranks * greatest.N);

  bool good = true;
  for (auto [M, N, K] : {greatest, Extents{64, 33, 40}}) {
    a.fill(M, K, [](int rank, int row, int k) { return input(rank, row, k, A); });
    b.fill(N, K, [](int rank, int row, int k) { return input(rank, row, k, B); });
    c.poison(M, ranks * N);
    world.launch({M, N, K}, [&](int rank) { return std::vector<void *>{a[rank], b[rank], c[rank]}; });
    good &= c.matches(M, ranks * N, bf16Rounding, [N = N, K = K](int, int row, int column) {
      const int source = column / N; // who computed the column
      double sum = 0;
      for (int k = 0; k < K; ++k)
        sum += input(source, row, k, A) * input(source, column % N, k, B);
      return sum;
    });
  }
  return good ? 0 : 1;
}
