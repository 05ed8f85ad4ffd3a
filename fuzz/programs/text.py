# The text of a random program while it grows: buffers, tiles, names, lines.
# Here: spelling, and what makes it well formed. Not here: which statement comes next (statements.py, bodies.py).

import random

FLOATS = ("f32", "f16", "bf16")

# Names an author could choose and that mean something in C++ or in the generated text.
NASTY = ["int", "auto", "tile", "rank", "launch", "context", "acc", "lhs", "for", "float", "peer", "task", "world", "entered",
         "tilec", "main", "M_", "std", "a_tile", "rhs", "base", "struct", "row", "col", "view", "min", "INFINITY"]


class Dim:
    """One extent: its spelling over %M.. and W, and its value where it is a literal."""

    def __init__(self, text, static=None, per_rank=None):
        self.text, self.static, self.per_rank = text, static, per_rank

    def times_world(self):
        inner = self.text if " " not in self.text else f"({self.text})"
        return Dim(f"W * {inner}", None, self)

    def __eq__(self, other):
        return self.text == other.text

    def __hash__(self):
        return hash(self.text)


class TileDim:
    """One side of a tile: a literal or a parameter."""

    def __init__(self, text, least, static=None):
        self.text, self.least, self.static = text, least, static


class Tile:
    def __init__(self, name, shape, dtype):
        self.name, self.shape, self.dtype = name, tuple(shape), dtype

    @property
    def type(self):
        return tile_type(self.shape, self.dtype)


def tile_type(shape, dtype):
    return "tensor<" + "".join(f"{d.static or '?'}x" for d in shape) + dtype + ">"


def sizes(shape):
    return "[" + ", ".join(d.text for d in shape) + "]"


class Buffer:
    """An argument or an alloc. `ready`: every element is determined on every rank."""

    def __init__(self, name, dims, dtype, kind):
        self.name, self.dims, self.dtype, self.kind = name, list(dims), dtype, kind
        self.symmetric = False
        self.ready = False
        self.read = False
        self.names = None  # of an argument of numbers: how many of what they are below
        self.strides = None  # of an argument that has some: spelled, over extents

    def type(self):
        space = ", #tile.symmetric" if self.symmetric else ""
        if self.strides:
            space = f", strided<[{', '.join('?' if s is None else str(s) for s in self.known_strides())}]>" + space
        return "memref<" + "".join(f"{d.static if d.static is not None else '?'}x" for d in self.dims) + self.dtype + space + ">"

    def known_strides(self):
        """A number for each dimension, or None where the launch decides."""
        if self.strides:
            return [int(s) if s.isdigit() else None for s in self.strides]
        strides, known = [], 1
        for d in reversed(self.dims):
            strides.insert(0, known)
            known = None if known is None or d.static is None else known * d.static
        return strides

    def lay_out(self, choose, pitch):
        """Elements that lie apart: from one dimension on, each steps over those before it."""
        order = list(reversed(range(len(self.dims))))
        if choose.random() < 0.3:
            choose.shuffle(order)
        step, self.strides = str(choose.choice([1, 1, 1, 1, 2, 3])), [""] * len(self.dims)
        for d in order:
            self.strides[d] = step
            size, gap = self.dims[d], choose.choice([0, 0, 1, 4, 8])
            if choose.random() < 0.5:
                step = pitch()
            elif step.isdigit() and size.static is not None:
                step = str(int(step) * size.static + gap)
            else:
                step = f"({size.text}) * ({step}) + {gap}"
        if self.strides == ["1"]:
            self.strides = None


class Program:
    """Collects lines; types of buffers are filled in at the end, when it is known which ones peers address."""

    def __init__(self, random):
        self.random = random
        self.extents, self.buffers, self.parameters = [], [], []
        self.preamble, self.lines, self.types = [], [], []
        self.known, self.names = {}, set()
        self.indent = 1
        self.allocs = []
        self.numbers = {}  # arguments that are no buffers: (name, type, how many of what they are below) by type
        self.several = False  # statements of a loop of steps run side by side

    # Names.
    def fresh(self, stem):
        if self.random.random() < 0.03:
            stem = self.random.choice(NASTY)
        name, number = stem, 1
        while name in self.names:
            number += 1
            name = f"{stem}{number}"
        self.names.add(name)
        return "%" + name

    # Lines.
    def line(self, text):
        self.lines.append("  " * self.indent + text)

    def open(self, text):
        self.line(text + " {")
        self.indent += 1

    def close(self, rest=""):
        self.indent -= 1
        self.line("}" + rest)

    def once(self, key, stem, text):
        """A value computed once, before all statements."""
        if key not in self.known:
            name = self.fresh(stem)
            self.preamble.append(f"  {name} = {text}")
            self.known[key] = name
        return self.known[key]

    def constant(self, value):
        return self.once(("constant", value), f"c{value}" if value >= 0 else f"minus{-value}", f"arith.constant {value} : index")

    def rank(self):
        return self.once("rank", "rank", "tile.rank")

    def world(self):
        return self.once("world", "world", "tile.world_size")

    def extent(self, text):
        """An index with the value of an expression over extents."""
        if text.startswith("%") and " " not in text:
            return text
        if text.isdigit():
            return self.constant(int(text))
        return self.once(("extent", text), "size", f"tile.extent [{text}]")

    def scalar(self, stem, text):
        name = self.fresh(stem)
        self.line(f"{name} = {text}")
        return name

    def index(self, op, a, b, stem="at"):
        return self.scalar(stem, f"arith.{op} {a}, {b} : index")

    # Peers: every one is a bijection of the ranks.
    def peer(self):
        kind = self.random.choice(["next", "next", "previous", "two", "mirror"])
        if kind == "mirror":
            last = self.once("last", "last", f"arith.subi {self.world()}, {self.constant(1)} : index")
            return self.once("mirror", "mirror", f"arith.subi {last}, {self.rank()} : index")
        if kind == "previous":
            step = self.once("last", "last", f"arith.subi {self.world()}, {self.constant(1)} : index")
        else:
            step = self.constant(2 if kind == "two" else 1)
        moved = self.once((kind, "moved"), "moved", f"arith.addi {self.rank()}, {step} : index")
        return self.once(kind, kind, f"arith.remui {moved}, {self.world()} : index")

    def number(self, dtype, names=None):
        """An argument that is a number; one of each type, and of each meaning."""
        key = (dtype, names)
        if key not in self.numbers:
            self.numbers[key] = self.fresh({"f32": "alpha", "f64": "beta"}.get(dtype, "count"))
        return self.numbers[key]

    # Buffers.
    def add_buffer(self, dims, dtype, kind, stem=None):
        stem = stem or {"arg": "x", "alloc": "s", "persistent": "kept"}[kind]
        buffer = Buffer(self.fresh(stem), dims, dtype, kind)
        self.buffers.append(buffer)
        return buffer

    def type_of(self, buffer):
        """Mark that `finish` replaces by the type."""
        self.types.append(buffer.type)
        return f"\x01{len(self.types) - 1}\x02"

    def subview(self, buffer, offsets, counts, steps=None):
        """A view of the leading dimension(s); offsets and counts are SSA names or literals. Returns (name, mark of its type)."""
        name = self.fresh("view")
        steps = steps or [1] * len(counts)
        text = lambda values: "[" + ", ".join(str(v) for v in values) + "]"

        def result():
            strides = buffer.known_strides()
            strides = [None if s is None else s * t for s, t in zip(strides, steps)]
            offset = 0
            for o, s, t in zip(offsets, strides, steps):
                offset = None if offset is None or isinstance(o, str) or (s is None and o != 0) else offset + (o * (s // t) if o else 0)
            spelled = ", ".join("?" if s is None else str(s) for s in strides)
            layout = f"strided<[{spelled}]" + ("" if offset == 0 else f", offset: {'?' if offset is None else offset}") + ">"
            shape = "".join(f"{'?' if isinstance(c, str) else c}x" for c in counts)
            space = ", #tile.symmetric" if buffer.symmetric else ""
            return f"memref<{shape}{buffer.dtype}, {layout}{space}>"

        self.types.append(result)
        mark = f"\x01{len(self.types) - 1}\x02"
        self.line(f"{name} = memref.subview {buffer.name}{text(offsets)} {text(counts)} {text(steps)} "
                  f": {self.type_of(buffer)} to {mark}")
        return name, mark

    def finish(self, name, world=None):
        arguments = [b for b in self.buffers if b.kind == "arg"]
        # Draws of its own: what else a seed means does not change.
        choose, pitches = random.Random("\n".join(self.lines)), []

        def pitch():
            pitches.append("%pitch_" + "abcdefghijklmnopqrstuvwxyz"[len(pitches)])
            return pitches[-1]

        for b in arguments:
            if choose.random() < 0.25 and len(pitches) < 12:
                b.lay_out(choose, pitch)
        named = " ".join(s for b in arguments for s in b.strides or [])
        pitches = [p for p in pitches if p in named]
        parts = [f"{b.name}: {b.type()}" for b in arguments]
        for (dtype, _), number in self.numbers.items():
            parts.insert(choose.randrange(len(parts) + 1), f"{number}: {dtype}")
        head = ", ".join(parts)
        related = [b for b in arguments if any(d.static is None for d in b.dims) or None in b.known_strides()]
        relations = " ".join(f"[{b.name}: {', '.join(d.text for d in b.dims)}" +
                             (f" strides {', '.join(b.strides)}]" if b.strides else "]") for b in related)
        named = " ".join([f"[{b.name}: {b.names}]" for b in arguments if b.names] +
                         [f"[{number}: {names}]" for (_, names), number in self.numbers.items() if names])
        relations += f" indices {named}" if named else ""
        extents = f"<{', '.join(self.extents + pitches)}>" if self.extents or pitches else ""
        text = [f"tile.program @{name}{extents}({head})" + (f" world {world}" if world else "") + (f" extents {relations}" if relations else "") + " {"]
        text += [f"  tile.param {p}" for p in self.parameters]
        for b in self.buffers:
            if b.kind != "arg":
                keep = " persistent" if b.kind == "persistent" else ""
                text.append(f"  {b.name} = tile.alloc{keep} [{', '.join(d.text for d in b.dims)}] : {b.type()}")
        text += self.preamble + self.lines + ["}"]
        result = "\n".join(text) + "\n"
        for i, spell in enumerate(self.types):
            result = result.replace(f"\x01{i}\x02", spell())
        return result
