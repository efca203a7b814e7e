"""What the tests of reports share."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

INPUTS = Path(__file__).resolve().parent / "report_inputs"
CHARTS = (
    "dispatch",
    "times",
    "bound",
    "curve",
    "curve-worst",
    "progress",
    "accuracy",
    "errors",
    "stalls",
    "losses",
)


def load(name: str) -> Any:
    """A stored answer of a program."""
    return json.loads((INPUTS / name).read_text(encoding="utf-8"))


class StoredExplainer:
    """Gives stored answers, and remembers what it was asked."""

    def __init__(self, overview: Any, timings: Any = None) -> None:
        self._overview = overview
        self._timings = timings
        self.shapes: list[dict[str, int]] = []

    def overview(self, tuned: Path, **options: Any) -> Any:
        return self._overview

    def timings(self, tuned: Path, shapes: Any, **options: Any) -> Any:
        self.shapes = list(shapes)
        return self._timings


def qkv() -> StoredExplainer:
    """One shape variable, tuned, with stalls."""
    return StoredExplainer(load("qkv-overview.json"), load("qkv-timings.json"))


def two() -> StoredExplainer:
    """Two shape variables."""
    return StoredExplainer(load("two-overview.json"))
