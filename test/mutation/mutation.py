#!/usr/bin/env python3
# Takes every wait, signal, barrier, token and system scope, and every piece of every ring of LDS, out of the examples, one at a time,
# and asks who notices.
# Usage: mutation.py checkers | sample | table [--cache FOLDER] [--build FOLDER] [--source FOLDER]
#   checkers  all mutants through verify and check; fails when one is accepted that redundant.txt does not list
#   sample    a fixed sample, and every program unchanged, on the emulator; fails when a mutant survives its seeds
#   table     everything on the emulator and the tests of the instructions too: prints docs/mutants.md
import argparse
import os
import re
import sys

import barriers
import mutants
import rings
from judges import SEEDS, Judges

TILES = ["--param", "BM=64", "--param", "BN=64", "--param", "BK=32"]
# Name in the table, file below examples/, options of the compiler.
PROGRAMS = [
    ("02", "02_signal/signal.mlir", ["--world", "3"]),
    ("04 specialized-push", "04_all_gather_matmul/all_gather_matmul.mlir", ["--world", "3", "--pattern", "specialized-push"] + TILES),
    ("04 specialized-staged", "04_all_gather_matmul/all_gather_matmul.mlir", ["--world", "3", "--pattern", "specialized-staged"] + TILES),
    ("04 sequential-pull", "04_all_gather_matmul/all_gather_matmul.mlir", ["--world", "2", "--pattern", "sequential-pull"] + TILES),
    ("04 bulk", "04_all_gather_matmul/all_gather_matmul.mlir", ["--world", "2", "--pattern", "bulk"] + TILES),
    ("05 sequential-push", "05_matmul_all_scatter/matmul_all_scatter.mlir", ["--world", "3", "--pattern", "sequential-push"] + TILES),
    ("05 specialized-push", "05_matmul_all_scatter/matmul_all_scatter.mlir", ["--world", "2", "--pattern", "specialized-push"] + TILES),
    ("06 sequential-push", "06_matmul_reduce_scatter/matmul_reduce_scatter.mlir", ["--world", "3", "--pattern", "sequential-push"] + TILES),
    ("06 specialized-push", "06_matmul_reduce_scatter/matmul_reduce_scatter.mlir", ["--world", "3", "--pattern", "specialized-push"] + TILES),
    ("06 specialized-pull", "06_matmul_reduce_scatter/matmul_reduce_scatter.mlir", ["--world", "2", "--pattern", "specialized-pull"] + TILES),
    ("07 default", "07_matmul_all_reduce/matmul_all_reduce.mlir", ["--world", "3"] + TILES),
    ("07 specialized-push", "07_matmul_all_reduce/matmul_all_reduce.mlir", ["--world", "3", "--pattern", "specialized-push"] + TILES),
    ("07 bulk", "07_matmul_all_reduce/matmul_all_reduce.mlir", ["--world", "2", "--pattern", "bulk"] + TILES),
    ("parts", "../test/mutation/Inputs/parts.mlir", ["--world", "1", "--pattern", "sequential"]),
]
# Of these the rings alone, on both machines: what goes through registers on gfx942 is copied past them on gfx950.
RING_PROGRAMS = [
    ("03", "03_matmul/matmul.mlir", ["--world", "1"]),
    ("05", "05_matmul_all_scatter/matmul_all_scatter.mlir", ["--world", "2", "--pattern", "sequential-push"]),
    ("06", "06_matmul_reduce_scatter/matmul_reduce_scatter.mlir", ["--world", "2", "--pattern", "sequential-push"]),
    ("07", "07_matmul_all_reduce/matmul_all_reduce.mlir", ["--world", "2"]),
]
TARGETS = ["gfx942", "gfx950"]
# More steps than slots, and a rest of 8 columns.
RING_EXTENTS = ["--extent", "M=72,N=72,K=328"]
# Of these the exit dialect for sm_90a, where a producer fills slots, for the checkers; test/run/edited-producer*.test runs such mutants on the emulator.
PRODUCER_PROGRAMS = [
    ("04 sm_90a specialized-push", "04_all_gather_matmul/all_gather_matmul.mlir",
     ["--world", "2", "--pattern", "specialized-push", "--granularity", "group-8"]),
    ("04 sm_90a bulk-push", "04_all_gather_matmul/all_gather_matmul.mlir", ["--world", "2", "--pattern", "bulk-push"]),
    ("06 sm_90a sequential-push", "06_matmul_reduce_scatter/matmul_reduce_scatter.mlir", ["--world", "2", "--pattern", "sequential-push"]),
    ("07 sm_90a specialized-push", "07_matmul_all_reduce/matmul_all_reduce.mlir", ["--world", "2", "--pattern", "specialized-push"]),
]
# Loops of steps: of these each wait for an earlier step. What a kernel of several statements needs is proven for extents that are fixed.
STEP_PROGRAMS = [
    ("ring all-gather", "../test/run/workloads/ring-all-gather.mlir", ["--world", "3"], ["--extent", "M=40"]),
    ("ring reduce-scatter", "../test/run/workloads/ring-reduce-scatter.mlir", ["--world", "4", "--pattern", "sequential"], ["--extent", "M=40"]),
    ("ring all-reduce", "09_ring_all_reduce/ring_all_reduce.mlir", ["--world", "3", "--extent", "M=40"], ["--units", "8", "--resident", "2"]),
]
# Of this the kernel form alone, for the checkers: a task waits twice for its neighbours' tasks of the step before, for what they wrote and for what they read. In
# the order of the text the first wait protects the store as well. test/passes/check-misses-a-wait-for-the-columns-beside.test has the waits of the text.
STENCIL = ("stencil steps", "18_kernels/stencil_steps.mlir", ["--world", "3"])
# Every so many mutants one goes into the sample: each takes a compilation or two for the host and up to twenty runs.
SAMPLE_STEP = 128
# What runs with mutated headers, and which tests of the instructions look at a header.
HEADER_PROGRAMS = ["02", "04 specialized-push", "04 sequential-pull", "07 bulk", "parts"]
COLUMN_SUMS = ("column sums", "../test/mutation/Inputs/column_sums.mlir", ["--world", "1"])
DEVICE_TESTS = ["signal.hip", "barrier.hip"]


def output_of(command, program=None):
    from judges import run

    code, output = run(command, program)
    if code:
        sys.exit(f"{' '.join(command)}:\n{output}")
    return output


class Subject:
    """A program in kernel form, after `prepare`, and its text. `part`: of what, for a target, the mutants are: `protocol`, `rings`, `producer`, `steps`, `derived`."""

    def __init__(self, judges, root, name, path, options, target=None, part="protocol", extents=()):
        self.name, self.part = name, part
        self.options = ["--target", target] if target else []
        self.running = [*self.options, *extents]
        self.kernel_form = output_of([judges.tilec, os.path.join(root, "examples", path), *options, *self.options, "--until=order"])
        self.exit = output_of([judges.tilec, "-", *self.options, "--until=prepare"], self.kernel_form)
        self.text = strip(output_of([judges.tilec, "-", *self.options, "--emit=hip"], self.kernel_form))

    def mutants(self):
        if self.part == "rings":
            return rings.mutants(self.exit)
        if self.part == "producer":
            return mutants.exit_dialect(self.exit, self.text, mutants.PRODUCER_CALLS)
        if self.part == "steps":
            return mutants.between_steps(self.kernel_form, self.exit, self.text)
        if self.part == "derived":
            return (mutant for mutant in mutants.between_steps(self.kernel_form, self.exit, self.text) if mutant.form == "kernel form")
        return self.protocol_mutants()

    def protocol_mutants(self):
        yield from mutants.kernel_form(self.kernel_form)
        yield from mutants.exit_dialect(self.exit, self.text)
        yield from mutants.arrivals(self.exit, self.text)


def strip(text):
    """Text without its comments, which say what tokens protect."""
    return "\n".join(re.sub(r"\s*//.*", "", line) for line in text.splitlines() if not re.match(r"\s*//", line)) + "\n"


def checkers(judges, mutant):
    if mutant.form == "kernel form":
        return judges.verify(mutant.program)
    return judges.check(mutant.program)


def emulator(judges, subject, mutant):
    if mutant.text:
        text, why = mutant.text, None
    elif mutant.form == "ring":
        text, why = judges.print_text(mutant.program, "--from=print", *subject.options)
    else:
        text, why = judges.print_text(mutant.program, "--no-verify")
    if text is None:
        return "no text: " + why
    if strip(text) == subject.text:
        return "same text"
    return judges.emulate(subject.kernel_form, strip(text), options=subject.running)


def listed(root, name):
    """The mutants of a list: its lines are `program | form | what | place`."""
    with open(os.path.join(root, "test/mutation", name)) as file:
        return {tuple(part.strip() for part in line.split("|")) for line in file if "|" in line and line[0] != "#"}


def redundant(root):
    """Those that are right to be accepted."""
    return listed(root, "redundant.txt")


def explore(mutant):
    """What exhaustive exploration finds wrong with a mutant; None for nothing. It shares no code with the checkers."""
    if mutant.what != "barrier" and mutant.form != "ring":
        return "nothing, as it knows barriers alone"
    return None if barriers.explore(mutant.program) else "a load of LDS with two values"


def check_all(judges, subjects, root):
    known, wrong, count, used = redundant(root), 0, 0, set()
    for subject in subjects:
        for mutant in subject.mutants():
            key = (subject.name, mutant.form, mutant.what, mutant.place)
            verdict = checkers(judges, mutant)
            count += 1
            if verdict != "accepted":
                continue
            used.add(key)
            if key not in known:
                wrong += 1
                print("accepted:", " | ".join(key))
            elif why := explore(mutant):
                wrong += 1
                print("accepted, but exploration finds:", why, " | ".join(key))
    for key in sorted(known - used):
        wrong += 1
        print("listed as redundant, but rejected or gone:", " | ".join(key))
    print(f"{count} mutants, {len(used)} redundant, {wrong} wrong")
    return wrong == 0


def check_sample(judges, subjects, root):
    known, wrong, number, count = redundant(root) | listed(root, "unshown.txt"), 0, 0, 0
    for subject in subjects:
        unchanged = None
        for mutant in subject.mutants():
            key = (subject.name, mutant.form, mutant.what, mutant.place)
            if key in known or "token" in mutant.what:
                continue
            number += 1
            if number % SAMPLE_STEP:
                continue
            # A judge that fails everything would do as well: the program itself must pass.
            unchanged = unchanged or judges.emulate(subject.kernel_form, subject.text, range(1, 4), options=subject.running)
            verdict = emulator(judges, subject, mutant)
            count += 1
            if unchanged != "accepted" or verdict == "accepted":
                wrong += 1
                print(" | ".join((*key, verdict, "unchanged: " + unchanged)))
    print(f"{count} of {number} mutants on the emulator, {wrong} wrong")
    return wrong == 0


def header_rows(judges, subjects, root):
    by_name = {subject.name: subject for subject in subjects}
    chosen = [by_name[name] for name in HEADER_PROGRAMS] + [Subject(judges, root, *COLUMN_SUMS)]
    for mutant in mutants.HEADERS:
        with open(os.path.join(root, "runtime/include/tilec", mutant.file)) as file:
            content = mutants.mutate_header(file.read(), mutant)

        def judge(copy):
            verdict = "accepted"
            for subject in [] if mutant.file.startswith("amd/") else chosen:
                environment = {"TILEC_RUNTIME": os.path.join(copy, "runtime"), "TILEC_CACHE": os.path.join(copy, "cache")}
                os.makedirs(environment["TILEC_CACHE"])if not os.path.isdir(environment["TILEC_CACHE"]) else None
                fresh = Judges.__new__(Judges)
                fresh.__dict__.update(judges.__dict__, cache=None, end=None)
                verdict = fresh.emulate(subject.kernel_form, subject.text, environment=environment)
                if verdict != "accepted":
                    verdict += f", {subject.name}"
                    break
            isa = judges.instructions(copy, DEVICE_TESTS)
            if isa == "accepted":
                isa = judges.fences(copy, chosen[2].text)
            return "not compiled there" if mutant.file.startswith("amd/") else verdict, isa

        answer = judges.remembered(["header", mutant.what, content, str(judges.race)],
                                   lambda: "\t".join(judges.with_headers(mutant.file, content, judge)))
        yield mutant, *(answer.split("\t") if answer != "not run" else ("not run", "not run"))


def warm(judges, subjects):
    """The emulator on what matters most first, for a table that is cut off: removals, then scopes."""
    for kinds in (("barrier", "wait", "await", "meeting"), ("signal", "of one less", "what follows"), ("at system",)):
        for subject in subjects:
            for mutant in subject.mutants() if subject.part != "protocol" else mutants.exit_dialect(subject.exit, subject.text):
                if mutant.what.endswith(kinds):
                    print(subject.name, mutant.what, mutant.place, emulator(judges, subject, mutant), file=sys.stderr, flush=True)


def judged(judges, subjects, known):
    """Of each mutant: its program, form, kind and place, what the checkers and what the emulator say."""
    rows = []
    for subject in subjects:
        # Longer runs of the programs themselves are the business of other tests.
        unchanged = judges.emulate(subject.kernel_form, subject.text, range(1, 4), options=subject.running)
        if unchanged not in ("accepted", "not run"):
            sys.exit(f"{subject.name} unchanged: {unchanged}")
        for mutant in subject.mutants():
            row = [subject.name, mutant.form, mutant.what, mutant.place, checkers(judges, mutant),
                   emulator(judges, subject, mutant)]
            if tuple(row[:4]) in known:
                row[4] = "redundant"
            print(" | ".join(row), file=sys.stderr, flush=True)
            rows.append(row)
    return rows


def facts_of(rows):
    survived = ("accepted", "same text")
    return {
        "mutants": len(rows),
        "checked": sum(row[4] not in ("accepted", "redundant") for row in rows),
        "redundant": sum(row[4] == "redundant" for row in rows),
        "emulated": sum(row[5] not in survived for row in rows) - sum(row[5] == "not run" for row in rows),
        "run": sum(row[5] != "not run" for row in rows),
        "same": sum(row[5] == "same text" for row in rows),
        "unseen": sum(row[5] == "accepted" and row[4] != "redundant" for row in rows),
    }


def ring_table(rows):
    """A row for each program and kind: how many mutants, and how many of them each judge rejects in which way."""
    kinds, table = {}, []
    for row in rows:
        kinds.setdefault((row[0], row[2]), []).append(row)

    def counted(verdicts):
        return ", ".join(f"{verdicts.count(verdict)} {verdict}" for verdict in sorted(set(verdicts), key=verdicts.index))

    for (program, what), found in kinds.items():
        emulated = counted([row[5].split(",")[0] for row in found])
        table.append(f"| {program} | {what} | {len(found)} | {counted([row[4] for row in found])} | {emulated} |")
    return "\n".join(table)


def print_table(judges, subjects, root):
    known = redundant(root)
    warm(judges, subjects)
    rows, ring_rows = (judged(judges, [subject for subject in subjects if subject.part == part], known) for part in ("protocol", "rings"))
    headers = [(mutant.what, "`" + mutant.file + "`", emulated, isa) for mutant, emulated, isa in header_rows(judges, subjects, root)]
    with open(os.path.join(root, "test/mutation/mutants.md.in")) as file:
        page = file.read()
    unseen = [row for row in ring_rows if row[5] == "accepted" and row[4] != "redundant"]
    facts = facts_of(rows) | {f"ring_{name}": value for name, value in facts_of(ring_rows).items()} | {
        "programs": len(PROGRAMS),
        "ring_programs": len(RING_PROGRAMS),
        "seeds": SEEDS,
        "headers": len(headers),
        "headers_caught": sum(any(v not in ("accepted", "not compiled there", "not run") for v in row[2:]) for row in headers),
        "race": "the race check from the fourth seed on" if judges.race else "without the race check",
        "table": "\n".join("| " + " | ".join(row) + " |" for row in rows),
        "ring_table": ring_table(ring_rows),
        "ring_unseen_table": "\n".join(f"| {row[0]} | {row[2]} | {row[3]} | {row[4]} |" for row in unseen),
        "header_table": "\n".join("| " + " | ".join(row) + " |" for row in headers),
    }
    print(page.format(**facts), end="")
    return facts["unseen"] == 0


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    parser = argparse.ArgumentParser()
    parser.add_argument("command", choices=["checkers", "sample", "table"])
    parser.add_argument("--source", default=os.path.dirname(os.path.dirname(here)))
    parser.add_argument("--build", default=None)
    parser.add_argument("--cache", default=None, help="folder that keeps what the emulator said, by content")
    parser.add_argument("--minutes", type=float, default=None, help="after these, what the cache does not hold is not run")
    options = parser.parse_args()
    judges = Judges(options.build or os.path.join(options.source, "build"), options.source, options.cache, options.minutes)
    subjects = [Subject(judges, options.source, *program) for program in PROGRAMS]
    subjects += [Subject(judges, options.source, f"{name} {target}", path, given + TILES, target, "rings", RING_EXTENTS)
                 for name, path, given in RING_PROGRAMS for target in TARGETS]
    if options.command != "table":
        subjects += [Subject(judges, options.source, *program, None, "steps", running) for *program, running in STEP_PROGRAMS]
    if options.command == "checkers":
        subjects.append(Subject(judges, options.source, *STENCIL, None, "derived"))
        subjects += [Subject(judges, options.source, *program, "sm_90a", "producer") for program in PRODUCER_PROGRAMS]
    command = {"checkers": check_all, "sample": check_sample, "table": print_table}[options.command]
    sys.exit(0 if command(judges, subjects, options.source) else 1)


if __name__ == "__main__":
    main()
