// b = a on every rank, for two extents. No rank talks to another: what is shown is how an application holds a program.
#include "../example.h"
#include "copy.h"

using namespace example;

int main() {
  constexpr int columns = 256, greatest = 200;
  World world(4, COPY_MANIFEST, copy_launch, {greatest});
  Buffer<float> a(world, greatest * columns), b(world, greatest * columns);

  bool good = true;
  for (int M : {200, 33}) {
    auto value = [&](int rank, int row, int column) { return input(rank, row, column, M); };
    a.fill(M, columns, value);
    b.poison(M, columns);
    world.launch({M}, [&](int rank) { return std::vector<void *>{a[rank], b[rank]}; });
    good &= b.matches(M, columns, /*tolerance=*/0, value);
  }
  return good ? 0 : 1;
}
