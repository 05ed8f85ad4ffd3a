"""Ranks that are processes, as launchers start them. Needs no library."""
import time
import unittest

from programs import run_ranks


class Ranks(unittest.TestCase):
    def works(self, launcher):
        for rank, (code, words) in enumerate(run_ranks("gather", 2, "3x40x24", "5x16x40", "1x8x8", launcher=launcher)):
            self.assertEqual((code, words.strip()), (0, f"rank {rank} of 2: 3 launches"))

    def test_as_torchrun_starts_them(self):
        self.works("torchrun")

    def test_as_mpi_starts_them(self):
        self.works("Open MPI")

    def test_as_the_application_says(self):
        self.works("nobody")

    def test_other_extents_on_one_rank_fail_on_both_and_a_reset_mends_it(self):
        for code, words in run_ranks("unlike", 2, "extents"):
            self.assertRegex(words, r"LaunchFailed|Refused")
            self.assertIn("'reason': 'mismatch'", words)
            self.assertIn("again: 1", words)
            self.assertEqual(code, 0)

    def test_a_rank_that_ends_by_an_exception_fails_the_others_at_once(self):
        start = time.monotonic()
        (code, words), (other, _) = run_ranks("unlike", 2, "end")
        self.assertEqual((code, other), (3, 1))
        self.assertRegex(words, r"(LaunchFailed|Refused): .*rank 1 \(process \d+\) ended while the others need it")
        self.assertLess(time.monotonic() - start, 50)


if __name__ == "__main__":
    unittest.main()
