#!/usr/bin/env python3
"""What is left of a loop's fraction of matrix peak when its task is run as a whole: slots that fill, waits that are satisfied, stores, the next ticket.

    bench/task_model.py kernel.s --iterations 128 [--resident 49152]

`--iterations`: how often the task runs its hot loop; with loops around it in a task, as 16,8: of the hot loop, then of the loop around it. The instructions
are those of the way from the head of the task loop to the hot loop that loads most, and from there back to the head that stores most in vectors, of equals the shortest:
views are regular and nothing is waited for. The unit is that of loop_model.py, which runs several such tasks one behind the other. No GPU, no time.
"""
import argparse
import pathlib
import re

import isa_count
import loop_model


def loops_around(blocks, hot):
    """(head, members) of the loops that hold the hot one, the innermost first."""
    dominated, heads = isa_count.dominators(blocks), {}
    for tail, block in enumerate(blocks):
        for head in block.next:
            if head in dominated[tail]:
                heads.setdefault(head, set()).update(isa_count.natural_loop(blocks, head, tail))
    around = [(head, members) for head, members in heads.items() if hot[1] < members and head != hot[0]]
    return sorted(around, key=lambda loop: len(loop[1]))


def way(blocks, starts, end, members, rewarded):
    """Blocks from one of `starts` up to, and without, `end`: most rewarded instructions, then the shortest. Back edges are not taken."""
    worth = {i: sum(bool(re.match(rewarded, line)) for line in blocks[i].code) for i in members}
    order, state = [], {}

    def visit(node):
        state[node] = "open"
        for following in blocks[node].next:
            if following in members and following != end and following not in state:
                visit(following)
        state[node] = "done"
        order.append(node)

    for start in starts:
        if start not in state and start != end:
            visit(start)
    rank = {node: number for number, node in enumerate(order)}
    best = {}
    for node in order:
        options = [(worth[node], -len(blocks[node].code), [node])] if end in blocks[node].next else []
        for following in blocks[node].next:
            if following in best and rank[following] < rank[node]:
                more, length, path = best[following]
                options.append((worth[node] + more, length - len(blocks[node].code), [node] + path))
        if options:
            best[node] = max(options, key=lambda option: option[:2])
    ways = [best[start] for start in starts if start in best]
    return max(ways, key=lambda option: option[:2])[2] if ways else []


def task_of(text, counts):
    """The instructions of a task of the last kernel with a hot loop."""
    name, body = [(name, body) for name, body in isa_count.kernels(text.splitlines())
                  if isa_count.hot_loop(isa_count.blocks_of(body))][-1]
    blocks = isa_count.blocks_of(body)
    hot = isa_count.hot_loop(blocks)
    code, inner = isa_count.fast_path(blocks, *hot) * counts[0], hot
    for count, loop in zip([*counts[1:], 1], loops_around(blocks, hot)):
        head, members = loop
        exits = {following for i in inner[1] for following in blocks[i].next if following in members and following not in inner[1]}
        outside = members - inner[1]
        before = way(blocks, [head], inner[0], outside, r"buffer_load_dwordx4|ds_read_b128")
        after = way(blocks, sorted(exits), head, outside, r"buffer_store_dwordx[24]")
        if head in exits:
            after = []
        lines = lambda path: [line for i in path for line in blocks[i].code]
        code, inner = (lines(before) + code + lines(after)) * count, loop
    return code


def main():
    parser = argparse.ArgumentParser(description="the fraction of matrix peak of whole tasks, by a small model")
    parser.add_argument("file")
    parser.add_argument("--iterations", required=True, help="of the hot loop in a task, and of loops around it")
    parser.add_argument("--resident", type=int, metavar="LDS", help="as many workgroups as fit, each with so many bytes of LDS")
    arguments = parser.parse_args()
    text = pathlib.Path(arguments.file).read_text()
    target = loop_model.target_of(text)
    threads = int(re.search(r"\.max_flat_workgroup_size:\s+(\d+)", text).group(1))
    workgroups = loop_model.resident(text, target, threads, arguments.resident) if arguments.resident else 1
    counts = [int(count) for count in arguments.iterations.split(",")]
    loop = loop_model.fraction(list(isa_count.hot_loops(text))[-1][1], target, threads, workgroups)
    code = task_of(text, counts)
    # A ticket travels as a load does.
    code = [re.sub(r"^(global|buffer|flat)_atomic\w*", r"\1_load_dword", line) for line in code]
    whole = loop_model.fraction(code, target, threads, workgroups, iterations=4)
    stores = sum(bool(re.match(r"(buffer|global)_store_", line)) for line in code)
    print(f"{pathlib.Path(arguments.file).name}: a task of {len(code)} instructions, {stores} stores: {whole:.2f} of matrix peak, "
          f"{whole / loop:.3f} of its loop's {loop:.2f}")


if __name__ == "__main__":
    main()
