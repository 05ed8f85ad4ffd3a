"""Packages the programs of these tests for the emulator: compile.py TILEC SOURCE FOLDER."""
import pathlib
import subprocess
import sys

# Programs, and the options of tilec.
PROGRAMS = [
    ("examples/00_copy/copy.mlir", "--world 1"),
    ("examples/03_matmul/matmul.mlir", "--world 1"),
    ("examples/03_matmul/matmul.mlir", "--world 1 --extent N=40,K=24"),
    ("test/python/programs/pitch.mlir", "--world 1"),
    ("test/python/programs/scale.mlir", "--world 1"),
    ("test/run/symptoms/slot-written-again-behind-an-acknowledgement.mlir", ""),
    ("examples/04_all_gather_matmul/all_gather_matmul.mlir", "--world 2"),
    ("examples/04_all_gather_matmul/all_gather_matmul.mlir", "--world 2 --extent M=8"),
    ("runtime/python/programs/all_gather_matmul_keep.mlir", "--world 2"),
    ("examples/06_matmul_reduce_scatter/matmul_reduce_scatter.mlir", "--world 2"),
    ("examples/07_matmul_all_reduce/matmul_all_reduce.mlir", "--world 2"),
    ("examples/07_matmul_all_reduce/matmul_all_reduce.mlir", "--world 2 --extent N=40,K=40"),
    ("runtime/python/programs/all_gather_matmul_across.mlir", "--world 2"),
    ("runtime/python/programs/matmul_reduce_scatter_across.mlir", "--world 2"),
]


def main(tilec, source, folder):
    for program, options in PROGRAMS:
        subprocess.run([tilec, pathlib.Path(source) / program, *options.split(), "--package", folder, "--emulated"], check=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
