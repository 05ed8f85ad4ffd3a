"""Times the fused operators of examples 04 to 07 on several GPUs beside cuBLASLt, NCCL and torch's symmetric memory:
ranks.py KIT BUILD WORLD [--rows WORD]... [--choices] [--steady] [--json FILE]

A process for each rank. All contestants of a row work in the same processes on the same buffers and take turns in every round. Each launch
is eager: the L2 is emptied by reading, the device sleeps until the host has enqueued what follows, the ranks meet, then come start event,
operator, end event. A time is the greatest over the ranks; ratios are medians over the rounds of ratios within one. Outputs are poisoned before they
are compared with sums in float64. With --steady also the time of one of 50 launches in a graph, which no flush parts; copies of the weights, 1 GB of them, take
turns, as the layers of a network do."""
import argparse
import datetime
import json
import math
import os
import pathlib
import statistics
import sys
import time

import torch
import torch.distributed as dist
import torch.distributed._symmetric_memory as symmetric
import torch.multiprocessing as multiprocessing

from libraries import Cublas, Heap, Probe, Program, Tilec
from ranks_rows import FITTED, HELD_OUT, chosen_rows

ROUNDS, WARM_ROUNDS = 15, 3
SLEEP_CYCLES = 2_000_000  # about a millisecond
SAMPLED_ROWS = 64
STEADY_LAUNCHES, STEADY_ROUNDS, STEADY_WEIGHTS = 50, 7, 1 << 30
LINK_GB_PER_S, HOP_MICROSECONDS = 361, 3
UNITS, TILE = 132, 128 * 256


class Contestant:
    """`launch()` enqueues the work; what it wrote is `output()`."""

    def __init__(self, name, launch, output):
        self.name, self.launch, self.output = name, launch, output
        self.times, self.error = [], None
        self.graph, self.written, self.steady = None, None, []


class Product:
    """The data of a row on this rank, and who computes it."""

    def __init__(self, row, rank, world, heap, steady):
        self.row, self.rank, self.world = row, rank, world
        self.kind = row.operator.name
        self.m, self.n, self.k = row.operator.per_rank(world, *row.shape(world))
        m, n, k = self.m, self.n, self.k
        gathers, gradient = self.kind == "AG", row.operator.gradient
        self.shard = m // world
        # A rank's own rows lie where the others expect them, for all contestants.
        self.full = heap.empty(*((k, m) if gradient else (m, k)))
        self.mine = slice(rank * self.shard, (rank + 1) * self.shard) if gathers else slice(None)
        self.a = self.full[self.mine]
        self.b = heap.empty(*((k, n) if gradient else (n, k)))
        result = {"AG": (m, n), "RS": (self.shard, n), "AS": (m, world * n), "AR": (m, n)}[self.kind]
        self.c = heap.empty(*result)
        torch.manual_seed(100 + rank)
        for tensor in (self.a, self.b):
            tensor.copy_(torch.randn_like(tensor))
        if gathers:
            dist.all_gather_into_tensor(self.full, self.a)
        self.part = torch.empty(m, n, dtype=torch.bfloat16, device="cuda")
        self.gathered = torch.empty(world, m, n, dtype=torch.bfloat16, device="cuda") if self.kind == "AS" else None
        self.heap_tensors = (self.full, self.b, self.c)
        copies = math.ceil(STEADY_WEIGHTS / (self.b.numel() * self.b.element_size())) if steady else 1
        self.weights = [self.b] + [self.b.clone() for _ in range(copies - 1)]
        self.cublas = Cublas(m, n, k, torch.bfloat16, torch.bfloat16, across=gradient, left_across=gradient)

    def arguments(self):
        return self.full, self.b, self.c

    def take_weights(self, turn):
        self.b = self.weights[turn % len(self.weights)]

    def poison(self):
        """What a contestant has to write, and what a rank has to receive."""
        self.c.fill_(float("nan"))
        kept = self.a.clone()
        self.full.fill_(float("nan"))
        self.a.copy_(kept)

    def flops(self):
        return 2 * self.m * self.n * self.k

    def sent_bytes(self):
        """By each rank, at least."""
        shard = {"AG": self.shard * self.k, "RS": self.shard * self.n, "AS": self.m * self.n, "AR": 2 * self.shard * self.n}[self.kind]
        return (self.world - 1) * shard * 2

    def bound(self, product):
        """Microseconds that no overlap goes below, by the links' measured rate; `product`: those of the product alone."""
        links = HOP_MICROSECONDS + self.sent_bytes() / LINK_GB_PER_S * 1e-3
        wave = product / math.ceil(self.m * self.n / TILE / UNITS)
        return max(product + links / 16, links + wave) + HOP_MICROSECONDS

    # Rivals.

    def alone(self):
        self.cublas.launch(self.full, self.b, self.part)

    def with_nccl(self):
        if self.kind == "AG":
            dist.all_gather_into_tensor(self.full, self.a)
            return self.cublas.launch(self.full, self.b, self.c)
        self.alone()
        if self.kind == "RS":
            dist.reduce_scatter_tensor(self.c, self.part)
        elif self.kind == "AS":
            dist.all_gather_into_tensor(self.gathered, self.part)
        else:
            dist.all_reduce(self.part)

    def fused_by_torch(self, group):
        if self.kind == "AG":
            self.by_torch = torch.ops.symm_mem.fused_all_gather_matmul(self.a, [self.b.t()], 0, group)[1][0]
        else:
            self.by_torch = torch.ops.symm_mem.fused_matmul_reduce_scatter(self.a, self.b.t(), "sum", 0, group)

    def rivals(self, group):
        """All of them; without a group, the product alone."""
        yield Contestant("cuBLASLt alone", self.alone, None)
        if group is None:
            return
        nccl = {"AS": lambda: self.gathered.transpose(0, 1).reshape(self.m, -1), "AR": lambda: self.part}.get(self.kind, lambda: self.c)
        yield Contestant("cuBLASLt + NCCL", self.with_nccl, nccl)
        # torch's take a left operand as M x K alone.
        if self.kind in ("AG", "RS") and not self.row.operator.gradient:
            yield Contestant("torch symm_mem fused", lambda: self.fused_by_torch(group), lambda: self.by_torch)
        if self.kind == "AR":
            shared = symmetric.empty(self.m, self.n, dtype=torch.bfloat16, device=torch.device("cuda", self.rank))
            symmetric.rendezvous(shared, group)

            def reduce(operation):
                self.cublas.launch(self.a, self.b, shared)
                self.by_torch = operation(shared, "sum", group)

            for name in ("one_shot_all_reduce", "two_shot_all_reduce_"):
                operation = getattr(torch.ops.symm_mem, name)
                yield Contestant(f"cuBLASLt + {name.rstrip('_')}", lambda operation=operation: reduce(operation), lambda: self.by_torch)

    # What is right.

    def reference(self):
        """Numbers of some rows of the result, and what they should be in float64."""
        total = self.c.shape[0]
        rows = torch.randperm(total, generator=torch.Generator().manual_seed(7))[:SAMPLED_ROWS].cuda()
        if self.kind == "AG":
            return rows, self.full[rows].double() @ self.b.double().t()
        if self.kind == "AS":
            mine = self.a[rows].double() @ self.b.double().t()
            # All ranks have an `a` of their own: columns of rank r are a_r's, as r computes and sends them.
            every = [torch.empty_like(mine) for _ in range(self.world)]
            dist.all_gather(every, mine)
            return rows, torch.cat(every, 1)
        if self.kind == "AR":
            sums = self.a[rows].double() @ self.b.double().t()
            dist.all_reduce(sums)
            return rows, sums
        everyone = torch.cat([rows + rank * self.shard for rank in range(self.world)])
        left, right = (self.a.t(), self.b) if self.row.operator.gradient else (self.a, self.b.t())
        sums = left[everyone].double() @ right.double()
        dist.all_reduce(sums)
        return rows, sums[self.rank * len(rows):(self.rank + 1) * len(rows)]


class Bench:
    def __init__(self, options, rank):
        self.options, self.rank, self.world = options, rank, options.world
        build = pathlib.Path(options.build)
        self.kit = pathlib.Path(options.kit)
        self.probe = Probe(build / "libprobe.so")
        self.tilec = Tilec(build / "libtilec_runtime.so", rank, self.world, job=f"bench {options.job}", heap_bytes=options.heap << 30)
        self.heap = Heap(self.tilec)
        self.meeting = torch.zeros(1, device="cuda")
        self.group = dist.group.WORLD.group_name

    def meet(self):
        dist.all_reduce(self.meeting)

    def time(self, contestant):
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        self.probe.flush()
        torch.cuda._sleep(SLEEP_CYCLES)
        self.meet()
        start.record()
        contestant.launch()
        end.record()
        return start, end

    def capture(self, product, contestant):
        """A graph of launches, or None where one of the ranks cannot have it."""
        graph, made = torch.cuda.CUDAGraph(), True
        try:
            # Threads of NCCL and of the runtime go on meanwhile.
            with torch.cuda.graph(graph, capture_error_mode="thread_local"):
                for turn in range(STEADY_LAUNCHES):
                    product.take_weights(turn)
                    contestant.launch()
            contestant.written = contestant.output() if contestant.output else None
        except Exception as failure:
            print(f"rank {self.rank}: {contestant.name} in a graph: {str(failure).splitlines()[0]}", flush=True)
            made = False
        product.take_weights(0)
        return graph if self.agree(made) else None

    def time_steady(self, product, entrants, rows, wanted):
        """Graphs of launches take turns; what the last one wrote is compared."""
        for one in entrants:
            one.graph = self.capture(product, one)
        able = [one for one in entrants if one.graph]
        for round_number in range(1 + STEADY_ROUNDS):
            for one in able:
                if round_number == 0:
                    product.poison()
                start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
                torch.cuda._sleep(SLEEP_CYCLES)
                self.meet()
                start.record()
                one.graph.replay()
                end.record()
                torch.cuda.synchronize()
                if round_number == 0 and one.output:
                    one.error = max(one.error, self.error(one.written, rows, wanted))
                elif round_number:
                    one.steady.append(start.elapsed_time(end) * 1000 / STEADY_LAUNCHES)
        for one in able:
            one.graph.reset()

    @staticmethod
    def error(output, rows, wanted):
        """The norm of the error over the norm of what is right."""
        got = output[rows].double()
        return float(((got - wanted).square().sum() / wanted.square().sum()).sqrt())

    def agree(self, good):
        """Whether all ranks say so."""
        said = torch.tensor([0.0 if good else 1.0], device="cuda")
        dist.all_reduce(said)
        return said.item() == 0

    def programs(self, product):
        label = product.row.label(self.world)
        extents = list(product.row.operator.extents(self.world, *product.row.shape(self.world)).values())
        for folder in sorted(self.kit.glob(f"programs/{label}@*")):
            program = Program(self.tilec, folder, extents, self.heap)
            manifest = json.loads(next(folder.glob("*.json")).read_text())
            pattern, variant = manifest.get("pattern", ""), folder.name.split("@")[1]
            name = f"tilec {pattern}" + ("" if variant == pattern else f" ({variant})")
            yield program, Contestant(name, lambda program=program: program.launch(product.arguments()), lambda: product.c)

    def check(self, product, contestant, rows, wanted, loaded):
        """Whether it ran; its error is infinite where something failed."""
        error = math.inf
        try:
            product.poison()
            if contestant.output is not None:
                torch.cuda.synchronize()
                dist.barrier()
            contestant.launch()
            torch.cuda.synchronize()
            if contestant.name.startswith("tilec"):
                self.tilec.synchronize()
            if contestant.output is None:
                error = 0.0
            else:
                error = self.error(contestant.output(), rows, wanted)
        except Exception as failure:
            print(f"rank {self.rank}: {contestant.name}: {str(failure).splitlines()[0]}", flush=True)
        contestant.error = error if math.isfinite(error) else math.inf
        good = self.agree(math.isfinite(error))
        if not good and contestant.name.startswith("tilec"):
            self.tilec.reset()
            for program in loaded:
                program.clear()
        return good

    def tune(self, product):
        """The fastest of cuBLASLt's first heuristics, the same on all ranks."""
        times = []
        for number in range(len(product.cublas.algorithms)):
            product.cublas.chosen = number
            spans = [self.time(Contestant("", product.alone, None)) for _ in range(3)]
            torch.cuda.synchronize()
            times.append(min(start.elapsed_time(end) for start, end in spans))
        slowest = torch.tensor(times, device="cuda")
        dist.all_reduce(slowest, dist.ReduceOp.MAX)
        product.cublas.chosen = int(slowest.argmin())

    def compete(self, product, rivals, programs, rows, wanted):
        """What all contestants that are right took, and the names of those that are not. Destroys the programs."""
        entrants = [*rivals, *(contestant for _, contestant in programs)]
        loaded = [program for program, _ in programs]
        able = [one for one in entrants if self.check(product, one, rows, wanted, loaded)]
        self.take_turns(able)
        if self.options.steady:
            self.time_steady(product, able, rows, wanted)
        self.tilec.synchronize()
        results = [self.result(one) for one in able]
        for program in loaded:
            program.destroy()
        return results, [one.name for one in entrants if one not in able]

    def take_turns(self, able):
        for round_number in range(WARM_ROUNDS + ROUNDS):
            spans = [(one, *self.time(one)) for one in able]
            torch.cuda.synchronize()
            for one, start, end in spans:
                if round_number >= WARM_ROUNDS:
                    one.times.append(start.elapsed_time(end) * 1000)

    def result(self, one):
        """The greatest times and errors over the ranks."""
        error, *times = self.greatest([one.error, *one.times, *one.steady])
        rounds, steady = times[:len(one.times)], times[len(one.times):]
        return {"contestant": one.name, "rounds": rounds, "microseconds": statistics.median(rounds), "p95": sorted(rounds)[math.ceil(0.95 * len(rounds)) - 1],
                "steady_rounds": steady, "steady_microseconds": statistics.median(steady) if steady else None, "error": error}

    @staticmethod
    def greatest(numbers):
        over_ranks = torch.tensor(numbers, device="cuda", dtype=torch.float64)
        dist.all_reduce(over_ranks, dist.ReduceOp.MAX)
        return over_ranks.tolist()

    def run_row(self, row):
        product = Product(row, self.rank, self.world, self.heap, self.options.steady)
        self.tune(product)
        rows, wanted = product.reference()
        results, failed = self.compete(product, product.rivals(None if self.options.choices else self.group), list(self.programs(product)), rows, wanted)
        for tensor in product.heap_tensors:
            self.heap.free(tensor)
        alone = results[0]["microseconds"]
        return {"row": row.label(self.world), "bound_microseconds": product.bound(alone), "sent_bytes": product.sent_bytes(), "flops": product.flops(),
                "failed": failed, "results": results}


def show(measured):
    alone = measured["results"][0]
    nccl = next((r for r in measured["results"] if r["contestant"] == "cuBLASLt + NCCL"), alone)
    print(f"{measured['row']}: R {measured['bound_microseconds']:.1f} us, {measured['sent_bytes'] / 1e6:.1f} MB sent by each rank")
    for r in measured["results"]:
        ratio = statistics.median(t / a for t, a in zip(r["rounds"], alone["rounds"]))
        over = statistics.median(n / t for n, t in zip(nccl["rounds"], r["rounds"]))
        steady = f"  steady {r['steady_microseconds']:9.1f} us" if r["steady_microseconds"] else ""
        print(f"  {r['contestant']:44} {r['microseconds']:9.1f} us  p95 {r['p95']:9.1f}  x cuBLASLt {ratio:6.3f}  x R {r['microseconds'] / measured['bound_microseconds']:6.3f}"
              f"  NCCL / it {over:6.3f}  error {r['error']:.1e}{steady}")
    for name in measured["failed"]:
        print(f"  {name:44} FAILED")
    sys.stdout.flush()


def all_rows(options):
    return chosen_rows(options.world, options.rows, FITTED + HELD_OUT if options.choices else None)


def run_rank(rank, options, make, rows_of, show_row):
    os.environ.update(RANK=str(rank), WORLD_SIZE=str(options.world), LOCAL_RANK=str(rank), MASTER_ADDR="127.0.0.1", MASTER_PORT=str(options.port))
    torch.cuda.set_device(rank)
    torch.set_grad_enabled(False)
    dist.init_process_group("nccl", device_id=torch.device("cuda", rank))
    bench = make(options, rank)
    began, measured = time.monotonic(), []
    if rank == 0:
        print(f"{options.world} x {torch.cuda.get_device_name()}, torch {torch.__version__}, NCCL {torch.cuda.nccl.version()}, multicast off, "
              f"{datetime.date.today()}", flush=True)
    for row in rows_of(options):
        if options.seconds and not bench.agree(time.monotonic() - began < options.seconds):
            break
        measured.append(bench.run_row(row))
        torch.cuda.empty_cache()
        if rank == 0:
            show_row(measured[-1])
            if options.json:
                pathlib.Path(options.json).write_text(json.dumps({"device": torch.cuda.get_device_name(), "world": options.world, "torch": torch.__version__,
                                                                  "date": str(datetime.date.today()), "rows": measured}, indent=1) + "\n")
    bench.tilec.destroy()
    dist.destroy_process_group()


def main(make=Bench, rows_of=all_rows, show_row=show):
    parser = argparse.ArgumentParser()
    parser.add_argument("kit")
    parser.add_argument("build")
    parser.add_argument("world", type=int)
    parser.add_argument("--rows", action="append", default=[], metavar="WORD", help="rows whose label holds a word")
    parser.add_argument("--choices", action="store_true", help="the rows of choices.py in all their patterns, and no rivals")
    parser.add_argument("--steady", action="store_true", help="also 50 launches in a graph, with 1 GB of weights")
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--heap", type=int, default=24, help="of each rank, in GiB")
    parser.add_argument("--seconds", type=float, default=0, help="begin no row later than that; 0: all")
    parser.add_argument("--port", type=int, default=29500)
    options = parser.parse_args()
    options.job = str(os.getpid())
    # NVLink's multicast stays off: every column is of unicast.
    os.environ.update(NCCL_NVLS_ENABLE="0", TORCH_SYMM_MEM_DISABLE_MULTICAST="1")
    multiprocessing.spawn(run_rank, (options, make, rows_of, show_row), options.world)


if __name__ == "__main__":
    main()
