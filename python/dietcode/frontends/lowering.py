"""What the importers of torch-mlir have in common."""

from __future__ import annotations

import re
from types import TracebackType
from typing import Any

from ..errors import CompileError
from ._require import require

LEGAL = ("aten.flatten.using_ints", "aten.unflatten.int")
"""Operators that torch-mlir is to lower as they are, and not to write as views: it guesses
which dimensions those join."""


class UnsupportedError(CompileError):
    """Something in a graph cannot be lowered; ``operator`` names it where that is known."""

    def __init__(self, message: str, operator: str | None = None) -> None:
        super().__init__(message)
        self.operator = operator


class Session:
    """A context of torch-mlir, which turns whatever an importer raises in it, and whatever is
    diagnosed, into an ``UnsupportedError``."""

    def __init__(self) -> None:
        self._ir = require("torch_mlir.ir", "importing")
        self.context = self._ir.Context()
        # Diagnostics come from the thread that waits for them.
        self.context.enable_multithreading(False)
        require("torch_mlir.dialects.torch", "importing").register_dialect(self.context)
        self._errors: list[str] = []
        self._handler = self.context.attach_diagnostic_handler(self._note)

    def trust_sizes(self, function: Any) -> None:
        """Says that sizes which are not known to be 1 are not. Else each broadcast would find
        out at run time, and look its operands up element by element."""
        with self.context:
            function.attributes["torch.assume_strict_symbolic_shapes"] = self._ir.UnitAttr.get()

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        # Of any kind: importers raise what they happen to meet.
        if isinstance(error, Exception):
            raise _explain("\n".join([*self._errors, str(error)])) from error

    def _note(self, diagnostic: Any) -> bool:
        if diagnostic.severity == self._ir.DiagnosticSeverity.ERROR:
            self._errors.append(diagnostic.message)
        return True


# What torch-mlir has no operation for is a name in a general one.
_NAMED = re.compile(
    r"""name\ =\ "(?:torch\.)?((?:aten|prims|onnx)\.[\w.]+)"
        |torch\.operator\ "(onnx\.\w+)"
        |failed\ to\ legalize\ operation\ 'torch\.(?!operator')([\w.]+)'
        |unsupported\ by\ backend\ contract:\ [^\n]*?torch\.([\w.]+)
        |Unimplemented\ call_function:\ target=([\w.]+)""",
    re.VERBOSE,
)


def _explain(text: str) -> UnsupportedError:
    """The one line of a report of torch-mlir that matters."""
    named = _NAMED.search(text)
    reason = text.strip().partition("\n")[0].partition(": %")[0] or "it gives no reason"
    if named is None:
        return UnsupportedError(f"torch-mlir cannot lower the graph: {reason}")
    # Without the overload, as aten.max_pool2d.
    name = ".".join(next(filter(None, named.groups())).split(".")[:2])
    return UnsupportedError(f"torch-mlir cannot lower {name}: {reason}", name)
