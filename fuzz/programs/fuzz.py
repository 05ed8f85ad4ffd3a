#!/usr/bin/env python3
"""Random well-formed tile programs against the oracle. See docs/fuzzing.md.

  fuzz.py --count 100                 programs of seeds 1 to 100
  fuzz.py --seconds 3600 --first 1    as many as an hour holds
  fuzz.py --devices-only --count 1000 the text of a thousand programs compiles for every GPU
  fuzz.py --target sm_90a --count 100 the same programs as the text for another target
  fuzz.py --prepare kit --ranks 1     programs of one rank for a machine with a GPU: `sh kit/run` there
  fuzz.py --show 17                   print the program and the options of seed 17
  fuzz.py --reduce 17                 shrink the failure of seed 17
"""
import argparse
import collections
import os
import random
import resource
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import kits
import products
from devices import TARGETS, DeviceTexts, has_gpu_targets
from execution import OF_SCHEDULE, PATTERNS, Result, Runner, compile_options, run_options, schedule_options, with_own_schedules, without_access, without_schedule
from statements import Statements

# Time alone does not end a campaign before so many programs agreed: a slow machine takes longer and does not look at fewer.
LEAST = 8
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class Case:
    """One seed: a program, the options it is compiled with and those of its runs; for a target, or for tilec's default."""

    def __init__(self, seed, target=None, runs=2, ranks=None, sizes=None, only_products=False):
        choose = random.Random(seed)
        drawn = choose.choices([1, 2, 3, 4, 5, 8], [2, 5, 6, 4, 2, 0.5])[0]
        world = ranks or drawn
        statements = products.Products(choose, world, target) if only_products else Statements(choose, world)
        self.seed, self.plain = seed, statements.generate(world)
        self.text = with_own_schedules(random.Random(f"schedules {seed}"), self.plain)
        self.target = [f"--target={target}"] if target else []
        self.compiling = (products.compile_options(choose, world, PATTERNS) if only_products else
                          compile_options(choose, world, statements.p.extents, statements.p.parameters, statements.p.several))
        # Numbers of its own, so that a seed has the program and the other options that it had without.
        self.compiling += schedule_options(random.Random(f"schedule {seed}"), self.text)
        self.optimised = choose.random() < 0.05
        self.running = [run_options(choose, statements.p.several) for _ in range(runs)]
        sizes = sizes or (choose.choice(products.SIZES) if only_products else None)
        if sizes:
            self.running = [[f"--extents-from={sizes}" if option.startswith("--extents-from=") else option for option in options] for options in self.running]
        # Looking for races takes a text of its own.
        if choose.random() < 0.15:
            self.running = [options + ["--race"] for options in self.running]

    def options(self, run):
        return self.target + self.compiling + self.running[run]

    def drop_access(self):
        self.compiling = without_access(self.compiling)

    def drop_schedules(self):
        """Where no loop of the program can be what was said."""
        self.compiling, self.text = without_schedule(self.compiling), self.plain


def case_of(arguments, seed, target=None):
    return Case(seed, target or arguments.target, ranks=arguments.ranks, sizes=arguments.sizes, only_products=arguments.products)


def is_of_schedule(result):
    return result.kind in ("limit", "rejected") and OF_SCHEDULE.search(result.output)


def run_case(runner, case, mode="run"):
    """The first result that is no success, with its options; else the last."""
    seconds = 0.0
    if mode == "devices":
        return Result("ok"), case.compiling
    if mode == "compile":
        result = runner.run(case.text, case.target + case.compiling, command=None)
        if is_of_schedule(result):
            case.drop_schedules()
            result = runner.run(case.text, case.target + case.compiling, command=None)
        return result, case.target + case.compiling
    for run in range(len(case.running)):
        result = runner.run(case.text, case.options(run), case.optimised)
        seconds += result.seconds
        if "cannot be expanded" in result.output and result.kind == "limit":
            case.drop_access()
            result = runner.run(case.text, case.options(run), case.optimised)
            seconds += result.seconds
        if is_of_schedule(result):
            case.drop_schedules()
            result = runner.run(case.text, case.options(run), case.optimised)
            seconds += result.seconds
        result.seconds = seconds
        if result.kind != "ok":
            break
    return result, case.options(run)


def prepare_kit(arguments, runner):
    """Programs for a machine with GPUs; those that meet a limit of the compiler, or fail here already, are left out."""
    counts = collections.Counter()
    for seed in range(arguments.first, arguments.first + (arguments.count or 50)):
        result = kits.prepare(runner, case_of(arguments, seed, kits.TARGET), os.path.abspath(arguments.prepare), is_of_schedule)
        counts[result.kind] += 1
        if result.failed:
            print(f"seed {seed}: {result.kind}: {result.message}", flush=True)
    print(f"{arguments.prepare}: " + ", ".join(f"{n} {kind}" for kind, n in counts.most_common()))
    return 0 if counts["ok"] and set(counts) <= {"ok", "limit"} else 1


def write_failure(folder, case, result, options):
    path = os.path.join(folder, f"{result.kind}-{case.seed}.mlir")
    with open(path, "w") as file:
        file.write(f"// RUN: tilec run %s {' '.join(options)}\n// {result.kind}: {result.message}\n{case.text}")
        file.write("".join(f"// {line}\n" for line in result.output.splitlines()[:12]))
    return path


def compiled_for_devices(devices, results, counts, messages, keep):
    """Counts and reports what clang says of texts for the GPUs."""
    for seed, target, kind, message, output in results:
        counts[kind] += 1
        messages[(kind, f"{target}: {message}")].append(seed)
        if kind == "limit":
            continue
        print(f"seed {seed}: {kind} for {target}: {message}", flush=True)
        if keep:
            os.makedirs(keep, exist_ok=True)
            with open(os.path.join(keep, f"{kind}-{seed}-{target}.txt"), "w") as file:
                file.write(output)


def least_of(arguments):
    """How many programs must agree: some of what was asked for is beyond a limit of the compiler."""
    return LEAST if not arguments.count else max(1, min(LEAST, arguments.count // 2))


def goes_on(arguments, counts, begin):
    """Whether there is time for another program. Where none agrees the campaign ends too, and fails."""
    if not arguments.seconds or time.time() - begin < arguments.seconds:
        return True
    least = least_of(arguments)
    return counts["ok"] < least and sum(counts.values()) < 3 * least


def campaign(arguments, runner):
    counts, messages, begin = collections.Counter(), collections.defaultdict(list), time.time()
    seed = arguments.first
    wanted = arguments.devices or ("syntax" if arguments.devices_only else None)
    if wanted and not has_gpu_targets():
        print("this clang has no target for AMD's GPUs: texts are not compiled for them")
        wanted = None
    devices = DeviceTexts(arguments.tilec, ROOT, runner.folder, wanted) if wanted else None
    end = arguments.first + (arguments.count or (1 << 40 if arguments.seconds else 50))
    while seed < end and goes_on(arguments, counts, begin):
        case = case_of(arguments, seed)
        result, options = run_case(runner, case, "devices" if arguments.devices_only else "compile" if arguments.compile_only else "run")
        counts[result.kind] += 1
        if result.kind != "ok":
            messages[result.key].append(seed)
        if result.failed:
            print(f"seed {seed}: {result.kind}: {result.message}", flush=True)
            if arguments.keep:
                os.makedirs(arguments.keep, exist_ok=True)
                write_failure(arguments.keep, case, result, options)
        elif arguments.verbose:
            print(f"seed {seed}: {result.kind} {result.seconds:.2f} s {result.message}", flush=True)
        if devices and result.kind == "ok" and seed % arguments.every == 0:
            compiled_for_devices(devices, devices.add(seed, case.plain, case.compiling), counts, messages, arguments.keep)
        runner.clear()
        seed += 1
        if sum(counts.values()) % (1000 if arguments.compile_only or arguments.devices_only else 100) == 0:
            print(f"{sum(counts.values())} programs in {time.time() - begin:.0f} s", flush=True)
    if devices:
        compiled_for_devices(devices, devices.finish(), counts, messages, arguments.keep)
        print(f"{devices.compiled} texts compiled for GPUs ({', '.join(TARGETS)})")
    total = sum(counts.values())
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"{total} programs in {time.time() - begin:.0f} s ({used.ru_utime + used.ru_stime:.0f} s of processor): " + ", ".join(f"{n} {kind}" for kind, n in counts.most_common()))
    for (kind, message), seeds in sorted(messages.items(), key=lambda item: -len(item[1])):
        print(f"  {len(seeds):4} {kind}: {message} (seeds {', '.join(map(str, seeds[:6]))})")
    if counts["ok"] < least_of(arguments):
        print(f"fuzz.py: {counts['ok']} programs agreed, expected at least {least_of(arguments)}", file=sys.stderr)
        return 1
    return 1 if any(kind not in ("ok", "limit") for kind in counts) else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tilec", default=os.path.join(ROOT, "build/bin/tilec"))
    parser.add_argument("--first", type=int, default=1, help="seed of the first program")
    parser.add_argument("--count", type=int, help="number of programs (default 50, with --seconds as many as fit)")
    parser.add_argument("--seconds", type=float, default=0, help=f"stop after this long, though not before {LEAST} programs agreed")
    parser.add_argument("--target", help="emulate the text for this target; left out, for tilec's default")
    parser.add_argument("--ranks", type=int, help="ranks of all programs; left out, as many as each draws")
    parser.add_argument("--products", action="store_true", help="products of large tiles alone, which copy engines and rings are for")
    parser.add_argument("--sizes", help="extents of launches, as in 1,64,136, in the place of those that are drawn")
    parser.add_argument("--prepare", metavar="KIT", help="write programs for a machine with GPUs to this folder, as `tilec run --prepare` does, and run none")
    parser.add_argument("--keep", help="folder for programs that fail")
    parser.add_argument("--timeout", type=float, default=60, help="seconds of processor for one run")
    parser.add_argument("--compile-only", action="store_true", help="compile and verify alone: many more programs a second")
    parser.add_argument("--devices", nargs="?", const="syntax", choices=["syntax", "code"],
                        help="compile the text for every GPU as well: until its templates are instantiated, or to machine code")
    parser.add_argument("--devices-only", action="store_true", help="compile the text for every GPU, and neither verify nor run it")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="with --devices: the programs of each N-th seed")
    parser.add_argument("--show", type=int, metavar="SEED")
    parser.add_argument("--reduce", type=int, metavar="SEED")
    parser.add_argument("--verbose", action="store_true")
    arguments = parser.parse_args()
    if (arguments.ranks is not None and arguments.ranks < 1) or (arguments.count is not None and arguments.count < 1):
        parser.error("--ranks and --count are numbers from 1 on")
    if arguments.prepare and (arguments.ranks is None or arguments.target):
        parser.error(f"--prepare writes text for {kits.TARGET}, for as many GPUs as --ranks says, and takes no --target")
    if arguments.show is not None:
        case = case_of(arguments, arguments.show)
        print(case.text + "\n".join("// tilec run %s " + " ".join(case.options(i)) for i in range(len(case.running))))
        return 0
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(arguments.tilec, folder, arguments.timeout)
        if arguments.reduce is not None:
            from shrink import shrink_case
            return shrink_case(runner, case_of(arguments, arguments.reduce))
        if arguments.prepare:
            return prepare_kit(arguments, runner)
        return campaign(arguments, runner)


if __name__ == "__main__":
    sys.exit(main())
