"""What a program's manifest says (docs/manifest.schema.json), as far as Python asks: arguments, and extents that follow from them."""
import dataclasses
import json
import pathlib

from .errors import BadExtents, BadManifest, InvalidArgument, NotFound
from .expression import Expression, listed


@dataclasses.dataclass(frozen=True)
class Argument:
    name: str
    dtype: str
    shape: tuple     # of Expression
    strides: tuple   # of Expression, in elements; None: row-major without gaps
    symmetric: bool

    def is_number(self):
        return not self.shape

    def expected(self):
        return "[" + ", ".join(one.text for one in self.shape) + "]"


class Manifest:
    def __init__(self, text, where="the manifest"):
        try:
            data = json.loads(text)
            self.program, self.target, self.world = data["program"], data["target"], data["world"]
            self.extents = tuple(data["extents"])
            self.arguments = tuple(map(argument, data["arguments"]))
            self.buffers = tuple(one for one in self.arguments if not one.is_number())
            self.conditions = [(Expression(one["left"]), one["relation"], Expression(one["right"])) for one in data.get("conditions", ())]
            self.resident = any("workgroups" in one["progress"] for one in data["kernels"])
            verified = data.get("verified", {})
            self.verified, self.limits = verified.get("extents", ()), verified.get("limits", ())
        except (json.JSONDecodeError, KeyError, TypeError) as error:
            raise BadManifest(f"{where} is no manifest of a program: {error!r}") from error
        self.text = text
        self.fixed = self.solved({}, {})

    @classmethod
    def read(cls, path):
        try:
            return cls(pathlib.Path(path).read_text(), f"'{path}'")
        except OSError as error:
            raise NotFound(f"cannot read '{path}': {error.strerror}") from error

    def solved(self, sizes, given):
        """The extents that follow from `sizes` (a list of expression, its value and where that was seen), from those that are `given`
        and from the program's conditions."""
        values = dict(given)
        equations = [(expression, value) for expression, value, _ in sizes]
        found = True
        while found:
            found = False
            known = equations + [(one, other(values)) for left, relation, right in self.conditions if relation == "=="
                                 for one, other in ((left, right), (right, left)) if other.names <= values.keys()]
            for expression, value in known:
                answer = expression.solve(value, values)
                if answer:
                    values[answer[0]] = answer[1]
                    found = True
        return values

    def bind(self, arrays, given=None):
        """The extents of a launch with these arrays, one for each buffer, in the manifest's order. Raises InvalidArgument where an array
        does not fit."""
        given = dict(given or {})
        for name in given:
            if name not in self.extents:
                raise InvalidArgument(f"'{self.program}' has no extent '{name}', expected {names(self.extents)}")
        sizes = []
        for argument, array in zip(self.buffers, arrays):
            self.require_kind(argument, array)
            sizes += [(one, size, f"'{argument.name}' dimension {i}") for i, (one, size) in enumerate(zip(argument.shape, array.shape))]
            if argument.strides:
                sizes += [(one, stride, f"'{argument.name}' stride {i}")
                          for i, (one, stride, size) in enumerate(zip(argument.strides, array.strides, array.shape)) if size > 1]
        values = self.solved(sizes, given)
        missing = [name for name in self.extents if name not in values]
        if missing:
            raise BadExtents(f"'{self.program}': {names(missing)} cannot be told from the arguments, expected extents={{'{missing[0]}': ...}}")
        for argument, array in zip(self.buffers, arrays):
            self.require_shape(argument, array, values)
        return tuple(values[name] for name in self.extents)

    def allows(self, extents):
        """Whether the runtime takes a launch with these extents, in the manifest's order, as far as conditions and proofs say."""
        values = dict(zip(self.extents, extents))
        for left, relation, right in self.conditions:
            if not (left(values) == right(values) if relation == "==" else left(values) <= right(values)):
                return False
        if self.resident:
            return any(all(known in (None, value) for known, value in zip(sample, extents)) for sample in self.verified)
        return all(most is None or value <= most for most, value in zip(self.limits, extents))

    def require_kind(self, argument, array):
        if argument.dtype not in array.dtypes:
            raise InvalidArgument(f"'{self.program}': argument '{argument.name}' has elements of {array.dtypes[0]}, expected {argument.dtype}")
        if len(array.shape) != len(argument.shape):
            raise InvalidArgument(f"'{self.program}': argument '{argument.name}' has {len(array.shape)} dimensions, expected "
                                  f"{argument.expected()}")

    def require_shape(self, argument, array, values):
        shape = tuple(one(values) for one in argument.shape)
        if shape != array.shape:
            follows = f" = {list(shape)}, as {listed(values)}" if argument.expected() != str(list(shape)) else ""
            raise InvalidArgument(f"'{self.program}': argument '{argument.name}' is {list(array.shape)}, expected {argument.expected()}{follows}")
        strides = tuple(one(values) for one in argument.strides) if argument.strides else row_major(shape)
        steps = [(got, wanted) for got, wanted, size in zip(array.strides, strides, shape) if size > 1]
        if 0 not in shape and any(got != wanted for got, wanted in steps):
            raise InvalidArgument(f"'{self.program}': argument '{argument.name}' has strides {list(array.strides)}, expected {list(strides)} "
                                  f"elements for {list(shape)}" + ("" if argument.strides else ", contiguous"))


def argument(data):
    strides = data.get("strides")
    return Argument(data["name"], data["dtype"], tuple(map(Expression, data["shape"])),
                    tuple(map(Expression, strides)) if strides is not None else None, data["symmetric"])


def row_major(shape):
    strides, step = [], 1
    for size in reversed(shape):
        strides.append(step)
        step *= size
    return tuple(reversed(strides))


def names(all_of):
    return ", ".join(f"'{name}'" for name in all_of) or "none"
