"""Random changes of a kernel: what a person or a pass gets wrong, and what does no harm."""
from kernels import I, R, Expr, Op, as_expr


def places(program, *kinds):
    return [(thread, op) for thread in program.threads() for op in thread if op.kind in kinds]


def remove(rng, program):
    found = places(program, "wait", "signal", "wait", "signal", "load", "store")
    if not found:
        return
    thread, op = rng.choice(found)
    thread.remove(op)
    for other in (o for t in program.threads() for o in t):
        other.names = [n for n in other.names if n is not op]


def forget_name(rng, program):
    found = [op for thread in program.threads() for op in thread if op.names]
    if found:
        op = rng.choice(found)
        op.names.remove(rng.choice(op.names))


def change_index(rng, program):
    found = places(program, "wait", "signal", "load", "store")
    if not found:
        return
    op = rng.choice(found)[1]
    dim = rng.randrange(len(op.index))
    size = op.on.sizes[dim] if hasattr(op.on, "sizes") else op.on.size
    old = as_expr(op.index[dim])
    op.index[dim] = rng.choice([(old + 1) % size, (old + R) % size, as_expr(0), as_expr(size - 1), old + 1, R % size])


def change_rank(rng, program):
    found = [op for thread in program.threads() for op in thread if op.where is not None]
    if found:
        op = rng.choice(found)
        op.where = rng.choice([R, Expr("c", 0), (R + 1) % program.world, (op.where + 1) % program.world, op.where + 1])


def change_lag(rng, program):
    found = places(program, "wait")
    if found:
        op = rng.choice(found)[1]
        op.lag = max(0, op.lag + rng.choice([-1, 1, 1, 2]))


def change_count(rng, program):
    found = [op for _, op in places(program, "wait") if op.count]
    if found:
        op = rng.choice(found)
        dim = rng.randrange(len(op.count))
        op.count[dim] = max(1, op.count[dim] + rng.choice([-1, -1, 1]))


def change_copies(rng, program):
    found = [b for b in program.buffers if not b.argument and not b.persistent]
    if found:
        buffer = rng.choice(found)
        buffer.copies = rng.choice([c for c in (1, 2, 3) if c != buffer.copies])


def change_scope(rng, program):
    found = places(program, "wait", "signal")
    if found:
        op = rng.choice(found)[1]
        op.agent = not op.agent


def swap(rng, program):
    """Two operations that follow each other trade places; a name of something later is dropped."""
    found = [thread for thread in program.threads() if len(thread) > 1]
    if not found:
        return
    thread = rng.choice(found)
    at = rng.randrange(len(thread) - 1)
    thread[at], thread[at + 1] = thread[at + 1], thread[at]
    thread[at].names = [n for n in thread[at].names if n is not thread[at + 1]]


def move(rng, program):
    """From the tasks to the part before them, or from one role to another."""
    found = [thread for thread in program.threads() if thread]
    role = rng.choice([r for roles in program.kernels for r in roles])
    source = rng.choice(found)
    op = rng.choice(source)
    target = role.prologue if rng.random() < 0.5 or role.turn != "each" else role.body
    if target is source:
        return
    source.remove(op)
    copy = Op(op.kind, op.on, list(op.index), op.where, op.tile, op.count, op.lag, op.agent, [], op.guard)
    if target is role.prologue or role.tasks is None:
        copy.index = [without_task(e) for e in copy.index]
        copy.where = without_task(copy.where) if copy.where is not None else None
        copy.guard = None if copy.guard and copy.guard[0] == "i" else copy.guard
    target.insert(rng.randint(0, len(target)), copy)
    for other in (o for t in program.threads() for o in t):
        other.names = [n for n in other.names if n is not op]


def without_task(e):
    e = as_expr(e)
    if e.kind == "i":
        return as_expr(0)
    if e.kind in "cr":
        return e
    return Expr(e.kind, without_task(e.left), without_task(e.right))


def add(rng, program):
    role = rng.choice([r for roles in program.kernels for r in roles])
    thread, task = (role.body, I) if role.tasks and rng.random() < 0.8 else (role.prologue, as_expr(0))
    at = rng.randint(0, len(thread))
    kind = rng.choice(["wait", "signal", "load", "store"])
    where = rng.choice([R, (R + 1) % program.world])
    if kind in ("wait", "signal"):
        if not program.grids:
            return
        grid = rng.choice(program.grids)
        index = [rng.choice([task, as_expr(0), R]) % size for size in grid.sizes]
        op = Op(kind, grid, index, None if kind == "wait" else where, lag=rng.choice([0, 0, 1, 2]) if kind == "wait" else 0)
        if kind == "signal":
            op.names = [o for o in thread[:at] if o.kind == "store" and rng.random() < 0.8]
    else:
        if not program.buffers:
            return
        buffer = rng.choice(program.buffers)
        op = Op(kind, buffer, [rng.choice([task, as_expr(0), R]) % buffer.size], where)
        op.names = [o for o in role.prologue + thread[:at] if o.kind == "wait" and rng.random() < 0.6]
        op.names = [o for o in op.names if o in thread[:at] or thread is role.body]
    thread.insert(at, op)


def change_order(rng, program):
    found = [r for roles in program.kernels for r in roles if r.tasks and r.turn == "each"]
    if found:
        role = rng.choice(found)
        role.order = rng.choice([("remap", 2), ("remap", 3), ("map", 1, 1), ("map", 2, 0), ("shift", 1)])


def change_workgroups(rng, program):
    found = [r for roles in program.kernels for r in roles if r.turn == "each"]
    if found:
        rng.choice(found).workgroups = rng.choice([0, 1, 2])


ALL = [remove] * 4 + [forget_name] * 3 + [change_index] * 3 + [change_rank] * 2 + [change_lag] * 2 + \
    [change_count, change_copies, change_scope, swap, swap, move, add, add, add, change_order, change_workgroups]
