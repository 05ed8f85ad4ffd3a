"""Writes arrays of f32 in .npy files into a folder; numpy is not needed."""
import pathlib
import struct
import sys


def write(name, shape):
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    count = shape[0] * shape[1]
    content = struct.pack(f"<{count}f", *(i % 97 for i in range(count)))
    path = pathlib.Path(sys.argv[1]) / name
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + content)


write("rows.npy", (10, 256))
write("expressions.npy", (10, 11))
