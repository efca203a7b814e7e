"""``linalg`` of other importers as workloads.

An importer prints one function whose arguments have no names, and dimensions of which
nothing is known. A :class:`Imported` workload is that text with shape variables, and with
what is known of the dimensions of each argument.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from .. import _native, ir
from ..array import Tensor
from ..dims import Dim, DynShapeVar
from ..errors import InvalidArgumentError
from ..workload import Instance, Workload, _check_instances, _check_weights

_HEADER = re.compile(r"^( *)func\.func @([\w$.\-]+)\((.*)\) -> (.*) \{$", re.MULTILINE)


class Imported(Workload):
    """A workload that an importer has made.

    ``text``: MLIR with one function. ``arguments``: what it takes, with names and dimensions.
    ``variables``: in the order in which instances give them.
    """

    def __init__(
        self,
        text: str,
        arguments: Sequence[Tensor],
        variables: Sequence[DynShapeVar],
        instances: Sequence[Instance] = (),
        weights: Sequence[float] | None = None,
        *,
        source: str,
    ) -> None:
        header = _HEADER.search(text)
        if header is None:
            raise InvalidArgumentError(f"{source}: the importer has made no function")
        self._name, self._source = header[2], source
        self._variables, self._arguments = list(variables), tuple(arguments)
        self._may_write = False
        if self._name in {var.name for var in variables}:
            raise InvalidArgumentError(
                f"the workload is called {self._name}, like a shape variable; give it a name"
            )
        declaration = ir.Workload(
            f"{self._name}_instances", variables, _check_instances(self._variables, instances),
            _check_weights(instances, weights),
        )
        reference = declaration.name if declaration.instances else None
        function = _annotate(header, self._arguments, variables, reference)
        body = text[: header.start()] + declaration.text() + function + text[header.end() :]
        self._mlir = _native.normalize(body, source)


def _annotate(
    header: re.Match[str], arguments: Sequence[Tensor], variables: Sequence[DynShapeVar],
    workload: str | None,
) -> str:
    """The first line of the function, and what binds its dimensions."""
    indent, name, parameters, results = header.groups()
    declared = re.findall(r"(%\w+): ([^,]+)", parameters)
    if len(declared) != len(arguments):
        raise InvalidArgumentError(
            f"the importer has made a function of {len(declared)} arguments instead of "
            f"{len(arguments)}"
        )
    # The function never writes to what it is given.
    written = ", ".join(f"{n}: {t} {{bufferization.writable = false}}" for n, t in declared)
    attributes = f" attributes {{dietcode.workload = @{workload}}}" if workload else ""
    lines = [f"func.func @{name}({written}) -> {results}{attributes} {{"]
    for (value, type), argument in zip(declared, arguments):
        if any(isinstance(size, Dim) for size in argument.shape):
            lines.append(f"  {ir.bind_shape(value, argument.shape, type, variables)}")
    return "\n".join(indent + line for line in lines)
