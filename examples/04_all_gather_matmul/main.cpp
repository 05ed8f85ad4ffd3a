// c = all_gather(a) * b^T: M rows of a on each rank, W * M rows of c on every rank.
#include "../example.h"
#include "all_gather_matmul.h"

using namespace example;

namespace {
enum { A, B }; // tells the inputs apart
struct Extents {
  int M, N, K;
};
} // namespace

int main() {
  constexpr int ranks = ALL_GATHER_MATMUL_WORLD;
  constexpr Extents greatest{70, 130, 96};
  World world(ranks, ALL_GATHER_MATMUL_MANIFEST, all_gather_matmul_launch, {greatest.M, greatest.N, greatest.K});
  Buffer<bf16> a(world, greatest.M * greatest.K), b(world, greatest.N * greatest.K),
      c(world, ranks * greatest.M * greatest.N);

  bool good = true;
  for (auto [M, N, K] : {greatest, Extents{33, 64, 40}}) {
    a.fill(M, K, [](int rank, int row, int k) { return input(rank, row, k, A); });
    b.fill(N, K, [](int rank, int row, int k) { return input(rank, row, k, B); });
    c.poison(ranks * M, N);
    world.launch({M, N, K}, [&](int rank) { return std::vector<void *>{a[rank], b[rank], c[rank]}; });
    good &= c.matches(ranks * M, N, bf16Rounding, [M = M, K = K](int rank, int row, int column) {
      double sum = 0;
      for (int k = 0; k < K; ++k) // the row comes from the rank that holds it
        sum += input(row / M, row % M, k, A) * input(rank, column, k, B);
      return sum;
    });
  }
  return good ? 0 : 1;
}
