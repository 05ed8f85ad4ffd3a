"""Writes .npy files into a folder, right and wrong ones, without numpy: arrays.py FOLDER"""
import pathlib
import struct
import sys


def array(descr, shape, data):
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data


folder = pathlib.Path(sys.argv[1])
values = struct.pack("<256f", *range(256))
(folder / "right.npy").write_bytes(array("<f4", (4, 64), values))
(folder / "dtype.npy").write_bytes(array("<f8", (4, 64), values * 2))
(folder / "shape.npy").write_bytes(array("<f4", (5, 64), values + values[:256]))
(folder / "truncated.npy").write_bytes(array("<f4", (4, 64), values[:-4]))
(folder / "header.npy").write_bytes(array("<f4", (4, 64), values)[:40])
