"""What a report shows, independent of how it is drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .records import Record

Json = Mapping[str, Any]


@dataclass(frozen=True)
class Case:
    """One box of a dispatch, with inclusive ends."""

    box: tuple[tuple[int, int], ...]
    kernel: str


@dataclass(frozen=True)
class Dispatch:
    """Which micro-kernel serves which shape."""

    dims: tuple[str, ...]
    domain: tuple[tuple[int, int], ...]
    kernels: tuple[tuple[str, str], ...]  # Symbol and schedule.
    cases: tuple[Case, ...]
    otherwise: str

    def number(self, kernel: str) -> int:
        """From 1, as charts call it."""
        return [symbol for symbol, _ in self.kernels].index(kernel) + 1


@dataclass(frozen=True)
class Instance:
    """A shape of the workload and the micro-kernel that serves it."""

    values: tuple[tuple[str, int], ...]
    weight: float
    extents: tuple[tuple[str, int], ...]
    shape: str
    kernel: str
    nothing: str  # Why there is nothing to predict; mostly empty.
    predicted: float | None  # Seconds, by the cost model.
    measured: float | None
    seconds: float | None  # The best that is known.
    known_by: str  # "measured", "predicted" or "table".
    bound: float
    best_kernel: str
    best_seconds: float | None
    limiter: str
    waves: float
    padding: float
    occupancy: float

    @property
    def label(self) -> str:
        """e.g. T=37."""
        return ", ".join(f"{name}={value}" for name, value in self.values) or self.shape

    @property
    def regret(self) -> float | None:
        """Over the best candidate that is known."""
        if not self.seconds or not self.best_seconds:
            return None
        return max(0.0, self.seconds / self.best_seconds - 1)

    def extent(self, name: str) -> int | None:
        """A problem dimension of the shape, as the dispatch calls it."""
        for entry in self.shape.split(", "):
            key, _, value = entry.partition(" = ")
            if key == name and value.isdigit():
                return int(value)
        return None


@dataclass(frozen=True)
class CurvePoint:
    """Regret with so many kernels."""

    kernels: int
    mean: float
    weighted: float
    worst: float


@dataclass(frozen=True)
class Run:
    """A measurement of a whole grid and what the cost model says to it."""

    schedule: str
    extents: tuple[tuple[str, int], ...]
    measured: float
    table: float
    trained: float | None


@dataclass(frozen=True)
class Timing:
    """Where the warps of one launch spend their cycles, as fractions of them."""

    kernel: str  # Symbol of the micro-kernel.
    name: str  # Of the launch.
    shape: str
    seconds: float
    limiter: str
    stalls: tuple[tuple[str, float], ...]
    losses: tuple[tuple[str, float], ...]


@dataclass(frozen=True)
class ProgressEvent:
    """What tune() tells on_progress."""

    operator: str
    trials: int
    best: float  # Weighted seconds of a call.


@dataclass
class Operator:
    """Everything about one operator."""

    name: str
    signature: str
    source: str
    dispatch: Dispatch
    instances: tuple[Instance, ...] = ()
    curve: tuple[CurvePoint, ...] = ()
    runs: tuple[Run, ...] = ()
    records: tuple[Record, ...] = ()
    timings: tuple[Timing, ...] = ()
    progress: tuple[ProgressEvent, ...] = field(default=())


def _pairs(values: Json) -> tuple[tuple[str, int], ...]:
    return tuple((name, int(values[name])) for name in sorted(values))


def _box(value: Sequence[Sequence[int]]) -> tuple[tuple[int, int], ...]:
    return tuple((int(low), int(high)) for low, high in value)


def _dispatch(value: Json) -> Dispatch:
    return Dispatch(
        dims=tuple(value["dims"]),
        domain=_box(value["domain"]),
        kernels=tuple((kernel["kernel"], kernel["schedule"]) for kernel in value["kernels"]),
        cases=tuple(Case(_box(case["box"]), case["kernel"]) for case in value["cases"]),
        otherwise=value["otherwise"],
    )


def _instance(value: Json) -> Instance:
    chosen = value["chosen"]
    best = value.get("best_known", {})
    return Instance(
        values=_pairs(value["values"]),
        weight=float(value["weight"]),
        extents=_pairs(value["extents"]),
        shape=value["shape"],
        kernel=chosen["kernel"],
        nothing=value.get("nothing", ""),
        predicted=chosen.get("predicted_seconds"),
        measured=chosen.get("seconds") if chosen.get("measured_here") else None,
        seconds=chosen.get("seconds"),
        known_by=chosen.get("source", ""),
        bound=float(value.get("bound_seconds", 0)),
        best_kernel=best.get("kernel", ""),
        best_seconds=best.get("seconds"),
        limiter=value.get("bound", ""),
        waves=float(value.get("waves", 0)),
        padding=float(value.get("padding_waste", 0)),
        occupancy=float(value.get("occupancy", 0)),
    )


def _run(value: Json) -> Run:
    trained = value["trained_seconds"]
    return Run(
        schedule=value["schedule"],
        extents=_pairs(value["extents"]),
        measured=float(value["measured_seconds"]),
        table=float(value["table_seconds"]),
        trained=None if trained is None else float(trained),
    )


def read_operator(value: Json) -> Operator:
    """An entry of the operators of an overview."""
    return Operator(
        name=value["operator"],
        signature=value["signature"],
        source=value["source"],
        dispatch=_dispatch(value["dispatch"]),
        instances=tuple(_instance(entry) for entry in value.get("instances", [])),
        curve=tuple(
            CurvePoint(point["kernels"], point["mean"], point["weighted"], point["max"])
            for point in value.get("curve", [])
        ),
        runs=tuple(_run(entry) for entry in value.get("accuracy", [])),
    )


def read_timings(value: Json) -> tuple[Timing, ...]:
    """The launches of a ``dietcode-run --json`` that have a timing report."""
    timings = []
    for run in value["runs"]:
        for kernel in run["kernels"]:
            timing = kernel.get("timing")
            if not timing or not kernel["microKernel"]:
                continue
            timings.append(
                Timing(
                    kernel=kernel["microKernel"],
                    name=kernel["name"],
                    shape=run["shapes"],
                    seconds=float(kernel["seconds"]),
                    limiter=timing["limiter"],
                    stalls=tuple(sorted(timing["stalls"].items())),
                    losses=tuple(sorted(timing["losses"].items())),
                )
            )
    return tuple(timings)
