"""Workloads from other frameworks, whose packages are imported when they are needed."""

from .onnx import from_onnx
from .pytorch import TorchWorkload, from_torch

__all__ = ["TorchWorkload", "from_onnx", "from_torch"]
