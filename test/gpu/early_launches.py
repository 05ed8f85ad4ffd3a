"""Launches that read what the launch before wrote, on an NVIDIA GPU with torch: early_launches.py KIT BUILD

KIT/programs/mROWS holds bench/gpu/matmul.mlir for M = ROWS, N = K = 8192, and bench/gpu/run --build KIT made BUILD. The right operand permutes
columns, so that a chain of products is exact. Eager launches, graphs and both without a pause, some of them between kernels of torch. Workgroups
of such launches come early: without griddepcontrol.wait in the device headers most elements are wrong."""
import pathlib
import re
import sys

import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench" / "gpu"))
from libraries import Tilec

COLUMNS, STEPS, CHAINS, REPLAYS, MIXED = 8192, 50, 20, 40, 10


class Chain:
    """STEPS times two products, from `a` to `b` and back; with `mixed` kernels of torch are between some of them."""

    def __init__(self, program, rows, permutation, weights, mixed):
        self.program, self.permutation, self.weights, self.mixed = program, permutation, weights, mixed
        self.start = torch.randn(rows, COLUMNS, device="cuda").bfloat16()
        self.a, self.b = self.start.clone(), torch.empty_like(self.start)

    def launch(self):
        for i in range(STEPS):
            self.program.launch([self.a, self.weights, self.b])
            if self.mixed and i % 3 == 0:
                self.b.neg_()
            self.program.launch([self.b, self.weights, self.a])
            if self.mixed and i % 5 == 0:
                self.a.mul_(2)
                self.a.mul_(0.5)

    def expected(self, chains):
        x = self.start
        for i in range(chains * STEPS):
            x = x[:, self.permutation]
            if self.mixed and i % STEPS % 3 == 0:
                x = -x
            x = x[:, self.permutation]
        return x

    def wrong(self, chains, *parts):
        """Elements that are not as they should be after parts that launch so many chains together."""
        self.a.copy_(self.start)
        for part in parts:
            part()
        torch.cuda.synchronize()
        return int((self.a != self.expected(chains)).sum())

    def count_wrong(self):
        graph = torch.cuda.CUDAGraph()
        eager = sum(self.wrong(1, self.launch) for _ in range(CHAINS))
        with torch.cuda.graph(graph):
            self.launch()
        replayed = sum(self.wrong(1, graph.replay) for _ in range(REPLAYS))
        return eager + replayed + sum(self.wrong(3, graph.replay, self.launch, graph.replay) for _ in range(MIXED))


def main():
    kit, build = map(pathlib.Path, sys.argv[1:3])
    torch.manual_seed(1)
    tilec = Tilec(build / "libtilec_runtime.so")
    permutation = torch.randperm(COLUMNS, device="cuda")
    weights = torch.zeros(COLUMNS, COLUMNS, dtype=torch.bfloat16, device="cuda")
    weights[torch.arange(COLUMNS, device="cuda"), permutation] = 1
    total = 0
    for folder in sorted((kit / "programs").glob("m*")):
        rows = int(re.fullmatch("m([0-9]+)", folder.name).group(1))
        program = tilec.load(folder, [rows, COLUMNS, COLUMNS])
        wrong = sum(Chain(program, rows, permutation, weights, mixed).count_wrong() for mixed in (False, True))
        print(f"{rows} rows: {wrong} elements are wrong")
        total += wrong
    sys.exit(total != 0)


if __name__ == "__main__":
    main()
