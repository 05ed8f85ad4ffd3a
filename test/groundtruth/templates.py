"""Right, or nearly right, small kernels: the exchanges that a tile program is made of. mutate.py breaks them."""
from kernels import I, R, Expr, Op, Program, Role, as_expr


def wait(grid, *index, **kw):
    return Op("wait", grid, list(index), **kw)


def signal(grid, *index, to=R, publishes=(), **kw):
    return Op("signal", grid, list(index), where=as_expr(to), names=list(publishes), **kw)


def load(buffer, index, after=(), **kw):
    return Op("load", buffer, [index], names=list(after), **kw)


def store(buffer, index, after=(), **kw):
    return Op("store", buffer, [index], names=list(after), **kw)


def own(rng):
    return rng.choice([0, 0, 0, 1, 2])


def push_all(rng):
    """Every rank stores into every inbox; `copies` of it, and credits or none."""
    world = rng.choice([2, 2, 3])
    p = Program(world)
    inbox, sent = p.buffer(world, rng.choice([1, 2, 2, 3])), p.grid(world)
    keep, send, receive = [], [], []
    if rng.random() < 0.6:
        consumed = p.grid(world)
        box = rng.random() < 0.3
        free = wait(consumed, 0, count=[world], lag=inbox.copies) if box else wait(consumed, I, lag=inbox.copies)
        (keep if box else send).append(free)
        receive_credit = [signal(consumed, R, to=I)]
    else:
        free, receive_credit = None, []
    send.append(store(inbox, R, [free] if free else [], where=I))
    send.append(signal(sent, R, to=I, publishes=[send[-1]]))
    if rng.random() < 0.7:
        receive.append(wait(sent, I))
        receive += [load(inbox, I, [receive[-1]]), *receive_credit]
        roles = [Role(prologue=keep, tasks=world, body=send, workgroups=own(rng)),
                 Role(tasks=world, body=receive, workgroups=own(rng))]
    else:
        credits = [signal(op.on, *op.index, to=Expr("c", r)) for op in receive_credit for r in range(world)]
        receive.append(wait(sent, 0, count=[world]))
        receive += [load(inbox, k, [receive[-1]]) for k in range(world)] + credits
        roles = [Role(prologue=keep, tasks=world, body=send, workgroups=own(rng)), Role(tasks=1, body=receive, workgroups=own(rng))]
    if rng.random() < 0.3:
        roles.reverse()
    p.kernels.append(roles)
    return p


def ring(rng):
    world = rng.choice([2, 3])
    tiles = rng.choice([1, 2]) if world == 2 else 1
    p = Program(world)
    inbox, sent = p.buffer(tiles, rng.choice([1, 2, 2, 3])), p.grid(tiles)
    following, previous = (R + 1) % world, (R + (world - 1)) % world
    credit, send_prologue, body, last = None, [], [], []
    if rng.random() < 0.75:
        consumed = p.grid(1)
        credit = wait(consumed, 0, lag=inbox.copies)
        (send_prologue if rng.random() < 0.5 else body).append(credit)
    body.append(store(inbox, I, [credit] if credit else [], where=following))
    body.append(signal(sent, I, to=following, publishes=[body[-1]]))
    receive = [wait(sent, I)]
    receive.append(load(inbox, I, [receive[0]]))
    if credit and tiles == 1 and rng.random() < 0.5:
        receive.append(signal(credit.on, 0, to=previous))
    elif credit:
        last.append(Role("last", prologue=[signal(credit.on, 0, to=previous)]))
    roles = [Role(prologue=send_prologue, tasks=tiles, body=body, workgroups=own(rng)), Role(tasks=tiles, body=receive, workgroups=own(rng))]
    if rng.random() < 0.4:
        roles.reverse()
    p.kernels.append(roles + last)
    return p


def pull(rng):
    """Peers read, or write, an argument: entry and exit of the launch."""
    world = rng.choice([2, 2, 3])
    p = Program(world)
    remote, local = p.buffer(world, argument=True), p.buffer(world, argument=rng.random() < 0.5)
    entered, done = p.grid(world), p.grid(world)
    enter = [signal(entered, R, to=Expr("c", peer)) for peer in range(world)]
    come = wait(entered, I) if rng.random() < 0.5 else wait(entered, 0, count=[world])
    prologue = [come] if len(come.count or []) and rng.random() < 0.5 else []
    if rng.random() < 0.6:
        body = [load(remote, R, [come], where=I), store(local, I)]
    else:
        body = [store(remote, R, [come], where=I)]
    if not prologue:
        body.insert(0, come)
    roles = [Role("first", prologue=enter), Role(prologue=prologue, tasks=world, body=body, workgroups=own(rng))]
    leave = [signal(done, R, to=Expr("c", peer)) for peer in range(world)] + [wait(done, 0, count=[world])]
    if rng.random() < 0.3:
        stores = [op for op in body if op.kind == "store" and op.on is remote]
        body.append(signal(done, R, to=I, publishes=stores))
        leave = leave[-1:]
    roles.append(Role("last", prologue=leave))
    if rng.random() < 0.2:
        roles = [roles[0], roles[1]] + [Role("last", prologue=[op]) for op in leave]
    p.kernels.append(roles)
    return p


def relayed(rng):
    """One task stores, another of its rank passes the news on to the next: the store's own scope must reach that far."""
    world = 2
    p = Program(world)
    inbox, made, sent = p.buffer(1, 2), p.grid(1), p.grid(1)
    following, previous = (R + 1) % world, (R + (world - 1)) % world
    pulled, agent = rng.random() < 0.4, rng.random() < 0.5
    stored = store(inbox, 0, [], where=R if pulled else following)
    passed, arrived = wait(made, 0, agent=rng.random() < 0.5), wait(sent, 0)
    roles = [Role(tasks=1, body=[stored, signal(made, 0, publishes=[stored], agent=agent)], workgroups=own(rng)),
             Role(tasks=1, body=[passed, signal(sent, 0, to=following)], workgroups=own(rng)),
             Role(tasks=1, body=[arrived, load(inbox, 0, [arrived], where=previous if pulled else R)], workgroups=own(rng))]
    p.kernels.append(roles)
    return p


def local(rng):
    """Producers and consumers of one rank, with boxes, sometimes of two dimensions."""
    world = rng.choice([1, 2])
    makers = rng.choice([1, 2, 3]) if world == 1 else rng.choice([1, 2])
    p = Program(world)
    # What the next launch overwrites needs no credit: launches of one rank follow each other.
    x = p.buffer(2 * makers)
    flat = rng.random() < 0.6
    ready = p.grid(makers) if flat else p.grid(makers, 2)
    made = store(x, I, tile=2)
    produce = [made] + [signal(ready, I, publishes=[made], agent=True)] if flat else \
        [made] + [signal(ready, I, k, publishes=[made], agent=True) for k in range(2)]
    consumers = rng.choice([1, 2])
    if rng.random() < 0.5:
        seen = wait(ready, 0, count=[makers], agent=True) if flat else wait(ready, 0, I % 2, count=[makers, 1], agent=True)
        consume = [seen] + [load(x, k, [seen], tile=2) for k in range(makers)]
    else:
        which = I % makers
        seen = wait(ready, which, agent=True) if flat else wait(ready, which, 0, count=[1, 2], agent=True)
        consume = [seen, load(x, which, [seen], tile=rng.choice([1, 2]))]
    roles = [Role(tasks=makers, body=produce, workgroups=own(rng)), Role(tasks=consumers, body=consume, workgroups=own(rng))]
    if rng.random() < 0.3:
        roles.reverse()
    p.kernels.append(roles)
    return p


def counted(rng):
    """Several tasks raise one word; some, or all, of them have stored."""
    world = rng.choice([1, 2, 2])
    tasks = rng.choice([2, 2, 3]) if world == 1 else 2
    p = Program(world)
    x, word = p.buffer(3), p.grid(1)
    kind = rng.choice(["same", "gated", "ranks"])
    if kind == "same":
        made = store(x, I if rng.random() < 0.5 else 0, guard=("i", 0) if rng.random() < 0.5 else None)
        first = Role(tasks=tasks, body=[made, signal(word, 0, publishes=[made])], workgroups=own(rng))
        seen = wait(word, 0)
        second = Role(tasks=1, body=[seen, load(x, 0, [seen])], workgroups=own(rng))
        p.kernels.append([first, second])
    elif kind == "gated":
        gate, made, passed = p.grid(1), store(x, 0), None
        passed = wait(gate, 0)
        first = Role(tasks=1, body=[made, signal(word, 0, publishes=[made]), passed, signal(word, 0)], workgroups=own(rng))
        seen = wait(word, 0)
        second = Role(tasks=1, body=[seen, load(x, 0, [seen]), signal(gate, 0)], workgroups=own(rng))
        p.kernels.append([first, second])
    else:
        made = store(x, 0)
        other = (R + 1) % world
        first = Role(tasks=1, body=[made, signal(word, 0, publishes=[made]), signal(word, 0, to=other)], workgroups=own(rng))
        seen = wait(word, 0)
        second = Role(tasks=1, body=[seen, load(x, 0, [seen] if rng.random() < 0.8 else [])], workgroups=own(rng))
        p.kernels.append([first, second])
    return p


def staged(rng):
    """Made here, combined there, sent on: two stages of waits."""
    world = 2
    p = Program(world)
    part, total = p.buffer(2, rng.choice([1, 2])), p.buffer(2, rng.choice([1, 2]))
    made_word, done_word, free_word = p.grid(world), p.grid(world), p.grid(world)
    made = store(part, R, where=Expr("c", 0) if rng.random() < 0.1 else R)
    make = [made] + [signal(made_word, R, to=Expr("c", k), publishes=[made]) for k in range(world)]
    ready = wait(made_word, 0, count=[world])
    out = store(total, R, where=I)
    combine = [ready, *[load(part, k, [ready], where=Expr("c", k)) for k in range(world)], out,
               signal(done_word, R, to=I, publishes=[out])]
    over = wait(done_word, I)
    use = [over, load(total, I, [over])]
    roles = [Role(tasks=1, body=make, workgroups=own(rng)), Role(tasks=1 if rng.random() < 0.2 else world, body=combine, workgroups=own(rng)),
             Role(tasks=world, body=use, workgroups=own(rng))]
    if rng.random() < 0.6:
        free = wait(free_word, 0, count=[world], lag=min(part.copies, total.copies))
        roles[0].prologue.append(free)
        made.names.append(free)
        if rng.random() < 0.6:
            body = roles[1].body
            again = wait(free_word, 0, count=[world], lag=total.copies)
            body.insert(0, again)
            out.names.append(again)
        roles.append(Role("last", prologue=[signal(free_word, R, to=Expr("c", k)) for k in range(world)]))
    p.kernels.append(roles)
    return p


def reduced(rng):
    """Atomic updates of one tile, read when all have arrived."""
    world = rng.choice([1, 2, 2])
    tasks = rng.choice([1, 2, 3]) if world == 1 else rng.choice([1, 2])
    p = Program(world)
    total, arrived = p.buffer(1, persistent=rng.random() < 0.8), p.grid(world, tasks)
    to = Expr("c", 0)
    add = Op("atomic", total, [0], where=to)
    free = p.grid(1)
    gate = wait(free, 0, lag=1)
    body = [gate, add, signal(arrived, R, I, to=to, publishes=[add])] if rng.random() < 0.6 else \
        [add, signal(arrived, R, I, to=to, publishes=[add])]
    if body[0] is gate:
        add.names.append(gate)
    every = wait(arrived, 0, 0, count=[world, tasks], guard=("r", 0))
    read = [every, load(total, 0, [every], guard=("r", 0))]
    read += [signal(free, 0, to=Expr("c", k), guard=("r", 0)) for k in range(world)]
    if rng.random() < 0.3:
        zero = store(total, 0, [every], guard=("r", 0))
        read.insert(2, zero)
        for op in read[3:]:
            op.names.append(zero)
    p.kernels.append([Role(tasks=tasks, body=body, workgroups=own(rng)), Role(tasks=1, body=read, workgroups=own(rng))])
    return p


def two_kernels(rng):
    """The second kernel reads what the first has made here, and waits for what it has sent."""
    world = rng.choice([1, 2, 2])
    p = Program(world)
    mine, inbox, sent = p.buffer(2), p.buffer(1, rng.choice([1, 2, 3])), p.grid(1)
    made = store(mine, I)
    moved = store(inbox, 0, where=(R + 1) % world)
    first = [Role(tasks=2, body=[made], workgroups=own(rng)),
             Role(tasks=1, body=[moved, signal(sent, 0, to=(R + 1) % world, publishes=[moved])], workgroups=own(rng))]
    come = wait(sent, 0)
    second = [Role(tasks=1, body=[come, load(inbox, 0, [come]), load(mine, 0, tile=2)], workgroups=own(rng))]
    if rng.random() < 0.3:
        second = [Role(tasks=1, body=[load(mine, 0, tile=2)]), Role("last", prologue=[come, load(inbox, 0, [come])])]
    if rng.random() < 0.6:
        credit = p.grid(1)
        free = wait(credit, 0, lag=inbox.copies)
        first[1].body.insert(0, free)
        moved.names.append(free)
        second.append(Role("last", prologue=[signal(credit, 0, to=(R + (world - 1)) % world)]))
    p.kernels += [first, second] if rng.random() < 0.9 else [second, first]
    return p


def chain(rng):
    """Tasks of one role wait for other tasks of it, forwards or backwards; ticket order and residency."""
    world = rng.choice([1, 1, 2])
    tasks = rng.choice([2, 3, 4]) if world == 1 else rng.choice([2, 3])
    p = Program(world)
    x, word = p.buffer(tasks), p.grid(tasks)
    step = rng.choice([1, 1, 2, tasks - 1, tasks - 1])
    stop = rng.randrange(tasks)
    body = []
    for at in range(tasks):
        if at != stop and rng.random() < 0.7:
            seen = wait(word, (at + step) % tasks, guard=("i", at))
            body += [seen, load(x, (at + step) % tasks, [seen], guard=("i", at))]
    made = store(x, I)
    body += [made, signal(word, I, publishes=[made])]
    role = Role(tasks=tasks, body=body, workgroups=rng.choice([0, 0, 1, 2, 3]))
    role.order = rng.choice([None, None, ("remap", 2), ("map", tasks - 1, tasks - 1), ("map", 1, 1)])
    roles = [role]
    for _ in range(rng.choice([0, 0, 1])):
        other = Role(tasks=1, body=[wait(word, rng.randrange(tasks))], workgroups=rng.choice([0, 1, 2]))
        roles.insert(rng.randint(0, 1), other)
    p.kernels.append(roles)
    return p


def groups(rng):
    """Roles that wait for each other, in any order of arrival, with parts that run once per workgroup."""
    world = rng.choice([1, 2])
    p = Program(world)
    count = rng.choice([2, 3])
    word, once = p.grid(count, 2), p.grid(count)
    roles = []
    for role in range(count):
        prologue, body, tasks = [], [], rng.choice([1, 1, 2])
        for other in range(count):
            if other != role and rng.random() < 0.3:
                box = [1, 2] if rng.random() < 0.5 else None
                op = wait(word, other, 0, count=box) if rng.random() < 0.7 else wait(once, other)
                (prologue if rng.random() < 0.3 else body).append(op)
        if rng.random() < 0.3:
            prologue.insert(rng.randint(0, len(prologue)), signal(once, role, to=(R + 1) % world))
        body.append(signal(word, role, I, to=(R + rng.choice([0, 1])) % world))
        if tasks == 1:
            body.append(signal(word, role, 1, to=(R + rng.choice([0, 1])) % world))
        roles.append(Role(prologue=prologue, tasks=tasks, body=body, workgroups=rng.choice([0, 1, 1, 2, 3])))
    if rng.random() < 0.5:
        roles.insert(0, Role("first", prologue=[signal(once, k, to=R) for k in range(count)]))
    p.kernels.append(roles)
    return p


def once_per_workgroup(rng):
    """The part before the tasks loads, stores, waits and signals."""
    world = rng.choice([1, 2])
    p = Program(world)
    x, y, word = p.buffer(2, rng.choice([1, 2])), p.buffer(2), p.grid(2)
    to = (R + 1) % world
    made = store(x, 0, where=to)
    prologue = [made, signal(word, 0, to=to, publishes=[made] if rng.random() < 0.8 else [])]
    body = [store(y, I)]
    body.append(signal(word, 1, publishes=[body[0]], to=R))
    sender = Role(prologue=prologue, tasks=rng.choice([1, 2]), body=body, workgroups=rng.choice([0, 1, 1, 1, 2]))
    come = wait(word, 0)
    other = wait(word, 1)
    reader = Role(prologue=[come], tasks=1, body=[load(x, 0, [come]), other, load(y, 0, [other])], workgroups=own(rng))
    roles = [sender, reader]
    if rng.random() < 0.25:
        roles.reverse()
    p.kernels.append(roles)
    return p


def starving(rng):
    """Workgroups that wait, in the part before their tasks or in them, in front of those that they wait for."""
    world = rng.choice([1, 2])
    p = Program(world)
    word, to = p.grid(3), R if rng.random() < 0.6 else (R + 1) % world
    first = Role(prologue=[wait(word, 0)] if rng.random() < 0.6 else [], tasks=rng.choice([1, 2, 3]), body=[],
                 workgroups=rng.choice([0, 0, 1, 2]))
    if not first.prologue:
        for task in range(first.tasks):
            if rng.random() < 0.6:
                first.body.append(wait(word, rng.randint(0, 2), guard=("i", task)))
    if rng.random() < 0.4:
        first.body.append(signal(word, I, to=to))
    second = Role(tasks=3 if not first.body else rng.choice([1, 2, 3]), body=[signal(word, I, to=to)],
                  workgroups=rng.choice([0, 1, 2]))
    if rng.random() < 0.3:
        second.body.insert(0, wait(word, rng.randint(0, 2), guard=("i", 0), lag=rng.choice([0, 0, 1])))
    roles = [first, second]
    if rng.random() < 0.3:
        roles.append(Role(tasks=1, body=[signal(word, 2, to=to)], workgroups=rng.choice([0, 1])))
    p.kernels.append(roles)
    if rng.random() < 0.2:
        p.kernels.append([Role(tasks=1, body=[wait(word, rng.randint(0, 2))])])
    return p


ALL = [push_all, push_all, ring, ring, pull, pull, relayed, local, counted, counted, staged, reduced, two_kernels, chain, groups,
       starving, starving, once_per_workgroup]
