"""The runtime's shared object and the prototypes of its C API (runtime/include/tilec/host.h)."""
import ctypes
import functools
import os
import pathlib

from . import errors

NAME = "libtilec_runtime.so"
EMULATED, HIP = 0, 1


class Options(ctypes.Structure):
    _fields_ = [("rank", ctypes.c_int), ("size", ctypes.c_int), ("heap_bytes", ctypes.c_size_t), ("signal_bytes", ctypes.c_size_t),
                ("device", ctypes.c_int), ("device_index", ctypes.c_int), ("job", ctypes.c_char_p), ("deadline_ns", ctypes.c_ulonglong),
                ("join_deadline_ns", ctypes.c_ulonglong)]


class Failure(ctypes.Structure):
    _fields_ = [("failed", ctypes.c_int), ("reason", ctypes.c_char_p), ("program", ctypes.c_char_p), ("signal", ctypes.c_char_p),
                ("dimensions", ctypes.c_int), ("index", ctypes.c_int * 8), ("rank", ctypes.c_int), ("epoch", ctypes.c_uint),
                ("wanted", ctypes.c_uint), ("seen", ctypes.c_uint), ("words", ctypes.c_char_p)]


POINTER, INT, SIZE, TEXT = ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t, ctypes.c_char_p
TO = ctypes.POINTER
EXTENTS = TO(ctypes.c_int64)
# Calls that return a result.
CHECKED = {
    "tilec_world_create": [TO(Options), TO(POINTER)],
    "tilec_world_join": [TO(Options), TO(POINTER)],
    "tilec_world_environment": [TO(INT), TO(INT)],
    "tilec_world_adopt": [INT, INT, TO(POINTER), SIZE, TO(POINTER), SIZE, TO(POINTER)],
    "tilec_emulated_worlds": [INT, SIZE, SIZE, TO(POINTER)],
    "tilec_world_reset": [POINTER],
    "tilec_heap_alloc": [POINTER, SIZE, TO(POINTER)],
    "tilec_heap_free": [POINTER, POINTER],
    "tilec_heap_remote": [POINTER, POINTER, INT, TO(POINTER)],
    "tilec_program_load": [POINTER, TEXT, TEXT, EXTENTS, INT, TO(POINTER)],
    "tilec_workspace_bytes": [POINTER, EXTENTS, INT, TO(SIZE)],
    "tilec_workspace_clear": [POINTER, POINTER],
    "tilec_launch": [POINTER, POINTER, TO(POINTER), INT, EXTENTS, INT, POINTER, INT],
    "tilec_synchronize": [POINTER, POINTER],
    "tilec_status": [POINTER, TO(Failure)],
    "tilec_program_epoch": [POINTER, TO(ctypes.c_uint)],
}
# Calls that return something else.
PLAIN = {
    "tilec_last_error": (TEXT, []),
    "tilec_runtime_device": (INT, []),
    "tilec_world_destroy": (None, [POINTER]),
    "tilec_world_rank": (INT, [POINTER]),
    "tilec_world_size": (INT, [POINTER]),
    "tilec_world_device": (INT, [POINTER]),
    "tilec_program_destroy": (None, [POINTER]),
}


def places():
    """Where the shared object may be: named, in the package, in the build tree, in an install."""
    if "TILEC_LIBRARY" in os.environ:
        return [pathlib.Path(os.environ["TILEC_LIBRARY"])]
    package = pathlib.Path(__file__).parent
    root = package.parent.parent
    return [package / NAME, root / "runtime" / NAME, root / NAME, root.parent / "lib" / NAME]


@functools.lru_cache(maxsize=None)
def api():
    """The loaded library. It stays loaded."""
    tried = places()
    found = next((place for place in tried if place.is_file()), None)
    if not found:
        raise errors.NotFound(f"no {NAME} in {', '.join(str(place.parent) for place in tried)}: set TILEC_LIBRARY to its path")
    try:
        library = ctypes.CDLL(str(found))
    except OSError as error:
        raise errors.NotFound(f"cannot load '{found}': {error}") from error
    for name, arguments in CHECKED.items():
        function = getattr(library, name)
        function.argtypes, function.restype, function.errcheck = arguments, INT, checker(library)
    for name, (result, arguments) in PLAIN.items():
        function = getattr(library, name)
        function.argtypes, function.restype = arguments, result
    return library


def checker(library):
    def check(result, function, arguments):
        if result:
            raise errors.BY_RESULT.get(result, errors.Error)(library.tilec_last_error().decode(errors="replace"))
        return result
    return check


def is_emulated():
    return api().tilec_runtime_device() == EMULATED
