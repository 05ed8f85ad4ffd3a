"""Arrays of numpy, and what else says where its elements lie."""
import unittest

import numpy
from programs import path

import tilec


def bf16(values):
    return (numpy.asarray(values, numpy.float32).view(numpy.uint32) >> 16).astype(numpy.uint16)


def f32(values):
    return (values.astype(numpy.uint32) << 16).view(numpy.float32)


class Arrays(unittest.TestCase):
    def test_a_product_of_a_world_of_one(self):
        m, n, k = 33, 40, 24
        draw = numpy.random.default_rng(1)
        x, gate, up = (bf16(draw.integers(-2, 3, size)) for size in ((m, k), (n, k), (n, k)))
        bias, h = numpy.zeros(n, numpy.float32), tilec.empty((m, n), numpy.uint16)
        self.assertIsInstance(h, numpy.ndarray)
        tilec.load(path("matmul"))(x, gate, up, bias, h)
        gated = f32(x) @ f32(gate).T
        expected = gated / (1 + numpy.exp(-gated)) * (f32(x) @ f32(up).T)
        numpy.testing.assert_allclose(f32(h), expected, rtol=1 / 128, atol=1e-3)

    def test_names_of_elements_and_dlpack(self):
        a, b = numpy.arange(5 * 256, dtype=numpy.float32).reshape(5, 256), tilec.empty((5, 256), "f32")
        self.assertEqual((b.dtype, b.shape), (numpy.float32, (5, 256)))
        self.assertTrue(numpy.isnan(b).all())
        tilec.load(path("copy"))(Capsule(a), b)
        self.assertTrue((a == b).all())
        self.assertEqual(tilec.empty((0, 3), numpy.int8).shape, (0, 3))

    def test_what_no_program_has(self):
        copy, a = tilec.load(path("copy")), numpy.zeros((2, 256), numpy.float32)
        with self.assertRaisesRegex(tilec.InvalidArgument, "'b' has elements of '<c8', which no program has"):
            copy(a, a.astype(numpy.complex64))
        with self.assertRaisesRegex(tilec.InvalidArgument, "'b' has elements of bf16, expected f32"):
            copy(a, a.astype(numpy.uint16))
        with self.assertRaisesRegex(tilec.InvalidArgument, "'b' has elements of DLPack's code 5 with 64 bits"):
            copy(a, Capsule(a.astype(numpy.complex64)))
        with self.assertRaisesRegex(tilec.InvalidArgument, r"strides \[1, 256\], expected \[256, 1\]"):
            copy(numpy.zeros((256, 256), numpy.float32), numpy.zeros((256, 256), numpy.float32).T)
        with self.assertRaisesRegex(tilec.InvalidArgument, "'float33' is no element type"):
            tilec.empty(3, "float33")


class Capsule:
    """Speaks DLPack alone."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self):
        return self.array.__dlpack__()


if __name__ == "__main__":
    unittest.main()
