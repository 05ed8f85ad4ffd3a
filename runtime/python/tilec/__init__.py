"""Programs of tilec in Python: load them, give them tensors, launch them. No compiler takes part. docs/python.md shows how."""
from .errors import (BadExtents, BadManifest, DeviceError, Error, InvalidArgument, LaunchFailed, NotFound, NotProven, NotResident, NotSymmetric,
                     OutOfMemory, Overlap, PeerLost, Refused)
from .manifest import Manifest
from .program import Program
from .world import World, emulated_worlds, empty, free, init, load, synchronize, world

__all__ = ["BadExtents", "BadManifest", "DeviceError", "Error", "InvalidArgument", "LaunchFailed", "Manifest", "NotFound", "NotProven",
           "NotResident", "NotSymmetric", "OutOfMemory", "Overlap", "PeerLost", "Program", "Refused", "World", "emulated_worlds", "empty",
           "free", "init", "load", "synchronize", "world"]
__version__ = "0.1.0"
