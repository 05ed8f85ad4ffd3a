"""torch.ops.tilec: products fused with collectives, with the schemas that torch.ops.symm_mem has, over programs that were registered."""
import dataclasses
import functools
import math

import torch

from . import arrays
from .errors import Error, InvalidArgument, NotFound
from .world import named, world as default_world

GATHER, GATHER_KEEP, SCATTER, REDUCE = ("fused_all_gather_matmul", "fused_all_gather_matmul_keep", "fused_matmul_reduce_scatter",
                                        "matmul_all_reduce")
# The arguments of each operator's programs, in their order.
ARGUMENTS = {GATHER: "a, b, c", GATHER_KEEP: "a, b, gathered, c", SCATTER: "a, b, c", REDUCE: "a, b, c"}
SCHEMAS = {
    GATHER: "(Tensor A, Tensor[] Bs, int gather_dim, str group_name, *, bool return_A = True) -> (Tensor?, Tensor[])",
    SCATTER: "(Tensor A, Tensor B, str reduce_op, int scatter_dim, str group_name) -> Tensor",
    REDUCE: "(Tensor A, Tensor B, str reduce_op, str group_name) -> Tensor",
}


# Programs, and which of them a launch takes.

@dataclasses.dataclass
class Candidate:
    program: object
    rows: float      # of A on each rank, at most
    across: bool     # its b is K x N, not N x K
    staged: dict = dataclasses.field(default_factory=dict)  # of symmetric arguments: memory of the heap

    def described(self, shapes, dtype):
        """What it would be launched with; of `shapes` that of b is N x K."""
        a, b, *others = shapes
        return [arrays.Array(0, shape, arrays.contiguous(shape), (dtype,), None, None) for shape in (a, b[::-1] if self.across else b, *others)]

    def packed(self, B):
        """B (K x N) as the program takes it. Nothing is copied where it lies so: N x K is the transpose of a weight as Linear keeps it."""
        return B.contiguous() if self.across else B.t().contiguous()


def register(operator, path, rows=None, world=None, extents=None, code=None, across=None):
    """Makes a program one that `operator` may launch, for up to `rows` rows of A on each rank. Every rank registers the same in the same
    order. Its arguments are a (M x K), b (N x K, the weight as torch.nn.Linear keeps it, or K x N) and c, for
    `fused_all_gather_matmul_keep` a, b, what was gathered, and c. `across` says whether b is K x N; without it the manifest does, by which of
    b's extents is a's K. Where both are, it has to be said."""
    if operator not in ARGUMENTS:
        raise InvalidArgument(f"'{operator}' is no operator, expected one of {', '.join(ARGUMENTS)}")
    world = world or default_world()
    program = world.load(path, extents, code)
    if len(program.manifest.buffers) != len(program.arguments) or len(program.arguments) != len(ARGUMENTS[operator].split(", ")):
        raise InvalidArgument(f"'{program.name}' has the arguments {', '.join(program.arguments)}, expected {ARGUMENTS[operator]}")
    if program.manifest.world != world.size:
        raise InvalidArgument(f"'{program.name}' is for a world of {program.manifest.world}, got {world.size}")
    if across is None:
        depth, b = program.manifest.arguments[0].shape[-1].text, [one.text for one in program.manifest.arguments[1].shape]
        if b[0] == b[-1]:
            raise InvalidArgument(f"'{program.name}' has a b of {b[0]} x {b[-1]}, expected across=False where it is N x K, and across=True where it is K x N")
        across = b[0] == depth
    world.operators.setdefault(operator, []).append(Candidate(program, math.inf if rows is None else rows, across))
    world.operators[operator].sort(key=lambda one: one.rows)
    world.chosen.clear()


def choose(world, operator, shapes, dtype, across=False):
    """The candidate with the least bound on rows that takes these shapes, of which that of b is N x K: of several the first registered whose
    b lies as this one, and if there is none the first. `across`: b lies K x N. By shapes and by how b lies alone, so that all ranks choose
    alike. None where there is none."""
    key = (operator, shapes, dtype, across)
    if key not in world.chosen:
        able = [one for one in world.operators.get(operator, ()) if one.rows >= shapes[0][0] and takes(one.program, one.described(shapes, dtype))]
        least = [one for one in able if one.rows == able[0].rows]
        world.chosen[key] = next((one for one in least if one.across == across), least[0] if least else None)
    return world.chosen[key]


def takes(program, described):
    try:
        return program.manifest.allows(program.bind(described))
    except Error:
        return False


def required(world, operator, shapes, dtype, B):
    found = choose(world, operator, shapes, dtype, lies_across(B))
    if not found:
        known = "; ".join(f"'{one.program.name}' ({one.program.path}) for up to {one.rows} rows" for one in world.operators.get(operator, ()))
        raise NotFound(f"no program of {operator} takes {', '.join(map(str, shapes))} of {dtype}, registered: {known or 'none'}")
    return found


def launch(world, candidate, inputs, outputs):
    """`inputs` and `outputs` are tensors. What must be symmetric and is not goes through memory of the heap."""
    program = candidate.program
    given, back = [], []
    for i, (argument, tensor) in enumerate(zip(program.manifest.arguments, [*inputs, *outputs])):
        if argument.symmetric and not world.holds(tensor):
            place = staging(world, candidate, i, tensor)
            if i < len(inputs):
                place.copy_(tensor)
            else:
                back.append((tensor, place))
            tensor = place
        given.append(tensor)
    program(*given)
    for tensor, place in back:
        tensor.copy_(place)


def staging(world, candidate, number, tensor):
    """Memory of the heap for an argument, the same for all launches: who launches again has left the launch before, with all its peers."""
    size = tensor.numel() * tensor.element_size()
    known = candidate.staged.get(number)
    if known is None or known.numel() < size:
        if known is not None:
            world.give_back(known.data_ptr())
        known = candidate.staged[number] = world.empty(max(size, 1), torch.uint8)
    return known[:size].view(tensor.dtype).view(tensor.shape)


# The operators.

def rows_of(A, dim):
    """A as rows of K with dimension `dim` first, and the sizes of what comes before K then."""
    moved = A.movedim(dim, 0)
    return moved.reshape(-1, moved.shape[-1]).contiguous(), list(moved.shape[:-1])


def require(A, Bs, dim, what):
    if A.dim() < 2 or any(B.dim() != 2 for B in Bs):
        raise InvalidArgument(f"A has {A.dim()} dimensions and B {', '.join(str(B.dim()) for B in Bs)}, expected at least 2 and 2")
    if any(B.shape[0] != A.shape[-1] for B in Bs):
        raise InvalidArgument(f"A is {list(A.shape)} and B {', '.join(str(list(B.shape)) for B in Bs)}, expected K x N for rows of K")
    if any(B.dtype != A.dtype for B in Bs):
        raise InvalidArgument(f"A has elements of {A.dtype} and B {', '.join(str(B.dtype) for B in Bs)}, expected the same")
    if not 0 <= dim < A.dim() - 1:
        raise InvalidArgument(f"{what} {dim}, expected 0 to {A.dim() - 2}: the dimension of K stays on its rank")


def require_sum(reduce_op):
    if reduce_op not in ("sum", "avg"):
        raise InvalidArgument(f"reduce_op '{reduce_op}', expected 'sum' or 'avg'")


def lies_across(B):
    """Whether B (K x N) lies so in memory, and is not the transpose of what lies N x K."""
    return B.is_contiguous() and not B.t().is_contiguous()


def name_of(tensor):
    return arrays.torch_dtypes(tensor.dtype, "A")[0]


def fused_all_gather_matmul(A, Bs, gather_dim, group_name, *, return_A=True):
    require(A, Bs, gather_dim, "gather_dim")
    world = named(group_name)
    rows, sizes = rows_of(A, gather_dim)
    count, depth = rows.shape[0] * world.size, rows.shape[1]

    def unflatten(tensor):
        return tensor.view(world.size * sizes[0], *sizes[1:], tensor.shape[1]).movedim(0, gather_dim)

    gathered, products = None, []
    for i, B in enumerate(Bs):
        c = A.new_empty((count, B.shape[1]))
        keeps = return_A and i == 0
        shapes = (tuple(rows.shape), tuple(B.t().shape), *([(count, depth)] if keeps else []), tuple(c.shape))
        candidate = required(world, GATHER_KEEP if keeps else GATHER, shapes, name_of(A), B)
        outputs = [c]
        if keeps:
            gathered = A.new_empty((count, depth))
            outputs = [gathered, c]
        launch(world, candidate, [rows, candidate.packed(B)], outputs)
        products.append(unflatten(c))
    return unflatten(gathered) if gathered is not None else None, products


def fused_matmul_reduce_scatter(A, B, reduce_op, scatter_dim, group_name):
    require(A, [B], scatter_dim, "scatter_dim")
    require_sum(reduce_op)
    world = named(group_name)
    if A.shape[scatter_dim] % world.size:
        raise InvalidArgument(f"dimension {scatter_dim} of A is {A.shape[scatter_dim]}, expected a multiple of the {world.size} ranks")
    rows, sizes = rows_of(A, scatter_dim)
    c = A.new_empty((rows.shape[0] // world.size, B.shape[1]))
    candidate = required(world, SCATTER, (tuple(rows.shape), tuple(B.t().shape), tuple(c.shape)), name_of(A), B)
    launch(world, candidate, [rows, candidate.packed(B)], [c])
    return averaged(c, reduce_op, world).view(sizes[0] // world.size, *sizes[1:], B.shape[1]).movedim(0, scatter_dim)


def matmul_all_reduce(A, B, reduce_op, group_name):
    require(A, [B], 0, "dimension")
    require_sum(reduce_op)
    world = named(group_name)
    rows = A.reshape(-1, A.shape[-1]).contiguous()
    c = A.new_empty((rows.shape[0], B.shape[1]))
    candidate = required(world, REDUCE, (tuple(rows.shape), tuple(B.t().shape), tuple(c.shape)), name_of(A), B)
    launch(world, candidate, [rows, candidate.packed(B)], [c])
    return averaged(c, reduce_op, world).view(*A.shape[:-1], B.shape[1])


def averaged(tensor, reduce_op, world):
    return tensor.div_(world.size) if reduce_op == "avg" else tensor


# What torch.compile asks: shapes alone.

def meta_all_gather_matmul(A, Bs, gather_dim, group_name, *, return_A=True):
    require(A, Bs, gather_dim, "gather_dim")
    size = named(group_name).size

    def gathered(width):
        moved = list(A.movedim(gather_dim, 0).shape)
        return A.new_empty((moved[0] * size, *moved[1:-1], width)).movedim(0, gather_dim)

    return gathered(A.shape[-1]) if return_A and Bs else None, [gathered(B.shape[1]) for B in Bs]


def meta_matmul_reduce_scatter(A, B, reduce_op, scatter_dim, group_name):
    require(A, [B], scatter_dim, "scatter_dim")
    moved = list(A.movedim(scatter_dim, 0).shape)
    return A.new_empty((moved[0] // named(group_name).size, *moved[1:-1], B.shape[1])).movedim(0, scatter_dim)


def meta_matmul_all_reduce(A, B, reduce_op, group_name):
    require(A, [B], 0, "dimension")
    return A.new_empty((*A.shape[:-1], B.shape[1]))


@functools.lru_cache(maxsize=None)
def library():
    """Defines the operators, once."""
    made = torch.library.Library("tilec", "DEF")
    functions = {GATHER: (fused_all_gather_matmul, meta_all_gather_matmul),
                 SCATTER: (fused_matmul_reduce_scatter, meta_matmul_reduce_scatter), REDUCE: (matmul_all_reduce, meta_matmul_all_reduce)}
    for name, (function, meta) in functions.items():
        try:
            made.define(name + SCHEMAS[name], tags=[torch.Tag.needs_fixed_stride_order])
        except (AttributeError, TypeError):  # of a torch before 2.1
            made.define(name + SCHEMAS[name])
        for key in ("CPU", "CUDA"):
            made.impl(name, function, key)
        made.impl(name, meta, "Meta")
    return made


library()
