// b = 2 a of the rank before, by a kernel whose signals and waits the author wrote.
#include "../example.h"
#include "signal.h"

using namespace example;

int main() {
  constexpr int columns = 256, greatest = 130;
  World world(4, SIGNAL_MANIFEST, signal_launch, {greatest});
  Buffer<float> a(world, greatest * columns), b(world, greatest * columns);

  bool good = true;
  for (int M : {130, 64}) {
    a.fill(M, columns, [&](int rank, int row, int column) { return input(rank, row, column, M); });
    b.poison(M, columns);
    world.launch({M}, [&](int rank) { return std::vector<void *>{a[rank], b[rank]}; });
    good &= b.matches(M, columns, /*tolerance=*/0, [&](int rank, int row, int column) {
      const int before = (rank + world.size() - 1) % world.size();
      return 2 * input(before, row, column, M);
    });
  }
  return good ? 0 : 1;
}
