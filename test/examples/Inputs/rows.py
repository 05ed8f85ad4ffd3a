"""rows.py FILE COUNT...: the offsets of a sparse matrix whose rows have so many entries, as .npy."""
import itertools
import sys

import npy

npy.save(sys.argv[1], [0, *itertools.accumulate(map(int, sys.argv[2:]))], "i")
