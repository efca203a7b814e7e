"""Times at the instances against what the device allows, and what warps wait for."""

from __future__ import annotations

from .chart import MUTED, Axis, Chart, Dots, Line, Rect, number, span
from .data import Instance, Operator, Timing

_PREDICTED, _MEASURED = 1, 0


def unit(device: str) -> str:
    """How a time of the device is labelled."""
    return "µs, virtual" if device.startswith("virtual:") else "µs"


def _timed(operator: Operator) -> list[Instance]:
    """What there is a time of, smallest first."""
    known = [i for i in operator.instances if i.predicted and i.bound > 0]
    return sorted(known, key=lambda i: (i.bound, i.values))


def _dots(
    instances: list[Instance], what: str, device: str, color: int, *, hollow: bool = False
) -> Dots:
    points = []
    for i, instance in enumerate(instances):
        seconds = getattr(instance, what)
        if seconds:
            label = f"{instance.label}: {what} {number(1e6 * seconds)} {unit(device)}"
            points.append((i + 0.5, 1e6 * seconds, label))
    return Dots(tuple(points), color, hollow=hollow)


def time_chart(operator: Operator, device: str) -> Chart | None:
    """Predicted and measured times, and the bound of the device."""
    instances = _timed(operator)
    if not instances:
        return None
    times = [
        1e6 * seconds
        for i in instances
        for seconds in (i.predicted, i.measured, i.bound)
        if seconds
    ]
    bounds = Dots(
        tuple(
            (n + 0.5, 1e6 * i.bound, f"{i.label}: bound {number(1e6 * i.bound)} {unit(device)}")
            for n, i in enumerate(instances)
        ),
        MUTED,
        shape="dash",
    )
    marks = (
        bounds,
        _dots(instances, "measured", device, _MEASURED),
        _dots(instances, "predicted", device, _PREDICTED, hollow=True),
    )
    return Chart(
        key="times",
        title=f"Predicted and measured time, and the bound of {device}",
        description=(
            "For each instance the time that the cost model predicts from the micro-kernel "
            "alone, the measured one, and the least that the device's peak rate and memory "
            "bandwidth allow. Log scale."
        ),
        x=_instance_axis(instances),
        y=Axis(f"time ({unit(device)}, log scale)", *span(times, log=True), log=True),
        marks=marks,
        legend=(*_legend(instances, "dot", "hollow"), (MUTED, "dash", "bound")),
    )


def _legend(
    instances: list[Instance], measured: str, predicted: str
) -> tuple[tuple[int, str, str], ...]:
    """Without measured times where nothing was."""
    legend = ((_MEASURED, measured, "measured"), (_PREDICTED, predicted, "predicted"))
    return legend if any(instance.measured for instance in instances) else legend[1:]


def _instance_axis(instances: list[Instance]) -> Axis:
    labels = tuple(instance.label for instance in instances)
    return Axis("instance of the workload", 0, len(labels), categories=labels)


def bound_chart(operator: Operator, device: str) -> Chart | None:
    """How much of what the device allows is reached."""
    instances = _timed(operator)
    if not instances:
        return None
    marks: list[Rect | Line | Dots] = []
    for n, instance in enumerate(instances):
        for what, color, x in (("measured", _MEASURED, 0.14), ("predicted", _PREDICTED, 0.52)):
            seconds = getattr(instance, what)
            if not seconds:
                continue
            share = instance.bound / seconds
            title = f"{instance.label}: {what}, {number(100 * share)} % of the bound"
            text = f"{100 * share:.0f}"
            marks.append(Rect(n + x, n + x + 0.34, 0, share, color, title, text))
    top = max([1.0, *(m.y1 for m in marks if isinstance(m, Rect))])
    return Chart(
        key="bound",
        title=f"Share of the bound of {device} that is reached",
        description=(
            "Bound over time, for measured and predicted times of each instance, in per cent; "
            "100 % cannot be exceeded."
        ),
        x=_instance_axis(instances),
        y=Axis("bound / time", 0, top, percent=True),
        marks=tuple(marks),
        legend=_legend(instances, "area", "area"),
    )


def _bars(
    operator: Operator, key: str, parts: str, title: str, description: str, rest: str
) -> Chart | None:
    """A bar of stacked fractions for each launch that was looked at."""
    timings = operator.timings
    if not timings:
        return None
    names = _largest_first(timings, parts)
    colors = {name: i for i, name in enumerate(names)}
    marks: list[Rect | Line | Dots] = []
    for row, timing in enumerate(timings):
        at = 0.0
        fractions = dict(getattr(timing, parts))
        for name in names:
            share = fractions.get(name, 0.0)
            if share <= 0:
                continue
            label = f"{timing.name} at {timing.shape}: {name} {100 * share:.1f} %"
            text = f"{100 * share:.0f}" if share >= 0.04 else ""
            marks.append(Rect(at, at + share, row + 0.15, row + 0.85, colors[name], label, text))
            at += share
    rows = tuple(_row_name(operator, timing) for timing in timings)
    return Chart(
        key=key,
        title=title,
        description=description,
        x=Axis(rest, 0, 1, percent=True),
        y=Axis("launch", 0, len(rows), categories=rows),
        marks=tuple(marks),
        legend=tuple((colors[name], "area", name) for name in names),
        height=70 + 30 * len(rows),
    )


def _largest_first(timings: tuple[Timing, ...], parts: str) -> list[str]:
    """The parts that occur at all."""
    totals: dict[str, float] = {}
    for timing in timings:
        for name, share in getattr(timing, parts):
            totals[name] = totals.get(name, 0.0) + share
    return sorted((n for n in totals if totals[n] > 0.0005), key=lambda n: (-totals[n], n))


def _row_name(operator: Operator, timing: Timing) -> str:
    schedules = dict(operator.dispatch.kernels)
    schedule = schedules.get(timing.kernel, timing.kernel)
    part = ", reduction" if "_reduction" in timing.name else ""
    return f"{operator.dispatch.number(timing.kernel)}: {schedule}{part}, {timing.shape}"


def stall_chart(operator: Operator) -> Chart | None:
    """What warps wait for."""
    return _bars(
        operator,
        "stalls",
        "stalls",
        "Stalls of each micro-kernel (virtual)",
        "For a launch of each micro-kernel, at the smallest instance that it serves, the share "
        "of the cycles of its warps in which they wait, by reason; in what is left to 100 % "
        "they issue. Estimates of the virtual GPU.",
        "share of the cycles of resident warps",
    )


def loss_chart(operator: Operator) -> Chart | None:
    """What is lost to waiting that nothing hides."""
    return _bars(
        operator,
        "losses",
        "losses",
        "Cycles lost by each micro-kernel (virtual)",
        "For the same launches, the share of the cycles in which a scheduler has nothing to "
        "issue and no arithmetic pipe is the reason. Estimates of the virtual GPU.",
        "share of all cycles",
    )


