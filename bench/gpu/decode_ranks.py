"""Times decoding over keys and values that are spread over several GPUs beside split kernels and NCCL:
decode_ranks.py KIT BUILD WORLD [--rows WORD]... [--steady] [--json FILE]; `decode_ranks.py --list WORLD [WORD]...` prints what is to be compiled: label, program,
options.

Measured as ranks.py measures. A rival attends to what its GPU holds with torch's flash kernels, which split the tokens themselves, gathers means and logarithms of all GPUs
with one group of NCCL's calls, and merges them with one kernel. `alone` leaves out all that is behind the attention. tilec's programs: `merged` merges the splits of a rank
before it sends (bench/gpu/decode_across.mlir), `parts` sends each split (bench/gpu/decode_parts_across.mlir)."""
import dataclasses
import math
import pathlib
import statistics
import sys

import rows

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
GIVEN = {("decode-4x8192", "parts"): ("--param", "SPLITS=5")}  # the model's 2 take 72 us, these 63
VARIANTS = {"merged": ROOT / "bench/gpu/decode_across.mlir", "parts": ROOT / "bench/gpu/decode_parts_across.mlir"}
LINK_GB_PER_S, PLAIN_READ_GB_PER_S, READ_SHARE, BESIDES_MICROSECONDS = 361, 4504, 0.93, 10


@dataclasses.dataclass(frozen=True)
class Row:
    """Heads of keys and values of all sequences, and the tokens of each that one GPU holds."""
    label: str
    heads: int
    tokens: int

    def extents(self):
        return {"H": self.heads, "T": self.tokens}


ROWS = [Row(row.label, row.sizes["H"], row.sizes["T"]) for row in rows.ROWS if row.kind == "decode"]


def chosen_rows(words):
    return [row for row in ROWS if not words or any(word in row.label for word in words)]


if __name__ == "__main__" and sys.argv[1:2] == ["--list"]:
    for one in chosen_rows(sys.argv[3:]):
        for variant, program in VARIANTS.items():
            print(f"{one.label}@{variant}", program, "--extent", ",".join(f"{name}={value}" for name, value in one.extents().items()), *GIVEN.get((one.label, variant), ()))
    sys.exit()

import torch  # noqa: E402  (what is listed needs none)
import torch.distributed as dist  # noqa: E402

import ranks  # noqa: E402

DEPTH, QUERIES = 128, 8
CHECKED_HEADS = 4


class Context:
    """The keys and values of a row that this rank holds, and who attends to all of them."""

    def __init__(self, row, rank, world, heap, probe, steady):
        self.row, self.rank, self.world, self.probe = row, rank, world, probe
        heads, tokens = row.heads, row.tokens
        torch.manual_seed(100)
        self.q = torch.randn(heads, QUERIES, DEPTH, device="cuda").to(torch.bfloat16)  # the same everywhere
        torch.manual_seed(101 + rank)
        copies = math.ceil(ranks.STEADY_WEIGHTS / self.kv_bytes()) if steady else 1
        first = tuple(torch.randn(heads, tokens, DEPTH, dtype=torch.bfloat16, device="cuda") for _ in range(2))
        self.caches = [first] + [tuple(tensor.clone() for tensor in first) for _ in range(copies - 1)]  # so many that the L2 cannot hold them
        self.take_weights(0)
        self.o = torch.empty(heads, QUERIES, DEPTH, dtype=torch.bfloat16, device="cuda")
        self.means = torch.empty(world, QUERIES, heads, DEPTH, dtype=torch.bfloat16, device="cuda")
        self.logs = torch.empty(world, heads, QUERIES, device="cuda")
        self.merged = torch.empty_like(self.o)

    def kv_bytes(self):
        return 2 * self.row.heads * self.row.tokens * DEPTH * 2

    def take_weights(self, turn):
        self.k, self.v = self.caches[turn % len(self.caches)]

    def arguments(self):
        return self.q, self.k, self.v, self.o

    def poison(self):
        for tensor in (self.o, self.means, self.logs, self.merged):
            tensor.fill_(float("nan"))

    def flash(self):
        return torch.ops.aten._scaled_dot_product_flash_attention(self.q[None], self.k[None], self.v[None])[:2]

    def with_nccl(self):
        mean, log = self.flash()
        with dist._coalescing_manager():
            dist.all_gather_into_tensor(self.means, mean.transpose(1, 2).contiguous())  # which flash leaves so: nothing is copied
            dist.all_gather_into_tensor(self.logs, log)
        self.probe.merge(self.means, self.logs, self.merged)

    def rivals(self):
        yield ranks.Contestant("torch flash alone", self.flash, None)
        yield ranks.Contestant("torch flash + NCCL + merge", self.with_nccl, lambda: self.merged)

    def reference(self):
        """Some heads, and what they should be in float64."""
        heads = torch.arange(0, self.row.heads, max(1, self.row.heads // CHECKED_HEADS), device="cuda")
        q, k, v = (t[heads].double() for t in (self.q, self.k, self.v))
        scores = q @ k.transpose(1, 2) / math.sqrt(DEPTH)
        highest = scores.amax(-1, keepdim=True)
        dist.all_reduce(highest, dist.ReduceOp.MAX)
        weights = (scores - highest).exp()
        sums, total = weights.sum(-1, keepdim=True), weights @ v
        for tensor in (sums, total):
            dist.all_reduce(tensor)
        return heads, total / sums


class DecodeBench(ranks.Bench):
    def programs(self, context):
        for folder in sorted(self.kit.glob(f"programs/{context.row.label}@*")):
            program = ranks.Program(self.tilec, folder, list(context.row.extents().values()), self.heap)
            yield program, ranks.Contestant(f"tilec {folder.name.split('@')[1]}", lambda program=program: program.launch(context.arguments()), lambda: context.o)

    def run_row(self, row):
        context = Context(row, self.rank, self.world, self.heap, self.probe, self.options.steady)
        heads, wanted = context.reference()
        results, failed = self.compete(context, context.rivals(), list(self.programs(context)), heads, wanted)
        bound = context.kv_bytes() / (READ_SHARE * PLAIN_READ_GB_PER_S) * 1e-3 + BESIDES_MICROSECONDS
        return {"row": row.label, "kv_bytes": context.kv_bytes(), "bound_microseconds": bound, "failed": failed, "results": results}


def show(measured):
    print(f"{measured['row']}: {measured['kv_bytes'] / 1e6:.0f} MB of keys and values a rank, bound {measured['bound_microseconds']:.1f} us")
    rival = next((r for r in measured["results"] if "NCCL" in r["contestant"]), measured["results"][0])
    for r in measured["results"]:
        over = statistics.median(b / t for b, t in zip(rival["rounds"], r["rounds"]))
        steady = f"  steady {r['steady_microseconds']:9.1f} us" if r["steady_microseconds"] else ""
        print(f"  {r['contestant']:28} {r['microseconds']:9.1f} us  p95 {r['p95']:9.1f}  NCCL / it {over:6.3f}  error {r['error']:.1e}{steady}")
    for name in measured["failed"]:
        print(f"  {name:28} FAILED")
    sys.stdout.flush()


def all_rows(options):
    return chosen_rows(options.rows)


if __name__ == "__main__":
    ranks.main(DecodeBench, all_rows, show)
