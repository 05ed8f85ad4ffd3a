#!/usr/bin/env python3
"""Replays the loop through rings of a generated kernel, as AMDGPU assembly, by the rules of the counters: replay.py [--each] kernel.hip kernel.s

Follows the instructions before the loop and several of its iterations, for waves that all execute the same; but copies to LDS may be to one slot for
half of the waves and to another for the rest, where a base is chosen from two before. Memory accesses of a wave complete in the
order in which vmcnt counts them, accesses to LDS in that of lgkmcnt; until a wait says so nothing has completed. A slot may be read when all that filled
it has landed and the waves have met behind that, and may be filled when all that read it has returned and the waves have met behind that: twice in a
loop whose halves of waves alternate (`by_slot_alternating`), as one of them is a meeting behind. Registers
may be touched when what fills them has returned, also by an exchange between lanes. Which slot an access is for follows from constants: those of the instruction, of m0, and
what is added to a base before. In an iteration every slot is filled with as many bytes as its tile has, once or several times, and no more accesses stand side by side than
the loop has for each matrix instruction, where the text has places and only multiplies: they are pinned. A softmax has places of its own before and behind it, where accesses
gather.

--each: also without each barrier and each wait of the loop, and with one access more left by each wait: every one has to be needed.
"""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "bench"))
from isa_count import blocks_of, dominators, fast_path, hot_loop, kernels

LANES, ITERATIONS = 64, 3
ELEMENT_BYTES = {"float": 4, "double": 8, "int": 4, "half": 2, "bf16": 2, "f16": 2}
ACCESS_BYTES = {"b128": 16, "dwordx4": 16, "b96": 12, "b64": 8, "dwordx2": 8, "b32": 4, "dword": 4, "b16": 2, "short": 2, "u16": 2, "b8": 1, "u8": 1,
                "byte": 1}
REGISTER = re.compile(r"\b([avs])(?:(\d+)\b|\[(\d+):(\d+)\])")


class Hazard(Exception):
    """What goes wrong, at an instruction."""


class Slot:
    """Bytes [begin, end) of LDS; what is done with them and not settled: accesses by what they still need."""

    def __init__(self, name, begin, end):
        self.name, self.begin, self.end = name, begin, end
        self.fills, self.reads, self.filled = [], [], 0


def element_bytes(name):
    name = name.split("::")[-1]
    return ELEMENT_BYTES.get(name) or (2 if "16" in name else 1)


def slots_of(text):
    """The slots of all rings of a text, and the threads of its workgroups."""
    tiles = {}
    for name, element, shape in re.findall(r"using (\w+) = tilec::Shared<([\w: ]+), tilec::Shape<([\d, ]+)>", text):
        size = element_bytes(element)
        for extent in shape.split(","):
            size *= int(extent)
        tiles[name] = size
    slots = []
    for ring, tile, count, first in re.findall(r"auto (\w+) = tilec::Ring<(\w+), (\d+), (\d+)>", text):
        for number in range(int(count)):
            begin = int(first) + number * tiles[tile]
            slots.append(Slot(f"{ring} {number}", begin, begin + tiles[tile]))
    return slots, int(re.search(r"__launch_bounds__\((\d+)\)", text).group(1))


def registers_of(operands):
    found = set()
    for kind, one, first, last in REGISTER.findall(operands):
        found.update((kind, number) for number in (range(int(first), int(last) + 1) if first else [int(one)]))
    return found


class Access:
    """One that is counted, with what it writes to registers."""

    def __init__(self, line, registers=()):
        self.line, self.registers, self.complete = line, set(registers), False


class Use:
    """Of a slot, by an access."""

    def __init__(self, access, slot, place):
        self.access, self.slot, self.place, self.line = access, slot, place, access.line
        self.met = 0  # times that the waves have, since it was complete


class Replay:
    def __init__(self, slots, threads):
        self.slots, self.threads = slots, threads
        self.needed = 1                  # meetings behind which an access is settled for all waves
        self.constants = {}              # register: (name of the rest, constant)
        self.apart = {}                  # name of the rest: constants, of which some waves add one and others another
        self.memory, self.lds = [], []   # what vmcnt and lgkmcnt count
        self.scalar_loads = False        # they return in any order
        self.pending = {}                # register: what fills it
        self.counts = {"reads": 0, "fills": 0, "meetings": 0}

    #--- numbers

    def constant_of(self, operand):
        operand = operand.strip()
        if re.fullmatch(r"-?\d+|0x[0-9a-f]+", operand):
            value = int(operand, 0)
            return None, value - (1 << 32) if value >= 1 << 31 else value
        return self.constants.get(operand, (operand, 0))

    def evaluate(self, opcode, operands):
        """A register that is another and a constant; anything else is a number of its own."""
        parts = [part.strip() for part in operands.split(",")]
        known = None
        if opcode in ("s_mov_b32", "v_mov_b32_e32"):
            known = self.constant_of(parts[1])
        elif opcode in ("s_add_i32", "s_add_u32", "v_add_u32_e32", "v_add_nc_u32_e32") and len(parts) == 3:
            a, b = self.constant_of(parts[1]), self.constant_of(parts[2])
            if a[0] is None or b[0] is None:
                known = (a[0] or b[0], a[1] + b[1])
        elif opcode == "s_addk_i32":
            a = self.constant_of(parts[0])
            known = (a[0], a[1] + int(parts[1], 0))
        elif opcode == "s_cselect_b32":
            a, b = self.constant_of(parts[1]), self.constant_of(parts[2])
            if a[0] == b[0] and a[1] != b[1]:
                known = (f"{a[0]}|{id(operands)}", 0)
                self.apart[known[0]] = (a[1], b[1])
        for kind, number in registers_of(parts[0]):
            self.constants[f"{kind}{number}"] = (f"{kind}{number}@{id(operands)}", 0)
        if parts[0] == "m0" or known:
            self.constants[parts[0]] = known or (parts[0], 0)

    def slots_at(self, base, offset):
        """Pairs of a slot, or None, and a place: one, or one for each group of waves."""
        name, constant = self.constant_of(base)
        for more in self.apart.get(name, (0,)):
            place = constant + more + offset
            yield next((slot for slot in self.slots if slot.begin <= place < slot.end), None), (name, place)

    def slot_at(self, base, offset):
        return next(self.slots_at(base, offset))

    #--- rules

    def read(self, use):
        self.counts["reads"] += 1
        for fill in use.slot.fills:
            why = "before waves have met" if fill.access.complete else "before it has landed"
            raise Hazard(f"reads {use.slot.name} {why}: {fill.line}")
        use.slot.reads.append(use)

    def fill(self, use, size):
        self.counts["fills"] += 1
        use.slot.filled += size * self.threads
        for read in use.slot.reads:
            why = "before waves have met" if read.access.complete else "before it has been read"
            raise Hazard(f"fills {use.slot.name} {why}: {read.line}")
        for fill in use.slot.fills:
            if fill.place == use.place:
                raise Hazard(f"fills {use.slot.name} again, which may still land: {fill.line}")
        use.slot.fills.append(use)

    def touch(self, operands):
        for register in registers_of(operands):
            if register in self.pending:
                raise Hazard(f"uses {register[0]}{register[1]} before it is there: {self.pending[register].line}")

    def complete(self, queue, left):
        while len(queue) > left:
            access = queue.pop(0)
            access.complete = True
            for register in access.registers:
                if self.pending.get(register) is access:
                    del self.pending[register]

    def issue(self, queue, access):
        queue.append(access)
        for register in access.registers:
            self.pending[register] = access

    def meet(self):
        self.counts["meetings"] += 1
        for slot in self.slots:
            for use in slot.fills + slot.reads:
                use.met += use.access.complete
            slot.fills = [fill for fill in slot.fills if fill.met < self.needed]
            slot.reads = [read for read in slot.reads if read.met < self.needed]

    #--- instructions

    def wait(self, operands):
        left = {name: int(count) for name, count in re.findall(r"(vmcnt|lgkmcnt)\((\d+)\)", operands)}
        if "vmcnt" in left:
            self.complete(self.memory, left["vmcnt"])
        if left.get("lgkmcnt") == 0 or ("lgkmcnt" in left and not self.scalar_loads):
            self.complete(self.lds, left["lgkmcnt"])
            self.scalar_loads = False

    def access_lds(self, line, opcode, operands):
        parts = [part.strip() for part in re.sub(r"\s+(offset|gds).*", "", operands).split(",")]
        offsets = [int(offset) for offset in re.findall(r"offset\d?:(\d+)", line)] or [0]
        if re.match("ds_(b?permute|swizzle)", opcode):  # between lanes
            return self.issue(self.lds, Access(line, registers=registers_of(parts[0])))
        reads = "read" in opcode or "load" in opcode
        size = next(size for name, size in ACCESS_BYTES.items() if name in opcode)
        step = size * (64 if "st64" in opcode else 1) if re.search("read2|write2", opcode) else 1
        access = Access(line, registers=registers_of(parts[0]) if reads else ())
        for offset in offsets + ([0] if step > 1 and len(offsets) == 1 else []):
            use = Use(access, *self.slot_at(parts[1] if reads else parts[0], offset * step))
            if use.slot:
                self.read(use) if reads else self.fill(use, size)
        self.issue(self.lds, access)

    def access_memory(self, line, opcode, operands):
        if not re.search(r"\blds\b", operands):
            loads = "_load" in opcode or ("_atomic" in opcode and re.search(r"\b(sc0|glc)\b", operands))
            return self.issue(self.memory, Access(line, registers=registers_of(operands.split(", ")[0]) if loads else ()))
        offset = re.search(r"offset:(\d+)", operands)
        access = Access(line)
        uses = [Use(access, *at) for at in self.slots_at("m0", int(offset.group(1)) if offset else 0)]
        for use in uses:
            if not use.slot:
                raise Hazard("copies to LDS that is no slot of a ring")
            self.fill(use, next(size for name, size in ACCESS_BYTES.items() if name in opcode) // len(uses))
        self.issue(self.memory, access)

    def step(self, line):
        opcode, _, operands = line.partition(" ")
        try:
            if opcode == "s_waitcnt":
                return self.wait(operands)
            self.touch(operands)
            if opcode == "s_barrier":
                self.meet()
            elif opcode.startswith("ds_"):
                self.access_lds(line, opcode, operands)
            elif re.match(r"(buffer|global|flat|scratch)_(load|store|atomic)", opcode):
                self.access_memory(line, opcode, operands)
            elif opcode.startswith("s_load"):
                self.scalar_loads = True
            elif not opcode.startswith(("v_mfma", "s_cbranch", "s_branch", "s_cmp")):
                self.evaluate(opcode, operands)
        except Hazard as hazard:
            raise Hazard(f"{line}\n  {hazard}")


def written(blocks, members):
    return {register for i in members for line in blocks[i].code for register in registers_of(line.partition(" ")[2].split(",")[0])}


def between(blocks, first, last):
    """Blocks on ways from one block to another that come to neither twice."""

    def reached(start, following):
        members, work = set(), [n for n in following[start] if n not in (first, last)]
        while work:
            node = work.pop()
            if node not in members:
                members.add(node)
                work += [n for n in following[node] if n not in (first, last)]
        return members

    before = [[] for _ in blocks]
    for i, block in enumerate(blocks):
        for target in block.next:
            before[target].append(i)
    return reached(first, [block.next for block in blocks]) & reached(last, before)


def prologue(blocks, head, members):
    """Pairs of what came to the loop on every way: the code of a block, and the registers that other ways to the next block write."""
    dominated = dominators(blocks)
    chain = sorted(dominated[head] - {head}, key=lambda i: len(dominated[i]))
    for block, following in zip(chain, chain[1:] + [head]):
        yield blocks[block].code, written(blocks, between(blocks, block, following) - members)


def spread(code):
    """The most accesses without a matrix instruction between them, and how many there are for each matrix instruction."""
    longest = run = accesses = 0
    for line in code + code:
        if line.startswith("v_mfma"):
            run = 0
        elif re.match(r"ds_|buffer_", line):
            run += 1
            accesses += 1
            longest = max(longest, run)
    return longest, -(-accesses // 2 // sum(line.startswith("v_mfma") for line in code))


def phases(code):
    """How often accesses follow matrix instructions in a loop."""
    kinds = "".join("m" if line.startswith("v_mfma") else "a" for line in code if re.match(r"v_mfma|ds_|buffer_", line))
    return len(re.findall("ma", kinds + kinds[:1]))


def replay(name, body, text):
    """A sentence on the loop of a kernel; a hazard ends the program."""
    blocks = blocks_of(body)
    head, members = hot_loop(blocks)
    code = fast_path(blocks, head, members)
    slots, threads = slots_of(text)
    machine = Replay(slots, threads)
    for lines, others in prologue(blocks, head, members):
        for line in lines:
            machine.step(line)
        for kind, number in others:
            machine.constants.pop(f"{kind}{number}", None)
    machine.counts = dict.fromkeys(machine.counts, 0)
    machine.needed = 2 if "by_slot_alternating" in text else 1
    for _ in range(ITERATIONS):
        for slot in slots:
            slot.filled = 0
        for line in code:
            machine.step(line)
        for slot in slots:
            # The compiler may have unrolled the loop once more.
            size = slot.end - slot.begin
            if not slot.filled or slot.filled % size:
                raise Hazard(f"an iteration fills {slot.name} with {slot.filled} bytes, expected {size} or several times as many")
    if machine.needed == 2:
        runs, meetings = phases(code), machine.counts["meetings"] // ITERATIONS
        if 2 * runs != meetings:
            raise Hazard(f"accesses stand in {runs} runs between products, expected one for two of {meetings} meetings: halves do not alternate")
    longest, share = spread(code)
    # A refill is two accesses, and a place may end where the next begins.
    most = 2 * (share + 1)
    kernel = next((part for part in text.split("__global__") if name in part.split("(")[0] + part[:400]), text)
    multiplies = "tilec::places(" in kernel and "tilec::reduce<" not in kernel
    if machine.needed == 1 and longest > most and multiplies:
        raise Hazard(f"{longest} accesses stand side by side, expected at most {most}: places are not pinned")
    counts = ", ".join(f"{count // ITERATIONS} {what}" for what, count in machine.counts.items())
    return f"{name}: {len(slots)} slots, {counts} an iteration, {longest} accesses side by side"


def weakened(line):
    """The instruction gone, and what it is when it waits for less."""
    if not line.startswith(("s_barrier", "s_waitcnt")):
        return
    yield ""
    for count in re.finditer(r"(vmcnt|lgkmcnt)\((\d+)\)", line):
        yield line[: count.start()] + line[count.end() :]
        yield f"{line[: count.start()]}{count.group(1)}({int(count.group(2)) + 1}){line[count.end() :]}"


def replay_each(name, body, text):
    """How many waits and barriers of the loop are needed; one that is not ends the program."""
    blocks = blocks_of(body)
    head, members = hot_loop(blocks)
    hot, needed = {line for i in members for line in blocks[i].code}, 0
    begin = next(at for at, raw in enumerate(body) if raw.startswith(f"{blocks[head].label}:"))
    end = max(at for at, raw in enumerate(body) if re.search(rf"s_cbranch\w*\s+{re.escape(blocks[head].label)}\b", raw))
    for at in range(begin, end):
        line = body[at].split(";")[0].strip()
        for weak in weakened(line) if line in hot else ():
            try:
                replay(name, body[:at] + ["\t" + weak] + body[at + 1 :], text)
            except Hazard:
                needed += 1
                continue
            raise Hazard(f"'{line}' may be '{weak}'")
    return f"{name}: {needed} waits and barriers weakened, each needed"


def main():
    each, (text, assembly) = "--each" in sys.argv, sys.argv[-2:]
    with open(text) as file:
        text = file.read()
    with open(assembly) as file:
        assembly = file.read()
    found = [(name, body) for name, body in kernels(assembly.splitlines()) if any("v_mfma" in line for line in body)]
    if not found or "tilec::Ring<" not in text:
        sys.exit("no kernel with matrix instructions and a ring")
    for name, body in found:
        try:
            print(replay(name, body, text))
            if each:
                print(replay_each(name, body, text))
        except Hazard as hazard:
            sys.exit(f"{name}: {hazard}")


if __name__ == "__main__":
    main()
