"""Operators that move elements: reshapes, transpositions, slices, look-ups."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import ir
from ..array import Array, as_shape, expect_array
from ..dims import Dim, Size, divide, print_shape, product
from ..errors import InvalidArgumentError, ShapeError


def transpose(x: Array, axes: Sequence[int] | None = None) -> Array:
    """With the dimensions in the order of ``axes``; in reverse by default."""
    x = expect_array("transpose", x)
    order = list(range(x.ndim))[::-1] if axes is None else [axis % max(x.ndim, 1) for axis in axes]
    if sorted(order) != list(range(x.ndim)):
        raise InvalidArgumentError(f"transpose: axes {axes} of an array of rank {x.ndim}")
    if order == list(range(x.ndim)):
        return x
    return Array(x.function, x.function.transpose(x.value, order))


def _infer(x: Array, shape: Sequence[Size]) -> tuple[Size, ...]:
    """The shape without -1."""
    if not any(isinstance(size, int) and size == -1 for size in shape):
        return as_shape(shape, "reshape")
    rest = [size for size in shape if not (isinstance(size, int) and size == -1)]
    as_shape(rest, "reshape")
    missing = divide(product(list(x.shape)), product(rest)) if product(rest) != 0 else None
    if len(rest) != len(shape) - 1 or missing is None:
        raise ShapeError(
            f"reshape: {print_shape(x.shape)} to {print_shape(tuple(shape))}: -1 stands for no size"
        )
    return tuple(missing if isinstance(s, int) and s == -1 else s for s in shape)


def _group(old: tuple[Size, ...], new: tuple[Size, ...]) -> list[tuple[list[int], list[int]]] | None:
    """Neighbouring dimensions of both shapes with the same product, as short as can be."""
    groups: list[tuple[list[int], list[int]]] = []
    i = j = 0
    while i < len(old) or j < len(new):
        left: list[int] = []
        right: list[int] = []
        # At least one of each, then more of that which divides the other.
        while True:
            a = product([old[d] for d in left])
            b = product([new[d] for d in right])
            if left and right and a == b:
                break
            takes_old = not left or (bool(right) and divide(b, a) is not None and a != b)
            if takes_old and i < len(old):
                left.append(i)
                i += 1
            elif j < len(new):
                right.append(j)
                j += 1
            elif i < len(old):
                left.append(i)
                i += 1
            else:
                # Sizes of 1 that are left over.
                if groups and a == b:
                    groups[-1][0].extend(left)
                    groups[-1][1].extend(right)
                    return groups
                return None
        groups.append((left, right))
    return groups


def reshape(x: Array, shape: Sequence[Size]) -> Array:
    """The same elements in C order with another shape, in which -1 stands for what is left.
    Raises a ``ShapeError`` if the shapes are not known to have equally many elements."""
    x = expect_array("reshape", x)
    to = _infer(x, shape)
    if to == x.shape:
        return x
    function = x.function
    if product(list(x.shape)) != product(list(to)):
        raise ShapeError(
            f"reshape: {print_shape(x.shape)} and {print_shape(to)} are not known to have "
            "equally many elements"
        )
    if not to:
        return Array(function, function.collapse(x.value, []))
    if not x.shape:
        return Array(function, function.expand(x.value, [], to))
    groups = _group(x.shape, to)
    if groups is None:
        groups = [(list(range(x.ndim)), list(range(len(to))))]
    value = x.value
    if any(len(left) > 1 for left, _ in groups):
        value = function.collapse(value, [left for left, _ in groups])
    if any(len(right) > 1 for _, right in groups):
        value = function.expand(value, [right for _, right in groups], to)
    return Array(function, value)


def expand_dims(x: Array, axis: int) -> Array:
    """With a dimension of size 1 at ``axis``."""
    x = expect_array("expand_dims", x)
    if not -x.ndim - 1 <= axis <= x.ndim:
        raise InvalidArgumentError(f"expand_dims: axis {axis} of an array of rank {x.ndim}")
    at = axis % (x.ndim + 1)
    return reshape(x, x.shape[:at] + (1,) + x.shape[at:])


def concatenate(arrays: Sequence[Array], axis: int = 0) -> Array:
    """Arrays of the same sizes but for ``axis`` one behind the other."""
    given = [expect_array(f"concatenate: array {i}", x) for i, x in enumerate(arrays)]
    if not given:
        raise InvalidArgumentError("concatenate: there are no arrays")
    first = given[0]
    if not -first.ndim <= axis < first.ndim:
        raise InvalidArgumentError(f"concatenate: axis {axis} of an array of rank {first.ndim}")
    at = axis % first.ndim
    total: Size = 0
    for x in given:
        if x.dtype != first.dtype:
            raise TypeError(f"concatenate: element types {first.dtype} and {x.dtype} differ")
        if x.shape[:at] + x.shape[at + 1:] != first.shape[:at] + first.shape[at + 1:]:
            raise ShapeError(
                f"concatenate: {print_shape(first.shape)} and {print_shape(x.shape)} differ "
                f"beside axis {at}"
            )
        total = x.shape[at] + total
    function = first.function
    value = function.empty(first.shape[:at] + (total,) + first.shape[at + 1:], first.dtype)
    offset: Size = 0
    for x in given:
        offsets: list[Size] = [0] * first.ndim
        offsets[at] = offset
        value = function.insert(x.value, value, offsets)
        offset = x.shape[at] + offset
    return Array(function, value)


def embedding(table: Array, ids: Array) -> Array:
    """The rows of ``table``, (n, c), that ``ids``, (...) of i32 or i64, name: (..., c). An id
    outside of [0, n) counts as the nearest one inside."""
    table, ids = expect_array("embedding: table", table), expect_array("embedding: ids", ids)
    if table.ndim != 2:
        raise ShapeError(f"embedding: the table is {table!r}; expected rank 2")
    if ids.dtype not in ("i32", "i64"):
        raise TypeError(f"embedding: ids are of {ids.dtype}; expected i32 or i64")
    function, rank = table.function, ids.ndim + 1

    def body(block: ir.Block, names: Sequence[str]) -> str:
        row = block.text(f"arith.index_cast {names[0]} : {ids.dtype} to index")
        column = block.text(f"linalg.index {rank - 1} : index")
        return block.text(f"tensor.extract {table.value.name}[{row}, {column}] : {table.value.type}")

    value = function.generic([ids.value], function.empty(ids.shape + table.shape[1:], table.dtype),
                             rank, [ir.identity(rank - 1), ir.identity(rank)], body)
    return Array(function, value)


def _bound(name: str, size: Size, bound: object, default: Size) -> Size:
    """The end of a slice; negative numbers count from the end of the dimension."""
    if bound is None:
        return default
    if isinstance(bound, bool) or not isinstance(bound, (int, Dim)):
        raise TypeError(f"{name}: {bound!r} is no bound of a slice")
    if isinstance(bound, int) and bound < 0:
        bound = size + bound
    if isinstance(size, int) and isinstance(bound, int):
        return max(0, min(bound, size))
    return bound


def take_slice(x: Array, key: Any) -> Array:
    """``x[key]`` with ints, slices with steps of at least 1, ``...`` and ``None``. Bounds in
    dimensions that are known at run time only must be inside, which each call checks."""
    x = expect_array("x[...]", x)
    keys = list(key) if isinstance(key, tuple) else [key]
    count = sum(1 for k in keys if k is not None and k is not Ellipsis)
    if count > x.ndim or sum(1 for k in keys if k is Ellipsis) > 1:
        raise InvalidArgumentError(f"{x!r} has {x.ndim} dimensions, but the index has {count}")
    if not any(k is Ellipsis for k in keys):
        keys.append(Ellipsis)
    at = next(i for i, k in enumerate(keys) if k is Ellipsis)
    keys[at:at + 1] = [slice(None)] * (x.ndim - count)
    offsets: list[Size] = []
    sizes: list[Size] = []
    strides: list[int] = []
    dropped: list[int] = []
    inserted: list[int] = []
    for k in keys:
        if k is None:
            inserted.append(len(sizes) - len(dropped) + len(inserted))
            continue
        dim = len(sizes)
        size = x.shape[dim]
        if isinstance(k, slice):
            step = 1 if k.step is None else k.step
            if not isinstance(step, int) or step < 1:
                raise InvalidArgumentError(f"x[...]: the step {step!r} is not at least 1")
            start = _bound("x[...]", size, k.start, 0)
            stop = _bound("x[...]", size, k.stop, size)
            length = (stop - start + (step - 1)) // step
            sizes.append(max(length, 0) if isinstance(length, int) else length)
        else:
            if isinstance(k, bool) or not isinstance(k, (int, Dim)):
                raise TypeError(f"x[...]: {k!r} is no index; use ints and slices")
            if isinstance(size, int) and isinstance(k, int) and not -size <= k < size:
                raise InvalidArgumentError(f"x[...]: index {k} of a dimension of size {size}")
            start, step = (size + k if isinstance(k, int) and k < 0 else k), 1
            dropped.append(dim)
            sizes.append(1)
        offsets.append(start)
        strides.append(step)
    if tuple(sizes) != x.shape or dropped:
        x = Array(x.function, x.function.slice(x.value, offsets, sizes, strides, dropped))
    for position in inserted:
        x = expand_dims(x, position)
    return x
