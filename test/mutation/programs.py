# The programs whose pieces are taken out, and each one's mutants.
# Belongs here: which programs, with which options. Does not: what a mutant is (mutants.py, rings.py), what is done with them (mutation.py, sample.py, page.py).
import fnmatch
import itertools
import os
import re
import sys

import mutants
import rings
from judges import run

TILES = ["--param", "BM=64", "--param", "BN=64", "--param", "BK=32"]
# Name in the table, file below examples/, options of the compiler.
PROGRAMS = [
    ("02", "02_signal/signal.mlir", ["--world", "3"]),
    ("04 specialized-push", "04_all_gather_matmul/all_gather_matmul.mlir", ["--world", "3", "--pattern", "specialized-push"] + TILES),
    ("04 specialized-staged", "04_all_gather_matmul/all_gather_matmul.mlir", ["--world", "3", "--pattern", "specialized-staged"] + TILES),
    ("04 specialized-copy-engine", "04_all_gather_matmul/all_gather_matmul.mlir",
     ["--world", "3", "--pattern", "specialized-copy-engine"] + TILES),
    ("reduce-scatter sequential-copy-engine", "../bench/gpu/matmul_scatter.mlir",
     ["--world", "3", "--pattern", "sequential-copy-engine", "--granularity", "group-1"] + TILES),
    ("04 sequential-pull", "04_all_gather_matmul/all_gather_matmul.mlir", ["--world", "2", "--pattern", "sequential-pull"] + TILES),
    ("04 bulk", "04_all_gather_matmul/all_gather_matmul.mlir", ["--world", "2", "--pattern", "bulk"] + TILES),
    ("05 sequential-copy-engine", "05_matmul_all_scatter/matmul_all_scatter.mlir",
     ["--world", "3", "--pattern", "sequential-copy-engine", "--granularity", "group-1"] + TILES),
    ("05 sequential-push", "05_matmul_all_scatter/matmul_all_scatter.mlir", ["--world", "3", "--pattern", "sequential-push"] + TILES),
    ("05 specialized-push", "05_matmul_all_scatter/matmul_all_scatter.mlir", ["--world", "2", "--pattern", "specialized-push"] + TILES),
    ("06 sequential-push", "06_matmul_reduce_scatter/matmul_reduce_scatter.mlir", ["--world", "3", "--pattern", "sequential-push"] + TILES),
    ("06 specialized-push", "06_matmul_reduce_scatter/matmul_reduce_scatter.mlir", ["--world", "3", "--pattern", "specialized-push"] + TILES),
    ("06 specialized-pull", "06_matmul_reduce_scatter/matmul_reduce_scatter.mlir", ["--world", "2", "--pattern", "specialized-pull"] + TILES),
    ("07 default", "07_matmul_all_reduce/matmul_all_reduce.mlir", ["--world", "3"] + TILES),
    ("07 specialized-push", "07_matmul_all_reduce/matmul_all_reduce.mlir", ["--world", "3", "--pattern", "specialized-push"] + TILES),
    ("07 bulk", "07_matmul_all_reduce/matmul_all_reduce.mlir", ["--world", "2", "--pattern", "bulk"] + TILES),
    ("parts", "../test/mutation/Inputs/parts.mlir", ["--world", "1", "--pattern", "sequential"]),
    ("tallied", "../test/mutation/Inputs/tallied.mlir", ["--world", "1", "--pattern", "sequential", "--granularity", "statement"]),
    ("last tiles", "../bench/gpu/matmul.mlir",
     ["--world", "1", "--extent", "M=136,N=136,K=136", "--schedule=split=2,behind=6"] + TILES),
]
# Of these the rings alone, on both machines: what goes through registers on gfx942 is copied past them on gfx950.
RING_PROGRAMS = [
    ("03", "03_matmul/matmul.mlir", ["--world", "1"] + TILES),
    ("03 alternating", "03_matmul/matmul.mlir", ["--world", "1", "--schedule=waves=8,halves=alternating", "--param", "BM=128,BN=128,BK=32"]),
    ("across", "../bench/products/untransposed.mlir", ["--world", "1", "--param", "BM=128,BN=128,BK=32"]),
    ("gradient", "../bench/gpu/matmul_gradient.mlir", ["--world", "1", "--param", "BM=128,BN=128,BK=32"]),
    ("scaled", "../test/mutation/Inputs/scaled.mlir", ["--world", "1"]),
    ("05", "05_matmul_all_scatter/matmul_all_scatter.mlir", ["--world", "2", "--pattern", "sequential-push"] + TILES),
    ("06", "06_matmul_reduce_scatter/matmul_reduce_scatter.mlir", ["--world", "2", "--pattern", "sequential-push"] + TILES),
    ("07", "07_matmul_all_reduce/matmul_all_reduce.mlir", ["--world", "2"] + TILES),
]
TARGETS = ["gfx942", "gfx950"]
# More steps than slots, and a rest of 8 columns.
RING_EXTENTS = ["--extent", "M=72,N=72,K=328"]
# Of these the exit dialect for sm_90a, where a producer fills slots, for the checkers; test/run/edited-producer*.test and edited-sums.test run mutants of a text with
# a producer on the emulator.
PRODUCER_PROGRAMS = [
    ("04 sm_90a specialized-push", "04_all_gather_matmul/all_gather_matmul.mlir",
     ["--world", "2", "--pattern", "specialized-push", "--granularity", "group-8"]),
    ("04 sm_90a bulk-push", "04_all_gather_matmul/all_gather_matmul.mlir", ["--world", "2", "--pattern", "bulk-push"]),
    ("06 sm_90a sequential-push", "06_matmul_reduce_scatter/matmul_reduce_scatter.mlir", ["--world", "2", "--pattern", "sequential-push"]),
    ("reduce-scatter sm_90a sequential-copy-engine", "../bench/gpu/matmul_scatter.mlir", ["--world", "3", "--pattern", "sequential-copy-engine", "--target", "sm_90a"]),
    ("pairs sm_90a", "../bench/gpu/matmul.mlir", ["--world", "1", "--extent", "M=512,N=512,K=200", "--param", "BM=128,BN=256", "--schedule=pairs=true"]),
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


# What runs with mutated headers.
HEADER_PROGRAMS = ["02", "04 specialized-push", "04 sequential-pull", "07 bulk", "parts", "tallied"]
COLUMN_SUMS = ("column sums", "../test/mutation/Inputs/column_sums.mlir", ["--world", "1"])
# Of what the mutants of a program are; those of the first three run on the emulator.
EMULATED = ("protocol", "rings", "steps")


def output_of(command, program=None):
    code, output = run(command, program)
    if code:
        sys.exit(f"{' '.join(command)}:\n{output}")
    return output


class Subject:
    """A program in kernel form, after `prepare`, and its text. `part`: of what the mutants are: `protocol`, `rings`, `steps`, `producer`, `derived`."""

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


def emulator(judges, subject, mutant):
    """What the emulator says of a mutant; `same text` where it makes no difference to what is printed."""
    if mutant.text:
        text, why = mutant.text, None
    elif mutant.form == "ring":
        text, why = judges.print_text(mutant.program, "--from=print", "--no-verify", *subject.options)
    else:
        text, why = judges.print_text(mutant.program, "--no-verify")
    if text is None:
        return "no text: " + why
    if strip(text) == subject.text:
        return "same text"
    return judges.emulate(subject.kernel_form, strip(text), options=subject.running)


def subjects(judges, root):
    """Every program of every part."""
    made = [Subject(judges, root, *program) for program in PROGRAMS]
    made += [Subject(judges, root, f"{name} {target}", path, given, target, "rings", RING_EXTENTS)
             for name, path, given in RING_PROGRAMS for target in TARGETS]
    made += [Subject(judges, root, *program, None, "steps", running) for *program, running in STEP_PROGRAMS]
    made.append(Subject(judges, root, *STENCIL, None, "derived"))
    return made + [Subject(judges, root, *program, "sm_90a", "producer") for program in PRODUCER_PROGRAMS]


def key_of(subject, mutant):
    """What the lists and the page name a mutant by."""
    return (subject.name, mutant.form, mutant.what, mutant.place)


def lines_of(root, name):
    """The lines of a list, in their columns."""
    with open(os.path.join(root, "test/mutation", name)) as file:
        return [tuple(part.strip() for part in line.split("|")) for line in file if "|" in line and line[0] != "#"]


def listed(root, name):
    """The mutants of a list: its lines are `program | form | what | place`."""
    return set(lines_of(root, name))


def too_few(root, counts):
    """Where there are fewer mutants than least.txt asks for, or it asks for none: `counts` has how many a part, program, form and kind has."""
    programs, named = {key[:2] for key in counts}, set()
    for part, pattern, form, kinds in lines_of(root, "least.txt"):
        found = sorted(program for of, program in programs if of == part and fnmatch.fnmatchcase(program, pattern))
        if not found:
            yield f"no program of part '{part}' is named '{pattern}'"
        for program, kind in itertools.product(found, kinds.split(", ")):
            what, least = kind.rsplit(" ", 1)
            named.add((part, program, form, what))
            if counts[part, program, form, what] < int(least):
                yield f"{program} | {form} | {what}: {counts[part, program, form, what]}, expected at least {least}"
    for _, program, form, what in sorted(set(counts) - named):
        yield f"{program} | {form} | {what}: least.txt does not name this kind"
