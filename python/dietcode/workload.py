"""What is compiled and tuned: a traced function, or MLIR."""

from __future__ import annotations

import inspect
import os
import pathlib
import re
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Union

from . import _native, ir
from .array import Array, Tensor, as_shape, tracing
from .dims import Dim, DynShapeVar, Size, print_shape
from .errors import InvalidArgumentError

ArgumentSpec = Union[Tensor, tuple[Size, ...], list[Size], Dim, int]
"""A declared tensor, a shape (of f32), or a number that the function gets as it is."""

Instance = Union[Sequence[int], Mapping[str, int], int]
"""One value for each shape variable, in the order of ``Workload.variables`` or by name."""

_tracing = threading.local()


def placeholder(shape: Sequence[Size], dtype: object = "f32", name: str | None = None) -> Array:
    """Declares one more argument of the workload, for functions that get sizes rather than
    arrays, as in the paper. Only while a workload is traced."""
    trace = getattr(_tracing, "current", None)
    if trace is None:
        raise InvalidArgumentError("placeholder: no workload is being traced")
    assert isinstance(trace, _Trace)
    return trace.declare(Tensor(shape, dtype), name or f"arg{len(trace.tensors)}")


class _Trace:
    """Of one function."""

    def __init__(self, name: str, variables: Sequence[DynShapeVar], workload: str | None):
        self.function = ir.Function(name, variables, workload)
        self.tensors: list[Tensor] = []

    def declare(self, spec: Tensor, name: str) -> Array:
        if not re.fullmatch(r"[A-Za-z_]\w*", name, flags=re.ASCII):
            raise InvalidArgumentError(f"argument {name!r}: the name is no identifier")
        for size in spec.shape:
            if isinstance(size, Dim):
                for var in size.variables():
                    if var not in self.function.variables:
                        raise InvalidArgumentError(
                            f"argument '{name}': the shape variable {var} is in no argument of "
                            "the workload; add it to variables"
                        )
        value = self.function.argument(name, spec.shape, spec.dtype)
        self.tensors.append(Tensor(spec.shape, spec.dtype, name))
        return Array(self.function, value)


# Of C and C++: functions of objects and headers cannot be called so.
_RESERVED = frozenset(
    """
    alignas alignof and and_eq asm auto bitand bitor bool break case catch char class compl
    const constexpr continue decltype default delete do double else enum explicit export
    extern false float for friend goto if inline int long main mutable namespace new
    noexcept not not_eq nullptr operator or or_eq private protected public register requires
    restrict return short signed sizeof static struct switch template this throw true try
    typedef typeid typename typeof union unsigned using virtual void volatile wchar_t while
    xor xor_eq
    """.split()
)


def _identifier(name: str, default: str) -> str:
    """A name that MLIR and C take, and that is as near to ``name`` as can be."""
    text = re.sub(r"\W", "_", name, flags=re.ASCII).strip("_")
    if not text or text[0].isdigit():
        return default
    is_taken = text in _RESERVED or text.startswith(("dietcode", "mgpu"))
    return f"f_{text}" if is_taken else text


def _parameter_names(fn: Callable[..., Any], count: int) -> list[str]:
    """What ``fn`` calls its arguments. Raises a ``TypeError`` if it takes another number."""
    try:
        signature = inspect.signature(fn)
    except (TypeError, ValueError):
        return [f"arg{i}" for i in range(count)]
    try:
        bound = signature.bind(*range(count))
    except TypeError as error:
        raise TypeError(f"the function does not take {count} arguments: {error}") from None
    names = []
    for name, value in bound.arguments.items():
        many = signature.parameters[name].kind is inspect.Parameter.VAR_POSITIONAL
        names += [f"{name}{i}" for i in range(len(value))] if many else [name]
    return names


class Workload:
    """A function of tensors, the ranges of its shapes, and the shapes that matter.

    ``fn`` gets one argument for each of ``args`` and is run once, to be traced: a
    :class:`Tensor` or a tuple of dimensions (of f32) is an :class:`Array` with the operators
    of :mod:`dietcode.ops`; an int or an expression of shape variables is passed as such. It
    returns an array or several, which the kernel returns.

    ``instances``: the shapes to tune for, each one value for every shape variable, in the
    order in which these appear in ``args`` (or are in ``variables``) or by name. ``weights``:
    how much each instance counts, positive numbers, by default all the same. ``name``: of
    the function in MLIR, by default that of ``fn``.

    Raises a ``TypeError``, an ``InvalidArgumentError`` or a ``ShapeError`` for what is wrong
    in it, and passes on what ``fn`` raises.

    >>> import dietcode as dc
    >>> T = dc.DynShapeVar("T", 1, 128)
    >>> dc.Workload(lambda x, w: dc.matmul(x, w), args=[(16 * T, 768), (768, 64)],
    ...             instances=[(5,), (128,)], name="dense")
    Workload(dense(x: f32(16*T, 768), w: f32(768, 64)))
    """

    def __init__(
        self,
        fn: Callable[..., Any],
        args: Sequence[ArgumentSpec],
        instances: Sequence[Instance] = (),
        weights: Sequence[float] | None = None,
        *,
        name: str | None = None,
        variables: Sequence[DynShapeVar] = (),
    ) -> None:
        if not callable(fn):
            raise TypeError(f"fn is a {type(fn).__name__}; expected a function")
        specs = [_as_spec(index, arg) for index, arg in enumerate(args)]
        self._variables = _collect_variables(specs, variables)
        self._name = _identifier(name or str(getattr(fn, "__name__", "")), "workload")
        if self._name in {var.name for var in self._variables}:
            raise InvalidArgumentError(
                f"the workload is called {self._name}, like a shape variable; give it a name"
            )
        declaration = ir.Workload(
            f"{self._name}_instances",
            self._variables,
            _check_instances(self._variables, instances),
            _check_weights(instances, weights),
        )
        reference = declaration.name if declaration.instances else None
        trace = _Trace(self._name, self._variables, reference)
        results = _run(trace, fn, specs)
        self._arguments: tuple[Tensor, ...] | None = tuple(trace.tensors)
        self._may_write = False
        self._mlir = declaration.text() + trace.function.text([r.value for r in results])
        self._source = self._name

    @classmethod
    def from_mlir(
        cls,
        source: str | os.PathLike[str],
        entry: str | None = None,
        arguments: Sequence[Tensor] | None = None,
    ) -> "Workload":
        """See :func:`from_mlir`."""
        self = cls.__new__(cls)
        is_path = isinstance(source, os.PathLike) or not re.search(r"[\n{]", source)
        text = pathlib.Path(source).read_text() if is_path else str(source)
        self._source = str(source) if is_path else "input"
        self._mlir = _native.normalize(text, self._source)
        names = re.findall(r"func\.func (?!private)(?:public )?@([\w$.\-]+)", self._mlir)
        if entry is None and len(names) != 1:
            raise InvalidArgumentError(
                f"{self._source} has {len(names)} public functions"
                + (f", {', '.join(names)}; choose one with entry" if names else "")
            )
        if entry is not None and entry not in names:
            raise InvalidArgumentError(f"{self._source} has no public function {entry}")
        self._name = entry or names[0]
        self._variables = [
            DynShapeVar(match[1], int(match[2]), int(match[3]), int(match[4] or 1))
            for match in re.finditer(
                r"dietcode\.shape_var @(\w+) range \[(\d+), (\d+)\](?: multiple_of (\d+))?",
                self._mlir,
            )
        ]
        self._arguments = None if arguments is None else tuple(arguments)
        self._may_write = True
        return self

    @property
    def name(self) -> str:
        """Of the function in MLIR."""
        return self._name

    @property
    def variables(self) -> tuple[DynShapeVar, ...]:
        """The shape variables, in the order in which instances give them."""
        return tuple(self._variables)

    @property
    def arguments(self) -> tuple[Tensor, ...] | None:
        """What the kernel takes, with names; None if that is not known, as of MLIR."""
        return self._arguments

    @property
    def may_write(self) -> bool:
        """Whether the function may write to its arguments, as MLIR may; traced functions
        never do."""
        return self._may_write

    @property
    def mlir(self) -> str:
        """The module as text."""
        return self._mlir

    @property
    def source(self) -> str:
        """What messages of the compiler call the text."""
        return self._source

    def __repr__(self) -> str:
        if self._arguments is None:
            return f"Workload({self._name}, from MLIR)"
        texts = [f"{a.name}: {a.dtype}{print_shape(a.shape)}" for a in self._arguments]
        return f"Workload({self._name}({', '.join(texts)}))"


def from_mlir(
    source: str | os.PathLike[str],
    entry: str | None = None,
    arguments: Sequence[Tensor] | None = None,
) -> Workload:
    """A workload from MLIR: ``linalg`` on tensors, or anything that ``dietcode-opt`` takes.

    ``source``: a path, or the text itself, which is told by its line breaks and braces.
    ``entry``: the public function to compile; by default the only one. ``arguments``: what it
    takes, for front ends that know names and dimensions, which messages then use. Raises a
    ``CompileError`` that says where the text is wrong, an ``OSError`` for a file that cannot
    be read, and an ``InvalidArgumentError`` for an entry that is not there.
    """
    return Workload.from_mlir(source, entry, arguments)


def _as_spec(index: int, arg: object) -> Tensor | Size:
    if isinstance(arg, (tuple, list)):
        return Tensor(as_shape(arg, f"args[{index}]"))
    if isinstance(arg, (Tensor, Dim)) or (isinstance(arg, int) and not isinstance(arg, bool)):
        return arg
    raise TypeError(
        f"args[{index}] is a {type(arg).__name__}; expected a Tensor, a tuple of dimensions, an "
        "expression of shape variables or an int"
    )


def _collect_variables(
    specs: Sequence[Tensor | Size], given: Sequence[DynShapeVar]
) -> list[DynShapeVar]:
    """In the order of their appearance. Raises an ``InvalidArgumentError`` if two differ but
    for their name."""
    found: dict[str, DynShapeVar] = {}
    sizes: list[Size] = list(given)
    for spec in specs:
        sizes += spec.shape if isinstance(spec, Tensor) else [spec]
    for size in sizes:
        for var in size.variables() if isinstance(size, Dim) else ():
            if found.setdefault(var.name, var) != var:
                raise InvalidArgumentError(f"two shape variables are called {var.name}")
    return list(found.values())


def _check_instances(
    variables: Sequence[DynShapeVar], instances: Sequence[Instance]
) -> list[list[int]]:
    names = [var.name for var in variables]
    rows = []
    for index, instance in enumerate(instances):
        if isinstance(instance, Mapping):
            if set(instance) != set(names):
                raise InvalidArgumentError(
                    f"instances[{index}] gives {', '.join(instance)} instead of {', '.join(names)}"
                )
            row = [instance[name] for name in names]
        else:
            row = [instance] if isinstance(instance, int) else list(instance)
        if len(row) != len(names):
            raise InvalidArgumentError(
                f"instances[{index}] has {len(row)} values for {len(names)} shape variables"
                + (f", {', '.join(names)}" if names else "")
            )
        for var, number in zip(variables, row):
            if isinstance(number, bool) or not isinstance(number, int):
                raise TypeError(f"instances[{index}]: {number!r} is no size")
            if not var.low <= number <= var.high or number % var.multiple_of:
                raise InvalidArgumentError(
                    f"instances[{index}]: {var} = {number} is not in [{var.low}, {var.high}]"
                    + (f" or no multiple of {var.multiple_of}" if var.multiple_of > 1 else "")
                )
        rows.append(row)
    return rows


def _check_weights(
    instances: Sequence[Instance], weights: Sequence[float] | None
) -> list[float] | None:
    if weights is None:
        return None
    given = [float(weight) for weight in weights]
    if len(given) != len(instances):
        raise InvalidArgumentError(f"there are {len(given)} weights for {len(instances)} instances")
    for weight in given:
        if not 0 < weight < float("inf"):
            raise InvalidArgumentError(f"weights must be positive and finite, got {weight}")
    return given


def _run(trace: _Trace, fn: Callable[..., Any], specs: Sequence[Tensor | Size]) -> list[Array]:
    """Traces the function, and returns what it returns."""
    values: list[Array | Size] = []
    for spec, name in zip(specs, _parameter_names(fn, len(specs))):
        if isinstance(spec, Tensor):
            values.append(trace.declare(spec, spec.name or name))
        else:
            values.append(spec)
    outer = getattr(_tracing, "current", None)
    _tracing.current, tracing.function = trace, trace.function
    try:
        returned = fn(*values)
    finally:
        _tracing.current = outer
        tracing.function = None if outer is None else outer.function
    results = list(returned) if isinstance(returned, (tuple, list)) else [returned]
    for index, result in enumerate(results):
        if not isinstance(result, Array):
            raise TypeError(
                f"result {index} of the function is a {type(result).__name__}; expected an array"
            )
        if result.function is not trace.function:
            raise InvalidArgumentError(f"result {index} is an array of another workload")
    if not results:
        raise InvalidArgumentError("the function returns no array")
    return results
