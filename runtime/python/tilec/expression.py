"""Integer expressions over extents, as manifests have them: + - * / (rounding down), ceildiv, mod, min, max."""
import ast
import re

from .errors import BadExtents, BadManifest

FUNCTIONS = {"ceildiv": lambda a, b: -(-a // b), "mod": lambda a, b: a % b, "min": min, "max": max}
OPERATORS = {ast.Add: lambda a, b: a + b, ast.Sub: lambda a, b: a - b, ast.Mult: lambda a, b: a * b, ast.Div: lambda a, b: a // b}
NAME = re.compile(r"[A-Za-z_]\w*")
# An extent may have the name of a Python keyword.
PREFIX = "extent_"


class Expression:
    """`text` is a number or a string. `names` are the extents that it speaks of."""

    def __init__(self, text):
        self.text = str(text)
        try:
            self.tree = ast.parse(NAME.sub(PREFIX + r"\g<0>", self.text), mode="eval").body
        except SyntaxError as error:
            raise BadManifest(f"'{self.text}' is no expression") from error
        self.names = {name for name in NAME.findall(self.text) if name not in FUNCTIONS}

    def __call__(self, values):
        """Its value where every name has one."""
        try:
            return self.evaluate(self.tree, values)
        except ZeroDivisionError as error:
            raise BadExtents(f"'{self.text}' divides by zero with {listed(values)}") from error

    def evaluate(self, node, values):
        if isinstance(node, ast.Constant) and type(node.value) is int:
            return node.value
        if isinstance(node, ast.Name):
            return values[node.id[len(PREFIX):]]
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return -self.evaluate(node.operand, values)
        if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
            return OPERATORS[type(node.op)](self.evaluate(node.left, values), self.evaluate(node.right, values))
        function = FUNCTIONS.get(node.func.id[len(PREFIX):]) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else None
        if function:
            return function(*(self.evaluate(one, values) for one in node.args))
        raise BadManifest(f"'{self.text}' is no expression")

    def solve(self, result, values):
        """The value of the one name that has none, with which this is `result`; None where no line through two points says it."""
        unknown = [name for name in self.names if name not in values]
        if len(unknown) != 1:
            return None

        def at(value):
            return self({**values, unknown[0]: value})

        start, slope = at(0), at(1) - at(0)
        if slope == 0 or (result - start) % slope != 0:
            return None
        found = (result - start) // slope
        return (unknown[0], found) if found >= 0 and at(found) == result else None


def listed(values):
    """`M=5, N=7`."""
    return ", ".join(f"{name}={value}" for name, value in values.items())
