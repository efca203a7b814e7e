"""Modules of PyTorch as workloads, through ``torch.export`` and torch-mlir."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..errors import InvalidArgumentError
from ..workload import Instance, _identifier
from . import graphs
from ._require import require
from .decompositions import decompositions
from .linalg import Imported
from .sizes import MAX_SIZE, Declared, SymbolTable

_PURPOSE = "from_torch"


class TorchWorkload(Imported):
    """A workload that :func:`from_torch` has made."""

    parameters: tuple[Any, ...] = ()
    """The tensors that the kernel takes after the inputs of the module, in this order; none
    if they are constants of the kernel."""


def from_torch(
    module: Any,
    example_args: Sequence[Any] = (),
    example_kwargs: Mapping[str, Any] | None = None,
    *,
    dynamic_shapes: Any = None,
    instances: Sequence[Instance] = (),
    weights: Sequence[float] | None = None,
    parameters: str = "constants",
    max_size: int = MAX_SIZE,
    name: str | None = None,
) -> TorchWorkload:
    """A workload from a module of PyTorch, which ``torch.export`` traces, or from an
    ``ExportedProgram``.

    ``example_args``, ``example_kwargs`` and ``dynamic_shapes`` are those of
    ``torch.export.export``. Each symbol of the program becomes a shape variable, called as its
    ``Dim``, with its range; what the program knows of dimensions of its inputs, e.g. that one
    is ``2*T``, is known of the arguments. ``max_size``: the end of ranges without one.

    The kernel takes the inputs that are tensors, and returns the outputs, both flat.
    ``parameters``: of the module and its buffers, "constants", or "arguments" that follow the
    inputs, as ``workload.parameters`` has them: better for large ones, of which the MLIR of
    the workload else holds a copy as text. ``instances``, ``weights``, ``name``: as of
    :class:`dietcode.Workload`.

    Raises an ``ImportError`` without torch or torch-mlir, a ``CompileError`` that names what
    cannot be lowered, and an ``InvalidArgumentError`` for a program that changes its inputs
    or buffers.
    """
    if parameters not in ("constants", "arguments"):
        raise InvalidArgumentError(
            f"parameters is {parameters!r}; expected 'constants' or 'arguments'"
        )
    torch = require("torch", _PURPOSE)
    require("torch_mlir", _PURPOSE)
    labels: list[tuple[tuple[int, int], Declared]] = []
    if isinstance(module, torch.export.ExportedProgram):
        program = module
    elif isinstance(module, torch.nn.Module):
        args, kwargs = tuple(example_args), dict(example_kwargs or {})
        program = torch.export.export(module, args, kwargs, dynamic_shapes=dynamic_shapes)
        labels = list(_labels(module, args, kwargs, dynamic_shapes))
    else:
        raise TypeError(
            f"module is a {type(module).__name__}; expected a torch.nn.Module or a "
            "torch.export.ExportedProgram"
        )
    program = program.run_decompositions(decompositions())
    prepared = _Prepared(program, parameters == "constants")
    default = type(module).__name__ if isinstance(module, torch.nn.Module) else "exported"
    chosen = _identifier(name or default, "exported")
    symbols = SymbolTable(_declared(prepared.inputs, labels), max_size)
    text, arguments = graphs.to_linalg(prepared.module, chosen, prepared.names, symbols)
    workload = TorchWorkload(text, arguments, symbols.variables, instances, weights,
                             source=f"the export of {default}")
    workload.parameters = tuple(prepared.values)
    return workload


class _Prepared:
    """An exported program as a graph whose inputs are tensors: those of the program, and then
    its parameters unless they are constants."""

    def __init__(self, program: Any, constants: bool) -> None:
        _check_outputs(program)
        self.module = copy.copy(program.graph_module)
        self.module.graph = copy.deepcopy(program.graph)
        self.inputs: list[Any] = []
        """The nodes of the user's tensors, with dimensions."""
        self.names: list[str] = []
        self.values: list[Any] = []
        graph = self.module.graph
        called = {}
        stored = []
        for node, spec in zip(graphs.placeholders(graph), program.graph_signature.input_specs,
                              strict=True):
            called[node] = spec.arg.name
            if spec.target is None:
                self.inputs.append(node)
            elif node.users:
                stored.append((node, spec.target, _stored(program, spec.target)))
            else:
                graph.erase_node(node)
        for node, target, value in stored:
            # Numbers are folded into what uses them.
            if constants or value.ndim == 0:
                self._make_constant(node, target, value)
            else:
                self._move_last(node)
                self.names.append(target)
                self.values.append(value)
        graphs.prepare(graph)
        self._drop_constants()
        self.names[:0] = [called[node] for node in self.inputs]
        graph.lint()
        self.module.recompile()

    def _make_constant(self, node: Any, target: str, value: Any) -> None:
        graph = self.module.graph
        attribute = "stored_" + target.replace(".", "_")
        while hasattr(self.module, attribute):
            attribute += "_"
        self.module.register_buffer(attribute, value)
        first = next(n for n in graph.nodes if n.op != "placeholder")
        with graph.inserting_before(first):
            literal = graph.get_attr(attribute)
        literal.meta = dict(node.meta)
        node.replace_all_uses_with(literal)
        graph.erase_node(node)

    def _move_last(self, node: Any) -> None:
        last = graphs.placeholders(self.module.graph)[-1]
        if last is not node:
            last.append(node)

    def _drop_constants(self) -> None:
        """Inputs that are no tensors, and that export has made part of the graph."""
        present = set(self.module.graph.nodes)
        self.inputs = [node for node in self.inputs if node in present]
        for node in list(self.inputs):
            if not graphs.is_tensor(node) and not node.users:
                self.module.graph.erase_node(node)
                self.inputs.remove(node)


def _check_outputs(program: Any) -> None:
    for spec in program.graph_signature.output_specs:
        if spec.kind.name != "USER_OUTPUT":
            what = spec.target or spec.arg.name
            raise InvalidArgumentError(
                f"the program changes '{what}' ({spec.kind.name.lower()}), and kernels change "
                "nothing; export it in eval mode, or return the new value"
            )


def _stored(program: Any, target: str) -> Any:
    """A parameter, buffer or constant of the program."""
    value = program.state_dict.get(target)
    if value is None:
        value = program.constants[target]
    return value.detach()


def _declared(
    nodes: Sequence[Any], labels: Sequence[tuple[tuple[int, int], Declared]]
) -> dict[str, Declared]:
    """What the user has said of symbols, from what was said of each dimension."""
    tensors = [node for node in nodes if graphs.is_tensor(node)]
    found: dict[str, Declared] = {}
    for (position, dimension), declared in labels:
        if position >= len(tensors):
            return {}
        extent = tensors[position].meta["val"].shape[dimension]
        symbols = extent.node.expr.free_symbols if hasattr(extent, "node") else ()
        if len(symbols) == 1:
            found.setdefault(str(next(iter(symbols))), declared)
    names = {declared.name for declared in found.values()}
    return found if len(names) == len(found) else {}


def _labels(module: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any],
            shapes: Any) -> Iterator[tuple[tuple[int, int], Declared]]:
    """((which tensor, which dimension), its ``Dim``), of the dimensions that have one."""
    if not shapes:
        return
    bound = inspect.signature(module.forward).bind(*args, **kwargs).arguments
    by_name = shapes if isinstance(shapes, Mapping) else dict(zip(bound, shapes))
    for position, (tensor, spec) in enumerate(_tensors(dict(bound), by_name)):
        dims = spec.items() if isinstance(spec, Mapping) else enumerate(spec or ())
        for index, dim in dims:
            # 2 * T is of T.
            root = getattr(dim, "root", dim)
            name = getattr(root, "__name__", None)
            if name is not None:
                low = getattr(root, "min", None)
                yield (position, index), Declared(name, low if isinstance(low, int) else None)


def _tensors(value: Any, spec: Any) -> Iterator[tuple[Any, Any]]:
    """The tensors in nested arguments, with what ``dynamic_shapes`` says of each."""
    torch = require("torch", _PURPOSE)
    if isinstance(value, torch.Tensor):
        yield value, spec
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from _tensors(item, spec.get(key) if isinstance(spec, Mapping) else None)
    elif isinstance(value, (tuple, list)):
        for index, item in enumerate(value):
            inner = spec[index] if isinstance(spec, (tuple, list)) and index < len(spec) else None
            yield from _tensors(item, inner)
