"""Workloads from other frameworks, whose packages are imported when they are needed."""

from .pytorch import TorchWorkload, from_torch

__all__ = ["TorchWorkload", "from_torch"]
