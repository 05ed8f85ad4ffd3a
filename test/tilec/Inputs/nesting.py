"""Writes programs that nest deep into a folder."""
import pathlib
import sys

folder = pathlib.Path(sys.argv[1])


def branches(depth):
    lines = ["tile.program @deep(%a: memref<64x64xf32>, %b: memref<64x64xf32>) {",
             "  tile.forall (%m, %n) over %b tiles [64, 64] : memref<64x64xf32> {",
             "    %t = tile.load %a[%m, %n] tile [64, 64] : memref<64x64xf32> -> tensor<64x64xf32>",
             "    %one = arith.constant 1 : index", "    %c = arith.cmpi slt, %m, %one : index"]
    lines += ["scf.if %c {"] * depth
    lines += ["tile.store %t, %b[%m, %n] : tensor<64x64xf32>, memref<64x64xf32>"]
    lines += ["}"] * depth + ["  }", "}"]
    return "\n".join(lines) + "\n"


COPY = """tile.program @copy(%a: memref<64x64xf32>, %b: memref<64x64xf32>) ATTRIBUTES {
  tile.forall (%m, %n) over %b tiles [64, 64] : memref<64x64xf32> {
    %t = tile.load %a[%m, %n] tile [64, 64] : memref<64x64xf32> -> tensor<64x64xf32>
    tile.store %t, %b[%m, %n] : tensor<64x64xf32>, memref<64x64xf32>
  }
}
"""
sets = "affine_set<(d0) : (d0 >= 0, -d0 + 9 >= 0)>, affine_map<(d0) -> (d0)>, "
harmless = COPY.replace("ATTRIBUTES", f'attributes {{other.text = "{"[" * 900}\\"{"(" * 900}", other.sets = [{(sets * 400)[:-2]}]}}')

(folder / "if5000.mlir").write_text(branches(5000))
(folder / "if.mlir").write_text(branches(250))
(folder / "attribute.mlir").write_text(COPY.replace("ATTRIBUTES", "attributes {x = " + "[" * 50000 + "]" * 50000 + "}"))
(folder / "type.mlir").write_text("tile.program @t(%a: " + "tensor<4x" * 50000 + "f32" + ">" * 50000 + ") {\n}\n")
(folder / "signs.mlir").write_text("#map = affine_map<(d0) -> (" + "-" * 100000 + "d0)>\n" + COPY.replace("ATTRIBUTES", ""))
(folder / "sum.mlir").write_text("#map = affine_map<(d0) -> (\n" + "d0\n+ " * 100000 + "d0)>\n" + COPY.replace("ATTRIBUTES", ""))
chain = "".join(f"#a{i + 1} = [#a{i}]\n" for i in range(100000))
(folder / "aliases.mlir").write_text("#a0 = []\n" + chain + COPY.replace("ATTRIBUTES", "attributes {x = #a100000}"))
constants = "".join(f"    %k{i} = arith.constant -{i + 1} : index\n" for i in range(900))
harmless = harmless.replace("    %t", constants + "    %t", 1)
maps = "".join(f"#m{i} = affine_map<(d0) -> (d0 + {i})>\n" for i in range(900))
(folder / "harmless.mlir").write_text("// " + "{" * 900 + "\n" + maps + harmless)
