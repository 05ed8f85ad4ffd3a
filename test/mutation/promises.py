#!/usr/bin/env python3
# Exhaustive exploration of a printed program's signals and waits. Shares no code with `verify` and `check`, has no clocks.
# A program after `prepare` is run for small extents to the accesses, signals and waits of each task of each rank. Words
# only grow, so that whatever can happen while two accesses are held back happens in one maximal execution: they race
# when both can then be next. Every pair of conflicting accesses is tried, and the application before and after launches.
# Usage: promises.py PROGRAM; fails when two accesses race or the program does not end.
import itertools
import re
import sys

from barriers import NAME, Sequence, kernels, parse

LAUNCHES = 3


class Rank(Sequence):
    """What the tasks of one rank do: lists of events per task, by kind of role."""

    def __init__(self, extents, rank):
        super().__init__(extents, 0)
        self.rank, self.firsts, self.prologue, self.tasks, self.lasts = rank, [], [], [], []
        self.had_tasks = False

    def walk(self, kernel):
        for node in kernel.blocks[0]:
            condition = re.match(rf"scf\.if ({NAME})", node.line)
            kind = self.values.get(condition.group(1)) if condition else None
            if kind == "first":
                self.firsts.append(self.gather(node.blocks[0]))
            elif kind == "last":
                self.lasts.append(self.gather(node.blocks[0]))
            elif kind == "group":
                self.group(node.blocks[0])
                self.end_group()
            else:
                self.group([node])
        self.end_group()

    def end_group(self):
        """What a group without tasks does, it does once per workgroup."""
        if self.prologue and not self.had_tasks:
            self.tasks.append(self.prologue)
        self.prologue, self.had_tasks = [], False

    def gather(self, block):
        self.events = []
        self.run(block)
        return [event for event in self.events if event[0] in ("read", "write", "wait", "signal")]

    def group(self, block):
        for node in block:
            if node.line.startswith("hip.tasks"):
                names = re.findall(NAME, node.line)
                argument = re.search(NAME, node.blocks[0][0].line).group(0)
                begin = self.values.get(("taken", names[0]), 0)
                for task in range(begin, self.get(names[1])):
                    self.values[argument] = task
                    self.tasks.append(self.prologue + self.gather(node.blocks[0]))
                self.values["taken", names[0]] = self.get(names[1])
                self.had_tasks = True
            else:
                self.prologue = self.prologue + self.gather([node])

    def step(self, node):
        result = re.match(rf"({NAME})(?::\d+)? = (.*)", node.line)
        body = result.group(2) if result else node.line
        names = re.findall(NAME, body.split(" : ")[0])
        groups = [int(n) for n in (re.search(r"operandSegmentSizes = array<i32: ([\d, ]+)>", body) or [0, "0"])[1].split(",")]
        if re.match(r"hip\.(load|load_live|store|atomic) ", body):
            stored = body.startswith(("hip.store", "hip.atomic"))
            view = self.get(names[stored])
            start = [self.get(n) for n in (names[2:] if stored else names[1 : 1 + groups[1]])]
            shape = [int(n) for n in re.search(r"tensor<([\dx]+)x", body).group(1).split("x")]
            self.events.append(("write" if stored else "read", *self.box(view, start, shape)))
        elif re.match(r"hip\.(wait|signal|set) ", body):
            numbers = [self.get(n) for n in names[2:]]
            system = "scope system" in body
            grid = self.get(names[1])
            if body.startswith("hip.wait"):
                half = len(numbers) // 2
                words = itertools.product(*(range(a, a + n) for a, n in zip(numbers[:half], numbers[half:])))
                lag = int((re.search(r"lag = (\d+)", body) or [0, "0"])[1])
                self.events.append(("wait", [(grid, self.rank, word) for word in words], lag, system))
            else:
                self.events.append(("signal", (grid, numbers[-1], tuple(numbers[:-1])), system))
        elif result and body.startswith(("hip.last", "hip.worker")):
            self.values[result.group(1)] = "last" if body.startswith("hip.last") else "worker"
        elif result and body.startswith("arith.cmpi") and self.get(names[0]) == "worker":
            self.values[result.group(1)] = "first" if " eq," in body else "group"
        elif result and (value := self.address(body, names, groups)) is not None:
            self.values[result.group(1)] = value
        elif body.startswith("^bb0"):
            for name, kind in re.findall(rf"({NAME}): !hip.pointer<(\w+)", body):
                self.values[name] = (name, self.rank, 0)
            super().step(node)
        else:
            return super().step(node)
        return None

    def address(self, body, names, groups):
        """Pointers are (root, owner, copies, distance of the start), grids their offset, coordinates lists."""
        numbers = [self.get(name) for name in names]
        if body.startswith("hip.rank"):
            return self.rank
        if body.startswith("hip.signals"):
            return numbers[1]
        if body.startswith("hip.advance"):
            return (numbers[0][0], numbers[0][1], numbers[0][2] + numbers[1])
        if body.startswith("hip.buffer"):
            return (("scratch", numbers[0][2]), self.rank, 0)
        if body.startswith("hip.copy_of"):
            copies = int(re.search(r"copies = (\d+)", body).group(1))
            return (("scratch", numbers[1][2], copies), self.rank, 0)
        if body.startswith("hip.remote"):
            return (numbers[1][0], numbers[2], numbers[1][2])
        if body.startswith(("hip.view ", "hip.view_at")):
            sizes, offsets = groups[1:], []
            if body.startswith("hip.view_at"):
                offsets, sizes = numbers[1 : 1 + groups[1]], groups[2:]
            rest = numbers[1 + len(offsets) :]
            return (numbers[0], offsets or [0] * sizes[0], rest[: sizes[0]], rest[sizes[0] :])
        if body.startswith("hip.rotate"):
            return (numbers[0] + numbers[2]) % numbers[1]
        if body.startswith("hip.delinearize"):
            return self.delinearize(numbers[0], numbers[1:])
        if body.startswith("hip.grouped"):
            # Which order tasks come in does not matter here.
            return self.delinearize(numbers[0], numbers[1:])
        if body.startswith("hip.coordinate"):
            return numbers[0][int(re.search(r"dim = (\d+)", body).group(1))]
        return numbers[0] if body.startswith(("hip.remap_xcd", "hip.chunked")) else None

    @staticmethod
    def delinearize(task, sizes):
        result = []
        for size in reversed(sizes):
            result.insert(0, task % max(size, 1))
            task //= max(size, 1)
        return result

    @staticmethod
    def box(view, start, shape):
        """(root, owner) and the set of elements, by their distance from the start of the buffer."""
        (root, owner, distance), offsets, extents, strides = view
        shape = [1] * (len(start) - len(shape)) + shape
        ranges = [range(max(s, 0), min(s + n, e)) for s, n, e in zip(start, shape, extents)]
        cells = {distance + sum((o + i) * step for o, i, step in zip(offsets, index, strides)) for index in itertools.product(*ranges)}
        return (root, owner), frozenset(cells)


class World:
    """Threads of all launches; a thread starts when those it stands behind are over."""

    def __init__(self, ranks):
        self.threads, self.behind = [], []
        for rank in ranks:
            before = []
            for launch in range(LAUNCHES):
                arguments = {e[1][0] for r in ranks for t in r.firsts + r.tasks + r.lasts for e in t if e[0] in ("read", "write") and isinstance(e[1][0], str)}
                # The application owns every argument between the launches of its rank.
                owner = [("write", (root, rank.rank), None) for root in sorted(arguments)]
                application = self.add(owner, before, launch)
                body = [self.add(events, [application], launch) for events in rank.firsts + rank.tasks]
                last = [self.add(events, body, launch) for events in rank.lasts]
                before = body + last + [application]
            self.add([("write", (root, rank.rank), None) for root in sorted(arguments)], before, LAUNCHES)

    def add(self, events, behind, launch):
        self.threads.append([self.in_launch(event, launch) for event in events])
        self.behind.append(list(behind))
        return len(self.threads) - 1

    @staticmethod
    def in_launch(event, launch):
        if event[0] in ("read", "write"):
            root, owner = event[1]
            if isinstance(root, tuple) and len(root) == 3:
                root = (*root, launch % root[2])
            return (event[0], (root, owner), event[2])
        if event[0] == "wait":
            return ("wait", event[1], launch + 1 - event[2])
        return ("signal", event[1], launch + 1)

    def run(self, held=()):
        """Where each thread stands when no more can happen, the accesses `held` excepted."""
        places, words, moved = [0] * len(self.threads), {}, True
        while moved:
            moved = False
            for number, events in enumerate(self.threads):
                if any(places[b] < len(self.threads[b]) for b in self.behind[number]):
                    continue
                while places[number] < len(events) and (number, places[number]) not in held:
                    event = events[places[number]]
                    if event[0] == "wait" and any(words.get(word, 0) < event[2] for word in event[1]):
                        break
                    if event[0] == "signal":
                        words[event[1]] = max(words.get(event[1], 0), event[2])
                    places[number] += 1
                    moved = True
        return places

    def conflicts(self):
        by_buffer = {}
        for number, events in enumerate(self.threads):
            for at, event in enumerate(events):
                if event[0] in ("read", "write"):
                    by_buffer.setdefault(event[1], []).append((number, at, event))
        for accesses in by_buffer.values():
            for (a, at, first), (b, bt, second) in itertools.combinations(accesses, 2):
                if a == b or "write" not in (first[0], second[0]):
                    continue
                shared = first[2] if second[2] is None else second[2] if first[2] is None else first[2] & second[2]
                if shared is None or shared:
                    yield (a, at), (b, bt)


def explore(program, world):
    """None when nothing can go wrong for the extents tried, else what does."""
    for extents in [(1, 1, 1), (70, 1, 1), (70, 70, 1)]:
        ranks = []
        for number in range(world):
            rank = Rank(extents, number)
            for kernel in kernels(parse(program.splitlines())):
                rank.walk(kernel)
            ranks.append(rank)
        model = World(ranks)
        if any(place < len(events) for place, events in zip(model.run(), model.threads)):
            return f"does not end, extents {extents}"
        for first, second in model.conflicts():
            places = model.run({first, second})
            if places[first[0]] == first[1] and places[second[0]] == second[1]:
                started = [all(places[b] == len(model.threads[b]) for b in model.behind[n]) for n in (first[0], second[0])]
                if all(started):
                    return f"race of {model.threads[first[0]][first[1]][:2]} and {model.threads[second[0]][second[1]][:2]}, extents {extents}"
    return None


if __name__ == "__main__":
    with open(sys.argv[1]) as source:
        text = source.read()
    sys.exit(explore(text, int(re.search(r"\bworld (\d+)", text).group(1))))
