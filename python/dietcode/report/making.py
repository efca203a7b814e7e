"""The function report()."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Protocol

from . import png as png_files
from .build import Material, anchors, build, operator_charts
from .data import Instance, Operator, ProgressEvent, Timing, read_operator, read_timings
from .errors import ReportError
from .explain import Explainer, find_explainer
from .page import render
from .records import read_records

PathLike = str | Path


class TunedModule(Protocol):
    """What tune() returns, as far as a report needs it."""

    @property
    def mlir(self) -> str:
        """The module with all decisions in it."""

    @property
    def name(self) -> str:
        """Of the function."""

    records: str | None
    model: str | None


def is_records(path: Path) -> bool:
    """Whether the first line that is not empty begins a JSON object."""
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            for line in file:
                if line.strip():
                    return line.lstrip().startswith("{")
    except OSError as error:
        raise ReportError(f"{path}: {error.strerror}") from error
    return path.suffix in (".jsonl", ".json")


def _is_text(source: PathLike | None) -> bool:
    """Files have no line breaks in their names."""
    return isinstance(source, str) and "\n" in source


def _sort(source: PathLike, records: PathLike | None, tuned: PathLike | None) -> dict[str, Any]:
    """What the source is, besides what was named."""
    found = {"records": records, "tuned": tuned}
    is_text = _is_text(source)
    kind = "tuned" if is_text or not is_records(Path(source)) else "records"
    if found[kind] is not None:
        raise ReportError(f"{'the text' if is_text else source} and {found[kind]} are both {kind}")
    found[kind] = source
    return found


def smallest_instances(operators: Iterable[Operator]) -> list[dict[str, int]]:
    """For each micro-kernel that serves one, the instance with the least to compute."""
    chosen: dict[tuple[str, str], Instance] = {}
    for operator in operators:
        for instance in operator.instances:
            key = (operator.name, instance.kernel)
            if not instance.nothing and (
                key not in chosen or instance.bound < chosen[key].bound
            ):
                chosen[key] = instance
    shapes = {instance.values: dict(instance.values) for instance in chosen.values()}
    return [shapes[values] for values in sorted(shapes)]


def _add_timings(
    material: Material, tuned: Path, explainer: Explainer, entry: str | None
) -> None:
    shapes = smallest_instances(material.operators)
    if not shapes:
        return
    try:
        printed = explainer.timings(tuned, shapes, entry=entry)
    except ReportError as error:
        material.missing.append(f"stalls: {error}")
        return
    if printed is None:
        material.missing.append("stalls: there is no dietcode-run to run kernels with")
        return
    timings = read_timings(printed)
    if not timings:
        material.missing.append("stalls: only the virtual GPU says what warps wait for")
    for operator in material.operators:
        symbols = {symbol for symbol, _ in operator.dispatch.kernels}
        first: dict[str, Timing] = {}
        for timing in timings:
            if timing.kernel in symbols:
                first.setdefault(timing.name, timing)
        operator.timings = tuple(
            sorted(first.values(), key=lambda t: (operator.dispatch.number(t.kernel), t.name))
        )


def _read_event(event: Any) -> ProgressEvent:
    """A mapping or an object with these names."""
    values = event if isinstance(event, Mapping) else vars(event)
    return ProgressEvent(str(values["operator"]), int(values["trials"]), float(values["best"]))


def _read_events(events: PathLike | Iterable[Any]) -> list[ProgressEvent]:
    """What tune() gave on_progress: a list, or a file of JSON lines."""
    if isinstance(events, (str, Path)):
        path = Path(events)
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
            events = [json.loads(line) for line in lines if line.strip()]
        except (OSError, ValueError) as error:
            raise ReportError(f"{path}: {error}") from error
    try:
        return [_read_event(event) for event in events]
    except (KeyError, TypeError, ValueError) as error:
        raise ReportError(f"an event of progress lacks or has a wrong {error}") from error


def _read_operators(
    material: Material,
    tuned: Path,
    records: Path | None,
    model: Path | None,
    entry: str | None,
    explainer: Explainer,
) -> None:
    overview = explainer.overview(tuned, records=records, model=model, entry=entry)
    try:
        material.function, material.device = overview["function"], overview["device"]
        material.operators = [read_operator(entry) for entry in overview["operators"]]
    except (KeyError, TypeError) as error:
        raise ReportError(f"the explanation of {tuned} lacks {error}") from error
    for operator in material.operators:
        if material.records:
            operator.records = material.records.of_source(operator.source, operator.signature)


def collect(
    records: Path | None,
    tuned: Path | None,
    *,
    model: Path | None = None,
    progress: PathLike | Iterable[Any] | None = None,
    entry: str | None = None,
    timings: bool = True,
    explainer: Explainer | None = None,
) -> Material:
    """Reads and asks for everything that a page shows."""
    material = Material()
    if records is not None:
        material.records = read_records(records)
        material.records_name = records.name
    if tuned is None:
        return material
    asked = explainer or find_explainer()
    material.tuned_name = tuned.name
    _read_operators(material, tuned, records, model, entry, asked)
    events = _read_events(progress) if progress is not None else []
    for operator in material.operators:
        operator.progress = tuple(event for event in events if event.operator == operator.name)
    if timings:
        _add_timings(material, tuned, asked, entry)
    else:
        material.missing.append("stalls: not asked for")
    return material


def _write(path: Path, text: str) -> None:
    """All of it or nothing."""
    try:
        with tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", dir=path.parent, prefix=path.name, delete=False
        ) as file:
            file.write(text)
        Path(file.name).chmod(0o644)
        Path(file.name).replace(path)
    except OSError as error:
        raise ReportError(f"{path}: {error.strerror}") from error


def write_pngs(material: Material, folder: Path) -> list[Path]:
    """A file for each chart of each operator."""
    png_files.load_matplotlib()
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for operator, anchor in zip(material.operators, anchors(material.operators), strict=True):
        for chart in operator_charts(operator, material.device):
            paths.append(folder / f"{anchor}-{chart.key}.png")
            png_files.save(chart, paths[-1])
    return paths


def report(
    source: PathLike | TunedModule,
    output: PathLike = "report.html",
    *,
    records: PathLike | None = None,
    tuned: PathLike | None = None,
    png: PathLike | None = None,
    model: PathLike | None = None,
    progress: PathLike | Iterable[Any] | None = None,
    entry: str | None = None,
    timings: bool = True,
    explainer: Explainer | None = None,
) -> Path:
    """Writes a page about ``source``: what ``tune`` returned, a file of records, or tuned
    MLIR, as a file or as text. Records or tuned MLIR may be added by name.

    ``png`` is a folder for pictures of the charts, which need matplotlib. ``progress``
    is what ``tune`` told ``on_progress``, or a file of it. ``timings=False`` leaves out
    the stalls, for which each micro-kernel is run once on the virtual GPU.
    """
    if not isinstance(source, (str, Path)):
        records, model = records or source.records, model or source.model
        entry, source = entry or source.name, source.mlir
    found = _sort(source, records, tuned)
    with tempfile.TemporaryDirectory() as folder:
        if _is_text(found["tuned"]):
            path = Path(folder) / "tuned.mlir"
            path.write_text(found["tuned"], encoding="utf-8")
            found["tuned"] = path
        material = collect(
            Path(found["records"]) if found["records"] else None,
            Path(found["tuned"]) if found["tuned"] else None,
            model=Path(model) if model else None,
            progress=progress,
            entry=entry,
            timings=timings,
            explainer=explainer,
        )
    if png is not None:
        write_pngs(material, Path(png))
    page = Path(output)
    _write(page, render(build(material)))
    return page
