#!/usr/bin/env python3
"""Lengths of C++ files and functions: a file stays under 600 lines, a function under 60.

  scripts/lengths.py [root]

The code is formatted, so that a function ends at the next brace of its own indentation. Exits with 1 when something is too long.
"""
import pathlib
import re
import sys

FILE_LINES, FUNCTION_LINES = 600, 60
FOLDERS = ("dialect", "passes", "codegen", "runtime", "test", "examples", "bench", "fuzz")
# What opens a brace and is no function.
OTHER = re.compile(r"\s*(\}|namespace|class|struct|enum|union|extern|template <|if |for |while |switch |else|do |case |default:|public:|private:|#|//|return |static constexpr)")


def functions(lines):
    """First line (from 1) and length of each function of several lines."""
    for start, line in enumerate(lines):
        if not line.endswith("{") or 'R"(' in line or OTHER.match(line) or "(" not in "".join(lines[max(0, start - 3) : start + 1]):
            continue
        indent = line[: len(line) - len(line.lstrip())]
        if line.rstrip(" {").endswith("=") or len(indent) > 2:
            continue
        end = next((at for at in range(start + 1, len(lines)) if re.match(indent + r"\}", lines[at])), None)
        if end is not None:
            yield start + 1, end - start + 1


def problems(root):
    for path in sorted(path for folder in FOLDERS for path in pathlib.Path(root, folder).rglob("*")):
        name = path.relative_to(root).as_posix()
        if path.suffix not in (".cpp", ".h") or "/golden/" in name:
            continue
        lines = path.read_text(encoding="utf-8").split("\n")
        if len(lines) - 1 >= FILE_LINES:
            yield f"{name}: {len(lines) - 1} lines, expected less than {FILE_LINES}"
        for first, length in functions(lines):
            if length >= FUNCTION_LINES:
                yield f"{name}:{first}: a function of {length} lines, expected less than {FUNCTION_LINES}"


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else "."
    found = list(problems(root))
    print("\n".join(found) if found else "no file and no function is too long")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
