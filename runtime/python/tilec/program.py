"""A program that was compiled: what a launch takes, checked against its manifest."""
import ctypes
import importlib.util
import pathlib

from . import arrays
from .errors import BadExtents, InvalidArgument, NotFound, Refused
from .library import POINTER, api
from .manifest import Manifest, names
from .package import NAMESPACE

MOST_REMEMBERED = 1024
GREATEST = 2**31 - 1


def find(path):
    """The manifest itself, or one that a wheel has installed."""
    path = pathlib.Path(path)
    if path.suffix == ".json" or path.is_file():
        return path
    name = f"{path}.json"
    spec = importlib.util.find_spec(NAMESPACE)
    folders = [pathlib.Path(one) for one in spec.submodule_search_locations] if spec else []
    for folder in folders:
        if (folder / name).is_file():
            return folder / name
    known = sorted(str(one.relative_to(folder).with_suffix("")) for folder in folders for one in folder.glob("*/*.json"))
    raise NotFound(f"no program '{path}' is installed, expected {names(known)}, or the path of a manifest: x.json")


class Program:
    """Called with tensors and numbers by position or name, it launches them on torch's current stream."""

    def __init__(self, world, path, extents=None, code=None):
        path = find(path)
        self.world, self.path = world, path
        self.code = pathlib.Path(code) if code else path.with_suffix(".so")
        self.manifest = Manifest.read(path)
        self.name = self.manifest.program
        self.arguments = tuple(one.name for one in self.manifest.arguments)
        self.handle = self.workspace = self.greatest = None
        self.remembered = {}
        world.programs[id(self)] = self
        for name in extents or {}:
            if name not in self.manifest.extents:
                raise InvalidArgument(f"'{self.name}' has no extent '{name}', expected {names(self.manifest.extents)}")
        self.given = {**self.manifest.fixed, **(extents or {})}
        if all(name in self.given for name in self.manifest.extents):
            self.reserve(tuple(self.given[name] for name in self.manifest.extents))

    def __repr__(self):
        return f"<tilec.Program {self.name}({', '.join(self.arguments)}) for {self.manifest.target}, world {self.manifest.world}>"

    def __call__(self, *given, extents=None, stream=None, workgroups=0, wait=None, **named):
        """Enqueues one launch. Numbers are read now: a launch that is captured keeps them. `extents` gives those that no argument tells. On the emulator the launch is complete when this returns,
        unless `wait` is False; on a GPU it is enqueued on `stream`, else on torch's current stream."""
        got = dict(self.in_order(given, named))
        described = [arrays.describe(got[one.name], f"'{self.name}': argument '{one.name}'") for one in self.manifest.buffers]
        for one, array in zip(self.manifest.buffers, described):
            name = one.name
            if array.device != self.world.device and not (array.device == arrays.SOME_DEVICE and self.world.device is not None):
                raise InvalidArgument(f"'{self.name}': argument '{name}' lies on {place(array.device)}, expected {place(self.world.device)}")
        numbers = {one.name: arrays.number(got[one.name], one.dtype, f"'{self.name}': argument '{one.name}'")
                   for one in self.manifest.arguments if one.is_number()}
        values = self.bind(described, extents)
        self.world.capturing()
        if self.greatest is None or any(value > most for value, most in zip(values, self.greatest)):
            self.grow(values)
        count, buffers = len(self.arguments), iter(described)
        pointers = (POINTER * count)(*(ctypes.addressof(numbers[name]) if name in numbers else next(buffers).pointer for name in self.arguments))
        stream = self.world.stream(stream)
        api().tilec_launch(self.handle, stream, pointers, count, self.vector(values), len(values), self.workspace, workgroups)
        if self.world.device is None if wait is None else wait:
            self.world.synchronize(stream)

    def in_order(self, given, named):
        """(name, value) of each argument."""
        if len(given) > len(self.arguments):
            raise InvalidArgument(f"'{self.name}' has {len(self.arguments)} arguments, got {len(given)}")
        known = dict(zip(self.arguments, given))
        for name, value in named.items():
            if name not in self.arguments:
                raise InvalidArgument(f"'{self.name}' has no argument '{name}', expected {names(self.arguments)}")
            if name in known:
                raise InvalidArgument(f"'{self.name}': argument '{name}' is given twice")
            known[name] = value
        missing = [name for name in self.arguments if name not in known]
        if missing:
            raise InvalidArgument(f"'{self.name}': no {names(missing)}, expected {names(self.arguments)}")
        return [(name, known[name]) for name in self.arguments]

    def bind(self, described, extents=None):
        """The extents of a launch; what was checked once is remembered."""
        key = (tuple((one.shape, one.strides, one.dtypes) for one in described), tuple(sorted((extents or {}).items())))
        values = self.remembered.get(key)
        if values is None:
            if len(self.remembered) >= MOST_REMEMBERED:
                self.remembered.clear()
            values = self.remembered[key] = self.manifest.bind(described, extents)
        return values

    # Loading: collective, and what takes memory.

    def grow(self, values):
        if self.greatest is None:
            # What was given at `load` stays the greatest.
            return self.reserve(tuple(max(value, self.given.get(name, 0)) for name, value in zip(self.manifest.extents, values)))
        # Twice what is there at least, so that few launches load again.
        self.reserve(tuple(most if value <= most else min(max(value, 2 * most), GREATEST) for value, most in zip(values, self.greatest)))

    def reserve(self, greatest):
        """Loads the program for these greatest extents."""
        if self.world.capturing():
            raise Refused(f"'{self.name}' must be loaded for {self.listed(greatest)}, which a launch that is captured cannot do: give "
                          "tilec.load these extents, or launch once before")
        if any(not isinstance(value, int) or value < 0 for value in greatest):
            raise BadExtents(f"'{self.name}': greatest extents {self.listed(greatest)}, expected numbers of at least 0")
        self.unload()
        self.handle, size, vector = POINTER(), ctypes.c_size_t(), self.vector(greatest)
        api().tilec_program_load(self.world.open_handle(), str(self.path).encode(), str(self.code).encode(), vector, len(greatest),
                                 ctypes.byref(self.handle))
        api().tilec_workspace_bytes(self.handle, vector, len(greatest), ctypes.byref(size))
        self.workspace = self.world.allocate(size.value) if size.value else None
        self.clear()
        self.greatest = greatest

    def clear(self):
        """Zeroes what the program keeps from launch to launch."""
        if self.handle and self.workspace:
            api().tilec_workspace_clear(self.handle, self.workspace)

    def unload(self):
        """Gives its memory back; a graph that captured launches keeps what they use."""
        handle, self.handle, self.greatest = self.handle, None, None
        if handle and self.world.handle and not self.world.captured:
            api().tilec_program_destroy(handle)
        self.world.give_back(self.workspace)
        self.workspace = None

    def epoch(self):
        """Launches that are complete on this rank. Reads the device's memory."""
        count = ctypes.c_uint()
        api().tilec_program_epoch(self.handle, ctypes.byref(count))
        return count.value

    def listed(self, values):
        return ", ".join(f"{name}={value}" for name, value in zip(self.manifest.extents, values))

    @staticmethod
    def vector(values):
        return (ctypes.c_int64 * len(values))(*values)


def place(device):
    return "the CPU" if device is None else "a GPU" if device == arrays.SOME_DEVICE else f"GPU {device}"
