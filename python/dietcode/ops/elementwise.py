"""Operators on each element alone, with broadcasting."""

from __future__ import annotations

import builtins
import math
import numbers
from collections.abc import Callable, Sequence

from .. import ir
from ..array import Array, Operand, expect_array
from ..dims import Size, print_shape
from ..dtypes import mlir_dtype
from ..errors import ShapeError


def broadcast_shapes(name: str, shapes: Sequence[tuple[Size, ...]]) -> tuple[Size, ...]:
    """The common shape, where sizes of 1 stretch and missing leading ones are 1. Raises a
    ``ShapeError``. Two dynamic sizes must be the same expression."""
    rank = builtins.max(len(shape) for shape in shapes)
    result: list[Size] = [1] * rank
    for shape in shapes:
        for index, size in enumerate(shape, rank - len(shape)):
            if result[index] == 1:
                result[index] = size
            elif size != 1 and size != result[index]:
                texts = " and ".join(map(print_shape, shapes))
                raise ShapeError(
                    f"{name}: shapes {texts} do not fit: {result[index]} and {size} are "
                    "different sizes"
                )
    return tuple(result)


def broadcast_map(shape: tuple[Size, ...], common: tuple[Size, ...]) -> list[str]:
    """Where an operand of ``shape`` is read for an element of ``common``."""
    offset = len(common) - len(shape)
    return [
        "0" if size == 1 and common[index] != 1 else f"d{index}"
        for index, size in enumerate(shape, offset)
    ]


Emit = Callable[[ir.Block, Sequence[str]], str]
"""Appends the arithmetic on elements, whose names it gets; returns the result's name."""


def elementwise(name: str, operands: Sequence[Array], emit: Emit, dtype: str) -> Array:
    """An operator whose elements are of ``dtype``."""
    function = operands[0].function
    shape = broadcast_shapes(name, [x.shape for x in operands])
    maps = [broadcast_map(x.shape, shape) for x in operands]
    value = function.generic(
        [x.value for x in operands],
        function.empty(shape, dtype),
        len(shape),
        maps + [ir.identity(len(shape))],
        lambda block, names: emit(block, names[:-1]),
    )
    return Array(function, value)


def _split(name: str, operands: Sequence[Operand]) -> tuple[list[Array], str]:
    """The arrays among operands, and the element type that they have in common."""
    arrays = [x for x in operands if isinstance(x, Array)]
    for index, operand in enumerate(operands):
        if not isinstance(operand, (Array, numbers.Real)):
            expect_array(f"{name}: operand {index}", operand)
    if not arrays:
        raise TypeError(f"{name}: one operand must be an array")
    dtypes = {x.dtype for x in arrays}
    if len(dtypes) > 1:
        raise TypeError(
            f"{name}: element types {' and '.join(sorted(dtypes))} differ; convert one with cast"
        )
    dtype = arrays[0].dtype
    for operand in operands:
        if not isinstance(operand, Array) and not _is_of(operand, dtype):
            raise TypeError(f"{name}: {operand} is no number of type {dtype}")
    return arrays, dtype


def _is_of(number: float, dtype: str) -> bool:
    if dtype in ir.FLOATS:
        return True
    limit = 1 if dtype == "i1" else 2 ** (_BITS[dtype] - 1)
    low = 0 if dtype == "i1" else -limit
    return math.isfinite(number) and number == int(number) and low <= number < limit + (dtype == "i1")


def _apply(name: str, operands: Sequence[Operand], op: Callable[[str], str], result: str | None = None,
           ) -> Array:
    """``op`` gives the operation for an element type; ``result`` is the type of the
    result, which is by default that of the operands."""
    arrays, dtype = _split(name, operands)

    def emit(block: ir.Block, names: Sequence[str]) -> str:
        given = iter(names)
        texts = [
            next(given) if isinstance(x, Array) else block.constant(x, dtype)
            for x in operands
        ]
        return block.op(op(dtype), texts, dtype)

    return elementwise(name, arrays, emit, result or dtype)


def _by_kind(name: str, of_floats: str, of_integers: str | None) -> Callable[[str], str]:
    def op(dtype: str) -> str:
        if dtype in ir.FLOATS:
            return of_floats
        if of_integers is None or dtype == "i1":
            raise TypeError(f"{name} takes no arrays of {dtype}")
        return of_integers

    return op


def add(x: Operand, y: Operand) -> Array:
    """``x + y``."""
    return _apply("add", [x, y], _by_kind("add", "arith.addf", "arith.addi"))


def subtract(x: Operand, y: Operand) -> Array:
    """``x - y``."""
    return _apply("subtract", [x, y], _by_kind("subtract", "arith.subf", "arith.subi"))


def multiply(x: Operand, y: Operand) -> Array:
    """``x * y``."""
    return _apply("multiply", [x, y], _by_kind("multiply", "arith.mulf", "arith.muli"))


def divide(x: Operand, y: Operand) -> Array:
    """``x / y``, of floats."""
    return _apply("divide", [x, y], _by_kind("divide", "arith.divf", None))


def maximum(x: Operand, y: Operand) -> Array:
    """The larger one; NaN if either is."""
    return _apply("maximum", [x, y], _by_kind("maximum", "arith.maximumf", "arith.maxsi"))


def minimum(x: Operand, y: Operand) -> Array:
    """The smaller one; NaN if either is."""
    return _apply("minimum", [x, y], _by_kind("minimum", "arith.minimumf", "arith.minsi"))


def _compare(name: str, x: Operand, y: Operand, of_floats: str, of_integers: str) -> Array:
    op = _by_kind(name, f"arith.cmpf {of_floats},", f"arith.cmpi {of_integers},")
    return _apply(name, [x, y], op, "i1")


def less(x: Operand, y: Operand) -> Array:
    """``x < y``, of i1; false where either is NaN."""
    return _compare("less", x, y, "olt", "slt")


def less_equal(x: Operand, y: Operand) -> Array:
    """``x <= y``, of i1; false where either is NaN."""
    return _compare("less_equal", x, y, "ole", "sle")


def greater(x: Operand, y: Operand) -> Array:
    """``x > y``, of i1; false where either is NaN."""
    return _compare("greater", x, y, "ogt", "sgt")


def greater_equal(x: Operand, y: Operand) -> Array:
    """``x >= y``, of i1; false where either is NaN."""
    return _compare("greater_equal", x, y, "oge", "sge")


def where(condition: Array, x: Operand, y: Operand) -> Array:
    """``x`` where the condition, which is of i1, holds, and ``y`` elsewhere."""
    condition = expect_array("where: condition", condition)
    if condition.dtype != "i1":
        raise TypeError(f"where: the condition is of {condition.dtype}; expected i1")
    arrays, dtype = _split("where", [x, y])

    def emit(block: ir.Block, names: Sequence[str]) -> str:
        given = iter(names[1:])
        texts = [
            next(given) if isinstance(v, Array) else block.constant(v, dtype)
            for v in (x, y)
        ]
        return block.op("arith.select", [names[0], *texts], dtype)

    return elementwise("where", [condition, *arrays], emit, dtype)


def _unary(name: str, x: Array, op: str) -> Array:
    return _apply(name, [expect_array(name, x)], _by_kind(name, op, None))


def negative(x: Array) -> Array:
    """``-x``."""
    if x.dtype not in ir.FLOATS:
        return subtract(0, x)
    return _unary("negative", x, "arith.negf")


def abs(x: Array) -> Array:
    """The absolute value."""
    return _apply("abs", [expect_array("abs", x)], _by_kind("abs", "math.absf", "math.absi"))


def exp(x: Array) -> Array:
    """e to the power of x, of floats."""
    return _unary("exp", x, "math.exp")


def log(x: Array) -> Array:
    """The natural logarithm, of floats."""
    return _unary("log", x, "math.log")


def sqrt(x: Array) -> Array:
    """The square root, of floats."""
    return _unary("sqrt", x, "math.sqrt")


def rsqrt(x: Array) -> Array:
    """One over the square root, of floats."""
    return _unary("rsqrt", x, "math.rsqrt")


def tanh(x: Array) -> Array:
    """The hyperbolic tangent, of floats."""
    return _unary("tanh", x, "math.tanh")


def erf(x: Array) -> Array:
    """The error function, of floats."""
    return _unary("erf", x, "math.erf")


def sin(x: Array) -> Array:
    """The sine of x in radians, of floats."""
    return _unary("sin", x, "math.sin")


def cos(x: Array) -> Array:
    """The cosine of x in radians, of floats."""
    return _unary("cos", x, "math.cos")


def power(x: Array, exponent: float) -> Array:
    """x to the power of a number, of floats."""
    if isinstance(exponent, Array):
        raise TypeError("power: the exponent must be a number")
    if exponent == 2:
        return multiply(x, x)
    if exponent == 0.5:
        return sqrt(x)
    return _apply("power", [expect_array("power", x), exponent], _by_kind("power", "math.powf", None))


def relu(x: Array) -> Array:
    """``max(x, 0)``."""
    return maximum(expect_array("relu", x), 0)


def sigmoid(x: Array) -> Array:
    """``1 / (1 + exp(-x))``."""
    return divide(1.0, add(exp(negative(expect_array("sigmoid", x))), 1.0))


def silu(x: Array) -> Array:
    """``x * sigmoid(x)``, which is called swish, too."""
    return multiply(x, sigmoid(x))


def gelu(x: Array, approximate: bool = False) -> Array:
    """The Gaussian error linear unit; by tanh if it may be approximate."""
    x = expect_array("gelu", x)
    if approximate:
        inner = multiply(add(x, multiply(multiply(multiply(x, x), x), 0.044715)),
                         math.sqrt(2 / math.pi))
        return multiply(multiply(x, 0.5), add(tanh(inner), 1.0))
    return multiply(multiply(x, 0.5), add(erf(multiply(x, 1 / math.sqrt(2))), 1.0))


def cast(x: Array, dtype: object) -> Array:
    """With elements of another type: floats are rounded to the nearest, and cut off where
    they become integers."""
    x = expect_array("cast", x)
    to = mlir_dtype(dtype)
    source = x.dtype
    if source == to:
        return x

    def emit(block: ir.Block, names: Sequence[str]) -> str:
        return block.text(f"{_conversion(source, to)} {names[0]} : {source} to {to}")

    return elementwise("cast", [x], emit, to)


_BITS = {"f16": 16, "bf16": 16, "f32": 32, "f64": 64, "i1": 1, "i8": 8, "i16": 16, "i32": 32,
         "i64": 64}


def _conversion(source: str, to: str) -> str:
    wider = _BITS[to] > _BITS[source]
    if source in ir.FLOATS and to in ir.FLOATS:
        if {source, to} == {"f16", "bf16"}:
            raise TypeError("cast: between f16 and bf16, convert to f32 first")
        return "arith.extf" if wider else "arith.truncf"
    if source in ir.FLOATS:
        if to == "i1":
            raise TypeError("cast: compare with 0 to make i1 of a float")
        return "arith.fptosi"
    if to in ir.FLOATS:
        return "arith.uitofp" if source == "i1" else "arith.sitofp"
    if to == "i1":
        raise TypeError("cast: compare with 0 to make i1 of an integer")
    if source == "i1":
        return "arith.extui"
    return "arith.extsi" if wider else "arith.trunci"
