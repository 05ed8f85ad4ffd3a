"""What the tests share: the compiled programs, and arrays that need no library."""
import array
import math
import os
import pathlib

FOLDER = pathlib.Path(os.environ["TILEC_TEST_PROGRAMS"])


def path(folder, program):
    return FOLDER / folder / f"{program}.json"


def floats(*shape, first=0):
    """first, first + 1, ... as a buffer of f32."""
    size = math.prod(shape)
    return memoryview(array.array("f", range(first, first + size))).cast("B").cast("f", list(shape))


def zeros(*shape, code="f"):
    return memoryview(bytearray(math.prod(shape) * array.array(code).itemsize)).cast(code, list(shape))
