#!/usr/bin/env python3
"""Compiles each source for itself that a build compiled together with others: alone.py BUILD. Preset ci joins sources, so that one may
use what its neighbour includes or keeps for itself; scripts/demo, and whoever edits files, builds them one by one."""
import json
import pathlib
import re
import shlex
import subprocess
import sys

INCLUDED = re.compile(r'^#include "([^"]+\.cpp)"', re.M)
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


def main():
    build = pathlib.Path(sys.argv[1])
    sources, wrong = 0, 0
    for source, command, directory in jobs_of(build):
        result = subprocess.run(command, cwd=directory, capture_output=True, text=True, check=False)
        sources += 1
        if result.returncode != 0:
            wrong += 1
            print(f"{source} does not compile for itself:\n{result.stderr}", file=sys.stderr)
    print(f"{sources} sources for themselves, {wrong} of them wrong")
    # A build that joins nothing has nothing to show.
    sys.exit(1 if wrong or not sources else 0)


main()
