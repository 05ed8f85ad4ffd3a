#!/usr/bin/env python3
"""A copy of a manifest for each kind of tampering; prints what `tilec verify --manifest` says of it.

    tamper.py a.json folder
"""
import copy
import json
import os
import re
import subprocess
import sys


def hashed(manifest, key, folder):
    """With the hash that the kernel form has: the tool itself says it."""
    path = write(manifest, folder)
    said = subprocess.run(["tilec", "verify", "--manifest", path], capture_output=True, text=True).stderr
    manifest["hashes"][key] = re.search(rf"hash of '{key}' is ([0-9a-f]+)", said).group(1)


def write(manifest, folder):
    path = os.path.join(folder, "tampered.json")
    with open(path, "w") as file:
        json.dump(manifest, file)
    return path


def put(*where):
    """Sets the entry that all but the last argument lead to; None takes it out."""

    def change(manifest):
        *path, key, value = where
        for step in path:
            manifest = manifest[step]
        if value is None:
            del manifest[key]
        else:
            manifest[key] = value

    return change


def rewrite(pattern, replacement):
    def change(manifest):
        form, count = re.subn(pattern, replacement, manifest["kernel_form"])
        assert count, pattern
        manifest["kernel_form"] = form

    return change


CHANGES = {
    "nothing": lambda manifest: None,
    "version": put("tilec", 2),
    "program": put("program", "other"),
    "source": put("source", "other.mlir"),
    "target": put("target", "gfx950"),
    "world": put("world", 8),
    "extents": put("extents", ["N"]),
    "parameters": put("parameters", "BM", 64),
    "argument name": put("arguments", 0, "name", "z"),
    "argument dtype": put("arguments", 0, "dtype", "bf16"),
    "argument shape": put("arguments", 0, "shape", 1, 128),
    "argument peers": put("arguments", 0, "peers", "read"),
    "argument symmetric": put("arguments", 0, "symmetric", True),
    "arguments": put("arguments", []),
    "scratch shape": put("scratch", 0, "shape", [1]),
    "scratch offset": put("scratch", 0, "offset", 4096),
    "scratch copies": put("scratch", 0, "copies", 1),
    "signal shape": put("signals", 0, "shape", [1]),
    "signal offset": put("signals", 1, "offset", 0),
    "signal scope": put("signals", 0, "scope", "agent"),
    "kernel name": put("kernels", 0, "name", "zzz"),
    "kernel threads": put("kernels", 0, "threads", 1024),
    "kernel lds": put("kernels", 0, "lds_bytes", 1),
    "kernel roles": put("kernels", 0, "roles", 0, "tasks", 1),
    "kernel progress": put("kernels", 0, "progress", {"class": "resident", "workgroups": 7}),
    "pattern": put("pattern", "bulk"),
    "granularity": put("granularity", "shard"),
    "verified launches": put("verified", "launches", 9),
    "verified extents": put("verified", "extents", 0, 0, 7777),
    "verified limits": put("verified", "limits", [9999]),
    "verified": put("verified", None),
    "surplus": put("predicted", {"seconds": 1}),
    "locations": put("locations", True),
    "text hash": put("hashes", "text", "0123456789abcdef"),
    "form target": rewrite('target = "gfx942"', 'target = "gfx950"'),
    "form progress": rewrite('progress = #tile<progress any>', 'progress = #tile<progress all>, resident = 2 : i64'),
    "form samples": rewrite(r", \[40\]", ""),
    "form name": rewrite(r"%twice", "%doubled"),
    "form lag": rewrite(r"lag \d+", "lag 1"),
    "form empty": rewrite(r"(?s).*", "module {}"),
    "form twice": rewrite(r"(?s)\A(.*)\Z", r"\1\1"),
}


def main():
    path, folder = sys.argv[1:]
    with open(path) as file:
        original = json.load(file)
    for name, change in CHANGES.items():
        manifest = copy.deepcopy(original)
        change(manifest)
        if manifest["kernel_form"] != original["kernel_form"]:
            hashed(manifest, "kernel_form", folder)
        done = subprocess.run(["tilec", "verify", "--manifest", write(manifest, folder)], capture_output=True, text=True)
        for line in (done.stdout + done.stderr).splitlines() or [""]:
            if "tampered.json:" in line:
                print(f"{name}, {done.returncode}: " + line.split("tampered.json:")[1].strip())


main()
