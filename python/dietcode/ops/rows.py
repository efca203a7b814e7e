"""Reductions, and what is made of them: softmax and normalisations."""

from __future__ import annotations

import builtins
import math
from collections.abc import Sequence
from typing import Union

from .. import ir
from ..array import Array, expect_array
from ..dims import Dim, product
from ..errors import InvalidArgumentError, ShapeError
from . import elementwise as el

Axis = Union[int, Sequence[int], None]


def normalize_axes(name: str, axis: Axis, rank: int) -> list[int]:
    """Axes in order, where None is all of them and negative ones count from the end."""
    given = range(rank) if axis is None else [axis] if isinstance(axis, int) else axis
    axes = []
    for one in given:
        if not -rank <= one < rank:
            raise InvalidArgumentError(f"{name}: axis {one} of an array of rank {rank}")
        axes.append(one % rank)
    if len(set(axes)) != len(axes):
        raise InvalidArgumentError(f"{name}: axes {tuple(given)} name one twice")
    return sorted(axes)


def _reduce(name: str, x: Array, axis: Axis, keepdims: bool, op: str, start: float,
            dtype: str | None = None) -> Array:
    """``dtype`` is that of the sum, by default that of the elements."""
    function = x.function
    axes = normalize_axes(name, axis, x.ndim)
    to = dtype or x.dtype
    kept = [d for d in range(x.ndim) if d not in axes]
    if keepdims:
        shape = [1 if d in axes else size for d, size in enumerate(x.shape)]
        result_map = ["0" if d in axes else f"d{d}" for d in range(x.ndim)]
    else:
        shape = [x.shape[d] for d in kept]
        result_map = [f"d{d}" for d in kept]

    def body(block: ir.Block, names: Sequence[str]) -> str:
        element = names[0]
        if to != x.dtype:
            element = block.text(f"arith.extf {element} : {x.dtype} to {to}")
        return block.op(op, [element, names[1]], to)

    value = function.generic([x.value], function.fill(shape, start, to), x.ndim,
                             [ir.identity(x.ndim), result_map], body, reduced=axes)
    return Array(function, value)


def _is_narrow(x: Array) -> bool:
    return x.dtype in ("f16", "bf16")


def sum(x: Array, axis: Axis = None, keepdims: bool = False) -> Array:
    """Over axes, all by default. Sums of f16 and bf16 are computed in f32."""
    x = expect_array("sum", x)
    if x.dtype == "i1":
        raise TypeError("sum takes no arrays of i1; cast it first")
    if _is_narrow(x):
        return el.cast(_reduce("sum", x, axis, keepdims, "arith.addf", 0.0, "f32"), x.dtype)
    op = "arith.addf" if x.dtype in ir.FLOATS else "arith.addi"
    return _reduce("sum", x, axis, keepdims, op, 0)


def mean(x: Array, axis: Axis = None, keepdims: bool = False) -> Array:
    """The mean over axes whose sizes are known when tracing."""
    x = expect_array("mean", x)
    if x.dtype not in ir.FLOATS:
        raise TypeError(f"mean takes no arrays of {x.dtype}")
    axes = normalize_axes("mean", axis, x.ndim)
    count = product([x.shape[d] for d in axes])
    if isinstance(count, Dim):
        raise InvalidArgumentError(
            f"mean: the number of elements, {count}, is known at run time only; pass its "
            "inverse as an argument and multiply the sum with it"
        )
    if not _is_narrow(x):
        return el.divide(sum(x, axes, keepdims), float(count))
    total = _reduce("mean", x, axes, keepdims, "arith.addf", 0.0, "f32")
    return el.cast(el.divide(total, float(count)), x.dtype)


def _lowest(dtype: str) -> float:
    return -math.inf if dtype in ir.FLOATS else -(2 ** (int(dtype[1:]) - 1))


def max(x: Array, axis: Axis = None, keepdims: bool = False) -> Array:
    """The largest over axes; NaN if one is. Of none, the lowest number there is."""
    x = expect_array("max", x)
    if x.dtype == "i1":
        raise TypeError("max takes no arrays of i1; cast it first")
    op = "arith.maximumf" if x.dtype in ir.FLOATS else "arith.maxsi"
    return _reduce("max", x, axis, keepdims, op, _lowest(x.dtype))


def min(x: Array, axis: Axis = None, keepdims: bool = False) -> Array:
    """The smallest over axes; NaN if one is. Of none, the highest number there is."""
    x = expect_array("min", x)
    if x.dtype == "i1":
        raise TypeError("min takes no arrays of i1; cast it first")
    if x.dtype in ir.FLOATS:
        return _reduce("min", x, axis, keepdims, "arith.minimumf", math.inf)
    return _reduce("min", x, axis, keepdims, "arith.minsi", -_lowest(x.dtype) - 1)


def _in_f32(x: Array) -> Array:
    return el.cast(x, "f32") if _is_narrow(x) else x


def softmax(x: Array, axis: int = -1) -> Array:
    """``exp(x) / sum(exp(x))`` along an axis, without overflow; in f32 for f16 and bf16."""
    x = expect_array("softmax", x)
    if x.dtype not in ir.FLOATS:
        raise TypeError(f"softmax takes no arrays of {x.dtype}")
    (dimension,) = normalize_axes("softmax", axis, x.ndim)
    wide = _in_f32(x)
    result = Array(x.function, x.function.softmax(wide.value, dimension))
    return el.cast(result, x.dtype)


def _check_parameter(name: str, what: str, x: Array, parameter: Array) -> None:
    expect_array(f"{name}: {what}", parameter)
    if parameter.shape != x.shape[-1:]:
        raise ShapeError(f"{name}: {what} is {parameter!r}; expected shape {x.shape[-1:]}")


def _static_last(name: str, x: Array) -> float:
    if not x.shape or isinstance(x.shape[-1], Dim):
        raise InvalidArgumentError(f"{name}: the last dimension of {x!r} must be a number")
    return float(builtins.max(x.shape[-1], 1))


def layer_norm(x: Array, scale: Array | None = None, shift: Array | None = None,
               epsilon: float = 1e-5) -> Array:
    """Normalised along the last axis, whose size n is a number: ``(x - mean) / sqrt(variance
    + epsilon) * scale + shift``, with ``scale`` and ``shift`` of shape (n,); in f32 for f16
    and bf16."""
    x = expect_array("layer_norm", x)
    size = _static_last("layer_norm", x)
    for what, parameter in (("scale", scale), ("shift", shift)):
        if parameter is not None:
            _check_parameter("layer_norm", what, x, parameter)
    wide = _in_f32(x)
    centred = el.subtract(wide, el.divide(sum(wide, -1, keepdims=True), size))
    variance = el.divide(sum(el.multiply(centred, centred), -1, keepdims=True), size)
    result = el.multiply(centred, el.rsqrt(el.add(variance, epsilon)))
    if scale is not None:
        result = el.multiply(result, _in_f32(scale))
    if shift is not None:
        result = el.add(result, _in_f32(shift))
    return el.cast(result, x.dtype)


def rms_norm(x: Array, scale: Array | None = None, epsilon: float = 1e-6) -> Array:
    """Normalised along the last axis, whose size n is a number: ``x / sqrt(mean(x^2) +
    epsilon) * scale``, with ``scale`` of shape (n,); in f32 for f16 and bf16."""
    x = expect_array("rms_norm", x)
    size = _static_last("rms_norm", x)
    if scale is not None:
        _check_parameter("rms_norm", "scale", x, scale)
    wide = _in_f32(x)
    power = el.divide(sum(el.multiply(wide, wide), -1, keepdims=True), size)
    result = el.multiply(wide, el.rsqrt(el.add(power, epsilon)))
    if scale is not None:
        result = el.multiply(result, _in_f32(scale))
    return el.cast(result, x.dtype)
