# Tiles that meet in layouts of their own: reductions, broadcasts, transposes, reshapes and products of each other's
# results, loops that carry several tiles and exchange them, tiles too large for LDS.
from text import FLOATS, Dim, Tile, TileDim, sizes, tile_type


def literal(size):
    return TileDim(str(size), size, size)


class Rearrangements:
    """Tiles of literal sides, with their shape in numbers: (rows, columns) or more or fewer."""

    def __init__(self, statements):
        self.s, self.p, self.pool, self.b, self.random = statements, statements.p, statements.pool, statements.bodies, statements.random
        self.tiles = {}

    def shape_of(self, tile):
        return tuple(d.static for d in tile.shape)

    def keep(self, tile):
        self.tiles.setdefault(self.shape_of(tile), []).append(tile)
        return tile

    def pick(self, rank=None):
        found = [t for shape, tiles in self.tiles.items() if rank is None or len(shape) == rank for t in tiles]
        return self.random.choice(found) if found else None

    def same_shape(self, tile):
        return self.random.choice(self.tiles[self.shape_of(tile)])

    # Operations, all of f32: a tile that was kept before, or nothing.
    def reduce(self):
        tile = self.pick(rank=self.random.choice([2, 2, 3]))
        if not tile:
            return None
        dim = self.random.randrange(len(tile.shape))
        shape = tile.shape[:dim] + tile.shape[dim + 1:]
        kind = self.random.choice(["add", "maximum", "minimum", "place"])
        if kind == "place":
            return self.place(tile, dim, shape)
        return self.b.emit("least", f"tile.reduce {kind} {tile.name} dim {dim} : {tile.type} -> {tile_type(shape, 'f32')}", shape, "f32")

    def scan(self):
        """Running sums and extrema; divided, so that values stay as large as they are."""
        tile = self.pick()
        dim, kind = self.random.randrange(len(tile.shape)), self.random.choice(["add", "add", "maximum", "minimum"])
        # Without an element before it the first one of an extremum is infinite.
        rest = " exclusive" if kind == "add" and self.random.random() < 0.4 else ""
        made = self.b.emit("running", f"tile.scan {kind} {tile.name} dim {dim}{rest} : {tile.type}", tile.shape, "f32")
        return made if kind != "add" else self.b.binary("mulf", made, self.b.splat(repr(1.0 / tile.shape[dim].static), tile.shape, "f32"))

    def place(self, tile, dim, shape):
        """Where the extremum is, as floats."""
        value, place = self.b.p.fresh("value"), self.b.p.fresh("place")
        kind, whole = self.random.choice(["maximum", "minimum"]), tile_type(shape, "i32")
        self.b.p.line(f"{value}, {place} = tile.arg_reduce {kind} {tile.name} dim {dim} : {tile.type} -> {tile_type(shape, 'f32')}, {whole}")
        return self.b.emit("far", f"arith.sitofp {place} : {whole} to {tile_type(shape, 'f32')}", shape, "f32")

    def broadcast(self):
        tile = self.pick(rank=self.random.choice([1, 1, 2]))
        if not tile:
            return None
        added = literal(self.random.choice([2, 8, 16, 32, 64, 128]))
        if self.elements(tile) * added.static > 16384:
            return None
        place = self.random.randrange(len(tile.shape) + 1)
        shape = tile.shape[:place] + (added,) + tile.shape[place:]
        dims = [d for d in range(len(shape)) if d != place]
        return self.b.emit("wide", f"tile.broadcast {tile.name} dims {dims} tile {sizes(shape)} : {tile.type} -> {tile_type(shape, 'f32')}",
                           shape, "f32")

    def transpose(self):
        tile = self.pick(rank=self.random.choice([2, 2, 3]))
        if not tile:
            return None
        order = self.random.sample(range(len(tile.shape)), len(tile.shape))
        shape = tuple(tile.shape[d] for d in order)
        return self.b.emit("turned", f"tile.transpose {tile.name} {order} : {tile.type} -> {tile_type(shape, 'f32')}", shape, "f32")

    def reshape(self):
        tile = self.pick()
        left, shape = self.elements(tile), []
        while left > 1 and len(shape) < 3:
            shape.append(self.random.choice([s for s in (2, 4, 8, 16, 32, 64, 128, 256) if s <= left]))
            left //= shape[-1]
        shape = tuple(literal(s) for s in shape + ([left] if left > 1 or not shape else []))
        return self.b.emit("cut", f"tile.reshape {tile.name} tile {sizes(shape)} : {tile.type} -> {tile_type(shape, 'f32')}", shape, "f32")

    def combine(self):
        tile = self.pick()
        other = self.same_shape(tile)
        if self.random.random() < 0.3:
            return self.b.select(tile, other)
        return self.b.binary(self.random.choice(["addf", "subf", "maximumf", "minimumf"]), tile, other)

    def dot(self):
        """A product of a tile with a transposed one of as many columns; into sums that lie anywhere."""
        left = self.pick(rank=2)
        if not left:
            return None
        found = [t for shape, tiles in self.tiles.items() if len(shape) == 2 and shape[1] == left.shape[1].static for t in tiles]
        right = self.random.choice(found)
        shape = (left.shape[0], right.shape[0])
        kind = self.random.choice(["f32", "bf16", "bf16", "f16"])
        left, right = self.b.cast(self.halve(left), kind), self.b.cast(self.halve(right), kind)
        known = self.tiles.get(tuple(d.static for d in shape))
        sums = self.random.choice(known) if known and self.random.random() < 0.6 else self.b.zero(shape, "f32")
        return self.b.emit("product", f"tile.dot {left.name}, transpose {right.name}, {sums.name} : {left.type}, {right.type}, {sums.type}",
                           shape, "f32")

    def halve(self, tile):
        """Chains of products stay small."""
        return self.b.binary("mulf", tile, self.b.splat("0.125", tile.shape, "f32"))

    def loop(self):
        """A loop that carries two tiles of one shape and exchanges them, and perhaps one of another shape."""
        first = self.pick()
        carried = [first, self.same_shape(first)]
        if self.random.random() < 0.6:
            carried.append(self.pick())
        names = [self.p.fresh("carried") for _ in carried]
        results = [self.p.fresh("after") for _ in carried]
        types = ", ".join(t.type for t in carried)
        starts = ", ".join(f"{n} = {t.name}" for n, t in zip(names, carried))
        self.p.open(f"{', '.join(results)} = scf.for {self.p.fresh('k')} = {self.p.constant(0)} to {self.p.constant(self.random.choice([0, 1, 2, 3]))} "
                    f"step {self.p.constant(1)} iter_args({starts}) -> ({types})")
        before = {shape: list(tiles) for shape, tiles in self.tiles.items()}
        inner = [self.keep(Tile(n, t.shape, "f32")) for n, t in zip(names, carried)]
        self.steps(self.random.choice([1, 2, 3]), nested=True)
        # A mean of what is carried and what was made: values stay as large as they are.
        following = [self.mean(inner[1], self.same_shape(inner[1])), inner[0]]
        following += [self.mean(t, self.same_shape(t)) for t in inner[2:]]
        self.p.line(f"scf.yield {', '.join(t.name for t in following)} : {types}")
        self.p.close()
        self.tiles = before
        made = [Tile(n, t.shape, "f32") for n, t in zip(results, carried)]
        for tile in made[1:]:
            self.keep(tile)
        return made[0]

    def mean(self, a, b):
        return self.b.binary("mulf", self.b.binary("addf", a, b), self.b.splat("0.5", a.shape, "f32"))

    def elements(self, tile):
        product = 1
        for d in tile.shape:
            product *= d.static
        return product

    def steps(self, count, nested=False):
        kinds = [(3, self.reduce), (1.5, self.scan), (3, self.broadcast), (1.5, self.transpose), (1.5, self.reshape), (3, self.combine), (2, self.dot)]
        if not nested:
            kinds.append((2, self.loop))
        for _ in range(count):
            tile = self.pool.weighted(kinds)()
            if tile:
                self.keep(tile)

    # The statement.
    def statement(self):
        rows, columns = self.pool.dim(), self.pool.dim()
        buffer = self.pool.destination([rows, columns], self.random.choice(["f32", "bf16"]) if "bf16" in self.pool.dtypes else "f32")
        shape = tuple(literal(self.random.choice([8, 16, 32, 32, 64, 64, 128])) for _ in range(2))
        indices = self.s.indices(2)
        self.s.open(buffer.dims, shape, indices, over=buffer)
        place = self.s.place(buffer.dims, shape, indices, buffer, in_place=False)
        for _ in range(self.random.choice([1, 2, 2])):
            self.keep(self.b.same(place, "f32"))
        self.keep(self.b.vector(place, "f32"))
        self.steps(self.random.choice([3, 5, 7, 9]))
        self.s.store(self.b.cast(self.mean(self.tiles[tuple(d.static for d in shape)][0], self.last(shape)), buffer.dtype), buffer, indices)
        self.p.close()
        self.s.written(buffer)

    def last(self, shape):
        """A tile of this shape that depends on the last one that was made, if it can be had of it."""
        tiles = [tiles[-1] for tiles in self.tiles.values()]
        rows, columns = (d.static for d in shape)
        found = [t for t in tiles if self.elements(t) in (rows * columns, rows, columns)] or tiles[:1]
        tile = self.random.choice(found)
        if self.elements(tile) == rows * columns:
            return self.b.emit("cut", f"tile.reshape {tile.name} tile {sizes(shape)} : {tile.type} -> {tile_type(shape, 'f32')}", shape, "f32")
        dim = 0 if self.elements(tile) == rows else 1
        line = (shape[dim],)
        tile = self.b.emit("line", f"tile.reshape {tile.name} tile {sizes(line)} : {tile.type} -> {tile_type(line, 'f32')}", line, "f32")
        return self.b.widen(tile, dim, shape)

    def crowded(self):
        """A product whose tiles fit the LDS of no target with the largest choice of their parameter."""
        if len(self.p.parameters) >= 2:
            return self.statement()
        name = f"@B{len(self.p.parameters)}"
        self.p.parameters.append(f"{name} in [32, 64, 128, 256]" + self.random.choice(["", " default 256"]))
        side = TileDim(name, 32)
        rows, columns, depth = self.pool.dim(), self.pool.dim(), self.pool.dim()
        buffer = self.pool.destination([rows, columns], "f32")
        m, n = self.s.indices(2)
        narrow = literal(32)
        self.s.open(buffer.dims, (side, narrow), (m, n), over=buffer)
        kind = self.random.choice(["f32", "bf16"])
        left, right = self.pool.source([rows, depth], kind, [buffer]), self.pool.source([columns, depth], kind, [buffer])
        deep = literal(self.random.choice([64, 128]))

        def body(k, total):
            a, b = self.b.load(left, [m, k], (side, deep)), self.b.load(right, [n, k], (narrow, deep))
            return self.b.emit("next", f"tile.dot {a.name}, transpose {b.name}, {total.name} : {a.type}, {b.type}, {total.type}", total.shape, "f32")

        count = self.p.extent(f"{self.pool.group(depth)} ceildiv {deep.text}")
        self.s.store(self.b.loop(count, self.b.zero((side, narrow), "f32"), body), buffer, [m, n])
        self.p.close()
        self.s.written(buffer)
