# Elements whose place is data: gather, scatter, and numbers that are read as bounds and indices. The arguments that hold such numbers are written by nobody,
# and say what they name (`indices`), so that the inputs that `tilec run` makes are in range but for some that are meant not to be.
from text import Dim, sizes, tile_type


class Irregular:
    def __init__(self, statements):
        self.s, self.p, self.pool, self.b, self.random = statements, statements.p, statements.pool, statements.bodies, statements.random

    def statement(self):
        self.pool.weighted([(3, self.gather), (2, self.scatter), (2, self.read), (2, self.clamp)])()

    def numbers(self, count, names, distinct=False):
        """An argument of integers below `names`."""
        buffer = self.p.add_buffer([count], "i32", "arg", self.random.choice(["ids", "slots", "list"]))
        buffer.names = names + (" distinct" if distinct else "")
        return buffer

    def each(self, ids, index, side, once=False):
        """A tile of numbers. What lies behind the last one names element 0, or nothing where each element is named once."""
        nowhere = self.p.once("nowhere", "nowhere", "arith.constant -1 : i32") if once else None
        return self.b.load(ids, [index], (side,), f" else {nowhere} : i32" if once else "")

    def gather(self):
        """Rows or columns of a buffer in an order that is data."""
        dims, dtype = [self.pool.dim(), self.pool.dim()], self.pool.dtype()
        along, named = self.random.choice([0, 0, 1]), self.pool.dim()
        buffer = self.pool.destination(dims, dtype)
        table = list(dims)
        table[along] = named
        source = self.pool.source(table, dtype, [buffer])
        source.read = True
        ids = self.numbers(dims[along], named.text)
        shape, indices = self.s.shape(2), self.s.indices(2)
        self.s.open(dims, shape, indices, over=buffer)
        where = list(indices)
        chosen = self.each(ids, indices[along], shape[along])
        where[along] = f"each {chosen.name}"
        types = f"{self.p.type_of(source)}, {chosen.type} -> {tile_type(shape, dtype)}"
        tile = self.b.emit("found", f"tile.gather {source.name}[{', '.join(where)}] tile {sizes(shape)} : {types}", shape, dtype)
        if self.random.random() < 0.5:
            place = self.s.place(dims, shape, indices, buffer, in_place=False)
            tile = self.b.combine(tile, self.b.expression(place, dtype, 1))
        self.s.store(tile, buffer, indices)
        self.p.close()
        self.s.written(buffer)

    def scatter(self):
        """Rows or columns of a buffer that was filled before, each by one task; here, or each rank's on another one."""
        dims, dtype = [self.pool.dim(), self.pool.dim()], self.pool.dtype()
        along, count = self.random.choice([0, 0, 1]), self.pool.dim()
        buffer = self.p.add_buffer(dims, dtype, self.random.choice(["arg", "alloc"]), "sorted")
        buffer.symmetric = self.pool.many and self.random.random() < 0.5
        peer = f" to {self.p.peer()}" if buffer.symmetric and self.random.random() < 0.8 else ""
        self.s.fill(buffer)
        from_dims = list(dims)
        from_dims[along] = count
        ids = self.numbers(count, dims[along].text, distinct=True)
        shape, indices = self.s.shape(2), self.s.indices(2)
        self.s.open(from_dims, shape, indices)
        place = self.s.place(from_dims, shape, indices, buffer, in_place=False)
        tile = self.b.expression(place, dtype, 1)
        where = list(indices)
        chosen = self.each(ids, indices[along], shape[along], once=True)
        where[along] = f"each {chosen.name}"
        self.p.line(f"tile.scatter {tile.name}, {buffer.name}[{', '.join(where)}]{peer} : {tile.type}, {self.p.type_of(buffer)}, {chosen.type}")
        self.p.close()
        self.s.written(buffer)

    def clamp(self):
        """A number that the launch gives: how many of some blocks are added up, and where the last of them is."""
        rows, columns, dtype = self.pool.dim(), self.pool.dim(), self.pool.dtype()
        most = self.random.choice([1, 2, 5])
        number = self.p.number("i32", str(most + 1))
        limit = self.p.once(("limit", most), "limit", f"tile.clamp {number} upto {self.p.constant(most)} : i32")
        buffer = self.pool.destination([rows, columns], dtype)
        source = self.pool.source([Dim(str(most + 1), most + 1), columns], dtype, [buffer])
        shape, (m, n) = self.s.shape(1), self.s.indices(2)
        self.s.open([columns], shape, [n], lead=[(m, rows.text if " " not in rows.text else f"({rows.text})")])
        # No branch around an access: where data decides whether one is made, nothing is claimed beyond the samples.
        at = self.p.index("minsi", m, limit)
        tile = self.b.load(source, [at, n], shape)
        total, k, result = self.p.fresh("sum"), self.p.fresh("k"), self.p.fresh("total")
        self.p.open(f"{result} = scf.for {k} = {self.p.constant(0)} to {limit} step {self.p.constant(1)} iter_args({total} = {tile.name}) -> ({tile.type})")
        part = self.b.load(source, [k, n], shape)
        more = self.p.scalar("t", f"arith.{'addi' if dtype == 'i32' else 'addf'} {total}, {part.name} : {tile.type}")
        self.p.line(f"scf.yield {more} : {tile.type}")
        self.p.close()
        tile.name = result
        self.s.store(tile, buffer, [m, n])
        self.p.close()
        self.s.written(buffer)

    def read(self):
        """A number for each row: how often something is added, or which of two blocks is taken."""
        rows, columns, dtype = self.pool.dim(), self.pool.dim(), self.pool.dtype()
        most = self.random.choice([1, 1, 2, 5])
        lengths = self.numbers(rows, str(most + 1))
        buffer = self.pool.destination([rows, columns], dtype)
        source = self.pool.source([Dim(str(most + 1), most + 1), columns], dtype, [buffer])
        shape, (m, n) = self.s.shape(1), self.s.indices(2)
        self.s.open([columns], shape, [n], lead=[(m, rows.text if " " not in rows.text else f"({rows.text})")])
        number = self.p.scalar("number", f"tile.read {lengths.name}[{m}] upto {self.p.constant(most)} : {self.p.type_of(lengths)}")
        tile = self.b.load(source, [number, n], shape)
        if self.random.random() < 0.6:
            total, k, result = self.p.fresh("sum"), self.p.fresh("k"), self.p.fresh("total")
            self.p.open(f"{result} = scf.for {k} = {self.p.constant(0)} to {number} step {self.p.constant(1)} iter_args({total} = {tile.name}) -> ({tile.type})")
            part = self.b.load(source, [k, n], shape)
            op = self.random.choice(["addi", "maxsi"] if dtype == "i32" else ["addf", "maximumf"])
            more = self.p.scalar("t", f"arith.{op} {total}, {part.name} : {tile.type}")
            self.p.line(f"scf.yield {more} : {tile.type}")
            self.p.close()
            tile.name = result
        self.s.store(tile, buffer, [m, n])
        self.p.close()
        self.s.written(buffer)
