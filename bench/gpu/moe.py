"""Times a mixture of experts on several GPUs (examples/16_moe) beside torch with NCCL:
moe.py KIT BUILD WORLD [--rows WORD]... [--json FILE]; `moe.py --list WORLD [WORD]...` prints what is to be compiled: label, program, options.

Measured as ranks.py measures. Who gets which token is known before: tables for all contestants are made outside of what is timed. `padded`: all slots of
all experts are sent and multiplied, by batched products; `slots` is a tilec program that does so. `ragged`: rows without gaps, sizes that the host knows,
and torch's grouped products; nothing is computed for empty slots. Rows of example 16 have no gaps either, but the host knows only how many there may be."""
import dataclasses
import math
import pathlib
import statistics
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PACKED = ROOT / "examples/16_moe/moe.mlir"
SLOTS = ROOT / "test/run/workloads/moe-by-slots.mlir"
VARIANTS = {"chosen": (PACKED, ()), "sequential": (PACKED, ("--pattern", "sequential")), "slots": (SLOTS, ())}
SLACK = 4.5  # slots beyond what comes on average, in roots of it: no token finds an expert full


def some_more(mean, step):
    return math.ceil((mean + SLACK * mean ** 0.5) / step) * step


def for_variant(variant, values):
    """What the program of a variant takes, of values by name."""
    left_out = ("R", "counts") if VARIANTS[variant][0] == SLOTS else ()
    return {name: value for name, value in values.items() if name not in left_out}


@dataclasses.dataclass(frozen=True)
class Shape:
    """Tokens of all ranks, experts of all ranks, those of a token, elements of a token and of what an expert hides."""
    tokens: int
    experts: int
    top: int
    width: int
    hidden: int

    def extents(self, world):
        """As example 16 names them: C slots for the tokens of one rank, R rows for those of all."""
        per_rank = self.tokens // world
        slots, rows = (some_more(tokens * self.top / self.experts, step) for tokens, step in ((per_rank, 8), (self.tokens, 16)))
        return {"N": per_rank, "T": self.top, "E": self.experts // world, "C": slots, "R": rows, "D": self.width, "F": self.hidden}

    def label(self, world):
        return f"MOE-{self.tokens}x{self.experts}x{self.top}x{self.width}x{self.hidden}"


SHAPES = [Shape(4096, 256, 8, 7168, 2048), Shape(1024, 64, 8, 4096, 1536), Shape(16384, 64, 8, 4096, 1536)]


def chosen_shapes(world, words):
    return [shape for shape in SHAPES if not words or any(word in shape.label(world) for word in words)]


def list_programs(world, words):
    for shape in chosen_shapes(world, words):
        for variant, (program, options) in VARIANTS.items():
            extents = ",".join(f"{name}={value}" for name, value in for_variant(variant, shape.extents(world)).items())
            print(f"{shape.label(world)}@{variant}", program, "--extent", extents, *options)


if __name__ == "__main__" and sys.argv[1:2] == ["--list"]:
    list_programs(int(sys.argv[2]), sys.argv[3:])
    sys.exit()

import torch  # noqa: E402  (what is listed needs none)
import torch.distributed as dist  # noqa: E402

import ranks  # noqa: E402

SAMPLED_TOKENS = 16


class Routing:
    """Which experts get the tokens of a rank, as each contestant wants to know it."""

    def __init__(self, sizes, rank, world):
        n, top, experts, slots, rows = sizes["N"], sizes["T"], sizes["E"] * world, sizes["C"], sizes["R"]
        scores = torch.randn(n, experts, device="cuda", generator=torch.Generator("cuda").manual_seed(300 + rank))
        weights, self.expert = scores.topk(top, dim=1)
        self.weights = weights.softmax(1)
        of_expert = torch.nn.functional.one_hot(self.expert.flatten(), experts)
        number = (of_expert.cumsum(0) - 1).gather(1, self.expert.flatten()[:, None]).view(n, top)
        counts = of_expert.sum(0)
        if counts.max() > slots:
            raise RuntimeError(f"an expert gets {int(counts.max())} tokens of rank {rank} and has {slots} slots for them")
        self.counts = counts.int()[None, :].contiguous()
        # Row of a token in all slots, expert by expert over the ranks; and the token of a slot.
        self.place = self.expert * slots + number
        token_of = torch.full((experts * slots,), -1, device="cuda")
        token_of[self.place.flatten()] = torch.arange(n, device="cuda").repeat_interleave(top)
        self.token_of = token_of.int()
        # Without gaps: pairs sorted by expert, how many rows go to each rank, and how they fall to the experts there.
        self.order = self.expert.flatten().argsort(stable=True)
        self.sorted_token = self.order // top
        self.unsorted = torch.empty_like(self.order)
        self.unsorted[self.order] = torch.arange(n * top, device="cuda")
        here = torch.empty(world, experts // world, dtype=torch.int64, device="cuda")
        dist.all_to_all_single(here, counts.view(world, -1).contiguous())
        self.sent, self.received = counts.view(world, -1).sum(1).tolist(), here.sum(1).tolist()
        of_row = torch.arange(experts // world, device="cuda").repeat(world).repeat_interleave(here.flatten())
        self.by_expert = of_row.argsort(stable=True)
        self.by_rank = torch.empty_like(self.by_expert)
        self.by_rank[self.by_expert] = torch.arange(len(self.by_expert), device="cuda")
        self.ends = here.sum(0).cumsum(0).int()
        if here.sum(0).max() > rows:
            raise RuntimeError(f"an expert gets {int(here.sum(0).max())} tokens and has {rows} rows for them")


class Experts:
    """The data of a row on this rank, and who computes it."""

    def __init__(self, shape, rank, world, heap):
        self.rank, self.world, self.heap = rank, world, heap
        self.sizes = shape.extents(world)
        n, top, experts, slots, _, width, hidden = self.sizes.values()
        self.routing = Routing(self.sizes, rank, world)
        torch.manual_seed(100 + rank)
        self.x = torch.randn(n, width, dtype=torch.bfloat16, device="cuda")
        self.gate_up = torch.randn(experts, 2 * hidden, width, dtype=torch.bfloat16, device="cuda") / width ** 0.5
        self.gate, self.up = (half.contiguous() for half in self.gate_up.chunk(2, 1))
        self.down = torch.randn(experts, width, hidden, dtype=torch.bfloat16, device="cuda") / hidden ** 0.5
        self.y = torch.empty(n, width, dtype=torch.bfloat16, device="cuda")
        self.tokens = self.routing.token_of.view(world * experts, slots)
        self.tokens_by_expert = self.tokens.view(world, experts, slots).transpose(0, 1).contiguous()
        self.slots = self.routing.place.t().contiguous().int()
        self.weights = self.routing.weights.t().contiguous()
        self.or_zeros = torch.cat([self.x, torch.zeros_like(self.x[:1])])
        self.or_last = torch.where(self.routing.token_of < 0, n, self.routing.token_of)

    def arguments(self, variant):
        """Where slots are sent they are expert after expert here, and rank after rank in them."""
        tokens = self.tokens_by_expert if VARIANTS[variant][0] == SLOTS else self.tokens
        named = {"x": self.x, "counts": self.routing.counts, "tokens": tokens, "slots": self.slots, "weights": self.weights, "gate": self.gate, "up": self.up,
                 "down": self.down, "y": self.y}
        return tuple(for_variant(variant, named).values())

    def take_weights(self, turn):
        """There are many times more than caches hold."""

    def poison(self):
        self.y.fill_(float("nan"))

    def combine(self, rows):
        self.by_torch = (rows * self.routing.weights[:, :, None]).sum(1).to(torch.bfloat16)

    def ragged(self):
        r = self.routing
        sent = self.x.index_select(0, r.sorted_token)
        received = sent.new_empty(sum(r.received), sent.shape[1])
        dist.all_to_all_single(received, sent, r.received, r.sent)
        gated, up = torch._grouped_mm(received.index_select(0, r.by_expert), self.gate_up.transpose(1, 2), r.ends).chunk(2, 1)
        done = torch._grouped_mm(torch.nn.functional.silu(gated) * up, self.down.transpose(1, 2), r.ends)
        returned = torch.empty_like(sent)
        dist.all_to_all_single(returned, done.index_select(0, r.by_rank), r.sent, r.received)
        self.combine(returned.index_select(0, r.unsorted).view(len(self.x), -1, sent.shape[1]))

    def padded(self):
        _, _, experts, slots, _, width, _ = self.sizes.values()
        sent = self.or_zeros.index_select(0, self.or_last)
        received = torch.empty_like(sent)
        dist.all_to_all_single(received, sent)
        rows = received.view(self.world, experts, slots, width).transpose(0, 1).reshape(experts, -1, width)
        gated, up = torch.bmm(rows, self.gate_up.transpose(1, 2)).chunk(2, 2)
        done = torch.bmm(torch.nn.functional.silu(gated) * up, self.down.transpose(1, 2))
        back = done.view(experts, self.world, slots, width).transpose(0, 1).reshape(sent.shape)
        returned = torch.empty_like(sent)
        dist.all_to_all_single(returned, back)
        self.combine(returned.index_select(0, self.routing.place.flatten()).view(len(self.x), -1, width))

    def rivals(self):
        yield ranks.Contestant("torch, padded + NCCL", self.padded, lambda: self.by_torch)
        yield ranks.Contestant("torch, ragged + NCCL", self.ragged, lambda: self.by_torch)

    def reference(self):
        """Some tokens, and what they should be in float64: each rank computes what its experts make of them."""
        n, _, experts, _, _, width, _ = self.sizes.values()
        rows = torch.randperm(n, generator=torch.Generator().manual_seed(7))[:SAMPLED_TOKENS].cuda()
        sums = []
        for owner in range(self.world):
            x, expert, weight = self.x[rows].double(), self.routing.expert[rows], self.routing.weights[rows].double()
            for tensor in (x, expert, weight):
                dist.broadcast(tensor, owner)
            total = torch.zeros(len(rows), width, dtype=torch.float64, device="cuda")
            for token, place in (expert // experts == self.rank).nonzero().tolist():
                e = int(expert[token, place]) % experts
                gated, up = self.gate[e].double() @ x[token], self.up[e].double() @ x[token]
                total[token] += weight[token, place] * (self.down[e].double() @ (torch.nn.functional.silu(gated) * up))
            dist.all_reduce(total)
            sums.append(total)
        return rows, sums[self.rank]


class MoeBench(ranks.Bench):
    def programs(self, product, label):
        for folder in sorted(self.kit.glob(f"programs/{label}@*")):
            variant = folder.name.split("@")[1]
            program = ranks.Program(self.tilec, folder, list(for_variant(variant, product.sizes).values()), self.heap)
            arguments = product.arguments(variant)
            yield program, ranks.Contestant(f"tilec {variant}", lambda program=program, arguments=arguments: program.launch(arguments), lambda: product.y)

    def run_row(self, shape):
        product = Experts(shape, self.rank, self.world, self.heap)
        label = shape.label(self.world)
        rows, wanted = product.reference()
        results, failed = self.compete(product, product.rivals(), list(self.programs(product, label)), rows, wanted)
        n, top, _, slots, per_expert, width, hidden = product.sizes.values()
        return {"row": label, "flops": 6 * n * top * width * hidden, "sent_bytes": 4 * n * top * width * (self.world - 1) // self.world, "slots": slots, "rows": per_expert,
                "failed": failed, "results": results}


def show(measured):
    print(f"{measured['row']}: {measured['slots']} slots, {measured['rows']} rows, {measured['flops'] / 1e12:.2f} TFlop a rank, {measured['sent_bytes'] / 1e6:.0f} MB sent by each")
    rivals = [r for r in measured["results"] if r["contestant"].startswith("torch")]
    for r in measured["results"]:
        over = "  ".join(f"{rival['contestant']} / it {statistics.median(b / t for b, t in zip(rival['rounds'], r['rounds'])):.3f}" for rival in rivals)
        steady = f"  steady {r['steady_microseconds']:9.1f} us" if r["steady_microseconds"] else ""
        print(f"  {r['contestant']:24} {r['microseconds']:9.1f} us  p95 {r['p95']:9.1f}  {over}  error {r['error']:.1e}{steady}")
    for name in measured["failed"]:
        print(f"  {name:24} FAILED")
    sys.stdout.flush()


def all_shapes(options):
    return chosen_shapes(options.world, options.rows)


if __name__ == "__main__":
    ranks.main(MoeBench, all_shapes, show)
