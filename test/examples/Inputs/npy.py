"""Writes one-dimensional .npy files of four-byte elements without numpy."""
import struct


def save(path, numbers, kind):
    """`kind`: f for f32, i for i32."""
    header = f"{{'descr': '<{kind}4', 'fortran_order': False, 'shape': ({len(numbers)},), }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        file.write(struct.pack(f"<{len(numbers)}{kind}", *numbers))
