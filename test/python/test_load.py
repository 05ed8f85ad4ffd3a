"""Loading and launching programs of a world of one. The arrays are buffers: these tests need no library."""
import unittest
import unittest.mock

from programs import floats, path, zeros

import tilec


class Load(unittest.TestCase):
    def test_arguments_by_position_and_by_name(self):
        copy = tilec.load(path("copy"))
        a, b = floats(5, 256), zeros(5, 256)
        copy(a, b)
        self.assertEqual(a.tolist(), b.tolist())
        a = floats(5, 256, first=7)
        copy(b=b, a=a)
        self.assertEqual(a.tolist(), b.tolist())
        self.assertEqual(copy.epoch(), 2)

    def test_greatest_extents_grow_with_the_launches(self):
        copy = tilec.load(path("copy"))
        for rows, greatest in ((5, 5), (3, 5), (6, 10), (64, 64)):
            a, b = floats(rows, 256), zeros(rows, 256)
            copy(a, b)
            self.assertEqual(a.tolist(), b.tolist())
            self.assertEqual(copy.greatest, (greatest,))

    def test_greatest_extents_that_are_given_load_at_once(self):
        copy = tilec.load(path("copy"), extents={"M": 12})
        self.assertEqual(copy.greatest, (12,))
        copy(floats(12, 256), zeros(12, 256))
        with self.assertRaisesRegex(tilec.InvalidArgument, "'copy' has no extent 'N', expected 'M'"):
            tilec.load(path("copy"), extents={"N": 12})
        with self.assertRaisesRegex(tilec.BadExtents, "greatest extents M=-1"):
            tilec.load(path("copy"), extents={"M": -1})

    def test_extents_that_were_fixed_when_compiling_load_at_once(self):
        self.assertEqual(tilec.load(path("matmul-N40-K24"), extents={"M": 8}).greatest, (8, 40, 24))

    def test_strides_give_an_extent_and_conditions_are_kept(self):
        pitch = tilec.load(path("pitch"))
        wide = floats(4, 80)
        x, y = Strided(wide, (4, 64), (80 * 4, 4)), zeros(4, 64)
        pitch(x, y)
        self.assertEqual(y.tolist(), [row[:64] for row in wide.tolist()])
        with self.assertRaisesRegex(tilec.BadExtents, "M"):
            pitch(Strided(wide, (3, 64), (80 * 4, 4)), zeros(3, 64))

    def test_numbers_are_arguments(self):
        scale = tilec.load(path("scale"))
        x, y = floats(3, 64), zeros(3, 64)
        scale(0.5, x, 2, y)
        self.assertEqual(y.tolist(), [[v / 2 for v in row] for row in x.tolist()[:2]] + [[0] * 64])
        scale(alpha=-1, x=x, rows=2**31 - 1, y=y)
        self.assertEqual(y.tolist(), [[-v for v in row] for row in x.tolist()])
        scale(2.0, x, -5, y)
        self.assertEqual(y.tolist(), [[-v for v in row] for row in x.tolist()])
        for words, alpha, rows in (("argument 'rows' is a float, expected a number of i32", 1.0, 2.5),
                                   ("argument 'rows' is 2147483648, which does not fit i32", 1.0, 2**31),
                                   ("argument 'alpha' is a memoryview, expected a number of f32", x, 1)):
            with self.assertRaisesRegex(tilec.InvalidArgument, words):
                scale(alpha, x, rows, y)

    def test_what_no_argument_tells_is_given(self):
        pitch = tilec.load(path("pitch"))
        x, y = tilec.empty((0, 64)), tilec.empty((0, 64))
        with self.assertRaisesRegex(tilec.BadExtents, "'lda' cannot be told from the arguments"):
            pitch(x, y)
        pitch(x, y, extents={"lda": 64})

    def test_a_heap_array_is_given_back(self):
        before = tilec.world().allocate(256)
        tilec.world().free(Strided(None, (1,), (4,), pointer=before))
        b = tilec.empty((5, 256))
        self.assertTrue(tilec.world().holds(b))
        self.assertFalse(tilec.world().holds(zeros(1)))
        copy, a = tilec.load(path("copy"), extents={"M": 5}), floats(5, 256)
        copy(a, b)
        self.assertEqual(a.tolist(), b.tolist())
        self.assertEqual(tilec.world().remote(b, 0).tolist(), a.tolist())
        tilec.free(b)
        with self.assertRaises(tilec.InvalidArgument):
            tilec.free(b)


class Captured(unittest.TestCase):
    """The emulator is no stream of torch: what a graph may do is asked of a stand-in."""

    def test_a_launch_that_is_captured_loads_nothing(self):
        copy, a, b = tilec.load(path("copy")), floats(3, 256), zeros(3, 256)
        with unittest.mock.patch.object(tilec.World, "capturing", lambda world: True):
            with self.assertRaisesRegex(tilec.Refused, "'copy' must be loaded for M=3, which a launch that is captured cannot do"):
                copy(a, b)
        copy(a, b)
        with unittest.mock.patch.object(tilec.World, "capturing", lambda world: True):
            copy(a, b)

    def test_memory_that_a_graph_may_use_is_kept(self):
        world, = tilec.emulated_worlds(1)
        first = world.allocate(256)
        world.give_back(first)
        self.assertEqual(world.allocate(256), first)
        world.captured = True
        world.give_back(first)
        self.assertNotEqual(world.allocate(256), first)
        world.close()


class Refused(unittest.TestCase):
    """Each in words that name what is wrong."""

    def setUp(self):
        self.copy = tilec.load(path("copy"))

    def refuses(self, kind, words, *given, **named):
        with self.assertRaisesRegex(kind, words):
            self.copy(*given, **named)

    def test_arguments(self):
        a = floats(4, 256)
        self.refuses(tilec.InvalidArgument, "no 'b', expected 'a', 'b'", a)
        self.refuses(tilec.InvalidArgument, "has 2 arguments, got 3", a, a, a)
        self.refuses(tilec.InvalidArgument, "no argument 'c', expected 'a', 'b'", a, c=a)
        self.refuses(tilec.InvalidArgument, "argument 'a' is given twice", a, a=a)
        self.refuses(tilec.InvalidArgument, "argument 'b' is a int, expected a tensor of torch", a, 5)

    def test_shapes_and_elements(self):
        a = floats(4, 256)
        self.refuses(tilec.InvalidArgument, r"argument 'b' is \[5, 256\], expected \[M, 256\] = \[4, 256\], as M=4", a, zeros(5, 256))
        self.refuses(tilec.InvalidArgument, r"argument 'b' has 1 dimensions, expected \[M, 256\]", a, zeros(1024))
        self.refuses(tilec.InvalidArgument, "argument 'b' has elements of f64, expected f32", a, zeros(4, 256, code="d"))
        self.refuses(tilec.InvalidArgument, "argument 'b' has elements of 'L', which no program has", a, zeros(4, 256, code="L"))
        self.refuses(tilec.InvalidArgument, r"strides \[1, 4\], expected \[256, 1\]", a, Strided(a, (4, 256), (4, 16)))

    def test_extents(self):
        a, b = floats(4, 256), zeros(4, 256)
        self.refuses(tilec.InvalidArgument, "no extent 'N', expected 'M'", a, b, extents={"N": 1})
        self.refuses(tilec.InvalidArgument, "as M=3", a, b, extents={"M": 3})

    def test_memory(self):
        a = floats(4, 256)
        self.refuses(tilec.Overlap, "argument 'a' and argument 'b' overlap by 4096 bytes", a, a)
        self.refuses(tilec.InvalidArgument, "a buffer that cannot be written", bytes(4), a)

    def test_files(self):
        with self.assertRaisesRegex(tilec.NotFound, "cannot read '.*nothing.json'"):
            tilec.load(path("nothing"))
        with self.assertRaisesRegex(tilec.BadManifest, "copy.hip' is no manifest"):
            tilec.load(path("copy").with_suffix(".hip"))
        with self.assertRaisesRegex(tilec.NotFound, "cannot load the code: .*nothing.so"):
            tilec.load(path("copy"), extents={"M": 1}, code="nothing.so")

    def test_a_program_for_more_ranks(self):
        with self.assertRaisesRegex(tilec.BadManifest, "is for a world of 2, got 1"):
            tilec.load(path("all_gather_matmul-world2"), extents={"M": 1, "N": 1, "K": 1})

    def test_what_is_not_proven(self):
        world = tilec.emulated_worlds(5)
        limited = world[0].load(path("p"))
        with self.assertRaisesRegex(tilec.NotProven, "verified up to M=200, got M=1000"):
            limited(floats(1000, 64), zeros(1000, 64))
        for one in world:
            one.close()

    def test_a_second_world_and_one_that_is_closed(self):
        with self.assertRaisesRegex(tilec.Refused, "this process has a world"):
            tilec.init()
        world, = tilec.emulated_worlds(1)
        world.close()
        with self.assertRaisesRegex(tilec.Refused, "the world was closed"):
            world.empty(3)


class Strided:
    """An array that shows where the elements of a buffer lie."""

    def __init__(self, buffer, shape, strides, pointer=None):
        pointer = pointer if pointer is not None else tilec.arrays.describe(buffer).pointer
        self.__array_interface__ = {"shape": shape, "typestr": "<f4", "data": (pointer, False), "strides": strides, "version": 3}
        self.buffer = buffer


if __name__ == "__main__":
    unittest.main()
