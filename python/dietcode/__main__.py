"""``python -m dietcode``: tune, compile, run, explain and report from a shell.

A workload is ``FILE.mlir``, or ``FILE.py:NAME`` for a :class:`dietcode.Workload` that a
Python file makes under that name; a kernel is what ``compile`` has written.
"""

from __future__ import annotations

import argparse
import json
import os
import runpy
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np

import dietcode as dc

from .array import Tensor
from .dtypes import NUMPY_NAMES
from .report.__main__ import DESCRIPTION as REPORT_DESCRIPTION
from .report.__main__ import add_arguments as add_report_arguments
from .report.__main__ import write as write_report


class UsageError(Exception):
    """A mistake in the command line that argparse does not see."""


def read_workload(text: str, entry: str | None) -> dc.Workload:
    """``FILE.mlir`` or ``FILE.py:NAME``."""
    path, colon, name = text.rpartition(":")
    if not colon or not path.endswith(".py"):
        return dc.from_mlir(os.path.join(text), entry)
    made = runpy.run_path(path).get(name)
    if not isinstance(made, dc.Workload):
        raise UsageError(f"{path} has no Workload that is called {name}")
    return made


def read_kernel(text: str, entry: str | None, **options: Any) -> dc.Kernel:
    """A saved kernel, or a workload, which is compiled then."""
    if text.endswith(".mlir") or ".py:" in text:
        return dc.compile(read_workload(text, entry), **options)
    if options.get("device"):
        dc.set_device(options["device"])
    return dc.load(text)


def read_shape(text: str) -> dict[str, int]:
    """``T=37,H=768``."""
    values = {}
    for part in text.split(",") if text else []:
        name, _, number = part.partition("=")
        if not name or not number.isdigit():
            raise UsageError(f"'{text}' is no shape; write e.g. T=37,H=768")
        values[name] = int(number)
    return values


class ProgressLine:
    """One line that is written over on a terminal, and nothing elsewhere."""

    def __init__(self) -> None:
        self.is_shown = sys.stderr.isatty()

    def __call__(self, progress: dc.Progress) -> None:
        if self.is_shown:
            sys.stderr.write(
                f"\r\x1b[K{progress.trials}/{progress.max_trials} trials, "
                f"{progress.seconds:.0f} s, {progress.operator}: {progress.best * 1e6:.1f} us"
            )
            sys.stderr.flush()

    def end(self) -> None:
        if self.is_shown:
            sys.stderr.write("\r\x1b[K")


def tune(args: argparse.Namespace) -> None:
    line = ProgressLine()
    try:
        tuned = dc.tune(
            read_workload(args.workload, args.entry), device=args.device, trials=args.trials,
            seconds=args.seconds, records=args.records, model=args.model,
            max_kernels=args.max_kernels, workers=args.workers, seed=args.seed,
            model_only=args.model_only, on_progress=line,
        )
    finally:
        line.end()
    if args.output:
        if args.output.endswith(".mlir"):
            with open(args.output, "w") as file:
                file.write(tuned.mlir)
        else:
            dc.compile(tuned).save(args.output)
    if args.json:
        print(json.dumps(tuned.report, indent=2))
        return
    report = tuned.report
    print(f"{report['trials']} trials on {report['device']} in {report['seconds']:.1f} s")
    if args.output:
        print(f"wrote {args.output}")


def compile_(args: argparse.Namespace) -> None:
    kernel = dc.compile(read_workload(args.workload, args.entry), chip=args.chip,
                        max_kernels=args.max_kernels)
    kernel.save(args.output)
    print(f"wrote {args.output}: {kernel!r}")


def make_inputs(kernel: dc.Kernel, shape: dict[str, int], seed: int) -> list[Any]:
    """Random arguments for values of the shape variables."""
    if kernel.arguments is None:
        raise UsageError("what this kernel takes is not known; give --input for each argument")
    random = np.random.default_rng(seed)
    return [_make_input(random, argument, shape) for argument in kernel.arguments]


def _make_input(random: np.random.Generator, argument: Tensor, shape: dict[str, int]) -> Any:
    try:
        sizes = [s if isinstance(s, int) else s.evaluate(shape) for s in argument.shape]
    except KeyError as error:
        raise UsageError(f"--shape gives no value for {error.args[0]}") from None
    name = NUMPY_NAMES[argument.dtype]
    if argument.dtype == "bf16":
        raise UsageError(f"argument '{argument.name}' is of bf16; give --input")
    if argument.dtype.startswith("f"):
        return random.standard_normal(sizes).astype(name)
    return random.integers(0, 2, sizes).astype(name)


def run(args: argparse.Namespace) -> None:
    kernel = read_kernel(args.kernel, args.entry, device=args.device)
    if args.input:
        inputs = [np.load(path) for path in args.input]
    else:
        inputs = make_inputs(kernel, read_shape(args.shape), args.seed)
    start = time.perf_counter()
    returned = kernel(*inputs)
    seconds = time.perf_counter() - start
    results = returned if isinstance(returned, tuple) else (returned,)
    print(f"{kernel.name} on {dc.device()}: {seconds:.3f} s on the host")
    for index, result in enumerate(results):
        print(f"result {index}: {result.dtype} {result.shape}")
    for path, result in zip(args.output, results):
        np.save(path, result)


def explain(args: argparse.Namespace) -> None:
    kernel = args.kernel
    values = read_shape(args.shape)
    if kernel.endswith(".mlir") or ".py:" in kernel:
        from .explanation import explain_mlir

        workload = read_workload(kernel, args.entry)
        said = explain_mlir(workload.mlir, workload.source, workload.name, values, args.records,
                            args.model)
    else:
        said = dc.load(kernel).explain(**values)
    print(json.dumps(said.operators, indent=2) if args.json else said)


def make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m dietcode", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--version", action="version", version=dc.__version__)
    commands = parser.add_subparsers(dest="command", required=True)

    def add(name: str, does: Callable[[argparse.Namespace], None], what: str, text: str,
            ) -> argparse.ArgumentParser:
        command = commands.add_parser(name, help=text, description=text)
        command.add_argument(what, help="FILE.mlir, FILE.py:NAME"
                             + ("" if what == "workload" else " or a saved kernel"))
        command.add_argument("--entry", help="the function of FILE.mlir")
        command.set_defaults(does=does)
        return command

    command = add("tune", tune, "workload", "search micro-kernels for all instances together")
    command.add_argument("-o", "--output", help="the tuned module (.mlir), or a compiled kernel")
    command.add_argument("--device", default="virtual:t4", help="to measure on (%(default)s)")
    command.add_argument("--trials", type=int, default=200, help="to measure (%(default)s)")
    command.add_argument("--seconds", type=float, default=0.0, help="start no batch after")
    command.add_argument("--records", help="a file of measurements, read and appended to")
    command.add_argument("--model", help="a file of a trained cost model")
    command.add_argument("--max-kernels", type=int, default=8, help="per operator (%(default)s)")
    command.add_argument("--workers", type=int, default=0, help="0: one for each processor")
    command.add_argument("--seed", type=int, default=0, help="(%(default)s)")
    command.add_argument("--model-only", action="store_true", help="measure nothing")
    command.add_argument("--json", action="store_true", help="print the report as JSON")

    command = add("compile", compile_, "workload", "compile to a file that run and load take")
    command.add_argument("-o", "--output", required=True, help="the compiled kernel")
    command.add_argument("--chip", help="e.g. sm_80")
    command.add_argument("--max-kernels", type=int, default=8, help="per operator (%(default)s)")

    command = add("run", run, "kernel", "call a kernel")
    command.add_argument("--device", help="e.g. virtual:t4 or cuda:0")
    command.add_argument("--shape", default="", help="of random arguments, e.g. T=37")
    command.add_argument("--seed", type=int, default=0, help="of random arguments (%(default)s)")
    command.add_argument("--input", action="append", default=[], metavar="FILE.npy",
                         help="an argument; repeat for each")
    command.add_argument("-o", "--output", action="append", default=[], metavar="FILE.npy",
                         help="where a result goes; repeat for each")

    command = add("explain", explain, "kernel", "say which micro-kernel serves a shape, and why")
    command.add_argument("--shape", default="", help="e.g. T=37")
    command.add_argument("--records", help="a file of measurements")
    command.add_argument("--model", help="a file of a trained cost model")
    command.add_argument("--json", action="store_true", help="print JSON")

    command = commands.add_parser("report", help="write a page about what was tuned",
                                  description=REPORT_DESCRIPTION)
    add_report_arguments(command)
    command.set_defaults(does=write_report)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    args = make_parser().parse_args(arguments)
    try:
        args.does(args)
    except (dc.DietCodeError, UsageError, OSError, TypeError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("error: interrupted", file=sys.stderr)
        return 130
    return 0


def _main() -> NoReturn:
    sys.exit(main())


if __name__ == "__main__":
    _main()
