#!/usr/bin/env python3
"""Counts the loops of bench/attention/*.mlir on both AMD machines, with the tiles that are chosen, beside those of Triton's tutorial.

    bench/attention/loops.py [folder of triton_loops.py] [--tilec build/bin/tilec] [--clang clang++-22]

`n/eq` is instructions per 16x16x16 product (16x16x32 on gfx950), `non` instructions that are no matrix instructions per million multiply-adds of
a wave; the last column is the fraction of matrix peak by bench/loop_model.py, with as many workgroups as a compute unit holds. Of Triton's configurations
the one that has most of it is printed. No GPU, no time.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "bench"))
import isa_count
import loop_model

LDS = re.compile(r"launch_kernel\(\w+, arguments->workgroups, (\d+), (\d+)")


def row_of(name, assembly, lds):
    """(fraction of matrix peak, a line of the table)"""
    kernel, code = list(isa_count.hot_loops(assembly))[-1]
    products = sum(isa_count.products_of(line) for line in code if line.startswith("v_mfma"))
    others = sum(not line.startswith("v_mfma") for line in code)
    target = loop_model.target_of(assembly)
    threads = int(re.search(r"\.max_flat_workgroup_size:\s+(\d+)", assembly).group(1))
    workgroups = loop_model.resident(assembly, target, threads, lds)
    fraction = loop_model.fraction(code, target, threads, workgroups)
    about = isa_count.metadata(assembly, kernel)
    drains = sum(bool(re.search(r"s_waitcnt.*vmcnt\(0\)", line)) for line in code)
    unit = 8192 if target["arch"] == "gfx950" else 4096
    return fraction, (f"| {name} | {len(code) * unit / products:.2f} | {others * 1e6 / products:.0f} | {drains} | {about['vgpr_count']} | "
                      f"{about['vgpr_spill_count'] + about['sgpr_spill_count']}, {about['private_segment_fixed_size']} | {workgroups} | {fraction:.2f} |")


def generated(arguments, program, target):
    with tempfile.TemporaryDirectory() as folder:
        command = [arguments.tilec, ROOT / "bench" / "attention" / f"{program}.mlir", "--world", "1", "--target", target]
        text = subprocess.run([*command, "--emit=hip"], check=True, capture_output=True, text=True).stdout
        kept = subprocess.run([*command, "--until=specialize"], check=True, capture_output=True, text=True).stdout
        tiles = "x".join(re.search(rf"{name} = (\d+) : i64", kept).group(1) for name in ("BM", "BN"))
        assembly = pathlib.Path(folder, "kernel.s")
        subprocess.run([arguments.clang, "-x", "hip", "--cuda-device-only", f"--offload-arch={target}", "-nogpuinc", "-nogpulib", "-O3", "-std=c++20",
                        f"-I{ROOT}/test/isa/include", f"-I{ROOT}/runtime/include", "-S", "-o", assembly, "-"], check=True, input=text, text=True)
        return row_of(f"{program}, {target}, {tiles}", assembly.read_text(), int(LDS.findall(text)[-1][1]))[1]


def best_of_triton(folder, program, target):
    """None where there is none."""
    rows = []
    for file in sorted(pathlib.Path(folder).glob(f"{target}-{program}-*.s")):
        tiles = file.stem.removeprefix(f"{target}-{program}-")
        rows.append(row_of(f"Triton, {program}, {target}, {tiles}", file.read_text(), int(file.with_suffix(".lds").read_text())))
    return max(rows)[1] if rows else None


def main():
    parser = argparse.ArgumentParser(description="loops of attention, generated and Triton's")
    parser.add_argument("triton", nargs="?", help="where triton_loops.py has written")
    parser.add_argument("--tilec", default=os.environ.get("TILEC") or ROOT / "build" / "bin" / "tilec")
    parser.add_argument("--clang", default=os.environ.get("CLANG", "clang++-22"))
    arguments = parser.parse_args()
    print("| loop | n/eq | non | waits for vmcnt(0) | vector registers | registers and bytes spilled | workgroups of a unit | of matrix peak, model |\n"
          "|---|---|---|---|---|---|---|---|")
    for target in ("gfx942", "gfx950"):
        for program in ("plain", "causal"):
            print(generated(arguments, program, target), flush=True)
            other = best_of_triton(arguments.triton, program, target) if arguments.triton else None
            if other:
                print(other, flush=True)


if __name__ == "__main__":
    main()
