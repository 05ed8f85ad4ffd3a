#!/usr/bin/env python3
# Exhaustive exploration of a printed kernel's LDS: two threads, every interleaving. Shares no code with `check`.
# A program after `prepare` is run for small extents to the sequence of its LDS accesses, waits and barriers, the same for every
# thread; then all interleavings of two threads are walked. A thread stores its half of a tile and loads both halves. A copy lands at
# any time until its thread has waited for it; where threads meet and nothing else, other accesses may still be on their way.
# Usage: barriers.py PROGRAM; fails when a load can have more than one value.
import itertools
import math
import re
import sys

TASKS = 3
NAME = r"%[\w]+(?:#\d+)?"
BINARY = {
    "addi": lambda a, b: a + b, "subi": lambda a, b: a - b, "muli": lambda a, b: a * b, "minsi": min, "maxsi": max,
    "divsi": lambda a, b: a // b, "floordivsi": lambda a, b: a // b, "ceildivsi": lambda a, b: -(-a // b),
    "remsi": lambda a, b: a % b, "divui": lambda a, b: a // b, "remui": lambda a, b: a % b, "andi": lambda a, b: a & b, "xori": lambda a, b: a ^ b,
}
COMPARE = {"slt": lambda a, b: a < b, "sgt": lambda a, b: a > b, "sle": lambda a, b: a <= b, "sge": lambda a, b: a >= b,
           "eq": lambda a, b: a == b, "ne": lambda a, b: a != b}
BITS = {"bf16": 16, "f16": 16, "f32": 32, "i32": 32, "i8": 8}


class Node:
    """An operation: its line, and the blocks in it."""

    def __init__(self, line):
        self.line, self.blocks = line, []


def parse(lines):
    """Nested operations of the pretty form; block arguments stay as lines `^bb0(..)`."""
    root = Node("")
    root.blocks.append([])
    stack = [root]
    for line in (line.strip() for line in lines):
        if line.startswith("}"):
            if line.startswith("} else {"):
                stack[-1].blocks.append([])
            else:
                stack.pop()
            continue
        node = Node(line)
        stack[-1].blocks[-1].append(node)
        if line.endswith("{"):
            node.blocks.append([])
            stack.append(node)
    return root.blocks[0]


def kernels(nodes):
    for node in nodes:
        if node.line.startswith("hip.kernel "):
            yield node
        for block in node.blocks:
            yield from kernels(block)


class Sequence:
    """Runs one workgroup of a kernel; unknown numbers are None. `regular`: whether views can be fetched from."""

    def __init__(self, extents, worker, regular):
        self.extents, self.worker, self.regular, self.values, self.events = extents, worker, regular, {}, []
        self.draws = self.shares = False

    def get(self, name):
        return self.values.get(name)

    def run(self, block):
        """The operands of the block's terminator."""
        for node in block:
            yielded = self.step(node)
            if yielded is not None:
                return yielded
        return []

    def step(self, node):
        line = node.line
        result = re.match(rf"({NAME})(?::\d+)? = ", line)
        body = line[result.end() :] if result else line
        names = re.findall(NAME, body)
        if body.startswith("scf.yield"):
            return [self.get(name) for name in re.findall(NAME, body.split(" : ")[0])]
        if body.startswith("^bb0"):
            index = 0
            for name, kind in re.findall(rf"({NAME}): ([^,)]*)", body):
                if kind == "index" and name not in self.values:
                    self.values[name] = self.extents[index % len(self.extents)]
                    index += 1
        elif body.startswith("scf.for"):
            self.loop(node, body, result)
        elif body.startswith("scf.if"):
            taken = self.get(names[0])
            block = node.blocks[0] if taken is None or taken else node.blocks[1] if len(node.blocks) > 1 else []
            self.bind(result, self.run(block))
        elif body.startswith("hip.group "):
            self.group(node, body)
        elif body.startswith("hip.role "):
            self.run(node.blocks[0])
        elif body.startswith("hip.tasks"):
            argument = re.search(NAME, node.blocks[0][0].line).group(0)
            ticket = [("barrier",)] * (2 if self.draws else 0)
            self.events += [] if self.shares else ticket
            for task in range(min(TASKS, self.get(names[0]) if self.get(names[0]) is not None else TASKS)):
                self.values[argument] = task
                self.run(node.blocks[0])
                self.events += ticket
        elif body.startswith("hip.steps "):
            self.steps(node, body)
        elif re.match(r"hip\.(in_order|places) ", body):
            for name in names:
                self.events += self.values[name]
        elif re.match(r"hip\.(barrier|wait|signal|publish|enter)\b", body) and not body.startswith("hip.signals"):
            self.events.append(("barrier",))
        elif body.startswith("hip.meet "):
            self.events.append(("meet",))
        elif body.startswith("hip.await_copies "):
            self.events.append(("await", int(re.search(r"left = (\d+)", body).group(1))))
        elif body.startswith("hip.shared_store"):
            self.events.append(("store", *self.bytes_of(names[1])))
        elif body.startswith("hip.shared_load"):
            self.events.append(("load", *self.bytes_of(names[0])))
        elif body.startswith("hip.reduce") and "hip.shared" in body:
            place = self.bytes_of(names[1])
            self.events += [("barrier",), ("store", *place), ("barrier",), ("load", *place)]
        elif result:
            self.values[result.group(1)] = self.compute(body, names)
        return None

    def group(self, node, body):
        """A group that lets the worker in; where its loops share a ticket, that is drawn first."""
        turn, end = body.split()[1], re.search(rf"below ({NAME})", body)
        limit = self.get(end.group(1)) if end else None
        loops = sum(part.line.startswith("hip.tasks") for role in node.blocks[0] for block in role.blocks for part in block)
        self.draws, self.shares = " queue " in body, loops > 1
        if turn == "last" or (self.draws and self.shares):
            self.events += [("barrier",)] * 2
        if self.worker == 0 if turn == "first" else limit is None or self.worker < limit:
            self.run(node.blocks[0])

    def steps(self, node, body):
        """Steps whose slots take turns."""
        begin, count, slots = re.match(rf"hip\.steps (?:from ({NAME}) to )?({NAME}) slots (\d+)", body).groups()
        slot, step = re.findall(NAME, node.blocks[0][0].line)
        for number in range(self.get(begin) if begin else 0, self.get(count)):
            self.values[slot], self.values[step] = number % int(slots), number
            self.run(node.blocks[0])

    def activity(self, name, values):
        """The accesses to LDS of an activity, in their order."""
        if name == "in_turn":
            return sum(values, [])
        if name == "reading":
            return [("load", *values[2])]
        if name == "copying":
            return [("copy", *values[0])]
        if name == "by_halves":
            # One access for both: a wave issues those of one copy, with as many bytes a lane as both have where all waves share them.
            return [("copy", *(edge for copies in values for copy in copies for edge in copy[1:]))]
        return [("store", *values[0])] if name in ("depositing", "refilling") else []

    def bind(self, result, values):
        if result and len(values) == 1:
            self.values[result.group(1)] = values[0]
        for i, value in enumerate(values if result else []):
            self.values[f"{result.group(1)}#{i}"] = value

    def loop(self, node, body, result):
        head = re.match(rf"scf\.for ({NAME}) = ({NAME}) to ({NAME}) step ({NAME})(?: iter_args\((.*?)\))?", body)
        variable, low, high, step = head.groups()[:4]
        carried = re.findall(rf"({NAME}) = ({NAME})", head.group(5) or "")
        values = [self.get(start) for _, start in carried]
        bounds = [self.get(low), self.get(high), self.get(step)]
        for at in range(*bounds) if None not in bounds else [None]:
            self.values[variable] = at
            self.values.update(zip((name for name, _ in carried), values))
            values = self.run(node.blocks[0])
        self.bind(result, values)

    def bytes_of(self, name):
        return self.values[name]

    @staticmethod
    def size_of(body):
        """Bytes of the LDS tile of a type."""
        kind, extents = re.search(r"<(\w+), \[([\d, ]+)\]", body).groups()
        return math.prod(map(int, extents.split(",")), start=BITS[kind] // 8)

    def compute(self, body, names):
        if body.startswith("hip.shared "):
            offset = self.get(names[0])
            return (offset, offset + self.size_of(body))
        if body.startswith("hip.ring "):
            return int(re.search(r"offset = (\d+)", body).group(1))
        if body.startswith("hip.slot "):
            first = self.get(names[0]) + self.get(names[1]) * self.size_of(body)
            return (first, first + self.size_of(body))
        if activity := re.match(r"hip\.(reading|fetching|depositing|refilling|copying|multiplying|in_turn|by_halves) ", body):
            return self.activity(activity.group(1), [self.get(name) for name in names])
        if body.startswith("hip.regular "):
            return self.regular
        if constant := re.match(r"arith\.constant (-?\d+) :", body):
            return int(constant.group(1))
        if re.match(r"hip\.(rank|coordinate|rotate|remap_xcd)", body):
            return 0
        values = [self.get(name) for name in names]
        if None in values or not body.startswith(("arith.", "hip.copy ")):
            return None
        name = re.match(r"(?:arith|hip)\.(\w+)", body).group(1)
        if name in BINARY:
            return BINARY[name](*values) if values[1] or name[:3] not in ("div", "rem", "flo", "cei") else None
        if name == "cmpi":
            return int(COMPARE[re.match(r"arith\.cmpi (\w+)", body).group(1)](*values))
        if name == "select":
            return values[1] if values[0] else values[2]
        return values[0] if name in ("index_cast", "copy") else None


def ranges(event):
    """The bytes of an access, of halves those of both copies."""
    return list(zip(event[1::2], event[2::2]))


def in_flight(events, copied):
    """Behind each event: which loads and stores are not complete, which copies have not been waited for, and what an await completes."""
    behind, loads, stores, copies = [((), (), ())], [], [], []
    for at, event in enumerate(events):
        if event[0] in ("load", "store"):
            (loads if event[0] == "load" else stores).append(at)
        elif event[0] == "copy":
            copies.append(at)
        elif event[0] == "barrier":
            loads, stores = [], []
        elif event[0] == "await":
            loads, stores = [], []
            left, kept = event[1], len(copies)
            while kept and left > 0:
                kept -= 1
                left -= sum(end - begin for begin, end in ranges(events[copies[kept]])) // copied
            copies = copies[kept:]
        behind.append((tuple(loads), tuple(stores), tuple(copies)))
    return behind


def touches(cells, at, others):
    return any(set(cells[at]) & set(cells[other]) for other in others)


class Threads:
    """Two threads that execute the same events; `memory` has the event that last wrote each half of each cell."""

    def __init__(self, events, copied):
        self.events, self.behind = events, in_flight(events, copied)
        edges = sorted({edge for event in events if event[0] in ("load", "store", "copy") for edge in event[1:]})
        self.cells = {at: [i for i, edge in enumerate(edges[:-1]) if any(begin <= edge < end for begin, end in ranges(event))]
                      for at, event in enumerate(events) if event[0] in ("load", "store", "copy")}
        self.barriers = [0]
        for event in events:
            self.barriers.append(self.barriers[-1] + (event[0] in ("barrier", "meet")))
        self.start, self.seen = ((0, 0), (None,) * (2 * len(edges))), {}

    def waits(self, places, thread):
        """A barrier is passed when the other thread has come to the same one."""
        at, other = places[thread], places[1 - thread]
        if self.events[at][0] not in ("barrier", "meet"):
            return False
        arrived = other < len(self.events) and self.events[other][0] in ("barrier", "meet")
        return self.barriers[other] < self.barriers[at] or (self.barriers[other] == self.barriers[at] and not arrived)

    def left(self, place):
        """What a thread at this place has in flight: before it comes to a barrier its accesses to LDS are complete."""
        return self.behind[place + (place < len(self.events) and self.events[place][0] == "barrier")]

    def is_wrong(self, places, thread, memory):
        """Whether an access can do different things, whatever the time at which what is in flight completes."""
        at, kind = places[thread], self.events[places[thread]][0]
        own, other = self.behind[at], self.left(places[1 - thread])
        if kind == "load":
            value = tuple(memory[2 * cell + half] for cell in self.cells[at] for half in (0, 1))
            return touches(self.cells, at, own[2] + other[2] + other[1]) or self.seen.setdefault(at, value) != value
        # Loads and stores of one thread are in order; what a copy brings is not in their order.
        flying = other[0] + own[2] + (own[0] if kind == "copy" else ())
        return kind in ("store", "copy") and touches(self.cells, at, flying)

    def written(self, at, thread, memory):
        if self.events[at][0] not in ("store", "copy"):
            return memory
        changed = list(memory)
        for cell in self.cells[at]:
            changed[2 * cell + thread] = at
        return tuple(changed)


def ambiguous(events, copied):
    """The first access that can do different things, or None: all interleavings of two threads."""
    threads, states = Threads(events, copied), set()
    work = [threads.start]
    while work:
        state = work.pop()
        if state in states:
            continue
        states.add(state)
        places, memory = state
        for thread in (0, 1):
            at = places[thread]
            if at == len(events) or threads.waits(places, thread):
                continue
            if threads.is_wrong(places, thread, memory):
                return at
            after = threads.written(at, thread, memory)
            work.append((places[:thread] + (at + 1,) + places[thread + 1 :], after))
    return None


def explore(program):
    """Whether every load of LDS has one possible value, for all small extents."""
    for kernel in kernels(parse(program.splitlines())):
        sequences = set()
        # Bytes that one access of each lane of each wave copies.
        name = re.search(r"@(\w+)", kernel.line).group(1)
        threads = re.search(rf"launch_kernel @{name} threads (\d+)", program)
        copied = 16 * int(threads.group(1))
        for extents, worker, regular in itertools.product(itertools.product((1, 96, 300), repeat=3), (0, 100), (0, 1)):
            sequence = Sequence(extents, worker, regular)
            sequence.run(kernel.blocks[0])
            sequences.add(tuple(sequence.events))
        if any(ambiguous(events, copied) is not None for events in sequences):
            return False
    return True


if __name__ == "__main__":
    with open(sys.argv[1]) as source:
        sys.exit(0 if explore(source.read()) else "a load can have more than one value")
