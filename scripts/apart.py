#!/usr/bin/env python3
"""Fails where a source uses a static function of another one: apart.py [ROOT]. Preset ci compiles sources together, where that works;
each for itself, as scripts/demo does, it does not."""
import pathlib
import re
import sys

FOLDERS = ("dialect", "passes", "codegen", "runtime/host", "runtime/emulator", "runtime/runner")
DEFINED = re.compile(r"^static [^;=(]*[ *&>](\w+)\([^;{}]*\) \{", re.M)
USED = re.compile(r"(?:(?<=[=(,!&|{};?])\s*|\breturn |\belse )(\w+)(?=\()")


def code_of(path):
    text = re.sub(r"//[^\n]*", "", path.read_text())
    return re.sub(r'"(?:\\.|[^"\\\n])*"', '""', text)


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    sources = {path: code_of(path) for folder in FOLDERS for path in sorted((root / folder).rglob("*.cpp"))}
    headers = "\n".join(code_of(path) for folder in (*FOLDERS, "runtime/include") for path in (root / folder).rglob("*.h"))
    declared = set(re.findall(r"\b(\w+)\(", headers))
    wrong = 0
    for path, text in sources.items():
        plain = re.sub(r"\b(?:return|else) ", "", text)
        own = set(re.findall(r"(?:[\w>&*] |\n|\*|&|, |\[)&?(\w+)(?:\(| = |\]|:)", plain)) | set(re.findall(r"[\w>&*] &?(\w+)[,)]", plain))
        for other, beside in sources.items():
            if other == path or other.parent != path.parent:
                continue
            for name in sorted(set(DEFINED.findall(beside)) & set(USED.findall(text)) - own - declared):
                print(f"{path.relative_to(root)}: uses '{name}', which {other.relative_to(root)} has for itself")
                wrong += 1
    print(f"{len(sources)} sources, {wrong} uses of what another has for itself")
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main())
