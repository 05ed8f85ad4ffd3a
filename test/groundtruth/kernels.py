"""Small programs in the kernel form: a model, its text for the compiler, and its description for the explorer.

Both are printed from the model; indices are evaluated here, so that the explorer shares no index arithmetic with the
compiler."""
import dataclasses


def trunc_rem(a, b):
    return abs(a) % b * (1 if a >= 0 else -1)


@dataclasses.dataclass(frozen=True)
class Expr:
    """A scalar: 'c' a constant, 'i' the task's index, 'r' the rank; '+', '-', '*', '%' of two others."""
    kind: str
    left: object = None
    right: object = None

    def eval(self, rank, i):
        if self.kind == "c":
            return self.left
        if self.kind in "ir":
            return rank if self.kind == "r" else i
        a, b = self.left.eval(rank, i), self.right.eval(rank, i)
        return {"+": a + b, "-": a - b, "*": a * b, "%": trunc_rem(a, b) if b else 0}[self.kind]

    def __add__(self, other):
        return Expr("+", self, as_expr(other))

    def __sub__(self, other):
        return Expr("-", self, as_expr(other))

    def __mul__(self, other):
        return Expr("*", self, as_expr(other))

    def __mod__(self, other):
        return Expr("%", self, as_expr(other))


def as_expr(value):
    return value if isinstance(value, Expr) else Expr("c", value)


I, R = Expr("i"), Expr("r")


@dataclasses.dataclass(eq=False)
class Buffer:
    size: int
    copies: int = 1
    argument: bool = False
    persistent: bool = False


@dataclasses.dataclass(eq=False)
class Grid:
    sizes: list


@dataclasses.dataclass(eq=False)
class Op:
    """kind: load, store, atomic, wait, signal. `where`: rank of an access or a signal. `names`: operations earlier in the
    thread, or in the part before it. `guard`: ('i' or 'r', value): done only there."""
    kind: str
    on: object  # buffer or grid
    index: list
    where: Expr = None
    tile: int = 1
    count: list = None
    lag: int = 0
    agent: bool = False
    names: list = dataclasses.field(default_factory=list)
    guard: tuple = None

    @property
    def is_access(self):
        return self.kind in ("load", "store", "atomic")


@dataclasses.dataclass(eq=False)
class Role:
    """`turn`: each, first, last. `tasks`: None without a loop. `order`: None, ('remap', chiplets), ('map', a, b): task
    (a * ticket + b) mod tasks, or ('shift', b): ticket + b."""
    turn: str = "each"
    workgroups: int = 0
    prologue: list = dataclasses.field(default_factory=list)
    tasks: int = None
    body: list = dataclasses.field(default_factory=list)
    order: tuple = None

    def numbers(self):
        n = self.tasks or 0
        if not self.order:
            return list(range(n))
        if self.order[0] == "map":
            return [(self.order[1] * t + self.order[2]) % n for t in range(n)]
        if self.order[0] == "shift":
            return [t + self.order[1] for t in range(n)]
        # Tickets are dealt to the chiplets in turn; each chiplet owns a contiguous range, the first n % x one more.
        x = self.order[1]
        begin = [sum(n // x + (c < n % x) for c in range(chiplet)) for chiplet in range(x)]
        return [begin[t % x] + t // x for t in range(n)]


@dataclasses.dataclass(eq=False)
class Program:
    world: int
    buffers: list = dataclasses.field(default_factory=list)
    grids: list = dataclasses.field(default_factory=list)
    kernels: list = dataclasses.field(default_factory=list)  # lists of roles

    def buffer(self, *args, **kwargs):
        self.buffers.append(Buffer(*args, **kwargs))
        return self.buffers[-1]

    def grid(self, *sizes):
        self.grids.append(Grid(list(sizes)))
        return self.grids[-1]

    def threads(self):
        for roles in self.kernels:
            for role in roles:
                yield role.prologue
                yield role.body

    def launches(self):
        lags = [op.lag for thread in self.threads() for op in thread]
        return max([1] + [b.copies for b in self.buffers] + lags) + 2

    def tasks(self):
        return self.world * sum(role.tasks or 0 for roles in self.kernels for role in roles)


class Printer:
    """The program as the compiler reads it."""

    def __init__(self, program):
        self.p, self.lines, self.next, self.value = program, [], 0, {}

    def fresh(self):
        self.next += 1
        return f"%v{self.next}"

    def expr(self, e):
        if e.kind == "c":
            name = self.fresh()
            self.lines.append(f"{name} = arith.constant {e.left} : index")
            return name
        if e.kind in "ir":
            return "%rank" if e.kind == "r" else "%i"
        left, right, name = self.expr(e.left), self.expr(e.right), self.fresh()
        op = {"+": "addi", "-": "subi", "*": "muli", "%": "remsi"}[e.kind]
        self.lines.append(f"{name} = arith.{op} {left}, {right} : index")
        return name

    def guard(self, left, limit):
        """`left == limit`, in one of the ways to say it that the number of the next value chooses."""
        kind = self.next % 4
        if kind == 1:
            left, limit = self.cast("index_cast", left, "index", "i8"), self.cast("index_cast", limit, "index", "i8")
        unequal, guard = kind >= 2, self.fresh()
        self.lines.append(f"{guard} = arith.cmpi {'ne' if unequal else 'eq'}, {left}, {limit} : {'i8' if kind == 1 else 'index'}")
        if unequal:
            true, unequal, guard = self.fresh(), guard, self.fresh()
            self.lines += [f"{true} = arith.constant true", f"{guard} = arith.xori {unequal}, {true} : i1"]
        if kind == 3:
            guard = self.cast("trunci", self.cast("extsi", guard, "i1", "i32"), "i32", "i1")
        return guard

    def cast(self, op, value, source, target):
        name = self.fresh()
        self.lines.append(f"{name} = arith.{op} {value} : {source} to {target}")
        return name

    def op(self, op):
        index = ", ".join([self.expr(as_expr(e)) for e in op.index])
        where = self.expr(op.where) if op.where is not None else "%rank"
        counts = [self.expr(as_expr(c)) for c in op.count] if op.count else []
        splat = None
        if op.kind in ("store", "atomic"):
            splat = self.fresh()
            self.lines.append(f"{splat} = tile.splat 1.0 [{op.tile}] : tensor<{op.tile}xf32>")
        guard = None
        if op.guard:
            guard = self.guard("%i" if op.guard[0] == "i" else "%rank", self.expr(as_expr(op.guard[1])))
        name = self.fresh()
        text, token = self.spell(op, index, where, counts, splat, name)
        if guard is None:
            self.lines.append(text)
            self.value[op] = token
            return
        if token is None:
            self.lines.append(f"scf.if {guard} {{\n{text}\n}}")
            return
        result, nothing = self.fresh(), self.fresh()
        self.lines.append(f"{result} = scf.if {guard} -> (!tile.token) {{\n{text}\nscf.yield {token} : !tile.token\n}} else {{\n"
                          f"{nothing} = tile.join()\nscf.yield {nothing} : !tile.token\n}}")
        self.value[op] = result

    def spell(self, op, index, where, counts, splat, name):
        names = ", ".join(self.value[n] for n in op.names if self.value.get(n))
        if op.kind in ("wait", "signal"):
            kind, grid = f"!tile.signals<{len(op.on.sizes)}>", f"%g{self.p.grids.index(op.on)}[{index}]"
            scope = "agent" if op.agent else "system"
            if op.kind == "wait":
                count = f" count [{', '.join(counts)}]" if counts else ""
                lag = f" lag {op.lag}" if op.lag else ""
                return f"{name} = tile.wait {scope} {grid}{count}{lag} : {kind}", name
            return f"tile.signal {scope} {grid} to {where}{f' publishes {names}' if names else ''} : {kind}", None
        buffer, tile = f"%b{self.p.buffers.index(op.on)}", f"tensor<{op.tile}xf32>"
        memref = self.memref(op.on)
        after = f" after {names}" if names else ""
        if op.kind == "load":
            return f"{name} = tile.load {buffer}[{index}] tile [{op.tile}] from {where}{after} : {memref} -> {tile}", None
        to = "to" if op.kind == "store" else "on"
        verb = "tile.store" if op.kind == "store" else "tile.atomic add"
        return f"{name} = {verb} {splat}, {buffer}[{index}] {to} {where}{after} : {tile}, {memref} -> !tile.token", name

    @staticmethod
    def memref(buffer):
        return f"memref<{buffer.size}xf32, #tile.symmetric>"

    def role(self, role, number):
        own = f" on {role.workgroups} workgroups" if role.workgroups and role.turn == "each" else ""
        turn = "" if role.turn == "each" else f" {role.turn}"
        self.lines.append(f"tile.role @r{number}{turn}{own} {{")
        for op in role.prologue:
            self.op(op)
        if role.tasks is not None and role.turn == "each":
            order = ""
            if role.order:
                what = {"remap": "#tile.remap<{1}>", "shift": "#tile.mapped<(d0) -> (d0 + {1})>",
                        "map": f"#tile.mapped<(d0) -> ((d0 * {{1}} + {{2}}) mod {max(role.tasks, 1)})>"}[role.order[0]]
                # No str.format with a map's parentheses: only the numbers are filled in.
                for at, value in enumerate(role.order):
                    what = what.replace("{%d}" % at, str(value))
                order = f" order [{what}]"
            self.lines.append(f"tile.forall (%i) in [{role.tasks}]{order} {{")
            for op in role.body:
                self.op(op)
            self.lines.append("}")
        self.lines.append("}")

    def print(self, name):
        arguments = [f"%b{i}: {self.memref(b)}" for i, b in enumerate(self.p.buffers) if b.argument]
        self.lines.append(f"tile.program @{name}({', '.join(arguments) or '%unused: memref<4xf32>'}) world {self.p.world} {{")
        for i, b in enumerate(self.p.buffers):
            if not b.argument:
                copies = f" {{copies = {b.copies}}}" if b.copies > 1 else ""
                persistent = "persistent " if b.persistent else ""
                self.lines.append(f"%b{i} = tile.alloc {persistent}[{b.size}]{copies} : {self.memref(b)}")
        for i, g in enumerate(self.p.grids):
            sizes = ", ".join(map(str, g.sizes))
            self.lines.append(f"%g{i} = tile.signals [{sizes}] : !tile.signals<{len(g.sizes)}>")
        self.lines.append("%rank = tile.rank")
        number = 0
        for k, roles in enumerate(self.p.kernels):
            self.lines.append(f"tile.kernel @k{k} {{")
            for role in roles:
                self.role(role, number)
                number += 1
            self.lines.append("}")
        self.lines.append("}")
        return "\n".join(self.lines) + "\n"


class Describer:
    """The program as the explorer reads it. `claims`: per kernel (resident workgroups, 1 for all); None: not judged."""

    def __init__(self, program, launches=None):
        self.p, self.launches, self.words = program, launches or program.launches(), []

    def thread(self, ops, rank, i, before=None):
        """Returns the number that each operation has in the description; those that are not done have none."""
        number = {}
        for op in ops:
            if op.guard and (i if op.guard[0] == "i" else rank) != op.guard[1]:
                continue
            index = [as_expr(e).eval(rank, i) for e in op.index]
            where = op.where.eval(rank, i) if op.where is not None else rank
            names = [f"0 {number[n]}" for n in op.names if n in number]
            # A signal publishes stores of its own part alone.
            names += [f"1 {before[n]}" for n in op.names if before and n in before and op.is_access]
            if op.is_access:
                first = max(index[0] * op.tile, 0)
                end = max(min(index[0] * op.tile + op.tile, op.on.size), first)
                head = [op.kind, self.p.buffers.index(op.on), where, first, end - first]
            else:
                count = [as_expr(c).eval(rank, i) for c in op.count] if op.count else [1] * len(index)
                head = [op.kind, self.p.grids.index(op.on), len(index), *index, len(count), *count, op.lag, where,
                        int(not op.agent)]
            number[op] = len(number)
            self.words += [*head, len(names), *names]
        return number

    def role(self, role):
        self.words += ["role", ["each", "first", "last"].index(role.turn), role.workgroups, role.tasks or 0]
        for rank in range(self.p.world):
            self.words += ["rank", rank]
            before = self.thread(role.prologue, rank, None)
            for task in role.numbers():
                self.words += ["task", task]
                self.thread(role.body, rank, task, before)
        self.words += ["end"]

    def print(self, name, claims):
        self.words += ["program", name, self.p.world, self.launches]
        for b in self.p.buffers:
            self.words += ["buffer", int(b.argument), int(b.persistent), b.copies, b.size]
        for g in self.p.grids:
            self.words += ["grid", len(g.sizes), *g.sizes]
        for k, roles in enumerate(self.p.kernels):
            self.words += ["kernel", *(claims[k] if claims else (0, 0))]
            for role in roles:
                self.role(role)
        self.words += ["end"]
        return " ".join(map(str, self.words)) + "\n"
