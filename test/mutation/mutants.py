# One thing taken out at a time: of the kernel form, of the exit dialect with its text, of the device headers.
# Belongs here: what the mutants are. Does not: judging them (judges.py), the table (mutation.py).
import os
import re
from collections import namedtuple

# `what`: the kind; `place`: which one, as a reader finds it; `program`: MLIR text or None; `text`: HIP text or None.
Mutant = namedtuple("Mutant", "form what place program text")

WAIT = re.compile(r"^(\s*%\S+ = )tile\.wait\s+(agent|system)\s+(%\S+?)\[")
# What `waits` names the index of an earlier step.
EARLIER = "earlier_"
SIGNAL = re.compile(r"^\s*tile\.signal\s+(agent|system)\s+(%\S+?)\[")
ARRIVE = re.compile(r"^\s*%\S+, %\S+ = tile\.arrive\s+(?:by\s+wave\s+)?(%\S+?)\[.*?\] of (%\w+)")


def without(lines, at, replacement=None):
    return "\n".join(lines[:at] + ([] if replacement is None else [replacement]) + lines[at + 1 :])


def clause_mutants(line, word):
    """The line without one of the tokens behind `word`, for each of them."""
    match = re.search(rf" {word} ((?:%[\w#]+(?:, )?)+)(?= )", line)
    if not match:
        return
    tokens = match.group(1).split(", ")
    for i, token in enumerate(tokens):
        rest = tokens[:i] + tokens[i + 1 :]
        clause = f" {word} {', '.join(rest)}" if rest else ""
        yield token, line[: match.start()] + clause + line[match.end() :]


def constant(lines, name):
    """The last one of this name above: names are those of their regions."""
    return next(int(match.group(1)) for line in reversed(lines) if (match := re.match(rf"\s*{name} = arith\.constant (\d+) : index", line)))


def kernel_form(program):
    """Each wait, signal, published token and token use, and each scope `system`, of a program in kernel form."""
    lines = program.splitlines()
    numbers = {}

    def place(kind, name):
        numbers[kind, name] = numbers.get((kind, name), 0) + 1
        count = numbers[kind, name]
        return name.lstrip("%") + (f" ({count})" if count > 1 else "")

    def mutant(what, where, at, replacement=None):
        return Mutant("kernel form", what, where, without(lines, at, replacement), None)

    for at, line in enumerate(lines):
        wait, signal = WAIT.match(line), SIGNAL.match(line)
        if wait:
            where = place("wait", wait.group(3))
            yield mutant("wait", where, at, wait.group(1) + "tile.join()")
        if signal:
            where = place("signal", signal.group(2))
            yield mutant("signal", where, at)
            for token, changed in clause_mutants(line, "publishes"):
                yield mutant("published token", f"{token} of {where}", at, changed)
        arrive = ARRIVE.match(line)
        if arrive:
            where = place("arrival", arrive.group(1))
            fewer = f"%fewer = arith.constant {constant(lines, arrive.group(2)) - 1} : index\n"
            yield mutant("arrival", where + ", of one less", at, fewer + line.replace(f"of {arrive.group(2)}", "of %fewer"))
            for token, changed in clause_mutants(line, "publishes"):
                yield mutant("published token", f"{token} of {where}", at, changed)
        if (wait or signal) and (wait or signal).group(0).find("system") >= 0:
            kind = "release" if signal else "acquire"
            yield mutant(f"{kind} at system", where, at, line.replace(" system ", " agent ", 1))
        if re.search(r"tile\.(load|store|atomic) ", line):
            buffer = re.search(r"(tile\.\w+) (?:%\w+, )?(%\w+)", line)
            for token, changed in clause_mutants(line, "after"):
                where = place("use", f"{buffer.group(1)[5:]} of {buffer.group(2).lstrip('%')} after {token}")
                yield mutant("token of an access", where, at, changed)


# The operations of the exit dialect, and what the printer makes of each.
CALLS = {"barrier": r"tilec::barrier(<\d+>)?\(\)", "wait": "tilec::wait<", "signal": "tilec::signal<",
         "publish": "tilec::publish<", "set": "tilec::set<", "last": "tilec::last<", "mark": r"tilec::mark\(",
         "begin_copies": r"tilec::begin_copies\(", "count": "tilec::count<", "take_counted": r"tilec::take_counted\(",
         "tally": "tilec::tally<", "wait_tally": "tilec::wait_tally<", "join_tally": r"tilec::join_tally\(", "renew_tally": r"tilec::renew_tally\("}
# Of kernels whose producer fills slots for the other waves too.
PRODUCER_CALLS = CALLS | {
    "fence_async": r"tilec::fence_async(_global)?\(\)", "await_empty": "tilec::await_empty<", "await_full": "tilec::await_full<",
    "release_step": r"tilec::release_step\(", "meet_pair": r"tilec::meet_pair\(", "end_pair": "tilec::end_pair<",
    "await_stores": "tilec::await_stores<"}


def operations(program, kind):
    pattern = re.compile(r"^\s*hip\.group +last " if kind == "last" else rf"^\s*(?:%\S+ = )?hip\.{kind} ")
    return [at for at, line in enumerate(program.splitlines()) if pattern.match(line)]


def calls(text, pattern):
    return [at for at, line in enumerate(text.splitlines()) if re.search(pattern, line.split("//")[0])]


def removed_call(line):
    """The statement replaced by an empty one, since it may be the whole body of a loop."""
    return re.sub(r"tilec::(barrier|wait|signal|publish|set|mark|begin_copies|count|take_counted|fence_async|await_empty|await_full|release_step|meet_pair|end_pair|await_stores|tally|wait_tally|join_tally|renew_tally)(?![a-z]).*;", ";", line)


def place_of(line, kind, number):
    """Which one it is, with the grid of signals, and whose: `wave` of a producer, consumers alone where nothing is said."""
    grid = re.search(r"tilec::(?:(?:wait|signal|set|count|tally|wait_tally)<[^(]*>|(?:join|renew)_tally)\(launch, (\w+)", line)
    by = ", by wave" if "tilec::wave>" in line else ""
    return f"{kind} {number}" + (f" ({grid.group(1)}{by})" if grid else "")


def exit_dialect(program, text, kinds=CALLS):
    """Each operation of a kind, and each scope `system`, of a program after `prepare` and of its text."""
    lines, printed = program.splitlines(), text.splitlines()
    for kind, pattern in kinds.items():
        ops, places = operations(program, kind), calls(text, pattern)
        assert len(ops) == len(places), f"{len(ops)} operations hip.{kind}, {len(places)} calls of it"
        for number, (op, at) in enumerate(zip(ops, places), 1):
            where = place_of(printed[at], kind, number)
            if kind != "last":
                yield Mutant("exit dialect", kind, where, without(lines, op), without(printed, at, removed_call(printed[at])))
            narrowed = re.sub(r"(scope |releases +)system", r"\1agent", lines[op])
            if narrowed != lines[op]:
                keyword = {"wait": "acquire", "set": "flag"}.get(kind, "release") + " at system"
                narrow = printed[at].replace("<tilec::system", "<tilec::agent")
                assert narrow != printed[at], printed[at]
                yield Mutant("exit dialect", keyword, where,
                             without(lines, op, narrowed),
                             without(printed, at, narrow))


def arrivals(program, text):
    """Each arrival of a program after `prepare` and of its text, of one task less."""
    lines, printed = program.splitlines(), text.splitlines()
    ops, places = operations(program, "arrive"), calls(text, "tilec::arrive<")
    assert len(ops) == len(places), f"{len(ops)} operations hip.arrive, {len(places)} calls of it"
    for number, (op, at) in enumerate(zip(ops, places), 1):
        count = re.search(r", (%\w+) \{", lines[op]).group(1)
        fewer = constant(lines, count) - 1
        yield Mutant("exit dialect", "arrival", f"arrival {number}, of one less",
                     without(lines, op, f"%fewer = arith.constant {fewer} : index\n" + lines[op].replace(f", {count} {{", ", %fewer {")),
                     without(printed, at, printed[at].replace(f", {fewer + 1})", f", {fewer})")))


def between_steps(program, exit_form, text):
    """Each wait of a loop of steps for an earlier step."""
    yield from (mutant for mutant in kernel_form(program) if mutant.what == "wait" and EARLIER in lost(program, mutant.program))
    yield from (mutant for mutant in exit_dialect(exit_form, text, {"wait": CALLS["wait"]})
                if mutant.what == "wait" and EARLIER in lost(text, mutant.text))


def lost(whole, mutant):
    """The first line in which a mutant differs."""
    return next(line for line, other in zip(whole.splitlines(), mutant.splitlines()) if line != other)


# Of a function of the headers: what is lost, the file, the function's head, and the statement that goes.
Header = namedtuple("Header", "what file function statement replacement")


def header(what, file, function, statement, replacement=";"):
    return Header(what, file, function, statement, replacement)


HEADERS = [
    header("publish: drain of each thread's stores", "signal.h", "void publish(", "target::drain();"),
    header("publish: barrier of the workgroup", "signal.h", "void publish(", "detail::meet_participants<P>();"),
    header("publish: release", "signal.h", "void publish(", "target::release<S>();"),
    header("set: the flag", "signal.h", "void set(", "target::store_relaxed<S>(grid.word_in(target::load_constant(areas + to), index), launch.epoch);"),
    header("wait: the poll", "signal.h", "void wait(", "if (!detail::poll<S>(launch, grid, index, wanted, signals, until))\n        break;"),
    header("wait: acquire", "signal.h", "void wait(", "target::acquire_looks<S>();"),
    header("wait: barrier of the workgroup", "signal.h", "void wait(", "detail::meet_participants<P>();"),
    header("arrive: what is published", "signal.h", "bool arrive(", "publish<S, P>();", "detail::meet_participants<P>();"),
    header("arrive: the count begins again", "signal.h", "bool arrive(", "target::store_relaxed<S>(word, 0u);", ";"),
    header("arrive: acquire", "signal.h", "bool arrive(", "target::acquire<S>();"),
    header("arrive: barrier behind the answer", "signal.h", "bool arrive(", "  detail::meet_participants<P>();\n  return", "  return"),
    header("tally: drain of each thread's stores", "tally.h", "void tally(", "target::drain();"),
    header("tally: barrier of the workgroup", "tally.h", "void tally(", "detail::meet_participants<P>();"),
    header("tally: handing on to the chiplet", "tally.h", "void count_stored(", "target::release_to_chiplet();"),
    header("tally: taking over from the chiplet", "tally.h", "void count_stored(", "target::acquire_of_chiplet();"),
    header("tally: release", "tally.h", "void count_stored(", "target::release<S>();"),
    header("tally: the count of what is released", "tally.h", "void count_stored(", "target::add_relaxed<agent>(tally.told(), stored - released);", ";"),
    header("wait_tally: the poll", "tally.h", "void wait_tally(", "if (target::lane() == 0)", "if (false)"),
    header("wait_tally: acquire", "tally.h", "void wait_tally(", "target::acquire_looks<S>();"),
    header("wait_tally: barrier of the workgroup", "tally.h", "void wait_tally(", "  detail::meet_participants<P>();\n}", "}"),
    header("join_tally: the count", "tally.h", "void join_tally(", "target::add_relaxed<agent>(detail::Tally(launch, grid, launch.epoch).stored(target::chiplet()), 1ull << 32);", ";"),
    header("renew_tally: the words of the next launch", "tally.h", "void renew_tally(", "target::store_relaxed<agent>((unsigned long long *)(next.words + word * (long long)signal_stride), 0ull);", ";"),
    header("last: drain of each thread's stores", "launch.h", "bool last(", "target::drain();"),
    header("last: barrier before the count", "launch.h", "bool last(", "target::barrier();"),
    header("last: release", "launch.h", "bool last(", "target::release<scope>();"),
    header("last: acquire", "launch.h", "bool last(", "target::acquire<agent>();"),
    header("last: barrier behind the answer", "launch.h", "bool last(", "  target::barrier();\n  return", "  return"),
    header("next: barrier before the ticket", "launch.h", "int next(", "target::barrier();"),
    header("next: barrier behind the ticket", "launch.h", "int next(", "  target::barrier();\n  return", "  return"),
    header("enter: barrier", "launch.h", "Launch enter(", "target::barrier();"),
    header("leave: tickets start again", "launch.h", "void leave(", "target::store_relaxed<agent>(&state->tickets[thread], 0);", ";"),
    header("leave: the epoch advances", "launch.h", "void leave(", "detail::make_ready(state, launch.epoch - !advance);", ";"),
    header("next: tickets start again", "launch.h", "void count_drawn(", "target::store_relaxed<agent>(&state->tickets[queue], 0);", ";"),
    header("next: the epoch advances", "launch.h", "void count_drawn(", "make_ready(state, launch.epoch - !launch.advance);", ";"),
    header("reduce: barrier before the first write", "reduce.h", "reduce(Tile<T, S> tile, Scratch scratch)", "target::barrier();"),
    header("reduce: barrier before the first read", "reduce.h", "reduce(Tile<T, S> tile, Scratch scratch)", "    target::barrier();\n    const int mine", "    const int mine"),
    header("AMD release: write-back at system", "amd/machine.h", "void release()", '__builtin_amdgcn_fence(__ATOMIC_RELEASE, "");', ";"),
    header("AMD release: write-back at agent", "amd/machine.h", "void release()", '__builtin_amdgcn_fence(__ATOMIC_RELEASE, "agent");', ";"),
    header("AMD release: second drain", "amd/machine.h", "void release()", "drain();"),
    header("AMD drain", "amd/machine.h", "void drain()", 'asm volatile("s_waitcnt vmcnt(0)" ::: "memory");'),
    header("AMD acquire: invalidation at system", "amd/machine.h", "void acquire()", '__builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "");', ";"),
    header("AMD acquire: invalidation at agent", "amd/machine.h", "void acquire()", '__builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "agent");', ";"),
    header("AMD barrier: release before", "amd/machine.h", "void barrier()", '__builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");'),
    header("AMD barrier", "amd/machine.h", "void barrier()", "__builtin_amdgcn_s_barrier();"),
    header("AMD barrier: acquire behind", "amd/machine.h", "void barrier()", '__builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");'),
    header("AMD flag: store past the caches", "amd/machine.h", "void store_relaxed(", "__hip_atomic_store((global<T> *)to, value, __ATOMIC_RELAXED, hip_scope<S>);", "*(global<T> *)to = value;"),
    header("AMD poll: load past the caches", "amd/machine.h", "T load_relaxed(", "return __hip_atomic_load((const global<T> *)from, __ATOMIC_RELAXED, hip_scope<S>);", "return *(const global<T> *)from;"),
]


def mutate_header(root, mutant):
    """The file without the statement: its first occurrence behind the head of the function."""
    with open(os.path.join(root, "runtime/include/tilec", mutant.file)) as file:
        content = file.read()
    head = content.find(mutant.function)
    at = content.find(mutant.statement, head)
    if min(head, at) < 0:
        raise RuntimeError(f"{mutant.what}: {mutant.file} has no longer {mutant.function if head < 0 else mutant.statement}")
    return content[:at] + mutant.replacement + content[at + len(mutant.statement) :]
