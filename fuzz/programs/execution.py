# Running one program and naming what came of it.
# Not here: where programs come from, how failures shrink.
import glob
import os
import re
import resource
import signal
import subprocess
import time

PATTERNS = ["bulk", "bulk-pull", "bulk-push", "sequential", "sequential-pull", "sequential-push", "sequential-staged", "specialized",
            "specialized-pull", "specialized-push", "specialized-staged", "specialized-copy-engine", "sequential-push-two-shot", "bulk-push-two-shot", ""]
ORDERS = ["auto", "auto", "none", "remap", "chunked", "grouped", "diagonal", "rank-first", "head-first", "remap+grouped-2",
          "chunked-2+diagonal+rank-first"]

# Limits of the compiler that a diagnostic states: a program that meets one is well formed, but no failure.
KNOWN_LIMITS = [
    r"cannot be expanded",
    r"has nothing that the copy engine could do",
    r"a bound that is no expression over the extents",
    r"without a matrix instruction",
    r"of the tile must be a multiple of",
    r"needs \d+ bytes of LDS",
    r"groups of workgroups, expected at most",
    r"is verified up to",
]


# What refuses a schedule that was drawn.
OF_SCHEDULE = re.compile(r"schedule|splits the tiles behind|splits its last tiles|where tasks are")


def without_access(options):
    """Where the buffers do not allow a way of reaching them: whichever they do."""
    return [re.sub(r"(--pattern=\w+)-.*", r"\1", option) for option in options]


def without_schedule(options):
    """Where no loop of the program can be what was asked for: whatever is chosen."""
    return [option for option in options if not option.startswith("--schedule=")]


def with_own_schedules(random, text):
    """The text where some products say of themselves how they run."""
    keys = ["slots = 2", "slots = 4", "waves = 4", "waves = 8", "depth = 32", "waves = 8, slots = 2", "dealing = ticketed"]
    lines = text.split("\n")
    for number, line in enumerate(lines):
        if line.lstrip().startswith("tile.matmul") and " rows " not in line and random.random() < 0.3:
            lines[number] = line.replace(" : memref", f" attributes {{schedule = #tile.schedule<{random.choice(keys)}>}} : memref", 1)
    return "\n".join(lines)


class Result:
    """kind: ok, limit, rejected, verify, mismatch, hang, race, text, crash or timeout; `message`: the same for the same cause."""

    def __init__(self, kind, message="", output="", seconds=0.0):
        self.kind, self.message, self.output, self.seconds = kind, message, output, seconds

    @property
    def failed(self):
        return self.kind not in ("ok", "limit")

    @property
    def key(self):
        return (self.kind, self.message)


def normalize(line):
    line = re.sub(r"^.*?(error|crash): ", "", line)
    line = re.sub(r"'[^']*'", "'..'", line)
    line = re.sub(r"%[\w]+|@[\w]+|(tensor|memref)<[^ ]*", "..", line)
    return re.sub(r"-?\d+(\.\d+)?(e[+-]?\d+)?", "N", line).strip()[:140]


def classify(code, output):
    lines = output.splitlines()
    if code < 0 or "PLEASE submit a bug report" in output or "Assertion" in output:
        frame = next((l for l in lines if "Assertion" in l or "UNREACHABLE" in l or "LLVM ERROR" in l), f"signal {-code}")
        frames = [re.sub(r"^#\d+ 0x[0-9a-f]+ ", "", l) for l in lines if re.match(r"^ *#\d+ 0x.* tilec::", l)]
        return "crash", normalize(frame) + (" in " + re.sub(r"[(+].*", "", frames[0].strip()) if frames else "")
    errors = [l for l in lines if "error: " in l]
    if "does not compile" in output:
        inner = [l for l in errors if "does not compile" not in l]
        return "text", normalize(inner[0]) if inner else "?"
    races = [l for l in lines if l.startswith("race: ")]
    if races:
        return "race", normalize(races[0])
    if "too weak to judge" in output and "WRONG" not in output:
        return "mismatch", "unbounded"
    if ", undetermined" in output and "WRONG" not in output:
        return "mismatch", "undetermined"
    if "WRONG" in output:
        return "mismatch", "bytes changed" if "have changed" in output else "values"
    if errors:
        hang = any(w in output for w in ("deadlock", "waits for", "stuck", "timed out"))
        return ("hang" if hang and "rank" in errors[0] and "seen" in output else "rejected"), normalize(errors[0])
    return "rejected", normalize(lines[0]) if lines else f"exit code {code}"


class Runner:
    """Runs `tilec`. The text is not optimised unless it has to be `optimised`: that takes a third of the time."""

    def __init__(self, tilec, folder, timeout=60):
        self.tilec, self.folder, self.timeout = tilec, folder, timeout
        os.makedirs(folder, exist_ok=True)
        self.environment = dict(os.environ, TILEC_CACHE=os.path.join(folder, "cache"))

    def clear(self):
        """Forgets the compiled texts, not the precompiled headers."""
        for file in glob.glob(os.path.join(self.environment["TILEC_CACHE"], "*.so")):
            os.remove(file)

    def run(self, text, arguments, optimised=False, command="run"):
        path = os.path.join(self.folder, "program.mlir")
        with open(path, "w") as file:
            file.write(text)
        environment = dict(self.environment)
        if not optimised:
            environment["TILEC_CXXFLAGS"] = "-O0"
        begin = time.time()
        what = [command, path] if command else [path, "--emit=hip"]
        process = subprocess.Popen([self.tilec, *what, *arguments], env=environment, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, start_new_session=True, preexec_fn=self.limit)
        try:
            output, messages = (stream.decode(errors="replace") for stream in process.communicate(timeout=10 * self.timeout))
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return Result("timeout", command or "compile", "", time.time() - begin)
        seconds = time.time() - begin
        # Notes stand beside a text that is written, not in it.
        if command or process.returncode:
            output += messages
        if process.returncode == -signal.SIGXCPU:
            return Result("timeout", command or "compile", output, seconds)
        if not process.returncode:
            return Result("ok", "", output, seconds)
        kind, message = classify(process.returncode, output)
        if kind == "rejected":
            kind, message = self.judge(text, arguments, message, output)
        return Result(kind, message, output, seconds)

    def limit(self):
        """Time is the processor's, so that a busy machine makes no failures; a hang that sleeps gets ten times as long."""
        seconds = int(self.timeout) + 1
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))

    def judge(self, text, arguments, message, output):
        """A rejection: a stated limit, the checker's no to what the passes derived, or something to look at."""
        if any(re.search(limit, output) for limit in KNOWN_LIMITS):
            return "limit", message
        path = os.path.join(self.folder, "program.mlir")
        kept = [a for a in self.compile_arguments(arguments)]
        code = subprocess.run([self.tilec, path, "--until=order", "--no-verify", *kept], env=self.environment,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode
        return ("verify" if code == 0 and self.is_verify(path, kept) else "rejected"), message

    def is_verify(self, path, kept):
        return subprocess.run([self.tilec, path, "--until=verify", *kept], env=self.environment, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL).returncode != 0

    @staticmethod
    def compile_arguments(arguments):
        names = ("--target=", "--world", "--pattern", "--granularity=", "--order", "--param", "--extent=", "--schedule=")
        return [a for a in arguments if a.startswith(names)]


def compile_options(random, world, extents, parameters, several=False):
    """Options that change the text. What is resident of `several` statements of a loop of steps is proven for the extents that are fixed."""
    options = [f"--world={world}"]
    pattern = random.choice(PATTERNS)
    if pattern:
        options.append(f"--pattern={pattern}")
    if random.random() < 0.3:
        options.append(f"--granularity={random.choice(['statement', 'statement', 'task', 'tile', 'group-2', 'shard'])}")
    order = random.choice(ORDERS)
    if order != "auto":
        options.append(f"--order={order}")
    for parameter in parameters:
        name, choices = parameter.split(" in [")
        if random.random() < 0.6:
            options.append(f"--param={name[1:]}={random.choice(choices.split(']')[0].split(', '))}")
    if several:
        options.append("--extent=" + ",".join(f"{extent[1:]}={random.choice([1, 16, 40, 64, 70])}" for extent in extents))
    elif random.random() < 0.12 and extents:
        options.append(f"--extent={extents[0][1:]}={random.choice([1, 16, 40, 64, 70])}")
    return options


def schedule_options(random, text):
    """How products run, of some programs that have any."""
    if not re.search(r"tile\.(matmul|dot)", text) or random.random() < 0.5:
        return []
    drawn = random.choice([
        {"slots": random.choice([2, 4, 8])}, {"waves": random.choice([2, 4, 8, 16])}, {"dealing": random.choice(["ticketed", "strided"])},
        {"split": random.choice([2, 3])}, {"split": random.choice([2, 3]), "behind": random.choice([1, 2])}, {"swapped": "true"},
        {"halves": "alternating", "waves": 8}, {"pairs": "true"}, {"depth": random.choice([16, 32, 64])}, {"waves": 8, "slots": random.choice([2, 4])}])
    return ["--schedule=" + ",".join(f"{key}={value}" for key, value in drawn.items())]


def run_options(random, several=False):
    """Options of one run of that text. `several` statements of a loop of steps need workgroups for each."""
    options = [f"--launches={random.choice([2, 2, 3, 4])}", f"--seed={random.randrange(1, 1 << 20)}"]
    sizes = random.choice(["1,40,72", "16,33,48", "5,17,40", "1,2,50", "64", "40", "0,9,33"])
    options.append(f"--extents-from={sizes}")
    for flag, chance in (("--shuffle", 0.7), ("--memory=weak", 0.5), ("--skewed", 0.25), ("--queued", 0.2)):
        if random.random() < chance:
            options.append(flag)
    if several:
        options += [f"--units={random.choice([4, 8])}", "--resident=8"]
    elif random.random() < 0.5:
        options += [f"--units={random.choice([1, 2, 3, 8])}", f"--resident={random.choice([1, 1, 2])}"]
    return options
