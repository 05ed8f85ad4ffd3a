"""A rank of two, in a process group of torch: every operator, eagerly and as torch.compile traces it."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(__file__)))
import torch
import torch.distributed as dist
from programs import path

import tilec
from tilec import operators

dist.init_process_group("gloo")
rank, size, group = dist.get_rank(), dist.get_world_size(), dist.group.WORLD.group_name
world = tilec.init(group=dist.group.WORLD)
assert (world.rank, world.size) == (rank, size)
operators.register("fused_all_gather_matmul", path("all_gather_matmul-world2"))
operators.register("fused_all_gather_matmul", path("all_gather_matmul-M8-world2"), rows=8)
operators.register("fused_all_gather_matmul_keep", path("all_gather_matmul_keep-world2"))
operators.register("fused_matmul_reduce_scatter", path("matmul_reduce_scatter-world2"))
operators.register("matmul_all_reduce", path("matmul_all_reduce-world2"))
OPS = torch.ops.tilec


def draw(*shape, seed):
    """Small integers: sums are exact in any order."""
    return torch.randint(-2, 3, shape, generator=torch.Generator().manual_seed(seed)).bfloat16()


def same(got, wanted):
    torch.testing.assert_close(got.float(), wanted.float(), rtol=1 / 256, atol=0)
    assert got.dtype == torch.bfloat16


def shards(*shape):
    """What every rank has, of one drawing."""
    return [draw(*shape, seed=one) for one in range(size)]


def gathers(m, n, k, dim=0, shape=None):
    all_a = shards(*(shape or (m, k)))
    full = torch.cat(all_a, dim)
    weights = [draw(n, k, seed=10 + rank), draw(k, 2 * n, seed=20 + rank).t()]
    products = [full.float() @ weight.t().float() for weight in weights]
    a, (first, second) = OPS.fused_all_gather_matmul(all_a[rank], [weight.t() for weight in weights], dim, group)
    same(a, full)
    same(first, products[0])
    same(second, products[1])
    a, (first,) = OPS.fused_all_gather_matmul(all_a[rank], [weights[0].t()], dim, group, return_A=False)
    assert a is None
    same(first, products[0])


def scatters(m, n, k, op, dim=0, shape=None):
    """`m` rows on each rank; or A of a shape with more dimensions."""
    all_a, weights = shards(*(shape or (size * m, k))), [draw(n, k, seed=30 + one) for one in range(size)]
    total = sum(a.float() @ weight.t().float() for a, weight in zip(all_a, weights)) / (size if op == "avg" else 1)
    same(OPS.fused_matmul_reduce_scatter(all_a[rank], weights[rank].t(), op, dim, group), total.chunk(size, dim)[rank])
    same(OPS.matmul_all_reduce(all_a[rank], weights[rank].t(), op, group), total)


gathers(8, 40, 24)
gathers(13, 16, 40)
gathers(None, 16, 24, dim=1, shape=(2, 3, 24))
scatters(5, 40, 24, "sum")
scatters(20, 16, 8, "avg")
scatters(None, 16, 24, "sum", dim=1, shape=(3, 4, 24))

# The bucket is the one with the least bound that has room; of it the programs whose conditions hold.
chosen = [operators.choose(world, "fused_all_gather_matmul", ((m, 24), (40, 24), (2 * m, 40)), "bf16").program.path for m in (8, 7, 9)]
assert chosen == [path(f"all_gather_matmul{bucket}-world2") for bucket in ("-M8", "", "")], chosen
# A tensor of the heap is taken as it is.
candidate = operators.choose(world, "fused_all_gather_matmul", ((13, 40), (16, 40), (26, 16)), "bf16")
staged = {number: place.clone() for number, place in candidate.staged.items()}
own = tilec.empty((13, 40), torch.bfloat16)
own.copy_(shards(13, 40)[rank] + 1)
_, (got,) = OPS.fused_all_gather_matmul(own, [draw(16, 40, seed=1).t()], 0, group, return_A=False)
same(got, (torch.cat(shards(13, 40)) + 1).float() @ draw(16, 40, seed=1).float().t())
assert all(torch.equal(place, candidate.staged[number]) for number, place in staged.items())


# Weights that lie K x N are copied, until programs take them so. Then the backward pass of a layer copies none: B is the weight itself.
def program_of(b, operator="fused_all_gather_matmul", m=13):
    return operators.choose(world, operator, ((m, 40), (16, 40), (2 * m, 16)), "bf16", operators.lies_across(b)).program.path


wide = draw(40, 16, seed=2)
assert program_of(wide) == path("all_gather_matmul-world2")
operators.register("fused_all_gather_matmul", path("all_gather_matmul_across-world2"))
operators.register("fused_matmul_reduce_scatter", path("matmul_reduce_scatter_across-world2"))
assert program_of(wide) == path("all_gather_matmul_across-world2") and program_of(wide.t().contiguous().t()) == path("all_gather_matmul-world2")
assert program_of(wide, m=8) == path("all_gather_matmul-M8-world2")
_, (got,) = OPS.fused_all_gather_matmul(shards(13, 40)[rank], [wide], 0, group, return_A=False)
same(got, torch.cat(shards(13, 40)).float() @ wide.float())
all_g, weights = shards(size * 6, 24), [draw(24, 40, seed=60 + one) for one in range(size)]
total = sum(g.float() @ weight.float() for g, weight in zip(all_g, weights))
same(OPS.fused_matmul_reduce_scatter(all_g[rank], weights[rank], "sum", 0, group), total.chunk(size)[rank])
assert [one.across for one in world.operators["fused_matmul_reduce_scatter"]] == [False, True]


# A tensor-parallel MLP, traced.
def mlp(x, up, down):
    _, (h,) = OPS.fused_all_gather_matmul(x, [up.t()], 0, group, return_A=False)
    return OPS.fused_matmul_reduce_scatter(torch.relu(h), down.t(), "sum", 0, group)


x, up, down = draw(4, 24, seed=rank), draw(16, 24, seed=40 + rank), draw(24, 16, seed=50 + rank)
traced = torch.compile(mlp, backend="aot_eager", fullgraph=True)(x, up, down)
assert torch.equal(traced, mlp(x, up, down))
shapes = OPS.fused_all_gather_matmul(x.to("meta"), [up.t().to("meta")], 0, group)
assert shapes[0].shape == (8, 24) and shapes[1][0].shape == (8, 16), shapes
assert OPS.matmul_all_reduce(x.to("meta"), up.t().to("meta"), "sum", group).shape == (4, 16)


def refuses(kind, words, call):
    try:
        call()
    except kind as error:
        assert words in str(error), error
    else:
        raise AssertionError(f"expected: {words}")


refuses(tilec.InvalidArgument, "gather_dim 1, expected 0 to 0", lambda: OPS.fused_all_gather_matmul(x, [up.t()], 1, group))
refuses(tilec.InvalidArgument, "reduce_op 'max', expected 'sum' or 'avg'", lambda: OPS.matmul_all_reduce(x, up.t(), "max", group))
refuses(tilec.InvalidArgument, "no world is named 'x'", lambda: OPS.matmul_all_reduce(x, up.t(), "sum", "x"))
refuses(tilec.InvalidArgument, "expected K x N", lambda: OPS.matmul_all_reduce(x, up, "sum", group))
refuses(tilec.InvalidArgument, "expected the same", lambda: OPS.matmul_all_reduce(x, up.t().float(), "sum", group))
refuses(tilec.InvalidArgument, "expected a multiple of the 2 ranks", lambda: OPS.fused_matmul_reduce_scatter(x[:3], up.t(), "sum", 0, group))
refuses(tilec.NotFound, "no program of matmul_all_reduce takes (4, 24)", lambda: OPS.matmul_all_reduce(x.float(), up.t().float(), "sum", group))
refuses(tilec.InvalidArgument, "expected across=False where it is N x K", lambda: operators.register("matmul_all_reduce", path("matmul_all_reduce-N40-K40-world2")))
operators.register("matmul_all_reduce", path("matmul_all_reduce-N40-K40-world2"), across=False)
refuses(tilec.InvalidArgument, "is no operator", lambda: operators.register("matmul", path("all_gather_matmul-world2")))
refuses(tilec.InvalidArgument, "expected a, b, gathered, c",
        lambda: operators.register("fused_all_gather_matmul_keep", path("all_gather_matmul-world2")))
print(f"rank {rank} is right")
world.close()
dist.destroy_process_group()
