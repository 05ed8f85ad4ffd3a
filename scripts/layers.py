#!/usr/bin/env python3
"""Checks that data flows one way: dialect -> passes -> codegen -> runtime.

Reads every `#include` of the folders below, in quotes or angle brackets, by a path from the root or from the file, and compares it
with RULES. Exit status 1 and one line for each include that no rule allows, for each rule that nothing needs, and for each folder
with sources that has no rules. The argument is the root of the tree (default: this one).
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent).resolve()
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)
TOPS = ("dialect", "passes", "codegen", "runtime", "test", "mlir", "llvm", "tilec")
# What is included by a path from one of these.
SEARCHED = ("runtime/include", "runtime/emulator/include", "runtime", "")

# A folder (without the folders below it) and what it may include: folders, or files. Generated headers count as their folder's.
RULES = {
    "dialect": ["dialect", "tilec/constants.h", "mlir", "llvm"],
    "passes/machine": ["dialect/Limits.h", "passes/machine", "llvm"],
    "passes/analysis": ["dialect", "passes/machine", "passes/analysis", "tilec/constants.h", "mlir", "llvm"],
    "passes/checker": ["dialect/Tile.h", "dialect/Hip.h", "passes/checker", "tilec/constants.h", "mlir", "llvm"],
    "passes/interpreter": ["dialect", "passes/interpreter", "tilec/constants.h", "mlir", "llvm"],
    "passes": ["dialect", "passes/machine", "passes/analysis", "passes/checker", "passes", "passes/choose", "passes/expand",
               "passes/fuse", "passes/layout", "passes/lower", "passes/partition", "passes/pipeline", "passes/post", "passes/prepare", "passes/schedule", "passes/send", "passes/stage", "passes/waits",
               "tilec/constants.h", "mlir", "llvm"],
    "passes/choose": ["dialect", "passes/machine", "passes/analysis", "passes", "passes/choose", "passes/stage", "mlir", "llvm"],
    "passes/expand": ["dialect", "passes/analysis", "passes/expand", "mlir"],
    "passes/fuse": ["passes/analysis", "passes/fuse", "mlir"],
    "passes/layout": ["dialect", "passes/machine", "passes/analysis", "passes/layout", "llvm"],
    "passes/lower": ["dialect", "passes/analysis", "passes/lower", "tilec/constants.h", "mlir", "llvm"],
    "passes/partition": ["dialect/Tile.h", "passes/analysis", "passes/partition", "passes/schedule", "mlir"],
    "passes/pipeline": ["dialect/Tile.h", "passes/machine", "passes/analysis", "passes/pipeline", "mlir", "llvm"],
    "passes/prepare": ["dialect", "passes/prepare", "mlir", "llvm"],
    "passes/send": ["dialect", "passes/analysis", "passes/send", "passes/waits", "mlir"],
    "passes/post": ["dialect", "passes/machine", "passes/analysis", "passes/post", "mlir", "llvm"],
    "passes/schedule": ["dialect", "passes/machine", "passes/analysis", "passes/schedule", "passes/stage", "mlir", "llvm"],
    "passes/stage": ["dialect", "passes/machine", "passes/analysis", "passes/stage", "tilec/constants.h", "llvm"],
    "passes/waits": ["passes/machine", "passes/analysis", "passes/fuse", "passes/waits", "mlir"],
    "codegen": ["dialect", "passes/analysis/Workspace.h", "codegen", "llvm"],
    "codegen/tilec/run": ["dialect", "passes/interpreter", "codegen/tilec/run", "tilec", "mlir", "llvm"],
    "codegen/tilec/commands": ["dialect", "passes/analysis", "passes", "passes/choose", "codegen", "codegen/tilec", "codegen/tilec/run",
                               "codegen/tilec/commands", "tilec/constants.h", "mlir", "llvm"],
    "codegen/tilec": ["dialect", "passes", "passes/choose", "codegen", "codegen/tilec", "codegen/tilec/run", "codegen/tilec/commands", "mlir",
                      "llvm"],
    "runtime/runner": ["runtime/runner", "tilec", "hip/hip_runtime.h"],
    "dialect/tilec-lsp-server": ["dialect", "mlir"],
    "passes/tilec-opt": ["dialect", "passes", "mlir", "llvm"],
    "passes/tilec-reduce": ["dialect", "passes", "mlir", "llvm"],
    "runtime/host": ["runtime/host", "tilec", "hip/hip_runtime.h"],
    "runtime/emulator": ["runtime/emulator", "tilec", "hip/hip_runtime.h"],
    "runtime/include/tilec": ["tilec", "tilec/amd", "tilec/nvidia", "tilec/emulated", "hip/hip_runtime.h"],
    "runtime/include/tilec/amd": ["tilec"],
    "runtime/include/tilec/nvidia": ["tilec", "tilec/nvidia"],
    "runtime/include/tilec/emulated": ["tilec"],
    "runtime/include/tilec-nvidia/hip": [],
    "runtime/emulator/include/hip": ["tilec"],
    "runtime/emulator/include/tilec": ["tilec"],
}


def shared_with_checker():
    """The files that passes/checker/README.md names, with the reason beside each."""
    return re.findall(r"^\| `((?:dialect|passes)/[^`]+)` \| \S", (ROOT / "passes/checker/README.md").read_text(), re.MULTILINE)


def named(path):
    """A file of the tree as includes name it."""
    name = str(path.relative_to(ROOT))
    for folder in SEARCHED[:2]:
        if name.startswith(folder + "/"):
            return name[len(folder) + 1:]
    return name


def includes(path):
    """What a file includes of the tree, of MLIR and of LLVM."""
    for bracket, include in INCLUDE.findall(path.read_text()):
        folders = ([path.parent] if bracket == '"' else []) + [ROOT / folder for folder in SEARCHED]
        files = [(folder / include).resolve() for folder in folders]
        found = next((file for file in files if file.is_file() and file.is_relative_to(ROOT)), None)
        if found:
            yield named(found)
        elif include.split("/", 1)[0] in TOPS:
            yield include


def sources(folder):
    return sorted(path for path in (ROOT / folder).glob("*.[ch]*") if re.fullmatch(r"\.(c|cc|cpp|h|hpp)", path.suffix))


def allowed(include, rules):
    top = include.split("/", 1)[0]
    return any(include == rule or include.rsplit("/", 1)[0] == rule or (rule in ("mlir", "llvm") and top == rule)
               for rule in rules)


def main():
    RULES["passes/checker"] += shared_with_checker()
    wrong = []
    used = set()
    for folder, rules in RULES.items():
        for path in sources(folder):
            for include in includes(path):
                used |= {(folder, rule) for rule in rules if allowed(include, [rule])}
                if not allowed(include, rules):
                    wrong.append(f"{path.relative_to(ROOT)} includes {include}, which {folder}/ may not")
    for folder, rules in RULES.items():
        wrong += [f"{folder}/ may include {rule}, which it does not" for rule in rules if (folder, rule) not in used]
    for top in ("dialect", "passes", "codegen", "runtime"):
        for path in sorted((ROOT / top).rglob("*")):
            folder = str(path.relative_to(ROOT))
            if path.is_dir() and sources(folder) and folder not in RULES:
                wrong.append(f"{folder}/ has no rules")
    print("\n".join(wrong) if wrong else f"{len(RULES)} folders, no include against the direction")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
