"""``torch.compile(model, backend="dietcode", dynamic=True)``.

Importing this module registers the backend; where the package is installed, torch finds it by
itself. It is for inference: a graph that needs gradients is left to torch as a whole. So are
operators that DietCode has no kernels for, of which :func:`last_report` and one warning for
each kind tell.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Mapping
from typing import Any

from .errors import InvalidArgumentError
from .frontends._require import require
from .frontends.decompositions import decompositions
from .frontends.split import Left, Part, Report, Splitter
from .kernel import DietCodeWarning

__all__ = ["Left", "Part", "Report", "backend", "last_report"]

_PURPOSE = 'torch.compile(backend="dietcode")'
_OPTIONS = ("max_kernels", "max_size")
_numbers = itertools.count()
_last: Report | None = None


def last_report() -> Report | None:
    """What became of the graph that ``torch.compile`` has given to the backend last: which
    kernels it has, and which operators are left to torch, and why. None before the first."""
    return _last


def backend(
    module: Any, example_inputs: Any, *, options: Mapping[str, int] | None = None
) -> Any:
    """What ``torch.compile`` calls with each graph that it has captured.

    ``options``: those of ``torch.compile``: ``max_kernels``, as of :func:`dietcode.compile`,
    and ``max_size``, the end of ranges of sizes that torch does not bound
    (``torch._dynamo.mark_dynamic`` does with ``min`` and ``max``).
    """
    given = dict(options or {})
    for name in given:
        if name not in _OPTIONS:
            raise InvalidArgumentError(
                f"options of the backend dietcode are {', '.join(_OPTIONS)}; got {name!r}"
            )
    require("torch_mlir", _PURPOSE)
    common = require("torch._dynamo.backends.common", _PURPOSE)
    boxed = require("functorch.compile", _PURPOSE).make_boxed_func

    def infer(graph: Any, _: Any) -> Any:
        splitter = Splitter(f"graph{next(_numbers)}", given)
        compiled = splitter.split(graph)
        _publish(splitter.report)
        return boxed(compiled)

    def train(graph: Any, _: Any) -> Any:
        reason = "it needs gradients, and DietCode is for inference; use torch.no_grad()"
        _publish(Report(left=[Left("the graph", 1, reason)]))
        return boxed(graph)

    def backward(graph: Any, _: Any) -> Any:
        return boxed(graph)

    compiler = common.aot_autograd(fw_compiler=train, bw_compiler=backward,
                                   inference_compiler=infer,
                                   decompositions=decompositions())
    return compiler(module, example_inputs)


def _publish(report: Report) -> None:
    global _last
    _last = report
    for one in report.left:
        warnings.warn(f"{one.operator} is left to torch: {one.reason}", DietCodeWarning,
                      stacklevel=2)


def _register() -> None:
    """Unless the entry point of the installed package has."""
    dynamo = require("torch._dynamo", _PURPOSE)
    if "dietcode" not in dynamo.list_backends(exclude_tags=()):
        dynamo.register_backend(backend, name="dietcode")


_register()
