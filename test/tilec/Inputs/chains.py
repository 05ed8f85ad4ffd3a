"""Programs with chains that are longer than a stack is deep, one file each: chains.py FOLDER LENGTH"""
import os
import sys

folder, length = sys.argv[1], int(sys.argv[2])
strided = "memref<64xf32, strided<[1], offset: ?>>"
load = "tile.load %a[{}] tile [64] : memref<64xf32> -> tensor<64xf32>\n"


def chain(first, last, line):
    names = [first, *(f"%c{i}" for i in range(length)), last]
    return "".join(f"{b} = {line.format(a)}\n" for a, b in zip(names, names[1:]))


def write(name, program, task):
    with open(os.path.join(folder, name + ".mlir"), "w") as file:
        file.write(f"""tile.program @{name}(%a: memref<64xf32>, %b: memref<64xf32>) world 2 extents [%a: 64] [%b: 64] {{
%zero = arith.constant 0 : index
%rank = tile.rank
%first = memref.subview %a[%zero] [64] [1] : memref<64xf32> to {strided}
{program}tile.kernel @k {{
  tile.role @w {{
    tile.forall (%i) in [1] {{
      %none = tile.join()
{task}      tile.store %t, %b[%i] : tensor<64xf32>, memref<64xf32>
    }}
  }}
}}
}}
""")


product = "arith.muli {}, %rank : index"
write("scalars", chain("%rank", "%at", product), "%t = " + load.format("%at"))
write("scalars_of_a_task", "", chain("%i", "%at", product) + "%t = " + load.format("%at"))
write("joins", "", chain("%none", "%all", "tile.join({0}, {0})") + "%t = " + load.format("%i").replace(" :", " after %all :"))
write("views", chain("%first", "%v", "memref.subview {} [%zero] [64] [1] : " + strided + " to " + strided),
      f"%t = tile.load %v[%i] tile [64] : {strided} -> tensor<64xf32>\n")


def write_loop(name, links, line):
    with open(os.path.join(folder, name + ".mlir"), "w") as file:
        names = ["%i", *(f"%c{i}" for i in range(links))]
        body = "".join(f"{b} = {line.format(a)}\n" for a, b in zip(names, names[1:]))
        file.write(f"""tile.program @{name}(%a: memref<64xf32>, %b: memref<64xf32>) world 2 {{
%zero = arith.constant 0 : index
tile.forall (%i) in [1] {{
{body}%t = tile.load %a at ({names[-1]}) tile [64] : memref<64xf32> -> tensor<64xf32>
tile.store %t, %b[%i] : tensor<64xf32>, memref<64xf32>
}}
}}
""")


write_loop("sums", length, "arith.addi {}, %zero : index")
write_loop("doubled", 60, "arith.addi {0}, {0} : index")
