"""Which micro-kernel serves which shape: a line for one dimension, a heat map for
two."""

from __future__ import annotations

from collections.abc import Sequence

from .chart import INK, Axis, Chart, Dots, Line, Rect
from .data import Case, Dispatch, Instance, Operator

Interval = tuple[int, int]


def dispatch_chart(operator: Operator) -> Chart | None:
    """None where all shapes are static, or the dispatch is over nothing."""
    dims = operator.dispatch.dims
    if not dims or not operator.dispatch.cases:
        return None
    return _line(operator) if len(dims) == 1 else _map(operator)


def _axis(label: str, interval: Interval) -> Axis:
    """Logarithmic where small extents would be too narrow to see."""
    lower, upper = interval[0], interval[1] + 1
    log = lower >= 1 and upper / lower >= 32
    scale = ", log scale" if log else ""
    return Axis(f"{label} (elements{scale})", lower, upper, log=log, whole=not log)


def describe_box(dims: Sequence[str], box: Sequence[Interval]) -> str:
    """e.g. m in [16, 160]."""
    return ", ".join(
        f"{dim} in [{low}, {high}]" for dim, (low, high) in zip(dims, box, strict=True)
    )


def _places(operator: Operator, dims: Sequence[str]) -> list[tuple[Instance, tuple[int, ...]]]:
    """The instances whose extents are known and in the domain."""
    places = []
    for instance in operator.instances:
        point = tuple(instance.extent(dim) for dim in dims)
        if all(
            value is not None and low <= value <= high
            for value, (low, high) in zip(point, operator.dispatch.domain, strict=True)
        ):
            places.append((instance, tuple(value for value in point if value is not None)))
    return places


def _line(operator: Operator) -> Chart:
    dispatch = operator.dispatch
    rows = {symbol: i for i, (symbol, _) in enumerate(dispatch.kernels)}
    marks: list[Rect | Line | Dots] = []
    for case in dispatch.cases:
        low, high = case.box[0]
        row = rows[case.kernel]
        title = f"{describe_box(dispatch.dims, case.box)}: {case.kernel}"
        marks.append(Rect(low, high + 1, row + 0.15, row + 0.85, row, title))
    points = tuple(
        (place[0] + 0.5, rows[instance.kernel] + 0.5, f"{instance.label}: {instance.kernel}")
        for instance, place in _places(operator, dispatch.dims)
    )
    marks.append(Dots(points, INK, hollow=True))
    names = tuple(f"{i + 1}: {schedule}" for i, (_, schedule) in enumerate(dispatch.kernels))
    return Chart(
        key="dispatch",
        title="Which micro-kernel serves which shape",
        description=(
            f"A bar for each of the {len(dispatch.cases)} cases of the dispatch, in the row of "
            f"its micro-kernel; shapes outside of the range get {dispatch.otherwise}."
        ),
        x=_axis(dispatch.dims[0], dispatch.domain[0]),
        y=Axis("micro-kernel", 0, len(names), categories=names),
        marks=tuple(marks),
        legend=((INK, "hollow", "instance of the workload"),) if points else (),
        height=90 + 30 * len(names),
    )


def _slice(dispatch: Dispatch) -> tuple[list[Case], str]:
    """The cases at the upper ends of all dimensions but the first two."""
    fixed = [high for _, high in dispatch.domain[2:]]
    cases = [
        case
        for case in dispatch.cases
        if all(low <= at <= high for (low, high), at in zip(case.box[2:], fixed, strict=True))
    ]
    names = [f"{dim} = {at}" for dim, at in zip(dispatch.dims[2:], fixed, strict=True)]
    return cases, f" at {', '.join(names)}" if names else ""


def _map(operator: Operator) -> Chart:
    dispatch = operator.dispatch
    cases, where = _slice(dispatch)
    rows = {symbol: i for i, (symbol, _) in enumerate(dispatch.kernels)}
    marks: list[Rect | Line | Dots] = []
    for case in cases:
        (x0, x1), (y0, y1) = case.box[:2]
        row = rows[case.kernel]
        title = f"{describe_box(dispatch.dims, case.box)}: {case.kernel}"
        marks.append(Rect(x0, x1 + 1, y0, y1 + 1, row, title, str(row + 1)))
    points = tuple(
        (place[0] + 0.5, place[1] + 0.5, f"{instance.label}: {instance.kernel}")
        for instance, place in _places(operator, dispatch.dims)
    )
    marks.append(Dots(points, INK, hollow=True))
    used = {case.kernel for case in cases}
    legend = [
        (i, "area", f"{i + 1}: {schedule}")
        for i, (symbol, schedule) in enumerate(dispatch.kernels)
        if symbol in used
    ]
    if points:
        legend.append((INK, "hollow", "instance of the workload"))
    return Chart(
        key="dispatch",
        title=f"Which micro-kernel serves which shape{where}",
        description=(
            f"An area for each of {len(cases)} cases of the dispatch, in the color and with the "
            f"number of its micro-kernel; shapes outside get {dispatch.otherwise}."
        ),
        x=_axis(dispatch.dims[0], dispatch.domain[0]),
        y=_axis(dispatch.dims[1], dispatch.domain[1]),
        marks=tuple(marks),
        legend=tuple(legend),
        height=420,
    )
