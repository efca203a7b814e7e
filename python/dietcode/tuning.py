"""Searching for the micro-kernels of a workload."""

from __future__ import annotations

import json
import os
import pathlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from . import _native
from .dims import DynShapeVar
from .explanation import Explanation, explain_mlir
from .array import Tensor
from .workload import Workload

@dataclass(frozen=True)
class Progress:
    """What ``on_progress`` gets after each batch of candidates."""

    operator: str
    """Of which the batch was."""
    trials: int
    """Candidates done, of all operators."""
    max_trials: int
    seconds: float
    """Since the start."""
    best: float
    """Weighted seconds of a call of the operator, as far as is known."""


class Tuned:
    """A workload with its micro-kernels and its dispatch, which :func:`dietcode.compile`
    takes."""

    def __init__(self, workload: Workload, mlir: str, report: dict[str, Any],
                 records: str | None = None, model: str | None = None) -> None:
        self.workload, self._mlir, self._report = workload, mlir, report
        self.records, self.model = records, model

    @property
    def name(self) -> str:
        return self.workload.name

    @property
    def mlir(self) -> str:
        """The module with all decisions in it; it needs no records any more."""
        return self._mlir

    @property
    def source(self) -> str:
        return self.workload.source

    @property
    def arguments(self) -> tuple[Tensor, ...] | None:
        return self.workload.arguments

    @property
    def variables(self) -> tuple[DynShapeVar, ...]:
        return self.workload.variables

    @property
    def may_write(self) -> bool:
        return self.workload.may_write

    @property
    def report(self) -> dict[str, Any]:
        """What was measured and chosen, as ``dietcode-tune --json`` prints it."""
        return self._report

    def explain(self, **values: int) -> Explanation:
        """See :meth:`dietcode.Kernel.explain`."""
        return explain_mlir(self._mlir, self.source, self.name, values, self.records, self.model)

    def __repr__(self) -> str:
        return f"Tuned({self.workload!r}, {self._report.get('trials', 0)} trials)"


def measure_program() -> str:
    """The program that measures candidates, which is a part of this package."""
    return str(pathlib.Path(__file__).parent / "bin" / "dietcode-measure")


def tune(
    workload: Workload,
    *,
    device: str = "virtual:t4",
    trials: int = 200,
    seconds: float = 0.0,
    records: str | os.PathLike[str] | None = None,
    model: str | os.PathLike[str] | None = None,
    on_progress: Callable[[Progress], object] | None = None,
    max_kernels: int = 8,
    max_regret: float | None = None,
    batch: int = 32,
    workers: int = 0,
    seed: int = 0,
    timeout: float = 60.0,
    model_only: bool = False,
    check: bool = True,
) -> Tuned:
    """Searches micro-kernels for all instances of a workload together.

    ``device``: what candidates are measured on, "virtual:t4" or "cuda:0". Times of a virtual
    device are a model's. ``trials``: candidates to measure at most, of all operators
    together. ``seconds``: start no batch after this time; 0 is no limit. ``records``: a file
    of measurements that is read first and appended to. ``model``: a file of a trained cost
    model, likewise. ``on_progress``: called in this thread after each batch, with a
    :class:`Progress`. ``max_kernels``: that one operator may use. ``max_regret``: predicted,
    at any shape, above which tuning fails, e.g. 0.1. ``batch``: candidates between two
    trainings of the model. ``workers``: measuring and compiling at a time; 0 is one for each
    processor. ``timeout``: seconds that measuring one candidate may take. ``model_only``:
    measure nothing. ``check``: compare the results of each candidate with a reference.

    Ctrl-C, or an exception that ``on_progress`` raises, ends it within two seconds with that
    exception; what was measured is in the records. Raises a ``CompileError`` for MLIR that
    cannot be tuned, and an ``InvalidArgumentError`` for options that make no sense.
    """
    options = _native.TuneOptions()
    options.device = device
    options.entry = workload.name
    options.records = None if records is None else os.fspath(records)
    options.model = None if model is None else os.fspath(model)
    options.measure_program = measure_program()
    options.trials, options.seconds, options.batch = trials, seconds, batch
    options.max_kernels = max_kernels
    options.max_regret = -1.0 if max_regret is None else max_regret
    options.seed, options.workers, options.timeout_seconds = seed, workers, timeout
    options.model_only, options.skip_checks = int(model_only), int(not check)

    def note(*values: Any) -> None:
        if on_progress is not None:
            on_progress(Progress(*values))

    mlir, report = _native.tune(workload.mlir, workload.source, options,
                                None if on_progress is None else note)
    return Tuned(workload, mlir, json.loads(report), options.records, options.model)
