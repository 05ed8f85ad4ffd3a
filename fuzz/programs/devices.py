# Whether clang compiles the text of a program for the GPUs. No GPU is needed, and nothing runs.
# Not here: what the text computes (execution.py compares it with the oracle on the emulator).
import os
import re
import shutil
import subprocess

from execution import KNOWN_LIMITS, OF_SCHEDULE, classify, normalize, without_access, without_schedule

TARGETS = ["gfx942", "gfx950"]


def clang():
    return os.environ.get("TILEC_CXX") or shutil.which("clang++-22") or "clang++"


def has_gpu_targets():
    """Whether this clang makes code for AMD's GPUs: not every build of it does."""
    return "amdgcn" in subprocess.run([clang(), "--print-targets"], capture_output=True, text=True).stdout


class DeviceTexts:
    """Collects texts and compiles several at once: the headers, and layouts that programs share, are read once for all.

    `check` names what stops the compiler: "syntax" instantiates every template, "code" makes machine code too and is
    three times as slow."""

    def __init__(self, tilec, source, folder, check="syntax", batch=24):
        self.tilec, self.source, self.folder, self.check, self.batch = tilec, source, os.path.join(folder, "devices"), check, batch
        self.waiting = {target: [] for target in TARGETS}
        self.compiled = 0
        os.makedirs(self.folder, exist_ok=True)

    def add(self, seed, text, options):
        """Results of texts that were compiled now, as (seed, target, kind, message, output). Whether the program is right is
        asked elsewhere."""
        results = []
        source = os.path.join(self.folder, "program.mlir")
        with open(source, "w") as file:
            file.write(text.replace("tile.program @p", f"tile.program @p{seed}", 1))
        for target in TARGETS:
            path = os.path.join(self.folder, f"p{seed}-{target}.hip")
            process = self.write_text(source, path, target, options)
            if process.returncode and "cannot be expanded" in process.stderr:
                process = self.write_text(source, path, target, without_access(options))
            if process.returncode and classify(process.returncode, process.stderr)[0] == "rejected" and OF_SCHEDULE.search(process.stderr):
                process = self.write_text(source, path, target, without_schedule(options))
            if process.returncode:
                kind, message = classify(process.returncode, process.stderr)
                limit = any(re.search(known, process.stderr) for known in KNOWN_LIMITS)
                results.append((seed, target, "limit" if limit and kind == "rejected" else kind, message, process.stderr))
                continue
            self.waiting[target].append((seed, path))
            if len(self.waiting[target]) >= self.batch:
                results += self.compile_waiting(target)
        return results

    def write_text(self, source, path, target, options):
        with open(path, "w") as file:
            return subprocess.run([self.tilec, source, "--emit=hip", "--no-verify", f"--target={target}", *options], stdout=file,
                                  stderr=subprocess.PIPE, text=True)

    def finish(self):
        return [result for target in TARGETS for result in self.compile_waiting(target)]

    def compile_waiting(self, target):
        texts, self.waiting[target] = self.waiting[target], []
        results = []
        if texts and self.compile(target, texts).returncode:
            for seed, path in texts:
                process = self.compile(target, [(seed, path)])
                if process.returncode:
                    errors = [line for line in process.stderr.splitlines() if "error: " in line]
                    results.append((seed, target, "text", normalize(errors[0]) if errors else "?", process.stderr))
        self.compiled += len(texts)
        for _, path in texts:
            os.remove(path)
        return results

    def compile(self, target, texts):
        """Each text has a namespace of its own; what is `extern "C"` has the seed in its name."""
        unit = os.path.join(self.folder, f"unit-{target}.hip")
        with open(unit, "w") as file:
            file.write("#include <hip/hip_runtime.h>\n#include <tilec/device.h>\n#include <tilec/engine.h>\n")
            for seed, path in texts:
                with open(path) as text:
                    kernels = sorted(set(re.findall(r'extern "C" (?:__global__ __launch_bounds__\(\d+\)\s+void|int) (\w+)\(', text.read())))
                file.write("".join(f"#define {kernel} {kernel}_{seed}\n" for kernel in kernels))
                file.write(f'namespace p{seed} {{\n#include "{path}"\n}}\n')
                file.write("".join(f"#undef {kernel}\n" for kernel in kernels))
        how = ["-O1", "-S", "-o", "/dev/null"] if self.check == "code" else ["-fsyntax-only"]
        return subprocess.run([clang(), "-std=c++20", "-x", "hip", f"--offload-arch={target}", "--cuda-device-only", "-nogpulib", "-nogpuinc", "-w",
                               *how, f"-I{self.source}/test/isa/include", f"-I{self.source}/runtime/include", unit],
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
