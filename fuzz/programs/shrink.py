#!/usr/bin/env python3
"""Shrinks a program that fails: lines, blocks and operands go as long as the same failure comes back.

  shrink.py failure.mlir              options are those of its line '// RUN: tilec run %s ..'
"""
import argparse
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from execution import Runner

DEFINITION = re.compile(r"^\s*(%[\w]+)(?: = |: )")
WORD = re.compile(r"%[\w]+")


def blocks(lines):
    """Ranges of lines that can go together: a line alone, or from an opening brace to its end; longest first."""
    result, open_at = [], []
    for i, line in enumerate(lines):
        if line.strip().startswith("}"):
            begin = open_at.pop() if open_at else i
            if not line.rstrip().endswith("{"):
                result.append((begin, i + 1))
            else:
                open_at.append(begin)
                continue
        elif line.rstrip().endswith("{"):
            # An epilogue belongs to the matmul of the line above.
            open_at.append(i - 1 if line.strip().startswith("epilogue") else i)
            continue
        else:
            result.append((i, i + 1))
    inside = [(b, e) for b, e in result if b > 0 and e < len(lines)]
    return sorted(inside, key=lambda r: r[0] - r[1])


def without(lines, begin, end):
    return lines[:begin] + lines[end:]


def bypass(lines, i):
    """The line gone, its result replaced by one of its operands."""
    match = DEFINITION.match(lines[i])
    if not match:
        return
    name = match.group(1)
    for operand in dict.fromkeys(WORD.findall(lines[i].split("=", 1)[-1])):
        if operand != name:
            rest = [re.sub(re.escape(name) + r"\b", operand, l) for l in lines]
            yield without(rest, i, i + 1)


def unwrap(lines, begin, end):
    """The inside of an scf.if or scf.for without results."""
    if re.match(r"^\s*scf\.(if|for)", lines[begin]):
        inner = lines[begin + 1:end - 1]
        for at, line in enumerate(inner):
            if line.strip() == "} else {":
                inner = inner[:at]
                break
        yield lines[:begin] + inner + lines[end:]


def drop_arguments(lines):
    """Arguments, extents and allocs that nothing names."""
    head, body = lines[0], "\n".join(lines[1:])
    for name in re.findall(r"(%\w+): memref", head):
        if not re.search(re.escape(name) + r"\b", body):
            shorter = re.sub(re.escape(name) + r": memref<[^%]*>(, )?(?=[%)])", "", head, count=1).replace(", )", ")")
            shorter = re.sub(r" ?\[" + re.escape(name) + r": [^\]]*\]", "", shorter)
            yield [re.sub(r" extents \{", " {", shorter)] + lines[1:]
    for name in re.findall(r"%\w+(?=[,>])", head.split("(")[0]):
        if len(re.findall(re.escape(name) + r"\b", head + body)) == 1:
            yield [re.sub(re.escape(name) + r"(, )?", "", head, count=1).replace(", >", ">").replace("<>", "")] + lines[1:]


def simpler_options(options):
    for i, option in enumerate(options):
        if not option.startswith("--world"):
            yield options[:i] + options[i + 1:]
        name, _, value = option.partition("=")
        if name == "--launches" and int(value) > 1:
            yield options[:i] + [f"--launches={int(value) - 1}"] + options[i + 1:]
        if name == "--world" and int(value) > 1:
            yield options[:i] + [f"--world={int(value) - 1}"] + options[i + 1:]
        if name == "--extents-from" and "," in value:
            for size in value.split(","):
                yield options[:i] + [f"--extents-from={size}"] + options[i + 1:]


class Shrinker:
    def __init__(self, runner, lines, options, key, optimised=False):
        self.runner, self.lines, self.options, self.key = runner, lines, options, key
        self.optimised, self.runs = optimised, 0

    def fails(self, lines, options):
        self.runs += 1
        result = self.runner.run("\n".join(lines) + "\n", options, self.optimised)
        # A mismatch may change its face; anything else keeps its message.
        return result.key == self.key or (result.kind == self.key[0] == "mismatch")

    def lines_pass(self):
        changed, at = False, 0
        while at < len(blocks(self.lines)):
            begin, end = blocks(self.lines)[at]
            candidates = [without(self.lines, begin, end)] + list(unwrap(self.lines, begin, end))
            if end == begin + 1:
                candidates += list(bypass(self.lines, begin))
            found = next((c for c in candidates if self.fails(c, self.options)), None)
            if found is None:
                at += 1
            else:
                self.lines, changed = found, True
        return changed

    def simple_pass(self, candidates):
        changed = False
        while True:
            found = next((c for c in candidates() if self.fails(*c)), None)
            if found is None:
                return changed
            self.lines, self.options = found
            changed = True

    def shrink(self):
        while True:
            changed = self.simple_pass(lambda: ((self.lines, o) for o in simpler_options(self.options)))
            changed |= self.lines_pass()
            changed |= self.simple_pass(lambda: ((l, self.options) for l in drop_arguments(self.lines)))
            if not changed:
                return


def shrink_text(runner, text, options, optimised=False):
    lines = [l for l in text.splitlines() if l.strip() and not l.strip().startswith("//")]
    first = runner.run("\n".join(lines) + "\n", options, optimised)
    if not first.failed:
        print(f"no failure: {first.kind} {first.message}")
        return 1
    runner.timeout = max(10, 3 * first.seconds) if first.kind != "timeout" else runner.timeout
    shrinker = Shrinker(runner, lines, list(options), first.key, optimised)
    shrinker.shrink()
    last = runner.run("\n".join(shrinker.lines) + "\n", shrinker.options, optimised)
    print(f"// RUN: tilec run %s {' '.join(shrinker.options)}\n// {last.kind}: {last.message}, after {shrinker.runs} runs")
    print("\n".join(shrinker.lines))
    print("\n".join("// " + l for l in last.output.splitlines()[:12]))
    return 0


def shrink_case(runner, case):
    for run in range(len(case.running)):
        result = runner.run(case.text, case.options(run), case.optimised)
        if result.failed:
            return shrink_text(runner, case.text, case.options(run), case.optimised)
    print("no failure")
    return 1


def main():
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file")
    parser.add_argument("--tilec", default=os.path.join(root, "build/bin/tilec"))
    arguments = parser.parse_args()
    with open(arguments.file) as file:
        text = file.read()
    match = re.search(r"// RUN: tilec run %s (.*)", text)
    with tempfile.TemporaryDirectory() as folder:
        return shrink_text(Runner(arguments.tilec, folder), text, match.group(1).split() if match else [])


if __name__ == "__main__":
    sys.exit(main())
