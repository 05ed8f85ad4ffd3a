# Who may reject a mutant: verify, check, the emulator over seeds, the tests of the instructions.
# Results of the slow ones are kept by content in a folder, so that a run that was cut off goes on where it was.
import hashlib
import os
import re
import signal
import shutil
import subprocess
import tempfile
import time

SEEDS = 20
TIMEOUT = 120


def run(command, text=None, environment=None):
    """Exit code and output; what failed also has its messages. 124 after the time. Text for the emulator is not optimised: compiling is most of
    what a mutant takes."""
    merged = dict(os.environ, TILEC_CXXFLAGS="-O0", **(environment or {}))
    try:
        done = subprocess.run(command, input=text, text=True, capture_output=True, timeout=TIMEOUT, env=merged)
    except subprocess.TimeoutExpired:
        return 124, "time out"
    # Notes stand beside a text that is written, not in it.
    return done.returncode, done.stdout + done.stderr if done.returncode else done.stdout


def digest(folder):
    """Of the files below a folder."""
    total = hashlib.sha256()
    for path, _, names in sorted(os.walk(folder)):
        for name in sorted(names):
            with open(os.path.join(path, name), "rb") as file:
                total.update(file.read())
    return total.hexdigest()


class Judges:
    def __init__(self, build, root, cache=None, minutes=None):
        self.end = time.monotonic() + 60 * minutes if minutes is not None else None
        self.tilec, self.opt = os.path.join(build, "bin", "tilec"), os.path.join(build, "bin", "tilec-opt")
        self.root, self.cache = root, cache
        if cache:
            os.makedirs(cache, exist_ok=True)
        self.emulated = digest(os.path.join(root, "runtime"))
        self.race = "--race" in run([self.tilec, "run", "--help"])[1]

    def remembered(self, key, judge):
        if not self.cache:
            return judge()
        path = os.path.join(self.cache, hashlib.sha256("\0".join(key).encode()).hexdigest()[:24])
        if os.path.exists(path):
            with open(path) as file:
                return file.read()
        if self.end is not None and time.monotonic() > self.end:
            return "not run"
        answer = judge()
        with open(path + ".new", "w") as file:
            file.write(answer)
        os.rename(path + ".new", path)
        return answer

    def passes(self, program, *names):
        passes = ",".join(names)
        return run([self.opt, "-", "--keep-names", "-o", os.devnull, f"--pass-pipeline=builtin.module(tile.program({passes}))"], program)

    @staticmethod
    def kind_of_error(output):
        for words, kind in [
            ("data race", "race"), ("deadlock", "deadlock"), ("nothing raises", "unsatisfied"), ("scope 'agent'", "scope"),
            ("without a barrier", "LDS"), ("LDS that", "LDS"), ("no store of the launch", "unwritten"),
            ("when its threads end", "end"), ("reads a slot", "slot"), ("works on slot", "slot"), ("registers", "registers"), ("of step", "products"), ("from step", "products"),
        ]:
            if words in output:
                return kind
        first = re.search(r"error: (.*)", output)
        return first.group(1)[:60].rstrip() if first else "rejected"

    def verify(self, program):
        code, output = self.passes(program, "tile-verify")
        return self.kind_of_error(output) if code else "accepted"

    def check(self, program):
        code, output = self.passes(program, "tile-check")
        return self.kind_of_error(output) if code else "accepted"

    def print_text(self, program, *options):
        """The HIP text of a program in kernel form, or None and why there is none."""
        code, output = run([self.tilec, "-", "--emit=hip", *options], program)
        return (None, self.kind_of_error(output)) if code else (output, None)

    @staticmethod
    def long_extents(program, seed):
        """Of two of the last seeds, a depth beyond the first of the K-steps that share a wait: in loops that load, and, where rows begin at
        multiples of 16 bytes, in those through rings of LDS."""
        names = re.search(r"tile\.program @\w+<([^>]*)>", program)
        names = re.findall(r"%(\w+)", names.group(1)) if names else []
        depth = {SEEDS - 2: 2100, SEEDS - 1: 2112}.get(seed)
        if depth is None or "K" not in names:
            return []
        return [f"--extent={name}={depth if name == 'K' else 40}" for name in names]

    def modes(self, seed, given=()):
        """Emulator options beside those that are given: always weak memory; skew, machine and landings vary with the seed, the race check joins behind the third."""
        options = ["--memory", "weak", "--shuffle", "--seed", str(seed), "--launches", "4"]
        options += ["--skewed"] if seed % 2 else []
        if "--resident" not in given:
            options += ["--units", str([2, 4, 3, 8][seed // 2 % 4]), "--resident", str(1 + seed // 4 % 2)]
        options += ["--race"] if self.race and seed > 3 else []
        options += ["--landing", ["latest", "seeded", "earliest"][(seed - 1) % 3]]
        return options

    @staticmethod
    def kind_of_failure(code, output):
        # The emulator ends what nobody can continue; the time ends what goes round in circles.
        if code == 124 or "waiting for" in output or "deadlock" in output:
            return "hang"
        if "WRONG" in output:
            return "wrong data"
        if re.search(r"^race: ", output, re.MULTILINE):
            return "race"
        # The next launch would begin where this one did.
        if re.search(r"counted \d+ of \d+ launches", output):
            return "launches not counted"
        # What one lane tells the others of a wave, such as a ticket, has been overwritten.
        if "must be the same in all lanes" in output:
            return "lanes differ"
        if "does not compile" in output:
            return "does not compile"
        # What a kernel reads or writes is memory of this process, as far as there is any.
        if code == -signal.SIGSEGV and "tilec::emulator::" in output:
            return "access outside of memory"
        # No way for a mutant to fail: the judge is at fault.
        raise RuntimeError(f"exit code {code}:\n{output}")

    def emulate(self, program, text=None, seeds=range(1, SEEDS + 1), environment=None, options=()):
        """The first seed that fails and how; `accepted` when none does."""
        with tempfile.TemporaryDirectory() as folder:
            source = os.path.join(folder, "mutant.mlir")
            with open(source, "w") as file:
                file.write(program)
            command = [self.tilec, "run", source, "--no-verify"]
            if text is not None:
                # The cache of compiled text is by content.
                command += ["--text", os.path.join(folder, "mutant.hip")]
                # A mutant may have other signals than the program that it is judged by: that is what is to be seen.
                with open(command[-1], "w") as file:
                    file.writelines(line for line in text.splitlines(keepends=True) if "_facts() {" not in line)

            extents = {seed: list(options) or self.long_extents(program, seed) for seed in seeds}

            def judge():
                for seed, given in extents.items():
                    code, output = run(command + self.modes(seed, given) + given, environment=environment)
                    if code:
                        return f"{self.kind_of_failure(code, output)}, seed {seed}"
                return "accepted"

            key = [self.emulated, program, text or "", str(extents), str(self.race), str(sorted((environment or {}).items())), str(self.modes(1))]
            return self.remembered(key, judge)

    def with_headers(self, file, content, use):
        """Calls `use` with the root of a copy of runtime/ and test/isa/ in which one device header is another."""
        with tempfile.TemporaryDirectory() as folder:
            for part in ["runtime", "test/isa", "bench/isa_count.py"]:
                source, target = os.path.join(self.root, part), os.path.join(folder, part)
                os.makedirs(os.path.dirname(target), exist_ok=True)
                (shutil.copytree if os.path.isdir(source) else shutil.copy)(source, target)
            with open(os.path.join(folder, "runtime/include/tilec", file), "w") as out:
                out.write(content)
            return use(folder)

    def instructions(self, root, device):
        """The first test of the instructions of the device headers that fails, or `accepted`."""
        for test in device:
            code, output = run(["bash", os.path.join(root, "test/isa/run.sh"), os.path.join(root, "test/isa/device", test)])
            if code:
                return f"test/isa/device/{test}"
        return "accepted"

    def fences(self, root, text):
        """Whether the fences of a generated text, compiled with the headers below `root`, lack a part."""
        clang = os.environ.get("TILEC_CLANG", "clang-22")
        code, assembly = run([clang, "-x", "hip", "--cuda-device-only", "-nogpuinc", "-nogpulib", "-O3", "-std=c++20",
                              "--offload-arch=gfx942", f"-I{root}/test/isa/include", f"-I{root}/runtime/include",
                              "-S", "-o", "-", "-"], text)
        if code:
            return "does not compile"
        code, output = run(["python3", os.path.join(root, "test/isa/generated/fences.py")], assembly)
        return "test/isa/generated/fences.py" if code else "accepted"


def checkers(judges, mutant):
    if mutant.form == "kernel form":
        return judges.verify(mutant.program)
    return judges.check(mutant.program)
