#!/usr/bin/env python3
"""Runs operators on random shapes, and compares results with derived bounds.

    sweep.py --run dietcode-run --operator conv_2d --type f16 --shapes 500 --ptxas

Each program is one function with random transposes, layouts, strides, paddings and
epilogue, and operands of one type; each is run on many shapes, among them empty ones, by
`dietcode-run --check`: all checkers of the virtual GPU watch, what surrounds an
operand is poisoned, and a reference is evaluated in double precision. An error is
relative to the sum of the absolute values of the terms of an element, for which
bounds are derived in docs/accuracy.md. Everything depends on the seed alone.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile

import contractions
import rowwise
from assembler import Assembler, find_ptxas
from element_types import TYPES

OPERATORS = {**contractions.OPERATORS, **rowwise.OPERATORS}


class Result:
    def __init__(self):
        self.shapes = self.failures = self.programs = self.empty = 0
        self.launches = {"aligned": 0, "general": 0, "mma": 0}
        self.error = self.fraction = 0.0
        self.kernels = self.spilled = 0


class Settings:
    """How a program is compiled."""

    def __init__(self, rng, of, operator, max_kernels):
        self.max_kernels = max_kernels or rng.choice([1, 2, 2, 8])
        # The chip before tensor cores were for all; without them, halves are multiplied by fma.
        has_choice = operator in contractions.OPERATORS and of.element == "f16" and not of.sums
        self.chip = "sm_70" if has_choice and rng.random() < 0.3 else "sm_75"

    def of_run(self):
        return [f"--max-kernels={self.max_kernels}", f"--chip={self.chip}"]

    def of_opt(self):
        return [f"max-kernels={self.max_kernels}", f"chip={self.chip}"]


class Sweep:
    def __init__(self, options, assembler):
        self.options, self.assembler = options, assembler
        # A run would assemble for its estimates of times, which nobody reads here.
        self.environment = {**os.environ, "DIETCODE_PTXAS": "none"}

    def fail(self, result, message, command):
        result.failures += 1
        print(f"FAILED: {message}\n  {' '.join(command)}", flush=True)

    def command(self, file, tolerance, settings):
        return [self.options.run, file, "--check", f"--tolerance={tolerance:.4g}",
                *settings.of_run()]

    def run_program(self, file, samples, settings, result):
        """Runs the shapes; those after one that ends the process in another."""
        while samples:
            command = self.command(file, max(bound for _, bound in samples), settings)
            process = subprocess.run(command + ["--json"]
                                     + [f"--arg-shapes={shape}" for shape, _ in samples],
                                     env=self.environment, capture_output=True, text=True)
            complaints = process.stderr.strip().splitlines()
            for warning in [line for line in complaints if ": warning: " in line]:
                self.fail(result, warning, command)
            runs = []
            if process.stdout.startswith("{"):
                runs = json.loads(process.stdout)["runs"]
            for (shape, bound), run in zip(samples, runs):
                self.judge(file, shape, bound, settings, run, result)
            samples = samples[len(runs):]
            if samples:
                shape, bound = samples[0]
                self.fail(result, (complaints or [f"exit {process.returncode}"])[0],
                          self.command(file, bound, settings) + [f"--arg-shapes {shape}"])
                result.shapes += 1
                # What cannot be compiled ends all of them.
                samples = samples[1:] if runs else []
            elif process.returncode not in (0, 1):
                self.fail(result, f"exit {process.returncode}", command)

    def judge(self, file, shape, bound, settings, run, result):
        result.shapes += 1
        error = run.get("maxError")
        if error is None or error > bound:
            self.fail(result, f"error {error}, bound {bound:.2e}",
                      self.command(file, bound, settings) + [f"--arg-shapes {shape}"])
            return
        result.error = max(result.error, error)
        if bound:
            result.fraction = max(result.fraction, error / bound)
        result.empty += not run["kernels"]
        for kernel in run["kernels"]:
            for kind in result.launches:
                result.launches[kind] += kind in kernel["name"]

    def assemble(self, file, settings, result):
        assembly = self.assembler.assemble(file, settings.of_opt())
        result.kernels += assembly.kernels
        result.spilled += assembly.spilled
        for mistake in assembly.mistakes:
            self.fail(result, mistake, self.assembler.command(file, settings.of_opt()))

    def sweep(self, operator, name, folder):
        """`name` is of a type, or "any" for another one in each program."""
        options = self.options
        rng = random.Random(f"{options.seed} {operator} {name}")
        make, types = OPERATORS[operator]
        result = Result()
        while result.shapes < options.shapes:
            of = TYPES[rng.choice(types) if name == "any" else name]
            program = make(rng, of)
            file = os.path.join(folder, f"{operator}-{name}-{result.programs}.mlir")
            with open(file, "w") as stream:
                stream.write(program.text)
            settings = Settings(rng, of, operator, options.max_kernels)
            samples = []
            for _ in range(min(options.per_program, options.shapes - result.shapes)):
                rng.vector = of.vector if rng.random() < 0.4 else 1
                samples.append(program.sample(rng))
            if self.assembler:
                self.assemble(file, settings, result)
            self.run_program(file, samples, settings, result)
            result.programs += 1
        return result


class Table:
    """One row for each operator and type."""

    def __init__(self, has_ptxas):
        self.has_ptxas = has_ptxas
        self.row("operator", "type", "programs", "shapes", "empty", "aligned", "general", "mma",
                 "failures", "largest error", "of its bound", "kernels", "spilled bytes")

    def row(self, operator, name, *cells):
        widths = [8, 6, 6, 8, 8, 6, 8, 14, 13, 8, 14]
        if not self.has_ptxas:
            cells = cells[:-2]
        print(" ".join([f"{operator:18} {name:8}"]
                       + [f"{cell:>{width}}" for cell, width in zip(cells, widths)]), flush=True)

    def add(self, operator, name, result):
        launches = result.launches
        self.row(operator, name, result.programs, result.shapes, result.empty,
                 launches["aligned"], launches["general"], launches["mma"], result.failures,
                 f"{result.error:.1e}", f"{result.fraction:.1%}", result.kernels, result.spilled)


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--run", default="dietcode-run", help="the tool")
    parser.add_argument("--operator", action="append", choices=OPERATORS,
                        help="may be given several times (default: all)")
    parser.add_argument("--type", action="append", choices=[*TYPES, "any"],
                        help="of operands and results; may be given several times, and any "
                        "chooses one for each program (default: each that an operator has)")
    parser.add_argument("--shapes", type=int, default=500, help="of each operator and type")
    parser.add_argument("--per-program", type=int, default=32,
                        help="shapes that one process runs")
    parser.add_argument("--max-kernels", type=int, default=0,
                        help="micro-kernels of a program (default: 1, 2 or 8)")
    parser.add_argument("--ptxas", action="store_true",
                        help="assemble all kernels for sm_75; one that spills is a failure")
    parser.add_argument("--opt", default="dietcode-opt", help="what compiles for --ptxas")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep", help="folder for the programs, to run them again")
    return parser.parse_args()


def main():
    options = parse_options()
    assembler = None
    if options.ptxas:
        ptxas = find_ptxas()
        if ptxas:
            assembler = Assembler(options.opt, ptxas)
        else:
            print("ptxas is not installed: kernels are run, but not assembled", flush=True)
    sweep = Sweep(options, assembler)
    failures = 0
    table = Table(assembler is not None)
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or temporary
        os.makedirs(folder, exist_ok=True)
        for operator in options.operator or OPERATORS:
            types = OPERATORS[operator][1]
            for name in options.type or types:
                if name != "any" and name not in types:
                    continue
                result = sweep.sweep(operator, name, folder)
                failures += result.failures
                table.add(operator, name, result)
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()
