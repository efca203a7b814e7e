"""Draws charts as SVG, with colors from the page's style sheet."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from .chart import INK, MUTED, Axis, Chart, Dots, Line, Rect
from .palette import series_index

_WIDTH = 780
_TOP, _RIGHT = 14, 26
_CHARACTER = 7.0  # Of a label, in units of the picture.


def css_class(color: int) -> str:
    """The class that a color is in the style sheet."""
    return {INK: "ink", MUTED: "muted"}.get(color) or f"s{series_index(color)}"


def fixed(value: float) -> str:
    """The same digits everywhere."""
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


@dataclass(frozen=True)
class _Frame:
    """Where the axes are."""

    chart: Chart
    left: float
    bottom: float  # Room below the axis.

    @property
    def width(self) -> float:
        return _WIDTH - self.left - _RIGHT

    @property
    def height(self) -> float:
        return self.chart.height - _TOP - self.bottom

    def x(self, value: float) -> float:
        return self.left + self.width * self.chart.x.place(value)

    def y(self, value: float) -> float:
        return _TOP + self.height * (1 - self._up(value))

    def _up(self, value: float) -> float:
        # Categories go down the page.
        place = self.chart.y.place(value)
        return 1 - place if self.chart.y.categories else place


def _frame(chart: Chart) -> _Frame:
    longest = max((len(text) for _, text in chart.y.ticks()), default=0)
    left = 34 + _CHARACTER * longest
    frame = _Frame(chart, left, 46)
    return _Frame(chart, left, 46 + _slant_height(chart.x)) if _slants(frame) else frame


def _slants(frame: _Frame) -> bool:
    """Whether labels of the x axis would overlap side by side."""
    categories = frame.chart.x.categories
    room = frame.width / max(1, len(categories))
    return any(_CHARACTER * len(name) > room - 4 for name in categories)


def _slant_height(axis: Axis) -> float:
    return 0.62 * _CHARACTER * max(len(name) for name in axis.categories)


def _x_ticks(frame: _Frame) -> list[tuple[float, str]]:
    """Those of categories thinned out until slanted ones fit."""
    ticks = frame.chart.x.ticks()
    if not frame.chart.x.categories:
        return ticks
    every = 1
    while frame.width * every / len(ticks) < 14:
        every += 1
    return ticks[::every]


def _axes(frame: _Frame) -> list[str]:
    chart = frame.chart
    end, floor = frame.left + frame.width, _TOP + frame.height
    parts = []
    for value, text in chart.y.ticks():
        y = fixed(frame.y(value))
        parts.append(f'<path class="grid" d="M{fixed(frame.left)} {y}H{fixed(end)}"/>')
        parts.append(
            f'<text x="{fixed(frame.left - 6)}" y="{y}" dy=".35em" text-anchor="end">'
            f"{escape(text)}</text>"
        )
    slants = bool(chart.x.categories) and _slants(frame)
    for value, text in _x_ticks(frame):
        x = fixed(frame.x(value))
        if not chart.x.categories:
            parts.append(f'<path class="grid" d="M{x} {_TOP}V{fixed(floor)}"/>')
        place = (
            f'transform="translate({x} {fixed(floor + 12)}) rotate(-38)" text-anchor="end"'
            if slants
            else f'x="{x}" y="{fixed(floor + 17)}" text-anchor="middle"'
        )
        parts.append(f"<text {place}>{escape(text)}</text>")
    parts.append(
        f'<path class="axis" d="M{fixed(frame.left)} {_TOP}V{fixed(floor)}H{fixed(end)}"/>'
    )
    parts.append(
        f'<text class="label" x="{fixed(frame.left + frame.width / 2)}" '
        f'y="{fixed(chart.height - 8)}" text-anchor="middle">{escape(chart.x.label)}</text>'
    )
    middle = fixed(_TOP + frame.height / 2)
    parts.append(
        f'<text class="label" transform="translate(13 {middle}) rotate(-90)" '
        f'text-anchor="middle">{escape(chart.y.label)}</text>'
    )
    return parts


def _rect(frame: _Frame, mark: Rect) -> str:
    x0, x1 = sorted((frame.x(mark.x0), frame.x(mark.x1)))
    y0, y1 = sorted((frame.y(mark.y0), frame.y(mark.y1)))
    width, height = max(x1 - x0, 0.5), max(y1 - y0, 0.5)
    drawn = (
        f'<rect class="{css_class(mark.color)}" x="{fixed(x0)}" y="{fixed(y0)}" '
        f'width="{fixed(width)}" height="{fixed(height)}">'
        f"<title>{escape(mark.title)}</title></rect>"
    )
    if mark.text and width >= _CHARACTER * len(mark.text) + 5 and height >= 14:
        drawn += (
            f'<text class="on" x="{fixed((x0 + x1) / 2)}" y="{fixed((y0 + y1) / 2)}" '
            f'dy=".35em" text-anchor="middle">{escape(mark.text)}</text>'
        )
    return drawn


def _line(frame: _Frame, mark: Line) -> str:
    path = ""
    for i, (x, y) in enumerate(mark.points):
        at = f"{fixed(frame.x(x))} {fixed(frame.y(y))}"
        if i == 0:
            path += f"M{at}"
        elif mark.steps:
            path += f"H{fixed(frame.x(x))}V{fixed(frame.y(y))}"
        else:
            path += f"L{at}"
    dashed = " dashed" if mark.dashed else ""
    return (
        f'<path class="line {css_class(mark.color)}{dashed}" d="{path}">'
        f"<title>{escape(mark.title)}</title></path>"
    )


def _dots(frame: _Frame, mark: Dots) -> str:
    kind = "dash" if mark.shape == "dash" else "hollow" if mark.hollow else "dot"
    drawn = []
    for x, y, title in mark.points:
        cx, cy = fixed(frame.x(x)), fixed(frame.y(y))
        label = f"<title>{escape(title)}</title>"
        if kind == "dash":
            drawn.append(f'<path d="M{fixed(frame.x(x) - 14)} {cy}h28">{label}</path>')
        else:
            radius = "4.5" if kind == "hollow" else "3.5"
            drawn.append(f'<circle cx="{cx}" cy="{cy}" r="{radius}">{label}</circle>')
    return f'<g class="{kind} {css_class(mark.color)}">{"".join(drawn)}</g>'


def _mark(frame: _Frame, mark: Rect | Line | Dots) -> str:
    if isinstance(mark, Rect):
        return _rect(frame, mark)
    return _line(frame, mark) if isinstance(mark, Line) else _dots(frame, mark)


def swatch(color: int, kind: str) -> str:
    """The sign of a series in a legend."""
    name = css_class(color)
    shapes = {
        "area": f'<rect class="{name}" x="1" y="1" width="14" height="10"/>',
        "dot": f'<g class="dot {name}"><circle cx="8" cy="6" r="3.5"/></g>',
        "hollow": f'<g class="hollow {name}"><circle cx="8" cy="6" r="4.5"/></g>',
        "dash": f'<g class="dash {name}"><path d="M1 6h14"/></g>',
        "line": f'<path class="line {name}" d="M0 6h16"/>',
        "dashed": f'<path class="line dashed {name}" d="M0 6h16"/>',
    }
    return f'<svg class="swatch" viewBox="0 0 16 12" aria-hidden="true">{shapes[kind]}</svg>'


def draw(chart: Chart, anchor: str) -> str:
    """The picture, whose title and description assistive programs read."""
    frame = _frame(chart)
    parts = [
        f'<svg role="img" aria-labelledby="{anchor}-t {anchor}-d" '
        f'viewBox="0 0 {_WIDTH} {chart.height}">',
        f'<title id="{anchor}-t">{escape(chart.title)}</title>',
        f'<desc id="{anchor}-d">{escape(chart.description)}</desc>',
        *_axes(frame),
        *(_mark(frame, mark) for mark in chart.marks),
        "</svg>",
    ]
    return "\n".join(parts)
