"""Arrays while a workload is traced, and their declarations."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any, Union

from . import ir
from .dims import Dim, Size, print_shape
from .dtypes import mlir_dtype
from .errors import InvalidArgumentError

tracing = threading.local()
"""``function``: what the workload that is being traced is written to, or None."""

Operand = Union["Array", float]
"""What elementwise operators take: an array, or a number of its element type."""


def as_shape(shape: Sequence[Size], what: str = "shape") -> tuple[Size, ...]:
    """Checks sizes. Raises a ``TypeError`` or an ``InvalidArgumentError``."""
    for size in shape:
        if isinstance(size, bool) or not isinstance(size, (int, Dim)):
            raise TypeError(
                f"{what}: {size!r} is no dimension; use an int or an expression of shape variables"
            )
        if isinstance(size, int) and size < 0:
            raise InvalidArgumentError(f"{what}: {size} is negative")
    return tuple(shape)


class Tensor:
    """Declares an argument: ``Tensor((16 * T, 768), "f16")``.

    ``shape``: ints and expressions of shape variables. ``dtype``: f16, bf16, f32, f64,
    i1, i8, i16, i32 or i64, or NumPy's name of it. ``name``: what messages call the
    argument; by default that of the function's parameter.
    """

    def __init__(self, shape: Sequence[Size], dtype: object = "f32", name: str | None = None):
        self.shape = as_shape(shape)
        self.dtype = mlir_dtype(dtype)
        self.name = name

    @property
    def rank(self) -> int:
        return len(self.shape)

    def __repr__(self) -> str:
        return f"Tensor({print_shape(self.shape)}, {self.dtype!r})"

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Tensor) and self.shape == other.shape and self.dtype == other.dtype
        )

    def __hash__(self) -> int:
        return hash((self.shape, self.dtype))


class Array:
    """A tensor of the workload that is being traced.

    It has the operators of NumPy's arrays as far as :mod:`dietcode.ops` has functions for
    them; shapes broadcast like NumPy's, and element types are never converted silently.
    """

    # So that NumPy leaves `array * x` to __rmul__.
    __array_ufunc__ = None

    def __init__(self, function: ir.Function, value: ir.Value) -> None:
        self._function, self._value = function, value

    @property
    def function(self) -> ir.Function:
        """What is being written."""
        return self._function

    @property
    def value(self) -> ir.Value:
        """What stands for it. Raises an ``InvalidArgumentError`` while another workload is
        traced, in which the same name is something else."""
        function = getattr(tracing, "function", None)
        if function is not None and function is not self._function:
            raise InvalidArgumentError(f"{self!r} is an array of another workload")
        return self._value

    @property
    def shape(self) -> tuple[Size, ...]:
        return self._value.shape

    @property
    def dtype(self) -> str:
        """The element type as MLIR names it, e.g. "f32"."""
        return self._value.dtype

    @property
    def ndim(self) -> int:
        return len(self.shape)

    def __repr__(self) -> str:
        return f"Array({print_shape(self.shape)}, {self.dtype!r})"

    def __bool__(self) -> bool:
        raise TypeError("the elements of a traced array are known at run time only")

    def __iter__(self) -> Any:
        raise TypeError("a traced array cannot be iterated over; use operators on all of it")

    def __len__(self) -> int:
        size = self.shape[0] if self.shape else None
        if isinstance(size, int):
            return size
        raise TypeError(f"{self!r} has no length that is known when tracing")

    # Operators.

    def __add__(self, other: Operand) -> "Array":
        return ops.add(self, other)

    def __radd__(self, other: Operand) -> "Array":
        return ops.add(other, self)

    def __sub__(self, other: Operand) -> "Array":
        return ops.subtract(self, other)

    def __rsub__(self, other: Operand) -> "Array":
        return ops.subtract(other, self)

    def __mul__(self, other: Operand) -> "Array":
        return ops.multiply(self, other)

    def __rmul__(self, other: Operand) -> "Array":
        return ops.multiply(other, self)

    def __truediv__(self, other: Operand) -> "Array":
        return ops.divide(self, other)

    def __rtruediv__(self, other: Operand) -> "Array":
        return ops.divide(other, self)

    def __pow__(self, exponent: float) -> "Array":
        return ops.power(self, exponent)

    def __neg__(self) -> "Array":
        return ops.negative(self)

    def __matmul__(self, other: "Array") -> "Array":
        return ops.matmul(self, other)

    def __lt__(self, other: Operand) -> "Array":
        return ops.less(self, other)

    def __le__(self, other: Operand) -> "Array":
        return ops.less_equal(self, other)

    def __gt__(self, other: Operand) -> "Array":
        return ops.greater(self, other)

    def __ge__(self, other: Operand) -> "Array":
        return ops.greater_equal(self, other)

    def __getitem__(self, key: Any) -> "Array":
        return ops.take_slice(self, key)

    @property
    def T(self) -> "Array":
        """With the dimensions in reverse."""
        return ops.transpose(self)

    def astype(self, dtype: object) -> "Array":
        return ops.cast(self, dtype)

    def reshape(self, *shape: Any) -> "Array":
        given = shape[0] if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape
        return ops.reshape(self, given)

    def transpose(self, *axes: int) -> "Array":
        return ops.transpose(self, axes or None)

    def sum(self, axis: Any = None, keepdims: bool = False) -> "Array":
        return ops.sum(self, axis, keepdims)

    def mean(self, axis: Any = None, keepdims: bool = False) -> "Array":
        return ops.mean(self, axis, keepdims)

    def max(self, axis: Any = None, keepdims: bool = False) -> "Array":
        return ops.max(self, axis, keepdims)

    def min(self, axis: Any = None, keepdims: bool = False) -> "Array":
        return ops.min(self, axis, keepdims)


def expect_array(name: str, operand: object) -> Array:
    """The argument of an operator. Raises a ``TypeError`` that names it."""
    if isinstance(operand, Array):
        return operand
    raise TypeError(
        f"{name} is a {type(operand).__name__}; operators take arrays of the workload that is "
        "traced, and arrays with data are given when the kernel is called"
    )


# Its functions take arrays.
from . import ops  # noqa: E402
