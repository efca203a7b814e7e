"""Graphs of torch.fx, lowered to ``linalg`` by torch-mlir.

Graphs here are functional, of ATen operators, and each node has the tensor of torch that
describes its result in ``node.meta["val"]``.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

from ..array import Tensor
from ..dtypes import mlir_dtype
from ._require import require
from .lowering import LEGAL, Session, UnsupportedError
from .sizes import SymbolTable, identifier
from .views import rewrite_views


def placeholders(graph: Any) -> list[Any]:
    return [node for node in graph.nodes if node.op == "placeholder"]


def is_tensor(node: Any) -> bool:
    return is_tensor_value(node.meta.get("val"))


def is_tensor_value(value: Any) -> bool:
    return isinstance(value, require("torch", "importing from torch").Tensor)


def dtype_of(tensor: Any) -> str:
    """The element type of a tensor of torch, as MLIR calls it. Raises an
    ``UnsupportedError``."""
    name = str(tensor.dtype).removeprefix("torch.")
    try:
        return mlir_dtype(name)
    except TypeError:
        raise UnsupportedError(f"elements of {name} are not supported") from None


def prepare(graph: Any) -> None:
    """Writes a graph so that torch-mlir, and the compiler behind it, see what torch knows of
    its sizes."""
    _drop_assertions(graph)
    _replace_size_inputs(graph)
    rewrite_views(graph)


def _drop_assertions(graph: Any) -> None:
    """Removes what only checks sizes, which the host code of a kernel does itself."""
    for node in reversed(list(graph.nodes)):
        if node.op == "call_function" and "_assert" in str(node.target) and not node.users:
            graph.erase_node(node)
    graph.eliminate_dead_code()


def _replace_size_inputs(graph: Any) -> None:
    """Computes sizes that the graph gets as integers from dimensions of its tensors, so that
    the compiler sees what they are. Those that it cannot compute stay."""
    nodes = placeholders(graph)
    tensors = [node for node in nodes if is_tensor(node)]
    builder = _Sizes(graph, tensors)
    for node in nodes:
        if is_tensor(node) or not hasattr(node.meta.get("val"), "node"):
            continue
        size = builder.build(node.meta["val"].node.expr) if node.users else None
        if isinstance(size, int) or size is not None:
            node.replace_all_uses_with(size)
        if not node.users:
            graph.erase_node(node)


class _Sizes:
    """Writes nodes that compute expressions of sympy from dimensions of tensors."""

    def __init__(self, graph: Any, tensors: Sequence[Any]) -> None:
        self._graph = graph
        self._sources: dict[Any, tuple[Any, int]] = {}
        self._built: dict[Any, Any] = {}
        for node in tensors:
            for index, extent in enumerate(node.meta["val"].shape):
                if hasattr(extent, "node"):
                    self._sources.setdefault(extent.node.expr, (node, index))
        later = [node for node in graph.nodes if node.op != "placeholder"]
        self._before = later[0]

    def build(self, expr: Any) -> Any:
        """A node or a number; None if no dimension says it."""
        if expr not in self._built:
            self._built[expr] = self._write(expr)
        return self._built[expr]

    def _write(self, expr: Any) -> Any:
        torch = require("torch", "importing from torch")
        if expr.is_Integer:
            return int(expr)
        if expr in self._sources:
            node, index = self._sources[expr]
            extent = node.meta["val"].shape[index]
            return self._call(torch.ops.aten.sym_size.int, (node, index), extent)
        function = {"Add": operator.add, "Mul": operator.mul, "FloorDiv": operator.floordiv,
                    "CleanDiv": operator.floordiv}.get(type(expr).__name__)
        operands = [self.build(operand) for operand in expr.args]
        if function is None or any(operand is None for operand in operands):
            return None
        total = operands[0]
        for operand in operands[1:]:
            values = [x.meta["val"] if hasattr(x, "meta") else x for x in (total, operand)]
            total = self._call(function, (total, operand), function(*values))
        return total

    def _call(self, function: Any, args: tuple[Any, ...], value: Any) -> Any:
        with self._graph.inserting_before(self._before):
            node = self._graph.call_function(function, args)
        node.meta["val"] = value
        return node


def to_linalg(
    module: Any, name: str, names: Sequence[str], symbols: SymbolTable
) -> tuple[str, list[Tensor]]:
    """The graph of a GraphModule as one function in MLIR, and what it takes; ``names``: of its
    inputs. Raises an ``UnsupportedError``."""
    arguments = []
    taken: set[str] = set()
    for node, wanted in zip(placeholders(module.graph), names, strict=True):
        given, value = unique(identifier(wanted), taken), node.meta["val"]
        if not is_tensor(node):
            raise UnsupportedError(
                f"input '{given}' is a {type(value).__name__} that no dimension of a tensor "
                "says; pass it in a tensor"
            )
        arguments.append(Tensor(symbols.tensor(given, value.shape), dtype_of(value), given))
    fx = require("torch_mlir.fx", "importing from torch")
    with Session() as session:
        lowered = fx.stateless_fx_import(module, output_type="linalg-on-tensors",
                                         model_name=name, fx_importer=_Importer(session),
                                         backend_legal_ops=list(LEGAL))
        return str(lowered.operation.get_asm()), arguments


class _Importer:
    """In the interface of torch-mlir's ``FxImporter``."""

    def __init__(self, session: Session) -> None:
        extras = require("torch_mlir.extras.fx_importer", "importing from torch")
        self._session = session
        self._importer = extras.FxImporter(context=session.context)

    @property
    def module(self) -> Any:
        return self._importer.module

    def import_stateless_graph(self, graph: Any, **options: Any) -> Any:
        function = self._importer.import_stateless_graph(graph, **options)
        self._session.trust_sizes(function)
        return function


def unique(name: str, taken: set[str]) -> str:
    """Adds a number to a name that is taken, and takes it."""
    candidate, count = name, 1
    while candidate in taken:
        count += 1
        candidate = f"{name}_{count}"
    taken.add(candidate)
    return candidate


