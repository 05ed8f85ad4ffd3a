"""The tensor-parallel MLP of the README, on two ranks."""
import pathlib
import subprocess
import sys
import unittest

from programs import FOLDER

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
EXAMPLE = ROOT / "runtime/python/examples/mlp.py"


class Mlp(unittest.TestCase):
    def test_torchrun_starts_it_and_it_is_right(self):
        done = subprocess.run([sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2",
                               pathlib.Path(__file__).parent / "ranks/mlp.py", EXAMPLE, FOLDER],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout)
        for rank in range(2):
            self.assertIn(f"rank {rank}: 20 x 64 of norm", done.stdout)
            self.assertIn(f"rank {rank} is right", done.stdout)

    def test_the_readme_shows_it(self):
        indented = "".join("    " + line if line.strip() else line for line in EXAMPLE.read_text().splitlines(keepends=True))
        self.assertTrue(indented in (ROOT / "README.md").read_text(), "README.md has another text than runtime/python/examples/mlp.py")


if __name__ == "__main__":
    unittest.main()
