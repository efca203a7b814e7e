"""Puts charts and tables together into one page that needs nothing else."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html import escape
from importlib.resources import files

from . import svg, tables
from .chart import Chart
from .palette import DARK, LIGHT, css_variables
from .tables import Table

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"


@dataclass(frozen=True)
class Section:
    """An operator, or what is known without one."""

    anchor: str
    title: str
    facts: tuple[tuple[str, str], ...]
    charts: tuple[Chart, ...]
    tables: tuple[Table, ...]
    notes: tuple[str, ...] = ()  # What is not shown, and why.


@dataclass(frozen=True)
class Page:
    """Everything that is shown."""

    title: str
    facts: tuple[tuple[str, str], ...]
    sections: tuple[Section, ...]
    notices: tuple[str, ...] = field(default=())


def slug(text: str) -> str:
    """A name for files and anchors."""
    return re.sub(r"[^A-Za-z0-9]+", "-", text).strip("-").lower() or "report"


def _asset(name: str) -> str:
    return (files(__package__) / name).read_text(encoding="utf-8")


def _style() -> str:
    series = "\n".join(
        f".s{i} {{ fill: var(--s{i}); }} .line.s{i}, .hollow.s{i}, .dash.s{i} "
        f"{{ fill: none; stroke: var(--s{i}); }}"
        for i in range(len(LIGHT.series))
    )
    named = "\n".join(
        f"svg .line.{name}, svg .hollow.{name}, svg .dash.{name} {{ stroke: var(--{name}); }}"
        for name in ("ink", "muted")
    )
    return (
        f":root {{ {css_variables(LIGHT)} }}\n"
        f"@media (prefers-color-scheme: dark) {{ :root {{ {css_variables(DARK)} }} }}\n"
        f"{_asset('page.css')}{series}\n{named}"
    )


def _facts(facts: tuple[tuple[str, str], ...]) -> str:
    rows = "".join(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in facts)
    return f"<dl>{rows}</dl>"


def _figure(chart: Chart, anchor: str) -> str:
    legend = "".join(
        f"<li>{svg.swatch(color, kind)}{escape(name)}</li>" for color, kind, name in chart.legend
    )
    return (
        f'<figure id="{anchor}" data-chart="{chart.key}"><h3>{escape(chart.title)}</h3>\n'
        f'<div class="plot">{svg.draw(chart, anchor)}</div>\n'
        + (f'<ul class="legend">{legend}</ul>' if legend else "")
        + f"<p>{escape(chart.description)}</p></figure>"
    )


def _section(section: Section) -> str:
    parts = [
        f'<section id="{section.anchor}" aria-labelledby="{section.anchor}-h">',
        f'<h2 id="{section.anchor}-h">{escape(section.title)}</h2>',
        _facts(section.facts),
    ]
    parts += [_figure(chart, f"{section.anchor}-{chart.key}") for chart in section.charts]
    parts += [
        tables.draw(table, f"{section.anchor}-table-{i + 1}")
        for i, table in enumerate(section.tables)
    ]
    if section.notes:
        notes = "".join(f"<li>{escape(note)}</li>" for note in section.notes)
        parts.append(f"<p>Not shown:</p><ul>{notes}</ul>")
    parts.append("</section>")
    return "\n".join(parts)


def render(page: Page) -> str:
    """The whole document."""
    links = "".join(
        f'<li><a href="#{section.anchor}">{escape(section.title)}</a></li>'
        for section in page.sections
    )
    notices = "".join(f'<p class="notice">{escape(text)}</p>' for text in page.notices)
    sections = "\n".join(_section(section) for section in page.sections)
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<title>{escape(page.title)}</title>
<style>
{_style()}
</style>
</head>
<body>
<a class="skip" href="#main">Skip to the report</a>
<header>
<h1>{escape(page.title)}</h1>
{notices}
{_facts(page.facts)}
<nav aria-label="Operators"><ul>{links}</ul></nav>
</header>
<main id="main">
{sections}
</main>
<footer>Press a column's name to sort by it; the arrow keys go from cell to cell.</footer>
<script>
{_asset('page.js')}
</script>
</body>
</html>
"""
