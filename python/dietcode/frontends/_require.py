"""Optional packages, imported when they are needed."""

from __future__ import annotations

import importlib
from typing import Any

TESTED = {
    "onnx": "onnx==1.23.2",
    "torch": "torch==2.15.0",
    "torch_mlir": "torch-mlir==20261001",
}
"""What each front end was tested with, as pip takes it."""


def require(name: str, purpose: str) -> Any:
    """A module. Raises an ``ImportError`` that says what to install, and what for."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        package = name.partition(".")[0]
        raise ImportError(
            f"{purpose} needs the package {package.replace('_', '-')}, which cannot be imported: "
            f"{error}. It was tested with {TESTED.get(package, package)}"
        ) from error
