#!/usr/bin/env python3
"""Fills the program excerpts of the pages in docs/ and of examples/ with what `tilec` prints today.

A block of the page is a marker and a fenced block behind it:

    <!-- walk: waits | tile.signals | tile.role @send | tile.signal -->
    ```mlir
    ...
    ```

The marker names a stage of `tilec --until`, or `program` (the file itself) or `hip` (the text), and the lines to show: each that
contains one of the strings behind it. The program is example 04, on the page of an example that example's, or the one named behind the
stage: an example or a file, as in `program 02_signal`, and a target and options behind that. A gap between shown lines becomes `...`; `A => B` shows the lines from one that contains A to
the next that contains B. Blocks lose the indentation that all their lines have.

    scripts/walk.py TILEC            compares, exit status 1 and the differences when a page is stale
    scripts/walk.py TILEC --update   rewrites the pages

docs/walk.md must have a block for every stage that `tilec --help` lists. What the sentences around the blocks say is named by a marker
without a block, which nothing rewrites; where a program does not hold one of the strings any more, both modes fail with status 1:

    <!-- holds: choose | #tile.pattern<specialized, push> -->
"""
import argparse
import difflib
import pathlib
import re
import subprocess
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGES = sorted((ROOT / "docs").glob("*.md")) + sorted((ROOT / "examples").glob("*/README.md"))
WALK = ROOT / "docs" / "walk.md"
HOLDS = re.compile(r"^<!-- holds: (.+?) -->$", re.MULTILINE)
BLOCK = re.compile(r"^<!-- walk: (.+?) -->\n```(\w+)\n(.*?)^```\n", re.MULTILINE | re.DOTALL)


def tilec(command, *options):
    return subprocess.run([command, *options], check=True, capture_output=True, text=True).stdout


def program_of(page):
    return page.parent.name if page.parent.parent == ROOT / "examples" else "04_all_gather_matmul"


def named(shows, page):
    """The words of a marker, with the program that it means."""
    stage, *program = shows.split()
    return stage, *(program or [program_of(page)])


def program_at(command, stage, example, target="gfx942", *options):
    """The program of an example after a stage, as lines."""
    program = ROOT / (example if "/" in example else f"examples/{example}/{example.split('_', 1)[1]}.mlir")
    if stage == "program":
        return program.read_text().splitlines()
    wanted = "--emit=hip" if stage == "hip" else f"--until={stage}"
    return tilec(command, str(program), "--world", "4", "--target", target, *options, wanted).splitlines()


def shown(lines, patterns):
    """Numbers of the lines that a marker asks for. Fails for a pattern that shows nothing."""
    numbers = set()
    for pattern in patterns:
        first, _, last = pattern.partition(" => ")
        begins = [i for i, line in enumerate(lines) if first in line]
        if last:
            begins = begins[:1]
            ends = [i for i in range(begins[0], len(lines)) if last in lines[i]] if begins else []
            found = range(begins[0], ends[0] + 1) if ends else []
        else:
            found = begins
        if not found:
            raise LookupError(f"no line has '{pattern}'")
        numbers.update(found)
    return sorted(numbers)


def excerpt(lines, patterns):
    result = []
    previous = None
    for number in shown(lines, patterns):
        if previous is not None and number != previous + 1:
            indent = len(lines[number]) - len(lines[number].lstrip())
            result.append(" " * indent + "...")
        result.append(lines[number].rstrip())
        previous = number
    return textwrap.dedent("\n".join(result)) + "\n"


def filled(page, command):
    """The text of a page with its blocks as they should be, and the stages that they show."""
    programs = {}

    def fill(block):
        shows, *patterns = [part.strip() for part in block.group(1).split(" | ")]
        if shows not in programs:
            programs[shows] = program_at(command, *named(shows, page))
        try:
            lines = excerpt(programs[shows], patterns)
        except LookupError as error:
            raise SystemExit(f"{page}: {error} after '{shows}'")
        return f"<!-- walk: {block.group(1)} -->\n```{block.group(2)}\n{lines}```\n"

    return BLOCK.sub(fill, page.read_text()), {shows.split()[0] for shows in programs}


def stale_sentences(page, command):
    """What the sentences of a page say and the programs do not hold."""
    for marker in HOLDS.finditer(page.read_text()):
        stage, *strings = [part.strip() for part in marker.group(1).split(" | ")]
        program = "\n".join(program_at(command, *named(stage, page)))
        for string in strings:
            if string not in program:
                yield f"{page}: the sentence behind '{marker.group(0)}' is stale: no '{string}' after '{stage}'"


def stages(command):
    """The stages in the words of `--help`."""
    listed = re.search(r"^Stages: (.*(?:\n.+)*)", tilec(command, "--help"), re.MULTILINE).group(1)
    return re.split(r",\s*", listed.strip())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tilec")
    parser.add_argument("--update", action="store_true", help="rewrite the pages")
    arguments = parser.parse_args()
    stale = untrue = False
    for page in PAGES:
        text, shown_stages = filled(page, arguments.tilec)
        missing = [stage for stage in stages(arguments.tilec) if page == WALK and stage not in shown_stages]
        if missing:
            raise SystemExit(f"{page}: no block shows the program after {', '.join(missing)}")
        difference = list(difflib.unified_diff(page.read_text().splitlines(), text.splitlines(), str(page), "what tilec prints",
                                               lineterm=""))
        for sentence in stale_sentences(page, arguments.tilec):
            print(sentence)
            untrue = True
        if arguments.update:
            page.write_text(text)
        elif difference:
            print("\n".join(difference))
            stale = True
    if stale:
        print("stale: ninja update-walk rewrites the pages")
    return 1 if stale or untrue else 0


if __name__ == "__main__":
    sys.exit(main())
