"""Charts as data: drawn as SVG by svg.py and as PNG by png.py."""

from __future__ import annotations

import math
from dataclasses import dataclass

# Indices of colors that are no kernel's; both renderers know them.
INK, MUTED, SERIES = -1, -2, 0


@dataclass(frozen=True)
class Axis:
    """A numeric axis, or one of categories, whose i-th is at i + 0.5."""

    label: str
    lower: float
    upper: float
    log: bool = False
    percent: bool = False
    whole: bool = False  # Ticks at whole numbers only.
    categories: tuple[str, ...] = ()

    def place(self, value: float) -> float:
        """From 0 at the lower end to 1 at the upper one."""
        if not self.log:
            return (value - self.lower) / (self.upper - self.lower)
        span = math.log(self.upper / self.lower)
        return math.log(max(value, self.lower) / self.lower) / span

    def ticks(self, most: int = 8) -> list[tuple[float, str]]:
        """Where there is a label, and which."""
        if self.categories:
            return [(i + 0.5, name) for i, name in enumerate(self.categories)]
        most = 2 * most if self.whole else most
        values = _log_ticks(self.lower, self.upper, most) if self.log else self._linear(most)
        return [(value, self.text(value)) for value in values]

    def _linear(self, most: int) -> list[float]:
        step = _step((self.upper - self.lower) / max(1, most - 1))
        step = max(1.0, step) if self.whole else step
        first = math.ceil(self.lower / step - 1e-9)
        last = math.floor(self.upper / step + 1e-9)
        return [i * step for i in range(first, last + 1)]

    def text(self, value: float) -> str:
        """A number as a label has it."""
        return f"{number(100 * value)} %" if self.percent else number(value)


def number(value: float) -> str:
    """Four digits at most, no exponent in the usual range."""
    if value == 0:
        return "0"
    if abs(value) >= 1e6 or abs(value) < 1e-3:
        return f"{value:.3g}"
    if abs(value) >= 1000:
        return f"{value:,.0f}".replace(",", "\u202f")
    return f"{value:.4g}"


def _step(least: float) -> float:
    power = 10.0 ** math.floor(math.log10(least))
    for factor in (1, 2, 5):
        if factor * power >= least * (1 - 1e-9):
            return factor * power
    return 10 * power


def _log_ticks(lower: float, upper: float, most: int) -> list[float]:
    """Powers of ten with 2 and 5 in between where they fit."""
    powers = range(math.floor(math.log10(lower)), math.ceil(math.log10(upper)) + 1)
    for factors in ((1, 2, 5), (1, 3), (1,)):
        ticks = [
            factor * 10.0**power
            for power in powers
            for factor in factors
            if lower * (1 - 1e-9) <= factor * 10.0**power <= upper * (1 + 1e-9)
        ]
        if len(ticks) <= most:
            break
    return ticks


def span(values: list[float], *, log: bool = False, zero: bool = False) -> tuple[float, float]:
    """Ends of an axis that holds all values with some air."""
    low, high = min(values), max(values)
    if log:
        return low / 1.15, high * 1.15
    low = min(low, 0.0) if zero else low
    air = 0.06 * ((high - low) or abs(high) or 1.0)
    return (low if zero and low == 0 else low - air), high + air


@dataclass(frozen=True)
class Rect:
    """A filled area in coordinates of the axes."""

    x0: float
    x1: float
    y0: float
    y1: float
    color: int
    title: str
    text: str = ""  # Drawn inside where there is room.


@dataclass(frozen=True)
class Line:
    """A line through points, in steps if they hold until the next one."""

    points: tuple[tuple[float, float], ...]
    color: int
    title: str
    steps: bool = False
    dashed: bool = False
    markers: bool = False


@dataclass(frozen=True)
class Dots:
    """Points with a title each."""

    points: tuple[tuple[float, float, str], ...]
    color: int
    hollow: bool = False
    shape: str = "circle"  # Or "square", "dash".


@dataclass(frozen=True)
class Chart:
    """One picture."""

    key: str  # Unique in its operator; names of files and anchors.
    title: str
    description: str
    x: Axis
    y: Axis
    marks: tuple[Rect | Line | Dots, ...]
    legend: tuple[tuple[int, str, str], ...] = ()  # Color, kind of mark, name.
    height: int = 300
