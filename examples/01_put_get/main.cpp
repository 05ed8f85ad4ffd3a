// Every rank puts a into the next rank's inbox and gets back what that rank then holds: b = a, through two ranks.
#include "../example.h"
#include "put_get.h"

using namespace example;

int main() {
  constexpr int columns = 256, greatest = 130;
  World world(4, PUT_GET_MANIFEST, put_get_launch, {greatest});
  Buffer<float> a(world, greatest * columns), b(world, greatest * columns);

  bool good = true;
  for (int M : {130, 64}) {
    auto value = [&](int rank, int row, int column) { return input(rank, row, column, M); };
    a.fill(M, columns, value);
    b.poison(M, columns);
    world.launch({M}, [&](int rank) { return std::vector<void *>{a[rank], b[rank]}; });
    good &= b.matches(M, columns, /*tolerance=*/0, value);
  }
  return good ? 0 : 1;
}
