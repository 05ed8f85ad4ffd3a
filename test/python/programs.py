"""What the tests share: the compiled programs, and arrays that need no library."""
import array
import math
import os
import pathlib
import random
import subprocess
import sys

FOLDER = pathlib.Path(os.environ["TILEC_TEST_PROGRAMS"])


def path(program):
    return FOLDER / f"{program}.json"


def floats(*shape, first=0):
    """first, first + 1, ... as a buffer of f32."""
    size = math.prod(shape)
    return memoryview(array.array("f", range(first, first + size))).cast("B").cast("f", list(shape))


def zeros(*shape, code="f"):
    return memoryview(bytearray(math.prod(shape) * array.array(code).itemsize)).cast(code, list(shape))


# Ranks that are processes. Each runs a script of the folder ranks/.

LAUNCHERS = {
    "torchrun": lambda rank, size, job: {"RANK": rank, "WORLD_SIZE": size, "LOCAL_RANK": rank, "LOCAL_WORLD_SIZE": size,
                                         "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": job, "TORCHELASTIC_RUN_ID": "test"},
    "Open MPI": lambda rank, size, job: {"OMPI_COMM_WORLD_RANK": rank, "OMPI_COMM_WORLD_SIZE": size, "OMPI_COMM_WORLD_LOCAL_RANK": rank,
                                         "OMPI_COMM_WORLD_LOCAL_SIZE": size, "PMIX_NAMESPACE": f"test {job}"},
    "nobody": lambda rank, size, job: {"TEST_RANK": rank, "TEST_WORLD": size, "TEST_JOB": job},
}
TIMEOUT = 300


def free_port():
    import socket
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def run_ranks(script, size, *words, launcher="torchrun", job=None):
    """(exit code, what it printed) of each rank."""
    job = job or free_port()
    started = []
    for rank in range(size):
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("TILEC_RANK", "RANK", "OMPI_", "SLURM_"))}
        environment.update({name: str(value) for name, value in LAUNCHERS[launcher](rank, size, job).items()})
        started.append(subprocess.Popen([sys.executable, pathlib.Path(__file__).parent / "ranks" / f"{script}.py", *map(str, words)],
                                        env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True))
    try:
        return [(one.wait(), words) for one in started for words in [one.communicate(timeout=TIMEOUT)[0]]]
    finally:
        for one in started:
            one.kill()


# bf16 without a library: the upper half of an f32. Small integers are exact.

def bf16(values):
    return array.array("H", (bits >> 16 for bits in array.array("I", array.array("f", values).tobytes())))


def matrix(rows, columns, seed):
    """Of -1, 0 and 1: as lists, and as the buffer of a bf16 matrix."""
    draw = random.Random(seed)
    values = [[draw.randint(-1, 1) for _ in range(columns)] for _ in range(rows)]
    return values, memoryview(bf16([one for row in values for one in row])).cast("B").cast("H", [rows, columns])


def product(a, b):
    """a * b^T."""
    return [[sum(x * y for x, y in zip(row, column)) for column in b] for row in a]


def read_bf16(buffer):
    flat = array.array("I", (bits << 16 for row in buffer.tolist() for bits in row))
    numbers = array.array("f", flat.tobytes()).tolist()
    columns = buffer.shape[1]
    return [numbers[i:i + columns] for i in range(0, len(numbers), columns)]
