# What one task computes: random expressions over tiles, their leaves being loads from buffers of fitting extents.
from text import FLOATS, Buffer, Dim, Tile, TileDim, sizes, tile_type

REAL_UNARY = ["negf", "absf", "tanh", "exp", "sqrt", "rsqrt", "erf", "log", "exp2", "log2",
              "sin", "cos", "cbrt", "log1p", "expm1"]
REAL_BINARY = ["addf", "addf", "subf", "mulf", "maximumf", "minimumf", "divf"]
# Kinds of reduction of integers, and what puts parts together that begin with zeros.
WHOLE_TOTALS = {"add": "addi", "maximum": "maxsi", "or": "ori", "xor": "xori", "and": "xori", "product": "addi"}
WHOLE_BINARY = ["addi", "addi", "subi", "muli", "maxsi", "minsi", "andi", "ori", "xori"]


class Place:
    """The tile that a task writes: extents, tile sides, indices and buffers that it may not read."""

    def __init__(self, dims, shape, indices, excluded=(), own=None):
        self.dims, self.shape, self.indices = dims, shape, indices
        self.excluded, self.own = set(excluded), own

    @property
    def meaningful(self):
        """Indices that may decide what is computed: none where a parameter decides how many tiles there are."""
        return list(self.indices) if all(d.static is not None for d in self.shape) else []


class Bodies:
    def __init__(self, program, pool):
        self.p, self.pool, self.random = program, pool, program.random

    # Elementwise operations.
    def emit(self, stem, text, shape, dtype):
        name = self.p.fresh(stem)
        self.p.line(f"{name} = {text}")
        return Tile(name, shape, dtype)

    def splat(self, value, shape, dtype):
        return self.emit("filled", f"tile.splat {value} {sizes(shape)} : {tile_type(shape, dtype)}", shape, dtype)

    def literal(self, dtype):
        return str(self.random.choice([0, 1, 2, -3, 7])) if dtype in ("i32", "i8") else self.random.choice(["0.0", "1.0", "0.5", "-2.0"])

    def cast(self, tile, dtype):
        if tile.dtype == dtype:
            return tile
        if tile.dtype not in FLOATS:
            if dtype not in FLOATS:
                op = "extsi" if tile.dtype == "i8" else "trunci"
            else:
                op = "sitofp"
        elif tile.dtype == "f32":
            op = "truncf"
        elif dtype == "f32":
            op = "extf"
        else:
            return self.cast(self.cast(tile, "f32"), dtype)
        return self.emit("cast", f"arith.{op} {tile.name} : {tile.type} to {tile_type(tile.shape, dtype)}", tile.shape, dtype)

    def binary(self, op, a, b):
        return self.emit("t", f"arith.{op} {a.name}, {b.name} : {a.type}", a.shape, a.dtype)

    def unary(self, op, a):
        dialect = "arith" if op == "negf" else "math"
        return self.emit("u", f"{dialect}.{op} {a.name} : {a.type}", a.shape, a.dtype)

    def function(self, a):
        """A function of a tile of floats, applied where it is defined and tame."""
        op = self.random.choice(REAL_UNARY)
        if op in ("sqrt", "rsqrt", "log", "log2", "exp", "exp2"):
            a = self.unary("absf", a)
        if op in ("rsqrt", "log", "log2"):
            a = self.binary("addf", a, self.splat("1.0", a.shape, a.dtype))
        if op in ("exp", "exp2"):
            a = self.unary("negf", a)
        return self.unary(op, a)

    def combine(self, a, b):
        if self.random.random() < 0.12:
            return self.select(a, b)
        op = self.random.choice(REAL_BINARY if a.dtype in FLOATS else WHOLE_BINARY)
        if op == "divf":
            b = self.binary("addf", self.unary("absf", b), self.splat("1.0", b.shape, b.dtype))
        return self.binary(op, a, b)

    def select(self, a, b):
        if a.dtype in FLOATS:
            test = "arith.cmpf " + self.random.choice(["olt", "oge", "ogt", "ole", "ult", "oeq", "une"])
        else:
            test = "arith.cmpi " + self.random.choice(["slt", "sge", "eq", "ne", "ult"])
        mask = self.emit("mask", f"{test}, {a.name}, {b.name} : {a.type}", a.shape, "i1")
        return self.emit("chosen", f"arith.select {mask.name}, {b.name}, {a.name} : {mask.type}, {a.type}", a.shape, a.dtype)

    # Expressions.
    def expression(self, place, dtype, depth):
        draw = self.random.random()
        if depth <= 0 or draw < 0.2:
            return self.leaf(place, dtype)
        if draw < 0.3:
            other = self.random.choice(self.pool.dtypes)
            if other != dtype and not (other in FLOATS and dtype not in FLOATS):
                return self.cast(self.expression(place, other, depth - 1), dtype)
        if draw < 0.45 and dtype in FLOATS:
            return self.function(self.expression(place, dtype, depth - 1))
        if draw < 0.53:
            return self.conditional(place, dtype, depth)
        return self.combine(self.expression(place, dtype, depth - 1), self.expression(place, dtype, depth - 1))

    def comparison(self, place):
        """A comparison of the task or the rank with a number, perhaps as a narrower or a wider integer."""
        a = self.random.choice(place.meaningful + [self.p.rank()])
        test = self.random.choice(["slt", "eq", "ne", "sge", "ugt"])
        limit = self.p.constant(self.random.choice([0, 1, 2]))
        kind = self.random.choices(["index", "i8", "i32", "i64"], [6, 1, 1, 1])[0]
        if kind != "index":
            a, limit = self.p.scalar("as", f"arith.index_cast {a} : index to {kind}"), self.p.scalar("as", f"arith.index_castui {limit} : index to {kind}")
        return self.p.scalar("holds", f"arith.cmpi {test}, {a}, {limit} : {kind}")

    def condition(self, place):
        """A condition on the task, on the rank or on nothing; some are negated, joined or pass through an integer."""
        holds = self.comparison(place)
        kind = self.random.choices(["plain", "negated", "joined", "cast"], [5, 2, 2, 1])[0]
        if kind == "negated":
            true = self.p.once("true", "true", "arith.constant true")
            return self.p.scalar("holds", f"arith.xori {holds}, {true} : i1")
        if kind == "joined":
            return self.p.scalar("holds", f"arith.{self.random.choice(['andi', 'ori', 'xori'])} {holds}, {self.comparison(place)} : i1")
        if kind == "cast":
            # 1, -1 and 255 are odd and not 0.
            wide = self.p.scalar("as", f"arith.{self.random.choice(['extui', 'extsi'])} {holds} : i1 to i8")
            wide = self.p.scalar("as", f"arith.{self.random.choice(['extui', 'extsi'])} {wide} : i8 to i32")
            return self.p.scalar("holds", f"arith.trunci {wide} : i32 to i1")
        return holds

    def conditional(self, place, dtype, depth):
        holds = self.condition(place)
        result = Tile(self.p.fresh("either"), place.shape, dtype)
        self.p.open(f"{result.name} = scf.if {holds} -> {result.type}")
        a = self.expression(place, dtype, depth - 1)
        self.p.line(f"scf.yield {a.name} : {a.type}")
        self.p.indent -= 1
        self.p.open("} else")
        b = self.expression(place, dtype, depth - 1)
        self.p.line(f"scf.yield {b.name} : {b.type}")
        self.p.close()
        return result

    # Leaves.
    def leaf(self, place, dtype):
        kinds = [(8, self.same), (2, self.offset), (2, self.constant), (1, self.scalar), (1, self.given)]
        if len(place.dims) == 2:
            kinds += [(2, self.transposed), (2, self.vector), (2, self.reduced), (2, self.product), (1, self.iota),
                      (1, self.slice), (1, self.reshaped)]
        if self.pool.many:
            kinds += [(3, self.remote), (2, self.over_ranks)]
        return self.pool.weighted(kinds)(place, dtype)

    def load(self, buffer, indices, shape, rest="", mark=None, name=None, at=False):
        buffer.read = True
        where = f" at ({', '.join(indices)})" if at else f"[{', '.join(indices)}]"
        source = name or buffer.name
        type_mark = mark or self.p.type_of(buffer)
        return self.emit("t", f"tile.load {source}{where} tile {sizes(shape)}{rest} : {type_mark} -> {tile_type(shape, buffer.dtype)}",
                         shape, buffer.dtype)

    def same(self, place, dtype):
        if place.own and place.own.ready and place.own.dtype == dtype and self.random.random() < 0.3:
            return self.load(place.own, place.indices, place.shape)
        return self.load(self.pool.source(place.dims, dtype, place.excluded), place.indices, place.shape)

    def remote(self, place, dtype):
        buffer = self.pool.source(place.dims, dtype, place.excluded, symmetric=True)
        root = self.random.random() < 0.15
        peer = self.p.constant(0) if root else self.p.peer()
        return self.load(buffer, place.indices, place.shape, f" from {peer}")

    def given(self, place, dtype):
        """A number that the launch gives."""
        wide = "f32" if dtype in FLOATS else dtype
        return self.cast(self.splat(self.p.number(wide), place.shape, wide), dtype)

    def constant(self, place, dtype):
        return self.splat(self.literal(dtype), place.shape, dtype)

    def scalar(self, place, dtype):
        """A tile filled with a number made from the rank or an index."""
        number, value = self.p.fresh("number"), self.p.fresh("value")
        self.p.line(f"{number} = arith.index_cast {self.random.choice(place.meaningful + [self.p.rank()])} : index to i32")
        if dtype not in FLOATS:
            return self.splat(number, place.shape, "i32") if dtype == "i32" else self.constant(place, dtype)
        self.p.line(f"{value} = arith.sitofp {number} : i32 to {dtype}")
        return self.splat(value, place.shape, dtype)

    def iota(self, place, dtype):
        shape = place.shape
        dim = self.random.randrange(len(shape))
        if shape[dim].static is None:
            return self.constant(place, dtype)
        counted = self.emit("iota", f"tile.iota dim {dim} tile {sizes(shape)} : {tile_type(shape, 'i32')}", shape, "i32")
        return self.cast(counted, dtype)

    def starts(self, place):
        """Element offsets of the tile."""
        return [self.p.index("muli", i, self.p.extent(d.text), "from") for i, d in zip(place.indices, place.shape)]

    def offset(self, place, dtype):
        """Element offsets, perhaps outside of the buffer."""
        rank = len(place.dims)
        buffer = self.pool.any_source(rank, dtype, place)
        at = [self.p.index(*self.random.choice([("addi", s), ("subi", s)]), self.p.constant(self.random.choice([0, 1, 3, 8, 17])), "at")
              for s in self.starts(place)]
        rest = ""
        if self.pool.many and self.random.random() < 0.25:
            buffer.symmetric = True
            rest += f" from {self.p.peer()}"
        if self.random.random() < 0.4:
            value = self.p.fresh("outside")
            literal = self.literal(dtype)
            self.p.line(f"{value} = arith.constant {literal} : {dtype}")
            rest += f" else {value} : {dtype}"
        return self.load(buffer, at, place.shape, rest, at=True)

    def transposed(self, place, dtype):
        turned = (place.shape[1], place.shape[0])
        buffer = self.pool.source(place.dims[::-1], dtype, place.excluded)
        tile = self.load(buffer, place.indices[::-1], turned)
        return self.emit("turned", f"tile.transpose {tile.name} [1, 0] : {tile.type} -> {tile_type(place.shape, dtype)}", place.shape, dtype)

    def vector(self, place, dtype):
        d = self.random.randrange(2)
        tile = self.load(self.pool.source([place.dims[d]], dtype, place.excluded), [place.indices[d]], (place.shape[d],))
        return self.widen(tile, d, place.shape)

    def widen(self, tile, dim, shape):
        return self.emit("wide", f"tile.broadcast {tile.name} dims [{dim}] tile {sizes(shape)} : {tile.type} -> {tile_type(shape, tile.dtype)}",
                         shape, tile.dtype)

    def reshaped(self, place, dtype):
        """A tile loaded as one row of a longer tile and back."""
        tile = self.same(place, dtype)
        a, b = place.shape
        if a.static is None or b.static is None or b.static < 4:
            return tile
        half = TileDim(str(b.static // 2), b.static // 2, b.static // 2)
        parts = (a, TileDim("2", 2, 2), half)
        cut = self.emit("parts", f"tile.reshape {tile.name} tile {sizes(parts)} : {tile.type} -> {tile_type(parts, dtype)}", parts, dtype)
        if self.random.random() < 0.5:
            turned = (parts[1], a, half)
            cut = self.emit("turned", f"tile.transpose {cut.name} [1, 0, 2] : {cut.type} -> {tile_type(turned, dtype)}", turned, dtype)
        return self.emit("joined", f"tile.reshape {cut.name} tile {sizes(place.shape)} : {cut.type} -> {tile_type(place.shape, dtype)}",
                         place.shape, dtype)

    def slice(self, place, dtype):
        """A tile of lower rank than its buffer."""
        lead = self.pool.lead()
        buffer = self.pool.source([lead] + place.dims, dtype, place.excluded)
        first = self.p.rank() if lead.text == "W" else self.p.constant(self.random.randrange(lead.static))
        return self.load(buffer, [first] + list(place.indices), place.shape)

    # Loops.
    def loop(self, count, first, body, stem="k"):
        """scf.for from 0 to count that carries one tile; `body(index, tile)` returns the next one."""
        index, carried = self.p.fresh(stem), self.p.fresh("sum")
        result = Tile(self.p.fresh("total"), first.shape, first.dtype)
        self.p.open(f"{result.name} = scf.for {index} = {self.p.constant(0)} to {count} step {self.p.constant(1)} "
                    f"iter_args({carried} = {first.name}) -> {first.type}")
        following = body(index, Tile(carried, first.shape, first.dtype))
        self.p.line(f"scf.yield {following.name} : {following.type}")
        self.p.close()
        return result

    def zero(self, shape, dtype):
        return self.splat("0.0" if dtype in FLOATS else "0", shape, dtype)

    def add(self, a, b):
        return self.binary("addf" if a.dtype in FLOATS else "addi", a, b)

    def over_ranks(self, place, dtype):
        """A sum over all ranks, each one's tile or block."""
        start = self.zero(place.shape, dtype)
        if self.random.random() < 0.5 and len(place.dims) == 2:
            turn = self.turn()
            return self.loop(self.p.world(), start, lambda r, total: self.add(total, self.block(place, dtype, turn(r))), "r")
        buffer = self.pool.source(place.dims, dtype, place.excluded, symmetric=True)
        turn = self.turn()
        return self.loop(self.p.world(), start,
                         lambda r, total: self.add(total, self.load(buffer, place.indices, place.shape, f" from {turn(r)}")), "r")

    def turn(self):
        """The rank of each step of a loop over ranks: in order, backwards, or from the next rank on."""
        kind = self.random.choice(["forward", "forward", "backward", "rotated"])
        if kind == "backward":
            last = self.p.once("last", "last", f"arith.subi {self.p.world()}, {self.p.constant(1)} : index")
            return lambda r: self.p.index("subi", last, r, "peer")
        if kind == "rotated":
            return lambda r: self.p.index("remui", self.p.index("addi", self.p.rank(), r, "turn"), self.p.world(), "peer")
        return lambda r: r

    def block(self, place, dtype, r):
        """Tile of block r of a buffer of W blocks of rows."""
        rows = place.dims[0]
        buffer = self.pool.source([rows.times_world(), place.dims[1]], dtype, place.excluded)
        base = self.p.index("muli", r, self.p.extent(rows.text), "base")
        if self.random.random() < 0.5:
            columns = place.dims[1].static or self.p.extent(place.dims[1].text)
            count = rows.static or self.p.extent(rows.text)
            name, mark = self.p.subview(buffer, [base, 0], [count, columns])
            remote = buffer.symmetric and self.random.random() < 0.5
            return self.load(buffer, place.indices, place.shape, f" from {self.p.peer()}" if remote else "", name=name, mark=mark)
        row, column = self.starts(place)
        return self.load(buffer, [self.p.index("addi", base, row), column], place.shape, at=True)

    def totals(self, place, dtype, keep):
        """Rows (or columns) of another buffer, reduced tile by tile."""
        kind = self.random.choice(["add", "maximum", "minimum"] if dtype in FLOATS else list(WHOLE_TOTALS))
        # Narrow floats are rounded once for each tile, and so many bits are put together: its size is part of the meaning.
        literal = dtype in ("f16", "bf16") or kind in ("and", "product")
        depth, side = self.pool.dim(), self.pool.tile_dim(8, 64, literal=literal)
        dims, shape = [place.dims[keep], depth], (place.shape[keep], side)
        if keep:
            dims, shape = dims[::-1], shape[::-1]
        buffer = self.pool.source(dims, dtype, place.excluded)
        start = self.zero((place.shape[keep],), dtype)

        def body(k, total):
            at = [place.indices[keep], k]
            tile = self.load(buffer, at[::-1] if keep else at, shape)
            part = self.emit("part", f"tile.reduce {kind} {tile.name} dim {1 - keep} : {tile.type} -> {total.type}", total.shape, dtype)
            if kind == "add":
                return self.add(total, part)
            return self.binary({"maximum": "maximumf", "minimum": "minimumf"}[kind] if dtype in FLOATS else WHOLE_TOTALS[kind], total, part)

        count = self.p.extent(f"{self.pool.group(depth)} ceildiv {side.text}")
        return self.loop(count, start, body)

    def reduced(self, place, dtype):
        """Such totals, repeated along the other dimension."""
        keep = self.random.randrange(2)
        return self.widen(self.totals(place, dtype, keep), keep, place.shape)

    def product(self, place, dtype):
        """A product over a depth, tile by tile."""
        if min(d.least for d in place.shape) < 16 and self.random.random() < 0.9:
            return self.same(place, dtype)
        if dtype not in FLOATS and self.random.random() < 0.9:
            return self.same(place, dtype)
        kind = self.random.choice(FLOATS) if dtype in FLOATS else "i32"
        depth, side, turned, left_turned = self.pool.dim(), self.pool.tile_dim(16, 32), self.random.random() < 0.5, self.random.random() < 0.2
        a = self.pool.source([depth, place.dims[0]] if left_turned else [place.dims[0], depth], kind, place.excluded)
        b = self.pool.source([place.dims[1], depth] if turned else [depth, place.dims[1]], kind, place.excluded)
        peer = f" from {self.p.peer()}" if a.symmetric and self.pool.many and self.random.random() < 0.4 else ""
        accumulator = "f32" if kind in FLOATS else "i32"

        def body(k, total):
            m, n = place.indices[:2]
            left = self.load(a, [k, m], (side, place.shape[0]), peer) if left_turned else self.load(a, [m, k], (place.shape[0], side), peer)
            right = self.load(b, [n, k], (place.shape[1], side)) if turned else self.load(b, [k, n], (side, place.shape[1]))
            word, first = "transpose " if turned else "", "transpose " if left_turned else ""
            return self.emit("next", f"tile.dot {first}{left.name}, {word}{right.name}, {total.name} : {left.type}, {right.type}, {total.type}",
                             total.shape, accumulator)

        count = self.p.extent(f"{self.pool.group(depth)} ceildiv {side.text}")
        return self.cast(self.loop(count, self.zero(place.shape, accumulator), body), dtype)
