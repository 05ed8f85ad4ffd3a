"""Where the elements of an array lie: tensors of torch, arrays of numpy, whatever has `__array_interface__`, `__cuda_array_interface__`,
`__dlpack__` or a buffer. Nothing is copied. Also arrays over memory of the heap."""
import ctypes
import functools
import math
import operator
import sys
import typing

from .errors import InvalidArgument

BYTES = {"f64": 8, "f32": 4, "f16": 2, "bf16": 2, "fp8_e4m3": 1, "fp8_e5m2": 1, "fp8_e4m3_fnuz": 1, "fp8_e5m2_fnuz": 1, "i8": 1, "i32": 4,
         "i64": 8}
EIGHT_BITS = ("fp8_e4m3", "fp8_e5m2", "fp8_e4m3_fnuz", "fp8_e5m2_fnuz")
# What numpy's kinds of elements may be for a program: it has neither bf16 nor eight-bit floats.
BY_KIND = {"f8": ("f64",), "f4": ("f32",), "f2": ("f16",), "i8": ("i64",), "i4": ("i32",), "i1": ("i8",), "V2": ("bf16",), "u2": ("bf16",),
           "u1": EIGHT_BITS, "V1": EIGHT_BITS}
# As `memoryview` names them; a bf16 is two bytes, an eight-bit float one.
BY_FORMAT = {"d": ("f64",), "f": ("f32",), "e": ("f16",), "q": ("i64",), "l": ("i64",), "i": ("i32",), "b": ("i8",), "H": ("bf16",),
             "B": EIGHT_BITS}
TORCH_NAMES = {"f64": "float64", "f32": "float32", "f16": "float16", "bf16": "bfloat16", "fp8_e4m3": "float8_e4m3fn",
               "fp8_e5m2": "float8_e5m2", "fp8_e4m3_fnuz": "float8_e4m3fnuz", "fp8_e5m2_fnuz": "float8_e5m2fnuz", "i8": "int8", "i32": "int32",
               "i64": "int64"}
# Codes of DLPack: signed, unsigned, float, bfloat, and eight-bit floats since its version 1.1.
BY_DLPACK = {(0, 8): ("i8",), (0, 32): ("i32",), (0, 64): ("i64",), (1, 8): EIGHT_BITS, (1, 16): ("bf16",), (2, 16): ("f16",),
             (2, 32): ("f32",), (2, 64): ("f64",), (4, 16): ("bf16",), (10, 8): ("fp8_e4m3",), (11, 8): ("fp8_e4m3_fnuz",),
             (12, 8): ("fp8_e5m2",), (13, 8): ("fp8_e5m2_fnuz",)}
SOME_DEVICE = -1  # `__cuda_array_interface__` does not say which
DLPACK_HOST, DLPACK_DEVICES = 1, (2, 10)  # CUDA, ROCm


class Array(typing.NamedTuple):
    pointer: int
    shape: tuple
    strides: tuple   # in elements
    dtypes: tuple    # what its elements may be; of numpy's two bytes nobody knows more
    device: object   # a number, or SOME_DEVICE, or None for the memory of the host
    owner: object    # keeps the memory


def describe(value, name="the argument"):
    """The Array of a tensor."""
    torch = sys.modules.get("torch")
    if torch and isinstance(value, torch.Tensor):
        return of_tensor(value, name)
    for attribute, device in (("__cuda_array_interface__", SOME_DEVICE), ("__array_interface__", None)):
        interface = getattr(value, attribute, None)
        if interface is not None:
            return of_interface(interface, value, device, name)
    if hasattr(value, "__dlpack__"):
        return of_dlpack(value, name)
    try:
        return of_buffer(memoryview(value), name)
    except TypeError:
        raise InvalidArgument(f"{name} is a {type(value).__name__}, expected a tensor of torch, an array of numpy, or what has "
                              "__array_interface__, __dlpack__ or a buffer") from None


NUMBERS = {"f32": ctypes.c_float, "f64": ctypes.c_double, "i32": ctypes.c_int32, "i64": ctypes.c_int64}


def number(value, dtype, name):
    """A number as a launch reads it. It has to be an integer, and to fit, for an integer."""
    try:
        if dtype.startswith("f") and hasattr(value, "__float__"):
            return NUMBERS[dtype](value.__float__())
        whole = operator.index(value)
    except TypeError:
        raise InvalidArgument(f"{name} is a {type(value).__name__}, expected a number of {dtype}") from None
    half = 1 << (int(dtype[1:]) - 1)
    if not -half <= whole < half:
        raise InvalidArgument(f"{name} is {whole}, which does not fit {dtype}")
    return NUMBERS[dtype](whole)


def of_tensor(tensor, name):
    where = tensor.device
    if where.type not in ("cpu", "cuda"):
        raise InvalidArgument(f"{name} lies on '{where}', expected a tensor of the CPU or a GPU")
    return Array(tensor.data_ptr(), tuple(tensor.shape), tensor.stride(), torch_dtypes(tensor.dtype, name),
                 where.index if where.type == "cuda" else None, tensor)


def torch_dtypes(dtype, name):
    found = by_torch().get(dtype)
    if found is None:
        raise InvalidArgument(f"{name} has elements of {dtype}, which no program has")
    return found


@functools.lru_cache(maxsize=None)
def by_torch():
    """torch's element types; an older torch has fewer."""
    torch = sys.modules["torch"]
    known = {getattr(torch, attribute): (name,) for name, attribute in TORCH_NAMES.items() if hasattr(torch, attribute)}
    return {**known, torch.uint8: EIGHT_BITS}


def of_interface(interface, owner, device, name):
    kind = interface["typestr"]
    if kind[0] == ">" or kind[1:] not in BY_KIND:
        raise InvalidArgument(f"{name} has elements of '{kind}', which no program has")
    dtypes, shape = BY_KIND[kind[1:]], tuple(interface["shape"])
    size = int(kind[2:])
    strides = interface.get("strides")
    steps = tuple(stride // size for stride in strides) if strides is not None else contiguous(shape)
    return Array(interface["data"][0], shape, steps, dtypes, device, owner)


def of_buffer(view, name):
    format_ = view.format.lstrip("@=<")
    if format_ not in BY_FORMAT:
        raise InvalidArgument(f"{name} has elements of '{view.format}', which no program has")
    if view.readonly:
        raise InvalidArgument(f"{name} is a buffer that cannot be written, expected a writable one")
    pointer = ctypes.addressof(ctypes.c_char.from_buffer(view)) if view.nbytes else 0
    return Array(pointer, view.shape, tuple(stride // view.itemsize for stride in view.strides), BY_FORMAT[format_], None, view)


class DLTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int), ("device", ctypes.c_int), ("dimensions", ctypes.c_int),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("offset", ctypes.c_uint64)]


def of_dlpack(value, name):
    capsule = value.__dlpack__()
    pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
    pointer_of.restype, pointer_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    tensor = ctypes.cast(pointer_of(capsule, b"dltensor"), ctypes.POINTER(DLTensor)).contents
    dtypes = BY_DLPACK.get((tensor.code, tensor.bits)) if tensor.lanes == 1 else None
    if not dtypes:
        raise InvalidArgument(f"{name} has elements of DLPack's code {tensor.code} with {tensor.bits} bits, which no program has")
    if tensor.device_type != DLPACK_HOST and tensor.device_type not in DLPACK_DEVICES:
        raise InvalidArgument(f"{name} lies on a device of DLPack's kind {tensor.device_type}, expected the CPU or a GPU")
    shape = tuple(tensor.shape[:tensor.dimensions])
    strides = tuple(tensor.strides[:tensor.dimensions]) if tensor.strides else contiguous(shape)
    # The capsule that nobody consumes lets the tensor go when it dies.
    return Array((tensor.data or 0) + tensor.offset, shape, strides, dtypes, None if tensor.device_type == DLPACK_HOST else tensor.device,
                 (value, capsule))


def contiguous(shape):
    strides, step = [], 1
    for size in reversed(shape):
        strides.append(step)
        step *= size
    return tuple(reversed(strides))


# Arrays over memory that somebody else keeps.

class OnDevice:
    """What torch reads of memory on a GPU."""

    def __init__(self, pointer, size):
        self.__cuda_array_interface__ = {"shape": (size,), "typestr": "|u1", "data": (pointer, False), "version": 3}


class Empty:
    """An array without elements."""

    def __init__(self, shape, typestr):
        self.__array_interface__ = {"shape": shape, "typestr": typestr, "data": (0, False), "version": 3}


def dtype_name(dtype):
    """`bf16` of torch.bfloat16, of numpy's two bytes, or of itself."""
    if isinstance(dtype, str) and dtype in BYTES:
        return dtype
    torch, numpy = sys.modules.get("torch"), sys.modules.get("numpy")
    if torch and isinstance(dtype, torch.dtype):
        return torch_dtypes(dtype, "the array")[0]
    if numpy:
        try:
            kind = numpy.dtype(dtype).str
        except TypeError:
            kind = ""
        if kind[1:] in BY_KIND:
            return BY_KIND[kind[1:]][0]
    raise InvalidArgument(f"{dtype!r} is no element type, expected one of {', '.join(BYTES)}, or one of torch or numpy")


def over(pointer, shape, dtype, device=None):
    """An array of the library that `dtype` is of: torch or numpy; of a name, of torch if that is imported, else numpy, else a memoryview."""
    name = dtype_name(dtype)
    size = math.prod(shape) * BYTES[name]
    torch, numpy = sys.modules.get("torch"), sys.modules.get("numpy")
    if torch and (isinstance(dtype, torch.dtype) or isinstance(dtype, str)):
        wanted = dtype if isinstance(dtype, torch.dtype) else getattr(torch, TORCH_NAMES[name])
        return tensor_over(torch, pointer, size, device).view(wanted).view(*shape)
    if device is not None:
        raise InvalidArgument("memory of a GPU is for torch: import it, or give a dtype of torch")
    if numpy:
        wanted = numpy.dtype(dtype) if not isinstance(dtype, str) else numpy.dtype(kind_of(name))
        return numpy.frombuffer(bytes_at(pointer, size), dtype=wanted).reshape(shape) if size else numpy.empty(shape, wanted)
    if not size:
        return Empty(shape, "<" + kind_of(name))  # a memoryview has elements
    format_ = next(one for one, dtypes in BY_FORMAT.items() if name in dtypes)
    return memoryview(bytes_at(pointer, size)).cast("B").cast(format_, list(shape))


def kind_of(name):
    """What numpy is told: `<u2` for bf16."""
    return next(kind for kind in ("f8", "f4", "f2", "i8", "i4", "i1", "u2", "u1") if name in BY_KIND[kind])


def bytes_at(pointer, size):
    return (ctypes.c_char * size).from_address(pointer)


def tensor_over(torch, pointer, size, device):
    if device is not None:
        return torch.as_tensor(OnDevice(pointer, size), device=f"cuda:{device}")
    return torch.frombuffer(bytes_at(pointer, size), dtype=torch.uint8) if size else torch.empty(0, dtype=torch.uint8)
