"""Element types, by the names of MLIR and of NumPy."""

from __future__ import annotations

# MLIR's to NumPy's, which has bfloat16 through the package ml_dtypes.
NUMPY_NAMES = {
    "f16": "float16",
    "bf16": "bfloat16",
    "f32": "float32",
    "f64": "float64",
    "i1": "bool",
    "i8": "int8",
    "i16": "int16",
    "i32": "int32",
    "i64": "int64",
}
_MLIR_NAMES = {numpy: mlir for mlir, numpy in NUMPY_NAMES.items()}


def mlir_dtype(dtype: object) -> str:
    """The name that MLIR has for ``dtype``, which is a name of MLIR's or NumPy's, a NumPy
    dtype or a type of its scalars. Raises a ``TypeError`` for any other.

    >>> mlir_dtype("float32")
    'f32'
    """
    name = dtype if isinstance(dtype, str) else getattr(dtype, "name", None)
    if not isinstance(name, str):
        name = getattr(dtype, "__name__", str(dtype))
    if name in NUMPY_NAMES:
        return name
    if name in _MLIR_NAMES:
        return _MLIR_NAMES[name]
    raise TypeError(f"{dtype!r} is no element type; use one of {', '.join(NUMPY_NAMES)}")
