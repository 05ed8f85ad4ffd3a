"""A rank of two, without any library: launches example 04 with the extents of each word, as in 3x40x24."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(__file__)))
from programs import matrix, path, product, read_bf16, zeros

import tilec

if "TEST_RANK" in os.environ:
    tilec.init(int(os.environ["TEST_RANK"]), int(os.environ["TEST_WORLD"]), f"test {os.environ['TEST_JOB']}")
world = tilec.world()
program = tilec.load(path("all_gather_matmul-world2"))
for word in sys.argv[1:]:
    m, n, k = map(int, word.split("x"))
    shards = [matrix(m, k, seed=rank) for rank in range(world.size)]
    columns, b = matrix(n, k, seed=world.size + world.rank)
    a, c = world.empty((m, k), "bf16"), zeros(m * world.size, n, code="H")
    a.cast("B")[:] = shards[world.rank][1].cast("B")
    program(a, b, c)
    assert read_bf16(c) == product([row for values, _ in shards for row in values], columns), word
    world.free(a)
print(f"rank {world.rank} of {world.size}: {len(sys.argv) - 1} launches")
