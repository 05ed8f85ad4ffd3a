"""A rank of a world: how it meets the others, its symmetric heap, its failures."""
import atexit
import ctypes
import math
import os
import sys

from . import arrays
from .errors import InvalidArgument, NotSymmetric, Refused
from .library import EMULATED, Failure, Options, POINTER, api, is_emulated
from .program import Program

# Of each rank. The emulator's pages are made when they are used.
HEAP_BYTES, SIGNAL_BYTES = 1 << 30, 1 << 26
EMULATED_HEAP_BYTES, EMULATED_SIGNAL_BYTES = 1 << 28, 1 << 23
NANOSECONDS = 1_000_000_000

_default = None
_living = []


class World:
    """One rank. Made by `init`, `emulated_worlds` or `World.adopt`."""

    def __init__(self, handle, names=(), keeps=None):
        library = api()
        self.handle, self.names, self.keeps = handle, tuple(names), keeps
        self.rank, self.size = library.tilec_world_rank(handle), library.tilec_world_size(handle)
        self.device = None if is_emulated() else library.tilec_world_device(handle)
        self.programs = {}
        self.captured = False  # by a graph, which may replay launches with what they had
        self.operators, self.chosen = {}, {}  # operators.py
        _living.append(self)

    @classmethod
    def adopt(cls, rank, bases, heap_bytes, signal_bases, signal_bytes, names=(), keeps=None):
        """A rank over memory that the application made symmetric: `bases[r]` is the address of rank r's heap, `signal_bases[r]` of its
        zeroed signals, as this process reaches them. On a GPU the current device is the world's."""
        size = len(bases)
        if len(signal_bases) != size:
            raise InvalidArgument(f"{size} heaps and {len(signal_bases)} signal mappings, expected one of each for every rank")
        handle = POINTER()
        api().tilec_world_adopt(rank, size, (POINTER * size)(*bases), heap_bytes, (POINTER * size)(*signal_bases), signal_bytes,
                                ctypes.byref(handle))
        return cls(handle, names, keeps)

    def __repr__(self):
        return f"<tilec.World rank {self.rank} of {self.size}{' (closed)' if not self.handle else ''}>"

    # The heap. Every rank makes the same arrays in the same order, and frees them so.

    def empty(self, shape, dtype="f32"):
        """An array in the symmetric heap: of torch for a dtype of torch, of numpy for one of numpy; for a name (`bf16`) of torch where
        that is imported, else of numpy. Its elements are NaN on the emulator and anything on a GPU. It lives until `free`."""
        shape = (shape,) if isinstance(shape, int) else tuple(shape)
        return arrays.over(self.allocate(math.prod(shape) * arrays.BYTES[arrays.dtype_name(dtype)]), shape, dtype, self.device)

    def allocate(self, size):
        """The address of so many bytes of the heap."""
        pointer = POINTER()
        api().tilec_heap_alloc(self.open_handle(), size, ctypes.byref(pointer))
        return pointer.value

    def free(self, array):
        """Gives an array of `empty` back. Nothing else does: the heap must change alike on all ranks, which no collector of garbage does."""
        api().tilec_heap_free(self.open_handle(), arrays.describe(array).pointer)

    def holds(self, array):
        """Whether an array lies in the heap, the first element at least."""
        try:
            self.remote_pointer(arrays.describe(array).pointer, self.rank)
        except NotSymmetric:
            return False
        return True

    def remote(self, array, rank):
        """Rank `rank`'s copy of an array of `empty`."""
        here = arrays.describe(array)
        dtype = array.dtype if hasattr(array, "dtype") else here.dtypes[0]
        return arrays.over(self.remote_pointer(here.pointer, rank), here.shape, dtype, self.device)

    def remote_pointer(self, pointer, rank):
        found = POINTER()
        api().tilec_heap_remote(self.open_handle(), pointer, rank, ctypes.byref(found))
        return found.value

    def give_back(self, pointer):
        """Frees what the package itself allocated, unless a graph may use it again."""
        if pointer and not self.captured and self.handle:
            api().tilec_heap_free(self.handle, pointer)

    # Programs and launches.

    def load(self, path, extents=None, code=None):
        """The program of a manifest; `load` below says more."""
        return Program(self, path, extents, code)

    def synchronize(self, stream=None):
        """Waits until the stream (on a GPU torch's current one) is empty. Raises LaunchFailed when a launch of this rank failed."""
        api().tilec_synchronize(self.open_handle(), self.stream(stream))

    def stream(self, given=None):
        """What the C API calls a stream: of torch's streams their handle."""
        if given is not None:
            return getattr(given, "cuda_stream", given)
        torch = sys.modules.get("torch")
        return torch.cuda.current_stream(self.device).cuda_stream if torch and self.device is not None else None

    def capturing(self):
        """Whether a graph captures what torch's current stream gets."""
        torch = sys.modules.get("torch")
        now = bool(torch and self.device is not None and torch.cuda.is_current_stream_capturing())
        self.captured |= now
        return now

    def failure(self):
        """What a failed launch left, as a dict; None where nothing failed."""
        left = Failure()
        api().tilec_status(self.open_handle(), ctypes.byref(left))
        if not left.failed:
            return None
        words = {name: (getattr(left, name) or b"").decode() for name in ("reason", "program", "signal", "words")}
        return {**words, "index": list(left.index[:max(0, min(left.dimensions, 8))]), "rank": left.rank, "epoch": left.epoch,
                "wanted": left.wanted, "seen": left.seen}

    def reset(self):
        """By every rank after a failure, with no launch under way: the world takes launches again."""
        api().tilec_world_reset(self.open_handle())
        for program in self.programs.values():
            program.clear()

    def close(self):
        """Destroys the world, with its programs and its heap. Where ranks are processes all of them call it."""
        global _default
        if not self.handle:
            return
        handle, self.handle = self.handle, None
        api().tilec_world_destroy(handle)
        _living.remove(self)
        if _default is self:
            _default = None

    def open_handle(self):
        if not self.handle:
            raise Refused("the world was closed")
        return self.handle


def options(rank, size, heap_bytes, signal_bytes, job, deadline, join_deadline, device_index=-1):
    emulated = is_emulated()
    given = Options()
    given.rank, given.size, given.device, given.device_index = rank, size, api().tilec_runtime_device(), device_index
    given.heap_bytes = heap_bytes or int(os.environ.get("TILEC_HEAP_BYTES", 0)) or (EMULATED_HEAP_BYTES if emulated else HEAP_BYTES)
    given.signal_bytes = signal_bytes or (EMULATED_SIGNAL_BYTES if emulated else SIGNAL_BYTES)
    given.job = job.encode() if job is not None else None
    given.deadline_ns, given.join_deadline_ns = int(deadline * NANOSECONDS), int(join_deadline * NANOSECONDS)
    return given


def init(rank=None, size=None, job=None, group=None, symmetric_memory=False, heap_bytes=0, signal_bytes=0, deadline=0, join_deadline=0):
    """Makes this process a rank and its world the default one.

    Without arguments rank and size are what `tilec launch`, torchrun, Open MPI, MPICH or Slurm says, and a world of one where nobody says
    anything. `group` is a process group of torch, whose ranks agree on a job among themselves; with `symmetric_memory` the heap is memory
    of torch's own symmetric memory. `rank`, `size` and `job` say all of it. Bytes are of each rank; deadlines are seconds: of a wait in a
    kernel, and of calls in which ranks meet (60)."""
    global _default
    if _default:
        raise Refused("this process has a world: close it before another is made, or make one that is not the default")
    names = ["tilec"]
    if symmetric_memory:
        _default = adopt_group(group, names, heap_bytes, signal_bytes)
        return _default
    device_index = -1
    if group is not None:
        from . import groups
        rank, size, job = groups.agree(group)
        device_index = groups.device()
        names.append(group.group_name)
    if (rank is None) != (size is None) or (rank is not None and size > 1 and job is None):
        raise InvalidArgument("expected rank, size and job together")
    if rank is None:
        started = started_as()
        rank, size = started if started else (0, 1)
        joins, alone = started is not None, started is None
        handle = make(options(0 if joins else rank, 0 if joins else size, heap_bytes, signal_bytes, job, deadline, join_deadline), alone)
    else:
        handle = make(options(rank, size, heap_bytes, signal_bytes, job, deadline, join_deadline, device_index), alone=size == 1)
    _default = World(handle, names)
    return _default


def adopt_group(group, names, heap_bytes, signal_bytes):
    """The world of a process group over memory that torch made symmetric."""
    from . import groups
    if group is None:
        raise InvalidArgument("symmetric_memory is that of a process group, expected group")
    given = options(0, 1, heap_bytes, signal_bytes, None, 0, 0)
    handles, tensors = groups.symmetric(group, given.heap_bytes, given.signal_bytes)
    heap, signals = handles
    return World.adopt(heap.rank, heap.buffer_ptrs, given.heap_bytes, signals.buffer_ptrs, given.signal_bytes, [*names, group.group_name],
                       keeps=(handles, tensors))


def make(given, alone):
    handle = POINTER()
    if alone:
        # A world of its own, whatever else this process has made.
        given.job = given.job or f"python {len(_living)} {os.getpid()}".encode()
        given.device_index = max(given.device_index, 0) if given.device == EMULATED else current_device(given.device_index)
        api().tilec_world_create(ctypes.byref(given), ctypes.byref(handle))
    else:
        api().tilec_world_join(ctypes.byref(given), ctypes.byref(handle))
    return handle


def current_device(given):
    """torch's, where a rank is alone."""
    torch = sys.modules.get("torch")
    return given if given >= 0 or not torch else torch.cuda.current_device()


def started_as():
    """(rank, size) as a launcher has set them; None where there is none."""
    rank, size = ctypes.c_int(), ctypes.c_int()
    api().tilec_world_environment(ctypes.byref(rank), ctypes.byref(size))
    return (rank.value, size.value) if size.value else None


def emulated_worlds(size, heap_bytes=0, signal_bytes=0):
    """All ranks of an emulated world in this process. Launches wait for nothing there: `program(..., wait=False)` on every rank, then
    `synchronize` on each."""
    handles = (POINTER * size)()
    api().tilec_emulated_worlds(size, heap_bytes or EMULATED_HEAP_BYTES, signal_bytes or EMULATED_SIGNAL_BYTES, handles)
    return [World(POINTER(handle)) for handle in handles]


def world():
    """The default world, which is made at first use."""
    return _default or init()


def named(name):
    """The world of a process group's name."""
    for one in _living:
        if name in one.names:
            return one
    known = sorted({name for one in _living for name in one.names})
    raise InvalidArgument(f"no world is named '{name}', expected one of {known}: tilec.init(group=...) names it as the group")


def empty(shape, dtype="f32"):
    return world().empty(shape, dtype)


def free(array):
    world().free(array)


def load(path, extents=None, code=None):
    """The program of the manifest `path` ("x.json"), whose code object lies beside it ("x.so"); without an ending of a wheel that
    `tilec --package` made, as in "package/x". `extents` are the greatest of any launch:
    {"M": 4096}. Those that are not given are those of the first launch, and grow with later ones, which then take a collective load and
    memory of the heap; a launch that is captured cannot."""
    return world().load(path, extents, code)


def synchronize(stream=None):
    world().synchronize(stream)


@atexit.register
def _close_all():
    # Who ends by an exception tells the others at once, by ending; leaving properly would wait for them.
    if getattr(sys, "last_type", None) is None:
        for one in list(reversed(_living)):
            one.close()
