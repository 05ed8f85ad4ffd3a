#!/usr/bin/env python3
"""Checks that data flows one way: dialect -> passes -> codegen -> runtime.

Reads every `#include "folder/file"` of the compiler's folders and compares it with RULES. Exit status 1 and one line for
each include that no rule allows, and for each rule that nothing needs.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
INCLUDE = re.compile(r'^#include "((?:dialect|passes|codegen|mlir|llvm|tilec)/[^"]+)"', re.MULTILINE)

# A folder (without the folders below it) and what it may include: folders, or files. Generated headers count as their folder's.
RULES = {
    "dialect": ["dialect", "mlir", "llvm"],
    "passes/machine": ["passes/machine", "tilec/constants.h", "llvm"],
    "passes/analysis": ["dialect", "passes/machine", "passes/analysis", "tilec/constants.h", "llvm"],
    "passes/checker": ["dialect", "passes/checker", "tilec/constants.h", "mlir", "llvm"],
    "passes/interpreter": ["dialect", "passes/interpreter", "mlir", "llvm"],
    "passes": ["dialect", "passes/machine", "passes/analysis", "passes/checker", "passes", "passes/schedule", "tilec/constants.h",
               "mlir", "llvm"],
    "passes/schedule": ["dialect", "passes/machine", "passes/analysis", "passes", "passes/schedule", "mlir"],
    "codegen": ["dialect", "passes/analysis/Workspace.h", "codegen", "llvm"],
    "codegen/tilec/run": ["dialect", "passes/interpreter", "codegen/tilec/run", "tilec", "mlir", "llvm"],
    "codegen/tilec/commands": ["dialect", "passes/analysis", "passes", "codegen", "codegen/tilec", "codegen/tilec/run",
                               "codegen/tilec/commands", "mlir", "llvm"],
    "codegen/tilec": ["dialect", "passes", "codegen", "codegen/tilec", "codegen/tilec/run", "codegen/tilec/commands", "mlir",
                      "llvm"],
    "runtime/host": ["tilec"],
    "runtime/runner": ["tilec"],
    "runtime/emulator": ["tilec"],
}


def shared_with_checker():
    """The files that passes/checker/README.md names, with the reason beside each."""
    return re.findall(r"^\| `(passes/[^`]+)` \| \S", (ROOT / "passes/checker/README.md").read_text(), re.MULTILINE)


def allowed(include, rules):
    top = include.split("/", 1)[0]
    return any(include == rule or include.rsplit("/", 1)[0] == rule or (rule in ("mlir", "llvm") and top == rule)
               for rule in rules)


def main():
    RULES["passes/checker"] += shared_with_checker()
    wrong = []
    used = set()
    for folder, rules in RULES.items():
        for path in sorted((ROOT / folder).glob("*.[ch]*")):
            name = str(path.relative_to(ROOT))
            for include in INCLUDE.findall(path.read_text()):
                used |= {(folder, rule) for rule in rules if allowed(include, [rule])}
                if not allowed(include, rules):
                    wrong.append(f"{name} includes {include}, which {folder}/ may not")
    for folder, rules in RULES.items():
        wrong += [f"{folder}/ may include {rule}, which it does not" for rule in rules if (folder, rule) not in used]
    print("\n".join(wrong) if wrong else f"{len(RULES)} folders, no include against the direction")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
