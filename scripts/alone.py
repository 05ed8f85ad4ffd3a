#!/usr/bin/env python3
"""Compiles each source for itself that a build compiled together with others: alone.py BUILD [--changed COMMITS]. Preset ci joins
sources, so that one may use what its neighbour includes or keeps for itself; scripts/demo, and whoever edits files, builds them one by one.
With --changed only sources that one of the last COMMITS commits changed, or that include a header which one of them changed; with --most
not more than that many, those that were changed themselves first, of the others some from all over the tree."""
import argparse
import json
import pathlib
import re
import shlex
import subprocess
import sys

INCLUDED = re.compile(r'^#include "([^"]+\.cpp)"', re.M)
OWN_HEADER = re.compile(r'^#include "([^"]+\.h)"', re.M)
WITH_VALUE = ("-o", "-MF", "-MT", "-MQ")
DROPPED = ("-c", "-MD", "-MMD", "ccache")


def command_of(entry):
    """How the joined source is compiled, without it and without what is written."""
    words, command, source = iter(shlex.split(entry["command"])), [], pathlib.Path(entry["file"]).name
    for word in words:
        if word in WITH_VALUE:
            next(words)
        elif pathlib.Path(word).name not in DROPPED and pathlib.Path(word).name != source:
            command.append(word)
    return command


def jobs_of(build):
    for entry in json.loads((build / "compile_commands.json").read_text()):
        joined = pathlib.Path(entry["directory"], entry["file"])
        if joined.parent.name != "Unity":
            continue
        for source in INCLUDED.findall(joined.read_text()):
            yield source, [*command_of(entry), "-fsyntax-only", source], entry["directory"]


def changed_in(commits):
    """Names of files that the last commits or nobody yet committed; None where git does not know so many."""
    root = pathlib.Path(__file__).parent.parent
    names = set()
    for command in ["diff", "--name-only", f"HEAD~{commits}"], ["ls-files", "--others", "--exclude-standard"]:
        result = subprocess.run(["git", *command], cwd=root, capture_output=True, text=True, check=False)
        if result.returncode != 0:
            return None
        names.update(result.stdout.split())
    return names


def is_touched(source, changed):
    """Whether a source, or a header that it includes itself, is among what changed."""
    path = pathlib.Path(source)
    names = [path.resolve(), *(pathlib.Path("/", header) for header in OWN_HEADER.findall(path.read_text()))]
    return any(str(name).endswith("/" + file) or file.endswith(str(name)) for name in names for file in changed)


def first_of(jobs, changed, most):
    """Sources that changed, then others at even distances: a header that many include would else ask for all of them."""
    own = [job for job in jobs if any(str(pathlib.Path(job[0]).resolve()).endswith("/" + file) for file in changed)]
    others = [job for job in jobs if job not in own]
    left = max(0, most - len(own))
    step = max(1, -(-len(others) // left)) if left else len(others) + 1
    return own[:most] + others[::step][:left]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--changed", type=int, metavar="COMMITS")
    parser.add_argument("--most", type=int, metavar="SOURCES", default=1 << 20)
    arguments = parser.parse_args()
    changed = changed_in(arguments.changed) if arguments.changed else None
    all_jobs = list(jobs_of(arguments.build))
    jobs = all_jobs if changed is None else first_of([job for job in all_jobs if is_touched(job[0], changed)], changed, arguments.most)
    sources, wrong, passed_over = 0, 0, len(all_jobs) - len(jobs)
    for source, command, directory in jobs:
        result = subprocess.run(command, cwd=directory, capture_output=True, text=True, check=False)
        sources += 1
        if result.returncode != 0:
            wrong += 1
            print(f"{source} does not compile for itself:\n{result.stderr}", file=sys.stderr)
    print(f"{sources} sources for themselves, {wrong} of them wrong, {passed_over} passed over")
    # A build that joins nothing has nothing to show.
    sys.exit(1 if wrong or not sources + passed_over else 0)


main()
