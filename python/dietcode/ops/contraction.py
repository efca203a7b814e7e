"""Products and convolutions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Union

from .. import ir
from ..array import Array, expect_array
from ..dims import Dim, Size, print_shape
from ..dtypes import mlir_dtype
from ..errors import InvalidArgumentError, ShapeError
from . import elementwise as el
from .movement import reshape

Epilogue = Callable[[Array], Array]
"""What a kernel does to the elements of a product before it writes them. It gets them as
they were summed up: in f32 for f16 and bf16, in i32 for i8."""


def _sum_dtype(dtype: str) -> str:
    """In which products are summed up."""
    return {"f16": "f32", "bf16": "f32", "i8": "i32"}.get(dtype, dtype)


def _check_factors(name: str, a: Array, b: Array) -> None:
    if a.dtype != b.dtype:
        raise TypeError(
            f"{name}: element types {a.dtype} and {b.dtype} differ; convert one with cast"
        )
    if a.dtype in ("i1", "i16"):
        raise TypeError(f"{name} takes no arrays of {a.dtype}")


def _contract(a: Array, b: Array, shape: Sequence[Size], rank: int,
              maps: Sequence[Sequence[str]], reduced: Sequence[int]) -> Array:
    """Sums of products over ``rank`` dimensions."""
    function, dtype = a.function, a.dtype
    total = _sum_dtype(dtype)
    extend = "arith.extf" if dtype in ir.FLOATS else "arith.extsi"
    kind = "f" if dtype in ir.FLOATS else "i"

    def body(block: ir.Block, names: Sequence[str]) -> str:
        left, right, so_far = names
        if total != dtype:
            left = block.text(f"{extend} {left} : {dtype} to {total}")
            right = block.text(f"{extend} {right} : {dtype} to {total}")
        product = block.op(f"arith.mul{kind}", [left, right], total)
        return block.op(f"arith.add{kind}", [so_far, product], total)

    init = function.fill(shape, 0, total)
    value = function.generic([a.value, b.value], init, rank, maps, body, reduced)
    return Array(function, value)


def _finish(name: str, result: Array, factor: str, epilogue: Epilogue | None,
            dtype: object | None) -> Array:
    """The epilogue, and the rounding to the type of the result."""
    if epilogue is not None:
        shape = result.shape
        result = expect_array(f"{name}: what the epilogue returns", epilogue(result))
        if result.shape != shape:
            raise ShapeError(
                f"{name}: the epilogue returns shape {print_shape(result.shape)} instead of "
                f"{print_shape(shape)}"
            )
    default = factor if factor in ir.FLOATS else _sum_dtype(factor)
    return el.cast(result, default if dtype is None else mlir_dtype(dtype))


def matmul(a: Array, b: Array, *, transpose_a: bool = False, transpose_b: bool = False,
           epilogue: Epilogue | None = None, dtype: object | None = None) -> Array:
    """The product of matrices, or of batches of them.

    ``a``: (..., m, k), or (..., k, m) with ``transpose_a``, or (k,). ``b``: (..., k, n), or
    (..., n, k) with ``transpose_b``, or (k,). Leading dimensions broadcast. The result is
    (..., m, n). ``epilogue``: a function of the product, see :data:`Epilogue`. ``dtype``: of
    the result; by default that of the factors, and i32 for i8.
    """
    name = "matmul"
    a, b = expect_array(f"{name}: a", a), expect_array(f"{name}: b", b)
    _check_factors(name, a, b)
    if a.ndim == 0 or b.ndim == 0:
        raise ShapeError(f"{name}: {a!r} and {b!r}: a number is no matrix")
    batch = el.broadcast_shapes(name, [a.shape[:-2], b.shape[:-2], ()])
    rank = len(batch)
    m, n, k = f"d{rank}", f"d{rank + 1}", f"d{rank + 2}"
    left = ([k, m] if transpose_a else [m, k]) if a.ndim > 1 else [k]
    right = ([n, k] if transpose_b else [k, n]) if b.ndim > 1 else [k]
    sizes: dict[str, Size] = {}
    for array, letters in ((a, left), (b, right)):
        for letter, size in zip(letters, array.shape[-len(letters):]):
            if sizes.setdefault(letter, size) != size:
                raise ShapeError(
                    f"{name}: {print_shape(a.shape)}{' transposed' if transpose_a else ''} by "
                    f"{print_shape(b.shape)}{' transposed' if transpose_b else ''}: the sum is "
                    f"over {sizes[letter]} and {size} elements"
                )
    rows = [letter for letter in (m, n) if letter in sizes]
    # Dimensions without a number: a loop has those that there are only.
    present = [f"d{i}" for i in range(rank)] + rows + [k]
    renamed = {letter: f"d{i}" for i, letter in enumerate(present)}

    def spell(letters: Sequence[str]) -> list[str]:
        return [renamed.get(letter, letter) for letter in letters]

    maps = [
        spell(_batch_map(array, batch) + letters) for array, letters in ((a, left), (b, right))
    ] + [spell(present[:-1])]
    shape = batch + tuple(sizes[letter] for letter in rows)
    result = _contract(a, b, shape, len(present), maps, [len(present) - 1])
    return _finish(name, result, a.dtype, epilogue, dtype)


def _batch_map(array: Array, batch: tuple[Size, ...]) -> list[str]:
    return el.broadcast_map(array.shape[:-2], batch)


def batch_matmul(a: Array, b: Array, *, transpose_a: bool = False, transpose_b: bool = False,
                 epilogue: Epilogue | None = None, dtype: object | None = None) -> Array:
    """:func:`matmul` of arrays that have the same batch dimensions: (..., m, k) by (..., k, n)."""
    a, b = expect_array("batch_matmul: a", a), expect_array("batch_matmul: b", b)
    if a.ndim < 3 or a.ndim != b.ndim or a.shape[:-2] != b.shape[:-2]:
        raise ShapeError(
            f"batch_matmul: {print_shape(a.shape)} and {print_shape(b.shape)} are no batches of "
            "the same shape; matmul broadcasts them"
        )
    return matmul(a, b, transpose_a=transpose_a, transpose_b=transpose_b, epilogue=epilogue,
                  dtype=dtype)


def linear(x: Array, weight: Array, bias: Array | None = None, *,
           epilogue: Epilogue | None = None, dtype: object | None = None) -> Array:
    """``x weight^T + bias`` as PyTorch defines it.

    ``x``: (..., k). ``weight``: (n, k). ``bias``: (n,). The result is (..., n).
    """

    def end(product: Array) -> Array:
        if bias is not None:
            product = el.add(product, el.cast(bias, product.dtype))
        return product if epilogue is None else epilogue(product)

    return matmul(x, weight, transpose_b=True, epilogue=end, dtype=dtype)


Pair = Union[int, Sequence[int]]


def _pair(name: str, value: Pair, least: int) -> tuple[int, int]:
    pair = (value, value) if isinstance(value, int) else tuple(value)
    if len(pair) != 2 or any(not isinstance(v, int) or v < least for v in pair):
        raise InvalidArgumentError(
            f"conv2d: {name} is {value!r}; expected one or two numbers of at least {least}"
        )
    return pair[0], pair[1]


# Names of the dimensions of image, filter and result by layout.
_LAYOUTS = {"NCHW": ("nchw", "fchw", "nfhw"), "NHWC": ("nhwc", "hwcf", "nhwf")}


def conv2d(x: Array, weight: Array, *, stride: Pair = 1, padding: Pair = 0, dilation: Pair = 1,
           groups: int = 1, layout: str = "NCHW", epilogue: Epilogue | None = None,
           dtype: object | None = None) -> Array:
    """A two-dimensional convolution, padded with zeros on both sides.

    With the layout NCHW ``x`` is (n, c, h, w), ``weight`` (f, c / groups, kh, kw) and the
    result (n, f, oh, ow); with NHWC they are (n, h, w, c), (kh, kw, c / groups, f) and
    (n, oh, ow, f). ``oh`` is ``(h + 2 padding - dilation (kh - 1) - 1) // stride + 1``.
    The sizes of the filter, and of channels that are in groups, are numbers.
    """
    x, weight = expect_array("conv2d: x", x), expect_array("conv2d: weight", weight)
    if layout not in _LAYOUTS:
        raise InvalidArgumentError(f"conv2d: layout {layout!r}; use one of {', '.join(_LAYOUTS)}")
    _check_factors("conv2d", x, weight)
    if x.ndim != 4 or weight.ndim != 4:
        raise ShapeError(f"conv2d: {x!r} and {weight!r} must have rank 4")
    strides, dilations = _pair("stride", stride, 1), _pair("dilation", dilation, 1)
    pads = _pair("padding", padding, 0)
    image, filters, _ = _LAYOUTS[layout]
    kernel = [weight.shape[filters.index(letter)] for letter in "hw"]
    channels, filters_channels = x.shape[image.index("c")], weight.shape[filters.index("c")]
    if any(isinstance(size, Dim) for size in kernel):
        raise InvalidArgumentError(f"conv2d: the filter {weight!r} must be of a known size")
    if filters_channels * groups != channels:
        raise ShapeError(
            f"conv2d: {x!r} has {channels} channels, but the filter has {filters_channels} for "
            f"each of {groups} groups"
        )
    if any(pads):
        low = [pads["hw".index(letter)] if letter in "hw" else 0 for letter in image]
        x = Array(x.function, x.function.pad(x.value, low, low, 0))
    spatial = []
    for i, letter in enumerate("hw"):
        size, extent = x.shape[image.index(letter)], dilations[i] * (int(kernel[i]) - 1) + 1
        if isinstance(size, int) and size < extent:
            raise ShapeError(f"conv2d: the filter {weight!r} is larger than the image {x!r}")
        spatial.append((size - extent) // strides[i] + 1)
    result = _convolve(x, weight, layout, groups, spatial, strides, dilations)
    return _finish("conv2d", result, x.dtype, epilogue, dtype)


def _convolve(x: Array, weight: Array, layout: str, groups: int, spatial: Sequence[Size],
              strides: tuple[int, int], dilations: tuple[int, int]) -> Array:
    """Of an image that is padded; groups become a dimension of their own meanwhile."""
    image, filters, result = _LAYOUTS[layout]
    count = weight.shape[filters.index("f")]
    if groups > 1:
        if isinstance(count, Dim) or count % groups:
            raise ShapeError(f"conv2d: {count} filters are no multiple of {groups} groups")
        x = _split_channels(x, image.index("c"), groups)
        weight = _split_channels(weight, filters.index("f"), groups)
        image, result = image.replace("c", "gc"), result.replace("f", "gf")
        filters = filters.replace("f", "gf")
    # Loops: those of the result, then what is summed over.
    loops = {letter: f"d{i}" for i, letter in enumerate(result)}
    for letter in "cyx":
        loops[letter] = f"d{len(loops)}"

    def at(i: int) -> str:
        return f"{loops['hw'[i]]} * {strides[i]} + {loops['yx'[i]]} * {dilations[i]}"

    image_map = [at("hw".index(c)) if c in "hw" else loops[c] for c in image]
    filter_map = [loops["yx"["hw".index(c)]] if c in "hw" else loops[c] for c in filters]
    sizes = {letter: x.shape[image.index(letter)] for letter in image}
    sizes["f"] = weight.shape[filters.index("f")]
    sizes["h"], sizes["w"] = spatial
    rank = len(loops)
    made = _contract(x, weight, [sizes[c] for c in result], rank,
                     [image_map, filter_map, [loops[c] for c in result]],
                     range(rank - 3, rank))
    if groups == 1:
        return made
    at_group = result.index("g")
    shape = made.shape[:at_group] + (count,) + made.shape[at_group + 2:]
    return reshape(made, shape)


def _split_channels(x: Array, axis: int, groups: int) -> Array:
    each = x.shape[axis] // groups
    return reshape(x, x.shape[:axis] + (groups, each) + x.shape[axis + 1:])
