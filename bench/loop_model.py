#!/usr/bin/env python3
"""A compute unit that runs the hot loops of AMDGPU assembly: the fraction of matrix peak that is reached.

A small model, which ranks loops and predicts no times: waves issue in order, each SIMD has one matrix unit, the compute
unit one LDS and one path to memory with a fixed latency; there are no caches and no other workgroups' traffic. Every
SIMD issues one instruction of a kind every four clocks, of the wave with the highest priority that can. Cycles of matrix
instructions are those of the target file.

    bench/loop_model.py kernel.s [--workgroups 1 | --resident 32768] [--latency 600] [--lds-read-rate 128] [--alternating]
"""
import argparse
import json
import pathlib
import re

import isa_count

TARGETS = pathlib.Path(__file__).resolve().parent.parent / "codegen" / "targets"
ISSUE = 4            # clocks between instructions of one kind on a SIMD
LDS_RATE = 128       # bytes a clock
LDS_LATENCY = 64     # clocks
MEMORY_RATE = 64     # bytes a clock and compute unit, to the first cache
STORE_LATENCY = 200  # clocks
BARRIER = 16         # clocks after the last wave has come
QUEUE = 128          # clocks of work that a unit takes before waves have to wait
LANES = 64
WIDTHS = {"dwordx4": 16, "dwordx3": 12, "dwordx2": 8, "b128": 16, "b96": 12, "b64": 8, "dword": 4, "b32": 4, "short": 2, "b16": 2,
          "u16": 2, "byte": 1, "b8": 1, "u8": 1}


def bytes_of(opcode):
    width = next((size for name, size in WIDTHS.items() if name in opcode), 4)
    return LANES * width * (2 if re.search(r"read2|write2", opcode) else 1)


def matrix_cycles(opcode, cycles):
    m, n, k = map(int, re.search(r"(\d+)x(\d+)x(\d+)", opcode).groups())
    wide = re.search(r"x\d+_?(f32|f64)$", opcode.removesuffix("_e64"))
    kind = wide.group(1) if wide else "f8" if "fp8" in opcode or "bf8" in opcode or "f8f6f4" in opcode else "i8" if "i8" in opcode else "f16"
    return cycles[m, n, k, kind]


def cycles_of(target):
    """Clocks of the target's matrix instructions by shape and kind of operand."""
    table = {}
    for instruction in target["matrix"]:
        for operand in instruction["operands"]:
            kind = "f8" if operand.startswith("f8") else "i8" if operand == "i8" else "f16" if "16" in operand else operand
            table[instruction["m"], instruction["n"], instruction["k"], kind] = instruction["cycles"]
    return table


def decode(line, cycles):
    """An instruction as (unit, what the unit needs to know); None where it costs nothing."""
    opcode, _, operands = line.partition(" ")
    if opcode.startswith(("v_mfma", "v_smfmac")):
        return "matrix", matrix_cycles(opcode, cycles)
    if opcode.startswith("ds_"):
        return "lds", (bytes_of(opcode), "read" in opcode or "load" in opcode)
    if re.match(r"(buffer|global|flat|scratch)_(load|store)", opcode):
        kind = "store" if "_store" in opcode else "copy" if re.search(r"\blds\b", operands) else "load"
        return "memory", (bytes_of(opcode), kind)
    if opcode == "s_waitcnt":
        left = {name: int(count) for name, count in re.findall(r"(vmcnt|lgkmcnt)\((\d+)\)", operands)}
        return "wait", (left.get("vmcnt", 1 << 30), left.get("lgkmcnt", 1 << 30))
    if opcode == "s_barrier":
        return "barrier", None
    if opcode == "s_nop":
        return "idle", ISSUE * (int(operands, 0) + 1)
    if opcode == "s_setprio":
        return "priority", int(operands, 0)
    return ("vector", None) if opcode.startswith("v_") else ("scalar", None)


class Wave:
    def __init__(self, group, simd):
        self.group, self.simd = group, simd
        self.at = self.passes = 0
        self.ready = 0.0
        self.memory, self.lds = [], []  # when accesses that were issued complete
        self.met = 0                    # barriers it has come to
        self.waits = False
        self.priority = 0
        self.ends = []                  # of its iterations


class Unit:
    """One compute unit. `step` lets each SIMD issue what it can at a clock."""

    def __init__(self, code, waves, workgroups, latency, read_rate, alternating=False):
        self.code, self.latency, self.read_rate = code, latency, read_rate
        self.waves = [Wave(group, (number + group) % 4) for group in range(workgroups) for number in range(waves)]
        if alternating:  # the second half meets once more before the loop
            for number, wave in enumerate(self.waves):
                wave.at = -1 if number % waves >= waves // 2 else 0
        self.matrix_free = [0.0] * 4
        self.lds_free = self.memory_free = 0.0

    def issue(self, wave, now, used):
        unit, what = self.code[wave.at] if wave.at >= 0 else ("barrier", None)
        if unit in used and unit != "wait":
            return False
        if unit == "matrix":
            if self.matrix_free[wave.simd] > now or "vector" in used:
                return False
            self.matrix_free[wave.simd] = now + what
            used.add("vector")
        elif unit == "vector" and "matrix" in used:
            return False
        elif unit == "lds":
            if self.lds_free > now + QUEUE:
                return False
            size, reads = what
            self.lds_free = max(self.lds_free, now) + size / (self.read_rate if reads else LDS_RATE)
            wave.lds.append(self.lds_free + LDS_LATENCY)
        elif unit == "memory":
            if self.memory_free > now + QUEUE:
                return False
            size, kind = what
            self.memory_free = max(self.memory_free, now) + size / MEMORY_RATE
            wave.memory.append(self.memory_free + (STORE_LATENCY if kind == "store" else self.latency))
            if kind == "copy":
                self.lds_free = max(self.lds_free, now) + size / LDS_RATE
        elif unit == "wait":
            for pending, left in ((wave.memory, what[0]), (wave.lds, what[1])):
                if any(done > now for done in pending[: max(0, len(pending) - left)]):
                    return False
            wave.memory = [done for done in wave.memory if done > now]
            wave.lds = [done for done in wave.lds if done > now]
        elif unit == "barrier":
            if not wave.waits:
                wave.met, wave.waits = wave.met + 1, True
            if any(other.met < wave.met for other in self.waves if other.group == wave.group):
                return False
            wave.waits = False
            wave.ready = now + BARRIER
        elif unit == "idle":
            wave.ready = now + what
        elif unit == "priority":
            wave.priority = what
            unit = "scalar"
        used.add(unit)
        return True

    def step(self, now, turn):
        for simd in range(4):
            used = set()
            mine = [wave for wave in self.waves if wave.simd == simd]
            in_turn = [mine[(turn + offset) % len(mine)] for offset in range(len(mine))]
            for wave in sorted(in_turn, key=lambda wave: -wave.priority):
                if wave.ready > now or not self.issue(wave, now, used):
                    continue
                wave.ready = max(wave.ready, now + ISSUE)
                wave.at += 1
                if wave.at == len(self.code):
                    wave.at = 0
                    wave.ends.append(now)

    def clocks_of_an_iteration(self, iterations):
        now = turn = 0
        while min(len(wave.ends) for wave in self.waves) < iterations and now < 1 << 22:
            self.step(now, turn)
            now, turn = now + ISSUE, turn + 1
        # The first half fills the pipeline.
        half = iterations // 2
        ends = [wave.ends for wave in self.waves]
        return sum((end[iterations - 1] - end[half - 1]) / (iterations - half) for end in ends) / len(ends)


def target_of(text):
    arch = re.search(r"\.amdgcn_target \"[^\"]*(gfx\w+)\"", text).group(1)
    return json.loads((TARGETS / f"{arch}.json").read_text())


def fraction(code, target, threads, workgroups=1, latency=600, read_rate=LDS_RATE, iterations=48, alternating=False):
    """Of the matrix units' time, how much is used. `code`: the lines of an iteration. `alternating`: half of the waves is a barrier behind."""
    cycles = cycles_of(target)
    decoded = [decode(line, cycles) for line in code]
    waves = threads // LANES
    matrix = sum(what for unit, what in decoded if unit == "matrix") * waves * workgroups / 4
    unit = Unit(decoded, waves, workgroups, latency, read_rate, alternating)
    return matrix / unit.clocks_of_an_iteration(iterations)


def resident(text, target, threads, lds):
    """Workgroups that a compute unit holds, by registers, LDS and waves."""
    simds, granule = target["simds_per_unit"], 8
    registers = max(int(count) for count in re.findall(r"\.vgpr_count:\s+(\d+)", text))
    waves = min(target["registers_per_lane"] // (-(-registers // granule) * granule), target["max_waves_per_simd"])
    return max(1, min(waves // -(-threads // LANES // simds), target["lds"]["bytes"] // lds if lds else waves))


def main():
    parser = argparse.ArgumentParser(description="the fraction of matrix peak of hot loops, by a small model")
    parser.add_argument("files", nargs="+")
    parser.add_argument("--workgroups", type=int, default=1, help="resident on a compute unit")
    parser.add_argument("--resident", type=int, metavar="LDS", help="as many workgroups as fit, each with so many bytes of LDS")
    parser.add_argument("--latency", type=int, default=600, help="clocks of a load")
    parser.add_argument("--lds-read-rate", type=int, default=LDS_RATE, help="bytes a clock")
    parser.add_argument("--alternating", action="store_true", help="the second half of a workgroup's waves is one barrier behind the first")
    arguments = parser.parse_args()
    for file in arguments.files:
        text = pathlib.Path(file).read_text()
        for name, code in isa_count.hot_loops(text):
            threads = int(re.search(r"\.max_flat_workgroup_size:\s+(\d+)", text).group(1))
            target = target_of(text)
            workgroups = arguments.workgroups if arguments.resident is None else resident(text, target, threads, arguments.resident)
            reached = fraction(code, target, threads, workgroups, arguments.latency,
                               arguments.lds_read_rate, alternating=arguments.alternating)
            print(f"{pathlib.Path(file).name} {name}: {reached:.2f} of matrix peak")


if __name__ == "__main__":
    main()
