# docs/mutants.md: every mutant, what the checkers and what the emulator say of it.
# Belongs here: the page's rows and numbers, and which survivors are no failure. Does not: how one is judged (judges.py).
import collections
import difflib
import os
import re
import sys

import mutants
from judges import SEEDS, Judges, checkers
from programs import (COLUMN_SUMS, EMULATED, HEADER_PROGRAMS, PRODUCER_PROGRAMS, PROGRAMS, RING_PROGRAMS, STEP_PROGRAMS, Subject, emulator, key_of,
                      lines_of, listed)

PAGE = "docs/mutants.md"
# Which tests of the instructions look at a header.
DEVICE_TESTS = ["signal.hip", "barrier.hip"]
# A row of the table; of rings there is one for each program and kind, with numbers of verdicts; of headers one for each copy.
Row = collections.namedtuple("Row", "program form what place checkers emulator")
RingRow = collections.namedtuple("RingRow", "program what count checkers emulator")
HeaderRow = collections.namedtuple("HeaderRow", "what file emulator instructions")
Table = collections.namedtuple("Table", "rows rings unseen headers")
NOT_RUN, ABSENT = "not run", "-"


def cells(row):
    return "| " + " | ".join(map(str, row)) + " |"


def split(line):
    return [cell.strip() for cell in line.strip("|\n ").split(" | ")]


def counted(verdicts):
    return ", ".join(f"{number} {verdict}" for verdict, number in verdicts.items())


def uncounted(text):
    """The numbers of verdicts of a row of rings."""
    return collections.Counter({verdict: int(number) for number, verdict in re.findall(r"(\d+) ([^,]+)", text)})


def facts_of(checked, emulated, prefix=""):
    """The page's numbers, from how many mutants have which verdict."""
    total, run = checked.total(), emulated.total() - emulated[NOT_RUN] - emulated[ABSENT]
    return {prefix + name: value for name, value in {
        "mutants": total,
        "checked": total - checked["accepted"] - checked["redundant"],
        "redundant": checked["redundant"],
        "run": run,
        "same": emulated["same text"],
        "emulated": run - emulated["same text"] - emulated["accepted"],
    }.items()}


def verdicts(rows, column):
    return collections.Counter(getattr(row, column).split(",")[0] for row in rows)


def total(counters):
    return sum(counters, collections.Counter())


def caught(row):
    return any(verdict not in ("accepted", "not compiled there", NOT_RUN) for verdict in row[2:])


def render(root, table, race):
    with open(os.path.join(root, "test/mutation/mutants.md.in")) as file:
        page = file.read()
    facts = facts_of(verdicts(table.rows, "checkers"), verdicts(table.rows, "emulator"))
    facts |= facts_of(total(row.checkers for row in table.rings), total(row.emulator for row in table.rings), "ring_")
    shown = [row._replace(checkers=counted(row.checkers), emulator=counted(row.emulator)) for row in table.rings]
    return page.format(
        **facts, programs=len(PROGRAMS), step_programs=len(STEP_PROGRAMS), producer_programs=len(PRODUCER_PROGRAMS), ring_programs=len(RING_PROGRAMS),
        seeds=SEEDS, race="the race check from the fourth seed on" if race else "without the race check",
        kernel=sum(row.form == "kernel form" for row in table.rows), exit=sum(row.form != "kernel form" for row in table.rows),
        absent=sum(row.emulator == ABSENT for row in table.rows), not_run=sum(row.emulator == NOT_RUN for row in table.rows),
        ring_not_run=total(row.emulator for row in table.rings)[NOT_RUN],
        unseen=sum(row.emulator == "accepted" and row.checkers != "redundant" for row in table.rows), ring_unseen=len(table.unseen),
        headers=len(table.headers), headers_caught=sum(map(caught, table.headers)), headers_not_run=sum(NOT_RUN in row for row in table.headers),
        table="\n".join(map(cells, table.rows)), ring_table="\n".join(map(cells, shown)), ring_unseen_table="\n".join(map(cells, table.unseen)),
        header_table="\n".join(map(cells, table.headers)), uncaught="\n".join(f"- *{what}*: {why}" for what, why in lines_of(root, "uncaught.txt")))


def ring_rows(rows):
    kinds = {}
    for row in rows:
        kinds.setdefault((row.program, row.what), []).append(row)
    return [RingRow(*key, len(found), verdicts(found, "checkers"), verdicts(found, "emulator")) for key, found in kinds.items()]


def header_rows(judges, programs, root):
    by_name = {subject.name: subject for subject in programs}
    chosen = [by_name[name] for name in HEADER_PROGRAMS] + [Subject(judges, root, *COLUMN_SUMS)]
    for mutant in mutants.HEADERS:
        content = mutants.mutate_header(root, mutant)

        def judge(copy):
            on_host = "not compiled there" if mutant.file.startswith("amd/") else first_failure(judges, callers_first(chosen, mutant), copy)
            isa = judges.instructions(copy, DEVICE_TESTS)
            return on_host, judges.fences(copy, by_name["04 sequential-pull"].text) if isa == "accepted" else isa

        answer = judges.remembered(["header", mutant.what, content, str(judges.race)],
                                   lambda: "\t".join(judges.with_headers(mutant.file, content, judge)))
        row = HeaderRow(mutant.what, f"`{mutant.file}`", *(answer.split("\t") if answer != NOT_RUN else (NOT_RUN, NOT_RUN)))
        print(cells(row), file=sys.stderr, flush=True)
        yield row


def callers_first(chosen, mutant):
    """Those first whose text calls the function, as the others take all seeds to say nothing of it."""
    return sorted(chosen, key=lambda subject: f"tilec::{mutant.what.split(':')[0]}" not in subject.text)


def first_failure(judges, chosen, copy):
    """What the first of some programs that fails with other headers does, and which."""
    environment = {"TILEC_RUNTIME": os.path.join(copy, "runtime"), "TILEC_CACHE": os.path.join(copy, "cache")}
    os.makedirs(environment["TILEC_CACHE"], exist_ok=True)
    fresh = Judges.__new__(Judges)
    fresh.__dict__.update(judges.__dict__, cache=None, end=None)
    for subject in chosen:
        verdict = fresh.emulate(subject.kernel_form, subject.text, environment=environment)
        if verdict != "accepted":
            return f"{verdict}, {subject.name}"
    return "accepted"


def warm(judges, programs):
    """The emulator on what matters most first, for a table that is cut off: removals, then scopes."""
    for kinds in (("barrier", "wait", "await", "meeting"), ("signal", "of one less", "what follows"), ("at system",)):
        for subject in programs:
            for mutant in subject.mutants() if subject.part != "protocol" else mutants.exit_dialect(subject.exit, subject.text):
                if mutant.what.endswith(kinds):
                    print(subject.name, mutant.what, mutant.place, emulator(judges, subject, mutant), file=sys.stderr, flush=True)


def judged(judges, programs, known):
    """A row of each mutant; what is for the checkers alone does not run."""
    for subject in programs:
        runs = subject.part in EMULATED
        # Longer runs of the programs themselves are the business of other tests.
        unchanged = judges.emulate(subject.kernel_form, subject.text, range(1, 4), options=subject.running) if runs else "accepted"
        if unchanged not in ("accepted", NOT_RUN):
            sys.exit(f"{subject.name} unchanged: {unchanged}")
        for mutant in subject.mutants():
            verdict = "redundant" if key_of(subject, mutant) in known else checkers(judges, mutant)
            row = Row(*key_of(subject, mutant), verdict, emulator(judges, subject, mutant) if runs else ABSENT)
            print(cells(row), file=sys.stderr, flush=True)
            yield row


def survivors(root, rows, headers):
    """What fails the table: a survivor that no list names, and a name in a list that is shown or gone."""
    redundant, unshown, uncaught = listed(root, "redundant.txt"), listed(root, "unshown.txt"), {what for what, _ in lines_of(root, "uncaught.txt")}
    for row in rows:
        if row.checkers == "accepted":
            yield "accepted by the checkers: " + cells(row)
        if row.emulator == "accepted" and row[:4] not in redundant | unshown:
            yield "not shown by the emulator: " + cells(row)
        if row.emulator not in ("accepted", NOT_RUN) and row[:4] in unshown:
            yield "listed in unshown.txt, but shown: " + cells(row)
    for row in headers:
        if NOT_RUN not in row and caught(row) == (row.what in uncaught):
            yield ("listed in uncaught.txt, but caught: " if caught(row) else "not caught: ") + cells(row)
    gone = (redundant | unshown) - {row[:4] for row in rows} | {(what,) for what in uncaught - {row.what for row in headers}}
    yield from ("listed, but gone: " + cells(key) for key in sorted(gone))


def write(judges, programs, root):
    warm(judges, [subject for subject in programs if subject.part in EMULATED])
    rows = list(judged(judges, programs, listed(root, "redundant.txt")))
    headers = list(header_rows(judges, programs, root))
    rings = [row for row in rows if row.form == "ring"]
    unseen = [(row.program, row.what, row.place, row.checkers) for row in rings if row.emulator == "accepted" and row.checkers != "redundant"]
    print(render(root, Table([row for row in rows if row.form != "ring"], ring_rows(rings), unseen, headers), judges.race), end="")
    wrong = list(survivors(root, rows, headers))
    print("".join(line + "\n" for line in wrong) + f"{len(rows)} mutants, {len(headers)} headers, {len(wrong)} wrong", file=sys.stderr)
    return not wrong


def read(page):
    """The rows of a page: `Table` of what has verdicts in it, by name."""
    lines = [split(line) for line in page.splitlines() if re.match(r"\| (?!program \||without \|)", line)]
    return Table({tuple(line[:4]): Row(*line) for line in lines if len(line) == 6},
                 {tuple(line[:3]): RingRow(*line[:2], int(line[2]), *map(uncounted, line[3:])) for line in lines if len(line) == 5},
                 [tuple(line) for line in lines if len(line) == 4 and not line[1].startswith("`")],
                 {tuple(line[:2]): HeaderRow(*line) for line in lines if len(line) == 4 and line[1].startswith("`")})


def of_today(old, programs):
    """Today's mutants with the verdicts that a page has; `?` where it has none."""
    keys = [key_of(subject, mutant) for subject in programs for mutant in subject.mutants()]
    rows = [old.rows.get(key, Row(*key, "?", "?")) for key in keys if key[1] != "ring"]
    kinds = collections.Counter((key[0], key[2]) for key in keys if key[1] == "ring")
    rings = [old.rings.get((*key, str(number))) or RingRow(*key, number, collections.Counter({"?": number}), collections.Counter({"?": number}))
             for key, number in kinds.items()]
    places = {(key[0], key[2], key[3]) for key in keys if key[1] == "ring"}
    headers = [(mutant.what, f"`{mutant.file}`") for mutant in mutants.HEADERS]
    return Table(rows, rings, [row for row in old.unseen if row[:3] in places],
                 [old.headers.get(key) or HeaderRow(*key, "?", "?") for key in headers])


def compare(judges, programs, root):
    """Whether the page is what `table` would print if every verdict stayed, and what goes out of the headers is still there."""
    for mutant in mutants.HEADERS:
        mutants.mutate_header(root, mutant)
    with open(os.path.join(root, PAGE)) as file:
        page = file.read()
    today = render(root, of_today(read(page), programs), judges.race)
    changed = list(difflib.unified_diff(page.splitlines(), today.splitlines(), PAGE, "today", lineterm="", n=0))
    for line in changed[:60]:
        print(line)
    if changed:
        print(f"{PAGE} is stale: {len(changed)} lines of difference; mutation.py table prints it anew, with --minutes 0 in a minute, without what the emulator says")
    return not changed
