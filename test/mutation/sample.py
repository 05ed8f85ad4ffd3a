# One mutant of every kind on the emulator.
# Belongs here: which, and what must come out. Does not: what a mutant is (mutants.py, rings.py), how one is judged (judges.py).
import collections
import re

from programs import EMULATED, emulator, key_of, listed

# A kind's mutant is of the first of these that has the kind: few programs, since each also runs unchanged. Between them they have every kind.
PROGRAMS = ["04 specialized-staged", "parts", "ring all-reduce", "05 gfx950", "06 gfx942", "04 specialized-copy-engine",
            "reduce-scatter sequential-copy-engine", "tallied"]
# What only a checker can see: the order of the text protects what a token does, so that the text without it is the same.
SAME_TEXT = {"token of an access", "published token"}


def kind_of(subject, mutant):
    """What is lost, for a reader: the kernel form's and the exit dialect's are one kind, and numbers of slots are none."""
    what = {"rings": "ring: ", "steps": "step: "}.get(subject.part, "") + mutant.what
    return re.sub(r"\d+", "n", what)


def chosen(programs, known):
    """Of each kind its number of mutants, and those of the first program that has it, from the one in the middle on."""
    totals, found = collections.Counter(), {}
    for subject in programs:
        for mutant in subject.mutants() if subject.part in EMULATED else ():
            kind = kind_of(subject, mutant)
            totals[kind] += 1
            if subject.name in PROGRAMS and key_of(subject, mutant) not in known:
                found.setdefault(kind, {}).setdefault(PROGRAMS.index(subject.name), []).append((subject, mutant))
    for kind in totals:
        candidates = found[kind][min(found[kind])] if kind in found else []
        middle = (len(candidates) - 1) // 2 if candidates else 0
        yield kind, totals[kind], candidates[middle:] + candidates[:middle]


def run(judges, candidates):
    """The first that compiles, and what the emulator says of it: a text that the compiler refuses says nothing of the emulator."""
    for subject, mutant in candidates:
        verdict = emulator(judges, subject, mutant)
        if not verdict.startswith("does not compile"):
            break
    return subject, mutant, verdict


def check(judges, programs, root):
    known, unchanged, wrong, ran = listed(root, "redundant.txt") | listed(root, "unshown.txt"), {}, 0, 0
    for kind, total, candidates in chosen(programs, known):
        if not candidates:
            wrong += 1
            print(f"{kind}: none of {total}: no program of the sample has this kind")
            continue
        subject, mutant, verdict = run(judges, candidates)
        # A judge that fails everything would do as well: the program itself must pass.
        if subject.name not in unchanged:
            unchanged[subject.name] = judges.emulate(subject.kernel_form, subject.text, range(1, 4), options=subject.running)
        ran += 1
        good = verdict == "same text" if kind in SAME_TEXT else "seed" in verdict and not verdict.startswith("does not compile")
        wrong += not good or unchanged[subject.name] != "accepted"
        print(f"{kind}: 1 of {total}: {subject.name}, {mutant.place}: {verdict}" + ("" if good else ", which is wrong"), flush=True)
    for name, verdict in unchanged.items():
        print(f"{name} unchanged: {verdict}")
    print(f"{ran} mutants, one of each kind, {wrong} wrong")
    return wrong == 0
