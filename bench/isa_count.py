#!/usr/bin/env python3
# Counts instructions of the hot loop of kernels in AMDGPU assembly: isa_count.py file.s...
# The hot loop is the innermost loop with the most matrix instructions. Its blocks are counted along the path with the fewest
# instructions from its head to its back edge that executes all of them: the path of tiles inside their views. No timing here.
import argparse
import re
import sys

LABEL = re.compile(r"^(\.LBB\d+_\d+):")
BRANCH = re.compile(r"^s_c?branch\w*\s+(\.LBB\d+_\d+)")
INSTRUCTION = re.compile(r"^[vs]_|^ds_|^buffer_|^global_|^flat_|^scratch_")
KINDS = [
    ("mfma", r"v_mfma|v_smfmac"),
    ("ds_read", r"ds_read|ds_load"),
    ("ds_write", r"ds_write|ds_store"),
    ("loads", r"(global|buffer|flat)_load"),
    ("waits", r"s_waitcnt"),
    ("vmcnt0", r"s_waitcnt.*vmcnt\(0\)"),
    ("lgkm0", r"s_waitcnt.*lgkmcnt\(0\)"),
    ("barriers", r"s_barrier"),
    ("accvgpr", r"v_accvgpr"),
    ("valu", r"v_(?!mfma|smfmac|accvgpr|readlane|writelane)"),
    ("lanes", r"v_(readlane|writelane)"),
    ("salu", r"s_(?!waitcnt|barrier|c?branch|nop|endpgm|load|sleep|setprio)"),
]


class Block:
    def __init__(self, label):
        self.label = label
        self.code = []
        self.next = []

    def matrix(self):
        return sum(line.startswith(("v_mfma", "v_smfmac")) for line in self.code)


def kernels(lines):
    """Pairs of a kernel's name and its lines."""
    name, body = None, []
    for line in lines:
        start = re.match(r"^(\w+):\s*; @\1", line)
        if start:
            name, body = start.group(1), []
        elif name and re.match(r"^\s*\.section|^\.Lfunc_end", line):
            yield name, body
            name = None
        elif name:
            body.append(line)


def blocks_of(body):
    blocks = [Block("entry")]
    for raw in body:
        line = raw.split(";")[0].strip()
        label = LABEL.match(line)
        if label:
            blocks.append(Block(label.group(1)))
        elif INSTRUCTION.match(line):
            blocks[-1].code.append(line)
            # What follows a branch without a label of its own is a block too.
            if BRANCH.match(line):
                blocks.append(Block(None))
    index = {block.label: i for i, block in enumerate(blocks) if block.label}
    for i, block in enumerate(blocks):
        last = block.code[-1] if block.code else ""
        target = BRANCH.match(last)
        if target:
            block.next.append(index[target.group(1)])
        if i + 1 < len(blocks) and not last.startswith(("s_branch", "s_endpgm")):
            block.next.append(i + 1)
    # A block behind an unconditional branch that nobody names would spoil the dominators.
    reached, work = {0}, [0]
    while work:
        for target in blocks[work.pop()].next:
            if target not in reached:
                reached.add(target)
                work.append(target)
    for i, block in enumerate(blocks):
        if i not in reached:
            block.next = []
    return blocks


def natural_loop(blocks, head, tail):
    before = [[] for _ in blocks]
    for i, block in enumerate(blocks):
        for target in block.next:
            before[target].append(i)
    members, work = {head, tail}, [tail] if tail != head else []
    while work:
        for source in before[work.pop()]:
            if source not in members:
                members.add(source)
                work.append(source)
    return members


def dominators(blocks):
    every = set(range(len(blocks)))
    result = [every.copy() for _ in blocks]
    result[0] = {0}
    before = [[] for _ in blocks]
    for i, block in enumerate(blocks):
        for target in block.next:
            before[target].append(i)
    changed = True
    while changed:
        changed = False
        for i in range(1, len(blocks)):
            into = [result[source] for source in before[i]]
            new = (set.intersection(*into) if into else set()) | {i}
            if new != result[i]:
                result[i], changed = new, True
    return result


def hot_loop(blocks):
    """The innermost loop with the most matrix instructions, of those the one with the fewest blocks: (head, blocks)."""
    best, best_key = None, (0, 0)
    dominated = dominators(blocks)
    heads = {}
    for tail, block in enumerate(blocks):
        for head in block.next:
            if head in dominated[tail]:
                heads.setdefault(head, set()).update(natural_loop(blocks, head, tail))
    loops = {head: members for head, members in heads.items() if any(blocks[i].matrix() for i in members)}
    for head, members in loops.items():
        if any(other != head and inner < members for other, inner in loops.items()):
            continue
        key = (sum(blocks[i].matrix() for i in members), -len(members))
        if key > best_key:
            best, best_key = (head, members), key
    return best


def fast_path(blocks, head, members):
    """The instructions of the cheapest pass through the loop that loads and executes most matrix instructions."""
    order, seen = [], set()

    def visit(i):
        stack = [(i, iter(blocks[i].next))]
        seen.add(i)
        while stack:
            node, rest = stack[-1]
            step = next((n for n in rest if n in members and n != head and n not in seen), None)
            if step is None:
                order.append(node)
                stack.pop()
            else:
                seen.add(step)
                stack.append((step, iter(blocks[step].next)))

    visit(head)
    # For every node the shortest rest of a pass by what it does: (matrix instructions, LDS stores, vector loads). More
    # loads than LDS stores tell nothing: the way through both sides of a branch that the compiler made structured.
    stores = sum(line.startswith("ds_write_b128") for i in members for line in blocks[i].code)
    best = {}
    for node in order:
        code = blocks[node].code
        own = (
            blocks[node].matrix(),
            sum(line.startswith("ds_write_b128") for line in code),
            sum(bool(re.match(r"(global|buffer|flat)_load_dwordx4", line)) for line in code),
        )
        mine = best.setdefault(node, {})
        rests = [{(0, 0, 0): (0, [])}] if head in blocks[node].next else []
        rests += [best[n] for n in blocks[node].next if n in best and n != head]
        for rest in rests:
            for done, (length, path) in rest.items():
                sums = tuple(a + b for a, b in zip(own, done))
                key = (sums[0], sums[1], min(sums[2], stores))
                if key not in mine or mine[key][0] > length + len(code):
                    mine[key] = (length + len(code), [node] + path)
    _, path = best[head][max(best[head])]
    return [line for node in path for line in blocks[node].code]


def hot_loops(text):
    """Pairs of a kernel's name and the instructions of an iteration of its hot loop."""
    for name, body in kernels(text.splitlines()):
        blocks = blocks_of(body)
        loop = hot_loop(blocks)
        if loop:
            yield name, fast_path(blocks, *loop)


def products_of(line):
    """Multiply-adds of a matrix instruction."""
    m, n, k = map(int, re.search(r"(\d+)x(\d+)x(\d+)", line).groups())
    return m * n * k


def metadata(text, name):
    found = {}
    for entry in re.split(r"\n  - (?=\.agpr_count)", text):
        if re.search(rf"\.name:\s+{re.escape(name)}\n", entry):
            for key in ("vgpr_count", "agpr_count", "vgpr_spill_count", "sgpr_spill_count", "private_segment_fixed_size"):
                match = re.search(rf"\.{key}:\s+(\d+)", entry)
                found[key] = int(match.group(1)) if match else 0
    return found


def main():
    parser = argparse.ArgumentParser(description="count the instructions of hot loops in AMDGPU assembly")
    parser.add_argument("files", nargs="+")
    arguments = parser.parse_args()
    # n/eq: instructions per 16x16x16 product (16x16x32 on gfx950); non: others than matrix instructions per million
    # multiply-adds of a wave.
    columns = ["n/eq", "non", "instr/mfma", "instr"] + [kind for kind, _ in KINDS] + ["vgprs", "agprs", "sgpr_spills", "scratch"]
    print("| kernel | " + " | ".join(columns) + " |")
    print("|---" * (len(columns) + 1) + "|")
    found = False
    for file in arguments.files:
        with open(file) as source:
            text = source.read()
        unit = 8192 if "gfx950" in text else 4096
        for name, code in hot_loops(text):
            found = True
            products = sum(products_of(line) for line in code if line.startswith("v_mfma"))
            counts = [sum(bool(re.match(kind, line)) for line in code) for _, kind in KINDS]
            about = metadata(text, name)
            total = about["vgpr_count"] - about["agpr_count"]
            row = [f"{len(code) * unit / products:.2f}", f"{(len(code) - counts[0]) * 1e6 / products:.0f}"]
            row += [f"{len(code) / counts[0]:.2f}", len(code)] + counts
            row += [total, about["agpr_count"], about["sgpr_spill_count"], about["private_segment_fixed_size"]]
            print(f"| {file.rsplit('/', 1)[-1]} {name} | " + " | ".join(map(str, row)) + " |")
    if not found:
        sys.exit("no loop with matrix instructions found")


if __name__ == "__main__":
    main()
