"""From data to pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from .chart import Chart
from .data import Operator
from .dispatch_charts import dispatch_chart
from .operator_tables import accuracy_table, case_table, instance_table, record_table
from .page import Page, Section, slug
from .records import Records
from .search_charts import accuracy_charts, curve_charts, progress_chart
from .tables import Table, count, micros, text
from .time_charts import bound_chart, loss_chart, stall_chart, time_chart, unit

# Measurements whose points are drawn, over all operators: a page stays below 3 MB.
_MOST_RUNS = 1500
_VIRTUAL = (
    "Times of {} are estimates of a model of that device, also where they are called measured: "
    "none was taken on a GPU."
)


@dataclass
class Material:
    """What a page is made from."""

    function: str = ""
    device: str = ""
    operators: list[Operator] = field(default_factory=list)
    records: Records | None = None
    records_name: str = ""
    tuned_name: str = ""
    missing: list[str] = field(default_factory=list)  # For all operators.


def operator_charts(operator: Operator, device: str, most_runs: int = _MOST_RUNS) -> list[Chart]:
    """Those that there is something to show in, in the order of the page."""
    charts: list[Chart | None] = [
        dispatch_chart(operator),
        time_chart(operator, device),
        bound_chart(operator, device),
        *curve_charts(operator),
        progress_chart(operator, device),
        *accuracy_charts(operator, device, most_runs),
        stall_chart(operator),
        loss_chart(operator),
    ]
    return [chart for chart in charts if chart]


def _notes(operator: Operator, material: Material) -> list[str]:
    notes = list(material.missing)
    if not operator.dispatch.dims:
        notes.append("a picture of the dispatch: all shapes are static")
    if not operator.instances:
        notes.append("times: the function has no workload, and so no instances")
    if not operator.runs:
        notes.append(
            "progress and the accuracy of the cost model: no record has a whole grid of this "
            "operator"
        )
    idle = _not_timed(operator)
    if operator.timings and idle:
        notes.append(f"stalls of {', '.join(idle)}: no instance is served by them")
    return notes


def _not_timed(operator: Operator) -> list[str]:
    timed = {timing.kernel for timing in operator.timings}
    return [symbol for symbol, _ in operator.dispatch.kernels if symbol not in timed]


def _facts(operator: Operator) -> tuple[tuple[str, str], ...]:
    facts = [("operator", operator.signature), ("source", operator.source)]
    dispatch = operator.dispatch
    facts.append(
        ("dispatch", f"{len(dispatch.kernels)} micro-kernels in {len(dispatch.cases)} cases")
    )
    known = [(i.regret, i.weight) for i in operator.instances if i.regret is not None]
    total = sum(weight for _, weight in known)
    if total:
        mean = sum(regret * weight for regret, weight in known if regret) / total
        worst = max(regret or 0.0 for regret, _ in known)
        regret = f"weighted mean {100 * mean:.1f} %, worst {100 * worst:.1f} %"
        facts.append(("regret at the instances", regret))
    if operator.records:
        facts.append(("candidates", f"{len(operator.records)} in the records"))
    return tuple(facts)


def _operator_section(operator: Operator, anchor: str, material: Material, runs: int) -> Section:
    device = material.device
    found: list[Table | None] = [
        instance_table(operator, device),
        accuracy_table(operator),
        case_table(operator),
        record_table(operator, device),
    ]
    return Section(
        anchor=anchor,
        title=operator.name,
        facts=_facts(operator),
        charts=tuple(operator_charts(operator, device, runs)),
        tables=tuple(table for table in found if table),
        notes=tuple(_notes(operator, material)),
    )


def _records_section(records: Records) -> Section:
    """What can be said without a tuned file."""
    rows = tuple(
        (
            text(record.operator),
            text(record.schedule),
            text(record.device),
            text(record.status),
            count(record.registers),
            micros(record.best_seconds),
        )
        for record in records.records[:1000]
    )
    what = unit(records.devices[0] if len(records.devices) == 1 else "")
    shown = "" if len(rows) == len(records.records) else f", the first {len(rows)}"
    columns = ("operator", "schedule", "device", "status", "registers", f"shortest run ({what})")
    return Section(
        anchor="records",
        title="Records",
        facts=(),
        charts=(),
        tables=(Table(f"Candidates{shown}", columns, rows),),
        notes=("dispatch, times, regret, progress and accuracy: no tuned file was given",),
    )


def anchors(operators: Sequence[Operator]) -> list[str]:
    """A name for each, different ones for those that are called the same."""
    names: list[str] = []
    for operator in operators:
        name = slug(operator.name)
        used = sum(other == name or other.startswith(f"{name}-x") for other in names)
        names.append(f"{name}-x{used + 1}" if used else name)
    return names


def _page_facts(material: Material) -> tuple[tuple[str, str], ...]:
    facts = []
    if material.device:
        facts.append(("device", material.device))
    if material.tuned_name:
        facts.append(("tuned file", material.tuned_name))
    records = material.records
    if records is not None:
        kinds = ", ".join(f"{number} {status}" for status, number in records.count())
        facts.append(("records", f"{material.records_name}: {kinds or 'none'}"))
        if records.skipped:
            facts.append(("lines skipped", f"{records.skipped}, which are no records"))
    return tuple(facts)


def build(material: Material) -> Page:
    """The page of what there is."""
    most = max(50, _MOST_RUNS // max(1, len(material.operators)))
    sections = [
        _operator_section(operator, anchor, material, most)
        for operator, anchor in zip(
            material.operators, anchors(material.operators), strict=True
        )
    ]
    if not sections and material.records is not None:
        sections.append(_records_section(material.records))
    devices = {material.device, *(material.records.devices if material.records else ())}
    virtual = sorted(device for device in devices if device.startswith("virtual:"))
    subject = f"@{material.function} on {material.device}" if material.function else "records"
    return Page(
        title=f"DietCode report: {subject}",
        facts=_page_facts(material),
        sections=tuple(sections),
        notices=(_VIRTUAL.format(", ".join(virtual)),) if virtual else (),
    )
