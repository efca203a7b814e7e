"""What goes wrong, as exceptions.

All are a :class:`DietCodeError`; those that stand for a mistake in an argument are a
``ValueError`` as well, so that either can be caught. Arguments of a wrong type raise a
plain ``TypeError``.
"""

from __future__ import annotations


class DietCodeError(Exception):
    """Anything that this package reports."""


class InvalidArgumentError(DietCodeError, ValueError):
    """An argument is outside of what a function takes; nothing ran."""


class ShapeError(DietCodeError, ValueError):
    """Dimensions contradict each other, or what a shape variable allows."""


class DeviceError(DietCodeError, RuntimeError):
    """The device is absent, cannot run the kernels, or has failed."""


class FindingError(DietCodeError, RuntimeError):
    """A checker of the virtual GPU found a fault in a kernel."""


class OutOfMemoryError(DietCodeError, MemoryError):
    """The device or the host has no memory left."""


class VersionError(DietCodeError, RuntimeError):
    """Something was made by another release."""


class CompileError(DietCodeError, ValueError):
    """The compiler does not take the MLIR, or a file; the message says where."""


class InterruptedError(DietCodeError):
    """Tuning was stopped. What was measured is in the records."""


class InternalError(DietCodeError, RuntimeError):
    """A mistake of DietCode; please report it."""


# By dietcode_status.
_CLASSES: dict[int, type[DietCodeError]] = {
    1: InvalidArgumentError,
    2: ShapeError,
    3: DeviceError,
    4: FindingError,
    5: OutOfMemoryError,
    6: VersionError,
    7: CompileError,
    8: InterruptedError,
    9: InternalError,
}


def of_status(status: int) -> type[DietCodeError]:
    """The class for a status of the C interface."""
    return _CLASSES.get(status, InternalError)
