"""What goes wrong when a report is made."""

from __future__ import annotations


from ..errors import DietCodeError


class ReportError(DietCodeError):
    """A report cannot be made: one line that says what, where, and what to do."""
