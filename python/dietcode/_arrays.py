"""What the extension leaves to Python when it takes and returns arrays."""

from __future__ import annotations

import sys
from typing import Any, Callable

import numpy as np


def describe(value: object) -> str:
    """For messages: the type of what is no array."""
    name = type(value).__name__
    article = "an" if name[0] in "aeiouAEIOU" else "a"
    return f"{article} {name}" if value is not None else "None"


def dtype_name(value: Any) -> str:
    """For messages: the element type of an array."""
    dtype = getattr(value, "dtype", None)
    if dtype is None and isinstance(value, memoryview):
        return f"the format {value.format!r}"
    return str(dtype) if dtype is not None else f"bytes ({type(value).__name__})"


def dense(value: Any) -> Any:
    """A copy in C order, of the byte order of this machine."""
    if hasattr(value, "__dlpack__") and not isinstance(value, np.ndarray):
        if hasattr(value, "contiguous"):
            return value.contiguous()
        value = np.from_dlpack(value)
    array = np.asarray(value)
    # ascontiguousarray would give what has no dimension one.
    return np.array(array, dtype=array.dtype.newbyteorder("="), order="C", copy=True)


def copied(value: Any) -> Any:
    """A copy that a function may write to."""
    return np.array(value, order="C", copy=True)


def bits_of_bfloat16(value: Any) -> Any:
    """An array of ml_dtypes' bfloat16 as its bits; None of any other."""
    if getattr(getattr(value, "dtype", None), "name", "") != "bfloat16":
        return None
    return value.view(np.uint16)


def bits_of_float16(value: float) -> int:
    return int(np.float16(value).view(np.uint16))


def as_bfloat16(bits: Any) -> Any:
    """An array of bfloat16 over bits. Raises a TypeError without ml_dtypes."""
    try:
        import ml_dtypes
    except ImportError:
        raise TypeError(
            "the result has elements of bfloat16, which NumPy knows through the package "
            "ml_dtypes only; install it, or pass tensors of a library that has bfloat16"
        ) from None
    return bits.view(ml_dtypes.bfloat16)


def importer_of(kind: type) -> Callable[[Any], Any] | None:
    """How the library of an argument's type takes tensors through DLPack; None for
    NumPy, and for what says nothing of the kind."""
    root = kind.__module__.partition(".")[0]
    if root in ("numpy", "builtins"):
        return None
    if root in ("jax", "jaxlib"):
        root = "jax.dlpack"
    return getattr(sys.modules.get(root), "from_dlpack", None)


def float16_of_bits(bits: int) -> float:
    return float(np.uint16(bits).view(np.float16))
