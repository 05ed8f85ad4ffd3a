"""Tensors of torch on the CPU."""
import unittest

import torch
from programs import path

import tilec


class Tensors(unittest.TestCase):
    def test_a_product_into_the_heap(self):
        m, n, k = 33, 40, 24
        x, gate, up = (torch.randn(size).bfloat16() for size in ((m, k), (n, k), (n, k)))
        bias, h = torch.randn(n), tilec.empty((m, n), torch.bfloat16)
        self.assertTrue(h.isnan().all())
        tilec.load(path("matmul"))(x, gate, up, bias, h=h)
        expected = torch.nn.functional.silu(x.float() @ gate.float().T + bias) * (x.float() @ up.float().T)
        torch.testing.assert_close(h.float(), expected, rtol=1 / 64, atol=1 / 64)

    def test_views_have_their_places(self):
        pitch = tilec.load(path("pitch"))
        wide, y = torch.randn(4, 100), torch.empty(4, 64)
        pitch(wide[:, 36:], y)
        self.assertTrue(torch.equal(wide[:, 36:], y))
        with self.assertRaisesRegex(tilec.InvalidArgument, "'y' has strides .*contiguous"):
            pitch(wide[:, 36:], wide[:, :64])

    def test_elements_and_places_that_no_program_takes(self):
        copy, a = tilec.load(path("copy")), torch.zeros(2, 256)
        with self.assertRaisesRegex(tilec.InvalidArgument, "'b' has elements of bf16, expected f32"):
            copy(a, a.bfloat16())
        with self.assertRaisesRegex(tilec.InvalidArgument, "'b' has elements of torch.complex64, which no program has"):
            copy(a, a.to(torch.complex64))
        with self.assertRaisesRegex(tilec.InvalidArgument, "'b' lies on 'meta', expected a tensor of the CPU or a GPU"):
            copy(a, a.to("meta"))

    def test_names_make_tensors(self):
        self.assertEqual(tilec.empty((2, 3), "bf16").dtype, torch.bfloat16)
        self.assertEqual(tilec.empty((0, 3), torch.float32).shape, (0, 3))
        again = tilec.empty(7, torch.int64)
        tilec.world().remote(again, 0).fill_(5)
        self.assertEqual(again.tolist(), [5] * 7)

    def test_a_world_over_memory_of_the_application(self):
        """As torch's symmetric memory gives it: addresses of each rank."""
        heap, signals = torch.zeros(1 << 16, dtype=torch.uint8), torch.zeros(1 << 16, dtype=torch.uint8)
        places = [tensor.data_ptr() + -tensor.data_ptr() % 256 for tensor in (heap, signals)]
        world = tilec.World.adopt(0, places[:1], 1 << 15, places[1:], 1 << 15, names=["mine"], keeps=(heap, signals))
        b = world.empty((5, 256), torch.float32)
        self.assertEqual(b.data_ptr(), places[0])
        a = torch.randn(5, 256)
        world.load(path("copy"))(a, b)
        self.assertTrue(torch.equal(a, b))
        world.close()


if __name__ == "__main__":
    unittest.main()
