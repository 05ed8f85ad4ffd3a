// c = this rank's M rows of the sum over ranks of a_r * b_r^T.
#include "../example.h"
#include "matmul_reduce_scatter.h"

using namespace example;

namespace {
enum { A, B }; // tells the inputs apart
struct Extents {
  int M, N, K;
};
} // namespace

int main() {
  constexpr int ranks = 4;
  constexpr Extents greatest{40, 130, 72};
  World world(ranks, MATMUL_REDUCE_SCATTER_MANIFEST, matmul_reduce_scatter_launch,
              {greatest.M, greatest.N, greatest.K});
  Buffer<bf16> a(world, ranks * greatest.M * greatest.K), b(world, greatest.N * greatest.K),
      c(world, greatest.M * greatest.N);

  bool good = true;
  for (auto [M, N, K] : {greatest, Extents{33, 64, 40}}) {
    a.fill(ranks * M, K, [](int rank, int row, int k) { return input(rank, row, k, A); });
    b.fill(N, K, [](int rank, int row, int k) { return input(rank, row, k, B); });
    c.poison(M, N);
    world.launch({M, N, K}, [&](int rank) { return std::vector<void *>{a[rank], b[rank], c[rank]}; });
    good &= c.matches(M, N, bf16Rounding, [M = M, K = K](int rank, int row, int column) {
      double sum = 0;
      for (int source = 0; source < ranks; ++source)
        for (int k = 0; k < K; ++k)
          sum += input(source, rank * M + row, k, A) * input(source, column, k, B);
      return sum;
    });
  }
  return good ? 0 : 1;
}
