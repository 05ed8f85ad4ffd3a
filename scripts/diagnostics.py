#!/usr/bin/env python3
"""Checks that every diagnostic of the compiler is expected by a test.

Lists the emitOpError, emitError, emitWarning and error() calls of dialect/, passes/ and codegen/, takes the constant parts
of each message (string literals outside of parentheses), and looks for one line of test/ that holds them in order.
scripts/diagnostics.allow names the messages that cannot be provoked from the outside, with reasons.
Exit status 1 and one line per message without a test; `--list` prints all messages with the test that expects each.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ["dialect", "passes", "codegen"]
SITE = re.compile(r"\b(emitOpError|emitError|emitWarning|error)\s*\(")
LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"')


def after_parentheses(text, start):
    """Position behind the parenthesis that closes the one at `start`."""
    depth = 0
    position = start
    while position < len(text):
        literal = LITERAL.match(text, position)
        if literal:
            position = literal.end()
            continue
        depth += {"(": 1, ")": -1}.get(text[position], 0)
        position += 1
        if depth == 0:
            break
    return position


def constant_parts(text, start):
    """String literals of the statement at `start` that stand outside of parentheses."""
    parts = []
    position = start
    while position < len(text) and text[position] not in ";{}":
        if text[position] == "(":
            position = after_parentheses(text, position)
            continue
        literal = LITERAL.match(text, position)
        if literal:
            parts.append(literal.group(1).replace('\\"', '"').replace("\\n", "\n"))
            position = literal.end()
            continue
        if text[position] == ")":
            break
        position += 1
    return parts


def messages(path):
    text = path.read_text()
    for site in SITE.finditer(text):
        opening = site.end() - 1
        closing = after_parentheses(text, opening)
        rest = text[closing:].lstrip()
        argument = LITERAL.match(text[site.end():closing].lstrip())
        if not rest.startswith("<<") and not argument:
            continue
        parts = [argument.group(1)] if argument else []
        parts += constant_parts(text, closing)
        yield text.count("\n", 0, site.start()) + 1, [part.strip() for part in parts if part.strip()]


def expectations():
    lines = {}
    for path in sorted((ROOT / "test").rglob("*")):
        if path.suffix in {".mlir", ".test", ".cpp", ".hip"}:
            for line in path.read_text().splitlines():
                lines.setdefault(line.strip(), path.relative_to(ROOT))
    return lines


def allowed():
    entries = []
    for line in (ROOT / "scripts" / "diagnostics.allow").read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            text, _, reason = line.partition(" # ")
            if not reason.strip():
                sys.exit(f"scripts/diagnostics.allow: no reason given: {line}")
            entries.append(text.strip())
    return entries


def main():
    tests = expectations()
    exceptions = allowed()
    missing = count = 0
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.cpp")):
            for line, parts in messages(path):
                count += 1
                where = f"{path.relative_to(ROOT)}:{line}"
                shown = " .. ".join(parts) if parts else "(no constant text)"
                pattern = re.compile(".*?".join(re.escape(part) for part in parts)) if parts else None
                found = next((test for text, test in tests.items() if pattern.search(text)), None) if parts else None
                if "--list" in sys.argv:
                    print(f"{where}: {shown}: {found or 'NO TEST'}")
                if found or shown in exceptions:
                    continue
                missing += 1
                print(f"{where}: no test expects: {shown}")
    print(f"{count} diagnostics, {missing} without a test")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
