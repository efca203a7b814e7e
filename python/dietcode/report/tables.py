"""Tables that can be sorted and walked through with the keyboard."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from .chart import number


@dataclass(frozen=True)
class Cell:
    """What is shown and what it is sorted by."""

    text: str
    key: float | None = None  # None: by the text.


@dataclass(frozen=True)
class Table:
    """A caption, names of columns, and rows of cells."""

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


def text(value: str) -> Cell:
    """A cell of words."""
    return Cell(value)


def micros(seconds: float | None) -> Cell:
    """A time; what there is none of sorts last."""
    if seconds is None:
        return Cell("–", float("inf"))
    return Cell(f"{1e6 * seconds:.1f}", 1e6 * seconds)


def percent(share: float | None, digits: int = 1) -> Cell:
    """A fraction in per cent."""
    if share is None:
        return Cell("–", float("inf"))
    return Cell(f"{100 * share:.{digits}f} %", share)


def count(value: float) -> Cell:
    """A plain number."""
    return Cell(number(value), value)


def _cell(cell: Cell) -> str:
    if cell.key is None:
        return f"<td>{escape(cell.text)}</td>"
    return f'<td class="n" data-key="{cell.key:.9g}">{escape(cell.text)}</td>'


def _head(table: Table) -> str:
    first = table.rows[0] if table.rows else ()
    numeric = [cell.key is not None for cell in first] or [False] * len(table.columns)
    cells = [
        f'<th scope="col"{" class=n" if is_number else ""}><button type="button">{escape(name)}'
        '<span class="way" aria-hidden="true"></span></button></th>'
        for name, is_number in zip(table.columns, numeric, strict=True)
    ]
    return "".join(cells)


def draw(table: Table, anchor: str) -> str:
    """The table in a region that can be scrolled by keyboard."""
    rows = "\n".join("<tr>" + "".join(map(_cell, row)) + "</tr>" for row in table.rows)
    return (
        f'<div class="scroll" role="region" aria-labelledby="{anchor}-c" tabindex="0">'
        f'<table id="{anchor}"><caption id="{anchor}-c">{escape(table.caption)}</caption>'
        f"<thead><tr>{_head(table)}</tr></thead>\n<tbody>\n{rows}\n</tbody></table></div>"
    )
