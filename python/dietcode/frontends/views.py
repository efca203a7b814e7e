"""Views of dynamic shapes, as joining and splitting of dimensions.

torch-mlir 20261001 guesses which dimensions a view joins when several of them are dynamic,
and guesses wrong: ``x.view(B * T, 64)`` of a tensor (B, T, 64) becomes a cast to (B, 1, 64).
torch knows the sizes as expressions, so that the dimensions that belong together can be told
here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ._require import require


class Group(NamedTuple):
    """Dimensions [``first``, ``last``) of the operand, which are [``start``, ``end``) of the
    result."""

    first: int
    last: int
    start: int
    end: int


def rewrite_views(graph: Any) -> None:
    """Writes views of dynamic shapes as ``flatten`` and ``unflatten``."""
    aten = require("torch", "importing from torch").ops.aten
    kinds = (aten.view.default, aten._unsafe_view.default, aten.reshape.default)
    for node in list(graph.nodes):
        if node.op != "call_function" or node.target not in kinds:
            continue
        operand, sizes = node.args[0].meta["val"].shape, node.meta["val"].shape
        if not sizes or all(isinstance(size, int) for size in (*operand, *sizes)):
            continue
        with graph.inserting_before(node):
            value = _rewrite(graph, node, match(operand, sizes), aten)
        node.replace_all_uses_with(value)
        graph.erase_node(node)


def match(operand: Sequence[Any], result: Sequence[Any]) -> list[Group]:
    """Which dimensions are joined or split, as small groups as can be told. Of several in a
    group that are joined and split as well, only the elements' order is known."""
    left, right = [_expr(size) for size in operand], [_expr(size) for size in result]
    groups = []
    i = j = 0
    while i < len(left) and j < len(right):
        first, start = i, j
        a, b = left[i], right[j]
        i, j = i + 1, j + 1
        while (a - b).expand() != 0:
            if i < len(left) and _divides(a, b):
                a, i = a * left[i], i + 1
            elif j < len(right) and _divides(b, a):
                b, j = b * right[j], j + 1
            else:
                return [Group(0, len(left), 0, len(right))]
        groups.append(Group(first, i, start, j))
    # What is left are dimensions of size 1.
    if not groups:
        return [Group(0, len(left), 0, len(right))]
    groups[-1] = groups[-1]._replace(last=len(left), end=len(right))
    return groups


def _rewrite(graph: Any, node: Any, groups: Sequence[Group], aten: Any) -> Any:
    value, result = node.args[0], list(node.meta["val"].shape)
    # From the last, so that the numbers of the others stay what they are.
    for group in reversed(groups):
        shape = list(value.meta["val"].shape)
        before, after = shape[: group.first], shape[group.last :]
        if group.last - group.first > 1:
            joined = 1
            for size in shape[group.first : group.last]:
                joined = joined * size
            value = _call(graph, aten.flatten.using_ints, (value, group.first, group.last - 1),
                          node, [*before, joined, *after])
        if group.end - group.start > 1:
            sizes = list(node.args[1][group.start : group.end])
            value = _call(graph, aten.unflatten.int, (value, group.first, sizes), node,
                          [*before, *result[group.start : group.end], *after])
    return value


def _call(graph: Any, target: Any, args: tuple[Any, ...], like: Any, shape: list[Any]) -> Any:
    made = graph.call_function(target, args)
    made.meta = dict(like.meta)
    made.meta["val"] = like.meta["val"].new_empty(shape)
    made.meta.pop("tensor_meta", None)
    return made


def _expr(size: Any) -> Any:
    return size.node.expr if hasattr(size, "node") else require("sympy", "torch").Integer(size)


def _divides(divisor: Any, dividend: Any) -> bool:
    """Whether the quotient is known to be a whole number."""
    quotient = (dividend / divisor).cancel()
    _, denominator = quotient.as_numer_denom()
    return bool(denominator == 1)
