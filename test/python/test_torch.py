"""Tensors of torch on the CPU."""
import sys
import types
import unittest
import unittest.mock

import torch
import torch.distributed as dist
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

    def test_a_heap_of_torchs_symmetric_memory(self):
        """On the CPU torch has none: a stand-in gives what a group of one would get."""
        class Memory(types.ModuleType):
            @staticmethod
            def empty(size, dtype, device):
                whole = torch.full((size + 256,), 255, dtype=dtype, device=device)
                start = -whole.data_ptr() % 256
                return whole[start:start + size]

            @staticmethod
            def rendezvous(tensor, group):
                return types.SimpleNamespace(rank=0, world_size=1, buffer_ptrs=[tensor.data_ptr()])

        dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
        tilec.world().close()
        name = "torch.distributed._symmetric_memory"
        with unittest.mock.patch.dict(sys.modules, {name: Memory(name)}), unittest.mock.patch.object(dist, "_symmetric_memory", Memory(name), create=True):
            world = tilec.init(group=dist.group.WORLD, symmetric_memory=True, heap_bytes=1 << 16, signal_bytes=1 << 16)
        self.assertEqual((world.rank, world.size, world.names), (0, 1, ("tilec", dist.group.WORLD.group_name)))
        a, b = torch.randn(5, 256), tilec.empty((5, 256), torch.float32)
        tilec.load(path("copy"), extents={"M": 5})(a, b)
        self.assertTrue(torch.equal(a, b))
        dist.destroy_process_group()
        world.close()
        with self.assertRaisesRegex(tilec.InvalidArgument, "symmetric_memory is that of a process group"):
            tilec.init(symmetric_memory=True)


if __name__ == "__main__":
    unittest.main()
