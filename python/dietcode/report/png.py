"""Draws charts as PNG, by matplotlib, which is an optional dependency."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

from .chart import INK, MUTED, Axis, Chart, Dots, Line, Rect
from .errors import ReportError
from .palette import LIGHT, series_index

_DOTS_PER_INCH = 144


def load_matplotlib() -> Any:
    """The class Figure; an error that says what to install if it is not there."""
    try:
        return importlib.import_module("matplotlib.figure").Figure
    except ImportError as error:
        raise ReportError(
            "PNGs are drawn by matplotlib, which is not installed: pip install matplotlib"
        ) from error


def _color(color: int) -> str:
    named = {INK: LIGHT.ink, MUTED: LIGHT.muted}
    return named.get(color) or LIGHT.series[series_index(color)]


def _set_axis(axes: Any, which: str, axis: Axis) -> None:
    if axis.log:
        getattr(axes, f"set_{which}scale")("log")
    lower, upper = axis.lower, axis.upper
    if which == "y" and axis.categories:
        lower, upper = upper, lower
    getattr(axes, f"set_{which}lim")(lower, upper)
    getattr(axes, f"set_{which}label")(axis.label)
    ticks = axis.ticks()
    slanted = which == "x" and any(len(text) > 60 / len(ticks) for _, text in ticks)
    style = {"rotation": 38, "ha": "right"} if slanted else {}
    getattr(axes, f"set_{which}ticks")(
        [value for value, _ in ticks], [text for _, text in ticks], **style
    )
    getattr(axes, f"set_{which}ticks")([], minor=True)


def _draw_rect(axes: Any, mark: Rect, chart: Chart) -> None:
    area = ([mark.x0, mark.x1], mark.y0, mark.y1)
    axes.fill_between(*area, fc=_color(mark.color), ec="white", lw=0.5)
    wide = abs(chart.x.place(mark.x1) - chart.x.place(mark.x0)) * 110
    high = abs(chart.y.place(mark.y1) - chart.y.place(mark.y0)) * chart.height
    if mark.text and wide > 2 * len(mark.text) and high >= 20:
        middle = [
            (low * upper) ** 0.5 if axis.log else (low + upper) / 2
            for axis, low, upper in ((chart.x, mark.x0, mark.x1), (chart.y, mark.y0, mark.y1))
        ]
        axes.text(*middle, mark.text, ha="center", va="center", color=LIGHT.on, fontsize=8)


def _draw_mark(axes: Any, mark: Rect | Line | Dots, chart: Chart) -> None:
    if isinstance(mark, Rect):
        _draw_rect(axes, mark, chart)
    elif isinstance(mark, Line):
        style = "steps-post" if mark.steps else "default"
        axes.plot(
            [x for x, _ in mark.points],
            [y for _, y in mark.points],
            color=_color(mark.color),
            ls="--" if mark.dashed else "-",
            drawstyle=style,
        )
    else:
        _draw_dots(axes, mark)


def _draw_dots(axes: Any, mark: Dots) -> None:
    inside = "white" if mark.color == INK else "none"
    face = inside if mark.hollow else _color(mark.color)
    marker, size = ("_", 420) if mark.shape == "dash" else ("o", 34 if mark.hollow else 20)
    axes.scatter(
        [x for x, _, _ in mark.points],
        [y for _, y, _ in mark.points],
        s=size,
        marker=marker,
        zorder=3,
        clip_on=False,
        **({"color": _color(mark.color)} if marker == "_" else {}),
        **({} if marker == "_" else {"facecolors": face, "edgecolors": _color(mark.color)}),
    )


def _legend(axes: Any, chart: Chart) -> None:
    patches = importlib.import_module("matplotlib.patches")
    lines = importlib.import_module("matplotlib.lines")
    handles = []
    for color, kind, name in chart.legend:
        shade = _color(color)
        if kind == "area":
            handles.append(patches.Patch(color=shade, label=name))
            continue
        line = {"line": "-", "dashed": "--"}.get(kind, "none")
        marker = {"dot": "o", "hollow": "o", "dash": "_"}.get(kind, "")
        face = "none" if kind == "hollow" else shade
        handles.append(
            lines.Line2D([], [], color=shade, ls=line, marker=marker, mfc=face, label=name)
        )
    axes.set_axis_off()
    if handles:
        axes.legend(handles=handles, loc="center", ncol=min(3, len(handles)), frameon=False)


def save(chart: Chart, path: Path) -> None:
    """Writes one chart; the same bytes for the same chart and version of matplotlib."""
    picture, legend = chart.height / 88 + 0.5, 0.1 + 0.22 * ((len(chart.legend) + 2) // 3)
    size = (8.4, picture + legend)
    figure = load_matplotlib()(figsize=size, dpi=_DOTS_PER_INCH, constrained_layout=True)
    axes, below = figure.subplots(2, 1, gridspec_kw={"height_ratios": (picture, legend)})
    axes.set_title(chart.title, fontsize=11)
    axes.set_axisbelow(True)
    axes.grid(color=LIGHT.grid, lw=0.6)
    for mark in chart.marks:
        _draw_mark(axes, mark, chart)
    for which, axis in (("x", chart.x), ("y", chart.y)):
        _set_axis(axes, which, axis)
    axes.tick_params(labelsize=8)
    axes.spines[["top", "right"]].set_visible(False)
    _legend(below, chart)
    figure.savefig(path, metadata={"Software": None})
