#!/usr/bin/env python3
"""Compares tile-verify with exhaustive exploration on random small kernels, in both directions.

Usage: compare.py [--seed N ...] [--count N] [--opt TILEC_OPT] [--explore EXPLORE] [--launches-more N] [--print N]
Prints a table of verdicts; fails on a difference, with the kernel's text."""
import argparse
import collections
import concurrent.futures
import os
import random
import re
import subprocess
import sys

import kernels
import mutate
import templates

# What the checker says, and the exploration's name for it.
PHRASES = {"data race": "race", "which nothing raises": "stuck", "deadlock:": "stuck", "in dimension": "bounds",
           "addresses rank": "rank", "'agent' does not reach": "scope", "which no store of the launch writes": "unwritten",
           "before any store": "early",
           "is no bijection": "order", "may lower": "lowered",  "hangs with any number": "hang"}
MAX_TASKS = 12


def make(seed, only=None):
    rng = random.Random(seed)
    while True:
        program = rng.choice([only] if only else templates.ALL)(rng)
        for _ in range(rng.choice([0, 0, 0, 1, 1, 1, 2, 2, 3, 4])):
            rng.choice(mutate.ALL)(rng, program)
        if program.tasks() <= MAX_TASKS and any(program.kernels):
            return program


def verify(opt, text):
    run = subprocess.run([opt, "--pass-pipeline=builtin.module(tile.program(tile-verify{max-errors=1000}))"], input=text,
                         capture_output=True, text=True)
    errors = [line for line in run.stderr.splitlines() if "error:" in line]
    found = set()
    for line in errors:
        names = {name for phrase, name in PHRASES.items() if phrase in line}
        if not names:
            return None, f"unknown message: {line}"
        found |= names
    if run.returncode and not errors:
        return None, run.stderr
    claimed = claims(run.stdout) if not errors else [(-1, 0)] * text.count("tile.kernel") if found == {"hang"} else None
    return (found, claimed), None


def claims(text):
    """Per kernel: resident workgroups, whether all must be."""
    result = []
    for line in re.findall(r"tile\.kernel @\w+([^\n]*)", text):
        resident = re.search(r"resident = (\d+)", line)
        result.append((int(resident.group(1)) if resident else 1, int('progress = #tile<progress all>' in line)))
    return result


def explore(program, descriptions, limit):
    run = subprocess.run([program, str(limit)], input="".join(descriptions), capture_output=True, text=True, check=True)
    verdicts = {}
    for line in run.stdout.splitlines():
        name, findings, complete, states, progress = line.split("|")
        verdicts[name] = (set(findings.split()), complete == "complete", int(states), progress)
    return verdicts


def difference(checked, explored):
    """None when the verdicts agree."""
    found, _ = checked
    expected, _, _, progress = explored
    if found == {"hang"} and progress == "hangs":
        return None
    if bool(found) != bool(expected or progress.startswith("unsound")):
        return f"the checker found {sorted(found) or 'nothing'}, the exploration {sorted(expected) or 'nothing'} {progress}"
    if progress.startswith(("unsound", "inexact")) and not found:
        return "progress " + progress
    # A store that nothing orders may happen first, and what nobody stores is early anyway.
    for kinds in (found, expected):
        if (found | expected) & {"race", "unwritten"}:
            kinds.discard("early")
    # What a stuck execution does not reach, and what stands behind a wrong index, is not judged.
    if not (found | expected) & {"stuck", "bounds", "rank", "order", "hang"} and found != expected:
        return f"the checker found {sorted(found)}, the exploration {sorted(expected)}"
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, nargs="*")
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--opt", default="tilec-opt")
    parser.add_argument("--explore", default="tilec-explore")
    parser.add_argument("--states", type=int, default=400000)
    parser.add_argument("--launches-more", type=int, default=0)
    parser.add_argument("--print", type=int)
    parser.add_argument("--only", help="one template")
    options = parser.parse_args()
    seeds = options.seed or [int(s) for s in os.environ.get("TILEC_GROUNDTRUTH_SEEDS", "1").split()]
    bad = [seed for seed in seeds if not compare(options, seed)]
    if bad:
        sys.exit(f"differences with seeds {bad}")


def compare(options, seed):
    """True when there is no difference."""

    def one(number):
        program = make(seed * 1000000 + number, options.only and getattr(templates, options.only))
        text = kernels.Printer(program).print(f"p{number}")
        return number, program, text, verify(options.opt, text)

    if options.print is not None:
        print(one(options.print)[2])
        return True
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        made = list(pool.map(one, range(options.count)))
    wrong = [f"kernel {n}: {problem}\n{text}" for n, _, text, (checked, problem) in made if problem]
    if wrong:
        sys.exit("\n".join(wrong[:5]) + f"\n{len(wrong)} kernels that the checker did not judge")
    descriptions = [kernels.Describer(p, p.launches() + options.launches_more).print(str(n), checked[1])
                    for n, p, _, (checked, _) in made]
    explored = explore(options.explore, descriptions, options.states)
    print(f"seed {seed}:")
    return report(made, explored)


def report(made, explored):
    kinds, verdicts, differences = collections.Counter(), collections.Counter(), []
    for number, _, text, (checked, _) in made:
        mine = explored[str(number)]
        if not mine[1]:
            verdicts["too many states"] += 1
            continue
        verdicts["rejected" if checked[0] else "accepted"] += 1
        if mine[3] == "unknown":
            verdicts["progress not decided"] += 1
        kinds.update(checked[0] | mine[0])
        if not checked[0]:
            kinds.update("class " + ("all" if every else "any" if k == 1 else "resident") for k, every in checked[1])
        why = difference(checked, mine)
        if why:
            differences.append(f"kernel {number}: {why}\n{text}")
    print(", ".join(f"{name}: {count}" for name, count in sorted(verdicts.items())))
    print(", ".join(f"{name}: {count}" for name, count in sorted(kinds.items())))
    print(f"states: {sum(v[2] for v in explored.values())}, differences: {len(differences)}")
    print("\n".join(differences), flush=True)
    mixed = len(made) < 500 or 3 * min(verdicts["accepted"], verdicts["rejected"]) >= len(made)
    if not mixed:
        print("expected a third of the kernels to be accepted, and a third to be rejected")
    return mixed and not differences


main()
