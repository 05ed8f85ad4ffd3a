"""torch.ops.tilec on two ranks of a process group."""
import unittest

from programs import run_ranks


class Operators(unittest.TestCase):
    def test_every_operator(self):
        for rank, (code, words) in enumerate(run_ranks("operators", 2)):
            self.assertIn(f"rank {rank} is right", words)
            self.assertEqual(code, 0, words)

    def test_schemas_are_those_of_torch(self):
        import torch
        try:
            import torch.distributed._symmetric_memory
        except ImportError:
            self.skipTest("this torch has no symmetric memory")
        import tilec.operators
        for name in ("fused_all_gather_matmul", "fused_matmul_reduce_scatter"):
            ours, theirs = (str(getattr(ops, name).default._schema) for ops in (torch.ops.tilec, torch.ops.symm_mem))
            self.assertEqual(ours.split("::")[1], theirs.split("::")[1])


if __name__ == "__main__":
    unittest.main()
