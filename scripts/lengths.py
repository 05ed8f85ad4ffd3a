#!/usr/bin/env python3
"""Lengths of C++ and Python files and functions: a file stays under 600 lines, a function under 60.

  scripts/lengths.py [root]

C++ is formatted, so that a function ends at the next brace of its own indentation. Exits with 1 when something is too long.
"""
import ast
import pathlib
import re
import sys

FILE_LINES, FUNCTION_LINES = 600, 60
FOLDERS = ("dialect", "passes", "codegen", "runtime", "test", "examples", "bench", "fuzz", "scripts")
# What opens a brace and is no function.
OTHER = re.compile(r"\s*(\}|namespace|class|struct|enum|union|extern|if |for |while |switch |else|do |case |default:|public:|private:|#|//|return |static constexpr)")


TEMPLATE = re.compile(r"^(\s*)template <.*> (?=\w)")


def python_functions(text):
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.lineno, node.end_lineno - node.lineno + 1


def without_raw_strings(text):
    """The same lines, those within raw strings empty."""
    return re.sub(r'R"\((.*?)\)"', lambda raw: '""' + "\n" * raw.group(1).count("\n"), text, flags=re.S)


def beginning(lines, at):
    """The line where what goes on in this one begins."""
    while at > 0 and lines[at - 1].strip() and not re.search(r"[;{}:>]$|^\s*(//|#)", lines[at - 1]):
        at -= 1
    return at


def functions(lines):
    """First line (from 1) and length of each function of several lines."""
    for start, line in enumerate(lines):
        if not line.endswith("{") or "(" not in "".join(lines[max(0, start - 3) : start + 1]):
            continue
        if any(OTHER.match(TEMPLATE.sub(r"\1", one)) for one in (line, lines[beginning(lines, start)])):
            continue
        # A lambda ends where its own line or its statement is indented.
        indents = {one[: len(one) - len(one.lstrip())] for one in (line, lines[beginning(lines, start)])}
        if line.rstrip(" {").endswith("="):
            continue
        end = next((at for at in range(start + 1, len(lines)) if re.match(f"({'|'.join(indents)})" + r"\}", lines[at])), None)
        if end is not None:
            yield start + 1, end - start + 1


def problems(root):
    for path in sorted(path for folder in FOLDERS for path in pathlib.Path(root, folder).rglob("*")):
        name = path.relative_to(root).as_posix()
        if path.suffix not in (".cpp", ".h", ".py") or "/golden/" in name:
            continue
        text = path.read_text(encoding="utf-8")
        lines = text.split("\n")
        if len(lines) - 1 >= FILE_LINES:
            yield f"{name}: {len(lines) - 1} lines, expected less than {FILE_LINES}"
        for first, length in python_functions(text) if path.suffix == ".py" else functions(without_raw_strings(text).split("\n")):
            if length >= FUNCTION_LINES:
                yield f"{name}:{first}: a function of {length} lines, expected less than {FUNCTION_LINES}"


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else "."
    found = list(problems(root))
    print("\n".join(found) if found else "no file and no function is too long")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
