#!/usr/bin/env python3
"""Prints what `tilec explain` predicts of loops beside what the model of bench/loop_model.py says of their assembly.

    bench/loop_prediction.py [--bound 0.1] [--only gfx950] [--tilec build/bin/tilec] [--clang clang++-22]

Both are fractions of matrix peak. The prediction is made before there is a loop, from the rates of the target file; the other one
runs the loop that clang makes of the text. Exit status 1 where one of them is further from the other than the bound, as a part of
the counted one. No GPU, no time.
"""
import argparse
import dataclasses
import os
import pathlib
import re
import shutil
import subprocess
import sys

import isa_count
import loop_model

ROOT = pathlib.Path(__file__).resolve().parent.parent
PREDICTED = re.compile(r"^  loop of .*\n    (\S+), waves=(\d+),slots=(\d+) .*kclk +([0-9.]+) of peak by ([A-Za-z ]+?)  ", re.MULTILINE)
LDS = re.compile(r"launch_kernel\(\w+, arguments->workgroups, (\d+), (\d+)")


@dataclasses.dataclass(frozen=True)
class Loop:
    target: str
    program: str
    tiles: tuple = ()  # rows, columns, depth; else chosen
    schedule: str = ""
    size: int = 8192

    def name(self):
        words = [self.target, pathlib.Path(self.program).stem, "x".join(map(str, self.tiles)) or "chosen", self.schedule]
        return " ".join(word for word in words if word)

    def options(self):
        words = ["--target", self.target, "--world", "1", "--extent", f"M={self.size},N={self.size},K={self.size}"]
        if self.tiles:
            words += ["--param", ",".join(f"{name}={size}" for name, size in zip(("BM", "BN", "BK"), self.tiles))]
        return words + ([f"--schedule={self.schedule}"] if self.schedule else [])


PLAIN = "bench/gpu/matmul.mlir"
LOOPS = [
    *(Loop(target, PLAIN, tiles) for target in ("gfx942", "gfx950") for tiles in ((), (256, 128, 32), (128, 128, 32), (256, 256, 16))),
    Loop("gfx950", PLAIN, (128, 128, 64)),
    Loop("gfx950", PLAIN, (128, 128, 32), "slots=2"),
    Loop("gfx942", PLAIN, (128, 128, 32), "waves=8"),
    Loop("gfx942", "bench/products/f8_gfx942.mlir"),
    Loop("gfx950", "bench/products/f8_gfx950.mlir"),
    Loop("gfx942", "bench/products/i8.mlir"),
    Loop("gfx950", "bench/products/i8.mlir"),
]


def run(command, **more):
    return subprocess.run(command, check=True, capture_output=True, text=True, **more).stdout


def predicted(tilec, loop):
    """(fraction, what bounds it)"""
    found = PREDICTED.search(run([tilec, "explain", ROOT / loop.program, *loop.options()]))
    return float(found.group(4)), found.group(5)


def counted(tilec, clang, loop):
    text = run([tilec, ROOT / loop.program, *loop.options(), "--emit=hip"])
    assembly = run([clang, "-x", "hip", "--cuda-device-only", f"--offload-arch={loop.target}", "-nogpuinc", "-nogpulib", "-O3", "-std=c++20",
                    f"-I{ROOT}/test/isa/include", f"-I{ROOT}/runtime/include", "-S", "-o", "-", "-"], input=text)
    threads, lds = map(int, LDS.findall(text)[-1])
    target = loop_model.target_of(assembly)
    code = [lines for _, lines in isa_count.hot_loops(assembly)][-1]
    workgroups = loop_model.resident(assembly, target, threads, lds)
    return loop_model.fraction(code, target, threads, workgroups, latency=target["times"]["load_clocks"])


def main():
    parser = argparse.ArgumentParser(description="predicted and counted loops")
    parser.add_argument("--bound", type=float, default=0.1, help="largest error, as a part of what is counted")
    parser.add_argument("--only", default="", help="loops whose name has this in it")
    parser.add_argument("--tilec", default=os.environ.get("TILEC") or shutil.which("tilec") or ROOT / "build" / "bin" / "tilec")
    parser.add_argument("--clang", default=os.environ.get("CLANG", "clang++-22"))
    arguments = parser.parse_args()
    print("| loop | predicted | bound by | counted | error |\n|---|---|---|---|---|")
    worst = 0.0
    for loop in LOOPS:
        if arguments.only not in loop.name():
            continue
        fraction, bound = predicted(arguments.tilec, loop)
        reached = counted(arguments.tilec, arguments.clang, loop)
        error = (fraction - reached) / reached
        worst = max(worst, abs(error))
        print(f"| {loop.name()} | {fraction:.2f} | {bound} | {reached:.2f} | {error:+.2f} |", flush=True)
    if worst > arguments.bound:
        sys.exit(f"an error of {worst:.2f}, expected at most {arguments.bound}")


if __name__ == "__main__":
    main()
