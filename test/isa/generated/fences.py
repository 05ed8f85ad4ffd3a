#!/usr/bin/env python3
# Reads AMDGPU assembly and states what its fences are, failing at the first that lacks a part: fences.py < kernel.s
#   release   buffer_wbl2, s_waitcnt vmcnt(0), then the store or atomic of the same scope and no other store between
#   acquire   s_waitcnt vmcnt(0), then buffer_inv
#   window    no loop over lanes around an access: the base of a window is in scalar registers
# Also states how many matrix instructions and non-coherent loads there are, and scalar loads in the loop of the former.
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "bench"))
from isa_count import blocks_of, hot_loop

SCOPES = {"sc1": "agent", "sc0 sc1": "system"}
STORE = re.compile(r"(global|flat|buffer)_(store|atomic)_\w+ ")
FLAG = re.compile(r"global_store_dword .* sc0 sc1$")


def scope_of(line):
    bits = re.search(r"((sc0 )?sc1)", line)
    return SCOPES[bits.group(1)] if bits else None


def fail(name, at, code, why):
    sys.exit(f"{name}: {why}\n  " + "\n  ".join(code[max(0, at - 6) : at + 12]))


def check_release(name, code, at):
    """The instruction that publishes, behind the write-back at `at`."""
    waited = False
    for line in code[at + 1 : at + 60]:
        waited |= line.startswith("s_waitcnt") and "vmcnt(0)" in line
        if STORE.match(line):
            if not waited:
                fail(name, at, code, "nothing waits for the write-back")
            if "_store_" in line and scope_of(line) != scope_of(code[at]):
                fail(name, at, code, "a store of another scope follows the write-back")
            return
    fail(name, at, code, "nothing is published after the write-back")


def check_flag(name, code, at):
    """A store past the caches publishes: the write-back of its scope comes before it."""
    for line in reversed(code[:at]):
        if line.startswith("buffer_wbl2"):
            if scope_of(line) != scope_of(code[at]):
                fail(name, at, code, "a store whose release has another scope")
            return
        # Several flags may share one release: nothing but flags stands between.
        if STORE.match(line) and not FLAG.match(line) or line.startswith("s_barrier"):
            break
    fail(name, at, code, "a flag is stored without a release")


def check(name, code):
    counts = dict.fromkeys(["system releases", "agent releases", "system acquires", "agent acquires"], 0)
    loose = 0
    for at, line in enumerate(code):
        if line.startswith("buffer_wbl2"):
            check_release(name, code, at)
            counts[scope_of(line) + " releases"] += 1
        elif line.startswith("buffer_inv"):
            if not any(before.startswith("s_waitcnt") for before in code[max(0, at - 2) : at]):
                fail(name, at, code, "an acquire that does not wait for the poll")
            counts[scope_of(line) + " acquires"] += 1
        elif FLAG.match(line):
            check_flag(name, code, at)
        elif line.startswith("s_xor_b64 exec, exec") and code[at + 1].startswith("s_cbranch_execnz"):
            fail(name, at, code, "a loop over the lanes of an access whose base is the same in all of them")
        elif re.match(r"(global|flat|buffer)_load.* nt\b", line):
            loose += 1
    blocks = blocks_of(code)
    loop = hot_loop(blocks)
    # The arguments of the kernel stand at s[0:1] and never change.
    scalar = sum(
        bool(re.match(r"s_load_\w+ (?!.*, s\[0:1\], )", line)) for i in (loop[1] if loop else ()) for line in blocks[i].code
    )
    matrix = sum(line.startswith("v_mfma") for line in code)
    print(f"{name}: " + ", ".join(f"{n} {what}" for what, n in counts.items()), end="")
    print(f", {matrix} matrix, {loose} non-coherent loads, {scalar} scalar loads")


def main():
    name, code = None, []
    for raw in sys.stdin:
        start = re.match(r"^(\w+):\s*; @\1", raw)
        line = raw.split(";")[0].strip()
        if start:
            name, code = start.group(1), []
        elif raw.startswith(".Lfunc_end") and name:
            check(name, code)
            name = None
        elif name and re.match(r"^([sv]_|ds_|buffer_|global_|flat_|scratch_|\.LBB\w+:)", line):
            code.append(line)
    if not code:
        sys.exit("no kernel in the assembly")


if __name__ == "__main__":
    main()
