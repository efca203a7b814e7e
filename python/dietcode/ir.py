"""Writes MLIR: ``linalg`` on tensors, with the facts of the ``dietcode`` dialect.

This module knows types, dimensions and the syntax of operations, and nothing of the
interface that users see. A :class:`Function` appends operations in order; each of its
methods returns the :class:`Value` that the operation makes. Dimensions are numbers or
expressions of shape variables (:mod:`dietcode.dims`), which become SSA values where an
operation needs them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from .dims import Atom, Dim, DynShapeVar, FloorDiv, Size, divide, print_shape, product
from .errors import InvalidArgumentError, ShapeError

FLOATS = ("f16", "bf16", "f32", "f64")
INTEGERS = ("i1", "i8", "i16", "i32", "i64")

Body = Callable[["Block", Sequence[str]], str]
"""Appends what computes an element, from the names of the block's arguments, the last
of which is the output's; returns the name of what is yielded."""


@dataclass(frozen=True)
class Value:
    """An SSA value that is a tensor."""

    name: str
    shape: tuple[Size, ...]
    dtype: str

    @property
    def type(self) -> str:
        return tensor_type(self.shape, self.dtype)

    @property
    def rank(self) -> int:
        return len(self.shape)


def tensor_type(shape: Sequence[Size], dtype: str) -> str:
    """e.g. ``tensor<?x768xf32>``."""
    sizes = "".join(f"{size if isinstance(size, int) else '?'}x" for size in shape)
    return f"tensor<{sizes}{dtype}>"


def identity(rank: int) -> list[str]:
    """The results of the identity map."""
    return [f"d{i}" for i in range(rank)]


def affine_map(rank: int, results: Iterable[str]) -> str:
    return f"affine_map<({', '.join(identity(rank))}) -> ({', '.join(results)})>"


def float_text(number: float, dtype: str) -> str:
    """A constant of a float type; what is not finite by its bits."""
    if math.isfinite(number):
        return f"{number:.17e}"
    bits = {"f16": (10, 5), "bf16": (7, 8), "f32": (23, 8), "f64": (52, 11)}[dtype]
    mantissa, exponent = bits
    word = ((1 << exponent) - 1) << mantissa
    if math.isnan(number):
        word |= 1 << (mantissa - 1)
    elif number < 0:
        word |= 1 << (mantissa + exponent)
    return f"0x{word:0{(mantissa + exponent + 1) // 4}X}"


def spell_dim(size: Size) -> str:
    """A dimension as an expression of an affine map, whose symbols are the names of
    the shape variables in small letters with a prefix."""
    if isinstance(size, int):
        return str(size)

    def spell_atom(atom: Atom) -> str:
        if isinstance(atom, DynShapeVar):
            return f"s_{atom.name}"
        assert isinstance(atom, FloorDiv)
        return f"(({spell_dim(atom.numerator)}) floordiv {atom.divisor})"

    spelled = []
    for monomial, coefficient in size.terms:
        factors = [spell_atom(atom) for atom in monomial]
        if coefficient != 1 or not factors:
            factors.append(str(coefficient))
        spelled.append(" * ".join(factors))
    return " + ".join(spelled)


def bind_shape(
    value: str, shape: Sequence[Size], type: str, variables: Sequence[DynShapeVar]
) -> str:
    """The operation that says what the dimensions of a tensor are."""
    symbols = ", ".join(f"s_{var.name}" for var in variables)
    names = ", ".join(f"@{var.name}" for var in variables)
    sizes = ", ".join(spell_dim(size) for size in shape)
    return (
        f"dietcode.bind_shape {value} [{names}], "
        f"affine_map<()[{symbols}] -> ({sizes})> : {type}"
    )


class Block:
    """The body of an operation, which is appended to in order."""

    def __init__(self, function: "Function") -> None:
        self.function = function
        self.lines: list[str] = []

    def op(self, name: str, operands: Sequence[str], types: str) -> str:
        """Appends ``%n = name operands : types``."""
        result = self.function.fresh()
        self.lines.append(f"{result} = {name} {', '.join(operands)} : {types}")
        return result

    def text(self, line: str) -> str:
        """Appends ``%n = line``."""
        result = self.function.fresh()
        self.lines.append(f"{result} = {line}")
        return result

    def constant(self, number: float, dtype: str) -> str:
        return self.function.constant(number, dtype)


@dataclass
class Workload:
    """Shape variables and their instances, which functions refer to."""

    name: str
    variables: Sequence[DynShapeVar]
    instances: Sequence[Sequence[int]] = ()
    weights: Sequence[float] | None = None

    def text(self) -> str:
        lines = []
        for var in self.variables:
            multiple = f" multiple_of {var.multiple_of}" if var.multiple_of != 1 else ""
            lines.append(f"dietcode.shape_var @{var.name} range [{var.low}, {var.high}]{multiple}")
        if self.instances:
            over = ", ".join(f"@{var.name}" for var in self.variables)
            rows = ", ".join(str(list(instance)) for instance in self.instances)
            weights = ""
            if self.weights is not None:
                weights = f" weights [{', '.join(map(repr, map(float, self.weights)))}]"
            lines.append(f"dietcode.workload @{self.name} over [{over}] instances [{rows}]{weights}")
        return "".join(line + "\n" for line in lines)


@dataclass
class Function:
    """One ``func.func`` whose operations are appended in order."""

    name: str
    variables: Sequence[DynShapeVar]
    workload: str | None = None
    arguments: list[Value] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._constants: dict[tuple[str, str], str] = {}
        self._bindings: list[str] = []
        self._lines: list[str] = []
        self._counter = 0
        self._sizes: dict[Size, str] = {}
        self._names: set[str] = set()

    # Names, constants and sizes.

    def fresh(self) -> str:
        self._counter += 1
        return f"%{self._counter}"

    def _emit(self, line: str) -> None:
        self._lines.append(line)

    def constant(self, number: float, dtype: str) -> str:
        """A scalar, at the beginning of the function."""
        if dtype in FLOATS:
            text = float_text(float(number), dtype)
        elif dtype == "i1":
            text = "true" if number else "false"
        else:
            text = str(int(number))
        # No argument is called so: identifiers have no dollars.
        return self._constants.setdefault((text, dtype), f"%c${len(self._constants)}")

    def index(self, number: int) -> str:
        return self.constant(number, "index")

    def _index_op(self, name: str, left: str, right: str) -> str:
        result = self.fresh()
        self._emit(f"{result} = arith.{name} {left}, {right} : index")
        return result

    def size(self, size: Size) -> str:
        """The SSA value of a dimension. Raises a ``ShapeError`` where no argument
        determines a variable of it."""
        if isinstance(size, int):
            return self.index(size)
        if size not in self._sizes:
            if isinstance(size, DynShapeVar):
                self._sizes[size] = self._solve(size)
            else:
                self._sizes[size] = self._compute(size)
        return self._sizes[size]

    def _compute(self, size: Dim) -> str:
        total = ""
        for monomial, coefficient in size.terms:
            factors = [self._atom(atom) for atom in monomial]
            if coefficient != 1 or not factors:
                factors.append(self.index(coefficient))
            term = factors[0]
            for factor in factors[1:]:
                term = self._index_op("muli", term, factor)
            total = self._index_op("addi", total, term) if total else term
        return total

    def _atom(self, atom: Atom) -> str:
        if isinstance(atom, DynShapeVar):
            return self.size(atom)
        assert isinstance(atom, FloorDiv)
        # Sizes are not negative, so that rounding down is cutting off.
        return self._index_op("divsi", self.size(atom.numerator), self.index(atom.divisor))

    def _solve(self, var: DynShapeVar) -> str:
        """The variable from a dimension ``a * var + b`` of an argument."""
        for size in sorted(self._known, key=lambda size: len(size.terms)):
            constant = dict(size.terms).get((), 0)
            factor = divide(size - constant, var)
            if not isinstance(factor, int):
                continue
            value = self._sizes[size]
            if constant:
                value = self._index_op("subi", value, self.index(constant))
            return self._index_op("divsi", value, self.index(factor)) if factor != 1 else value
        raise ShapeError(
            f"no dimension of an argument determines the shape variable {var}; one must be "
            f"{var}, or a multiple of it plus a number"
        )

    @property
    def _known(self) -> list[Dim]:
        return [size for size in self._sizes if isinstance(size, Dim)]

    # Arguments.

    def argument(self, name: str, shape: Sequence[Size], dtype: str) -> Value:
        """Declares a tensor, which the function never writes to."""
        value = Value(f"%{name}", tuple(shape), dtype)
        if name in self._names:
            raise InvalidArgumentError(f"two arguments are called '{name}'")
        self._names.add(name)
        self.arguments.append(value)
        if any(isinstance(size, Dim) for size in shape):
            self._bindings.append(self._bind(value))
        for index, size in enumerate(shape):
            if isinstance(size, Dim) and size not in self._sizes:
                result = self.fresh()
                self._emit(f"{result} = tensor.dim {value.name}, {self.index(index)} : {value.type}")
                self._sizes[size] = result
        return value

    def _bind(self, value: Value) -> str:
        return bind_shape(value.name, value.shape, value.type, self.variables)

    # Tensors.

    def empty(self, shape: Sequence[Size], dtype: str) -> Value:
        sizes = ", ".join(self.size(size) for size in shape if isinstance(size, Dim))
        value = Value(self.fresh(), tuple(shape), dtype)
        self._emit(f"{value.name} = tensor.empty({sizes}) : {value.type}")
        return value

    def fill(self, shape: Sequence[Size], number: float, dtype: str) -> Value:
        into = self.empty(shape, dtype)
        value = Value(self.fresh(), into.shape, dtype)
        self._emit(
            f"{value.name} = linalg.fill ins({self.constant(number, dtype)} : {dtype}) "
            f"outs({into.name} : {into.type}) -> {value.type}"
        )
        return value

    def generic(
        self,
        inputs: Sequence[Value],
        init: Value,
        rank: int,
        maps: Sequence[Sequence[str]],
        body: Body,
        reduced: Iterable[int] = (),
    ) -> Value:
        """``linalg.generic`` over ``rank`` dimensions, of which ``reduced`` are reductions;
        ``maps`` are the results of the map of each input and of the output."""
        if "bf16" in [init.dtype, *(value.dtype for value in inputs)]:
            raise TypeError("there are no kernels for bf16 yet; use f16 or f32")
        block = Block(self)
        names = [self.fresh() for _ in range(len(inputs) + 1)]
        yielded = body(block, names)
        result = Value(self.fresh(), init.shape, init.dtype)
        kinds = set(reduced)
        iterators = ", ".join('"reduction"' if d in kinds else '"parallel"' for d in range(rank))
        self._emit(
            f"{result.name} = linalg.generic {{indexing_maps = ["
            f"{', '.join(affine_map(rank, m) for m in maps)}], iterator_types = [{iterators}]}}"
        )
        if inputs:
            self._emit(
                f"    ins({', '.join(v.name for v in inputs)} : {', '.join(v.type for v in inputs)})"
            )
        self._emit(f"    outs({init.name} : {init.type}) {{")
        types = [v.dtype for v in inputs] + [init.dtype]
        self._emit(f"^bb0({', '.join(f'{n}: {t}' for n, t in zip(names, types))}):")
        for line in block.lines:
            self._emit("  " + line)
        self._emit(f"  linalg.yield {yielded} : {init.dtype}")
        self._emit(f"}} -> {result.type}")
        return result

    def softmax(self, value: Value, dimension: int) -> Value:
        into = self.empty(value.shape, value.dtype)
        result = Value(self.fresh(), value.shape, value.dtype)
        self._emit(
            f"{result.name} = linalg.softmax dimension({dimension}) ins({value.name} : "
            f"{value.type}) outs({into.name} : {into.type}) -> {result.type}"
        )
        return result

    def transpose(self, value: Value, permutation: Sequence[int]) -> Value:
        into = self.empty([value.shape[p] for p in permutation], value.dtype)
        result = Value(self.fresh(), into.shape, value.dtype)
        self._emit(
            f"{result.name} = linalg.transpose ins({value.name} : {value.type}) "
            f"outs({into.name} : {into.type}) permutation = {list(permutation)}"
        )
        return result

    def collapse(self, value: Value, groups: Sequence[Sequence[int]]) -> Value:
        """Joins neighbouring dimensions."""
        shape = tuple(product([value.shape[d] for d in group]) for group in groups)
        result = Value(self.fresh(), shape, value.dtype)
        self._emit(
            f"{result.name} = tensor.collapse_shape {value.name} {[list(g) for g in groups]} : "
            f"{value.type} into {result.type}"
        )
        return result

    def expand(self, value: Value, groups: Sequence[Sequence[int]], shape: Sequence[Size]) -> Value:
        """Splits dimensions."""
        sizes = ", ".join(self._size_or_number(size) for size in shape)
        result = Value(self.fresh(), tuple(shape), value.dtype)
        self._emit(
            f"{result.name} = tensor.expand_shape {value.name} {[list(g) for g in groups]} "
            f"output_shape [{sizes}] : {value.type} into {result.type}"
        )
        return result

    def slice(
        self,
        value: Value,
        offsets: Sequence[Size],
        sizes: Sequence[Size],
        strides: Sequence[int],
        dropped: Iterable[int] = (),
    ) -> Value:
        """Part of a tensor, without the dimensions ``dropped``, whose sizes are 1."""
        gone = set(dropped)
        shape = tuple(size for d, size in enumerate(sizes) if d not in gone)
        texts = [", ".join(map(self._size_or_number, part)) for part in (offsets, sizes, strides)]
        result = Value(self.fresh(), shape, value.dtype)
        self._emit(
            f"{result.name} = tensor.extract_slice {value.name}[{texts[0]}] [{texts[1]}] "
            f"[{texts[2]}] : {value.type} to {result.type}"
        )
        return result

    def insert(self, value: Value, into: Value, offsets: Sequence[Size]) -> Value:
        """``into`` with ``value`` at ``offsets``."""
        at = ", ".join(map(self._size_or_number, offsets))
        sizes = ", ".join(map(self._size_or_number, value.shape))
        ones = ", ".join("1" for _ in value.shape)
        result = Value(self.fresh(), into.shape, into.dtype)
        self._emit(
            f"{result.name} = tensor.insert_slice {value.name} into {into.name}[{at}] [{sizes}] "
            f"[{ones}] : {value.type} into {into.type}"
        )
        return result

    def pad(self, value: Value, low: Sequence[int], high: Sequence[int], number: float) -> Value:
        shape = tuple(size + l + h for size, l, h in zip(value.shape, low, high))
        result = Value(self.fresh(), shape, value.dtype)
        indices = ", ".join(f"{self.fresh()}: index" for _ in shape)
        self._emit(f"{result.name} = tensor.pad {value.name} low{list(low)} high{list(high)} {{")
        self._emit(f"^bb0({indices}):")
        self._emit(f"  tensor.yield {self.constant(number, value.dtype)} : {value.dtype}")
        self._emit(f"}} : {value.type} to {result.type}")
        return result

    def _size_or_number(self, size: Size) -> str:
        return str(size) if isinstance(size, int) else self.size(size)

    # The text.

    def text(self, results: Sequence[Value]) -> str:
        """The function, returning ``results``."""
        arguments = ", ".join(
            f"{a.name}: {a.type} {{bufferization.writable = false}}" for a in self.arguments
        )
        types = ", ".join(r.type for r in results)
        attributes = ""
        if self.workload is not None:
            attributes = f" attributes {{dietcode.workload = @{self.workload}}}"
        lines = [f"func.func @{self.name}({arguments}) -> ({types}){attributes} {{"]
        lines += ["  " + line for line in self._bindings]
        for (text, dtype), name in self._constants.items():
            suffix = "" if dtype == "i1" else f" : {dtype}"
            lines.append(f"  {name} = arith.constant {text}{suffix}")
        lines += ["  " + line for line in self._lines]
        lines.append(f"  return {', '.join(r.name for r in results)} : {types}")
        return "\n".join(lines + ["}", ""])


def shape_text(value: Value) -> str:
    """For messages: e.g. ``(16*T, 768)``."""
    return print_shape(value.shape)
