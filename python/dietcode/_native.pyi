from collections.abc import Callable
from typing import Any

class Result:
    def __dlpack__(self, **kwargs: Any) -> Any: ...
    def __dlpack_device__(self) -> tuple[int, int]: ...

class Program:
    @staticmethod
    def load(data: bytes) -> Program: ...
    def describe(self) -> str: ...
    def ptx(self) -> str: ...
    def header(self) -> str: ...
    def object(self) -> bytes: ...
    def save(self) -> bytes: ...

class Parameter:
    def __init__(
        self, name: str, dtype: str, is_tensor: bool, sizes: list[int], shape_text: str
    ) -> None: ...

class Function:
    def __init__(
        self,
        program: Program,
        name: str,
        parameters: list[Parameter],
        results: list[Parameter],
        copies_read_only: bool,
    ) -> None: ...
    def call(self, values: tuple[Any, ...], stream: int) -> Any: ...

class TuneOptions:
    device: str | None
    entry: str | None
    records: str | None
    model: str | None
    measure_program: str | None
    trials: int
    seconds: float
    batch: int
    max_kernels: int
    max_regret: float
    seed: int
    workers: int
    timeout_seconds: float
    model_only: int
    skip_checks: int

def normalize(text: str, name: str) -> str: ...
def explain(
    text: str, name: str, shape: str, entry: str | None, records: str | None, model: str | None
) -> str: ...
def overview(
    text: str, name: str, entry: str | None, records: str | None, model: str | None
) -> str: ...
def compile(
    text: str,
    name: str,
    entry: str | None,
    chip: str | None,
    max_kernels: int,
    max_regret: float,
    report_misses: bool,
) -> tuple[Program, list[str]]: ...
def tune(
    text: str,
    name: str,
    options: TuneOptions,
    on_progress: Callable[[str, int, int, float, float], object] | None,
) -> tuple[str, str]: ...
def device_name() -> str: ...
def set_device(name: str) -> None: ...
