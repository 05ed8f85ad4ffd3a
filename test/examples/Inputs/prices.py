"""prices.py PREFIX N: N prices of stocks, strikes and years of options as PREFIX.price.npy, PREFIX.strike.npy and PREFIX.years.npy."""
import random
import sys

import npy

prefix, count = sys.argv[1], int(sys.argv[2])
draw = random.Random(1)
price = [draw.uniform(5, 30) for _ in range(count)]
npy.save(f"{prefix}.price.npy", price, "f")
npy.save(f"{prefix}.strike.npy", [p * draw.uniform(0.75, 1.3) for p in price], "f")
npy.save(f"{prefix}.years.npy", [draw.uniform(0.2, 10) for _ in range(count)], "f")
