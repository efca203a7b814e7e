"""Reports of what was tuned: one HTML page that needs no network, and PNGs.

>>> from dietcode.report import report
>>> report("tuned.mlir", "report.html", records="qkv.jsonl")  # doctest: +SKIP
"""

from __future__ import annotations

from .errors import ReportError
from .explain import Explainer, ExtensionExplainer, ToolExplainer
from .making import report

__all__ = ["Explainer", "ExtensionExplainer", "ReportError", "ToolExplainer", "report"]
