"""The libraries that bench.py calls beside torch, by ctypes: the runtime's C API, cuBLASLt, NVML and the kernels of Probe.cu.
All of them work on the stream and in the memory of torch."""
import ctypes
import math

import torch

C = ctypes


def stream():
    return C.c_void_p(torch.cuda.current_stream().cuda_stream)


def require(status, what):
    if status != 0:
        raise RuntimeError(f"{what}: error {status}")


class Tilec:
    """Programs of one rank. `library` is the runtime that runtime/runner/run built; the ranks of a world are processes, which name one job."""

    class Options(C.Structure):
        _fields_ = [("rank", C.c_int), ("size", C.c_int), ("heap_bytes", C.c_size_t), ("signal_bytes", C.c_size_t), ("device", C.c_int),
                    ("device_index", C.c_int), ("job", C.c_char_p), ("deadline_ns", C.c_ulonglong), ("join_deadline_ns", C.c_ulonglong)]

    def __init__(self, library, rank=0, size=1, job="", heap_bytes=1 << 20):
        self.api = C.CDLL(str(library))
        self.api.tilec_last_error.restype = C.c_char_p
        for name in ("tilec_world_destroy", "tilec_program_destroy"):
            getattr(self.api, name).restype = None
            getattr(self.api, name).argtypes = [C.c_void_p]
        hip = 1
        options = self.Options(rank, size, heap_bytes, 1 << 28, hip, torch.cuda.current_device(), job.encode(), 5_000_000_000, 30_000_000_000)
        self.world = C.c_void_p()
        make = self.api.tilec_world_create if size == 1 else self.api.tilec_world_join
        self.check(make(C.byref(options), C.byref(self.world)))

    def check(self, status):
        if status != 0:
            raise RuntimeError(self.api.tilec_last_error().decode())

    def synchronize(self):
        self.check(self.api.tilec_synchronize(self.world, stream()))

    def reset(self):
        """By all ranks, after a failure."""
        self.check(self.api.tilec_world_reset(self.world))

    def destroy(self):
        self.api.tilec_world_destroy(self.world)


class Heap:
    """Tensors in the symmetric heap of a world. Every rank makes the same ones in the same order."""

    def __init__(self, tilec):
        self.tilec = tilec

    def empty(self, *shape, dtype=torch.bfloat16):
        size = math.prod(shape) * torch.empty(0, dtype=dtype).element_size()
        pointer = C.c_void_p()
        self.tilec.check(self.tilec.api.tilec_heap_alloc(self.tilec.world, C.c_size_t(size), C.byref(pointer)))
        self.__cuda_array_interface__ = {"shape": (size,), "typestr": "|u1", "data": (pointer.value, False), "version": 3}
        return torch.as_tensor(self, device="cuda").view(dtype).view(*shape)

    def free(self, tensor):
        self.tilec.check(self.tilec.api.tilec_heap_free(self.tilec.world, C.c_void_p(tensor.data_ptr())))


class Program:
    """`heap` makes and frees the workspace where ranks write each other's; else torch does."""

    def __init__(self, tilec, folder, extents, heap=None):
        self.tilec, self.heap = tilec, heap
        manifest = next(folder.glob("*.json"))
        self.count = len(extents)
        self.extents = (C.c_int64 * self.count)(*extents)
        self.handle = C.c_void_p()
        code = manifest.with_suffix(".so")
        tilec.check(tilec.api.tilec_program_load(tilec.world, str(manifest).encode(), str(code).encode(), self.extents, self.count,
                                                 C.byref(self.handle)))
        needed = C.c_size_t()
        tilec.check(tilec.api.tilec_workspace_bytes(self.handle, self.extents, self.count, C.byref(needed)))
        self.workspace = self.make_workspace(needed.value) if needed.value else None
        self.clear()

    def clear(self):
        """Zeroes what is persistent, before the first launch and after a failure."""
        if self.workspace is not None:
            self.tilec.check(self.tilec.api.tilec_workspace_clear(self.handle, C.c_void_p(self.workspace.data_ptr())))

    def make_workspace(self, size):
        if self.heap:
            return self.heap.empty(size, dtype=torch.uint8).fill_(255)
        return torch.full((size,), 255, dtype=torch.uint8, device="cuda")

    def launch(self, tensors):
        pointers = (C.c_void_p * len(tensors))(*(t.data_ptr() for t in tensors))
        workspace = C.c_void_p(self.workspace.data_ptr() if self.workspace is not None else None)
        self.tilec.check(self.tilec.api.tilec_launch(self.handle, stream(), pointers, len(tensors), self.extents, self.count, workspace, 0))

    def destroy(self):
        self.tilec.api.tilec_program_destroy(self.handle)
        if self.heap and self.workspace is not None:
            self.heap.free(self.workspace)


class Cublas:
    """c = a * b^T, or a * b (`across`), or with a^T for a (`left_across`), by cuBLASLt, all row-major: column-major c^T = b * a^T. Sums in f32,
    `fast` or not for fp8 as said."""

    WORKSPACE, HEURISTICS = 32 << 20, 8
    COMPUTE_32F, OP_N, OP_T = 68, 0, 1
    TYPES = {torch.float32: 0, torch.bfloat16: 14, torch.float8_e4m3fn: 28}
    TRANSA, TRANSB, A_SCALE, B_SCALE, FAST_ACCUM, MAX_WORKSPACE = 3, 4, 17, 18, 25, 1

    class Heuristic(C.Structure):
        _fields_ = [("algo", C.c_uint64 * 8), ("workspace", C.c_size_t), ("state", C.c_int), ("waves", C.c_float), ("reserved", C.c_int * 4)]

    def __init__(self, m, n, k, operand, result, fast=False, across=False, left_across=False):
        self.api = C.CDLL("libcublasLt.so.13")
        self.handle, self.operation = C.c_void_p(), C.c_void_p()
        require(self.api.cublasLtCreate(C.byref(self.handle)), "cublasLtCreate")
        require(self.api.cublasLtMatmulDescCreate(C.byref(self.operation), self.COMPUTE_32F, 0), "cublasLtMatmulDescCreate")
        self.describe(self.TRANSA, C.c_int(self.OP_N if across else self.OP_T))
        self.describe(self.TRANSB, C.c_int(self.OP_T if left_across else self.OP_N))
        self.one_on_device = torch.ones(1, device="cuda")
        if operand == torch.float8_e4m3fn:
            for scale in (self.A_SCALE, self.B_SCALE):
                self.describe(scale, C.c_void_p(self.one_on_device.data_ptr()))
            self.describe(self.FAST_ACCUM, C.c_int8(fast))
        self.layouts = [self.layout(operand, *((n, k) if across else (k, n))), self.layout(operand, *((m, k) if left_across else (k, m))),
                        self.layout(result, n, m)]
        self.workspace = torch.empty(self.WORKSPACE, dtype=torch.uint8, device="cuda")
        self.one, self.zero = C.c_float(1), C.c_float(0)
        self.algorithms = self.find()
        self.chosen = 0

    def describe(self, attribute, value):
        require(self.api.cublasLtMatmulDescSetAttribute(self.operation, attribute, C.byref(value), C.c_size_t(C.sizeof(value))),
                f"attribute {attribute} of a product")

    def layout(self, dtype, rows, columns):
        made = C.c_void_p()
        require(self.api.cublasLtMatrixLayoutCreate(C.byref(made), self.TYPES[dtype], C.c_uint64(rows), C.c_uint64(columns), C.c_int64(rows)),
                "cublasLtMatrixLayoutCreate")
        return made

    def find(self):
        preference = C.c_void_p()
        require(self.api.cublasLtMatmulPreferenceCreate(C.byref(preference)), "cublasLtMatmulPreferenceCreate")
        most = C.c_size_t(self.WORKSPACE)
        require(self.api.cublasLtMatmulPreferenceSetAttribute(preference, self.MAX_WORKSPACE, C.byref(most), C.c_size_t(C.sizeof(most))),
                "the workspace of a product")
        found, count = (self.Heuristic * self.HEURISTICS)(), C.c_int()
        left, right, result = self.layouts
        require(self.api.cublasLtMatmulAlgoGetHeuristic(self.handle, self.operation, left, right, result, result, preference,
                                                        self.HEURISTICS, found, C.byref(count)), "cublasLtMatmulAlgoGetHeuristic")
        return found[:count.value]

    def launch(self, a, b, c):
        left, right, result = self.layouts
        out = C.c_void_p(c.data_ptr())
        algorithm = self.algorithms[self.chosen]
        require(self.api.cublasLtMatmul(self.handle, self.operation, C.byref(self.one), C.c_void_p(b.data_ptr()), left,
                                        C.c_void_p(a.data_ptr()), right, C.byref(self.zero), out, result, out, result,
                                        C.byref(algorithm.algo), C.c_void_p(self.workspace.data_ptr()), C.c_size_t(self.WORKSPACE), stream()),
                "cublasLtMatmul")


class Nvml:
    """The power that the device takes now, in watts; None where NVML does not say."""

    POWER_INSTANT = 186  # NVML_FI_DEV_POWER_INSTANT

    class Field(C.Structure):
        _fields_ = [("field", C.c_uint), ("scope", C.c_uint), ("timestamp", C.c_longlong), ("latency", C.c_longlong), ("type", C.c_int),
                    ("status", C.c_int), ("value", C.c_uint64)]

    def __init__(self):
        self.device = None
        try:
            self.api = C.CDLL("libnvidia-ml.so.1")
            device = C.c_void_p()
            if self.api.nvmlInit_v2() == 0 and self.api.nvmlDeviceGetHandleByIndex_v2(0, C.byref(device)) == 0:
                self.device = device
        except OSError:
            pass

    def watts(self):
        field = self.Field(self.POWER_INSTANT)
        if self.device is None or self.api.nvmlDeviceGetFieldValues(self.device, 1, C.byref(field)) != 0 or field.status != 0:
            return None
        return (field.value & 0xffffffff) / 1000


class Probe:
    """The kernels of Probe.cu, and what they need."""

    FLUSH_BYTES = 256 << 20  # several times the L2

    def __init__(self, library):
        self.api = C.CDLL(str(library))
        self.units = torch.cuda.get_device_properties(0).multi_processor_count
        self.flushed = torch.ones(self.FLUSH_BYTES // 4, dtype=torch.int32, device="cuda")
        self.sink = torch.zeros(1, dtype=torch.int32, device="cuda")

    def clocks(self):
        """A place for what every multiprocessor says."""
        return torch.zeros((self.units, 2), dtype=torch.int64, device="cuda")

    def read_clocks(self, into):
        require(self.api.probe_clock(C.c_void_p(into.data_ptr()), self.units, stream()), "probe_clock")

    @staticmethod
    def megahertz(before, after):
        """The mean clock between two readings, by the multiprocessors that both have."""
        (cycles, nanoseconds) = (after - before).cpu().double().unbind(1)
        seen = (before[:, 1] > 0).cpu() & (after[:, 1] > 0).cpu() & (nanoseconds > 0)
        return float((cycles[seen] / nanoseconds[seen]).median() * 1000)

    def flush(self):
        self.read(self.flushed)

    def read(self, tensor):
        size = C.c_size_t(tensor.numel() * tensor.element_size())
        require(self.api.probe_read(C.c_void_p(tensor.data_ptr()), size, C.c_void_p(self.sink.data_ptr()), stream()), "probe_read")

    def copy(self, to, source):
        size = C.c_size_t(source.numel() * source.element_size())
        require(self.api.probe_copy(C.c_void_p(to.data_ptr()), C.c_void_p(source.data_ptr()), size, stream()), "probe_copy")

    def merge(self, means, logs, out):
        """What ranks have attended to: means of ranks x queries x heads x depth, logarithms of ranks x heads x queries."""
        pointers = (C.c_void_p(tensor.data_ptr()) for tensor in (means, logs, out))
        require(self.api.probe_merge(*pointers, *means.shape, stream()), "probe_merge")

    def event(self):
        made = C.c_void_p()
        require(self.api.probe_event(C.byref(made)), "probe_event")
        return made

    def record(self, event):
        require(self.api.probe_record(event, stream()), "probe_record")

    def microseconds(self, begin, end):
        elapsed = C.c_float()
        require(self.api.probe_elapsed(begin, end, C.byref(elapsed)), "probe_elapsed")
        return elapsed.value * 1000
