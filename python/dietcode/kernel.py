"""Compiled workloads."""

from __future__ import annotations

import io
import json
import os
import warnings
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from typing import Any, Union

from . import _native
from ._version import __version__
from .dims import Dim, DynShapeVar, parse_dim, print_shape
from .dtypes import NUMPY_NAMES
from .errors import InvalidArgumentError, ShapeError, VersionError
from .explanation import Explanation, explain_mlir
from .tuning import Tuned
from .array import Tensor
from .workload import Workload

Source = Union[Workload, Tuned]

# The number of CUDA's default stream, which is 0 where it cannot be mistaken for none.
_LEGACY_STREAM = 1


class DietCodeWarning(UserWarning):
    """What the compiler warns of, e.g. that a product is left to loops on the host."""


def set_device(name: str) -> None:
    """Chooses the device that kernels of this process run on: "virtual:t4", "cuda:0". It is
    ``DIETCODE_DEVICE`` of the environment by default, or else the first GPU, or a virtual
    T4. A process has one device: raises a ``DeviceError`` if it has another one already, or
    if there is none of that name."""
    _native.set_device(name)


def device() -> str:
    """The device that kernels of this process run on, e.g. "virtual:t4 (model, not a
    measurement)"; empty if there is none. Chooses it if that was not done yet."""
    return _native.device_name()


class Kernel:
    """A compiled workload: call it with arrays of any shape that it takes.

    Arguments are arrays of NumPy, or whatever has the buffer protocol or DLPack: tensors of
    PyTorch on the CPU or the GPU, of CuPy, of JAX. They are not copied where they are dense
    in C order and of the byte order of the machine; copies are made of other layouts.
    Element types are never converted. Scalars are Python's numbers. Results are arrays of
    the library of the first tensor that is not NumPy's, or else NumPy's, without a copy.

    Raises a ``TypeError`` or a ``ValueError`` that names the argument and its dimensions.
    Calls run without the GIL, from any number of threads.
    """

    def __init__(self, program: _native.Program, mlir: str, source: str, name: str,
                 arguments: Sequence[Tensor] | None, may_write: bool) -> None:
        self._program, self._mlir, self._source, self._name = program, mlir, source, name
        self._may_write = may_write
        described = next(f for f in json.loads(program.describe()) if f["name"] == name)
        self._arguments = None if arguments is None else tuple(arguments)
        if arguments is not None:
            _check_arguments(name, arguments, described["arguments"])
        parameters = [
            _parameter(value, None if arguments is None else arguments[i], f"arg{i}")
            for i, value in enumerate(described["arguments"])
        ]
        results = [_parameter(r, None, f"result{i}") for i, r in enumerate(described["results"])]
        self._function = _native.Function(program, name, parameters, results, may_write)
        self._call = self._function.call

    def __call__(self, *args: Any, stream: Any = None) -> Any:
        """Runs the kernel, and returns its result, or a tuple of several.

        ``stream``: what it is launched on: a stream of PyTorch or CuPy, or the number of a
        CUstream of the device's primary context. Work that is in it already is waited for on
        the GPU, and the call may return before the result is complete, as the kernels of
        other libraries do: what uses it on the same stream, reads it on the host, or takes it
        through DLPack on another stream, gets it complete. Without a stream it is complete
        when the call returns.
        """
        try:
            return self._call(args, 0 if stream is None else _stream_number(stream))
        except ShapeError as error:
            explained = self._explain_mismatch(args)
            if explained is None:
                raise
            raise ShapeError(explained) from error

    def _explain_mismatch(self, args: Sequence[Any]) -> str | None:
        """In terms of shape variables, which of the arguments contradict each other."""
        if self._arguments is None:
            return None
        known: dict[str, tuple[int, str]] = {}
        for spec, arg in zip(self._arguments, args):
            for index, (size, actual) in enumerate(zip(spec.shape, arg.shape)):
                problem = _match(size, int(actual), known, f"'{spec.name}'")
                if problem:
                    return (
                        f"{self._name}: argument '{spec.name}' has shape "
                        f"{print_shape(tuple(arg.shape))}; expected {print_shape(spec.shape)}: "
                        f"dimension {index} {problem}"
                    )
        return None

    @property
    def name(self) -> str:
        """Of the function in MLIR."""
        return self._name

    @property
    def arguments(self) -> tuple[Tensor, ...] | None:
        """What it takes, with names; None if the workload was read from MLIR."""
        return self._arguments

    @property
    def mlir(self) -> str:
        """The module that was compiled, with all decisions in it if it was tuned."""
        return self._mlir

    @property
    def ptx(self) -> str:
        """The kernels as PTX; empty if there are none."""
        return self._program.ptx()

    def explain(self, **values: int) -> Explanation:
        """Which micro-kernel serves a shape, e.g. ``explain(T=37)``, and why. Raises a
        ``CompileError`` for a shape variable that there is not, or that is missing."""
        return explain_mlir(self._mlir, self._source, self._name, values)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the kernel to a file, for :func:`load` of the same release."""
        meta: dict[str, Any] = {
            "version": __version__, "name": self._name, "source": self._source, "arguments": None,
            "may_write": self._may_write,
        }
        if self._arguments is not None:
            meta["arguments"] = [
                {"name": a.name, "dtype": a.dtype, "shape": [_encode(s) for s in a.shape]}
                for a in self._arguments
            ]
        data = io.BytesIO()
        with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("kernel.json", json.dumps(meta, indent=1))
            archive.writestr("module.mlir", self._mlir)
            archive.writestr("program.bin", self._program.save())
        # As a whole or not at all.
        temporary = f"{os.fspath(path)}.{os.getpid()}"
        try:
            with open(temporary, "wb") as file:
                file.write(data.getvalue())
            os.replace(temporary, path)
        finally:
            if os.path.exists(temporary):
                os.remove(temporary)

    def __repr__(self) -> str:
        if self._arguments is None:
            return f"Kernel({self._name})"
        names = ", ".join(f"{a.name}: {a.dtype}{print_shape(a.shape)}" for a in self._arguments)
        return f"Kernel({self._name}({names}))"


def compile(
    source: Source,
    *,
    device: str | None = None,
    chip: str | None = None,
    max_kernels: int = 8,
    max_regret: float | None = None,
    report_misses: bool = False,
) -> Kernel:
    """Compiles a workload, tuned or not, to something that can be called.

    ``device``: as of :func:`set_device`, which it calls. ``chip``: what PTX is generated for,
    e.g. "sm_80"; by default that of the device that the workload was tuned for, or a T4.
    ``max_kernels`` and ``max_regret``: as of :func:`dietcode.tune`, for operators that were
    not tuned. ``report_misses``: count calls outside of the declared ranges.

    Raises a ``CompileError`` that says where; warns with a ``DietCodeWarning`` of operators
    that are left to loops on the host.
    """
    if not isinstance(source, (Workload, Tuned)):
        raise TypeError(f"source is a {type(source).__name__}; expected a Workload or a Tuned")
    if device is not None:
        set_device(device)
    program, said = _native.compile(
        source.mlir, source.source, source.name, chip, max_kernels,
        -1.0 if max_regret is None else max_regret, report_misses,
    )
    for text in said:
        warnings.warn(text, DietCodeWarning, stacklevel=2)
    return Kernel(program, source.mlir, source.source, source.name, source.arguments,
                  source.may_write)


def load(path: str | os.PathLike[str]) -> Kernel:
    """A kernel that was saved, without compiling it again. Its machine code runs in this
    process, so load only files that you trust. Raises an ``InvalidArgumentError`` for a file
    that is no kernel, and a ``VersionError`` for one of another release."""
    try:
        with zipfile.ZipFile(path) as archive:
            meta = json.loads(archive.read("kernel.json"))
            mlir = archive.read("module.mlir").decode()
            data = archive.read("program.bin")
        if not isinstance(meta, dict):
            raise ValueError("its description is no object")
    except (zipfile.BadZipFile, zlib.error, KeyError, EOFError, ValueError) as error:
        raise InvalidArgumentError(f"{os.fspath(path)} is no saved kernel: {error}") from None
    if meta.get("version") != __version__:
        raise VersionError(
            f"{os.fspath(path)} was saved by DietCode {meta.get('version')}, and this is "
            f"{__version__}; compile it again"
        )
    program = _native.Program.load(data)
    try:
        arguments = None
        if meta["arguments"] is not None:
            arguments = [
                Tensor([_decode(s) for s in a["shape"]], a["dtype"], a["name"])
                for a in meta["arguments"]
            ]
        return Kernel(program, mlir, meta["source"], meta["name"], arguments, meta["may_write"])
    except (KeyError, TypeError, AttributeError, StopIteration) as error:
        raise InvalidArgumentError(
            f"{os.fspath(path)} is no saved kernel: its description is damaged ({error!r})"
        ) from None


def _check_arguments(
    name: str, arguments: Sequence[Tensor], described: Sequence[Mapping[str, Any]]
) -> None:
    """Whether what a front end says of arguments is what was compiled."""
    ranks = [(a.dtype, a.rank) for a in arguments]
    compiled = [(d["dtype"], len(d["sizes"]) if "sizes" in d else 0) for d in described]
    if ranks != compiled:
        raise InvalidArgumentError(
            f"{name}: arguments are declared as {list(arguments)}, but have types and ranks "
            f"{', '.join(f'{dtype} of rank {rank}' for dtype, rank in compiled)}"
        )


def _parameter(described: Mapping[str, Any], spec: Tensor | None, name: str) -> _native.Parameter:
    sizes = described.get("sizes")
    known = [-1 if size is None else int(size) for size in sizes or []]
    text = "(" + ", ".join("?" if s < 0 else str(s) for s in known) + (",)" if len(known) == 1 else ")")
    if spec is not None:
        text, name = print_shape(spec.shape), spec.name or name
    return _native.Parameter(name, NUMPY_NAMES[described["dtype"]], sizes is not None, known, text)


def _stream_number(stream: Any) -> int:
    """Of an int, or of a stream of PyTorch, CuPy, or the CUDA stream protocol."""
    candidates = [stream, getattr(stream, "cuda_stream", None), getattr(stream, "ptr", None)]
    protocol = getattr(stream, "__cuda_stream__", None)
    if protocol is not None:
        candidates.append(protocol()[1])
    for number in candidates:
        if isinstance(number, int):
            return number or _LEGACY_STREAM
    raise TypeError(
        f"stream is a {type(stream).__name__}; expected a stream of PyTorch or CuPy, or the "
        "number of a CUstream"
    )


def _match(size: int | Dim, actual: int, known: dict[str, tuple[int, str]], where: str) -> str | None:
    """Why a dimension does not fit what other arguments have said; None if it does, or if it
    cannot be told."""
    if isinstance(size, int):
        return None if size == actual else f"is {actual} instead of {size}"
    missing = {var.name: var for var in size.variables() if var.name not in known}
    if not missing:
        values = {name: value for name, (value, _) in known.items()}
        expected = size.evaluate(values)
        if expected == actual:
            return None
        reasons = ", ".join(
            f"{name} = {known[name][0]} by argument {known[name][1]}"
            for name in dict.fromkeys(var.name for var in size.variables())
        )
        return f"is {actual} instead of {size} = {expected}, where {reasons}"
    if len(missing) > 1:
        return None
    (var,) = missing.values()
    at_zero = {name: value for name, (value, _) in known.items()}
    base = size.evaluate({**at_zero, var.name: 0})
    factor = size.evaluate({**at_zero, var.name: 1}) - base
    is_linear = size.evaluate({**at_zero, var.name: 2}) == base + 2 * factor
    if not is_linear or factor == 0:
        return None
    if (actual - base) % factor:
        return f"is {actual}, which {size} is for no {var}"
    known[var.name] = ((actual - base) // factor, where)
    return None


def _encode(size: int | Dim) -> Any:
    """A dimension as JSON: its text, and the variables in it."""
    if isinstance(size, int):
        return size
    variables = {
        var.name: [var.low, var.high, var.multiple_of] for var in size.variables()
    }
    return {"text": str(size), "variables": variables}


def _decode(value: Any) -> int | Dim:
    if isinstance(value, int):
        return value
    variables: dict[str, Any] = {
        name: DynShapeVar(name, *numbers) for name, numbers in value["variables"].items()
    }
    return parse_dim(value["text"], variables)
