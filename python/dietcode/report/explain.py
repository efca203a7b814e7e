"""Where explanations come from: the programs of DietCode, or its C interface."""

from __future__ import annotations

import importlib
import json
import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from .errors import ReportError

Json = dict[str, Any]


class Explainer(Protocol):
    """Says what a tuned file decides, and why."""

    def overview(
        self, tuned: Path, *, records: Path | None, model: Path | None, entry: str | None
    ) -> Json:
        """What ``dietcode-explain --json`` prints without ``--shape``."""

    def timings(
        self, tuned: Path, shapes: Sequence[Mapping[str, int]], *, entry: str | None
    ) -> Json | None:
        """What ``dietcode-run --json`` prints of a run at each shape, or None if
        nothing here can run kernels."""


def _run(command: Sequence[str], timeout: float) -> str:
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=timeout, check=False
        )
    except subprocess.TimeoutExpired:
        raise ReportError(
            f"{Path(command[0]).name} took longer than {timeout:g} s; allow more, or leave "
            "its part of the report out"
        ) from None
    except OSError as error:
        raise ReportError(f"{command[0]}: {error.strerror}") from error
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines() or [f"ended with status {done.returncode}"]
        first = next((line for line in lines if "error" in line), lines[0])
        raise ReportError(f"{Path(command[0]).name}: {first}")
    return done.stdout


def _load(text: str, what: str) -> Json:
    try:
        value = json.loads(text)
    except ValueError as error:
        raise ReportError(f"{what} printed no JSON: {error}") from error
    if not isinstance(value, dict):
        raise ReportError(f"{what} printed no JSON object")
    return value


class ToolExplainer:
    """Asks ``dietcode-explain`` and ``dietcode-run`` as child processes.

    They are looked for in ``folder``, or else in the one that ``DIETCODE_BIN``
    names, or else on ``PATH``.
    """

    def __init__(self, folder: Path | str | None = None, *, timeout: float = 600.0) -> None:
        named = folder or os.environ.get("DIETCODE_BIN") or None
        self._folder = Path(named) if named else None
        self._timeout = timeout

    def find(self, program: str) -> str | None:
        """The program's path, or None."""
        return shutil.which(program, path=str(self._folder) if self._folder else None)

    def overview(
        self, tuned: Path, *, records: Path | None, model: Path | None, entry: str | None
    ) -> Json:
        """See Explainer."""
        program = self.find("dietcode-explain")
        if program is None:
            raise ReportError(
                "there is no dietcode-explain on PATH; set DIETCODE_BIN to the folder that has it"
            )
        command = [program, str(tuned), "--json", "--curve"]
        command += ["--records", str(records), "--accuracy"] if records else []
        command += ["--model", str(model)] if model else []
        command += ["--entry", entry] if entry else []
        if "dietcode.workload = @" in tuned.read_text(encoding="utf-8", errors="replace"):
            command.append("--instances")
        return _load(_run(command, self._timeout), "dietcode-explain")

    def timings(
        self, tuned: Path, shapes: Sequence[Mapping[str, int]], *, entry: str | None
    ) -> Json | None:
        """See Explainer."""
        program = self.find("dietcode-run")
        if program is None:
            return None
        command = [program, str(tuned), "--json"]
        command += ["--entry", entry] if entry else []
        for shape in shapes:
            command += ["--shape", ",".join(f"{name}={shape[name]}" for name in sorted(shape))]
        return _load(_run(command, self._timeout), "dietcode-run")


class ExtensionExplainer:
    """Asks the C interface (``dietcode_module_overview``) in this process."""

    def __init__(self, native: Any = None) -> None:
        self._native = native if native is not None else find_extension()

    def overview(
        self, tuned: Path, *, records: Path | None, model: Path | None, entry: str | None
    ) -> Json:
        """See Explainer."""
        if self._native is None:
            raise ReportError("the extension of the dietcode package gives no overview here")
        text = tuned.read_text(encoding="utf-8")
        try:
            printed = self._native.overview(
                text,
                str(tuned),
                entry,
                str(records) if records else None,
                str(model) if model else None,
            )
        except (RuntimeError, ValueError) as error:
            raise ReportError(str(error)) from error
        return _load(printed, "dietcode_module_overview")

    def timings(
        self, tuned: Path, shapes: Sequence[Mapping[str, int]], *, entry: str | None
    ) -> Json | None:
        """Compiled programs say how long a call takes, but not why."""
        return None


def find_extension() -> Any:
    """The extension of this package if it can give overviews, or None."""
    try:
        native = importlib.import_module("dietcode._native")
    except ImportError:
        return None
    return native if hasattr(native, "overview") else None


def find_explainer() -> Explainer:
    """The programs if they are there, since they can run kernels, or else the
    extension."""
    tool = ToolExplainer()
    if tool.find("dietcode-explain") is None and find_extension() is not None:
        return ExtensionExplainer()
    return tool
