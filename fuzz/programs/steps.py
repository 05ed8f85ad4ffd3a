# Statements that repeat (docs/steps.md): rings of a permutation of the ranks, stencils over time, statements that feed each other from step to step.
# A buffer has a leading dimension of copies that the steps take in turn; all of it is filled before the loop.
from text import FLOATS, Dim, TileDim


class Steps:
    def __init__(self, statements):
        self.s, self.p, self.pool, self.b, self.random = statements, statements.p, statements.pool, statements.bodies, statements.random

    def statement(self):
        kinds = [(2, self.ring), (2, self.stencil), (3, self.several)]
        self.pool.weighted(kinds)()

    def count(self):
        """How many steps: few, since each takes the emulator as long as a statement."""
        if self.pool.many and self.random.random() < 0.4:
            return self.p.extent(self.random.choice(["W", "W - 1", "W + 1"]))
        if self.random.random() < 0.4:
            return self.p.extent(f"{self.p.extents[0]} ceildiv {self.random.choice([16, 64])}")
        return self.p.constant(self.random.choice([0, 1, 2, 3, 5, 6]))

    def buffer(self, dims, dtype, least=2):
        """Copies of which each step reads one and writes another, filled on every rank."""
        copies = self.random.choice([c for c in (2, 2, 3) if c >= least])
        buffer = self.p.add_buffer([Dim(str(copies), copies)] + dims, dtype, self.random.choice(["alloc", "alloc", "alloc", "arg"]),
                                   self.random.choice(["field", "inbox", "turns"]))
        buffer.symmetric = self.pool.many
        shape, indices, first = self.s.shape(len(dims)), self.s.indices(len(dims)), self.p.fresh("b")
        self.s.open(dims, shape, indices, lead=[(first, str(copies))])
        place = self.s.place(dims, shape, indices, buffer, in_place=False)
        self.s.store(self.b.expression(place, dtype, 1), buffer, [first] + indices)
        self.p.close()
        self.s.written(buffer)
        return buffer

    def begin(self):
        step = self.p.fresh("s")
        first, by = self.random.choice([(0, 1), (0, 1), (0, 1), (0, 2), (1, 1)])
        self.p.open(f"scf.for {step} = {self.p.constant(first)} to {self.count()} step {self.p.constant(by)}")
        # Copies are taken by the number of the step, so a loop in strides counts for itself.
        self.step = step if by == 1 else self.p.index("divui", step, self.p.constant(by), "turn")

    def turns(self, buffer):
        """The copy that a step reads, and the one that it writes."""
        copies = self.p.constant(buffer.dims[0].static)
        after = self.p.index("addi", self.step, self.p.constant(1), "after")
        return self.p.index("remui", self.step, copies, "now"), self.p.index("remui", after, copies, "then")

    def join(self, old, new):
        """Something that many steps do not make large."""
        op = self.random.choice(["addf", "subf", "maximumf", "minimumf"] if old.dtype in FLOATS else ["addi", "subi", "xori", "maxsi"])
        return self.b.binary(op, old, new)

    def to_peer(self):
        return f" to {self.p.peer()}" if self.pool.many and self.random.random() < 0.7 else ""

    def guarded(self, write):
        """Some ranks or steps leave out what they would do: the copy keeps what an earlier step has left."""
        if self.random.random() < 0.8:
            return write()
        limit = self.p.constant(self.random.choice([1, 2]))
        holds = self.p.scalar("more", f"arith.cmpi {self.random.choice(['ult', 'uge', 'ne'])}, {self.random.choice([self.step, self.p.rank()])}, {limit} : index")
        self.p.open(f"scf.if {holds}")
        write()
        self.p.close()

    def ring(self):
        """Each rank passes its tiles on and changes them: to one rank, always the same."""
        dims, dtype = [self.pool.dim(), self.pool.dim()], self.pool.dtype()
        buffer = self.buffer(dims, dtype)
        shape, indices, rest = self.s.shape(2), self.s.indices(2), self.to_peer()
        self.begin()
        now, then = self.turns(buffer)
        self.s.open(dims, shape, indices)
        place = self.s.place(dims, shape, indices, buffer, in_place=False)

        def write():
            tile = self.b.load(buffer, [now] + indices, shape)
            if self.random.random() < 0.7:
                tile = self.join(tile, self.b.expression(place, dtype, self.random.choice([0, 1])))
            self.s.store(tile, buffer, [then] + indices, rest)
        self.guarded(write)
        self.p.close()
        self.p.close()
        self.s.written(buffer)

    def stencil(self):
        """Tiles that are moved by a row or a column, of this rank and of others."""
        dims, dtype = [self.pool.dim(), self.pool.dim()], self.pool.dtype()
        buffer = self.buffer(dims, dtype)
        shape = tuple(TileDim(str(side), side, side) for side in self.random.choice([(16, 16), (8, 32), (32, 16), (16, 64)]))
        indices = self.s.indices(2)
        self.begin()
        now, then = self.turns(buffer)
        self.s.open(dims, shape, indices)
        base = [self.p.index("muli", i, self.p.constant(d.static), "base") for i, d in zip(indices, shape)]
        total = None
        for _ in range(self.random.choice([1, 2, 3, 4])):
            rows, columns = self.random.choice([(0, 0), (1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-3, 0), (0, 20)])
            at = [self.p.index("addi", b, self.p.constant(m), "moved") if m else b for b, m in zip(base, (rows, columns))]
            rest = f" from {self.p.peer()}" if self.pool.many and self.random.random() < 0.4 else ""
            tile = self.b.load(buffer, [now] + at, shape, rest, at=True)
            total = tile if total is None else self.join(total, tile)
        self.s.store(total, buffer, [then] + indices)
        self.p.close()
        self.p.close()
        self.s.written(buffer)

    def several(self):
        """Two or three statements in a step: each reads what the others have left in this step or the one before."""
        self.p.several = True
        dims, dtype = [self.pool.dim(), self.pool.dim()], self.pool.dtype()
        buffers = [self.buffer(dims, dtype) for _ in range(self.random.choice([2, 2, 3]))]
        self.begin()
        turns = [self.turns(buffer) for buffer in buffers]
        for number, buffer in enumerate(buffers):
            shape, indices, rest = self.s.shape(2), self.s.indices(2), self.to_peer()
            self.s.open(dims, shape, indices)
            place = self.s.place(dims, shape, indices, buffer, in_place=False)
            place.excluded |= set(buffers)
            tile = self.b.load(buffer, [turns[number][0]] + indices, shape)
            for other in self.random.sample(range(len(buffers)), self.random.choice([1, 1, 2])):
                # The copy of this step is written by then where the statement comes earlier.
                which = self.random.choice([0, 1]) if other < number else 0
                tile = self.join(tile, self.b.load(buffers[other], [turns[other][which]] + indices, shape))
            if self.random.random() < 0.3:
                tile = self.join(tile, self.b.leaf(place, dtype))
            self.s.store(tile, buffer, [turns[number][1]] + indices, rest)
            self.p.close()
        self.p.close()
        for buffer in buffers:
            self.s.written(buffer)
