"""Dimensions that are known only at run time.

A :class:`DynShapeVar` is a symbol with a range; arithmetic with it gives a
:class:`Dim`, a polynomial with integer coefficients over shape variables and floor
divisions of such. Two dimensions are known to be equal if their polynomials are.

>>> T = DynShapeVar("T", 1, 128)
>>> 16 * T + 16
16*T + 16
>>> (16 * T).evaluate({"T": 5})
80
>>> 4 * T * T == T * (T + T) * 2
True
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Iterator, Mapping
from functools import reduce
from typing import Union

from .errors import InvalidArgumentError

Size = Union[int, "Dim"]
"""A dimension: a number, or an expression of shape variables."""


class Atom:
    """What polynomials are made of: a variable, or a floor division."""

    sort_key: tuple[object, ...]

    def evaluate(self, values: Mapping[str, int]) -> int:
        raise NotImplementedError

    def variables(self) -> Iterator["DynShapeVar"]:
        raise NotImplementedError


def _order(monomial: "Monomial") -> tuple[object, ...]:
    return (-len(monomial), [str(atom.sort_key) for atom in monomial])


Monomial = tuple[Atom, ...]


class Dim:
    """A dimension that depends on shape variables. Immutable."""

    _terms: tuple[tuple[Monomial, int], ...]

    def __init__(self, terms: Mapping[Monomial, int]) -> None:
        self._terms = tuple(
            sorted(((m, c) for m, c in terms.items() if c), key=lambda t: _order(t[0]))
        )

    @property
    def terms(self) -> tuple[tuple[Monomial, int], ...]:
        """Products of atoms with their coefficients; the constant has no atoms."""
        return self._terms

    # Arithmetic.

    def __add__(self, other: Size) -> Size:
        if not isinstance(other, (int, Dim)):
            return NotImplemented
        sums = dict(self._terms)
        for monomial, coefficient in _terms_of(other):
            sums[monomial] = sums.get(monomial, 0) + coefficient
        return simplify(Dim(sums))

    __radd__ = __add__

    def __mul__(self, other: Size) -> Size:
        if not isinstance(other, (int, Dim)):
            return NotImplemented
        products: dict[Monomial, int] = {}
        for left, a in self._terms:
            for right, b in _terms_of(other):
                key = tuple(sorted(left + right, key=lambda atom: str(atom.sort_key)))
                products[key] = products.get(key, 0) + a * b
        return simplify(Dim(products))

    __rmul__ = __mul__

    def __neg__(self) -> Size:
        return self * -1

    def __sub__(self, other: Size) -> Size:
        if not isinstance(other, (int, Dim)):
            return NotImplemented
        return self + other * -1

    def __rsub__(self, other: Size) -> Size:
        return -self + other

    def __floordiv__(self, divisor: Size) -> Size:
        """Rounds down; exact where it can be, as ``16 * T // 8 == 2 * T``."""
        if not isinstance(divisor, (int, Dim)):
            return NotImplemented
        if isinstance(divisor, int) and divisor <= 0:
            raise InvalidArgumentError(f"cannot divide {self} by {divisor}")
        exact = divide(self, divisor)
        if exact is not None:
            return exact
        if not isinstance(divisor, int):
            raise InvalidArgumentError(
                f"cannot divide {self} by {divisor}: only exact divisions by an "
                "expression are known; divide by a number"
            )
        return Dim({(FloorDiv(self, divisor),): 1})

    # Questions.

    def evaluate(self, values: Mapping[str, int]) -> int:
        """The number for given values of the variables. Raises a ``KeyError`` for one
        that has none."""
        return sum(
            coefficient * reduce(lambda p, atom: p * atom.evaluate(values), monomial, 1)
            for monomial, coefficient in self._terms
        )

    def variables(self) -> Iterator["DynShapeVar"]:
        """The shape variables in it, with repetitions."""
        for monomial, _ in self._terms:
            for atom in monomial:
                yield from atom.variables()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Dim) and self._terms == other._terms

    def __hash__(self) -> int:
        return hash(self._terms)

    def __bool__(self) -> bool:
        raise TypeError(f"whether {self} is zero is known at run time only")

    def __index__(self) -> int:
        raise TypeError(f"the value of {self} is known at run time only")

    def __repr__(self) -> str:
        text = ""
        for monomial, coefficient in self._terms:
            sign = "-" if coefficient < 0 else "+"
            factors = [str(abs(coefficient))] if abs(coefficient) != 1 or not monomial else []
            product = "*".join(factors + [str(atom) for atom in monomial])
            text += f" {sign} {product}" if text else ("-" if sign == "-" else "") + product
        is_division = len(self._terms) == 1 and text.startswith("(")
        return text[1:-1] if is_division and len(self._terms[0][0]) == 1 else text


class DynShapeVar(Dim, Atom):
    """A dimension whose value each call chooses.

    ``name``: an identifier. ``low`` and ``high``: the inclusive range that kernels are
    chosen and tuned for; calls outside of it are served, by a general kernel.
    ``multiple_of``: what divides every value. Raises an ``InvalidArgumentError`` if the
    range is empty.
    """

    def __init__(self, name: str, low: int = 1, high: int = 4096, multiple_of: int = 1) -> None:
        if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
            raise InvalidArgumentError(f"shape variable {name!r}: the name is no identifier")
        for what, number in (("low", low), ("high", high), ("multiple_of", multiple_of)):
            if isinstance(number, bool) or not isinstance(number, int):
                raise TypeError(f"shape variable {name}: {what} is {number!r}; expected an int")
        if multiple_of < 1:
            raise InvalidArgumentError(
                f"shape variable {name}: multiple_of must be positive, got {multiple_of}"
            )
        if low < 0 or -(-low // multiple_of) * multiple_of > high:
            raise InvalidArgumentError(
                f"shape variable {name}: [{low}, {high}] holds no size that is a multiple "
                f"of {multiple_of}"
            )
        self.name, self.low, self.high, self.multiple_of = name, low, high, multiple_of
        self.sort_key = ("0", name, low, high, multiple_of)
        super().__init__({(self,): 1})

    def evaluate(self, values: Mapping[str, int]) -> int:
        return values[self.name]

    def variables(self) -> Iterator["DynShapeVar"]:
        yield self

    def __eq__(self, other: object) -> bool:
        if isinstance(other, DynShapeVar):
            return self.sort_key == other.sort_key
        return False

    def __hash__(self) -> int:
        return hash(self.sort_key)

    def __repr__(self) -> str:
        return self.name


class FloorDiv(Atom):
    """A polynomial divided by a positive number, rounded down."""

    def __init__(self, numerator: Dim, divisor: int) -> None:
        self.numerator, self.divisor = numerator, divisor
        self.sort_key = ("1", str(numerator), divisor)

    def evaluate(self, values: Mapping[str, int]) -> int:
        return self.numerator.evaluate(values) // self.divisor

    def variables(self) -> Iterator[DynShapeVar]:
        return self.numerator.variables()

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, FloorDiv)
            and self.numerator == other.numerator
            and self.divisor == other.divisor
        )

    def __hash__(self) -> int:
        return hash((self.numerator, self.divisor))

    def __repr__(self) -> str:
        numerator = str(self.numerator)
        if len(self.numerator.terms) > 1:
            numerator = f"({numerator})"
        return f"({numerator}//{self.divisor})"


def _terms_of(size: Size) -> tuple[tuple[Monomial, int], ...]:
    return size.terms if isinstance(size, Dim) else (((), size),)


def simplify(dim: Dim) -> Size:
    """A number where no variable is left, and a variable where that is all."""
    if not dim.terms:
        return 0
    monomial, coefficient = dim.terms[0]
    if len(dim.terms) > 1 or len(monomial) > 1:
        return dim
    if not monomial:
        return coefficient
    if coefficient == 1 and isinstance(monomial[0], DynShapeVar):
        return monomial[0]
    return dim


def divide(size: Size, divisor: Size) -> Size | None:
    """The exact quotient by a product; None if there is none."""
    terms = _terms_of(divisor)
    if len(terms) != 1:
        return 1 if size == divisor else None
    atoms, number = terms[0]
    quotient: dict[Monomial, int] = {}
    for monomial, coefficient in _terms_of(size):
        rest = list(monomial)
        for atom in atoms:
            if atom not in rest:
                return None
            rest.remove(atom)
        if coefficient % number:
            return None
        quotient[tuple(rest)] = coefficient // number
    return simplify(Dim(quotient))


def product(sizes: "tuple[Size, ...] | list[Size]") -> Size:
    """Of any number of dimensions; 1 of none."""
    result: Size = 1
    for size in sizes:
        result = result * size
    return result


def print_shape(shape: "tuple[Size, ...]") -> str:
    """e.g. ``(16*T, 768)``."""
    return "(" + ", ".join(map(str, shape)) + (",)" if len(shape) == 1 else ")")


def parse_dim(text: str, variables: Mapping[str, DynShapeVar]) -> Size:
    """The reverse of ``str``: of numbers, variables, ``+``, ``-``, ``*`` and ``//``. Raises an
    ``InvalidArgumentError`` for anything else.

    >>> parse_dim("16*T + 1", {"T": DynShapeVar("T", 1, 128)})
    16*T + 1
    """

    def read(node: ast.expr) -> Size:
        if isinstance(node, ast.Constant) and type(node.value) is int:
            return node.value
        if isinstance(node, ast.Name) and node.id in variables:
            return variables[node.id]
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return -read(node.operand)
        if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
            return _OPERATORS[type(node.op)](read(node.left), read(node.right))
        raise InvalidArgumentError(f"{text!r} is no dimension of {', '.join(variables) or 'numbers'}")

    try:
        return read(ast.parse(text, mode="eval").body)
    except (SyntaxError, ZeroDivisionError) as error:
        raise InvalidArgumentError(f"{text!r} is no dimension: {error}") from None


_OPERATORS: dict[type[ast.operator], Callable[[Size, Size], Size]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
}
