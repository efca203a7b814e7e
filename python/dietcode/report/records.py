"""Reads files of records as docs/records.md has them."""

from __future__ import annotations

import json
import math
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .errors import ReportError

_REQUIRED = ("operator", "schedule", "twin", "device", "toolchain", "status")
_KEY = ("operator", "source", "schedule", "twin", "device", "toolchain")


@dataclass(frozen=True)
class Record:
    """What is known of one micro-kernel on one device."""

    operator: str
    source: str
    schedule: str
    device: str
    status: str
    error: str
    registers: int
    best_seconds: float | None


@dataclass(frozen=True)
class Records:
    """The records of a file in the order in which their keys first occur."""

    records: tuple[Record, ...]
    skipped: int = 0
    devices: tuple[str, ...] = field(default=())

    def of_source(self, source: str, signature: str) -> tuple[Record, ...]:
        """Those that count as measurements or failures of an operator."""
        return tuple(
            record
            for record in self.records
            if record.source == source and record.operator == signature
        )

    def count(self, records: tuple[Record, ...] | None = None) -> list[tuple[str, int]]:
        """How many have which status, the most frequent ones first."""
        counted = Counter(r.status for r in (self.records if records is None else records))
        return sorted(counted.items(), key=lambda item: (-item[1], item[0]))


def _parse(line: str) -> dict[str, Any] | None:
    try:
        value = json.loads(line)
    except ValueError:
        return None
    if not isinstance(value, dict):
        return None
    if not all(isinstance(value.get(name), str) for name in _REQUIRED):
        return None
    return value


def _best(runs: Any) -> float | None:
    """The least time; what is no positive finite number is none."""
    times = [
        float(run["seconds"])
        for run in (runs if isinstance(runs, list) else [])
        if isinstance(run, dict) and isinstance(run.get("seconds"), (int, float))
    ]
    return min((t for t in times if math.isfinite(t) and t > 0), default=None)


def _record(value: dict[str, Any]) -> Record:
    registers = value.get("registers", 0)
    return Record(
        operator=value["operator"],
        source=str(value.get("source", "")),
        schedule=value["schedule"],
        device=value["device"],
        status=value["status"],
        error=str(value.get("error", "")),
        registers=registers if isinstance(registers, int) else 0,
        best_seconds=_best(value.get("runs")),
    )


def read_records(path: Path) -> Records:
    """Reads a file of records. Of those with the same key the last one holds, at
    the place of the first; lines that are no records are counted."""
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise ReportError(f"{path}: {error.strerror}") from error
    lines = [line for line in text.splitlines() if line.strip()]
    if lines and not lines[0].lstrip().startswith("{"):
        raise ReportError(f"{path}: the first line is no JSON object; give a file of records")
    found: dict[tuple[str, ...], Record] = {}
    skipped = 0
    for line in lines:
        value = _parse(line)
        if value is None:
            skipped += 1
            continue
        found[tuple(str(value.get(name, "")) for name in _KEY)] = _record(value)
    records = tuple(found.values())
    return Records(records, skipped, tuple(sorted({r.device for r in records})))
