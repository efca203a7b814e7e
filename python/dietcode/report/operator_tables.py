"""The tables of one operator."""

from __future__ import annotations

from .data import Operator
from .dispatch_charts import describe_box
from .stats import Agreement, agreement
from .tables import Cell, Table, count, micros, percent, text
from .time_charts import unit

_MOST_ROWS = 100
_KNOWN_BY = {
    "measured": "measurements",
    "predicted": "the trained model",
    "table": "the device table",
}


def instance_table(operator: Operator, device: str) -> Table | None:
    """What serves each instance, and how well."""
    if not operator.instances:
        return None
    columns = (
        "instance",
        "shape",
        "weight",
        "micro-kernel",
        "predicted",
        "measured",
        "bound",
        "of bound",
        "regret",
        "best known",
        "micro-kernel known by",
        "limited by",
        "waves",
        "padding",
        "occupancy",
    )
    rows = []
    for instance in operator.instances:
        seconds = instance.measured or instance.predicted
        rows.append(
            (
                text(instance.label),
                text(instance.shape),
                count(instance.weight),
                text(instance.kernel),
                micros(instance.predicted),
                micros(instance.measured),
                micros(instance.bound or None),
                percent(instance.bound / seconds if seconds and instance.bound else None),
                percent(instance.regret),
                text(instance.best_kernel),
                text(_KNOWN_BY.get(instance.known_by, instance.known_by)),
                text(instance.nothing or instance.limiter),
                Cell(f"{instance.waves:.1f}", instance.waves),
                percent(instance.padding, 0),
                percent(instance.occupancy, 0),
            )
        )
    return Table(f"Instances of the workload, times in {unit(device)}", columns, tuple(rows))


def case_table(operator: Operator) -> Table:
    """The dispatch, case by case."""
    dispatch = operator.dispatch
    schedules = dict(dispatch.kernels)
    rows = [
        (
            count(i + 1),
            text(describe_box(dispatch.dims, case.box) or "the static shape"),
            count(dispatch.number(case.kernel)),
            text(case.kernel),
            text(schedules[case.kernel]),
        )
        for i, case in enumerate(dispatch.cases)
    ]
    rows.append(
        (
            count(len(rows) + 1),
            text("otherwise"),
            count(dispatch.number(dispatch.otherwise)),
            text(dispatch.otherwise),
            text(schedules[dispatch.otherwise]),
        )
    )
    columns = ("case", "shapes", "number", "micro-kernel", "schedule")
    return Table("The dispatch", columns, tuple(rows))


def _agreement_row(name: str, found: Agreement) -> tuple[Cell, ...]:
    def optional(value: float | None) -> Cell:
        return Cell("–", float("inf")) if value is None else Cell(f"{value:.3f}", value)

    return (
        text(name),
        count(found.count),
        optional(found.rank_correlation),
        optional(found.determination),
        percent(found.median_error),
        percent(found.worst_error),
    )


def accuracy_table(operator: Operator) -> Table | None:
    """How well the cost model agrees with what was measured."""
    rows = []
    table = agreement([r.table for r in operator.runs], [r.measured for r in operator.runs])
    if table:
        rows.append(_agreement_row("device table", table))
    known = [r for r in operator.runs if r.trained is not None]
    trained = agreement([r.trained or 0.0 for r in known], [r.measured for r in known])
    if trained:
        rows.append(_agreement_row("trained on the other micro-kernels", trained))
    columns = ("model", "launches", "Spearman", "R² of logarithms", "median error", "worst error")
    return Table("Accuracy of the cost model", columns, tuple(rows)) if rows else None


def record_table(operator: Operator, device: str) -> Table | None:
    """The candidates that were tried: failures first, then the order of the file."""
    if not operator.records:
        return None
    order = sorted(operator.records, key=lambda record: record.status == "ok")
    rows = tuple(
        (
            text(record.schedule),
            text(record.status),
            count(record.registers),
            micros(record.best_seconds),
            text(record.error[:160]),
        )
        for record in order[:_MOST_ROWS]
    )
    all_of_them = len(operator.records)
    caption = "Candidates, failures first"
    if all_of_them > _MOST_ROWS:
        caption += f", {_MOST_ROWS} of {all_of_them}"
    columns = ("schedule", "status", "registers", f"shortest run ({unit(device)})", "error")
    return Table(caption, columns, rows)
