#!/usr/bin/env python3
"""What `tilec verify` claims of a program at every size, against what it finds at sizes that are given.

  verdicts.py --count 200            programs of seeds 1 to 200
  verdicts.py --seconds 600          as many as ten minutes hold
  verdicts.py --show 17              print the program of seed 17

A program that `verify` accepts with progress `any` and without limits may be launched with any extents. Its kernel form is verified again at about
16 that are given, up to 9,000: a fault there is one that the samples of the first verdict missed. See docs/fuzzing.md."""

import argparse
import collections
import pathlib
import random
import re
import resource
import subprocess
import sys
import time

import program

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUDGET = 20_000_000  # accesses, of all extents that are given
PROCESSOR_SECONDS = 60
ALIGNED = (256, 257, 384, 385, 512, 513, 640, 641, 768, 1024, 1025, 2048, 2049)


def limit():
    resource.setrlimit(resource.RLIMIT_CPU, (PROCESSOR_SECONDS, PROCESSOR_SECONDS))


def run(arguments, text):
    """Exit status, output, and errors; a negative status is a signal's, that of the limit among them."""
    done = subprocess.run(arguments, input=text, capture_output=True, text=True, preexec_fn=limit)
    return done.returncode, done.stdout, done.stderr


def sizes(drawn, draw):
    first = [draw.randint(1, 700) for _ in range(6)] + [draw.randint(200, 3000) for _ in range(6)]
    first += [draw.choice(ALIGNED) for _ in range(3)] + [draw.randint(3000, 9000)]
    rounded = sorted({-(-value // drawn.multiple) * drawn.multiple for value in first})
    others = [draw.choice([draw.randint(1, 400), draw.randint(200, 2000)]) for _ in rounded]
    return [f"M={m}/N={n}" if len(drawn.extents) == 2 else f"M={m}" for m, n in zip(rounded, others)]


def first_error(errors):
    found = re.search(r"error: (.*)", errors)
    return found.group(1) if found else errors[:300]


def classes(form):
    """The class of progress that `verify` gave each kernel of a program; None where it has none."""
    kernels = re.findall(r"^ *tile\.kernel @.*", form, re.MULTILINE)
    found = [re.search(r"progress = #tile<progress (\w+)>", kernel) for kernel in kernels]
    return [match.group(1) if match else None for match in found]


def judge(seed, tilec):
    """A word for what came out, and a line for a person where it is a failure."""
    drawn = program.Program(seed)
    world = ["--world", str(drawn.world)]
    status, said, errors = run([tilec, "verify", "-", *world], drawn.text)
    if status not in (0, 1):
        return ("slow", "") if "CPU" in errors or status in (-9, -24) else ("crash", f"status {status}: {errors[:300]}")
    if status:
        return "rejected", ""
    claimed = re.findall(r"progress (\w+)", said)
    if not claimed:
        return "unreadable", f"'verify' accepts it and names no progress: {said[:300]}"
    if set(claimed) != {"any"}:
        return "another class", ""
    if "alone" in said:
        return "limits", ""
    status, form, errors = run([tilec, "-", *world, "--until=order"], drawn.text)
    if status:
        return "disagree", f"'verify' accepts what '--until=order' refuses: {first_error(errors)}"
    given = sizes(drawn, random.Random(seed * 7 + 1))
    tool = pathlib.Path(tilec).with_name("tilec-opt")
    status, checked, errors = run([tool, "-", f"--tile-verify=extents={','.join(given)} budget={BUDGET}"], form)
    if status < 0:
        return "slow", ""
    if status:
        return "unsound", f"{' '.join(world)} {given}: {first_error(errors)}"
    found = classes(checked)
    if not found or None in found:
        return "unreadable", f"no attribute 'progress' in {len(found)} kernels that 'tile-verify' accepted"
    if set(found) != {"any"}:
        return "unsound", f"{' '.join(world)} {given}: progress {', '.join(found)}"
    return "any", ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tilec", default=str(ROOT / "build/bin/tilec"), help="the command; tilec-opt lies beside it")
    parser.add_argument("--first", type=int, default=1, help="seed of the first program")
    parser.add_argument("--count", type=int, default=50, help="number of programs")
    parser.add_argument("--seconds", type=float, help="stop after this long, whatever the count")
    parser.add_argument("--show", type=int, metavar="SEED")
    options = parser.parse_args()
    if options.show is not None:
        print(program.Program(options.show).text, end="")
        return 0
    begun, counts = time.monotonic(), collections.Counter()
    count = options.count if options.seconds is None else 10**9
    for seed in range(options.first, options.first + count):
        if options.seconds is not None and time.monotonic() - begun > options.seconds:
            break
        word, line = judge(seed, options.tilec)
        counts[word] += 1
        if line:
            print(f"seed {seed}: {word}: {line}", flush=True)
    print(", ".join(f"{number} {word}" for word, number in counts.most_common()))
    if not counts["any"]:
        print("verdicts.py: no program was accepted for every size, so nothing was compared", file=sys.stderr)
        return 1
    return 1 if any(counts[word] for word in ("unsound", "crash", "disagree", "unreadable")) else 0


if __name__ == "__main__":
    sys.exit(main())
