"""How well predictions agree with measurements."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Agreement:
    """Of predicted times with measured ones."""

    count: int
    rank_correlation: float | None  # Spearman's.
    determination: float | None  # R2 of the logarithms.
    median_error: float  # Of |predicted / measured - 1|.
    worst_error: float


def _ranks(values: Sequence[float]) -> list[float]:
    order = sorted(range(len(values)), key=lambda i: values[i])
    ranks = [0.0] * len(values)
    first = 0
    while first < len(order):
        last = first
        while last + 1 < len(order) and values[order[last + 1]] == values[order[first]]:
            last += 1
        for i in range(first, last + 1):
            ranks[order[i]] = (first + last) / 2
        first = last + 1
    return ranks


def _correlation(a: Sequence[float], b: Sequence[float]) -> float | None:
    mean_a, mean_b = sum(a) / len(a), sum(b) / len(b)
    ab = sum((x - mean_a) * (y - mean_b) for x, y in zip(a, b, strict=True))
    aa = sum((x - mean_a) ** 2 for x in a)
    bb = sum((y - mean_b) ** 2 for y in b)
    return ab / math.sqrt(aa * bb) if aa > 0 and bb > 0 else None


def median(values: Sequence[float]) -> float:
    """The middle one, or the mean of the two in the middle."""
    ordered = sorted(values)
    middle = len(ordered) // 2
    if len(ordered) % 2:
        return ordered[middle]
    return (ordered[middle - 1] + ordered[middle]) / 2


def agreement(predicted: Sequence[float], measured: Sequence[float]) -> Agreement | None:
    """None without anything to compare."""
    if not measured:
        return None
    errors = [abs(p / m - 1) for p, m in zip(predicted, measured, strict=True)]
    logs = [math.log(m) for m in measured]
    mean = sum(logs) / len(logs)
    spread = sum((x - mean) ** 2 for x in logs)
    missed = sum((math.log(p) - x) ** 2 for p, x in zip(predicted, logs, strict=True))
    return Agreement(
        count=len(errors),
        rank_correlation=_correlation(_ranks(predicted), _ranks(measured)),
        determination=1 - missed / spread if spread > 0 else None,
        median_error=median(errors),
        worst_error=max(errors),
    )
