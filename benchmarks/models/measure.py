#!/usr/bin/env python3
"""Prints what compiling and running whole layers takes.

    measure.py bert-layer --shape B=1,T=5 --shape B=3,T=37 --check

The layer is one that test/Models/make_model.py writes; options that are not known
here, such as --hidden, are for it. Times of kernels are those of the device's
model; the others are of this machine.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def run(command, **options):
    """What the command prints, and how long it takes."""
    start = time.monotonic()
    result = subprocess.run(command, capture_output=True, text=True, **options)
    seconds = time.monotonic() - start
    if result.returncode:
        sys.exit(result.stderr or f"exit code {result.returncode}")
    return result.stdout, result.stderr, seconds


def compile_model(file, options):
    """Compiles, and prints what came of it."""
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as output:
        children = os.times()
        _, warnings, seconds = run([f"{options.build}/bin/dietcode-opt", "--dietcode-to-llvm",
                                    file, "-o", output.name])
        used = os.times().children_user - children.children_user
        ptx, _, _ = run([sys.executable, f"{ROOT}/build_tools/extract-ptx.py", output.name])
    kernels = len(re.findall(r"\.entry ", ptx))
    on_host = len(re.findall("will run on the host", warnings))
    print(f"compiled in {seconds:.1f} s ({used:.1f} s of a processor): {kernels} kernels, "
          f"{len(ptx)} bytes of PTX, {on_host} operations on the host")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("model")
    parser.add_argument("--build", default=f"{ROOT}/build", help="the build folder")
    parser.add_argument("--shape", action="append", default=[], help="e.g. B=1,T=5")
    parser.add_argument("--check", action="store_true",
                        help="with all checkers, and compared with float64")
    parser.add_argument("--tolerance", default="1e-4",
                        help="of the largest error; docs/models.md says why so much")
    options, others = parser.parse_known_args()
    with tempfile.TemporaryDirectory() as folder:
        file = f"{folder}/{options.model}.mlir"
        text, _, _ = run([sys.executable, f"{ROOT}/test/Models/make_model.py", options.model,
                          *others])
        with open(file, "w") as stream:
            stream.write(text)
        compile_model(file, options)
        if not options.shape:
            return
        command = [f"{options.build}/bin/dietcode-run", file, "--json"]
        if options.check:
            command += ["--check", f"--tolerance={options.tolerance}"]
        command += [f"--shape={shape}" for shape in options.shape]
        text, _, seconds = run(command)
        print(f"{'shape':16} {'launches':>8} {'virtual time':>12} {'largest error':>14}")
        for shape, row in zip(options.shape, json.loads(text)["runs"]):
            error = f"{row['maxError']:.1e}" if "maxError" in row else "-"
            print(f"{shape:16} {len(row['kernels']):8} {row['seconds'] * 1e6:9.1f} us {error:>14}")
        print(f"ran in {seconds:.1f} s")


if __name__ == "__main__":
    main()
