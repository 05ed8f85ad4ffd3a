# Random statements: which buffers are written, by whom, on which rank. What tiles hold is bodies.py.
from bodies import Bodies, Place
from irregular import Irregular
from rearrangements import Rearrangements
from steps import Steps
from text import FLOATS, Dim, Program, Tile, TileDim, sizes


class Pool:
    """Extents, tile sides and buffers to draw from."""

    def __init__(self, program, world):
        self.p, self.random = program, program.random
        # Statements between ranks are written in one-rank worlds too: the compiler folds them away.
        self.many = world > 1 or self.random.random() < 0.5
        self.dtypes = self.random.choice([["f32"], ["i32"], ["f32", "i32"], ["f32", "bf16"], ["f16", "f32"], ["f32", "f16", "bf16", "i32"],
                                          ["i32"], ["f32", "bf16"]])
        names = self.random.sample(["M", "N", "K", "L"], self.random.choice([1, 1, 2, 2, 3]))
        program.extents = ["%" + n for n in names]
        program.names.update(names)
        self.dims = [Dim("%" + n) for n in names]
        literals = [Dim(str(v), v) for v in self.random.sample([64, 40, 16, 33, 48, 8, 1], 2)]
        self.dims += literals[:self.random.choice([1, 1, 2])]
        if self.random.random() < 0.4:
            self.dims.append(Dim(self.random.choice(["%{} * 2", "%{} + 8", "%{} ceildiv 4 + 3", "2 * %{} + 1"]).format(names[0])))

    def weighted(self, kinds):
        return self.random.choices([k for _, k in kinds], [w for w, _ in kinds])[0]

    def dtype(self):
        return self.random.choice(self.dtypes)

    def dim(self):
        return self.random.choice(self.dims)

    def lead(self):
        return self.random.choice([Dim("W"), Dim("2", 2), Dim("3", 3)]) if self.many else Dim("2", 2)

    @staticmethod
    def group(dim):
        return dim.text if " " not in dim.text else f"({dim.text})"

    def tile_dim(self, least=8, most=64, literal=False):
        draw = self.random.random()
        side = self.random.choice([s for s in (8, 16, 32, 64) if least <= s <= most])
        if draw < 0.06 and least < 16:
            side = self.random.choice([1, 2, 4, 128])
        if draw > 0.88 and len(self.p.parameters) < 2 and not literal:
            # `P` is a parameter: its values are the tile's possible sides.
            name = f"@B{len(self.p.parameters)}"
            other = side * 2 if side < 64 else side // 2
            default = f" default {side}" if self.random.random() < 0.5 else ""
            self.p.parameters.append(f"{name} in [{min(side, other)}, {max(side, other)}]{default}")
            return TileDim(name, min(side, other))
        return TileDim(str(side), side, side)

    # Buffers.
    def source(self, dims, dtype, excluded, symmetric=False):
        found = [b for b in self.p.buffers if b.ready and b.dims == list(dims) and b.dtype == dtype and b not in excluded]
        if found and (self.random.random() < 0.85 or len(self.p.buffers) > 8):
            buffer = found[-1] if self.random.random() < 0.6 else self.random.choice(found)
        else:
            buffer = self.p.add_buffer(dims, dtype, "arg")
            buffer.ready = True
        buffer.symmetric |= symmetric
        return buffer

    def any_source(self, rank, dtype, place):
        found = [b for b in self.p.buffers if b.ready and len(b.dims) == rank and b.dtype == dtype and b not in place.excluded
                 and b is not place.own]
        return self.random.choice(found) if found else self.source(place.dims, dtype, place.excluded)

    def destination(self, dims, dtype, symmetric=False):
        """A buffer to write: new or used before."""
        found = [b for b in self.p.buffers if b.dims == list(dims) and b.dtype == dtype and not b.names]
        if found and self.random.random() < 0.35:
            buffer = self.random.choice(found)
        else:
            kind = self.random.choices(["arg", "alloc", "persistent"], [3, 6, 0.4])[0]
            buffer = self.p.add_buffer(dims, dtype, kind, "y" if kind == "arg" else None)
        buffer.symmetric |= symmetric or (self.many and self.random.random() < 0.3)
        return buffer


class Statements:
    def __init__(self, random, world):
        self.p = Program(random)
        self.random, self.pool = random, Pool(self.p, world)
        self.bodies = Bodies(self.p, self.pool)
        self.shapes = {}

    def generate(self, world):
        kinds = [(6, self.map), (1, self.map_line), (1.5, self.map_block), (1.5, self.product), (1, self.halves), (1, self.rows), (1, self.update),
                 (4, lambda: Rearrangements(self).statement()), (0.7, lambda: Rearrangements(self).crowded()), (1.5, self.map_deep),
                 (4, lambda: Steps(self).statement()), (3, lambda: Irregular(self).statement())]
        if self.pool.many:
            kinds += [(2, self.shifted), (2, self.scatter), (1, self.slots), (1.5, self.sums), (6, self.collective), (2, self.collective_deep)]
        for _ in range(self.random.choice([1, 2, 2, 3, 3])):
            self.pool.weighted(kinds)()
        for buffer in list(self.p.buffers):
            if buffer.kind != "arg" and buffer.ready and not buffer.read:
                self.copy_out(buffer)
        return self.p.finish("p", self.random.random() < 0.1 and world)

    # Grids.
    def indices(self, count):
        return [self.p.fresh(stem) for stem in ("m", "n", "l", "i")[:count]]

    def open(self, dims, shape, indices, over=None, lead=()):
        """`lead`: (index, extent) of grid dimensions in front of those of the tile."""
        names = ", ".join([i for i, _ in lead] + list(indices))
        if over and not lead and self.random.random() < 0.6:
            self.p.open(f"tile.forall ({names}) over {over.name} tiles {sizes(shape)} : {self.p.type_of(over)}")
            return
        bounds = [e for _, e in lead] + [f"{self.pool.group(d)} ceildiv {s.text}" for d, s in zip(dims, shape)]
        if self.random.random() < 0.05:
            at = self.random.randrange(len(bounds))
            bounds[at] = self.as_number(bounds[at])
        order = self.random.choice([" order [#tile.grouped<2>]", " order [#tile.chunked<8, 2>]", " order [#tile.diagonal]", " order [#tile.rank_first<0>]",
                                    " order [#tile.remap<8>, #tile.rank_first<1>]"]) \
            if len(bounds) > 1 and self.random.random() < 0.06 else ""
        self.p.open(f"tile.forall ({names}) in [{', '.join(bounds)}]{order}")

    def as_number(self, bound):
        """The value of a bound by way of the rank or of a number that the launch gives: no expression over the extents."""
        number = self.p.rank()
        if self.random.random() < 0.5:
            number = self.p.once("given", "given", f"tile.clamp {self.p.number('i32', '3')} upto {self.p.constant(2)} : i32")
        extent = self.p.extent(bound)
        more = self.p.once(("more", extent, number), "more", f"arith.addi {extent}, {number} : index")
        return self.p.once(("same", extent, number), "same", f"arith.minsi {extent}, {more} : index")

    def shape(self, count):
        """One of the few shapes of this program, mostly: each new one costs the compiler of the text time."""
        known = self.shapes.setdefault(count, [])
        if len(known) < 2 or self.random.random() < 0.12:
            known.append(self.new_shape(count))
            return known[-1]
        return self.random.choice(known)

    def new_shape(self, count):
        """Tile sides of 8 (of more dimensions: 128) to 4096 elements together: smaller ones make many tasks."""
        while True:
            known = list(self.p.parameters)
            if count > 3:
                shape = tuple(TileDim(str(s), s, s) for s in self.random.choices([1, 2, 4, 8, 16], k=count))
            else:
                shape = tuple(self.pool.tile_dim() for _ in range(count))
            elements = 1
            for side in shape:
                elements *= side.least
            if (8 if count == 1 else 128) <= elements <= 4096:
                return shape
            self.p.parameters[:] = known

    def store(self, tile, buffer, indices, rest="", name=None, mark=None):
        self.p.line(f"tile.store {tile.name}, {name or buffer.name}[{', '.join(indices)}]{rest} : {tile.type}, {mark or self.p.type_of(buffer)}")

    def depth(self):
        return self.random.choice([0, 1, 1, 2, 2, 3])

    def place(self, dims, shape, indices, buffer, in_place=True):
        return Place(list(dims), shape, list(indices), [buffer], buffer if in_place else None)

    def written(self, buffer):
        buffer.ready = True
        buffer.read = False

    # Statements on one rank.
    def fill(self, buffer):
        shape, indices = self.shape(len(buffer.dims)), self.indices(len(buffer.dims))
        self.open(buffer.dims, shape, indices, over=buffer)
        self.store(self.bodies.constant(self.place(buffer.dims, shape, indices, buffer), buffer.dtype), buffer, indices)
        self.p.close()
        self.written(buffer)

    def map(self):
        dims = [self.pool.dim(), self.pool.dim()]
        if self.pool.many and self.random.random() < 0.25:
            wide = self.random.randrange(2)
            dims[wide] = dims[wide].times_world()
        self.map_into(self.pool.destination(dims, self.pool.dtype()))

    def map_line(self):
        self.map_into(self.pool.destination([self.pool.dim()], self.pool.dtype()))

    def map_deep(self):
        """A buffer of three or four dimensions and tiles of as many."""
        dims = [self.pool.lead(), *(self.random.choice([Dim("2", 2), Dim("3", 3)]) for _ in range(self.random.randrange(2)))]
        self.map_into(self.pool.destination(dims + [self.pool.dim(), self.pool.dim()], self.pool.dtype()))

    def map_into(self, buffer):
        shape, indices = self.shape(len(buffer.dims)), self.indices(len(buffer.dims))
        self.open(buffer.dims, shape, indices, over=buffer)
        place = self.place(buffer.dims, shape, indices, buffer)
        tile = self.bodies.expression(place, buffer.dtype, self.depth())
        self.store(tile, buffer, indices)
        second = self.second(place, tile, buffer) if self.random.random() < 0.15 else None
        self.p.close()
        self.written(buffer)
        if second:
            self.written(second)

    def second(self, place, tile, first):
        """Another buffer that the same task writes: here or on a peer."""
        buffer = self.p.add_buffer(first.dims, first.dtype, self.random.choice(["arg", "alloc"]), "also")
        buffer.symmetric = self.pool.many and self.random.random() < 0.5
        rest = f" to {self.p.peer()}" if buffer.symmetric and self.random.random() < 0.6 else ""
        self.store(tile if self.random.random() < 0.5 else self.bodies.combine(tile, tile), buffer, place.indices, rest)
        return buffer

    def map_block(self):
        """A buffer with a leading dimension, its tiles without one."""
        lead, dims = self.pool.lead(), [self.pool.dim(), self.pool.dim()]
        buffer = self.pool.destination([lead] + dims, self.pool.dtype())
        shape, indices, first = self.shape(2), self.indices(2), self.p.fresh("b")
        self.open(dims, shape, indices, lead=[(first, lead.text)])
        place = self.place(dims, shape, indices, buffer, in_place=False)
        self.store(self.bodies.expression(place, buffer.dtype, self.depth()), buffer, [first] + indices)
        self.p.close()
        self.written(buffer)

    def copy_out(self, buffer):
        target = self.p.add_buffer(buffer.dims, buffer.dtype, "arg", "out")
        shape, indices = self.shape(len(buffer.dims)), self.indices(len(buffer.dims))
        self.open(target.dims, shape, indices, over=target)
        self.store(self.bodies.load(buffer, indices, shape), target, indices)
        self.p.close()
        self.written(target)

    def update(self):
        """Some tasks write: the others keep what was there."""
        found = [b for b in self.p.buffers if b.ready and len(b.dims) == 2]
        if not found:
            return self.map()
        buffer = self.random.choice(found)
        shape, indices = self.shape(2), self.indices(2)
        self.open(buffer.dims, shape, indices, over=buffer)
        place = self.place(buffer.dims, shape, indices, buffer)
        self.p.open(f"scf.if {self.bodies.condition(place)}")
        self.store(self.bodies.expression(place, buffer.dtype, self.depth()), buffer, indices)
        self.p.close()
        self.p.close()
        self.written(buffer)

    def halves(self):
        """Two views of one buffer, side by side or interleaved, each written by its own statement."""
        rows, dtype = self.pool.dim(), self.pool.dtype()
        buffer = self.pool.destination([rows, Dim("64", 64)], dtype)
        interleaved = self.random.random() < 0.15
        count = rows.static or self.p.extent(rows.text)
        if interleaved:
            buffer = self.pool.destination([Dim(f"{self.pool.group(rows)} * 2"), Dim("64", 64)], dtype)
        for half in (0, 1):
            shape, indices = self.shape(2), self.indices(2)
            dims = [rows, Dim("64", 64)] if interleaved else [rows, Dim("32", 32)]
            self.open(dims, shape, indices)
            name, mark = self.p.subview(buffer, [half, 0] if interleaved else [0, half * 32], [count, 64 if interleaved else 32],
                                        [2, 1] if interleaved else [1, 1])
            place = self.place(dims, shape, indices, buffer, in_place=False)
            self.store(self.bodies.expression(place, dtype, self.depth()), buffer, indices, name=name, mark=mark)
            self.p.close()
        self.written(buffer)

    def rows(self):
        """A vector: a row of every tile column reduced, or a matrix reduced."""
        rows, dtype = self.pool.dim(), self.pool.dtype()
        buffer = self.pool.destination([rows], dtype)
        side, (m,) = self.pool.tile_dim(), self.indices(1)
        self.open([rows], [side], [m], over=buffer)
        # The place is one of a matrix of which this statement writes the first dimension.
        place = self.place([rows, rows], (side, side), [m, m], buffer, in_place=False)
        self.store(self.bodies.totals(place, dtype, 0), buffer, [m])
        self.p.close()
        self.written(buffer)

    def product(self):
        """tile.matmul, with several right-hand sides and an epilogue; some of many products side by side."""
        m, n, k = self.pool.dim(), self.pool.dim(), self.pool.dim()
        lead = [self.pool.lead()] if self.random.random() < 0.2 else []
        kind = self.random.choice([d for d in self.pool.dtypes if d in FLOATS] or ["i32"] if self.random.random() < 0.1 else ["f32", "bf16"])
        out = self.pool.dtype()
        if out not in FLOATS and kind in FLOATS:
            out = "f32"
        buffer = self.pool.destination(lead + [m, n], out)
        # Rows in use are those of a left-hand side as it is.
        counted = self.random.random() < 0.2
        left_turned = not counted and self.random.random() < 0.3
        left = self.pool.source(lead + ([k, m] if left_turned else [m, k]), kind, [buffer])
        sides = []
        for _ in range(self.random.choice([1, 1, 1, 2, 3])):
            turned = self.random.random() < 0.6
            right = self.pool.source((lead if self.random.random() < 0.6 else []) + ([n, k] if turned else [k, n]), kind, [buffer])
            sides.append((right, "transpose " if turned else ""))
        for b in [left] + [r for r, _ in sides]:
            b.read = True
        # Written tile sizes make the shape of the epilogue known.
        shape = tuple(self.pool.tile_dim(16, 64) for _ in range(3)) if len(sides) > 1 or self.random.random() < 0.5 else None
        rows = self.rows_in_use(lead, m, buffer) if counted else ""
        types = ", ".join(self.p.type_of(b) for b in [left] + [r for r, _ in sides] + [buffer])
        head = f"tile.matmul {'transpose ' if left_turned else ''}{left.name}, " + ", ".join(word + r.name for r, word in sides) + f" into {buffer.name}{rows}"
        head += f" tiles {sizes(shape)}" if shape else ""
        if len(sides) == 1 and (not shape or self.random.random() < 0.3):
            self.p.line(f"{head} : {types}")
        else:
            self.epilogue(head, types, len(sides), shape, buffer, "f32" if kind in FLOATS else "i32")
        self.written(buffer)

    def rows_in_use(self, lead, rows, buffer):
        """How many rows of each product there are, as data says; the others keep what they hold."""
        counts = self.p.add_buffer(lead or [Dim("1", 1)], "i32", "arg", "counts")
        counts.names = rows.text
        self.fill(buffer)
        return f" rows {counts.name} : {self.p.type_of(counts)}"

    def epilogue(self, head, types, count, shape, buffer, dtype):
        leads = [self.p.fresh("matrix") for _ in buffer.dims[2:]]
        row, column = self.p.fresh("row"), self.p.fresh("col")
        tiles = [Tile(self.p.fresh("product"), shape[:2], dtype) for _ in range(count)]
        arguments = ", ".join(leads + [row, column] + [f"{t.name}: {t.type}" for t in tiles])
        self.p.line(f"{head} : {types}")
        self.p.open(f"    epilogue ({arguments})")
        total = tiles[0]
        for tile in tiles[1:]:
            total = self.bodies.combine(total, tile)
        if dtype in FLOATS and self.random.random() < 0.5:
            total = self.bodies.function(total)
        if self.random.random() < 0.6:
            bias = self.pool.source([buffer.dims[-1]], dtype, [buffer])
            line = self.bodies.load(bias, [column], (shape[1],), at=True)
            total = self.bodies.combine(total, self.bodies.widen(line, 1, shape[:2]))
        if self.random.random() < 0.3:
            other = self.pool.source(buffer.dims, dtype, [buffer])
            total = self.bodies.combine(total, self.bodies.load(other, leads + [row, column], shape[:2], at=True))
        total = self.bodies.cast(total, buffer.dtype)
        self.p.line(f"tile.yield {total.name} : {total.type}")
        self.p.close()

    # Statements between ranks.
    def shifted(self):
        """Every rank writes its tiles to another rank's buffer."""
        dims = [self.pool.dim(), self.pool.dim()]
        buffer = self.pool.destination(dims, self.pool.dtype(), symmetric=True)
        shape, indices = self.shape(2), self.indices(2)
        self.open(dims, shape, indices, over=buffer)
        place = self.place(dims, shape, indices, buffer, in_place=False)
        self.store(self.bodies.expression(place, buffer.dtype, self.depth()), buffer, indices, f" to {self.p.peer()}")
        self.p.close()
        self.written(buffer)

    def scatter(self):
        """Every rank writes its block on every rank: by the grid or by a loop."""
        dims, dtype = [self.pool.dim(), self.pool.dim()], self.pool.dtype()
        buffer = self.pool.destination([dims[0].times_world(), dims[1]], dtype, symmetric=True)
        shape, indices, peer = self.shape(2), self.indices(2), self.p.fresh("p")
        by_grid = self.random.random() < 0.6
        mirrored = self.random.random() < 0.3
        rank = self.p.rank()
        if mirrored:
            last = self.p.once("last", "last", f"arith.subi {self.p.world()}, {self.p.constant(1)} : index")
            rank = self.p.once("mirror", "mirror", f"arith.subi {last}, {self.p.rank()} : index")
        self.open(dims, shape, indices, lead=[(peer, "W")] if by_grid else [])
        place = self.place(dims, shape, indices, buffer, in_place=False)
        if not by_grid:
            tile = self.bodies.expression(place, dtype, self.depth())
            self.p.open(f"scf.for {peer} = {self.p.constant(0)} to {self.p.world()} step {self.p.constant(1)}")
        base = self.p.index("muli", rank, self.p.extent(dims[0].text), "base")
        name, mark = self.p.subview(buffer, [base, 0], [d.static or self.p.extent(d.text) for d in dims])
        if by_grid:
            tile = self.bodies.expression(place, dtype, self.depth())
        self.store(tile, buffer, indices, f" to {peer}", name=name, mark=mark)
        if not by_grid:
            self.p.close()
        self.p.close()
        self.written(buffer)

    def slots(self):
        """Every rank writes its slot of a buffer with a leading dimension on every rank."""
        dims, dtype = [self.pool.dim(), self.pool.dim()], self.pool.dtype()
        buffer = self.pool.destination([Dim("W")] + dims, dtype, symmetric=True)
        shape, indices, peer = self.shape(2), self.indices(2), self.p.fresh("p")
        self.open(dims, shape, indices, lead=[(peer, "W")])
        place = self.place(dims, shape, indices, buffer, in_place=False)
        tile = self.bodies.expression(place, dtype, self.depth())
        self.store(tile, buffer, [self.p.rank()] + indices, f" to {peer}")
        self.p.close()
        self.written(buffer)

    def sums(self):
        """Atomic additions of all ranks, or of several tasks, into tiles that were filled before."""
        dims = [self.pool.dim(), self.pool.dim()]
        dtype = self.random.choice([d for d in self.pool.dtypes if d in ("f32", "bf16", "f16", "i32")] or ["f32"])
        across = self.random.random() < 0.6
        buffer = self.pool.destination(dims, dtype, symmetric=across)
        if not buffer.ready or self.random.random() < 0.5:
            self.fill(buffer)
        shape, indices, peer = self.shape(2), self.indices(2), self.p.fresh("p")
        self.open(dims, shape, indices, lead=[(peer, "W" if across else "3")])
        place = self.place(dims, shape, indices, buffer, in_place=False)
        tile = self.bodies.expression(place, dtype, self.random.choice([0, 1]))
        self.p.line(f"tile.atomic add {tile.name}, {buffer.name}[{', '.join(indices)}]" + (f" on {peer}" if across else "")
                    + f" : {tile.type}, {self.p.type_of(buffer)}")
        self.p.close()
        self.written(buffer)

    def collective_deep(self):
        """Of three or four dimensions, along the first or another one."""
        few = [Dim("2", 2), Dim("3", 3)]
        self.collective([self.random.choice(few) for _ in range(self.random.choice([1, 2]))] + [self.pool.dim(), self.pool.dim()])

    def collective(self, dims=None):
        kind = self.random.choice(["all_gather", "reduce_scatter", "all_reduce", "all_to_all", "shift"])
        dims, dtype = dims or [self.pool.dim(), self.pool.dim()], self.pool.dtype()
        dim = self.random.randrange(len(dims))
        wide = list(dims)
        wide[dim] = dims[dim].times_world()
        into = {"all_gather": wide, "all_to_all": wide}.get(kind, dims)
        source_dims = {"reduce_scatter": wide, "all_to_all": wide}.get(kind, dims)
        out = dtype
        if kind in ("reduce_scatter", "all_reduce") and dtype in FLOATS and self.random.random() < 0.4:
            out = self.random.choice([d for d in self.pool.dtypes if d in FLOATS])
        buffer = self.pool.destination(into, out)
        source = self.pool.source(source_dims, dtype, [buffer])
        source.symmetric |= self.random.random() < 0.6
        # Ranks reach each other through one of the two.
        buffer.symmetric |= self.random.random() < 0.6 or not source.symmetric
        source.read = True
        reduces = kind in ("reduce_scatter", "all_reduce")
        extremum = self.random.choice(["maximum ", "minimum "]) if reduces and self.random.random() < 0.3 else ""
        line = f"tile.{kind} {extremum}{source.name} into {buffer.name}"
        line += f" by {self.random.choice([1, 1, -1, 2, 5, 0])}" if kind == "shift" else "" if kind == "all_reduce" else f" dim {dim}"
        if self.random.random() < 0.4:
            line += f" tiles {sizes(self.shape(len(dims)))}"
        if reduces and self.random.random() < 0.3:
            line += " unordered"
        self.p.line(f"{line} : {self.p.type_of(source)}, {self.p.type_of(buffer)}")
        self.written(buffer)
