"""Why a shape gets the kernel that it gets."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from . import _native
from .errors import InvalidArgumentError


def _time(seconds: float) -> str:
    for unit, scale in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= scale:
            return f"{seconds / scale:.3f} {unit}"
    return f"{seconds * 1e6:.1f} us"


class Explanation:
    """Of one shape: which micro-kernel serves it, why, and how long that takes.

    ``operators`` has a dict for each operator, with the keys of ``dietcode-explain --json``;
    times are in seconds. Printed, it is a short text.
    """

    def __init__(self, shape: Mapping[str, int], operators: list[dict[str, Any]]) -> None:
        self.shape, self.operators = dict(shape), operators

    @property
    def seconds(self) -> float:
        """Predicted or measured, of all operators one after the other."""
        return float(sum(one["chosen"].get("seconds", 0) for one in self.operators))

    def __str__(self) -> str:
        lines = []
        for one in self.operators:
            chosen, other = one["chosen"], one.get("runner_up")
            lines.append(f"{one['operator']}: {one['shape']}")
            lines.append(f"  {one['leaf']}")
            if "nothing" in one:
                lines.append(f"  {one['nothing']}")
                continue
            lines.append(
                f"  chosen    {chosen['kernel']}: {_time(chosen['seconds'])} ({chosen['source']})"
            )
            lines.append(
                f"            {one['blocks']} blocks, {one['blocks_per_sm']} per SM, "
                f"{one['waves']:.1f} waves, {one['padding_waste']:.0%} padding, "
                f"{one['bound']}-bound"
            )
            if other:
                lines.append(
                    f"  runner-up {other['kernel']}: {_time(other['seconds'])} ({other['source']})"
                )
        return "\n".join(lines)

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={value}" for name, value in self.shape.items())
        return f"Explanation({values}: {_time(self.seconds)})"


def explain_mlir(
    mlir: str,
    source: str,
    entry: str,
    values: Mapping[str, int],
    records: str | None = None,
    model: str | None = None,
) -> Explanation:
    """Explains a function of a module for values of its shape variables."""
    for name, value in values.items():
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise InvalidArgumentError(f"explain: {name} is {value!r}; expected a size")
    shape = ",".join(f"{name}={value}" for name, value in values.items())
    text = _native.explain(mlir, source, shape, entry, records, model)
    return Explanation(values, json.loads(text))
