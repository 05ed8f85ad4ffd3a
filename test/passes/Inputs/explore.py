#!/usr/bin/env python3
# Compares tile-verify with exhaustive exploration on random small kernels: two ranks, up to three tasks and a `last` role.
# The exploration knows no clocks: a race is a reachable state in which two conflicting accesses could both happen next.
# Usage: explore.py SEED COUNT [TILEC_OPT]. Prints the verdicts; fails on a difference, in either direction.
import collections
import random
import subprocess
import sys

# kind; load, store: element, 1 for the other rank, waits named; wait: word, lag; signal: word, other rank, stores named
Op = collections.namedtuple("Op", "kind first second names")
LIMIT = 60000  # states; larger kernels are left out


def random_task(rng):
    task = []
    for _ in range(rng.randint(1, 3)):
        kind = rng.choice(["load", "store", "wait", "signal", "wait", "signal"])
        named = "store" if kind == "signal" else "wait"
        names = [i for i, op in enumerate(task) if op.kind == named and kind != "wait" and rng.random() < 0.85]
        second = rng.choice([0, 0, 1, 2]) if kind == "wait" else rng.randint(0, 1)
        task.append(Op(kind, rng.randint(0, 1) if rng.random() < 0.6 else 0, second, names))
    return task


def random_kernel(rng):
    """Random tasks; often a producer, a consumer and a credit with something missing, so that both verdicts are common."""
    copies = rng.choice([1, 1, 2])
    tasks = [random_task(rng) for _ in range(rng.choice([2, 2, 3]))]
    if rng.random() < 0.7:
        to = rng.randint(0, 1)
        credit = Op("wait", 1, rng.choice([1, 2, copies]), [])
        store = Op("store", 0, to, [0] if rng.random() < 0.9 else [])
        tasks[0] = [credit, store, Op("signal", 0, to, [1] if rng.random() < 0.95 else [])]
        tasks[1] = [Op("wait", 0, 0, []), Op("load", 0, 0, [0] if rng.random() < 0.95 else [])]
        if rng.random() < 0.8:
            tasks[1].append(Op("signal", 1, to, []))
        if rng.random() < 0.3:
            tasks[0] = [Op("store", 0, to, []), Op("signal", 0, to, [0])]
    last = [Op("signal", 1, rng.randint(0, 1), [])] if rng.random() < 0.3 else []
    return copies, tasks, last


def print_task(number, task):
    lines = []
    for i, op in enumerate(task):
        names = ", ".join(f"%t{number}_{j}" for j in op.names)
        result, after = f"%t{number}_{i}", f" after {names}" if names else ""
        place = f"%x[%c{op.first}]"
        if op.kind == "load":
            lines.append(f"{result} = tile.load {place} tile [1] from %r{op.second}{after} : "
                         "memref<2xf32, #tile.symmetric> -> tensor<1xf32>")
        elif op.kind == "store":
            lines.append(f"{result} = tile.store %v, {place} to %r{op.second}{after} : "
                         "tensor<1xf32>, memref<2xf32, #tile.symmetric> -> !tile.token")
        elif op.kind == "wait":
            lag = f" lag {op.second}" if op.second else ""
            lines.append(f"{result} = tile.wait system %w[%c{op.first}]{lag} : !tile.signals<1>")
        else:
            publishes = f" publishes {names}" if names else ""
            lines.append(f"tile.signal system %w[%c{op.first}] to %r{op.second}{publishes} : !tile.signals<1>")
    return "\n".join(lines)


def print_kernel(copies, tasks, last):
    splat = "%v = tile.splat 1.0 [1] : tensor<1xf32>"
    roles = "\n".join(f"tile.role @r{t} {{ tile.forall (%i) in [1] {{\n{splat}\n{print_task(t, task)}\n}} }}"
                      for t, task in enumerate(tasks))
    if last:
        roles += f"\ntile.role @last last {{\n{print_task(len(tasks), last)}\n}}"
    return f"""tile.program @p(%a: memref<8xf32>) world 2 {{
  %x = tile.alloc [2] {{copies = {copies}}} : memref<2xf32, #tile.symmetric>
  %w = tile.signals [2] : !tile.signals<1>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r0 = tile.rank
  %r1 = arith.subi %c1, %r0 : index
  tile.kernel @k {{
{roles}
  }}
}}
"""


def dependences(tasks, last):
    """All operations of one launch, and for each the set, as a mask, of those that come before it on its rank."""
    ops, before = [], []
    for task in tasks + [last]:
        base = len(ops)
        for i, op in enumerate(task):
            mask = (1 << base) - 1 if task is last else 0
            mask |= sum(1 << (base + j) for j in set(op.names))
            for j, earlier in enumerate(task[:i]):
                same_place = (earlier.first, earlier.second) == (op.first, op.second)
                access = op.kind in ("load", "store") and earlier.kind in ("load", "store")
                if (access and same_place) or (op.kind == "signal" and earlier.kind != "store"):
                    mask |= 1 << (base + j)
            ops.append(op)
            before.append(mask)
    return ops, before


def enabled(state, ops, before, launches):
    """(rank, operation) pairs that can happen next. A state is (launch, mask of what is done) per rank."""
    words = {}
    for rank, (launch, done) in enumerate(state):
        for i, op in enumerate(ops):
            if op.kind == "signal":
                key = (rank ^ op.second, op.first)
                words[key] = max(words.get(key, 0), launch if done >> i & 1 else launch - 1)
    for rank, (launch, done) in enumerate(state):
        for i, op in enumerate(ops):
            if launch > launches or done >> i & 1 or before[i] & ~done:
                continue
            if op.kind != "wait" or words.get((rank, op.first), 0) >= launch - op.second:
                yield rank, i


def has_race(copies, tasks, last):
    """None when there are too many states."""
    ops, before = dependences(tasks, last)
    launches, full = copies + 2, (1 << len(ops)) - 1
    seen, work = {((1, 0), (1, 0))}, [((1, 0), (1, 0))]
    while work:
        state = work.pop()
        moves = list(enabled(state, ops, before, launches))
        places = collections.defaultdict(list)
        for rank, i in moves:
            if ops[i].kind in ("load", "store"):
                places[rank ^ ops[i].second, ops[i].first, state[rank][0] % copies].append(ops[i].kind)
        if any(len(kinds) > 1 and "store" in kinds for kinds in places.values()):
            return True
        for rank, i in moves:
            launch, done = state[rank]
            done |= 1 << i
            mine = (launch + 1, 0) if done == full else (launch, done)
            successor = (mine, state[1]) if rank == 0 else (state[0], mine)
            if successor not in seen:
                seen.add(successor)
                work.append(successor)
        if len(seen) > LIMIT:
            return None
    return False


def main():
    seed, count = int(sys.argv[1]), int(sys.argv[2])
    opt = sys.argv[3] if len(sys.argv) > 3 else "tilec-opt"
    verdicts = collections.Counter()
    for number in range(count):
        kernel = random_kernel(random.Random(seed * 100000 + number))
        text = print_kernel(*kernel)
        run = subprocess.run([opt, "--pass-pipeline=builtin.module(tile.program(tile-verify))"], input=text,
                             capture_output=True, text=True)
        stuck = any(phrase in run.stderr for phrase in ("deadlock", "nothing raises", "several tasks raise"))
        if stuck:  # what a stuck execution has not reached is not judged
            verdicts["stuck"] += 1
            continue
        verdict, expected = "data race" in run.stderr, has_race(*kernel)
        # Values are not explored: scratch may be read that nothing writes.
        unwritten = "which no store of the launch writes" in run.stderr
        if run.returncode and not verdict and not unwritten:
            sys.exit(f"kernel {number}: {run.stderr}\n{text}")
        if expected is None:
            continue
        if verdict != expected:
            sys.exit(f"kernel {number}: race {verdict}, by exploration {expected}\n{text}\n{run.stderr}")
        verdicts["race" if verdict else "no race"] += 1
    print(", ".join(f"{name}: {verdicts[name]}" for name in ("race", "no race", "stuck")))


main()
