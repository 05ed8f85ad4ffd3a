"""Wheels: of programs that `tilec --package` makes, and of the package itself. Needs no library."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import zipfile

from programs import floats, zeros

import tilec
from tilec import package

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
COPY = ROOT / "examples/00_copy/copy.mlir"


def run(*words, **environment):
    done = subprocess.run(words, env={**os.environ, **environment}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    return done.returncode, done.stdout


class Wheels(unittest.TestCase):
    def setUp(self):
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.folder = pathlib.Path(made.name) / "two-copies"

    def package(self, *options):
        code, words = run(os.environ["TILEC"], COPY, "--package", self.folder, *options)
        self.assertEqual(code, 0, words)
        return pathlib.Path(words.removeprefix("package: ").strip())

    def install(self, wheel):
        """As pip does, where there is no pip."""
        site = self.folder.parent / "site"
        code, words = run(sys.executable, "-m", "pip", "install", "--no-index", "--no-deps", "--target", site, wheel)
        if code and "No module named pip" in words:
            with zipfile.ZipFile(wheel) as archive:
                archive.extractall(site)
        else:
            self.assertEqual(code, 0, words)
        return site

    def test_programs_are_installed_and_loaded(self):
        first = self.package("--world", "1", "--emulated")
        wheel = self.package("--world", "1", "--extent", "M=3", "--emulated")
        self.assertEqual(wheel.name.split("-")[0], "two_copies")
        self.assertNotEqual(wheel.name, first.name)
        self.assertEqual(sorted(self.folder.glob("*.whl")), [wheel])
        sys.path.insert(0, str(self.install(wheel)))
        self.addCleanup(sys.path.pop, 0)
        a, b = floats(3, 256), zeros(3, 256)
        for name in ("two_copies/copy", "two_copies/copy-M3"):
            b[0, 0] = 9
            tilec.load(name)(a, b)
            self.assertEqual(a.tolist(), b.tolist())
        with self.assertRaisesRegex(tilec.InvalidArgument, r"argument 'a' is \[4, 256\], expected \[3, 256\]$"):
            tilec.load("two_copies/copy-M3")(floats(4, 256), zeros(4, 256))
        with self.assertRaisesRegex(tilec.NotFound, "no program 'two_copies/move' is installed, expected 'two_copies/copy', 'two_copies/copy-M3'"):
            tilec.load("two_copies/move")

    def test_equal_contents_make_equal_bytes_and_the_record_is_of_them(self):
        wheel = self.package("--world", "1", "--emulated")
        before = wheel.read_bytes()
        self.assertEqual(self.package("--world", "1", "--emulated"), wheel)
        self.assertEqual(wheel.read_bytes(), before)
        with zipfile.ZipFile(wheel) as archive:
            names = archive.namelist()
            record = next(name for name in names if name.endswith(".dist-info/RECORD"))
            lines = archive.read(record).decode().splitlines()
            self.assertEqual([line.split(",")[0] for line in lines], names)
            for name, digest, size in (line.split(",") for line in lines[:-1]):
                self.assertEqual((digest, int(size)), (package.digest(archive.read(name)), len(archive.read(name))))

    def test_the_package_itself_with_its_runtime(self):
        library = next(place for place in tilec.library.places() if place.is_file())
        code, words = run(sys.executable, package.__file__, "--runtime", library, self.folder)
        self.assertEqual(code, 0, words)
        site = self.install(words.removeprefix("package: ").strip())
        code, words = run(sys.executable, "-c", "import tilec; print(tilec.world(), tilec.library.api()._name)", PYTHONPATH=str(site))
        self.assertEqual((code, words.split(" /")[0]), (0, "<tilec.World rank 0 of 1>"), words)
        self.assertIn(str(site), words)

    def test_code_for_a_gpu_is_made_by_its_compiler(self):
        """Stand-ins for nvcc and hipcc write down what they were given."""
        tools = self.folder.parent / "bin"
        tools.mkdir()
        for tool in ("nvcc", "hipcc"):
            (tools / tool).write_text('#!/bin/sh\necho "$@" >> "$0.words"\nfor last; do :; done\necho code > "$last"\n')
            (tools / tool).chmod(0o755)
        path = f"{tools}:{os.environ['PATH']}"
        for target, tool, words in (("sm_90a", "nvcc", "-gencode=arch=compute_90a,code=sm_90a"), ("gfx942-mi325x", "hipcc", "--offload-arch=gfx942 ")):
            code, said = run(os.environ["TILEC"], COPY, "--world", "1", "--package", self.folder, "--target", target, PATH=path, CUDA_HOME=str(tools / ".."))
            self.assertEqual(code, 0, said)
            self.assertIn(words, (tools / f"{tool}.words").read_text())
        (tools / "nvcc").write_text("#!/bin/sh\nexit 5\n")
        code, said = run(os.environ["TILEC"], COPY, "--world", "1", "--package", self.folder, "--target", "sm_90a", PATH=path, CUDA_HOME=str(tools / ".."))
        self.assertEqual(code, 1)
        self.assertRegex(said, "error: cannot compile '.*copy.hip': .*nvcc ended with exit code 5")
        code, said = run(os.environ["TILEC"], COPY, "--world", "1", "--package", self.folder, "--target", "sm_90a", CUDA_HOME="/nothing")
        self.assertRegex(said, "error: cannot compile '.*copy.hip': /nothing/bin/nvcc: No such file or directory; --emulated makes code")

    def test_what_is_no_folder_of_programs(self):
        for words, said in (([], "expected FOLDER, or --runtime LIBRARY FOLDER"), ([str(self.folder.parent)], "no manifest of a program in")):
            code, output = run(sys.executable, package.__file__, *words)
            self.assertEqual(code, 1)
            self.assertIn(said, output)


if __name__ == "__main__":
    unittest.main()
