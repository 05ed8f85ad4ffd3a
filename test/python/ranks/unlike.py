"""A rank of two that launches with extents of its own, or ends before its time: unlike.py extents|end."""
import os
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(__file__)))
from programs import path, zeros

import tilec

world = tilec.world()
program = tilec.load(path("all_gather_matmul-world2"), extents={"M": 4, "N": 40, "K": 24})
a = world.empty((4, 24), "bf16")
if sys.argv[1] == "end" and world.rank == 1:
    raise RuntimeError("rank 1 has had enough")
n = 40 - 8 * world.rank if sys.argv[1] == "extents" else 40
try:
    program(a, zeros(n, 24, code="H"), zeros(8, n, code="H"))
    # What other processes launched is compared when it is known.
    while True:
        time.sleep(0.02)
        world.synchronize()
except tilec.Error as error:
    print(f"{type(error).__name__}: {error}")
    print(world.failure())
    if sys.argv[1] == "end":
        os._exit(3)
    world.reset()
    program(a, zeros(8, 24, code="H"), zeros(8, 8, code="H"))
    print(f"again: {program.epoch()}")
