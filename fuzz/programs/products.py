# Random products with tiles as large as those of real ones: what copy engines, rings, producers and parts of a depth are for. What
# statements.py writes has tiles of 8 to 64 and buffers that no engine reads, so that it meets few of these loops.
from text import Dim, Program

FLOATS = ["f32", "bf16", "f16"]

# Elements of operands, and what results may have; eight-bit floats are those of sm_90a.
ELEMENTS = {"bf16": FLOATS, "f16": ["f32", "f16"], "f32": ["f32"], "i8": ["i32"]}
EIGHT_BITS = {"f8E4M3FN": ["f32", "bf16"], "f8E5M2": ["f32", "f16"]}

# Sides that fill boxes of a copy engine, and some that do not.
SIZES = ["8,72,136", "64,128", "72,136,200", "128,256", "1,33,133", "0,64,136"]


class Products:
    """Programs of one to three products, with collectives before or behind them where there are several ranks."""

    def __init__(self, random, world, target):
        self.p, self.random, self.many = Program(random), random, world > 1
        self.p.extents = ["%M", "%N", "%K"]
        self.p.names.update("MNK")
        self.dims = [Dim(extent) for extent in self.p.extents]
        kinds = ELEMENTS | (EIGHT_BITS if target == "sm_90a" else {})
        self.element = random.choices(list(kinds), [6, 1, 0.5, 1, 1, 0.5][:len(kinds)])[0]
        self.results = kinds[self.element]

    def generate(self, world):
        for _ in range(self.random.choice([1, 1, 1, 2, 3])):
            self.product()
        return self.p.finish("p", self.random.random() < 0.1 and world)

    def buffer(self, dims, element, kind="arg", symmetric=False):
        made = self.p.add_buffer(dims, element, kind)
        made.symmetric = symmetric
        return made

    def operand(self, dims):
        """What another product has left, where that fits."""
        found = [b for b in self.p.buffers if b.ready and b.dims == dims and b.dtype == self.element]
        if found and self.random.random() < 0.8:
            return self.random.choice(found)
        return self.buffer(dims, self.element)

    def left(self, rows, depth, turned):
        """Rows of all ranks, where one collects them first. Returns the operand, and the rows that it has."""
        if not self.many or turned or self.random.random() < 0.6:
            return self.operand([depth, rows] if turned else [rows, depth]), rows
        mine = self.buffer([rows, depth], self.element, symmetric=True)
        whole = rows.times_world()
        full = self.buffer([whole, depth], self.element, "alloc", symmetric=True)
        self.p.line(f"tile.all_gather {mine.name} into {full.name} dim 0 : {self.p.type_of(mine)}, {self.p.type_of(full)}")
        return full, whole

    def product(self):
        rows, columns, depth = (self.random.choice(self.dims) for _ in range(3))
        lead = [Dim("3", 3)] if self.random.random() < 0.1 else []
        turned = self.random.random() < 0.3
        if lead:
            left = self.buffer(lead + ([depth, rows] if turned else [rows, depth]), self.element)
        else:
            left, rows = self.left(rows, depth, turned)
        sides = []
        for _ in range(self.random.choice([1, 1, 1, 1, 2])):
            across = self.random.random() < 0.4
            shape = [depth, columns] if across else [columns, depth]
            sides.append(("" if across else "transpose ", self.buffer(lead + shape, self.element) if lead else self.operand(shape)))
        sums = None if lead or not self.many or self.element == "i8" else self.random.choice(["reduce_scatter", "all_reduce", "all_gather", None])
        into = self.destination(lead, rows, columns, sums)
        shape = self.shape()
        tiles = f" tiles [{', '.join(map(str, shape))}]" if shape else ""
        operands = ", ".join([("transpose " if turned else "") + left.name] + [word + b.name for word, b in sides])
        types = ", ".join(self.p.type_of(b) for b in [left, *(b for _, b in sides), into])
        self.p.line(f"tile.matmul {operands} into {into.name}{tiles} : {types}")
        if len(sides) > 1 or self.random.random() < 0.3:
            self.epilogue(len(lead), len(sides), into, "x".join(map(str, shape[:2])) if shape else "?x?")
        into.ready = True
        if sums:
            self.collective(sums, into, rows, columns)

    def destination(self, lead, rows, columns, sums):
        kind = "alloc" if sums else "arg"
        return self.buffer(lead + [rows, columns], self.random.choice(self.results), kind, symmetric=bool(sums))

    def collective(self, kind, source, rows, columns):
        """Sums, or the results of all ranks. A scatter takes rows that are some for each rank."""
        if kind == "reduce_scatter" and rows.per_rank is None:
            kind = "all_reduce"
        outer = {"reduce_scatter": rows.per_rank, "all_reduce": rows, "all_gather": rows.times_world()}[kind]
        into = self.buffer([outer, columns], source.dtype, symmetric=True)
        dim = "" if kind == "all_reduce" else " dim 0"
        self.p.line(f"tile.{kind} {source.name} into {into.name}{dim} : {self.p.type_of(source)}, {self.p.type_of(into)}")
        into.ready = True

    def shape(self):
        """Of tiles: mostly chosen; else as wide as a matrix instruction of a warpgroup may be, in whole steps of the swizzle or not."""
        if self.random.random() < 0.6:
            return None
        wide = self.random.choice([64, 96, 128, 192, 224, 256] if self.element in ("bf16", "f16") else [64, 128, 256])
        rows = self.random.choice([64, 128] if wide <= 224 else [64, 128, 128])
        return rows, wide, self.random.choice([32, 64, 64])

    def epilogue(self, leads, sides, into, shape):
        arguments = [self.p.fresh("matrix") for _ in range(leads)] + [self.p.fresh("row"), self.p.fresh("col")]
        sums = "i32" if self.element == "i8" else "f32"
        tile = f"tensor<{shape}x{sums}>"
        products = [self.p.fresh("product") for _ in range(sides)]
        self.p.open(f"    epilogue ({', '.join(arguments + [f'{name}: {tile}' for name in products])})")
        total = products[0]
        for other in products[1:]:
            total = self.p.scalar("both", f"arith.{self.random.choice(['add', 'mul'])}{sums[0]} {total}, {other} : {tile}")
        if sums == "f32" and self.random.random() < 0.5:
            total = self.p.scalar("bent", f"math.{self.random.choice(['tanh', 'absf'])} {total} : {tile}")
        if into.dtype != sums:
            total = self.p.scalar("rounded", f"arith.truncf {total} : {tile} to tensor<{shape}x{into.dtype}>")
        self.p.line(f"tile.yield {total} : tensor<{shape}x{into.dtype}>")
        self.p.close()


def compile_options(random, world, patterns):
    """Half of the programs know their extents, which choose tiles, parts and the order for them."""
    options = [f"--world={world}"]
    pattern = random.choice(patterns)
    if pattern and random.random() < 0.6:
        options.append(f"--pattern={pattern}")
    if random.random() < 0.5:
        options.append("--extent=" + ",".join(f"{extent}={random.choice([8, 64, 72, 136, 200, 264])}" for extent in "MNK"))
    return options
