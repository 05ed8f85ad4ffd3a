"""The rows of bench/gpu: programs, their arguments, what else computes the same, and a reference in float64.

`python3 rows.py` prints what is to be compiled: label, program and options of tilec, one row a line."""
import dataclasses
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BF16, FP8 = "bfloat16", "float8_e4m3fn"


@dataclasses.dataclass(frozen=True)
class Row:
    label: str
    program: str  # path from the root
    kind: str  # which of the builders of problems.py
    extents: tuple  # (name, value), in the order of the program
    dtype: str = BF16
    causal: bool = False
    fast: bool = False  # sums of eight-bit floats may keep fewer bits, on both sides
    chained: bool = False  # launches follow one another over at least 1 GB of weights, instead of single ones with the L2 flushed
    across: bool = False  # the right operand lies K x N
    left_across: bool = False  # the left operand lies K x M
    parameters: tuple = ()  # (name, value); else chosen

    @property
    def sizes(self):
        return dict(self.extents)

    def options(self):
        words = ["--extent", ",".join(f"{name}={value}" for name, value in self.extents)]
        if self.parameters:
            words += ["--param", ",".join(f"{name}={value}" for name, value in self.parameters)]
        return words


def product(m, n, k, dtype=BF16, fast=False, across=False, **more):
    way = "gradient" if across and more.get("left_across") else "across" if across else ""
    kind = ("_fp8" if dtype == FP8 else "") + ("_fast" if fast else "") + ("_" + way if way else "")
    name = ("fp8-fast" if fast else "fp8" if dtype == FP8 else "bf16") + ("-" + way if way else "")
    return Row(f"{name}-{m}x{n}x{k}", f"bench/gpu/matmul{kind}.mlir", "product", (("M", m), ("N", n), ("K", k)), dtype, fast=fast, across=across, **more)


def int4(m, n, k):
    """Weights of four bits."""
    return Row(f"int4-{m}x{n}x{k}", "bench/gpu/int4_few.mlir", "int4", (("M", m), ("N", n), ("K", k)), chained=True)


def attention(causal):
    name = "attention-causal" if causal else "attention"
    return Row(name, f"bench/gpu/{name.replace('-', '_')}.mlir", "attention", (("H", 32), ("T", 16384)), causal=causal)


def decode(t, batch=1):
    """Of 96 query heads and 12 of keys and values; sequences of a batch are further heads."""
    label = f"decode-{t}" if batch == 1 else f"decode-{batch}x{t}"
    return Row(label, "bench/gpu/decode.mlir", "decode", (("H", 12 * batch), ("T", t)))


def rowwise(kind, program, m, n):
    extents = (("M", m), ("N", n)) if n else (("M", m),)
    return Row(kind.replace("_", "-"), program, kind, extents)

def experts(kind, e, m, n, k):
    """A product for each expert; `experts_gated`, the first two of a gated expert."""
    return Row(f"{kind.replace('_', '-')}-{e}x{m}x{n}x{k}", f"bench/gpu/{kind}.mlir", kind, (("E", e), ("M", m), ("N", n), ("K", k)))


UNITS = 132


# Programs for scales of blocks: rows and columns of a task, and what a step of a depth of 128 takes on an H200, in us (docs/figures.md).
BLOCK_TASKS = {"matmul_block_fp8": (256, 128, 0.91), "matmul_block_fp8_wide": (128, 192, 0.71), "matmul_block_fp8_few": (128, 128, 0.49)}


def step_of_all(m, n, task):
    """What all rounds of tasks on an H200 take for a step."""
    rows, columns, step = task
    return -(-(-(-m // rows) * -(-n // columns)) // UNITS) * step


def block_scaled(m, n, k):
    """Of eight-bit floats, a scale for each 128 of a row of the left operand and for each 128 x 128 of the right one: by the program whose
    rounds take least."""
    program = min(BLOCK_TASKS, key=lambda name: step_of_all(m, n, BLOCK_TASKS[name]))
    return Row(f"fp8-block-{m}x{n}x{k}", f"bench/gpu/{program}.mlir", "block_scaled", (("M", m), ("N", n), ("K", k)), FP8)


def qwen3_layer(batch, tokens):
    """A layer of Qwen3-8B for the next token of each sequence of a batch, behind so many that the cache holds."""
    extents = (("B", batch), ("S", tokens), ("D", 4096), ("H", 8), ("F", 12288))
    # With a sequence for every other unit, few shares of the tokens are enough.
    parameters = (("SPLITS", 16), ("KEYS", 64)) if batch < 4 else (("SPLITS", 4), ("KEYS", 128))
    return Row(f"qwen3-layer-{batch}x{tokens}", "bench/gpu/qwen3_layer.mlir", "qwen3_layer", extents, parameters=parameters)


PRODUCTS = [(8192, 7168, 8192), (8192, 3584, 4096), (8192, 2048, 8192), (8192, 8192, 7168), (8192, 4096, 3584), (2048, 7168, 8192),
            (8192, 8192, 2048), (4096, 4096, 4096), (4096, 3584, 4096), (8192, 8192, 8192), (1000, 1144, 1096), (1000, 1144, 64), (1000, 1144, 1088), (1000, 1144, 2176)]
FP8_PRODUCTS = [(8192, 7168, 8192), (8192, 8192, 8192), (4096, 4096, 4096)]
# Those of DeepSeek-V3 behind a square one.
BLOCK_SCALED = [(4096, 4096, 4096), (4096, 7168, 16384), (4096, 24576, 1536), (4096, 2112, 7168), (4096, 7168, 2048), (128, 7168, 2048)]
# Fewer tiles than units, and a long depth: what sharing a tile between tasks is for, and what it is not.
DEEP_PRODUCTS = [(128, 2048, 8192), (256, 1024, 8192), (64, 1024, 7168), (64, 2048, 4096), (128, 1024, 4096), (256, 512, 16384),
                 (64, 512, 7168), (128, 512, 8192), (16, 2048, 8192), (32, 1024, 4096), (16, 4096, 8192), (1, 4096, 8192),
                 (16, 3584, 4096), (64, 2048, 2048), (64, 1024, 2048), (64, 4096, 7168), (256, 2048, 4096), (128, 4096, 4096),
                 (512, 1024, 8192)]
# Rows that are no multiple of a tile's.
ODD_PRODUCTS = [(208, 7168, 2048), (208, 7168, 7168), (300, 4096, 4096), (400, 8192, 4096), (600, 4096, 4096), (40, 4096, 8192), (1500, 4096, 4096)]
# Rows that begin within a sector of the L2.
UNALIGNED_PRODUCTS = [(4096, 4096, 4104)]
# Tiles of 256 columns fill the last round of the units badly; across, there is no width between 128 and 256.
UNEVEN_PRODUCTS = [(4096, 2112, 7168), (5120, 5120, 5120), (3072, 3072, 8192), (2304, 4096, 4096), (1500, 4096, 4096)]
ACROSS_PRODUCTS = [(8192, 8192, 8192), (4096, 4096, 4096), *UNEVEN_PRODUCTS, (2048, 7168, 8192)]
# Many more rows than columns: tiles of the transpose fill the last round better, though rows are whole tiles of 128.
TALL_PRODUCTS = [(10240, 1024, 4096), (7168, 2048, 4096), (14336, 512, 4096), (9216, 1536, 4096), (6144, 3072, 4096)]
# Of weights, over tokens: both operands have their depth down the rows.
GRADIENTS = [(8192, 8192, 8192), (4096, 4096, 4096), (8192, 7168, 8192), *TALL_PRODUCTS, (1000, 1144, 1096)]
KERNELS = "examples/18_kernels/"

ROWS = [
    *(product(*shape) for shape in PRODUCTS),
    *(product(*shape) for shape in DEEP_PRODUCTS),
    *(product(*shape) for shape in ODD_PRODUCTS),
    *(product(*shape) for shape in UNALIGNED_PRODUCTS),
    *(product(*shape) for shape in UNEVEN_PRODUCTS[:-1]),
    *(product(*shape, dtype=FP8, fast=fast) for fast in (False, True) for shape in FP8_PRODUCTS),
    *(product(*shape, **kind) for kind in ({}, {"dtype": FP8}, {"across": True}) for shape in TALL_PRODUCTS),
    *(block_scaled(*shape) for shape in BLOCK_SCALED),
    *(product(*shape, across=True) for shape in ACROSS_PRODUCTS),
    *(product(*shape, across=True, left_across=True) for shape in GRADIENTS),
    *(product(m, 8192, k, chained=True) for k in (7168, 28672) for m in (1, 16, 64)),
    *(product(m, 8192, 7168, across=True, chained=True) for m in (1, 16, 64)),
    *(int4(m, 8192, 8192) for m in (1, 16, 64)),
    *(experts(kind, e, m, *sides) for e, m in ((64, 208), (64, 128), (64, 40), (8, 1000))
      for kind, sides in (("experts_gated", (2048, 7168)), ("experts", (7168, 2048)))),
    attention(causal=False),
    attention(causal=True),
    *(decode(t) for t in (8192, 32768, 131072, 262144)), decode(8192, 4), decode(8192, 16), decode(32768, 4),
    *(qwen3_layer(batch, 4096) for batch in (1, 8)),
    rowwise("softmax", KERNELS + "softmax.mlir", 16384, 8192),
    rowwise("rms_norm", "test/run/workloads/rms-norm.mlir", 16384, 8192),
    rowwise("layer_norm", KERNELS + "layer_norm.mlir", 131072, 0),
    rowwise("elementwise", KERNELS + "elementwise.mlir", 16384, 8192),
    rowwise("transpose", KERNELS + "transpose.mlir", 16384, 8192),
]

if __name__ == "__main__":
    for row in ROWS:
        if len(sys.argv) < 2 or any(word in row.label for word in sys.argv[1:]):
            print(row.label, ROOT / row.program, *row.options())
