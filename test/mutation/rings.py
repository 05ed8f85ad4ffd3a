# What protects a ring of LDS, taken out, weakened, moved or exchanged, one piece at a time, in a program after `prepare`.
# Belongs here: what the mutants are. Does not: judging them (judges.py), the table (mutation.py).
import itertools
import re

from mutants import Mutant, without

NAME = r"%[\w]+"
ACTIVITIES = re.compile(rf"^(\s*hip\.(?:in_order|places) )((?:{NAME}(?:, )?)+)( : )\((.*)\)( -> .*)$")


def loops(lines):
    """Pairs of lines: where the branch of a ring begins and ends. Its prologue and what waits behind its steps are in it."""
    for at, line in enumerate(lines):
        if "hip.steps " not in line:
            continue
        begin = max(i for i in range(at) if re.match(r"\s*(?:%\S+ = )?scf\.if ", lines[i]) and indent(lines[i]) < indent(line))
        end = next(i for i in range(at, len(lines)) if re.match(r"\s*}", lines[i]) and indent(lines[i]) == indent(lines[begin]))
        yield begin, end


def indent(line):
    return len(line) - len(line.lstrip())


def definition(lines, name):
    """The line that defines a value; names are unique in a kernel's region, the last one before is meant."""
    return next(at for at in range(len(lines) - 1, -1, -1) if re.match(rf"\s*{re.escape(name)}(?::\d+)? = ", lines[at]))


class Ring:
    """The mutants of one ring: `begin` and `end` are the lines of its branch."""

    def __init__(self, lines, begin, end, name):
        self.lines, self.begin, self.end, self.name = lines, begin, end, name

    def mutant(self, what, place, lines):
        return Mutant("ring", what, f"{self.name}{place}", lines if isinstance(lines, str) else "\n".join(lines), None)

    def of(self, pattern):
        """Lines of the ring that hold an operation, in order, numbered from 1."""
        found = [at for at in range(self.begin, self.end) if re.match(rf"\s*(?:{NAME} = )?hip\.(?:{pattern}) ", self.lines[at])]
        return enumerate(found, 1)

    def mutants(self):
        yield from self.waits()
        yield from self.meetings()
        yield from self.numbers("slot", r"!hip\.ring<.*>, (\d+)>, index")
        yield from self.numbers("held_at", r"!hip\.held<.*, (\d+)>, index")
        yield from self.left_out()
        yield from self.exchanged()
        yield from self.counts()

    def waits(self):
        """Each counted wait: none, one access more in flight, behind its meeting."""
        for number, at in self.of("await_copies"):
            left = int(re.search(r"left = (\d+)", self.lines[at]).group(1))
            yield self.mutant("await", f"await {number}, {left} left", without(self.lines, at))
            weak = self.lines[at].replace(f"left = {left} ", f"left = {left + 1} ")
            yield self.mutant("await of one less", f"await {number}, {left} left", without(self.lines, at, weak))
            if "hip.meet " in self.lines[at + 1]:
                yield self.mutant("await behind its meeting", f"await {number}", self.swapped(at, at + 1))

    def touches_lds(self, at):
        """Whether a line makes accesses of which one is of LDS: what is fetched goes to registers."""
        match = ACTIVITIES.match(self.lines[at])
        made = match and [self.lines[definition(self.lines[:at], name)] for name in match.group(2).split(", ")]
        return bool(made) and not all("= hip.fetching " in line for line in made)

    def meetings(self):
        """Each meeting and barrier: none, and behind the accesses of LDS that it stands before. Products alone touch none."""
        for number, at in self.of("meet|barrier"):
            kind = "meeting" if "hip.meet " in self.lines[at] else "barrier"
            yield self.mutant(kind, f"{kind} {number}", without(self.lines, at))
            behind = next((i for i in range(at, self.end) if self.touches_lds(i)), None)
            if behind is not None and ("hip.in_order" in self.lines[behind] or ", " in ACTIVITIES.match(self.lines[behind]).group(2)):
                moved = self.lines[:at] + self.lines[at + 1 : behind + 1] + [self.lines[at]] + self.lines[behind + 1 :]
                yield self.mutant(f"{kind} behind what follows", f"{kind} {number}", moved)

    def swapped(self, a, b):
        lines = list(self.lines)
        lines[a], lines[b] = lines[b], lines[a]
        return lines

    def numbers(self, op, count):
        """The next slot of a ring, or tile of registers, in place of each."""
        what = {"slot": "slot shifted", "held_at": "registers shifted"}[op]
        for number, at in self.of(op):
            line = self.lines[at]
            whole, own = re.search(rf"hip\.{op} ({NAME}), ({NAME}) ", line).groups()
            several = re.search(count, line).group(1)
            space = " " * indent(line)
            shifted = [f"{space}%mutant_one = arith.constant 1 : index", f"{space}%mutant_all = arith.constant {several} : index",
                       f"{space}%mutant_next = arith.addi {own}, %mutant_one : index",
                       f"{space}%mutant_number = arith.remsi %mutant_next, %mutant_all : index"]
            changed = line.replace(f"hip.{op} {whole}, {own} ", f"hip.{op} {whole}, %mutant_number ")
            yield self.mutant(what, f"{op} {number} ({whole[1:]}, {own[1:]})", self.lines[:at] + shifted + [changed] + self.lines[at + 1 :])

    def lists(self):
        """Where activities stand: the line, its parts, the names in their order; of places the products come first."""
        for at in range(self.begin, self.end):
            match = ACTIVITIES.match(self.lines[at])
            if match:
                yield at, match, match.group(2).split(", ")

    def with_names(self, at, match, names):
        head, _, colon, kinds, rest = match.groups()
        kinds = ", ".join(["!hip.activity"] * len(names))
        return without(self.lines, at, f"{head}{', '.join(names)}{colon}({kinds}){rest}")

    def line_of(self, name):
        """Where a value of the ring is defined."""
        return definition(self.lines[: self.end], name)

    def halves(self, name):
        """The two copies of which each half of the waves makes one; empty for another activity."""
        found = re.search(rf"hip\.by_halves ({NAME}), ({NAME}) ", self.lines[self.line_of(name)])
        return list(found.groups()) if found else []

    def describe(self, name):
        line = self.lines[self.line_of(name)]
        kind, first = re.search(rf"hip\.(\w+) ({NAME})", line).groups()
        slot = re.search(rf"({NAME}), ({NAME}) :", self.lines[self.line_of(first)])
        return kind, f"{kind} {slot.group(1)[1:]}, {slot.group(2)[1:]}" if slot else f"{kind} {first[1:]}"

    def left_out(self):
        """Each access that nobody performs."""
        for at, match, names in self.lists():
            first = 1 if "hip.places" in match.group(1) else 0
            for i in range(first, len(names)):
                place = f", {i + 1} of {len(names)}"
                yield from self.half_left_out(names[i], place)
                kind, where = self.describe((self.halves(names[i]) or names[i : i + 1])[0])
                what = "copies of both halves left out" if self.halves(names[i]) else f"{kind} left out"
                if len(names) > first + 1:
                    yield self.mutant(what, where + place, self.with_names(at, match, names[:i] + names[i + 1 :]))

    def half_left_out(self, name, place):
        """The other copy by all waves, so that as many accesses as before are in flight."""
        for own, other in itertools.permutations(self.halves(name), 2):
            kind, where = self.describe(own)
            yield self.mutant(f"{kind} left out", where + place, without(self.lines, self.line_of(name), self.with_halves(name, other, other)))

    def with_halves(self, name, first, second):
        """The line that shares out two copies, with others."""
        return re.sub(rf"by_halves {NAME}, {NAME} ", f"by_halves {first}, {second} ", self.lines[self.line_of(name)])

    def exchanged(self):
        """Accesses whose order matters: a copy and the first that fills another slot, a fetch and its deposit."""
        for at, match, names in self.lists():
            if "hip.places" in match.group(1):
                continue
            about = [self.about(name) for name in names]
            for i, own in enumerate(about):
                other = next((j for j in range(i + 1, len(names)) if self.depends(own, about[j])), None)
                if other is None:
                    continue
                order = list(names)
                order[i], order[other] = order[other], order[i]
                place = f"{own[0]} {i + 1} and {about[other][0]} {other + 1} of {len(names)}"
                yield self.mutant("accesses exchanged", place, self.with_names(at, match, order))
                yield from self.halves_exchanged(at, names[i], names[other], place)

    def halves_exchanged(self, at, name, later, place):
        """What one half of the waves copies, exchanged with what it copies later; the other half's order stays. Both stand where all copies are defined."""
        for half, (own, other) in enumerate(zip(self.halves(name), self.halves(later))):
            pairs = [self.halves(name), self.halves(later)]
            pairs[0][half], pairs[1][half] = other, own
            places = [self.line_of(name), self.line_of(later)]
            moved = [self.with_halves(which, *pair) for which, pair in zip((name, later), pairs)]
            kept = [line for number, line in enumerate(self.lines[:at]) if number not in places]
            yield self.mutant("accesses exchanged", f"{place}, half {half + 1} of the waves", kept + moved + self.lines[at:])

    def about(self, name):
        """Kind, registers and slot number of an activity; of halves those of the first, as both fill one step's slots."""
        name = (self.halves(name) or [name])[0]
        line = self.lines[self.line_of(name)]
        kind, arguments = re.search(r"hip\.(\w+) (.*?) :", line).groups()
        arguments = arguments.split(", ")
        registers = {"fetching": 0, "depositing": 2, "refilling": 2}.get(kind)
        slot = {"copying": 0, "depositing": 0, "refilling": 0, "reading": 2}.get(kind)
        number = None
        if slot is not None:
            number = re.search(rf", ({NAME}) ", self.lines[self.line_of(arguments[slot])]).group(1)
        return kind, arguments[registers] if registers is not None else None, number

    @staticmethod
    def depends(own, other):
        if own[0] == other[0] == "copying":
            return own[2] != other[2]
        return own[1] is not None and own[1] == other[1]

    def counts(self):
        """One step more or less, and slots that the steps take turns with."""
        for number, at in self.of("steps"):
            line = self.lines[at]
            count, slots = re.search(rf"hip\.steps ({NAME}) slots (\d+)", line).groups()
            space = " " * indent(line)
            for word, op in (("more", "addi"), ("less", "subi")):
                added = [f"{space}%mutant_one = arith.constant 1 : index", f"{space}%mutant_count = arith.{op} {count}, %mutant_one : index"]
                changed = line.replace(f"hip.steps {count} ", "hip.steps %mutant_count ")
                yield self.mutant(f"one step {word}", f"steps {number}", self.lines[:at] + added + [changed] + self.lines[at + 1 :])
            for other in {int(slots) * 2, int(slots) // 2} - {1}:
                yield self.mutant(f"steps of {other} slots", f"steps {number}, {slots} slots",
                                  without(self.lines, at, line.replace(f"slots {slots}", f"slots {other}")))
        for at in range(self.begin, self.end):
            ahead = re.match(rf"(\s*)(%ahead\w*) = arith\.minsi ({NAME}), ({NAME})", self.lines[at])
            if not ahead:
                continue
            _, name, behind, _ = ahead.groups()
            # The step itself, or its bytes: then it is the step that is multiplied.
            place = definition(self.lines[:at], behind)
            scaled = re.match(rf"(\s*){re.escape(behind)} = arith\.muli ({NAME}), ", self.lines[place])
            if scaled:
                behind = scaled.group(2)
            else:
                place = at
            line, space = self.lines[place], " " * indent(self.lines[place])
            for word, op in (("late", "subi"), ("early", "addi")):
                added = [f"{space}%mutant_one = arith.constant 1 : index", f"{space}%mutant_step = arith.{op} {behind}, %mutant_one : index"]
                changed = line.replace(f"i {behind},", "i %mutant_step,")
                yield self.mutant(f"a tile one step too {word}", name[1:], self.lines[:place] + added + [changed] + self.lines[place + 1 :])


def mutants(program):
    """Each piece of each ring of a program after `prepare`."""
    lines = program.splitlines()
    found = list(loops(lines))
    for number, (begin, end) in enumerate(found, 1):
        yield from Ring(lines, begin, end, f"ring {number}, " if len(found) > 1 else "").mutants()
