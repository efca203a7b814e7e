"""Splits a graph of torch.fx into kernels and what is left to torch."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..errors import DietCodeError
from ..kernel import DietCodeWarning, Kernel, compile, device
from . import graphs
from ._require import require
from .linalg import Imported
from .lowering import UnsupportedError
from .sizes import MAX_SIZE, SymbolTable
from .support import NO_WORK, Support, is_operator, kind

_PREFIX = "dietcode_part_"
_PURPOSE = 'torch.compile(backend="dietcode")'


@dataclass(frozen=True)
class Left:
    """Operators of one kind that torch runs."""

    operator: str
    """e.g. ``aten.max_pool2d_with_indices``."""
    count: int
    """How many of them there are."""
    reason: str


@dataclass(frozen=True)
class Part:
    """Operators that became one kernel."""

    kernel: Kernel
    operators: tuple[str, ...]
    """Their kinds, in order."""
    on_host: tuple[str, ...]
    """What the compiler says of those that run in loops on the host."""


@dataclass
class Report:
    """What became of one graph of ``torch.compile``."""

    parts: list[Part] = field(default_factory=list)
    left: list[Left] = field(default_factory=list)

    def __str__(self) -> str:
        lines = []
        for part in self.parts:
            lines.append(f"{part.kernel.name}: {len(part.operators)} operators in one kernel")
            lines += [f"  on the host: {text}" for text in part.on_host]
        lines += [f"{one.operator} ({one.count}): left to torch: {one.reason}" for one in self.left]
        return "\n".join(lines) or "an empty graph"


class _Call:
    """What a graph calls in place of the operators of a part."""

    def __init__(self, kernel: Kernel, several: bool) -> None:
        self._kernel, self._several = kernel, several
        # torch.fx prints it in the code of the graph.
        self.__name__ = kernel.name

    def __call__(self, *tensors: Any) -> Any:
        # Tensors that want gradients are not given to other libraries.
        given = [t.detach() if t.requires_grad else t for t in tensors]
        result = self._kernel(*given)
        return (result,) if self._several and not isinstance(result, tuple) else result


class Splitter:
    """``options``: max_kernels and max_size, as of ``compile`` and ``from_torch``."""

    def __init__(self, name: str, options: Mapping[str, int]) -> None:
        self._name, self._max_size = name, options.get("max_size", MAX_SIZE)
        self._max_kernels = options.get("max_kernels", 8)
        self._denied: dict[str, str] = {}
        self._on_gpu = device().startswith("cuda")
        self.report = Report()

    def split(self, module: Any) -> Any:
        """A module that does the same with kernels."""
        while True:
            try:
                return self._try(module)
            except UnsupportedError as error:
                # One more kind of operator is left to torch, and the rest is tried again.
                assert error.operator is not None
                self._denied[error.operator] = str(error)

    def _try(self, module: Any) -> Any:
        fx = require("torch.fx", _PURPOSE)
        partitioning = require("torch.fx.passes.infra.partitioner", _PURPOSE)
        self.report = Report()
        whole = fx.GraphModule(module, copy.deepcopy(module.graph))
        support = Support(self._denied, self._on_gpu)
        reasons = {node.name: support.reason(node) for node in whole.graph.nodes if is_operator(node)}
        partitioner = partitioning.CapabilityBasedPartitioner(
            whole, support, allows_single_node_partition=True)
        worth = [p for p in partitioner.propose_partitions() if _has_work(p)]
        fused = partitioner.fuse_partitions(worth, prefix=_PREFIX)
        for node in list(fused.graph.nodes):
            if node.op == "call_module" and str(node.target).startswith(_PREFIX):
                self._replace(fused, node)
        self._note_left(fused, reasons)
        fused.graph.eliminate_dead_code()
        fused.graph.lint()
        fused.recompile()
        return fused

    def _replace(self, whole: Any, node: Any) -> None:
        """Makes a call of a kernel from the call of a submodule, which stays if it cannot."""
        part = whole.get_submodule(node.target)
        inputs = dict(zip((p.name for p in graphs.placeholders(part.graph)), node.args))
        operators = tuple(kind(n) for n in part.graph.nodes if is_operator(n))
        several = isinstance(_result(part.graph), (tuple, list))
        prepared = require("torch.fx", _PURPOSE).GraphModule(part, copy.deepcopy(part.graph))
        graphs.prepare(prepared.graph)
        prepared.recompile()
        names = [p.name for p in graphs.placeholders(prepared.graph)]
        try:
            kernel, said = self._compile(prepared, names)
        except DietCodeError as error:
            if isinstance(error, UnsupportedError) and error.operator in operators:
                raise
            self._keep(operators, str(error).partition("\n")[0])
            return
        self.report.parts.append(Part(kernel, operators, said))
        call = _Call(kernel, several)
        with whole.graph.inserting_before(node):
            made = whole.graph.call_function(call, tuple(inputs[name] for name in names))
        made.meta = dict(node.meta)
        node.replace_all_uses_with(made)
        whole.graph.erase_node(node)

    def _keep(self, operators: tuple[str, ...], reason: str) -> None:
        self.report.left += [
            Left(name, operators.count(name), reason) for name in dict.fromkeys(operators)
        ]

    def _compile(self, module: Any, names: list[str]) -> tuple[Kernel, tuple[str, ...]]:
        name = f"{self._name}_part{len(self.report.parts)}"
        symbols = SymbolTable(max_size=self._max_size)
        text, arguments = graphs.to_linalg(module, name, names, symbols)
        workload = Imported(text, arguments, symbols.variables, source=name)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            kernel = compile(workload, max_kernels=self._max_kernels)
        return kernel, tuple(str(w.message) for w in caught if w.category is DietCodeWarning)

    def _note_left(self, whole: Any, reasons: Mapping[str, str | None]) -> None:
        """What is left outside of parts, by kind. Views and the like are no matter."""
        torch = require("torch", _PURPOSE)
        counts: dict[str, int] = {}
        why: dict[str, str] = {}
        for node in whole.graph.nodes:
            # Results of kernels are dense, whatever torch would have made of them.
            if node.target is torch.ops.aten.view.default:
                node.target = torch.ops.aten.reshape.default
            reason = reasons.get(node.name)
            if node.op == "call_function" and reason is not None:
                counts[kind(node)] = counts.get(kind(node), 0) + 1
                why[kind(node)] = reason
        self.report.left += [Left(name, count, why[name]) for name, count in counts.items()]


def _has_work(partition: Any) -> bool:
    return any(is_operator(node) and kind(node) not in NO_WORK for node in partition.nodes)


def _result(graph: Any) -> Any:
    return next(node for node in graph.nodes if node.op == "output").args[0]
