"""The rows of bench/gpu/ranks: fused products on several GPUs, the shapes and the patterns.

`python3 ranks_rows.py WORLD [WORD]...` prints what is to be compiled: label, program and options of tilec, one row and pattern a line."""
import dataclasses
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
CHOSEN = "chosen"


@dataclasses.dataclass(frozen=True)
class Operator:
    """A global product M x N x K over ranks, as one of the examples computes it."""
    name: str
    program: str
    patterns: tuple
    gradient: bool = False  # of weights: both operands have their depth, the tokens, down the rows

    def per_rank(self, world, m, n, k):
        """M, N and K of the product that one GPU computes."""
        return {"AG": (m, n // world, k), "AS": (m, n // world, k), "RS": (m, n, k // world), "AR": (m, n, k // world)}[self.name]

    def extents(self, world, m, n, k):
        """The program's own: rows of its shard where it has one."""
        rows, columns, depth = self.per_rank(world, m, n, k)
        return {"M": rows // world if self.name in ("AG", "RS") else rows, "N": columns, "K": depth}


EXAMPLES = "examples/"
OPERATORS = {
    "AG": Operator("AG", "bench/gpu/gather_matmul.mlir", (CHOSEN, "bulk-push", "specialized-push", "specialized-copy-engine")),
    "RS": Operator("RS", "bench/gpu/matmul_scatter.mlir", (CHOSEN, "bulk-pull", "sequential-push", "sequential-copy-engine")),
    "RS of gradients": Operator("RS", "bench/gpu/gradient_scatter.mlir", (CHOSEN, "bulk-pull", "sequential-push"), gradient=True),
    "AS": Operator("AS", EXAMPLES + "05_matmul_all_scatter/matmul_all_scatter.mlir", (CHOSEN, "bulk-push", "sequential-push", "sequential-copy-engine")),
    "AR of few rows": Operator("AR", "bench/gpu/matmul_all_reduce.mlir", (CHOSEN, "sequential-push-one-shot", "sequential-push-two-shot")),
    "AR": Operator("AR", "bench/gpu/matmul_all_reduce.mlir", (CHOSEN, "bulk-push-two-shot", "sequential-push-two-shot", "sequential-copy-engine-two-shot")),
}


@dataclasses.dataclass(frozen=True)
class Row:
    operator: Operator
    sizes: tuple  # of the global product on four ranks; a world of another size keeps what one GPU computes

    def shape(self, world):
        m, n, k = self.sizes
        per_rank = 4
        if self.operator.name in ("AG", "AS"):
            return m, n // per_rank * world, k
        return m, n, k // per_rank * world

    def label(self, world):
        return ("gradient-" if self.operator.gradient else "") + self.operator.name + "-" + "x".join(map(str, self.shape(world)))


def rows(*words):
    operator, *sizes = words
    return [Row(OPERATORS[operator], size) for size in sizes]


ROWS = [
    *rows("AG", (8192, 28672, 8192), (8192, 14336, 4096), (8192, 8192, 8192), (2048, 28672, 8192)),
    *rows("RS", (8192, 8192, 28672), (8192, 4096, 14336), (8192, 8192, 8192), (2048, 8192, 28672)),
    *rows("RS of gradients", (8192, 8192, 28672), (8192, 8192, 8192)),
    *rows("AS", (8192, 28672, 8192), (8192, 4608, 36864)),
    *rows("AR", (2048, 7168, 4096), (28000, 7168, 4096)),
    *rows("AR of few rows", *((m, n, k) for n, k in ((8192, 28672), (8192, 8192), (5120, 25600)) for m in (1, 4, 16, 32, 64, 128))),
]

# What `choose` is judged by, in every pattern: the first half may be fitted to, the second is held out.
FITTED = [
    *rows("AG", (4096, 14336, 4096), (1024, 28672, 8192), (256, 8192, 8192)),
    *rows("RS", (4096, 4096, 14336), (1024, 8192, 28672), (256, 8192, 8192)),
    *rows("AS", (4096, 14336, 4096), (1024, 8192, 8192), (128, 28672, 8192)),
    *rows("AR", (1024, 8192, 28672), (256, 5120, 25600)),
    *rows("AR of few rows", (8, 8192, 8192)),
]
HELD_OUT = [
    *rows("AG", (8192, 18432, 7168), (2048, 10240, 5120), (512, 57344, 8192)),
    *rows("RS", (8192, 7168, 18432), (2048, 5120, 10240), (1536, 4096, 14336)),
    *rows("AS", (2048, 18432, 7168), (512, 10240, 5120), (4096, 4608, 16384)),
    *rows("AR", (4096, 7168, 4096)),
    *rows("AR of few rows", (64, 8192, 28672), (2, 5120, 25600)),
]


def chosen_rows(world, words, among=None):
    return [row for row in among or ROWS if not words or any(word in row.label(world) for word in words)]


def extents_of(row, world):
    return ",".join(f"{name}={value}" for name, value in row.operator.extents(world, *row.shape(world)).items())


if __name__ == "__main__":
    ranks = int(sys.argv[1])
    for row in chosen_rows(ranks, sys.argv[2:]):
        for pattern in row.operator.patterns:
            print(f"{row.label(ranks)}@{pattern}", ROOT / row.operator.program, "--extent", extents_of(row, ranks), *([] if pattern == CHOSEN else ["--pattern", pattern]))
