"""Compiles the programs of these tests for the emulator: compile.py TILEC CLANG SOURCE FOLDER."""
import filecmp
import pathlib
import shutil
import subprocess
import sys

# Below FOLDER: the program, and the options of tilec.
PROGRAMS = {
    "copy": ("examples/00_copy/copy.mlir", "--world 1"),
    "product": ("examples/03_matmul/matmul.mlir", "--world 1"),
    "fixed": ("examples/03_matmul/matmul.mlir", "--world 1 --extent N=40,K=24"),
    "pitch": ("test/python/programs/pitch.mlir", "--world 1"),
    "limited": ("test/run/symptoms/slot-written-again-behind-an-acknowledgement.mlir", ""),
    "gather": ("examples/04_all_gather_matmul/all_gather_matmul.mlir", "--world 2"),
    "gather8": ("examples/04_all_gather_matmul/all_gather_matmul.mlir", "--world 2 --extent M=8"),
    "keep": ("runtime/python/programs/all_gather_matmul_keep.mlir", "--world 2"),
    "scatter": ("examples/06_matmul_reduce_scatter/matmul_reduce_scatter.mlir", "--world 2"),
    "reduce": ("examples/07_matmul_all_reduce/matmul_all_reduce.mlir", "--world 2"),
}
FLAGS = "-std=c++20 -O1 -march=native -fexcess-precision=16 -fPIC -shared -x c++".split()


def is_fresh(made, sources):
    return made.is_file() and all(made.stat().st_mtime > source.stat().st_mtime for source in sources)


def take(fresh, out):
    """Text that is the same as before is not compiled again."""
    out.mkdir(parents=True, exist_ok=True)
    for file in fresh.iterdir():
        if not (out / file.name).is_file() or not filecmp.cmp(file, out / file.name, shallow=False):
            shutil.copy(file, out)


def main(tilec, clang, source, folder):
    source, folder = pathlib.Path(source), pathlib.Path(folder)
    headers = list(source.glob("runtime/include/tilec/**/*.h")) + list(source.glob("runtime/emulator/include/**/*.h"))
    for name, (program, options) in PROGRAMS.items():
        out = folder / name
        fresh = folder / (name + ".fresh")
        subprocess.run([tilec, source / program, *options.split(), "-o", fresh], check=True)
        take(fresh, out)
        for text in out.glob("*.hip"):
            code = text.with_suffix(".so")
            if not is_fresh(code, [text, *headers]):
                subprocess.run([clang, *FLAGS, f"-I{source}/runtime/emulator/include", f"-I{source}/runtime/include", text, "-o", code], check=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
