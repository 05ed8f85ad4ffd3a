"""What goes wrong, as exceptions: one class for each result of the C API (runtime/include/tilec/host.h)."""


class Error(RuntimeError):
    """Base of all. `result` is the C API's number, where the failure came from there."""
    result = None


class InvalidArgument(Error, ValueError):
    """A count, a tensor or a value that the call does not accept."""
    result = 1


class OutOfMemory(Error, MemoryError):
    """Of the heap, the signal mapping, the device or the host."""
    result = 2


class NotFound(Error):
    """A file or a symbol."""
    result = 3


class BadManifest(Error, ValueError):
    """The manifest breaks its schema, or does not fit this world or device."""
    result = 4


class BadExtents(Error, ValueError):
    """Extents that break a condition of the program, or are greatest where none were given."""
    result = 5


class Overlap(Error, ValueError):
    """Two arguments share bytes."""
    result = 6


class NotSymmetric(Error, ValueError):
    """A symmetric argument outside the heap: make it with `tilec.empty`."""
    result = 7


class NotResident(Error):
    """The program needs more resident workgroups than there can be."""
    result = 8


class LaunchFailed(Error):
    """A launch failed; `World.failure()` says where."""
    result = 9


class Refused(Error):
    """A launch unlike its peers', after a failure without a reset, or after a rank's end."""
    result = 10


class DeviceError(Error):
    """The device's runtime returned an error."""
    result = 11


class PeerLost(Error):
    """A rank of another process ended, or did not come in time."""
    result = 12


class NotProven(Error):
    """What the program needs of these extents is not proven: compile it for them."""
    result = 13


BY_RESULT = {kind.result: kind for kind in Error.__subclasses__()}
