"""Symbolic sizes of torch as dimensions of this package.

torch describes a size as an expression of sympy over symbols such as ``s0``, each with a
range, and guards: conditions that the traced graph relies on.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from ..dims import DynShapeVar, Size

# Of shape variables whose range torch does not bound: as of dimensions without one.
MAX_SIZE = 4096


class Declared(NamedTuple):
    """A ``Dim`` of torch."""

    name: str
    low: int | None


class SymbolTable:
    """The shape variables of one graph.

    ``declared``: what the user has said of symbols; ``max_size``: the upper end of ranges
    that torch does not bound.
    """

    def __init__(
        self, declared: Mapping[str, Declared] | None = None, max_size: int = MAX_SIZE
    ) -> None:
        self._declared, self._max_size = dict(declared or {}), max_size
        self._variables: dict[str, DynShapeVar] = {}

    @property
    def variables(self) -> list[DynShapeVar]:
        """In the order in which they were met."""
        return list(self._variables.values())

    def tensor(self, name: str, shape: Iterable[Any]) -> list[Size]:
        """The dimensions of an argument; what cannot be expressed is a variable of its own."""
        return [self.size(extent, f"{name}_{index}") for index, extent in enumerate(shape)]

    def size(self, extent: Any, name: str) -> Size:
        if isinstance(extent, int):
            return extent
        dim = self._read(extent.node.expr, extent.node.shape_env)
        if dim is not None:
            return dim
        return self._variables.setdefault(name, DynShapeVar(name, 0, self._max_size))

    def _read(self, expr: Any, env: Any) -> Size | None:
        """None for what polynomials and floor divisions do not express."""
        if expr.is_Integer:
            return int(expr)
        if expr.is_Symbol:
            return self._symbol(expr, env)
        kind = type(expr).__name__
        operands = [self._read(operand, env) for operand in expr.args]
        known = [operand for operand in operands if operand is not None]
        if len(known) != len(operands):
            return None
        if kind == "Add":
            return _fold_sum(known)
        if kind == "Mul":
            return _fold_product(known)
        if kind == "Pow" and isinstance(known[1], int) and known[1] > 0:
            return _fold_product([known[0]] * known[1])
        if kind in ("FloorDiv", "CleanDiv") and isinstance(known[1], int) and known[1] > 0:
            return known[0] // known[1]
        return None

    def _symbol(self, symbol: Any, env: Any) -> DynShapeVar:
        declared = self._declared.get(str(symbol), Declared(str(symbol), None))
        name = identifier(declared.name)
        if name not in self._variables:
            low, high = _bounds(env.var_to_range.get(symbol), self._max_size)
            # torch never starts below 2, as it compiles for 0 and 1 on their own.
            low = low if declared.low is None else min(low, declared.low)
            multiple = _divisor(symbol, env)
            if -(-low // multiple) * multiple > high:
                high = -(-low // multiple) * multiple
            self._variables[name] = DynShapeVar(name, low, high, multiple)
        return self._variables[name]


def identifier(name: str) -> str:
    """As near to ``name`` as an identifier can be."""
    text = re.sub(r"\W", "_", name, flags=re.ASCII)
    return text if re.match(r"[A-Za-z_]", text) else f"_{text}"


def _fold_sum(sizes: list[Size]) -> Size:
    total: Size = 0
    for size in sizes:
        total = total + size
    return total


def _fold_product(sizes: list[Size]) -> Size:
    total: Size = 1
    for size in sizes:
        total = total * size
    return total


def _bounds(interval: Any, max_size: int) -> tuple[int, int]:
    """torch's infinities, and the largest number that it counts to, are no bound."""
    if interval is None:
        return 0, max_size
    low = int(interval.lower) if interval.lower.is_Integer else 0
    high = int(interval.upper) if interval.upper.is_Integer else max_size
    return max(low, 0), high if high < 2**31 else max(low, max_size)


def _divisor(symbol: Any, env: Any) -> int:
    """What divides every value, by a guard ``Eq(Mod(s0, 16), 0)``."""
    found = 1
    for guard in env.guards:
        condition = guard.expr
        if type(condition).__name__ != "Equality" or condition.rhs != 0:
            continue
        left = condition.lhs
        is_modulus = type(left).__name__ in ("Mod", "PythonMod") and left.args[0] == symbol
        if is_modulus and left.args[1].is_Integer:
            found = math.lcm(found, int(left.args[1]))
    return found
