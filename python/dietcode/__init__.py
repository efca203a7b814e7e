"""DietCode for MLIR: micro-kernels and dispatch for tensor operators with dynamic shapes.

The package does not compile anything yet; it tells the version of the project
that it belongs to.
"""

from ._version import __version__

__all__ = ["__version__"]
