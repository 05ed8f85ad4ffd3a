"""Times tilec's programs beside cuBLASLt and torch on the GPU of this machine: bench.py KIT BUILD [--rows WORD]... [--json FILE]

KIT/programs/LABEL holds the compiled program of a row, BUILD the runtime (bench/gpu/run makes both). All contestants of a row run in one
process, one after the other in every round; a graph of launches, each with its own two events and the L2 emptied by reading before it. A
row is repeated where the mean clocks of tilec's program and the fastest of the others differ by more than 1 %. Ratios are medians over the
rounds of ratios within one."""
import argparse
import datetime
import functools
import json
import math
import pathlib
import random
import statistics
import sys
import time
import traceback

import torch

import problems
from libraries import Heap, Nvml, Probe, Program, Tilec
from rows import ROWS

ROUNDS, ATTEMPTS = 5, 3
CLOCK_TOLERANCE = 0.01
HEAP_BYTES = 1 << 30
ROUND_MICROSECONDS = 30_000  # of one contestant, about
LEAST_LAUNCHES, MOST_LAUNCHES = 3, 200


class Timing:
    """A contestant's launches in a graph."""

    def __init__(self, bench, problem, contestant):
        self.bench, self.problem, self.contestant = bench, problem, contestant
        self.times, self.clocks, self.watts = [], [], []
        once = bench.once(problem, contestant)
        per_launch = once if problem.row.chained else once + bench.flush_microseconds
        self.launches = min(MOST_LAUNCHES, max(LEAST_LAUNCHES, round(ROUND_MICROSECONDS / per_launch)))
        if problem.row.chained:  # all of the weights, so that none is in the L2 from the round before
            self.launches = max(self.launches, problem.count)
        self.graph_microseconds = per_launch * self.launches
        self.graph, self.events = bench.capture(problem, contestant, self.launches)

    def run_round(self):
        probe, nvml = self.bench.probe, self.bench.nvml
        before, after = probe.clocks(), probe.clocks()
        self.graph.replay()  # to the clock and the power that this work has
        torch.cuda.synchronize()
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        probe.read_clocks(before)
        start.record()
        self.graph.replay()
        end.record()
        probe.read_clocks(after)
        time.sleep(0.8e-6 * self.graph_microseconds)
        watts = nvml.watts()
        torch.cuda.synchronize()
        if self.problem.row.chained:
            self.times.append(start.elapsed_time(end) * 1000 / self.launches)
        else:
            self.times.append(statistics.median(probe.microseconds(*pair) for pair in self.events))
        self.clocks.append(probe.megahertz(before, after))
        if watts is not None:
            self.watts.append(watts)

    def forget(self):
        self.times, self.clocks, self.watts = [], [], []

    def result(self, error):
        problem, median = self.problem, statistics.median(self.times)
        return {
            "contestant": self.contestant.name,
            "microseconds": median,
            "rounds": self.times,
            "least": min(self.times),
            "greatest": max(self.times),
            "tflops": problem.flops / median * 1e-6,
            "gb_per_s": problem.bytes / median * 1e-3,
            "megahertz": statistics.mean(self.clocks),
            "watts": statistics.mean(self.watts) if self.watts else None,
            "error": error,
        }


class Bench:
    def __init__(self, kit, build, rounds):
        self.kit, self.rounds = pathlib.Path(kit), rounds
        self.probe = Probe(pathlib.Path(build) / "libprobe.so")
        self.nvml = Nvml()
        self.tilec = Tilec(pathlib.Path(build) / "libtilec_runtime.so", heap_bytes=HEAP_BYTES)
        self.heap = Heap(self.tilec)
        self.programs = []  # of the row that is timed
        self.flush_microseconds = self.probe.FLUSH_BYTES / 4e6  # at 4 TB/s

    def once(self, problem, contestant):
        """Microseconds of a launch, roughly; after one that warms up."""
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        contestant.launch(0)
        torch.cuda.synchronize()
        begin.record()
        for i in range(problem.count):
            contestant.launch(i)
        end.record()
        torch.cuda.synchronize()
        return begin.elapsed_time(end) * 1000 / problem.count

    def capture(self, problem, contestant, launches):
        graph, events = torch.cuda.CUDAGraph(), []
        with torch.cuda.graph(graph):
            for launch in range(launches):
                if problem.row.chained:
                    contestant.launch(launch % problem.count)
                    continue
                pair = self.probe.event(), self.probe.event()
                self.probe.flush()
                self.probe.record(pair[0])
                contestant.launch(launch % problem.count)
                self.probe.record(pair[1])
                events.append(pair)
        return graph, events

    def ours(self, row, problem):
        """The programs of the row: as chosen, and where there are such folders, tuned."""
        for folder in sorted(self.kit.glob(f"programs/{row.label}")) + sorted(self.kit.glob(f"programs/{row.label}@*")):
            program = Program(self.tilec, folder, [value for _, value in row.extents], self.heap)
            self.programs.append(program)
            name = "tilec" + (" " + folder.name.split("@")[1] if "@" in folder.name else "")
            yield problems.Contestant(name, lambda i, program=program: program.launch(problem.arguments(i)), lambda i: problem.outputs[i])

    def ceilings(self, problem):
        """A plain copy of as many bytes."""
        if problem.flops:
            return []
        half = problem.bytes // 2 // 16 * 16
        memory = [torch.empty(half, dtype=torch.uint8, device="cuda") for _ in range(4)]
        return [problems.Contestant("plain copy", lambda i: self.probe.copy(memory[3], memory[i % 3]), None)]

    def error(self, problem, contestant):
        if contestant.output is None:
            return None
        problem.poison()
        for i in range(min(problem.count, 3)):
            contestant.launch(i)
        self.tilec.synchronize()
        return max(problem.error(i, contestant.output(i)) for i in range(min(problem.count, 3)))

    def contestants(self, row, problem):
        """With the error of each; those that fail say why and are left out."""
        able, failures = [], []
        makers = [lambda: problem.rivals(lambda one: min(self.once(problem, one) for _ in range(3))), lambda: self.ceilings(problem),
                  lambda: list(self.ours(row, problem))]
        for make in makers:
            try:
                found = make()
            except Exception as failure:  # a row whose program is missing still has its rivals
                failures.append(str(failure).splitlines()[0])
                continue
            for one in found:
                try:
                    able.append((one, self.error(problem, one)))
                except Exception as failure:
                    failures.append(f"{one.name}: {str(failure).splitlines()[0]}")
        return able, failures

    @staticmethod
    def clock_spread(timings):
        """Between those whose ratio counts: tilec's programs and the fastest of the others."""
        rivals = [t for t in timings if not t.contestant.name.startswith("tilec")]
        compared = [t for t in timings if t.contestant.name.startswith("tilec")]
        if rivals:
            compared.append(min(rivals, key=lambda t: statistics.median(t.times)))
        clocks = [statistics.mean(t.clocks) for t in compared]
        return max(clocks) / min(clocks) - 1

    def limit_microseconds(self, problem):
        """Of a product with few rows: what reading the weights takes at a share of the rate of plain reads, and 3 us."""
        if not problem.row.chained:
            return None
        weights = problem.inputs[0][1]
        share = 0.97 if problem.m <= 16 else 0.90
        return weights.numel() * weights.element_size() / (share * self.read_rate()) + 3

    @functools.cache
    def read_rate(self):
        """Bytes a microsecond of one plain read of 4 GB."""
        memory = torch.ones(1 << 30, dtype=torch.int32, device="cuda")
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        times = []
        for _ in range(5):
            begin.record()
            self.probe.read(memory)
            end.record()
            torch.cuda.synchronize()
            times.append(begin.elapsed_time(end) * 1000)
        return 4 * memory.numel() / min(times)

    def forget_programs(self):
        """Their scratch lies in the heap, which has no room for that of all rows."""
        torch.cuda.synchronize()
        for program in self.programs:
            program.destroy()
        self.programs.clear()

    def run_row(self, row):
        problem = problems.KINDS[row.kind](row)
        able, failures = self.contestants(row, problem)
        timings = [(Timing(self, problem, one), error) for one, error in able]
        spread = math.inf
        for attempt in range(1, ATTEMPTS + 1):
            for timing, _ in timings:
                timing.forget()
            for number in range(self.rounds):
                # In an order of its own: whoever runs behind one that needs much power finds a lower clock.
                for timing, _ in random.Random(attempt * self.rounds + number).sample(timings, len(timings)):
                    timing.run_round()
            spread = self.clock_spread([timing for timing, _ in timings])
            if spread <= CLOCK_TOLERANCE:
                break
        limit = self.limit_microseconds(problem)
        self.forget_programs()
        return {"row": row.label, "limit_microseconds": limit, "attempts": attempt, "clock_spread": spread, "failures": failures, "flops": problem.flops,
                "bytes": problem.bytes, "chained": row.chained, "results": [timing.result(error) for timing, error in timings]}


def printed(value, width, digits=1):
    return f"{value:{width}.{digits}f}" if value is not None else " " * (width - 1) + "-"


def show(measured):
    rivals = [r for r in measured["results"] if not r["contestant"].startswith("tilec")]
    best = min(rivals, key=lambda r: r["microseconds"], default=None)
    for r in measured["results"]:
        ratio = statistics.median(b / t for b, t in zip(best["rounds"], r["rounds"])) if best else math.nan
        per_clock = ratio * best["megahertz"] / r["megahertz"] if best else math.nan
        error = f"{r['error']:.2e}" if r["error"] is not None else "-"
        rate = printed(r["tflops"], 8) + " TF/s" if measured["flops"] else printed(r["gb_per_s"], 8, 0) + " GB/s"
        print(f"{measured['row']:24} {r['contestant']:16} {r['microseconds']:10.2f} us [{r['least']:.2f}, {r['greatest']:.2f}] {rate}"
              f"  of the best rival {ratio:.3f}, per clock {per_clock:.3f}  error {error:8}  {r['megahertz']:6.0f} MHz {printed(r['watts'], 5, 0)} W")
    if measured["limit_microseconds"]:
        print(f"{measured['row']:24} {'limit':16} {measured['limit_microseconds']:10.2f} us")
    for failure in measured["failures"]:
        print(f"{measured['row']:24} FAILED {failure}")
    if measured["clock_spread"] > CLOCK_TOLERANCE:
        print(f"{measured['row']:24} clocks differ by {measured['clock_spread'] * 100:.1f} % after {measured['attempts']} attempts")
    sys.stdout.flush()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("kit")
    parser.add_argument("build")
    parser.add_argument("--rows", action="append", default=[], metavar="WORD", help="rows whose label holds a word")
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="of all contestants of a row, each in an order of its own")
    options = parser.parse_args()
    torch.manual_seed(1)
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.set_grad_enabled(False)
    bench = Bench(options.kit, options.build, options.rounds)
    device = torch.cuda.get_device_name()
    print(f"{device}, torch {torch.__version__}, CUDA {torch.version.cuda}, {datetime.date.today()}")
    measured, failed = [], False
    for row in ROWS:
        if options.rows and not any(word in row.label for word in options.rows):
            continue
        try:
            measured.append(bench.run_row(row))
            show(measured[-1])
            failed |= bool(measured[-1]["failures"])
        except Exception:
            failed = True
            print(f"{row.label:24} FAILED")
            traceback.print_exc()
        torch.cuda.empty_cache()
        if options.json:
            document = {"device": device, "torch": torch.__version__, "date": str(datetime.date.today()), "rows": measured}
            pathlib.Path(options.json).write_text(json.dumps(document, indent=1) + "\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
