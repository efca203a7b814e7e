"""How the search went: regret, progress, and the accuracy of the cost model."""

from __future__ import annotations

import math
from collections.abc import Callable

from .chart import MUTED, Axis, Chart, Dots, Line, Rect, number, span
from .data import CurvePoint, Operator, Run
from .time_charts import unit


def curve_charts(operator: Operator) -> list[Chart]:
    """Regret against the number of micro-kernels: on average, and at worst."""
    if not operator.curve:
        return []
    mean: list[tuple[str, int, Callable[[CurvePoint], float]]] = [
        ("mean over the range", 0, lambda point: point.mean),
        ("weighted by the workload", 1, lambda point: point.weighted),
    ]
    worst: list[tuple[str, int, Callable[[CurvePoint], float]]] = [
        ("at the worst shape", 2, lambda point: point.worst)
    ]
    return [
        _curve(operator, "curve", "Mean regret against the number of micro-kernels", mean),
        _curve(operator, "curve-worst", "Worst regret against the number of micro-kernels", worst),
    ]


def _curve(
    operator: Operator,
    key: str,
    title: str,
    series: list[tuple[str, int, Callable[[CurvePoint], float]]],
) -> Chart:
    # A point that uses fewer kernels than it may adds nothing.
    points = list({point.kernels: point for point in operator.curve}.values())
    top = max(get(point) for point in points for _, _, get in series) or 0.01
    used = len(operator.dispatch.kernels)
    marks: list[Rect | Line | Dots] = [
        Line(((used, 0.0), (used, 1.08 * top)), MUTED, f"this file: {used}", dashed=True)
    ]
    for name, color, get in series:
        line = tuple((float(point.kernels), get(point)) for point in points)
        marks.append(Line(line, color, name))
        dots = tuple((x, y, f"{x:.0f} kernels, {name}: {number(100 * y)} %") for x, y in line)
        marks.append(Dots(dots, color))
    last = max(used, points[-1].kernels)
    legend = [(color, "line", name) for name, color, _ in series]
    return Chart(
        key=key,
        title=title,
        description=(
            "How much slower than the best known candidate the best dispatch with so many "
            "micro-kernels is predicted to be, in per cent."
        ),
        x=Axis("micro-kernels", 0.5, last + 0.5, whole=True),
        y=Axis("regret", 0, 1.08 * top, percent=True),
        marks=tuple(marks),
        legend=(*legend, (MUTED, "dashed", f"in this file: {used}")),
    )


def _targets(operator: Operator) -> dict[tuple[tuple[str, int], ...], float]:
    """The shapes to be good at, with weights that sum up to one."""
    weights: dict[tuple[tuple[str, int], ...], float] = {}
    timed = {run.extents for run in operator.runs}
    for instance in operator.instances:
        if instance.extents in timed:
            weights[instance.extents] = weights.get(instance.extents, 0.0) + instance.weight
    if not weights:
        weights = {extents: 1.0 for extents in sorted(timed)}
    total = sum(weights.values())
    return {extents: weight / total for extents, weight in weights.items()} if total else {}


def found_so_far(operator: Operator) -> list[float]:
    """After each candidate of the records, in their order: how near the best of those so
    far come to the best of all, over the instances by weight. Where nothing has been timed
    yet is none of it."""
    targets = _targets(operator)
    best: dict[tuple[tuple[str, int], ...], float] = {}
    for run in operator.runs:
        if run.extents in targets:
            best[run.extents] = min(run.measured, best.get(run.extents, math.inf))
    so_far: dict[tuple[tuple[str, int], ...], float] = {}
    progress: list[float] = []
    for _, runs in _by_candidate(operator.runs):
        for run in runs:
            if run.extents in targets:
                so_far[run.extents] = min(run.measured, so_far.get(run.extents, math.inf))
        progress.append(sum(targets[e] * best[e] / so_far[e] for e in so_far))
    return progress


def _by_candidate(runs: tuple[Run, ...]) -> list[tuple[str, list[Run]]]:
    groups: dict[str, list[Run]] = {}
    for run in runs:
        groups.setdefault(run.schedule, []).append(run)
    return list(groups.items())


def progress_chart(operator: Operator, device: str) -> Chart | None:
    """By what tune() said, or else by the order of the records."""
    if operator.progress:
        return _events(operator, device)
    found = found_so_far(operator)
    if not found:
        return None
    line = tuple((float(i + 1), share) for i, share in enumerate(found))
    shapes = len(_targets(operator))
    return Chart(
        key="progress",
        title="Tuning progress, by the order of the records",
        description=(
            "After each candidate that was timed on a whole grid: the best time of all records "
            f"over the best one so far, averaged over {shapes} shapes by weight; a shape that "
            "nothing was timed on counts as 0 %."
        ),
        x=Axis("candidates measured", 0, len(line) + 1, whole=True),
        y=Axis("of the best known", 0, 1.04, percent=True),
        marks=(Line(line, 0, "found so far", steps=True),),
        legend=((0, "line", "found so far"),),
    )


def _events(operator: Operator, device: str) -> Chart:
    line = tuple((float(event.trials), 1e6 * event.best) for event in operator.progress)
    low, high = span([y for _, y in line], zero=True)
    return Chart(
        key="progress",
        title="Tuning progress",
        description="Weighted time of a call with the best candidates so far, after each batch.",
        x=Axis("trials", 0, max(x for x, _ in line) + 1, whole=True),
        y=Axis(f"time of a call ({unit(device)})", low, high),
        marks=(Line(line, 0, "best so far", steps=True),),
        legend=((0, "line", "best so far"),),
    )


def thin(runs: tuple[Run, ...], most: int) -> tuple[Run, ...]:
    """At most so many of them, evenly spread."""
    if len(runs) <= most:
        return runs
    return tuple(runs[i * len(runs) // most] for i in range(most))


def _series(runs: tuple[Run, ...]) -> list[tuple[str, int, list[tuple[Run, float]]]]:
    trained = [(run, run.trained) for run in runs if run.trained is not None]
    table = [(run, run.table) for run in runs]
    series = [("by the device table", 1, table)]
    return [*series, ("trained on the others", 0, trained)] if trained else series


def accuracy_charts(operator: Operator, device: str, most: int) -> list[Chart]:
    """Predictions against measurements, and their errors, of so many runs."""
    runs = thin(operator.runs, most)
    if not runs:
        return []
    series = _series(runs)
    measured = [1e6 * run.measured for run in runs]
    predicted = [1e6 * time for _, _, points in series for _, time in points]
    ends = span([*measured, *predicted], log=True)
    scatter: list[Rect | Line | Dots] = [
        Line(((ends[0], ends[0]), (ends[1], ends[1])), MUTED, "equal", dashed=True)
    ]
    errors: list[Rect | Line | Dots] = []
    all_errors = [0.0]
    x = Axis(f"measured ({unit(device)}, log scale)", *span(measured, log=True), log=True)
    errors.append(Line(((x.lower, 0), (x.upper, 0)), MUTED, "equal", dashed=True))
    for name, color, points in series:
        titles = [f"{run.schedule} at {_at(run)}, {name}" for run, _ in points]
        scatter.append(
            Dots(
                tuple(
                    (1e6 * run.measured, 1e6 * time, f"{title}: {number(1e6 * time)} µs")
                    for (run, time), title in zip(points, titles, strict=True)
                ),
                color,
                hollow=color == 1,
            )
        )
        relative = [time / run.measured - 1 for run, time in points]
        all_errors += relative
        errors.append(
            Dots(
                tuple(
                    (1e6 * run.measured, error, f"{title}: {100 * error:+.1f} %")
                    for (run, _), error, title in zip(points, relative, titles, strict=True)
                ),
                color,
                hollow=color == 1,
            )
        )
    legend = tuple((color, "hollow" if color == 1 else "dot", name) for name, color, _ in series)
    return [
        Chart(
            key="accuracy",
            title="Accuracy of the cost model: predicted against measured time",
            description=(
                "A point for each measured launch of a whole grid, with what the cost model says "
                "that has not seen that micro-kernel. Both scales are logarithmic."
            ),
            x=Axis(f"measured ({unit(device)}, log scale)", *ends, log=True),
            y=Axis(f"predicted ({unit(device)}, log scale)", *ends, log=True),
            marks=tuple(scatter),
            legend=(*legend, (MUTED, "dashed", "predicted = measured")),
            height=380,
        ),
        Chart(
            key="errors",
            title="Accuracy of the cost model: relative error",
            description="Predicted over measured time less one, of the same launches.",
            x=x,
            y=Axis("predicted / measured - 1", *span(all_errors), percent=True),
            marks=tuple(errors),
            legend=legend,
        ),
    ]


def _at(run: Run) -> str:
    return ", ".join(
        f"{name} = {value}" for name, value in run.extents if name != "b" or value != 1
    )


