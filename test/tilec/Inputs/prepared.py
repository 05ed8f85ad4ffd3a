"""Says what a folder of `tilec run --prepare` holds: prepared.py <folder>. Reads .npy with the standard library alone."""
import json
import pathlib
import struct
import sys

folder = pathlib.Path(sys.argv[1])


def array(name):
    data = (folder / name).read_bytes()
    header = 10 + struct.unpack("<H", data[8:10])[0]
    code = {"<f8": "d", "<V2": "H"}[eval(data[10:header])["descr"]]
    return struct.unpack(f"<{(len(data) - header) // struct.calcsize(code)}{code}", data[header:])


prepared = json.loads((folder / "launch.json").read_text())
launch = prepared["launches"][0]
arguments = ", ".join(f"{a['name']} {a['type']} {a['sizes']} {a['strides']}" for a in launch["arguments"])
print(f"{prepared['program']} of world {prepared['world']}: extents {launch['extents']}, arguments {arguments}")
before = [struct.unpack("<f", struct.pack("<I", bits << 16))[0] for bits in array("x-0-0.before.npy")]
rows, columns = launch["extents"]
values, bounds = array("y-0-0.after.npy"), array("y-0-0.bound.npy")
sums = [abs(sum(values[r * columns:(r + 1) * columns]) - 1) for r in range(rows)]
# Every element is rounded to bf16.
slack = [sum(bounds[r * columns:(r + 1) * columns]) + 1 / 256 for r in range(rows)]
print(f"the input stays: {list(array('x-0-0.after.npy')) == before}; "
      f"rows sum to one within their bounds: {all(s <= b for s, b in zip(sums, slack))}")
