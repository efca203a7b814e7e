"""Operators of ATen in terms of others, before torch-mlir sees them."""

from __future__ import annotations

import math
from typing import Any

from ._require import require
from .lowering import UnsupportedError

_PURPOSE = "importing from torch"
# torch-mlir takes these apart itself, in a way that the compiler recognizes.
_KEPT = ("aten.addmm.", "aten.native_layer_norm.")


def decompositions() -> dict[Any, Any]:
    """By operator, what torch computes it with."""
    torch = require("torch", _PURPOSE)
    # Not torch-mlir's extended table: with it, products of three dimensions are cast to a
    # wrong type (torch-mlir 20261001).
    table = require("torch_mlir.extras.fx_decomp_util", _PURPOSE).DEFAULT_DECOMPOSITIONS
    known = require("torch._decomp", _PURPOSE).get_decompositions(table)
    chosen = {op: function for op, function in known.items() if not str(op).startswith(_KEPT)}
    # torch-mlir makes an operation of a dialect of its own of attention.
    chosen[torch.ops.aten.scaled_dot_product_attention.default] = attention
    chosen[torch.ops.aten._safe_softmax.default] = safe_softmax
    return chosen


def safe_softmax(scores: Any, dim: int, dtype: Any = None) -> Any:
    """Zeros where all of a row is masked, in place of NaNs."""
    torch = require("torch", _PURPOSE)
    is_masked = scores.amax(dim, keepdim=True) == -math.inf
    return torch.where(is_masked, 0.0, torch.softmax(scores, dim, dtype=dtype))


def attention(query: Any, key: Any, value: Any, attn_mask: Any = None, dropout_p: float = 0.0,
              is_causal: bool = False, *, scale: float | None = None,
              enable_gqa: bool = False) -> Any:
    """``scaled_dot_product_attention``."""
    torch = require("torch", _PURPOSE)
    if dropout_p:
        raise UnsupportedError("attention with dropout; switch the module to eval mode")
    if enable_gqa:
        times = query.shape[-3] // key.shape[-3]
        key, value = (_repeat(x, times) for x in (key, value))
    size = query.shape[-1]
    scores = query @ key.transpose(-2, -1) * (size**-0.5 if scale is None else scale)
    if is_causal:
        rows = torch.arange(query.shape[-2], device=query.device)[:, None]
        is_seen = rows >= torch.arange(key.shape[-2], device=query.device)
        scores = torch.where(is_seen, scores, -math.inf)
    if attn_mask is None:
        return torch.softmax(scores, -1) @ value
    if attn_mask.dtype == torch.bool:
        scores = torch.where(attn_mask, scores, -math.inf)
    else:
        scores = scores + attn_mask
    return safe_softmax(scores, -1) @ value


def _repeat(x: Any, times: int) -> Any:
    """Each head of keys or values, for the heads of queries that share it."""
    *batch, heads, length, size = x.shape
    wide = x.unsqueeze(-3).expand(*batch, heads, times, length, size)
    return wide.reshape(*batch, heads * times, length, size)
