// c = the sum over ranks of a_r * b_r^T, on every rank.
#include "../example.h"
#include "matmul_all_reduce.h"

using namespace example;

namespace {
enum { A, B }; // tells the inputs apart
struct Extents {
  int M, N, K;
};
} // namespace

int main() {
  constexpr int ranks = 4;
  constexpr Extents greatest{130, 140, 72};
  World world(ranks, MATMUL_ALL_REDUCE_MANIFEST, matmul_all_reduce_launch, {greatest.M, greatest.N, greatest.K});
  Buffer<bf16> a(world, greatest.M * greatest.K), b(world, greatest.N * greatest.K), c(world, greatest.M * greatest.N);

  bool good = true;
  for (auto [M, N, K] : {greatest, Extents{33, 64, 40}}) {
    a.fill(M, K, [](int rank, int row, int k) { return input(rank, row, k, A); });
    b.fill(N, K, [](int rank, int row, int k) { return input(rank, row, k, B); });
    c.poison(M, N);
    world.launch({M, N, K}, [&](int rank) { return std::vector<void *>{a[rank], b[rank], c[rank]}; });
    good &= c.matches(M, N, bf16Rounding, [K = K](int, int row, int column) {
      double sum = 0;
      for (int source = 0; source < ranks; ++source)
        for (int k = 0; k < K; ++k)
          sum += input(source, row, k, A) * input(source, column, k, B);
      return sum;
    });
  }
  return good ? 0 : 1;
}
