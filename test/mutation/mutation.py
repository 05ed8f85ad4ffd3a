#!/usr/bin/env python3
# Takes every wait, signal, barrier, token and system scope, and every piece of every ring of LDS, out of the examples, one at a time,
# and asks who notices.
# Usage: mutation.py checkers | sample | table | page [--cache FOLDER] [--build FOLDER] [--source FOLDER]
#   checkers  all mutants through verify and check; fails when one is accepted that redundant.txt does not list, or a kind has too few
#   sample    one mutant of each kind, and every program of theirs unchanged, on the emulator; fails when a mutant survives its seeds
#   table     everything on the emulator and the tests of the instructions too: prints docs/mutants.md, fails when a mutant survives that no list names
#   page      runs nothing: fails when docs/mutants.md has other mutants than the programs have today
import argparse
import collections
import os
import sys

import barriers
import page
import sample
from judges import Judges, checkers
from programs import key_of, listed, subjects, too_few


def explore(mutant):
    """What exhaustive exploration finds wrong with a mutant; None for nothing. It shares no code with the checkers."""
    if mutant.what != "barrier" and mutant.form != "ring":
        return "nothing, as it knows barriers alone"
    return None if barriers.explore(mutant.program) else "a load of LDS with two values"


def check_all(judges, programs, root):
    known, wrong, counts, used = listed(root, "redundant.txt"), [], collections.Counter(), set()
    for subject in programs:
        for mutant in subject.mutants():
            key = key_of(subject, mutant)
            counts[subject.part, *key[:3]] += 1
            if checkers(judges, mutant) != "accepted":
                continue
            used.add(key)
            if key not in known:
                wrong.append("accepted: " + " | ".join(key))
            elif why := explore(mutant):
                wrong.append(f"accepted, but exploration finds {why}: " + " | ".join(key))
    wrong += ["listed as redundant, but rejected or gone: " + " | ".join(key) for key in sorted(known - used)]
    wrong += ["mutants are missing: " + line for line in too_few(root, counts)]
    print("".join(line + "\n" for line in wrong) + f"{counts.total()} mutants, {len(used)} redundant, {len(wrong)} wrong")
    return not wrong


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    parser = argparse.ArgumentParser()
    parser.add_argument("command", choices=["checkers", "sample", "table", "page"])
    parser.add_argument("--source", default=os.path.dirname(os.path.dirname(here)))
    parser.add_argument("--build", default=None)
    parser.add_argument("--cache", default=None, help="folder that keeps what the emulator said, by content")
    parser.add_argument("--minutes", type=float, default=None,
                        help="after these, what the cache does not hold is not run and the table says so; with 0 the checkers alone judge it")
    options = parser.parse_args()
    judges = Judges(options.build or os.path.join(options.source, "build"), options.source, options.cache, options.minutes)
    command = {"checkers": check_all, "sample": sample.check, "table": page.write, "page": page.compare}[options.command]
    sys.exit(0 if command(judges, subjects(judges, options.source), options.source) else 1)


if __name__ == "__main__":
    main()
