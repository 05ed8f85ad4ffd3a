"""Writes a program of as many statements, each of which reads what the one before has written: statements.py N > chain.mlir"""
import sys

count = int(sys.argv[1])
buffer = "memref<?x64xf32>"
print(f"tile.program @chain<%M>(%a: {buffer}, %c: {buffer}) extents [%a: %M, 64] [%c: %M, 64] {{")
for i in range(1, count):
    print(f"  %t{i} = tile.alloc [%M, 64] : {buffer}")
names = ["%a"] + [f"%t{i}" for i in range(1, count)] + ["%c"]
for source, to in zip(names, names[1:]):
    print(f"""  tile.forall (%m, %n) over {to} tiles [16, 64] : {buffer} {{
    %x = tile.load {source}[%m, %n] tile [16, 64] : {buffer} -> tensor<16x64xf32>
    %y = arith.addf %x, %x : tensor<16x64xf32>
    tile.store %y, {to}[%m, %n] : tensor<16x64xf32>, {buffer}
  }}""")
print("}")
