"""Colors of both schemes. Each series has a contrast of 3 to the background at least,
and text on it, which is `on`, of 4.5."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Palette:
    """Of one scheme."""

    paper: str
    ink: str
    muted: str  # Text of less weight, and reference lines.
    grid: str
    panel: str
    link: str
    on: str  # Text on a series.
    series: tuple[str, ...]


LIGHT = Palette(
    paper="#ffffff",
    ink="#1b1f24",
    muted="#57606a",
    grid="#d8dee4",
    panel="#f3f5f7",
    link="#0b57a4",
    on="#ffffff",
    series=(
        "#1f5fa8",
        "#ad5200",
        "#2e7a33",
        "#8e2f8e",
        "#b3321f",
        "#00707a",
        "#6e5d00",
        "#5a5a92",
        "#a8326d",
        "#555555",
    ),
)

DARK = Palette(
    paper="#14181d",
    ink="#e6e9ec",
    muted="#a2abb5",
    grid="#343b44",
    panel="#1d232a",
    link="#8cbcf5",
    on="#0c0f12",
    series=(
        "#7fb2f0",
        "#f0a860",
        "#7fd085",
        "#d99ae0",
        "#f08a78",
        "#5fd0d8",
        "#d8c860",
        "#b0b0dc",
        "#f09ac0",
        "#c0c0c0",
    ),
)


def css_variables(palette: Palette) -> str:
    """The scheme as custom properties."""
    names = ("paper", "ink", "muted", "grid", "panel", "link", "on")
    lines = [f"--{name}:{getattr(palette, name)}" for name in names]
    lines += [f"--s{i}:{color}" for i, color in enumerate(palette.series)]
    return ";".join(lines)


def series_index(color: int) -> int:
    """Colors come again when there are more kernels; their numbers do not."""
    return color % len(LIGHT.series)
