"""eighth.py FILE.npy...: divides bf16 elements by 8 in place, as trained weights are about one part in the root of their number."""
import struct
import sys

for name in sys.argv[1:]:
    data = open(name, "rb").read()
    start = 10 + struct.unpack("<H", data[8:10])[0]
    words = struct.unpack(f"<{(len(data) - start) // 2}H", data[start:])
    scaled = [word - (3 << 7) if word & 0x7f80 > 3 << 7 else word & 0x8000 for word in words]
    open(name, "wb").write(data[:start] + struct.pack(f"<{len(scaled)}H", *scaled))
