# Random derived programs whose indices are anything: shifted, clipped, divided, chosen, of peers, over extents that count together with
# constants. They need not be right: what `verify` says of them is compared with itself.

import random

TILES = (8, 16, 32, 64, 64, 128, 24, 48, 56, 96, 40, 72, 112)
CONSTANTS = (1, 2, 3, 4, 5, 7, 8, 10, 17, 20, 33, 50, 64, 100, 200, 300, 1000, 3000)


class Buffer:
    def __init__(self, name, symmetric):
        self.name, self.symmetric = name, symmetric
        self.type = "memref<?xf32, #tile.symmetric>" if symmetric else "memref<?xf32>"


class Program:
    """`text` is the program, `world` the number of ranks, `extents` the names of its extents, `multiple` what %M is one of."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        draw = self.random
        self.extents = ["M", "N"] if draw.random() < 0.3 else ["M"]
        self.world = draw.choice([1, 1, 2, 2, 3, 4])
        self.multiple = draw.choice([2, 8, 64]) if draw.random() < 0.1 else 1
        self.tile = draw.choice(TILES)
        self.lines, self.constants, self.names = [], {}, 0
        self.buffers = [Buffer(name, draw.random() < 0.5) for name in ("%a", "%b", "%c")]
        head = self.head()
        for name in ("%x", "%y")[: draw.randint(0, 2)]:
            head.append(self.scratch(name))
        for number in range(draw.randint(2, 4)):
            self.statement(f"%i{number}")
        head += ["  %rank = tile.rank", "  %world = tile.world_size", f"  %tiles = tile.extent [%M ceildiv {self.tile}]"]
        head += [f"  {name} = arith.constant {value} : index" for value, name in self.constants.items()]
        self.text = "\n".join(head + self.lines + ["}"]) + "\n"

    def head(self):
        draw = self.random
        names = ", ".join("%" + name for name in self.extents)
        arguments = ", ".join(f"{buffer.name}: {buffer.type}" for buffer in self.buffers)
        world = f" world {self.world}" if draw.random() < 0.5 else ""
        sizes = " ".join(f"[{buffer.name}: {self.size()}]" for buffer in self.buffers)
        condition = f" where %M mod {self.multiple} == 0" if self.multiple > 1 else ""
        return [f"tile.program @drawn<{names}>({arguments}){world} extents {sizes}{condition} {{"]

    def scratch(self, name):
        buffer = Buffer(name, self.random.random() < 0.5)
        self.buffers.append(buffer)
        persistent = " persistent" if self.random.random() < 0.6 else ""
        return f"  {name} = tile.alloc{persistent} [{self.size()}] : {buffer.type}"

    def extent(self, share):
        return "%" + (self.extents[-1] if self.random.random() < share else "M")

    def size(self):
        draw = self.random
        text = self.extent(0.4)
        times, more = draw.choice([1, 1, 1, 2, 3]), draw.choice([0, 0, 0, 0, 1, 7, 64, 100, 300])
        text += (f" * {times}" if times > 1 else "") + (f" + {more}" if more else "")
        return f"W * ({text})" if draw.random() < 0.1 else text

    def count(self, tile):
        """Of tasks."""
        draw = self.random
        extent, kind = self.extent(0.3), draw.random()
        if kind < 0.7:
            return f"{extent} ceildiv {tile}"
        if kind < 0.8:
            return f"{extent} floordiv {tile}"
        if kind < 0.85:
            return f"({extent} + {self.far()}) ceildiv {tile}"
        if kind < 0.9:
            return str(draw.choice([1, 3, 10, 60]))
        if kind < 0.95:
            return f"({extent} * {draw.choice([2, 3])}) ceildiv {tile}"
        return f"({extent} ceildiv {tile}) floordiv {draw.choice([2, 3, 4])}"

    def far(self):
        return self.random.choice([*CONSTANTS, self.random.randint(1, 400)])

    # Values

    def emit(self, line, depth):
        self.lines.append("  " * depth + line)

    def name(self):
        self.names += 1
        return f"%v{self.names}"

    def constant(self, value):
        return self.constants.setdefault(value, f"%c{value}")

    def compute(self, operation, left, right, depth):
        name = self.name()
        self.emit(f"{name} = arith.{operation} {left}, {right} : index", depth)
        return name

    def chosen(self, value, task, depth):
        draw, condition = self.random, self.name()
        left = draw.choice([task, task, value, "%M"])
        right = draw.choice([self.constant(self.far()), self.constant(self.far()), "%M", "%rank"])
        self.emit(f"{condition} = arith.cmpi {draw.choice(['slt', 'sge', 'eq', 'ne', 'ult'])}, {left}, {right} : index", depth)
        if draw.random() < 0.5:
            other = self.compute("addi", value, self.constant(self.far()), depth)
        else:
            other = self.constant(draw.choice([0, 64, self.far()]))
        name = self.name()
        self.emit(f"{name} = arith.select {condition}, {value}, {other} : index", depth)
        return name

    def changed(self, value, task, depth, again=3):
        """Another index, made of this one."""
        draw, kind = self.random, self.random.random()
        constant = lambda *choices: self.constant(draw.choice(choices) if choices else self.far())
        wide = lambda: self.constant(self.far() * draw.choice([1, 8, 64]))
        positive = lambda: self.compute("maxsi", value, self.constant(0), depth)
        if kind < 0.25:
            value = self.compute(draw.choice(["addi", "subi"]), value, constant(), depth)
        elif kind < 0.33:
            value = self.compute("remui", positive(), constant(), depth)
        elif kind < 0.49:
            value = self.compute(draw.choice(["minsi", "maxsi"]), value, wide(), depth)
        elif kind < 0.57:
            value = self.compute("subi", "%M", value, depth)
        elif kind < 0.65:
            value = self.compute("divui", positive(), constant(2, 3, 5, 8, 10), depth)
        elif kind < 0.75:
            value = self.compute("muli", value, constant(2, 3, 4), depth)
        elif kind < 0.9:
            value = self.chosen(value, task, depth)
        else:
            mine = self.compute("muli", "%rank", draw.choice(["%M", self.constant(64)]), depth)
            value = self.compute("addi", value, mine, depth)
        return self.changed(value, task, depth, again - 1) if again and draw.random() < 0.3 else value

    def peer(self, buffer, word, depth):
        """` from` or ` to` a rank, or nothing."""
        draw, kind = self.random, self.random.random()
        if not buffer.symmetric or draw.random() < 0.55:
            return ""
        if kind < 0.5:
            next_rank = self.compute("addi", "%rank", self.constant(draw.choice([1, 1, 2])), depth)
            return f" {word} {self.compute('remui', next_rank, '%world', depth)}"
        if kind < 0.7:
            return f" {word} {self.constant(0)}"
        if kind < 0.85:
            last = self.compute("subi", "%world", self.constant(1), depth)
            return f" {word} {self.compute('subi', last, '%rank', depth)}"
        return f" {word} %rank"

    # Statements

    def load(self, place, tile, depth):
        buffer = self.random.choice(self.buffers)
        rank, value = self.peer(buffer, "from", depth), self.name()
        self.emit(f"{value} = tile.load {buffer.name} at ({place}) tile [{tile}]{rank} : {buffer.type} -> tensor<{tile}xf32>", depth)
        return value

    def loaded(self, task, tile, depth):
        place = self.compute("muli", task, self.constant(tile), depth)
        return self.load(place if self.random.random() < 0.45 else self.changed(place, task, depth), tile, depth)

    def added(self, left, right, tile, depth):
        value = self.name()
        self.emit(f"{value} = arith.addf {left}, {right} : tensor<{tile}xf32>", depth)
        return value

    def summed(self, task, tile, depth):
        """Over a loop whose length may be the task's number."""
        draw, zero, total, step, before = self.random, self.name(), self.name(), self.name(), self.name()
        self.emit(f"{zero} = tile.splat 0.0 [{tile}] : tensor<{tile}xf32>", depth)
        end = draw.choice([self.compute("addi", task, self.constant(1), depth), self.constant(3), "%tiles",
                           self.compute("minsi", task, self.constant(draw.choice([4, 10])), depth)])
        self.emit(f"{total} = scf.for {step} = {self.constant(0)} to {end} step {self.constant(1)} "
                  f"iter_args({before} = {zero}) -> tensor<{tile}xf32> {{", depth)
        place = self.compute("muli", step, self.constant(tile), depth + 1)
        if draw.random() < 0.4:
            place = self.changed(place, task, depth + 1)
        value = self.added(before, self.load(place, tile, depth + 1), tile, depth + 1)
        self.emit(f"scf.yield {value} : tensor<{tile}xf32>", depth + 1)
        self.emit("}", depth)
        return total

    def condition(self, task):
        draw, name = self.random, self.name()
        left = task
        if draw.random() < 0.5:
            left = self.compute("remui", task, self.constant(draw.choice([2, 3, 5, 7, 11])), 2)
        right = self.constant(draw.choice([0, 1, 2, 3, 5, 10, 30, 60]))
        self.emit(f"{name} = arith.cmpi {draw.choice(['slt', 'sge', 'eq', 'ne'])}, {left}, {right} : index", 2)
        self.emit(f"scf.if {name} {{", 2)

    def stored(self, task, tile, depth):
        place, kind = self.compute("muli", task, self.constant(tile), depth), self.random.random()
        if kind < 0.2:
            return self.compute("addi", place, self.constant(self.far()), depth)
        if kind < 0.3:
            return self.compute("muli", place, self.constant(self.random.choice([2, 3])), depth)
        if kind < 0.4:
            return self.compute("subi", self.compute("subi", "%M", place, depth), self.constant(tile), depth)
        return self.changed(place, task, depth) if kind < 0.5 else place

    def statement(self, task):
        draw = self.random
        tile = draw.choice([self.tile, self.tile, self.tile, self.tile * 2 if self.tile < 128 else 64, 64, 16, 8 * draw.randint(1, 14)])
        self.emit(f"tile.forall ({task}) in [{self.count(tile)}] {{", 1)
        is_conditional = draw.random() < 0.2
        if is_conditional:
            self.condition(task)
        depth = 3 if is_conditional else 2
        value = self.summed(task, tile, depth) if draw.random() < 0.2 else self.loaded(task, tile, depth)
        if draw.random() < 0.4:
            value = self.added(value, self.loaded(task, tile, depth), tile, depth)
        buffer = draw.choice(self.buffers)
        place = self.stored(task, tile, depth)
        rank = self.peer(buffer, "to", depth)
        self.emit(f"tile.store {value}, {buffer.name} at ({place}){rank} : tensor<{tile}xf32>, {buffer.type}", depth)
        for end in range(depth - 1, 0, -1):
            self.emit("}", end)
